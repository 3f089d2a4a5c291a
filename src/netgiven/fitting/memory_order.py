"""Nodes renumbered so that those who are near each other in space are near each other in memory.

A step reads the positions of each node's neighbours. Where all positions together are larger than the caches near a
core, nearly every one of these reads waits for memory, unless nodes that are linked lie side by side.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from netgiven.fitting.initialization import smoothed_start
from netgiven.fitting.problem import Task
from netgiven.fitting.record import Record
from netgiven.fitting.train import Watcher
from netgiven.kernels.arrays import ListedPairs, PriorArrays
from netgiven.types import Float32Array, Int32Array, Int64Array

WORTH_SORTING = 8 << 20  # bytes of positions; below, caches hold most of them
GUIDE_DIMENSIONS = 8  # enough to tell who is near whom
TOGETHER = 4_096  # nodes whose order among themselves no longer matters: with 8 dimensions, an eighth of a megabyte


def order_of(task: Task, seed: int) -> Int64Array:
    """The order of a smoothed start of its own, for tasks whose positions do not tell yet who is near whom."""
    return nearby_order(smoothed_start(task, GUIDE_DIMENSIONS, 1.0, seed))


def nearby_order(positions: Float32Array) -> Int64Array:
    """Node numbers, halved along the coordinate in which they are spread the most, again and again.

    >>> nearby_order(np.zeros((3, 4), np.float32)).tolist()
    [0, 1, 2]
    """
    order = np.arange(len(positions))
    pending = [(0, len(order))]
    while pending:
        low, high = pending.pop()
        if high - low > TOGETHER:
            points, middle = positions[order[low:high]], (low + high) // 2
            along = np.argsort(points[:, points.var(axis=0).argmax()], kind="stable")
            order[low:high] = order[low:high][along]
            pending += [(low, middle), (middle, high)]
    return order


def reordered(task: Task, order: Int64Array) -> Task:
    """The same task with its nodes in another order."""
    place = np.empty(len(order), dtype=np.int32)
    place[order] = np.arange(len(order), dtype=np.int32)
    return replace(
        task,
        **task.links_in(order, place),
        prior=_reordered_prior(task.prior, order),
        expected_degrees=task.expected_degrees[order],
    )


def _reordered_prior(prior: PriorArrays, order: Int64Array) -> PriorArrays:
    return PriorArrays(
        prior.node[order],
        prior.group[order],
        prior.table,
        np.ascontiguousarray(prior.left[:, order]),
        np.ascontiguousarray(prior.right[:, order]),
        ListedPairs(*_reordered(*prior.listed, order)),
    )


def _reordered(
    indptr: Int64Array, indices: Int32Array, values: npt.NDArray[Any], order: Int64Array
) -> tuple[Int64Array, Int32Array, npt.NDArray[Any]]:
    """Sorted rows, and what belongs to their entries, in another order of rows and of columns: by SciPy, and the judge
    of `renumber_rows`.
    """
    count = len(order)
    matrix = sparse.csr_array((values, indices, indptr), shape=(count, count))[order][:, order]
    matrix.sort_indices()
    return matrix.indptr.astype(np.int64), matrix.indices.astype(np.int32, copy=False), matrix.data


def in_own_order(positions: Float32Array, order: Int64Array) -> Float32Array:
    """Positions of a reordered task in the order of the network.

    >>> in_own_order(np.array([[1.0], [2.0], [3.0]], np.float32), np.array([2, 0, 1])).ravel().tolist()
    [2.0, 3.0, 1.0]
    """
    own = np.empty_like(positions)
    own[order] = positions
    return own


def watched_in_own_order(watch: Watcher, order: Int64Array) -> Watcher:
    """A watcher that is shown positions in the order of the network, while those of a task are in another."""

    def look(record: Record, positions: Float32Array) -> None:
        watch(record, in_own_order(positions, order))

    return look
