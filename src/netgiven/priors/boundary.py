"""Pairs of which the knowledge leaves no doubt.

A node without links, a node linked to all, two groups without a link between them: their probabilities are exactly 0
or 1, and the multipliers that would say so are infinite. Less plainly, a path of four nodes has degrees 1 2 2 1, and
*every* network with these degrees links the two in the middle and not the two at the ends. Formally, the observed
totals lie on a face of the polytope of possible totals.

We find such pairs exactly and give each constraint a *level*, such that the levels of a pair add up to at least 1
where a link is certain, to at most -1 where it is impossible, and to 0 everywhere else. The level times a large
number, added to the multiplier of the remaining problem, says the same in finite numbers.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import optimize, sparse

from netgiven.priors.dual import Problem, scale
from netgiven.priors.features import ListedFeatures, Product, Term
from netgiven.priors.layout import Coefficients, Sums
from netgiven.types import BoolArray, Float64Array, Int32Array, Int64Array

MOST_CELLS = 800_000  # the linear program takes about ten seconds for so many
MOST_KINDS = 3_000
ROUNDING = 1e-9  # of totals, relative


@dataclass(frozen=True, eq=False)
class Peeling:
    """Constraints that can be met in one way only, round by round, and the pairs that this closes.

    Classes to which the same has happened are taken together: `state[a, b]` is 1 where links are certain, -1 where they
    are impossible, 0 where all is open, and `closed_in[a, b]` is the round that decided.
    """

    problem: Problem
    of: Int64Array  # of each class
    state: npt.NDArray[np.int8]
    closed_in: Int32Array
    rounds: tuple[Float64Array, ...] = ()  # the sign of each constraint that was closed

    @classmethod
    def begin(cls, problem: Problem) -> Peeling | None:
        """All is open; nothing, where there are too many kinds of classes for a table of their pairs."""
        sides = [row for row in problem.layout.basis if np.isin(row, (0, 1)).all()]
        _, of = np.unique(np.vstack([*problem.layout.group, *sides]), axis=1, return_inverse=True)
        count = int(of.max(initial=-1)) + 1
        if count > MOST_KINDS:
            return None
        closed_in = np.full((count, count), -1, dtype=np.int32)
        return cls(problem, of.ravel(), np.zeros((count, count), dtype=np.int8), closed_in)

    @property
    def some(self) -> Int64Array:
        """One class of each kind."""
        some = np.empty(len(self.state), dtype=np.int64)
        some[self.of] = np.arange(len(self.of))
        return some

    def totals(self, which: BoolArray) -> Float64Array:
        """The total of each feature over the pairs of some kinds."""
        layout, count = self.problem.layout, len(self.state)
        there = which.astype(np.float64)
        columns = np.stack([np.bincount(self.of, layout.size * base, count) for base in layout.basis])
        pulls = (columns @ there)[:, self.of]
        weighted = columns[0][:, None] * there * columns[0]
        between = np.concatenate([self._join(layer, weighted).ravel() for layer in range(len(layout.group))])
        layout.without_self(pulls, between, there.diagonal()[self.of])
        return self.problem.totals(Sums(pulls, between, np.zeros(len(layout.zeros().listed))))

    def _join(self, layer: int, weighted: Float64Array) -> Float64Array:
        """From pairs of kinds to pairs of groups of a layer."""
        layout, count = self.problem.layout, len(self.state)
        entries = np.ones(count), (np.arange(count), layout.group[layer][self.some])
        join = sparse.csr_array(entries, shape=(count, layout.width[layer]))
        return np.asarray(join.T @ (join.T @ weighted.T).T)

    def room(self) -> Float64Array:
        """The total that each feature would have if all open pairs were linked."""
        return self.totals(self.state == 0)

    def signs(self) -> tuple[Float64Array, Float64Array]:
        """Which open constraints allow no link (-1) or all of them (1), and the room that each has."""
        rest, room = self.problem.observed - self.totals(self.state > 0), self.room()
        return _signs(self.problem, rest, room), room

    def next(self, sign: Float64Array) -> Peeling:
        """After one more round."""
        divided = self._divided(self.problem.coefficients(np.abs(sign)), self.problem.coefficients(sign))
        told, involved = divided.cells(sign), divided.cells(np.abs(sign))
        fresh = (divided.state == 0) & (involved > 0)
        state = np.where(fresh, np.where(told > 0, 1, -1), divided.state).astype(np.int8)
        closed_in = np.where(fresh, np.int32(len(self.rounds)), divided.closed_in)
        return replace(divided, state=state, closed_in=closed_in, rounds=(*self.rounds, sign))

    def _divided(self, *news: Coefficients) -> Peeling:
        """Kinds of classes divided by what coefficients say of them."""
        _, first, of = np.unique(
            np.vstack([self.of, *(new.own for new in news)]), axis=1, return_index=True, return_inverse=True
        )
        parent = self.of[first]
        grid = np.ix_(parent, parent)
        return replace(self, of=of.ravel(), state=self.state[grid], closed_in=self.closed_in[grid])

    def cells(self, multipliers: Float64Array) -> Float64Array:
        """f . multipliers of one pair of each two kinds."""
        some = self.some
        coefficients = self.problem.coefficients(multipliers)
        return self.problem.layout.log_odds(coefficients, some[:, None], some[None, :])

    def _unseen(self, levels: Float64Array) -> float:
        """The most that levels of features which differ within kinds of classes add to a pair."""
        parts = zip(self.problem.terms, self.problem.slices, strict=True)
        return sum(
            term.most * float(np.abs(levels[part]).sum())
            for term, part in parts
            if isinstance(term, (Product, ListedFeatures))
        )

    def levels(self, last: Float64Array) -> Float64Array:
        """Levels such that the first round to close a pair decides it: each round outweighs all later ones."""
        levels, here = last.copy(), self._divided(self.problem.coefficients(last))
        least = _least(self.problem)
        for number, sign in reversed(list(enumerate(self.rounds))):
            against = np.abs(here.cells(levels))[here.closed_in == number].max(initial=0.0) + self._unseen(levels)
            levels = np.where(sign != 0, sign * (1 + np.ceil(against)) / least, levels)
        return levels


def _told_by_kinds(term: Term) -> bool:
    """Do groups and sides tell the features?"""
    return not isinstance(term, (Product, ListedFeatures))


class Closed(NamedTuple):
    """The room that each constraint had at first, which are still open, and the levels that close the rest."""

    room: Float64Array
    free: BoolArray
    levels: Callable[[Float64Array], Float64Array]


def close(problem: Problem) -> Closed:
    """Close what constraints allow in one way only: round by round, or where that takes too much memory, once."""
    peeling = Peeling.begin(problem)
    if peeling is None:
        return _close_once(problem)
    first = peeling.room()
    sign, room = peeling.signs()
    while sign.any() and len(peeling.state) <= MOST_KINDS:
        peeling = peeling.next(sign)
        sign, room = peeling.signs()
    return Closed(first, (room > ROUNDING * scale(problem.observed)) | ~can_tell(problem), peeling.levels)


def _close_once(problem: Problem) -> Closed:
    """One round, from sums over all pairs of classes."""
    sign = _signs(problem, problem.observed, problem.room)
    return Closed(problem.room, sign == 0, lambda last: last + sign / _least(problem))


def _signs(problem: Problem, rest: Float64Array, room: Float64Array) -> Float64Array:
    """Which constraints that are not in doubt allow no link (-1) or all that there is room for (1)."""
    slack = ROUNDING * scale(problem.observed)
    sign = np.where(rest <= slack, -1.0, np.where(rest >= room - slack, 1.0, 0.0))
    return np.asarray(sign * (room > slack) * can_tell(problem) * (problem.doubt == 0))


def can_tell(problem: Problem) -> BoolArray:
    """Of features that are never negative, a total of 0 says that they are 0 throughout."""
    simple = [term.least > 0 and _told_by_kinds(term) for term in problem.terms]
    return np.repeat(simple, [term.count for term in problem.terms])


def _least(problem: Problem) -> Float64Array:
    """The smallest value above 0 of each feature."""
    return np.repeat([term.least or 1.0 for term in problem.terms], [term.count for term in problem.terms])


def listed_levels(problem: Problem) -> Float64Array:
    """Levels of listed features that no link has, or that all their pairs have, and there is no doubt of it."""
    levels = np.zeros(len(problem.observed))
    for term, part in zip(problem.terms, problem.slices, strict=True):
        if isinstance(term, ListedFeatures) and problem.layout.listed is not None and term.least > 0:
            observed, room = problem.observed[part], problem.layout.listed.value.sum(axis=1)
            slack = ROUNDING * scale(observed)
            sign = np.where(observed <= slack, -1.0, np.where(observed >= room - slack, 1.0, 0.0))
            levels[part] = sign * (problem.doubt[part] == 0) / term.least
    return levels


class Face(NamedTuple):
    """The level of each constraint, and which constraints remain open."""

    levels: Float64Array
    free: BoolArray


def find_face(
    problem: Problem,
    cells: tuple[Int64Array, Int64Array],
    open_cells: BoolArray,
    links: Float64Array,
    pairs: Float64Array,
) -> Face:
    """Levels of the open cells that no network with these totals can have otherwise, by linear programming.

    The observed network itself is one such network. A cell with some links and some non-links is open: its level is 0.
    We maximise the number of cells without links (or non-links) whose level can be at most -1 (at least 1). Levels can
    be scaled up freely, so the optimum finds all of them.
    """
    features = problem.features(cells[0][open_cells], cells[1][open_cells])
    sure = sparse.csr_array(features * (problem.doubt == 0))
    empty, full = links[open_cells] <= 0, links[open_cells] >= pairs[open_cells]
    sided = np.flatnonzero(empty | full)
    side = np.where(empty, -1.0, 1.0)[sided]
    levels = _most_levels(sure, sided, side, mixed=np.flatnonzero(~(empty | full)))
    still_open = np.abs(sure @ levels) < 0.5
    return Face(levels, np.asarray(abs(features[still_open]).sum(axis=0)) > 0)


def _most_levels(
    features: sparse.csr_array, sided: npt.NDArray[np.intp], side: Float64Array, mixed: npt.NDArray[np.intp]
) -> Float64Array:
    constraints, count = features.shape[1], len(sided)
    reward = np.concatenate([np.zeros(constraints), -np.ones(count)])
    beyond = sparse.hstack([-(features[sided] * side[:, None]), sparse.eye_array(count)], format="csr")
    level = sparse.hstack([features[mixed], sparse.csr_array((len(mixed), count))], format="csr")
    bounds = [(None, None)] * constraints + [(0, 1)] * count
    found = optimize.linprog(reward, beyond, np.zeros(count), level, np.zeros(len(mixed)), bounds, method="highs")
    levels = np.zeros(constraints) if found.x is None else found.x[:constraints]
    # Where features are whole numbers, vertices are small fractions, and the solver knows them to 1e-9. What else is
    # left of open cells, the multipliers that remain free make up for.
    rounded = np.round(levels * 24) / 24
    return rounded if np.abs(features @ (rounded - levels)).max(initial=0.0) < 1e-6 else levels
