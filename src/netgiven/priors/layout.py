"""Classes of nodes, and the layout that the log-odds of all priors have in common.

Maximum entropy treats alike all nodes of which the same is known. So the prior is found over *classes* of nodes and
*cells*, the pairs of classes: a million nodes with a thousand distinct degrees are a thousand classes. For classes u
and v, the log-odds of the prior are

    z_uv = sum over c of (left[c, u] right[c, v] + right[c, u] left[c, v])
         + sum over layers l of table_l[group_lu, group_lv]
         + listed features

A `Layout` holds what is given: the sizes of classes, `right` (whose first row is 1, so that left[0] are additive
multipliers of nodes), groups, and listed pairs. `Coefficients` hold what is to be found: `left`, the tables, and the
multipliers of listed features. `PairStatistics` are sums over all pairs in the same shape: the derivatives of the
log-partition function sum log(1 + e^z) in the coefficients. Each constraint is a linear map from its multipliers to
coefficients, and the transposed map takes statistics to the totals of its features.
"""

from __future__ import annotations

import operator
from dataclasses import dataclass
from functools import cached_property, reduce
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from scipy import sparse

from netgiven.kernels.pair_sums import ListedFeatures, NodeArrays, TableArrays
from netgiven.network import Network
from netgiven.types import Float64Array, Int64Array, IntegerArray


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
        """Put nodes with equal keys into one class; classes are in the order of the keys."""
        of, size = _renumber(keys[0])
        for key in keys[1:]:
            finer, _ = _renumber(key)
            of, size = _renumber(of * (int(finer.max(initial=0)) + 1) + finer)
        representative = np.empty(len(size), dtype=np.int64)
        representative[of] = np.arange(len(of))
        return cls(of, size, representative)

    @cached_property
    def cells(self) -> tuple[Int64Array, Int64Array]:
        """The two classes (first <= second) of each cell that holds a pair of nodes."""
        first, second = np.triu_indices(len(self.size))
        nonempty = (first != second) | (self.size[first] > 1)
        return (first, second) if nonempty.all() else (first[nonempty], second[nonempty])

    def some_cells(self, count: int) -> tuple[Int64Array, Int64Array]:
        """The two classes of all cells, or, if there are more, of about `count` random ones between classes."""
        classes = len(self.size)
        if classes * (classes + 1) // 2 <= count:
            return self.cells
        first, second = np.random.default_rng(0).integers(classes, size=(2, count))
        different = first != second
        return first[different], second[different]

    def nodes_of_cell(self, first: int, second: int) -> Int64Array:
        """The numbers of two nodes, one of each class."""
        one = self.representative[first]
        others = np.flatnonzero(self.of == second)
        return np.array([one, others[others != one][0]])

    @cached_property
    def pairs(self) -> Int64Array:
        """Number of pairs of nodes in each cell."""
        first, second = self.cells
        counts = self.size[first] * self.size[second]
        inside = np.flatnonzero(first == second)
        counts[inside] = (counts[inside] - self.size[first[inside]]) // 2
        return counts

    def count_links(self, network: Network) -> Int64Array:
        """Count the links in each cell."""
        ends = self.of[network.links()]
        return self.count_pairs(ends.min(axis=1), ends.max(axis=1))

    def count_pairs(self, low: Int64Array, high: Int64Array) -> Int64Array:
        """Count how many of the given pairs of classes (low <= high) fall into each cell."""
        count = len(self.size)
        counts = np.bincount(low * count + high, minlength=count * count)
        first, second = self.cells
        return np.asarray(counts[first * count + second])


def _renumber(keys: Int64Array) -> tuple[Int64Array, Int64Array]:
    """Renumber keys without gaps, in their order, and count each; without sorting where they are small."""
    if len(keys) and int(keys.max()) < 4 * len(keys) + 1000:
        counts = np.bincount(keys)
        occurs = counts > 0
        return (np.cumsum(occurs) - 1)[keys], counts[occurs]
    _, of, counts = np.unique(keys, return_inverse=True, return_counts=True)
    return of, counts


class Coefficients(NamedTuple):
    """What decides the log-odds of pairs, within a layout."""

    left: Float64Array  # (rows, classes)
    tables: Float64Array  # the tables of all layers, concatenated; each is symmetric
    listed: Float64Array  # one multiplier per listed feature


class PairStatistics(NamedTuple):
    """Sums over the pairs of different nodes, of their probabilities or of the links of a network.

    `node_sums[c, u]` is, for one node of class u, the sum of right[c] over its partners. `group_sums`, in the shape of
    the tables, counts pairs from one group to another, and those within a group from both ends. `listed[k]` is the sum
    of listed feature k.
    """

    node_sums: Float64Array
    group_sums: Float64Array
    listed: Float64Array


@dataclass(frozen=True, eq=False)
class Layout:
    """The given part of the log-odds: sizes of classes, `right` (its first row is 1), groups, and listed pairs.

    There may be several layers of groups, each with its table. Listed pairs are pairs of nodes: if there are any, each
    node is a class.
    """

    size: Float64Array
    right: Float64Array  # (rows, classes)
    group: Int64Array  # (layers, classes)
    width: tuple[int, ...]  # number of groups in each layer
    listed: ListedFeatures | None = None

    @cached_property
    def slices(self) -> list[slice]:
        """The part of the concatenated tables that belongs to each layer."""
        ends = np.cumsum([0, *(width * width for width in self.width)])
        return [slice(int(begin), int(end)) for begin, end in pairwise(ends)]

    def table(self, values: Float64Array, layer: int) -> Float64Array:
        """View the table of a layer."""
        return values[self.slices[layer]].reshape(self.width[layer], self.width[layer])

    def zeros(self) -> Coefficients:
        """Return coefficients that are all 0."""
        features = 0 if self.listed is None else len(self.listed.value)
        return Coefficients(np.zeros(self.right.shape), np.zeros(self.slices[-1].stop), np.zeros(features))

    def tables(self, coefficients: Coefficients) -> TableArrays:
        """Return the tables as kernels take them."""
        at = np.array([part.start for part in self.slices], dtype=np.int64)
        return TableArrays(at, np.array(self.width, dtype=np.int64), coefficients.tables)

    def nodes(self, coefficients: Coefficients) -> NodeArrays:
        """Return the classes as kernels take them."""
        return NodeArrays(
            coefficients.left, self.right, self.group.astype(np.int32, order="C"), self.tables(coefficients)
        )

    def log_odds(self, coefficients: Coefficients, first: IntegerArray, second: IntegerArray) -> Float64Array:
        """Return z of pairs of classes, without listed features."""
        left, right = coefficients.left, self.right
        z = left[0][first] + left[0][second]
        for layer, group in enumerate(self.group):
            z = z + self.table(coefficients.tables, layer)[group[first], group[second]]
        for x, y in zip(left[1:], right[1:], strict=True):
            z = z + (x[first] * y[second] + y[first] * x[second])
        return np.asarray(z)

    def diagonal_log_odds(self, coefficients: Coefficients) -> Float64Array:
        """Return z of two nodes of the same class."""
        every = np.arange(len(self.size))
        return self.log_odds(coefficients, every, every)

    def subtract_self_pairs(self, node_sums: Float64Array, group_sums: Float64Array, amount: Float64Array) -> None:
        """Subtract, in place, what each node was counted as its own partner."""
        node_sums -= amount * self.right
        for layer, group in enumerate(self.group):
            inside = np.bincount(group, self.size * amount, self.width[layer])
            self.table(group_sums, layer)[np.diag_indices(self.width[layer])] -= inside

    def observed_statistics(self, network: Network, classes: Classes) -> PairStatistics:
        """Return the statistics of the links of a network."""
        node_sums = np.stack([_partner_sums(network, classes, row) / self.size for row in self.right])
        if max(self.width) == 1:
            group_sums = np.full(len(self.width), 2.0 * network.link_count)
        else:
            ends = classes.of[network.links()].T
            group_sums = np.concatenate(
                [_count_between(group[ends], width) for group, width in zip(self.group, self.width, strict=True)]
            )
        return PairStatistics(node_sums, group_sums, self._observed_listed(network))

    def _observed_listed(self, network: Network) -> Float64Array:
        if self.listed is None:
            return np.zeros(0)
        rows = np.repeat(np.arange(network.node_count), np.diff(self.listed.indptr))
        linked = network.are_linked(rows, self.listed.indices)
        return np.asarray(self.listed.value[:, linked].sum(axis=1))


def _count_between(ends: Int64Array, width: int) -> Float64Array:
    """Count the links from one group to another, from both ends."""
    once = np.bincount(ends[0] * width + ends[1], minlength=width * width).reshape(width, width)
    return (once + once.T).ravel().astype(np.float64)


def _partner_sums(network: Network, classes: Classes, row: Float64Array) -> Float64Array:
    """Sum a row of `right` over the neighbours of all nodes of each class."""
    if np.all(row == 1):
        return np.asarray(np.bincount(classes.of, network.degrees, len(classes.size)), dtype=np.float64)
    sums = network.to_scipy() @ row[classes.of]
    return np.asarray(np.bincount(classes.of, sums, len(classes.size)), dtype=np.float64)


def without_diagonal(matrix: sparse.csr_array) -> sparse.csr_array:
    """Return a matrix without the pairs of a node with itself, in sorted rows.

    `setdiag` of SciPy 1.14 changes other entries, too, if indices have 64 bits.
    """
    held = sparse.csr_array(matrix, copy=True)
    held.sort_indices()
    held.data[np.repeat(np.arange(held.shape[0]), np.diff(held.indptr)) == held.indices] = 0
    held.eliminate_zeros()
    return held


def list_pairs(matrices: list[sparse.csr_array]) -> ListedFeatures:
    """List the pairs i < j that any of some symmetric matrices holds, with the values of each matrix."""
    pattern = sparse.csr_array(sparse.triu(reduce(operator.add, [abs(matrix) for matrix in matrices]), k=1))
    pattern.sort_indices()
    rows = np.repeat(np.arange(pattern.shape[0]), np.diff(pattern.indptr))
    values = np.array([entries(matrix, rows, pattern.indices) for matrix in matrices], dtype=np.float64)
    return ListedFeatures(pattern.indptr.astype(np.int64), pattern.indices.astype(np.int32), values)


def entries(matrix: sparse.csr_array, rows: IntegerArray, columns: IntegerArray) -> Float64Array:
    """Return entries of a sparse matrix; none where no places are asked for, for which SciPy gives a sparse array."""
    return np.asarray(matrix[rows, columns]).ravel() if len(rows) else np.empty(0)
