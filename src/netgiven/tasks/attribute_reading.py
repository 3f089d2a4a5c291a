"""How well a column of the nodes can be read from their vectors, by somebody who knows it of most nodes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from netgiven.parallel import one_blas_thread
from netgiven.types import Float64Array, Int64Array, IntegerArray

Reader = Literal["logistic", "neighbours"]

FOLDS = 5
NEIGHBOURS = 10
MOST_NODES = 20_000  # of a larger network so many are drawn: that leaves a standard error of at most .004


class Reading(NamedTuple):
    """Share of the nodes whose group is told rightly, and AUC: mean over groups of telling it from all others."""

    accuracy: float
    auc: float


def read_attribute(vectors: npt.ArrayLike, codes: IntegerArray, reader: Reader, seed: int = 0) -> Reading:
    """How well the groups of nodes, numbered 0, 1, ..., can be told from vectors, one row a node.

    Nodes are dealt to five folds, each group evenly; the group of each is told by somebody who knows it of the other
    folds: by logistic regression (coordinates of variance 1, an L2 penalty of 1) or by the ten nearest neighbours.

    >>> vectors = np.concatenate([np.zeros((20, 2)), np.ones((20, 2))])
    >>> read_attribute(vectors, np.repeat([0, 1], 20), "logistic")
    Reading(accuracy=1.0, auc=1.0)
    """
    chosen = _drawn(len(codes), seed)
    x, y = np.asarray(vectors, dtype=np.float64)[chosen], np.unique(np.asarray(codes)[chosen], return_inverse=True)[1]
    fold = deal(y, seed)
    with _one_thread():
        chances = _told(_scaled(x) if reader == "logistic" else x, y, fold, reader)
    return Reading(float((chances.argmax(axis=1) == y).mean()), _mean_auc(chances, y, fold))


def largest_share(codes: IntegerArray) -> float:
    """How often somebody is right who knows nothing but which group is the largest."""
    return float(np.bincount(codes).max() / len(codes))


def deal(codes: IntegerArray, seed: int = 0) -> Int64Array:
    """The fold of each node: one after the other, group by group, shuffled within.

    >>> np.bincount(deal(np.repeat([0, 1], [10, 5]))).tolist()
    [3, 3, 3, 3, 3]
    """
    shuffled = np.random.default_rng(seed).permutation(len(codes))
    order = shuffled[np.argsort(codes[shuffled], kind="stable")]
    fold = np.empty(len(codes), dtype=np.int64)
    fold[order] = np.arange(len(codes)) % FOLDS
    return fold


def _drawn(count: int, seed: int) -> Int64Array:
    """All, or some of many, in order."""
    return np.sort(np.random.default_rng(seed).permutation(count)[:MOST_NODES])


def _scaled(x: Float64Array) -> Float64Array:
    """Each coordinate with mean 0 and variance 1; one that is the same for all nodes says nothing, and stays 0."""
    spread = x.std(axis=0)
    return np.asarray((x - x.mean(axis=0)) / np.where(spread > 0, spread, 1.0))


def _told(x: Float64Array, y: IntegerArray, fold: IntegerArray, reader: Reader) -> Float64Array:
    """Chance of each group for each node, told without knowing the group of the nodes in its fold."""
    chances = np.zeros((len(y), int(y.max()) + 1))
    for number in np.unique(fold):
        asked, known = fold == number, fold != number
        groups = np.unique(y[known])
        if len(groups) < 2:  # who knows one group only will always name it
            chances[np.ix_(asked, groups)] = 1.0
            continue
        model = _model(reader, int(known.sum())).fit(x[known], y[known])
        chances[np.ix_(asked, groups)] = model.predict_proba(x[asked]).round(9)  # equal but for rounding is a tie
    return chances


def _model(reader: Reader, known: int) -> Any:
    if reader == "logistic":
        from sklearn.linear_model import LogisticRegression

        return LogisticRegression(max_iter=1000)
    from sklearn.neighbors import KNeighborsClassifier

    return KNeighborsClassifier(min(NEIGHBOURS, known), algorithm="brute")


def _mean_auc(chances: Float64Array, y: IntegerArray, fold: IntegerArray) -> float:
    """Over folds and groups: chances of different folds come from different models, and are not compared."""
    from netgiven.metrics import auc

    found = [
        auc(truth, chances[fold == number, group])
        for group in range(chances.shape[1])
        for number in np.unique(fold)
        if 0 < (truth := y[fold == number] == group).sum() < len(truth)
    ]
    return float(np.mean(found)) if found else float("nan")


@contextmanager
def _one_thread() -> Iterator[None]:
    """The same numbers on any number of processors."""
    from threadpoolctl import threadpool_limits

    with one_blas_thread(), threadpool_limits(1):
        yield
