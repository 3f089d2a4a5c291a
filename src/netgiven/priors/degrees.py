"""Known: how many links each node has."""

from __future__ import annotations

import numpy as np

from netgiven.network import Network
from netgiven.priors.classes import Classes, Integers
from netgiven.priors.features import Features
from netgiven.priors.kind import Doubles, Form, Kind
from netgiven.priors.knowledge import Knowledge, word

SWEEPS = 2  # each costs a tenth of a Newton step and brings the start several times nearer


class Degrees(Kind):
    """f_k(i, j) = 1 if i or j is node k.

    Nodes of equal degree get equal multipliers, so one constraint a class does.
    """

    def __str__(self) -> str:
        return "degrees"

    def key(self, network: Network) -> Integers:
        """Nodes of equal degree are alike."""
        return network.degrees

    def features(self, network: Network, classes: Classes) -> Features:
        """e_u + e_v on the cell of classes u and v: a link inside a class counts for two of its nodes."""
        first, second = classes.cells
        inside = first == second
        return Features.build([first, second], len(classes.size), np.stack([1.0 + inside, 1.0 - inside]))

    def observed(self, network: Network, classes: Classes) -> Doubles:
        """The degrees in each class, added up."""
        return (classes.size * self._degree(network, classes)).astype(np.float64)

    def start(self, network: Network, classes: Classes) -> Doubles:
        """log(k / sqrt(2m)), right where networks are sparse, and sweeps of x_u = k_u / sum_v x_v / (1 + x_u x_v)."""
        degree = np.maximum(self._degree(network, classes), 1e-3)
        x = degree / np.sqrt(max(2 * network.link_count, 1))
        for _ in range(SWEEPS):
            shares = x / (1 + np.outer(x, x))
            x = degree / np.maximum(shares @ classes.size - shares.diagonal(), 1e-3)
        return np.asarray(np.log(x))

    def form(self, network: Network, classes: Classes, multipliers: Doubles) -> Form:
        """The multipliers are the nodes' own."""
        return Form(multipliers, np.zeros(len(classes.size), dtype=np.int64), np.zeros((1, 1)))

    @staticmethod
    def _degree(network: Network, classes: Classes) -> Integers:
        return network.degrees[classes.representative]


@word("degrees")
def degrees() -> Knowledge:
    """Known: the degree of each node. logit P_ij = l_i + l_j.

    >>> degrees() + degrees()
    degrees
    """
    return Knowledge((Degrees(),))
