"""Networks whose links are sharded over the workers of a cluster: no machine holds all of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from netgiven.distributed.cluster import Session, Shard, as_writeable
from netgiven.distributed.worker import full_size_rows
from netgiven.edges import EdgeCleaning
from netgiven.errors import InputError
from netgiven.fitting.problem import Problem
from netgiven.io import part_files
from netgiven.kernels.arrays import LinkRows
from netgiven.kernels.gradient import attract
from netgiven.network import Network
from netgiven.types import Float32Array, Int32Array, Int64Array

NO_LINKS = np.empty(0, dtype=np.int32)


class ShardedNetwork(Network):
    """The nodes of a network whose links are on many machines: names, degrees and columns.

    It has everything of a network that does not need single links, which is enough to fit the priors density and
    degrees. It is a `Network` so that priors take it as one. Single links are in the attribute `indices` alone, which
    all other methods use; here it raises an error that says what can be done with sharded links.
    """

    def __init__(
        self, nodes: pd.Index[Any], degrees: Int64Array, cleaning: EdgeCleaning, notes: tuple[str, ...] = ()
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
        """Raise an error: no machine holds the links."""
        raise InputError(
            "This needs all links on one machine, and the links of this network are sharded. A sharded network can be "
            "embedded given density or degrees, with the init diffusion or random. For anything else, read it from one "
            "file."
        )


@dataclass(frozen=True)
class ShardedLinks:
    """A network's nodes, its shards, and for each shard a reference to its rows of links."""

    network: ShardedNetwork
    shards: tuple[Shard, ...]
    rows: tuple[Any, ...]


def read_sharded(
    session: Session, files: Sequence[Path], header: bool | None = None, delimiter: str | None = None
) -> ShardedLinks:
    """Read part files on the workers. Names and degrees come here; links go to the owners of their nodes."""
    labels = [str(path) for path in files]
    read = [session.call(part_files.read_part, label, header, delimiter, returns=3) for label in labels]
    facts = session.get([facts for _, _, facts in read])
    part_files.check_same_columns(facts)
    names, numbers = part_files.number_parts(session.get([names for names, _, _ in read]), labels)
    count = len(names)
    ends = [(ends, session.pin(number), count) for (_, ends, _), number in zip(read, numbers, strict=True)]
    # shards are balanced by the ends of links as they are in the files; degrees are known after duplicates are merged
    end_counts = np.zeros(count, dtype=np.int64)
    for counted in [session.call(part_files.count_ends, *arguments) for arguments in ends]:
        end_counts += session.get(counted)
    shards = session.shard_nodes(end_counts)
    rows, degrees, distinct = _exchange(session, part_files.split_links, ends, shards)
    cleaning = _cleaning(facts, int(degrees.sum()) // 2, distinct // 2)
    return ShardedLinks(ShardedNetwork(names, degrees, cleaning, facts[0].notes), tuple(shards), rows)


def _exchange(
    session: Session, split: Callable[..., Any], arguments: Sequence[Sequence[Any]], shards: Sequence[Shard]
) -> tuple[tuple[Any, ...], Int64Array, int]:
    """Split links by shard where they are, and make rows where they belong.

    Returns references to the rows of each shard, the degrees of all nodes, and the number of distinct keys.
    """
    # An empty range at the end makes one more result: Ray returns a single result as itself, not in a list.
    bounds = [0, *(shard.stop for shard in shards), shards[0].count]
    pieces = [session.call(split, *own, bounds, returns=len(shards) + 1) for own in arguments]
    by_shard = [[some[place] for some in pieces] for place in range(len(shards))]
    gathered = [
        session.call(part_files.merge_rows, shard.start, shard.stop, shard.count, *some, returns=3)
        for shard, some in zip(shards, by_shard, strict=True)
    ]
    degrees = np.concatenate(session.get([degrees for _, degrees, _ in gathered]))
    return tuple(rows for rows, _, _ in gathered), degrees, sum(session.get([keys for _, _, keys in gathered]))


def _cleaning(facts: Sequence[part_files.Facts], kept: int, one_way: int) -> EdgeCleaning:
    given, loops = sum(fact.given for fact in facts), sum(fact.loops for fact in facts)
    return EdgeCleaning(
        given=given,
        kept=kept,
        self_loops=loops,
        duplicates=given - loops - one_way,
        both_directions=one_way - kept,
        weighted=sum(fact.weighted for fact in facts),
    )


@dataclass(frozen=True, eq=False)
class ShardedProblem(Problem):
    """A problem whose links are with the workers; `links` has degrees alone."""

    session: Session | None = None
    shards: tuple[Shard, ...] = ()
    rows: tuple[Any, ...] = ()

    def pull(self, positions: Float32Array) -> Float32Array:
        """Computed by the owners of the rows."""
        session = self._connection
        everywhere = session.ray.put(positions)
        pulls = [
            session.call(pull_of_shard, shard, own, everywhere)
            for shard, own in zip(self.shards, self.rows, strict=True)
        ]
        return np.concatenate(session.get(pulls))

    def reordered_links(self, order: Int64Array, place: Int32Array) -> dict[str, Any]:
        """Each owner sends its rows to those who own these nodes in the new order."""
        session = self._connection
        shards = session.shard_nodes(np.diff(self.links.indptr)[order])
        everywhere = session.pin(place)
        arguments = [(own, shard.start, everywhere) for shard, own in zip(self.shards, self.rows, strict=True)]
        rows, degrees, _ = _exchange(session, part_files.split_rows, arguments, shards)
        links = LinkRows(np.concatenate([[0], np.cumsum(degrees)]), NO_LINKS)
        return {"links": links, "shards": tuple(shards), "rows": rows}

    @property
    def _connection(self) -> Session:
        assert self.session is not None
        return self.session


def pull_of_shard(shard: Shard, rows: LinkRows, positions: Float32Array) -> Float32Array:
    """d_i x_i minus the sum over the neighbours of i, for the nodes i of a shard."""
    all_positions, links = as_writeable(positions), full_size_rows(shard, as_writeable(rows))
    pull, separation = np.empty_like(all_positions), np.empty(shard.count)
    shard.run(attract, shard.count, all_positions, 0, links, pull, separation)
    mine: Float32Array = pull[shard.start : shard.stop]
    return mine
