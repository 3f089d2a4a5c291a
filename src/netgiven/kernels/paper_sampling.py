"""The paper's own scheme: k links and k non-links of each node, drawn uniformly, anew in each step.

A node with fewer than k links takes all of them and more non-links, and the other way round, so that it draws 2k pairs
wherever the network has that many. A drawn pair moves both of its nodes: the gradient is that of the likelihood of the
drawn pairs.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from netgiven.kernels.arrays import LinkRows, ListedLogOdds, ModelArrays, RandomKey, RepulsionSums
from netgiven.kernels.csr import row_contains
from netgiven.kernels.fastmath import CERTAIN32, log1p, sigmoid_parts
from netgiven.kernels.jit import inlined, kernel
from netgiven.kernels.prior_logit import listed_value_of, position_log_odds_of, unlisted_log_odds_of
from netgiven.kernels.random import stream, uniform
from netgiven.types import Float32Array, Int32Array, Int64Array

f32 = np.float32


class DrawnPairs(NamedTuple):
    """The nodes that each node has drawn: `node[indptr[i]:indptr[i + 1]]`, of which the first `linked[i]` are links.

    A drawn pair moves both of its nodes, so the reverse index is kept too: `owner[place]` drew `node[place]`, and node
    j was drawn at the places `places[back[j]:back[j + 1]]`. A link that i has drawn has the weight `link_weight[i]`,
    another pair `other_weight[i]`. `listed[place]` is the prior's listed term of the pair.
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
def draw_links(start: Any, row: Any, count: Any, out: Any) -> Any:
    """Draw `count` distinct neighbours, by the first steps of a shuffle; return how many random numbers were used."""
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
def draw_non_links(start: Any, used: Any, i: Any, links: LinkRows, out: Any) -> None:
    """Draw nodes that i is not linked to, uniformly with replacement; each of them once if they exactly fill `out`."""
    nodes = len(links.indptr) - 1
    if len(out) == nodes - 1 - (links.indptr[i + 1] - links.indptr[i]):
        s = 0
        for j in range(nodes):
            if j != i and not row_contains(links, i, j):
                out[s] = j
                s += 1
        return
    for s in range(len(out)):
        j = i
        while j == i or row_contains(links, i, j):
            j = int(uniform(start, used) * nodes)
            used += 1
        out[s] = j


@kernel
def draw_pairs(start: int, stop: int, key: RandomKey, links: LinkRows, pairs: DrawnPairs) -> None:
    """Draw the pairs of the nodes in [start, stop): `linked[i]` links of node i, then non-links."""
    for i in range(start, stop):
        row = links.indices[links.indptr[i] : links.indptr[i + 1]]
        places = pairs.node[pairs.indptr[i] : pairs.indptr[i + 1]]
        begin = stream(key.seed, key.step, i)
        used = draw_links(begin, row, pairs.linked[i], places)
        draw_non_links(begin, used, i, links, places[pairs.linked[i] :])


@kernel
def fill_listed(start: int, stop: int, listed: ListedLogOdds, pairs: DrawnPairs) -> None:
    """Fill in the listed term of the pairs that the nodes in [start, stop) have drawn."""
    for i in range(start, stop):
        for place in range(pairs.indptr[i], pairs.indptr[i + 1]):
            pairs.listed[place] = listed_value_of(listed, i, pairs.node[place])


@kernel
def fill_reverse(pairs: DrawnPairs) -> None:
    """Fill in the reverse index, `back` and `places`, by a counting sort."""
    pairs.back[:] = 0
    for j in pairs.node:
        pairs.back[j + 1] += 1
    for j in range(1, len(pairs.back)):
        pairs.back[j] += pairs.back[j - 1]
    filled = pairs.back[:-1].copy()
    for place in range(len(pairs.node)):
        j = pairs.node[place]
        pairs.places[filled[j]] = place
        filled[j] += 1


@inlined
def add_pair_gradient(i: Any, j: Any, place: Any, pairs: DrawnPairs, model: ModelArrays, repulsion: Any) -> Any:
    """Add w (sigmoid(z_ij) - a_ij) (x_i - x_j, y_j) to repulsion_i for the pair at `place`; return -w log P(a_ij).

    -log P(a_ij) is softplus(z_ij), or softplus(-z_ij) for a link, written out because it shares exp(-|z|) with the
    sigmoid and is not cut off for certain links.
    """
    prior, positions, owner = model.prior, model.positions, pairs.owner[place]
    link = place < pairs.indptr[owner] + pairs.linked[owner]
    weight = pairs.link_weight[owner] if link else pairs.other_weight[owner]
    known = unlisted_log_odds_of(prior, i, j) + pairs.listed[place]
    z = known + (position_log_odds_of(model, i, j) if abs(known) < CERTAIN32 else f32(0.0))
    t, q = sigmoid_parts(z)
    probability = q if z >= f32(0.0) else t * q
    force = weight * (probability - (f32(1.0) if link else f32(0.0)))
    near = positions.shape[1] - model.repelling
    for k in range(near):
        repulsion[i, k] += force * (positions[i, k] - positions[j, k])
    for k in range(near, positions.shape[1]):
        repulsion[i, k] += force * positions[j, k]
    return weight * (max(-z if link else z, f32(0.0)) + log1p(t))


@kernel
def sum_drawn_pairs(start: int, stop: int, pairs: DrawnPairs, model: ModelArrays, sums: RepulsionSums) -> None:
    """repulsion_i = sum of w (sigmoid(z_ij) - a_ij) (x_i - x_j, y_j) over all drawn pairs with i, and
    softplus_i = -sum of w log P(a_ij) over those that i has drawn; for i in [start, stop).
    """
    for i in range(start, stop):
        sums.repulsion[i] = f32(0.0)
        total = 0.0
        for place in range(pairs.indptr[i], pairs.indptr[i + 1]):
            total += add_pair_gradient(i, pairs.node[place], place, pairs, model, sums.repulsion)
        for entry in range(pairs.back[i], pairs.back[i + 1]):
            place = pairs.places[entry]
            add_pair_gradient(i, pairs.owner[place], place, pairs, model, sums.repulsion)
        sums.softplus[i] = total
