"""A kind of knowledge: the interface that the prior is fitted through.

A kind is a set of functions f_k of a pair of nodes. The prior is the distribution over networks of maximum entropy
under E[sum over pairs of f_k a_ij] = what the network shows, and that is a product of Bernoullis with

    logit P_ij = sum over k of lambda_k f_k(i, j)

A kind says which nodes it tells apart (`key`), its functions on cells of classes (`features`), what the network shows
(`observed`), and how multipliers become the sum that kernels understand (`form`). To add a kind, write these.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from netgiven.network import Network
from netgiven.priors.classes import Classes, Integers
from netgiven.priors.features import Features

Doubles = npt.NDArray[np.float64]


class Form(NamedTuple):
    """logit P_uv = node[u] + node[v] + table[group[u], group[v]], for classes u and v."""

    node: Doubles
    group: Integers
    table: Doubles

    def plus(self, other: Form) -> Form:
        """The sum of two forms. Groups are split so that both tables can be read from one."""
        joint = self.group * len(other.table) + other.group
        values, group = np.unique(joint, return_inverse=True)
        mine, theirs = np.divmod(values, len(other.table))
        table = self.table[np.ix_(mine, mine)] + other.table[np.ix_(theirs, theirs)]
        return Form(self.node + other.node, group, table)


class Kind(ABC):
    """One kind of knowledge of a network."""

    @abstractmethod
    def __str__(self) -> str:
        """The text that `parse_knowledge` reads back."""

    @abstractmethod
    def key(self, network: Network) -> Integers:
        """A number for each node; nodes with the same number are alike to this kind."""

    @abstractmethod
    def features(self, network: Network, classes: Classes) -> Features:
        """f_k of one pair of each cell."""

    @abstractmethod
    def observed(self, network: Network, classes: Classes) -> Doubles:
        """The sum of f_k over the links, for each constraint."""

    @abstractmethod
    def start(self, network: Network, classes: Classes) -> Doubles:
        """A first guess of the multipliers."""

    @abstractmethod
    def form(self, network: Network, classes: Classes, multipliers: Doubles) -> Form:
        """The log-odds that the multipliers give, over classes."""
