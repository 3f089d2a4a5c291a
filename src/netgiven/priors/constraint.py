"""A kind of knowledge: the interface that the prior is fitted through.

A kind is a set of functions f_k of a pair of nodes. The prior is the distribution over networks of maximum entropy
under E[sum over pairs of f_k a_ij] = what the network shows, and that is a product of Bernoullis with

    logit P_ij = sum over k of lambda_k f_k(i, j)

A kind says which nodes it tells apart (`key`), and what its functions are on classes of nodes (`term`: one of the four
shapes in `terms.py`). A `PairKind` tells pairs of nodes apart instead, by a sparse matrix.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np
from scipy import sparse

from netgiven.network import Network
from netgiven.priors.features import Term
from netgiven.priors.layout import Classes
from netgiven.types import Int64Array


class Kind(ABC):
    """One kind of knowledge of a network."""

    @abstractmethod
    def __str__(self) -> str:
        """The text that `parse_knowledge` reads back."""

    @property
    def columns(self) -> tuple[str, ...]:
        """The node columns that it is about."""
        return ()

    @abstractmethod
    def key(self, network: Network) -> Int64Array:
        """A number for each node; nodes with the same number are alike to this kind."""

    @abstractmethod
    def term(self, network: Network, classes: Classes) -> Term:
        """Its functions on classes of nodes."""


class PairKind(ABC):
    """One function of pairs of nodes, given by a symmetric sparse matrix."""

    total: float | None = None  # of the function over links, where it was told

    @abstractmethod
    def __str__(self) -> str:
        """The text that `parse_knowledge` reads back."""

    @property
    def columns(self) -> tuple[str, ...]:
        """It is about none."""
        return ()

    @abstractmethod
    def matrix(self, network: Network) -> sparse.csr_array:
        """f(i, j) for all pairs of nodes."""

    def key(self, network: Network) -> Int64Array:
        """No two nodes are alike."""
        return np.arange(network.node_count)
