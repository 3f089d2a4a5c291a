"""What is told of a selection, of a new node and of the whole, and which nodes are pointed out with it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from netgiven.analysis.active_learning import Strategy
from netgiven.embedding import Embedding
from netgiven.errors import InputError
from netgiven.explorer import answering, questions, tables, wording
from netgiven.explorer.drawing import carried, plane
from netgiven.explorer.questions import Newcomer
from netgiven.explorer.wording import Told
from netgiven.network import Network
from netgiven.tasks.fairness import fairness
from netgiven.types import Float32Array, Int64Array


def find_details(maps: Sequence[Embedding], selection: Int64Array, threads: int | None, wanted: bool = False) -> Told:
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


def _pointed(centre: int, ends: list[int], likely: Int64Array) -> Told:
    return {"centre": centre, "ends": ends, "likely": likely.tolist()}


# ---- beyond a selection --------------------------------------------------------------------------------------------


def find_next(maps: Sequence[Embedding], strategy: Strategy, wanted: bool = False) -> Told:
    """Which unknown pairs to check, if any are listed. `wanted`: however long that takes."""
    if not maps or not questions.has_pool(maps[0].network):
        return {}
    look = wanted or questions.is_quick(maps[0].network)
    found = [questions.pairs_to_check(one, strategy) if look else None for one in maps]
    return answering.next_told(strategy, found)


def find_fairness(maps: Sequence[Embedding], column: str) -> Told:
    """What the maps make of the groups of a column."""
    return answering.fairness_told(fairness(maps, column))


def find_newcomer(
    maps: Sequence[Embedding], drawn: Sequence[Float32Array], selection: Int64Array, chosen: Mapping[str, int]
) -> Told:
    """A new node that is linked to the selection: what is told of it, and where it is marked in each map.

    `drawn`: where the nodes of each map are drawn. `chosen`: the places of its values among those of a column.
    """
    network, columns = maps[0].network, questions.needed_columns(maps)
    values = {column: _value(network, column, chosen[column]) for column in columns if column in chosen}
    found = [_newcomer(one, selection, values) for one in maps]
    needed = [answering.needed_told(network, column, chosen) for column in columns]
    marks = [_mark(*parts, selection) for parts in zip(maps, drawn, found, strict=True)]
    return {**answering.newcomer_told(maps, found, selection, needed), "marks": marks}


def _value(network: Network, column: str, place: int) -> Any:
    values = network.groups(column)[1]
    if not 0 <= place < len(values):
        raise InputError(f"Column {column!r} has {len(values):,} values; choose one of them.")
    return values[place]


def _newcomer(embedding: Embedding, selection: Int64Array, values: Mapping[str, Any]) -> Newcomer | str:
    """Or the sentence of why it cannot be added: another map may take it."""
    try:
        return questions.newcomer_of(embedding, selection, values)
    except InputError as problem:
        return str(problem)


def _mark(embedding: Embedding, drawn: Float32Array, found: Newcomer | str, selection: Int64Array) -> Told | None:
    if isinstance(found, str):
        return None
    place = carried(found.position[:2], plane(embedding), drawn)
    return {"place": place.tolist(), "ends": selection.tolist(), "likely": found.likely["number"].tolist()}
