"""What the defaults cost: CPU seconds of `embed(network)`, beside a fit with the settings that it chose.

    python benchmarks/speed/defaults.py [--networks facebook ppi ...] [--splits 10] [--million] [--data FOLDER]

Times are those of the whole network, given its degrees, on one thread, in a process that has run the kernels before.
The AUC is that of links that were hidden from another fit with defaults: half of a public network, a tenth of a planted
one, the mean over `--splits`. It is compared with the mean over ten splits before settings were chosen along one path,
and for planted networks with the AUC of the true probabilities. Exit code 1 if a target is missed.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np
from measuring import Target, add_data_option, data_file, finish

import netgiven as ng
from netgiven.metrics import auc
from netgiven.splits import hide_links

AUC_TOLERANCE = 0.005  # divided by the number of splits: the means to reach are those of ten
PLANTED_LOSS = 0.01  # below the true probabilities


class Case(NamedTuple):
    """A network: its file and number of nodes, or how it is drawn; the seconds allowed, and the AUC to reach."""

    seconds: float
    auc: float = 0.0
    file: str = ""
    nodes: int = 0
    links: int = 0


CASES = {
    "facebook": Case(4, 0.9951, "facebook.edges.gz", 4_039),
    "ppi": Case(4, 0.9226, "ppi.edges.gz", 3_890),
    "wikipedia": Case(4, 0.9248, "wikipedia.edges.gz", 4_777),
    "arxiv": Case(10, 0.9898, "arxiv_astroph.edges.gz", 18_772),
    "blogcatalog": Case(10, 0.9690, "blogcatalog.edges.gz", 10_312),
    "100,000 nodes": Case(40, nodes=100_000, links=1_000_000),
    "a million nodes": Case(150, nodes=1_000_000, links=10_000_000),
}


def timed(work: Callable[[], ng.Embedding]) -> tuple[float, ng.Embedding]:
    """CPU seconds of a fit, and its result."""
    begin = time.process_time()
    embedding = work()
    return time.process_time() - begin, embedding


def with_defaults(network: ng.Network, seed: int = 0) -> ng.Embedding:
    """Nothing but the prior is given."""
    return ng.embed(network, "degrees", seed=seed, threads=1)


def with_the_same(network: ng.Network, chosen: ng.Embedding) -> ng.Embedding:
    """A fit with the settings that another fit chose."""
    settings = chosen.fit.settings
    return ng.embed(
        network,
        "degrees",
        dimensions=settings.dimensions,
        reach=settings.reach,
        shrinkage=settings.shrinkage,
        repelling=settings.repelling,
        repelling_shrinkage=settings.repelling_shrinkage,
        threads=1,
    )


def auc_of_split(network: ng.Network, share: float, seed: int) -> float:
    """AUC of the defaults on hidden links."""
    split = hide_links(network, share, seed)
    return auc(split.truth, with_defaults(split.train, seed).log_odds_of(*split.pairs.T))


def cost(name: str, network: ng.Network, bound: float) -> Target:
    """CPU seconds of the defaults, beside those of a fit with the same settings."""
    seconds, chosen = timed(lambda: with_defaults(network))
    fixed, _ = timed(lambda: with_the_same(network, chosen))
    settings, trials = chosen.fit.settings, len(chosen.fit.trials)
    note = (
        f"{trials} trials; a fit with {settings.dimensions} dimensions, {settings.repelling} of them repelling, reach "
        f"{settings.reach:.3g} and shrinkage {settings.shrinkage:g}: {fixed:.1f} CPU s"
    )
    return Target(f"{name}: CPU s", seconds, bound, note=note)


def measure_public(name: str, case: Case, folder: Path | None, splits: int) -> list[Target]:
    """Cost and AUC of a public network."""
    network = ng.read(data_file(folder, case.file), nodes={"node": range(case.nodes)})
    scores = [auc_of_split(network, 0.5, seed) for seed in range(splits)]
    note = f"mean of {splits}, deviation {np.std(scores):.4f}"
    bound = case.auc - AUC_TOLERANCE / splits
    return [
        cost(name, network, case.seconds),
        Target(f"{name}: AUC", float(np.mean(scores)), bound, at_least=True, note=note),
    ]


def measure_planted(name: str, case: Case) -> list[Target]:
    """The same of a planted network, without a tenth of its links."""
    drawn = ng.datasets.planted(case.nodes, round(case.links / 0.9), 20, 0.9)
    split = hide_links(drawn.network, 0.1)
    best = auc(split.truth, drawn.probability(*split.pairs.T))
    ours = auc(split.truth, with_defaults(split.train).log_odds_of(*split.pairs.T))
    note = f"of the true probabilities {best:.4f}"
    return [
        cost(name, split.train, case.seconds),
        Target(f"{name}: AUC", ours, best - PLANTED_LOSS, at_least=True, note=note),
    ]


def main() -> None:
    """Parse, run the kernels once, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--networks", nargs="*", choices=CASES, default=list(CASES)[:-1])
    parser.add_argument("--splits", type=int, default=10)
    parser.add_argument("--million", action="store_true", help="a million nodes, too")
    add_data_option(parser)
    options = parser.parse_args()
    names = options.networks + ["a million nodes"] * options.million
    with_defaults(ng.datasets.planted(2_100, 20_000, 20, 0.9).network)
    targets = []
    for name in names:
        case = CASES[name]
        rows = measure_public(name, case, options.data, options.splits) if case.file else measure_planted(name, case)
        print(*(" ".join(row.cells()) for row in rows), sep="\n", flush=True)
        targets += rows
    finish(targets)


if __name__ == "__main__":
    main()
