"""Sums over all pairs of points under a prior, in float64, without ever holding the pairs.

A point stands for nodes that a prior treats alike. The log-odds of a pair of points are

    z_pq = sum over c of (own[c, p] basis[c, q] + basis[c, p] own[c, q]) + sum over layers l of table_l[g_lp, g_lq]

where basis[0] is 1 everywhere, so that own[0] are the plain multipliers of nodes, and g_lp is the group of p in layer
l. Most priors have one column and one layer. Points are sorted by their group in the first layer.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from netgiven.kernels.jit import inlined, kernel
from netgiven.types import Float64Array, Int32Array, Int64Array

f64 = np.float64

LOG2_E = f64(1.4426950408889634)
LN2_HIGH, LN2_LOW = f64(6.93147180369123816490e-01), f64(1.90821492927058770002e-10)
MOST = f64(-700.0)
SURE = 512.0  # log-odds that only a pair has of which the prior is certain


class TableArrays(NamedTuple):
    """Tables over groups, one a layer: that of layer l is width[l]^2 numbers from `at[l]` on."""

    at: Int64Array
    width: Int64Array
    values: Float64Array


class PointArrays(NamedTuple):
    """Points: how many nodes each stands for, and all that decides the log-odds of a pair."""

    weight: Float64Array
    own: Float64Array  # (columns, points)
    basis: Float64Array  # (columns, points)
    group: Int32Array  # (layers, points)
    tables: TableArrays
    begin: Int32Array  # the first point of each group of the first layer, and the number of points


class PairSums(NamedTuple):
    """Sums of P_pq over pairs: `pulls[c, p]` = sum_q weight_q basis[c, q] P_pq, and `between` = the sum of weight_p
    weight_q P_pq over p in group a and q in group b, in the places of the tables. A point is its own partner, too.
    """

    pulls: Float64Array
    between: Float64Array


@inlined
def exp_negative_double(x: Any) -> Any:
    """exp(x) for x <= 0 in float64, to rounding error, by steps that vectorise. Below -700, exp(-700)."""
    x = max(x, MOST)
    whole = np.int32(x * LOG2_E - f64(0.5))
    r = x - whole * LN2_HIGH - whole * LN2_LOW
    value = f64(1 / 39916800) + r * f64(1 / 479001600)
    value = f64(1 / 3628800) + r * value
    value = f64(1 / 362880) + r * value
    value = f64(1 / 40320) + r * value
    value = f64(1 / 5040) + r * value
    value = f64(1 / 720) + r * value
    value = f64(1 / 120) + r * value
    value = f64(1 / 24) + r * value
    value = f64(1 / 6) + r * value
    value = f64(0.5) + r * value
    value = f64(1.0) + r * value
    value = f64(1.0) + r * value
    scale = np.int64((np.int64(whole) + np.int64(1023)) << np.int64(52)).view(np.float64)
    return value * scale


@kernel
def sigmoid(z: Float64Array) -> None:
    """Turn log-odds into probabilities, in place."""
    for c in range(len(z)):
        small = exp_negative_double(-abs(z[c]))
        likely = 1.0 / (1.0 + small)
        z[c] = likely if z[c] >= 0.0 else small * likely


@inlined
def see(points: PointArrays, p: Any, z: Any) -> None:
    """z[q] = the log-odds of p and q, for each q from p on."""
    own, basis, tables, last = points.own, points.basis, points.tables, len(points.weight)
    for q in range(p, last):
        z[q] = own[0, p] + own[0, q]
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
    for c in range(1, len(own)):
        mine, base = own[c, p], basis[c, p]
        for q in range(p, last):
            z[q] += mine * basis[c, q] + base * own[c, q]


@inlined
def count_first_layer(points: PointArrays, p: Any, amount: Any, between: Any) -> None:
    """Add the pairs of p with later points to the sums between groups of the first layer: they are sorted by it."""
    weight, own, width = points.weight, points.group[0, p], points.tables.width[0]
    for group in range(own, width):
        total = 0.0
        for q in range(max(p + 1, points.begin[group]), points.begin[group + 1]):
            total += weight[q] * amount[q]
        between[own * width + group] += weight[p] * total
        between[group * width + own] += weight[p] * total


@inlined
def count_layer(points: PointArrays, layer: Any, p: Any, amounts: Any, between: Any) -> None:
    """The same for another layer."""
    weight, group = points.weight, points.group[layer]
    at, width = points.tables.at[layer], points.tables.width[layer]
    for q in range(p + 1, len(weight)):
        amount = weight[p] * weight[q] * amounts[q]
        between[at + group[p] * width + group[q]] += amount
        between[at + group[q] * width + group[p]] += amount


@inlined
def count_for_both(points: PointArrays, p: Any, amount: Any, sums: PairSums) -> None:
    """Add the amounts of the pairs of p with itself and with each later point to the sums, for both points."""
    weight, basis, last, tables = points.weight, points.basis, len(points.weight), points.tables
    for c in range(len(basis)):
        pull, target, mine = sums.pulls[c], basis[c], weight[p] * basis[c, p]
        total = amount[p] * mine
        for q in range(p + 1, last):
            total += amount[q] * (weight[q] * target[q])
            pull[q] += amount[q] * mine
        pull[p] += total
    count_first_layer(points, p, amount, sums.between)
    for layer in range(1, len(tables.at)):
        count_layer(points, layer, p, amount, sums.between)
    for layer in range(len(tables.at)):
        place = tables.at[layer] + points.group[layer, p] * (tables.width[layer] + 1)
        sums.between[place] += weight[p] * weight[p] * amount[p]


@kernel
def add_pairs(points: PointArrays, sums: PairSums) -> None:
    """Fill `sums`. Each pair of points is looked at once, and counts for both."""
    chance = np.empty(len(points.weight))
    sums.pulls[:] = 0.0
    sums.between[:] = 0.0
    for p in range(len(chance)):
        see(points, p, chance)
        sigmoid(chance[p:])
        count_for_both(points, p, chance, sums)


@kernel
def bend_pairs(points: PointArrays, step: PointArrays, sums: PairSums) -> None:
    """Fill `sums` with their change along a step of `own` and `tables`: P (1 - P) dz in place of P."""
    chance, change = np.empty(len(points.weight)), np.empty(len(points.weight))
    sums.pulls[:] = 0.0
    sums.between[:] = 0.0
    for p in range(len(chance)):
        see(points, p, chance)
        see(step, p, change)
        sigmoid(chance[p:])
        for q in range(p, len(chance)):
            change[q] *= chance[q] * (1.0 - chance[q])
        count_for_both(points, p, change, sums)


@kernel
def measure_pairs(points: PointArrays, out: Float64Array) -> None:
    """out = the sums of softplus(z) and of P z over ordered pairs; nothing for those of which the prior is certain."""
    z = np.empty(len(points.weight))
    surprise, gain = 0.0, 0.0
    for p in range(len(points.weight)):
        see(points, p, z)
        for q in range(p, len(z)):
            if abs(z[q]) < SURE:
                small = exp_negative_double(-abs(z[q]))
                likely = 1.0 / (1.0 + small)
                chance = likely if z[q] >= 0.0 else small * likely
                count = points.weight[p] * points.weight[q] * (1.0 if p == q else 2.0)
                surprise += count * (max(z[q], 0.0) + np.log1p(small))
                gain += count * chance * z[q]
    out[0], out[1] = surprise, gain


# ---- Corrections for pairs of nodes of which more is known than their classes tell: common neighbours, say -----------
#
# Sums over all pairs are taken as if nothing more were known; for each listed pair, what that counted is replaced.


class Listed(NamedTuple):
    """Pairs i < j, row by row, and the values of some features of each: `value[k, place]`."""

    indptr: Int64Array
    indices: Int32Array
    value: Float64Array


class NodeArrays(NamedTuple):
    """The log-odds of pairs of nodes without the listed features, as in `PointArrays`."""

    own: Float64Array  # (columns, nodes)
    basis: Float64Array
    group: Int32Array  # (layers, nodes)
    tables: TableArrays


@inlined
def known(nodes: NodeArrays, i: Any, j: Any) -> Any:
    """The log-odds of i and j without the listed features."""
    z, tables = 0.0, nodes.tables
    for layer in range(len(tables.at)):
        z += tables.values[tables.at[layer] + nodes.group[layer, i] * tables.width[layer] + nodes.group[layer, j]]
    for c in range(len(nodes.own)):
        z += nodes.own[c, i] * nodes.basis[c, j] + nodes.basis[c, i] * nodes.own[c, j]
    return z


@inlined
def added(listed: Listed, multipliers: Any, place: Any) -> Any:
    """What the listed features add to the log-odds."""
    total = 0.0
    for k in range(len(listed.value)):
        total += multipliers[k] * listed.value[k, place]
    return total


@inlined
def chance_of(z: Any) -> Any:
    """sigmoid(z)."""
    small = exp_negative_double(-abs(z))
    likely = 1.0 / (1.0 + small)
    return likely if z >= 0.0 else small * likely


@inlined
def count_listed_for_both(nodes: NodeArrays, i: Any, j: Any, amount: Any, sums: PairSums) -> None:
    """Add an amount to the sums, for both nodes of a pair."""
    for c in range(len(nodes.own)):
        sums.pulls[c, i] += amount * nodes.basis[c, j]
        sums.pulls[c, j] += amount * nodes.basis[c, i]
    for layer in range(len(nodes.tables.at)):
        at, width = nodes.tables.at[layer], nodes.tables.width[layer]
        mine, theirs = nodes.group[layer, i], nodes.group[layer, j]
        sums.between[at + mine * width + theirs] += amount
        sums.between[at + theirs * width + mine] += amount


@kernel
def correct_sums(
    listed: Listed, multipliers: Float64Array, nodes: NodeArrays, sums: PairSums, totals: Float64Array
) -> None:
    """Replace P without the listed features by P with them in `sums`; totals_k = sum of f_k P over listed pairs."""
    totals[:] = 0.0
    for i in range(len(listed.indptr) - 1):
        for place in range(listed.indptr[i], listed.indptr[i + 1]):
            j = listed.indices[place]
            z = known(nodes, i, j)
            chance = chance_of(z + added(listed, multipliers, place))
            count_listed_for_both(nodes, i, j, chance - chance_of(z), sums)
            for k in range(len(totals)):
                totals[k] += listed.value[k, place] * chance


@kernel
def listed_slopes(listed: Listed, multipliers: Float64Array, nodes: NodeArrays, out: Float64Array) -> None:
    """out[0] and out[1] = P (1 - P) of each listed pair, without and with the listed features."""
    for i in range(len(listed.indptr) - 1):
        for place in range(listed.indptr[i], listed.indptr[i + 1]):
            z = known(nodes, i, listed.indices[place])
            before, after = chance_of(z), chance_of(z + added(listed, multipliers, place))
            out[0, place], out[1, place] = before * (1.0 - before), after * (1.0 - after)


@kernel
def correct_curvature(
    listed: Listed, slopes: Float64Array, step: Float64Array, stepped: NodeArrays, sums: PairSums, totals: Float64Array
) -> None:
    """Replace the change of the sums along a step, of the listed multipliers and of all others (`stepped`), that was
    computed as if nothing were listed; totals_k = the change of the sum of f_k P.
    """
    totals[:] = 0.0
    for i in range(len(listed.indptr) - 1):
        for place in range(listed.indptr[i], listed.indptr[i + 1]):
            j = listed.indices[place]
            change = known(stepped, i, j)
            moved = slopes[1, place] * (change + added(listed, step, place))
            count_listed_for_both(stepped, i, j, moved - slopes[0, place] * change, sums)
            for k in range(len(totals)):
                totals[k] += listed.value[k, place] * moved


@kernel
def measure_listed(listed: Listed, multipliers: Float64Array, nodes: NodeArrays, out: Float64Array) -> None:
    """out += what the listed features change in the sums of softplus(z) and of P z over ordered pairs."""
    for i in range(len(listed.indptr) - 1):
        for place in range(listed.indptr[i], listed.indptr[i + 1]):
            before = known(nodes, i, listed.indices[place])
            after = before + added(listed, multipliers, place)
            for z, sign in ((before, -2.0), (after, 2.0)):
                if abs(z) < SURE:
                    out[0] += sign * (max(z, 0.0) + np.log1p(exp_negative_double(-abs(z))))
                    out[1] += sign * chance_of(z) * z
