"""LINE: nodes that are linked (first order) or share neighbours (second order) get vectors alike (Tang et al. 2015)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from netgiven.evaluation.baselines.descent import Rate, descend_links, first_vectors, make_negatives
from netgiven.network import Network
from netgiven.types import Float32Array, Int32Array


@dataclass(frozen=True)
class Line:
    """Half of the dimensions for each order, each half of length 1.

    Links are drawn `samples_a_link` times their number, for each order. The original program counts samples in
    millions and leaves their number to the user; its paper takes enough for the result to stand still.
    """

    dimensions: int = 128
    samples_a_link: int = 1000
    negative: int = 5
    rate: float = 0.025

    name = "LINE"

    def vectors(self, network: Network, seed: int) -> Float32Array:
        """First order beside second order."""
        half = self.dimensions // 2
        first = self._order(network, half, 2 * seed, both=True)
        second = self._order(network, self.dimensions - half, 2 * seed + 1, both=False)
        return np.hstack([_of_length_one(first, network), _of_length_one(second, network)])

    def _order(self, network: Network, dimensions: int, seed: int, *, both: bool) -> Float32Array:
        """`both`: a node is source and target with the same vector (first order); else it has one for each role."""
        sources = first_vectors(network.node_count, dimensions, seed)
        if not network.link_count:
            return sources
        targets = sources if both else np.zeros_like(sources)
        negatives = make_negatives(network.degrees, np.zeros(network.node_count, dtype=np.int32), self.negative)
        rate = Rate(self.rate, self.samples_a_link * network.link_count)
        descend_links(sources, targets, _directed(network), negatives, rate, seed)
        return sources


def _directed(network: Network) -> Int32Array:
    """Each link in both directions."""
    links = network.links()
    return np.concatenate([links, links[:, ::-1]])


def _of_length_one(vectors: Float32Array, network: Network) -> Float32Array:
    """Vectors of length 1; of nodes without links, zero."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.where(network.degrees[:, None] > 0, vectors / np.maximum(lengths, 1e-12), 0).astype(np.float32)
