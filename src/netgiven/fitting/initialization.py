"""Initial positions: random, spectral, by diffusion, or fitted in more dimensions first."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from inspect import signature
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from netgiven.fitting.objectives import Method, Objective
from netgiven.fitting.optimizers import Adam
from netgiven.fitting.problem import Problem
from netgiven.fitting.train import ConvergenceMonitor, LocalStepper, Schedule, train
from netgiven.kernels.arrays import padded
from netgiven.model import probability
from netgiven.network import Network
from netgiven.parallel import single_blas_thread
from netgiven.priors.expectation import expected_sums
from netgiven.priors.interpolation import interpolate_coarsely
from netgiven.priors.prior import Prior
from netgiven.types import Float32Array, Float64Array

if TYPE_CHECKING:
    from scipy.sparse.linalg import LinearOperator

# Around hubs, eigenvectors are localised: a few nodes lie far out, and no fit brings them back in time.
FARTHEST = 4.0  # in standard deviations
INTERPOLATION_ERRORS = 1e-12, 1e-4, 1e-2, 5e-2  # of P, tried in turn until few nodes suffice
MAX_NODES_DENSE = 500  # up to here the matrix is written out: quick, and sound where Lanczos iterations break down
MAX_NODES_SPECTRAL = 200_000  # above, diffusion is as good and costs a third
INIT_SCALE = 0.5  # standard deviation of a coordinate, in units of one over the square root of the stiffness


def random_positions(count: int, dimensions: int, scale: float, seed: int) -> Float64Array:
    """Independent normal coordinates with standard deviation `scale`."""
    return scale * np.random.default_rng(seed).normal(size=(count, dimensions))


def spectral_positions(
    network: Network, prior: Prior, dimensions: int, scale: float, seed: int, opposite: bool = False
) -> Float64Array:
    """The eigenvectors of A - P with the largest eigenvalues, longer for larger ones, plus a little noise.

    With `opposite`, those of P - A. Eigenvectors are weighted by the square root of their eigenvalues, and the
    whole has a standard deviation of `scale` per coordinate. The noise separates nodes with equal rows in A - P.
    """
    count = network.node_count
    wanted = min(dimensions, count - 1)
    start = random_positions(count, dimensions, 0.1 * scale, seed)
    if wanted < 1 or not network.link_count:
        return start
    with single_blas_thread():
        operator = unexplained_adjacency(network, prior)
        values, vectors = _largest(-operator if opposite else operator, wanted, seed)
    vectors = vectors * np.sign(vectors[np.abs(vectors).argmax(axis=0), np.arange(vectors.shape[1])])
    axes = vectors * np.sqrt(np.maximum(values, 0.0))
    spread = np.sqrt(np.mean(axes**2))
    if spread > 0:
        farthest = FARTHEST * scale
        start[:, : axes.shape[1]] += np.clip(axes * (scale / spread), -farthest, farthest)
    return start


def _largest(operator: LinearOperator, wanted: int, seed: int) -> tuple[Float64Array, Float64Array]:
    """Eigenvalues and eigenvectors, largest first; those that have converged, since positions need not be precise."""
    from scipy import linalg
    from scipy.sparse.linalg import ArpackNoConvergence, eigsh

    count = operator.shape[0]
    if count <= MAX_NODES_DENSE:
        values, vectors = linalg.eigh(operator @ np.eye(count), subset_by_index=(count - wanted, count - 1))
        return values[::-1], vectors[:, ::-1]
    random = np.random.default_rng(seed)
    guess = random.normal(size=count)
    more: dict[str, Any] = {"rng": random} if "rng" in signature(eigsh).parameters else {}  # SciPy has it since 1.17
    try:
        values, vectors = eigsh(operator, k=wanted, which="LA", v0=guess, tol=1e-2, maxiter=300, **more)
    except ArpackNoConvergence as partial:
        values, vectors = partial.eigenvalues, partial.eigenvectors
    order = np.argsort(-values, kind="stable")
    return values[order], vectors[:, order]


def unexplained_adjacency(network: Network, prior: Prior) -> LinearOperator:
    """A - P as an operator. P is interpolated between few nodes, so that P v costs O(n), never O(n^2)."""
    from scipy.sparse.linalg import LinearOperator

    matrix = sparse.csr_array(network.to_scipy().astype(np.float32))
    classes, layout, coefficients = prior.classes, prior.layout, prior.coefficients
    points = interpolate_coarsely(
        layout, coefficients, expected_sums(layout, coefficients).node_sums, INTERPOLATION_ERRORS
    )
    probabilities = points.probabilities(layout, coefficients)
    own = probability(layout.diagonal_log_odds(coefficients))[classes.of]
    share = sparse.csr_array(points.weights[0][classes.of])
    if prior.listed is not None:
        matrix = sparse.csr_array(matrix - _listed_differences(prior))

    def multiply(vector: Float64Array) -> Float64Array:
        flat = vector.ravel()
        expected = share @ (probabilities @ (share.T @ flat))
        return np.asarray(matrix @ flat - expected + own * flat)

    return LinearOperator((network.node_count, network.node_count), matvec=multiply, dtype=np.float64)


def _listed_differences(prior: Prior) -> sparse.csr_array:
    """The difference that listed features make to P, for the listed pairs."""
    listed, count = prior.arrays.listed, len(prior.nodes)
    rows = np.repeat(np.arange(count), np.diff(listed.indptr))
    with_list = probability(prior.log_odds_of(rows, listed.indices))
    without = probability(prior.node_layout.log_odds(prior.coefficients, rows, listed.indices.astype(np.int64)))
    return sparse.csr_array((with_list - without, listed.indices, listed.indptr), shape=(count, count))


# ---- diffusion -------------------------------------------------------------------------------------------------------

DIFFUSION_ROUNDS = 8


def diffused_positions(problem: Problem, dimensions: int, scale: float, seed: int) -> Float32Array:
    """Random numbers averaged over neighbours again and again, padded for the kernels.

    Averages of averages differ little inside a community and much between communities, as eigenvectors do, for the
    price of a few steps. Measured at 100,000 nodes, on arXiv and on Facebook, fits end at the same likelihood as from
    the eigenvectors of A - P, or at a better one.

    In each round x_i becomes the sum over its neighbours, divided by its degree plus the mean degree: as nodes with few
    links move towards the centre, small components do not outgrow the rest. In the end each coordinate has a standard
    deviation of `scale`.
    """
    positions = padded(random_positions(problem.node_count, dimensions, 1.0, seed))
    degrees = np.diff(problem.links.indptr).astype(np.float32)[:, None]
    weight = 1 / (degrees + max(degrees.mean(dtype=np.float64), 1.0)).astype(np.float32)
    for _ in range(DIFFUSION_ROUNDS):
        positions = _standardized((degrees * positions - problem.pull(positions)) * weight)
    return np.clip(positions, -FARTHEST, FARTHEST) * np.float32(scale)


def _standardized(positions: Float32Array) -> Float32Array:
    """Positions with mean 0 and standard deviation 1 per coordinate; 0 where all nodes share one point."""
    positions = positions - positions.mean(axis=0, dtype=np.float64).astype(np.float32)
    spread: Float32Array = np.sqrt(np.square(positions).mean(axis=0, dtype=np.float64)).astype(np.float32)
    spread[spread == 0] = 1.0
    return positions / spread


def along_principal_axes(positions: Float32Array, repelling: int = 0) -> Float64Array:
    """The same positions around their centre, turned to their principal axes, the widest first.

    Separations do not change: dimensions that repel are turned among themselves, and not centred.
    """
    near = positions.shape[1] - repelling
    centre = positions[:, :near].mean(axis=0, dtype=np.float64) if len(positions) else 0.0
    turned = _turned(positions[:, :near].astype(np.float64) - centre)
    return np.hstack([turned, _turned(positions[:, near:].astype(np.float64))]) if repelling else turned


def _turned(centred: Float64Array) -> Float64Array:
    """Turned to the principal axes, the widest first."""
    if not centred.size or not np.all(np.isfinite(centred)):
        return centred
    with single_blas_thread():
        _, axes = np.linalg.eigh(centred.T @ centred)
        axes = axes[:, ::-1]
        axes = axes * np.where(axes[np.abs(axes).argmax(axis=0), np.arange(axes.shape[1])] < 0, -1, 1)
        return np.asarray(centred @ axes)


# ---- dimensions that repel -------------------------------------------------------------------------------------------

ROLE_SCALE = 0.4  # of the standard deviation that other coordinates begin with: these are shrunk more


def initial_roles(start: InitialFit, dimensions: int) -> Float32Array:
    """Initial coordinates in dimensions that repel, padded: eigenvectors of A - P with the most negative eigenvalues.

    In a large network they come from random numbers of which the mean over neighbours is subtracted again and again.
    """
    scale, seed = ROLE_SCALE * start.scale, start.seed + 1
    if start.network.node_count > MAX_NODES_SPECTRAL:
        return sharpened_positions(start.problem, dimensions, scale, seed)
    return padded(spectral_positions(start.network, start.prior, dimensions, scale, seed, opposite=True))


def sharpened_positions(problem: Problem, dimensions: int, scale: float, seed: int) -> Float32Array:
    """The opposite of a diffusion: what remains is large where neighbours differ most."""
    positions = padded(random_positions(problem.node_count, dimensions, 1.0, seed))
    degrees = np.diff(problem.links.indptr).astype(np.float32)[:, None]
    weight = 1 / (degrees + max(degrees.mean(dtype=np.float64), 1.0)).astype(np.float32)
    for _ in range(DIFFUSION_ROUNDS):
        mean = (degrees * positions - problem.pull(positions)) * weight
        positions = _standardized(positions - mean)
    return np.clip(positions, -FARTHEST, FARTHEST) * np.float32(scale)


# ---- lifted ----------------------------------------------------------------------------------------------------------

FREE_STEPS, SQUEEZING_STEPS = 30, 60
LOW_REACH = 0.3  # of the full reach: the layout is decided while distant nodes still feel each other
FINAL_PENALTY = 4.0  # the last weight of the penalty, in units of the attraction of a node's links


@dataclass(frozen=True)
class Penalized:
    """An objective plus weight (step + 1)^2 / 2 |Y|^2, where Y are the coordinates after the first `dimensions`."""

    objective: Objective
    dimensions: int
    weight: float

    @property
    def noisy(self) -> bool:
        """Whether values are estimates."""
        return self.objective.noisy

    def __call__(self, positions: Float32Array, reach: float, step: int) -> tuple[float, Float32Array]:
        """Value and gradient."""
        value, gradient = self.objective(positions, reach, step)
        weight, others = self.weight * (step + 1) ** 2, positions[:, self.dimensions :]
        gradient[:, self.dimensions :] += np.float32(weight) * others
        return value + weight / 2 * float(np.square(others, dtype=np.float64).sum()), gradient


def squeezed_positions(start: InitialFit, positions: Float32Array) -> Float32Array:
    """Padded positions in `start.dimensions` dimensions, from those in twice as many.

    In a plane, a group that begins on the wrong side of another stays there: it would have to pass through it. So
    positions are fitted freely in twice as many dimensions, and then a growing penalty squeezes the additional ones
    away. Measured against spectral and random positions, the fit ends at the best likelihood, or within 0.1 % of it,
    whatever the seed.
    """
    problem, dimensions = start.problem, start.dimensions
    if problem.node_count < 2:
        return padded(positions[:, :dimensions])
    objective = start.method.objective(problem, positions.shape[1], start.seed)
    low, learning_rate = LOW_REACH * start.schedule.reach, start.schedule.learning_rate
    _train_with_adam(objective, Schedule(FREE_STEPS, low, learning_rate, warmup=1.0), positions, problem)
    positions[:, : 2 * dimensions] = along_principal_axes(positions[:, : 2 * dimensions])
    mean_degree = 2 * problem.link_count / problem.node_count
    weight = FINAL_PENALTY * problem.stiffness * mean_degree / SQUEEZING_STEPS**2
    penalized = Penalized(objective, dimensions, weight)
    _train_with_adam(penalized, Schedule(SQUEEZING_STEPS, low, learning_rate), positions, problem)
    return padded(positions[:, :dimensions])


def _train_with_adam(objective: Objective, schedule: Schedule, positions: Float32Array, problem: Problem) -> None:
    stepper = LocalStepper(objective, Adam(), positions, problem.engine)
    train(stepper, ConvergenceMonitor(schedule, objective.noisy))


# ---- the names that settings know ------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class InitialFit:
    """What an initialization may use."""

    network: Network
    prior: Prior
    problem: Problem
    dimensions: int
    method: Method
    schedule: Schedule
    seed: int

    @property
    def scale(self) -> float:
        """The standard deviation that coordinates begin with."""
        return float(INIT_SCALE / self.problem.stiffness**0.5)


Init = Callable[[InitialFit, int], Float32Array]
INITS: dict[str, Init] = {}


def register_init(name: str) -> Callable[[Init], Init]:
    """Make an initialization known by its name: a function of the fit and a number of dimensions.

    It returns padded positions in as many dimensions (`lifted`: in those of the fit).
    """

    def register(init: Init) -> Init:
        INITS[name] = init
        return init

    return register


@register_init("spectral")
def _spectral(start: InitialFit, dimensions: int) -> Float32Array:
    return padded(spectral_positions(start.network, start.prior, dimensions, start.scale, start.seed))


@register_init("diffusion")
def _diffusion(start: InitialFit, dimensions: int) -> Float32Array:
    return diffused_positions(start.problem, dimensions, start.scale, start.seed)


@register_init("lifted")
def _lifted(start: InitialFit, dimensions: int) -> Float32Array:
    many = start.network.node_count > MAX_NODES_SPECTRAL
    return squeezed_positions(start, INITS["diffusion" if many else "spectral"](start, 2 * dimensions))


@register_init("random")
def _random(start: InitialFit, dimensions: int) -> Float32Array:
    return padded(random_positions(start.network.node_count, dimensions, start.scale, start.seed))
