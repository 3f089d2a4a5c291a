"""DeepWalk (Perozzi et al. 2014) and node2vec (Grover and Leskovec 2016): skip-gram over random walks.

Skip-gram, as gensim implements it, gives similar vectors to nodes that occur near each other in walks.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import product
from typing import Any
from zlib import crc32

import numpy as np
import numpy.typing as npt

from experiments.baselines.walks import Bias, node_counts, second_order_walks
from netgiven.errors import InputError
from netgiven.evaluation.methods import fit_regression
from netgiven.metrics import auc
from netgiven.network import Network
from netgiven.splits import LinkSplit, hide_links
from netgiven.types import Float32Array, Int32Array

VALIDATION_SHARE = 0.2  # share of the training links hidden to select p and q


@dataclass(frozen=True)
class DeepWalk:
    """Uniform walks, hierarchical softmax; settings of its paper (its program defaults to 10 walks and window 5)."""

    dimensions: int = 128
    rounds: int = 80
    length: int = 40
    window: int = 10

    name = "DeepWalk"

    def vectors(self, network: Network, seed: int) -> Float32Array:
        """Vectors of the nodes, one row per node."""
        walks = second_order_walks(network, self.rounds, self.length, seed=seed)
        return skip_gram(walks, network.node_count, self.dimensions, self.window, seed)


@dataclass(frozen=True)
class Node2vec:
    """Second-order walks, negative sampling; settings of its paper, with given p and q."""

    p: float = 1.0
    q: float = 1.0
    dimensions: int = 128
    rounds: int = 10
    length: int = 80
    window: int = 10
    negative: int = 5

    @property
    def name(self) -> str:
        """Name of the method in tables, with p and q."""
        return f"node2vec, p {self.p:g}, q {self.q:g}"

    def vectors(self, network: Network, seed: int) -> Float32Array:
        """Vectors of the nodes, one row per node."""
        walks = second_order_walks(network, self.rounds, self.length, Bias(self.p, self.q), seed)
        return skip_gram(walks, network.node_count, self.dimensions, self.window, seed, negative=self.negative)


@dataclass(frozen=True)
class TunedNode2vec:
    """node2vec with p and q from `values`, selected on a fifth of the training links, hidden for validation.

    The trials take `trial_rounds` walks per node, the final vectors as many as `method` has.
    """

    method: Node2vec = Node2vec()
    values: tuple[float, ...] = (0.25, 1.0, 4.0)
    trial_rounds: int = 3

    name = "node2vec"

    def vectors(self, network: Network, seed: int) -> Float32Array:
        """Vectors with the selected p and q, trained on all links of the network."""
        return self.select(network, seed).vectors(network, seed)

    def select(self, network: Network, seed: int) -> Node2vec:
        """The method with the p and q that find hidden links best; `method` itself if no link can be hidden."""
        split = hide_links(network, VALIDATION_SHARE, seed)
        if not len(split.hidden) or not len(split.others):
            return self.method
        candidates = [replace(self.method, p=p, q=q) for p, q in product(self.values, repeat=2)]
        return max(candidates, key=lambda method: _auc(replace(method, rounds=self.trial_rounds), split, seed))


def _auc(method: Node2vec, split: LinkSplit, seed: int) -> float:
    vectors = method.vectors(split.train, seed)
    return auc(split.truth, fit_regression(split.train, vectors, seed).score(split.pairs))


# ---- skip-gram -------------------------------------------------------------------------------------------------------


class WalkCorpus:
    """Walks as the lists of words that gensim reads, made one at a time. `words` holds one text per node."""

    def __init__(self, walks: Int32Array, words: npt.NDArray[np.object_]) -> None:
        self.walks, self.words = walks, words

    def __iter__(self) -> Iterator[list[str]]:
        for walk in self.walks:
            yield self.words[walk].tolist()


def skip_gram(
    walks: Int32Array, nodes: int, dimensions: int, window: int, seed: int, *, negative: int = 0, epochs: int = 1
) -> Float32Array:
    """Vectors (nodes, dimensions) from walks; zero for nodes that occur in no walk.

    `negative` is the number of negative samples per pair; 0 means hierarchical softmax. With one worker, a hash that is
    the same in every process, and no subsampling of frequent nodes, the same walks give the same vectors.
    """
    vectors = np.zeros((nodes, dimensions), dtype=np.float32)
    counts = node_counts(walks, nodes)
    if not counts.any():
        return vectors
    model = _gensim().Word2Vec(
        vector_size=dimensions,
        window=window,
        sg=1,
        hs=int(negative == 0),
        negative=negative,
        min_count=0,
        sample=0,
        workers=1,
        seed=seed,
        hashfxn=_checksum,
    )
    present = np.flatnonzero(counts)
    model.build_vocab_from_freq({str(node): int(counts[node]) for node in present})
    words = np.array([str(node) for node in range(nodes)], dtype=object)
    model.train(WalkCorpus(walks, words), total_examples=len(walks), total_words=int(counts.sum()), epochs=epochs)
    vectors[present] = model.wv[[str(node) for node in present]]
    return vectors


def _checksum(word: str) -> int:
    return crc32(word.encode())


def _gensim() -> Any:
    try:
        return importlib.import_module("gensim.models")
    except ImportError as error:
        raise InputError(
            "This baseline needs gensim, which is not installed: pip install --group experiments"
        ) from error
