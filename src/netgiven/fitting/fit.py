"""A fit from beginning to end: make the problem, initialize, train; then the likelihood and the reach of the result."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt
from scipy import sparse

from netgiven.fitting.initialization import INITS, InitialFit, along_principal_axes, diffused_positions, initial_roles
from netgiven.fitting.objectives import FRESH_STEP, MAX_NODES_EXACT, ExactObjective, Objective, SampledObjective
from netgiven.fitting.problem import Problem
from netgiven.fitting.record import Likelihood, ShowStep, progress_bar, stage
from netgiven.fitting.settings import MAX_REACH, ResolvedSettings, Settings
from netgiven.fitting.train import (
    Callback,
    Convergence,
    ConvergenceMonitor,
    LocalStepper,
    Observer,
    Status,
    Step,
    Stepper,
    is_flat,
    relative_fall,
    train,
)
from netgiven.kernels.arrays import LinkRows, ListedLogOdds, PriorArrays, padded, unpadded
from netgiven.model import Spread
from netgiven.network import Network
from netgiven.parallel import Engine, threads
from netgiven.priors.prior import Prior
from netgiven.priors.unobserved import mask_unobserved
from netgiven.types import Float32Array, Int32Array, Int64Array


class Fit(NamedTuple):
    """The result of a fit: positions, one row per node, why it stopped, and its steps."""

    positions: Float32Array
    convergence: Convergence
    steps: list[Step]


# ---- backends: where fits are computed -------------------------------------------------------------------------------


class Backend(Protocol):
    """Where a fit is computed: on the threads of this machine, or on a cluster."""

    @property
    def warning(self) -> str:
        """What a user who waits should know, such as lost machines."""
        ...

    def make_problem(self, network: Network, prior: Prior, settings: ResolvedSettings, engine: Engine) -> Problem:
        """The fit in arrays, as kernels take it."""
        ...

    def optimize(
        self, problem: Problem, settings: ResolvedSettings, positions: Float32Array, observe: Observer
    ) -> tuple[Convergence, list[Step]]:
        """Move `positions` in place to a minimum of the objective."""
        ...


class LocalBackend:
    """Fits on the threads of this machine."""

    warning = ""

    def make_problem(self, network: Network, prior: Prior, settings: ResolvedSettings, engine: Engine) -> Problem:
        """The fit in arrays; all links are in memory."""
        return make_problem(network, prior, settings, engine)

    def optimize(
        self, problem: Problem, settings: ResolvedSettings, positions: Float32Array, observe: Observer
    ) -> tuple[Convergence, list[Step]]:
        """Train with the method and the optimizer of the settings."""
        objective = settings.method.objective(problem, positions.shape[1], settings.seed)
        stepper = LocalStepper(objective, settings.make_optimizer(), positions, problem.engine)
        monitor = ConvergenceMonitor(settings.schedule(), stepper.noisy)
        return train(stepper, monitor, observe), monitor.steps


def make_problem(network: Network, prior: Prior, settings: ResolvedSettings, engine: Engine) -> Problem:
    """Network, prior and settings in arrays, as kernels take them. Unobserved pairs add nothing."""
    links, observed = LinkRows(network.indptr, network.indices), mask_unobserved(prior, network)
    degrees = observed.expected_degrees
    return Problem(links, observed.arrays, degrees, engine=engine, **settings.forces)


# ---- the fit ---------------------------------------------------------------------------------------------------------


def fit_positions(
    network: Network,
    prior: Prior,
    settings: ResolvedSettings,
    *,
    backend: Backend | None = None,
    positions: Float32Array | None = None,
    thread_count: int | None = None,
    progress: bool | None = None,
    callback: Callback | None = None,
) -> Fit:
    """Positions that maximize the likelihood of the network, given the prior; from `positions`, if they are given."""
    where = backend or LocalBackend()
    with threads(thread_count) as engine:
        with stage("initial positions", progress):
            problem = where.make_problem(network, prior, settings, engine)
            repelling = settings.repelling
            if positions is None:
                moving = initial_positions(network, prior, settings, problem)
            else:
                moving = padded(positions, repelling)
        with progress_bar(settings.max_steps, progress, lambda: where.warning) as bar:
            convergence, steps = _optimize(where, problem, settings, moving, callback, bar)
    turned = along_principal_axes(unpadded(moving, settings.dimensions, repelling), repelling)
    return Fit(turned.astype(np.float32), convergence, steps)


def initial_positions(network: Network, prior: Prior, settings: ResolvedSettings, problem: Problem) -> Float32Array:
    """Positions that a fit begins with, padded for the kernels."""
    near = settings.dimensions - settings.repelling
    start = InitialFit(
        network, prior, replace(problem, repelling=0), near, settings.method, settings.schedule(), settings.seed
    )
    positions = INITS[settings.init](start, near) if near else np.zeros((problem.node_count, 0), dtype=np.float32)
    if settings.repelling:
        positions = np.hstack([positions, initial_roles(start, settings.repelling, settings.init)])
    positions[problem.free_of_forces] = 0.0
    return positions


def _optimize(
    backend: Backend,
    problem: Problem,
    settings: ResolvedSettings,
    positions: Float32Array,
    callback: Callback | None,
    bar: ShowStep | None,
) -> tuple[Convergence, list[Step]]:
    """Optimize, with nodes in an order that suits the memory where there are many."""
    if problem.node_count < 2:
        return Convergence(Status.NOTHING_TO_FIT, 0, 0.0), []
    if positions.nbytes <= MIN_BYTES:
        return backend.optimize(problem, settings, positions, _observer(callback, bar))
    order = nearby_order(positions) if settings.init == "diffusion" else diffusion_order(problem, settings.seed)
    positions[:] = positions[order]  # in place: a copy for the whole fit would be as large as all positions
    result = backend.optimize(reordered(problem, order), settings, positions, _observer(callback, bar, order))
    positions[:] = in_network_order(positions, order)
    return result


def _observer(callback: Callback | None, bar: ShowStep | None, order: Int64Array | None = None) -> Observer:
    """Show each step, and call back with positions in the order of the network."""

    def observe(step: Step, stepper: Stepper) -> None:
        if callback is not None:
            callback(step, stepper.positions if order is None else in_network_order(stepper.positions, order))
        if bar is not None:
            bar(step)

    return observe


# ---- warm starts: a fit that goes on from positions that are good already --------------------------------------------
#
# Number and length of the steps were measured on Facebook and arXiv after 1 to 30 % of the links were removed
# (`benchmarks/analysis/add.py`). Longer steps first spoil what is there, and then need as many again to repair it.

WARM_STEPS = 20
WARM_LEARNING_RATE = 0.15  # of the usual one


def warm_settings(
    settings: Settings, node_count: int, steps: int = WARM_STEPS, learning_rate: float = WARM_LEARNING_RATE
) -> ResolvedSettings:
    """Settings of a fit that goes on from good positions: few steps at the full reach, which shorten from the first."""
    resolved = replace(settings, warmup=0.0).resolve(node_count)
    if resolved.optimizer == "lbfgs":  # chooses the length of its steps itself
        return resolved
    shorter = learning_rate * resolved.learning_rate
    return replace(resolved, max_steps=settings.max_steps or steps, learning_rate=shorter, decay=1.0)


def refit_positions(
    network: Network,
    prior: Prior,
    settings: ResolvedSettings,
    positions: Float32Array,
    thread_count: int | None = None,
    progress: bool | None = None,
    *,
    at_end: Status = Status.OUT_OF_STEPS,
    backend: Backend | None = None,
    callback: Callback | None = None,
) -> Fit:
    """A fit with warm settings from positions, one row per node; `at_end` is its status if it uses all steps."""
    fit = fit_positions(
        network,
        prior,
        settings,
        backend=backend,
        positions=positions,
        thread_count=thread_count,
        progress=progress,
        callback=callback,
    )
    if settings.optimizer == "lbfgs" or not fit.steps or fit.convergence.diverged:
        return fit
    status = Status.WITHIN_NOISE if is_flat(fit.steps, settings.tolerance, noisy=True) else at_end
    return fit._replace(convergence=Convergence(status, len(fit.steps), relative_fall(fit.steps, noisy=True)))


# ---- likelihood ------------------------------------------------------------------------------------------------------

MAX_NODES_EXACT_LIKELIHOOD = 20_000
LIKELIHOOD_SAMPLES, LIKELIHOOD_DRAWS = 512, 8
MAX_LIKELIHOOD_PAIRS = 1_000_000_000  # of all nodes and draws: the more nodes, the less noise per link there is


def log_likelihood(
    network: Network, prior: Prior, spread: Spread, positions: Float32Array, thread_count: int | None = None
) -> Likelihood:
    """The log-likelihood of positions: exact up to 20,000 nodes, estimated above."""
    if network.node_count < 2:
        return Likelihood(0.0, 0.0)
    wide, reach = padded(positions, spread.repelling), spread.reach(positions.shape[1])
    with threads(thread_count) as engine:
        problem = make_problem(
            network, prior, Settings(reach=spread, repelling_shrinkage=0.0).resolve(network.node_count), engine
        )
        if network.node_count <= MAX_NODES_EXACT_LIKELIHOOD:
            return Likelihood(-ExactObjective(problem, wide.shape[1])(wide, reach, 0)[0], 0.0)
        affordable = MAX_LIKELIHOOD_PAIRS // (LIKELIHOOD_DRAWS * network.node_count)
        samples = max(min(LIKELIHOOD_SAMPLES, affordable), 1)
        objective = SampledObjective(problem, wide.shape[1], samples, seed=0)
        value, error = objective.estimate(wide, reach, LIKELIHOOD_DRAWS)
    return Likelihood(-value, error)


# ---- the reach of the result -----------------------------------------------------------------------------------------
#
# Shrinkage draws nodes closer together than the likelihood alone would, and then every pair gains. With positions held
# fixed, the likelihood has one maximum in the reach, where expected and observed numbers of links agree. All log-odds
# change by the same amount, so the ranking of pairs stays the same.

CALIBRATION_SAMPLES, MAX_CALIBRATION_PAIRS = 256, 25_000_000  # per node, and of all nodes together
CALIBRATION_PRECISION = MIN_REACH = 1e-3
DIFFERENCE = 0.05  # between reaches, to measure slope and curvature


def calibrate_reach(
    network: Network,
    prior: Prior,
    settings: ResolvedSettings,
    positions: Float32Array,
    thread_count: int | None = None,
    stretch: float = 1.0,
) -> Spread:
    """The spread with the same stiffness, times `stretch`, whose reach makes as many links expected as there are."""
    if network.node_count < 2 or not network.link_count:
        return settings.spread
    settings = replace(settings, spread=stretched_spread(settings, stretch))
    wide = padded(positions, settings.repelling)
    with threads(thread_count) as engine:
        problem = make_problem(network, prior, settings, engine)
        objective = _calibration_objective(problem, wide.shape[1], settings.seed)
        largest = min(2 * settings.reach + 5, MAX_REACH - 2)
        # the same sample each time, so that this is a smooth function of the reach
        reach = _minimum(lambda reach: objective(wide, reach, FRESH_STEP)[0], settings.reach, MIN_REACH, largest)
    return spread_with(reach, settings.spread.stiffness, settings.repelling)


def _calibration_objective(problem: Problem, dimensions: int, seed: int) -> Objective:
    if problem.node_count <= MAX_NODES_EXACT:
        return ExactObjective(problem, dimensions)
    samples = max(min(CALIBRATION_SAMPLES, MAX_CALIBRATION_PAIRS // problem.node_count), 1)
    return SampledObjective(problem, dimensions, samples, seed)


def _minimum(function: Callable[[float], float], start: float, low: float, high: float) -> float:
    """Where a convex function is smallest, by Newton's method with differences; halving where a step leads outside.

    SciPy's search needs as many values, and a tenth of a second to be imported.

    >>> round(_minimum(lambda x: (x - 2) ** 2, 5.0, 0.0, 10.0), 3), round(_minimum(lambda x: -x, 5.0, 0.0, 10.0), 2)
    (2.0, 10.0)
    """
    at = min(max(start, low), high)
    while high - low > CALIBRATION_PRECISION:
        below, here, above = (function(at + step) for step in (-DIFFERENCE, 0.0, DIFFERENCE))
        slope, curvature = (above - below) / (2 * DIFFERENCE), (above - 2 * here + below) / DIFFERENCE**2
        low, high = (low, at) if slope > 0 else (at, high)
        step = at - slope / curvature if curvature > 0 else at
        after = step if low < step < high else (low + high) / 2
        if abs(after - at) < CALIBRATION_PRECISION:
            return after
        at = after
    return at


def stretched_spread(settings: ResolvedSettings, stretch: float) -> Spread:
    """The spread of the settings, with the same reach and `stretch` times the stiffness."""
    if stretch == 1:
        return settings.spread
    return spread_with(settings.reach, stretch * settings.spread.stiffness, settings.repelling)


def spread_with(reach: float, stiffness: float, repelling: int = 0) -> Spread:
    """The half-normal spread with this reach and stiffness.

    >>> spread = spread_with(1.5, 0.7)
    >>> round(spread.reach(dimensions=8), 6), round(spread.stiffness, 6)
    (1.5, 0.7)
    """
    s1 = math.sqrt(-math.expm1(-2 * reach) / stiffness)
    return Spread(s1, s1 * math.exp(reach), repelling=repelling)


# ---- order in memory ------------------------------------------------------------------------------------------------

# A step reads the positions of each node's neighbours. Where all positions together are larger than the caches near a
# core, nearly every one of these reads waits for memory, unless nodes that are linked lie side by side. So nodes are
# renumbered: those near each other in space are near each other in memory.

MIN_BYTES = 8 << 20  # of positions; below, caches hold most of them
GUIDE_DIMENSIONS = 8  # enough to know which nodes are near each other
MAX_GROUP = 4_096  # nodes whose order among themselves no longer matters: with 8 dimensions, an eighth of a megabyte


def diffusion_order(problem: Problem, seed: int) -> Int64Array:
    """The order by a diffusion of its own, for problems whose positions do not show yet which nodes are near."""
    return nearby_order(diffused_positions(problem, GUIDE_DIMENSIONS, 1.0, seed))


def nearby_order(positions: Float32Array) -> Int64Array:
    """Node numbers, halved along the coordinate with the largest variance, again and again.

    >>> nearby_order(np.zeros((3, 4), np.float32)).tolist()
    [0, 1, 2]
    """
    order = np.arange(len(positions))
    pending = [(0, len(order))]
    while pending:
        low, high = pending.pop()
        if high - low > MAX_GROUP:
            points, middle = positions[order[low:high]], (low + high) // 2
            along = np.argsort(points[:, points.var(axis=0).argmax()], kind="stable")
            order[low:high] = order[low:high][along]
            pending += [(low, middle), (middle, high)]
    return order


def reordered(problem: Problem, order: Int64Array) -> Problem:
    """The same problem with its nodes in another order."""
    place = np.empty(len(order), dtype=np.int32)
    place[order] = np.arange(len(order), dtype=np.int32)
    return replace(
        problem,
        **problem.reordered_links(order, place),
        prior=_reordered_prior(problem.prior, order),
        expected_degrees=problem.expected_degrees[order],
    )


def _reordered_prior(prior: PriorArrays, order: Int64Array) -> PriorArrays:
    return PriorArrays(
        prior.node[order],
        prior.group[order],
        prior.table,
        np.ascontiguousarray(prior.left[:, order]),
        np.ascontiguousarray(prior.right[:, order]),
        ListedLogOdds(*_reordered(*prior.listed, order)),
    )


def _reordered(
    indptr: Int64Array, indices: Int32Array, values: npt.NDArray[Any], order: Int64Array
) -> tuple[Int64Array, Int32Array, npt.NDArray[Any]]:
    """Sorted rows and the values of their entries, with rows and columns in another order.

    By SciPy; also the reference twin of the kernel `renumber_rows`.
    """
    count = len(order)
    matrix = sparse.csr_array((values, indices, indptr), shape=(count, count))[order][:, order]
    matrix.sort_indices()
    return matrix.indptr.astype(np.int64), matrix.indices.astype(np.int32, copy=False), matrix.data


def in_network_order(positions: Float32Array, order: Int64Array) -> Float32Array:
    """Positions of a reordered problem in the order of the network.

    >>> in_network_order(np.array([[1.0], [2.0], [3.0]], np.float32), np.array([2, 0, 1])).ravel().tolist()
    [2.0, 3.0, 1.0]
    """
    own = np.empty_like(positions)
    own[order] = positions
    return own
