"""Sums over all pairs of points under a prior, in float64, without holding the pairs in memory.

A point stands for all nodes with the same coefficients in a prior. The log-odds of a pair of points are

    z_pq = sum over c of (left[c, p] right[c, q] + right[c, p] left[c, q]) + sum over layers l of table_l[g_lp, g_lq]

where right[0] is 1 everywhere, so that left[0] are the plain multipliers of nodes, and g_lp is the group of p in layer
l. Most priors have one column and one layer. Points are sorted by their group in the first layer.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from netgiven.kernels.fastmath import sigmoid64, softplus64
from netgiven.kernels.jit import inlined, kernel
from netgiven.model import CERTAIN_LOG_ODDS
from netgiven.types import Float64Array, Int32Array, Int64Array


class TableArrays(NamedTuple):
    """Tables over groups, one per layer: that of layer l is width[l]^2 numbers from `at[l]` on."""

    at: Int64Array
    width: Int64Array
    values: Float64Array


class PointArrays(NamedTuple):
    """Points: how many nodes each stands for, and all that decides the log-odds of a pair."""

    weight: Float64Array
    left: Float64Array  # (columns, points)
    right: Float64Array  # (columns, points)
    group: Int32Array  # (layers, points)
    tables: TableArrays
    begin: Int32Array  # the first point of each group of the first layer, and the number of points


class PairSums(NamedTuple):
    """Sums of P_pq over pairs, those of a point with itself included.

    `node_sums[c, p]` is sum_q weight_q right[c, q] P_pq. `group_sums` is the sum of weight_p weight_q P_pq over p in
    group a and q in group b, for each layer, in the order of `TableArrays.values`.
    """

    node_sums: Float64Array  # (columns, points)
    group_sums: Float64Array


@kernel
def sigmoid_in_place(z: Float64Array) -> None:
    """Turn log-odds into probabilities, in place."""
    for c in range(len(z)):
        z[c] = sigmoid64(z[c])


@inlined
def log_odds_row(points: PointArrays, p: Any, z: Any) -> None:
    """z[q] = the log-odds of p and q, for q >= p."""
    left, right, tables, last = points.left, points.right, points.tables, len(points.weight)
    for q in range(p, last):
        z[q] = left[0, p] + left[0, q]
    for layer in range(len(tables.at)):
        width, group = tables.width[layer], points.group[layer]
        begin = tables.at[layer] + group[p] * width
        row = tables.values[begin : begin + width]
        if width == 1:
            for q in range(p, last):
                z[q] += row[0]
        else:
            for q in range(p, last):
                z[q] += row[group[q]]
    for c in range(1, len(left)):
        left_p, right_p = left[c, p], right[c, p]
        for q in range(p, last):
            z[q] += left_p * right[c, q] + right_p * left[c, q]


@inlined
def add_to_first_layer(points: PointArrays, p: Any, amount: Any, group_sums: Any) -> None:
    """Add the pairs of p with later points to the sums between groups of the first layer, which sorts the points."""
    weight, mine, width = points.weight, points.group[0, p], points.tables.width[0]
    for group in range(mine, width):
        total = 0.0
        for q in range(max(p + 1, points.begin[group]), points.begin[group + 1]):
            total += weight[q] * amount[q]
        group_sums[mine * width + group] += weight[p] * total
        group_sums[group * width + mine] += weight[p] * total


@inlined
def add_to_layer(points: PointArrays, layer: Any, p: Any, amounts: Any, group_sums: Any) -> None:
    """Add the pairs of p with later points to the sums between groups of another layer."""
    weight, group = points.weight, points.group[layer]
    at, width = points.tables.at[layer], points.tables.width[layer]
    for q in range(p + 1, len(weight)):
        amount = weight[p] * weight[q] * amounts[q]
        group_sums[at + group[p] * width + group[q]] += amount
        group_sums[at + group[q] * width + group[p]] += amount


@inlined
def add_symmetric(points: PointArrays, p: Any, amount: Any, sums: PairSums) -> None:
    """Add the amounts of the pairs of p with itself and with each later point to the sums of both points."""
    weight, right, last, tables = points.weight, points.right, len(points.weight), points.tables
    for c in range(len(right)):
        node_sums, target, mine = sums.node_sums[c], right[c], weight[p] * right[c, p]
        total = amount[p] * mine
        for q in range(p + 1, last):
            total += amount[q] * (weight[q] * target[q])
            node_sums[q] += amount[q] * mine
        node_sums[p] += total
    add_to_first_layer(points, p, amount, sums.group_sums)
    for layer in range(1, len(tables.at)):
        add_to_layer(points, layer, p, amount, sums.group_sums)
    for layer in range(len(tables.at)):
        place = tables.at[layer] + points.group[layer, p] * (tables.width[layer] + 1)
        sums.group_sums[place] += weight[p] * weight[p] * amount[p]


@kernel
def sum_pairs(points: PointArrays, sums: PairSums) -> None:
    """Fill `sums` with the sums of P_pq. Each pair of points is computed once, and added for both."""
    probability = np.empty(len(points.weight))
    sums.node_sums[:] = 0.0
    sums.group_sums[:] = 0.0
    for p in range(len(probability)):
        log_odds_row(points, p, probability)
        sigmoid_in_place(probability[p:])
        add_symmetric(points, p, probability, sums)


@kernel
def hessian_product(points: PointArrays, step: PointArrays, sums: PairSums) -> None:
    """Fill `sums` with their derivative along a step of `left` and `tables`: P (1 - P) dz in place of P.

    The sums are the gradient of the dual, so this is the product of its Hessian and the step.
    """
    probability, change = np.empty(len(points.weight)), np.empty(len(points.weight))
    sums.node_sums[:] = 0.0
    sums.group_sums[:] = 0.0
    for p in range(len(probability)):
        log_odds_row(points, p, probability)
        log_odds_row(step, p, change)
        sigmoid_in_place(probability[p:])
        for q in range(p, len(probability)):
            change[q] *= probability[q] * (1.0 - probability[q])
        add_symmetric(points, p, change, sums)


@kernel
def entropy_terms(points: PointArrays, out: Float64Array) -> None:
    """out = the sums of softplus(z) and of P z over ordered pairs, without those that the prior is certain of.

    Their difference is the entropy of the prior, in nats.
    """
    z = np.empty(len(points.weight))
    softplus, expected = 0.0, 0.0
    for p in range(len(points.weight)):
        log_odds_row(points, p, z)
        for q in range(p, len(z)):
            if abs(z[q]) < CERTAIN_LOG_ODDS:
                count = points.weight[p] * points.weight[q] * (1.0 if p == q else 2.0)
                softplus += count * softplus64(z[q])
                expected += count * sigmoid64(z[q]) * z[q]
    out[0], out[1] = softplus, expected


# ---- Corrections for listed pairs, which have features of their own, such as the number of common neighbours ---------
#
# Sums over all pairs are computed without these features; then the term of each listed pair is replaced.


class ListedFeatures(NamedTuple):
    """Listed pairs i < j in sorted rows, and the values of their features: `value[k, place]`."""

    indptr: Int64Array
    indices: Int32Array
    value: Float64Array


class NodeArrays(NamedTuple):
    """What decides the log-odds of pairs of nodes without the listed features, as in `PointArrays`."""

    left: Float64Array  # (columns, nodes)
    right: Float64Array
    group: Int32Array  # (layers, nodes)
    tables: TableArrays


@inlined
def unlisted_log_odds_of(nodes: NodeArrays, i: Any, j: Any) -> Any:
    """The log-odds of i and j without the listed features."""
    z, tables = 0.0, nodes.tables
    for layer in range(len(tables.at)):
        z += tables.values[tables.at[layer] + nodes.group[layer, i] * tables.width[layer] + nodes.group[layer, j]]
    for c in range(len(nodes.left)):
        z += nodes.left[c, i] * nodes.right[c, j] + nodes.right[c, i] * nodes.left[c, j]
    return z


@inlined
def listed_term(listed: ListedFeatures, multipliers: Any, place: Any) -> Any:
    """What the listed features add to the log-odds of the pair at `place`."""
    total = 0.0
    for k in range(len(listed.value)):
        total += multipliers[k] * listed.value[k, place]
    return total


@inlined
def add_listed_symmetric(nodes: NodeArrays, i: Any, j: Any, amount: Any, sums: PairSums) -> None:
    """Add the amount of one pair to the sums of both nodes."""
    for c in range(len(nodes.left)):
        sums.node_sums[c, i] += amount * nodes.right[c, j]
        sums.node_sums[c, j] += amount * nodes.right[c, i]
    for layer in range(len(nodes.tables.at)):
        at, width = nodes.tables.at[layer], nodes.tables.width[layer]
        mine, theirs = nodes.group[layer, i], nodes.group[layer, j]
        sums.group_sums[at + mine * width + theirs] += amount
        sums.group_sums[at + theirs * width + mine] += amount


@kernel
def correct_sums(
    listed: ListedFeatures, multipliers: Float64Array, nodes: NodeArrays, sums: PairSums, totals: Float64Array
) -> None:
    """Replace P without the listed features by P with them in `sums`; totals_k = sum of f_k P over listed pairs."""
    totals[:] = 0.0
    for i in range(len(listed.indptr) - 1):
        for place in range(listed.indptr[i], listed.indptr[i + 1]):
            j = listed.indices[place]
            z = unlisted_log_odds_of(nodes, i, j)
            p = sigmoid64(z + listed_term(listed, multipliers, place))
            add_listed_symmetric(nodes, i, j, p - sigmoid64(z), sums)
            for k in range(len(totals)):
                totals[k] += listed.value[k, place] * p


@kernel
def listed_variances(listed: ListedFeatures, multipliers: Float64Array, nodes: NodeArrays, out: Float64Array) -> None:
    """out[0] and out[1] = P (1 - P) of each listed pair, without and with the listed features."""
    for i in range(len(listed.indptr) - 1):
        for place in range(listed.indptr[i], listed.indptr[i + 1]):
            z = unlisted_log_odds_of(nodes, i, listed.indices[place])
            before, after = sigmoid64(z), sigmoid64(z + listed_term(listed, multipliers, place))
            out[0, place], out[1, place] = before * (1.0 - before), after * (1.0 - after)


@kernel
def correct_hessian_product(
    listed: ListedFeatures,
    variances: Float64Array,
    step: Float64Array,
    stepped: NodeArrays,
    sums: PairSums,
    totals: Float64Array,
) -> None:
    """Replace, for listed pairs, the derivative of the sums along a step of the listed multipliers and of all others
    (`stepped`); totals_k = the derivative of the sum of f_k P. `variances` are those of `listed_variances`.
    """
    totals[:] = 0.0
    for i in range(len(listed.indptr) - 1):
        for place in range(listed.indptr[i], listed.indptr[i + 1]):
            j = listed.indices[place]
            change = unlisted_log_odds_of(stepped, i, j)
            moved = variances[1, place] * (change + listed_term(listed, step, place))
            add_listed_symmetric(stepped, i, j, moved - variances[0, place] * change, sums)
            for k in range(len(totals)):
                totals[k] += listed.value[k, place] * moved


@kernel
def correct_entropy_terms(
    listed: ListedFeatures, multipliers: Float64Array, nodes: NodeArrays, out: Float64Array
) -> None:
    """Add to the sums of `entropy_terms` what the listed features change in them."""
    for i in range(len(listed.indptr) - 1):
        for place in range(listed.indptr[i], listed.indptr[i + 1]):
            before = unlisted_log_odds_of(nodes, i, listed.indices[place])
            after = before + listed_term(listed, multipliers, place)
            for z, sign in ((before, -2.0), (after, 2.0)):
                if abs(z) < CERTAIN_LOG_ODDS:
                    out[0] += sign * softplus64(z)
                    out[1] += sign * sigmoid64(z) * z
