"""The paper's own scheme: k links and k non-links of each node, drawn uniformly, anew in each step.

A node with fewer than k links takes all of them and more non-links, and the other way round, so that it draws 2k
partners wherever the network has so many. A drawn pair moves both its ends: the gradient is that of the likelihood of
the drawn pairs.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from netgiven.kernels.arrays import Address, Links, ListedPairs, Scene, Sums
from netgiven.kernels.fastmath import exp_negative, log_one_plus
from netgiven.kernels.jit import inlined, kernel
from netgiven.kernels.prior_logit import listed_of, nearness, search, unlisted_of
from netgiven.kernels.random import stream, uniform
from netgiven.types import Float32Array, Int32Array, Int64Array

f32 = np.float32


class Partners(NamedTuple):
    """Nodes that each node has drawn: `node[indptr[i]:indptr[i + 1]]`, of which the first `linked[i]` are links.

    A drawn pair moves both its ends, so there is the way back too: `owner[place]` drew `node[place]`, and node j was
    drawn at the places `places[back[j]:back[j + 1]]`. A link that i has drawn weighs `link_weight[i]`, another pair
    `other_weight[i]`. The prior lists `listed[place]` for the pair, which is 0 for all where it lists nothing.
    """

    indptr: Int64Array
    node: Int32Array
    owner: Int32Array
    linked: Int64Array
    link_weight: Float32Array
    other_weight: Float32Array
    listed: Float32Array
    back: Int64Array
    places: Int64Array


@inlined
def is_link(links: Links, i: Any, j: Any) -> Any:
    """Is j among the sorted neighbours of i?"""
    place = search(links, i, j)
    return place < links.indptr[i + 1] and links.indices[place] == j


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
def look_up(start: int, stop: int, listed: ListedPairs, chosen: Partners) -> None:
    """What the prior lists for the partners of the nodes in [start, stop)."""
    for i in range(start, stop):
        for place in range(chosen.indptr[i], chosen.indptr[i + 1]):
            chosen.listed[place] = listed_of(listed, i, chosen.node[place])


@kernel
def find_way_back(chosen: Partners) -> None:
    """Where each node was drawn, in order of place: a counting sort."""
    chosen.back[:] = 0
    for j in chosen.node:
        chosen.back[j + 1] += 1
    for j in range(1, len(chosen.back)):
        chosen.back[j] += chosen.back[j - 1]
    filled = chosen.back[:-1].copy()
    for place in range(len(chosen.node)):
        j = chosen.node[place]
        chosen.places[filled[j]] = place
        filled[j] += 1


@inlined
def push_apart(i: Any, j: Any, place: Any, chosen: Partners, scene: Scene, push: Any) -> Any:
    """Add w (sigmoid(z_ij) - a_ij) (x_i - x_j) to push_i for the pair drawn at `place`; return -w log P(a_ij)."""
    prior, positions, owner = scene.prior, scene.positions, chosen.owner[place]
    link = place < chosen.indptr[owner] + chosen.linked[owner]
    weight = chosen.link_weight[owner] if link else chosen.other_weight[owner]
    z = (unlisted_of(prior, i, j) + chosen.listed[place]) + nearness(scene, i, j)
    small = exp_negative(-abs(z))
    likely = f32(1.0) / (f32(1.0) + small)
    chance = likely if z >= f32(0.0) else small * likely
    force = weight * (chance - (f32(1.0) if link else f32(0.0)))
    for k in range(positions.shape[1]):
        push[i, k] += force * (positions[i, k] - positions[j, k])
    return weight * (max(-z if link else z, f32(0.0)) + log_one_plus(small))


@kernel
def follow_partners(start: int, stop: int, chosen: Partners, scene: Scene, sums: Sums) -> None:
    """push_i = sum of w (sigmoid(z_ij) - a_ij) (x_i - x_j) over all drawn pairs ij; surprise_i = -sum of w log P(a_ij)
    over those that i has drawn; for i in [start, stop).
    """
    for i in range(start, stop):
        sums.push[i] = f32(0.0)
        total = 0.0
        for place in range(chosen.indptr[i], chosen.indptr[i + 1]):
            total += push_apart(i, chosen.node[place], place, chosen, scene, sums.push)
        for entry in range(chosen.back[i], chosen.back[i + 1]):
            place = chosen.places[entry]
            push_apart(i, chosen.owner[place], place, chosen, scene, sums.push)
        sums.surprise[i] = total
