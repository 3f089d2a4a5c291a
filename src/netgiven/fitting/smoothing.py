"""A start for many nodes: chance, averaged over neighbours again and again.

Averages of averages differ little inside a community and much between communities, as eigenvectors do, for the price
of a few steps. Measured at 100,000 nodes, on arXiv and on Facebook, fits end at the same likelihood as from the
eigenvectors of A - P, or a better one.
"""

from __future__ import annotations

import numpy as np

from netgiven.fitting.start import FARTHEST, random_start
from netgiven.fitting.task import Task
from netgiven.kernels.arrays import padded
from netgiven.types import Float32Array

ROUNDS = 8


def smoothed_start(task: Task, dimensions: int, scale: float, seed: int) -> Float32Array:
    """Padded positions with a standard deviation of `scale` a coordinate.

    In each round x_i becomes the sum over its neighbours, divided by its degree and the mean degree: as nodes of few
    links draw nearer to the centre, small pieces of the network do not outgrow the rest.
    """
    positions = padded(random_start(task.node_count, dimensions, 1.0, seed))
    degrees = np.diff(task.links.indptr).astype(np.float32)[:, None]
    weight = 1 / (degrees + max(degrees.mean(dtype=np.float64), 1.0)).astype(np.float32)
    for _ in range(ROUNDS):
        positions = _scaled((degrees * positions - task.pull(positions)) * weight)
    return np.clip(positions, -FARTHEST, FARTHEST) * np.float32(scale)


def _scaled(positions: Float32Array) -> Float32Array:
    """Around zero, with a standard deviation of one a coordinate; none where all nodes are at one point."""
    positions = positions - positions.mean(axis=0, dtype=np.float64).astype(np.float32)
    spread: Float32Array = np.sqrt(np.square(positions).mean(axis=0, dtype=np.float64)).astype(np.float32)
    spread[spread == 0] = 1.0
    return positions / spread
