"""The likeliest pairs of a network that are not links.

In a small network all pairs are compared. In a large one the result is the same, but most pairs are never looked at.
With the log-odds

    z_ij  =  own_i + own_j + table + left_i . right_j + reach - stiffness / 2 |x_i - x_j|^2

no pair of two groups exceeds bound_i + bound_j + table + reach, where

    bound_i  =  own_i + |left_i| |right_i| / 2

since left_i . right_j = left_j . right_i, whose square is at most |left_i| |right_j| |left_j| |right_i|. The nodes of
each group are sorted by their bounds and divided into bands, with few nodes in the highest one. Pairs of bands come in
the order of their bounds, and as soon as there are enough pairs, only those are looked at whose bound is not below the
worst of the best pairs so far. Since degrees differ widely, these are few, and the sum of the distance of most of them
ends after a few dimensions. Where they are many, each node i of the smaller band searches the larger one for nodes j
with

    |x_i - x_j|^2 + 2 / stiffness (most - bound_j)  <=  2 / stiffness (bound_i + most + table + reach - floor)

The left side is a squared distance with the square root of its second term as one more coordinate of j, so a KD-tree
finds them. (A KD-tree of all nodes without bands takes as long as comparing all pairs, and one of many dimensions finds
nothing sooner.)

Recommendations, which are the likeliest pairs of some nodes with given candidates, compare all of them: a matrix
product per block of nodes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from pandas.api.types import is_float_dtype, is_list_like

from netgiven.edges import listed_names, shown
from netgiven.errors import InputError
from netgiven.kernels.arrays import LinkRows, ListedLogOdds, ModelArrays, distinct, find_in_rows, make_tables
from netgiven.kernels.prior_logit import prior_log_odds
from netgiven.kernels.repulsion import BLOCK
from netgiven.kernels.top_pairs import BandArrays, Heaps, pairs_above, top_pairs
from netgiven.model import CERTAIN_LOG_ODDS
from netgiven.network import Network
from netgiven.parallel import threads
from netgiven.types import BoolArray, Float32Array, Float64Array, Int64Array

if TYPE_CHECKING:
    from scipy.spatial import KDTree

MAX_NODES_COMPARED = 20_000  # all pairs, in less than a second
SMALLEST_BAND = 64  # nodes of the highest band; each band below has twice as many
MAX_BANDS = 3_000  # with more, there would be too many pairs of bands
FIRST_NODES, NODES_AT_ONCE = 32, 2_048  # that search a KD-tree together: few at first, in case they find too many
PAIRS_AT_ONCE = 1 << 20
PAIRS_FOR_ONE = 600  # compared in the time that a KD-tree takes to find one
PAIRS_FOR_ONE_QUERY, PAIRS_FOR_A_TREE = 20_000, 300  # ... to answer one query, and to be built, for each of its nodes
FOUND_AT_ONCE = 2  # times as many pairs as are wanted: then the floor rises
EXACT_AT_ONCE = 1 << 16  # pairs whose positions are compared in float64
ROUNDING = 1e-3  # bound for rounding errors of log-odds in float32; pairs that are found get exact log-odds

LogOdds = Callable[[Int64Array, Int64Array], Float64Array]


def likeliest_pairs(
    model: ModelArrays, links: LinkRows, count: int, thread_count: int | None
) -> tuple[Int64Array, Int64Array]:
    """The `count` pairs with the largest log-odds that are not links, as two arrays of node numbers, largest first."""
    nodes = len(model.positions)
    if nodes <= MAX_NODES_COMPARED or count > nodes or not model.positions.shape[1]:
        return compare_all(model, links, count, thread_count)
    bands = make_bands(model)
    if len(bands) > MAX_BANDS:
        return compare_all(model, links, count, thread_count)
    with threads(thread_count) as engine:
        best = search_bands(model, links, bands, count, engine.count, most_compared=nodes**2 // 4)
    if best.has_too_many:  # bounds are loose where products are large
        return compare_all(model, links, count, thread_count)
    return best.first, best.second


def largest(scores: npt.NDArray[np.floating], count: int) -> Int64Array:
    """Places of the `count` largest scores that are not minus infinity, largest first; of equal scores, the earlier."""
    possible = np.flatnonzero(scores > -np.inf)
    if count < len(possible):
        cut = np.partition(scores[possible], len(possible) - count)[len(possible) - count]
        possible = possible[scores[possible] >= cut]
    return possible[np.argsort(-scores[possible], kind="stable")][:count]


def compare_all(
    model: ModelArrays, links: LinkRows, count: int, thread_count: int | None
) -> tuple[Int64Array, Int64Array]:
    """The `count` pairs with the largest log-odds that are not links, found by comparing all pairs.

    Takes O(n^2) time, and memory for `count` pairs per block of nodes.
    """
    nodes = len(model.positions)
    blocks, count = -(-nodes // BLOCK), min(count, nodes * (nodes - 1) // 2)
    first, second = np.zeros((blocks, count), dtype=np.int32), np.zeros((blocks, count), dtype=np.int32)
    heaps = Heaps(np.zeros((blocks, count), dtype=np.float32), first, second)
    with threads(thread_count) as engine:
        engine.run(top_pairs, blocks, model, make_tables(model), links, heaps)
    score = heaps.score.ravel()
    order = np.lexsort((second.ravel(), first.ravel(), -score))[:count]
    order = order[score[order] > -np.inf]
    return first.ravel()[order].astype(np.int64), second.ravel()[order].astype(np.int64)


class BestPairs:
    """The `count` pairs with the largest log-odds among all pairs added so far; links are ignored."""

    def __init__(self, model: ModelArrays, links: LinkRows, count: int, most_compared: float = np.inf) -> None:
        self.model, self.links, self.count, self.most_compared = model, links, count, most_compared
        self.first, self.second = np.empty(0, np.int64), np.empty(0, np.int64)
        self.score: Float64Array = np.empty(0)
        self.compared = 0  # pairs, or what else takes as long

    @property
    def has_too_many(self) -> bool:
        """Whether comparing all pairs would be no slower."""
        return self.compared > self.most_compared

    @property
    def floor(self) -> float:
        """The log-odds that a pair must exceed to be among the best."""
        return float(self.score[-1]) if len(self.score) == self.count else -np.inf

    def add(self, first: Int64Array, second: Int64Array) -> None:
        """Add pairs, in either order; repeated pairs count once."""
        pairs = distinct(self._numbered(first, second))
        low, high = np.divmod(pairs, len(self.model.positions))
        new = find_in_rows(self.links, low, high) < 0
        low, high = low[new], high[new]
        score = log_odds(self.model, low, high)
        better = score > self.floor
        low, high, score = low[better], high[better], score[better]
        self._keep(np.append(self.first, low), np.append(self.second, high), np.append(self.score, score))

    def _numbered(self, first: Int64Array, second: Int64Array) -> Int64Array:
        """One number for each pair of two different nodes."""
        apart = first != second
        low, high = np.minimum(first, second)[apart], np.maximum(first, second)[apart]
        return np.asarray(low * np.int64(len(self.model.positions)) + high)

    def _keep(self, first: Int64Array, second: Int64Array, score: Float64Array) -> None:
        _, fresh = np.unique(first * np.int64(len(self.model.positions)) + second, return_index=True)
        order = fresh[np.lexsort((second[fresh], first[fresh], -score[fresh]))][: self.count]
        self.first, self.second, self.score = first[order], second[order], score[order]


def log_odds(model: ModelArrays, first: Int64Array, second: Int64Array) -> Float64Array:
    """The log-odds z of pairs in float64."""
    apart = model.positions[first].astype(np.float64) - model.positions[second]
    distance = np.einsum("ik,ik->i", apart, apart)
    gained: Float64Array = float(model.reach) - float(model.half_stiffness) * distance
    return prior_log_odds(model.prior, first, second) + gained


@dataclass(frozen=True, eq=False)
class Band:
    """Some nodes of a group, largest bound first."""

    model: ModelArrays
    group: int
    nodes: Int64Array
    bound: Float64Array

    @property
    def most(self) -> float:
        """The largest bound."""
        return float(self.bound[0])

    @cached_property
    def tree(self) -> KDTree:
        """The nodes by position and by the distance of their bound from the largest one."""
        from scipy.spatial import KDTree

        below = np.sqrt((self.most - self.bound) / float(self.model.half_stiffness))
        return KDTree(np.column_stack([self.model.positions[self.nodes], below]), balanced_tree=False)

    def first(self, count: int) -> BandArrays:
        """The arrays of the first nodes."""
        if len(self._arrays.nodes) < count:
            self.__dict__["_arrays"] = self._take(self.nodes[: max(count, 2 * len(self._arrays.nodes))])
        nodes, bound, own, positions, left, right = self._arrays
        own, positions = own[:count], positions[:count]
        return BandArrays(nodes[:count], bound[:count], own, positions, left[:count], right[:count])

    @cached_property
    def _arrays(self) -> BandArrays:
        return self._take(self.nodes[:SMALLEST_BAND])

    def _take(self, nodes: Int64Array) -> BandArrays:
        prior = self.model.prior
        left, right = (np.ascontiguousarray(terms[:, nodes].T) for terms in (prior.left, prior.right))
        own = prior.node[nodes].astype(np.float64)
        return BandArrays(nodes, self.bound[: len(nodes)], own, self.model.positions[nodes], left, right)

    def shared(self, other: Band) -> float:
        """The log-odds that all pairs with another band share, at distance 0."""
        return float(self.model.prior.table[self.group, other.group]) + float(self.model.reach)


def search_bands(
    model: ModelArrays, links: LinkRows, bands: list[Band], count: int, workers: int, most_compared: float = np.inf
) -> BestPairs:
    """The best pairs that are not links; pairs that the prior lists are added one by one.

    The search ends early, and without a result, when `most_compared` pairs have been compared.
    """
    best = BestPairs(model, links, count, most_compared)
    listed = model.prior.listed
    if len(listed.indices):
        rows = np.repeat(np.arange(len(model.positions)), np.diff(listed.indptr))
        best.add(rows, listed.indices.astype(np.int64))
    for bound, one, other in _by_bound(bands):
        if bound < best.floor - ROUNDING or best.has_too_many:
            break
        few, many = sorted((one, other), key=lambda band: len(band.nodes))
        _search_pair(few, many, best, workers)
    return best


def make_bands(model: ModelArrays) -> list[Band]:
    """Bands of all nodes, except those of whose pairs the prior is certain."""
    prior, bands = model.prior, []
    bound = _bounds(model)
    for group in range(len(prior.table)):
        nodes = np.flatnonzero((prior.group == group) & (np.abs(prior.node) < CERTAIN_LOG_ODDS / 2))
        nodes = nodes[np.argsort(-bound[nodes], kind="stable")]
        edges = pairwise(_edges(len(nodes)))
        bands += [Band(model, group, nodes[begin:end], bound[nodes[begin:end]]) for begin, end in edges]
    return bands


def _bounds(model: ModelArrays) -> Float64Array:
    """What each node adds at most to the log-odds of its pairs: its multiplier, and half of a product of its terms."""
    lengths = [
        np.sqrt(np.square(terms, dtype=np.float64).sum(axis=0)) for terms in (model.prior.left, model.prior.right)
    ]
    return np.asarray(model.prior.node.astype(np.float64) + lengths[0] * lengths[1] / 2)


def _edges(count: int) -> list[int]:
    """The first nodes of all bands, and the end of the last.

    >>> _edges(500)
    [0, 64, 192, 448, 500]
    """
    edges, size = [0], SMALLEST_BAND
    while edges[-1] < count:
        edges.append(min(edges[-1] + size, count))
        size *= 2
    return edges


def _by_bound(bands: list[Band]) -> Iterator[tuple[float, Band, Band]]:
    """Pairs of bands, also of a band with itself, with upper bounds for log-odds, largest bound first."""
    if not bands:
        return
    most, group = np.array([band.most for band in bands]), np.array([band.group for band in bands])
    table = bands[0].model.prior.table.astype(np.float64)[group[:, None], group]
    bound = most[:, None] + most + table + float(bands[0].model.reach)
    first, second = np.triu_indices(len(bands))
    possible = np.abs(table[first, second]) < CERTAIN_LOG_ODDS / 2  # the prior is certain of all other pairs
    first, second = first[possible], second[possible]
    for place in np.argsort(-bound[first, second], kind="stable"):
        yield float(bound[first[place], second[place]]), bands[first[place]], bands[second[place]]


def _search_pair(few: Band, many: Band, best: BestPairs, workers: int) -> None:
    """Add the pairs of two bands that may be among the best."""
    row = 0
    while row < len(few.nodes) and not best.has_too_many:
        counts = _possible(few, many, best.floor - ROUNDING)
        rows, columns, pairs = int(np.count_nonzero(counts)), int(counts[0]), int(counts[row:].sum())
        if row >= rows:
            return
        if np.isfinite(best.floor) and pairs > PAIRS_FOR_ONE_QUERY * rows + PAIRS_FOR_A_TREE * len(many.nodes):
            return _search_tree(few, many, best, workers)
        row = _compare(row, few.first(rows), many.first(columns), few.shared(many), best)


def _possible(few: Band, many: Band, floor: float) -> Int64Array:
    """How many pairs with the other band, the first ones, each node has whose bounds are not below the floor."""
    need = floor - few.shared(many) - few.bound
    return np.asarray(np.searchsorted(-many.bound, -need, side="right"), dtype=np.int64)


def _compare(row: int, few: BandArrays, many: BandArrays, shared: float, best: BestPairs) -> int:
    """Add the pairs of a row and those that follow until there are many; return the row that comes next."""
    room = max(FOUND_AT_ONCE * best.count, len(many.nodes))
    found = np.empty(room, np.int64), np.empty(room, np.int64)
    half, floor = float(best.model.half_stiffness), best.floor - ROUNDING
    after, count = pairs_above(row, few, many, shared, half, floor, best.links, found)
    best.compared += int(np.searchsorted(-many.bound, few.bound[row:after] + (shared - floor), side="right").sum())
    best.add(found[0][:count], found[1][:count])
    return after


def _search_tree(few: Band, many: Band, best: BestPairs, workers: int) -> None:
    """Add the pairs of two bands that are near enough, which a KD-tree finds."""
    begin, size = 0, FIRST_NODES
    while begin < len(few.nodes) and not best.has_too_many:
        some = slice(begin, begin + size)
        room = few.bound[some] + many.most + few.shared(many) - best.floor + ROUNDING
        _add_near(few.nodes[some][room >= 0], room[room >= 0], many, best, workers)
        begin, size = some.stop, min(2 * size, NODES_AT_ONCE)


def _add_near(nodes: Int64Array, room: Float64Array, many: Band, best: BestPairs, workers: int) -> None:
    """Add pairs of nodes with those of a band whose distance costs at most `room` in log-odds."""
    if not len(nodes):
        return
    places = np.column_stack([many.model.positions[nodes], np.zeros(len(nodes))])
    radius = np.sqrt(room / float(many.model.half_stiffness))
    found = many.tree.query_ball_point(places, radius, workers=workers)
    counts = [len(row) for row in found]
    best.compared += PAIRS_FOR_ONE * sum(counts)
    if any(counts):
        best.add(np.repeat(nodes, counts), many.nodes[np.concatenate([row for row in found if row]).astype(np.int64)])


# ---- recommendations -------------------------------------------------------------------------------------------------


def members(network: Network, among: Any) -> Int64Array:
    """Numbers of the nodes that a user describes.

    None: all; {"type": "film"} or "type=film": those with a value of a column; "film": those with this value in the
    only column that has it; else a list of names.

    >>> nodes = {"name": ["ann", "bob", "Alien"], "type": ["user", "user", "film"]}
    >>> network = Network.from_edges([("ann", "Alien"), ("bob", "Alien")], nodes=nodes)
    >>> [members(network, among).tolist() for among in ({"type": "user"}, "type=user", "film", ["bob"])]
    [[0, 1], [0, 1], [2], [1]]
    """
    if among is None:
        return np.arange(network.node_count)
    if isinstance(among, str):
        among = _condition(network, among)
    if not isinstance(among, Mapping):
        if not isinstance(among, Iterable):
            raise InputError(f"among = {shown(among)} was given; {_EXPECTED}.")
        if not len(numbers := np.unique(network.numbers(among))):
            raise InputError("among = [] was given; a list of node names needs at least one.")
        return numbers
    chosen = np.ones(network.node_count, dtype=bool)
    for column, value in among.items():
        chosen &= _has_value(network, column, value)
    if not chosen.any():
        both = " and ".join(f"{column} = {value}" for column, value in among.items())
        raise InputError(f"No node has {both}.{_values_hint(network, among)}")
    return np.flatnonzero(chosen)


_EXPECTED = 'a column and its value, as {"type": "film"} or "type=film", or a list of node names is expected'


def _condition(network: Network, text: str) -> dict[str, str]:
    """The column and value that a text stands for."""
    column, equals, value = text.partition("=")
    if equals and column in network.columns:
        return {column: value}
    having = [name for name in map(str, network.columns) if _has_value(network, name, text).any()]
    if len(having) == 1:
        return {having[0]: text}
    there = f"columns {listed_names(having)} have" if having else "no column has"
    columns = listed_names(list(network.columns)) if len(network.columns.columns) else "none"
    raise InputError(f"among = {text!r} was given, and {there} this value (node columns: {columns}); {_EXPECTED}.")


def _has_value(network: Network, column: str, value: Any) -> BoolArray:
    """Which nodes have a value in a column; a text also stands for the number that it shows."""
    values = network.column(column)
    if is_list_like(value):
        raise InputError(f"{column} = {shown(value)} was given; one value is expected.")
    found = (values == value).to_numpy(dtype=bool, na_value=False)
    if isinstance(value, str) and not found.any():
        texts = values.astype("str")
        if is_float_dtype(values.dtype):  # 1999 is 1999.0 in a column with gaps
            texts, value = texts.str.removesuffix(".0"), value.removesuffix(".0")
        found = (texts == value).to_numpy(dtype=bool, na_value=False) & values.notna().to_numpy()
    return np.asarray(found)


def _values_hint(network: Network, among: Mapping[str, Any]) -> str:
    """Values that the columns have."""
    return "".join(f" Values of {name}: {listed_names(network.groups(name)[1])}." for name in among)


def best_partners(
    model: ModelArrays, links: LinkRows, exact: LogOdds, nodes: Int64Array, candidates: Int64Array, count: int
) -> tuple[Int64Array, Int64Array]:
    """The `count` candidates with the largest log-odds of each node, of those that are not linked to it.

    `candidates` are in ascending order. `exact` computes log-odds of pairs without the rounding of products.

    Returns
    -------
    place, partner
        Positions in `nodes`, in ascending order, and node numbers, likeliest first; of equal ones, the earlier.
    """
    step, best = max(1, PAIRS_AT_ONCE // max(len(candidates), 1)), [np.empty((2, 0), np.int64)]
    # squared distances are differences of products, which are large for positions far from the origin
    rounding = max(ROUNDING, 1e-6 * float(model.half_stiffness * np.square(model.positions).sum(axis=1).max(initial=0)))
    for begin in range(0, len(nodes), step):
        some = nodes[begin : begin + step]
        row, column = _best_of_rows(_open_scores(model, links, some, candidates), count, rounding)
        best.append(_in_order(exact, nodes, np.stack([row + begin, candidates[column]]), count))
    place, partner = np.concatenate(best, axis=1)
    return place, partner


def _open_scores(model: ModelArrays, links: LinkRows, nodes: Int64Array, candidates: Int64Array) -> Float32Array:
    """Scores of nodes with candidates, and minus infinity where there is a link, and for a node with itself."""
    scores = _scores(model, nodes, candidates)
    row, column, _ = _entries(links, nodes, candidates)
    scores[row, column] = -np.inf
    own = np.searchsorted(candidates, nodes)
    there = np.flatnonzero(np.append(candidates, -1)[own] == nodes)
    scores[there, own[there]] = -np.inf
    return scores


def _best_of_rows(scores: Float32Array, count: int, rounding: float) -> tuple[Int64Array, Int64Array]:
    """Rows and columns of the largest scores of each row: `count` of them, and those that rounding may have lowered."""
    last = max(0, scores.shape[1] - count)
    floor = np.partition(scores, last, axis=1)[:, last] if last else np.full(len(scores), -np.inf, np.float32)
    row, column = np.nonzero(scores >= np.maximum(floor - rounding, np.finfo(np.float32).min)[:, None])
    return row, column


def _in_order(exact: LogOdds, nodes: Int64Array, pairs: Int64Array, count: int) -> Int64Array:
    """The `count` likeliest pairs of each place, in order; none that the prior rules out."""
    place, partner = pairs
    pieces = np.array_split(pairs, 1 + len(place) // EXACT_AT_ONCE, axis=1)  # where scores are equal, there are many
    score = np.concatenate([exact(nodes[some], others) for some, others in pieces])
    order = np.lexsort((partner, -score, place))
    order = order[score[order] > -np.inf]
    rank = np.arange(len(order)) - np.searchsorted(place[order], place[order])
    return pairs[:, order[rank < count]]


def _scores(model: ModelArrays, nodes: Int64Array, candidates: Int64Array) -> Float32Array:
    """Log-odds of all pairs of a node and a candidate, but for rounding: squared distances from a product."""
    prior, stiffness = model.prior, 2 * model.half_stiffness
    ours, theirs = model.positions[nodes], model.positions[candidates]
    # what depends on one node only is added to one row or column
    own, other = (
        prior.node[some] - stiffness / 2 * np.square(places).sum(axis=1)
        for some, places in ((nodes, ours), (candidates, theirs))
    )
    left = np.hstack([stiffness * ours, prior.left[:, nodes].T])
    scores = left @ np.hstack([theirs, prior.right[:, candidates].T]).T
    scores += prior.table[prior.group[nodes]][:, prior.group[candidates]]
    scores += own[:, None] + model.reach
    scores += other
    rows, columns, places = _entries(prior.listed, nodes, candidates)
    scores[rows, columns] += prior.listed.value[places]
    return np.asarray(scores)


def _entries(
    sparse_rows: LinkRows | ListedLogOdds, nodes: Int64Array, candidates: Int64Array
) -> tuple[Int64Array, Int64Array, Int64Array]:
    """The entries in the rows of some nodes that are candidates: position of node and candidate, and place."""
    counts = sparse_rows.indptr[nodes + 1] - sparse_rows.indptr[nodes]
    rows = np.repeat(np.arange(len(nodes)), counts)
    places = np.arange(len(rows)) + np.repeat(sparse_rows.indptr[nodes] - np.cumsum(counts) + counts, counts)
    at = np.searchsorted(candidates, sparse_rows.indices[places])
    there = candidates[np.minimum(at, len(candidates) - 1)] == sparse_rows.indices[places]
    return rows[there], at[there], places[there]
