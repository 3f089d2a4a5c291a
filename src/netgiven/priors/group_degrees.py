"""Known: how many links each node has towards each group. It takes what tells groups apart out of an embedding."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from netgiven.errors import InputError
from netgiven.network import Network
from netgiven.priors.classes import Classes
from netgiven.priors.columns import check_column, groups_of
from netgiven.priors.kind import Kind
from netgiven.priors.knowledge import Knowledge, word
from netgiven.priors.terms import Towards
from netgiven.types import Int64Array

MOST_GROUPS = 32


class GroupDegrees(Kind):
    """f_ks(i, j) = 1 if one of the two is node k and the other is in group s."""

    def __init__(self, column: str) -> None:
        self.column = column

    def __str__(self) -> str:
        return f"group_degrees:{self.column}"

    @property
    def columns(self) -> tuple[str, ...]:
        """The one column."""
        return (self.column,)

    def key(self, network: Network) -> Int64Array:
        """The group, and the degrees towards each."""
        group, count = groups_of(network, self.column, self)
        self._check(count)
        told = np.column_stack([group, _towards(network, group, count)])
        return np.unique(told, axis=0, return_inverse=True)[1].ravel().astype(np.int64)

    def term(self, network: Network, classes: Classes) -> Towards:
        """Partners are on as many sides as there are groups."""
        group, count = groups_of(network, self.column, self)
        return Towards(group[classes.representative], max(count, 1))

    def _check(self, count: int) -> None:
        if count > MOST_GROUPS:
            raise InputError(
                f"Column {self.column!r} has {count:,} groups; {self} takes {MOST_GROUPS} at most. "
                f"For more, blocks:{self.column} tells the density between groups."
            )


def _towards(network: Network, group: Int64Array, count: int) -> Int64Array:
    """How many links each node has towards each group."""
    entries = np.ones(len(group)), (np.arange(len(group)), group)
    return np.asarray((network.to_scipy() @ sparse.csr_array(entries, shape=(len(group), count))).toarray()).astype(int)


@word("group_degrees")
def group_degrees(column: str) -> Knowledge:
    """Known: how many links each node has towards each value of a node column. logit P_ij = l_i[g_j] + l_j[g_i].

    An embedding given this does not tell who prefers which group: train with it, predict with `degrees()`, and
    vectors say little about the groups of a node's partners (see `embed(train_given=..., predict_given=...)`).

    >>> group_degrees("gender")
    group_degrees:gender
    """
    return Knowledge((GroupDegrees(check_column(column, "group_degrees")),))
