"""How sure a probability is: an interval from the curvature of the objective at the optimum.

The log-odds of a pair depend on position and multiplier of both nodes. How far these could be off is told by how
sharply the objective bends there: with theta = (multiplier, x) of one node, all others fixed, the covariance of theta
is about the inverse of

    K = [ sum_j q_j               -stiffness sum_j q_j D_j^T ]       q_j = p_j (1 - p_j),  D_j = x - x_j
        [ -stiffness sum_j q_j D_j            H               ]       H: the Hessian in x, as in `view`

and the variance of z_uv is g_u^T K_u^-1 g_u + g_v^T K_v^-1 g_v with g_u = (1, -stiffness (x_u - x_v)). Where the prior
tells nodes apart by groups alone, multipliers are no question, and their row and column are left out.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import special

from netgiven.analysis.local_objective import View
from netgiven.errors import InputError
from netgiven.model import probability
from netgiven.parallel import one_blas_thread
from netgiven.types import Float64Array, IntegerArray

FLAT = 1e-9  # of the largest curvature: below, nothing is known in that direction
BATCH = 10_000  # nodes whose curvature is held at once


class Intervals(NamedTuple):
    """Probabilities, and between what they lie with a certain chance."""

    probability: Float64Array
    low: Float64Array
    high: Float64Array


def intervals(view: View, first: IntegerArray, second: IntegerArray, level: float = 0.9) -> Intervals:
    """An interval for the probability of each pair of node numbers."""
    if not 0 < level < 1:
        raise InputError(f"A level of {level} was given; it lies between 0 and 1 (0.9 is usual).")
    z = np.where(first == second, -np.inf, view.log_odds(first, second))  # no node is linked to itself
    with one_blas_thread():  # matrices are small: several threads would wait for each other
        spread = np.sqrt(_variance(view, first, second) + _variance(view, second, first))
    wide = special.ndtri((1 + level) / 2) * spread
    certain = np.isinf(z)
    low, high = (np.where(certain, z, z + sign * wide) for sign in (-1, 1))
    return Intervals(probability(z), probability(low), probability(high))


def _variance(view: View, first: IntegerArray, second: IntegerArray) -> Float64Array:
    """The part of the variance of z that comes from the first node of each pair."""
    nodes, place = np.unique(first, return_inverse=True)
    slope = slopes(view, first, second)
    variance = np.empty(len(place))
    for start in range(0, len(nodes), BATCH):
        there = (place >= start) & (place < start + BATCH)
        inverse = inverted(curvature(view, nodes[start : start + BATCH]))[place[there] - start]
        variance[there] = np.einsum("pk,pkl,pl->p", slope[there], inverse, slope[there])
    return variance


def slopes(view: View, first: IntegerArray, second: IntegerArray) -> Float64Array:
    """Derivatives of z in multiplier and position of the first node."""
    apart = view.positions[first].astype(np.float64) - view.positions[second]
    return np.concatenate([np.ones((len(apart), 1)), -view.spread.stiffness * apart], axis=1)[:, _open(view)]


def curvature(view: View, nodes: IntegerArray) -> Float64Array:
    """K of each node."""
    found, size, both = view.open_sums(nodes), view.dimensions, _open(view)
    whole = np.empty((len(nodes), size + 1, size + 1))
    whole[:, 0, 0] = found.slack
    whole[:, 0, 1:] = whole[:, 1:, 0] = -view.spread.stiffness * found.lean[:, :size]
    whole[:, 1:, 1:] = view.surface_from(found, view.positions[nodes]).hessian
    return whole[:, both, both]


def _open(view: View) -> slice:
    """Which of (multiplier, position) are in question: a multiplier that all nodes share is known from all of them."""
    return slice(0 if with_multipliers(view) else 1, None)


def with_multipliers(view: View) -> bool:
    """Whether nodes have multipliers of their own."""
    return bool(np.ptp(view.prior.own[0]) > 0)


def inverted(curvatures: Float64Array) -> Float64Array:
    """K^-1 of each node. A direction in which the objective does not rise is one of which nothing is known."""
    values, vectors = np.linalg.eigh(curvatures)
    floor = FLAT * np.maximum(values[:, -1:], 1.0)
    return np.asarray((vectors / np.maximum(values, floor)[:, None, :]) @ vectors.transpose(0, 2, 1))


def coverage(found: Intervals, truth: npt.NDArray[np.floating]) -> float:
    """The share of true probabilities that lie within their intervals.

    >>> coverage(Intervals(np.zeros(2), np.array([0.1, 0.2]), np.array([0.3, 0.4])), np.array([0.2, 0.5]))
    0.5
    """
    return float(np.mean((found.low <= truth) & (truth <= found.high)))
