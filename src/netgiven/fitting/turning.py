"""Positions along their principal axes."""

from __future__ import annotations

import numpy as np

from netgiven.parallel import one_blas_thread
from netgiven.types import Float32Array, Float64Array


def turned(positions: Float32Array) -> Float64Array:
    """The same positions around their centre, along their principal axes, the widest first.

    Distances stay as they are.
    """
    if not len(positions):
        return positions.astype(np.float64)
    centred: Float64Array = positions.astype(np.float64) - positions.mean(axis=0, dtype=np.float64)
    if not np.all(np.isfinite(centred)):
        return centred
    with one_blas_thread():
        _, axes = np.linalg.eigh(centred.T @ centred)
        axes = axes[:, ::-1]
        axes = axes * np.where(axes[np.abs(axes).argmax(axis=0), np.arange(axes.shape[1])] < 0, -1, 1)
        return np.asarray(centred @ axes)
