"""One point against all nodes: what the objective is around it, to second order.

A point is a node of the network, or one that is not in it yet. With p_j = sigmoid(z_j) and differences D_j = x - x_j

    chance = sum_j w_j p_j      push = sum_j w_j p_j D_j      bend = sum_j w_j p_j (1 - p_j) D_j D_j^T
    slack = sum_j w_j p_j (1 - p_j)                           lean = sum_j w_j p_j (1 - p_j) D_j

over all nodes j, also the point's own if it is one of them: there D = 0, so that only sums without D know of it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from netgiven.kernels.arrays import Scene, Tables
from netgiven.kernels.fastmath import exp_negative, log_one_plus
from netgiven.kernels.jit import inlined, kernel
from netgiven.kernels.repulsion import SURE, Table, offsets
from netgiven.types import Float32Array, Float64Array, Int32Array

f32 = np.float32


class Points(NamedTuple):
    """Points to look around from: positions, and what the prior knows of each of them."""

    positions: Float32Array  # (points, dimensions), padded
    node: Float32Array
    group: Int32Array
    left: Float32Array  # (terms, points)


class Around(NamedTuple):
    """What each point sees."""

    surprise: Float64Array  # sum_j w_j softplus(z_j)
    chance: Float64Array
    push: Float64Array  # (points, dimensions)
    bend: Float64Array  # (points, dimensions, dimensions)
    slack: Float64Array
    lean: Float64Array  # (points, dimensions)


def room_for(points: Points) -> Around:
    """Arrays for `look_around` to fill."""
    count, dimensions = points.positions.shape
    return Around(
        np.zeros(count),
        np.zeros(count),
        np.zeros((count, dimensions)),
        np.zeros((count, dimensions, dimensions)),
        np.zeros(count),
        np.zeros((count, dimensions)),
    )


def points_of(scene: Scene, nodes: Any) -> Points:
    """Nodes of a scene as points."""
    prior, group = scene.prior, scene.prior.group[nodes]
    return Points(scene.positions[nodes], prior.node[nodes], group, np.ascontiguousarray(prior.left[:, nodes]))


@kernel
def look_around(start: int, stop: int, points: Points, scene: Scene, tables: Tables, out: Around) -> None:
    """What the points in [start, stop) see of all nodes in the tables; nothing is listed."""
    length, dimensions = tables.node.shape[1], points.positions.shape[1]
    chance, slack = np.empty(length, np.float32), np.empty(length, np.float32)
    difference = np.empty((dimensions, length), np.float32)
    for i in range(start, stop):
        out.surprise[i] = 0.0
        out.chance[i] = 0.0
        out.push[i] = 0.0
        out.bend[i] = 0.0
        out.slack[i] = 0.0
        out.lean[i] = 0.0
        for t in range(len(tables.node)):
            table = Table(tables.positions[t], chance, tables.right[t], tables.weight[t])
            offsets(points.group[i], scene.prior.table, tables.node[t], tables.group[t], chance)
            _known_and_near(i, points, scene.half_stiffness, table, difference)
            out.surprise[i] += _chances(scene.reach, tables.weight[t], chance, slack)
            _add_up(chance, slack, difference, i, out)
        _mirror(out.bend[i])


@inlined
def _known_and_near(i: Any, points: Points, half_stiffness: Any, table: Table, difference: Any) -> None:
    """Add to the table's offsets, what the prior knows of its nodes, what it knows of point i, and how near it is."""
    chance = table.offset
    for s in range(len(chance)):
        chance[s] += points.node[i]
    for r in range(len(points.left)):
        for s in range(len(chance)):
            chance[s] += points.left[r, i] * table.right[r, s]
    for k in range(len(difference)):
        for s in range(len(chance)):
            difference[k, s] = points.positions[i, k] - table.positions[k, s]
            chance[s] -= half_stiffness * difference[k, s] * difference[k, s]


@inlined
def _mirror(bend: Any) -> None:
    for k in range(len(bend)):
        for other in range(k):
            bend[k, other] = bend[other, k]


@inlined
def _chances(reach: Any, weight: Any, chance: Any, slack: Any) -> Any:
    """Turn what is known and near in `chance` into w p, set `slack` to w p (1 - p), and return sum w softplus(z)."""
    surprise = f32(0.0)
    for s in range(len(chance)):
        z = chance[s] + reach
        small = exp_negative(-abs(z))
        likely = f32(1.0) / (f32(1.0) + small)
        chance[s] = weight[s] * (likely if z >= f32(0.0) else small * likely)
        slack[s] = weight[s] * small * likely * likely
        surprise += weight[s] * ((z if f32(0.0) < z < SURE else f32(0.0)) + log_one_plus(small))
    return surprise


@inlined
def _add_up(chance: Any, slack: Any, difference: Any, i: Any, out: Around) -> None:
    dimensions, length = difference.shape
    total, free = f32(0.0), f32(0.0)
    for s in range(length):
        total += chance[s]
        free += slack[s]
    out.chance[i] += total
    out.slack[i] += free
    for k in range(dimensions):
        push, lean = f32(0.0), f32(0.0)
        for s in range(length):
            push += chance[s] * difference[k, s]
            lean += slack[s] * difference[k, s]
        out.push[i, k] += push
        out.lean[i, k] += lean
        for other in range(k, dimensions):
            bend = f32(0.0)
            for s in range(length):
                bend += slack[s] * difference[k, s] * difference[other, s]
            out.bend[i, k, other] += bend
