"""Certain pairs: constraints whose targets lie on the boundary of the marginal polytope.

A node without links, a node linked to all, two groups without a link between them: their probabilities are exactly 0
or 1, and the multipliers of such constraints are infinite. Less obviously, a path of four nodes has degrees 1 2 2 1,
and *every* network with these degrees links the two in the middle and not the two at the ends. Formally, the targets
lie on a face of the polytope of possible totals, and the maximum-entropy distribution is a limit along a *direction of
recession* of the dual.

We find such pairs exactly, in two ways. *Propagation*: a constraint whose remaining total is 0, or as large as its
remaining pairs allow, fixes these pairs, which may fix others in the next round. *Linear programming* finds the rest,
among pairs that come near 0 or 1 where totals are met, and whose levels do not follow from those of all other pairs.
Both give a direction of recession: one level per constraint, such that the levels of a pair add up to at least 1 where
a link is certain, to at most -1 where it is impossible, and to 0 everywhere else. The direction times a large number,
added to the multipliers of the remaining problem, says the same in finite numbers.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import sparse

from netgiven.priors.dual import DualProblem, error_scale
from netgiven.priors.features import FeatureBlock, ProductFeatures, SparseFeatures
from netgiven.priors.layout import Coefficients, PairStatistics
from netgiven.types import BoolArray, Float64Array, Int32Array, Int64Array

MAX_CELLS = 800_000  # the linear program takes about ten seconds for so many
MAX_COARSE_CLASSES = 3_000
MAX_MULTIPLIERS = 3_000  # eigenvectors of so many take ten seconds
ROUNDING = 1e-9  # of totals, relative


class Propagated(NamedTuple):
    """The result of propagation: the capacity of each constraint, which of them are still free, and a function that
    extends a direction of recession of the free ones to all.
    """

    capacity: Float64Array
    free: BoolArray
    recession: Callable[[Float64Array], Float64Array]


def propagate(problem: DualProblem) -> Propagated:
    """Fix the pairs of constraints that can be met in one way only, round by round.

    Where a table of all pairs of coarse classes takes too much memory, there is one round only.
    """
    state = Propagation.begin(problem)
    if state is None:
        return _propagate_once(problem)
    first = state.capacity()
    sign, capacity = state.fixed_signs()
    while sign.any() and len(state.fixed) <= MAX_COARSE_CLASSES:
        state = state.after(sign)
        sign, capacity = state.fixed_signs()
    free = (capacity > ROUNDING * error_scale(problem.targets)) | ~fixes_pairs(problem)
    return Propagated(first, free, state.recession)


def _propagate_once(problem: DualProblem) -> Propagated:
    """One round, from sums over all pairs of classes."""
    sign = _fixed_signs(problem, problem.targets, problem.capacity)
    return Propagated(problem.capacity, sign == 0, lambda last: last + sign / _smallest_positive(problem))


@dataclass(frozen=True, eq=False)
class Propagation:
    """Which pairs are fixed after some rounds.

    Classes with the same history form a coarse class: `fixed[a, b]` is 1 where links are certain, -1 where they are
    impossible, 0 where pairs are free, and `fixed_in[a, b]` is the round that decided.
    """

    problem: DualProblem
    of: Int64Array  # the coarse class of each class
    fixed: npt.NDArray[np.int8]
    fixed_in: Int32Array
    rounds: tuple[Float64Array, ...] = ()  # the sign of each constraint that was fixed

    @classmethod
    def begin(cls, problem: DualProblem) -> Propagation | None:
        """Return the state in which all pairs are free; None if there are too many coarse classes."""
        indicators = [row for row in problem.layout.right if np.isin(row, (0, 1)).all()]
        _, of = np.unique(np.vstack([*problem.layout.group, *indicators]), axis=1, return_inverse=True)
        count = int(of.max(initial=-1)) + 1
        if count > MAX_COARSE_CLASSES:
            return None
        fixed_in = np.full((count, count), -1, dtype=np.int32)
        return cls(problem, of.ravel(), np.zeros((count, count), dtype=np.int8), fixed_in)

    @property
    def representative(self) -> Int64Array:
        """One class of each coarse class."""
        representative = np.empty(len(self.fixed), dtype=np.int64)
        representative[self.of] = np.arange(len(self.of))
        return representative

    def capacity(self) -> Float64Array:
        """Return the total of each feature if all free pairs were linked."""
        return self.totals(self.fixed == 0)

    def fixed_signs(self) -> tuple[Float64Array, Float64Array]:
        """Return which free constraints allow no link (-1) or all of them (1), and the capacity of each."""
        rest, capacity = self.problem.targets - self.totals(self.fixed > 0), self.capacity()
        return _fixed_signs(self.problem, rest, capacity), capacity

    def totals(self, which: BoolArray) -> Float64Array:
        """Return the total of each feature over the pairs of some coarse classes."""
        layout, count = self.problem.layout, len(self.fixed)
        linked = which.astype(np.float64)
        columns = np.stack([np.bincount(self.of, layout.size * row, count) for row in layout.right])
        node_sums = (columns @ linked)[:, self.of]
        weighted = columns[0][:, None] * linked * columns[0]
        group_sums = np.concatenate([self._group_sums(layer, weighted).ravel() for layer in range(len(layout.group))])
        layout.subtract_self_pairs(node_sums, group_sums, linked.diagonal()[self.of])
        return self.problem.totals(PairStatistics(node_sums, group_sums, np.zeros(len(layout.zeros().listed))))

    def _group_sums(self, layer: int, weighted: Float64Array) -> Float64Array:
        """Add up values of pairs of coarse classes to pairs of groups of a layer."""
        layout, count = self.problem.layout, len(self.fixed)
        entries = np.ones(count), (np.arange(count), layout.group[layer][self.representative])
        member = sparse.csr_array(entries, shape=(count, layout.width[layer]))
        return np.asarray(member.T @ (member.T @ weighted.T).T)

    def after(self, sign: Float64Array) -> Propagation:
        """Return the state after one more round."""
        refined = self._refined(self.problem.coefficients(np.abs(sign)), self.problem.coefficients(sign))
        signed, involved = refined.cells(sign), refined.cells(np.abs(sign))
        fresh = (refined.fixed == 0) & (involved > 0)
        fixed = np.where(fresh, np.where(signed > 0, 1, -1), refined.fixed).astype(np.int8)
        fixed_in = np.where(fresh, np.int32(len(self.rounds)), refined.fixed_in)
        return replace(refined, fixed=fixed, fixed_in=fixed_in, rounds=(*self.rounds, sign))

    def _refined(self, *coefficients: Coefficients) -> Propagation:
        """Divide coarse classes by their coefficients."""
        _, first, of = np.unique(
            np.vstack([self.of, *(one.left for one in coefficients)]), axis=1, return_index=True, return_inverse=True
        )
        parent = self.of[first]
        grid = np.ix_(parent, parent)
        return replace(self, of=of.ravel(), fixed=self.fixed[grid], fixed_in=self.fixed_in[grid])

    def cells(self, multipliers: Float64Array) -> Float64Array:
        """Return f . multipliers for one pair of each two coarse classes."""
        some = self.representative
        coefficients = self.problem.coefficients(multipliers)
        return self.problem.layout.log_odds(coefficients, some[:, None], some[None, :])

    def recession(self, last: Float64Array) -> Float64Array:
        """Extend a direction of recession of the free constraints to all.

        The first round to fix a pair decides it: the levels of each round outweigh those of all later ones.
        """
        levels, here = last.copy(), self._refined(self.problem.coefficients(last))
        smallest = _smallest_positive(self.problem)
        for number, sign in reversed(list(enumerate(self.rounds))):
            against = np.abs(here.cells(levels))[here.fixed_in == number].max(initial=0.0) + self._unresolved(levels)
            levels = np.where(sign != 0, sign * (1 + np.ceil(against)) / smallest, levels)
        return levels

    def _unresolved(self, levels: Float64Array) -> float:
        """Bound what levels of features that differ within coarse classes add to a pair."""
        parts = zip(self.problem.blocks, self.problem.slices, strict=True)
        return sum(
            block.largest * float(np.abs(levels[part]).sum())
            for block, part in parts
            if isinstance(block, (ProductFeatures, SparseFeatures))
        )


def _fixed_signs(problem: DualProblem, rest: Float64Array, capacity: Float64Array) -> Float64Array:
    """Return which constraints without a ridge allow no link (-1) or all that they have capacity for (1)."""
    tolerance = ROUNDING * error_scale(problem.targets)
    sign = np.where(rest <= tolerance, -1.0, np.where(rest >= capacity - tolerance, 1.0, 0.0))
    return np.asarray(sign * (capacity > tolerance) * fixes_pairs(problem) * (problem.ridge == 0))


def fixes_pairs(problem: DualProblem) -> BoolArray:
    """Return which features are never negative and known by class, so that a total of 0 rules out all their pairs."""
    simple = [block.smallest_positive > 0 and _is_constant_in_groups(block) for block in problem.blocks]
    return problem.per_multiplier(np.array(simple, dtype=np.bool_))


def _is_constant_in_groups(block: FeatureBlock) -> bool:
    return not isinstance(block, (ProductFeatures, SparseFeatures))


def _smallest_positive(problem: DualProblem) -> Float64Array:
    """Return the smallest value above 0 of each feature."""
    return problem.per_multiplier(np.array([block.smallest_positive or 1.0 for block in problem.blocks]))


def sparse_recession(problem: DualProblem) -> Float64Array:
    """Return levels of sparse features without a ridge whose pairs are all linked, or none of them."""
    levels = np.zeros(len(problem.targets))
    for block, part in zip(problem.blocks, problem.slices, strict=True):
        if isinstance(block, SparseFeatures) and problem.layout.listed is not None and block.smallest_positive > 0:
            targets, capacity = problem.targets[part], problem.layout.listed.value.sum(axis=1)
            tolerance = ROUNDING * error_scale(targets)
            sign = np.where(targets <= tolerance, -1.0, np.where(targets >= capacity - tolerance, 1.0, 0.0))
            levels[part] = sign * (problem.ridge[part] == 0) / block.smallest_positive
    return levels


class Recession(NamedTuple):
    """A direction of recession, one level per constraint, and which constraints remain free."""

    levels: Float64Array
    free: BoolArray


def find_recession(
    problem: DualProblem,
    cells: tuple[Int64Array, Int64Array],
    free_cells: BoolArray,
    links: Float64Array,
    pairs: Float64Array,
    undecided: BoolArray,
) -> Recession:
    """Find by linear programming the free cells that are the same in all networks with these totals.

    The observed network is one such network. A cell with some links and some non-links is free: its level is 0. So is
    that of a cell which is not `undecided`. We maximise the number of the other cells whose level can be at most -1 (at
    least 1, where all pairs are links). Levels can be scaled up freely, so the optimum finds all of them.
    """
    features = problem.features(cells[0][free_cells], cells[1][free_cells])
    exact = sparse.csr_array(features * (problem.ridge == 0))
    empty, full = links[free_cells] <= 0, links[free_cells] >= pairs[free_cells]
    levels = _find_levels(exact, np.where(empty, -1.0, 1.0) * (undecided[free_cells] & (empty | full)))
    still_free = np.abs(exact @ levels) < 0.5
    return Recession(levels, np.asarray(abs(features[still_free]).sum(axis=0)) > 0)


def _find_levels(features: sparse.csr_array, sign: Float64Array) -> Float64Array:
    """Return levels that are 0 where there is no sign; elsewhere, in as many cells as possible, at least 1 along it."""
    sign = np.where(_follows_from(features, sign == 0), 0.0, sign)
    if not sign.any():
        return np.zeros(features.shape[1])
    signed = sparse.csr_array(features * np.where(sign, sign, 1.0)[:, None])
    return _solve_linear_program(_distinct(signed[sign != 0]), _distinct(signed[sign == 0]))


def _follows_from(features: sparse.csr_array, zero: BoolArray) -> BoolArray:
    """Return in which cells all levels are 0 that are 0 in some: no linear program is needed for these.

    Such levels are combinations of the eigenvectors of eigenvalue 0 of the Gram matrix of features.
    """
    if features.shape[1] > MAX_MULTIPLIERS:
        return zero
    scale = np.sqrt(np.maximum(np.asarray((features**2).sum(axis=0)).ravel(), 1e-300))
    scaled = sparse.csr_array(features / scale)
    gram = scaled[zero].T @ scaled[zero]
    values, vectors = np.linalg.eigh(gram.toarray())
    return np.asarray(np.abs(scaled @ vectors[:, values < ROUNDING]).max(axis=1, initial=0.0) < ROUNDING) | zero


def _distinct(features: sparse.csr_array) -> sparse.csr_array:
    """Return each row once. Equal rows have the same product with random numbers, and others have not."""
    keys = features @ np.random.default_rng(0).random(features.shape[1])
    return sparse.csr_array(features[np.unique(keys, return_index=True)[1]])


def _solve_linear_program(beyond: sparse.csr_array, level: sparse.csr_array) -> Float64Array:
    """Return levels d with beyond @ d >= 1 in as many rows as possible, >= 0 in the others, and level @ d = 0."""
    count, constraints = beyond.shape
    cost = np.concatenate([np.zeros(constraints), -np.ones(count)])
    rows = sparse.hstack([-beyond, sparse.eye_array(count)], format="csr")
    equal = sparse.hstack([level, sparse.csr_array((level.shape[0], count))], format="csr")
    bounds = [(None, None)] * constraints + [(0, 1)] * count
    from scipy.optimize import linprog  # takes long to import, and is rarely needed

    found = linprog(cost, rows, np.zeros(count), equal, np.zeros(level.shape[0]), bounds, method="highs")
    levels = np.zeros(constraints) if found.x is None else found.x[:constraints]
    # Where features are whole numbers, vertices are small fractions, and the solver knows them to 1e-9. Any level that
    # is left in free cells is compensated by the multipliers that remain free.
    rounded = np.round(levels * 24) / 24
    errors = [np.abs(part @ (rounded - levels)).max(initial=0.0) for part in (beyond, level)]
    return rounded if max(errors) < 1e-6 else levels
