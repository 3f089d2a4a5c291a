"""Known: how many links each node has."""

from __future__ import annotations

import numpy as np

from netgiven.network import Network
from netgiven.priors.classes import Classes
from netgiven.priors.kind import Kind
from netgiven.priors.knowledge import Knowledge, word
from netgiven.priors.terms import Towards
from netgiven.types import Int64Array


class Degrees(Kind):
    """f_k(i, j) = 1 if i or j is node k.

    Nodes of equal degree get equal multipliers, so one constraint a class does.
    """

    def __str__(self) -> str:
        return "degrees"

    def key(self, network: Network) -> Int64Array:
        """Nodes of equal degree are alike."""
        return network.degrees

    def term(self, network: Network, classes: Classes) -> Towards:
        """All partners are on one side."""
        return Towards(np.zeros(len(classes.size), dtype=np.int64), sides=1)


@word("degrees")
def degrees() -> Knowledge:
    """Known: the degree of each node. logit P_ij = l_i + l_j.

    >>> degrees() + degrees()
    degrees
    """
    return Knowledge((Degrees(),))
