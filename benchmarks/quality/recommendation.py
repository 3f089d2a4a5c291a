"""Recommendations in a two-mode network: which items does a user take next, if a fifth of the links is hidden?

    python benchmarks/quality/recommendation.py [--ratings FILE [--nodes FILE --users type=author]]
                                                [--core 1] [--seeds 1] [--first-seed 0] [--methods netgiven EASE ...]

The file is a table whose first two columns are user and item (MovieLens' ratings.csv and u.data are); or, with
`--nodes` and `--users`, a network and the nodes of it that are users. Without it, viewers and films are drawn
(`ng.datasets.cinema`). Ratings are ignored: a rated item is a link. `--core K` drops users and
items with fewer than K links, repeatedly. A fifth of the links is hidden at random. Each method ranks for each user
the items without a training link, and is scored by how many of the first ten are hidden links (precision) and by their
order (NDCG: discounted gain divided by the largest possible), as means over the users with hidden links.

netgiven has its defaults, given degrees and blocks of sides; it selects on hidden training links itself. netgiven-128
has 128 dimensions, and netgiven-degrees is not given the sides. Parameters of the others are chosen here, by NDCG on a
fifth of the training links of the first split. Nothing is downloaded.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy import sparse
from scipy.sparse.linalg import svds

import netgiven as ng
from netgiven.ranking import members

HIDDEN, TOP = 0.2, 10
Scores = npt.NDArray[np.float64]  # one row per user, one column per item


class Split(NamedTuple):
    """Links of users (rows) with items (columns), to train on and hidden."""

    train: sparse.csr_array
    hidden: sparse.csr_array


class Method(NamedTuple):
    """Scores from training links and a value of its parameter, and the values to choose from."""

    scores: Callable[[sparse.csr_array, Any], Scores]
    grid: tuple[Any, ...] = (None,)


# ---- methods ---------------------------------------------------------------------------------------------------------


def netgiven_scores(train: sparse.csr_array, parameters: tuple[str, Any]) -> Scores:
    """Log-odds of an embedding given some knowledge; nodes are users, then items."""
    (given, dimensions), (users, items) = parameters, train.shape
    first, second = train.nonzero()
    nodes = {"node": np.arange(users + items), "side": np.repeat(["user", "item"], [users, items])}
    network = ng.Network.from_edges(np.column_stack([first, users + second]), nodes=nodes)
    embedding = ng.embed(network, given, dimensions=dimensions, progress=False)
    print(f"  {embedding}, reach {embedding.reach:.2f}", flush=True)
    columns = np.arange(users, users + items)
    return np.stack([embedding.log_odds_of(np.full(items, user), columns) for user in range(users)])


def popularity(train: sparse.csr_array, _: None) -> Scores:
    """The number of links of an item, the same for all users."""
    return np.tile(train.sum(axis=0).astype(np.float64), (train.shape[0], 1))


def truncated_svd(train: sparse.csr_array, rank: int) -> Scores:
    """The best approximation of the matrix of links of a given rank."""
    left, size, right = svds(train.astype(np.float64), k=min(rank, min(train.shape) - 1), rng=np.random.default_rng(0))
    return np.asarray(left * size @ right)


def ease(train: sparse.csr_array, ridge: float) -> Scores:
    """EASE (Steck 2019): the linear regression of each item on all others, in closed form."""
    gram = (train.T @ train).toarray().astype(np.float64)
    gram[np.diag_indices_from(gram)] += ridge
    inverse = np.linalg.inv(gram)
    weights = -inverse / np.diag(inverse)
    np.fill_diagonal(weights, 0.0)
    return np.asarray(train @ weights)


def implicit_als(train: sparse.csr_array, parameters: tuple[int, float, float]) -> Scores:
    """iALS (Hu et al. 2008): links weigh 1, all pairs `everywhere` with target 0, in alternating least squares.

    The ridge of a node grows with its number of pairs, as Rendle et al. (2022) advise.
    """
    rank, everywhere, ridge = parameters
    random, (users, items) = np.random.default_rng(0), train.shape
    ours, theirs = (random.normal(0, 0.1 / np.sqrt(rank), (size, rank)) for size in (users, items))
    for _ in range(16):
        ours = _solve(train, theirs, everywhere, ridge)
        theirs = _solve(sparse.csr_array(train.T), ours, everywhere, ridge)
    return np.asarray(ours @ theirs.T)


def _solve(links: sparse.csr_array, other: Scores, everywhere: float, ridge: float) -> Scores:
    common, result = everywhere * other.T @ other, np.zeros((links.shape[0], other.shape[1]))
    for row in range(links.shape[0]):
        linked = other[links.indices[links.indptr[row] : links.indptr[row + 1]]]
        shrunk = ridge * (len(linked) + everywhere * len(other))
        result[row] = np.linalg.solve(common + linked.T @ linked + shrunk * np.eye(len(common)), linked.sum(axis=0))
    return result


METHODS = {
    "netgiven": Method(netgiven_scores, (("degrees+blocks:side", "auto"),)),
    "netgiven-128": Method(netgiven_scores, (("degrees+blocks:side", 128),)),
    "netgiven-degrees": Method(netgiven_scores, (("degrees", "auto"),)),
    "EASE": Method(ease, (3.0, 10.0, 30.0, 100.0, 200.0, 400.0, 800.0, 1_600.0)),
    "iALS": Method(implicit_als, tuple(product((8, 32, 64), (0.03, 0.1, 0.3, 1.0), (0.003, 0.01, 0.03)))),
    "SVD": Method(truncated_svd, (4, 8, 16, 32, 64, 128, 256)),
    "popularity": Method(popularity),
}


# ---- scoring ---------------------------------------------------------------------------------------------------------


def hide(links: sparse.csr_array, seed: int) -> Split:
    """Hide a fifth of the links, chosen at random."""
    first, second = links.nonzero()
    hidden = np.random.default_rng(seed).permutation(len(first)) < round(HIDDEN * len(first))
    return Split(*(_matrix(first[some], second[some], links.shape) for some in (~hidden, hidden)))


def _matrix(first: npt.NDArray[Any], second: npt.NDArray[Any], shape: tuple[int, ...]) -> sparse.csr_array:
    return sparse.csr_array((np.ones(len(first)), (first, second)), shape=shape)


def precision_and_gain(split: Split, scores: Scores) -> tuple[float, float]:
    """Precision and NDCG of the first ten, means over users with hidden links."""
    users = np.flatnonzero(np.diff(split.hidden.indptr))
    open_scores = scores[users]
    open_scores[split.train[users].nonzero()] = -np.inf
    best = np.argsort(-open_scores, axis=1, kind="stable")[:, :TOP]
    hit = np.take_along_axis(split.hidden[users].toarray(), best, axis=1) > 0
    discount = 1 / np.log2(np.arange(TOP) + 2)
    most = np.cumsum(discount)[np.minimum(np.diff(split.hidden.indptr)[users], TOP) - 1]
    return float(hit.mean()), float((hit @ discount / most).mean())


def choose(method: Method, train: sparse.csr_array) -> Any:
    """The parameter with the largest NDCG on a fifth of the training links."""
    if len(method.grid) == 1:
        return method.grid[0]
    split = hide(train, seed=12345)
    return max(method.grid, key=lambda value: precision_and_gain(split, method.scores(split.train, value))[1])


def compare(links: sparse.csr_array, names: list[str], seeds: range) -> None:
    """Print one line per method, with its mean difference to the first on the same splits and the standard error."""
    splits, base = [hide(links, seed) for seed in seeds], None
    for name in names:
        begin = time.process_time()
        value = choose(METHODS[name], splits[0].train)
        found = np.array([precision_and_gain(one, METHODS[name].scores(one.train, value)) for one in splits])
        seconds = (time.process_time() - begin) / len(splits)
        base = found if base is None else base
        apart, error = (found - base).mean(axis=0), (found - base).std(axis=0) / np.sqrt(max(len(splits) - 1, 1))
        figures = "   ".join(
            f"{mean:.4f} ({by:+.4f} ± {about:.4f})"
            for mean, by, about in zip(found.mean(axis=0), apart, error, strict=True)
        )
        print(f"{name:18} {figures}  {seconds:5.0f} s  {value}", flush=True)


# ---- data ------------------------------------------------------------------------------------------------------------


def read_links(path: Path) -> sparse.csr_array:
    """Users and items of a table: its first two columns."""
    first = pd.read_csv(path, sep=None, engine="python", header=None, nrows=1).iloc[0, 0]
    table = pd.read_csv(path, sep=None, engine="python", header=None if str(first).isdigit() else 0)
    users, items = (pd.factorize(table.iloc[:, end], sort=True)[0] for end in (0, 1))
    pairs = np.unique(np.column_stack([users, items]), axis=0)
    return _matrix(*pairs.T, shape=(users.max() + 1, items.max() + 1))


def network_links(network: ng.Network, users: str) -> sparse.csr_array:
    """Links of the nodes that are users with all others."""
    rows = np.isin(np.arange(network.node_count), members(network, users))
    return sparse.csr_array(network.to_scipy().astype(np.float64)[rows][:, ~rows])


def drawn_links() -> sparse.csr_array:
    """Viewers and the films that they have seen."""
    return network_links(ng.datasets.cinema(viewers=1_000, films=600), "side=viewer")


def core(links: sparse.csr_array, smallest: int) -> sparse.csr_array:
    """The largest part in which each user and each item has enough links."""
    while True:
        users, items = (np.flatnonzero(links.sum(axis=axis) >= smallest) for axis in (1, 0))
        if (len(users), len(items)) == links.shape:
            return links
        links = links[users][:, items]


def chosen_links(options: argparse.Namespace) -> sparse.csr_array:
    """The links that the options name."""
    if options.nodes is not None:
        return network_links(ng.read(options.ratings, nodes=options.nodes), options.users)
    return drawn_links() if options.ratings is None else read_links(options.ratings)


def main() -> None:
    """Read the options, and compare."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ratings", type=Path)
    parser.add_argument("--nodes", type=Path)
    parser.add_argument("--users", default="type=author")
    parser.add_argument("--core", type=int, default=1)
    parser.add_argument("--seeds", type=int, default=1, help="number of splits")
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--methods", nargs="+", choices=METHODS, default=list(METHODS))
    options = parser.parse_args()
    links = core(chosen_links(options), options.core)
    print(f"{links.shape[0]:,} users, {links.shape[1]:,} items, {links.nnz:,} links, {HIDDEN:.0%} hidden")
    print(f"{'':18} precision at {TOP}              NDCG at {TOP}")
    compare(links, options.methods, range(options.first_seed, options.first_seed + options.seeds))


if __name__ == "__main__":
    main()
