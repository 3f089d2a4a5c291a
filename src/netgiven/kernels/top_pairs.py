"""The pairs with the largest log-odds that are not links yet, without ever holding all pairs."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from netgiven.kernels.arrays import Links, ListedPairs, Scene, Tables
from netgiven.kernels.jit import inlined, kernel
from netgiven.kernels.repulsion import BLOCK, add_known, offsets
from netgiven.types import Float32Array, Int32Array


class Heaps(NamedTuple):
    """The best pairs of each block of rows so far, smallest first as heaps are."""

    score: Float32Array
    first: Int32Array
    second: Int32Array


@inlined
def take_distances(position: Any, half_stiffness: Any, table: Any, out: Any) -> None:
    """Subtract half_stiffness |x - x_s|^2 from out_s: then it is the log-odds less the reach, which all pairs share."""
    for k in range(len(position)):
        a = position[k]
        for s in range(len(out)):
            out[s] -= half_stiffness * (a - table[k, s]) ** 2


@inlined
def add_listed(listed: ListedPairs, place: Any, last: Any, begin: Any, out: Any) -> Any:
    """Add what is listed for the nodes of the table that begins with node `begin`; return the place where it ends."""
    while place < last and listed.indices[place] < begin:
        place += 1
    while place < last and listed.indices[place] < begin + len(out):
        out[listed.indices[place] - begin] += listed.value[place]
        place += 1
    return place


@inlined
def rule_out_links(links: Links, place: Any, last: Any, begin: Any, out: Any) -> Any:
    """The same for links, which get minus infinity."""
    while place < last and links.indices[place] < begin:
        place += 1
    while place < last and links.indices[place] < begin + len(out):
        out[links.indices[place] - begin] = -np.inf
        place += 1
    return place


@inlined
def replace_smallest(heap: Heaps, score: Any, i: Any, j: Any) -> None:
    """Put a pair in place of the smallest of a heap."""
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
def top_pairs(start: int, stop: int, scene: Scene, tables: Tables, links: Links, heaps: Heaps) -> None:
    """For each block of rows in [start, stop): a heap of its pairs i < j with the largest log-odds, links left out."""
    prior, positions, listed, length = scene.prior, scene.positions, scene.prior.listed, tables.node.shape[1]
    offset, z = np.empty(length, np.float32), np.empty(length, np.float32)
    for block in range(start, stop):
        heap = Heaps(heaps.score[block], heaps.first[block], heaps.second[block])
        heap.score[:] = -np.inf
        for i in range(block * BLOCK, min((block + 1) * BLOCK, len(positions))):
            place, entry = links.indptr[i], listed.indptr[i]
            for t in range(i // length, len(tables.node)):
                begin = t * length
                offsets(prior.group[i], prior.table, tables.node[t], tables.group[t], offset)
                add_known(i, prior, offset, tables.right[t], z)
                entry = add_listed(listed, entry, listed.indptr[i + 1], begin, z)
                take_distances(positions[i], scene.half_stiffness, tables.positions[t], z)
                place = rule_out_links(links, place, links.indptr[i + 1], begin, z)
                for s in range(max(0, i + 1 - begin), min(length, len(positions) - begin)):
                    if z[s] > heap.score[0]:
                        replace_smallest(heap, z[s], i, begin + s)
