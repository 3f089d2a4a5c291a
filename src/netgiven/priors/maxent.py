"""The dual of the maximum-entropy problem and its solver.

Over pairs of nodes, the multipliers minimise the convex

    sum over pairs of log(1 + exp(f_ij . lambda))  -  lambda . observed

whose gradient is expected minus observed. It is a logistic regression over all pairs, unpenalised but for totals that
are in doubt. Newton steps are solved for by conjugate gradients, with the diagonal of the curvature as preconditioner:
constraints that say the same twice do no harm there.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from netgiven.priors.expectation import rounding
from netgiven.priors.layout import Sums
from netgiven.priors.problem import Problem, Step, curvature_at
from netgiven.types import BoolArray, Float64Array

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
