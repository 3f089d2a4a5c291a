"""Where positions begin: at random, or along the part of the network that the prior does not explain."""

from __future__ import annotations

import numpy as np
from scipy import linalg, sparse
from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator, eigsh

from netgiven.model import probability
from netgiven.network import Network
from netgiven.parallel import one_blas_thread
from netgiven.priors.expectation import expected_sums
from netgiven.priors.few_points import few_points
from netgiven.priors.prior import Prior
from netgiven.types import Float64Array

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
