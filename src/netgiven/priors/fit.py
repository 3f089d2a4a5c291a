"""From knowledge and a network to the fitted prior: close what is certain, solve the rest, say how well it went."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from netgiven.determinism import one_blas_thread
from netgiven.model import probability
from netgiven.network import Network
from netgiven.priors.certain import MOST_CELLS, find_face, peel, stack_levels
from netgiven.priors.classes import Classes
from netgiven.priors.knowledge import Knowledge
from netgiven.priors.maxent import Point, Problem, solve
from netgiven.priors.prior import CERTAIN, Check, Prior

Doubles = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]

DOUBTFUL = 1e-8  # a cell that is expected to hold fewer links than this (or fewer non-links) may be certain


def fit(knowledge: Knowledge, network: Network) -> Prior:
    """The maximum-entropy distribution over networks that expects what is known of this one."""
    with one_blas_thread():
        classes = Classes.by_keys([knowledge.key(network)])
        features = knowledge.features(network, classes)
        problem = Problem(features, classes.pairs.astype(np.float64), knowledge.observed(network, classes))
        multipliers = _multipliers(problem, knowledge, network, classes)
    form = knowledge.form(network, classes, multipliers)
    return Prior(
        knowledge=str(knowledge),
        nodes=network.nodes,
        node=form.node[classes.of],
        group=form.group[classes.of].astype(np.int32),
        table=form.table,
        checks=_checks(problem, knowledge, network, classes, multipliers),
    )


def _multipliers(problem: Problem, knowledge: Knowledge, network: Network, classes: Classes) -> Doubles:
    """Multipliers of the whole problem: those of what is open, and CERTAIN times the levels of what is not."""
    rounds, open_cells = peel(problem)
    start = knowledge.start(network, classes)
    levels = stack_levels(problem, rounds, np.zeros(len(start)))
    point = _solve_open(problem, open_cells, levels, start)
    if _in_doubt(problem, open_cells, point) and open_cells.sum() <= MOST_CELLS:
        links = classes.count_links(network).astype(np.float64)
        face = find_face(problem, open_cells, links)
        if face.levels.any():
            levels = stack_levels(problem, rounds, face.levels)
            point = _solve_open(problem, face.open, levels, start)
    return point.multipliers + CERTAIN * levels


def _solve_open(problem: Problem, open_cells: Mask, levels: Doubles, start: Doubles) -> Point:
    """The multipliers of the open cells alone, given which of the others are linked.

    Constraints without open cells get 0.
    """
    if open_cells.all():
        return solve(problem, start)
    linked = problem.pairs * (~open_cells & (problem.features @ levels > 0))
    features = problem.features[open_cells]
    rest = problem.observed - problem.features.T @ linked
    involved = np.bincount(features.indices, minlength=features.shape[1]) > 0
    return solve(Problem(features, problem.pairs[open_cells], rest * involved), start * involved)


def _in_doubt(problem: Problem, open_cells: Mask, point: Point) -> bool:
    """Does an open cell come out so near to 0 or 1 that it might be certain?"""
    pairs = problem.pairs[open_cells]
    return bool(np.any(pairs * np.minimum(point.chance, 1 - point.chance) < DOUBTFUL))


def _checks(
    problem: Problem, knowledge: Knowledge, network: Network, classes: Classes, multipliers: Doubles
) -> tuple[Check, ...]:
    """Expected against observed, for each part of the knowledge."""
    z = problem.features @ multipliers
    chance = probability(np.where(np.abs(z) > CERTAIN / 2, np.copysign(np.inf, z), z))
    errors = np.abs(problem.features.T @ (problem.pairs * chance) - problem.observed)
    relative = errors / np.maximum(problem.observed, 1.0)
    sizes = np.cumsum([len(part.observed(network, classes)) for part in knowledge.parts])[:-1]
    pieces = zip(knowledge.parts, np.split(errors, sizes), np.split(relative, sizes), strict=True)
    return tuple(Check(str(part), len(e), float(e.max(initial=0)), float(r.max(initial=0))) for part, e, r in pieces)
