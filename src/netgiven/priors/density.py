"""Known: how many links there are in all."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from netgiven.network import Network
from netgiven.priors.classes import Classes
from netgiven.priors.kind import Kind
from netgiven.priors.knowledge import Knowledge, word
from netgiven.priors.terms import Table
from netgiven.types import Int64Array


class Density(Kind):
    """f(i, j) = 1: all pairs are alike."""

    def __str__(self) -> str:
        return "density"

    def key(self, network: Network) -> Int64Array:
        """All nodes are alike."""
        return np.zeros(network.node_count, dtype=np.int64)

    def term(self, network: Network, classes: Classes) -> Table:
        """One group, one weight."""
        return Table(np.zeros(len(classes.size), dtype=np.int64), sparse.csr_array(np.ones((1, 1))))


@word("density")
def density() -> Knowledge:
    """Known: the number of links. P_ij is the same for all pairs.

    >>> density()
    density
    """
    return Knowledge((Density(),))
