"""Expected statistics of a prior, and their derivatives: the gradient and Hessian of the log-partition function.

For log-odds z of all pairs, the log-partition function is the sum of log(1 + e^z). Its gradient in the coefficients of
a layout are the expected statistics, sums of P = sigmoid(z); its Hessian holds sums of P (1 - P).
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy import sparse

from netgiven.kernels.pair_sums import (
    PairSums,
    correct_entropy_terms,
    correct_hessian_product,
    correct_sums,
    entropy_terms,
    hessian_product,
    listed_variances,
    sum_pairs,
)
from netgiven.model import CERTAIN_LOG_ODDS, probability, softplus
from netgiven.priors.interpolation import (
    COARSE_ERRORS,
    interpolate,
    interpolate_coarsely,
    keep_all_classes,
    keeps_all_classes,
    variance_sums,
)
from netgiven.priors.layout import Coefficients, Layout, PairStatistics
from netgiven.types import Float64Array, IntegerArray

PRECISION = 1e-11  # relative error of interpolated sums
CHUNK = 1_000_000  # listed pairs processed together


def sum_precision(layout: Layout) -> float:
    """Return the relative error of expected statistics."""
    return 1e-14 if keeps_all_classes(layout, PRECISION) else PRECISION


def expected_sums(layout: Layout, coefficients: Coefficients) -> PairStatistics:
    """Return the statistics that the prior with these coefficients expects."""
    points = interpolate(layout, coefficients, PRECISION)
    raw = PairSums(np.empty(points.arrays.left.shape), np.empty(len(coefficients.tables)))
    sum_pairs(points.arrays, raw)
    sums = PairStatistics(points.to_classes(raw.node_sums), raw.group_sums, np.zeros(len(coefficients.listed)))
    inside = probability(layout.diagonal_log_odds(coefficients))
    layout.subtract_self_pairs(sums.node_sums, sums.group_sums, inside)
    if layout.listed is not None:
        both = PairSums(sums.node_sums, sums.group_sums)
        correct_sums(layout.listed, coefficients.listed, layout.nodes(coefficients), both, sums.listed)
    return sums


def expected_between(
    layout: Layout, coefficients: Coefficients, node_sums: Float64Array, members: sparse.csr_array
) -> Float64Array:
    """Return the expected number of links between groups of nodes: members[u, a] nodes of class u are in group a.

    All pairs of groups take one pass over pairs of points. Where these would be too many, the few of a coarse
    interpolation stand for them; `node_sums` are those of `expected_sums`.
    """
    points = interpolate_coarsely(layout, coefficients, node_sums, (PRECISION, *COARSE_ERRORS))
    amounts = np.asarray((points.weights[0].T @ members).todense())
    between = amounts.T @ (points.probabilities(layout, coefficients) @ amounts)
    itself = probability(layout.diagonal_log_odds(coefficients))
    between[np.diag_indices(len(between))] -= members.T @ itself
    if layout.listed is not None:
        between += _listed_between(layout, coefficients, members)
    between[np.diag_indices(len(between))] /= 2  # each pair was counted from both ends
    return np.asarray(np.maximum(between, 0.0))


def _listed_between(layout: Layout, coefficients: Coefficients, members: sparse.csr_array) -> Float64Array:
    """Return what listed features change in the expected number of links between groups."""
    assert layout.listed is not None
    indptr, second, value = layout.listed
    first = np.repeat(np.arange(len(indptr) - 1), np.diff(indptr))
    z = layout.log_odds(coefficients, first, second)
    change = probability(z + coefficients.listed @ value) - probability(z)
    changes = sparse.csr_array((change, second, indptr), shape=(len(layout.size), len(layout.size)))
    once = np.asarray((members.T @ changes @ members).todense())
    return np.asarray(once + once.T)


def entropy_sums(layout: Layout, coefficients: Coefficients) -> Float64Array:
    """Return the sums over pairs of softplus(z) and of P z, without certain pairs; their difference is the entropy."""
    out = np.zeros(2)
    entropy_terms(interpolate(layout, coefficients, PRECISION).arrays, out)
    z = layout.diagonal_log_odds(coefficients)
    size = np.where(np.abs(z) < CERTAIN_LOG_ODDS, layout.size, 0.0)
    z = np.where(size > 0, z, 0.0)
    out -= [size @ softplus(z), size @ (probability(z) * z)]
    if layout.listed is not None:
        correct_entropy_terms(layout.listed, coefficients.listed, layout.nodes(coefficients), out)
    return out / 2


class LogPartitionHessian:
    """The derivatives of the expected statistics in the coefficients, as an operator.

    Newton steps are checked against exact statistics, so an approximate Hessian is mostly enough: a few hundred
    interpolation points replace all classes, and their P (1 - P) fits into a matrix. Where constraints that are nearly
    dependent need more than that, `exact_times` sums over all pairs of classes.
    """

    def __init__(self, layout: Layout, coefficients: Coefficients, sums: PairStatistics) -> None:
        self.layout, self.coefficients = layout, coefficients
        self.points = points = interpolate_coarsely(layout, coefficients, sums.node_sums)
        p = points.probabilities(layout, coefficients)
        self._variance = p * (1 - p)
        self._membership = [points.membership(layer, width) for layer, width in enumerate(layout.width)]
        weighted = points.weight * points.right
        # [layer][row, point, group]: the variance that partners in a group add up to
        self._towards = [
            np.stack([np.asarray(member.T @ (self._variance * row).T).T for row in weighted])
            for member in self._membership
        ]
        self._between = [
            np.asarray(member.T @ (points.weight[:, None] * towards[0]))
            for member, towards in zip(self._membership, self._towards, strict=True)
        ]
        products = points.right[:, None] * weighted[None]  # (rows, rows, points)
        met = (products.reshape(-1, len(points.weight)) @ self._variance).reshape(products.shape)
        self._products = np.stack([points.to_classes(met[:, row]) for row in range(len(met))], axis=1)
        self._node_variances = variance_sums(layout, sums.node_sums)
        if len(points.weight) < len(layout.size) and layout.listed is None and len(layout.right) > 1:
            self._correct_indicators()
        inside = probability(layout.diagonal_log_odds(coefficients))
        self._self_variance = inside * (1 - inside)
        if layout.listed is not None:
            self._listed = np.empty((2, len(layout.listed.indices)))
            listed_variances(layout.listed, coefficients.listed, layout.nodes(coefficients), self._listed)

    def _correct_indicators(self) -> None:
        """For indicators of groups, replace the interpolated diagonal: a point may have no link to a group at all."""
        for index, row in enumerate(self.layout.right):
            if np.isin(row, (0, 1)).all():
                self._products[index, index] = self._node_variances[index]

    @property
    def node_variances(self) -> Float64Array:
        """About the derivative of node_sums[c, u] in left[c, u], for indicators: never 0 where links are possible."""
        return self._node_variances

    def group_variances(self, layer: int) -> Float64Array:
        """Return the derivative of the group sums of a layer in its table."""
        total, group = self._between[layer].copy(), self.layout.group[layer]
        for first, second, change in self._listed_changes():
            once = np.bincount(group[first] * len(total) + group[second], change, total.size).reshape(total.shape)
            total += once + once.T
        return np.asarray(np.maximum(total, 0.0))

    def _listed_changes(self) -> Iterator[tuple[IntegerArray, IntegerArray, Float64Array]]:
        """Yield listed pairs, chunk by chunk, and what listed features change in their P (1 - P)."""
        listed = self.layout.listed
        for begin in range(0, 0 if listed is None else len(listed.indices), CHUNK):
            assert listed is not None
            chunk = slice(begin, begin + CHUNK)
            second, change = listed.indices[chunk], self._listed[1, chunk] - self._listed[0, chunk]
            first = np.searchsorted(listed.indptr, np.arange(begin, begin + len(second)), side="right") - 1
            yield first, second, change

    def times(self, step: Coefficients) -> PairStatistics:
        """Return the change of the statistics along a step of the coefficients."""
        source = self.points.to_points(self.layout.size * step.left)
        rows = [
            np.asarray(member @ self.layout.table(step.tables, layer)) for layer, member in enumerate(self._membership)
        ]
        own = np.einsum("cdu,du->cu", self._products, step.left)
        node_sums = self.points.to_classes(self._partner_changes(source, rows)) + own
        crossed = self._cross_layer_changes(rows)
        counts = [self._group_changes(layer, source, step.tables, crossed).ravel() for layer in range(len(rows))]
        group_sums = np.concatenate(counts)
        return self._corrected(step, node_sums, group_sums)

    def _partner_changes(self, source: Float64Array, rows: list[Float64Array]) -> Float64Array:
        """Return what the steps of partners and of tables change at each point."""
        right = self.points.right
        crossed = right[:, None] * source[None]  # [c', c]: what partners bring
        met = (crossed.reshape(-1, right.shape[1]) @ self._variance).reshape(crossed.shape)
        changes = (met * right[None]).sum(axis=1)
        for towards, table in zip(self._towards, rows, strict=True):
            changes += (towards * table).sum(axis=2)
        return np.asarray(changes)

    def _group_changes(
        self, layer: int, source: Float64Array, tables: Float64Array, crossed: Float64Array | None
    ) -> Float64Array:
        """Return what they change between the groups of a layer."""
        member = self._membership[layer]
        half = sum(member.T @ (mine[:, None] * other) for mine, other in zip(source, self._towards[layer], strict=True))
        if crossed is None:
            return np.asarray(half + half.T + self.layout.table(tables, layer) * self._between[layer])
        return np.asarray(half + half.T + member.T @ (member.T @ crossed).T)

    def _cross_layer_changes(self, rows: list[Float64Array]) -> Float64Array | None:
        """Return what tables change between all pairs of points; None for one layer, whose group sums are enough."""
        if len(self._membership) == 1:
            return None
        change = sum(np.asarray(member @ table.T).T for member, table in zip(self._membership, rows, strict=True))
        return np.asarray(self._variance * np.outer(self.points.weight, self.points.weight) * change)

    def exact_times(self, step: Coefficients) -> PairStatistics:
        """Return the same as `times` by sums over all pairs of classes, at the cost of `expected_sums`."""
        here = keep_all_classes(self.layout, self.coefficients)
        there = here.arrays._replace(left=here.to_points(step.left), tables=self.layout.tables(step))
        raw = PairSums(np.empty(step.left.shape), np.empty(len(step.tables)))
        hessian_product(here.arrays, there, raw)
        return self._corrected(step, here.to_classes(raw.node_sums), raw.group_sums)

    def _corrected(self, step: Coefficients, node_sums: Float64Array, group_sums: Float64Array) -> PairStatistics:
        """Subtract what nodes contribute as their own partners, and correct for listed pairs."""
        layout = self.layout
        layout.subtract_self_pairs(node_sums, group_sums, self._self_variance * layout.diagonal_log_odds(step))
        sums = PairStatistics(node_sums, group_sums, np.zeros(len(step.listed)))
        if layout.listed is not None:
            both = PairSums(sums.node_sums, sums.group_sums)
            correct_hessian_product(layout.listed, self._listed, step.listed, layout.nodes(step), both, sums.listed)
        return sums
