"""The dual of the maximum-entropy problem, and its solver by Newton's method.

Over pairs of nodes, the multipliers lambda minimise the convex function

    sum over pairs of log(1 + exp(f_ij . lambda))  -  lambda . targets  +  sum_k ridge_k / 2 (lambda_k - center_k)^2

whose gradient is expected minus target totals, plus the gradient of the ridge. It is a logistic regression over all
pairs, penalised only where totals are partly observed. Newton steps are solved by conjugate gradients, with the
diagonal of the Hessian as preconditioner: constraints that follow from each other do no harm there.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt
from scipy import sparse

from netgiven.priors.expectation import LogPartitionHessian, expected_sums, sum_precision
from netgiven.priors.features import FeatureBlock, Slot
from netgiven.priors.layout import Coefficients, Layout, PairStatistics
from netgiven.types import BoolArray, Float64Array, Int64Array

ALL_LINKED = 100.0  # a multiplier of all nodes that makes all pairs links
MAX_STEPS = 200
CONVERGED = 1e-9  # relative error below which a step that no longer helps ends the search
MAX_CHANGE = 20.0  # a step changes no multiplier by more
LIMITED_TRIALS = 5  # lengths of a step whose multipliers are limited one by one, before all are scaled alike
MAX_ITERATIONS, MAX_LAST_ITERATIONS = 400, 80  # of conjugate gradients, before and after CONVERGED
MIN_DAMPING, MAX_DAMPING = 1e-3, 10.0
NEAR = 0.05  # relative error below which Newton steps should reduce it quickly

Value = TypeVar("Value", bound=np.generic)


@dataclass(frozen=True, eq=False)
class DualProblem:
    """Features in a layout, the targets of their totals, and a ridge on totals that are only partly observed.

    A ridge of weight w adds w / 2 (lambda - center)^2 to the dual, so that a total with few observed pairs is met
    approximately. Without a ridge, a total is met exactly.
    """

    blocks: list[FeatureBlock]
    slots: list[Slot]
    layout: Layout
    targets: Float64Array
    ridge: Float64Array
    ridge_center: Float64Array

    @cached_property
    def slices(self) -> list[slice]:
        """The multipliers of each block."""
        ends = np.cumsum([0, *(block.count for block in self.blocks)])
        return [slice(int(begin), int(end)) for begin, end in pairwise(ends)]

    def coefficients(self, multipliers: Float64Array) -> Coefficients:
        """Return the coefficients that the multipliers of all blocks add up to."""
        total = self.layout.zeros()
        for block, slot, part in zip(self.blocks, self.slots, self.slices, strict=True):
            block.add(multipliers[part], total, slot)
        return total

    def totals(self, sums: PairStatistics) -> Float64Array:
        """Return the total of each feature."""
        size = self.layout.size
        pairs = zip(self.blocks, self.slots, strict=True)
        return np.concatenate([block.total(sums, size, slot) for block, slot in pairs])

    def expected(self, multipliers: Float64Array) -> PairStatistics:
        """Return the expected statistics for some multipliers."""
        return expected_sums(self.layout, self.coefficients(multipliers))

    @cached_property
    def capacity(self) -> Float64Array:
        """The total of each feature if all pairs were linked."""
        full = self.layout.zeros()
        full.left[0] += ALL_LINKED
        return self.totals(expected_sums(self.layout, full))

    @cached_property
    def is_user_total(self) -> BoolArray:
        """Which targets were set by the user, and are not totals of the network."""
        network_totals = (np.full(block.count, np.nan) for block in self.blocks)
        totals = [
            default if block.user_totals is None else block.user_totals
            for block, default in zip(self.blocks, network_totals, strict=True)
        ]
        return np.asarray(~np.isnan(np.concatenate(totals)))

    def ridge_gradient(self, multipliers: Float64Array) -> Float64Array:
        """Return the gradient of the ridge."""
        return np.asarray(self.ridge * (multipliers - self.ridge_center))

    def features(self, first: Int64Array, second: Int64Array) -> sparse.csr_array:
        """Return f of pairs of classes: one row per pair, one column per multiplier."""
        return sparse.csr_array(sparse.hstack([block.evaluate(first, second) for block in self.blocks], format="csr"))

    def per_multiplier(self, values: npt.NDArray[Value]) -> npt.NDArray[Value]:
        """Repeat one value per block for each multiplier of the block."""
        return np.repeat(values, [block.count for block in self.blocks])


class DualPoint(NamedTuple):
    """Multipliers, the statistics that they lead to, and the gradient of the dual."""

    multipliers: Float64Array
    sums: PairStatistics
    residual: Float64Array


def evaluate(problem: DualProblem, multipliers: Float64Array) -> DualPoint:
    """Evaluate the gradient of the dual at some multipliers."""
    sums = problem.expected(multipliers)
    gradient = problem.totals(sums) - problem.targets + problem.ridge_gradient(multipliers)
    return DualPoint(multipliers, sums, gradient)


class DualHessian(NamedTuple):
    """The Hessian of the dual at some multipliers, as an operator on multipliers, and its diagonal."""

    problem: DualProblem
    hessian: LogPartitionHessian
    diagonal: Float64Array
    exact: bool

    def inverse_diagonal(self, free: BoolArray) -> Float64Array:
        """Return one over the diagonal, and 0 for multipliers that are not free."""
        return np.where(free & (self.diagonal > 1e-300), 1 / np.maximum(self.diagonal, 1e-300), 0.0)

    def times(self, direction: Float64Array) -> Float64Array:
        """Return H d."""
        product = self.hessian.exact_times if self.exact else self.hessian.times
        return self.problem.totals(product(self.problem.coefficients(direction))) + self.problem.ridge * direction


def hessian_at(
    problem: DualProblem, multipliers: Float64Array, sums: PairStatistics, exact: bool = False
) -> DualHessian:
    """Return the Hessian of the dual at some multipliers with their expected statistics; approximate by default."""
    hessian = LogPartitionHessian(problem.layout, problem.coefficients(multipliers), sums)
    size = problem.layout.size
    pairs = zip(problem.blocks, problem.slots, strict=True)
    diagonal = np.concatenate([block.hessian_diagonal(hessian, size, slot) for block, slot in pairs])
    return DualHessian(problem, hessian, diagonal + problem.ridge, exact)


def solve(problem: DualProblem, initial: Float64Array, free: BoolArray) -> DualPoint:
    """Minimise the dual over the free multipliers by Newton steps with a line search, until the residual stays.

    The Hessian is kept for as long as its steps reduce the error a hundredfold. Where the approximate one proves too
    coarse, the exact one is taken, and where that fails, too, it is damped: its diagonal is raised.
    """
    point, enough = evaluate(problem, initial), sum_precision(problem.layout)
    error, hessian, damping, exact = largest_error(problem, point, free), None, 0.0, False
    for _ in range(MAX_STEPS):
        if error <= enough:
            break
        fresh = hessian is None
        hessian = hessian or hessian_at(problem, point.multipliers, point.sums, exact)
        before, last = point, error
        direction, sound = _newton_direction(hessian, -point.residual, free, error, damping)
        point = _line_search(problem, point, direction, hessian.inverse_diagonal(free), far=error > CONVERGED)
        error = largest_error(problem, point, free)
        if (last < CONVERGED and error > 0.5 * last) or (fresh and point is before and damping >= MAX_DAMPING):
            break
        if error > 0.01 * last:
            hessian = None
        slow = fresh and (not sound or point is before or (last < NEAR and error > 0.1 * last))
        if slow and not exact:
            hessian, exact = None, True
        elif slow and (not sound or point is before):
            damping = max(10 * damping, MIN_DAMPING)
        elif error < 0.5 * last and damping > MIN_DAMPING:
            damping /= 10
    return point


def largest_error(problem: DualProblem, point: DualPoint, free: BoolArray) -> float:
    """Return the largest error of a free constraint, relative to its target."""
    return float(np.max(free * np.abs(point.residual) / error_scale(problem.targets), initial=0.0))


def error_scale(targets: Float64Array) -> Float64Array:
    """Return what errors are relative to."""
    return np.maximum(np.abs(targets), 1.0)


@np.errstate(over="ignore", invalid="ignore")  # where H is flat, directions grow without bound until it is noticed
def _newton_direction(
    hessian: DualHessian, target: Float64Array, free: BoolArray, error: float, damping: float
) -> tuple[Float64Array, bool]:
    """Solve H d = target by preconditioned conjugate gradients, to a share of the error.

    Also return whether the curvature was positive along all directions.
    """
    inverse, raised = hessian.inverse_diagonal(free), damping * hessian.diagonal
    x, rest = np.zeros(len(target)), target.copy()
    scaled = inverse * rest
    direction, product = scaled.copy(), float(rest @ scaled)
    tolerance = product * min(1e-2, max(error, 1e-3)) ** 2
    limit = MAX_ITERATIONS if error > CONVERGED else MAX_LAST_ITERATIONS
    for _ in range(min(limit, 2 * len(target) + 5)):
        if product <= tolerance:
            break
        image = hessian.times(direction) + raised * direction
        curvature = float(direction @ image)
        if not 0 < curvature < np.inf:
            return x, False
        x += product / curvature * direction
        rest -= product / curvature * image
        scaled = inverse * rest
        before, product = product, float(rest @ scaled)
        direction = scaled + product / before * direction
    return x, True


def _line_search(
    problem: DualProblem, point: DualPoint, direction: Float64Array, inverse: Float64Array, far: bool
) -> DualPoint:
    """Return the point after a full, half, quarter ... step, the first that is accepted, or the same point.

    No multiplier changes by more than `MAX_CHANGE`. At first each is limited on its own: else a few in directions that
    are nearly flat, such as groups of which only one pair is expected to link, would hold up all others. If that is
    not accepted, the whole step is shortened, which keeps its direction.
    """
    largest = float(np.abs(direction).max(initial=0.0))
    if largest > MAX_CHANGE:
        limited = np.clip(direction, -MAX_CHANGE, MAX_CHANGE)
        found = _shorter_steps(problem, point, limited, inverse, far, LIMITED_TRIALS)
        if found is not point:
            return found
    share = min(1.0, MAX_CHANGE / max(largest, 1e-300))
    return _shorter_steps(problem, point, share * direction, inverse, far, 30 if far else 3)


def _shorter_steps(
    problem: DualProblem, point: DualPoint, step: Float64Array, inverse: Float64Array, far: bool, trials: int
) -> DualPoint:
    """Return the point after a step, or half of it, or a quarter ..., the first whose residual is smaller.

    While the solution is far, a step is accepted, too, if the dual still falls along it there: the dual is convex, so
    it has fallen all the way. If no step is accepted, the same point is returned.
    """
    for _ in range(trials):
        candidate = evaluate(problem, point.multipliers + step)
        shorter = candidate.residual @ (inverse * candidate.residual) < point.residual @ (inverse * point.residual)
        if shorter or (far and (point.residual @ step) < (candidate.residual @ step) < 0):
            return candidate
        step = step / 2
    return point
