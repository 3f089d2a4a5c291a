"""Nodes that a prior cannot tell apart, taken together.

Maximum entropy treats alike all nodes of which the same is known. So the prior is found over *classes* of nodes and
*cells*, the pairs of classes: a million nodes with a thousand distinct degrees are a thousand classes.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from netgiven.network import Network

Integers = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Classes:
    """Classes of nodes by a key, and the cells between them.

    >>> classes = Classes.by_keys([np.array([1, 2, 1])])
    >>> classes.size.tolist(), classes.pairs.tolist()
    ([2, 1], [1, 2])
    """

    of: Integers  # class of each node
    size: Integers  # number of nodes in each class
    representative: Integers  # one node of each class

    @classmethod
    def by_keys(cls, keys: list[Integers]) -> Classes:
        """Nodes with equal keys share a class; classes are in the order of the keys."""
        joint = keys[0]
        for key in keys[1:]:
            joint = joint * (int(key.max(initial=0)) + 1) + key
        _, representative, of = np.unique(joint, return_index=True, return_inverse=True)
        return cls(of, np.bincount(of, minlength=len(representative)), representative)

    @cached_property
    def cells(self) -> tuple[Integers, Integers]:
        """The two classes (first <= second) of each cell that holds a pair of nodes."""
        first, second = np.triu_indices(len(self.size))
        some = (first != second) | (self.size[first] > 1)
        return (first, second) if some.all() else (first[some], second[some])

    @cached_property
    def pairs(self) -> Integers:
        """Number of pairs of nodes in each cell."""
        first, second = self.cells
        across = self.size[first] * self.size[second]
        return np.where(first == second, (across - self.size[first]) // 2, across)

    def count_links(self, network: Network) -> Integers:
        """Number of links in each cell."""
        ends = self.of[network.links()]
        return self.count_pairs(ends.min(axis=1), ends.max(axis=1))

    def count_pairs(self, low: Integers, high: Integers) -> Integers:
        """How many of the given pairs of classes (low <= high) fall into each cell."""
        count = len(self.size)
        counts = np.bincount(low * count + high, minlength=count * count)
        first, second = self.cells
        return np.asarray(counts[first * count + second])
