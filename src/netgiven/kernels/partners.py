"""The paper's own scheme: k links and k non-links of each node, drawn uniformly, anew in each step.

A node with fewer than k links takes all of them and more non-links, and the other way round, so that there are 2k
partners wherever the network has so many.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from netgiven.kernels.arrays import Address, Floats, Links, Numbers, Scene, Sums
from netgiven.kernels.compiling import inlined, kernel
from netgiven.kernels.elementary import exp_negative, log_one_plus
from netgiven.kernels.randomness import stream, uniform

f32 = np.float32


class Partners(NamedTuple):
    """Nodes that each node is compared with, one row a node: the first `linked[i]` are links, the others are not."""

    node: Numbers
    linked: Numbers
    weight: Floats


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
def draw_others(start: Any, used: Any, i: Any, links: Links, out: Any) -> None:
    """Nodes that i is not linked to, uniformly and with replacement; each of them once, where they just fill `out`."""
    nodes = len(links.indptr) - 1
    if len(out) == nodes - 1 - (links.indptr[i + 1] - links.indptr[i]):
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
def draw_partners(start: int, stop: int, address: Address, links: Links, weighted: bool, chosen: Partners) -> None:
    """Partners of the nodes in [start, stop): links first, then non-links; places left over weigh nothing."""
    nodes, places = len(links.indptr) - 1, chosen.node.shape[1]
    for i in range(start, stop):
        row = links.indices[links.indptr[i] : links.indptr[i + 1]]
        degree, rest = len(row), nodes - 1 - len(row)
        some = min(degree, max(places // 2, places - rest))
        others = min(rest, places - some)
        begin = stream(address.seed, address.step, i)
        used = draw_links(begin, row, some, chosen.node[i])
        draw_others(begin, used, i, links, chosen.node[i, some : some + others])
        chosen.linked[i] = some
        chosen.weight[i, :some] = f32(degree / some) if weighted and some > 0 else f32(1.0)
        chosen.weight[i, some : some + others] = f32(rest / others) if weighted and others > 0 else f32(1.0)
        chosen.node[i, some + others :] = i
        chosen.weight[i, some + others :] = f32(0.0)


@kernel
def follow_partners(start: int, stop: int, chosen: Partners, scene: Scene, sums: Sums) -> None:
    """push_i = sum over partners of w (sigmoid(z_ij) - a_ij) (x_i - x_j), surprise_i = -sum of w log P(a_ij), i in
    [start, stop).
    """
    prior, positions, push = scene.prior, scene.positions, sums.push
    for i in range(start, stop):
        push[i] = f32(0.0)
        total = 0.0
        for s in range(chosen.node.shape[1]):
            j, link, weight = chosen.node[i, s], s < chosen.linked[i], chosen.weight[i, s]
            squared = f32(0.0)
            for k in range(positions.shape[1]):
                squared += (positions[i, k] - positions[j, k]) ** 2
            known = prior.node[i] + prior.node[j] + prior.table[prior.group[i], prior.group[j]]
            z = known + (scene.reach - scene.half_stiffness * squared)
            small = exp_negative(-abs(z))
            likely = f32(1.0) / (f32(1.0) + small)
            chance = likely if z >= f32(0.0) else small * likely
            total += weight * (max(-z if link else z, f32(0.0)) + log_one_plus(small))
            force = weight * (chance - (f32(1.0) if link else f32(0.0)))
            for k in range(positions.shape[1]):
                push[i, k] += force * (positions[i, k] - positions[j, k])
        sums.surprise[i] = total
