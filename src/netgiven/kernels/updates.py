"""Moving positions along a gradient."""

from __future__ import annotations

from typing import Any

import numpy as np

from netgiven.kernels.arrays import Floats
from netgiven.kernels.compiling import kernel


@kernel
def combine(
    start: int, stop: int, positions: Floats, pull: Floats, push: Any, stiffness: np.float32, shrinkage: np.float32
) -> None:
    """Turn `pull` into the gradient of the objective: stiffness (pull - push) + shrinkage x, for the nodes in [start, stop)."""
    for i in range(start, stop):
        for k in range(positions.shape[1]):
            difference = np.float32(pull[i, k] - push[i, k])
            pull[i, k] = stiffness * difference + shrinkage * positions[i, k]


@kernel
def adam(
    start: int,
    stop: int,
    positions: Floats,
    gradient: Floats,
    mean: Floats,
    square: Floats,
    rate: np.float32,
    keep_mean: np.float32,
    keep_square: np.float32,
) -> None:
    """One step of Adam (Kingma and Ba 2015); `rate` already holds the correction for the moments' start at zero."""
    one = np.float32(1.0)
    for i in range(start, stop):
        for k in range(positions.shape[1]):
            slope = gradient[i, k]
            mean[i, k] = keep_mean * mean[i, k] + (one - keep_mean) * slope
            square[i, k] = keep_square * square[i, k] + (one - keep_square) * slope * slope
            positions[i, k] -= rate * mean[i, k] / (np.sqrt(square[i, k]) + np.float32(1e-12))
