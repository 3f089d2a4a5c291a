"""The likeliest pairs that are not links, among all: of one node, or of the whole network."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from netgiven.kernels.arrays import Links, Scene, tabulate
from netgiven.kernels.repulsion import BLOCK
from netgiven.kernels.top_pairs import Heaps, top_pairs
from netgiven.parallel import threads
from netgiven.types import Int64Array


def largest(scores: npt.NDArray[np.floating], count: int) -> Int64Array:
    """Places of the `count` largest scores, largest first, earlier places first among equals; impossible pairs left
    out.
    """
    possible = np.flatnonzero(scores > -np.inf)
    if count < len(possible):
        cut = np.partition(scores[possible], len(possible) - count)[len(possible) - count]
        possible = possible[scores[possible] >= cut]
    return possible[np.argsort(-scores[possible], kind="stable")][:count]


def compare_all(scene: Scene, links: Links, count: int, thread_count: int | None) -> tuple[Int64Array, Int64Array]:
    """Node numbers of the `count` pairs with the largest log-odds among all that are not links.

    n^2 time, and memory for `count` pairs of each block of nodes.
    """
    nodes = len(scene.positions)
    blocks, count = -(-nodes // BLOCK), min(count, nodes * (nodes - 1) // 2)
    first, second = np.zeros((blocks, count), dtype=np.int32), np.zeros((blocks, count), dtype=np.int32)
    heaps = Heaps(np.zeros((blocks, count), dtype=np.float32), first, second)
    with threads(thread_count) as engine:
        engine.run(top_pairs, blocks, scene, tabulate(scene), links, heaps)
    score = heaps.score.ravel()
    order = np.lexsort((second.ravel(), first.ravel(), -score))[:count]
    order = order[score[order] > -np.inf]
    return first.ravel()[order].astype(np.int64), second.ravel()[order].astype(np.int64)
