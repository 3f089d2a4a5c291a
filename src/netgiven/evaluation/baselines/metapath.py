"""metapath2vec++: walks along a meta-path, and random targets of the target's own type (Dong et al. 2017)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from netgiven.errors import InputError
from netgiven.evaluation.baselines.descent import Rate, descend_walks, first_vectors, make_negatives
from netgiven.evaluation.baselines.walks import ANY, Track, typed_walks, visits
from netgiven.network import Network
from netgiven.types import Float32Array, Int32Array


@dataclass(frozen=True)
class Metapath2vec:
    """Vectors from `rounds` walks a node along a meta-path over the types in a node column.

    `path` names the types that a walk meets in turn, over and over: `("author", "paper", "venue", "paper")`. A
    walk ends where no neighbour is of the next type. Without a path, walks take any link; without a column, all nodes
    are of one type: plain walks and plain negative sampling. The method's paper takes 1,000 rounds, which are hours on
    a network of ten thousand nodes.
    """

    column: str | None = None
    path: tuple[str, ...] = ()
    dimensions: int = 128
    rounds: int = 20
    length: int = 100
    window: int = 7
    negative: int = 5
    rate: float = 0.025

    name = "metapath2vec++"

    def vectors(self, network: Network, seed: int) -> Float32Array:
        """Round after round of walks, each learnt from at once, so that they need not be kept."""
        track = make_track(network, self.column, self.path)
        sources = first_vectors(network.node_count, self.dimensions, seed)
        targets = np.zeros_like(sources)
        met = np.zeros(network.node_count, dtype=bool)
        for number in range(self.rounds if network.link_count else 0):
            walks = typed_walks(network, number, self.length, track, seed)
            if number == 0:
                negatives = make_negatives(visits(walks, network.node_count), track.types, self.negative)
                rate = Rate(self.rate, self.rounds * len(walks))
            descend_walks(sources, targets, walks, self.window, negatives, rate, number * len(walks), seed)
            met[walks[walks >= 0]] = True
        sources[~met] = 0
        return sources


def make_track(network: Network, column: str | None, path: tuple[str, ...]) -> Track:
    """The meta-path as places that lead to each other, the last to the first; without one, one place for all."""
    if column is None and path:
        raise InputError(f"A meta-path {'-'.join(path)} was given without a node column of types; name the column.")
    types, names = (np.zeros(network.node_count, dtype=np.int32), [""]) if column is None else network.groups(column)
    if (types < 0).any():
        raise InputError(f"Some nodes have no type in column {column!r}; metapath2vec++ needs one for each node.")
    if not path:
        return Track(_one(ANY), _one(0), np.zeros(len(names), dtype=np.int32), types)
    kind = _numbers(path, names)
    following = np.roll(np.arange(len(kind), dtype=np.int32), -1)
    return Track(kind, following, _entries(kind, len(names)), types)


def _one(value: int) -> Int32Array:
    return np.array([value], dtype=np.int32)


def _numbers(path: tuple[str, ...], names: list[Any]) -> Int32Array:
    known = [str(name) for name in names]
    for name in path:
        if name not in known:
            raise InputError(f"The meta-path names type {name!r}; the types are {', '.join(known)}.")
    return np.array([known.index(name) for name in path], dtype=np.int32)


def _entries(kind: Int32Array, count: int) -> Int32Array:
    """Where nodes of each type begin: the first place that admits them; -1 if none does."""
    entry = np.full(count, -1, dtype=np.int32)
    present, first = np.unique(kind, return_index=True)
    entry[present] = first
    return entry
