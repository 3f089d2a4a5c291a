"""The pairs with the largest log-odds that are not links yet, without ever holding all pairs."""

from __future__ import annotations

from typing import Any

import numpy as np

from netgiven.kernels.arrays import Floats, Links, Numbers, PriorArrays, Tables
from netgiven.kernels.compiling import inlined, kernel
from netgiven.kernels.repulsion import offsets
from netgiven.kernels.sampled import BLOCK

f32 = np.float32


@inlined
def log_odds_of_table(position: Any, base: Any, half_stiffness: Any, table: Any, offset: Any, out: Any) -> None:
    """out_s = base + offset_s - half_stiffness |x - x_s|^2."""
    for s in range(len(out)):
        out[s] = base + offset[s]
    for k in range(len(position)):
        a = position[k]
        for s in range(len(out)):
            out[s] -= half_stiffness * (a - table[k, s]) ** 2


@inlined
def sift(scores: Any, first: Any, second: Any, score: Any, i: Any, j: Any) -> None:
    """Replace the smallest entry of a heap."""
    place = 0
    while True:
        child = 2 * place + 1
        if child >= len(scores):
            break
        if child + 1 < len(scores) and scores[child + 1] < scores[child]:
            child += 1
        if scores[child] >= score:
            break
        scores[place], first[place], second[place] = scores[child], first[child], second[child]
        place = child
    scores[place], first[place], second[place] = score, i, j


@kernel
def top_pairs(
    start: int,
    stop: int,
    positions: Floats,
    tables: Tables,
    prior: PriorArrays,
    links: Links,
    reach: np.float32,
    half_stiffness: np.float32,
    scores: Floats,
    first: Numbers,
    second: Numbers,
) -> None:
    """For each block of rows in [start, stop): a heap of its pairs i < j with the largest log-odds, links left out."""
    length = tables.node.shape[1]
    offset, z = np.empty(length, np.float32), np.empty(length, np.float32)
    for block in range(start, stop):
        scores[block] = -np.inf
        for i in range(block * BLOCK, min((block + 1) * BLOCK, len(positions))):
            place, last = links.indptr[i], links.indptr[i + 1]
            for t in range(i // length, len(tables.node)):
                offsets(prior.group[i], prior.table, tables.node[t], tables.group[t], offset)
                log_odds_of_table(
                    positions[i], prior.node[i] + reach, half_stiffness, tables.positions[t], offset, z
                )
                begin = t * length
                while place < last and links.indices[place] < begin:
                    place += 1
                while place < last and links.indices[place] < begin + length:
                    z[links.indices[place] - begin] = -np.inf
                    place += 1
                for s in range(max(0, i + 1 - begin), length):
                    if z[s] > scores[block, 0]:
                        sift(scores[block], first[block], second[block], z[s], i, begin + s)
