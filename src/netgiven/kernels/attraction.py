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
        own, sums, length = positions[i], pull[i], f32(0.0)
        for k in range(dimensions):
            sums[k] = f32(0.0)
        for place in range(links.indptr[i], links.indptr[i + 1]):
            other = positions[links.indices[place]]
            for k in range(dimensions):
                difference = own[k] - other[k]
                sums[k] += difference
                length += difference * difference
        stretch[i] = length
