"""New nodes in an embedding: the prior's multiplier first, then the position, while everything else stays.

Nodes that come together are placed given the old nodes alone. Where some of them are linked to each other, each is then
placed once more, with the others at the places that they found. An old node that had no links, and has some now, is
placed then, too: given degrees, nothing was known of it but that it is linked to nobody.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from netgiven.answers.arrivals import Arrivals, joined_network
from netgiven.answers.settling import Newcomers, settle
from netgiven.answers.view import View
from netgiven.edges import shown
from netgiven.errors import InputError
from netgiven.kernels.arrays import Links
from netgiven.kernels.node_objective import Points, points_of
from netgiven.network import Network
from netgiven.parallel import Engine, threads
from netgiven.priors.newcomers import find_twins, joined, knows_degrees, solve_multipliers, with_degrees
from netgiven.priors.prior import CERTAIN, Prior
from netgiven.types import BoolArray, Float32Array, Float64Array, Int64Array

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
