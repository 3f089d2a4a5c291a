"""A million nodes and ten million links, from a file to a saved embedding, as a user has them.

    python benchmarks/speed/million.py [--nodes 1000000] [--links 10000000] [--communities 20] [--inside 0.9]
                                       [--threads] [--auto]

A network with planted communities is drawn, a tenth of its links is hidden, the others are written to a file, and
`netgiven embed FILE --dimensions 8 --reach 2 --shrinkage 0` runs in a separate process. Prints its CPU time divided by
that of a bare gather of the link rows (as in `step.py`), its peak memory, and the AUC on hidden links beside that of
the true probabilities. --threads: the same on one thread and on two, in wall time, on an otherwise idle machine.
--auto: the cost of selecting all settings. Exit code 1 if a target is missed.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd
from child import Cost, netgiven, run_child
from measuring import Target, cpu_seconds, finish
from step import gather

import netgiven as ng
from netgiven.datasets import Planted
from netgiven.kernels.arrays import LinkRows
from netgiven.metrics import auc
from netgiven.splits import LinkSplit, hide_links

DIMENSIONS, HIDDEN = 8, 0.1
FIXED = ("--dimensions", str(DIMENSIONS), "--reach", "2", "--shrinkage", "0")


def seconds_of_gather(network: ng.Network) -> float:
    """CPU seconds of one sum over the positions of all nodes' neighbours, in the order of the file."""
    positions = np.random.default_rng(0).normal(size=(network.node_count, DIMENSIONS)).astype(np.float32)
    links, out = LinkRows(network.indptr, network.indices), np.empty_like(positions)
    gather(positions, links, out)
    return cpu_seconds(lambda: gather(positions, links, out), repetitions=5)[0]


def embed(edges: Path, out: Path, *options: str) -> tuple[Cost, float]:
    """CPU and wall time of the command."""
    begin = time.perf_counter()
    cost = run_child(netgiven("embed", str(edges), "--out", str(out), *options))
    return cost, time.perf_counter() - begin


def quality(path: Path, split: LinkSplit, drawn: Planted) -> Target:
    """AUC on hidden links, compared with that of the true probabilities."""
    embedding = ng.load(path)
    place = embedding.nodes.get_indexer(split.pairs.ravel()).reshape(split.pairs.shape)
    there = (place >= 0).all(axis=1)  # a node that lost all its links is not in the file
    pairs, truth = split.pairs[there], split.truth[there]
    ours, best = auc(truth, embedding.log_odds_of(*place[there].T)), auc(truth, drawn.probability(*pairs.T))
    note = f"AUC {ours:.4f}, of the true probabilities {best:.4f}; {embedding.fit.convergence}"
    return Target("AUC below the true probabilities'", best - ours, 0.01, note=note)


def measure(drawn: Planted, options: argparse.Namespace) -> list[Target]:
    """All targets, one run of the command for each."""
    split = hide_links(drawn.network, HIDDEN)
    yardstick = seconds_of_gather(split.train)
    with tempfile.TemporaryDirectory() as folder:
        edges, out = Path(folder) / "network.csv", Path(folder) / "network.ng"
        pd.DataFrame(split.train.links()).to_csv(edges, header=False, index=False)
        cost, _ = embed(edges, out, *FIXED)
        note = f"{cost.seconds:.1f} CPU s for {split.train}; gather {yardstick:.3f} s"
        targets = [
            Target("file to file over gathers", cost.seconds / yardstick, 300, note=note),
            Target("peak GB", cost.peak / 1e9, 3.0),
            quality(out, split, drawn),
        ]
        if options.auto:
            chosen, _ = embed(edges, out)
            note = f"{chosen.seconds:.1f} CPU s; {ng.load(out)}; {quality(out, split, drawn).note}"
            targets.append(
                Target("all settings selected, divided by fixed ones", chosen.seconds / cost.seconds, 10, note=note)
            )
        if options.threads:
            (_, one), (_, two) = (embed(edges, out, *FIXED, "--threads", count) for count in ("1", "2"))
            note = f"{one:.1f} s and {two:.1f} s on the wall"
            targets.append(Target("two threads over one", one / two, 1.6, at_least=True, note=note))
    return targets


def main() -> None:
    """Parse, draw, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nodes", type=int, default=1_000_000)
    parser.add_argument("--links", type=int, default=10_000_000)
    parser.add_argument("--communities", type=int, default=20)
    parser.add_argument("--inside", type=float, default=0.9)
    parser.add_argument("--threads", action="store_true")
    parser.add_argument("--auto", action="store_true")
    options = parser.parse_args()
    links = round(options.links / (1 - HIDDEN))  # so that this many are left
    finish(measure(ng.datasets.planted(options.nodes, links, options.communities, options.inside), options))


if __name__ == "__main__":
    main()
