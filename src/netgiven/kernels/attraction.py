"""The attraction over links: a sparse matrix product."""

from __future__ import annotations

import numpy as np

from netgiven.kernels.arrays import Doubles, Floats, Links
from netgiven.kernels.compiling import kernel

f32 = np.float32


@kernel
def attract(start: int, stop: int, positions: Floats, links: Links, pull: Floats, stretch: Doubles) -> None:
    """pull_i = sum over links ij of (x_i - x_j) and stretch_i = the sum of |x_i - x_j|^2, for i in [start, stop)."""
    dimensions = positions.shape[1]
    for i in range(start, stop):
        first, last = links.indptr[i], links.indptr[i + 1]
        length = f32(0.0)
        for k in range(0, dimensions, 4):
            a, b, c, d = positions[i, k], positions[i, k + 1], positions[i, k + 2], positions[i, k + 3]
            sa, sb, sc, sd = f32(0.0), f32(0.0), f32(0.0), f32(0.0)
            for place in range(first, last):
                other = positions[links.indices[place]]
                da, db, dc, dd = a - other[k], b - other[k + 1], c - other[k + 2], d - other[k + 3]
                sa += da
                sb += db
                sc += dc
                sd += dd
                length += da * da + db * db + dc * dc + dd * dd
            pull[i, k], pull[i, k + 1], pull[i, k + 2], pull[i, k + 3] = sa, sb, sc, sd
        stretch[i] = length
