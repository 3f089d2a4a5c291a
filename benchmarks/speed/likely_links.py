"""Likeliest missing links of a whole network: cost beside that of the fit, recall, and the cost of libraries.

    pip install faiss-cpu hnswlib usearch
    python benchmarks/speed/likely_links.py [--nodes 1000000] [--links 10000000] [--libraries faiss hnswlib usearch]
    python benchmarks/speed/likely_links.py --embeddings one.ng two.ng    # the search alone, in these embeddings

A network with a long tail of degrees is embedded in 8 dimensions given degrees, and the 1,000 likeliest missing
links are found. Recall: all pairs of 500 nodes are checked, of those with most links and of random ones; pairs with
larger log-odds than the last one found must be among the found. A library solves the same problem as a search for the
64 nearest neighbours in 9 dimensions, one query per node; only its times to build the index and to answer 10,000
queries are measured, the latter scaled up. Exit code 1 if the search costs more than the fit, or recall is below .95.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from networks import draw_network

import netgiven as ng
from netgiven.kernels.arrays import LinkRows, ModelArrays, make_model_arrays, with_products_in_prior
from netgiven.ranking import likeliest_pairs, log_odds

COUNT, NEIGHBOURS, QUERIES, CHECKED, CHECKED_OF_EACH = 1_000, 64, 10_000, 500, 20


def faiss(points: np.ndarray) -> Callable[[np.ndarray], object]:
    import faiss as library

    library.omp_set_num_threads(1)
    index = library.IndexHNSWFlat(points.shape[1], 16)
    index.add(points)
    return lambda queries: index.search(queries, NEIGHBOURS)


def hnswlib(points: np.ndarray) -> Callable[[np.ndarray], object]:
    import hnswlib as library

    index = library.Index(space="l2", dim=points.shape[1])
    index.init_index(max_elements=len(points), ef_construction=100, M=16)
    index.set_num_threads(1)
    index.add_items(points)
    index.set_ef(2 * NEIGHBOURS)
    return lambda queries: index.knn_query(queries, NEIGHBOURS)


def usearch(points: np.ndarray) -> Callable[[np.ndarray], object]:
    from usearch.index import Index

    index = Index(ndim=points.shape[1], metric="l2sq")
    index.add(np.arange(len(points)), points, threads=1)
    return lambda queries: index.search(queries, NEIGHBOURS, threads=1)


LIBRARIES = {"faiss": faiss, "hnswlib": hnswlib, "usearch": usearch}


def recall(model: ModelArrays, links: LinkRows, found: tuple[np.ndarray, np.ndarray], checked: int = CHECKED) -> float:
    """Of the pairs of some nodes that belong among the found: the share that is."""
    nodes, floor = len(model.positions), log_odds(model, *found).min()
    busiest = np.argsort(-model.prior.node)[: checked // 2]
    others = np.random.default_rng(0).choice(nodes, checked // 2, replace=False)
    listed = set(zip(*(end.tolist() for end in found), strict=True))
    there = wanted = 0
    for node in np.unique(np.concatenate([busiest, others])):
        every = np.setdiff1d(
            np.arange(nodes), np.append(links.indices[links.indptr[node] : links.indptr[node + 1]], node)
        )
        best = every[log_odds(model, np.full(len(every), node), every) > floor + 1e-4]
        wanted += len(best)
        there += sum((min(node, other), max(node, other)) in listed for other in best.tolist())
    print(f"{wanted} pairs of {checked} nodes belong among the found")
    return there / max(wanted, 1)


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    begin = time.process_time()
    result = work()
    return time.process_time() - begin, result


def try_library(name: str, model: ModelArrays) -> None:
    """Print the seconds to build an index, and those of the queries of all nodes."""
    own = model.prior.node.astype(np.float64)
    below = np.sqrt((own.max() - own) / float(model.half_stiffness))
    points = np.column_stack([model.positions, below]).astype(np.float32)
    building, search = timed(lambda: LIBRARIES[name](points))
    queries = np.column_stack([model.positions[:QUERIES], np.zeros(len(model.positions[:QUERIES]))]).astype(np.float32)
    searching, _ = timed(lambda: search(queries))
    print(
        f"{name}: index {building:.1f} CPU s, queries of all nodes {searching * len(points) / len(queries):.1f} CPU s",
        flush=True,
    )


def search_embedding(path: str) -> float:
    """Print how long the search takes in an embedding, the best of three times, and its recall."""
    embedding = ng.load(path)
    spread = embedding.spread
    arrays = make_model_arrays(
        embedding.positions, embedding.prior.arrays, embedding.reach, spread.stiffness, spread.repelling
    )
    model = with_products_in_prior(arrays)
    links = LinkRows(embedding.network.indptr, embedding.network.indices)
    times, found = zip(*(timed(lambda: likeliest_pairs(model, links, COUNT, 1)) for _ in range(4)), strict=True)
    print(f"{path}: {embedding.dimensions} dimensions given {embedding.prior.knowledge}: {min(times):.2f} CPU s")
    share = recall(model, links, found[0], CHECKED_OF_EACH)
    print(f"recall {share:.3f}", flush=True)
    return share


def main() -> int:
    options = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    options.add_argument("--nodes", type=int, default=1_000_000)
    options.add_argument("--links", type=int, default=10_000_000)
    options.add_argument("--libraries", nargs="*", default=[], choices=LIBRARIES)
    options.add_argument("--embeddings", nargs="*", default=[])
    chosen = options.parse_args()
    if chosen.embeddings:
        return 0 if min(map(search_embedding, chosen.embeddings)) >= 0.95 else 1
    network = draw_network(chosen.nodes, chosen.links, exponent=0.6, offset=10.0)
    print(network, flush=True)
    fixed: dict[str, Any] = {"dimensions": 8, "reach": 4.0, "shrinkage": 0.0, "progress": False}
    fitting, embedding = timed(lambda: ng.embed(network, "degrees", **fixed))
    model = make_model_arrays(embedding.positions, embedding.prior.arrays, embedding.reach, embedding.spread.stiffness)
    links = LinkRows(network.indptr, network.indices)
    searching, found = timed(lambda: likeliest_pairs(model, links, COUNT, 1))
    share = recall(model, links, found)
    print(f"fit {fitting:.1f} CPU s; the {COUNT} likeliest links {searching:.2f} CPU s; recall {share:.3f}", flush=True)
    for name in chosen.libraries:
        try_library(name, model)
    return 0 if searching < fitting and share >= 0.95 else 1


if __name__ == "__main__":
    sys.exit(main())
