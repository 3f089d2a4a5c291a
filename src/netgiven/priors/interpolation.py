"""Interpolation nodes that replace many classes in sums over all pairs.

With C classes, a sum over pairs takes C^2 / 2 steps: too many for a hundred thousand nodes that all differ. But
sigmoid(x + y) e^-(x + y) is smooth in both multipliers, so within a group it is determined everywhere, to rounding
error, by its values at about 40 Chebyshev nodes: class u takes the weight

    weight[u, a] = e^(x_u - x_a) L_a(x_u)                      (L_a: the Lagrange polynomials of the nodes x_a)

of node a, and sums over classes become sums over interpolation nodes. Below, interpolation nodes are called points,
because a node is a node of the network. A class is kept as a point of its own where interpolation is no gain, where
more than one multiplier tells classes apart, and where links are so likely that e^(x + y) would grow too large.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from scipy import sparse

from netgiven.kernels.pair_sums import PointArrays
from netgiven.model import CERTAIN, probability
from netgiven.priors.layout import Coefficients, Layout
from netgiven.types import Float64Array, Int32Array, Int64Array

MAX_SMOOTH_LOG_ODDS = 8.0  # log-odds up to which the factor e^z loses no precision
FEW_CLASSES = 1_500  # pairs of so few classes are summed without interpolation
UNCERTAIN = CERTAIN / 4  # multipliers beyond are those of certain pairs
COARSE_ERRORS = 1e-4, 1e-3, 1e-2, 5e-2  # relative errors to try, until the number of points is small
MAX_COARSE_POINTS = 2_000


@dataclass(frozen=True, eq=False)
class Interpolation:
    """Points, and the weight of each point (columns) in the interpolation of each class (rows)."""

    arrays: PointArrays
    weights: sparse.csr_array

    def to_classes(self, values: Float64Array) -> Float64Array:
        """Interpolate values at points, along the last axis, to values of classes."""
        return np.ascontiguousarray((self.weights @ values.T).T)

    def to_points(self, values: Float64Array) -> Float64Array:
        """Collect amounts of classes at points: the transpose of `to_classes`."""
        return np.ascontiguousarray((self.weights.T @ values.T).T)


def interpolate(layout: Layout, coefficients: Coefficients, error: float) -> Interpolation:
    """Choose points for all classes: Chebyshev nodes of a relative error where these are fewer, else the classes."""
    builder = InterpolationBuilder()
    x, group = coefficients.left[0], layout.group[0]
    smooth = (x <= _highest_smooth(coefficients.tables)) & (x > -UNCERTAIN)
    if len(layout.right) > 1 or len(layout.group) > 1 or keeps_all_classes(layout, error):
        smooth[:] = False
    order = np.lexsort((x, group))
    for members in np.split(order, np.flatnonzero(np.diff(group[order])) + 1):
        builder.add_group(x, members[smooth[members]], members[~smooth[members]], error)
    return builder.build(layout, coefficients)


def keep_all_classes(layout: Layout, coefficients: Coefficients) -> Interpolation:
    """Make each class a point."""
    builder, none = InterpolationBuilder(), np.empty(0, dtype=np.int64)
    builder.add_group(coefficients.left[0], none, np.argsort(layout.group[0], kind="stable"), 1.0)
    return builder.build(layout, coefficients)


def keeps_all_classes(layout: Layout, error: float) -> bool:
    """Return whether classes are so few that all pairs of them are summed."""
    return len(layout.size) <= FEW_CLASSES and error < 1e-9


def _highest_smooth(tables: Float64Array) -> float:
    """The multiplier above which links of two nodes may be too likely for interpolation."""
    uncertain = tables[np.abs(tables) < UNCERTAIN]
    return (MAX_SMOOTH_LOG_ODDS - float(uncertain.max(initial=0.0))) / 2


@dataclass
class InterpolationBuilder:
    """Points and weights, collected group by group."""

    classes: list[Int64Array] = field(default_factory=list)
    points: list[Int64Array] = field(default_factory=list)
    values: list[Float64Array] = field(default_factory=list)
    like: list[Int64Array] = field(default_factory=list)  # a class that equals each point except for its multiplier
    at: list[Float64Array] = field(default_factory=list)  # the multiplier of each point
    count: int = 0

    def add_group(self, x: Float64Array, smooth: Int64Array, others: Int64Array, error: float) -> None:
        """Add the points of one group; the smooth classes are sorted by their multipliers x."""
        ends = (x[smooth[0]], x[smooth[-1]]) if len(smooth) else (0.0, 0.0)
        count = chebyshev_count(ends[1] - ends[0], error)
        if count < len(smooth):
            at, weights = lagrange(x[smooth], ends, count)
            self._add_weights(np.repeat(smooth, count), np.tile(np.arange(count), len(smooth)), weights.ravel())
            self._add_points(np.full(count, smooth[0]), at)
            smooth = smooth[:0]
        kept = np.concatenate([smooth, others])
        self._add_weights(kept, np.arange(len(kept)), np.ones(len(kept)))
        self._add_points(kept, x[kept])

    def _add_weights(self, classes: Int64Array, points: Int64Array, values: Float64Array) -> None:
        self.classes.append(classes)
        self.points.append(points + self.count)
        self.values.append(values)

    def _add_points(self, like: Int64Array, at: Float64Array) -> None:
        self.like.append(like)
        self.at.append(at)
        self.count += len(like)

    def build(self, layout: Layout, coefficients: Coefficients) -> Interpolation:
        """Return the points and the matrix of weights."""
        like = np.concatenate(self.like)
        entries = np.concatenate(self.values), (np.concatenate(self.classes), np.concatenate(self.points))
        matrix = sparse.csr_array(entries, shape=(len(layout.size), self.count))
        left = np.ascontiguousarray(coefficients.left[:, like])
        left[0] = np.concatenate(self.at)
        group = np.ascontiguousarray(layout.group[:, like].astype(np.int32))
        begin = np.searchsorted(group[0], np.arange(layout.width[0] + 1)).astype(np.int32)
        right = np.ascontiguousarray(layout.right[:, like])
        arrays = PointArrays(np.asarray(matrix.T @ layout.size), left, right, group, layout.tables(coefficients), begin)
        return Interpolation(arrays, matrix)


def chebyshev_count(length: float, error: float) -> int:
    """Number of Chebyshev nodes for a relative error on an interval: the nearest pole of the sigmoid is at pi i.

    >>> chebyshev_count(8.0, 1e-12)
    41
    """
    ratio = 2 * np.pi / max(length, 1e-3)
    return int(np.ceil(-np.log(error) / np.log(ratio + np.hypot(ratio, 1)))) + 2


def lagrange(x: Float64Array, ends: tuple[float, float], count: int) -> tuple[Float64Array, Float64Array]:
    """Return the Chebyshev nodes x_a of an interval, and e^(x - x_a) L_a(x) for each x (rows) and a (columns)."""
    low, high = ends
    angle = (np.arange(count) + 0.5) * np.pi / count
    at = (low + high) / 2 + max((high - low) / 2, 1e-6) * np.cos(angle)
    difference = x[:, None] - at
    hit = difference == 0
    terms = (-1.0) ** np.arange(count) * np.sin(angle) / np.where(hit, 1.0, difference)  # barycentric form
    terms = np.where(hit.any(axis=1, keepdims=True), hit, terms)
    return at, np.exp(difference) * terms / terms.sum(axis=1, keepdims=True)


@dataclass(frozen=True, eq=False)
class CoarseInterpolation:
    """At most some thousand points for all classes, of low accuracy: few enough for a matrix over pairs of points.

    There is one matrix of weights for each row of `right`.
    """

    weight: Float64Array  # number of nodes that each point stands for
    left: Float64Array
    right: Float64Array
    group: Int32Array  # (layers, points)
    weights: list[sparse.csr_array]  # (classes, points)

    def to_classes(self, values: Float64Array) -> Float64Array:
        """Interpolate values at points, one row per row of `right`, to values of classes."""
        return np.stack([weights @ row for weights, row in zip(self.weights, values, strict=True)])

    def to_points(self, values: Float64Array) -> Float64Array:
        """Collect amounts of classes at points: the transpose of `to_classes`."""
        return np.stack([weights.T @ row for weights, row in zip(self.weights, values, strict=True)])

    def probabilities(self, layout: Layout, coefficients: Coefficients) -> Float64Array:
        """Return P of all pairs of points."""
        half = self.left.T @ self.right
        z = half + half.T
        for layer, group in enumerate(self.group):
            z += layout.table(coefficients.tables, layer)[np.ix_(group, group)]
        return np.asarray(probability(z))

    def membership(self, layer: int, width: int) -> sparse.csr_array:
        """Return a matrix of zeros and ones: which point (rows) is in which group (columns)."""
        every = np.arange(len(self.weight))
        return sparse.csr_array((np.ones(len(every)), (every, self.group[layer])), shape=(len(every), width))


def interpolate_coarsely(
    layout: Layout, coefficients: Coefficients, node_sums: Float64Array, errors: tuple[float, ...] = COARSE_ERRORS
) -> CoarseInterpolation:
    """Choose a small number of points for all classes: Chebyshev nodes, or some of the classes if those are fewer.

    `node_sums` are those of the expected `PairStatistics`; the first row are expected degrees. The relative `errors`
    are tried in turn.
    """
    for error in errors:
        fine = interpolate(layout, coefficients, error)
        arrays = fine.arrays
        weights = [fine.weights] * len(arrays.right)
        coarse = CoarseInterpolation(arrays.weight, arrays.left, arrays.right, arrays.group, weights)
        if len(coarse.weight) <= MAX_COARSE_POINTS:
            return coarse
    return _select_classes(layout, coefficients, variance_sums(layout, node_sums))


def variance_sums(layout: Layout, node_sums: Float64Array) -> Float64Array:
    """Approximate the sum of P (1 - P) over all partners, and over those in each group; for other rows, all again."""
    uncertain = 1 - node_sums[0] / layout.size.sum()
    sources = [c if np.isin(row, (0, 1)).all() else 0 for c, row in enumerate(layout.right)]
    return np.stack([np.maximum(node_sums[c] * uncertain, 1e-9) for c in sources])


def _select_classes(layout: Layout, coefficients: Coefficients, variances: Float64Array) -> CoarseInterpolation:
    """Select classes in proportion to their share of the variance, and the first of each group.

    Each class is replaced by the nearest selected one in the order of groups, `right` and degrees, scaled: a row of
    P (1 - P) is nearly proportional to its sum over each group of partners, whatever the groups are.
    """
    left, group, right = coefficients.left, layout.group, layout.right
    order = np.lexsort((variances[0], *right[1:], *group[::-1]))
    reached = np.cumsum((layout.size * variances[0])[order])
    marks = (np.arange(MAX_COARSE_POINTS) + 0.5) * reached[-1] / MAX_COARSE_POINTS
    selected = np.zeros(len(order), dtype=bool)
    selected[order[np.searchsorted(reached, marks)]] = True
    for layer in group:
        by_variance = np.lexsort((layout.size * variances[0], layer))
        selected[by_variance[np.append(np.flatnonzero(np.diff(layer[by_variance])), len(layer) - 1)]] = True
    places = np.flatnonzero(selected[order])
    nearest = np.searchsorted((places[1:] + places[:-1]) / 2, np.arange(len(order)))
    few = order[places]
    weights = [
        sparse.csr_array((row[order] / row[few[nearest]], (order, nearest)), shape=(len(order), len(few)))
        for row in variances
    ]
    few_left, few_right = np.ascontiguousarray(left[:, few]), np.ascontiguousarray(right[:, few])
    groups = np.ascontiguousarray(group[:, few].astype(np.int32))
    return CoarseInterpolation(np.asarray(weights[0].T @ layout.size), few_left, few_right, groups, weights)
