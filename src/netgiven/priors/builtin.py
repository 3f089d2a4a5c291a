"""Constraints that depend on degrees, groups, values of a column, or common neighbours.

| function           | f(i, j)                                        | logit P_ij                              |
|--------------------|------------------------------------------------|-----------------------------------------|
| density            | 1                                              | c                                       |
| degrees            | 1 if i or j is node k                          | l_i + l_j                               |
| blocks             | 1 if one is in group a and the other in b      | b[g_i, g_j]; c + sums of b, overlapping |
| group_degrees      | 1 if one is node k and the other in group s    | l_i[g_j] + l_j[g_i]                     |
| assortativity      | k_i k_j                                        | c + l k_i k_j                           |
| homophily          | 1 if equal, or minus half the squared distance | c + l [v_i = v_j], c - l (u_i-u_j)^2/2  |
| common_neighbours  | weighted number of common neighbours           | c + l f(i, j)                           |
"""

from __future__ import annotations

from copy import copy

import numpy as np
from scipy import sparse

from netgiven.errors import InputError, did_you_mean, is_one_of
from netgiven.network import Network
from netgiven.priors.constraints import (
    Constraint,
    PairConstraint,
    check_column,
    check_missing,
    check_present,
    group_advice,
    groups_of,
    is_numeric,
    may_be_codes,
    missing_text,
    numbers_of,
    read_uncertainty,
)
from netgiven.priors.features import DegreeFeatures, FeatureBlock, ProductFeatures, TableFeatures
from netgiven.priors.knowledge import Knowledge, register
from netgiven.priors.layout import Classes, without_diagonal
from netgiven.types import Float64Array, Int64Array

NO_VALUE = frozenset({"\0"})  # the group of nodes without a value, whose name no text in a column has
MAX_BLOCK_GROUPS = 2_000
MAX_DEGREE_GROUPS = 32
MAX_LISTED_PAIRS = 100_000_000  # two gigabytes
SCORES = "count", "adamic_adar", "resource_allocation"


class Density(Constraint):
    """f(i, j) = 1."""

    extends_to_new_nodes = True

    def __str__(self) -> str:
        return "density"

    def node_keys(self, network: Network) -> Int64Array:
        """All nodes are alike."""
        return np.zeros(network.node_count, dtype=np.int64)

    def features(self, network: Network, classes: Classes) -> TableFeatures:
        """One group, one weight."""
        return TableFeatures(np.zeros(len(classes.size), dtype=np.int64), sparse.csr_array(np.ones((1, 1))))


@register("density")
def density() -> Knowledge:
    """Constrain the number of links: logit P_ij = c, the same for all pairs.

    Returns
    -------
    Knowledge
        One constraint.

    Examples
    --------
    >>> density()
    density
    """
    return Knowledge((Density(),))


class UncertainDegrees(Constraint):
    """Constraints with one multiplier or more per node, whose totals may be uncertain; None: not chosen yet, so 0.

    The target for a node of degree k is (1 - uncertainty) k + uncertainty h, see `missing_links` for h.
    """

    def __init__(self, uncertainty: float | None = None) -> None:
        self.uncertainty = uncertainty

    def with_uncertainty(self, uncertainty: float, replace: bool = False) -> Constraint:
        """Return a copy with this uncertainty, if it is open or to be replaced."""
        if self.uncertainty is not None and not replace:
            return self
        changed = copy(self)
        changed.uncertainty = uncertainty
        return changed

    def _option(self) -> str:
        return f":uncertainty={self.uncertainty:g}" if self.uncertainty else ""


class Degrees(UncertainDegrees):
    """f_k(i, j) = 1 if i or j is node k. Nodes of equal degree share a multiplier."""

    extends_to_new_nodes = True

    def __str__(self) -> str:
        return f"degrees{self._option()}"

    def node_keys(self, network: Network) -> Int64Array:
        """Nodes of equal degree are alike."""
        return network.degrees

    def features(self, network: Network, classes: Classes) -> DegreeFeatures:
        """Degrees towards all nodes, which form one group."""
        return DegreeFeatures(np.zeros(len(classes.size), dtype=np.int64), 1, self.uncertainty or 0.0)


@register("degrees")
def degrees(uncertainty: float | None = None) -> Knowledge:
    """Constrain the degree of each node: logit P_ij = l_i + l_j.

    Where links are missing at random, an observed degree is a sample: a node without an observed link may well have
    some. With an uncertainty of u, the expected degree of a node with k links is (1 - u) k + u h_k, where h_k estimates
    its missing links from how many nodes have k and k + 1 links (see `netgiven.priors.missing_links`).

    Parameters
    ----------
    uncertainty : float, optional
        From 0, the degrees as they are, to below 1. If it is left open, `embed` chooses it on held-out links for the
        probabilities that it predicts; everywhere else it is 0.

    Returns
    -------
    Knowledge
        One constraint per distinct degree.

    Raises
    ------
    InputError
        If the uncertainty is no number from 0 to below 1.

    Examples
    --------
    >>> degrees() + degrees()
    degrees
    >>> degrees(uncertainty=0.5)
    degrees:uncertainty=0.5
    """
    return Knowledge((Degrees(read_uncertainty(uncertainty)),))


class Blocks(Constraint):
    """f_ab(i, j) = 1 if one of the two nodes is in group a and the other in b, for each pair of groups a <= b."""

    extends_to_new_nodes = True

    def __init__(self, column: str, missing: str | None = None) -> None:
        self.column, self.missing = column, missing

    def __str__(self) -> str:
        return f"blocks:{self.column}{missing_text(self.missing)}"

    @property
    def columns(self) -> tuple[str, ...]:
        """The column of groups."""
        return (self.column,)

    def node_keys(self, network: Network) -> Int64Array:
        """The group."""
        return groups_of(network, self.column, self, self.missing)[0]

    def features(self, network: Network, classes: Classes) -> TableFeatures:
        """One multiplier per pair of groups."""
        group, count = groups_of(network, self.column, self, self.missing)
        if count > MAX_BLOCK_GROUPS:
            raise InputError(
                f"Column {self.column!r} divides the nodes into {count:,} groups; {self} takes {MAX_BLOCK_GROUPS:,} at "
                "most. Use a column with fewer groups."
            )
        weights = group_pair_weights(sparse.csr_array(sparse.eye_array(max(count, 1))))
        return TableFeatures(group[classes.representative], weights)


class OverlappingBlocks(Constraint):
    """f_ab(i, j) = m_ia m_jb + m_ib m_ja for a < b, and m_ia m_ja for a = b, where m_ia = 1 if node i is in group a."""

    extends_to_new_nodes = True

    def __init__(self, column: str, separator: str, missing: str | None = None) -> None:
        self.column, self.separator, self.missing = column, separator, missing

    def __str__(self) -> str:
        return f"blocks:{self.column}:separator={self.separator}{missing_text(self.missing)}"

    @property
    def columns(self) -> tuple[str, ...]:
        """The column of sets of groups."""
        return (self.column,)

    def node_keys(self, network: Network) -> Int64Array:
        """The set of groups."""
        return self._group_sets(network)[0]

    def features(self, network: Network, classes: Classes) -> TableFeatures:
        """One multiplier per pair of groups, in a table over sets of groups."""
        set_of, members = self._group_sets(network)
        return TableFeatures(set_of[classes.representative], group_pair_weights(sparse.csr_array(members)))

    def _group_sets(self, network: Network) -> tuple[Int64Array, Float64Array]:
        """Return the number of the set of groups of each node, and one row of zeros and ones per set."""
        values = network.column(self.column)
        if self.missing is None:
            check_present(network, values.isna().to_numpy(), self.column, self, group_advice(self))
        texts = values.astype("str").where(values.notna(), "")
        sets = [frozenset(filter(None, map(str.strip, text.split(self.separator)))) for text in texts]
        if self.missing is not None:
            sets = [one or NO_VALUE for one in sets]
        distinct = sorted(set(sets), key=sorted)
        groups = sorted(frozenset().union(*distinct)) if distinct else []
        members = np.array([[group in one for group in groups] for one in distinct], dtype=np.float64)
        number = {one: index for index, one in enumerate(distinct)}
        return np.array([number[one] for one in sets], dtype=np.int64), members.reshape(len(distinct) or 1, -1)


def group_pair_weights(members: sparse.csr_array) -> sparse.csr_array:
    """Weights of a table over sets of groups (rows of `members`) with one multiplier per pair of groups.

    >>> weights = group_pair_weights(sparse.csr_array(np.eye(2)))
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


@register("blocks")
def blocks(column: str, separator: str | None = None, missing: str | None = None) -> Knowledge:
    """Constrain the number of links within and between the groups of a node column: logit P_ij = b[g_i, g_j].

    With a separator, a node may be in several groups, or in none: `blocks("tags", separator="|")` reads "red|round" as
    two. The log-odds are then c plus the sum of b over all pairs of a group of i and a group of j, and the number of
    links is constrained, too.

    Parameters
    ----------
    column : str
        The node column that holds the groups.
    separator : str, optional
        What separates several groups of one node; neither ':' nor '+'.
    missing : {"group"}, optional
        "group": nodes without a value are a group of their own. By default, a linked node without one is an error.

    Returns
    -------
    Knowledge
        One constraint per pair of groups; with a separator, `density()` and these.

    Raises
    ------
    InputError
        If the column is no name or the separator is not allowed. When fitted: if a linked node has no group, or there
        are more than 2,000 groups.

    Examples
    --------
    >>> blocks("type")
    blocks:type
    >>> blocks("tags", separator="|")
    density+blocks:tags:separator=|
    >>> blocks("type", missing="group")
    blocks:type:missing=group
    """
    check_column(column, "blocks")
    check_missing(missing, "blocks")
    if separator is None:
        return Knowledge((Blocks(column, missing),))
    if not isinstance(separator, str) or not separator or set(separator) & set(":+"):
        raise InputError(f"Separator {separator!r} was given; it is one or more characters, but not ':' or '+'.")
    return density() + Knowledge((OverlappingBlocks(column, separator, missing),))


class GroupDegrees(UncertainDegrees):
    """f_ks(i, j) = 1 if one of the two is node k and the other is in group s."""

    def __init__(self, column: str, missing: str | None = None, uncertainty: float | None = None) -> None:
        super().__init__(uncertainty)
        self.column, self.missing = column, missing

    def __str__(self) -> str:
        return f"group_degrees:{self.column}{missing_text(self.missing)}{self._option()}"

    @property
    def columns(self) -> tuple[str, ...]:
        """The column of groups."""
        return (self.column,)

    def node_keys(self, network: Network) -> Int64Array:
        """The group, and the degree towards each group."""
        group, count = groups_of(network, self.column, self, self.missing)
        self._check_count(count)
        keys = np.column_stack([group, _degrees_towards(network, group, count)])
        return np.unique(keys, axis=0, return_inverse=True)[1].ravel().astype(np.int64)

    def features(self, network: Network, classes: Classes) -> DegreeFeatures:
        """Degrees towards each group."""
        group, count = groups_of(network, self.column, self, self.missing)
        return DegreeFeatures(group[classes.representative], max(count, 1), self.uncertainty or 0.0)

    def _check_count(self, count: int) -> None:
        if count > MAX_DEGREE_GROUPS:
            raise InputError(
                f"Column {self.column!r} has {count:,} groups; {self} takes {MAX_DEGREE_GROUPS} at most. "
                f"For more, use blocks:{self.column}, which constrains the density between groups."
            )


def _degrees_towards(network: Network, group: Int64Array, count: int) -> Int64Array:
    """Count the links of each node towards each group."""
    entries = np.ones(len(group)), (np.arange(len(group)), group)
    return np.asarray((network.to_scipy() @ sparse.csr_array(entries, shape=(len(group), count))).toarray()).astype(int)


@register("group_degrees")
def group_degrees(column: str, missing: str | None = None, uncertainty: float | None = None) -> Knowledge:
    """Constrain the degree of each node towards each group of a node column: logit P_ij = l_i[g_j] + l_j[g_i].

    An embedding given this does not show which node prefers which group. Train with it and predict with `degrees()`,
    and positions say little about the groups of a node's neighbours: `embed(train_given=..., predict_given=...)`.

    Parameters
    ----------
    column : str
        The node column that holds the groups, 32 at most.
    missing : {"group"}, optional
        As in `blocks`.
    uncertainty : float, optional
        As in `degrees`.

    Returns
    -------
    Knowledge
        One constraint per group and class of nodes.

    Raises
    ------
    InputError
        If the column is no name, or the uncertainty no number from 0 to below 1. When fitted: if a linked node has no
        group, or there are too many groups.

    Examples
    --------
    >>> group_degrees("gender")
    group_degrees:gender
    """
    check_column(column, "group_degrees")
    check_missing(missing, "group_degrees")
    return Knowledge((GroupDegrees(column, missing, read_uncertainty(uncertainty)),))


class Assortativity(Constraint):
    """f(i, j) = k_i k_j, with degrees k in units of their root mean square."""

    def __str__(self) -> str:
        return "assortativity"

    def node_keys(self, network: Network) -> Int64Array:
        """The degree."""
        return network.degrees

    def features(self, network: Network, classes: Classes) -> ProductFeatures:
        """A product of degrees."""
        degree = network.degrees.astype(np.float64)
        unit = np.sqrt(np.mean(degree**2)) if degree.any() else 1.0
        return ProductFeatures(np.zeros(len(classes.size)), degree[classes.representative][None] / unit)


@register("assortativity")
def assortativity() -> Knowledge:
    """Constrain the sum over links of the product of the two degrees: logit P_ij = c + l k_i k_j.

    The number of links is constrained, too; with `degrees() +`, so is each degree.

    Returns
    -------
    Knowledge
        `density()` and one more constraint.

    Examples
    --------
    >>> assortativity()
    density+assortativity
    """
    return density() + Knowledge((Assortativity(),))


class Homophily(Constraint):
    """equal: f(i, j) = 1 if the values are equal. near: f(i, j) = -(u_i - u_j)^2 / 2, in standard deviations."""

    extends_to_new_nodes = True

    def __init__(self, column: str, kind: str | None, missing: str | None = None) -> None:
        self.column, self.kind, self.missing = column, kind, missing

    def __str__(self) -> str:
        kind = f":kind={self.kind}" if self.kind else ""
        return f"homophily:{self.column}{kind}{missing_text(self.missing)}"

    @property
    def columns(self) -> tuple[str, ...]:
        """The column of values."""
        return (self.column,)

    def node_keys(self, network: Network) -> Int64Array:
        """The value."""
        if not self._is_near(network):
            return groups_of(network, self.column, self, self.missing)[0]
        return np.unique(numbers_of(network, self.column, self), return_inverse=True)[1].astype(np.int64)

    def features(self, network: Network, classes: Classes) -> FeatureBlock:
        """A table of ones on the diagonal, or -u_i^2 / 2 - u_j^2 / 2 + u_i u_j."""
        if self._is_near(network):
            numbers = numbers_of(network, self.column, self)
            deviation = float(np.nanstd(numbers)) if np.isfinite(numbers).any() else 0.0
            values = np.nan_to_num((numbers - np.nanmean(numbers)) / deviation) if deviation else np.zeros(len(numbers))
            u = values[classes.representative]
            return ProductFeatures(-(u**2) / 2, u[None])
        group, count = groups_of(network, self.column, self, self.missing)
        return TableFeatures(group[classes.representative], sparse.csr_array(np.eye(max(count, 1)).reshape(-1, 1)))

    def _is_near(self, network: Network) -> bool:
        if self.kind is None and self.missing is None and may_be_codes(network, self.column):
            raise InputError(
                f"Column {self.column!r} holds a few whole numbers, which may be measured or stand for groups. Write "
                f"homophily:{self.column}:kind=near or kind=equal, or read the column as groups=, --groups."
            )
        return self.kind == "near" or (self.kind is None and self.missing is None and is_numeric(network, self.column))


@register("homophily")
def homophily(column: str, kind: str | None = None, missing: str | None = None) -> Knowledge:
    """Constrain how much nodes with equal or near values of a column link to each other.

    "equal" constrains the number of links between nodes with equal values: logit P_ij = c + l [v_i = v_j]. "near"
    constrains the sum over links of the squared difference: logit P_ij = c - l (u_i - u_j)^2 / 2, with u the values in
    standard deviations. The number of links is constrained, too.

    Parameters
    ----------
    column : str
        The node column that holds the values.
    kind : {"equal", "near"}, optional
        Default: "near" for numbers and times, "equal" for everything else. Where a column holds whole numbers with at
        most 50 different values, the kind must be given: they may be measured, or codes of groups.
    missing : {"group"}, optional
        As in `blocks`; the kind is then "equal".

    Returns
    -------
    Knowledge
        `density()` and one more constraint.

    Raises
    ------
    InputError
        If the column is no name, or the kind is neither of the two. When fitted: if a linked node has no value, "near"
        is asked of a column that holds neither numbers nor times, or the kind of a few whole numbers is not given.

    Examples
    --------
    >>> homophily("party")
    density+homophily:party
    >>> homophily("age", kind="near")
    density+homophily:age:kind=near
    """
    check_column(column, "homophily")
    if kind is not None and not is_one_of(kind, ("equal", "near")):
        raise InputError(f"homophily({column!r}, kind={kind!r}): the kind is 'equal' or 'near'.")
    check_missing(missing, "homophily")
    if kind == "near" and missing is not None:
        raise InputError(f"homophily({column!r}, kind='near', missing={missing!r}): a missing number is near to none.")
    return density() + Knowledge((Homophily(column, kind, missing),))


class CommonNeighbours(PairConstraint):
    """f(i, j) = the sum over common neighbours k of 1, 1 / log k's degree, or 1 / k's degree."""

    def __init__(self, score: str) -> None:
        self.score = score

    def __str__(self) -> str:
        return "common_neighbours" + ("" if self.score == "count" else f":{self.score}")

    def matrix(self, network: Network) -> sparse.csr_array:
        """A W A without its diagonal: zero beyond a distance of two links."""
        bound = min(network.node_count**2, int(np.square(network.degrees).sum())) // 2
        if bound > MAX_LISTED_PAIRS:
            raise InputError(
                f"Up to {bound:,} pairs of this network have common neighbours; {self} takes {MAX_LISTED_PAIRS:,} at "
                "most. Leave it out, or take a part of the network."
            )
        links = sparse.csr_array(network.to_scipy().astype(np.float64))
        return without_diagonal(links @ sparse.diags_array(self._weights(network.degrees)) @ links)

    def _weights(self, degrees: Int64Array) -> Float64Array:
        at_least_two = np.maximum(degrees, 2).astype(np.float64)  # a common neighbour has two links
        weights = {
            "count": np.ones(len(degrees)),
            "adamic_adar": 1 / np.log(at_least_two),
            "resource_allocation": 1 / at_least_two,
        }
        return weights[self.score]


@register("common_neighbours")
def common_neighbours(score: str = "count") -> Knowledge:
    """Constrain the sum over links of a score of their common neighbours: logit P_ij = c + l f(i, j).

    The score f(i, j) is the sum over common neighbours of a weight: 1 ("count"), 1 / log(degree) ("adamic_adar") or
    1 / degree ("resource_allocation"). The number of links is constrained, too.

    Parameters
    ----------
    score : {"count", "adamic_adar", "resource_allocation"}
        The weight of a common neighbour.

    Returns
    -------
    Knowledge
        `density()` and one more constraint.

    Raises
    ------
    InputError
        If the score is none of the three. When fitted: if more than 100 million pairs may have common neighbours.

    Examples
    --------
    >>> common_neighbours("adamic_adar")
    density+common_neighbours:adamic_adar
    """
    if not is_one_of(score, SCORES):
        meant = did_you_mean(score, SCORES)
        raise InputError(f"common_neighbours({score!r}): the score is one of {', '.join(SCORES)}.{meant}")
    return density() + Knowledge((CommonNeighbours(score),))


# ---- distance in an order, or in time --------------------------------------------------------------------------------


SHAPES = "bins", "log", "linear", "window"
DEFAULT_BINS = 10
MAX_VALUES, GRID_SIZE = 1_000, 128  # a column with more distinct values is divided into a grid of equal steps


class Order(Constraint):
    """Functions of the distance d of two nodes in a column.

    bins: f_k = 1 if d is in the k-th bin. log: f = log(1 + d), with d in steps. linear: f = d, as a share of the
    largest distance. window: f = 1 if d is at most `width`. Nodes without links may lack a value: their distances to
    others are one more bin.
    """

    extends_to_new_nodes = True

    def __init__(self, column: str, shape: str, bins: tuple[float, ...], width: float | None) -> None:
        self.column, self.shape, self.bins, self.width = column, shape, bins, width

    def __str__(self) -> str:
        if self.shape == "bins":
            return f"order:{self.column}:bins={','.join(map(_text, self.bins))}"
        width = "" if self.width is None else f":width={_text(self.width)}"
        return f"order:{self.column}:kind={self.shape}{width}"

    @property
    def columns(self) -> tuple[str, ...]:
        """The column of numbers or times."""
        return (self.column,)

    def node_keys(self, network: Network) -> Int64Array:
        """The index of the value on the grid of values."""
        return self._grid(network)[0]

    def features(self, network: Network, classes: Classes) -> TableFeatures:
        """A table over the grid of values."""
        index, value = self._grid(network)
        distance = np.abs(value[:, None] - value)
        counts = np.bincount(index, minlength=len(value)).astype(np.float64)
        weights = self._weights(distance, np.outer(counts, counts))
        return TableFeatures(index[classes.representative], weights)

    def _grid(self, network: Network) -> tuple[Int64Array, Float64Array]:
        """Return the grid index of each node and the value of each grid point; NaN stands for nodes without a value."""
        numbers = numbers_of(network, self.column, self)
        value, index = np.unique(numbers, return_inverse=True)
        finite = value[~np.isnan(value)]
        if len(finite) > MAX_VALUES:
            low, high = finite[0], finite[-1]
            step = (high - low) / GRID_SIZE
            coarse = np.minimum(np.floor((numbers - low) / step), GRID_SIZE - 1)
            _, index = np.unique(coarse, return_inverse=True)
            value = np.bincount(index, numbers) / np.bincount(index)  # the mean keeps distances nearly right
        return index.astype(np.int64), value if len(value) else np.zeros(1)

    def _weights(self, distance: Float64Array, pairs: Float64Array) -> sparse.csr_array:
        finite = ~np.isnan(distance)
        flat = np.where(finite, distance, 0.0).ravel()
        if self.shape == "bins":
            return _bin_weights(distance, pairs, self.bins)
        if self.shape == "window":
            width = self.width if self.width is not None else flat.max() / 10
            return sparse.csr_array(((flat <= width * (1 + 1e-12)) & finite.ravel())[:, None].astype(np.float64))
        step = flat[flat > 0].min(initial=np.inf)
        values = np.log1p(flat / step) if self.shape == "log" else flat / max(flat.max(), 1e-300)
        return sparse.csr_array(values[:, None])


def _bin_weights(distance: Float64Array, pairs: Float64Array, bins: tuple[float, ...]) -> sparse.csr_array:
    """One multiplier per bin of the distance, and one more for pairs without a distance."""
    flat = distance.ravel()
    edges = np.array(bins) if len(bins) > 1 else _quantile_edges(flat, pairs.ravel(), int(bins[0]))
    bin_of = np.searchsorted(edges, np.nan_to_num(flat, nan=np.inf), side="left")
    _, number = np.unique(np.where(np.isnan(flat), len(edges) + 1, bin_of), return_inverse=True)
    entries = np.ones(len(flat)), (np.arange(len(flat)), number)
    return sparse.csr_array(entries, shape=(len(flat), int(number.max(initial=0)) + 1))


def _quantile_edges(distance: Float64Array, pairs: Float64Array, count: int) -> Float64Array:
    """Return upper edges of bins that hold about the same number of pairs of nodes; one bin per distance, if few.

    Distances are rounded, so that the same number of steps never falls into two bins.
    """
    finite = ~np.isnan(distance)
    unit = max(float(distance[finite].max(initial=0.0)), 1e-300)
    values, index = np.unique(np.round(distance[finite] / unit, 9), return_inverse=True)
    if len(values) <= count:
        return values[:-1] * unit * (1 + 1e-8) + 1e-9 * unit
    share = np.cumsum(np.bincount(index, pairs[finite])) / pairs[finite].sum()
    last = np.unique(np.searchsorted(share, np.arange(1, count) / count))
    return values[last] * unit * (1 + 1e-8) + 1e-9 * unit


@register("order")
def order(
    column: str,
    bins: int | str | list[float] | tuple[float, ...] | None = None,
    kind: str | None = None,
    width: float | str | None = None,
) -> Knowledge:
    """Constrain how links depend on the distance d of two nodes in an order or in time.

    The number of links is constrained, too.

    Parameters
    ----------
    column : str
        The node column that holds the numbers or times t.
    bins : int or sequence of float, optional
        Constrain the number of links in each bin of the distance: the number of bins (default 10, about the same number
        of pairs in each), or the upper edges of all bins but the last.
    kind : {"log", "linear", "window"}, optional
        Instead of bins, constrain one sum over links: "log" that of log(1 + d / smallest difference), "linear" that of
        d, "window" the number of links with d at most `width`.
    width : float, optional
        The width of the window. Default: a tenth of the largest distance.

    Returns
    -------
    Knowledge
        `density()` and the constraints on distances.

    Raises
    ------
    InputError
        If the column is no name, both bins and a kind are given, or a number is not valid. When fitted: if a linked
        node has no value, or the column holds neither numbers nor times.

    Examples
    --------
    >>> order("year", bins=20)
    density+order:year:bins=20
    >>> order("year", kind="log")
    density+order:year:kind=log
    """
    check_column(column, "order")
    shape = "bins" if kind is None else kind
    if not is_one_of(shape, SHAPES) or (shape != "bins" and bins is not None):
        raise InputError(f"order({column!r}, bins={bins!r}, kind={kind!r}): give bins, or a kind: log, linear, window.")
    if width is not None and shape != "window":
        raise InputError(f"order({column!r}, width={width!r}): a width belongs to kind='window'.")
    window = None if width is None else _number(width, "width")
    return density() + Knowledge((Order(column, shape, _read_bins(bins), window),))


def _read_bins(bins: int | str | list[float] | tuple[float, ...] | None) -> tuple[float, ...]:
    parts = [DEFAULT_BINS] if bins is None else bins.split(",") if isinstance(bins, str) else bins
    numbers = tuple(_number(part, "bins") for part in (parts if isinstance(parts, (list, tuple)) else [parts]))
    if not numbers or (len(numbers) == 1 and (numbers[0] < 1 or numbers[0] % 1)) or list(numbers) != sorted(numbers):
        raise InputError(f"bins={bins!r} was given; it is a number of bins, or ascending distances such as 1,5,20.")
    return numbers


def _number(text: float | str, name: str) -> float:
    try:
        number = float(text)
    except (TypeError, ValueError):
        raise InputError(f"{name}={text!r} was given; a number is needed.") from None
    if not np.isfinite(number) or number < 0:
        raise InputError(f"{name}={text!r} was given; a number of at least 0 is needed.")
    return number


def _text(number: float) -> str:
    """Write a number in short form if that reads back as the same number."""
    return short if float(short := f"{number:g}") == number else repr(float(number))
