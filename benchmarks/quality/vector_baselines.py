"""The paper's vector baselines under its split: half of the links hidden, AUC of a regression on products of vectors.

    python benchmarks/quality/vector_baselines.py [--network facebook] [--methods DeepWalk LINE] [--splits 1]
                                                  [--variants] [--rounds 20] [--data FOLDER]

Prints for each method the AUC, the paper's, their difference, and CPU seconds. `--variants` adds other settings, to see
what makes a difference. metapath2vec++ takes 20 walks a node unless `--rounds` says otherwise; its authors took 1,000,
which are twenty minutes to hours a network.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np

import netgiven as ng
from netgiven.evaluation.baselines.catalogue import METHODS
from netgiven.evaluation.baselines.hadamard import Hadamard, VectorMethod
from netgiven.evaluation.baselines.line import Line
from netgiven.evaluation.baselines.metapath import Metapath2vec
from netgiven.evaluation.baselines.walkers import DeepWalk, Node2vec
from netgiven.metrics import auc
from netgiven.splits import hide_links

NODES = {"facebook": 4_039, "ppi": 3_890, "arxiv_astroph": 18_772, "blogcatalog": 10_312, "wikipedia": 4_777}
PUBLISHED = {  # in the order of NODES
    "DeepWalk": (0.9798, 0.6365, 0.9207, 0.6077, 0.5563),
    "LINE": (0.9525, 0.7462, 0.9771, 0.7563, 0.7077),
    "node2vec": (0.9881, 0.6802, 0.9721, 0.7332, 0.6720),
    "metapath2vec++": (0.7408, 0.8516, 0.8258, 0.9125, 0.8334),
}
VARIANTS: dict[str, dict[str, VectorMethod]] = {
    "DeepWalk": {"10 walks, window 5": DeepWalk(rounds=10, window=5)},
    "LINE": {f"{count} samples a link": Line(samples_a_link=count) for count in (50, 200, 2000)},
    "node2vec": {f"p {p:g}, q {q:g}": Node2vec(p, q) for p, q in ((1, 1), (4, 0.25))},
    "metapath2vec++": {f"1 walk of {length}": Metapath2vec(rounds=1, length=length) for length in (20, 40, 100)},
}


def cases(names: list[str], rounds: int, variants: bool) -> list[tuple[str, str, VectorMethod]]:
    """What to run: the method whose published figure stands beside it, what to call it, and how it is set."""
    chosen: list[tuple[str, str, VectorMethod]] = []
    for name in names:
        method = METHODS[name]
        if isinstance(method, Metapath2vec):
            method = replace(method, rounds=rounds)
            chosen.append((name, f"{name}, {rounds} walks a node", method))
        else:
            chosen.append((name, name, method))
        more = VARIANTS[name] if variants else {}
        chosen += [(name, f"  {title}", variant) for title, variant in more.items()]
    return chosen


def measure(network: ng.Network, method: VectorMethod, splits: int) -> tuple[float, float]:
    """Mean AUC and mean CPU seconds."""
    scores, start = [], time.process_time()
    for seed in range(splits):
        split = hide_links(network, 0.5, seed)
        scores.append(auc(split.truth, Hadamard(method).score(split.train, split.pairs, seed)))
    return float(np.mean(scores)), (time.process_time() - start) / splits


def main() -> None:
    """Parse, measure, print."""
    data = os.environ.get("NETGIVEN_DATA")
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--network", choices=NODES, default="facebook")
    parser.add_argument("--methods", nargs="+", choices=METHODS, default=list(METHODS))
    parser.add_argument("--splits", type=int, default=1)
    parser.add_argument("--variants", action="store_true")
    parser.add_argument("--rounds", type=int, default=20, help="walks a node of metapath2vec++")
    parser.add_argument("--data", type=Path, default=data and Path(data), help="folder of the public networks")
    options = parser.parse_args()
    file = f"{options.network}.edges.gz"
    if options.data is None or not (options.data / file).exists():
        sys.exit(f"Where is {file}? Set NETGIVEN_DATA to the folder of public networks, or give --data FOLDER.")
    network = ng.read(options.data / file, nodes={"node": range(NODES[options.network])})
    place = list(NODES).index(options.network)
    print(f"{options.network}, splits: {options.splits}\n{'':40}    AUC   paper  difference  CPU s")
    for name, title, method in cases(options.methods, options.rounds, options.variants):
        score, seconds = measure(network, method, options.splits)
        paper = PUBLISHED[name][place]
        print(f"{title:40} {score:6.4f}  {paper:6.4f}     {score - paper:+.4f}  {seconds:5.0f}", flush=True)


if __name__ == "__main__":
    main()
