"""A network whose links lie with many workers, and on no machine all of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from netgiven.distributed.cluster import Session
from netgiven.distributed.shards import Part, unlocked
from netgiven.distributed.worker import spread_out
from netgiven.edges import Cleaning
from netgiven.errors import InputError
from netgiven.fitting.problem import Task
from netgiven.kernels.arrays import Links
from netgiven.kernels.attraction import attract
from netgiven.network import Network
from netgiven.readers import parts as pieces
from netgiven.types import Float32Array, Int32Array, Int64Array

# ---- What is known of a network whose links lie on many machines -----------------------------------------------------


class Outline(Network):
    """The nodes of a network whose links no machine holds all: names, degrees, columns.

    What asks for the links themselves gets an error that says so.
    """

    def __init__(
        self, nodes: pd.Index[Any], degrees: Int64Array, cleaning: Cleaning, notes: tuple[str, ...] = ()
    ) -> None:
        indptr = np.concatenate([[0], np.cumsum(degrees)])
        fields = {"nodes": nodes, "indptr": indptr, "cleaning": cleaning, "notes": notes}
        for name, value in {**fields, "columns": pd.DataFrame(index=pd.RangeIndex(len(nodes)))}.items():
            object.__setattr__(self, name, value)

    @property
    def link_count(self) -> int:
        """Number of links, each counted once."""
        return int(self.indptr[-1]) // 2

    @property
    def indices(self) -> Int32Array:
        """Not here."""
        raise InputError(
            "This needs all links in one place, and the network lies in parts: given density or degrees, with the "
            "start smoothed or random, it can be embedded. For anything else, read it from one file."
        )


NOTHING = np.empty(0, dtype=np.int32)


@dataclass(frozen=True)
class Scattered:
    """What is known of the nodes, and references to the rows of links of each range of them."""

    outline: Outline
    parts: tuple[Part, ...]
    rows: tuple[Any, ...]


def read_scattered(
    session: Session, files: Sequence[Path], header: bool | None = None, delimiter: str | None = None
) -> Scattered:
    """Part files, read side by side. Names, degrees and places come here; links go to the owners of their nodes."""
    labels = [str(path) for path in files]
    read = [session.call(pieces.read_part, label, header, delimiter, returns=3) for label in labels]
    facts = session.get([facts for _, _, facts in read])
    pieces.check_alike(facts)
    names, numbers = pieces.number_pieces(session.get([names for names, _, _ in read]), labels)
    count = len(names)
    dealt_from = [(ends, session.keep(number), count) for (_, ends, _), number in zip(read, numbers, strict=True)]
    crowd = np.zeros(count, dtype=np.int64)
    for some in [session.call(pieces.count_ends, *given) for given in dealt_from]:
        crowd += session.get(some)
    parts = session.cut(crowd)
    rows, degrees, distinct = _gather(session, pieces.deal, dealt_from, parts)
    outline = Outline(names, degrees, _cleaning(facts, int(degrees.sum()) // 2, distinct // 2), facts[0].notes)
    return Scattered(outline, tuple(parts), rows)


def _gather(
    session: Session, deal: Any, given: Sequence[Sequence[Any]], parts: Sequence[Part]
) -> tuple[tuple[Any, ...], Int64Array, int]:
    """Rows by their owners from what is dealt out: references to them, the degrees of all nodes, and how many keys."""
    bounds = [0, *(part.stop for part in parts), parts[0].count]  # the last range is nobody's, and empty: one answer
    dealt = [session.call(deal, *some, bounds, returns=len(parts) + 1) for some in given]  # alone would be no list
    by_owner = [[some[place] for some in dealt] for place in range(len(parts))]
    gathered = [
        session.call(pieces.gather, part.start, part.stop, part.count, *some, returns=3)
        for part, some in zip(parts, by_owner, strict=True)
    ]
    degrees = np.concatenate(session.get([degrees for _, degrees, _ in gathered]))
    return tuple(rows for rows, _, _ in gathered), degrees, sum(session.get([keys for _, _, keys in gathered]))


def _cleaning(facts: Sequence[pieces.Facts], kept: int, one_way: int) -> Cleaning:
    given, loops = sum(fact.given for fact in facts), sum(fact.loops for fact in facts)
    return Cleaning(
        given=given,
        kept=kept,
        self_loops=loops,
        duplicates=given - loops - one_way,
        both_directions=one_way - kept,
        weighted=any(fact.weighted for fact in facts),
    )


@dataclass(frozen=True, eq=False)
class ScatteredTask(Task):
    """A task whose links lie with workers; `links` tells degrees alone."""

    session: Session | None = None
    parts: tuple[Part, ...] = ()
    rows: tuple[Any, ...] = ()

    def pull(self, positions: Float32Array) -> Float32Array:
        """By the owners of the rows."""
        session = self._connection
        everybody = session.ray.put(positions)
        mine = [session.call(pull_of, part, own, everybody) for part, own in zip(self.parts, self.rows, strict=True)]
        return np.concatenate(session.get(mine))

    def links_in(self, order: Int64Array, place: Int32Array) -> dict[str, Any]:
        """Each owner deals its rows out to those who own these nodes now."""
        session = self._connection
        parts = session.cut(np.diff(self.links.indptr)[order])
        everywhere = session.keep(place)
        given = [(own, part.start, everywhere) for part, own in zip(self.parts, self.rows, strict=True)]
        rows, degrees, _ = _gather(session, pieces.deal_again, given, parts)
        links = Links(np.concatenate([[0], np.cumsum(degrees)]), NOTHING)
        return {"links": links, "parts": tuple(parts), "rows": rows}

    @property
    def _connection(self) -> Session:
        assert self.session is not None
        return self.session


def pull_of(part: Part, rows: Links, positions: Float32Array) -> Float32Array:
    """d_i x_i minus the sum over the neighbours of i, for the nodes of a range."""
    everybody, links = unlocked(positions), spread_out(part, unlocked(rows))
    pull, stretch = np.empty_like(everybody), np.empty(part.count)
    part.run(attract, part.count, everybody, links, pull, stretch)
    mine: Float32Array = pull[part.start : part.stop]
    return mine
