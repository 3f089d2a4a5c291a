"""From knowledge and a network to the fitted prior: close what is certain, solve the rest, say how well it went."""

from __future__ import annotations

import numpy as np

from netgiven.errors import InputError
from netgiven.kernels.pair_sums import Listed
from netgiven.model import probability
from netgiven.network import Network
from netgiven.parallel import one_blas_thread
from netgiven.priors.boundary import MOST_CELLS, Face, close, find_face, listed_levels
from netgiven.priors.constraint import Kind, PairKind
from netgiven.priors.dual import Point, Problem, largest_error, scale, solve
from netgiven.priors.features import ListedFeatures, Place, Table, Term, Towards, lay_out
from netgiven.priors.layout import Classes, Layout, Sums, union
from netgiven.priors.prior import CERTAIN, Check, Prior
from netgiven.priors.unobserved import UnknownPairs, known_pairs, regressed, with_doubts
from netgiven.types import Float64Array

MOST_GROUPS, MOST_CLASSES = 4_000, 50_000
# A cell that is expected to hold fewer links than this (or fewer non-links) may be certain. Features that count to
# hundreds, such as common neighbours, take open cells nearer to 0 and 1 than indicators do.
DOUBTFUL, DOUBTFUL_COUNTS = 1e-8, 1e-12
IMPOSSIBLE = 1e-6  # relative error of totals that are not met
MET = 1e-9  # relative error of totals; where it stays larger, some multipliers may have to be infinite


def fit(kinds: tuple[Kind | PairKind, ...], network: Network) -> Prior:
    """The maximum-entropy distribution over networks that expects what is known of this one."""
    if not kinds:
        raise InputError("Nothing was given; the least that a prior can know is density().")
    plain = [kind for kind in kinds if isinstance(kind, Kind)]
    listed = [kind for kind in kinds if isinstance(kind, PairKind)]
    told, unknown = len(listed), network.unknown
    if unknown is not None and not unknown.lists_known:
        listed.append(UnknownPairs())
    # listed pairs are pairs of node numbers: there, each node is the class of its own number
    keys = [kind.key(network) for kind in kinds]
    classes = Classes.by_keys([np.arange(network.node_count)] if listed or unknown is not None else keys)
    terms = [kind.term(network, classes) for kind in plain]
    if listed:
        terms.append(ListedFeatures([kind.matrix(network) for kind in listed]))
        terms[-1].wanted = np.array([np.nan if kind.total is None else kind.total for kind in listed])
    problem = _problem(terms, network, classes)
    with one_blas_thread():
        point = _point(problem, network, classes)
    _check_possible(problem, point)
    names = [(str(kind), term.count) for kind, term in zip(plain, terms, strict=False)]
    checks = _checks(names + [(str(kind), 1) for kind in listed], problem, point)
    text = "+".join(map(str, kinds))
    return _spread(text, network, classes, problem, point.multipliers, checks[: len(kinds)], told=told)


def _point(problem: Problem, network: Network, classes: Classes) -> Point:
    """Multipliers, and how far totals are from what they must be."""
    unknown = network.unknown
    if unknown is None or not unknown.lists_known:
        return _solve(problem, network, classes)
    pairs, linked = known_pairs(network, unknown)
    features = problem.features(*classes.of[pairs].T)
    multipliers = regressed(problem, features, linked)
    residual = features.T @ (probability(features @ multipliers) - linked) + problem.drawn(multipliers)
    return Point(multipliers, problem.layout.observed(network, classes), residual)


def _problem(terms: list[Term], network: Network, classes: Classes) -> Problem:
    """The terms in a layout, with what the network shows."""
    pairs = [union(term.matrices) for term in terms if isinstance(term, ListedFeatures)]
    layout, places = lay_out(terms, classes.size.astype(np.float64), pairs[0] if pairs else None)
    _check_size(layout)
    sums = layout.observed(network, classes)
    parts = [_observed(term, sums, layout, place) for term, place in zip(terms, places, strict=True)]
    certain = np.zeros(sum(term.count for term in terms))
    return with_doubts(Problem(terms, places, layout, np.concatenate(parts), certain, certain), network, classes)


def _observed(term: Term, sums: Sums, layout: Layout, place: Place) -> Float64Array:
    """What the totals of a term must be: those of the network, but for what was told."""
    shown = term.total(sums, layout.size, place)
    return shown if term.wanted is None else np.where(np.isnan(term.wanted), shown, term.wanted)


def _check_possible(problem: Problem, point: Point) -> None:
    """A sentence, if totals that were told cannot be met."""
    told = problem.told
    wrong = np.flatnonzero(told & (np.abs(point.residual) > IMPOSSIBLE * scale(problem.observed)))
    others = (np.abs(point.residual) > IMPOSSIBLE * scale(problem.observed)).any()
    if len(wrong) or (told.any() and others):
        place = wrong[0] if len(wrong) else np.flatnonzero(told)[0]
        reached = problem.observed[place] + point.residual[place]
        raise InputError(
            f"A constraint was told a total of {problem.observed[place]:g}, which no network has together with the "
            f"rest of what is known; {reached:g} was reached. Check the total."
        )


def _check_size(layout: Layout) -> None:
    """Where more than one multiplier tells classes apart, all pairs of them are looked at; tables hold groups^2."""
    classes = len(layout.size)
    if (len(layout.basis) > 1 or len(layout.group) > 1) and classes > MOST_CLASSES:
        raise InputError(
            f"This knowledge tells {classes:,} classes of nodes apart by more than one number; {MOST_CLASSES:,} are "
            "the most. Round the numbers of the column, or give it in bins."
        )
    if max(layout.width) > MOST_GROUPS:
        raise InputError(
            f"This knowledge divides the nodes into {max(layout.width):,} groups; {MOST_GROUPS:,} are the most. "
            "Use columns with fewer values, or fewer bins."
        )


def _start(problem: Problem, room: Float64Array) -> Float64Array:
    """The kind that says most makes a guess; the others begin by adding nothing."""
    best = max(range(len(problem.terms)), key=lambda place: problem.terms[place].count)
    start = np.zeros(len(problem.observed))
    part = problem.slices[best]
    start[part] = problem.terms[best].start(problem.observed[part], room[part], problem.layout.size)
    return start


def _solve(problem: Problem, network: Network, classes: Classes) -> Point:
    """Multipliers of the whole problem: those of what is open, and CERTAIN times the levels of what is not."""
    if network.node_count < 2:
        nothing = np.zeros(len(problem.observed))
        return Point(nothing, problem.layout.observed(network, classes), nothing)
    closed, listed = close(problem), listed_levels(problem)
    free = closed.free & (listed == 0)
    start = np.where(free, _start(problem, closed.room), 0.0)
    levels = closed.levels(np.zeros(len(start)))
    point = solve(problem, start + CERTAIN * (levels + listed), free)
    if len(classes.size) ** 2 > 2 * MOST_CELLS or problem.told.any():
        return point
    met = largest_error(problem, point, free) <= MET
    face = _face(problem, levels, network, classes, point.multipliers, met)
    if face is None:
        return point
    levels = closed.levels(face.levels) + listed
    return solve(problem, np.where(face.free, start, 0.0) + CERTAIN * levels, face.free & (listed == 0))


def _face(
    problem: Problem, levels: Float64Array, network: Network, classes: Classes, multipliers: Float64Array, met: bool
) -> Face | None:
    """Pairs that are certain for no plain reason, where multipliers leave a doubt, or do not lead to the totals."""
    first, second = classes.cells
    z = problem.features(first, second) @ np.stack([multipliers, levels], axis=1)
    some = classes.representative
    open_cells = (np.abs(z[:, 1]) < 0.5) & network.are_known(some[first], some[second])
    chance, pairs = probability(z[:, 0]), classes.pairs.astype(np.float64)
    doubtful = DOUBTFUL if all(isinstance(term, (Table, Towards)) for term in problem.terms) else DOUBTFUL_COUNTS
    if met and not np.any((pairs * np.minimum(chance, 1 - chance) < doubtful)[open_cells]):
        return None
    face = find_face(problem, (first, second), open_cells, classes.count_links(network).astype(np.float64), pairs)
    return face if face.levels.any() else None


def _checks(names: list[tuple[str, int]], problem: Problem, point: Point) -> tuple[Check, ...]:
    """Expected against observed, for each kind of knowledge."""
    # sigmoid(CERTAIN / 2) is 1 in float64, and all but 0 below
    errors = np.abs(point.residual - problem.drawn(point.multipliers))
    relative = errors / scale(problem.observed)
    places = np.cumsum([count for _, count in names])[:-1]
    parts = zip(names, np.split(errors, places), np.split(relative, places), strict=True)
    return tuple(Check(name, count, float(e.max(initial=0)), float(r.max(initial=0))) for (name, count), e, r in parts)


def _spread(
    knowledge: str,
    network: Network,
    classes: Classes,
    problem: Problem,
    multipliers: Float64Array,
    checks: tuple[Check, ...],
    *,
    told: int,
) -> Prior:
    """From classes to nodes; of listed features, the first `told` are knowledge, and one more lists unknown pairs."""
    coefficients, layout = problem.coefficients(multipliers), problem.layout
    listed = None
    if layout.listed is not None and told:
        value = (coefficients.listed[:told] @ layout.listed.value[:told])[None]
        listed = Listed(layout.listed.indptr, layout.listed.indices, value)
    return Prior(
        knowledge=knowledge,
        nodes=network.nodes,
        own=np.ascontiguousarray(coefficients.own[:, classes.of]),
        basis=np.ascontiguousarray(layout.basis[:, classes.of]),
        group=np.ascontiguousarray(layout.group[:, classes.of].astype(np.int32)),
        tables=coefficients.tables,
        width=layout.width,
        listed=listed,
        checks=checks,
    )
