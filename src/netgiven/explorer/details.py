"""What is told of a selection, and which nodes are pointed out with it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from netgiven.embedding import Embedding
from netgiven.explorer import tables, wording
from netgiven.explorer.tables import Numbers
from netgiven.explorer.wording import Told


def find_details(maps: Sequence[Embedding], selection: Numbers, threads: int | None, wanted: bool = False) -> Told:
    """Of nothing, a node, a pair or a group. `wanted`: look at all pairs however many they are."""
    if len(selection) == 0:
        return of_all(maps, threads, wanted)
    if len(selection) == 1:
        return of_node(maps, int(selection[0]))
    if len(selection) == 2:
        return of_pair(maps, int(selection[0]), int(selection[1]))
    return wording.group_told(maps, [tables.group_table(one, selection) for one in maps])


def of_all(maps: Sequence[Embedding], threads: int | None, wanted: bool) -> Told:
    """The likeliest links of all; not looked for in a large network unless wanted."""
    look = wanted or len(maps[0]) <= tables.FEW_NODES
    likely = [tables.likeliest_links(one, tables.LIKELIEST, threads) if look else None for one in maps]
    return wording.overview_told(maps, [one.bits_per_link for one in maps], likely)


def of_node(maps: Sequence[Embedding], number: int) -> Told:
    """Its likeliest links and its neighbours: with it, they are pointed out in each map."""
    found = [tables.node_table(one, number) for one in maps]
    neighbours = tables.row_of(maps[0].network, number).tolist()
    pointed = [_pointed(number, neighbours, table.likely["number"].to_numpy(dtype=np.int64)) for table in found]
    return {**wording.node_told(maps, found), "pointed": pointed}


def of_pair(maps: Sequence[Embedding], first: int, second: int) -> Told:
    """From the prior to the posterior."""
    found = [tables.pair_of(one, first, second) for one in maps]
    linked, likely = ([second], []) if found[0].linked else ([], [second])
    pointed = [_pointed(first, linked, np.array(likely, dtype=np.int64))] * len(maps)
    return {**wording.pair_told(maps, found), "pointed": pointed}


def _pointed(centre: int, ends: list[int], likely: Numbers) -> Told:
    return {"centre": centre, "ends": ends, "likely": likely.tolist()}
