"""The four shapes that knowledge takes: functions f_k of a pair of nodes, and their multipliers.

| term      | f_k(i, j)                                             | used by                                          |
|-----------|-------------------------------------------------------|--------------------------------------------------|
| Table     | weights_k[group_i, group_j]                           | density, blocks, order, homophily, functions     |
| Towards   | 1 if i is node k and j on side s, or the other way    | degrees, group degrees                           |
| Product   | part_i + part_j + x_i . x_j                           | assortativity, homophily of numbers, low rank    |
| Listed    | any weights of few pairs, 0 elsewhere                 | common neighbours, sparse matrices               |

A term adds what its multipliers say to coefficients, and takes its totals out of sums: the transposed map. `features`
writes the same down pair by pair, for tests and for the search for certain pairs.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from scipy import sparse

from netgiven.kernels.pair_sums import Listed
from netgiven.priors.expectation import Curvature
from netgiven.priors.layout import Coefficients, Layout, Sums, entries
from netgiven.types import Float64Array, Int64Array

MOST_JOINT = 3_000  # groups of a layer that several terms share


class Place(NamedTuple):
    """Where a term stands in a layout: its basis columns, its layer with that layer's table among all tables, and its
    own group of each group of the layer.
    """

    columns: slice
    layer: int
    table: slice
    group: Int64Array

    def view(self, tables: Float64Array) -> Float64Array:
        """The table of the layer."""
        return tables[self.table].reshape(len(self.group), len(self.group))


class Term(ABC):
    """A kind of knowledge of one network, in numbers."""

    def __init__(self, classes: int) -> None:
        self.group = np.zeros(classes, dtype=np.int64)  # of each class: what the term has a table of
        self.columns = np.empty((0, classes))  # basis columns that the term needs
        self.wanted: Float64Array | None = (
            None  # totals that were told; those of the network, where they are NaN or none
        )

    @property
    @abstractmethod
    def count(self) -> int:
        """Number of multipliers."""

    @property
    @abstractmethod
    def least(self) -> float:
        """The smallest value above 0 that a feature has; 0 if features can be negative."""

    @property
    def constant(self) -> float:
        """What all features of a pair add up to, where that is the same for all pairs, and else 0."""
        return 0.0

    @abstractmethod
    def add(self, multipliers: Float64Array, coefficients: Coefficients, place: Place) -> None:
        """Add what the multipliers say."""

    @abstractmethod
    def total(self, sums: Sums, size: Float64Array, place: Place) -> Float64Array:
        """The sum of each feature over pairs."""

    @abstractmethod
    def features(self, first: Int64Array, second: Int64Array) -> sparse.csr_array:
        """f_k of some pairs of classes: a row a pair."""

    def start(self, observed: Float64Array, capacity: Float64Array, size: Float64Array) -> Float64Array:
        """A first guess of the multipliers: nothing is known yet."""
        return np.zeros(self.count)

    def diagonal(self, curvature: Curvature, size: Float64Array, place: Place) -> Float64Array:
        """How fast the total of each feature grows with its own multiplier."""
        growth = np.zeros(self.count)
        for k in range(self.count):
            step = curvature.layout.zeros()
            self.add(np.eye(self.count)[k], step, place)
            growth[k] = self.total(curvature.along(step), size, place)[k]
        return growth


class Table(Term):
    """f_k(i, j) = weights_k[group_i, group_j], for symmetric weights: one column of `weights` a multiplier."""

    def __init__(self, group: Int64Array, weights: sparse.csr_array) -> None:
        super().__init__(len(group))
        self.group, self.weights = group, sparse.csr_array(weights)
        self.group_count = round(np.sqrt(weights.shape[0]))

    @property
    def count(self) -> int:
        """One a column of the weights."""
        return int(self.weights.shape[1])

    @property
    def least(self) -> float:
        """Of the weights."""
        return _least(self.weights.data)

    @property
    def constant(self) -> float:
        """1 for the density, and for blocks."""
        rows = np.asarray(self.weights.sum(axis=1)).ravel()
        return float(rows[0]) if np.all(rows == rows[0]) else 0.0

    def add(self, multipliers: Float64Array, coefficients: Coefficients, place: Place) -> None:
        """A symmetric table."""
        table = (self.weights @ multipliers).reshape(self.group_count, self.group_count)
        place.view(coefficients.tables)[:] += table[np.ix_(place.group, place.group)]

    def total(self, sums: Sums, size: Float64Array, place: Place) -> Float64Array:
        """Pairs were counted from both ends."""
        return np.asarray(self.weights.T @ self._merged(place.view(sums.between), place).ravel()) / 2

    def _merged(self, between: Float64Array, place: Place) -> Float64Array:
        """Sums between our own groups, which those of the layout divide."""
        shape = len(place.group), self.group_count
        join = sparse.csr_array((np.ones(shape[0]), (np.arange(shape[0]), place.group)), shape=shape)
        return np.asarray(join.T @ (join.T @ between.T).T)

    def features(self, first: Int64Array, second: Int64Array) -> sparse.csr_array:
        """Rows of the weights."""
        return sparse.csr_array(self.weights[self.group[first] * self.group_count + self.group[second]])

    def start(self, observed: Float64Array, capacity: Float64Array, size: Float64Array) -> Float64Array:
        """The log-odds of each block's density: exact where no pair counts for two blocks."""
        if not np.all(self.weights.data == 1):
            return np.zeros(self.count)
        with np.errstate(divide="ignore", invalid="ignore"):
            guess = np.log(observed) - np.log(capacity - observed)
        return np.where(np.isfinite(guess), guess, 0.0)

    def diagonal(self, curvature: Curvature, size: Float64Array, place: Place) -> Float64Array:
        """With the weights squared."""
        return np.asarray((self.weights**2).T @ self._merged(curvature.between(place.layer), place).ravel()) / 2


class Towards(Term):
    """f_us(i, j) = 1 if one of the two is in class u and the other on side s, for each class and side.

    With one side these are the degrees. A pair of nodes of class u on side s counts twice for it: once for each node.
    """

    def __init__(self, side: Int64Array, sides: int) -> None:
        super().__init__(len(side))
        self.side, self.sides = side, sides
        if sides > 1:
            self.columns = (side == np.arange(sides)[:, None]).astype(np.float64)

    @property
    def count(self) -> int:
        """One for each side and class, side by side."""
        return self.sides * len(self.side)

    @property
    def least(self) -> float:
        """A link counts once or twice."""
        return 1.0

    @property
    def constant(self) -> float:
        """Once for each end."""
        return 2.0

    def add(self, multipliers: Float64Array, coefficients: Coefficients, place: Place) -> None:
        """Each class has its own."""
        coefficients.own[self._rows(place)] += multipliers.reshape(self.sides, -1)

    def total(self, sums: Sums, size: Float64Array, place: Place) -> Float64Array:
        """Over the nodes of a class."""
        return np.asarray(size * sums.pulls[self._rows(place)]).ravel()

    def _rows(self, place: Place) -> slice:
        return place.columns if self.sides > 1 else slice(0, 1)

    def features(self, first: Int64Array, second: Int64Array) -> sparse.csr_array:
        """Two entries a pair: the first node's towards the second's side, and the other way."""
        pairs, count = np.arange(len(first)), len(self.side)
        columns = np.concatenate([self.side[second] * count + first, self.side[first] * count + second])
        if self.sides == 1:
            columns = np.concatenate([first, second])
        entries = np.ones(2 * len(pairs)), (np.concatenate([pairs, pairs]), columns)
        return sparse.csr_array(entries, shape=(len(pairs), self.count))

    def start(self, observed: Float64Array, capacity: Float64Array, size: Float64Array) -> Float64Array:
        """log(k / sqrt(2m)), right where networks are sparse; m links between the two sides."""
        degree = np.maximum(observed.reshape(self.sides, -1) / size, 1e-3)
        ends = np.zeros((self.sides, self.sides))
        for towards in range(self.sides):
            ends[towards] = np.bincount(self.side, size * degree[towards], self.sides)
        return np.asarray(np.log(degree / np.sqrt(np.maximum(ends[:, self.side], 1.0)))).ravel()

    def diagonal(self, curvature: Curvature, size: Float64Array, place: Place) -> Float64Array:
        """Of the class's own multipliers."""
        return np.asarray(size * curvature.own[self._rows(place)]).ravel()


class Product(Term):
    """f(i, j) = part_i + part_j + x_i . x_j: one multiplier."""

    def __init__(self, part: Float64Array, x: Float64Array) -> None:
        super().__init__(len(part))
        self.part, self.columns = part, x

    @property
    def count(self) -> int:
        """One."""
        return 1

    @property
    def least(self) -> float:
        """Only known where nothing is negative."""
        if (self.part < 0).any() or (self.columns < 0).any():
            return 0.0
        least = min((_least(row) ** 2 for row in self.columns), default=1.0)
        return min(least, _least(self.part)) if self.part.any() else least

    @property
    def most(self) -> float:
        """No pair has more."""
        return float(2 * np.abs(self.part).max(initial=0.0) + (self.columns**2).sum(axis=0).max(initial=0.0))

    def add(self, multipliers: Float64Array, coefficients: Coefficients, place: Place) -> None:
        """Half of the product from each end."""
        coefficients.own[0] += multipliers[0] * self.part
        coefficients.own[place.columns] += multipliers[0] / 2 * self.columns

    def total(self, sums: Sums, size: Float64Array, place: Place) -> Float64Array:
        """Pairs are seen from both ends."""
        halves = (size * self.columns * sums.pulls[place.columns]).sum() / 2
        return np.array([halves + (size * self.part * sums.pulls[0]).sum()])

    def features(self, first: Int64Array, second: Int64Array) -> sparse.csr_array:
        """One column."""
        products = (self.columns[:, first] * self.columns[:, second]).sum(axis=0)
        return sparse.csr_array((products + self.part[first] + self.part[second])[:, None])


class ListedFeatures(Term):
    """Features of listed pairs of nodes, one multiplier each; the layout holds the pairs."""

    def __init__(self, matrices: list[sparse.csr_array]) -> None:
        super().__init__(matrices[0].shape[0])
        self.matrices = matrices

    @property
    def count(self) -> int:
        """One a matrix."""
        return len(self.matrices)

    @property
    def least(self) -> float:
        """Of all weights."""
        leasts = [_least(matrix.data) for matrix in self.matrices]
        return min(leasts)

    @property
    def most(self) -> float:
        """Of all weights."""
        return float(max(np.abs(matrix.data).max(initial=0.0) for matrix in self.matrices))

    def add(self, multipliers: Float64Array, coefficients: Coefficients, place: Place) -> None:
        """As they are."""
        coefficients.listed[:] += multipliers

    def total(self, sums: Sums, size: Float64Array, place: Place) -> Float64Array:
        """As they are."""
        return sums.listed

    def features(self, first: Int64Array, second: Int64Array) -> sparse.csr_array:
        """Where there is a class for each node, pairs of classes are pairs of nodes."""
        values = [entries(matrix, first, second) for matrix in self.matrices]
        return sparse.csr_array(np.stack(values, axis=1))


def _least(values: Float64Array) -> float:
    """The smallest value above 0, or 0 if one is negative; 1 if there is none."""
    if (values < 0).any():
        return 0.0
    return float(values[values > 0].min(initial=np.inf)) if (values > 0).any() else 1.0


def lay_out(terms: list[Term], size: Float64Array, listed: Listed | None) -> tuple[Layout, list[Place]]:
    """The layout that holds all terms, and where each stands."""
    basis = np.concatenate([np.ones((1, len(size))), *(term.columns for term in terms)])
    layers, of = _layers([term.group for term in terms])
    width = tuple(int(layer.max(initial=0)) + 1 for layer in layers)
    layout = Layout(size, basis, np.stack(layers), width, listed)
    ends = np.cumsum([1, *(len(term.columns) for term in terms)])
    places = []
    for term, columns, layer in zip(terms, pairwise(ends), of, strict=True):
        own = np.zeros(width[layer], dtype=np.int64)
        own[layers[layer]] = term.group
        places.append(Place(slice(*map(int, columns)), layer, layout.slices[layer], own))
    return layout, places


def _layers(groups: list[Int64Array]) -> tuple[list[Int64Array], list[int]]:
    """Layers of groups, each of which divides those of some terms, and the layer of each term."""
    layers, of = [np.zeros(len(groups[0]), dtype=np.int64)], []
    for group in groups:
        joint = [np.unique(layer * (int(group.max(initial=0)) + 1) + group, return_inverse=True)[1] for layer in layers]
        small = [
            int(one.max(initial=0)) < max(MOST_JOINT, int(layer.max(initial=0)) + 1)
            for one, layer in zip(joint, layers, strict=True)
        ]
        place = small.index(True) if True in small else len(layers)
        layers[place : place + 1] = [joint[place] if True in small else group]
        of.append(place)
    return layers, of
