"""The gain from common neighbours in the prior: AUC on half of the links hidden, given degrees and given more.

    python benchmarks/quality/common_neighbours.py [--networks wikipedia ppi] [--seeds 1] [--fixed] [--data FOLDER]

For each network and each knowledge: the AUC of the prior alone, the AUC of the default embedding (dimensions, reach and
shrinkage selected on hidden training links), its gain over the one given degrees on the same splits, and the other
measures of `netgiven evaluate links` of the embedding.
`--fixed` takes 32 dimensions, a reach of 3 and a shrinkage of 1 instead: one fit, no selection. The target is a gain of
.001; exit code 1 if the best knowledge misses it on a network.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import netgiven as ng
from netgiven.evaluation.harness import CALIBRATION, calibration_error, link_measures
from netgiven.evaluation.top_list import embedding_scorer
from netgiven.metrics import auc
from netgiven.splits import LinkSplit, hide_links

NODES = {"wikipedia": 4_777, "ppi": 3_890, "facebook": 4_039, "blogcatalog": 10_312, "arxiv_astroph": 18_772}
GIVEN = (
    "degrees",
    "degrees+common_neighbours",
    "degrees+common_neighbours:adamic_adar",
    "degrees+common_neighbours:resource_allocation",
    "degrees+assortativity+common_neighbours:resource_allocation",
)
FIXED: dict[str, Any] = {"dimensions": 32, "reach": 3.0, "shrinkage": 1.0}
TARGET = 0.001
MORE = ("average precision", "precision at 100", "precision at 1,000", "hits at 50", CALIBRATION)  # of the embedding


class Figures(NamedTuple):
    """For one knowledge on one split: two AUCs, the selected settings, CPU seconds, more about the embedding."""

    prior: float
    embedding: float
    dimensions: int
    reach: float
    shrinkage: float
    seconds: float
    average_precision: float
    precision_at_100: float
    precision_at_1000: float
    hits_at_50: float
    calibration_error: float


def measure(split: LinkSplit, given: str, settings: dict[str, Any], seed: int) -> Figures:
    """Embed the training network, and score the hidden links."""
    start = time.process_time()
    embedding = ng.embed(split.train, given, seed=seed, progress=False, **settings)
    seconds = time.process_time() - start
    first, second = split.pairs.T
    before, after = embedding.prior.log_odds_of(first, second), embedding.log_odds_of(first, second)
    measures = link_measures(split, after, embedding_scorer(embedding)) | calibration_error(split, after)
    chosen = embedding.dimensions, embedding.reach, embedding.fit.settings.shrinkage
    return Figures(auc(split.truth, before), measures["AUC"], *chosen, seconds, *(measures[name] for name in MORE))


def row(name: str, own: Figures, base: Figures) -> str:
    """One line of the table."""
    gains = f"{own.prior:.4f} {own.prior - base.prior:+.4f}  {own.embedding:.4f} {own.embedding - base.embedding:+.4f}"
    more = "  ".join(f"{value:{len(measure)}.4f}" for measure, value in zip(MORE, own[-5:], strict=True))
    return f"{name:62} {gains}  {own.dimensions:4.0f} {own.reach:6.2f} {own.shrinkage:5.1f} {own.seconds:6.0f}  {more}"


def best_gain(network: ng.Network, given: list[str], settings: dict[str, Any], seeds: int) -> float:
    """Print the table of one network; the largest gain of an embedding over the one given the first knowledge."""
    splits = [hide_links(network, 0.5, seed) for seed in range(seeds)]
    means: list[Figures] = []
    for name in given:
        figures = [measure(split, name, settings, seed) for seed, split in enumerate(splits)]
        means.append(Figures(*np.mean(figures, axis=0)))
        print(row(name, means[-1], means[0]), flush=True)
    return max(figures.embedding - means[0].embedding for figures in means)


def read_network(folder: Path | None, name: str) -> ng.Network:
    """A public network with all its nodes; the error says what to do if it is missing."""
    file = f"{name}.edges.gz"
    if folder is None or not (folder / file).exists():
        sys.exit(f"Where is {file}? Set NETGIVEN_DATA to the folder of public networks, or give --data FOLDER.")
    return ng.read(folder / file, nodes={"node": range(NODES[name])})


def main() -> None:
    """Parse, measure, print."""
    data = os.environ.get("NETGIVEN_DATA")
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--networks", nargs="+", choices=NODES, default=["wikipedia", "ppi"])
    parser.add_argument("--given", nargs="+", default=list(GIVEN), help="what to compare with the first")
    parser.add_argument("--seeds", type=int, default=1, help="number of splits")
    parser.add_argument("--fixed", action="store_true", help="32 dimensions, reach 3, shrinkage 1")
    parser.add_argument("--data", type=Path, default=data and Path(data), help="folder of the public networks")
    options = parser.parse_args()
    missed = False
    for name in options.networks:
        network = read_network(options.data, name)
        print(
            f"{name}, splits: {options.seeds}\n{'':62}  prior          embedding         d  reach  shr.  CPU s",
            *MORE,
            sep="  ",
        )
        gain = best_gain(network, options.given, FIXED if options.fixed else {}, options.seeds)
        print(f"largest gain {gain:+.4f}, target {TARGET:+.4f}\n", flush=True)
        missed |= gain < TARGET
    sys.exit(int(missed))


if __name__ == "__main__":
    main()
