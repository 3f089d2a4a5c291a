"""Renumber nodes so that those near each other in space are near each other in memory.

A step reads the positions of each node's neighbours. Where all positions together are larger than the caches near a
core, nearly every one of these reads waits for memory, unless nodes that are linked lie side by side.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from netgiven.fitting.initialization import diffused_positions
from netgiven.fitting.problem import Problem
from netgiven.fitting.train import Callback, Step
from netgiven.kernels.arrays import ListedLogOdds, PriorArrays
from netgiven.types import Float32Array, Int32Array, Int64Array

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


def callback_in_network_order(callback: Callback, order: Int64Array) -> Callback:
    """A callback for a reordered problem that passes positions on in the order of the network."""

    def reordering(step: Step, positions: Float32Array) -> None:
        callback(step, in_network_order(positions, order))

    return reordering
