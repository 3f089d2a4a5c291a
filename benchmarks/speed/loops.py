"""A fit of ours against a plain NumPy loop to the same likelihood, on three public networks. Run by fit.py.

The same: both within 0.1 % of where our default fit ends. So ours is the quick one of `facebook.py`, with fewer samples
and steps, where it comes that close, and the default where it does not.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path

from facebook import DEFAULT, QUICK, Plain, embed
from measuring import Target, cpu_seconds

import netgiven as ng
from netgiven.datasets import public

NETWORKS = ("facebook", "arxiv_astroph", "blogcatalog")
CLOSE = 1.001  # times our cost: 0.1 %


def compare(name: str, network: ng.Network) -> Target:
    """How much longer the plain loop takes."""
    enough, plain = -CLOSE * embed(network, **DEFAULT).log_likelihood, Plain(network)
    quick = -embed(network, **QUICK).log_likelihood <= enough
    (seconds,) = cpu_seconds(partial(embed, network, **(QUICK if quick else DEFAULT)), repetitions=5)
    bound = "" if plain.run(enough) else ", not there yet: a lower bound"
    ours, theirs = f"{'quick' if quick else 'default'} {seconds:.2f} s", f"plain loop {plain.seconds:.1f} s"
    note = f"{ours}; {theirs}, {plain.fit.epochs} epochs{bound}"
    return Target(f"{name}: times faster", plain.seconds / seconds, 100, at_least=True, note=note)


def measure(folder: Path | None) -> list[Target]:
    """One fit at fixed settings on each network."""
    return [compare(name, public.load(name, public.folder(folder))) for name in NETWORKS]
