"""What the prior knows of pairs: its log-odds, of many pairs at once in float64, and of one pair inside a kernel."""

from __future__ import annotations

from typing import Any

import numpy as np

from netgiven.kernels.arrays import Links, ListedPairs, PriorArrays, Scene
from netgiven.kernels.jit import inlined
from netgiven.types import Float64Array, Int64Array, IntegerArray

f32 = np.float32


def known_log_odds(prior: PriorArrays, first: IntegerArray, second: IntegerArray) -> Float64Array:
    """logit P of pairs of nodes, in float64."""
    known = unlisted_log_odds(prior, first, second)
    return known + listed_values(prior.listed, first, second) if len(prior.listed.value) else known


def unlisted_log_odds(prior: PriorArrays, first: IntegerArray, second: IntegerArray) -> Float64Array:
    """logit P of pairs of nodes as if nothing were listed; also of a node with itself."""
    known = prior.node[first].astype(np.float64) + prior.node[second]
    known = known + prior.table[prior.group[first], prior.group[second]]
    for left, right in zip(prior.left, prior.right, strict=True):
        known += left[first].astype(np.float64) * right[second]
    return known


def listed_values(listed: ListedPairs, first: IntegerArray, second: IntegerArray) -> Float64Array:
    """What is listed for pairs of nodes: 0 for most.

    >>> listed = ListedPairs(np.array([0, 1, 2, 2]), np.array([1, 0], np.int32), np.array([5, 5], np.float32))
    >>> listed_values(listed, np.array([0, 1, 0]), np.array([1, 0, 2])).tolist()
    [5.0, 5.0, 0.0]
    """
    places = places_in_rows(listed, first, second)
    return np.where(places >= 0, listed.value[places], 0.0).astype(np.float64)


def places_in_rows(rows: Links | ListedPairs, first: IntegerArray, second: IntegerArray) -> Int64Array:
    """Where each pair stands in sorted rows, and -1 where it does not: `search` for many pairs at once.

    >>> rows = Links(np.array([0, 2, 3, 3]), np.array([1, 2, 0], np.int32))
    >>> places_in_rows(rows, np.array([0, 0, 1, 2]), np.array([2, 0, 0, 1])).tolist()
    [1, -1, 2, -1]
    """
    first, second = np.broadcast_arrays(first, second)
    low, end = rows.indptr[first], rows.indptr[first + 1]
    high = end.copy()
    while np.any(low < high):
        middle = (low + high) // 2
        before = (low < high) & (rows.indices[np.minimum(middle, len(rows.indices) - 1)] < second)
        low, high = np.where(before, middle + 1, low), np.where(before, high, np.minimum(middle, high))
    there = low < end
    there[there] = rows.indices[low[there]] == second[there]
    return np.where(there, low, -1)


@inlined
def search(rows: Any, i: Any, j: Any) -> Any:
    """The first place in the sorted row of i (of `Links`, or of `ListedPairs`) that is not before j."""
    low, high = rows.indptr[i], rows.indptr[i + 1]
    while low < high:
        middle = (low + high) // 2
        if rows.indices[middle] < j:
            low = middle + 1
        else:
            high = middle
    return low


@inlined
def unlisted_of(prior: PriorArrays, i: Any, j: Any) -> Any:
    """logit P of one pair as if nothing were listed."""
    known = prior.node[i] + prior.node[j] + prior.table[prior.group[i], prior.group[j]]
    for r in range(len(prior.left)):
        known += prior.left[r, i] * prior.right[r, j]
    return known


@inlined
def listed_of(listed: ListedPairs, i: Any, j: Any) -> Any:
    """What is listed for one pair."""
    place = search(listed, i, j)
    return listed.value[place] if place < listed.indptr[i + 1] and listed.indices[place] == j else f32(0.0)


@inlined
def nearness(scene: Scene, i: Any, j: Any) -> Any:
    """What positions add to the log-odds of one pair: reach - half_stiffness |x_i - x_j|^2."""
    squared = f32(0.0)
    for k in range(scene.positions.shape[1]):
        squared += (scene.positions[i, k] - scene.positions[j, k]) ** 2
    return scene.reach - scene.half_stiffness * squared
