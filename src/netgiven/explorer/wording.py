"""What the page shows, in words and numbers that it need not work on any more."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import pandas as pd

from netgiven.edges import counted
from netgiven.embedding import Embedding
from netgiven.explorer.knowing import unusable
from netgiven.explorer.tables import LEVEL, Expected, GroupTable, NodeTable, PairTable
from netgiven.explorer.visit import DIMENSIONS, Visit
from netgiven.maps.marks import DEGREE

Told = dict[str, Any]

LESS = "The map says less than what is known alone: try a smaller reach."


def percent(chance: float) -> str:
    """A probability with three digits that count.

    >>> [percent(chance) for chance in (0, 0.00001234, 0.5, 0.99987, 1)]
    ['0 %', '0.00123 %', '50.0 %', '> 99.9 %', '100 %']
    """
    if chance in (0, 1):
        return f"{100 * chance:.0f} %"
    if chance < 1e-7:
        return "< 0.00001 %"
    digits = max(2 - math.floor(math.log10(100 * chance)), 0)
    return "> 99.9 %" if chance > 0.999 else f"{100 * chance:.{digits}f} %"


def times(lift: float) -> str:
    """How many times likelier.

    >>> times(2.1234), times(1234.5), times(float("nan"))
    ('× 2.12', '× 1,234', '')
    """
    if math.isnan(lift):
        return ""
    return f"× {lift:,.0f}" if lift >= 100 else f"× {lift:.1f}" if lift >= 10 else f"× {lift:.2f}"


def amount(number: float) -> str:
    """A number of links that is expected.

    >>> amount(0.1234), amount(12.34), amount(1234.5)
    ('0.12', '12.3', '1,234')
    """
    return f"{number:,.0f}" if number >= 100 else f"{number:.1f}" if number >= 10 else f"{number:.2f}"


def log_odds(z: float) -> str:
    """A term of log-odds with its sign; infinite where the prior is certain."""
    return ("certain: no" if z < 0 else "certain: yes") if math.isinf(z) else f"{z:+.2f}".replace("-", "−")


# ---- steps ---------------------------------------------------------------------------------------------------------


def network_told(visit: Visit, can_add_nodes: bool) -> Told:
    """Step 1: what was opened."""
    network = visit.network
    if network is None:
        return {"title": ""}
    size = f"{counted(network.node_count, 'node')}, {counted(network.link_count, 'link')}"
    if unknown := network.unknown_count:
        size += f", {_in_one_line(counted(unknown, 'unknown pair'))}"
    notes = [note for note in (_cleaned(visit), *network.notes) if note]
    colours = [*map(str, network.columns), *([] if DEGREE in network.columns else [DEGREE])]
    told = {"title": visit.title, "size": size, "notes": notes, "colours": colours, "can_add_nodes": can_add_nodes}
    return {**told, "unusable": unusable(network), "dimensions": list(DIMENSIONS)}


def _in_one_line(words: str) -> str:
    return words.replace(" ", "\N{NO-BREAK SPACE}")


def _cleaned(visit: Visit) -> str:
    """What was done to the links, if anything was."""
    assert visit.network is not None
    told = str(visit.network.cleaning)
    return f"{told}." if ":" in told else ""


def knowledge_told(visit: Visit) -> Told:
    """Step 2: what can be ticked, what is, and how the command line says it."""
    entries = [
        {"column": option.column, "title": option.title, "sentence": option.sentence, "text": option.text}
        for option in visit.options
    ]
    return {"options": entries, "chosen": visit.chosen, "text": str(visit.knowledge) if visit.options else ""}


def fit_told(visit: Visit, message: str) -> Told:
    """Step 3: how far a fit is, and which maps there are."""
    maps = [{"given": embedding.prior.knowledge, "told": map_told(embedding)} for embedding in visit.maps]
    if visit.job is None:
        return {"running": False, "message": message, "maps": maps, "share": 0.0}
    progress, most = visit.job.progress, visit.most_steps()
    told = {"running": True, "stopping": visit.job.stopping, "maps": maps, "place": visit.place}
    return {**told, "share": min(progress.step / most, 1.0), "message": _stage(visit)}


def _stage(visit: Visit) -> str:
    assert visit.job is not None
    progress = visit.job.progress
    if visit.job.stopping:
        return "Stopping …"
    if progress.step:
        return f"Step {progress.step} · objective {progress.objective:,.0f}"
    return f"Choosing the reach: trial {progress.trials} …" if progress.trials else "Preparing …"


def map_told(embedding: Embedding) -> str:
    """A map in a line: its reach, and its dimensions where there are more than are drawn."""
    more = f", {embedding.dimensions} dimensions, the widest two drawn" if embedding.dimensions > 2 else ""
    return f"reach {embedding.reach:.2g}{more}"


# ---- details -------------------------------------------------------------------------------------------------------


def overview_told(
    embeddings: Sequence[Embedding], bits: Sequence[float], likely: Sequence[pd.DataFrame | None]
) -> Told:
    """Nothing is selected: what each map is worth, and the likeliest links of all."""
    maps = [
        {
            "given": embedding.prior.knowledge,
            "bits": f"{worth:.2f} bits a link".replace("-", "−"),
            "warning": LESS if worth < -0.005 else "",
            "ending": embedding.outcome.ending.value,
            "reach": f"{embedding.reach:.2g}",
            "likely": None if table is None else _pairs_told(table),
        }
        for embedding, worth, table in zip(embeddings, bits, likely, strict=True)
    ]
    return {"kind": "overview", "maps": maps}


def _pairs_told(table: pd.DataFrame) -> list[Told]:
    return [{**row, **pair} for row, pair in zip(_shown(table), ends_told(table), strict=True)]


def ends_told(table: pd.DataFrame) -> list[Told]:
    """The names and numbers of the two nodes in each row."""
    names = zip(table["u"].map(str), table["v"].map(str), strict=True)
    numbers = table[["u_number", "v_number"]].to_numpy().tolist()
    return [{"names": list(both), "numbers": ends} for both, ends in zip(names, numbers, strict=True)]


def node_told(embeddings: Sequence[Embedding], tables: Sequence[NodeTable]) -> Told:
    """One node is selected."""
    first = tables[0]
    maps = [
        {
            "given": embedding.prior.knowledge,
            "expected_degree": amount(table.expected_degree),
            "likely": rows_told(table.likely),
            "neighbours": rows_told(table.neighbours),
        }
        for embedding, table in zip(embeddings, tables, strict=True)
    ]
    told = {"kind": "node", "number": first.number, "name": str(embeddings[0].nodes[first.number])}
    return {**told, "degree": first.degree, "values": list(first.values.items()), "maps": maps}


def rows_told(table: pd.DataFrame) -> list[Told]:
    """Other nodes, with the numbers of each."""
    parts = zip(_shown(table), table["node"].map(str), table["number"].tolist(), strict=True)
    return [{**row, "name": name, "number": number} for row, name, number in parts]


def _shown(table: pd.DataFrame) -> list[Told]:
    """Probability, prior and lift of each row, as texts and as numbers."""
    return [
        {
            "shown": {"probability": percent(chance), "prior": percent(before), "lift": times(lift)},
            "value": chance,
            "before": before,
        }
        for chance, before, lift in table[["probability", "prior", "lift"]].to_numpy(dtype=float).tolist()
    ]


def pair_told(embeddings: Sequence[Embedding], tables: Sequence[PairTable]) -> Told:
    """Two nodes are selected."""
    first = tables[0]
    numbers = [first.first, first.second]
    names = [str(embeddings[0].nodes[number]) for number in numbers]
    linked = "not known" if not first.known else "yes, they are linked" if first.linked else "no"
    told = {"kind": "pair", "names": names, "numbers": numbers, "linked": linked}
    maps = [_pair_map(embedding, table) for embedding, table in zip(embeddings, tables, strict=True)]
    return {**told, "common": first.common_neighbours, "maps": maps}


def _pair_map(embedding: Embedding, table: PairTable) -> Told:
    return {
        "given": embedding.prior.knowledge,
        "prior": {"text": percent(table.prior), "value": table.prior},
        "probability": {"text": percent(table.probability), "value": table.probability},
        "interval": None if table.interval is None else _interval_told(*table.interval),
        "lift": times(table.lift),
        "distance": f"{table.distance:.2f}",
        "terms": [log_odds(table.prior_log_odds), log_odds(table.gain), log_odds(table.log_odds)],
        "reasons": [(f"{one} – {other}", f"{100 * effect:+.2g} points") for one, other, effect in _reasons(table)],
    }


def _interval_told(low: float, high: float) -> Told:
    text = f"between {percent(low)} and {percent(high)} ({100 * LEVEL:.0f} % interval)"
    return {"text": text, "low": low, "high": high}


def _reasons(table: PairTable) -> list[tuple[Any, Any, float]]:
    return list(table.reasons[["node", "linked_to", "effect"]].itertuples(index=False, name=None))


def group_told(embeddings: Sequence[Embedding], tables: Sequence[GroupTable]) -> Told:
    """Several nodes are selected."""
    first = tables[0]
    maps = [
        {
            "given": embedding.prior.knowledge,
            "inside": _expected_told(table.inside),
            "outside": _expected_told(table.outside),
        }
        for embedding, table in zip(embeddings, tables, strict=True)
    ]
    makeup = [_share_told(*entry) for entry in first.makeup]
    return {"kind": "group", "size": f"{len(first.numbers):,}", "maps": maps, "makeup": makeup}


def _share_told(column: str, value: str, here: float, whole: float) -> Told:
    shown = {"shown": f"{here:.0%}", "shown_whole": f"{whole:.0%}"}
    return {"value": f"{column}: {value}", "here": here, "whole": whole, **shown}


def _expected_told(expected: Expected) -> Told:
    return {
        "density": "no pairs" if not expected.pairs else percent(expected.density),
        "links": f"{expected.links:,}",
        "by_prior": amount(expected.by_prior),
        "by_posterior": amount(expected.by_posterior),
        "error": f"± {amount(2 * expected.error)}" if expected.error else "",
        "values": [expected.links, expected.by_prior, expected.by_posterior],
    }
