"""Known: how much nodes with common neighbours link to each other."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from netgiven.errors import InputError
from netgiven.network import Network
from netgiven.priors.density import density
from netgiven.priors.kind import PairKind
from netgiven.priors.knowledge import Knowledge, word
from netgiven.types import Float64Array, Int64Array

MOST_PAIRS = 100_000_000  # two gigabytes

SCORES = "count", "adamic_adar", "resource_allocation"


class CommonNeighbours(PairKind):
    """f(i, j) = the sum over common neighbours k of 1, 1 / log k's degree, or 1 / k's degree."""

    def __init__(self, score: str) -> None:
        self.score = score

    def __str__(self) -> str:
        return "common_neighbours" + ("" if self.score == "count" else f":{self.score}")

    def matrix(self, network: Network) -> sparse.csr_array:
        """A W A, without the diagonal: zero beyond two links."""
        most = min(network.node_count**2, int(np.square(network.degrees).sum())) // 2
        if most > MOST_PAIRS:
            raise InputError(
                f"Up to {most:,} pairs of this network have common neighbours; {self} takes {MOST_PAIRS:,} at most. "
                "Leave it out, or take a part of the network."
            )
        links = sparse.csr_array(network.to_scipy().astype(np.float64))
        scores = sparse.csr_array(links @ sparse.diags_array(self._weights(network.degrees)) @ links)
        scores.setdiag(0)
        scores.eliminate_zeros()
        return scores

    def _weights(self, degrees: Int64Array) -> Float64Array:
        at_least_two = np.maximum(degrees, 2).astype(np.float64)  # a common neighbour has two links
        weights = {
            "count": np.ones(len(degrees)),
            "adamic_adar": 1 / np.log(at_least_two),
            "resource_allocation": 1 / at_least_two,
        }
        return weights[self.score]


@word("common_neighbours")
def common_neighbours(score: str = "count") -> Knowledge:
    """Known: the sum over links of the number of common neighbours of their ends; weighted by 1 / log(degree) with
    "adamic_adar", by 1 / degree with "resource_allocation". The number of links is known, too.

    >>> common_neighbours("adamic_adar")
    density+common_neighbours:adamic_adar
    """
    if score not in SCORES:
        raise InputError(f"common_neighbours({score!r}): the score is one of {', '.join(SCORES)}.")
    return density() + Knowledge((CommonNeighbours(score),))
