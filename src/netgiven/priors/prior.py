"""The fitted prior: a probability for each pair of nodes, before any embedding."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy import sparse

from netgiven.errors import InputError, is_whole
from netgiven.kernels.arrays import LinkRows, ListedLogOdds, PriorArrays, find_in_rows, nothing_listed
from netgiven.kernels.pair_sums import ListedFeatures
from netgiven.model import CERTAIN, CERTAIN_LOG_ODDS, Spread, log_odds, probability, separation
from netgiven.network import Network
from netgiven.node_index import find_nodes, number_pairs
from netgiven.priors.expectation import entropy_sums, expected_between, expected_sums
from netgiven.priors.layout import Classes, Coefficients, Layout
from netgiven.types import BoolArray, Float32Array, Float64Array, Int32Array, Int64Array, IntegerArray

NO_LINKS = 1e-100  # expected degrees below are those of nodes that are certain to have no links
MAX_GROUPS = 6_000  # of a table in single precision: 144 MB
MAX_SAMPLING_CLASSES = 3_000  # above, links are sampled pair by pair
CHUNK = 1_000_000  # pairs sampled together

LogOdds = Callable[[Int64Array, Int64Array], Float64Array]


@dataclass(frozen=True)
class Check:
    """How well one constraint is met.

    Parameters
    ----------
    knowledge : str
        The text form of the constraint.
    constraints : int
        The number of its features, and so of its totals.
    largest_error : float
        The largest absolute difference between an expected total and its target.
    largest_relative_error : float
        The largest difference relative to the target, or to 1 for targets below 1.
    """

    knowledge: str
    constraints: int
    largest_error: float
    largest_relative_error: float


@dataclass(frozen=True, eq=False)
class Prior:
    """A maximum-entropy distribution over networks: independent links with a probability P_ij for each pair of nodes.

    Made by `Knowledge.fit`. The log-odds are ::

        logit P_ij = sum over c of (left[c, i] right[c, j] + right[c, i] left[c, j])
                   + sum over layers l of table_l[group[l, i], group[l, j]] + listed_ij

    The first row of `right` is 1, so that left[0] are additive multipliers of nodes.

    Parameters
    ----------
    knowledge : str
        The text form of the knowledge that the prior was fitted with.
    nodes : pandas.Index
        The names of the nodes.
    left, right : ndarray
        Coefficients of each node, one column per node.
    group : ndarray
        The group of each node: one row per layer, one column per node.
    tables : ndarray
        The tables of all layers, concatenated.
    width : tuple of int
        The number of groups in each layer.
    listed : ListedFeatures, optional
        What is added to the log-odds of single pairs.
    checks : tuple of Check
        How well each constraint is met.

    Examples
    --------
    >>> from netgiven.priors import degrees
    >>> star = Network.from_edges([("hub", "a"), ("hub", "b"), ("hub", "c")])
    >>> prior = degrees().fit(star)
    >>> prior.probability("hub", "a"), prior.probability("a", "b")
    (1.0, 0.0)
    """

    knowledge: str
    nodes: pd.Index[Any]
    left: Float64Array
    right: Float64Array
    group: Int32Array
    tables: Float64Array
    width: tuple[int, ...]
    listed: ListedFeatures | None = None
    checks: tuple[Check, ...] = field(default=())

    def __eq__(self, other: object) -> bool:
        """Whether the log-odds of all pairs are the same, given the same knowledge; `checks` do not count."""
        if not isinstance(other, Prior):
            return NotImplemented
        same = (self.knowledge, self.width) == (other.knowledge, other.width) and self.nodes.equals(other.nodes)
        return (
            same and len(self._arrays) == len(other._arrays) and all(map(np.array_equal, self._arrays, other._arrays))
        )

    def __hash__(self) -> int:
        return hash((self.knowledge, (self.left + 0).tobytes()))  # -0.0 is 0.0, but has other bytes

    @property
    def _arrays(self) -> tuple[npt.NDArray[Any], ...]:
        return (self.left, self.right, self.group, self.tables, *(self.listed or ()))

    def __repr__(self) -> str:
        return f"Prior given {self.knowledge}: {len(self.nodes):,} nodes, {self.expected_links():,.1f} links expected"

    def probability(self, first: Hashable, second: Hashable) -> float:
        """Return the probability of a link between two nodes.

        Parameters
        ----------
        first, second : Hashable
            The names of the nodes.

        Returns
        -------
        float
            P, exactly 0 or 1 where the prior is certain.

        Raises
        ------
        InputError
            If there is no node of that name.

        Examples
        --------
        >>> from netgiven import density
        >>> path = Network.from_edges([("a", "b"), ("b", "c")])
        >>> round(density().fit(path).probability("a", "c"), 6)
        0.666667
        """
        return float(self.probabilities([(first, second)])[0])

    def probabilities(self, pairs: Any) -> Float64Array:
        """Return the probabilities of links between pairs of nodes.

        Parameters
        ----------
        pairs : sequence of pairs, array or DataFrame
            Pairs of names.

        Returns
        -------
        array
            P of each pair, in the order given.

        Raises
        ------
        InputError
            If a name is not that of a node.

        Examples
        --------
        >>> from netgiven import degrees
        >>> star = Network.from_edges([("hub", "a"), ("hub", "b"), ("hub", "c")])
        >>> degrees().fit(star).probabilities([("hub", "a"), ("a", "b")])
        array([1., 0.])
        """
        return np.asarray(probability(self.log_odds(pairs)))

    def log_odds(self, pairs: Any) -> Float64Array:
        """Return logit P of pairs of nodes.

        Parameters
        ----------
        pairs : sequence of pairs, array or DataFrame
            Pairs of names.

        Returns
        -------
        array
            logit P of each pair; minus or plus infinity where the prior is certain. A node paired with itself has
            minus infinity: the model has no self-loops.

        Raises
        ------
        InputError
            If a name is not that of a node.

        Examples
        --------
        >>> from netgiven import degrees
        >>> star = Network.from_edges([("hub", "a"), ("hub", "b"), ("hub", "c")])
        >>> degrees().fit(star).log_odds([("hub", "a"), ("a", "b")])
        array([ inf, -inf])
        """
        first, second = number_pairs(self.nodes, pairs)
        z = self.log_odds_of(first, second)
        return np.asarray(np.where(first == second, -np.inf, z))

    def log_odds_of(self, first: IntegerArray, second: IntegerArray) -> Float64Array:
        """Return logit P of pairs given as node numbers.

        Parameters
        ----------
        first, second : array of int
            Positions of the nodes in `nodes`.

        Returns
        -------
        array
            logit P of each pair; minus or plus infinity where the prior is certain.

        Examples
        --------
        >>> from netgiven import density
        >>> path = Network.from_edges([("a", "b"), ("b", "c")])
        >>> density().fit(path).log_odds_of(np.array([0]), np.array([2])).round(6)  # log 2
        array([0.693147])
        """
        z = self.node_layout.log_odds(Coefficients(self.left, self.tables, np.zeros(0)), first, second)
        if self.listed is not None:
            z = z + listed_values(self.listed, first, second)
        return np.asarray(np.where(np.abs(z) > CERTAIN_LOG_ODDS, np.copysign(np.inf, z), z))

    @cached_property
    def expected_degrees(self) -> Float64Array:
        """Expected number of links of each node.

        Examples
        --------
        >>> from netgiven import degrees
        >>> path = Network.from_edges([("a", "b"), ("b", "c")])
        >>> degrees().fit(path).expected_degrees.round(6)
        array([1., 2., 1.])
        """
        degrees = self._node_sums[0]
        return np.where(degrees > NO_LINKS, degrees, 0.0)[self.classes.of]

    def expected_links(
        self, nodes: Iterable[Hashable] | None = None, others: Iterable[Hashable] | None = None
    ) -> float:
        """Return the expected number of links within a set of nodes, or between two sets.

        Parameters
        ----------
        nodes : iterable of Hashable, optional
            Names of nodes. Default: all nodes.
        others : iterable of Hashable, optional
            Names of the nodes at the other end. Default: the same set.

        Returns
        -------
        float
            The sum of P over pairs. A pair whose two nodes are in both sets counts once.

        Raises
        ------
        InputError
            If a name is not that of a node.

        Examples
        --------
        >>> from netgiven import density
        >>> prior = density().fit(Network.from_edges([("a", "b"), ("b", "c")]))
        >>> round(prior.expected_links(), 6), round(prior.expected_links(["a"], ["b", "c"]), 6)
        (2.0, 1.333333)
        """
        first = self._select(nodes)
        if others is None:
            return self._links_within(first)
        second = self._select(others)
        both = self._links_within(first | second)
        return both - self._links_within(first & ~second) - self._links_within(second & ~first)

    def expected_between(self, groups: IntegerArray, count: int) -> Float64Array:
        """Return the expected number of links between all groups of nodes.

        Parameters
        ----------
        groups : array of int
            The number of the group of each node, in the order of `nodes`; -1 for nodes in none.
        count : int
            The number of groups.

        Returns
        -------
        array
            A symmetric table with a row and a column for each group, and the links within it on the diagonal. It takes
            one pass over pairs of classes; of many thousands of classes, some stand for all, and numbers are about
            right.

        Examples
        --------
        >>> from netgiven import density
        >>> prior = density().fit(Network.from_edges([("a", "b"), ("b", "c")]))
        >>> prior.expected_between(np.array([0, 1, 1]), 2).round(6).tolist()
        [[0.0, 1.333333], [1.333333, 0.666667]]
        """
        inside = groups >= 0
        entries = np.ones(int(inside.sum())), (self.classes.of[inside], groups[inside])
        members = sparse.csr_array(sparse.coo_array(entries, shape=(len(self.classes.size), count)))
        return expected_between(self.layout, self.coefficients, self._node_sums, members)

    def _select(self, nodes: Iterable[Hashable] | None) -> BoolArray:
        selected = np.full(len(self.nodes), nodes is None)
        if nodes is not None:
            selected[find_nodes(self.nodes, nodes)] = True
        return selected

    def _links_within(self, selected: BoolArray) -> float:
        if not selected.any():
            return 0.0
        size = np.bincount(self.classes.of, selected, len(self.classes.size)).astype(np.float64)
        listed = None if self.listed is None else listed_among(self.listed, selected)
        layout = replace(self.layout, size=size, listed=listed)
        return float(expected_sums(layout, self.coefficients).group_sums[layout.slices[0]].sum()) / 2

    @cached_property
    def entropy(self) -> float:
        """Entropy of the distribution over networks, in bits.

        Examples
        --------
        >>> from netgiven import density
        >>> round(density().fit(Network.from_edges([("a", "b"), ("b", "c")])).entropy, 6)
        2.754888
        """
        softplus, energy = self._entropy_sums
        return max(float(softplus - energy), 0.0) / float(np.log(2))

    def log_likelihood(self, links: IntegerArray) -> float:
        """Return the log-probability of a network, in nats.

        Parameters
        ----------
        links : array of int, shape (links, 2)
            All links as pairs of node numbers, each once, as in `Network.links()`.

        Returns
        -------
        float
            Minus infinity if the prior is certain that there is no such network.

        Examples
        --------
        >>> from netgiven import density
        >>> path = Network.from_edges([("a", "b"), ("b", "c")])
        >>> round(density().fit(path).log_likelihood(path.links()), 6)
        -1.909543
        """
        z = self.log_odds_of(*links.T)
        certain = np.isposinf(z)
        if np.isneginf(z).any() or certain.sum() < self._certain_links:
            return -np.inf
        return float(z[~certain].sum()) - float(self._entropy_sums[0])

    @cached_property
    def _entropy_sums(self) -> Float64Array:
        return entropy_sums(self.layout, self.coefficients)

    @cached_property
    def _node_sums(self) -> Float64Array:
        return expected_sums(self.layout, self.coefficients).node_sums

    @cached_property
    def _certain_links(self) -> int:
        """Number of pairs that the prior is certain are linked."""
        listed = np.empty(0) if self.listed is None else self.listed.value
        if max(np.abs(part).max(initial=0) for part in (self.left, self.tables, listed)) < CERTAIN / 4:
            return 0
        tables = self.tables.copy()
        tables[self.layout.slices[0]] -= CERTAIN_LOG_ODDS  # only certain links stay above 0
        sums = expected_sums(self.layout, self.coefficients._replace(tables=tables))
        return round(float(sums.group_sums[self.layout.slices[0]].sum()) / 2)

    def sample(self, seed: int = 0) -> Network:
        """Sample a network from the prior.

        Parameters
        ----------
        seed : int
            The seed of the random numbers.

        Returns
        -------
        Network
            A network with the same nodes, without columns.

        Examples
        --------
        >>> from netgiven import degrees
        >>> star = Network.from_edges([("hub", "a"), ("hub", "b"), ("hub", "c")])
        >>> degrees().fit(star).sample(seed=1)
        Network: 4 nodes, 3 links
        """
        if not is_whole(seed):
            raise InputError(f"seed = {seed} was given; a whole number of at least 0 is needed.")
        random = np.random.default_rng(seed)
        by_class = self.listed is None and len(self.classes.size) <= MAX_SAMPLING_CLASSES
        draw = partial(sample_by_class, self.classes) if by_class else partial(sample_by_pair, len(self.nodes))
        links = draw(self.log_odds_of, random)
        names = {"source": self.nodes[links[:, 0]], "target": self.nodes[links[:, 1]]}
        return Network.from_edges(pd.DataFrame(names), nodes=self.nodes)

    def constraints(self) -> pd.DataFrame:
        """Return how well each constraint is met, as a table.

        Returns
        -------
        pandas.DataFrame
            One row per constraint; the columns are the fields of `Check`.

        Examples
        --------
        >>> from netgiven import density
        >>> density().fit(Network.from_edges([("a", "b"), ("b", "c")])).constraints().knowledge.tolist()
        ['density']
        """
        return pd.DataFrame(self.checks)

    @cached_property
    def classes(self) -> Classes:
        """Classes of nodes with the same coefficients."""
        if self.listed is not None:
            return Classes.by_keys([np.arange(len(self.nodes))])
        keys = [np.unique(row, return_inverse=True)[1] for row in (*self.left, *self.right[1:])]
        return Classes.by_keys([*keys, *self.group.astype(np.int64)])

    @cached_property
    def layout(self) -> Layout:
        """The layout of classes."""
        some = self.classes.representative
        size, group = self.classes.size.astype(np.float64), self.group[:, some].astype(np.int64)
        return Layout(size, np.ascontiguousarray(self.right[:, some]), group, self.width, self.listed)

    @cached_property
    def coefficients(self) -> Coefficients:
        """The coefficients of classes."""
        left = np.ascontiguousarray(self.left[:, self.classes.representative])
        return Coefficients(left, self.tables, np.ones(0 if self.listed is None else 1))

    @cached_property
    def node_layout(self) -> Layout:
        """The layout in which each node is a class."""
        return Layout(np.ones(len(self.nodes)), self.right, self.group.astype(np.int64), self.width, self.listed)

    @cached_property
    def arrays(self) -> PriorArrays:
        """The arrays that kernels take, with one table over the common refinement of the groups of all layers."""
        keys = Classes.by_keys(list(self.group.astype(np.int64)))
        if len(keys.size) > MAX_GROUPS:
            raise InputError(
                f"The knowledge {self.knowledge} divides the nodes into {len(keys.size):,} groups; an embedding takes "
                f"{MAX_GROUPS:,} at most. Use columns with fewer values, or fewer bins."
            )
        some = keys.representative
        table = sum(
            self.node_layout.table(self.tables, layer)[np.ix_(group[some], group[some])]
            for layer, group in enumerate(self.group)
        )
        left = np.concatenate([self.left[1:], self.right[1:]]).astype(np.float32)
        right = np.concatenate([self.right[1:], self.left[1:]]).astype(np.float32)
        node, group = self.left[0].astype(np.float32), keys.of.astype(np.int32)
        listed = symmetric_listed(self.listed, len(node))
        return PriorArrays(node, group, np.asarray(table, dtype=np.float32), left, right, listed)


def posterior_log_odds(
    prior: Prior, positions: Float32Array, spread: Spread, first: IntegerArray, second: IntegerArray
) -> Float64Array:
    """Return z of pairs given as node numbers, from prior and positions; infinite where the prior is certain."""
    ends = positions[first].astype(np.float64), positions[second].astype(np.float64)
    apart = separation(*ends, spread.repelling)
    offset = prior.log_odds_of(first, second)
    return np.asarray(log_odds(offset, spread.reach(positions.shape[1]), spread.stiffness, apart))


def listed_values(listed: ListedFeatures, first: IntegerArray, second: IntegerArray) -> Float64Array:
    """Return the listed term of pairs; 0 for all others."""
    places = find_in_rows(LinkRows(listed.indptr, listed.indices), np.minimum(first, second), np.maximum(first, second))
    return np.where(places >= 0, listed.value[0][places], 0.0) if listed.value.size else np.zeros(places.shape)


def listed_among(listed: ListedFeatures, selected: BoolArray) -> ListedFeatures:
    """Return the listed pairs of which both nodes are selected."""
    rows = np.repeat(np.arange(len(selected)), np.diff(listed.indptr))
    kept = selected[rows] & selected[listed.indices]
    indptr = np.concatenate([[0], np.cumsum(np.bincount(rows[kept], minlength=len(selected)))])
    return ListedFeatures(indptr, listed.indices[kept], np.ascontiguousarray(listed.value[:, kept]))


def symmetric_listed(listed: ListedFeatures | None, count: int) -> ListedLogOdds:
    """Return listed pairs i < j in the rows of both nodes."""
    if listed is None:
        return nothing_listed(count)
    upper = sparse.csr_array((listed.value[0], listed.indices, listed.indptr), shape=(count, count))
    matrix = sparse.csr_array(upper + upper.T)
    matrix.sort_indices()
    value = matrix.data.astype(np.float32)
    return ListedLogOdds(matrix.indptr.astype(np.int64), matrix.indices.astype(np.int32), value)


def sample_by_class(classes: Classes, log_odds: LogOdds, random: np.random.Generator) -> Int64Array:
    """Sample a binomial number of links for each pair of classes, and distinct pairs of nodes for them."""
    first, second = classes.cells
    some = classes.representative
    counts = random.binomial(classes.pairs, probability(log_odds(some[first], some[second])))
    order = np.argsort(classes.of, kind="stable")
    members = [order[begin:end] for begin, end in pairwise(np.concatenate([[0], np.cumsum(classes.size)]))]
    links = [
        _sample_pairs(
            random, int(counts[cell]), members[first[cell]], members[second[cell]], first[cell] == second[cell]
        )
        for cell in np.flatnonzero(counts)
    ]
    return np.concatenate(links) if links else np.empty((0, 2), dtype=np.int64)


def _sample_pairs(
    random: np.random.Generator, count: int, ours: Int64Array, theirs: Int64Array, inside: bool
) -> Int64Array:
    """Sample distinct pairs of nodes between two classes, or inside one."""
    if not inside:
        numbers = random.choice(len(ours) * len(theirs), count, replace=False)
        return np.column_stack([ours[numbers // len(theirs)], theirs[numbers % len(theirs)]])
    numbers = random.choice(len(ours) * (len(ours) - 1) // 2, count, replace=False)
    # pairs low < high are numbered high (high - 1) / 2 + low; the root is rounded, so correct it by one if needed
    high = ((1 + np.sqrt(1 + 8 * numbers.astype(np.float64))) // 2).astype(np.int64)
    high += (high * (high + 1) // 2 <= numbers).astype(np.int64) - (high * (high - 1) // 2 > numbers)
    return np.column_stack([ours[numbers - high * (high - 1) // 2], ours[high]])


def sample_by_pair(count: int, log_odds: LogOdds, random: np.random.Generator) -> Int64Array:
    """Sample each pair of `count` nodes, in O(n^2)."""
    step = max(1, CHUNK // max(count, 1))
    links = [np.empty((0, 2), dtype=np.int64)]
    for begin in range(0, count, step):
        rows, columns = np.meshgrid(np.arange(begin, min(begin + step, count)), np.arange(count), indexing="ij")
        above = columns > rows
        first, second = rows[above], columns[above]
        drawn = random.random(len(first)) < probability(log_odds(first, second))
        links.append(np.column_stack([first[drawn], second[drawn]]))
    return np.concatenate(links)
