"""Log-odds of pairs under the prior: of many pairs at once in float64, and of one pair inside a kernel."""

from __future__ import annotations

from typing import Any

import numpy as np

from netgiven.kernels.arrays import ListedLogOdds, ModelArrays, PriorArrays, find_in_rows
from netgiven.kernels.csr import search_row
from netgiven.kernels.jit import inlined
from netgiven.model import CERTAIN_LOG_ODDS
from netgiven.types import Float64Array, IntegerArray

f32 = np.float32
MOST_GAINED = f32(0.75 * CERTAIN_LOG_ODDS)  # the reach alone is at most 100


def prior_log_odds(prior: PriorArrays, first: IntegerArray, second: IntegerArray) -> Float64Array:
    """logit P of pairs of nodes, in float64."""
    z = unlisted_log_odds(prior, first, second)
    return z + listed_values(prior.listed, first, second) if len(prior.listed.value) else z


def unlisted_log_odds(prior: PriorArrays, first: IntegerArray, second: IntegerArray) -> Float64Array:
    """logit P of pairs of nodes without the listed term; also defined for a node with itself."""
    z = prior.node[first].astype(np.float64) + prior.node[second]
    z = z + prior.table[prior.group[first], prior.group[second]]
    for left, right in zip(prior.left, prior.right, strict=True):
        z += left[first].astype(np.float64) * right[second]
    return z


def listed_values(listed: ListedLogOdds, first: IntegerArray, second: IntegerArray) -> Float64Array:
    """The listed term of pairs of nodes: 0 for all that are not listed.

    >>> listed = ListedLogOdds(np.array([0, 1, 2, 2]), np.array([1, 0], np.int32), np.array([5, 5], np.float32))
    >>> listed_values(listed, np.array([0, 1, 0]), np.array([1, 0, 2])).tolist()
    [5.0, 5.0, 0.0]
    """
    places = find_in_rows(listed, first, second)
    return np.where(places >= 0, listed.value[places], 0.0).astype(np.float64)


# ---- of one pair, in float32, inside a kernel ------------------------------------------------------------------------


@inlined
def unlisted_log_odds_of(prior: PriorArrays, i: Any, j: Any) -> Any:
    """logit P_ij without the listed term."""
    z = prior.node[i] + prior.node[j] + prior.table[prior.group[i], prior.group[j]]
    for r in range(len(prior.left)):
        z += prior.left[r, i] * prior.right[r, j]
    return z


@inlined
def listed_value_of(listed: ListedLogOdds, i: Any, j: Any) -> Any:
    """The listed term of logit P_ij."""
    place = search_row(listed, i, j)
    return listed.value[place] if place < listed.indptr[i + 1] and listed.indices[place] == j else f32(0.0)


@inlined
def position_log_odds_of(model: ModelArrays, i: Any, j: Any) -> Any:
    """What positions add to the log-odds: reach - half_stiffness (|x_i - x_j|^2 + 2 y_i . y_j).

    Products, which have no bound, count so far that no sum with the prior looks like a certain link.
    """
    dimensions, near = model.positions.shape[1], model.positions.shape[1] - model.repelling
    separation = f32(0.0)
    for k in range(near):
        separation += (model.positions[i, k] - model.positions[j, k]) ** 2
    for k in range(near, dimensions):
        separation += f32(2.0) * model.positions[i, k] * model.positions[j, k]
    return min(model.reach - model.half_stiffness * separation, MOST_GAINED)
