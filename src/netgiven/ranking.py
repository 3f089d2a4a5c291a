"""The likeliest pairs of the whole network, by the way that suits its size."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
import numpy.typing as npt
from scipy.spatial import KDTree

from netgiven.kernels.arrays import Links, Scene, tabulate
from netgiven.kernels.prior_logit import known_log_odds, places_in_rows
from netgiven.kernels.repulsion import BLOCK, SURE
from netgiven.kernels.top_pairs import Heaps, top_pairs
from netgiven.parallel import threads
from netgiven.types import Float64Array, Int64Array

# ---- The likeliest pairs that are not links, among all: of one node, or of the whole network -------------------------


def largest(scores: npt.NDArray[np.floating], count: int) -> Int64Array:
    """Places of the `count` largest scores, largest first, earlier places first among equals; impossible pairs left
    out.
    """
    possible = np.flatnonzero(scores > -np.inf)
    if count < len(possible):
        cut = np.partition(scores[possible], len(possible) - count)[len(possible) - count]
        possible = possible[scores[possible] >= cut]
    return possible[np.argsort(-scores[possible], kind="stable")][:count]


def compare_all(scene: Scene, links: Links, count: int, thread_count: int | None) -> tuple[Int64Array, Int64Array]:
    """Node numbers of the `count` pairs with the largest log-odds among all that are not links.

    n^2 time, and memory for `count` pairs of each block of nodes.
    """
    nodes = len(scene.positions)
    blocks, count = -(-nodes // BLOCK), min(count, nodes * (nodes - 1) // 2)
    first, second = np.zeros((blocks, count), dtype=np.int32), np.zeros((blocks, count), dtype=np.int32)
    heaps = Heaps(np.zeros((blocks, count), dtype=np.float32), first, second)
    with threads(thread_count) as engine:
        engine.run(top_pairs, blocks, scene, tabulate(scene), links, heaps)
    score = heaps.score.ravel()
    order = np.lexsort((second.ravel(), first.ravel(), -score))[:count]
    order = order[score[order] > -np.inf]
    return first.ravel()[order].astype(np.int64), second.ravel()[order].astype(np.int64)


# ---- The best pairs so far -------------------------------------------------------------------------------------------


class Best:
    """The `count` pairs with the largest log-odds among those taken so far; links are never taken."""

    def __init__(self, scene: Scene, links: Links, count: int) -> None:
        self.scene, self.links, self.count = scene, links, count
        self.first, self.second = np.empty(0, np.int64), np.empty(0, np.int64)
        self.score: Float64Array = np.empty(0)

    @property
    def floor(self) -> float:
        """What a pair must exceed to be among the best."""
        return float(self.score[-1]) if len(self.score) == self.count else -np.inf

    def take(self, first: Int64Array, second: Int64Array) -> None:
        """Look at more pairs, in either order, and as often as they come."""
        pairs = np.unique(self._numbered(first, second))
        low, high = np.divmod(pairs, len(self.scene.positions))
        new = places_in_rows(self.links, low, high) < 0
        low, high = low[new], high[new]
        score = log_odds(self.scene, low, high)
        better = score > self.floor
        low, high, score = low[better], high[better], score[better]
        self._keep(np.append(self.first, low), np.append(self.second, high), np.append(self.score, score))

    def _numbered(self, first: Int64Array, second: Int64Array) -> Int64Array:
        """One number for each pair of different nodes."""
        apart = first != second
        low, high = np.minimum(first, second)[apart], np.maximum(first, second)[apart]
        return np.asarray(low * np.int64(len(self.scene.positions)) + high)

    def _keep(self, first: Int64Array, second: Int64Array, score: Float64Array) -> None:
        _, fresh = np.unique(np.column_stack([first, second]), axis=0, return_index=True)
        order = fresh[np.lexsort((second[fresh], first[fresh], -score[fresh]))][: self.count]
        self.first, self.second, self.score = first[order], second[order], score[order]


def log_odds(scene: Scene, first: Int64Array, second: Int64Array) -> Float64Array:
    """z of pairs, in float64."""
    apart = scene.positions[first].astype(np.float64) - scene.positions[second]
    distance = np.einsum("ik,ik->i", apart, apart)
    gained: Float64Array = float(scene.reach) - float(scene.half_stiffness) * distance
    return known_log_odds(scene.prior, first, second) + gained


# ---- The likeliest pairs of a large network: exactly, and without looking at all of them -----------------------------
#
#     z_ij  =  own_i + own_j + table + left_i . right_j + reach - stiffness / 2 |x_i - x_j|^2
#
# Nodes of a group are put into bands by their multiplier `own`, few in the highest. Two bands whose largest
# multipliers do not reach the worst of the best pairs so far are left out: with degrees as different as they mostly
# are, these are nearly all. In the others, each node of the smaller band asks for the nodes of the larger one that
# could reach it:
#
#     |x_i - x_j|^2 + 2 / stiffness (most - own_j)  <=  2 / stiffness (own_i + most + table + bound + reach - floor)
#
# whose left side is a squared distance, with the square root of the second term as one more coordinate of j. SciPy's
# KD-tree finds them. Compared: a KD-tree of all nodes without bands takes as long as looking at all pairs does.


SMALLEST = 64  # nodes of the highest band; each band below has twice as many
MOST_BANDS = 3_000  # with more, pairs of bands would be too many
PIECE = 2_048  # nodes that ask at once
PAIRS_AT_ONCE = 1 << 20
ROUNDING = 1e-3  # of log-odds in float32, to be on the safe side: pairs that are found get exact scores


@dataclass(frozen=True, eq=False)
class Band:
    """Some nodes of a group, the largest multipliers first, and what bounds their log-odds."""

    scene: Scene
    nodes: Int64Array
    group: int

    @cached_property
    def own(self) -> Float64Array:
        """Their multipliers."""
        return self.scene.prior.node[self.nodes].astype(np.float64)

    @property
    def most(self) -> float:
        """The largest multiplier."""
        return float(self.own[0])

    @cached_property
    def left(self) -> Float64Array:
        """Lengths of `left`: with the longest `right`, the most that their product can be."""
        return np.asarray(np.sqrt(np.square(self.scene.prior.left[:, self.nodes], dtype=np.float64).sum(axis=0)))

    @cached_property
    def right(self) -> float:
        """The longest `right`."""
        squares = np.square(self.scene.prior.right[:, self.nodes], dtype=np.float64).sum(axis=0)
        return float(np.sqrt(squares.max()))

    @cached_property
    def tree(self) -> KDTree:
        """Nodes by position, and by how much less than the most their multiplier is."""
        below = np.sqrt((self.most - self.own) / float(self.scene.half_stiffness))
        return KDTree(np.column_stack([self.scene.positions[self.nodes], below]), balanced_tree=False)

    def bound(self, other: Band) -> Float64Array:
        """The most that z of each of these nodes with one of the other band can be, at the same place."""
        table = float(self.scene.prior.table[self.group, other.group])
        return self.own + (other.most + table + float(self.scene.reach)) + self.left * other.right


def search_bands(scene: Scene, links: Links, bands: list[Band], count: int, workers: int) -> Best:
    """The best pairs that are not links; pairs that the prior lists are looked at one by one."""
    best = Best(scene, links, count)
    listed = scene.prior.listed
    if len(listed.indices):
        rows = np.repeat(np.arange(len(scene.positions)), np.diff(listed.indptr))
        best.take(rows, listed.indices.astype(np.int64))
    for bound, one, other in _by_bound(bands):
        if bound + float(scene.reach) < best.floor - ROUNDING:
            break
        few, many = sorted((one, other), key=lambda band: len(band.nodes))
        _meet(few, many, best, workers)
    return best


def make_bands(scene: Scene) -> list[Band]:
    """Bands of all nodes that can have a link more; a node that is certain of its pairs has none to add."""
    prior, bands = scene.prior, []
    for group in range(len(prior.table)):
        nodes = np.flatnonzero((prior.group == group) & (np.abs(prior.node) < SURE / 2))
        nodes = nodes[np.argsort(-prior.node[nodes], kind="stable")]
        bands += [Band(scene, nodes[begin:end], group) for begin, end in pairwise(_edges(len(nodes)))]
    return bands


def _edges(count: int) -> list[int]:
    """Where bands begin and end.

    >>> _edges(500)
    [0, 64, 192, 448, 500]
    """
    edges, size = [0], SMALLEST
    while edges[-1] < count:
        edges.append(min(edges[-1] + size, count))
        size *= 2
    return edges


def _by_bound(bands: list[Band]) -> Iterator[tuple[float, Band, Band]]:
    """Pairs of bands, a band with itself among them, with the most that log-odds can be in them, largest first."""
    if not bands:
        return
    most, group = np.array([band.most for band in bands]), np.array([band.group for band in bands])
    left, right = np.array([band.left.max() for band in bands]), np.array([band.right for band in bands])
    table = bands[0].scene.prior.table.astype(np.float64)[group[:, None], group]
    product = left[:, None] * right
    bound = most[:, None] + most + table + np.maximum(product, product.T)
    first, second = np.triu_indices(len(bands))
    possible = np.abs(table[first, second]) < SURE / 2  # certain pairs are links, or never will be
    first, second = first[possible], second[possible]
    for place in np.argsort(-bound[first, second], kind="stable"):
        yield float(bound[first[place], second[place]]), bands[first[place]], bands[second[place]]


def _meet(few: Band, many: Band, best: Best, workers: int) -> None:
    """Look for pairs between two bands: all while there are too few, then those near enough."""
    bound, begin = few.bound(many), 0
    while begin < len(few.nodes):
        if np.isfinite(best.floor):
            some = slice(begin, begin + PIECE)
            _ask_near(few, many, some, bound[some] - best.floor + ROUNDING, best, workers)
        else:
            some = slice(begin, begin + max(1, PAIRS_AT_ONCE // len(many.nodes)))
            best.take(np.repeat(few.nodes[some], len(many.nodes)), np.tile(many.nodes, len(few.nodes[some])))
        begin = some.stop


def _ask_near(few: Band, many: Band, some: slice, room: Float64Array, best: Best, workers: int) -> None:
    """Pairs of some nodes of a band with nodes of another, within what their distance may take from log-odds."""
    nodes, room = few.nodes[some][room >= 0], room[room >= 0]
    if not len(nodes):
        return
    scene = few.scene
    places = np.column_stack([scene.positions[nodes], np.zeros(len(nodes))])
    radius = np.sqrt(room / float(scene.half_stiffness))
    found = many.tree.query_ball_point(places, radius, workers=workers)
    counts = [len(row) for row in found]
    if any(counts):
        best.take(np.repeat(nodes, counts), many.nodes[np.concatenate([row for row in found if row]).astype(np.int64)])


MOST_NODES_COMPARED = 20_000  # all with all, in less than a second


def likeliest_pairs(scene: Scene, links: Links, count: int, thread_count: int | None) -> tuple[Int64Array, Int64Array]:
    """Node numbers of the `count` pairs with the largest log-odds among all that are not links, largest first."""
    nodes = len(scene.positions)
    if nodes <= MOST_NODES_COMPARED or count > nodes:
        return compare_all(scene, links, count, thread_count)
    bands = make_bands(scene)
    if len(bands) > MOST_BANDS:
        return compare_all(scene, links, count, thread_count)
    with threads(thread_count) as engine:
        best = search_bands(scene, links, bands, count, engine.count)
    return best.first, best.second
