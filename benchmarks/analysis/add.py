"""New nodes and changed networks: AUC and cost beside those of a new fit.

    python benchmarks/analysis/add.py [--held-out 0.1] [--splits 3] [--data FOLDER]

facebook  a tenth of the nodes is taken out, and half of the links of each is shown when it is added again (`add_many`).
          AUC on the hidden half, against the same number of pairs of these nodes without a link, beside that of a fit
          of all nodes with the same links. Target: no more than .01 below, mean over splits
arxiv     CPU seconds of adding 2,000 nodes, one thread, divided by those of a fit: at most 1/1,000 per node, and at
          least 1,000 nodes per second
update    1 % of the links taken away: CPU seconds of `update` divided by those of a fit of the thinned network, prior
          included, and how much higher its cost (minus log-likelihood) ends, in per cent

Settings are fixed: 8 dimensions, a reach of 4, given degrees. Exit code 1 if a target is missed.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.metrics import roc_auc_score

import netgiven as ng

sys.path.insert(0, str(Path(__file__).parents[1] / "speed"))
from measuring import Target, add_data_option, cpu_seconds, data_file, finish

Pairs = npt.NDArray[np.int64]
FIXED: dict[str, Any] = {
    "dimensions": 8, "reach": 4.0, "shrinkage": 0.0, "progress": False, "threads": 1
}  # fmt: skip
ADDED, REPETITIONS = 2_000, 3


def network_of(links: npt.NDArray[np.integer], nodes: npt.NDArray[np.integer]) -> ng.Network:
    """Links between numbered nodes."""
    return ng.Network.from_edges(np.asarray(links, dtype=np.int64), nodes=nodes)


# ---- quality ---------------------------------------------------------------------------------------------------------


def non_links(network: ng.Network, nodes: Pairs, count: int, random: np.random.Generator) -> Pairs:
    """Pairs of one of some nodes and any other that are not linked."""
    found = np.empty((0, 2), dtype=np.int64)
    while len(found) < count:
        pairs = np.column_stack([random.choice(nodes, count), random.integers(network.node_count, size=count)])
        pairs = np.unique(np.sort(pairs[pairs[:, 0] != pairs[:, 1]], axis=1), axis=0)
        fresh = random.permutation(pairs[~network.are_linked(*pairs.T)])
        found = np.unique(np.concatenate([found, fresh]), axis=0)
    return random.permutation(found)[:count]


def split_scores(network: ng.Network, share: float, seed: int) -> tuple[float, float]:
    """AUC on hidden links of nodes that were added, and where a fit saw them from the first."""
    random = np.random.default_rng(seed)
    nodes, links = np.arange(network.node_count), network.links().astype(np.int64)
    new = random.choice(nodes, round(share * len(nodes)), replace=False)
    of_new = np.isin(links, new).any(axis=1)
    hidden = of_new & (random.random(len(links)) < 0.5)
    old = np.setdiff1d(nodes, new)
    base = ng.embed(network_of(links[~of_new], old), "degrees", **FIXED)
    extended = base.add_many(network_of(links[of_new & ~hidden], np.setdiff1d(new, [])))
    whole = ng.embed(network_of(links[~hidden], nodes), "degrees", **FIXED)
    others = non_links(network, new, int(hidden.sum()), random)
    pairs = np.concatenate([links[hidden], others])
    truth = np.arange(len(pairs)) < hidden.sum()
    added, fitted = (float(roc_auc_score(truth, made.probabilities(pairs))) for made in (extended, whole))
    print(f"facebook, split {seed}: AUC {added:.4f} added, {fitted:.4f} fitted with them", flush=True)
    return added, fitted


def measure_quality(folder: Path | None, share: float, splits: int) -> list[Target]:
    """AUC of added nodes, compared with a full fit."""
    network = ng.read(data_file(folder, "facebook.edges.gz"))
    scores = np.array([split_scores(network, share, seed) for seed in range(splits)])
    added, fitted = scores.mean(axis=0)
    return [Target("AUC of a full fit minus that of add", fitted - added, 0.01, note=f"{fitted:.4f} - {added:.4f}")]


# ---- speed -----------------------------------------------------------------------------------------------------------


def measure_speed(folder: Path | None) -> list[Target]:
    """Seconds per node divided by those of a fit, for many nodes together and for one."""
    network = ng.read(data_file(folder, "arxiv_astroph.edges.gz"))
    nodes, links = np.arange(network.node_count), network.links().astype(np.int64)
    new = np.random.default_rng(0).choice(nodes, ADDED, replace=False)
    of_new = np.isin(links, new).any(axis=1)
    old = network_of(links[~of_new], np.setdiff1d(nodes, new))
    shown = network_of(links[of_new], np.setdiff1d(new, []))
    base = ng.embed(old, "degrees", **FIXED)
    base.add_many(shown)  # compiles
    fit, many = cpu_seconds(
        lambda: ng.embed(old, "degrees", **FIXED), lambda: base.add_many(shown), repetitions=REPETITIONS
    )
    (one,) = cpu_seconds(lambda: base.add(network.node_count, base.nodes[:20]), repetitions=10)
    note = f"fit {fit:.2f} s; {ADDED:,} nodes together, links among them included; one alone {1000 * one:.1f} ms"
    return [
        Target(
            "arXiv: seconds of add per node divided by those of a fit, times 1,000",
            1000 * many / ADDED / fit,
            1.0,
            note=note,
        ),
        Target("arXiv: nodes added per second", ADDED / many, 1000, at_least=True, note="one thread"),
    ]


def measure_update(folder: Path | None, name: str, file: str) -> list[Target]:
    """Cost and final objective of an update after links were removed."""
    network = ng.read(data_file(folder, file))
    links = network.links().astype(np.int64)
    thinned = network_of(links[np.random.default_rng(1).random(len(links)) > 0.01], np.arange(network.node_count))
    base = ng.embed(network_of(links, np.arange(network.node_count)), "degrees", **FIXED)
    warm, cold = base.update(thinned), ng.embed(thinned, "degrees", **FIXED)
    fit, update = cpu_seconds(
        lambda: ng.embed(thinned, "degrees", **FIXED), lambda: base.update(thinned), repetitions=REPETITIONS
    )
    more = 100 * (warm.log_likelihood / cold.log_likelihood - 1)
    return [
        Target(
            f"{name}: update divided by a fit",
            update / fit,
            1 / 3,
            note=f"{update:.2f} s of {fit:.2f} s, prior included",
        ),
        Target(f"{name}: cost above that of a fit, %", more, 0.1, note="below 0: better"),
    ]


def main() -> None:
    """Parse, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--held-out", type=float, default=0.1, help="share of the nodes")
    parser.add_argument("--splits", type=int, default=3)
    add_data_option(parser)
    options = parser.parse_args()
    targets = measure_quality(options.data, options.held_out, options.splits)
    targets += measure_speed(options.data)
    targets += measure_update(options.data, "arXiv", "arxiv_astroph.edges.gz")
    targets += measure_update(options.data, "Facebook", "facebook.edges.gz")
    finish(targets)


if __name__ == "__main__":
    main()
