"""Measure the vector baselines of the paper on its splits: half of the links hidden, AUC of a regression on products.

    python -m experiments.baselines [--network facebook] [--methods DeepWalk LINE] [--splits 1]
                                    [--variants] [--rounds 20] [--data FOLDER]

Prints for each method the AUC, the published one, their difference, the other measures of `netgiven evaluate links`,
and CPU seconds. `--variants` adds other settings,
to see what makes a difference. metapath2vec++ takes 20 walks per node by default; its authors took 1,000, which takes
from twenty minutes to hours per network.
"""

from __future__ import annotations

import argparse
import os
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np

import netgiven as ng
from experiments.baselines import METHODS
from experiments.baselines.deepwalk import DeepWalk, Node2vec
from experiments.baselines.line import Line
from experiments.baselines.metapath2vec import Metapath2vec
from experiments.paper.published import LINK_AUC
from netgiven.evaluation.harness import LINK_MEASURES, grade_links
from netgiven.evaluation.methods import LinkRegression, VectorMethod
from netgiven.splits import hide_links

NODES = {"facebook": 4_039, "ppi": 3_890, "arxiv_astroph": 18_772, "blogcatalog": 10_312, "wikipedia": 4_777}
PUBLISHED = {"DeepWalk": "Deepwalk"}  # rows of the paper's Table 2 that have another name there
MORE = LINK_MEASURES[1:]  # beside AUC
VARIANTS: dict[str, dict[str, VectorMethod]] = {
    "DeepWalk": {"10 walks, window 5": DeepWalk(rounds=10, window=5)},
    "LINE": {f"{count} samples per link": Line(samples_per_link=count) for count in (50, 200, 2000)},
    "node2vec": {f"p {p:g}, q {q:g}": Node2vec(p, q) for p, q in ((1, 1), (4, 0.25))},
    "metapath2vec++": {f"1 walk of {length}": Metapath2vec(rounds=1, length=length) for length in (20, 40, 100)},
}


def cases(names: list[str], rounds: int, variants: bool) -> list[tuple[str, str, VectorMethod]]:
    """What to run: the name of the method in `METHODS`, a title, and the method with its settings."""
    chosen: list[tuple[str, str, VectorMethod]] = []
    for name in names:
        method = METHODS[name]
        if isinstance(method, Metapath2vec):
            method = replace(method, rounds=rounds)
            chosen.append((name, f"{name}, {rounds} walks per node", method))
        else:
            chosen.append((name, name, method))
        more = VARIANTS[name] if variants else {}
        chosen += [(name, f"  {title}", variant) for title, variant in more.items()]
    return chosen


def measure(network: ng.Network, method: VectorMethod, splits: int) -> dict[str, float]:
    """Means of the measures and of CPU seconds."""
    grades = [grade_links(LinkRegression(method), hide_links(network, 0.5, seed), seed) for seed in range(splits)]
    return {name: float(np.mean([one[name] for one in grades])) for name in grades[0]}


def read_options() -> argparse.Namespace:
    """Options of the command line."""
    data = os.environ.get("NETGIVEN_DATA")
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--network", choices=NODES, default="facebook")
    parser.add_argument("--methods", nargs="+", choices=METHODS, default=list(METHODS))
    parser.add_argument("--splits", type=int, default=1)
    parser.add_argument("--variants", action="store_true")
    parser.add_argument("--rounds", type=int, default=20, help="walks per node of metapath2vec++")
    parser.add_argument("--data", type=Path, default=data and Path(data), help="folder of the public networks")
    return parser.parse_args()


def main() -> None:
    """Measure the methods and print one line for each."""
    options = read_options()
    file = f"{options.network}.edges.gz"
    if options.data is None or not (options.data / file).exists():
        sys.exit(f"{file} was not found. Set NETGIVEN_DATA to the folder of public networks, or give --data FOLDER.")
    network = ng.read(options.data / file, nodes={"node": range(NODES[options.network])})
    print(f"{options.network}, splits: {options.splits}\n{'':40}    AUC   paper  difference  {'  '.join(MORE)}  CPU s")
    for name, title, method in cases(options.methods, options.rounds, options.variants):
        means = measure(network, method, options.splits)
        paper = LINK_AUC[PUBLISHED.get(name, name)][options.network]
        more = "  ".join(f"{means[measure]:{len(measure)}.4f}" for measure in MORE)
        difference = f"{means['AUC'] - paper:+.4f}"
        print(
            f"{title:40} {means['AUC']:6.4f}  {paper:6.4f}     {difference}  {more}  {means['CPU s']:5.0f}", flush=True
        )


if __name__ == "__main__":
    main()
