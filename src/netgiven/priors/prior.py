"""The fitted prior: a probability for each pair of nodes, from what is known alone."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy import special

from netgiven.kernels.arrays import PriorArrays, plain_prior
from netgiven.model import log_probability, probability
from netgiven.network import Network, find_nodes
from netgiven.pairs import number_pairs
from netgiven.priors.classes import Classes, Integers

Doubles = npt.NDArray[np.float64]

# A certain pair has infinite log-odds, from multipliers that would be infinite too. They are kept finite, as multiples
# of CERTAIN: so far out that no embedding brings a pair back, and near enough that float32 adds them to ordinary ones
# without loss that matters.
CERTAIN = 1024.0


@dataclass(frozen=True)
class Check:
    """How well the constraints of one kind of knowledge are met."""

    knowledge: str
    constraints: int
    largest_error: float
    largest_relative_error: float


@dataclass(frozen=True, eq=False)
class Prior:
    """Independent Bernoullis: logit P_ij = node[i] + node[j] + table[group[i], group[j]].

    >>> from netgiven.priors import degrees
    >>> star = Network.from_edges([("hub", "a"), ("hub", "b"), ("hub", "c")])
    >>> prior = degrees().fit(star)
    >>> prior.probability("hub", "a"), prior.probability("a", "b")
    (1.0, 0.0)
    """

    knowledge: str
    nodes: pd.Index[Any]
    node: Doubles
    group: npt.NDArray[np.int32]
    table: Doubles
    checks: tuple[Check, ...] = field(default=())

    # ---- pairs -----------------------------------------------------------------------------------------------------

    def log_odds_of(self, first: npt.NDArray[np.integer], second: npt.NDArray[np.integer]) -> Doubles:
        """logit P of pairs given as node numbers; minus or plus infinity where the prior is certain."""
        z = self.node[first] + self.node[second] + self.table[self.group[first], self.group[second]]
        return np.asarray(np.where(np.abs(z) > CERTAIN / 2, np.copysign(np.inf, z), z))

    def log_odds(self, pairs: Any) -> Doubles:
        """logit P of pairs of names; minus or plus infinity where the prior is certain."""
        first, second = number_pairs(self.nodes, pairs)
        z = self.log_odds_of(first, second)
        return np.asarray(np.where(first == second, -np.inf, z))  # the model has no self-loops

    def probabilities(self, pairs: Any) -> Doubles:
        """P of pairs of names, in the order given."""
        return np.asarray(probability(self.log_odds(pairs)))

    def probability(self, first: Hashable, second: Hashable) -> float:
        """P of one pair of names."""
        return float(self.probabilities([(first, second)])[0])

    # ---- sums over pairs, by classes -------------------------------------------------------------------------------

    @cached_property
    def classes(self) -> Classes:
        """Nodes with the same multipliers."""
        _, multiplier = np.unique(self.node, return_inverse=True)
        return Classes.by_keys([multiplier, self.group.astype(np.int64)])

    @cached_property
    def between(self) -> Doubles:
        """P between one node of each class and one of each other."""
        some = self.classes.representative
        return np.asarray(probability(self.log_odds_of(some[:, None], some[None, :])))

    @cached_property
    def expected_degrees(self) -> Doubles:
        """Expected number of links of each node."""
        own = self.between.diagonal()
        return (self.between @ self.classes.size - own)[self.classes.of]

    def expected_links(
        self, nodes: Iterable[Hashable] | None = None, others: Iterable[Hashable] | None = None
    ) -> float:
        """Expected number of links inside a set of nodes (default: all), or from it to another set.

        A pair whose two nodes are in both sets counts once.
        """
        mine = self._class_counts(nodes)
        if others is None:
            return float(mine @ self.between @ mine - mine @ self.between.diagonal()) / 2
        theirs = self._class_counts(others)
        here, there = self._numbers(nodes), self._numbers(others)
        both = np.bincount(self.classes.of[np.intersect1d(here, there)], minlength=len(mine)).astype(np.float64)
        twice = float(both @ self.between @ both - both @ self.between.diagonal()) / 2
        return float(mine @ self.between @ theirs - both @ self.between.diagonal()) - twice

    def _numbers(self, nodes: Iterable[Hashable] | None) -> Integers:
        return np.arange(len(self.nodes)) if nodes is None else np.unique(find_nodes(self.nodes, nodes))

    def _class_counts(self, nodes: Iterable[Hashable] | None) -> Doubles:
        return np.bincount(self.classes.of[self._numbers(nodes)], minlength=len(self.classes.size)).astype(np.float64)

    @cached_property
    def entropy(self) -> float:
        """How uncertain the prior leaves the network, in bits."""
        chance = self.between[self.classes.cells]
        return float(self.classes.pairs @ (special.entr(chance) + special.entr(1 - chance)) / np.log(2))

    def log_likelihood(self, links: npt.NDArray[np.integer]) -> float:
        """log P of the network with these links (pairs of node numbers, each once), in nats."""
        low, high = np.sort(self.classes.of[links], axis=1).T
        linked = self.classes.count_pairs(low, high)
        cells = self.log_odds_of(*self.classes.representative[np.stack(self.classes.cells)])
        return _weighted(linked, log_probability(cells, True)) + _weighted(
            self.classes.pairs - linked, log_probability(cells, False)
        )

    def sample(self, seed: int = 0) -> Network:
        """A network drawn from the prior: a binomial number of links for each cell, at random places in it."""
        random = np.random.default_rng(seed)
        first, second = self.classes.cells
        counts = random.binomial(self.classes.pairs, self.between[first, second])
        order = np.argsort(self.classes.of, kind="stable")
        begins = np.concatenate([[0], np.cumsum(self.classes.size)])
        links = [
            _draw_pairs(
                random, int(counts[c]), order[begins[u] : begins[u + 1]], order[begins[v] : begins[v + 1]], u == v
            )
            for c, u, v in ((c, first[c], second[c]) for c in np.flatnonzero(counts))
        ]
        numbers = np.concatenate(links) if links else np.empty((0, 2), dtype=np.int64)
        names = {"source": self.nodes[numbers[:, 0]], "target": self.nodes[numbers[:, 1]]}
        return Network.from_edges(pd.DataFrame(names), nodes=self.nodes)

    # ---- for others ------------------------------------------------------------------------------------------------

    @cached_property
    def arrays(self) -> PriorArrays:
        """What kernels take."""
        return plain_prior(self.node.astype(np.float32), self.group, self.table.astype(np.float32))

    def constraints(self) -> pd.DataFrame:
        """How well each kind of knowledge is met: number of constraints, largest error, largest relative error."""
        return pd.DataFrame(self.checks)

    def __repr__(self) -> str:
        return f"Prior given {self.knowledge}: {len(self.nodes):,} nodes, {self.expected_links():,.1f} links expected"


def _weighted(counts: Integers, values: Doubles) -> float:
    """sum of counts x values, in which what does not occur counts nothing, even if it is infinite."""
    some = counts > 0
    return float(counts[some] @ values[some])


def _draw_pairs(random: np.random.Generator, count: int, ours: Integers, theirs: Integers, inside: bool) -> Integers:
    """`count` distinct pairs of nodes between two classes, or inside one."""
    if not inside:
        places = random.choice(len(ours) * len(theirs), count, replace=False)
        return np.column_stack([ours[places // len(theirs)], theirs[places % len(theirs)]])
    places = random.choice(len(ours) * (len(ours) - 1) // 2, count, replace=False)
    high = ((1 + np.sqrt(1 + 8 * places.astype(np.float64))) // 2).astype(np.int64)
    high += (high * (high + 1) // 2 <= places).astype(np.int64) - (high * (high - 1) // 2 > places)
    return np.column_stack([ours[places - high * (high - 1) // 2], ours[high]])
