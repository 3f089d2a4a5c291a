"""What is told of what to check next, of a new node, and of fairness, in words that the page need not work on."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from netgiven.analysis.active_learning import Strategy
from netgiven.edges import counted
from netgiven.embedding import Embedding
from netgiven.explorer.questions import STRATEGIES, Newcomer
from netgiven.explorer.wording import Told, ends_told, percent, rows_told
from netgiven.network import Network
from netgiven.tasks.fairness import FairnessReport
from netgiven.types import Int64Array

MEANINGS: dict[Strategy, str] = {
    "v-optimal": "Pairs that, once known, make the other unknown ones of their nodes surest.",
    "d-optimal": "Pairs that tell the most about where their two nodes belong.",
    "entropy": "Pairs that the map is least sure of: nearest to 50 %.",
    "probability": "The likeliest links.",
}


def next_told(strategy: Strategy, tables: Sequence[pd.DataFrame | None]) -> Told:
    """Which unknown pairs to check; None where that was not looked for."""
    strategies = [{"name": name, "meaning": MEANINGS[name]} for name in STRATEGIES]
    maps = [None if table is None else _checks_told(table) for table in tables]
    return {"strategy": strategy, "strategies": strategies, "maps": maps}


def _checks_told(table: pd.DataFrame) -> list[Told]:
    chances = table["probability"].tolist()
    return [
        {**pair, "shown": percent(chance), "value": chance}
        for pair, chance in zip(ends_told(table), chances, strict=True)
    ]


def newcomer_told(
    embeddings: Sequence[Embedding], found: Sequence[Newcomer | str], numbers: Int64Array, needed: Sequence[Told]
) -> Told:
    """A new node: what each map makes of it, or the sentence that says why it cannot."""
    maps = [
        {"given": embedding.prior.knowledge, **_place_told(one)}
        for embedding, one in zip(embeddings, found, strict=True)
    ]
    count = len(numbers)
    to = str(embeddings[0].nodes[numbers[0]]) if count == 1 else counted(count, "node")
    return {"kind": "newcomer", "to": to, "count": count, "needed": list(needed), "maps": maps}


def _place_told(found: Newcomer | str) -> Told:
    if isinstance(found, str):
        return {"problem": found, "likely": [], "links": []}
    return {"problem": "", "likely": rows_told(found.likely), "links": rows_told(found.links)}


def needed_told(network: Network, column: str, chosen: Mapping[str, int]) -> Told:
    """A column in which a new node needs a value, what there is to choose from, and what was chosen."""
    values = [str(value) for value in network.groups(column)[1]]
    return {"column": column, "values": values, "chosen": chosen.get(column)}


def fairness_offered(column: str | None) -> Told:
    """What can be asked for."""
    return {} if column is None else {"column": column, "maps": None}


def fairness_told(report: FairnessReport) -> Told:
    """A row a map, and what to know before reading it."""
    maps = [_fair_row(str(name), row) for name, row in report.table.iterrows()]
    remarks = [f"{remark[:1].upper()}{remark[1:]}." for remark in report.remarks()]
    return {"column": report.attribute, "maps": maps, "remarks": remarks}


def _fair_row(name: str, row: pd.Series[Any]) -> Told:
    line, others = float(row["read_logistic"]), float(row["read_neighbours"])
    both = f"{percent(line)} by logistic regression, {percent(others)} by the nearest neighbours"
    return {
        "given": name,
        "parity": _gap_told(float(row["parity_gap"])),
        "opportunity": _gap_told(float(row["opportunity_gap"])),
        "read": {"text": percent(max(line, others)), "value": max(line, others), "title": both},
        "guessed": {"text": percent(float(row["read_nothing"])), "value": float(row["read_nothing"])},
    }


def _gap_told(gap: float) -> Told:
    """
    >>> _gap_told(-0.0123)["text"], _gap_told(float("nan"))["text"]
    ('−0.012', 'none')
    """
    return {"text": "none" if math.isnan(gap) else f"{gap:+.3f}".replace("-", "−"), "value": gap}
