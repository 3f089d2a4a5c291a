"""Links missing at random: half of the links hidden, so that nodes may lose all of theirs.

    python benchmarks/quality/random_links.py [--networks usair,ns,yeast,router] [--splits 3] [--data FOLDER]
    python benchmarks/quality/random_links.py --paper [--networks facebook,ppi,arxiv] [--splits 10] [--data FOLDER]

The splits are those of `random_split/` in the data folder. All methods predict the same pairs in one run: netgiven with
its defaults, netgiven with degrees as they are, personalised PageRank, walks of four steps, DeepWalk (if gensim is
there), and a random forest on 22 topological features of a pair, trained on training links that are hidden once more.
Prints AUC and the other measures of `netgiven evaluate links`, means of the splits; exit code 1 if netgiven's AUC is
below that of personalised PageRank. (The forest gives no list of all pairs, so it has no precision at 100 and 1,000.)

`--paper` measures netgiven's defaults on the paper's protocol instead, where all nodes stay connected.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import sys
from pathlib import Path

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components
from sklearn.ensemble import RandomForestClassifier

import netgiven as ng
from netgiven.datasets import public
from netgiven.evaluation.harness import LINK_MEASURES, grade_links, run_links
from netgiven.evaluation.methods import HEURISTICS, ConditionalEmbedding, Heuristic, LinkMethod, LinkRegression
from netgiven.splits import LinkSplit, hide_links
from netgiven.types import Float64Array, Int64Array

NODES = {"usair": 333, "ns": 1_590, "yeast": 2_376, "router": 5_023}
PAPER_NETWORKS = "facebook", "ppi", "arxiv", "blogcatalog", "wikipedia"
WALKS = "personalised PageRank", "four-step walk"


def read_split(folder: Path, name: str, number: int) -> LinkSplit:
    """One of the fixed splits. All numbers below the number of nodes are nodes, with or without training links."""
    train, hidden, others = (
        np.loadtxt(folder / f"{name}_{number}.{kind}.gz", dtype=np.int64) for kind in ("train", "links", "nonlinks")
    )
    network = ng.Network.from_edges(train.tolist(), nodes=range(NODES[name]))
    return LinkSplit(network, hidden, others)


# ---- a random forest on topological features -------------------------------------------------------------------------


def features(network: ng.Network, pairs: Int64Array) -> Float64Array:
    """Twenty-two features of each pair, none of which depends on the order of its nodes."""
    scores = [np.log1p(score(network, pairs)) for score in HEURISTICS.values()]
    node = np.stack(node_features(network), axis=1)
    ends = np.sort(node[pairs], axis=1)
    components = connected_components(network.to_scipy())[1]
    together = components[pairs[:, 0]] == components[pairs[:, 1]]
    columns = [*scores, *ends[:, 0].T, *ends[:, 1].T, together, ends[:, 0, 0] == 0]
    return np.stack(columns, axis=1).astype(np.float64)


def node_features(network: ng.Network) -> list[Float64Array]:
    """Degree, mean degree and number of leaves of the neighbours, size of the component, share of closed triangles,
    PageRank.
    """
    adjacency = sparse.csr_array(network.to_scipy().astype(np.float64))
    degree = network.degrees.astype(np.float64)
    some = np.maximum(degree, 1)
    components = connected_components(adjacency)[1]
    triangles = np.asarray((adjacency @ adjacency).multiply(adjacency).sum(axis=1)).ravel()
    pagerank = np.full(len(degree), 1 / len(degree))
    for _ in range(50):
        pagerank = 0.15 / len(degree) + 0.85 * (adjacency @ (pagerank / some))
    return [
        degree,
        adjacency @ degree / some,
        adjacency @ (degree == 1).astype(np.float64),
        np.bincount(components)[components].astype(np.float64),
        triangles / np.maximum(degree * (degree - 1), 1),
        pagerank,
    ]


class Forest:
    """A random forest that learns from training links which are hidden once more, and as many other pairs."""

    name = "random forest"

    def score(self, train: ng.Network, pairs: Int64Array, seed: int) -> Float64Array:
        """Shares of the trees that call the pairs links."""
        again = hide_links(train, 0.5, seed, split="random")
        forest = RandomForestClassifier(500, min_samples_leaf=5, random_state=seed, n_jobs=1)
        forest.fit(features(again.train, again.pairs), again.truth)
        return np.asarray(forest.predict_proba(features(train, pairs))[:, 1])


# ---- the comparison --------------------------------------------------------------------------------------------------


def make_methods() -> list[LinkMethod]:
    """All methods; DeepWalk only where gensim is installed."""
    exact = ConditionalEmbedding(ng.degrees(uncertainty=0))
    methods: list[LinkMethod] = [ConditionalEmbedding(ng.degrees()), exact, *map(Heuristic, WALKS), Forest()]
    if importlib.util.find_spec("gensim"):
        sys.path.insert(0, str(Path(__file__).parents[2]))
        from experiments.baselines.deepwalk import DeepWalk

        methods.append(LinkRegression(DeepWalk()))
    return methods


def measure_paper_protocol(folder: Path, names: list[str], count: int) -> None:
    """Print measures of netgiven's defaults where half of the links are hidden so that all nodes stay connected."""
    for name in names:
        network = public.load(name, folder)
        method = ConditionalEmbedding(ng.degrees())
        print_means(name, [grade_links(method, hide_links(network, 0.5, seed), seed) for seed in range(count)])


def print_means(label: str, grades: list[dict[str, float]]) -> dict[str, float]:
    """Print and return the mean of each measure over the splits, and print the AUC of each split."""
    means = {name: float(np.mean([one[name] for one in grades])) for name in grades[0]}
    shown = ", ".join(f"{name} {value:.4f}" for name, value in means.items())
    each = " ".join(f"{one['AUC']:.4f}" for one in grades)
    print(f"{label}: {shown} (AUC {each})", flush=True)
    return means


def main() -> None:
    """Print a table per measure: one row per method, one column per network."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--paper", action="store_true")
    parser.add_argument("--networks")
    parser.add_argument("--splits", type=int)
    parser.add_argument("--data", type=Path, default=os.environ.get("NETGIVEN_DATA"))
    options = parser.parse_args()
    if options.data is None:
        sys.exit("Give the folder of the networks by --data, or by the variable NETGIVEN_DATA.")
    default = PAPER_NETWORKS if options.paper else tuple(NODES)
    names = options.networks.split(",") if options.networks else list(default)
    if options.paper:
        measure_paper_protocol(options.data, names, options.splits or 10)
        return
    labels = ["netgiven", "netgiven, degrees as they are", *(one.name for one in make_methods()[2:])]
    table: dict[str, list[dict[str, float]]] = {label: [] for label in labels}
    for name in names:
        splits = [read_split(options.data / "random_split", name, number + 1) for number in range(options.splits or 3)]
        for label, method in zip(labels, make_methods(), strict=True):
            table[label].append(print_means(f"{name}: {label}", [run_links(method, one, 0).measures for one in splits]))
    for measure in LINK_MEASURES:
        print_table(measure, names, table)
    pairs = zip(table["netgiven"], table[WALKS[0]], strict=True)
    sys.exit(int(any(own["AUC"] < other["AUC"] for own, other in pairs)))


def print_table(measure: str, names: list[str], table: dict[str, list[dict[str, float]]]) -> None:
    """One row per method that has the measure, one column per network."""
    print(f"\n| {measure} | {' | '.join(names)} |\n|---|{'---|' * len(names)}")
    for label, grades in table.items():
        if measure in grades[0]:
            print(f"| {label} | {' | '.join(f'{one[measure]:.4f}'.lstrip('0') for one in grades)} |")


if __name__ == "__main__":
    main()
