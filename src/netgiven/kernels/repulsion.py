"""Repulsion between nodes: over all pairs, over a sample of them, and the correction for listed pairs.

The exact and the sampled kernel share the inner loop `repel`, of one node against a table of others. A table holds
positions dimension by dimension (`positions[k, s]`), so that the loops run over s and fill vector registers.

Where dimensions repel, the sums leave out the pair of a node with itself. Without such dimensions that pair has no
direction and a constant value, and it is cheaper to count it and to subtract the constant in the end.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from netgiven.kernels.arrays import ModelArrays, NodeTables, PriorArrays, RandomKey, RepulsionSums
from netgiven.kernels.fastmath import sigmoid_softplus, sigmoid_softplus_with
from netgiven.kernels.jit import inlined, kernel
from netgiven.kernels.prior_logit import position_log_odds_of, unlisted_log_odds_of
from netgiven.kernels.random import stream, uniform
from netgiven.types import Float32Array, Float64Array, Int32Array

f32 = np.float32


class TableView(NamedTuple):
    """The other nodes s of one table, as `repel` takes them."""

    positions: Any  # (dimensions, length)
    offset: Any  # what the prior adds for s: its multiplier, and the table of groups
    right: Any  # (terms, length)
    weight: Any


@inlined
def prior_offsets(group: Any, prior_table: Any, node: Any, groups: Any, out: Any) -> None:
    """out_s = node_s + prior_table[group, groups_s]: what the prior adds for each node of a table."""
    if len(prior_table) == 1:
        for s in range(len(out)):
            out[s] = node[s] + prior_table[0, 0]
    else:
        row = prior_table[group]
        for s in range(len(out)):
            out[s] = node[s] + row[groups[s]]


@inlined
def add_prior(i: Any, prior: PriorArrays, offset: Any, right: Any, out: Any) -> None:
    """out_s = node_i + offset_s + left_i . right_s: the prior's log-odds of node i and those of a table."""
    own = prior.node[i]
    for s in range(len(out)):
        out[s] = own + offset[s]
    for r in range(len(right)):
        factor = prior.left[r, i]
        for s in range(len(out)):
            out[s] += factor * right[r, s]


@inlined
def weigh_probabilities(model: ModelArrays, weight: Any, products: Any, probability: Any) -> Any:
    """Turn log-odds without reach and products into w_s sigmoid(z_s), in place; return sum_s w_s softplus(z_s)."""
    total = f32(0.0)
    if model.repelling:
        stiffness = f32(2.0) * model.half_stiffness
        for s in range(len(products)):
            p, softplus = sigmoid_softplus_with(probability[s] + model.reach, -stiffness * products[s])
            probability[s] = weight[s] * p
            total += weight[s] * softplus
    else:
        for s in range(len(probability)):
            p, softplus = sigmoid_softplus(probability[s] + model.reach)
            probability[s] = weight[s] * p
            total += weight[s] * softplus
    return total


@inlined
def repel(i: Any, model: ModelArrays, table: TableView, probability: Any, products: Any, repulsion: Any) -> Any:
    """Add sum_s w_s sigmoid(z_s) (x_i - x_s, y_s) to `repulsion` and return sum_s w_s softplus(z_s).

    z_s = node_i + offset_s + left_i . right_s - half_stiffness (|x_i - x_s|^2 + 2 y_i . y_s) + reach is added up in the
    buffer `probability`, and then replaced by w_s sigmoid(z_s). The prior comes first: where it is certain, its terms
    are large numbers that cancel exactly. Products y_i . y_s, which have no bound, have a buffer of their own, so that
    none of them makes a pair look certain; it is empty if no dimension repels.
    """
    position, count, others = model.positions[i], len(probability), table.positions
    near = len(position) - model.repelling
    # Log-odds without the reach, four dimensions at a time.
    add_prior(i, model.prior, table.offset, table.right, probability)
    for k in range(0, near, 4):
        a, b, c, d = position[k], position[k + 1], position[k + 2], position[k + 3]
        for s in range(count):
            da, db, dc, dd = a - others[k, s], b - others[k + 1, s], c - others[k + 2, s], d - others[k + 3, s]
            probability[s] -= model.half_stiffness * (da * da + db * db + dc * dc + dd * dd)
    for s in range(len(products)):
        products[s] = f32(0.0)
    for k in range(near, len(position), 4):
        a, b, c, d = position[k], position[k + 1], position[k + 2], position[k + 3]
        for s in range(len(products)):
            products[s] += a * others[k, s] + b * others[k + 1, s] + c * others[k + 2, s] + d * others[k + 3, s]
    total = weigh_probabilities(model, table.weight, products, probability)
    # The vector sum, again four dimensions at a time.
    for k in range(0, near, 4):
        a, b, c, d = position[k], position[k + 1], position[k + 2], position[k + 3]
        sa, sb, sc, sd = f32(0.0), f32(0.0), f32(0.0), f32(0.0)
        for s in range(count):
            sa += probability[s] * (a - others[k, s])
            sb += probability[s] * (b - others[k + 1, s])
            sc += probability[s] * (c - others[k + 2, s])
            sd += probability[s] * (d - others[k + 3, s])
        repulsion[k] += sa
        repulsion[k + 1] += sb
        repulsion[k + 2] += sc
        repulsion[k + 3] += sd
    for k in range(near, len(position), 4):
        sa, sb, sc, sd = f32(0.0), f32(0.0), f32(0.0), f32(0.0)
        for s in range(count):
            sa += probability[s] * others[k, s]
            sb += probability[s] * others[k + 1, s]
            sc += probability[s] * others[k + 2, s]
            sd += probability[s] * others[k + 3, s]
        repulsion[k] += sa
        repulsion[k + 1] += sb
        repulsion[k + 2] += sc
        repulsion[k + 3] += sd
    return total


@inlined
def leave_out_self(i: Any, weight: Any, model: ModelArrays, sums: RepulsionSums) -> None:
    """Subtract the pair of node i with itself, which was counted with this weight."""
    dimensions = model.positions.shape[1]
    p, softplus = sigmoid_softplus_with(unlisted_log_odds_of(model.prior, i, i), position_log_odds_of(model, i, i))
    for k in range(dimensions - model.repelling, dimensions):
        sums.repulsion[i, k] -= weight * p * model.positions[i, k]
    sums.softplus[i] -= weight * softplus


# ---- The exact repulsion: each node of a range against all nodes -----------------------------------------------------


@kernel
def repel_all(start: int, stop: int, model: ModelArrays, tables: NodeTables, sums: RepulsionSums) -> None:
    """repulsion_i = sum_j sigmoid(z_ij) (x_i - x_j, y_j) and softplus_i = sum_j softplus(z_ij) over all nodes j.

    For i in [start, stop), without the listed term; j = i is included unless dimensions repel. Tables are the outer
    loop: one table stays in the first-level cache while all nodes of the range are compared with it.
    """
    prior, length = model.prior, tables.node.shape[1]
    offset = np.empty(length, np.float32)
    probability = np.empty(length, np.float32)
    products = np.empty(length if model.repelling else 0, np.float32)
    sums.repulsion[start:stop] = 0.0
    sums.softplus[start:stop] = 0.0
    for t in range(len(tables.node)):
        table = TableView(tables.positions[t], offset, tables.right[t], tables.weight[t])
        offset_group = -1  # the group that `offset` was computed for
        for i in range(start, stop):
            if prior.group[i] != offset_group:
                offset_group = prior.group[i]
                prior_offsets(offset_group, prior.table, tables.node[t], tables.group[t], offset)
            sums.softplus[i] += repel(i, model, table, probability, products, sums.repulsion[i])
    if model.repelling:
        for i in range(start, stop):
            leave_out_self(i, f32(1.0), model, sums)


# ---- The sampled repulsion: each node against few others, drawn in proportion to the prior's expected degrees --------
#
# A block of nodes shares its sample, so that the repulsion is the dense inner loop of the exact kernel over a small
# table that stays in the cache. A drawn node j has weight 1 / (K q_j), where q_j is the probability of drawing it and K
# the size of the sample: so sum_j w_j sigmoid(z_ij) (x_i - x_j) is an unbiased estimate of the exact sum.


BLOCK = 256  # nodes that share a sample


class Proposal(NamedTuple):
    """A distribution over nodes: cumulative probabilities, and a guide table for drawing in constant time."""

    cumulative: Float64Array
    guide: Int32Array  # guide[b]: the first node whose cumulative probability exceeds b / len(guide)


def make_proposal(weights: npt.NDArray[np.floating]) -> Proposal:
    """The distribution over nodes in proportion to `weights`.

    >>> make_proposal(np.array([1.0, 0.0, 3.0])).cumulative.tolist()
    [0.25, 0.25, 1.0]
    """
    cumulative = np.cumsum(weights, dtype=np.float64)
    cumulative /= cumulative[-1]
    marks = np.arange(len(weights)) / len(weights)
    return Proposal(cumulative, np.searchsorted(cumulative, marks, side="right").astype(np.int32))


@inlined
def draw_nodes(start: Any, proposal: Proposal, out: Any) -> None:
    """Fill `out` with nodes by stratified sampling: one from each of len(out) equal slices of the proposal."""
    count, guides, last = len(out), len(proposal.guide), len(proposal.cumulative) - 1
    for s in range(count):
        mark = (s + uniform(start, s)) / count
        node = proposal.guide[min(int(mark * guides), guides - 1)]
        while node < last and proposal.cumulative[node] <= mark:
            node += 1
        out[s] = node


@kernel
def draw_blocks(start: int, stop: int, key: RandomKey, proposal: Proposal, drawn: Int32Array) -> None:
    """Draw the sample of each block in [start, stop): one row per block."""
    for block in range(start, stop):
        draw_nodes(stream(key.seed, key.step, block), proposal, drawn[block])


@kernel
def repel_sampled(
    start: int, stop: int, drawn: Int32Array, weights: Float32Array, model: ModelArrays, sums: RepulsionSums
) -> None:
    """The sums of `repel_all`, estimated from the sample of each node's block, for the blocks in [start, stop)."""
    prior, positions = model.prior, model.positions
    count, dimensions = drawn.shape[1], positions.shape[1]
    node, group = np.empty(count, np.float32), np.empty(count, np.int32)
    probability = np.empty(count, np.float32)
    products = np.empty(count if model.repelling else 0, np.float32)
    right = np.empty((len(prior.right), count), np.float32)
    offset, weight = np.empty(count, np.float32), np.empty(count, np.float32)
    table = TableView(np.empty((dimensions, count), np.float32), offset, right, weight)
    for block in range(start, stop):
        # The drawn nodes become a table.
        for s in range(count):
            j = drawn[block, s]
            node[s], group[s], table.weight[s] = prior.node[j], prior.group[j], weights[j]
            for k in range(dimensions):
                table.positions[k, s] = positions[j, k]
            for r in range(len(right)):
                right[r, s] = prior.right[r, j]
        # All nodes of the block against it.
        offset_group = -1
        for i in range(block * BLOCK, min((block + 1) * BLOCK, len(positions))):
            if prior.group[i] != offset_group:
                offset_group = prior.group[i]
                prior_offsets(offset_group, prior.table, node, group, table.offset)
            sums.repulsion[i] = 0.0
            sums.softplus[i] = repel(i, model, table, probability, products, sums.repulsion[i])
        if model.repelling:
            for s in range(count):
                if drawn[block, s] // BLOCK == block:
                    leave_out_self(drawn[block, s], table.weight[s], model, sums)


# ---- Listed pairs: the repulsion is computed without the listed term, and corrected here, pair by pair ---------------
#
# So the dense loops have no exceptions, and a sampled repulsion stays unbiased: the sample estimates the sum without
# the listed term, and the correction is exact.


@kernel
def correct_listed(start: int, stop: int, model: ModelArrays, sums: RepulsionSums) -> None:
    """Add to the sums of the nodes in [start, stop) what the listed term changes in them."""
    prior, positions, listed = model.prior, model.positions, model.prior.listed
    dimensions, near = positions.shape[1], positions.shape[1] - model.repelling
    for i in range(start, stop):
        for place in range(listed.indptr[i], listed.indptr[i + 1]):
            j = listed.indices[place]
            unlisted, gained = unlisted_log_odds_of(prior, i, j), position_log_odds_of(model, i, j)
            p_before, softplus_before = sigmoid_softplus(unlisted + gained)
            p, softplus = sigmoid_softplus((unlisted + listed.value[place]) + gained)
            for k in range(near):
                sums.repulsion[i, k] += (p - p_before) * (positions[i, k] - positions[j, k])
            for k in range(near, dimensions):
                sums.repulsion[i, k] += (p - p_before) * positions[j, k]
            sums.softplus[i] += softplus - softplus_before
