"""One node against a table of others: the inner loop that the exact and the sampled kernel share.

A table holds positions dimension by dimension (`positions[k, s]`), so that the loops run over s and fill vector
registers.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from netgiven.kernels.arrays import Address, PriorArrays, Scene, Sums, Tables
from netgiven.kernels.fastmath import exp_negative, log_one_plus
from netgiven.kernels.jit import inlined, kernel
from netgiven.kernels.prior_logit import nearness, unlisted_of
from netgiven.kernels.random import stream, uniform
from netgiven.types import Float32Array, Float64Array, Int32Array

f32 = np.float32

SURE = f32(512.0)  # log-odds that only a pair has of which the prior is certain, however far apart its nodes lie


class Table(NamedTuple):
    """Nodes to be seen from one node: positions by dimension, what the prior adds and multiplies, and weights."""

    positions: Any
    offset: Any
    right: Any
    weight: Any


@inlined
def offsets(group: Any, prior_table: Any, node: Any, groups: Any, out: Any) -> None:
    """What the prior adds for each node of a table, seen from a node of `group`."""
    if len(prior_table) == 1:
        for s in range(len(out)):
            out[s] = node[s] + prior_table[0, 0]
    else:
        row = prior_table[group]
        for s in range(len(out)):
            out[s] = node[s] + row[groups[s]]


@inlined
def add_known(i: Any, prior: PriorArrays, offset: Any, right: Any, out: Any) -> None:
    """out_s = own + offset_s + left_i . right_s: what the prior knows of node i and those of a table."""
    own = prior.node[i]
    for s in range(len(out)):
        out[s] = own + offset[s]
    for r in range(len(right)):
        factor = prior.left[r, i]
        for s in range(len(out)):
            out[s] += factor * right[r, s]


@inlined
def repel(i: Any, scene: Scene, table: Table, chance: Any, push: Any) -> Any:
    """Add sum_s w_s sigmoid(z_s) (x_i - x_s) to `push` and return sum_s w_s softplus(z_s).

    z_s = own + offset_s + left_i . right_s - half_stiffness |x_i - x_s|^2 + reach grows in the buffer `chance`, and
    becomes sigmoid(z_s). What the prior adds for both nodes comes first: where it is certain these are large numbers
    that cancel exactly. A certain link is no surprise: its softplus(z) = z, which the link itself would take back, is
    left out.
    """
    position, count, others, weight = scene.positions[i], len(chance), table.positions, table.weight
    add_known(i, scene.prior, table.offset, table.right, chance)
    for k in range(0, len(position), 4):
        a, b, c, d = position[k], position[k + 1], position[k + 2], position[k + 3]
        for s in range(count):
            da, db, dc, dd = a - others[k, s], b - others[k + 1, s], c - others[k + 2, s], d - others[k + 3, s]
            chance[s] -= scene.half_stiffness * (da * da + db * db + dc * dc + dd * dd)
    surprise = f32(0.0)
    for s in range(count):
        z = chance[s] + scene.reach
        small = exp_negative(-abs(z))
        likely = f32(1.0) / (f32(1.0) + small)
        chance[s] = weight[s] * (likely if z >= f32(0.0) else small * likely)
        surprise += weight[s] * ((z if f32(0.0) < z < SURE else f32(0.0)) + log_one_plus(small))
    for k in range(0, len(position), 4):
        a, b, c, d = position[k], position[k + 1], position[k + 2], position[k + 3]
        sa, sb, sc, sd = f32(0.0), f32(0.0), f32(0.0), f32(0.0)
        for s in range(count):
            sa += chance[s] * (a - others[k, s])
            sb += chance[s] * (b - others[k + 1, s])
            sc += chance[s] * (c - others[k + 2, s])
            sd += chance[s] * (d - others[k + 3, s])
        push[k] += sa
        push[k + 1] += sb
        push[k + 2] += sc
        push[k + 3] += sd
    return surprise


# ---- The exact repulsion: each node of a range against all nodes -----------------------------------------------------


@kernel
def repel_all(start: int, stop: int, scene: Scene, tables: Tables, sums: Sums) -> None:
    """push_i = sum_j sigmoid(z_ij) (x_i - x_j) and surprise_i = sum_j softplus(z_ij), j = i included, i in [start,
    stop); nothing is listed.

    Tables are the outer loop: one stays in the first-level cache while all nodes of the range pass by.
    """
    prior, length = scene.prior, tables.node.shape[1]
    offset = np.empty(length, np.float32)
    chance = np.empty(length, np.float32)
    sums.push[start:stop] = 0.0
    sums.surprise[start:stop] = 0.0
    for t in range(len(tables.node)):
        table = Table(tables.positions[t], offset, tables.right[t], tables.weight[t])
        seen_from = -1
        for i in range(start, stop):
            if prior.group[i] != seen_from:
                seen_from = prior.group[i]
                offsets(seen_from, prior.table, tables.node[t], tables.group[t], offset)
            sums.surprise[i] += repel(i, scene, table, chance, sums.push[i])


# ---- The sampled repulsion: each node against few others, drawn in proportion to the prior's expected degrees --------
#
# A block of nodes shares its sample, so that the repulsion is the dense inner loop of the exact kernel over a small
# table that stays in the cache. A drawn node j weighs 1 / (K q_j), which makes sum_j w_j sigmoid(z_ij) (x_i - x_j)
# unbiased.


BLOCK = 256  # nodes that share a sample


class Proposal(NamedTuple):
    """A distribution over nodes: cumulative chances, and a guide to where in it to look."""

    cumulative: Float64Array
    guide: Int32Array  # guide[b]: the first node whose cumulative chance exceeds b / len(guide)


def propose(chances: npt.NDArray[np.floating]) -> Proposal:
    """A proposal in proportion to `chances`, ready for drawing in constant time.

    >>> propose(np.array([1.0, 0.0, 3.0])).cumulative.tolist()
    [0.25, 0.25, 1.0]
    """
    cumulative = np.cumsum(chances, dtype=np.float64)
    cumulative /= cumulative[-1]
    marks = np.arange(len(chances)) / len(chances)
    return Proposal(cumulative, np.searchsorted(cumulative, marks, side="right").astype(np.int32))


@inlined
def draw(start: Any, proposal: Proposal, out: Any) -> None:
    """Fill `out` with nodes, one from each of len(out) equal slices of the proposal."""
    count, guides, last = len(out), len(proposal.guide), len(proposal.cumulative) - 1
    for s in range(count):
        mark = (s + uniform(start, s)) / count
        node = proposal.guide[min(int(mark * guides), guides - 1)]
        while node < last and proposal.cumulative[node] <= mark:
            node += 1
        out[s] = node


@kernel
def draw_blocks(start: int, stop: int, address: Address, proposal: Proposal, drawn: Int32Array) -> None:
    """The sample of each block in [start, stop), one row a block."""
    for block in range(start, stop):
        draw(stream(address.seed, address.step, block), proposal, drawn[block])


@kernel
def repel_sampled(start: int, stop: int, drawn: Int32Array, weights: Float32Array, scene: Scene, sums: Sums) -> None:
    """push_i and surprise_i as in `all_pairs`, estimated from the sample of i's block, for the blocks in [start,
    stop); nothing is listed.
    """
    prior, positions = scene.prior, scene.positions
    count, dimensions = drawn.shape[1], positions.shape[1]
    node, group = np.empty(count, np.float32), np.empty(count, np.int32)
    chance = np.empty(count, np.float32)
    right = np.empty((len(prior.right), count), np.float32)
    offset, weight = np.empty(count, np.float32), np.empty(count, np.float32)
    table = Table(np.empty((dimensions, count), np.float32), offset, right, weight)
    for block in range(start, stop):
        for s in range(count):
            j = drawn[block, s]
            node[s], group[s], table.weight[s] = prior.node[j], prior.group[j], weights[j]
            for k in range(dimensions):
                table.positions[k, s] = positions[j, k]
            for r in range(len(right)):
                right[r, s] = prior.right[r, j]
        seen_from = -1
        for i in range(block * BLOCK, min((block + 1) * BLOCK, len(positions))):
            if prior.group[i] != seen_from:
                seen_from = prior.group[i]
                offsets(seen_from, prior.table, node, group, table.offset)
            sums.push[i] = 0.0
            sums.surprise[i] = repel(i, scene, table, chance, sums.push[i])


# ---- Listed pairs: the repulsion is computed as if nothing were listed, and put right here, pair by pair -------------
#
# So the dense loops stay free of exceptions, and a sampled repulsion stays unbiased: the sample estimates the sum
# without the list, the correction is exact.


@inlined
def chance_and_surprise(z: Any) -> Any:
    """sigmoid(z) and softplus(z), which is left out for a certain link, as everywhere."""
    small = exp_negative(-abs(z))
    likely = f32(1.0) / (f32(1.0) + small)
    surprise = (z if f32(0.0) < z < SURE else f32(0.0)) + log_one_plus(small)
    return (likely if z >= f32(0.0) else small * likely), surprise


@kernel
def correct_listed(start: int, stop: int, scene: Scene, sums: Sums) -> None:
    """Add to push_i and surprise_i, i in [start, stop), what the listed pairs change in them."""
    prior, positions, listed = scene.prior, scene.positions, scene.prior.listed
    for i in range(start, stop):
        for place in range(listed.indptr[i], listed.indptr[i + 1]):
            j = listed.indices[place]
            known, near = unlisted_of(prior, i, j), nearness(scene, i, j)
            chance_before, surprise_before = chance_and_surprise(known + near)
            chance, surprise = chance_and_surprise((known + listed.value[place]) + near)
            for k in range(positions.shape[1]):
                sums.push[i, k] += (chance - chance_before) * (positions[i, k] - positions[j, k])
            sums.surprise[i] += surprise - surprise_before
