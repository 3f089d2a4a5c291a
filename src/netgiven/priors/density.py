"""Known: how many links there are in all."""

from __future__ import annotations

import numpy as np

from netgiven.network import Network
from netgiven.priors.classes import Classes, Integers
from netgiven.priors.features import Features
from netgiven.priors.kind import Doubles, Form, Kind
from netgiven.priors.knowledge import Knowledge, word


class Density(Kind):
    """f(i, j) = 1: all pairs are alike."""

    def __str__(self) -> str:
        return "density"

    def key(self, network: Network) -> Integers:
        """All nodes are alike."""
        return np.zeros(network.node_count, dtype=np.int64)

    def features(self, network: Network, classes: Classes) -> Features:
        """One column of ones."""
        return Features.build(np.zeros((1, len(classes.pairs))), count=1)

    def observed(self, network: Network, classes: Classes) -> Doubles:
        """The number of links."""
        return np.array([network.link_count], dtype=np.float64)

    def start(self, network: Network, classes: Classes) -> Doubles:
        """The log of the share of pairs that are linked."""
        return np.log([max(network.link_count, 0.5) / max(classes.pairs.sum(), 1)])

    def form(self, network: Network, classes: Classes, multipliers: Doubles) -> Form:
        """A table with one entry."""
        count = len(classes.size)
        return Form(np.zeros(count), np.zeros(count, dtype=np.int64), multipliers.reshape(1, 1))


@word("density")
def density() -> Knowledge:
    """Known: the number of links. P_ij is the same for all pairs.

    >>> density()
    density
    """
    return Knowledge((Density(),))
