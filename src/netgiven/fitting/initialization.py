"""Where positions begin: at random, or along the part of the network that the prior does not explain."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import linalg, sparse
from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator, eigsh

from netgiven.fitting.objectives import Objective
from netgiven.fitting.optimizers import Adam
from netgiven.fitting.problem import Task
from netgiven.fitting.settings import Schedule, Settings
from netgiven.fitting.train import Course, LocalWalk, train
from netgiven.kernels.arrays import padded
from netgiven.model import probability
from netgiven.network import Network
from netgiven.parallel import one_blas_thread
from netgiven.priors.expectation import expected_sums
from netgiven.priors.interpolation import few_points
from netgiven.priors.prior import Prior
from netgiven.types import Float32Array, Float64Array

# Around hubs, eigenvectors are localised: few nodes far out, from where no fit brings them back in time.
FARTHEST = 4.0  # in standard deviations
POINT_ERRORS = 1e-12, 1e-4, 1e-2, 5e-2  # of P, until it takes few points
DENSE = 500  # up to so many nodes the matrix is written out: quick, and sound where Lanczos iterations break down


def random_start(count: int, dimensions: int, scale: float, seed: int) -> Float64Array:
    """Independent normal coordinates with standard deviation `scale`."""
    return scale * np.random.default_rng(seed).normal(size=(count, dimensions))


def spectral_start(network: Network, prior: Prior, dimensions: int, scale: float, seed: int) -> Float64Array:
    """The eigenvectors of A - P with the largest eigenvalues, longer for larger ones, plus a little noise.

    Eigenvectors are weighted by the square root of their eigenvalues, and the whole has a standard deviation of
    `scale` a coordinate. The noise separates nodes that A - P cannot tell apart.
    """
    count = network.node_count
    wanted = min(dimensions, count - 1)
    start = random_start(count, dimensions, 0.1 * scale, seed)
    if wanted < 1 or not network.link_count:
        return start
    with one_blas_thread():
        values, vectors = _largest(unexplained(network, prior), wanted, seed)
    vectors = vectors * np.sign(vectors[np.abs(vectors).argmax(axis=0), np.arange(vectors.shape[1])])
    axes = vectors * np.sqrt(np.maximum(values, 0.0))
    spread = np.sqrt(np.mean(axes**2))
    if spread > 0:
        farthest = FARTHEST * scale
        start[:, : axes.shape[1]] += np.clip(axes * (scale / spread), -farthest, farthest)
    return start


def _largest(operator: LinearOperator, wanted: int, seed: int) -> tuple[Float64Array, Float64Array]:
    """Eigenvalues and -vectors, largest first. A rough answer is enough for a start, so what has converged is taken."""
    count = operator.shape[0]
    if count <= DENSE:
        values, vectors = linalg.eigh(operator @ np.eye(count), subset_by_index=(count - wanted, count - 1))
        return values[::-1], vectors[:, ::-1]
    random = np.random.default_rng(seed)
    guess = random.normal(size=count)
    try:
        values, vectors = eigsh(operator, k=wanted, which="LA", v0=guess, tol=1e-2, maxiter=300, rng=random)
    except ArpackNoConvergence as partial:
        values, vectors = partial.eigenvalues, partial.eigenvectors
    order = np.argsort(-values, kind="stable")
    return values[order], vectors[:, order]


def unexplained(network: Network, prior: Prior) -> LinearOperator:
    """A - P as an operator. Few points stand for all nodes, so P v costs n and the number of their pairs, never n^2."""
    matrix = sparse.csr_array(network.to_scipy().astype(np.float32))
    classes, layout, coefficients = prior.classes, prior.layout, prior.coefficients
    points = few_points(layout, coefficients, expected_sums(layout, coefficients).pulls, POINT_ERRORS)
    chances = points.chances(layout, coefficients)
    own = probability(layout.with_itself(coefficients))[classes.of]
    share = sparse.csr_array(points.share[0][classes.of])
    if prior.listed is not None:
        matrix = sparse.csr_array(matrix - _listed_chances(prior))

    def multiply(vector: Float64Array) -> Float64Array:
        flat = vector.ravel()
        expected = share @ (chances @ (share.T @ flat))
        return np.asarray(matrix @ flat - expected + own * flat)

    return LinearOperator((network.node_count, network.node_count), matvec=multiply, dtype=np.float64)


def _listed_chances(prior: Prior) -> sparse.csr_array:
    """How far P is from what it would be if nothing were listed, for the listed pairs."""
    listed, count = prior.arrays.listed, len(prior.nodes)
    rows = np.repeat(np.arange(count), np.diff(listed.indptr))
    with_list = probability(prior.log_odds_of(rows, listed.indices))
    without = probability(prior.by_node.log_odds(prior.coefficients, rows, listed.indices.astype(np.int64)))
    return sparse.csr_array((with_list - without, listed.indices, listed.indptr), shape=(count, count))


# ---- A start for many nodes: chance, averaged over neighbours again and again ----------------------------------------
#
# Averages of averages differ little inside a community and much between communities, as eigenvectors do, for the
# price of a few steps. Measured at 100,000 nodes, on arXiv and on Facebook, fits end at the same likelihood as from
# the eigenvectors of A - P, or a better one.


ROUNDS = 8


def smoothed_start(task: Task, dimensions: int, scale: float, seed: int) -> Float32Array:
    """Padded positions with a standard deviation of `scale` a coordinate.

    In each round x_i becomes the sum over its neighbours, divided by its degree and the mean degree: as nodes of few
    links draw nearer to the centre, small pieces of the network do not outgrow the rest.
    """
    positions = padded(random_start(task.node_count, dimensions, 1.0, seed))
    degrees = np.diff(task.links.indptr).astype(np.float32)[:, None]
    weight = 1 / (degrees + max(degrees.mean(dtype=np.float64), 1.0)).astype(np.float32)
    for _ in range(ROUNDS):
        positions = _scaled((degrees * positions - task.pull(positions)) * weight)
    return np.clip(positions, -FARTHEST, FARTHEST) * np.float32(scale)


def _scaled(positions: Float32Array) -> Float32Array:
    """Around zero, with a standard deviation of one a coordinate; none where all nodes are at one point."""
    positions = positions - positions.mean(axis=0, dtype=np.float64).astype(np.float32)
    spread: Float32Array = np.sqrt(np.square(positions).mean(axis=0, dtype=np.float64)).astype(np.float32)
    spread[spread == 0] = 1.0
    return positions / spread


# ---- Positions along their principal axes ----------------------------------------------------------------------------


def turned(positions: Float32Array) -> Float64Array:
    """The same positions around their centre, along their principal axes, the widest first.

    Distances stay as they are.
    """
    if not len(positions):
        return positions.astype(np.float64)
    centred: Float64Array = positions.astype(np.float64) - positions.mean(axis=0, dtype=np.float64)
    if not np.all(np.isfinite(centred)):
        return centred
    with one_blas_thread():
        _, axes = np.linalg.eigh(centred.T @ centred)
        axes = axes[:, ::-1]
        axes = axes * np.where(axes[np.abs(axes).argmax(axis=0), np.arange(axes.shape[1])] < 0, -1, 1)
        return np.asarray(centred @ axes)


# ---- A start for few dimensions: fitted in twice as many, where nodes can pass each other, and then squeezed flat ----
#
# In a plane a group that begins on the wrong side of another stays there: it would have to pass through it. Measured
# against spectral and random starts, this one ends at the best likelihood, or within 0.1 % of it, whatever the seed.


FREE_STEPS, SQUEEZING_STEPS = 30, 60
LOW = 0.3  # of the reach: the layout is decided while far nodes still feel each other
PRESSURE = 4.0  # the last weight of the squeeze, in units of what a node's links pull with


def flattened(task: Task, settings: Settings, positions: Float32Array) -> Float32Array:
    """Padded positions in `settings.dimensions` dimensions, from those in twice as many."""
    assert not isinstance(settings.method, str)
    if task.node_count < 2:
        return padded(positions[:, : settings.dimensions])
    objective = settings.method.objective(task, positions.shape[1], settings.seed)
    schedule = settings.schedule()
    low, wide = LOW * schedule.reach, 2 * settings.dimensions
    _walk(objective, Schedule(FREE_STEPS, low, schedule.rate, rising=1.0), positions, task)
    positions[:, :wide] = turned(positions[:, :wide])
    degree = 2 * task.link_count / task.node_count
    squeezed = Squeezed(objective, settings.dimensions, PRESSURE * task.stiffness * degree / SQUEEZING_STEPS**2)
    _walk(squeezed, Schedule(SQUEEZING_STEPS, low, schedule.rate), positions, task)
    return padded(positions[:, : settings.dimensions])


def _walk(objective: Objective, schedule: Schedule, positions: Float32Array, task: Task) -> None:
    train(LocalWalk(objective, Adam(), positions, task.engine), Course(schedule, objective.noisy))


@dataclass(frozen=True)
class Squeezed:
    """An objective plus pressure (step + 1)^2 / 2 |Y|^2, where Y are all coordinates but the first ones."""

    objective: Objective
    dimensions: int
    pressure: float

    @property
    def noisy(self) -> bool:
        """As what is squeezed."""
        return self.objective.noisy

    def __call__(self, positions: Float32Array, reach: float, step: int) -> tuple[float, Float32Array]:
        """Value and gradient."""
        value, gradient = self.objective(positions, reach, step)
        weight, others = self.pressure * (step + 1) ** 2, positions[:, self.dimensions :]
        gradient[:, self.dimensions :] += np.float32(weight) * others
        return value + weight / 2 * float(np.square(others, dtype=np.float64).sum()), gradient
