"""Pairs of which nobody knows whether they are linked: neither links nor pairs without one.

Few unknown pairs are listed themselves; where few pairs are known, those without a link are listed, and everything that
is neither among them nor a link is unknown.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from netgiven.errors import InputError
from netgiven.types import BoolArray, Int32Array, Int64Array, IntegerArray


@dataclass(frozen=True, eq=False)
class Unknown:
    """Sorted rows of pairs, from both ends: the unknown ones, or those that are known to have no link."""

    indptr: Int64Array
    indices: Int32Array
    lists_known: bool = False

    def __post_init__(self) -> None:
        self.indptr.flags.writeable = False
        self.indices.flags.writeable = False

    @classmethod
    def from_pairs(cls, first: IntegerArray, second: IntegerArray, node_count: int, lists_known: bool) -> Unknown:
        """From pairs of node numbers, each in any order and as often as you like."""
        if np.any(first == second):
            raise InputError("A node was paired with itself; a pair is two different nodes. Leave it out.")
        entries = np.ones(2 * len(first), dtype=np.int8)
        places = np.concatenate([first, second]), np.concatenate([second, first])
        rows = sparse.coo_array((entries, places), shape=(node_count, node_count)).tocsr()
        return cls(rows.indptr.astype(np.int64), rows.indices.astype(np.int32), lists_known)

    def with_more_nodes(self, count: int) -> Unknown:
        """The same pairs, among nodes of which the last `count` are in none of them."""
        return Unknown(np.append(self.indptr, np.full(count, self.indptr[-1])), self.indices, self.lists_known)

    @property
    def matrix(self) -> sparse.csr_array:
        """A 1 for each listed pair, from both ends."""
        count = len(self.indptr) - 1
        return sparse.csr_array((np.ones(len(self.indices)), self.indices.copy(), self.indptr.copy()), (count, count))

    @property
    def pairs(self) -> Int64Array:
        """The listed pairs once, as node numbers, first < second."""
        rows = np.repeat(np.arange(len(self.indptr) - 1), np.diff(self.indptr))
        once = rows < self.indices
        return np.column_stack([rows[once], self.indices[once]]).astype(np.int64)

    def count(self, links: int) -> int:
        """How many pairs are unknown in a network with so many links."""
        nodes, listed = len(self.indptr) - 1, len(self.indices) // 2
        return nodes * (nodes - 1) // 2 - links - listed if self.lists_known else listed

    def lists(self, first: IntegerArray, second: IntegerArray) -> BoolArray:
        """Which pairs of node numbers are listed."""
        count = len(self.indptr) - 1
        keys = np.repeat(np.arange(count), np.diff(self.indptr)) * count + self.indices
        wanted = np.asarray(first, dtype=np.int64) * count + second
        return np.asarray(np.isin(wanted, keys, assume_unique=False))
