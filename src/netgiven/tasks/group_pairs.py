"""Probabilities, averaged over the pairs of nodes that two groups have: all pairs, or a sample of a large network."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from netgiven.embedding import Embedding
from netgiven.model import probability
from netgiven.network import Network
from netgiven.types import BoolArray, Float64Array, Int64Array, IntegerArray

ALL_PAIRS, DRAWN_PAIRS = 5_000_000, 2_000_000  # all are looked at up to 3,162 nodes; of more, so many pairs are drawn
PAIRS_AT_ONCE = 100_000  # in 64 dimensions 50 MB


@dataclass(frozen=True, eq=False)
class Groups:
    """Nodes by the values of a column: `codes` numbers the group of each node, -1 where it has none.

    Two groups, or a group with itself, are a *cell*: (0, 0), (0, 1), ..., (1, 1), (1, 2), ...

    >>> groups = Groups(np.array([0, 1, 1, -1]), ["left", "right"])
    >>> groups.ends, groups.pair_counts.tolist()
    ((array([0, 0, 1]), array([0, 1, 1])), [0, 2, 1])
    >>> groups.cell_of(np.array([1, 2]), np.array([0, 1])).tolist()
    [1, 2]
    """

    codes: IntegerArray
    values: list[Any]

    @property
    def nodes(self) -> Int64Array:
        """The numbers of the nodes that have a value."""
        return np.flatnonzero(self.codes >= 0)

    @cached_property
    def sizes(self) -> Int64Array:
        """Number of nodes of each group."""
        return np.bincount(self.codes[self.nodes], minlength=len(self.values))

    @cached_property
    def ends(self) -> tuple[Int64Array, Int64Array]:
        """The two groups of each cell."""
        first, second = np.triu_indices(len(self.values))
        return first, second

    @property
    def same(self) -> BoolArray:
        """Which cells are a group with itself."""
        return np.asarray(self.ends[0] == self.ends[1])

    @cached_property
    def pair_counts(self) -> Int64Array:
        """How many pairs of nodes each cell has."""
        first, second = self.ends
        return np.asarray(self.sizes[first] * (self.sizes[second] - self.same) // np.where(self.same, 2, 1))

    def cell_of(self, first: IntegerArray, second: IntegerArray) -> Int64Array:
        """The cell of each pair of nodes, both of which have a value."""
        cells = np.empty((len(self.values),) * 2, dtype=np.int64)
        cells[self.ends] = cells[self.ends[::-1]] = np.arange(len(self.ends[0]))
        return np.asarray(cells[self.codes[first], self.codes[second]])

    def among(self, pairs: IntegerArray) -> IntegerArray:
        """Those pairs of node numbers, one a row, of which both ends have a value."""
        return np.asarray(pairs[(self.codes[pairs] >= 0).all(axis=1)])


class Means(NamedTuple):
    """Mean probability of the pairs of each cell, NaN where there are none; `error` is 0 where all were looked at."""

    pairs: Int64Array
    mean: Float64Array
    error: Float64Array

    def over(self, cells: BoolArray) -> tuple[float, float]:
        """Mean over all pairs of these cells together, and its standard error."""
        chosen = cells & (self.pairs > 0)
        share = self.pairs[chosen] / max(self.pairs[chosen].sum(), 1)
        if not len(share):
            return float("nan"), float("nan")
        return float(share @ self.mean[chosen]), float(np.sqrt(np.square(share * self.error[chosen]).sum()))


def means_of_all(embedding: Embedding, groups: Groups, seed: int = 0) -> Means:
    """Mean of P_uv over all pairs of each cell, whether linked or not: exact up to 5,000,000 pairs.

    Of a larger network 2,000,000 pairs are drawn, as many in each cell. Few pairs have most of the probability, and
    most of those are linked, so the links are looked at one by one, and only the other pairs are drawn:

        mean  =  (sum over links of P  +  number of other pairs * mean of P over those drawn) / number of pairs
    """
    if groups.pair_counts.sum() <= ALL_PAIRS:
        blocks = (_tally(embedding, groups, first, second) for first, second in _blocks(groups.nodes))
        total = sum((block.total for block in blocks), np.zeros(len(groups.pair_counts)))
        return Means(groups.pair_counts, _divided(total, groups.pair_counts), np.zeros(len(total)))
    links = _tally(embedding, groups, *groups.among(embedding.network.links()).T)
    drawn = _tally(embedding, groups, *_draw_others(embedding.network, groups, seed))
    others = groups.pair_counts - links.pairs
    mean = np.where(others > 0, drawn.mean, 0.0)
    total = links.total + others * mean
    error = np.where(others > 0, others * drawn.error, 0.0)
    return Means(groups.pair_counts, _divided(total, groups.pair_counts), _divided(error, groups.pair_counts))


def means_of_listed(embedding: Embedding, groups: Groups, pairs: IntegerArray) -> Means:
    """Mean of P_uv over these pairs of node numbers, one a row, by cell; nodes without a value are left out."""
    tally = _tally(embedding, groups, *groups.among(pairs).T)
    return Means(tally.pairs, tally.mean, np.zeros(len(tally.pairs)))


class _Tally(NamedTuple):
    """Pairs, and sums of their probabilities and of the squares of these, by cell."""

    pairs: Int64Array
    total: Float64Array
    squares: Float64Array

    @property
    def mean(self) -> Float64Array:
        return _divided(self.total, self.pairs)

    @property
    def error(self) -> Float64Array:
        """Standard error of the mean, if the pairs were drawn."""
        variance = np.maximum(_divided(self.squares, self.pairs) - np.square(self.mean), 0.0)
        return np.sqrt(_divided(variance, np.maximum(self.pairs - 1, 1)))


def _tally(embedding: Embedding, groups: Groups, first: IntegerArray, second: IntegerArray) -> _Tally:
    """Some pairs at a time, so that no array is large."""
    cells = len(groups.pair_counts)
    count, total, squares = np.zeros(cells, dtype=np.int64), np.zeros(cells), np.zeros(cells)
    for begin in range(0, len(first), PAIRS_AT_ONCE):
        some = first[begin : begin + PAIRS_AT_ONCE], second[begin : begin + PAIRS_AT_ONCE]
        cell, chance = groups.cell_of(*some), probability(embedding.log_odds_of(*some))
        count += np.bincount(cell, minlength=cells)
        total += np.bincount(cell, chance, minlength=cells)
        squares += np.bincount(cell, np.square(chance), minlength=cells)
    return _Tally(count, total, squares)


def _blocks(nodes: Int64Array) -> Iterator[tuple[Int64Array, Int64Array]]:
    """All pairs of these nodes, each once, some rows of the triangle at a time."""
    step = max(PAIRS_AT_ONCE // max(len(nodes), 1), 1)
    for begin in range(0, len(nodes), step):
        rows, others = np.arange(begin, min(begin + step, len(nodes))), np.arange(begin, len(nodes))
        first, second = np.nonzero(others[None, :] > rows[:, None])
        yield nodes[begin + first], nodes[begin + second]


def _draw_others(network: Network, groups: Groups, seed: int) -> tuple[Int64Array, Int64Array]:
    """Pairs without a link, as many draws in each cell, uniform within it."""
    random = np.random.default_rng(seed)
    order = np.argsort(groups.codes, kind="stable")[-len(groups.nodes) :]  # the groups one after the other
    begin = np.concatenate([[0], np.cumsum(groups.sizes)])
    cell = np.repeat(np.arange(len(groups.pair_counts)), DRAWN_PAIRS // len(groups.pair_counts))
    ends = [group[cell] for group in groups.ends]
    first, second = (order[begin[end] + (random.random(len(cell)) * groups.sizes[end]).astype(int)] for end in ends)
    kept = (first != second) & ~network.are_linked(first, second)
    return first[kept], second[kept]


def _divided(total: Float64Array, count: Int64Array) -> Float64Array:
    """NaN where there is nothing to divide by."""
    return np.asarray(np.divide(total, count, out=np.full(len(total), np.nan), where=count > 0))
