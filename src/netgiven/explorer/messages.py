"""Messages between page and server, as JSON: requests of the page, and what the page shows, as texts and numbers."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import pandas as pd
from bokeh.core.properties import Int, String
from bokeh.model import DataModel

from netgiven.analysis.active_learning import Strategy
from netgiven.analysis.surprise import odds_in_words
from netgiven.edges import counted, whole_percent
from netgiven.embedding import Embedding
from netgiven.errors import InputError
from netgiven.explorer import tables
from netgiven.explorer.figures import plane, transformed
from netgiven.explorer.session import DIMENSIONS, Session, unusable_columns
from netgiven.explorer.tables import (
    LEVEL,
    ORDERS,
    STRATEGIES,
    Expected,
    GroupTable,
    NewNode,
    NodeTable,
    Order,
    PairTable,
)
from netgiven.fitting.record import NOTHING_GAINED, gains_nothing
from netgiven.maps.marks import DEGREE
from netgiven.network import HOW_TO_GIVE, Network
from netgiven.tasks.fairness import CLASSIFIERS, FairnessReport, fairness
from netgiven.types import Float32Array, Int64Array

Json: TypeAlias = "str | float | bool | Sequence[Json] | Mapping[str, Json] | None"
Message: TypeAlias = dict[str, Json]
Request: TypeAlias = Mapping[str, object]


class Channel(DataModel):  # type: ignore[misc]
    """The properties that Bokeh synchronizes between page and server, one for each part of the page.

    The page sets `request` and `drawn_frame`; the server sets all others.
    """

    request = String("")
    drawn_frame = Int(0)  # the last frame that the page has drawn
    upload = String("{}")  # token and size limit of uploads
    network = String("{}")
    names = String("[]")  # of the nodes, for the search
    knowledge = String("{}")
    fit = String("{}")
    legend = String("{}")
    details = String("{}")
    next_pairs = String("{}")
    fairness = String("{}")
    ledger = String("{}")  # what is given and what it explains, what to tell next
    strip = String("{}")  # all maps so far
    groups = String("{}")
    table = String("{}")  # of the nodes, on request
    answers = String("{}")
    preparing = String("")  # what is compiled in the background
    glides = Int(0)  # how often nodes were moved to the places of another map
    error = String("{}")
    file = String("{}")
    frame = Int(0)


def to_json(content: Json) -> str:
    """JSON that every browser parses: NaN and infinities become null."""
    return json.dumps(_finite(content), allow_nan=False, separators=(",", ":"))


def _finite(content: Json) -> Json:
    if isinstance(content, Mapping):
        return {name: _finite(value) for name, value in content.items()}
    if isinstance(content, (list, tuple)):
        return [_finite(value) for value in content]
    return None if isinstance(content, float) and not math.isfinite(content) else content


# ---- requests of the page ------------------------------------------------------------------------------------------


def parse_request(text: str) -> tuple[str, Request]:
    """The action of a request, and the request."""
    try:
        request = json.loads(text)
    except (ValueError, RecursionError):
        request = None
    action = request.get("action") if isinstance(request, dict) else None
    if not isinstance(action, str):
        raise InputError("The page sent an invalid request; reload it.")
    return action, request


def get_integers(request: Request, name: str) -> list[int]:
    """A list of integers in a request."""
    found = request.get(name)
    if not isinstance(found, list) or not all(type(number) is int for number in found):
        raise InputError(f"The page sent {name} that are not integers; reload it.")
    return found


def get_integer(request: Request, name: str) -> int:
    """One integer in a request."""
    return get_integers({name: [request.get(name)]}, name)[0]


def get_integers_by_name(request: Request, name: str) -> dict[str, int]:
    """Integers by name in a request; empty if there are none."""
    found = request.get(name, {})
    if not isinstance(found, dict) or not all(type(number) is int for number in found.values()):
        raise InputError(f"The page sent {name} that are not integers by name; reload it.")
    return found


def get_number(request: Request, name: str) -> float | None:
    """A number in a request, or None."""
    found = request.get(name)
    if found is None:
        return None
    if not isinstance(found, (int, float)) or isinstance(found, bool):
        raise InputError(f"{name} = {found!r} was given; expected a number.")
    return float(found)


# ---- numbers as text -----------------------------------------------------------------------------------------------


def percent(probability: float) -> str:
    """A probability with three significant digits.

    >>> [percent(probability) for probability in (0, 0.00001234, 0.5, 0.99987, 1)]
    ['0 %', '0.00123 %', '50.0 %', '> 99.9 %', '100 %']
    """
    if probability in (0, 1):
        return f"{100 * probability:.0f} %"
    if probability < 1e-7:
        return "< 0.00001 %"
    digits = max(2 - math.floor(math.log10(100 * probability)), 0)
    return "> 99.9 %" if probability > 0.999 else f"{100 * probability:.{digits}f} %"


def lift_text(lift: float) -> str:
    """How many times likelier than by the prior.

    >>> lift_text(2.1234), lift_text(1234.5), lift_text(float("nan"))
    ('× 2.12', '× 1,234', '')
    """
    if math.isnan(lift):
        return ""
    return f"× {lift:,.0f}" if lift >= 100 else f"× {lift:.1f}" if lift >= 10 else f"× {lift:.2f}"


def bits_text(bits: float) -> str:
    """Bits of surprise.

    >>> bits_text(0.1234), bits_text(12.34), bits_text(float("inf"))
    ('0.12 bits', '12.3 bits', 'was excluded')
    """
    return "was excluded" if math.isinf(bits) else f"{bits:.1f} bits" if bits >= 10 else f"{bits:.2f} bits"


def amount(number: float) -> str:
    """An expected number of links.

    >>> amount(0.1234), amount(12.34), amount(1234.5)
    ('0.12', '12.3', '1,234')
    """
    return f"{number:,.0f}" if number >= 100 else f"{number:.1f}" if number >= 10 else f"{number:.2f}"


def log_odds(z: float) -> str:
    """A term of log-odds with its sign; infinite if the prior is certain.

    >>> log_odds(1.234), log_odds(-0.001), log_odds(float("-inf"))
    ('+1.23', '+0.00', 'certain: no')
    """
    return ("certain: no" if z < 0 else "certain: yes") if math.isinf(z) else _minus(f"{round(z, 2) + 0.0:+.2f}")


def _minus(text: str) -> str:
    return text.replace("-", "−")


COLOURS = (DEGREE, tables.SURPRISE)  # that every network has


# ---- steps 1 to 3: network, prior, fit -----------------------------------------------------------------------------


def describe_network(session: Session, can_add_nodes: bool) -> Message:
    """Step 1: the network that was opened."""
    network = session.network
    if network is None:
        return {"title": ""}
    size = f"{counted(network.node_count, 'node')}, {counted(network.link_count, 'link')}"
    if unobserved := network.unobserved_count:
        size += f", {_without_breaks(counted(unobserved, 'unobserved pair'))}"
    return {
        "title": session.title,
        "size": size,
        "notes": [_page_note(note) for note in (_cleaning_note(network), *network.notes) if note],
        "colours": [*map(str, network.columns), *(name for name in COLOURS if name not in network.columns)],
        "can_add_nodes": can_add_nodes,
        "unusable": unusable_columns(network),
        "dimensions": DIMENSIONS,
    }


def _without_breaks(text: str) -> str:
    return text.replace(" ", "\N{NO-BREAK SPACE}")


def _page_note(note: str) -> str:
    """A note without what to type in Python or on a command line: the page has a button for it.

    >>> _page_note("No link joins two nodes of the same side: a (2), b (3). Tell it with given='blocks:side'.")
    'No link joins two nodes of the same side: a (2), b (3). Tell it in step 2.'
    """
    said, advice, _ = note.partition(HOW_TO_GIVE)
    return f"{said} Tell it in step 2." if advice else note


def _cleaning_note(network: Network) -> str:
    """What was removed or merged when links were read, if anything was."""
    note = str(network.cleaning)
    return f"{note}." if ":" in note else ""


def describe_knowledge(session: Session) -> Message:
    """Step 2: options, the selected ones, and their text for the command line."""
    options = [
        {"column": option.column, "title": option.title, "description": option.description, "text": option.text}
        for option in session.options
    ]
    return {"options": options, "chosen": session.chosen, "text": str(session.knowledge) if session.options else ""}


def describe_fit(session: Session, message: str) -> Message:
    """Step 3: progress of a fit, and the maps that there are."""
    maps = [{"given": embedding.prior.knowledge, "text": map_text(embedding)} for embedding in session.maps]
    if session.job is None:
        return {"running": False, "message": message, "maps": maps, "share": 0.0}
    return {
        "running": True,
        "stopping": session.job.stopping,
        "maps": maps,
        "index": session.fit_index,
        "share": min(session.job.progress.step / session.max_steps(), 1.0),
        "message": _progress_text(session),
    }


def _progress_text(session: Session) -> str:
    assert session.job is not None
    progress = session.job.progress
    if session.job.stopping:
        return "Stopping …"
    if progress.step:
        return f"Step {progress.step} · objective {progress.objective:,.0f}"
    if progress.trials:
        return f"Choosing the reach: trial {progress.trials} …"
    return f"Fitting the prior to what you told, {int(time.monotonic() - session.job.begun):,} s …"


def map_text(embedding: Embedding) -> str:
    """Title of a map: its reach, and its dimensions if not all are drawn."""
    more = f", {embedding.dimensions} dimensions, 2 drawn" if embedding.dimensions > 2 else ""
    return f"reach {embedding.reach:.2g}{more}"


# ---- details of a selection ----------------------------------------------------------------------------------------

NEGATIVE_GAIN = "The map predicts links worse than the prior alone: try a smaller reach."


def details_message(
    maps: Sequence[Embedding],
    selection: Int64Array,
    threads: int | None,
    requested: bool = False,
    order: Order = "probability",
) -> Message:
    """Details of the whole network, a node, a pair or a group.

    Parameters
    ----------
    maps
        One or two embeddings of the same network.
    selection
        Numbers of the selected nodes.
    threads
        For the search of the likeliest links.
    requested
        Search the likeliest links of a large network, too, because the user has requested it.
    order
        What links of the whole network are sorted by.
    """
    if len(selection) == 0:
        return _overview_message(maps, threads, requested, order)
    if len(selection) == 1:
        return _node_message(maps, int(selection[0]))
    if len(selection) == 2:
        return _pair_message(maps, int(selection[0]), int(selection[1]))
    return describe_group(maps, [tables.group_table(one, selection) for one in maps])


def _overview_message(maps: Sequence[Embedding], threads: int | None, requested: bool, order: Order) -> Message:
    search = requested or len(maps[0]) <= tables.MAX_NODES_UNREQUESTED
    likely = [tables.likeliest_links(one, tables.LIKELIEST, threads, order) if search else None for one in maps]
    there = [tables.surprising_links(one, tables.LIKELIEST, order) if search else None for one in maps]
    return {**describe_overview(maps, [one.bits_per_link for one in maps], likely, there), "order": order}


def _node_message(maps: Sequence[Embedding], number: int) -> Message:
    found = [tables.node_table(one, number) for one in maps]
    neighbours = tables.neighbours_of(maps[0].network, number).tolist()
    highlights = [_highlight(number, neighbours, table.likely["number"].tolist()) for table in found]
    return {**describe_node(maps, found), "highlights": highlights}


def _pair_message(maps: Sequence[Embedding], first: int, second: int) -> Message:
    found = [tables.pair_table(one, first, second) for one in maps]
    linked, likely = ([second], []) if found[0].linked else ([], [second])
    return {**describe_pair(maps, found), "highlights": [_highlight(first, linked, likely)] * len(maps)}


def _highlight(centre: int, linked: list[int], likely: list[int]) -> Message:
    """Nodes that a map highlights: one, those that it is linked to, and likely ones."""
    return {"centre": centre, "linked": linked, "likely": likely}


def describe_overview(
    embeddings: Sequence[Embedding],
    gains: Sequence[float],
    likely: Sequence[pd.DataFrame | None],
    surprising: Sequence[pd.DataFrame | None],
) -> Message:
    """Nothing is selected: the gain of each map, links that should be there, and links that should not."""
    maps: list[Message] = [
        {
            "given": embedding.prior.knowledge,
            "gain": _minus(f"{round(gain, 2) + 0.0:.2f} bits per link"),  # without a minus before 0
            "warning": NOTHING_GAINED if gains_nothing(gain) else NEGATIVE_GAIN if gain < 0 else "",
            "status": embedding.fit.convergence.status.value,
            "reach": f"{embedding.reach:.2g}",
            "likely": None if table is None else _pair_rows(table),
            "surprising": None if there is None else _pair_rows(there),
        }
        for embedding, gain, table, there in zip(embeddings, gains, likely, surprising, strict=True)
    ]
    return {"kind": "overview", "maps": maps, "orders": list(ORDERS)}


def _pair_rows(table: pd.DataFrame) -> list[Message]:
    rows = zip(_probability_cells(table), _pair_cells(table), table["surprise"].tolist(), strict=True)
    return [{**row, **pair, "surprise": bits, "bits": bits_text(bits)} for row, pair, bits in rows]


def _pair_cells(table: pd.DataFrame) -> list[Message]:
    """Names and numbers of the two nodes in each row."""
    names = zip(table["u"].map(str), table["v"].map(str), strict=True)
    numbers = table[["u_number", "v_number"]].to_numpy().tolist()
    return [{"names": list(pair), "numbers": ends} for pair, ends in zip(names, numbers, strict=True)]


def _probability_cells(table: pd.DataFrame) -> list[Message]:
    """Probability, prior and lift of each row, as texts and as numbers."""
    return [
        {
            "text": {"probability": percent(probability), "prior": percent(prior), "lift": lift_text(lift)},
            "probability": probability,
            "prior": prior,
        }
        for probability, prior, lift in table[["probability", "prior", "lift"]].to_numpy(dtype=float).tolist()
    ]


def describe_node(embeddings: Sequence[Embedding], found: Sequence[NodeTable]) -> Message:
    """One node is selected."""
    first = found[0]
    maps: list[Message] = [
        {
            "given": embedding.prior.knowledge,
            "expected_degree": amount(table.expected_degree),
            "likely": _node_rows(table.likely),
            "neighbours": _node_rows(table.neighbours),
        }
        for embedding, table in zip(embeddings, found, strict=True)
    ]
    return {
        "kind": "node",
        "number": first.number,
        "name": str(embeddings[0].nodes[first.number]),
        "degree": first.degree,
        "values": list(first.values.items()),
        "maps": maps,
    }


def _node_rows(table: pd.DataFrame) -> list[Message]:
    """Other nodes, each with its probability."""
    cells = zip(_probability_cells(table), table["node"].map(str), table["number"].tolist(), strict=True)
    return [{**row, "name": name, "number": number} for row, name, number in cells]


def describe_pair(embeddings: Sequence[Embedding], found: Sequence[PairTable]) -> Message:
    """Two nodes are selected."""
    first = found[0]
    numbers = [first.first, first.second]
    return {
        "kind": "pair",
        "names": [str(embeddings[0].nodes[number]) for number in numbers],
        "numbers": numbers,
        "linked": "not observed" if not first.observed else "yes" if first.linked else "no",
        "common": first.common_neighbours,
        "maps": [_describe_pair_in(embedding, table) for embedding, table in zip(embeddings, found, strict=True)],
    }


def _describe_pair_in(embedding: Embedding, table: PairTable) -> Message:
    return {
        "given": embedding.prior.knowledge,
        "prior": {"text": percent(table.prior), "value": table.prior},
        "probability": {"text": percent(table.probability), "value": table.probability},
        "interval": None if table.interval is None else _describe_interval(*table.interval),
        "lift": lift_text(table.lift),
        "odds": odds_in_words(table.probability, table.prior),
        "distance": f"{table.distance:.2f}",
        "terms": [log_odds(table.prior_log_odds), log_odds(table.gain), log_odds(table.log_odds)],
        "reasons": [(f"{one} – {other}", f"{100 * effect:+.2g} points") for one, other, effect in _reasons(table)],
    }


def _describe_interval(low: float, high: float) -> Message:
    text = f"{100 * LEVEL:.0f} % interval: {percent(low)} to {percent(high)}"
    return {"text": text, "low": low, "high": high}


def _reasons(table: PairTable) -> list[tuple[object, object, float]]:
    return list(table.reasons[["node", "linked_to", "effect"]].itertuples(index=False, name=None))


def describe_group(embeddings: Sequence[Embedding], found: Sequence[GroupTable]) -> Message:
    """Several nodes are selected."""
    first = found[0]
    maps: list[Message] = [
        {
            "given": embedding.prior.knowledge,
            "inside": _describe_expected(table.inside),
            "outside": _describe_expected(table.outside),
        }
        for embedding, table in zip(embeddings, found, strict=True)
    ]
    frequent = [_describe_share(*entry) for entry in first.frequent_values]
    return {"kind": "group", "size": f"{len(first.numbers):,}", "maps": maps, "frequent_values": frequent}


def _describe_share(column: str, value: str, inside: float, overall: float) -> Message:
    texts = {"inside_text": whole_percent(inside), "overall_text": whole_percent(overall)}
    return {"value": f"{column}: {value}", "inside": inside, "overall": overall, **texts}


def _describe_expected(expected: Expected) -> Message:
    return {
        "density": "no pairs" if not expected.pairs else percent(expected.density),
        "links": f"{expected.links:,}",
        "by_prior": amount(expected.by_prior),
        "by_posterior": amount(expected.by_posterior),
        "error": f"± {amount(2 * expected.error)}" if expected.error else "",
    }


# ---- a new node ----------------------------------------------------------------------------------------------------


def new_node_message(
    maps: Sequence[Embedding], planes: Sequence[Float32Array], selection: Int64Array, chosen: Mapping[str, int]
) -> Message:
    """Details of a new node that is linked to the selection, and where each map marks it.

    Parameters
    ----------
    maps
        One or two embeddings of the same network.
    planes
        The drawn positions of each map.
    selection
        Numbers of the nodes that the new node is linked to.
    chosen
        Its value in each column, as an index among the values of the column.
    """
    network, columns = maps[0].network, tables.needed_columns(maps)
    values = {column: _value(network, column, chosen[column]) for column in columns if column in chosen}
    found = [_place_new_node(one, selection, values) for one in maps]
    needed = [_describe_needed(network, column, chosen) for column in columns]
    marks = [_mark(*parts, selection) for parts in zip(maps, planes, found, strict=True)]
    return {**describe_new_node(maps, found, selection, needed), "marks": marks}


def _value(network: Network, column: str, index: int) -> object:
    values = network.groups(column)[1]
    if not 0 <= index < len(values):
        raise InputError(f"Column {column!r} has {len(values):,} values; choose one of them.")
    value: object = values[index]
    return value


def _place_new_node(embedding: Embedding, selection: Int64Array, values: Mapping[str, object]) -> NewNode | str:
    """The new node, or the message why this embedding cannot place it; another one may."""
    try:
        return tables.place_new_node(embedding, selection, values)
    except InputError as error:
        return str(error)


def _mark(embedding: Embedding, drawn: Float32Array, found: NewNode | str, selection: Int64Array) -> Message | None:
    if isinstance(found, str):
        return None
    position = transformed(found.position[:2], plane(embedding), drawn)
    return {"position": position.tolist(), "linked": selection.tolist(), "likely": found.likely["number"].tolist()}


def describe_new_node(
    embeddings: Sequence[Embedding], found: Sequence[NewNode | str], numbers: Int64Array, needed: Sequence[Message]
) -> Message:
    """A new node in each map, or the message why it cannot be placed there."""
    maps: list[Message] = [
        {"given": embedding.prior.knowledge, **_describe_placement(one)}
        for embedding, one in zip(embeddings, found, strict=True)
    ]
    count = len(numbers)
    target = str(embeddings[0].nodes[numbers[0]]) if count == 1 else counted(count, "node")
    return {"kind": "new_node", "target": target, "count": count, "needed": needed, "maps": maps}


def _describe_placement(found: NewNode | str) -> Message:
    if isinstance(found, str):
        return {"error": found, "likely": [], "links": []}
    return {"error": "", "likely": _node_rows(found.likely), "links": _node_rows(found.links)}


def _describe_needed(network: Network, column: str, chosen: Mapping[str, int]) -> Message:
    """A column in which a new node needs a value, the values to choose from, and the chosen one."""
    values = [str(value) for value in network.groups(column)[1]]
    return {"column": column, "values": values, "chosen": chosen.get(column)}


# ---- pairs to check next -------------------------------------------------------------------------------------------

STRATEGY_TEXTS: dict[Strategy, str] = {
    "v-optimal": "Pairs that, once observed, make the other unobserved pairs of their nodes most certain.",
    "d-optimal": "Pairs that say most about the positions of their two nodes.",
    "entropy": "Pairs with the most uncertain prediction: closest to 50 %.",
    "probability": "The likeliest links.",
}


def next_pairs_message(maps: Sequence[Embedding], strategy: Strategy, requested: bool = False) -> Message:
    """Which unobserved pairs to check, if there are any; a slow search only if it was `requested`."""
    if not maps or not tables.has_unobserved_pairs(maps[0].network):
        return {}
    search = requested or tables.is_fast(maps[0].network)
    found = [tables.pairs_to_check(one, strategy) if search else None for one in maps]
    strategies = [{"name": name, "description": STRATEGY_TEXTS[name]} for name in STRATEGIES]
    rows = [None if table is None else _check_rows(table) for table in found]
    return {"strategy": strategy, "strategies": strategies, "maps": rows}


def _check_rows(table: pd.DataFrame) -> list[Message]:
    return [
        {**pair, "text": percent(probability), "probability": probability}
        for pair, probability in zip(_pair_cells(table), table["probability"].tolist(), strict=True)
    ]


def describe_answers(session: Session, text: str) -> Message:
    """How many pairs were answered since the last fit and before, and what the last fit with answers has changed."""
    replies = [answer.reply for answer in session.answers]
    return {
        "answers": [{"numbers": [one.first, one.second], "answer": one.reply} for one in session.answers],
        "usable": len(replies) - replies.count("skip"),
        "exported": len(session.answered) + len(session.answers),
        "text": text,
    }


# ---- the table of nodes --------------------------------------------------------------------------------------------


def table_message(network: Network, embedding: Embedding) -> Message:
    """The columns of the table of nodes; names and degrees are on the page already."""
    columns: list[Json] = [
        {"name": column.name, "numbers": column.numbers, "texts": column.texts}
        for column in tables.node_columns(network, embedding)
    ]
    return {"columns": columns}


# ---- fairness ------------------------------------------------------------------------------------------------------


def offer_fairness(column: str | None) -> Message:
    """The column whose groups can be compared, without results yet."""
    return {} if column is None else {"column": column, "maps": None}


def fairness_message(maps: Sequence[Embedding], column: str) -> Message:
    """How maps treat the groups of a column."""
    return describe_fairness(fairness(maps, column))


def describe_fairness(report: FairnessReport) -> Message:
    """One row per map, and remarks on how to read them."""
    maps = [_fairness_row(str(name), row) for name, row in report.table.iterrows()]
    remarks = [f"{remark[:1].upper()}{remark[1:]}." for remark in report.notes]
    return {"column": report.attribute, "maps": maps, "remarks": remarks}


def _fairness_row(name: str, row: pd.Series[Any]) -> Message:
    read = {title: float(row[column]) for column, (title, _) in CLASSIFIERS.items()}
    each = ", ".join(f"{percent(share)} by {title}" for title, share in read.items())
    return {
        "given": name,
        "parity": _describe_gap(float(row["parity_gap"])),
        "opportunity": _describe_gap(float(row["opportunity_gap"])),
        "accuracy": {"text": percent(max(read.values())), "value": max(read.values()), "title": each},
        "baseline": {"text": percent(float(row["baseline_accuracy"])), "value": float(row["baseline_accuracy"])},
    }


def _describe_gap(gap: float) -> Message:
    """
    >>> _describe_gap(-0.0123)["text"], _describe_gap(float("nan"))["text"]
    ('−0.012', 'none')
    """
    return {"text": "none" if math.isnan(gap) else _minus(f"{gap:+.3f}"), "value": gap}
