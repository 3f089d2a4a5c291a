"""The objective as a function of the position of one point, to second order: sums over all nodes.

A point is a node of the network, or one that is not in it yet. With p_j = sigmoid(z_j) and directions D_j = x - x_j,
where dimensions repel D_j = y_j,

    softplus = sum_j w_j softplus(z_j)      probability = sum_j w_j p_j           repulsion = sum_j w_j p_j D_j
    variance = sum_j w_j p_j (1 - p_j)      cross = sum_j w_j p_j (1 - p_j) D_j
    hessian = sum_j w_j p_j (1 - p_j) D_j D_j^T

over all nodes j, including the point itself if it is a node: there x - x_j = 0, and the caller subtracts the rest.
`cross` is the cross term of the second derivatives in the position and in the point's multiplier. Factors of the
stiffness are left out.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from netgiven.kernels.arrays import ModelArrays, NodeTables, padded_size
from netgiven.kernels.fastmath import CERTAIN32, log1p, sigmoid_parts
from netgiven.kernels.jit import inlined, kernel
from netgiven.kernels.repulsion import TableView, prior_offsets
from netgiven.types import Float32Array, Float64Array, Int32Array

f32 = np.float32


class Points(NamedTuple):
    """Points at which to evaluate the sums: positions, and the prior's terms of each of them."""

    positions: Float32Array  # (points, dimensions), padded
    node: Float32Array
    group: Int32Array
    left: Float32Array  # (terms, points)


class PointSums(NamedTuple):
    """The sums of each point."""

    softplus: Float64Array
    probability: Float64Array
    repulsion: Float64Array  # (points, dimensions)
    hessian: Float64Array  # (points, dimensions, dimensions)
    variance: Float64Array
    cross: Float64Array  # (points, dimensions)


def empty_point_sums(points: Points) -> PointSums:
    """Arrays for `sum_around_points` to fill."""
    count, dimensions = points.positions.shape
    return PointSums(
        np.zeros(count),
        np.zeros(count),
        np.zeros((count, dimensions)),
        np.zeros((count, dimensions, dimensions)),
        np.zeros(count),
        np.zeros((count, dimensions)),
    )


def without_padding(sums: PointSums, dimensions: int, repelling: int) -> PointSums:
    """The sums in the columns that positions have before they are padded."""
    padding = padded_size(dimensions - repelling) - (dimensions - repelling)
    middle = slice(dimensions - repelling, dimensions - repelling + padding if repelling else None)
    repulsion, cross = (np.delete(part, middle, axis=1)[:, :dimensions] for part in (sums.repulsion, sums.cross))
    hessian = np.delete(np.delete(sums.hessian, middle, axis=1), middle, axis=2)[:, :dimensions, :dimensions]
    return sums._replace(repulsion=repulsion, hessian=hessian, cross=cross)


def points_of(model: ModelArrays, nodes: Any) -> Points:
    """Nodes of the network as points."""
    prior, group = model.prior, model.prior.group[nodes]
    return Points(model.positions[nodes], prior.node[nodes], group, np.ascontiguousarray(prior.left[:, nodes]))


@kernel
def sum_around_points(
    start: int, stop: int, points: Points, model: ModelArrays, tables: NodeTables, out: PointSums
) -> None:
    """Fill the sums of the points in [start, stop) over all nodes in the tables, without the listed term."""
    length, dimensions = tables.node.shape[1], points.positions.shape[1]
    probability, variance = np.empty(length, np.float32), np.empty(length, np.float32)
    direction, products = np.empty((dimensions, length), np.float32), np.empty(length, np.float32)
    for i in range(start, stop):
        out.softplus[i] = 0.0
        out.probability[i] = 0.0
        out.repulsion[i] = 0.0
        out.hessian[i] = 0.0
        out.variance[i] = 0.0
        out.cross[i] = 0.0
        for t in range(len(tables.node)):
            table = TableView(tables.positions[t], probability, tables.right[t], tables.weight[t])
            prior_offsets(points.group[i], model.prior.table, tables.node[t], tables.group[t], probability)
            _add_prior_and_separation(i, points, model, table, direction, products)
            out.softplus[i] += _weighted_probabilities(model.reach, tables.weight[t], products, probability, variance)
            _add_sums(probability, variance, direction, i, out)
        _mirror(out.hessian[i])


@inlined
def _add_prior_and_separation(
    i: Any, points: Points, model: ModelArrays, table: TableView, direction: Any, products: Any
) -> None:
    """Complete the log-odds in `table.offset`, without the reach and without -stiffness y . y_s, which is `products`.

    Set direction[k, s] to D of node s.
    """
    z, near = table.offset, len(direction) - model.repelling
    for s in range(len(z)):
        z[s] += points.node[i]
    for r in range(len(points.left)):
        for s in range(len(z)):
            z[s] += points.left[r, i] * table.right[r, s]
    for k in range(near):
        for s in range(len(z)):
            direction[k, s] = points.positions[i, k] - table.positions[k, s]
            z[s] -= model.half_stiffness * direction[k, s] * direction[k, s]
    for s in range(len(z)):
        products[s] = f32(0.0)
    for k in range(near, len(direction)):
        for s in range(len(z)):
            direction[k, s] = table.positions[k, s]
            products[s] -= f32(2.0) * model.half_stiffness * points.positions[i, k] * direction[k, s]


@inlined
def _mirror(hessian: Any) -> None:
    for k in range(len(hessian)):
        for other in range(k):
            hessian[k, other] = hessian[other, k]


@inlined
def _weighted_probabilities(reach: Any, weight: Any, products: Any, probability: Any, variance: Any) -> Any:
    """Turn log-odds in `probability` into w p, set `variance` to w p (1 - p), and return sum w softplus(z).

    `sigmoid_softplus_with` is written out, because p (1 - p) needs both parts of the sigmoid.
    """
    total = f32(0.0)
    for s in range(len(probability)):
        known = probability[s] + reach
        is_certain = abs(known) >= CERTAIN32
        z = known + (f32(0.0) if is_certain else products[s])
        t, q = sigmoid_parts(z)
        probability[s] = weight[s] * (q if z >= f32(0.0) else t * q)
        variance[s] = weight[s] * t * q * q
        total += weight[s] * ((z if z > f32(0.0) and not is_certain else f32(0.0)) + log1p(t))
    return total


@inlined
def _add_sums(probability: Any, variance: Any, direction: Any, i: Any, out: PointSums) -> None:
    """Add the sums over one table; of the Hessian, the upper triangle."""
    dimensions, length = direction.shape
    probability_sum, variance_sum = f32(0.0), f32(0.0)
    for s in range(length):
        probability_sum += probability[s]
        variance_sum += variance[s]
    out.probability[i] += probability_sum
    out.variance[i] += variance_sum
    for k in range(dimensions):
        repulsion, cross = f32(0.0), f32(0.0)
        for s in range(length):
            repulsion += probability[s] * direction[k, s]
            cross += variance[s] * direction[k, s]
        out.repulsion[i, k] += repulsion
        out.cross[i, k] += cross
        for other in range(k, dimensions):
            hessian = f32(0.0)
            for s in range(length):
                hessian += variance[s] * direction[k, s] * direction[other, s]
            out.hessian[i, k, other] += hessian
