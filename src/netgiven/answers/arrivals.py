"""New nodes as people tell them: names, whom they are linked to, and their columns."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from netgiven.edges import check_names, names_index, shown, typed_series
from netgiven.errors import InputError, UnknownNode
from netgiven.kernels.arrays import Links
from netgiven.network import Network
from netgiven.node_index import find_nodes
from netgiven.types import Int64Array


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
