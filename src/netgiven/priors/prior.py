"""The fitted prior: a probability for each pair of nodes, from what is known alone."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse

from netgiven.errors import InputError
from netgiven.kernels.arrays import ListedPairs, PriorArrays, nothing_listed
from netgiven.kernels.pair_sums import Listed
from netgiven.model import Spread, log_odds, probability
from netgiven.network import Network
from netgiven.node_index import find_nodes, number_pairs
from netgiven.priors.expectation import expected_sums, measured
from netgiven.priors.layout import Classes, Coefficients, Layout
from netgiven.types import BoolArray, Float32Array, Float64Array, Int32Array, Int64Array, IntegerArray

# ---- Links drawn from a prior ----------------------------------------------------------------------------------------


MOST_CLASSES = 3_000  # above, pairs are drawn one by one
ROWS = 1_000_000  # pairs looked at together

LogOdds = Callable[[Int64Array, Int64Array], Float64Array]


def draw_by_cells(classes: Classes, log_odds: LogOdds, random: np.random.Generator) -> Int64Array:
    """A binomial number of links for each pair of classes, at random places in it."""
    first, second = classes.cells
    some = classes.representative
    counts = random.binomial(classes.pairs, probability(log_odds(some[first], some[second])))
    order = np.argsort(classes.of, kind="stable")
    members = [order[begin:end] for begin, end in pairwise(np.concatenate([[0], np.cumsum(classes.size)]))]
    links = [
        _draw_pairs(random, int(counts[cell]), members[first[cell]], members[second[cell]], first[cell] == second[cell])
        for cell in np.flatnonzero(counts)
    ]
    return np.concatenate(links) if links else np.empty((0, 2), dtype=np.int64)


def _draw_pairs(
    random: np.random.Generator, count: int, ours: Int64Array, theirs: Int64Array, inside: bool
) -> Int64Array:
    """`count` distinct pairs of nodes between two classes, or inside one."""
    if not inside:
        places = random.choice(len(ours) * len(theirs), count, replace=False)
        return np.column_stack([ours[places // len(theirs)], theirs[places % len(theirs)]])
    places = random.choice(len(ours) * (len(ours) - 1) // 2, count, replace=False)
    high = ((1 + np.sqrt(1 + 8 * places.astype(np.float64))) // 2).astype(np.int64)
    high += (high * (high + 1) // 2 <= places).astype(np.int64) - (high * (high - 1) // 2 > places)
    return np.column_stack([ours[places - high * (high - 1) // 2], ours[high]])


def draw_one_by_one(count: int, log_odds: LogOdds, random: np.random.Generator) -> Int64Array:
    """Each pair of `count` nodes on its own: n^2 time."""
    step = max(1, ROWS // max(count, 1))
    links = [np.empty((0, 2), dtype=np.int64)]
    for begin in range(0, count, step):
        rows, columns = np.meshgrid(np.arange(begin, min(begin + step, count)), np.arange(count), indexing="ij")
        above = columns > rows
        first, second = rows[above], columns[above]
        drawn = random.random(len(first)) < probability(log_odds(first, second))
        links.append(np.column_stack([first[drawn], second[drawn]]))
    return np.concatenate(links)


# A certain pair has infinite log-odds, from multipliers that would be infinite too. They are kept finite, as multiples
# of CERTAIN: so far out that no embedding brings a pair back, and near enough that float32 adds them to ordinary ones
# without loss that matters.
CERTAIN = 1024.0
IMPOSSIBLE = 1e-100  # sums of chances below are those of pairs that are certain not to be linked
MOST_GROUPS = 6_000  # of a table in single precision: 144 MB


@dataclass(frozen=True)
class Check:
    """How well the constraints of one kind of knowledge are met."""

    knowledge: str
    constraints: int
    largest_error: float
    largest_relative_error: float


@dataclass(frozen=True, eq=False)
class Prior:
    """Independent Bernoullis, with node columns own and basis, tables over layers of groups, and a term for listed
    pairs:

        logit P_ij = sum over c of (own[c, i] basis[c, j] + basis[c, i] own[c, j])
                   + sum over layers l of table_l[group[l, i], group[l, j]] + listed_ij

    The first column of the basis is 1, so that own[0] are plain multipliers of nodes.

    >>> from netgiven.priors import degrees
    >>> star = Network.from_edges([("hub", "a"), ("hub", "b"), ("hub", "c")])
    >>> prior = degrees().fit(star)
    >>> prior.probability("hub", "a"), prior.probability("a", "b")
    (1.0, 0.0)
    """

    knowledge: str
    nodes: pd.Index[Any]
    own: Float64Array
    basis: Float64Array
    group: Int32Array  # (layers, nodes)
    tables: Float64Array  # of all layers, one after the other
    width: tuple[int, ...]  # number of groups in each layer
    listed: Listed | None = None
    checks: tuple[Check, ...] = field(default=())

    # ---- pairs -----------------------------------------------------------------------------------------------------

    def log_odds_of(self, first: IntegerArray, second: IntegerArray) -> Float64Array:
        """logit P of pairs given as node numbers; minus or plus infinity where the prior is certain."""
        z = self.by_node.log_odds(Coefficients(self.own, self.tables, np.zeros(0)), first, second)
        if self.listed is not None:
            z = z + look_up(self.listed, first, second)
        return np.asarray(np.where(np.abs(z) > CERTAIN / 2, np.copysign(np.inf, z), z))

    def log_odds(self, pairs: Any) -> Float64Array:
        """logit P of pairs of names; minus or plus infinity where the prior is certain."""
        first, second = number_pairs(self.nodes, pairs)
        z = self.log_odds_of(first, second)
        return np.asarray(np.where(first == second, -np.inf, z))  # the model has no self-loops

    def probabilities(self, pairs: Any) -> Float64Array:
        """P of pairs of names, in the order given."""
        return np.asarray(probability(self.log_odds(pairs)))

    def probability(self, first: Hashable, second: Hashable) -> float:
        """P of one pair of names."""
        return float(self.probabilities([(first, second)])[0])

    # ---- sums over pairs, by classes -------------------------------------------------------------------------------

    @cached_property
    def classes(self) -> Classes:
        """Nodes with the same coefficients."""
        if self.listed is not None:
            return Classes.by_keys([np.arange(len(self.nodes))])
        told = [np.unique(row, return_inverse=True)[1] for row in (*self.own, *self.basis[1:])]
        return Classes.by_keys([*told, *self.group.astype(np.int64)])

    @cached_property
    def by_node(self) -> Layout:
        """Each node a class of its own."""
        return Layout(np.ones(len(self.nodes)), self.basis, self.group.astype(np.int64), self.width, self.listed)

    @cached_property
    def layout(self) -> Layout:
        """Classes of nodes, and what is given of them."""
        some = self.classes.representative
        size, group = self.classes.size.astype(np.float64), self.group[:, some].astype(np.int64)
        return Layout(size, np.ascontiguousarray(self.basis[:, some]), group, self.width, self.listed)

    @cached_property
    def coefficients(self) -> Coefficients:
        """What decides the log-odds of classes."""
        own = np.ascontiguousarray(self.own[:, self.classes.representative])
        return Coefficients(own, self.tables, np.ones(0 if self.listed is None else 1))

    @cached_property
    def expected_degrees(self) -> Float64Array:
        """Expected number of links of each node."""
        degrees = expected_sums(self.layout, self.coefficients).pulls[0]
        return np.where(degrees > IMPOSSIBLE, degrees, 0.0)[self.classes.of]

    def expected_links(
        self, nodes: Iterable[Hashable] | None = None, others: Iterable[Hashable] | None = None
    ) -> float:
        """Expected number of links inside a set of nodes (default: all), or from it to another set.

        A pair whose two nodes are in both sets counts once.
        """
        mine = self._chosen(nodes)
        if others is None:
            return self._inside(mine)
        theirs = self._chosen(others)
        return self._inside(mine | theirs) - self._inside(mine & ~theirs) - self._inside(theirs & ~mine)

    def _chosen(self, nodes: Iterable[Hashable] | None) -> BoolArray:
        chosen = np.full(len(self.nodes), nodes is None)
        if nodes is not None:
            chosen[find_nodes(self.nodes, nodes)] = True
        return chosen

    def _inside(self, chosen: BoolArray) -> float:
        """Expected number of links among some nodes."""
        if not chosen.any():
            return 0.0
        size = np.bincount(self.classes.of, chosen, len(self.classes.size)).astype(np.float64)
        listed = None if self.listed is None else among(self.listed, chosen)
        layout = replace(self.layout, size=size, listed=listed)
        return float(expected_sums(layout, self.coefficients).between[layout.slices[0]].sum()) / 2

    @cached_property
    def _measured(self) -> Float64Array:
        return measured(self.layout, self.coefficients)

    @cached_property
    def entropy(self) -> float:
        """How uncertain the prior leaves the network, in bits."""
        surprise, gain = self._measured
        return max(float(surprise - gain), 0.0) / float(np.log(2))

    def log_likelihood(self, links: IntegerArray) -> float:
        """log P of the network with these links (pairs of node numbers, each once), in nats."""
        z = self.log_odds_of(*links.T)
        sure = np.isposinf(z)
        if np.isneginf(z).any() or sure.sum() < self._certain_links:
            return -np.inf
        return float(z[~sure].sum()) - float(self._measured[0])

    @cached_property
    def _certain_links(self) -> int:
        """Number of pairs that the prior is certain are linked."""
        listed = np.empty(0) if self.listed is None else self.listed.value
        if max(np.abs(part).max(initial=0) for part in (self.own, self.tables, listed)) < CERTAIN / 4:
            return 0
        tables = self.tables.copy()
        tables[self.layout.slices[0]] -= CERTAIN / 2  # only what is certain stays above 0
        sums = expected_sums(self.layout, self.coefficients._replace(tables=tables))
        return round(float(sums.between[self.layout.slices[0]].sum()) / 2)

    def sample(self, seed: int = 0) -> Network:
        """A network drawn from the prior."""
        random = np.random.default_rng(seed)
        by_cells = self.listed is None and len(self.classes.size) <= MOST_CLASSES
        draw = partial(draw_by_cells, self.classes) if by_cells else partial(draw_one_by_one, len(self.nodes))
        links = draw(self.log_odds_of, random)
        names = {"source": self.nodes[links[:, 0]], "target": self.nodes[links[:, 1]]}
        return Network.from_edges(pd.DataFrame(names), nodes=self.nodes)

    # ---- for others ------------------------------------------------------------------------------------------------

    @cached_property
    def arrays(self) -> PriorArrays:
        """What kernels take: one table over the groups that divide those of all layers."""
        keys = Classes.by_keys(list(self.group.astype(np.int64)))
        if len(keys.size) > MOST_GROUPS:
            raise InputError(
                f"The knowledge {self.knowledge} divides the nodes into {len(keys.size):,} groups; an embedding takes "
                f"{MOST_GROUPS:,} at most. Use columns with fewer values, or fewer bins."
            )
        some = keys.representative
        table = sum(
            self.by_node.table(self.tables, layer)[np.ix_(group[some], group[some])]
            for layer, group in enumerate(self.group)
        )
        own, basis = self.own[1:], self.basis[1:]
        left, right = (np.concatenate(parts).astype(np.float32) for parts in ((own, basis), (basis, own)))
        node, group = self.own[0].astype(np.float32), keys.of.astype(np.int32)
        return PriorArrays(
            node, group, np.asarray(table, dtype=np.float32), left, right, both_ways(self.listed, len(node))
        )

    def constraints(self) -> pd.DataFrame:
        """How well each kind of knowledge is met: number of constraints, largest error, largest relative error."""
        return pd.DataFrame(self.checks)

    def __repr__(self) -> str:
        return f"Prior given {self.knowledge}: {len(self.nodes):,} nodes, {self.expected_links():,.1f} links expected"


def look_up(listed: Listed, first: IntegerArray, second: IntegerArray) -> Float64Array:
    """What is listed of pairs; 0 for all others."""
    count = len(listed.indptr) - 1
    keys = np.repeat(np.arange(count), np.diff(listed.indptr)) * count + listed.indices
    wanted = np.minimum(first, second).astype(np.int64) * count + np.maximum(first, second)
    places = np.minimum(np.searchsorted(keys, wanted), max(len(keys) - 1, 0))
    if not len(keys):
        return np.zeros(wanted.shape)
    return np.where(keys[places] == wanted, listed.value[0][places], 0.0)


def among(listed: Listed, chosen: BoolArray) -> Listed:
    """The listed pairs of which both nodes are chosen."""
    rows = np.repeat(np.arange(len(chosen)), np.diff(listed.indptr))
    kept = chosen[rows] & chosen[listed.indices]
    indptr = np.concatenate([[0], np.cumsum(np.bincount(rows[kept], minlength=len(chosen)))])
    return Listed(indptr, listed.indices[kept], np.ascontiguousarray(listed.value[:, kept]))


def both_ways(listed: Listed | None, count: int) -> ListedPairs:
    """Listed pairs i < j in the rows of both nodes."""
    if listed is None:
        return nothing_listed(count)
    upper = sparse.csr_array((listed.value[0], listed.indices, listed.indptr), shape=(count, count))
    matrix = sparse.csr_array(upper + upper.T)
    matrix.sort_indices()
    value = matrix.data.astype(np.float32)
    return ListedPairs(matrix.indptr.astype(np.int64), matrix.indices.astype(np.int32), value)


# ---- What prior and positions say together ---------------------------------------------------------------------------


def posterior_log_odds(
    prior: Prior, positions: Float32Array, spread: Spread, first: IntegerArray, second: IntegerArray
) -> Float64Array:
    """z of pairs given as node numbers; minus or plus infinity where the prior is certain."""
    squared = np.square(positions[first].astype(np.float64) - positions[second]).sum(axis=-1)
    known = prior.log_odds_of(first, second)
    return np.asarray(log_odds(known, spread.reach(positions.shape[1]), spread.stiffness, squared))
