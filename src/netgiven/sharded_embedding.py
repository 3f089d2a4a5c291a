"""`embed_sharded`: embed a folder of part files on a cluster, where no machine holds all links."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from netgiven.array_file import Arrays, check_folder, save_parts
from netgiven.distributed.cluster import Ray, Session, Shard, connect
from netgiven.distributed.driver import RayBackend, check_shardable
from netgiven.distributed.sharded import NO_LINKS, ShardedLinks, ShardedNetwork, ShardedProblem, read_sharded
from netgiven.embedding_file import StoredEmbedding, pack_without_links
from netgiven.errors import InputError
from netgiven.fitting.fit import Fit, fit_positions
from netgiven.fitting.problem import Problem
from netgiven.fitting.record import FitRecord, Stopwatch, stage
from netgiven.fitting.settings import ResolvedSettings, Settings
from netgiven.io.part_files import part_files
from netgiven.kernels.arrays import LinkRows
from netgiven.model import Spread
from netgiven.network import Network
from netgiven.parallel import Engine
from netgiven.priors.knowledge import Knowledge, parse_knowledge
from netgiven.priors.prior import Prior
from netgiven.types import Float32Array

if TYPE_CHECKING:
    import pandas as pd

SHARDABLE_INITS = ("diffusion", "random")


@dataclass(frozen=True, eq=False)
class ShardedEmbedding:
    """The positions of a sharded network, without its links; `load` reads the folder that holds both.

    Attributes
    ----------
    network
        The nodes: names and degrees.
    positions
        One row per node.
    prior, spread
        As in `Embedding`.
    fit
        How the positions were found.
    """

    network: ShardedNetwork
    positions: Float32Array
    prior: Prior
    spread: Spread
    fit: FitRecord

    @property
    def history(self) -> pd.DataFrame:
        """The steps of the fit: `step`, `objective`, `reach`, `learning_rate`."""
        return self.fit.history

    def __repr__(self) -> str:
        size = f"{len(self.positions):,} nodes in {self.positions.shape[1]} dimensions"
        return f"Embedding of {size} given {self.prior.knowledge}; {self.fit.convergence}"


class ShardedBackend(RayBackend):
    """Fits on a cluster whose workers hold the links already."""

    def __init__(self, session: Session, cluster: Ray, links: ShardedLinks) -> None:
        super().__init__(session, cluster)
        self.links = links

    def make_problem(self, network: Network, prior: Prior, settings: ResolvedSettings, engine: Engine) -> Problem:
        """The fit in arrays: degrees are here, rows of links with their owners."""
        return ShardedProblem(
            LinkRows(network.indptr, NO_LINKS),
            prior.arrays,
            prior.expected_degrees,
            engine=engine,
            **settings.forces,
            session=self.session,
            shards=self.links.shards,
            rows=self.links.rows,
        )


def embed_sharded(
    folder: str | os.PathLike[str],
    out: str | os.PathLike[str],
    given: Knowledge | str = "degrees",
    *,
    settings: Settings | None = None,
    engine: Ray | None = None,
    header: bool | None = None,
    delimiter: str | None = None,
    progress: bool | None = None,
) -> ShardedEmbedding:
    """Embed the network in a folder of part files on a Ray cluster, and write the embedding to a folder.

    No machine ever holds all links. Positions are those of `embed(..., method="sampled", init="diffusion")` of one file
    with the same links, byte for byte. Nothing is chosen on held-out links: dimensions, reach and shrinkage that are
    "auto" become 8, 2 and 0.

    Parameters
    ----------
    folder
        Part files in any format that `read` knows, all with the same columns.
    out
        The folder to write; `load` reads it.
    given
        `density()`, `degrees()`, or the text of one.
    settings
        Settings of the fit, with the method "sampled" and the init "diffusion" or "random". "auto" stands for sampled
        and diffusion.
    engine
        The cluster; None: all processors of this machine.
    header, delimiter
        Format of text files, as for `read`; None: detected.
    progress
        Show progress; None: only if standard error is a terminal.

    Returns
    -------
    ShardedEmbedding
        Positions, prior and the record of the fit.

    Raises
    ------
    InputError
        If files cannot be read, what is given or the settings need all links on one machine, `out` cannot be written,
        or the fit diverged.
    """
    knowledge = parse_knowledge(given) if isinstance(given, str) else given
    chosen = _shardable(settings or Settings())
    check_folder(out)
    files, cluster, stopwatch = part_files(folder), engine or Ray(), Stopwatch()
    with connect(cluster) as session:
        with stage(f"reading {folder}", progress):
            links = read_sharded(session, files, header, delimiter)
        network = links.network
        for line in network.report:
            cluster.log(line)
        stopwatch.lap("read")
        with stage("prior", progress):
            prior = knowledge.fit(network)
        stopwatch.lap("prior")
        resolved, backend = chosen.resolve(network.node_count), ShardedBackend(session, cluster, links)
        fit = fit_positions(network, prior, resolved, backend=backend, progress=progress)
        stopwatch.lap("fit")
        embedding = _embedding(network, prior, resolved, fit, stopwatch.seconds)
        with stage(f"writing {out}", progress):
            _write(session, links, embedding, out)
    return embedding


def _shardable(settings: Settings) -> Settings:
    """Settings that a cluster can run without all links on one machine."""
    method = "sampled" if settings.method == "auto" else settings.method
    init = "diffusion" if settings.init == "auto" else settings.init
    if init not in SHARDABLE_INITS:
        raise InputError(f"The init {init} needs all links on one machine; for sharded links use diffusion or random.")
    chosen = replace(settings, method=method, init=init)
    check_shardable(chosen.resolve(node_count=2))
    return chosen


def _embedding(
    network: ShardedNetwork, prior: Prior, settings: ResolvedSettings, fit: Fit, seconds: dict[str, float]
) -> ShardedEmbedding:
    if fit.convergence.diverged:
        raise InputError(f"The fit {fit.convergence}. Nothing was written. Try a lower learning rate (0.2 is usual).")
    record = FitRecord(settings, prior, fit.convergence, fit.steps, seconds=seconds)
    return ShardedEmbedding(network, fit.positions, prior, settings.spread, record)


def _write(session: Session, links: ShardedLinks, embedding: ShardedEmbedding, out: str | os.PathLike[str]) -> None:
    """Write shard by shard, so that only the links of one shard are here at a time."""

    def arrays_of(shard: Shard, rows: Any) -> Arrays:
        indptr, indices = session.get(rows)
        positions = embedding.positions[shard.start : shard.stop]
        return {"positions": positions, "links.indptr": indptr, "links.indices": indices}

    shards = [partial(arrays_of, shard, rows) for shard, rows in zip(links.shards, links.rows, strict=True)]
    stored = StoredEmbedding(embedding.network, embedding.positions, embedding.prior, embedding.spread, embedding.fit)
    save_parts(out, *pack_without_links(stored), shards)
