"""Fit a prior: find certain pairs, solve the dual for the rest, and report how well each constraint is met."""

from __future__ import annotations

import numpy as np

from netgiven.edges import shown
from netgiven.errors import InputError, UnconstrainedPairs
from netgiven.kernels.pair_sums import ListedFeatures
from netgiven.model import CERTAIN, probability
from netgiven.network import Network
from netgiven.parallel import single_blas_thread
from netgiven.priors.boundary import MAX_CELLS, Recession, find_recession, propagate, sparse_recession
from netgiven.priors.constraints import Constraint, PairConstraint
from netgiven.priors.dual import DualPoint, DualProblem, error_scale, largest_error, solve
from netgiven.priors.features import DegreeFeatures, FeatureBlock, Slot, SparseFeatures, build_layout
from netgiven.priors.layout import Classes, Layout, PairStatistics, list_pairs
from netgiven.priors.missing_links import expected_degrees
from netgiven.priors.prior import Check, Prior
from netgiven.priors.unobserved import UnobservedPairsConstraint, add_ridge, fit_observed_pairs, list_observed_pairs
from netgiven.types import Float64Array

MAX_GROUPS, MAX_CLASSES = 4_000, 50_000
# A cell that is expected to hold fewer links than the first (or fewer non-links) may be certain; where totals are met,
# one that is expected to hold more than the second is not.
NEARLY_CERTAIN, UNCERTAIN = 1e-8, 1e-6
UNMET = 1e-6  # relative error of totals that cannot be met
MET = 1e-9  # relative error of totals; where it stays larger, some multipliers may have to be infinite


def fit(constraints: tuple[Constraint | PairConstraint, ...], network: Network) -> Prior:
    """Fit the maximum-entropy distribution over networks that meets the constraints in expectation."""
    if not constraints:
        raise InputError("Nothing was given; the least that a prior can know is density().")
    by_class = [one for one in constraints if isinstance(one, Constraint)]
    by_pair = [one for one in constraints if isinstance(one, PairConstraint)]
    listed_count, unobserved = len(by_pair), network.unobserved
    if unobserved is not None and not unobserved.lists_observed:
        by_pair.append(UnobservedPairsConstraint())
    # listed pairs are pairs of node numbers: there, each node is the class of its number
    keys = [one.node_keys(network) for one in constraints]
    classes = Classes.by_keys([np.arange(network.node_count)] if by_pair or unobserved is not None else keys)
    blocks = [one.features(network, classes) for one in by_class]
    if by_pair:
        blocks.append(SparseFeatures([one.matrix(network) for one in by_pair]))
        blocks[-1].user_totals = np.array([np.nan if one.total is None else one.total for one in by_pair])
    problem = _build_problem(blocks, network, classes)
    text = "+".join(map(str, constraints))
    _check_constrained(problem, network, classes, text)
    with single_blas_thread():
        point = _fit_multipliers(problem, network, classes)
    _check_user_totals(problem, point)
    names = [(str(one), block.count) for one, block in zip(by_class, blocks, strict=False)]
    checks = _check_totals(names + [(str(one), 1) for one in by_pair], problem, point)
    checks = checks[: len(constraints)]
    return _build_prior(text, network, classes, problem, point.multipliers, checks=checks, listed_count=listed_count)


def _build_problem(blocks: list[FeatureBlock], network: Network, classes: Classes) -> DualProblem:
    """Put the features into a layout, with the totals of the network as targets."""
    pairs = [list_pairs(block.matrices) for block in blocks if isinstance(block, SparseFeatures)]
    layout, slots = build_layout(blocks, classes.size.astype(np.float64), pairs[0] if pairs else None)
    _check_size(layout)
    sums = layout.observed_statistics(network, classes)
    targets = [_targets(block, sums, layout, slot) for block, slot in zip(blocks, slots, strict=True)]
    no_ridge = np.zeros(sum(block.count for block in blocks))
    return add_ridge(DualProblem(blocks, slots, layout, np.concatenate(targets), no_ridge, no_ridge), network, classes)


def _targets(block: FeatureBlock, sums: PairStatistics, layout: Layout, slot: Slot) -> Float64Array:
    """Return the totals of the network, except for those set by the user and uncertain degrees."""
    observed = block.total(sums, layout.size, slot)
    if isinstance(block, DegreeFeatures) and block.uncertainty:
        return _uncertain_degrees(block, observed, layout)
    return observed if block.user_totals is None else np.where(np.isnan(block.user_totals), observed, block.user_totals)


def _uncertain_degrees(block: DegreeFeatures, observed: Float64Array, layout: Layout) -> Float64Array:
    """Return expected degrees. Each group of nodes keeps its sum, so they agree with all that is known of groups."""
    groups = np.vstack([*layout.group, block.target_group])
    pool = np.unique(groups, axis=1, return_inverse=True)[1].ravel()
    size = layout.size.astype(np.int64)
    degrees = np.rint(observed.reshape(block.group_count, -1) / layout.size).astype(np.int64)
    expected = np.stack([expected_degrees(row, size, pool) for row in degrees])
    return np.asarray(((1 - block.uncertainty) * degrees + block.uncertainty * expected) * layout.size).ravel()


def _check_constrained(problem: DualProblem, network: Network, classes: Classes, text: str) -> None:
    """Raise `UnconstrainedPairs` if all features of some pair are 0.

    In a network of many classes, some cells are looked at.
    """
    if any(block.constant_sum for block in problem.blocks):
        return
    first, second = classes.some_cells(MAX_CELLS)
    free = np.flatnonzero(np.asarray(abs(problem.features(first, second)).sum(axis=1)) == 0)
    if len(free):
        one, other = classes.nodes_of_cell(int(first[free[0]]), int(second[free[0]]))
        raise UnconstrainedPairs(
            f"{text} says nothing about some pairs, such as {shown(network.nodes[one])} and "
            f"{shown(network.nodes[other])}, which would be linked with probability one half. Add density or degrees: "
            f"density+{text}."
        )


def _check_size(layout: Layout) -> None:
    """Where more than one multiplier tells classes apart, all their pairs are summed; tables hold groups^2 numbers."""
    classes = len(layout.size)
    if (len(layout.right) > 1 or len(layout.group) > 1) and classes > MAX_CLASSES:
        raise InputError(
            f"This knowledge tells {classes:,} classes of nodes apart by more than one number; {MAX_CLASSES:,} are "
            "the most. Round the numbers of the column, or give it in bins."
        )
    if max(layout.width) > MAX_GROUPS:
        raise InputError(
            f"This knowledge divides the nodes into {max(layout.width):,} groups; {MAX_GROUPS:,} are the most. "
            "Use columns with fewer values, or fewer bins."
        )


def _fit_multipliers(problem: DualProblem, network: Network, classes: Classes) -> DualPoint:
    """Minimise the dual over all pairs, or where few pairs are observed, over these."""
    unobserved = network.unobserved
    if unobserved is None or not unobserved.lists_observed:
        return _fit_all_pairs(problem, network, classes)
    pairs, linked = list_observed_pairs(network, unobserved)
    features = problem.features(*classes.of[pairs].T)
    multipliers = fit_observed_pairs(problem, features, linked)
    residual = features.T @ (probability(features @ multipliers) - linked) + problem.ridge_gradient(multipliers)
    return DualPoint(multipliers, problem.layout.observed_statistics(network, classes), residual)


def _fit_all_pairs(problem: DualProblem, network: Network, classes: Classes) -> DualPoint:
    """Return the multipliers of free constraints, plus CERTAIN times the direction of recession of the others."""
    if network.node_count < 2:
        zeros = np.zeros(len(problem.targets))
        return DualPoint(zeros, problem.layout.observed_statistics(network, classes), zeros)
    propagated, listed = propagate(problem), sparse_recession(problem)
    free = propagated.free & (listed == 0)
    initial = np.where(free, _initial_multipliers(problem, propagated.capacity), 0.0)
    levels = propagated.recession(np.zeros(len(initial)))
    point = solve(problem, initial + CERTAIN * (levels + listed), free)
    if len(classes.size) ** 2 > 2 * MAX_CELLS or problem.is_user_total.any():
        return point
    met = largest_error(problem, point, free) <= MET
    found = _search_recession(problem, levels, network, classes, point.multipliers, met)
    if found is None:
        return point
    levels = propagated.recession(found.levels) + listed
    return solve(problem, np.where(found.free, initial, 0.0) + CERTAIN * levels, found.free & (listed == 0))


def _initial_multipliers(problem: DualProblem, capacity: Float64Array) -> Float64Array:
    """Take the guess of the block with the most multipliers; the others begin at 0."""
    best = max(range(len(problem.blocks)), key=lambda index: problem.blocks[index].count)
    initial = np.zeros(len(problem.targets))
    part = problem.slices[best]
    initial[part] = problem.blocks[best].initial(problem.targets[part], capacity[part], problem.layout.size)
    return initial


def _search_recession(
    problem: DualProblem, levels: Float64Array, network: Network, classes: Classes, multipliers: Float64Array, met: bool
) -> Recession | None:
    """Search for certain pairs that propagation misses, if a free cell is nearly certain or totals are unmet."""
    first, second = classes.cells
    z = problem.features(first, second) @ np.stack([multipliers, levels], axis=1)
    some = classes.representative
    free_cells = (np.abs(z[:, 1]) < 0.5) & network.are_observed(some[first], some[second])
    p, pairs = probability(z[:, 0]), classes.pairs.astype(np.float64)
    rest = pairs * np.minimum(p, 1 - p)
    if met and not np.any((rest < NEARLY_CERTAIN)[free_cells]):
        return None
    links = classes.count_links(network).astype(np.float64)
    undecided = (rest < UNCERTAIN) | (not met)
    found = find_recession(problem, (first, second), free_cells, links, pairs, undecided)
    return found if found.levels.any() else None


def _check_user_totals(problem: DualProblem, point: DualPoint) -> None:
    """Raise `InputError` if totals set by the user cannot be met."""
    by_user = problem.is_user_total
    unmet = np.abs(point.residual) > UNMET * error_scale(problem.targets)
    wrong = np.flatnonzero(by_user & unmet)
    if len(wrong) or (by_user.any() and unmet.any()):
        index = wrong[0] if len(wrong) else np.flatnonzero(by_user)[0]
        reached = problem.targets[index] + point.residual[index]
        raise InputError(
            f"A constraint was given a total of {problem.targets[index]:g}, which no network has together with the "
            f"rest of what is known; {reached:g} was reached. Check the total."
        )


def _check_totals(names: list[tuple[str, int]], problem: DualProblem, point: DualPoint) -> tuple[Check, ...]:
    """Compare expected totals with their targets, for each constraint."""
    errors = np.abs(point.residual - problem.ridge_gradient(point.multipliers))
    relative = errors / error_scale(problem.targets)
    ends = np.cumsum([count for _, count in names])[:-1]
    parts = zip(names, np.split(errors, ends), np.split(relative, ends), strict=True)
    return tuple(Check(name, count, float(e.max(initial=0)), float(r.max(initial=0))) for (name, count), e, r in parts)


def _build_prior(
    knowledge: str,
    network: Network,
    classes: Classes,
    problem: DualProblem,
    multipliers: Float64Array,
    *,
    checks: tuple[Check, ...],
    listed_count: int,
) -> Prior:
    """Expand from classes to nodes. A listed feature after the first `listed_count` marks unobserved pairs: drop it."""
    coefficients, layout = problem.coefficients(multipliers), problem.layout
    listed = None
    if layout.listed is not None and listed_count:
        value = (coefficients.listed[:listed_count] @ layout.listed.value[:listed_count])[None]
        listed = ListedFeatures(layout.listed.indptr, layout.listed.indices, value)
    return Prior(
        knowledge=knowledge,
        nodes=network.nodes,
        left=np.ascontiguousarray(coefficients.left[:, classes.of]),
        right=np.ascontiguousarray(layout.right[:, classes.of]),
        group=np.ascontiguousarray(layout.group[:, classes.of].astype(np.int32)),
        tables=coefficients.tables,
        width=layout.width,
        listed=listed,
        checks=checks,
    )
