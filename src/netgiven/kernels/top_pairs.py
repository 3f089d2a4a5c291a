"""The pairs with the largest log-odds that are not links, without holding all pairs in memory."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from netgiven.kernels.arrays import LANES, LinkRows, ListedLogOdds, ModelArrays, NodeTables
from netgiven.kernels.csr import row_contains
from netgiven.kernels.jit import inlined, kernel
from netgiven.kernels.repulsion import BLOCK, add_prior, prior_offsets
from netgiven.types import Float32Array, Float64Array, Int32Array, Int64Array


class Heaps(NamedTuple):
    """For each block of rows, a binary heap of its best pairs so far, with the smallest score on top."""

    score: Float32Array
    first: Int32Array
    second: Int32Array


@inlined
def subtract_distances(position: Any, half_stiffness: Any, table: Any, out: Any) -> None:
    """Subtract half_stiffness |x - x_s|^2 from out_s, which completes the log-odds but for the reach, equal for all."""
    for k in range(len(position)):
        a = position[k]
        for s in range(len(out)):
            out[s] -= half_stiffness * (a - table[k, s]) ** 2


@inlined
def add_listed(listed: ListedLogOdds, place: Any, last: Any, begin: Any, out: Any) -> Any:
    """Add the listed term of the nodes of the table that begins with node `begin`; return the place where it ends."""
    while place < last and listed.indices[place] < begin:
        place += 1
    while place < last and listed.indices[place] < begin + len(out):
        out[listed.indices[place] - begin] += listed.value[place]
        place += 1
    return place


@inlined
def exclude_links(links: LinkRows, place: Any, last: Any, begin: Any, out: Any) -> Any:
    """Set the log-odds of links to minus infinity; return the place where those of the table end."""
    while place < last and links.indices[place] < begin:
        place += 1
    while place < last and links.indices[place] < begin + len(out):
        out[links.indices[place] - begin] = -np.inf
        place += 1
    return place


@inlined
def replace_smallest(heap: Heaps, score: Any, i: Any, j: Any) -> None:
    """Replace the smallest pair of a heap."""
    place, count = 0, len(heap.score)
    while True:
        child = 2 * place + 1
        if child >= count:
            break
        if child + 1 < count and heap.score[child + 1] < heap.score[child]:
            child += 1
        if heap.score[child] >= score:
            break
        heap.score[place] = heap.score[child]
        heap.first[place], heap.second[place] = heap.first[child], heap.second[child]
        place = child
    heap.score[place], heap.first[place], heap.second[place] = score, i, j


@kernel
def top_pairs(start: int, stop: int, model: ModelArrays, tables: NodeTables, links: LinkRows, heaps: Heaps) -> None:
    """Fill the heap of each block of rows in [start, stop) with its likeliest pairs i < j that are not links."""
    prior, positions, listed, length = model.prior, model.positions, model.prior.listed, tables.node.shape[1]
    offset, z = np.empty(length, np.float32), np.empty(length, np.float32)
    for block in range(start, stop):
        heap = Heaps(heaps.score[block], heaps.first[block], heaps.second[block])
        heap.score[:] = -np.inf
        for i in range(block * BLOCK, min((block + 1) * BLOCK, len(positions))):
            place, entry = links.indptr[i], listed.indptr[i]
            for t in range(i // length, len(tables.node)):
                begin = t * length
                prior_offsets(prior.group[i], prior.table, tables.node[t], tables.group[t], offset)
                add_prior(i, prior, offset, tables.right[t], z)
                entry = add_listed(listed, entry, listed.indptr[i + 1], begin, z)
                subtract_distances(positions[i], model.half_stiffness, tables.positions[t], z)
                place = exclude_links(links, place, links.indptr[i + 1], begin, z)
                for s in range(max(0, i + 1 - begin), min(length, len(positions) - begin)):
                    if z[s] > heap.score[0]:
                        replace_smallest(heap, z[s], i, begin + s)


# ---- pairs of two bands ----------------------------------------------------------------------------------------------


class BandArrays(NamedTuple):
    """Some nodes of a group, largest bound first: log-odds of i and j are at most bound_i + bound_j + most."""

    nodes: Int64Array
    bound: Float64Array
    own: Float64Array  # multipliers in the prior
    positions: Float32Array  # (nodes, dimensions)
    left: Float32Array  # (nodes, terms)
    right: Float32Array


@inlined
def product_of(left: Any, right: Any) -> Any:
    """left . right, in float64: terms may be long and opposed."""
    total = 0.0
    for k in range(len(left)):
        total += np.float64(left[k]) * np.float64(right[k])
    return total


@inlined
def exceeds(one: Any, other: Any, room: Any) -> Any:
    """Whether the squared distance of two positions exceeds `room`; distances are summed only as far as that takes."""
    distance = np.float32(0.0)
    for begin in range(0, len(one), LANES):
        for k in range(begin, begin + LANES):
            distance += (one[k] - other[k]) ** 2
        if distance > room:
            return True
    return False


@kernel
def pairs_above(
    begin: int,
    few: BandArrays,
    many: BandArrays,
    most: float,
    half_stiffness: float,
    floor: float,
    links: LinkRows,
    found: tuple[Int64Array, Int64Array],
) -> tuple[int, int]:
    """Find the pairs of two bands that are not links and whose log-odds are not below `floor`, listed terms aside.

    `most` is the log-odds that all pairs of the bands share: those of their groups, and the reach. The bands are
    different, or the same one. Both are sorted, so a row ends at the first node whose bound is too low, and the search
    at the first such row.

    Returns
    -------
    row, count
        The row of `few` that comes next, which is before the end if `found` is full, and the number of pairs found.
    """
    first, second = found
    count, same = 0, few.nodes[0] == many.nodes[0]
    for i in range(begin, len(few.nodes)):
        row, need = count, floor - most - few.bound[i]
        for j in range(i + 1 if same else 0, len(many.nodes)):
            if many.bound[j] < need:
                break
            room = few.own[i] + many.own[j] + most + product_of(few.left[i], many.right[j]) - floor
            if room < 0 or exceeds(few.positions[i], many.positions[j], room / half_stiffness):
                continue
            if row_contains(links, few.nodes[i], many.nodes[j]):
                continue
            if count == len(first):
                return i, row
            first[count], second[count] = few.nodes[i], many.nodes[j]
            count += 1
    return len(few.nodes), count
