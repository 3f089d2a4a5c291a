"""What fairness measures: mean predicted probabilities by pairs of groups, and prediction of the group of a node.

Probabilities are averaged over all pairs of nodes of two groups, or over a sample of them in a large network. Groups
are predicted from the vectors of nodes by cross-validated classifiers.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from netgiven.metrics import auc
from netgiven.model import probability
from netgiven.network import Network
from netgiven.parallel import single_blas_thread
from netgiven.types import BoolArray, Float64Array, Int64Array, IntegerArray

if TYPE_CHECKING:
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.linear_model import LogisticRegression
    from sklearn.neighbors import KNeighborsClassifier

Classifier = Literal["logistic", "neighbours", "forest"]

MAX_EXACT_PAIRS = 5_000_000  # 3,162 nodes; in a larger network some pairs are drawn
SAMPLED_PAIRS = 2_000_000
PAIRS_AT_ONCE = 100_000  # 50 MB in 64 dimensions
FOLDS = 5
NEIGHBOURS = 10
TREES, NODES_PER_TREE = 30, 4_000
MAX_NODES = 20_000  # whose group is predicted, drawn at random: the standard error is at most .004


class Predictor(Protocol):
    """What gives the log-odds of pairs of nodes: an embedding."""

    @property
    def network(self) -> Network: ...  # noqa: D102
    def log_odds_of(self, first: IntegerArray, second: IntegerArray) -> Float64Array: ...  # noqa: D102


@dataclass(frozen=True, eq=False)
class Groups:
    """Nodes by the values of a column: `codes` has the number of the group of each node, -1 if it has no value.

    A *cell* is a pair of groups, or a group with itself: (0, 0), (0, 1), ..., (1, 1), (1, 2), ...

    >>> groups = Groups(np.array([0, 1, 1, -1]), ["left", "right"])
    >>> groups.ends, groups.pair_counts.tolist()
    ((array([0, 0, 1]), array([0, 1, 1])), [0, 2, 1])
    >>> groups.cell_of(np.array([1, 2]), np.array([0, 1])).tolist()
    [1, 2]
    """

    codes: IntegerArray
    values: list[Any]

    @property
    def nodes(self) -> Int64Array:
        """The numbers of the nodes that have a value."""
        return np.flatnonzero(self.codes >= 0)

    @cached_property
    def sizes(self) -> Int64Array:
        """The number of nodes of each group."""
        return np.bincount(self.codes[self.nodes], minlength=len(self.values))

    @cached_property
    def ends(self) -> tuple[Int64Array, Int64Array]:
        """The two groups of each cell."""
        first, second = np.triu_indices(len(self.values))
        return first, second

    @property
    def same(self) -> BoolArray:
        """Whether the two groups of each cell are the same."""
        return np.asarray(self.ends[0] == self.ends[1])

    @cached_property
    def pair_counts(self) -> Int64Array:
        """The number of pairs of nodes of each cell."""
        first, second = self.ends
        return np.asarray(self.sizes[first] * (self.sizes[second] - self.same) // np.where(self.same, 2, 1))

    def cell_of(self, first: IntegerArray, second: IntegerArray) -> Int64Array:
        """The cell of each pair of nodes that have a value."""
        cells = np.empty((len(self.values),) * 2, dtype=np.int64)
        cells[self.ends] = cells[self.ends[::-1]] = np.arange(len(self.ends[0]))
        return np.asarray(cells[self.codes[first], self.codes[second]])

    def with_values(self, pairs: IntegerArray) -> IntegerArray:
        """The pairs of node numbers, one per row, of which both nodes have a value."""
        return np.asarray(pairs[(self.codes[pairs] >= 0).all(axis=1)])


class Means(NamedTuple):
    """The mean probability of the pairs of each cell, NaN if there are none; `error` is 0 if all pairs were used."""

    pairs: Int64Array
    mean: Float64Array
    error: Float64Array

    def over(self, cells: BoolArray) -> tuple[float, float]:
        """The mean over all pairs of the given cells together, and its standard error."""
        chosen = cells & (self.pairs > 0)
        share = self.pairs[chosen] / max(self.pairs[chosen].sum(), 1)
        if not len(share):
            return float("nan"), float("nan")
        return float(share @ self.mean[chosen]), float(np.sqrt(np.square(share * self.error[chosen]).sum()))


def mean_probabilities(embedding: Predictor, groups: Groups, seed: int = 0) -> Means:
    """The mean of P_uv over all pairs of each cell, linked or not: exact up to 5,000,000 pairs.

    In a larger network 2,000,000 pairs are drawn, equally many per cell. Since few pairs, mostly links, have most of
    the probability, all links are used, and only the other pairs are drawn:

        mean  =  (sum over links of P  +  number of other pairs * mean of P over those drawn) / number of pairs
    """
    if groups.pair_counts.sum() <= MAX_EXACT_PAIRS:
        blocks = (_sums(embedding, groups, first, second) for first, second in _blocks(groups.nodes))
        total = sum((block.total for block in blocks), np.zeros(len(groups.pair_counts)))
        return Means(groups.pair_counts, _divided(total, groups.pair_counts), np.zeros(len(total)))
    links = _sums(embedding, groups, *groups.with_values(embedding.network.links()).T)
    drawn = _sums(embedding, groups, *_draw_other_pairs(embedding.network, groups, seed))
    others = groups.pair_counts - links.pairs
    mean = np.where(others > 0, drawn.mean, 0.0)
    total = links.total + others * mean
    error = np.where(others > 0, others * drawn.error, 0.0)
    return Means(groups.pair_counts, _divided(total, groups.pair_counts), _divided(error, groups.pair_counts))


def mean_probabilities_of(embedding: Predictor, groups: Groups, pairs: IntegerArray) -> Means:
    """The mean of P_uv over the given pairs of node numbers by cell; nodes without a value are left out."""
    sums = _sums(embedding, groups, *groups.with_values(pairs).T)
    return Means(sums.pairs, sums.mean, np.zeros(len(sums.pairs)))


class _Sums(NamedTuple):
    """By cell: the number of pairs, and the sums of their probabilities and of the squares of these."""

    pairs: Int64Array
    total: Float64Array
    squares: Float64Array

    @property
    def mean(self) -> Float64Array:
        return _divided(self.total, self.pairs)

    @property
    def error(self) -> Float64Array:
        """The standard error of the mean of pairs drawn at random."""
        variance = np.maximum(_divided(self.squares, self.pairs) - np.square(self.mean), 0.0)
        return np.sqrt(_divided(variance, np.maximum(self.pairs - 1, 1)))


def _sums(embedding: Predictor, groups: Groups, first: IntegerArray, second: IntegerArray) -> _Sums:
    """Sums over pairs, some pairs at a time to bound memory."""
    cells = len(groups.pair_counts)
    count, total, squares = np.zeros(cells, dtype=np.int64), np.zeros(cells), np.zeros(cells)
    for begin in range(0, len(first), PAIRS_AT_ONCE):
        some = first[begin : begin + PAIRS_AT_ONCE], second[begin : begin + PAIRS_AT_ONCE]
        cell, p = groups.cell_of(*some), probability(embedding.log_odds_of(*some))
        count += np.bincount(cell, minlength=cells)
        total += np.bincount(cell, p, minlength=cells)
        squares += np.bincount(cell, np.square(p), minlength=cells)
    return _Sums(count, total, squares)


def _blocks(nodes: Int64Array) -> Iterator[tuple[Int64Array, Int64Array]]:
    """All pairs of the given nodes, each once, some rows of the triangle at a time."""
    step = max(PAIRS_AT_ONCE // max(len(nodes), 1), 1)
    for begin in range(0, len(nodes), step):
        rows, others = np.arange(begin, min(begin + step, len(nodes))), np.arange(begin, len(nodes))
        first, second = np.nonzero(others[None, :] > rows[:, None])
        yield nodes[begin + first], nodes[begin + second]


def _draw_other_pairs(network: Network, groups: Groups, seed: int) -> tuple[Int64Array, Int64Array]:
    """Pairs without a link: equally many draws per cell, uniform within it."""
    random = np.random.default_rng(seed)
    order = np.argsort(groups.codes, kind="stable")[-len(groups.nodes) :]  # nodes sorted by group
    begin = np.concatenate([[0], np.cumsum(groups.sizes)])
    cell = np.repeat(np.arange(len(groups.pair_counts)), SAMPLED_PAIRS // len(groups.pair_counts))
    ends = [group[cell] for group in groups.ends]
    first, second = (order[begin[end] + (random.random(len(cell)) * groups.sizes[end]).astype(int)] for end in ends)
    kept = (first != second) & ~network.are_linked(first, second)
    return first[kept], second[kept]


def _divided(total: Float64Array, count: Int64Array) -> Float64Array:
    """total / count, NaN where the count is 0."""
    return np.asarray(np.divide(total, count, out=np.full(len(total), np.nan), where=count > 0))


class GroupPrediction(NamedTuple):
    """Accuracy, and AUC as the mean over groups of one group against all others."""

    accuracy: float
    auc: float


def predict_groups(
    vectors: npt.ArrayLike, codes: IntegerArray, classifier: Classifier, seed: int = 0
) -> GroupPrediction:
    """How well the groups of nodes can be predicted from their vectors, in five-fold cross-validation.

    Parameters
    ----------
    vectors
        One row per node.
    codes
        The number of the group of each node: 0, 1, ...
    classifier
        "logistic" for a logistic regression (standardised coordinates, an L2 penalty of 1), which sees the means of
        groups; "neighbours" for the ten nearest neighbours, which see where each group is; or "forest" for a random
        forest of 30 trees.
    seed
        Of the folds, which are stratified by group.

    Examples
    --------
    >>> vectors = np.concatenate([np.zeros((20, 2)), np.ones((20, 2))])
    >>> predict_groups(vectors, np.repeat([0, 1], 20), "logistic")
    GroupPrediction(accuracy=1.0, auc=1.0)
    """
    drawn = np.sort(np.random.default_rng(seed).permutation(len(codes))[:MAX_NODES])
    x, y = np.asarray(vectors, dtype=np.float64)[drawn], np.unique(np.asarray(codes)[drawn], return_inverse=True)[1]
    fold = stratified_folds(y, seed)
    with _one_thread():
        scores = _cross_validated(_standardised(x) if classifier == "logistic" else x, y, fold, classifier)
    return GroupPrediction(float((scores.argmax(axis=1) == y).mean()), _mean_auc(scores, y, fold))


def largest_share(codes: IntegerArray) -> float:
    """The accuracy of always predicting the largest group."""
    return float(np.bincount(codes).max() / len(codes))


def stratified_folds(codes: IntegerArray, seed: int = 0) -> Int64Array:
    """The fold of each node: nodes are shuffled, sorted by group, and dealt to the folds in turn.

    >>> np.bincount(stratified_folds(np.repeat([0, 1], [10, 5]))).tolist()
    [3, 3, 3, 3, 3]
    """
    shuffled = np.random.default_rng(seed).permutation(len(codes))
    order = shuffled[np.argsort(codes[shuffled], kind="stable")]
    fold = np.empty(len(codes), dtype=np.int64)
    fold[order] = np.arange(len(codes)) % FOLDS
    return fold


def _standardised(x: Float64Array) -> Float64Array:
    """Each coordinate with mean 0 and variance 1; a constant one becomes 0."""
    deviation = x.std(axis=0)
    return np.asarray((x - x.mean(axis=0)) / np.where(deviation > 0, deviation, 1.0))


def _cross_validated(x: Float64Array, y: IntegerArray, fold: IntegerArray, classifier: Classifier) -> Float64Array:
    """The probability of each group for each node, from a classifier trained on the other folds."""
    scores = np.zeros((len(y), int(y.max()) + 1))
    for number in np.unique(fold):
        test, train = fold == number, fold != number
        groups = np.unique(y[train])
        if len(groups) < 2:  # there is nothing to learn: always the same group
            scores[np.ix_(test, groups)] = 1.0
            continue
        model = _make_classifier(classifier, int(train.sum())).fit(x[train], y[train])
        scores[np.ix_(test, groups)] = model.predict_proba(x[test]).round(9)  # equal but for rounding is a tie
    return scores


def _make_classifier(
    classifier: Classifier, node_count: int
) -> LogisticRegression | KNeighborsClassifier | RandomForestClassifier:
    if classifier == "logistic":
        from sklearn.linear_model import LogisticRegression

        return LogisticRegression(max_iter=1000)
    if classifier == "forest":
        from sklearn.ensemble import RandomForestClassifier

        return RandomForestClassifier(TREES, max_samples=min(NODES_PER_TREE, node_count), random_state=0)
    from sklearn.neighbors import KNeighborsClassifier

    return KNeighborsClassifier(min(NEIGHBOURS, node_count), algorithm="brute")


def _mean_auc(scores: Float64Array, y: IntegerArray, fold: IntegerArray) -> float:
    """The mean over folds and groups: scores of different folds come from different models, and are not compared."""
    values = [
        auc(truth, scores[fold == number, group])
        for group in range(scores.shape[1])
        for number in np.unique(fold)
        if 0 < (truth := y[fold == number] == group).sum() < len(truth)
    ]
    return float(np.mean(values)) if values else float("nan")


@contextmanager
def _one_thread() -> Iterator[None]:
    """Limit all libraries to one thread, so that the numbers do not depend on the number of processors."""
    from threadpoolctl import threadpool_limits

    with single_blas_thread(), threadpool_limits(1):
        yield
