"""Known: how many links there are within and between the groups of a partition (types, departments, communities)."""

from __future__ import annotations

import numpy as np

from netgiven.errors import InputError
from netgiven.network import Network
from netgiven.priors.classes import Classes, Integers
from netgiven.priors.features import Features
from netgiven.priors.kind import Doubles, Form, Kind
from netgiven.priors.knowledge import Knowledge, check_column, word


class Blocks(Kind):
    """f_ab(i, j) = 1 if one of the two nodes is in group a and the other in b, for each pair of groups a <= b."""

    def __init__(self, column: str) -> None:
        self.column = column

    def __str__(self) -> str:
        return f"blocks:{self.column}"

    def key(self, network: Network) -> Integers:
        """The group.

        A node without links may go without one: it gets a group of its own kind, which nothing links to.
        """
        codes, values = network.groups(self.column)
        missing = codes < 0
        lost = np.flatnonzero(missing & (network.degrees > 0))
        if len(lost):
            more = f" ({len(lost):,} such nodes)" if len(lost) > 1 else ""
            raise InputError(
                f"Node {network.nodes[lost[0]]!r} has links but no value in column {self.column!r}, "
                f"which {self} needs{more}. Give each linked node a group."
            )
        return np.where(missing, len(values), codes).astype(np.int64)

    def features(self, network: Network, classes: Classes) -> Features:
        """A one in the column of the cell's pair of groups."""
        group, count = self._group(network, classes)
        first, second = classes.cells
        return Features.build([_pair_number(group[first], group[second], count)], count * (count + 1) // 2)

    def observed(self, network: Network, classes: Classes) -> Doubles:
        """The number of links of each pair of groups."""
        group, count = self._group(network, classes)
        ends = group[classes.of][network.links()]
        pair = _pair_number(ends[:, 0], ends[:, 1], count)
        return np.bincount(pair, minlength=count * (count + 1) // 2).astype(np.float64)

    def start(self, network: Network, classes: Classes) -> Doubles:
        """The log of each block's density."""
        group, count = self._group(network, classes)
        first, second = classes.cells
        pairs = np.bincount(_pair_number(group[first], group[second], count), classes.pairs, count * (count + 1) // 2)
        return np.log((self.observed(network, classes) + 0.5) / (pairs + 1))

    def form(self, network: Network, classes: Classes, multipliers: Doubles) -> Form:
        """A symmetric table over groups."""
        group, count = self._group(network, classes)
        table = np.empty((count, count))
        first, second = np.triu_indices(count)
        table[first, second] = table[second, first] = multipliers
        return Form(np.zeros(len(classes.size)), group, table)

    def _group(self, network: Network, classes: Classes) -> tuple[Integers, int]:
        """Group of each class, and the number of groups."""
        group = self.key(network)[classes.representative]
        return group, int(group.max(initial=-1)) + 1


def _pair_number(first: Integers, second: Integers, count: int) -> Integers:
    """Place of a pair of groups in the upper triangle, row by row."""
    low, high = np.minimum(first, second), np.maximum(first, second)
    return np.asarray(low * count - low * (low - 1) // 2 + high - low)


@word("blocks")
def blocks(column: str) -> Knowledge:
    """Known: the density within and between the groups that a node column tells. logit P_ij = b[g_i, g_j].

    >>> blocks("type")
    blocks:type
    """
    return Knowledge((Blocks(check_column(column, "blocks")),))
