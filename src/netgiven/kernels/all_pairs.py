"""The exact repulsion: each node of a range against all nodes."""

from __future__ import annotations

import numpy as np

from netgiven.kernels.arrays import Scene, Sums, Tables
from netgiven.kernels.compiling import kernel
from netgiven.kernels.repulsion import Table, offsets, repel


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
