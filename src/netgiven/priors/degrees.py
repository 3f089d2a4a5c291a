"""Known: how many links each node has."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from netgiven.network import Network
from netgiven.priors.classes import Classes, Integers
from netgiven.priors.kind import Doubles, Form, Kind
from netgiven.priors.knowledge import Knowledge, word


class Degrees(Kind):
    """f_k(i, j) = 1 if i or j is node k.

    Nodes of equal degree get equal multipliers, so one constraint a class does.
    """

    def __str__(self) -> str:
        return "degrees"

    def key(self, network: Network) -> Integers:
        """Nodes of equal degree are alike."""
        return network.degrees

    def features(self, network: Network, classes: Classes) -> sparse.csr_array:
        """e_u + e_v on the cell of classes u and v: a link inside a class counts for two of its nodes."""
        first, second = classes.cells
        inside = first == second
        filled = np.ones(2 * len(first), dtype=bool)
        filled[1::2] = ~inside
        columns = np.column_stack([first, second]).ravel()[filled]
        values = np.column_stack([1.0 + inside, np.ones(len(first))]).ravel()[filled]
        starts = np.concatenate([[0], np.cumsum(2 - inside)])
        return sparse.csr_array((values, columns, starts), shape=(len(first), len(classes.size)))

    def observed(self, network: Network, classes: Classes) -> Doubles:
        """The degrees in each class, added up."""
        return (classes.size * self._degree(network, classes)).astype(np.float64)

    def start(self, network: Network, classes: Classes) -> Doubles:
        """log(k / sqrt(2m)), right where networks are sparse: P_ij = k_i k_j / 2m."""
        degree = self._degree(network, classes).astype(np.float64)
        return np.asarray(np.log(np.maximum(degree, 1e-3) / np.sqrt(max(2 * network.link_count, 1))))

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
