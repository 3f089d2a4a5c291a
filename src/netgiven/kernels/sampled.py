"""The sampled repulsion: each node against few others, drawn in proportion to the prior's expected degrees.

A block of nodes shares its sample, so that the repulsion is the dense inner loop of the exact kernel over a small
table that stays in the cache. A drawn node j weighs 1 / (K q_j), which makes sum_j w_j sigmoid(z_ij) (x_i - x_j)
unbiased.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from netgiven.kernels.arrays import Address, Doubles, Floats, Numbers, Scene, Sums
from netgiven.kernels.compiling import inlined, kernel
from netgiven.kernels.randomness import stream, uniform
from netgiven.kernels.repulsion import Table, offsets, repel

BLOCK = 256  # nodes that share a sample


class Proposal(NamedTuple):
    """A distribution over nodes: cumulative chances, and a guide to where in it to look."""

    cumulative: Doubles
    guide: Numbers  # guide[b]: the first node whose cumulative chance exceeds b / len(guide)


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
def draw_blocks(start: int, stop: int, address: Address, proposal: Proposal, drawn: Numbers) -> None:
    """The sample of each block in [start, stop), one row a block."""
    for block in range(start, stop):
        draw(stream(address.seed, address.step, block), proposal, drawn[block])


@kernel
def repel_sampled(start: int, stop: int, drawn: Numbers, weights: Floats, scene: Scene, sums: Sums) -> None:
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
