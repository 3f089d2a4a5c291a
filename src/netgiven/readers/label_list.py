"""A file of labels: a node and one of its labels in each line."""

from __future__ import annotations

from os import PathLike
from typing import NamedTuple

import pandas as pd

from netgiven.edges import counted
from netgiven.errors import InputError
from netgiven.labels import Labels, with_nodes
from netgiven.network import Network
from netgiven.readers.pair_list import read_pairs


class LabelList(NamedTuple):
    """Labels of nodes, the network with nodes that only have labels added, and what was decided while reading."""

    labels: Labels
    network: Network
    notes: tuple[str, ...]


def read_labels(
    path: str | PathLike[str], network: Network, *, header: bool | None = None, delimiter: str | None = None
) -> LabelList:
    """Labels from lines of a node and a label, several lines for a node with several labels.

    A node that has labels and no links is added to the network; if all are such, something was mixed up.

    >>> from pathlib import Path; from tempfile import TemporaryDirectory
    >>> network = Network.from_edges([("ann", "bob"), ("bob", "cid")])
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "labels.tsv")
    ...     _ = path.write_text("ann\\tplays chess\\nann\\tsings\\ncid\\tsings\\ndan\\tsings\\n")
    ...     read_labels(path, network)[:2]
    (Labels: 4 labels of 3 nodes, 2 different ones, Network: 4 nodes, 2 links)
    """
    pairs = read_pairs(path, network.nodes, header=header, delimiter=delimiter)
    named = pd.Index(pairs.table["u"])
    fresh = int((~named.unique().isin(network.nodes)).sum())
    if fresh == named.nunique():
        first = ", ".join(str(name) for name in named[:3])
        raise InputError(f"{path}: none of its nodes is in the network (its first are {first}). Check the two files.")
    note = (f"{counted(fresh, 'node')} with labels have no links and were added",) if fresh else ()
    larger = with_nodes(network, named) if fresh else network
    labels = Labels.from_columns(larger.nodes, named, pairs.table["v"])
    return LabelList(labels, larger, (*pairs.notes, *note))
