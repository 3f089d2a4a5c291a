"""A few hundred points that stand for all classes, roughly: where a matrix over pairs of points is wanted."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from netgiven.model import probability
from netgiven.priors.layout import Coefficients, Layout
from netgiven.priors.stand_ins import stand_ins
from netgiven.types import Float64Array, Int32Array

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
