"""Points that stand for many classes in sums over all pairs.

With C classes, a sum over pairs takes C^2 / 2 steps: too many for a hundred thousand nodes that all differ. But
sigmoid(x + y) e^-(x + y) is smooth in both multipliers, so within a group it is known everywhere once it is known at a
few Chebyshev points, about 40 of them for rounding error: a class u takes the share

    share[u, a] = e^(x_u - x_a) L_a(x_u)                       (L_a: the Lagrange polynomials of the points)

of point a, and sums over classes become sums over points. Classes stand for themselves where that is no gain, where
more than one multiplier tells them apart, and where a prior is nearly sure of links, which e^(x + y) would blow up.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from scipy import sparse

from netgiven.kernels.pair_sums import PointArrays
from netgiven.model import probability
from netgiven.priors.layout import Coefficients, Layout
from netgiven.types import Float64Array, Int32Array, Int64Array

LIKELIEST = 8.0  # log-odds up to which e^z does no harm
FEW_CLASSES = 1_500
UNSURE = 256.0  # multipliers beyond are those of certain pairs


@dataclass(frozen=True, eq=False)
class StandIns:
    """Points, and the share of each class (rows) in each point (columns)."""

    arrays: PointArrays
    share: sparse.csr_array

    def spread(self, values: Float64Array) -> Float64Array:
        """From values at points, in the last axis, to values of classes."""
        return np.ascontiguousarray((self.share @ values.T).T)

    def gather(self, values: Float64Array) -> Float64Array:
        """From weights of classes to weights of points: the transpose of `spread`."""
        return np.ascontiguousarray((self.share.T @ values.T).T)


def stand_ins(layout: Layout, coefficients: Coefficients, error: float) -> StandIns:
    """Points for the classes: Chebyshev points where they are fewer, for a relative error; else the classes."""
    shares = Shares()
    own, group = coefficients.own[0], layout.group[0]
    smooth = (own <= _highest(coefficients.tables)) & (own > -UNSURE)
    if len(layout.basis) > 1 or len(layout.group) > 1 or stand_for_themselves(layout, error):
        smooth[:] = False
    order = np.lexsort((own, group))
    for members in np.split(order, np.flatnonzero(np.diff(group[order])) + 1):
        shares.add_group(own, members[smooth[members]], members[~smooth[members]], error)
    return shares.made(layout, coefficients)


def themselves(layout: Layout, coefficients: Coefficients) -> StandIns:
    """Each class is a point of its own."""
    shares, nobody = Shares(), np.empty(0, dtype=np.int64)
    shares.add_group(coefficients.own[0], nobody, np.argsort(layout.group[0], kind="stable"), 1.0)
    return shares.made(layout, coefficients)


def stand_for_themselves(layout: Layout, error: float) -> bool:
    """Are the classes so few that all pairs of them cost next to nothing?"""
    return len(layout.size) <= FEW_CLASSES and error < 1e-9


def _highest(tables: Float64Array) -> float:
    """The multiplier above which two nodes may be so sure of a link that they have to stand for themselves."""
    uncertain = tables[np.abs(tables) < UNSURE]
    return (LIKELIEST - float(uncertain.max(initial=0.0))) / 2


@dataclass
class Shares:
    """Shares of classes in points, as they are collected group by group."""

    classes: list[Int64Array] = field(default_factory=list)
    points: list[Int64Array] = field(default_factory=list)
    values: list[Float64Array] = field(default_factory=list)
    like: list[Int64Array] = field(default_factory=list)  # one class that is like each point, but for its multiplier
    at: list[Float64Array] = field(default_factory=list)  # the multiplier of each point
    count: int = 0

    def add_group(self, own: Float64Array, smooth: Int64Array, others: Int64Array, error: float) -> None:
        """Points of one group; the smooth classes are in the order of their multipliers."""
        ends = (own[smooth[0]], own[smooth[-1]]) if len(smooth) else (0.0, 0.0)
        count = points_needed(ends[1] - ends[0], error)
        if count < len(smooth):
            at, share = lagrange(own[smooth], ends, count)
            self._add(np.repeat(smooth, count), np.tile(np.arange(count), len(smooth)), share.ravel())
            self._count(np.full(count, smooth[0]), at)
            smooth = smooth[:0]
        alone = np.concatenate([smooth, others])
        self._add(alone, np.arange(len(alone)), np.ones(len(alone)))
        self._count(alone, own[alone])

    def _add(self, classes: Int64Array, points: Int64Array, values: Float64Array) -> None:
        self.classes.append(classes)
        self.points.append(points + self.count)
        self.values.append(values)

    def _count(self, like: Int64Array, at: Float64Array) -> None:
        self.like.append(like)
        self.at.append(at)
        self.count += len(like)

    def made(self, layout: Layout, coefficients: Coefficients) -> StandIns:
        """The points, and the matrix of shares."""
        like = np.concatenate(self.like)
        entries = np.concatenate(self.values), (np.concatenate(self.classes), np.concatenate(self.points))
        matrix = sparse.csr_array(entries, shape=(len(layout.size), self.count))
        own = coefficients.own[:, like]
        own[0] = np.concatenate(self.at)
        group = np.ascontiguousarray(layout.group[:, like].astype(np.int32))
        begin = np.searchsorted(group[0], np.arange(layout.width[0] + 1)).astype(np.int32)
        basis = np.ascontiguousarray(layout.basis[:, like])
        arrays = PointArrays(np.asarray(matrix.T @ layout.size), own, basis, group, layout.tables(coefficients), begin)
        return StandIns(arrays, matrix)


def points_needed(length: float, error: float) -> int:
    """Chebyshev points for a relative error, on an interval of some length: the nearest pole of the sigmoid is at pi i.

    >>> points_needed(8.0, 1e-12)
    41
    """
    ratio = 2 * np.pi / max(length, 1e-3)
    return int(np.ceil(-np.log(error) / np.log(ratio + np.hypot(ratio, 1)))) + 2


def lagrange(x: Float64Array, ends: tuple[float, float], count: int) -> tuple[Float64Array, Float64Array]:
    """Chebyshev points of an interval, and e^(x - x_a) L_a(x) of each x (rows) and point a (columns)."""
    low, high = ends
    angle = (np.arange(count) + 0.5) * np.pi / count
    at = (low + high) / 2 + max((high - low) / 2, 1e-6) * np.cos(angle)
    difference = x[:, None] - at
    hit = difference == 0
    terms = (-1.0) ** np.arange(count) * np.sin(angle) / np.where(hit, 1.0, difference)
    terms = np.where(hit.any(axis=1, keepdims=True), hit, terms)
    return at, np.exp(difference) * terms / terms.sum(axis=1, keepdims=True)


# ---- A few hundred points that stand for all classes, roughly: where a matrix over pairs of points is wanted ---------


ROUGH = 1e-4, 1e-3, 1e-2, 5e-2  # relative errors of the points, until they are few
MOST_POINTS = 2_000


@dataclass(frozen=True, eq=False)
class FewPoints:
    """Points, and the share of each class in each: one matrix for each column of the basis."""

    weight: Float64Array
    own: Float64Array
    basis: Float64Array
    group: Int32Array  # (layers, points)
    share: list[sparse.csr_array]  # (classes, points)

    def spread(self, values: Float64Array) -> Float64Array:
        """From values at points, one row a column of the basis, to values of classes."""
        return np.stack([share @ row for share, row in zip(self.share, values, strict=True)])

    def gather(self, values: Float64Array) -> Float64Array:
        """From weights of classes to weights of points: the transpose of `spread`."""
        return np.stack([share.T @ row for share, row in zip(self.share, values, strict=True)])

    def chances(self, layout: Layout, coefficients: Coefficients) -> Float64Array:
        """P of all pairs of points."""
        half = self.own.T @ self.basis
        z = half + half.T
        for layer, group in enumerate(self.group):
            z += layout.table(coefficients.tables, layer)[np.ix_(group, group)]
        return np.asarray(probability(z))

    def member(self, layer: int, width: int) -> sparse.csr_array:
        """Which point is in which group: a matrix of zeros and ones."""
        every = np.arange(len(self.weight))
        return sparse.csr_array((np.ones(len(every)), (every, self.group[layer])), shape=(len(every), width))


def few_points(
    layout: Layout, coefficients: Coefficients, pulls: Float64Array, errors: tuple[float, ...] = ROUGH
) -> FewPoints:
    """Chebyshev points where these are few; otherwise some of the classes stand for those that are like them.

    `pulls` are the expected sums of the basis over the partners of a node of each class; the first row are expected
    degrees. `errors` are tried in turn.
    """
    for error in errors:
        points = stand_ins(layout, coefficients, error)
        arrays = points.arrays
        few = FewPoints(arrays.weight, arrays.own, arrays.basis, arrays.group, [points.share] * len(arrays.basis))
        if len(few.weight) <= MOST_POINTS:
            return few
    return _chosen(layout, coefficients, slopes_of(layout, pulls))


def slopes_of(layout: Layout, pulls: Float64Array) -> Float64Array:
    """About the sum of P (1 - P) over partners: all of them, and those on each side; for other columns, all again."""
    uncertain = 1 - pulls[0] / layout.size.sum()
    sides = [np.isin(base, (0, 1)).all() for base in layout.basis]
    return np.stack([np.maximum(pulls[c if side else 0] * uncertain, 1e-9) for c, side in enumerate(sides)])


def _chosen(layout: Layout, coefficients: Coefficients, slopes: Float64Array) -> FewPoints:
    """Some classes, in proportion to how much they take part, and the foremost of each group; each stands for its
    neighbours in the order of groups, basis and degrees.

    A row of P (1 - P) is about in proportion to its sum over each side, whatever the groups are.
    """
    own, group, basis = coefficients.own, layout.group, layout.basis
    order = np.lexsort((slopes[0], *basis[1:], *group[::-1]))
    reached = np.cumsum((layout.size * slopes[0])[order])
    marks = (np.arange(MOST_POINTS) + 0.5) * reached[-1] / MOST_POINTS
    chosen = np.zeros(len(order), dtype=bool)
    chosen[order[np.searchsorted(reached, marks)]] = True
    for layer in group:
        by_part = np.lexsort((layout.size * slopes[0], layer))
        chosen[by_part[np.append(np.flatnonzero(np.diff(layer[by_part])), len(layer) - 1)]] = True
    places = np.flatnonzero(chosen[order])
    nearest = np.searchsorted((places[1:] + places[:-1]) / 2, np.arange(len(order)))
    few = order[places]
    shares = [
        sparse.csr_array((row[order] / row[few[nearest]], (order, nearest)), shape=(len(order), len(few)))
        for row in slopes
    ]
    mine, base = np.ascontiguousarray(own[:, few]), np.ascontiguousarray(basis[:, few])
    groups = np.ascontiguousarray(group[:, few].astype(np.int32))
    return FewPoints(np.asarray(shares[0].T @ layout.size), mine, base, groups, shares)
