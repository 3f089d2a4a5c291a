"""Nodes that a prior cannot tell apart, taken together.

Maximum entropy treats alike all nodes of which the same is known. So the prior is found over *classes* of nodes and
*cells*, the pairs of classes: a million nodes with a thousand distinct degrees are a thousand classes.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from netgiven.network import Network
from netgiven.types import Int64Array


def _compact(keys: Int64Array) -> tuple[Int64Array, Int64Array]:
    """Keys renumbered without gaps, in their order, and how often each occurs; by counting where they are small."""
    if len(keys) and int(keys.max()) < 4 * len(keys) + 1000:
        counts = np.bincount(keys)
        there = counts > 0
        return (np.cumsum(there) - 1)[keys], counts[there]
    _, of, counts = np.unique(keys, return_inverse=True, return_counts=True)
    return of, counts


@dataclass(frozen=True, eq=False)
class Classes:
    """Classes of nodes by a key, and the cells between them.

    >>> classes = Classes.by_keys([np.array([1, 2, 1])])
    >>> classes.size.tolist(), classes.pairs.tolist()
    ([2, 1], [1, 2])
    """

    of: Int64Array  # class of each node
    size: Int64Array  # number of nodes in each class
    representative: Int64Array  # one node of each class

    @classmethod
    def by_keys(cls, keys: list[Int64Array]) -> Classes:
        """Nodes with equal keys share a class; classes are in the order of the keys."""
        of, size = _compact(keys[0])
        for key in keys[1:]:
            finer, _ = _compact(key)
            of, size = _compact(of * (int(finer.max(initial=0)) + 1) + finer)
        representative = np.empty(len(size), dtype=np.int64)
        representative[of] = np.arange(len(of))
        return cls(of, size, representative)

    @cached_property
    def cells(self) -> tuple[Int64Array, Int64Array]:
        """The two classes (first <= second) of each cell that holds a pair of nodes."""
        first, second = np.triu_indices(len(self.size))
        some = (first != second) | (self.size[first] > 1)
        return (first, second) if some.all() else (first[some], second[some])

    @cached_property
    def pairs(self) -> Int64Array:
        """Number of pairs of nodes in each cell."""
        first, second = self.cells
        counts = self.size[first] * self.size[second]
        inside = np.flatnonzero(first == second)
        counts[inside] = (counts[inside] - self.size[first[inside]]) // 2
        return counts

    def count_links(self, network: Network) -> Int64Array:
        """Number of links in each cell."""
        ends = self.of[network.links()]
        return self.count_pairs(ends.min(axis=1), ends.max(axis=1))

    def count_pairs(self, low: Int64Array, high: Int64Array) -> Int64Array:
        """How many of the given pairs of classes (low <= high) fall into each cell."""
        count = len(self.size)
        counts = np.bincount(low * count + high, minlength=count * count)
        first, second = self.cells
        return np.asarray(counts[first * count + second])
