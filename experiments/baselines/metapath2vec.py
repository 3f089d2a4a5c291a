"""metapath2vec++ (Dong et al. 2017): walks along a meta-path, and negatives of the target's own type."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from experiments.baselines.negative_sampling import LearningRate, initial_vectors, make_negatives, train_on_walks
from experiments.baselines.walks import ANY_TYPE, MetaPath, meta_path_walks, node_counts
from netgiven.errors import InputError
from netgiven.network import Network
from netgiven.types import Float32Array, Int32Array


@dataclass(frozen=True)
class Metapath2vec:
    """Vectors from `rounds` walks per node along a meta-path over the types in a node column.

    `path` names the types of successive nodes, repeated from the start at its end: `("author", "paper", "venue",
    "paper")`. A walk ends where no neighbour is of the next type. Without a path, walks take any link; without a
    column, all nodes are of one type: plain walks and plain negative sampling. The authors of the method take 1,000
    rounds, which takes hours on a network of ten thousand nodes.
    """

    column: str | None = None
    path: tuple[str, ...] = ()
    dimensions: int = 128
    rounds: int = 20
    length: int = 100
    window: int = 7
    negative: int = 5
    learning_rate: float = 0.025

    name = "metapath2vec++"

    def vectors(self, network: Network, seed: int) -> Float32Array:
        """Vectors of the nodes. Each round of walks is trained on at once, so that walks need not be kept."""
        path = make_meta_path(network, self.column, self.path)
        sources = initial_vectors(network.node_count, self.dimensions, seed)
        targets = np.zeros_like(sources)
        trained = np.zeros(network.node_count, dtype=bool)
        for number in range(self.rounds if network.link_count else 0):
            walks = meta_path_walks(network, number, self.length, path, seed)
            if number == 0:
                negatives = make_negatives(node_counts(walks, network.node_count), path.types, self.negative)
                learning_rate = LearningRate(self.learning_rate, self.rounds * len(walks))
            train_on_walks(sources, targets, walks, self.window, negatives, learning_rate, number * len(walks), seed)
            trained[walks[walks >= 0]] = True
        sources[~trained] = 0
        return sources


def make_meta_path(network: Network, column: str | None, path: tuple[str, ...]) -> MetaPath:
    """The meta-path as positions, the last followed by the first; without a path, one position for all types."""
    if column is None and path:
        raise InputError(f"A meta-path {'-'.join(path)} was given without a node column of types; name the column.")
    types, names = (np.zeros(network.node_count, dtype=np.int32), [""]) if column is None else network.groups(column)
    if (types < 0).any():
        raise InputError(f"Some nodes have no type in column {column!r}; metapath2vec++ needs one for each node.")
    if not path:
        return MetaPath(_one(ANY_TYPE), _one(0), np.zeros(len(names), dtype=np.int32), types)
    type_at = _type_numbers(path, names)
    following = np.roll(np.arange(len(type_at), dtype=np.int32), -1)
    return MetaPath(type_at, following, _entries(type_at, len(names)), types)


def _one(value: int) -> Int32Array:
    return np.array([value], dtype=np.int32)


def _type_numbers(path: tuple[str, ...], names: list[Any]) -> Int32Array:
    known = [str(name) for name in names]
    for name in path:
        if name not in known:
            raise InputError(f"The meta-path names type {name!r}; the types are {', '.join(known)}.")
    return np.array([known.index(name) for name in path], dtype=np.int32)


def _entries(type_at: Int32Array, type_count: int) -> Int32Array:
    """The first position that admits each type; -1 if none does."""
    entry = np.full(type_count, -1, dtype=np.int32)
    present, first = np.unique(type_at, return_index=True)
    entry[present] = first
    return entry
