"""What is told of a selection, and which nodes and links are pointed out with it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from netgiven.embedding import Embedding
from netgiven.explorer import tables, wording
from netgiven.explorer.tables import Numbers

MANY_LINKS = 2_000  # of a group, that are not pointed out any more


class Pointed(NamedTuple):
    """What is pointed out in one map: nodes, links, and likely links as pairs of node numbers."""

    nodes: Numbers
    links: list[tuple[int, int]]
    likely: list[tuple[int, int]]


@dataclass(frozen=True)
class Details:
    """For the page, and for each map."""

    told: dict[str, Any]
    pointed: list[Pointed] = field(default_factory=list)


def find_details(maps: Sequence[Embedding], selection: Numbers, threads: int | None, wanted: bool = False) -> Details:
    """Of nothing, a node, a pair or a group. `wanted`: look at all pairs however many they are."""
    if len(selection) == 0:
        return of_all(maps, threads, wanted)
    if len(selection) == 1:
        return of_node(maps, int(selection[0]))
    if len(selection) == 2:
        return of_pair(maps, int(selection[0]), int(selection[1]))
    return of_group(maps, selection)


def of_all(maps: Sequence[Embedding], threads: int | None, wanted: bool) -> Details:
    """The likeliest links of all; not looked for in a large network unless wanted."""
    look = wanted or len(maps[0]) <= tables.FEW_NODES
    likely = [tables.likeliest_links(one, tables.LIKELIEST, threads) if look else None for one in maps]
    return Details(wording.overview_told(maps, [one.bits_per_link for one in maps], likely))


def of_node(maps: Sequence[Embedding], number: int) -> Details:
    """Its likeliest links and its neighbours."""
    found = [tables.node_table(one, number) for one in maps]
    pointed = [_around(one, number, table) for one, table in zip(maps, found, strict=True)]
    return Details(wording.node_told(maps, found), pointed)


def _around(embedding: Embedding, number: int, table: tables.NodeTable) -> Pointed:
    neighbours = embedding.network.numbers(embedding.network.neighbours(embedding.nodes[number]))
    likely = table.likely["number"].to_numpy(dtype=np.int64)
    seen = np.concatenate([neighbours, likely, [number]]).astype(np.int64)
    return Pointed(seen, [(number, int(other)) for other in neighbours], [(number, int(other)) for other in likely])


def of_pair(maps: Sequence[Embedding], first: int, second: int) -> Details:
    """From the prior to the posterior."""
    found = [tables.pair_of(one, first, second) for one in maps]
    both, pair = np.array([first, second]), [(first, second)]
    pointed = Pointed(both, pair, []) if found[0].linked else Pointed(both, [], pair)
    return Details(wording.pair_told(maps, found), [pointed] * len(maps))


def of_group(maps: Sequence[Embedding], selection: Numbers) -> Details:
    """Links inside and to the rest."""
    found = [tables.group_table(one, selection) for one in maps]
    chosen = np.zeros(len(maps[0]), dtype=bool)
    chosen[selection] = True
    links = maps[0].network.links()
    inside = links[chosen[links].all(axis=1)]
    shown = [(int(first), int(second)) for first, second in inside] if len(inside) <= MANY_LINKS else []
    nobody = np.empty(0, dtype=np.int64)
    return Details(wording.group_told(maps, found), [Pointed(nobody, shown, [])] * len(maps))
