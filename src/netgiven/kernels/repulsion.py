"""One node against a table of others: the inner loop that the exact and the sampled kernel share.

A table holds positions dimension by dimension (`positions[k, s]`), so that the loops run over s and fill vector
registers.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from netgiven.kernels.arrays import PriorArrays, Scene
from netgiven.kernels.compiling import inlined
from netgiven.kernels.elementary import exp_negative, log_one_plus

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
