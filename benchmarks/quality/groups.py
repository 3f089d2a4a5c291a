"""Groups found in positions, beside other ways to find them, on networks whose groups are known.

    python benchmarks/quality/groups.py [--seeds 3] [--network links.txt --nodes nodes.csv --column party]

Adjusted Rand index with the true groups (1: the same groups, 0: no better than random ones), and how many groups were
found where the method chooses. `groups()` chooses their number; k-means on our vectors, spectral clustering (normalised
Laplacian of the network) and k-means on the adjacency spectral embedding are given the true one; HDBSCAN on our vectors
and Leiden (modularity, igraph) choose it. Networks are reduced to their largest component.

Generated networks: a company (departments; its projects, once departments are given, which no method without a prior
can do), planted communities, and blogs: two parties, Pareto degrees, and blogs with very few links. With `--network`, a
network of your own, such as the political blogs of Adamic and Glance.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy import sparse
from scipy.sparse.csgraph import connected_components
from scipy.sparse.linalg import eigsh
from sklearn.cluster import HDBSCAN, KMeans, SpectralClustering
from sklearn.metrics import adjusted_rand_score

import netgiven as ng


class Case(NamedTuple):
    """A network, the column of its true groups, and what is given."""

    name: str
    network: ng.Network
    column: str
    given: str = "degrees"


def generated(seed: int) -> list[Case]:
    company = ng.datasets.company(seed=seed)
    dense = ng.datasets.planted(1_000, 8_000, communities=12, inside=0.7, seed=seed).network
    sparse_one = ng.datasets.planted(2_000, 8_000, communities=20, inside=0.8, seed=seed).network
    blogs = ng.datasets.planted(1_500, 12_000, communities=2, inside=0.8, seed=seed).network
    return [
        Case("company, departments", company, "department"),
        Case("company, projects", company, "project", "degrees+blocks:department"),
        Case("12 communities", largest_component(dense), "community"),
        Case("20 communities, sparse", largest_component(sparse_one), "community"),
        Case("blogs of two parties", largest_component(blogs), "community"),
    ]


def largest_component(network: ng.Network) -> ng.Network:
    _, component = connected_components(network.to_scipy(), directed=False)
    kept = component == np.bincount(component).argmax()
    links, nodes = network.to_pandas()
    inside = links["source"].isin(network.nodes[kept])
    return ng.Network.from_edges(links[inside], nodes=nodes[kept])


def spectral(network: ng.Network, count: int) -> Any:
    adjacency = network.to_scipy().astype(float).toarray()
    return SpectralClustering(count, affinity="precomputed", random_state=0).fit_predict(adjacency)


def adjacency_spectral(network: ng.Network, count: int) -> Any:
    values, vectors = eigsh(sparse.csr_array(network.to_scipy().astype(float)), count, v0=np.ones(len(network)))
    return KMeans(count, n_init=10, random_state=0).fit_predict(vectors * np.sqrt(np.abs(values)))


def leiden(network: ng.Network, _: int) -> Any:
    random.seed(0)
    return network.to_igraph().community_leiden("modularity", n_iterations=-1).membership


def rows_of(case: Case) -> dict[str, tuple[float, int]]:
    """Agreement and number of groups of each method."""
    true, values = case.network.groups(case.column)
    embedding = ng.embed(case.network, case.given)
    vectors = np.asarray(embedding.vectors, dtype=np.float64)
    ways: dict[str, Callable[[], Any]] = {
        "groups()": lambda: embedding.groups().group,
        "k-means on vectors": lambda: KMeans(len(values), n_init=10, random_state=0).fit_predict(vectors),
        "HDBSCAN on vectors": lambda: HDBSCAN(min_cluster_size=5).fit_predict(vectors),
        "Leiden": lambda: leiden(case.network, len(values)),
        "spectral": lambda: spectral(case.network, len(values)),
        "adjacency spectral": lambda: adjacency_spectral(case.network, len(values)),
    }
    found = {name: np.asarray(way()) for name, way in ways.items()}
    return {name: (adjusted_rand_score(true, one), int(one.max()) + 1) for name, one in found.items()}


def report(cases: list[list[Case]]) -> pd.DataFrame:
    """Means over seeds, one row per network."""
    table = []
    for case_of_seeds in cases:
        results = [rows_of(case) for case in case_of_seeds]
        _, values = case_of_seeds[0].network.groups(case_of_seeds[0].column)
        row: dict[str, object] = {"network": case_of_seeds[0].name, "groups": len(values)}
        for method in results[0]:
            scores, counts = zip(*(result[method] for result in results), strict=True)
            row[method] = f"{np.mean(scores):.3f} ({np.mean(counts):g})"
        table.append(row)
        print(row, flush=True)
    return pd.DataFrame(table)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--network", type=Path)
    parser.add_argument("--nodes", type=Path)
    parser.add_argument("--column", default="group")
    options = parser.parse_args()
    if options.network:
        network = largest_component(ng.read(options.network, nodes=options.nodes))
        print(report([[Case(options.network.stem, network, options.column)]]).to_string(index=False))
    else:
        by_seed = [generated(seed) for seed in range(options.seeds)]
        print(report([list(cases) for cases in zip(*by_seed, strict=True)]).to_string(index=False))


if __name__ == "__main__":
    main()
