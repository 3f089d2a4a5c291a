"""The attraction over links: a sparse matrix product."""

from __future__ import annotations

import numpy as np

from netgiven.kernels.arrays import Links
from netgiven.kernels.jit import kernel
from netgiven.types import Float32Array, Float64Array

f32 = np.float32


@kernel
def attract(
    start: int, stop: int, positions: Float32Array, links: Links, pull: Float32Array, stretch: Float64Array
) -> None:
    """pull_i = sum over links ij of (x_i - x_j) and stretch_i = the sum of |x_i - x_j|^2, for i in [start, stop)."""
    dimensions = positions.shape[1]
    squares = np.empty(dimensions, np.float32)  # by dimension, so that the inner loop has nothing to add up across
    for i in range(start, stop):
        own, sums = positions[i], pull[i]
        for k in range(dimensions):
            sums[k] = squares[k] = f32(0.0)
        for place in range(links.indptr[i], links.indptr[i + 1]):
            other = positions[links.indices[place]]
            for k in range(dimensions):
                difference = own[k] - other[k]
                sums[k] += difference
                squares[k] += difference * difference
        stretch[i] = squares.sum()
