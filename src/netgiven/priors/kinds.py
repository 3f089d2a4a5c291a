"""Known: how many links there are in all."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from netgiven.errors import InputError
from netgiven.network import Network
from netgiven.priors.columns import check_column, check_present, groups_of, is_numeric, numbers_of
from netgiven.priors.constraint import Kind, PairKind
from netgiven.priors.features import Product, Table, Term, Towards
from netgiven.priors.knowledge import Knowledge, word
from netgiven.priors.layout import Classes
from netgiven.types import Float64Array, Int64Array


class Density(Kind):
    """f(i, j) = 1: all pairs are alike."""

    def __str__(self) -> str:
        return "density"

    def key(self, network: Network) -> Int64Array:
        """All nodes are alike."""
        return np.zeros(network.node_count, dtype=np.int64)

    def term(self, network: Network, classes: Classes) -> Table:
        """One group, one weight."""
        return Table(np.zeros(len(classes.size), dtype=np.int64), sparse.csr_array(np.ones((1, 1))))


@word("density")
def density() -> Knowledge:
    """Known: the number of links. P_ij is the same for all pairs.

    >>> density()
    density
    """
    return Knowledge((Density(),))


# ---- Known: how many links each node has -----------------------------------------------------------------------------


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


# ---- Known: how many links there are within and between groups of nodes (types, departments, communities) ------------


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


# ---- Known: how many links each node has towards each group. It takes what tells groups apart out of an embedding ----


MOST_TARGET_GROUPS = 32


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
        if count > MOST_TARGET_GROUPS:
            raise InputError(
                f"Column {self.column!r} has {count:,} groups; {self} takes {MOST_TARGET_GROUPS} at most. "
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


# ---- Known: whether nodes with many links link to each other ---------------------------------------------------------


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


# ---- Known: how much nodes with equal or near values in a column link to each other ----------------------------------


class Homophily(Kind):
    """equal: f(i, j) = 1 if the values are equal. near: f(i, j) = -(u_i - u_j)^2 / 2, in standard deviations."""

    def __init__(self, column: str, kind: str | None) -> None:
        self.column, self.kind = column, kind

    def __str__(self) -> str:
        return f"homophily:{self.column}" + (f":kind={self.kind}" if self.kind else "")

    def _near(self, network: Network) -> bool:
        return self.kind == "near" or (self.kind is None and is_numeric(network, self.column))

    @property
    def columns(self) -> tuple[str, ...]:
        """The one column."""
        return (self.column,)

    def key(self, network: Network) -> Int64Array:
        """The value."""
        if not self._near(network):
            return groups_of(network, self.column, self)[0]
        return np.unique(numbers_of(network, self.column, self), return_inverse=True)[1].astype(np.int64)

    def term(self, network: Network, classes: Classes) -> Term:
        """A table of ones on the diagonal, or -u_i^2 / 2 - u_j^2 / 2 + u_i u_j."""
        if self._near(network):
            numbers = numbers_of(network, self.column, self)
            spread = float(np.nanstd(numbers)) if np.isfinite(numbers).any() else 0.0
            values = np.nan_to_num((numbers - np.nanmean(numbers)) / spread) if spread else np.zeros(len(numbers))
            u = values[classes.representative]
            return Product(-(u**2) / 2, u[None])
        group, count = groups_of(network, self.column, self)
        return Table(group[classes.representative], sparse.csr_array(np.eye(max(count, 1)).reshape(-1, 1)))


@word("homophily")
def homophily(column: str, kind: str | None = None) -> Knowledge:
    """Known: how many links are between nodes with the same value of a column; or, where it holds numbers, how near
    the values of linked nodes are (the sum of squared differences over links).

    `kind` is "equal" or "near"; unless told, "near" for numbers and times and "equal" for all else. The number of links
    is known, too.

    >>> homophily("party")
    density+homophily:party
    """
    check_column(column, "homophily")
    if kind not in (None, "equal", "near"):
        raise InputError(f"homophily({column!r}, kind={kind!r}): the kind is 'equal' or 'near'.")
    return density() + Knowledge((Homophily(column, kind),))


# ---- Known: how much nodes with common neighbours link to each other -------------------------------------------------


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
