"""The best pairs so far."""

from __future__ import annotations

import numpy as np

from netgiven.kernels.arrays import Links, Scene
from netgiven.kernels.prior_logit import known_log_odds, places_in_rows
from netgiven.types import Float64Array, Int64Array


class Best:
    """The `count` pairs with the largest log-odds among those taken so far; links are never taken."""

    def __init__(self, scene: Scene, links: Links, count: int) -> None:
        self.scene, self.links, self.count = scene, links, count
        self.first, self.second = np.empty(0, np.int64), np.empty(0, np.int64)
        self.score: Float64Array = np.empty(0)

    @property
    def floor(self) -> float:
        """What a pair must exceed to be among the best."""
        return float(self.score[-1]) if len(self.score) == self.count else -np.inf

    def take(self, first: Int64Array, second: Int64Array) -> None:
        """Look at more pairs, in either order, and as often as they come."""
        pairs = np.unique(self._numbered(first, second))
        low, high = np.divmod(pairs, len(self.scene.positions))
        new = places_in_rows(self.links, low, high) < 0
        low, high = low[new], high[new]
        score = log_odds(self.scene, low, high)
        better = score > self.floor
        low, high, score = low[better], high[better], score[better]
        self._keep(np.append(self.first, low), np.append(self.second, high), np.append(self.score, score))

    def _numbered(self, first: Int64Array, second: Int64Array) -> Int64Array:
        """One number for each pair of different nodes."""
        apart = first != second
        low, high = np.minimum(first, second)[apart], np.maximum(first, second)[apart]
        return np.asarray(low * np.int64(len(self.scene.positions)) + high)

    def _keep(self, first: Int64Array, second: Int64Array, score: Float64Array) -> None:
        _, fresh = np.unique(np.column_stack([first, second]), axis=0, return_index=True)
        order = fresh[np.lexsort((second[fresh], first[fresh], -score[fresh]))][: self.count]
        self.first, self.second, self.score = first[order], second[order], score[order]


def log_odds(scene: Scene, first: Int64Array, second: Int64Array) -> Float64Array:
    """z of pairs, in float64."""
    apart = scene.positions[first].astype(np.float64) - scene.positions[second]
    distance = np.einsum("ik,ik->i", apart, apart)
    gained: Float64Array = float(scene.reach) - float(scene.half_stiffness) * distance
    return known_log_odds(scene.prior, first, second) + gained
