"""The paper's own scheme: links and some non-links of each node, the latter drawn uniformly, anew in each step."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from netgiven.kernels.arrays import Address, Floats, Links, Numbers, Scene, Sums
from netgiven.kernels.compiling import inlined, kernel
from netgiven.kernels.elementary import exp_negative, log_one_plus
from netgiven.kernels.randomness import stream, uniform

f32 = np.float32


class Partners(NamedTuple):
    """Nodes that each node is compared with: `node[indptr[i]:indptr[i + 1]]`, of which the first `linked[i]` are links.

    A link of node i weighs `link_weight[i]`, any other partner `other_weight[i]`.
    """

    indptr: npt.NDArray[np.int64]
    node: Numbers
    linked: npt.NDArray[np.int64]
    link_weight: Floats
    other_weight: Floats


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
def draw_partners(start: int, stop: int, address: Address, links: Links, chosen: Partners) -> None:
    """Draw the partners of the nodes in [start, stop): as many links as `linked` says, then others."""
    for i in range(start, stop):
        row = links.indices[links.indptr[i] : links.indptr[i + 1]]
        places = chosen.node[chosen.indptr[i] : chosen.indptr[i + 1]]
        begin = stream(address.seed, address.step, i)
        used = draw_links(begin, row, chosen.linked[i], places)
        draw_others(begin, used, i, links, places[chosen.linked[i] :])


@kernel
def follow_partners(start: int, stop: int, chosen: Partners, scene: Scene, sums: Sums) -> None:
    """Over partners j: push_i = sum of w (sigmoid(z_ij) - a_ij) (x_i - x_j) and surprise_i = -sum of w log P(a_ij)."""
    prior, positions, push = scene.prior, scene.positions, sums.push
    for i in range(start, stop):
        push[i] = f32(0.0)
        total, first_other = 0.0, chosen.indptr[i] + chosen.linked[i]
        for place in range(chosen.indptr[i], chosen.indptr[i + 1]):
            j, link = chosen.node[place], place < first_other
            weight = chosen.link_weight[i] if link else chosen.other_weight[i]
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
