"""What is to be solved: totals that multipliers have to lead to; nearly, where they are in doubt."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from scipy import sparse

from netgiven.priors.expectation import Curvature, expected_sums, rounding
from netgiven.priors.features import Place, Term
from netgiven.priors.layout import Coefficients, Layout, Sums
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


# ---- The dual of the maximum-entropy problem and its solver ----------------------------------------------------------
#
# Over pairs of nodes, the multipliers minimise the convex
#
#     sum over pairs of log(1 + exp(f_ij . lambda))  -  lambda . observed
#
# whose gradient is expected minus observed. It is a logistic regression over all pairs, unpenalised but for totals
# that are in doubt. Newton steps are solved for by conjugate gradients, with the diagonal of the curvature as
# preconditioner: constraints that say the same twice do no harm there.


STEPS = 200
ENOUGH = 1e-9  # relative error below which a step that no longer helps ends the search
LONGEST = 20.0  # a step changes no multiplier by more
ITERATIONS, LAST_ITERATIONS = 400, 80  # of conjugate gradients; what is met to ENOUGH is not worth many
LEAST_DAMPING, MOST_DAMPING = 1e-3, 10.0
NEAR = 0.05  # relative error below which Newton's steps should make it much smaller


class Point(NamedTuple):
    """Multipliers, the sums that they lead to, and the gradient: expected minus observed, and what doubts add."""

    multipliers: Float64Array
    sums: Sums
    residual: Float64Array


def evaluate(problem: Problem, multipliers: Float64Array) -> Point:
    """The point of the dual at some multipliers."""
    sums = problem.expected(multipliers)
    return Point(multipliers, sums, problem.totals(sums) - problem.observed + problem.drawn(multipliers))


def solve(problem: Problem, start: Float64Array, free: BoolArray) -> Point:
    """Newton steps of the free multipliers, halved until the residual shrinks, until it shrinks no more.

    The curvature is kept for as long as its steps make the error a hundred times smaller. Where it proves too
    rough, the exact one is taken, and where that fails, too, it is damped: its diagonal is raised.
    """
    point, enough = evaluate(problem, start), rounding(problem.layout)
    error, step, damping, exact = largest_error(problem, point, free), None, 0.0, False
    for _ in range(STEPS):
        if error <= enough:
            break
        fresh = step is None
        step = step or curvature_at(problem, point.multipliers, point.sums, exact)
        before, last = point, error
        direction, sound = _direction(step, -point.residual, free, error, damping)
        point = _shortened(problem, point, direction, step.inverse(free), far=error > ENOUGH)
        error = largest_error(problem, point, free)
        if (last < ENOUGH and error > 0.5 * last) or (fresh and point is before and damping >= MOST_DAMPING):
            break
        if error > 0.01 * last:
            step = None
        slow = fresh and (not sound or point is before or (last < NEAR and error > 0.1 * last))
        if slow and not exact:
            step, exact = None, True
        elif slow and (not sound or point is before):
            damping = max(10 * damping, LEAST_DAMPING)
        elif error < 0.5 * last and damping > LEAST_DAMPING:
            damping /= 10
    return point


def largest_error(problem: Problem, point: Point, free: BoolArray) -> float:
    """The largest error of a free constraint, relative to what was observed."""
    return float(np.max(free * np.abs(point.residual) / scale(problem.observed), initial=0.0))


def scale(observed: Float64Array) -> Float64Array:
    """What errors are relative to."""
    return np.maximum(np.abs(observed), 1.0)


@np.errstate(over="ignore", invalid="ignore")  # where H is flat, directions grow without bound until it tells
def _direction(
    step: Step, target: Float64Array, free: BoolArray, error: float, damping: float
) -> tuple[Float64Array, bool]:
    """H^-1 target, by conjugate gradients, to a part of the error; and whether H bent upwards all the way."""
    inverse, raised = step.inverse(free), damping * step.diagonal
    x, rest = np.zeros(len(target)), target.copy()
    scaled = inverse * rest
    direction, product = scaled.copy(), float(rest @ scaled)
    wanted = product * min(1e-2, max(error, 1e-3)) ** 2
    most = ITERATIONS if error > ENOUGH else LAST_ITERATIONS
    for _ in range(min(most, 2 * len(target) + 5)):
        if product <= wanted:
            break
        image = step.times(direction) + raised * direction
        bend = float(direction @ image)
        if not 0 < bend < np.inf:
            return x, False
        x += product / bend * direction
        rest -= product / bend * image
        scaled = inverse * rest
        before, product = product, float(rest @ scaled)
        direction = scaled + product / before * direction
    return x, True


def _shortened(problem: Problem, point: Point, direction: Float64Array, inverse: Float64Array, far: bool) -> Point:
    """The point after a full, half, quarter ... step, the first whose residual is shorter; or, while the solution is
    far, from which the dual still falls along the step: it is convex, so it has fallen so far. Else the same point.
    """
    share = min(1.0, LONGEST / max(float(np.abs(direction).max(initial=0.0)), 1e-300))
    for _ in range(30 if far else 3):
        candidate = evaluate(problem, point.multipliers + share * direction)
        shorter = candidate.residual @ (inverse * candidate.residual) < point.residual @ (inverse * point.residual)
        if shorter or (far and (point.residual @ direction) < (candidate.residual @ direction) < 0):
            return candidate
        share /= 2
    return point
