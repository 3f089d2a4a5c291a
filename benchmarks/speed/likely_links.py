"""Likeliest missing links of a whole network: cost beside the fit's, recall, and what libraries would take.

    pip install faiss-cpu hnswlib usearch
    python benchmarks/speed/likely_links.py [--nodes 1000000] [--links 10000000] [--libraries faiss hnswlib usearch]

A network with a long tail of degrees is embedded in 8 dimensions given degrees, and the 1,000 likeliest links that are
not there are found. Recall: all pairs of 500 nodes are looked at, those with most links and others at random, and those
with larger log-odds than the last one found must be among the found. A library gets the same problem as a search for
the 64 nearest in 9 dimensions, as `ranking/bands.py` writes it, asked by every node; only its time to build and to ask
10,000 nodes is taken, the latter scaled up. Exit code 1 if the search costs more than the fit, or recall is below .95.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable

import numpy as np
from networks import draw_network

import netgiven as ng
from netgiven.kernels.arrays import Links, Scene, make_scene
from netgiven.ranking import likeliest_pairs, log_odds

COUNT, NEIGHBOURS, ASKED, LOOKED_AT = 1_000, 64, 10_000, 500


def faiss(points: np.ndarray) -> Callable[[np.ndarray], object]:
    import faiss as library

    library.omp_set_num_threads(1)
    index = library.IndexHNSWFlat(points.shape[1], 16)
    index.add(points)
    return lambda asked: index.search(asked, NEIGHBOURS)


def hnswlib(points: np.ndarray) -> Callable[[np.ndarray], object]:
    import hnswlib as library

    index = library.Index(space="l2", dim=points.shape[1])
    index.init_index(max_elements=len(points), ef_construction=100, M=16)
    index.set_num_threads(1)
    index.add_items(points)
    index.set_ef(2 * NEIGHBOURS)
    return lambda asked: index.knn_query(asked, NEIGHBOURS)


def usearch(points: np.ndarray) -> Callable[[np.ndarray], object]:
    from usearch.index import Index

    index = Index(ndim=points.shape[1], metric="l2sq")
    index.add(np.arange(len(points)), points, threads=1)
    return lambda asked: index.search(asked, NEIGHBOURS, threads=1)


LIBRARIES = {"faiss": faiss, "hnswlib": hnswlib, "usearch": usearch}


def recall(scene: Scene, links: Links, found: tuple[np.ndarray, np.ndarray]) -> float:
    """Of the pairs of some nodes that belong among the found: the share that is."""
    nodes, floor = len(scene.positions), log_odds(scene, *found).min()
    busiest = np.argsort(-scene.prior.node)[: LOOKED_AT // 2]
    others = np.random.default_rng(0).choice(nodes, LOOKED_AT // 2, replace=False)
    known = set(zip(*(end.tolist() for end in found), strict=True))
    there = wanted = 0
    for node in np.unique(np.concatenate([busiest, others])):
        every = np.setdiff1d(
            np.arange(nodes), np.append(links.indices[links.indptr[node] : links.indptr[node + 1]], node)
        )
        best = every[log_odds(scene, np.full(len(every), node), every) > floor + 1e-4]
        wanted += len(best)
        there += sum((min(node, other), max(node, other)) in known for other in best.tolist())
    print(f"{wanted} pairs of {LOOKED_AT} nodes belong among the found")
    return there / max(wanted, 1)


def timed(work: Callable[[], object]) -> tuple[float, object]:
    begin = time.process_time()
    told = work()
    return time.process_time() - begin, told


def try_library(name: str, scene: Scene) -> None:
    """Seconds to build an index, and to ask for all nodes."""
    own = scene.prior.node.astype(np.float64)
    below = np.sqrt((own.max() - own) / float(scene.half_stiffness))
    points = np.column_stack([scene.positions, below]).astype(np.float32)
    building, ask = timed(lambda: LIBRARIES[name](points))
    asked = np.column_stack([scene.positions[:ASKED], np.zeros(len(scene.positions[:ASKED]))]).astype(np.float32)
    asking, _ = timed(lambda: ask(asked))
    print(
        f"{name}: index {building:.1f} CPU s, asked for all nodes {asking * len(points) / len(asked):.1f} CPU s",
        flush=True,
    )


def main() -> int:
    options = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    options.add_argument("--nodes", type=int, default=1_000_000)
    options.add_argument("--links", type=int, default=10_000_000)
    options.add_argument("--libraries", nargs="*", default=[], choices=LIBRARIES)
    told = options.parse_args()
    network = draw_network(told.nodes, told.links, exponent=0.6, offset=10.0)
    print(network, flush=True)
    fixed = {"dimensions": 8, "spread": ng.Spread.from_reach(4.0), "shrinkage": 0.0, "progress": False}
    fitting, embedding = timed(lambda: ng.embed(network, "degrees", **fixed))
    scene = make_scene(embedding.positions, embedding.prior.arrays, embedding.reach, embedding.spread.stiffness)
    links = Links(network.indptr, network.indices)
    searching, found = timed(lambda: likeliest_pairs(scene, links, COUNT, 1))
    share = recall(scene, links, found)
    print(f"fit {fitting:.1f} CPU s; the {COUNT} likeliest links {searching:.2f} CPU s; recall {share:.3f}", flush=True)
    for name in told.libraries:
        try_library(name, scene)
    return 0 if searching < fitting and share >= 0.95 else 1


if __name__ == "__main__":
    sys.exit(main())
