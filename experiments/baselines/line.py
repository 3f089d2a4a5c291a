"""LINE (Tang et al. 2015): similar vectors for nodes that are linked (first order) or share neighbours (second)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from experiments.baselines.negative_sampling import LearningRate, initial_vectors, make_negatives, train_on_links
from netgiven.network import Network
from netgiven.types import Float32Array, Int32Array


@dataclass(frozen=True)
class Line:
    """Half of the dimensions for each order, each half normalised to length 1.

    For each order, `samples_per_link` times the number of links are drawn. The original program counts samples in
    millions and leaves their number to the user; its paper trains until the result no longer changes.
    """

    dimensions: int = 128
    samples_per_link: int = 1000
    negative: int = 5
    learning_rate: float = 0.025

    name = "LINE"

    def vectors(self, network: Network, seed: int) -> Float32Array:
        """First-order vectors, followed by second-order vectors."""
        half = self.dimensions // 2
        first = self._order(network, half, 2 * seed, both=True)
        second = self._order(network, self.dimensions - half, 2 * seed + 1, both=False)
        return np.hstack([_normalised(first, network), _normalised(second, network)])

    def _order(self, network: Network, dimensions: int, seed: int, *, both: bool) -> Float32Array:
        """With `both`, a node has one vector as source and target (first order); else one for each role."""
        sources = initial_vectors(network.node_count, dimensions, seed)
        if not network.link_count:
            return sources
        targets = sources if both else np.zeros_like(sources)
        negatives = make_negatives(network.degrees, np.zeros(network.node_count, dtype=np.int32), self.negative)
        learning_rate = LearningRate(self.learning_rate, self.samples_per_link * network.link_count)
        train_on_links(sources, targets, _directed(network), negatives, learning_rate, seed)
        return sources


def _directed(network: Network) -> Int32Array:
    """Each link in both directions."""
    links = network.links()
    return np.concatenate([links, links[:, ::-1]])


def _normalised(vectors: Float32Array, network: Network) -> Float32Array:
    """Vectors of length 1; zero for nodes without links."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.where(network.degrees[:, None] > 0, vectors / np.maximum(lengths, 1e-12), 0).astype(np.float32)
