"""Stochastic gradient descent with negative sampling, used by LINE and metapath2vec++.

A pair (source, target) that belongs together is trained with some targets drawn at random, the negatives: the inner
product of source and target rises for the pair and falls for the negatives, by gradient steps on log sigmoid. Pairs are
trained one after the other, so the result does not depend on the number of threads.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from netgiven.kernels.fastmath import sigmoid
from netgiven.kernels.jit import inlined, kernel
from netgiven.kernels.random import stream, uniform
from netgiven.types import Float32Array, Float64Array, Int32Array, Int64Array

f32 = np.float32

TABLE_SIZE = 1 << 20  # entries of the tables from which negatives are drawn
FREQUENCY_POWER = 0.75  # negatives are drawn in proportion to frequency^0.75
LOWEST_SHARE = 1e-4  # share of the initial learning rate below which it does not fall


class Negatives(NamedTuple):
    """Tables of negatives: `table[start[t]:start[t + 1]]` holds nodes of type t, in proportion to their probability."""

    table: Int32Array
    start: Int64Array
    types: Int32Array
    draws: int


class LearningRate(NamedTuple):
    """A learning rate that falls linearly from `initial` at sample 0 towards 0 at sample `total`."""

    initial: float
    total: int


def make_negatives(frequency: Int64Array, types: Int32Array, draws: int) -> Negatives:
    """Make one table per type, in which nodes occur in proportion to frequency^(3/4)."""
    type_count = int(types.max(initial=0)) + 1
    size = max(1, TABLE_SIZE // type_count)
    parts = [_table(np.where(types == number, frequency, 0) ** FREQUENCY_POWER, size) for number in range(type_count)]
    start = np.cumsum([0, *map(len, parts)])
    return Negatives(np.concatenate(parts), start.astype(np.int64), types, draws)


def _table(weights: Float64Array, size: int) -> Int32Array:
    """Node numbers in proportion to their weights; empty if all weights are 0."""
    heights = np.cumsum(weights)
    if heights[-1] == 0:
        return np.empty(0, dtype=np.int32)
    places = (np.arange(size) + 0.5) * heights[-1] / size
    return np.asarray(np.searchsorted(heights, places), dtype=np.int32)


def initial_vectors(nodes: int, dimensions: int, seed: int) -> Float32Array:
    """Small random vectors, as in word2vec."""
    return (np.random.default_rng(seed).random((nodes, dimensions), dtype=np.float32) - f32(0.5)) / f32(dimensions)


@inlined
def learning_rate_at(learning_rate: LearningRate, sample: Any) -> Any:
    """The learning rate at a sample."""
    return f32(learning_rate.initial * max(1.0 - sample / learning_rate.total, LOWEST_SHARE))


@inlined
def gradient_step(source: Any, target: Any, wanted: Any, rate: Any, change: Any) -> None:
    """Move a target towards (wanted = 1) or away from (0) a source, and add to `change` the step of the source."""
    z = f32(0.0)
    for k in range(len(source)):
        z += source[k] * target[k]
    factor = rate * (wanted - sigmoid(z))
    for k in range(len(source)):
        change[k] += factor * target[k]
        target[k] += factor * source[k]


@inlined
def train_pair(
    source: Any, target: Any, targets: Any, negatives: Any, begin: Any, used: Any, rate: Any, change: Any
) -> None:
    """Train one pair and its negatives, of the type of the target. Random numbers from `used` on belong to them."""
    change[:] = f32(0.0)
    gradient_step(source, targets[target], f32(1.0), rate, change)
    type_ = negatives.types[target]
    low, size = negatives.start[type_], negatives.start[type_ + 1] - negatives.start[type_]
    for draw in range(negatives.draws):
        other = negatives.table[low + int(uniform(begin, used + draw) * size)]
        if other != target:
            gradient_step(source, targets[other], f32(0.0), rate, change)
    for k in range(len(source)):
        source[k] += change[k]


@kernel
def train_on_links(
    sources: Float32Array,
    targets: Float32Array,
    ends: Int32Array,
    negatives: Negatives,
    learning_rate: LearningRate,
    seed: int,
) -> None:
    """Train `learning_rate.total` links, drawn uniformly from `ends` (both directions of each link)."""
    change = np.zeros(sources.shape[1], dtype=np.float32)
    for sample in range(learning_rate.total):
        begin = stream(seed, 0, sample)
        link = int(uniform(begin, 0) * len(ends))
        first, second = ends[link, 0], ends[link, 1]
        rate = learning_rate_at(learning_rate, sample)
        train_pair(sources[first], second, targets, negatives, begin, 1, rate, change)


@kernel
def train_on_walks(
    sources: Float32Array,
    targets: Float32Array,
    walks: Int32Array,
    window: int,
    negatives: Negatives,
    learning_rate: LearningRate,
    done: int,
    seed: int,
) -> None:
    """Train each node of each walk with those around it, within a random share of the window.

    `done` is the number of walks that were trained before.
    """
    change = np.zeros(sources.shape[1], dtype=np.float32)
    for row in range(len(walks)):
        begin, used = stream(seed, 1, done + row), 0
        rate = learning_rate_at(learning_rate, done + row)
        walk = walks[row]
        for place in range(len(walk)):
            around = 1 + int(uniform(begin, used) * window)
            used += 1
            for other in range(max(0, place - around), min(len(walk), place + around + 1)):
                if other == place or walk[place] < 0 or walk[other] < 0:
                    continue
                train_pair(sources[walk[other]], walk[place], targets, negatives, begin, used, rate, change)
                used += negatives.draws
