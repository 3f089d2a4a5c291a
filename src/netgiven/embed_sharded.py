"""From a folder of part files to a folder of parts, on a cluster: no machine ever holds all links."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import partial
from typing import Any

import pandas as pd

from netgiven.array_file import Arrays, check_folder, save_parts
from netgiven.distributed.cluster import Ray, Session, connected
from netgiven.distributed.driver import FarJourneys, check_divisible
from netgiven.distributed.sharded import NOTHING, Outline, Scattered, ScatteredTask, read_scattered
from netgiven.distributed.shards import Part
from netgiven.embedding_file import pack_whole
from netgiven.errors import InputError
from netgiven.fitting.fit import Fitted, Likelihood, fit_positions
from netgiven.fitting.problem import Task
from netgiven.fitting.progress import stage
from netgiven.fitting.record import Ending, Outcome, Record
from netgiven.fitting.selection import MANY_NODES
from netgiven.fitting.settings import Settings, check_settings
from netgiven.kernels.arrays import Links
from netgiven.model import Spread
from netgiven.network import Network
from netgiven.parallel import Engine
from netgiven.priors import Knowledge, Prior, parse_knowledge
from netgiven.readers.parts import part_files
from netgiven.types import Float32Array


@dataclass(frozen=True, eq=False)
class ScatteredEmbedding:
    """An embedding whose links lie with workers. What it says of nodes is here; `load` opens what is written of it."""

    network: Outline
    positions: Float32Array
    prior: Prior
    spread: Spread
    outcome: Outcome
    history: pd.DataFrame
    settings: dict[str, Any]
    likelihood: Likelihood | None = None  # measured when it is loaded and asked for

    def __repr__(self) -> str:
        size = f"{len(self.positions):,} nodes in {self.positions.shape[1]} dimensions"
        return f"Embedding of {size} given {self.prior.knowledge}; {self.outcome}"


class ScatteredJourneys(FarJourneys):
    """Fits on a cluster whose workers hold the links already."""

    def __init__(self, session: Session, settings: Ray, scattered: Scattered) -> None:
        super().__init__(session, settings)
        self.scattered = scattered

    def task(self, network: Network, prior: Prior, settings: Settings, engine: Engine) -> Task:
        """Degrees are here, rows of links with their owners."""
        return ScatteredTask(
            Links(network.indptr, NOTHING),
            prior.arrays,
            prior.expected_degrees,
            settings.spread.stiffness,
            settings.shrinkage,
            engine,
            session=self.session,
            parts=self.scattered.parts,
            rows=self.scattered.rows,
        )


def embed_parts(
    folder: str | os.PathLike[str],
    out: str | os.PathLike[str],
    given: Knowledge | str = "degrees",
    *,
    engine: Ray | None = None,
    header: bool | None = None,
    delimiter: str | None = None,
    progress: bool | None = None,
    **settings: Any,
) -> ScatteredEmbedding:
    """Embed the network in a folder of part files on a Ray cluster, and write it as a folder of parts to `out`.

    `given` is density or degrees. Nothing is chosen on hidden links: dimensions are 8, the reach is 2 and there is no
    shrinkage unless `settings` say. Positions are those of `embed(..., start="smoothed")` of one file with the same
    links, byte for byte.
    """
    knowledge = parse_knowledge(given) if isinstance(given, str) else given
    wanted = check_settings({"start": "smoothed", "method": "sampled", **settings})
    check_divisible(wanted.resolved(MANY_NODES))
    if wanted.start not in ("smoothed", "random"):
        raise InputError(f"The start {wanted.start} needs all links in one place; it is smoothed or random here.")
    check_folder(out)
    files, where = part_files(folder), engine or Ray()
    with connected(where) as session:
        with stage(f"reading {folder}", progress):
            scattered = read_scattered(session, files, header, delimiter)
        outline = scattered.outline
        for line in (f"{outline}", str(outline.cleaning), *outline.notes):
            where.tell(line)
        with stage("prior", progress):
            prior = knowledge.fit(outline)
        resolved = wanted.resolved(outline.node_count)
        journeys = ScatteredJourneys(session, where, scattered)
        fitted = fit_positions(outline, prior, resolved, progress=progress, journeys=journeys)
        embedding = _embedding(outline, prior, resolved, fitted)
        with stage(f"writing {out}", progress):
            _write(session, scattered, embedding, out)
    return embedding


def _embedding(outline: Outline, prior: Prior, settings: Settings, fitted: Fitted) -> ScatteredEmbedding:
    if fitted.outcome.ending is Ending.DIVERGED:
        raise InputError(f"The fit {fitted.outcome}. Nothing was written. Try a lower rate (0.2 is usual).")
    history = pd.DataFrame(fitted.history, columns=list(Record._fields))
    told = settings.told() | {"trials": [], "trained_given": prior.knowledge}
    return ScatteredEmbedding(outline, fitted.positions, prior, settings.spread, fitted.outcome, history, told)


def _write(session: Session, scattered: Scattered, embedding: ScatteredEmbedding, out: str | os.PathLike[str]) -> None:
    """Part by part, so that the links of one range at a time are here."""

    def arrays_of(part: Part, rows: Any) -> Arrays:
        indptr, indices = session.get(rows)
        positions = embedding.positions[part.start : part.stop]
        return {"positions": positions, "links.indptr": indptr, "links.indices": indices}

    pairs = zip(scattered.parts, scattered.rows, strict=True)
    save_parts(out, *pack_whole(embedding), [partial(arrays_of, part, rows) for part, rows in pairs])
