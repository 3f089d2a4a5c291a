"""The public networks, from their folder."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from netgiven.datasets import public
from netgiven.evaluation.reproduction.plan import Data, Sources
from netgiven.labels import Labels
from netgiven.network import Network


def public_sources(folder: Path) -> Sources:
    """A way to each public network; it complains, and says where the network can be had, if that is not there."""
    return {name: _source(name, folder) for name in public.NETWORKS}


def _source(name: str, folder: Path) -> Callable[[], Data]:
    def load() -> Data:
        network = public.load(name, folder)
        path = public.find(name, folder).labels
        return Data(network, None if path is None else lambda: _labels(path, network))

    return load


def _labels(path: Path, network: Network) -> Labels:
    from netgiven.readers import read_labels

    return read_labels(path, network).labels
