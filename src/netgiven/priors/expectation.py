"""Sums over all pairs that a prior expects."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from netgiven.kernels.pair_sums import (
    SURE,
    PairSums,
    add_pairs,
    bend_pairs,
    correct_curvature,
    correct_sums,
    listed_slopes,
    measure_listed,
    measure_pairs,
)
from netgiven.model import probability
from netgiven.priors.interpolation import few_points, slopes_of, stand_for_themselves, stand_ins, themselves
from netgiven.priors.layout import Coefficients, Layout, Sums
from netgiven.types import Float64Array, IntegerArray

EXACT = 1e-11  # relative error of sums


def rounding(layout: Layout) -> float:
    """The relative error that is left in sums."""
    return 1e-14 if stand_for_themselves(layout, EXACT) else EXACT


def expected_sums(layout: Layout, coefficients: Coefficients) -> Sums:
    """The sums that the prior with these coefficients expects."""
    points = stand_ins(layout, coefficients, EXACT)
    raw = PairSums(np.empty(points.arrays.own.shape), np.empty(len(coefficients.tables)))
    add_pairs(points.arrays, raw)
    sums = Sums(points.spread(raw.pulls), raw.between, np.zeros(len(coefficients.listed)))
    layout.without_self(sums.pulls, sums.between, probability(layout.with_itself(coefficients)))
    if layout.listed is not None:
        both = PairSums(sums.pulls, sums.between)
        correct_sums(layout.listed, coefficients.listed, layout.nodes(coefficients), both, sums.listed)
    return sums


def measured(layout: Layout, coefficients: Coefficients) -> Float64Array:
    """softplus(z) and P z, summed over pairs; nothing for those of which the prior is certain."""
    out = np.zeros(2)
    measure_pairs(stand_ins(layout, coefficients, EXACT).arrays, out)
    z = layout.with_itself(coefficients)
    size = np.where(np.abs(z) < SURE, layout.size, 0.0)
    z = np.where(size > 0, z, 0.0)
    out -= [size @ np.logaddexp(0.0, z), size @ (probability(z) * z)]
    if layout.listed is not None:
        measure_listed(layout.listed, coefficients.listed, layout.nodes(coefficients), out)
    return out / 2


# ---- How sums over pairs change with the coefficients: the second derivatives of the dual, as an operator ------------
#
# Steps are checked against exact sums, so a rough curvature is mostly enough: a few hundred points stand for all
# classes, and their P (1 - P) fits into a matrix. Where it is not, because constraints that say nearly the same need
# more than the points can tell, there is the exact one.


PART = 1_000_000  # listed pairs looked at together


class Curvature:
    """d sums / d coefficients at some coefficients."""

    def __init__(self, layout: Layout, coefficients: Coefficients, sums: Sums) -> None:
        self.layout, self.coefficients = layout, coefficients
        self.points = points = few_points(layout, coefficients, sums.pulls)
        chance = points.chances(layout, coefficients)
        self._slope = chance * (1 - chance)
        self._member = [points.member(layer, width) for layer, width in enumerate(layout.width)]
        weighted = points.weight * points.basis
        # [layer][column, point, group]: what the partners in a group add up to
        self._towards = [
            np.stack([np.asarray(member.T @ (self._slope * base).T).T for base in weighted]) for member in self._member
        ]
        self._between = [
            np.asarray(member.T @ (points.weight[:, None] * towards[0]))
            for member, towards in zip(self._member, self._towards, strict=True)
        ]
        products = points.basis[:, None] * weighted[None]  # (columns, columns, points)
        met = (products.reshape(-1, len(points.weight)) @ self._slope).reshape(products.shape)
        self._products = np.stack([points.spread(met[:, column]) for column in range(len(met))], axis=1)
        self._own = slopes_of(layout, sums.pulls)
        if len(points.weight) < len(layout.size) and layout.listed is None and len(layout.basis) > 1:
            self._correct_sides()
        inside = probability(layout.with_itself(coefficients))
        self._self = inside * (1 - inside)
        if layout.listed is not None:
            self._listed = np.empty((2, len(layout.listed.indices)))
            listed_slopes(layout.listed, coefficients.listed, layout.nodes(coefficients), self._listed)

    def _correct_sides(self) -> None:
        """What classes change of themselves is known better than by the points: these may have no link to a side."""
        for column, base in enumerate(self.layout.basis):
            if np.isin(base, (0, 1)).all():
                self._products[column, column] = self._own[column]

    @property
    def own(self) -> Float64Array:
        """About the change of pulls[c, u] with own[c, u], for sides: never 0 where links are possible."""
        return self._own

    def between(self, layer: int) -> Float64Array:
        """The change of the sums between groups of a layer with its table."""
        total, group = self._between[layer].copy(), self.layout.group[layer]
        for first, second, slope in self._listed_changes():
            once = np.bincount(group[first] * len(total) + group[second], slope, total.size).reshape(total.shape)
            total += once + once.T
        return np.asarray(np.maximum(total, 0.0))

    def _listed_changes(self) -> Iterator[tuple[IntegerArray, IntegerArray, Float64Array]]:
        """Listed pairs, part by part, and what is different in their P (1 - P)."""
        listed = self.layout.listed
        for begin in range(0, 0 if listed is None else len(listed.indices), PART):
            assert listed is not None
            part = slice(begin, begin + PART)
            second, change = listed.indices[part], self._listed[1, part] - self._listed[0, part]
            first = np.searchsorted(listed.indptr, np.arange(begin, begin + len(second)), side="right") - 1
            yield first, second, change

    def along(self, step: Coefficients) -> Sums:
        """The change of the sums along a step of the coefficients."""
        source = self.points.gather(self.layout.size * step.own)
        turned = [
            np.asarray(member @ self.layout.table(step.tables, layer)) for layer, member in enumerate(self._member)
        ]
        pulls = self.points.spread(self._pulls(source, turned)) + np.einsum("cdu,du->cu", self._products, step.own)
        bent = self._bent(turned)
        counts = [self._counts(layer, source, step.tables, bent).ravel() for layer in range(len(turned))]
        between = np.concatenate(counts)
        self.layout.without_self(pulls, between, self._self * self.layout.with_itself(step))
        return self._with_listed(step, Sums(pulls, between, np.zeros(len(step.listed))))

    def _pulls(self, source: Float64Array, turned: list[Float64Array]) -> Float64Array:
        """What the steps of partners and of tables change at each point."""
        basis = self.points.basis
        crossed = basis[:, None] * source[None]  # [c', c]: what partners bring
        met = (crossed.reshape(-1, basis.shape[1]) @ self._slope).reshape(crossed.shape)
        pulls = (met * basis[None]).sum(axis=1)
        for towards, table in zip(self._towards, turned, strict=True):
            pulls += (towards * table).sum(axis=2)
        return np.asarray(pulls)

    def _counts(
        self, layer: int, source: Float64Array, tables: Float64Array, bent: Float64Array | None
    ) -> Float64Array:
        """What they change between the groups of a layer."""
        member = self._member[layer]
        half = sum(member.T @ (mine[:, None] * other) for mine, other in zip(source, self._towards[layer], strict=True))
        if bent is None:
            return np.asarray(half + half.T + self.layout.table(tables, layer) * self._between[layer])
        return np.asarray(half + half.T + member.T @ (member.T @ bent).T)

    def _bent(self, turned: list[Float64Array]) -> Float64Array | None:
        """What tables change between all pairs of points; nothing where there is one layer, for which the
        changes between groups are known.
        """
        if len(self._member) == 1:
            return None
        change = sum(np.asarray(one @ table.T).T for one, table in zip(self._member, turned, strict=True))
        return np.asarray(self._slope * np.outer(self.points.weight, self.points.weight) * change)

    def exactly_along(self, step: Coefficients) -> Sums:
        """The same over all pairs of classes, which takes as long as the sums themselves."""
        here = themselves(self.layout, self.coefficients)
        there = here.arrays._replace(own=here.gather(step.own), tables=self.layout.tables(step))
        raw = PairSums(np.empty(step.own.shape), np.empty(len(step.tables)))
        bend_pairs(here.arrays, there, raw)
        pulls, between = here.spread(raw.pulls), raw.between
        self.layout.without_self(pulls, between, self._self * self.layout.with_itself(step))
        return self._with_listed(step, Sums(pulls, between, np.zeros(len(step.listed))))

    def _with_listed(self, step: Coefficients, sums: Sums) -> Sums:
        """With what is different for listed pairs."""
        layout = self.layout
        if layout.listed is not None:
            both = PairSums(sums.pulls, sums.between)
            correct_curvature(layout.listed, self._listed, step.listed, layout.nodes(step), both, sums.listed)
        return sums
