"""The shape that all knowledge has in common, and that of the sums over pairs that it is fitted by.

For classes u and v of nodes, the log-odds of the prior are

    z_uv = sum over c of (own[c, u] basis[c, v] + basis[c, u] own[c, v])
         + sum over layers l of table_l[group_lu, group_lv] + listed features

A `Layout` is what is given: sizes, basis, groups, listed pairs. `Coefficients` are what is looked for: own, tables, and
the multipliers of listed features. `Sums` are what coefficients lead to: expectations over all pairs, in the same
shape. Each kind of knowledge is a linear map from its multipliers to coefficients, and the transposed map takes sums to
expected totals.
"""

from __future__ import annotations

import operator
from dataclasses import dataclass
from functools import cached_property, reduce
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from scipy import sparse

from netgiven.kernels.pair_sums import Listed, NodeArrays, TableArrays
from netgiven.network import Network
from netgiven.types import Float64Array, Int64Array, IntegerArray

# ---- Nodes that a prior cannot tell apart, taken together ------------------------------------------------------------
#
# Maximum entropy treats alike all nodes of which the same is known. So the prior is found over *classes* of nodes and
# *cells*, the pairs of classes: a million nodes with a thousand distinct degrees are a thousand classes.


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


class Coefficients(NamedTuple):
    """What decides the log-odds of pairs, within a layout."""

    own: Float64Array  # (columns, classes)
    tables: Float64Array  # the tables of all layers, one after the other; each is symmetric
    listed: Float64Array  # one a listed feature


class Sums(NamedTuple):
    """Sums over the pairs of different nodes of chances, or of links.

    `pulls[c, u]` is for one node of class u the sum of basis[c] over its partners; `between`, in the shape of the
    tables, counts pairs from a group to another, those within a group from both ends; `listed[k]` is the sum of a
    listed feature.
    """

    pulls: Float64Array
    between: Float64Array
    listed: Float64Array


@dataclass(frozen=True, eq=False)
class Layout:
    """What is given of classes: how many nodes each has, basis columns (the first is 1), groups, and listed pairs.

    There may be several layers of groups, each with a table of its own. Listed pairs are pairs of nodes: where there
    are any, each node is a class of its own.
    """

    size: Float64Array
    basis: Float64Array
    group: Int64Array  # (layers, classes)
    width: tuple[int, ...]  # number of groups in each layer
    listed: Listed | None = None

    @cached_property
    def slices(self) -> list[slice]:
        """The table of each layer, among all tables."""
        ends = np.cumsum([0, *(width * width for width in self.width)])
        return [slice(int(begin), int(end)) for begin, end in pairwise(ends)]

    def table(self, values: Float64Array, layer: int) -> Float64Array:
        """A view of the table of a layer."""
        return values[self.slices[layer]].reshape(self.width[layer], self.width[layer])

    def zeros(self) -> Coefficients:
        """Coefficients that say nothing."""
        features = 0 if self.listed is None else len(self.listed.value)
        return Coefficients(np.zeros(self.basis.shape), np.zeros(self.slices[-1].stop), np.zeros(features))

    def tables(self, coefficients: Coefficients) -> TableArrays:
        """Tables as kernels take them."""
        at = np.array([part.start for part in self.slices], dtype=np.int64)
        return TableArrays(at, np.array(self.width, dtype=np.int64), coefficients.tables)

    def nodes(self, coefficients: Coefficients) -> NodeArrays:
        """Classes as kernels take them."""
        return NodeArrays(coefficients.own, self.basis, self.group.astype(np.int32), self.tables(coefficients))

    def with_itself(self, coefficients: Coefficients) -> Float64Array:
        """z of a pair of nodes of the same class."""
        every = np.arange(len(self.size))
        return self.log_odds(coefficients, every, every)

    def log_odds(self, coefficients: Coefficients, first: IntegerArray, second: IntegerArray) -> Float64Array:
        """z of pairs of classes, listed features left out."""
        own, basis = coefficients.own, self.basis
        z = own[0][first] + own[0][second]
        for layer, group in enumerate(self.group):
            z = z + self.table(coefficients.tables, layer)[group[first], group[second]]
        for mine, base in zip(own[1:], basis[1:], strict=True):
            z = z + (mine[first] * base[second] + base[first] * mine[second])
        return np.asarray(z)

    def without_self(self, pulls: Float64Array, between: Float64Array, amount: Float64Array) -> None:
        """Take out what each node was counted with itself."""
        pulls -= amount * self.basis
        for layer, group in enumerate(self.group):
            inside = np.bincount(group, self.size * amount, self.width[layer])
            self.table(between, layer)[np.diag_indices(self.width[layer])] -= inside

    def observed(self, network: Network, classes: Classes) -> Sums:
        """The sums that a network shows."""
        pulls = np.stack([_partners(network, classes, base) / self.size for base in self.basis])
        if max(self.width) == 1:
            between = np.full(len(self.width), 2.0 * network.link_count)
        else:
            ends = classes.of[network.links()].T
            between = np.concatenate(
                [_between(group[ends], width) for group, width in zip(self.group, self.width, strict=True)]
            )
        return Sums(pulls, between, self._listed_links(network))

    def _listed_links(self, network: Network) -> Float64Array:
        if self.listed is None:
            return np.zeros(0)
        rows = np.repeat(np.arange(network.node_count), np.diff(self.listed.indptr))
        linked = network.are_linked(rows, self.listed.indices)
        return np.asarray(self.listed.value[:, linked].sum(axis=1))


def _between(ends: Int64Array, width: int) -> Float64Array:
    """How many links go from one group to another, from both ends."""
    once = np.bincount(ends[0] * width + ends[1], minlength=width * width).reshape(width, width)
    return (once + once.T).ravel().astype(np.float64)


def _partners(network: Network, classes: Classes, base: Float64Array) -> Float64Array:
    """The sum of a basis column over the partners of the nodes of each class."""
    if np.all(base == 1):
        return np.asarray(np.bincount(classes.of, network.degrees, len(classes.size)), dtype=np.float64)
    partners = network.to_scipy() @ base[classes.of]
    return np.asarray(np.bincount(classes.of, partners, len(classes.size)), dtype=np.float64)


def union(matrices: list[sparse.csr_array]) -> Listed:
    """The pairs i < j that any of some symmetric matrices lists, with the values of each."""
    pattern = sparse.csr_array(sparse.triu(reduce(operator.add, [abs(matrix) for matrix in matrices]), k=1))
    pattern.sort_indices()
    rows = np.repeat(np.arange(pattern.shape[0]), np.diff(pattern.indptr))
    values = [entries(matrix, rows, pattern.indices) for matrix in matrices]
    return Listed(pattern.indptr.astype(np.int64), pattern.indices.astype(np.int32), np.array(values, dtype=np.float64))


def entries(matrix: sparse.csr_array, rows: IntegerArray, columns: IntegerArray) -> Float64Array:
    """Entries of a sparse matrix at some places, which may be none: there SciPy gives a sparse array."""
    return np.asarray(matrix[rows, columns]).ravel() if len(rows) else np.empty(0)
