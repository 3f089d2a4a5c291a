"""Known: how many links there are within and between groups of nodes (types, departments, communities)."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from netgiven.errors import InputError
from netgiven.network import Network
from netgiven.priors.classes import Classes
from netgiven.priors.columns import check_column, check_present, groups_of
from netgiven.priors.kind import Kind
from netgiven.priors.knowledge import Knowledge, word
from netgiven.priors.terms import Table
from netgiven.types import Float64Array, Int64Array

MOST_GROUPS = 2_000


class Blocks(Kind):
    """f_ab(i, j) = 1 if one of the two nodes is in group a and the other in b, for each pair of groups a <= b."""

    def __init__(self, column: str) -> None:
        self.column = column

    def __str__(self) -> str:
        return f"blocks:{self.column}"

    @property
    def columns(self) -> tuple[str, ...]:
        """The one column."""
        return (self.column,)

    def key(self, network: Network) -> Int64Array:
        """The group."""
        return groups_of(network, self.column, self)[0]

    def term(self, network: Network, classes: Classes) -> Table:
        """A multiplier for each pair of groups."""
        group, count = groups_of(network, self.column, self)
        if count > MOST_GROUPS:
            raise InputError(
                f"Column {self.column!r} divides the nodes into {count:,} groups; {self} takes {MOST_GROUPS:,} at "
                "most. Use a column with fewer groups."
            )
        return Table(group[classes.representative], pairs_of_groups(sparse.csr_array(sparse.eye_array(max(count, 1)))))


class OverlappingBlocks(Kind):
    """f_ab(i, j) = m_ia m_jb + m_ib m_ja for a < b, and m_ia m_ja for a = b, where m_ia = 1 if node i is in group a."""

    def __init__(self, column: str, separator: str) -> None:
        self.column, self.separator = column, separator

    def __str__(self) -> str:
        return f"blocks:{self.column}:separator={self.separator}"

    @property
    def columns(self) -> tuple[str, ...]:
        """The one column."""
        return (self.column,)

    def key(self, network: Network) -> Int64Array:
        """The set of groups."""
        return self._sets(network)[0]

    def term(self, network: Network, classes: Classes) -> Table:
        """A multiplier for each pair of groups; a table over sets of groups."""
        of, members = self._sets(network)
        return Table(of[classes.representative], pairs_of_groups(sparse.csr_array(members)))

    def _sets(self, network: Network) -> tuple[Int64Array, Float64Array]:
        """Which set of groups each node is in, and the groups of each set: a row of zeros and ones."""
        values = network.column(self.column)
        check_present(network, values.isna().to_numpy(), self.column, self)
        texts = values.astype("str").where(values.notna(), "")
        sets = [frozenset(filter(None, map(str.strip, text.split(self.separator)))) for text in texts]
        distinct = sorted(set(sets), key=sorted)
        groups = sorted(frozenset().union(*distinct)) if distinct else []
        members = np.array([[group in one for group in groups] for one in distinct], dtype=np.float64)
        number = {one: place for place, one in enumerate(distinct)}
        return np.array([number[one] for one in sets], dtype=np.int64), members.reshape(len(distinct) or 1, -1)


def pairs_of_groups(members: sparse.csr_array) -> sparse.csr_array:
    """Weights of a table over sets of groups (rows of `members`) with a multiplier for each pair of groups.

    >>> weights = pairs_of_groups(sparse.csr_array(np.eye(2)))
    >>> weights.toarray().astype(int).tolist()  # cells aa ab ba bb; pairs of groups aa ab bb
    [[1, 0, 0], [0, 1, 0], [0, 1, 0], [0, 0, 1]]
    """
    both = sparse.csr_array(sparse.kron(members, members))  # (sets^2, groups^2)
    count = members.shape[1]
    low, high = np.divmod(np.arange(count * count), max(count, 1))
    low, high = np.minimum(low, high), np.maximum(low, high)
    number = low * count - low * (low - 1) // 2 + high - low
    shape = count * count, count * (count + 1) // 2
    return sparse.csr_array(both @ sparse.csr_array((np.ones(len(number)), (np.arange(len(number)), number)), shape))


@word("blocks")
def blocks(column: str, separator: str | None = None) -> Knowledge:
    """Known: the density within and between the groups that a node column tells. logit P_ij = b[g_i, g_j].

    A node may be in several groups: with a separator, `blocks("tags", separator="|")` reads "red|round" as two. Then
    the log-odds are the sum of b over all pairs of their groups.

    >>> blocks("type")
    blocks:type
    >>> blocks("tags", separator="|")
    blocks:tags:separator=|
    """
    check_column(column, "blocks")
    if separator is None:
        return Knowledge((Blocks(column),))
    if not isinstance(separator, str) or not separator or set(separator) & set(":+"):
        raise InputError(f"Separator {separator!r} was given; it is one or more characters, but not ':' or '+'.")
    return Knowledge((OverlappingBlocks(column, separator),))
