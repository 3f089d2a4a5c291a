"""What drawing needs of an embedding, whoever made it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from netgiven.model import Spread
from netgiven.network import Network
from netgiven.priors import Prior
from netgiven.types import Float32Array, Float64Array


class Placed(Protocol):
    """A network whose nodes have positions, and with prior and spread a probability for each pair."""

    @property
    def network(self) -> Network: ...  # noqa: D102
    @property
    def positions(self) -> Float32Array: ...  # noqa: D102
    @property
    def prior(self) -> Prior: ...  # noqa: D102
    @property
    def spread(self) -> Spread: ...  # noqa: D102
    @property
    def reach(self) -> float: ...  # noqa: D102
    @property
    def bits_per_link(self) -> float: ...  # noqa: D102


# ---- Maps turned, mirrored and scaled to each other, so that they can be compared by eye -----------------------------


def aligned(places: Sequence[Float32Array]) -> tuple[list[Float32Array], list[float]]:
    """All positions about the origin, the others turned and mirrored towards the first and scaled to its size.

    Also by how much each was scaled, the first by 1. Distances within a map keep their proportions.

    >>> square = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], dtype=np.float32)
    >>> turned = 3 * square[:, ::-1] + 5
    >>> (first, second), scales = aligned([square, turned])
    >>> bool(np.allclose(first, second)), round(scales[1], 6)
    (True, 0.333333)
    """
    from scipy.linalg import orthogonal_procrustes

    if len(places) == 1:
        return list(places), [1.0]
    centred = [np.asarray(positions, np.float64) - positions.mean(axis=0, dtype=np.float64) for positions in places]
    first, drawn, scales = centred[0], [centred[0]], [1.0]
    for other in centred[1:]:
        turn, _ = orthogonal_procrustes(other, first)
        scale = _size(first) / _size(other) if _size(first) > 0 and _size(other) > 0 else 1.0
        drawn.append(other @ turn * scale)
        scales.append(scale)
    return [positions.astype(np.float32) for positions in drawn], scales


def _size(positions: Float64Array) -> float:
    return float(np.linalg.norm(positions))
