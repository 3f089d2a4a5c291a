"""The likeliest pairs of a large network: exactly, and without looking at all of them.

    z_ij  =  own_i + own_j + table + left_i . right_j + reach - stiffness / 2 |x_i - x_j|^2

Nodes of a group are put into bands by their multiplier `own`, few in the highest. Two bands whose largest multipliers
do not reach the worst of the best pairs so far are left out: with degrees as different as they mostly are, these are
nearly all. In the others, each node of the smaller band asks for the nodes of the larger one that could reach it:

    |x_i - x_j|^2 + 2 / stiffness (most - own_j)  <=  2 / stiffness (own_i + most + table + bound + reach - floor)

whose left side is a squared distance, with the square root of the second term as one more coordinate of j. SciPy's
KD-tree finds them. Compared: a KD-tree of all nodes without bands takes as long as looking at all pairs does.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
from scipy.spatial import KDTree

from netgiven.kernels.arrays import Links, Scene
from netgiven.kernels.repulsion import SURE
from netgiven.ranking.best import Best
from netgiven.types import Float64Array, Int64Array

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
