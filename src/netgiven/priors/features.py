"""The four blocks of features that constraints are made of.

| block           | f_k(i, j)                                         | used by                                       |
| --------------- | ------------------------------------------------- | --------------------------------------------- |
| TableFeatures   | weights_k[group_i, group_j]                       | density, blocks, order, homophily, functions  |
| DegreeFeatures  | 1 if one is in class u and the other in group s   | degrees, group degrees                        |
| ProductFeatures | part_i + part_j + x_i . x_j                       | assortativity, homophily of numbers, low rank |
| SparseFeatures  | weights of single pairs, 0 elsewhere              | common neighbours, sparse matrices            |

A block is a linear map from its multipliers to the coefficients of a layout (`add`), and the transposed map from
statistics to the totals of its features (`total`). `evaluate` writes the features out pair by pair, for tests and for
the linear program of `boundary.py`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from scipy import sparse

from netgiven.kernels.pair_sums import ListedFeatures
from netgiven.priors.expectation import LogPartitionHessian
from netgiven.priors.layout import Coefficients, Layout, PairStatistics, entries
from netgiven.types import Float64Array, Int64Array

MAX_JOINT_GROUPS = 3_000  # groups of a layer that several blocks share


class Slot(NamedTuple):
    """The place of a block in a layout: its rows of `right`, its layer, that layer's part of the concatenated tables,
    and the block's group of each group of the layer.
    """

    rows: slice
    layer: int
    table: slice
    group: Int64Array

    def view(self, tables: Float64Array) -> Float64Array:
        """View the table of the layer."""
        return tables[self.table].reshape(len(self.group), len(self.group))


class FeatureBlock(ABC):
    """The features of one constraint, on the classes of a network."""

    def __init__(self, classes: int) -> None:
        self.group = np.zeros(classes, dtype=np.int64)  # group of each class, for blocks with a table
        self.right = np.empty((0, classes))  # rows of `right` that the block needs
        self.user_totals: Float64Array | None = None  # totals set by the user; NaN: that of the network

    @property
    @abstractmethod
    def count(self) -> int:
        """Number of multipliers."""

    @property
    @abstractmethod
    def smallest_positive(self) -> float:
        """The smallest value above 0 that a feature takes; 0 if features can be negative."""

    @property
    def constant_sum(self) -> float:
        """What the features of a pair add up to, if that is the same for all pairs; otherwise 0."""
        return 0.0

    @abstractmethod
    def add(self, multipliers: Float64Array, coefficients: Coefficients, slot: Slot) -> None:
        """Add, in place, the coefficients that the multipliers stand for."""

    @abstractmethod
    def total(self, sums: PairStatistics, size: Float64Array, slot: Slot) -> Float64Array:
        """Return the sum of each feature over pairs: the transpose of `add`."""

    @abstractmethod
    def evaluate(self, first: Int64Array, second: Int64Array) -> sparse.csr_array:
        """Return f_k of pairs of classes, one row per pair."""

    def initial(self, targets: Float64Array, capacity: Float64Array, size: Float64Array) -> Float64Array:
        """Return a first guess of the multipliers."""
        return np.zeros(self.count)

    def hessian_diagonal(self, hessian: LogPartitionHessian, size: Float64Array, slot: Slot) -> Float64Array:
        """Return the derivative of the total of each feature in its multiplier."""
        diagonal = np.zeros(self.count)
        for k in range(self.count):
            step = hessian.layout.zeros()
            self.add(np.eye(self.count)[k], step, slot)
            diagonal[k] = self.total(hessian.times(step), size, slot)[k]
        return diagonal


class TableFeatures(FeatureBlock):
    """f_k(i, j) = weights_k[group_i, group_j].

    Column k of `weights` is the symmetric table of multiplier k, row by row.
    """

    def __init__(self, group: Int64Array, weights: sparse.csr_array) -> None:
        super().__init__(len(group))
        self.group, self.weights = group, sparse.csr_array(weights)
        self.group_count = round(np.sqrt(weights.shape[0]))

    @property
    def count(self) -> int:
        """One multiplier per column of the weights."""
        return int(self.weights.shape[1])

    @property
    def smallest_positive(self) -> float:
        """The smallest positive weight."""
        return _smallest_positive(self.weights.data)

    @property
    def constant_sum(self) -> float:
        """1 for the density and for blocks."""
        rows = np.asarray(self.weights.sum(axis=1)).ravel()
        return float(rows[0]) if np.all(rows == rows[0]) else 0.0

    def add(self, multipliers: Float64Array, coefficients: Coefficients, slot: Slot) -> None:
        """Add the weighted sum of the tables."""
        table = (self.weights @ multipliers).reshape(self.group_count, self.group_count)
        slot.view(coefficients.tables)[:] += table[np.ix_(slot.group, slot.group)]

    def total(self, sums: PairStatistics, size: Float64Array, slot: Slot) -> Float64Array:
        """Half of the weighted group sums, which count pairs from both ends."""
        return np.asarray(self.weights.T @ self._merge(slot.view(sums.group_sums), slot).ravel()) / 2

    def _merge(self, group_sums: Float64Array, slot: Slot) -> Float64Array:
        """Add up sums between groups of the layer to sums between groups of the block, which are coarser."""
        shape = len(slot.group), self.group_count
        member = sparse.csr_array((np.ones(shape[0]), (np.arange(shape[0]), slot.group)), shape=shape)
        return np.asarray(member.T @ (member.T @ group_sums.T).T)

    def evaluate(self, first: Int64Array, second: Int64Array) -> sparse.csr_array:
        """Rows of the weights."""
        return sparse.csr_array(self.weights[self.group[first] * self.group_count + self.group[second]])

    def initial(self, targets: Float64Array, capacity: Float64Array, size: Float64Array) -> Float64Array:
        """The log-odds of each block's density: exact where no pair counts for two features."""
        if not np.all(self.weights.data == 1):
            return np.zeros(self.count)
        with np.errstate(divide="ignore", invalid="ignore"):
            guess = np.log(targets) - np.log(capacity - targets)
        return np.where(np.isfinite(guess), guess, 0.0)

    def hessian_diagonal(self, hessian: LogPartitionHessian, size: Float64Array, slot: Slot) -> Float64Array:
        """As `total`, with squared weights and the variances between groups."""
        return np.asarray((self.weights**2).T @ self._merge(hessian.group_variances(slot.layer), slot).ravel()) / 2


class DegreeFeatures(FeatureBlock):
    """f_us(i, j) = 1 if one of the two is in class u and the other in group s, for each class and group.

    With one group these are the degrees. A pair of nodes of class u in group s counts twice for it: once for each node.
    """

    def __init__(self, group: Int64Array, group_count: int, uncertainty: float = 0.0) -> None:
        super().__init__(len(group))
        self.target_group, self.group_count, self.uncertainty = group, group_count, uncertainty
        if group_count > 1:
            self.right = (group == np.arange(group_count)[:, None]).astype(np.float64)

    @property
    def count(self) -> int:
        """One multiplier per group and class, group by group."""
        return self.group_count * len(self.target_group)

    @property
    def smallest_positive(self) -> float:
        """A link counts once or twice."""
        return 1.0

    @property
    def constant_sum(self) -> float:
        """Once for each end."""
        return 2.0

    def add(self, multipliers: Float64Array, coefficients: Coefficients, slot: Slot) -> None:
        """Add to the left coefficients of each class."""
        coefficients.left[self._rows(slot)] += multipliers.reshape(self.group_count, -1)

    def total(self, sums: PairStatistics, size: Float64Array, slot: Slot) -> Float64Array:
        """The degrees of all nodes of a class."""
        return np.asarray(size * sums.node_sums[self._rows(slot)]).ravel()

    def _rows(self, slot: Slot) -> slice:
        return slot.rows if self.group_count > 1 else slice(0, 1)

    def evaluate(self, first: Int64Array, second: Int64Array) -> sparse.csr_array:
        """Two entries per pair: the first node towards the group of the second, and the reverse."""
        pairs, count = np.arange(len(first)), len(self.target_group)
        columns = np.concatenate([self.target_group[second] * count + first, self.target_group[first] * count + second])
        if self.group_count == 1:
            columns = np.concatenate([first, second])
        entries = np.ones(2 * len(pairs)), (np.concatenate([pairs, pairs]), columns)
        return sparse.csr_array(entries, shape=(len(pairs), self.count))

    def initial(self, targets: Float64Array, capacity: Float64Array, size: Float64Array) -> Float64Array:
        """log(k / sqrt(2m)), good where networks are sparse; m links between the two groups."""
        degree = np.maximum(targets.reshape(self.group_count, -1) / size, 1e-3)
        ends = np.zeros((self.group_count, self.group_count))
        for towards in range(self.group_count):
            ends[towards] = np.bincount(self.target_group, size * degree[towards], self.group_count)
        return np.asarray(np.log(degree / np.sqrt(np.maximum(ends[:, self.target_group], 1.0)))).ravel()

    def hessian_diagonal(self, hessian: LogPartitionHessian, size: Float64Array, slot: Slot) -> Float64Array:
        """The variance of the degree of each class."""
        return np.asarray(size * hessian.node_variances[self._rows(slot)]).ravel()


class ProductFeatures(FeatureBlock):
    """f(i, j) = part_i + part_j + x_i . x_j, with one multiplier."""

    def __init__(self, part: Float64Array, x: Float64Array) -> None:
        super().__init__(len(part))
        self.part, self.right = part, x

    @property
    def count(self) -> int:
        """One multiplier."""
        return 1

    @property
    def smallest_positive(self) -> float:
        """A lower bound where nothing is negative; otherwise 0."""
        if (self.part < 0).any() or (self.right < 0).any():
            return 0.0
        bound = min((_smallest_positive(row) ** 2 for row in self.right), default=1.0)
        return min(bound, _smallest_positive(self.part)) if self.part.any() else bound

    @property
    def largest(self) -> float:
        """An upper bound on the feature of any pair."""
        return float(2 * np.abs(self.part).max(initial=0.0) + (self.right**2).sum(axis=0).max(initial=0.0))

    def add(self, multipliers: Float64Array, coefficients: Coefficients, slot: Slot) -> None:
        """Add half of the product from each end."""
        coefficients.left[0] += multipliers[0] * self.part
        coefficients.left[slot.rows] += multipliers[0] / 2 * self.right

    def total(self, sums: PairStatistics, size: Float64Array, slot: Slot) -> Float64Array:
        """Half of the products, which are counted from both ends, and the parts."""
        halves = (size * self.right * sums.node_sums[slot.rows]).sum() / 2
        return np.array([halves + (size * self.part * sums.node_sums[0]).sum()])

    def evaluate(self, first: Int64Array, second: Int64Array) -> sparse.csr_array:
        """One column."""
        products = (self.right[:, first] * self.right[:, second]).sum(axis=0)
        return sparse.csr_array((products + self.part[first] + self.part[second])[:, None])


class SparseFeatures(FeatureBlock):
    """Weights of single pairs of nodes, one multiplier per matrix; the layout lists the pairs."""

    def __init__(self, matrices: list[sparse.csr_array]) -> None:
        super().__init__(matrices[0].shape[0])
        self.matrices = matrices

    @property
    def count(self) -> int:
        """One multiplier per matrix."""
        return len(self.matrices)

    @property
    def smallest_positive(self) -> float:
        """The smallest positive weight of all matrices."""
        return min(_smallest_positive(matrix.data) for matrix in self.matrices)

    @property
    def largest(self) -> float:
        """The largest absolute weight of all matrices."""
        return float(max(np.abs(matrix.data).max(initial=0.0) for matrix in self.matrices))

    def add(self, multipliers: Float64Array, coefficients: Coefficients, slot: Slot) -> None:
        """The coefficients are the multipliers."""
        coefficients.listed[:] += multipliers

    def total(self, sums: PairStatistics, size: Float64Array, slot: Slot) -> Float64Array:
        """The totals are the statistics."""
        return sums.listed

    def evaluate(self, first: Int64Array, second: Int64Array) -> sparse.csr_array:
        """Each node is a class, so pairs of classes are pairs of nodes."""
        values = [entries(matrix, first, second) for matrix in self.matrices]
        return sparse.csr_array(np.stack(values, axis=1))


def _smallest_positive(values: Float64Array) -> float:
    """The smallest value above 0, or 0 if one is negative; 1 if there is none."""
    if (values < 0).any():
        return 0.0
    return float(values[values > 0].min(initial=np.inf)) if (values > 0).any() else 1.0


def build_layout(
    blocks: list[FeatureBlock], size: Float64Array, listed: ListedFeatures | None
) -> tuple[Layout, list[Slot]]:
    """Build the layout that holds all blocks, and the slot of each."""
    right = np.concatenate([np.ones((1, len(size))), *(block.right for block in blocks)])
    layers, layer_of = _assign_layers([block.group for block in blocks])
    width = tuple(int(layer.max(initial=0)) + 1 for layer in layers)
    layout = Layout(size, right, np.stack(layers), width, listed)
    ends = np.cumsum([1, *(len(block.right) for block in blocks)])
    slots = []
    for block, rows, layer in zip(blocks, pairwise(ends), layer_of, strict=True):
        group = np.zeros(width[layer], dtype=np.int64)
        group[layers[layer]] = block.group
        slots.append(Slot(slice(*map(int, rows)), layer, layout.slices[layer], group))
    return layout, slots


def _assign_layers(groups: list[Int64Array]) -> tuple[list[Int64Array], list[int]]:
    """Return layers of groups, each of which refines the groups of some blocks, and the layer of each block.

    A block joins the first layer whose joint groups stay few; if there is none, it gets a new layer.
    """
    layers, layer_of = [np.zeros(len(groups[0]), dtype=np.int64)], []
    for group in groups:
        joint = [np.unique(layer * (int(group.max(initial=0)) + 1) + group, return_inverse=True)[1] for layer in layers]
        small = [
            int(one.max(initial=0)) < max(MAX_JOINT_GROUPS, int(layer.max(initial=0)) + 1)
            for one, layer in zip(joint, layers, strict=True)
        ]
        index = small.index(True) if True in small else len(layers)
        layers[index : index + 1] = [joint[index] if True in small else group]
        layer_of.append(index)
    return layers, layer_of
