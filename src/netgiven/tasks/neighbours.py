"""Who is near whom, and what neighbours have in common."""

from __future__ import annotations

import numpy as np
from scipy.spatial import KDTree

from netgiven.embedding import Embedding
from netgiven.types import Int64Array


def nearest(embedding: Embedding, count: int = 10) -> Int64Array:
    """Node numbers of the `count` nearest others of each node, nearest first."""
    count = min(count, len(embedding) - 1)
    _, found = KDTree(embedding.positions).query(embedding.positions, k=count + 1)
    found = np.atleast_2d(found)
    own = found == np.arange(len(found))[:, None]
    own[~own.any(axis=1), -1] = True  # nodes at one place: somebody else's copy came first
    return np.asarray(found[~own].reshape(len(found), count))


def agreement(embedding: Embedding, column: str, count: int = 10) -> float:
    """Share of the nearest others that have the same value in a node column, over all nodes."""
    codes, _ = embedding.network.groups(column)
    return float((codes[nearest(embedding, count)] == codes[:, None]).mean())


def chance_agreement(embedding: Embedding, column: str) -> float:
    """The share that others drawn at random would have."""
    codes, _ = embedding.network.groups(column)
    sizes = np.bincount(codes[codes >= 0])
    return float((sizes * (sizes - 1)).sum() / (len(codes) * (len(codes) - 1)))
