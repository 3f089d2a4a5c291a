"""What the page tells of all maps so far: a strip of small pictures, the groups that were found, and the ledger."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from netgiven.analysis.groups import Groups, find_groups, frequent_values
from netgiven.analysis.ledger import Proposal, ledger, proposals, readable
from netgiven.edges import counted
from netgiven.embedding import Embedding
from netgiven.explorer.messages import Json, Message, amount
from netgiven.maps.page import ledger_data, readable_data
from netgiven.network import Network
from netgiven.priors.knowledge import Given
from netgiven.types import Float32Array

# ---- the strip -----------------------------------------------------------------------------------------------------

DOTS = 240  # nodes that a small picture shows
WIDE = 100  # units of its coordinates


def strip_message(maps: Sequence[Embedding], planes: Sequence[Float32Array], shown: Sequence[int]) -> Message:
    """All maps so far: what is given, what each adds, and the places of some nodes for a small picture.

    Parameters
    ----------
    maps
        All maps so far.
    planes
        Where their nodes are drawn.
    shown
        Places of the maps that are on the page.
    """
    if not maps:
        return {}
    nodes = len(maps[0])
    sample = np.arange(nodes) if nodes <= DOTS else np.random.default_rng(0).choice(nodes, DOTS, replace=False)
    entries: list[Json] = [
        {
            "given": one.prior.knowledge,
            "gain": f"{one.bits_per_link:.2f} bits per link",
            "dots": _dots(plane[sample]),
        }
        for one, plane in zip(maps, planes, strict=True)
    ]
    return {"maps": entries, "sample": sample.tolist(), "shown": list(shown)}


def _dots(places: Float32Array) -> Json:
    """Places from 0 to 100, with equal scales; a few that are far out are drawn at the edge.

    >>> _dots(np.array([[0, 0], [2, 1]], dtype=np.float32))
    [[0, 25], [100, 75]]
    """
    low, high = np.quantile(places, [0.02, 0.98], axis=0) if len(places) > 20 else (places.min(0), places.max(0))
    scale = float((high - low).max()) or 1.0
    placed = np.clip((places - (low + high) / 2) / scale + 0.5, 0, 1)
    whole: list[list[int]] = (WIDE * placed).round().astype(int).tolist()
    return whole


# ---- groups --------------------------------------------------------------------------------------------------------

FOUND = "found group"  # the column that holds found groups once they are given
MAX_NODES_UNREQUESTED = 30_000  # in larger networks, groups are searched only on request
TYPICAL = 3
LARGE_SHARE = 0.5  # of a group: a value that this many of its nodes have is its name


def groups_of(embedding: Embedding, network: Network) -> Groups:
    """Groups in a map; `network` may have more columns than that of the map."""
    near = embedding.dimensions - embedding.repelling or embedding.dimensions
    return find_groups(network, embedding.prior, embedding.positions[:, :near])


def group_name(groups: Groups, number: int) -> str:
    """A value that most nodes of a group have, or else the node nearest to its centre."""
    frequent = frequent_values(groups.network, np.flatnonzero(groups.numbers == number), count=1)
    if frequent and frequent[0][2] >= LARGE_SHARE:
        return frequent[0][1]
    return f"around {groups.typical_texts(number, 1)[0]}"


def group_values(groups: Groups) -> list[str | None]:
    """The name of each node's group, numbered from 1; None for nodes in no group."""
    names = [f"{number + 1} {group_name(groups, number)}" for number in range(len(groups))]
    return [names[number] if number >= 0 else None for number in groups.numbers]


def groups_message(found: Sequence[Groups], planes: Sequence[Float32Array]) -> Message:
    """The groups of each map on the page, and where their names are drawn."""
    return {"maps": [_describe_groups(one, plane) for one, plane in zip(found, planes, strict=True)]}


def _describe_groups(groups: Groups, plane: Float32Array) -> Message:
    columns = groups.table[["size", "links", "expected", "frequent"]].itertuples(index=False, name=None)
    rows: list[Json] = [
        {
            "number": number,
            "name": group_name(groups, number),
            "size": int(size),
            "links": f"{int(links):,}",
            "expected": amount(float(expected)),
            "typical": groups.typical_texts(number, TYPICAL),
            "frequent": str(frequent),
            "place": np.median(plane[groups.numbers == number], axis=0).tolist(),
        }
        for number, (size, links, expected, frequent) in enumerate(columns)
    ]
    return {"groups": rows, "text": _groups_text(groups), "group": groups.numbers.tolist()}


def _groups_text(groups: Groups) -> str:
    if not len(groups):
        return "No groups: what is left does not divide the nodes."
    alone = int((groups.numbers < 0).sum())
    return f"{counted(len(groups), 'group')} found" + (f"; {counted(alone, 'node')} in none" if alone else "")


# ---- the ledger ----------------------------------------------------------------------------------------------------


def ledger_message(network: Network, given: Given, maps: Sequence[Embedding]) -> Message:
    """What is given and what it explains, what can still be read from the first map, and what to tell next.

    Parameters
    ----------
    network
        The network, with all columns.
    given
        What is selected now.
    maps
        The maps on the page; the first one counts if it was made with the same knowledge.
    """
    read = [readable(one) for one in maps]
    same = [(one, table) for one, table in zip(maps, read, strict=True) if one.prior.knowledge == str(given)]
    embedding, its_read = same[-1] if same else (None, None)
    found = proposals(network, given, embedding, read=its_read)
    return {
        "lines": list(ledger_data(ledger(network, given, embedding))),
        "readable": [
            {"given": one.prior.knowledge, "columns": list(readable_data(table))}
            for one, table in zip(maps, read, strict=True)
        ],
        "proposals": [_describe_proposal(one) for one in (*found, *found.untried) if one.knowledge],
    }


def _describe_proposal(proposal: Proposal) -> Message:
    """What to tell and why; a number and its percent sign stay on one line."""
    return {"knowledge": proposal.knowledge, "text": proposal.text.replace(" %", "\N{NO-BREAK SPACE}%")}
