"""Corrections for pairs of nodes of which more is known than their classes tell: common neighbours, say.

Sums over all pairs are taken as if nothing more were known; for each listed pair, what that counted is replaced.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from netgiven.kernels.arrays import Doubles, Numbers
from netgiven.kernels.compiling import inlined, kernel
from netgiven.kernels.pair_sums import SURE, PairSums, TableArrays, exp_negative_double


class Listed(NamedTuple):
    """Pairs i < j, row by row, and the values of some features of each: `value[k, place]`."""

    indptr: npt.NDArray[np.int64]
    indices: Numbers
    value: Doubles


class NodeArrays(NamedTuple):
    """The log-odds of pairs of nodes without the listed features, as in `PointArrays`."""

    own: Doubles  # (columns, nodes)
    basis: Doubles
    group: Numbers  # (layers, nodes)
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
def count_for_both(nodes: NodeArrays, i: Any, j: Any, amount: Any, sums: PairSums) -> None:
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
def correct_sums(listed: Listed, multipliers: Doubles, nodes: NodeArrays, sums: PairSums, totals: Doubles) -> None:
    """Replace P without the listed features by P with them in `sums`; totals_k = sum of f_k P over listed pairs."""
    totals[:] = 0.0
    for i in range(len(listed.indptr) - 1):
        for place in range(listed.indptr[i], listed.indptr[i + 1]):
            j = listed.indices[place]
            z = known(nodes, i, j)
            chance = chance_of(z + added(listed, multipliers, place))
            count_for_both(nodes, i, j, chance - chance_of(z), sums)
            for k in range(len(totals)):
                totals[k] += listed.value[k, place] * chance


@kernel
def listed_slopes(listed: Listed, multipliers: Doubles, nodes: NodeArrays, out: Doubles) -> None:
    """out[0] and out[1] = P (1 - P) of each listed pair, without and with the listed features."""
    for i in range(len(listed.indptr) - 1):
        for place in range(listed.indptr[i], listed.indptr[i + 1]):
            z = known(nodes, i, listed.indices[place])
            before, after = chance_of(z), chance_of(z + added(listed, multipliers, place))
            out[0, place], out[1, place] = before * (1.0 - before), after * (1.0 - after)


@kernel
def correct_curvature(
    listed: Listed, slopes: Doubles, step: Doubles, stepped: NodeArrays, sums: PairSums, totals: Doubles
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
            count_for_both(stepped, i, j, moved - slopes[0, place] * change, sums)
            for k in range(len(totals)):
                totals[k] += listed.value[k, place] * moved


@kernel
def measure_listed(listed: Listed, multipliers: Doubles, nodes: NodeArrays, out: Doubles) -> None:
    """out += what the listed features change in the sums of softplus(z) and of P z over ordered pairs."""
    for i in range(len(listed.indptr) - 1):
        for place in range(listed.indptr[i], listed.indptr[i + 1]):
            before = known(nodes, i, listed.indices[place])
            after = before + added(listed, multipliers, place)
            for z, sign in ((before, -2.0), (after, 2.0)):
                if abs(z) < SURE:
                    out[0] += sign * (max(z, 0.0) + np.log1p(exp_negative_double(-abs(z))))
                    out[1] += sign * chance_of(z) * z
