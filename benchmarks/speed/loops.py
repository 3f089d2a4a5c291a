"""Our default fit against a plain NumPy loop to the same likelihood, on three public networks. Run by fit.py."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from facebook import DEFAULT, Plain, embed
from measuring import Target, cpu_seconds

import netgiven as ng
from netgiven.datasets import public

NETWORKS = ("facebook", "arxiv_astroph", "blogcatalog")
CLOSE = 1.001  # times our cost: 0.1 %


def compare(name: str, network: ng.Network) -> Target:
    """How much longer the plain loop takes to come to within 0.1 % of where our fit ends."""
    cost, plain = -embed(network, **DEFAULT).log_likelihood, Plain(network)
    (seconds,) = cpu_seconds(partial(embed, network, **DEFAULT), repetitions=3)
    bound = "" if plain.run(CLOSE * cost) else ", not there yet: a lower bound"
    note = f"{seconds:.2f} s; plain loop {plain.seconds:.1f} s, {plain.fit.epochs} epochs{bound}"
    return Target(f"{name}: times faster", plain.seconds / seconds, 100, at_least=True, note=note)


def measure(folder: Path | None) -> list[Target]:
    """One fit at fixed settings on each network."""
    return [compare(name, public.load(name, public.folder(folder))) for name in NETWORKS]
