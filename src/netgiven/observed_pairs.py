"""Unobserved pairs of a network: pairs of which it is not known whether they are linked.

They are neither links nor non-links. If few pairs are unobserved, those are listed. If few pairs are observed, the
observed non-links are listed, and every pair that is neither listed nor a link is unobserved.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from netgiven.errors import InputError
from netgiven.kernels.arrays import LinkRows, find_in_rows
from netgiven.types import BoolArray, Int32Array, Int64Array, IntegerArray


@dataclass(frozen=True, eq=False)
class UnobservedPairs:
    """The unobserved pairs of a network, in sorted rows (CSR, each pair in the rows of both nodes).

    Parameters
    ----------
    indptr, indices : array
        Rows of listed pairs: node i is in a pair with each of `indices[indptr[i]:indptr[i + 1]]`.
    lists_observed : bool
        False if the listed pairs are the unobserved ones, True if they are the observed non-links.
    """

    indptr: Int64Array
    indices: Int32Array
    lists_observed: bool = False

    def __post_init__(self) -> None:
        self.indptr.flags.writeable = False
        self.indices.flags.writeable = False

    @classmethod
    def from_pairs(
        cls, first: IntegerArray, second: IntegerArray, node_count: int, lists_observed: bool
    ) -> UnobservedPairs:
        """From pairs of node numbers, in any order, with or without duplicates."""
        if np.any(first == second):
            raise InputError("A node was paired with itself; a pair is two different nodes. Leave it out.")
        entries = np.ones(2 * len(first), dtype=np.int8)
        places = np.concatenate([first, second]), np.concatenate([second, first])
        rows = sparse.coo_array((entries, places), shape=(node_count, node_count)).tocsr()
        return cls(rows.indptr.astype(np.int64), rows.indices.astype(np.int32), lists_observed)

    def with_more_nodes(self, count: int) -> UnobservedPairs:
        """The same list for a network with `count` more nodes, which are in none of the listed pairs."""
        indptr = np.append(self.indptr, np.full(count, self.indptr[-1]))
        return UnobservedPairs(indptr, self.indices, self.lists_observed)

    @property
    def matrix(self) -> sparse.csr_array:
        """A symmetric matrix with a 1 for each listed pair."""
        count = len(self.indptr) - 1
        return sparse.csr_array((np.ones(len(self.indices)), self.indices.copy(), self.indptr.copy()), (count, count))

    @property
    def pairs(self) -> Int64Array:
        """The listed pairs once, as node numbers, first < second."""
        rows = np.repeat(np.arange(len(self.indptr) - 1), np.diff(self.indptr))
        once = rows < self.indices
        return np.column_stack([rows[once], self.indices[once]]).astype(np.int64)

    def count(self, links: int) -> int:
        """The number of unobserved pairs of a network with this number of links."""
        nodes, listed = len(self.indptr) - 1, len(self.indices) // 2
        return nodes * (nodes - 1) // 2 - links - listed if self.lists_observed else listed

    def contains(self, first: IntegerArray, second: IntegerArray) -> BoolArray:
        """Which pairs of node numbers are listed."""
        return find_in_rows(LinkRows(self.indptr, self.indices), first, second) >= 0
