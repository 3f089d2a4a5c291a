"""Stochastic gradient descent with negative sampling, one pair after the other: what LINE and metapath2vec++ share.

A pair (source, target) that belongs together and some targets drawn at random: the inner product of source and target
goes up for the first and down for the others, by gradient steps on log sigmoid.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from netgiven.kernels.fastmath import exp_negative
from netgiven.kernels.jit import inlined, kernel
from netgiven.kernels.random import stream, uniform
from netgiven.types import Float32Array, Float64Array, Int32Array, Int64Array

f32 = np.float32

TABLE = 1 << 20  # places from which random targets are drawn
POWER = 0.75  # of a node's frequency: how likely it is a random target
SLOWEST = 1e-4  # the share of the first learning rate at which it stops falling


class Negatives(NamedTuple):
    """Random targets: `table[start[t]:start[t + 1]]` holds nodes of type t, each as often as it is likely."""

    table: Int32Array
    start: Int64Array
    types: Int32Array
    draws: int


class Rate(NamedTuple):
    """A learning rate that falls linearly, from `first` at sample 0 towards 0 at sample `total`."""

    first: float
    total: int


def make_negatives(frequency: Int64Array, types: Int32Array, draws: int) -> Negatives:
    """Tables for each type in which nodes stand in proportion to frequency^(3/4)."""
    kinds = int(types.max(initial=0)) + 1
    each = max(1, TABLE // kinds)
    parts = [_table(np.where(types == kind, frequency, 0) ** POWER, each) for kind in range(kinds)]
    start = np.cumsum([0, *map(len, parts)])
    return Negatives(np.concatenate(parts), start.astype(np.int64), types, draws)


def _table(weights: Float64Array, size: int) -> Int32Array:
    """Node numbers in proportion to their weights; empty if nobody has any."""
    heights = np.cumsum(weights)
    if heights[-1] == 0:
        return np.empty(0, dtype=np.int32)
    places = (np.arange(size) + 0.5) * heights[-1] / size
    return np.asarray(np.searchsorted(heights, places), dtype=np.int32)


def first_vectors(nodes: int, dimensions: int, seed: int) -> Float32Array:
    """Small random vectors, as word2vec begins."""
    return (np.random.default_rng(seed).random((nodes, dimensions), dtype=np.float32) - f32(0.5)) / f32(dimensions)


@inlined
def falling(rate: Rate, sample: Any) -> Any:
    """The learning rate at a sample."""
    return f32(rate.first * max(1.0 - sample / rate.total, SLOWEST))


@inlined
def step(source: Any, target: Any, wanted: Any, rate: Any, change: Any) -> None:
    """Move a target towards (wanted = 1) or away from (0) a source, and note in `change` how the source is to move."""
    z = f32(0.0)
    for k in range(len(source)):
        z += source[k] * target[k]
    small = exp_negative(-abs(z))
    likely = f32(1.0) / (f32(1.0) + small)
    force = rate * (wanted - (likely if z >= f32(0.0) else small * likely))
    for k in range(len(source)):
        change[k] += force * target[k]
        target[k] += force * source[k]


@inlined
def pull_together(
    source: Any, target: Any, targets: Any, negatives: Any, begin: Any, used: Any, rate: Any, change: Any
) -> None:
    """One pair and its random targets, drawn from the target's own type; numbers `used` and on of a stream."""
    change[:] = f32(0.0)
    step(source, targets[target], f32(1.0), rate, change)
    kind = negatives.types[target]
    low, size = negatives.start[kind], negatives.start[kind + 1] - negatives.start[kind]
    for draw in range(negatives.draws):
        other = negatives.table[low + int(uniform(begin, used + draw) * size)]
        if other != target:
            step(source, targets[other], f32(0.0), rate, change)
    for k in range(len(source)):
        source[k] += change[k]


@kernel
def descend_links(
    sources: Float32Array, targets: Float32Array, ends: Int32Array, negatives: Negatives, rate: Rate, seed: int
) -> None:
    """`rate.total` links drawn uniformly from `ends` (both directions of each), pulled together one by one."""
    change = np.zeros(sources.shape[1], dtype=np.float32)
    for sample in range(rate.total):
        begin = stream(seed, 0, sample)
        link = int(uniform(begin, 0) * len(ends))
        first, second = ends[link, 0], ends[link, 1]
        pull_together(sources[first], second, targets, negatives, begin, 1, falling(rate, sample), change)


@kernel
def descend_walks(
    sources: Float32Array,
    targets: Float32Array,
    walks: Int32Array,
    window: int,
    negatives: Negatives,
    rate: Rate,
    done: int,
    seed: int,
) -> None:
    """Each node of each walk with those around it, as far as a random share of the window; `done` walks came before."""
    change = np.zeros(sources.shape[1], dtype=np.float32)
    for row in range(len(walks)):
        begin, used = stream(seed, 1, done + row), 0
        now = falling(rate, done + row)
        walk = walks[row]
        for place in range(len(walk)):
            around = 1 + int(uniform(begin, used) * window)
            used += 1
            for other in range(max(0, place - around), min(len(walk), place + around + 1)):
                if other == place or walk[place] < 0 or walk[other] < 0:
                    continue
                pull_together(sources[walk[other]], walk[place], targets, negatives, begin, used, now, change)
                used += negatives.draws
