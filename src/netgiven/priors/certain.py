"""Pairs of which the knowledge leaves no doubt.

A node without links, a node linked to all, two groups without a link between them: their probabilities are exactly 0
or 1, and the multipliers that would say so are infinite. Less plainly, a path of four nodes has degrees 1 2 2 1, and
*every* network with these degrees links the two in the middle and not the two at the ends. Formally, the observed
totals lie on a face of the polytope of possible totals.

We find such cells exactly and give each constraint a *level*, such that the levels of a cell add up to at least 1
where a link is certain, to at most -1 where it is impossible, and to 0 everywhere else. The level times a large
number, added to the multiplier of the remaining problem, says the same in finite numbers.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import optimize, sparse

from netgiven.priors.maxent import Problem

Doubles = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]

MOST_CELLS = 800_000  # the linear program takes about ten seconds for so many


class Certainty(NamedTuple):
    """The level of each constraint, and which cells remain open."""

    levels: Doubles
    open: Mask


class Round(NamedTuple):
    """Constraints found to be met in one way only, with their sign, and the cells that this closes."""

    sign: Doubles
    closed: Mask


def peel(problem: Problem) -> tuple[list[Round], Mask]:
    """Close, round by round, the cells of constraints that allow no link or all of them; also the cells left open."""
    features, pairs = problem.features, problem.pairs
    rest, open_cells = problem.observed.copy(), np.ones(len(pairs), dtype=bool)
    rounds: list[Round] = []
    while True:
        capacity = features.totals(pairs * open_cells)
        sign = np.where(rest <= 0, -1.0, np.where(rest >= capacity, 1.0, 0.0)) * (capacity > 0)
        if not sign.any():
            return rounds, open_cells
        closed = open_cells & (features.times(np.abs(sign)) > 0)
        linked = closed & (features.times(sign) > 0)
        rest -= features.totals(pairs * linked)
        open_cells = open_cells & ~closed
        rounds.append(Round(sign, closed))


def stack_levels(problem: Problem, rounds: list[Round], last: Doubles) -> Doubles:
    """Levels such that the first round to close a cell decides it: each round outweighs all later ones."""
    levels = last.copy()
    for sign, closed in reversed(rounds):
        against = np.abs(problem.features.times(levels))[closed].max(initial=0.0)
        levels = np.where(sign != 0, sign * (1 + np.ceil(against)), levels)
    return levels


def find_face(problem: Problem, open_cells: Mask, links: Doubles) -> Certainty:
    """Levels of the open cells that no network with these totals can have otherwise, by linear programming.

    The observed network itself is one such network. A cell with some links and some non-links is open: its level is 0.
    We maximise the number of cells without links (or non-links) whose level can be at most -1 (at least 1). Levels can
    be scaled up freely, so the optimum finds all of them.
    """
    features = problem.features.of(open_cells).matrix()
    empty, full = links[open_cells] <= 0, links[open_cells] >= problem.pairs[open_cells]
    sided = np.flatnonzero(empty | full)
    side = np.where(empty, -1.0, 1.0)[sided]
    levels = _most_levels(features, sided, side, mixed=np.flatnonzero(~(empty | full)))
    closed = np.zeros(len(open_cells), dtype=bool)
    closed[np.flatnonzero(open_cells)] = np.abs(features @ levels) > 0.5
    return Certainty(levels, open_cells & ~closed)


def _most_levels(
    features: sparse.csr_array, sided: npt.NDArray[np.intp], side: Doubles, mixed: npt.NDArray[np.intp]
) -> Doubles:
    constraints, count = features.shape[1], len(sided)
    reward = np.concatenate([np.zeros(constraints), -np.ones(count)])
    beyond = sparse.hstack([-(features[sided] * side[:, None]), sparse.eye_array(count)], format="csr")
    level = sparse.hstack([features[mixed], sparse.csr_array((len(mixed), count))], format="csr")
    bounds = [(None, None)] * constraints + [(0, 1)] * count
    found = optimize.linprog(reward, beyond, np.zeros(count), level, np.zeros(len(mixed)), bounds, method="highs")
    levels = np.zeros(constraints) if found.x is None else found.x[:constraints]
    rounded = np.round(levels * 24) / 24  # vertices are small fractions; the solver knows them to 1e-9
    wrong = np.abs(features[mixed] @ rounded) > 1e-12
    return np.zeros(constraints) if wrong.any() else rounded
