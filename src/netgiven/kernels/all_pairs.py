"""The exact repulsion: each node of a range against all nodes."""

from __future__ import annotations

import numpy as np

from netgiven.kernels.arrays import Doubles, Floats, PriorArrays, Tables
from netgiven.kernels.compiling import kernel
from netgiven.kernels.repulsion import offsets, repel


@kernel
def repel_all(
    start: int,
    stop: int,
    positions: Floats,
    tables: Tables,
    prior: PriorArrays,
    reach: np.float32,
    half_stiffness: np.float32,
    push: Doubles,
    surprise: Doubles,
) -> None:
    """push_i = sum_j sigmoid(z_ij) (x_i - x_j) and surprise_i = sum_j softplus(z_ij), j = i included, for i in [start, stop).

    Tables are the outer loop: one stays in the first-level cache while all nodes of the range pass by.
    """
    length = tables.node.shape[1]
    offset = np.empty(length, np.float32)
    chance = np.empty(length, np.float32)
    push[start:stop] = 0.0
    surprise[start:stop] = 0.0
    for t in range(len(tables.node)):
        seen_from = -1
        for i in range(start, stop):
            if prior.group[i] != seen_from:
                seen_from = prior.group[i]
                offsets(seen_from, prior.table, tables.node[t], tables.group[t], offset)
            surprise[i] += repel(
                positions[i],
                prior.node[i] + reach,
                half_stiffness,
                tables.positions[t],
                offset,
                tables.weight[t],
                chance,
                push[i],
            )
