"""Scores of pairs by their neighbourhoods: the baselines that need no fitting.

With N(u) the neighbours of u and k_t = |N(t)|:

    common neighbours         |N(u) & N(v)|
    Jaccard                   |N(u) & N(v)| / |N(u) | N(v)|
    Adamic-Adar               sum over common t of 1 / log k_t
    resource allocation       sum over common t of 1 / k_t
    preferential attachment   k_u k_v
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy import sparse

from netgiven.network import Network
from netgiven.types import Float64Array, Int64Array

CHUNK = 100_000  # pairs at a time, so that rows of common neighbours stay small


def common_neighbours(network: Network, pairs: Int64Array) -> Float64Array:
    """How many neighbours two nodes share.

    >>> common_neighbours(Network.from_edges([(0, 1), (1, 2)]), np.array([[0, 2], [0, 1]]))
    array([1., 0.])
    """
    return _shared(network, pairs, np.ones(network.node_count))


def jaccard(network: Network, pairs: Int64Array) -> Float64Array:
    """The share of all their neighbours that two nodes have in common; 0 where there is none."""
    both = common_neighbours(network, pairs)
    degrees = network.degrees.astype(np.float64)
    return both / np.maximum(degrees[pairs[:, 0]] + degrees[pairs[:, 1]] - both, 1.0)


def adamic_adar(network: Network, pairs: Int64Array) -> Float64Array:
    """Shared neighbours, rare ones counting more. One with a single link cannot be shared."""
    return _shared(network, pairs, 1 / np.log(np.maximum(network.degrees, 2)))


def resource_allocation(network: Network, pairs: Int64Array) -> Float64Array:
    """Shared neighbours, each dividing one unit among its links."""
    return _shared(network, pairs, 1 / np.maximum(network.degrees, 1))


def preferential_attachment(network: Network, pairs: Int64Array) -> Float64Array:
    """The product of the degrees."""
    degrees = network.degrees.astype(np.float64)
    return np.asarray(degrees[pairs[:, 0]] * degrees[pairs[:, 1]])


def _shared(network: Network, pairs: Int64Array, weights: Float64Array) -> Float64Array:
    """sum over the neighbours t that both ends share of weights_t."""
    matrix = network.to_scipy().astype(np.float64)
    weighted = sparse.csr_array(matrix * weights[None, :])
    scores = np.empty(len(pairs))
    for start in range(0, len(pairs), CHUNK):
        first, second = pairs[start : start + CHUNK].T
        scores[start : start + CHUNK] = (matrix[first] * weighted[second]).sum(axis=1)
    return scores


HEURISTICS: dict[str, Callable[[Network, Int64Array], Float64Array]] = {
    "common neighbours": common_neighbours,
    "Jaccard": jaccard,
    "Adamic-Adar": adamic_adar,
    "resource allocation": resource_allocation,
    "preferential attachment": preferential_attachment,
}
