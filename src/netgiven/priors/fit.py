"""From knowledge and a network to the fitted prior: close what is certain, solve the rest, say how well it went."""

from __future__ import annotations

from functools import reduce

import numpy as np
import numpy.typing as npt

from netgiven.determinism import one_blas_thread
from netgiven.errors import InputError
from netgiven.network import Network
from netgiven.priors.certain import MOST_CELLS, find_face, peel, stack_levels
from netgiven.priors.classes import Classes
from netgiven.priors.features import Features
from netgiven.priors.kind import Form, Kind
from netgiven.priors.maxent import Point, Problem, evaluate, solve
from netgiven.priors.prior import CERTAIN, Check, Prior

Doubles = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]

MOST_CLASSES, MOST_CONSTRAINTS = 8_000, 8_000
DOUBTFUL = 1e-8  # a cell that is expected to hold fewer links than this (or fewer non-links) may be certain


def fit(kinds: tuple[Kind, ...], network: Network) -> Prior:
    """The maximum-entropy distribution over networks that expects what is known of this one."""
    classes = Classes.by_keys([kind.key(network) for kind in kinds])
    observed = [kind.observed(network, classes) for kind in kinds]
    _check_size(len(classes.size), sum(map(len, observed)) if len(kinds) > 1 else 0)
    features = reduce(Features.beside, [kind.features(network, classes) for kind in kinds])
    problem = Problem(features, classes.pairs.astype(np.float64), np.concatenate(observed))
    with one_blas_thread():
        multipliers = _multipliers(problem, _start(kinds, network, classes), network, classes)
    places = np.cumsum([len(part) for part in observed])[:-1]
    pieces = zip(kinds, np.split(multipliers, places), strict=True)
    form = reduce(Form.plus, [kind.form(network, classes, piece) for kind, piece in pieces])
    return Prior(
        knowledge="+".join(map(str, kinds)),
        nodes=network.nodes,
        node=form.node[classes.of],
        group=form.group[classes.of].astype(np.int32),
        table=form.table,
        checks=_checks(kinds, problem, multipliers, places),
    )


def _check_size(classes: int, constraints: int) -> None:
    """Classes^2 / 2 cells are held, and for sums of knowledge constraints^2 numbers."""
    if classes > MOST_CLASSES or constraints > MOST_CONSTRAINTS:
        raise InputError(
            f"This knowledge tells {classes:,} classes of nodes apart, with {constraints:,} constraints together; "
            f"{MOST_CLASSES:,} and {MOST_CONSTRAINTS:,} are the most. Use a column with fewer groups."
        )


def _start(kinds: tuple[Kind, ...], network: Network, classes: Classes) -> Doubles:
    """The kind that says most makes a guess; the others begin by adding nothing."""
    guesses = [kind.start(network, classes) for kind in kinds]
    best = max(range(len(guesses)), key=lambda place: len(guesses[place]))
    return np.concatenate([guess if place == best else 0.0 * guess for place, guess in enumerate(guesses)])


def _multipliers(problem: Problem, start: Doubles, network: Network, classes: Classes) -> Doubles:
    """Multipliers of the whole problem: those of what is open, and CERTAIN times the levels of what is not."""
    rounds, open_cells = peel(problem)
    levels = stack_levels(problem, rounds, np.zeros(len(start)))
    point = _solve_open(problem, open_cells, levels, start)
    if _in_doubt(problem, open_cells, point) and open_cells.sum() <= MOST_CELLS:
        face = find_face(problem, open_cells, classes.count_links(network).astype(np.float64))
        if face.levels.any():
            levels = stack_levels(problem, rounds, face.levels)
            point = _solve_open(problem, face.open, levels, start)
    return point.multipliers + CERTAIN * levels


def _solve_open(problem: Problem, open_cells: Mask, levels: Doubles, start: Doubles) -> Point:
    """The multipliers of the open cells alone, given which of the others are linked; 0 where no cell is open."""
    if open_cells.all():
        return solve(problem, start)
    linked = problem.pairs * (~open_cells & (problem.features.times(levels) > 0))
    features = problem.features.of(open_cells)
    rest = problem.observed - problem.features.totals(linked)
    involved = np.bincount(features.column.ravel(), minlength=features.count) > 0
    point = solve(Problem(features.renumbered(involved), problem.pairs[open_cells], rest[involved]), start[involved])
    multipliers, residual = np.zeros(features.count), np.zeros(features.count)
    multipliers[involved], residual[involved] = point.multipliers, point.residual
    return Point(multipliers, point.chance, residual)


def _in_doubt(problem: Problem, open_cells: Mask, point: Point) -> bool:
    """Does an open cell come out so near to 0 or 1 that it might be certain?"""
    pairs = problem.pairs[open_cells]
    return bool(np.any(pairs * np.minimum(point.chance, 1 - point.chance) < DOUBTFUL))


def _checks(
    kinds: tuple[Kind, ...], problem: Problem, multipliers: Doubles, places: npt.NDArray[np.int64]
) -> tuple[Check, ...]:
    """Expected against observed, for each kind of knowledge."""
    errors = np.abs(
        evaluate(problem, multipliers).residual
    )  # sigmoid(CERTAIN / 2) is 1 in float64, and all but 0 below
    relative = errors / np.maximum(problem.observed, 1.0)
    pieces = zip(kinds, np.split(errors, places), np.split(relative, places), strict=True)
    return tuple(Check(str(kind), len(e), float(e.max(initial=0)), float(r.max(initial=0))) for kind, e, r in pieces)
