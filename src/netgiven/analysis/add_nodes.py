"""Add new nodes to an embedding: first their multipliers in the prior, then their positions; all else stays fixed.

New nodes are placed given the old nodes alone. If some of them are linked to each other, each is then placed once more
given the positions of the others. An old node whose first links are to new nodes is placed again, too: given degrees,
the prior was certain that it has no links, so its position carried no information.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from netgiven.analysis.local_objective import LocalObjective
from netgiven.analysis.placement import (
    PointsToPlace,
    Report,
    filter_rows,
    mean_of_neighbours,
    mean_position,
    place_again,
    place_points,
)
from netgiven.edges import check_names, names_index, shown, typed_series
from netgiven.errors import InputError, UnknownNode
from netgiven.kernels.arrays import LinkRows, distinct
from netgiven.kernels.node_objective import Points
from netgiven.model import CERTAIN_LOG_ODDS
from netgiven.network import Network, append_names
from netgiven.node_index import find_nodes
from netgiven.parallel import Engine, threads
from netgiven.priors.extend import append_nodes, constrains_degrees, match_nodes, solve_multipliers, update_degrees
from netgiven.priors.prior import Prior
from netgiven.types import BoolArray, Float32Array, Int64Array


@dataclass(frozen=True, eq=False)
class NewNodes:
    """Nodes to be added to a network. Their numbers follow those of the old nodes."""

    names: pd.Index[Any]
    links: LinkRows  # one row per new node: first old nodes, then new ones
    columns: pd.DataFrame

    @property
    def count(self) -> int:
        """The number of new nodes."""
        return len(self.names)

    @property
    def rows(self) -> Int64Array:
        """The row of each link."""
        return np.repeat(np.arange(self.count), np.diff(self.links.indptr))


class Extended(NamedTuple):
    """Network, prior and positions of old and new nodes."""

    network: Network
    prior: Prior
    positions: Float32Array


def new_nodes_from_links(
    network: Network, links: Mapping[Hashable, Iterable[Hashable]], columns: pd.DataFrame
) -> NewNodes:
    """New nodes from a mapping of their names to the names of their neighbours.

    Parameters
    ----------
    network
        The network that they are added to.
    links
        The names of the neighbours of each new node: old nodes or other new ones.
    columns
        One row per new node.

    Raises
    ------
    InputError
        If a new node is in the network already, or linked to itself.
    UnknownNode
        If a neighbour is neither in the network nor new.
    """
    names = check_names(names_index(typed_series(list(links))))
    _check_new(network, names)
    rows = [_numbers(network.nodes, names, others) for others in links.values()]
    first = np.repeat(np.arange(len(names)), [len(row) for row in rows]) + network.node_count
    return _sorted_new_nodes(network, names, first, np.concatenate([np.empty(0, np.int64), *rows]), columns)


def new_nodes_in(network: Network, links: Network) -> NewNodes:
    """The nodes of the network `links` that `network` does not have, with their links and columns.

    Raises
    ------
    InputError
        If `links` has a link between two old nodes that `network` does not have.
    """
    number = network.nodes.get_indexer(links.nodes).astype(np.int64)
    new = number < 0
    number[new] = network.node_count + np.arange(np.count_nonzero(new))
    first, second = number[links.links()].T
    _check_old_links(network, first, second)
    is_new = np.maximum(first, second) >= network.node_count
    columns = links.columns[new].reset_index(drop=True)
    return _sorted_new_nodes(network, links.nodes[new], first[is_new], second[is_new], columns)


def _numbers(nodes: pd.Index[Any], names: pd.Index[Any], others: Any) -> Int64Array:
    """The numbers of old nodes, or else of new ones, by name."""
    if not isinstance(others, Iterable):
        raise InputError(f"The names of a new node's neighbours were expected, {shown(others)} given; write a list.")
    listed = others if isinstance(others, (str, pd.Index)) else list(others)
    try:
        return find_nodes(nodes, listed)
    except UnknownNode:
        return find_nodes(append_names(nodes, names), listed)


def _sorted_new_nodes(
    network: Network, names: pd.Index[Any], first: Int64Array, second: Int64Array, columns: pd.DataFrame
) -> NewNodes:
    """New nodes with each link once in sorted rows; a link between two new nodes is in the rows of both."""
    loops = np.flatnonzero(first == second)
    if len(loops):
        name = names[int(first[loops[0]]) - network.node_count]
        raise InputError(f"Node {shown(name)} is linked to itself; a link joins two different nodes. Leave it out.")
    old, count = network.node_count, network.node_count + len(names)
    ends = np.concatenate([[first, second], [second, first]], axis=1)
    keys = distinct((ends[0] * count + ends[1])[ends[0] >= old])
    rows, others = np.divmod(keys, max(count, 1))
    indptr = np.searchsorted(rows, np.arange(old, count + 1)).astype(np.int64)
    return NewNodes(names, LinkRows(indptr, others.astype(np.int32)), columns)


def _check_new(network: Network, names: pd.Index[Any]) -> None:
    present = np.flatnonzero(network.nodes.get_indexer(names) >= 0)
    if len(present):
        raise InputError(
            f"Node {shown(names[present[0]])} is in the embedding already. To change its links, use update(network)."
        )


def _check_old_links(network: Network, first: Int64Array, second: Int64Array) -> None:
    """Raise an error if a link between two old nodes is not in the network."""
    old = np.flatnonzero(np.maximum(first, second) < network.node_count)
    missing = old[~network.are_linked(first[old], second[old])]
    if len(missing):
        pair = " and ".join(shown(network.nodes[end[missing[0]]]) for end in (first, second))
        raise InputError(
            f"{pair} are nodes of the embedding, and not linked in it; only new nodes can be added. For new links "
            f"between old nodes, use update(network) ({len(missing):,} such links)."
        )


def add_nodes(
    objective: LocalObjective, new: NewNodes, thread_count: int | None = None, report: Report = lambda placed: None
) -> Extended:
    """Add new nodes to an embedding; the old ones keep their positions.

    Parameters
    ----------
    objective
        The embedding with the prior and reach that its positions were trained with.
    new
        The new nodes.
    thread_count
        The number of threads, all processors if None; the result is the same.
    report
        Called with the number of nodes placed so far.

    Raises
    ------
    InputError
        If the embedding is empty, if the network lists its observed pairs, so that those of the new nodes are not
        known, or if the prior cannot be extended or is certain of the opposite of what is given.
    """
    _check_extendable(objective.network)
    twins = match_nodes(objective.prior, objective.network, new.names, new.columns)
    multipliers = solve_multipliers(objective.prior, twins, np.diff(new.links.indptr))
    network = objective.network.append_nodes(new.names, new.links, new.columns)
    first_linked = _first_linked(objective, network)
    old_prior = update_degrees(objective.prior, first_linked, network.degrees[first_linked])
    prior = append_nodes(old_prior, network.nodes, twins, multipliers)
    certain = _certain_links(prior, new, objective.network.node_count)
    arrays = objective.model.prior
    terms = arrays.group[twins], np.ascontiguousarray(arrays.left[:, twins])
    points = Points(np.empty((0, 0), np.float32), multipliers.astype(np.float32), *terms)
    with threads(thread_count) as engine:
        unplaced = np.concatenate([first_linked, np.arange(objective.network.node_count, network.node_count)])
        to_placed = ~np.isin(new.links.indices, unplaced)
        links = filter_rows(new.links, to_placed)
        problem = PointsToPlace(points, links, certain[to_placed], np.full(new.count, -1))
        start = mean_of_neighbours(links, objective.positions, mean_position(objective.positions))
        placed = place_points(objective, problem, start, engine, report)
        extended = Extended(network, prior, np.concatenate([objective.positions, placed.astype(np.float32)]))
        if not to_placed.all():
            _place_linked_to_each_other(extended, first_linked, objective, engine)
    return extended


def _check_extendable(network: Network) -> None:
    if not network.node_count:
        raise InputError("The embedding has no nodes, so a new one cannot be placed. Use update(network).")
    if network.unobserved is not None and network.unobserved.lists_observed:
        raise InputError(
            "Only listed pairs of this network are observed, and for new nodes only links were given. Use "
            "update(network), with a network that lists the observed pairs of the new nodes as well."
        )


def _place_linked_to_each_other(
    extended: Extended, first_linked: Int64Array, objective: LocalObjective, engine: Engine
) -> None:
    """Place nodes again whose neighbours had no positions at first, in place.

    Old nodes with their first links come before the new ones: moved at the same time, each of two neighbours would go
    to where the other one was.
    """
    network, prior, positions = extended
    for nodes in (first_linked, np.arange(objective.network.node_count, network.node_count)):
        current = replace(objective, network=network, prior=prior, positions=positions)
        positions[nodes] = place_again(current, nodes, engine)


def _first_linked(objective: LocalObjective, network: Network) -> Int64Array:
    """Old nodes that get their first links, where the prior was certain that they have none."""
    first = (objective.network.degrees == 0) & (network.degrees[: objective.network.node_count] > 0)
    return np.flatnonzero(first) if constrains_degrees(objective.prior) else np.empty(0, dtype=np.int64)


def _certain_links(prior: Prior, new: NewNodes, old: int) -> BoolArray:
    """Which links of new nodes the prior is certain of; an error where it is certain of the opposite."""
    z = prior.log_odds_of(new.rows + old, new.links.indices)
    impossible = np.flatnonzero(np.isneginf(z))
    if len(impossible):
        pair = new.rows[impossible[0]] + old, new.links.indices[impossible[0]]
        raise InputError(_contradiction(prior, *pair, "is linked to", "cannot be"))
    _check_no_certain_link_is_missing(prior, new, old)
    return np.asarray(np.isposinf(z))


def _check_no_certain_link_is_missing(prior: Prior, new: NewNodes, old: int) -> None:
    tables = sum(prior.node_layout.table(prior.tables, layer).max() for layer in range(len(prior.width)))
    highest = prior.left[0, old:] + prior.left[0, :old].max() + tables
    candidates = np.flatnonzero((highest > CERTAIN_LOG_ODDS) | (len(prior.left) > 1))
    for node in candidates.tolist():
        certain = np.isposinf(prior.log_odds_of(np.full(old, old + node), np.arange(old)))
        row = slice(*new.links.indptr[node : node + 2])
        certain[[other for other in new.links.indices[row].tolist() if other < old]] = False
        if certain.any():
            pair = old + node, int(np.argmax(certain))
            raise InputError(_contradiction(prior, *pair, "is not linked to", "is certain to be"))


def _contradiction(prior: Prior, node: int, other: int, given: str, certainty: str) -> str:
    pair = f"{shown(prior.nodes[node])} {given} {shown(prior.nodes[other])}"
    return (
        f"Node {pair}, but given {prior.knowledge} of the old nodes it {certainty}: one of the two has no links or all "
        "links, or their groups decide. Use update(network), which fits the prior again."
    )
