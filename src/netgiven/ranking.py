"""The likeliest pairs that are not links: of one node, or of the whole network."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from netgiven.engine.local import threads
from netgiven.kernels.arrays import Floats, Links, PriorArrays, padded, tabulate
from netgiven.kernels.sampled import BLOCK
from netgiven.kernels.top_pairs import top_pairs
from netgiven.model import CERTAIN

Integers = npt.NDArray[np.int64]


def largest(scores: npt.NDArray[np.floating], count: int) -> Integers:
    """Places of the `count` largest scores, largest first, earlier places first among equals; impossible pairs left out."""
    possible = np.flatnonzero(scores > -CERTAIN / 2)
    if count < len(possible):
        cut = np.partition(scores[possible], len(possible) - count)[len(possible) - count]
        possible = possible[scores[possible] >= cut]
    return possible[np.argsort(-scores[possible], kind="stable")][:count]


def likeliest_pairs(
    positions: Floats, prior: PriorArrays, links: Links, reach: float, stiffness: float, count: int, thread_count: int | None
) -> tuple[Integers, Integers]:
    """Node numbers of the `count` pairs with the largest log-odds among all that are not links. n^2 time, O(n) memory."""
    wide = padded(positions)
    blocks = -(-len(wide) // BLOCK)
    count = min(count, len(wide) * (len(wide) - 1) // 2)
    scores = np.empty((blocks, count), dtype=np.float32)
    first, second = np.zeros((blocks, count), dtype=np.int32), np.zeros((blocks, count), dtype=np.int32)
    force = np.float32(reach), np.float32(stiffness / 2)
    with threads(thread_count) as engine:
        engine.run(top_pairs, blocks, wide, tabulate(wide, prior), prior, links, *force, scores, first, second)
    flat_first, flat_second = first.ravel().astype(np.int64), second.ravel().astype(np.int64)
    order = np.lexsort((flat_second, flat_first, -scores.ravel()))[:count]
    order = order[scores.ravel()[order] > -CERTAIN / 2]
    return flat_first[order], flat_second[order]
