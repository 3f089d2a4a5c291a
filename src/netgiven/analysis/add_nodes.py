"""New nodes in an embedding: the prior's multiplier first, then the position, while everything else stays.

Nodes that come together are placed given the old nodes alone. Where some of them are linked to each other, each is then
placed once more, with the others at the places that they found. An old node that had no links, and has some now, is
placed then, too: given degrees, nothing was known of it but that it is linked to nobody.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

from netgiven.analysis.local_objective import View
from netgiven.edges import check_names, names_index, shown, typed_series
from netgiven.errors import InputError, UnknownNode
from netgiven.kernels.arrays import Links, padded
from netgiven.kernels.node_objective import Around, Points, look_around, points_of, room_for
from netgiven.kernels.repulsion import SURE
from netgiven.model import probability
from netgiven.network import Network
from netgiven.node_index import find_nodes
from netgiven.parallel import Engine, one_blas_thread, threads
from netgiven.priors.extend import find_twins, joined, knows_degrees, solve_multipliers, with_degrees
from netgiven.priors.prior import CERTAIN, Prior
from netgiven.types import BoolArray, Float32Array, Float64Array, Int64Array

# ---- New nodes as people tell them: names, whom they are linked to, and their columns --------------------------------


@dataclass(frozen=True, eq=False)
class Arrivals:
    """New nodes of a network. Their numbers follow those of the nodes that are there."""

    names: pd.Index[Any]
    links: Links  # a row for each new node: old nodes, then new ones
    columns: pd.DataFrame

    @property
    def count(self) -> int:
        """How many nodes come."""
        return len(self.names)

    @property
    def rows(self) -> Int64Array:
        """Of each link: whose it is, counted from 0."""
        return np.repeat(np.arange(self.count), np.diff(self.links.indptr))


def told_arrivals(network: Network, links: Mapping[Hashable, Iterable[Hashable]], columns: pd.DataFrame) -> Arrivals:
    """New nodes by name, with the names of the nodes that each is linked to; one row of columns a node."""
    names = check_names(names_index(typed_series(list(links))))
    _check_new(network, names)
    rows = [_numbers(network.nodes, names, others) for others in links.values()]
    mine = np.repeat(np.arange(len(names)), [len(row) for row in rows]) + network.node_count
    return _arrived(network, names, mine, np.concatenate([np.empty(0, np.int64), *rows]), columns)


def _numbers(nodes: pd.Index[Any], names: pd.Index[Any], others: Any) -> Int64Array:
    """Numbers of old nodes, or else of new ones, by name."""
    listed = others if isinstance(others, (str, pd.Index)) else list(others)
    try:
        return find_nodes(nodes, listed)
    except UnknownNode:
        return find_nodes(append_names(nodes, names), listed)


def arrivals_in(network: Network, links: Network) -> Arrivals:
    """The nodes of `links` that are not in the network."""
    place = network.nodes.get_indexer(links.nodes).astype(np.int64)
    new = place < 0
    place[new] = network.node_count + np.arange(np.count_nonzero(new))
    first, second = place[links.links()].T
    _check_old_links(network, first, second)
    comes = np.maximum(first, second) >= network.node_count
    columns = links.columns[new].reset_index(drop=True)
    return _arrived(network, links.nodes[new], first[comes], second[comes], columns)


def _arrived(
    network: Network, names: pd.Index[Any], first: Int64Array, second: Int64Array, columns: pd.DataFrame
) -> Arrivals:
    """Links in sorted rows, each once, those between two new nodes in the rows of both."""
    loops = np.flatnonzero(first == second)
    if len(loops):
        name = names[int(first[loops[0]]) - network.node_count]
        raise InputError(f"Node {shown(name)} is linked to itself; a link is between two nodes. Leave it out.")
    old, count = network.node_count, network.node_count + len(names)
    ends = np.concatenate([[first, second], [second, first]], axis=1)
    keys = np.unique((ends[0] * count + ends[1])[ends[0] >= old])
    rows, others = np.divmod(keys, max(count, 1))
    indptr = np.searchsorted(rows, np.arange(old, count + 1)).astype(np.int64)
    return Arrivals(names, Links(indptr, others.astype(np.int32)), columns)


def _check_new(network: Network, names: pd.Index[Any]) -> None:
    there = np.flatnonzero(network.nodes.get_indexer(names) >= 0)
    if len(there):
        raise InputError(
            f"Node {shown(names[there[0]])} is in the embedding already. To change its links, use update(network)."
        )


def _check_old_links(network: Network, first: Int64Array, second: Int64Array) -> None:
    """Links between nodes that are there already must be there, too."""
    old = np.flatnonzero(np.maximum(first, second) < network.node_count)
    unknown = old[~network.are_linked(first[old], second[old])]
    if len(unknown):
        pair = " and ".join(shown(network.nodes[end[unknown[0]]]) for end in (first, second))
        raise InputError(
            f"{pair} are nodes of the embedding, and not linked in it; new nodes alone can be added. For new links "
            f"between old nodes, use update(network) ({len(unknown):,} such links)."
        )


def append_names(names: pd.Index[Any], more: pd.Index[Any]) -> pd.Index[Any]:
    """Names, and more of them; each stays what it is.

    >>> append_names(pd.Index([1, 2]), pd.Index(["zoe"])).tolist()
    [1, 2, 'zoe']
    """
    if names.dtype == more.dtype and names.dtype != object:
        return names.append(more)
    return names_index(typed_series([*names.tolist(), *more.tolist()]))


def joined_network(network: Network, arrivals: Arrivals) -> Network:
    """The network with its new nodes."""
    old, links = network.node_count, arrivals.links
    mine, others = arrivals.rows + old, links.indices
    back = np.flatnonzero(others < old)
    back = back[np.lexsort((mine[back], others[back]))]
    # a new node has a larger number than all old ones: it comes last in each row
    indices = np.insert(network.indices, network.indptr[others[back] + 1], mine[back])
    more = np.cumsum(np.bincount(others[back], minlength=old))
    indptr = network.indptr + np.concatenate([[0], more])
    added = len(back) + int(np.count_nonzero(others >= old)) // 2
    cleaning = replace(network.cleaning, given=network.cleaning.given + added, kept=network.cleaning.kept + added)
    return replace(
        network,
        nodes=append_names(network.nodes, arrivals.names),
        indptr=np.concatenate([indptr, indptr[-1] + links.indptr[1:]]),
        indices=np.concatenate([indices, links.indices]).astype(np.int32),
        columns=joined_columns(network.columns, arrivals.columns, arrivals.count),
        cleaning=cleaning,
        unknown=None if network.unknown is None else network.unknown.with_more_nodes(arrivals.count),
    )


def joined_columns(columns: pd.DataFrame, more: pd.DataFrame, count: int) -> pd.DataFrame:
    """The columns of the old nodes, with the new nodes' values below them; empty where there are none."""
    added = more.reset_index(drop=True).reindex(index=pd.RangeIndex(count), columns=columns.columns)
    below = {name: _below(columns[name], added[name]) for name in columns}
    return pd.DataFrame(below, index=pd.RangeIndex(len(columns) + count), columns=columns.columns)


def _below(values: pd.Series[Any], more: pd.Series[Any]) -> pd.Series[Any]:
    if more.isna().all():
        return values.reset_index(drop=True).reindex(pd.RangeIndex(len(values) + len(more)))
    return pd.concat([values, more], ignore_index=True)


# ---- Where newcomers settle: each at a minimum of the objective in its own position, while all others stay -----------
#
# F(x) = sum_j softplus(z_j) - a_j z_j + shrinkage / 2 |x|^2, from one look around a step (value, gradient and
# Hessian). Newton's steps, with the absolute values of the Hessian's eigenvalues where it bends downwards, no longer
# than a radius that grows while F falls and shrinks where it does not.


MOST_STEPS = 60
CLOSE = 1e-2  # a step this short, in units of one over the root of the stiffness, is the last: Newton squares errors
SLACK = 1e-6  # of the objective, relative: what single precision cannot tell
LEAST_BEND = 1e-3  # of an eigenvalue, relative to the largest
BATCH = 2_048  # newcomers that are looked at together


class Newcomers(NamedTuple):
    """Points that come to an embedding, and the nodes that they are linked to."""

    points: Points  # without positions
    links: Links
    certain: BoolArray  # of each link: does the prior know it?
    itself: Int64Array  # which node it is itself, if it lies there already; -1 if not


class Attraction(NamedTuple):
    """What links say of a newcomer at x: sum |x - x_j|^2 = number |x|^2 - 2 x . total + squares."""

    number: Float64Array
    total: Float64Array
    squares: Float64Array

    def some(self, places: Int64Array) -> Attraction:
        """Of some newcomers."""
        return Attraction(*(part[places] for part in self))

    def push(self, x: Float64Array) -> Float64Array:
        """The sum of x - x_j."""
        return self.number[:, None] * x - self.total

    def stretch(self, x: Float64Array) -> Float64Array:
        """The sum of |x - x_j|^2."""
        return np.asarray(self.number * np.square(x).sum(axis=1) - 2 * (x * self.total).sum(axis=1) + self.squares)


class Outlook(NamedTuple):
    """The objective around newcomers."""

    value: Float64Array
    gradient: Float64Array
    hessian: Float64Array


def attraction_of(links: Links, positions: npt.NDArray[np.floating], counted: BoolArray) -> Attraction:
    """Sums over the counted links of each row."""
    rows = np.repeat(np.arange(len(links.indptr) - 1), np.diff(links.indptr))[counted]
    others, count = positions[links.indices[counted]].astype(np.float64), len(links.indptr) - 1
    squares, ones = np.square(others).sum(axis=1), np.ones(len(rows))
    sums = [np.bincount(rows, column, count).astype(np.float64) for column in (ones, squares, *others.T)]
    return Attraction(sums[0], np.stack(sums[2:], axis=1), sums[1])


def settle(
    view: View,
    newcomers: Newcomers,
    start: Float64Array,
    engine: Engine,
    tell: Callable[[int], None] = lambda done: None,
) -> Float64Array:
    """The position of each newcomer, from a start; `tell` hears how many have settled."""
    positions = np.empty_like(start)
    objective = Objective(view, newcomers, engine)
    with one_blas_thread():
        for low in range(0, len(start), BATCH):
            places = np.arange(low, min(low + BATCH, len(start)))
            positions[places] = _settle_batch(objective, places, start[places])
            tell(int(places[-1]) + 1)
    return positions


class Objective:
    """F and its derivatives at any positions of the newcomers."""

    def __init__(self, view: View, newcomers: Newcomers, engine: Engine) -> None:
        self.view, self.newcomers, self.engine = view, newcomers, engine
        every = np.ones(len(newcomers.links.indices), dtype=bool)
        self.links = attraction_of(newcomers.links, view.positions, every)
        self.uncertain = attraction_of(newcomers.links, view.positions, ~newcomers.certain)

    def __call__(self, places: Int64Array, x: Float64Array) -> Outlook:
        """Around some of the newcomers, at positions x."""
        view, newcomers, size = self.view, self.newcomers, self.view.dimensions
        points = newcomers.points
        here = Points(
            padded(x), points.node[places], points.group[places], np.ascontiguousarray(points.left[:, places])
        )
        seen = room_for(here)
        self.engine.run(look_around, len(places), here, view.scene, view.tables, seen)
        self._forget_itself(places, x, here, seen)
        links = self.links.some(places)
        seen.chance[:] -= links.number
        seen.push[:, :size] -= links.push(x)
        stretch = self.uncertain.some(places).stretch(x)
        value = seen.surprise + view.spread.stiffness / 2 * stretch + view.shrinkage / 2 * np.square(x).sum(axis=1)
        return Outlook(value, *view.surface_from(seen, x))

    def has_a_say(self, places: Int64Array) -> BoolArray:
        """Whether anything says where newcomers belong. Where the prior knows all links, any place is as good."""
        known = (self.uncertain.number[places] == 0) & (self.links.number[places] > 0)
        return np.asarray(~known | (self.view.shrinkage > 0))

    def _forget_itself(self, places: Int64Array, x: Float64Array, here: Points, seen: Around) -> None:
        """Take out what was counted for a newcomer's own place."""
        itself = self.newcomers.itself[places]
        mine = np.flatnonzero(itself >= 0)
        if not len(mine):
            return
        view, size, node = self.view, self.view.dimensions, itself[mine]
        prior, apart = view.scene.prior, x[mine] - view.positions[node]
        known = here.node[mine].astype(np.float64) + prior.node[node] + prior.table[here.group[mine], prior.group[node]]
        known += (here.left[:, mine].astype(np.float64) * prior.right[:, node]).sum(axis=0)
        z = known + view.reach - view.spread.stiffness / 2 * np.square(apart).sum(axis=1)
        p = probability(z)
        seen.surprise[mine] -= np.where(z < SURE, np.logaddexp(0.0, z), 0.0)
        seen.chance[mine] -= p
        seen.push[mine, :size] -= p[:, None] * apart
        seen.bend[mine, :size, :size] -= np.einsum("i,ik,il->ikl", p * (1 - p), apart, apart)


def _settle_batch(objective: Objective, places: Int64Array, start: Float64Array) -> Float64Array:
    """Newton's steps until the last one is short."""
    x, unit = start.copy(), objective.view.spread.stiffness**-0.5
    at, left = objective(places, x), np.flatnonzero(objective.has_a_say(places))
    radius = np.full(len(places), unit)
    for _ in range(MOST_STEPS):
        step = newton_steps(at.gradient[left], at.hessian[left], radius[left])
        short = np.sqrt(np.square(step).sum(axis=1)) < CLOSE * unit
        x[left[short]] += step[short]
        left, step = left[~short], step[~short]
        if not len(left):
            break
        tried = objective(places[left], x[left] + step)
        better = tried.value <= at.value[left] + SLACK * np.abs(at.value[left])
        moved = left[better]
        x[moved] += step[better]
        for part, new in zip(at, tried, strict=True):
            part[moved] = new[better]
        radius[left] *= np.where(better, 2.0, 0.25)
    return x


def newton_steps(gradient: Float64Array, hessian: Float64Array, radius: Float64Array) -> Float64Array:
    """-|H|^-1 g, no longer than the radius; |H| has the absolute values of H's eigenvalues.

    >>> newton_steps(np.array([[2.0, 2.0]]), np.array([[[4.0, 0.0], [0.0, -1.0]]]), np.array([10.0])).tolist()
    [[-0.5, -2.0]]
    """
    values, axes = np.linalg.eigh(hessian)
    bends = np.abs(values)
    bends = np.maximum(bends, LEAST_BEND * bends.max(axis=1, keepdims=True) + 1e-12)
    along = np.einsum("ikl,ik->il", axes, gradient) / bends
    step = -np.einsum("ikl,il->ik", axes, along)
    length = np.sqrt(np.square(step).sum(axis=1))
    return np.asarray(step * np.minimum(1.0, radius / np.maximum(length, 1e-300))[:, None])


Teller = Callable[[int], None]


FAR = 1e6  # so far away that nobody sees a node


class Grown(NamedTuple):
    """A network with more nodes, its prior, and where they lie."""

    network: Network
    prior: Prior
    positions: Float32Array


def add_nodes(
    view: View, arrivals: Arrivals, thread_count: int | None = None, tell: Teller = lambda done: None
) -> Grown:
    """The old nodes as they are, and the new ones; `tell` hears how many have been placed."""
    if not view.network.node_count:
        raise InputError("The embedding has no nodes, so nothing says where a new one belongs. Use update(network).")
    if view.network.unknown is not None and view.network.unknown.lists_known:
        raise InputError(
            "Few pairs of this network are known, and whom new nodes are not linked to was not told. Use "
            "update(network), with a network that lists the known pairs of new nodes, too."
        )
    twins = find_twins(view.prior, view.network, arrivals.names, arrivals.columns)
    multipliers = solve_multipliers(view.prior, twins, np.diff(arrivals.links.indptr))
    network, old = joined_network(view.network, arrivals), view.network.node_count
    woken = _woken(view, network)
    prior = joined(with_degrees(view.prior, woken, network.degrees[woken]), network.nodes, twins, multipliers)
    loose = np.concatenate([np.isin(np.arange(old), woken), np.ones(arrivals.count, dtype=bool)])
    certain = _certain_links(prior, arrivals, old)
    settled = ~loose[arrivals.links.indices]
    with threads(thread_count) as engine:
        links, prior_of_old = rows_to(arrivals.links, settled), view.scene.prior
        known = prior_of_old.group[twins], np.ascontiguousarray(prior_of_old.left[:, twins])
        points = Points(np.empty((0, 0), np.float32), multipliers.astype(np.float32), *known)
        newcomers = Newcomers(points, links, certain[settled], np.full(arrivals.count, -1))
        start = mean_of_neighbours(links, view.positions, centre_of(view.positions))
        positions = np.concatenate([view.positions, settle(view, newcomers, start, engine, tell).astype(np.float32)])
        if not settled.all():
            # those that woke first, to where the new ones are: together, both would go where the other has been
            for some in (woken, np.arange(old, len(positions))):
                whole = View(network, prior, positions, view.spread, view.shrinkage)
                positions[some] = _placed_again(whole, some, engine)
    return Grown(network, prior, positions)


def _woken(view: View, network: Network) -> Int64Array:
    """Old nodes without links that have some now, where the prior was certain that they have none."""
    first = (view.network.degrees == 0) & (network.degrees[: view.network.node_count] > 0)
    return np.flatnonzero(first) if knows_degrees(view.prior) else np.empty(0, dtype=np.int64)


def _placed_again(view: View, numbers: Int64Array, engine: Engine) -> Float64Array:
    """Some nodes once more, with all others where they are now."""
    links = rows_of(view.network, numbers)
    rows = np.repeat(numbers, np.diff(links.indptr))
    certain = np.isposinf(view.prior.log_odds_of(rows, links.indices))
    newcomers = Newcomers(points_of(view.scene, numbers), links, certain, numbers)
    return settle(view, newcomers, mean_of_neighbours(links, view.positions, centre_of(view.positions)), engine)


def place_missing(view: View, missing: BoolArray, thread_count: int | None = None) -> Float32Array:
    """Positions of all nodes, those of the missing ones found among the others; `view` has any for them."""
    far = np.where(missing[:, None], FAR / view.spread.stiffness**0.5, view.positions).astype(np.float32)
    numbers = np.flatnonzero(missing)
    links = rows_of(view.network, numbers)
    links = rows_to(links, ~missing[links.indices])
    rows = np.repeat(numbers, np.diff(links.indptr))
    certain = np.isposinf(view.prior.log_odds_of(rows, links.indices))
    newcomers = Newcomers(points_of(view.scene, numbers), links, certain, np.full(len(numbers), -1))
    positions = view.positions.copy()
    with threads(thread_count) as engine:
        centre = centre_of(view.positions[~missing])
        start = mean_of_neighbours(links, view.positions, centre)
        positions[missing] = settle(replace(view, positions=far), newcomers, start, engine)
    return positions


def mean_of_neighbours(links: Links, positions: Float32Array, centre: Float64Array) -> Float64Array:
    """Where the nodes of each row are on average; the centre for a row without any."""
    rows = np.repeat(np.arange(len(links.indptr) - 1), np.diff(links.indptr))
    count = np.bincount(rows, minlength=len(links.indptr) - 1)[:, None]
    columns = positions[links.indices].astype(np.float64).T
    total = np.stack([np.bincount(rows, column, len(count)) for column in columns], axis=1)
    return np.where(count > 0, total / np.maximum(count, 1), centre)


def centre_of(positions: Float32Array) -> Float64Array:
    """Where nodes are on average."""
    return np.asarray(positions.mean(axis=0, dtype=np.float64))


def rows_to(links: Links, kept: BoolArray) -> Links:
    """Rows with some of their links left out."""
    ends = np.concatenate([[0], np.cumsum(kept)])[links.indptr]
    return Links(ends.astype(np.int64), links.indices[kept])


def rows_of(network: Network, numbers: Int64Array) -> Links:
    """The rows of some nodes, in ascending order."""
    chosen = np.isin(np.arange(network.node_count), numbers)
    indptr = np.concatenate([[0], np.cumsum(network.degrees[chosen])])
    return Links(indptr, network.indices[np.repeat(chosen, network.degrees)])


# ---- what the prior is certain of ------------------------------------------------------------------------------------


def _certain_links(prior: Prior, arrivals: Arrivals, old: int) -> BoolArray:
    """Which links the prior is certain of; a sentence where it is certain of the opposite."""
    z = prior.log_odds_of(arrivals.rows + old, arrivals.links.indices)
    never = np.flatnonzero(np.isneginf(z))
    if len(never):
        pair = arrivals.rows[never[0]] + old, arrivals.links.indices[never[0]]
        raise InputError(_opposite(prior, *pair, "is linked to", "cannot be"))
    _check_certain_partners(prior, arrivals, np.isposinf(z), old)
    return np.isposinf(z)


def _check_certain_partners(prior: Prior, arrivals: Arrivals, certain: BoolArray, old: int) -> None:
    """A sentence, if a link is missing that the prior is certain of."""
    tables = sum(prior.by_node.table(prior.tables, layer).max() for layer in range(len(prior.width)))
    highest = prior.own[0, old:] + prior.own[0, :old].max() + tables
    doubtful = np.flatnonzero((highest > CERTAIN / 2) | (len(prior.own) > 1))
    for newcomer in doubtful.tolist():
        sure = np.isposinf(prior.log_odds_of(np.full(old, old + newcomer), np.arange(old)))
        row = slice(*arrivals.links.indptr[newcomer : newcomer + 2])
        sure[[other for other in arrivals.links.indices[row].tolist() if other < old]] = False
        if sure.any():
            pair = old + newcomer, int(np.argmax(sure))
            raise InputError(_opposite(prior, *pair, "is not linked to", "is certain to be"))


def _opposite(prior: Prior, newcomer: int, other: int, is_so: str, certain: str) -> str:
    pair = f"{shown(prior.nodes[newcomer])} {is_so} {shown(prior.nodes[other])}"
    return (
        f"Node {pair}, and given {prior.knowledge} of the old nodes it {certain}: one of them has no links, or all, or "
        "groups decide. Use update(network), which fits the prior anew."
    )
