"""Vectors from walks by skip-gram: nodes that walks meet near each other get vectors alike. gensim does the work."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from typing import Any
from zlib import crc32

import numpy as np
import numpy.typing as npt

from netgiven.errors import InputError
from netgiven.evaluation.baselines.walks import visits
from netgiven.types import Float32Array, Int32Array


class Sentences:
    """Walks as lists of words, made when asked for. `words` is one text a node, so that no text is made twice."""

    def __init__(self, walks: Int32Array, words: npt.NDArray[np.object_]) -> None:
        self.walks, self.words = walks, words

    def __iter__(self) -> Iterator[list[str]]:
        for walk in self.walks:
            yield self.words[walk].tolist()


def skip_gram(
    walks: Int32Array, nodes: int, dimensions: int, window: int, seed: int, *, negative: int = 0, epochs: int = 1
) -> Float32Array:
    """Vectors (nodes, dimensions); zero for a node that no walk meets.

    `negative` words are drawn for each pair; with 0 it is hierarchical softmax instead. One worker, no hash of a text
    and frequent nodes not thinned out: the same walks give the same vectors in any process.
    """
    vectors = np.zeros((nodes, dimensions), dtype=np.float32)
    counts = visits(walks, nodes)
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
    met = np.flatnonzero(counts)
    model.build_vocab_from_freq({str(node): int(counts[node]) for node in met})
    words = np.array([str(node) for node in range(nodes)], dtype=object)
    model.train(Sentences(walks, words), total_examples=len(walks), total_words=int(counts.sum()), epochs=epochs)
    vectors[met] = model.wv[[str(node) for node in met]]
    return vectors


def _checksum(word: str) -> int:
    """A hash of a text that is the same in every process."""
    return crc32(word.encode())


def _gensim() -> Any:
    try:
        return importlib.import_module("gensim.models")
    except ImportError as error:
        raise InputError(
            "This baseline needs gensim, which is not installed: pip install 'netgiven[baselines]'"
        ) from error
