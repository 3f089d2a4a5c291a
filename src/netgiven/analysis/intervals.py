"""Intervals of predicted probabilities, from the curvature of the objective where the fit ended.

They say by how much a probability would vary if the network were drawn again from the embedding and fitted with the
same settings. What the embedding does not show, they do not cover.

The log-odds of a pair depend on the positions and multipliers of its two nodes. Their uncertainty follows from the
curvature of the objective (Laplace approximation): with theta = (multiplier, x) of one node and all others fixed, the
covariance of theta is approximately the inverse of

    K = [ sum_j q_j               -stiffness sum_j q_j D_j^T                      ]    q_j = p_j (1 - p_j)
        [ -stiffness sum_j q_j D_j    stiffness^2 sum_j q_j D_j D_j^T + level I  ]    D_j = x - x_j

    level = shrinkage + max(0, -stiffness sum_j (p_j - a_j))

and the variance of z_uv is g_u^T K_u^-1 g_u + g_v^T K_v^-1 g_v with g_u = (1, -stiffness (x_u - x_v)). Where
all nodes share one multiplier, it is estimated from the whole network and taken as exact: its row and column are left
out.

K is that of the objective that positions were trained with. With the reach of predictions, which is balanced
afterwards, they are at no optimum. Nor are all nodes after a sampled fit: the maximum keeps K positive definite there.
The derivatives g are those of predictions.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import special

from netgiven.analysis.local_objective import LocalObjective
from netgiven.errors import InputError, is_real
from netgiven.model import probability
from netgiven.parallel import single_blas_thread
from netgiven.types import Float64Array, IntegerArray

FLAT = 1e-9  # relative to the largest eigenvalue: smaller ones are raised to it
NUMBERS = 5_000_000  # entries of curvature matrices in memory at once


class Intervals(NamedTuple):
    """Probabilities with the ends of their confidence intervals."""

    probability: Float64Array
    low: Float64Array
    high: Float64Array


def intervals(
    objective: LocalObjective,
    first: IntegerArray,
    second: IntegerArray,
    level: float = 0.9,
    trained: LocalObjective | None = None,
) -> Intervals:
    """Intervals for the probabilities of pairs of node numbers.

    Parameters
    ----------
    objective
        The embedding with the prior and reach that probabilities are predicted with.
    first, second
        Node numbers of each pair.
    level
        Nominal coverage of the intervals, between 0 and 1.
    trained
        The embedding with the prior and reach that positions were trained with, where those are different.

    Returns
    -------
    Intervals
        `probability`, `low` and `high`, one number per pair. The interval of a pair of which the prior is certain has
        length 0.

    Raises
    ------
    InputError
        If `level` is not between 0 and 1.
    """
    if not (is_real(level) and 0 < level < 1):
        raise InputError(f"level={level!r} was given; it must be a number between 0 and 1 (0.9 is usual).")
    z = np.where(first == second, -np.inf, objective.log_odds(first, second))  # a node is never linked to itself
    with single_blas_thread():  # the matrices are small: more threads would only wait for each other
        variances = [_variance(objective, trained or objective, *ends) for ends in ((first, second), (second, first))]
    margin = special.ndtri((1 + level) / 2) * np.sqrt(sum(variances))
    certain = np.isinf(z)
    low, high = (np.where(certain, z, z + sign * margin) for sign in (-1, 1))
    return Intervals(probability(z), probability(low), probability(high))


def _variance(
    objective: LocalObjective, trained: LocalObjective, first: IntegerArray, second: IntegerArray
) -> Float64Array:
    """The contribution of the first node of each pair to the variance of z."""
    nodes, row = np.unique(first, return_inverse=True)
    order, variance, size = np.argsort(row, kind="stable"), np.empty(len(row)), batch_size(objective)
    for start in range(0, len(nodes), size):
        inverse = inverse_curvature(curvature_where_fitted(objective, trained, nodes[start : start + size]))
        pairs = order[slice(*np.searchsorted(row[order], [start, start + size]))]
        for some in np.array_split(pairs, -(-len(pairs) // size)):
            slope = slopes(objective, first[some], second[some], uncertain_entries(trained))
            variance[some] = np.einsum("pk,pkl,pl->p", slope, inverse[row[some] - start], slope)
    return variance


def batch_size(objective: LocalObjective) -> int:
    """How many curvature matrices are in memory at once."""
    return max(NUMBERS // (objective.dimensions + 1) ** 2, 1)


def slopes(
    objective: LocalObjective, first: IntegerArray, second: IntegerArray, uncertain: slice | None = None
) -> Float64Array:
    """Derivatives of z with respect to the multiplier and position of the first node."""
    directions = objective.directions(first, second)
    both = np.concatenate([np.ones((len(directions), 1)), -objective.spread.stiffness * directions], axis=1)
    return both[:, uncertain or uncertain_entries(objective)]


def curvature_where_fitted(objective: LocalObjective, trained: LocalObjective, nodes: IntegerArray) -> Float64Array:
    """The matrix K of each node in the training; in predictions for nodes with no links or all, which it left alone."""
    matrix = curvature(trained, nodes)
    left_alone = np.isin(trained.network.degrees[nodes], (0, trained.network.node_count - 1))
    if trained is not objective and left_alone.any():
        matrix[left_alone] = curvature(objective, nodes[left_alone], uncertain_entries(trained))
    return matrix


def curvature(objective: LocalObjective, nodes: IntegerArray, uncertain: slice | None = None) -> Float64Array:
    """The matrix K of each node; it has no negative eigenvalue."""
    sums, size, stiffness = objective.residual_sums(nodes), objective.dimensions, objective.spread.stiffness
    levels = objective.curvature_levels(np.maximum(-stiffness * sums.probability, 0.0))
    matrix = np.empty((len(nodes), size + 1, size + 1))
    matrix[:, 0, 0] = sums.variance
    matrix[:, 0, 1:] = matrix[:, 1:, 0] = -stiffness * sums.cross
    matrix[:, 1:, 1:] = stiffness**2 * sums.hessian + levels[:, None] * np.eye(size)
    entries = uncertain or uncertain_entries(objective)
    return matrix[:, entries, entries]


def uncertain_entries(objective: LocalObjective) -> slice:
    """The entries of theta that are uncertain: without the multiplier where all nodes share one."""
    return slice(0 if has_node_multipliers(objective) else 1, None)


def has_node_multipliers(objective: LocalObjective) -> bool:
    """Whether nodes have different multipliers."""
    return bool(np.ptp(objective.prior.left[0]) > 0)


def inverse_curvature(curvatures: Float64Array) -> Float64Array:
    """K^-1 of each node; directions of which no pair says anything get a very large variance."""
    values, vectors = np.linalg.eigh(curvatures)
    floor = FLAT * np.maximum(values[:, -1:], 1.0)
    return np.asarray((vectors / np.maximum(values, floor)[:, None, :]) @ vectors.transpose(0, 2, 1))


def coverage(estimated: Intervals, truth: npt.NDArray[np.floating]) -> float:
    """The share of the true probabilities that lie within their intervals.

    >>> coverage(Intervals(np.zeros(2), np.array([0.1, 0.2]), np.array([0.3, 0.4])), np.array([0.2, 0.5]))
    0.5
    """
    return float(np.mean((estimated.low <= truth) & (truth <= estimated.high)))
