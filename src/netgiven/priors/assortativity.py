"""Known: whether nodes with many links link to each other."""

from __future__ import annotations

import numpy as np

from netgiven.network import Network
from netgiven.priors.classes import Classes
from netgiven.priors.density import density
from netgiven.priors.kind import Kind
from netgiven.priors.knowledge import Knowledge, word
from netgiven.priors.terms import Product
from netgiven.types import Int64Array


class Assortativity(Kind):
    """f(i, j) = k_i k_j, with degrees k in units of their root mean square."""

    def __str__(self) -> str:
        return "assortativity"

    def key(self, network: Network) -> Int64Array:
        """The degree."""
        return network.degrees

    def term(self, network: Network, classes: Classes) -> Product:
        """A product of degrees."""
        degree = network.degrees.astype(np.float64)
        unit = np.sqrt(np.mean(degree**2)) if degree.any() else 1.0
        return Product(np.zeros(len(classes.size)), degree[classes.representative][None] / unit)


@word("assortativity")
def assortativity() -> Knowledge:
    """Known: the sum over links of the product of the degrees of their ends: degree correlation. The number of links is
    known, too; with `degrees() +`, so is each degree.

    >>> assortativity()
    density+assortativity
    """
    return density() + Knowledge((Assortativity(),))
