"""Groups found in positions, beside other ways to find them, on networks whose groups are known.

    python benchmarks/quality/groups.py [--seeds 5] [--parts known none public] [--data FOLDER]
    python benchmarks/quality/groups.py --network links.txt --nodes nodes.csv --column party

Adjusted Rand index with the true groups (1: the same groups, 0: no better than random ones), and how many groups were
found where the method chooses. `groups()` chooses their number; k-means on our vectors, spectral clustering (normalised
Laplacian of the network) and k-means on the adjacency spectral embedding are given the true one; HDBSCAN on our vectors
and Leiden (modularity, igraph) choose it. Networks are reduced to their largest component.

known: generated networks. A company (departments; its projects, once departments are given, which no method without a
prior can do), planted communities, blogs (two parties, Pareto degrees, and blogs with very few links), and two crossed
structures: 5,000 nodes, each in one of 10 groups and, independently, in one of 12, with 30,000 links of each kind. With
the first given, the second is to be found.

none: random networks of 100 to 2,000 nodes with 4 to 40 links per node, in which nothing is left to find: all pairs
alike; Pareto degrees, which are given; and planted communities, which are given. How many of 20 have groups, in
embeddings with defaults and in the plane, as the explorer fits them.

public: networks of NETGIVEN_DATA whose nodes have one type, or labels; agreement is that of nodes with one label.

With `--network`, a network of your own, such as the political blogs of Adamic and Glance.
"""

from __future__ import annotations

import argparse
import random
import warnings
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
from netgiven.datasets import public
from netgiven.embedding import fit_map

MAX_NODES_DENSE = 3_000  # for spectral clustering
RANDOM_NETWORKS = 20  # of each kind
LABELLED = ("wikipedia", "ppi", "blogcatalog")


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
        Case("two crossed structures", crossed(seed), "second", "degrees+blocks:first"),
    ]


def crossed(seed: int, nodes: int = 5_000, links: int = 30_000) -> ng.Network:
    """The links of two planted networks with the same nodes and independent communities."""
    first, second = (
        ng.datasets.planted(nodes, links, communities=count, seed=1_000 * count + seed) for count in (10, 12)
    )
    columns = {"node": np.arange(nodes), "first": first.community, "second": second.community}
    both = np.concatenate([drawn.network.nodes.to_numpy()[drawn.network.links()] for drawn in (first, second)])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ng.InputWarning)  # of the few links that both have
        return ng.Network.from_edges(both, nodes=columns)


def without_groups(kind: str, seed: int) -> Case:
    """A random network in which nothing is left once what is given is known, of a size that depends on the seed."""
    draw = np.random.default_rng(seed)
    nodes, degree = int(100 * 20 ** draw.random()), 4 * 10 ** draw.random()
    links = int(nodes * degree / 2)
    if kind == "all pairs alike":
        keys = draw.choice(nodes * (nodes - 1) // 2, links, replace=False)
        pairs = np.column_stack(np.triu_indices(nodes, 1))[keys]
        return Case(kind, ng.Network.from_edges(pairs), "")
    if kind == "degrees":
        return Case(kind, ng.datasets.planted(nodes, links, communities=1, inside=0.0, seed=seed).network, "")
    planted = ng.datasets.planted(nodes, links, communities=8, inside=0.7, seed=seed).network
    return Case(kind, planted, "", "degrees+blocks:community")


def largest_component(network: ng.Network) -> ng.Network:
    _, component = connected_components(network.to_scipy(), directed=False)
    kept = component == np.bincount(component).argmax()
    links, nodes = network.to_pandas()
    inside = links["source"].isin(network.nodes[kept])
    return ng.Network.from_edges(links[inside], nodes=nodes[kept])


def labelled(data: Path) -> list[Case]:
    """Public networks with one type per node, or with the label of each node that has one only."""
    typed = Case("studentdb_standin (synthetic), types", public.load("studentdb_standin", data), "type")
    return [typed, *(with_single_labels(name, data) for name in LABELLED)]


def with_single_labels(name: str, data: Path) -> Case:
    network, path = public.load(name, data), public.find(name, data).labels
    table = pd.read_csv(path, sep="\t", header=None, names=["node", "label"])
    single = table.drop_duplicates("node", keep=False).set_index("node")["label"]
    label = [f"label {single[node]}" if node in single.index else None for node in network.nodes]
    return Case(name, largest_component(network.with_columns({"label": label})), "label")


def spectral(network: ng.Network, count: int) -> Any:
    adjacency = network.to_scipy().astype(float)
    adjacency = adjacency.toarray() if len(network) <= MAX_NODES_DENSE else sparse.csr_matrix(adjacency)
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
        "HDBSCAN on vectors": lambda: HDBSCAN(min_cluster_size=5, copy=True).fit_predict(vectors),
        "Leiden": lambda: leiden(case.network, len(values)),
        "spectral": lambda: spectral(case.network, len(values)),
        "adjacency spectral": lambda: adjacency_spectral(case.network, len(values)),
    }
    found = {name: np.asarray(way()) for name, way in ways.items()}
    known = true >= 0
    return {name: (adjusted_rand_score(true[known], one[known]), int(one.max()) + 1) for name, one in found.items()}


def found_in(case: Case) -> dict[str, bool]:
    """Whether each method finds groups, where there are none."""
    embedding, plane = ng.embed(case.network, case.given), fit_map(case.network, case.given, ng.Settings())
    ways = {
        "groups()": embedding.groups().group,
        "groups() in the plane": plane.groups().group,
        "HDBSCAN on vectors": HDBSCAN(min_cluster_size=5, copy=True).fit_predict(
            np.asarray(embedding.vectors, np.float64)
        ),
        "Leiden": np.asarray(leiden(largest_component(case.network), 0)),
    }
    return {name: int(one.max()) > 0 for name, one in ways.items()}


def report_none() -> pd.DataFrame:
    """In how many random networks groups are found, one row per kind."""
    rows = []
    for kind in ("all pairs alike", "degrees", "communities"):
        found = pd.DataFrame([found_in(without_groups(kind, seed)) for seed in range(RANDOM_NETWORKS)])
        rows.append(
            {"random, given": kind, **{name: f"{count} of {len(found)}" for name, count in found.sum().items()}}
        )
        print(rows[-1], flush=True)
    return pd.DataFrame(rows)


def report(cases: list[list[Case]]) -> pd.DataFrame:
    """Means over seeds, one row per network."""
    table = []
    for case_of_seeds in cases:
        results = [rows_of(case) for case in case_of_seeds]
        _, values = case_of_seeds[0].network.groups(case_of_seeds[0].column)
        row: dict[str, object] = {"network": case_of_seeds[0].name, "groups": len(values)}
        for method in results[0]:
            scores, counts = zip(*(result[method] for result in results), strict=True)
            least = f", at least {min(scores):.3f}" if len(scores) > 1 else ""
            row[method] = f"{np.mean(scores):.3f} ({np.mean(counts):g}{least})"
        table.append(row)
        print(row, flush=True)
    return pd.DataFrame(table)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=["known", "none"])
    parser.add_argument("--data", type=Path)
    parser.add_argument("--network", type=Path)
    parser.add_argument("--nodes", type=Path)
    parser.add_argument("--column", default="group")
    options = parser.parse_args()
    if options.network:
        network = largest_component(ng.read(options.network, nodes=options.nodes))
        print(report([[Case(options.network.stem, network, options.column)]]).to_string(index=False))
    else:
        for part in options.parts:
            print(PARTS[part](options).to_string(index=False), flush=True)


def report_known(seeds: int) -> pd.DataFrame:
    by_seed = [generated(seed) for seed in range(seeds)]
    return report([list(cases) for cases in zip(*by_seed, strict=True)])


PARTS: dict[str, Callable[[argparse.Namespace], pd.DataFrame]] = {
    "known": lambda options: report_known(options.seeds),
    "none": lambda _: report_none(),
    "public": lambda options: report([[case] for case in labelled(public.folder(options.data))]),
}


if __name__ == "__main__":
    main()
