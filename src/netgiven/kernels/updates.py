"""Moving positions along a gradient."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from netgiven.kernels.arrays import Scene
from netgiven.kernels.jit import kernel
from netgiven.types import Float32Array


class Moments(NamedTuple):
    """Running means of the gradient and of its square."""

    mean: Float32Array
    square: Float32Array


class Pace(NamedTuple):
    """How far a step goes, and how much of the moments it keeps."""

    rate: np.float32
    keep_mean: np.float32
    keep_square: np.float32


@kernel
def combine(start: int, stop: int, scene: Scene, pull: Float32Array, push: Any, shrinkage: np.float32) -> None:
    """Turn `pull` into the gradient of the objective: stiffness (pull - push) + shrinkage x, for the nodes in
    [start, stop).
    """
    stiffness = scene.half_stiffness + scene.half_stiffness
    for i in range(start, stop):
        for k in range(pull.shape[1]):
            pull[i, k] = stiffness * np.float32(pull[i, k] - push[i, k]) + shrinkage * scene.positions[i, k]


@kernel
def adam(start: int, stop: int, positions: Float32Array, gradient: Float32Array, moments: Moments, pace: Pace) -> None:
    """One step of Adam (Kingma and Ba 2015); the rate already holds the correction for the moments' start at zero."""
    one, mean, square = np.float32(1.0), moments.mean, moments.square
    for i in range(start, stop):
        for k in range(positions.shape[1]):
            slope = gradient[i, k]
            mean[i, k] = pace.keep_mean * mean[i, k] + (one - pace.keep_mean) * slope
            square[i, k] = pace.keep_square * square[i, k] + (one - pace.keep_square) * slope * slope
            positions[i, k] -= pace.rate * mean[i, k] / (np.sqrt(square[i, k]) + np.float32(1e-12))
