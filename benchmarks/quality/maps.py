"""Maps and other layouts: prediction of hidden links from maps of the rest, on the same splits, and their cost.

    pip install umap-learn openTSNE igraph networkx
    python benchmarks/quality/maps.py [--networks facebook ppi wikipedia] [--seeds 3] [--data FOLDER]
    python benchmarks/quality/maps.py --cost arxiv_astroph

Half of the links are hidden as in the paper. Each method sees the rest and lays it out in the plane with its own
defaults. A layout knows only distances, so it is graded by them; a map of ours has a probability for each pair, and is
graded by both. `fair` is the AUC of a logistic regression on distance and the degree prior's log-odds, fitted on the
links left and as many other pairs: how well a layout predicts with the knowledge that the map has. Exit code 1 where a
map is not ahead of each layout by any of the three, or below its prior. `--cost` compares CPU time with UMAP on the
whole network.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from sklearn.linear_model import LogisticRegression

import netgiven as ng
from netgiven.embedding import fit_map
from netgiven.metrics import auc
from netgiven.splits import LinkSplit, hide_links

NODES = {"wikipedia": 4_777, "ppi": 3_890, "facebook": 4_039, "blogcatalog": 10_312, "arxiv_astroph": 18_772}
Layout = Callable[[ng.Network, int], np.ndarray]


def our_map(network: ng.Network, seed: int) -> ng.Embedding:
    return fit_map(network, "degrees", ng.Settings(seed=seed), progress=False)


def fruchterman_reingold(network: ng.Network, seed: int) -> np.ndarray:
    import random

    random.seed(seed)  # igraph draws from Python's own random numbers
    return np.array(network.to_igraph().layout_fruchterman_reingold(niter=500).coords)


def force_atlas(network: ng.Network, seed: int) -> np.ndarray:
    import networkx

    found = networkx.forceatlas2_layout(network.to_networkx(), seed=seed)
    return np.array([found[node] for node in network.nodes])


def umap(network: ng.Network, seed: int) -> np.ndarray:
    """Neighbours by the rows of the adjacency, as a user of UMAP would do it; isolated nodes have no row to compare."""
    from umap import UMAP

    rows = network.to_scipy().astype(np.float32)
    return np.asarray(UMAP(metric="cosine", random_state=seed, n_jobs=1).fit_transform(_legacy(rows)))


def umap_of_links(network: ng.Network, seed: int) -> np.ndarray:
    """UMAP's own layout of the links themselves: no search for neighbours."""
    from umap.umap_ import find_ab_params, simplicial_set_embedding

    graph = _legacy(network.to_scipy().astype(np.float32)).tocoo()
    a, b = find_ab_params(1.0, 0.1)
    settings: dict[str, Any] = {"n_components": 2, "initial_alpha": 1.0, "a": a, "b": b, "gamma": 1.0, "init": "random"}
    settings |= {"negative_sample_rate": 5, "n_epochs": None, "random_state": np.random.RandomState(seed)}
    settings |= {"metric": "euclidean", "metric_kwds": {}, "densmap": False, "densmap_kwds": {}, "output_dens": False}
    found, _ = simplicial_set_embedding(np.zeros((network.node_count, 2), np.float32), graph, **settings)
    return np.asarray(found)


def open_tsne(network: ng.Network, seed: int) -> np.ndarray:
    import openTSNE

    affinities = openTSNE.affinity.PrecomputedAffinities(_legacy(network.to_scipy().astype(np.float64)), normalize=True)
    start = openTSNE.initialization.random(network.node_count, random_state=seed)
    layout = openTSNE.TSNE(n_jobs=1, random_state=seed)
    return np.asarray(layout.fit(affinities=affinities, initialization=start))


def _legacy(matrix: Any) -> Any:
    """SciPy's older kind of sparse matrix, which these libraries need."""
    from scipy import sparse

    return sparse.csr_matrix(matrix)


LAYOUTS: dict[str, Layout] = {
    "Fruchterman-Reingold": fruchterman_reingold,
    "openTSNE": open_tsne,
    "UMAP": umap,
    "UMAP of links": umap_of_links,
    "ForceAtlas2": force_atlas,
}


class Figures(NamedTuple):
    """AUC by distance, by distance and prior, by the method's own probabilities; CPU seconds."""

    distance: float
    fair: float
    own: float
    seconds: float


def grade(split: LinkSplit, positions: np.ndarray, prior: ng.Prior, own: np.ndarray | None, seconds: float) -> Figures:
    separation = distances(positions, split.pairs)
    both = with_prior(split, positions, prior)
    return Figures(
        auc(split.truth, -separation), auc(split.truth, both), np.nan if own is None else auc(split.truth, own), seconds
    )


def distances(positions: np.ndarray, pairs: np.ndarray) -> np.ndarray:
    return np.linalg.norm(positions[pairs[:, 0]] - positions[pairs[:, 1]], axis=1)


def with_prior(split: LinkSplit, positions: np.ndarray, prior: ng.Prior) -> np.ndarray:
    """Log-odds of the split's pairs by a regression on distance, its square, and the prior, fitted on what is left."""
    links = split.train.links().astype(np.int64)
    random = np.random.default_rng(0)
    others = random.integers(0, split.train.node_count, size=(2 * len(links), 2))
    others = others[(others[:, 0] != others[:, 1]) & ~split.train.are_linked(*others.T)][: len(links)]
    pairs, truth = np.concatenate([links, others]), np.repeat([1, 0], [len(links), len(others)])
    scale = distances(positions, others).mean() or 1.0

    def features(some: np.ndarray) -> np.ndarray:
        far = distances(positions, some) / scale
        return np.column_stack([far, far**2, np.maximum(prior.log_odds_of(*some.T), -20.0)])

    return (
        LogisticRegression(C=1e6, max_iter=1_000).fit(features(pairs), truth).decision_function(features(split.pairs))
    )


def measure(split: LinkSplit, name: str, seed: int, prior: ng.Prior) -> Figures:
    begin = time.process_time()
    if name == "netgiven":
        embedding = our_map(split.train, seed)
        own = embedding.log_odds_of(*split.pairs.T)
        return grade(split, embedding.positions, prior, own, time.process_time() - begin)
    positions = np.nan_to_num(LAYOUTS[name](split.train, seed))
    return grade(split, positions, prior, None, time.process_time() - begin)


def compare(name: str, network: ng.Network, seeds: int) -> bool:
    splits = [hide_links(network, 0.5, seed) for seed in range(seeds)]
    priors = [ng.degrees().fit(split.train) for split in splits]
    before = np.mean(
        [auc(split.truth, prior.log_odds_of(*split.pairs.T)) for split, prior in zip(splits, priors, strict=True)]
    )
    print(
        f"\n{name}: prior alone {before:.4f}\n{'':<24}{'distance':>10}{'fair':>10}{'own':>10}{'CPU s':>10}", flush=True
    )
    ours, best = np.nan, 0.0
    for method in ("netgiven", *LAYOUTS):
        found = [measure(split, method, seed, priors[seed]) for seed, split in enumerate(splits)]
        mean = Figures(*np.mean(found, axis=0))
        print(f"{method:<24}{mean.distance:>10.4f}{mean.fair:>10.4f}{mean.own:>10.4f}{mean.seconds:>10.1f}", flush=True)
        if method == "netgiven":
            ours = mean.own
        else:
            best = max(best, mean.distance, mean.fair)
    return bool(ours > best and ours >= before)


def compare_cost(name: str, network: ng.Network) -> bool:
    """CPU seconds of a whole map, settings chosen, and of UMAP; each a second time, when all is compiled."""
    print(f"\n{name}, whole: {network}")
    seconds = {}
    for method, make in {"netgiven": our_map, "UMAP": umap, "UMAP of links": umap_of_links}.items():
        for _ in range(2):
            begin = time.process_time()
            make(network, 0)
            seconds[method] = time.process_time() - begin
        print(f"{method:<24}{seconds[method]:>10.1f} CPU s", flush=True)
    return seconds["netgiven"] < min(seconds["UMAP"], seconds["UMAP of links"])


def read(name: str, folder: Path) -> ng.Network:
    return ng.read(folder / f"{name}.edges.gz", nodes=pd.DataFrame({"node": range(NODES[name])}))


def main() -> int:
    options = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    options.add_argument("--networks", nargs="+", default=["facebook", "ppi", "wikipedia"], choices=NODES)
    options.add_argument("--seeds", type=int, default=3)
    options.add_argument("--cost", nargs="+", choices=NODES, help="compare CPU time with UMAP instead")
    options.add_argument("--data", type=Path, default=Path(os.environ.get("NETGIVEN_DATA", "data")))
    chosen = options.parse_args()
    warnings.filterwarnings("ignore")  # of UMAP and others, about isolated nodes and their own dependencies
    if chosen.cost:
        met = [compare_cost(name, read(name, chosen.data)) for name in chosen.cost]
    else:
        met = [compare(name, read(name, chosen.data), chosen.seeds) for name in chosen.networks]
    return 0 if all(met) else 1


if __name__ == "__main__":
    sys.exit(main())
