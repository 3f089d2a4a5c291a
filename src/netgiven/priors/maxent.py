"""The dual of the maximum-entropy problem and its Newton solver.

Over cells c with N_c pairs, the multipliers minimise the convex

    sum over c of N_c log(1 + exp(f_c . lambda))  -  lambda . observed

whose gradient is expected minus observed. It is an unpenalised logistic regression over all pairs, done on cells.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import linalg

from netgiven.kernels.cells import sigmoid, weighted_gram
from netgiven.priors.features import Features

Doubles = npt.NDArray[np.float64]
Factor = tuple[Doubles, bool]

STEPS = 200
EXACT = 1e-14  # relative error at which a float64 sum of a thousand terms can do no better
ENOUGH = 1e-9  # relative error below which a step that no longer helps ends the search
LONGEST = 20.0  # a step changes no multiplier by more


@dataclass(frozen=True, eq=False)
class Problem:
    """Cells, with the number of their pairs and their features, and what the features must add up to."""

    features: Features
    pairs: Doubles
    observed: Doubles


def closed_form(problem: Problem) -> Doubles | None:
    """The multipliers at once, where each cell has one feature and that is 1: the logit of the share of linked
    pairs.
    """
    features = problem.features
    if len(features.column) != 1 or not np.all(features.value == 1):
        return None
    capacity = features.totals(problem.pairs)
    with np.errstate(divide="ignore", invalid="ignore"):
        multipliers = np.log(problem.observed) - np.log(capacity - problem.observed)
    return np.where(np.isfinite(multipliers), multipliers, 0.0)


class Point(NamedTuple):
    """Multipliers, the probability they give one pair of each cell, and expected minus observed."""

    multipliers: Doubles
    chance: Doubles
    residual: Doubles


def evaluate(problem: Problem, multipliers: Doubles) -> Point:
    """The point of the dual at some multipliers."""
    chance = problem.features.times(multipliers)
    sigmoid(chance)
    return Point(multipliers, chance, problem.features.totals(problem.pairs * chance) - problem.observed)


def solve(problem: Problem, start: Doubles) -> Point:
    """Newton steps, halved until the residual shrinks, until it shrinks no more.

    The factor of the curvature is kept for as long as its steps make the error ten times smaller: near the solution the
    curvature hardly changes, and a factor costs as much as many steps.
    """
    known = closed_form(problem)
    if known is not None:
        return evaluate(problem, known)
    point = evaluate(problem, start)
    factor, fresh, error = _factor(problem, point), True, largest_error(problem, point)
    for _ in range(STEPS):
        before = point
        point = _shortened(problem, point, -linalg.cho_solve(factor, point.residual, check_finite=False))
        last, error = error, largest_error(problem, point)
        stuck = point is before and fresh  # even with its own factor: nothing left to gain
        if error <= EXACT or stuck or (last < ENOUGH and error > 0.5 * last):
            break
        fresh = error > 0.1 * last
        if fresh:
            factor = _factor(problem, point)
    return point


def largest_error(problem: Problem, point: Point) -> float:
    """The largest error of a constraint, relative to what was observed."""
    return float(np.max(np.abs(point.residual) / np.maximum(problem.observed, 1.0), initial=0.0))


def _factor(problem: Problem, point: Point) -> Factor:
    """The Cholesky factor of the curvature H.

    A little is added to the diagonal, more if need be: redundant constraints make H singular.
    """
    count = len(point.residual)
    curvature = np.zeros((count, count))
    weighted_gram(problem.features.arrays, problem.pairs * point.chance * (1 - point.chance), curvature)
    diagonal = np.maximum(curvature.diagonal(), 1e-300)
    for ridge in 10.0 ** np.arange(-13, 4):
        np.fill_diagonal(curvature, diagonal * (1 + ridge))
        try:
            factor = linalg.cho_factor(curvature, lower=False, check_finite=False)
        except linalg.LinAlgError:
            continue
        if np.all(np.isfinite(factor[0].diagonal())):
            return factor
    return np.diag(np.sqrt(diagonal)), False


def _shortened(problem: Problem, point: Point, direction: Doubles) -> Point:
    """The point after a full, half, quarter ... step, the first whose residual is shorter; else the same point."""
    share = min(1.0, LONGEST / max(float(np.abs(direction).max(initial=0.0)), 1e-300))
    for _ in range(40):
        candidate = evaluate(problem, point.multipliers + share * direction)
        if np.linalg.norm(candidate.residual) < np.linalg.norm(point.residual):
            return candidate
        share /= 2
    return point
