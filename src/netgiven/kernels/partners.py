"""The paper's own scheme: k links and k non-links of each node, drawn uniformly, anew in each step.

A node with fewer than k links takes all of them and more non-links, and the other way round, so that there are 2k partners
wherever the network has so many.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from netgiven.kernels.arrays import Doubles, Floats, Links, Numbers, PriorArrays
from netgiven.kernels.compiling import inlined, kernel
from netgiven.kernels.elementary import exp_negative, log_one_plus
from netgiven.kernels.randomness import stream, uniform

f32 = np.float32


@inlined
def is_link(links: Links, i: Any, j: Any) -> Any:
    """Is j among the sorted neighbours of i?"""
    low, high = links.indptr[i], links.indptr[i + 1]
    while low < high:
        middle = (low + high) // 2
        if links.indices[middle] < j:
            low = middle + 1
        else:
            high = middle
    return low < links.indptr[i + 1] and links.indices[low] == j


@inlined
def draw_links(start: Any, row: Any, count: Any, out: Any) -> Any:
    """`count` distinct neighbours: the first places of a shuffle. Returns how many random numbers were used."""
    if count == len(row):
        out[:count] = row
        return 0
    shuffled = row.copy()
    for s in range(count):
        other = s + int(uniform(start, s) * (len(row) - s))
        shuffled[s], shuffled[other] = shuffled[other], shuffled[s]
        out[s] = shuffled[s]
    return count


@inlined
def draw_others(start: Any, used: Any, i: Any, links: Links, everyone: Any, out: Any) -> None:
    """Nodes that i is not linked to, uniformly and with replacement; all of them, where they just fill `out`."""
    nodes = len(links.indptr) - 1
    if everyone:
        s = 0
        for j in range(nodes):
            if j != i and not is_link(links, i, j):
                out[s] = j
                s += 1
        return
    for s in range(len(out)):
        j = i
        while j == i or is_link(links, i, j):
            j = int(uniform(start, used) * nodes)
            used += 1
        out[s] = j


@kernel
def draw_partners(
    start: int,
    stop: int,
    seed: int,
    step: int,
    links: Links,
    weighted: bool,
    partners: Numbers,
    linked: Numbers,
    weights: Floats,
) -> None:
    """Partners of the nodes in [start, stop): `linked[i]` links first, then non-links; places left over weigh nothing."""
    nodes, places = len(links.indptr) - 1, partners.shape[1]
    for i in range(start, stop):
        row = links.indices[links.indptr[i] : links.indptr[i + 1]]
        degree, rest = len(row), nodes - 1 - len(row)
        some = min(degree, max(places // 2, places - rest))
        others = min(rest, places - some)
        begin = stream(seed, step, i)
        used = draw_links(begin, row, some, partners[i])
        draw_others(begin, used, i, links, others == rest, partners[i, some : some + others])
        linked[i] = some
        weights[i, :some] = f32(degree / some) if weighted and some > 0 else f32(1.0)
        weights[i, some : some + others] = f32(rest / others) if weighted and others > 0 else f32(1.0)
        partners[i, some + others :] = i
        weights[i, some + others :] = f32(0.0)


@kernel
def follow_partners(
    start: int,
    stop: int,
    partners: Numbers,
    linked: Numbers,
    weights: Floats,
    positions: Floats,
    prior: PriorArrays,
    reach: np.float32,
    stiffness: np.float32,
    gradient: Floats,
    surprise: Doubles,
) -> None:
    """Gradient and value of -sum over partners of w log P(a_ij), for the nodes in [start, stop)."""
    dimensions = positions.shape[1]
    for i in range(start, stop):
        gradient[i] = f32(0.0)
        total = 0.0
        for s in range(partners.shape[1]):
            j, link = partners[i, s], s < linked[i]
            squared = f32(0.0)
            for k in range(dimensions):
                squared += (positions[i, k] - positions[j, k]) ** 2
            known = prior.node[i] + prior.node[j] + prior.table[prior.group[i], prior.group[j]]
            z = known + (reach - f32(0.5) * stiffness * squared)
            small = exp_negative(-abs(z))
            likely = f32(1.0) / (f32(1.0) + small)
            chance = likely if z >= f32(0.0) else small * likely
            total += weights[i, s] * (max(-z if link else z, f32(0.0)) + log_one_plus(small))
            force = weights[i, s] * stiffness * ((f32(1.0) if link else f32(0.0)) - chance)
            for k in range(dimensions):
                gradient[i, k] += force * (positions[i, k] - positions[j, k])
        surprise[i] = total
