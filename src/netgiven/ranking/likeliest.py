"""The likeliest pairs of the whole network, by the way that suits its size."""

from __future__ import annotations

from netgiven.kernels.arrays import Links, Scene
from netgiven.parallel import threads
from netgiven.ranking.all_pairs import compare_all
from netgiven.ranking.bands import MOST_BANDS, make_bands, search_bands
from netgiven.types import Int64Array

MOST_NODES_COMPARED = 20_000  # all with all, in less than a second


def likeliest_pairs(scene: Scene, links: Links, count: int, thread_count: int | None) -> tuple[Int64Array, Int64Array]:
    """Node numbers of the `count` pairs with the largest log-odds among all that are not links, largest first."""
    nodes = len(scene.positions)
    if nodes <= MOST_NODES_COMPARED or count > nodes:
        return compare_all(scene, links, count, thread_count)
    bands = make_bands(scene)
    if len(bands) > MOST_BANDS:
        return compare_all(scene, links, count, thread_count)
    with threads(thread_count) as engine:
        best = search_bands(scene, links, bands, count, engine.count)
    return best.first, best.second
