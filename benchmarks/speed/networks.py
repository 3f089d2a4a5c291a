"""Random networks with a heavy tail of degrees. Used by the benchmarks beside it."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from netgiven.network import Network


def draw_ends(nodes: int, links: int, exponent: float, offset: float, seed: int = 0) -> npt.NDArray[np.int64]:
    """Pairs drawn in proportion to (rank + offset)^-exponent; every node is in one, and ranks are in no order."""
    random = np.random.default_rng(seed)
    cumulative = np.cumsum((np.arange(nodes) + offset) ** -exponent)
    ranks = np.searchsorted(cumulative, cumulative[-1] * random.random((links, 2)))
    ends = random.permutation(nodes)[ranks]
    ends[:nodes, 0] = np.arange(nodes)
    return ends


def draw_network(nodes: int, links: int, exponent: float, offset: float, seed: int = 0) -> Network:
    """A network of such pairs; those drawn twice are merged, so it has a few links less."""
    return Network.from_edges(draw_ends(nodes, links, exponent, offset, seed), nodes=np.arange(nodes))
