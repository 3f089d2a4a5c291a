"""What is to be solved: totals that multipliers have to lead to; nearly, where they are in doubt."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from scipy import sparse

from netgiven.priors.curvature import Curvature
from netgiven.priors.expectation import expected_sums
from netgiven.priors.layout import Coefficients, Layout, Sums
from netgiven.priors.terms import Place, Term
from netgiven.types import BoolArray, Float64Array, Int64Array

FULL = 100.0  # a multiplier of all nodes that makes all pairs links


@dataclass(frozen=True, eq=False)
class Problem:
    """Terms in a layout, what their totals must be, and how much that is in doubt.

    A doubt w draws a multiplier towards the one that tells no nodes apart (`even`), as w / 2 (lambda - even)^2 does:
    nearer, the less there is to see of it. Without a doubt a total is met exactly.
    """

    terms: list[Term]
    places: list[Place]
    layout: Layout
    observed: Float64Array
    doubt: Float64Array
    even: Float64Array

    @cached_property
    def slices(self) -> list[slice]:
        """The multipliers of each term."""
        ends = np.cumsum([0, *(term.count for term in self.terms)])
        return [slice(int(begin), int(end)) for begin, end in pairwise(ends)]

    def coefficients(self, multipliers: Float64Array) -> Coefficients:
        """What the multipliers of all terms say together."""
        total = self.layout.zeros()
        for term, place, part in zip(self.terms, self.places, self.slices, strict=True):
            term.add(multipliers[part], total, place)
        return total

    def totals(self, sums: Sums) -> Float64Array:
        """The total of each feature."""
        size = self.layout.size
        pairs = zip(self.terms, self.places, strict=True)
        return np.concatenate([term.total(sums, size, place) for term, place in pairs])

    def expected(self, multipliers: Float64Array) -> Sums:
        """The sums that are expected under some multipliers."""
        return expected_sums(self.layout, self.coefficients(multipliers))

    @cached_property
    def room(self) -> Float64Array:
        """The total of each feature if all pairs were linked."""
        full = self.layout.zeros()
        full.own[0] += FULL
        return self.totals(expected_sums(self.layout, full))

    @cached_property
    def told(self) -> BoolArray:
        """Which totals were told, and are not those of the network."""
        wanted = [term.wanted if term.wanted is not None else np.full(term.count, np.nan) for term in self.terms]
        return np.asarray(~np.isnan(np.concatenate(wanted)))

    def drawn(self, multipliers: Float64Array) -> Float64Array:
        """By how much doubts keep totals from what was observed."""
        return np.asarray(self.doubt * (multipliers - self.even))

    def features(self, first: Int64Array, second: Int64Array) -> sparse.csr_array:
        """f of pairs of classes: a row a pair, a column a multiplier."""
        return sparse.csr_array(sparse.hstack([term.features(first, second) for term in self.terms], format="csr"))


class Step(NamedTuple):
    """The curvature at some multipliers, as an operator on multipliers, and its diagonal."""

    problem: Problem
    curvature: Curvature
    diagonal: Float64Array
    exact: bool

    def inverse(self, free: BoolArray) -> Float64Array:
        """One over the diagonal, and 0 for multipliers that are not free."""
        return np.where(free & (self.diagonal > 1e-300), 1 / np.maximum(self.diagonal, 1e-300), 0.0)

    def times(self, direction: Float64Array) -> Float64Array:
        """H d."""
        along = self.curvature.exactly_along if self.exact else self.curvature.along
        return self.problem.totals(along(self.problem.coefficients(direction))) + self.problem.doubt * direction


def curvature_at(problem: Problem, multipliers: Float64Array, sums: Sums, exact: bool = False) -> Step:
    """The curvature of the dual at some multipliers, which lead to some sums; roughly, unless told."""
    curvature = Curvature(problem.layout, problem.coefficients(multipliers), sums)
    size = problem.layout.size
    pairs = zip(problem.terms, problem.places, strict=True)
    diagonal = np.concatenate([term.diagonal(curvature, size, place) for term, place in pairs])
    return Step(problem, curvature, diagonal + problem.doubt, exact)
