"""Extend a fitted prior to new nodes, without changing it for the others.

Groups and rows of `right` follow from the values of a node's columns: those of a matching node, with the same values,
are taken. Where degrees are constrained, the multiplier t of a node with k links solves

    sum over all nodes j of sigmoid(t + c_j) = k        c_j: log-odds with node j, except for t

whose left side increases with t. There is no finite t for a node without links, or one linked to all: as in the fit, t
is then so large that the prior is certain.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from netgiven.edges import shown
from netgiven.errors import InputError
from netgiven.model import CERTAIN, CERTAIN_LOG_ODDS, probability
from netgiven.network import Network
from netgiven.priors.builtin import Degrees
from netgiven.priors.constraints import Constraint, PairConstraint
from netgiven.priors.knowledge import parse_knowledge
from netgiven.priors.learned import Learned
from netgiven.priors.prior import Prior
from netgiven.types import BoolArray, Float64Array, Int64Array

BISECTIONS = 60  # of an interval of some thousands: to the last digit
TOLERANCE = 1e-9  # relative error of the number of links
SATURATED = 40.0  # log-odds whose probability is 1 in double precision


def extendable_constraints(prior: Prior) -> tuple[Constraint | PairConstraint, ...]:
    """Return the constraints of a prior; raise `InputError` if one of them does not extend to new nodes."""
    try:
        constraints = parse_knowledge(prior.knowledge).constraints
    except InputError as problem:
        raise InputError(_not_extendable(prior, prior.knowledge)) from problem
    for constraint in constraints:
        if not constraint.extends_to_new_nodes:
            raise InputError(_not_extendable(prior, str(constraint)))
    return constraints


def _not_extendable(prior: Prior, constraint: str) -> str:
    return (
        f"The prior is given {prior.knowledge}, and what {constraint} says of a new node is not known while all others "
        "stay. Use update(network), which fits the prior anew."
    )


def constrains_degrees(prior: Prior) -> bool:
    """Return whether each node has a multiplier for its degree."""
    return any(isinstance(constraint, Degrees) for constraint in extendable_constraints(prior))


def match_nodes(prior: Prior, network: Network, names: pd.Index[Any], columns: pd.DataFrame) -> Int64Array:
    """Return, for each new node, a node of the network with the same values in the columns that the prior reads."""
    constraints = extendable_constraints(prior)
    needed = list(dict.fromkeys(column for constraint in constraints for column in constraint.columns))
    for column in needed:
        if column not in columns:
            raise InputError(
                f"The prior is given {prior.knowledge}, so a new node needs a value in column {column!r}; none was "
                "given."
            )
    if not needed:
        return np.zeros(len(names), dtype=np.int64)
    values = pd.DataFrame({column: network.column(column) for column in needed}, index=range(network.node_count))
    matches = Learned(prior, values).match(columns[needed].reset_index(drop=True))
    if len(matches) and matches.min() < 0:
        index = int(np.argmin(matches))
        missing = ", ".join(f"{column} {shown(columns[column].iloc[index])}" for column in needed)
        raise InputError(
            f"Node {shown(names[index])} has {missing}, which no node of the embedding has, so {prior.knowledge} says "
            "nothing of it. Use update(network), which fits the prior anew."
        )
    return matches


def append_nodes(prior: Prior, nodes: pd.Index[Any], matches: Int64Array, multipliers: Float64Array) -> Prior:
    """Return the prior of all nodes: those that it was fitted to, followed by the new ones."""
    left = prior.left[:, matches].copy()
    left[0] = multipliers
    return replace(
        prior,
        nodes=nodes,
        left=np.concatenate([prior.left, left], axis=1),
        right=np.concatenate([prior.right, prior.right[:, matches]], axis=1),
        group=np.concatenate([prior.group, prior.group[:, matches]], axis=1),
        checks=(),  # they were about the nodes that it was fitted to
    )


def update_degrees(prior: Prior, nodes: Int64Array, degrees: Int64Array) -> Prior:
    """Return the prior with the multipliers of some nodes solved for new degrees."""
    left = prior.left.copy()
    left[0, nodes] = solve_multipliers(prior, nodes, degrees)
    return replace(prior, left=left) if len(nodes) else prior


def solve_multipliers(prior: Prior, matches: Int64Array, degrees: Int64Array) -> Float64Array:
    """Return multipliers of new nodes with the given degrees; those of the matching nodes if degrees are not given."""
    multipliers: Float64Array = prior.left[0, matches]
    if not constrains_degrees(prior):
        return multipliers
    distinct, of = np.unique(_other_coefficients(prior, matches), axis=0, return_inverse=True)
    for number in range(len(distinct)):
        members = np.flatnonzero(of.ravel() == number)
        wanted, index = np.unique(degrees[members], return_inverse=True)
        multipliers[members] = _solve(*_offsets(prior, matches[members[0]]), wanted)[index]
    return multipliers


def _other_coefficients(prior: Prior, matches: Int64Array) -> Float64Array:
    """Return all that decides log-odds with others except for the multiplier: one row per node."""
    return np.asarray(np.vstack([prior.left[1:, matches], prior.right[1:, matches], prior.group[:, matches]]).T)


def _offsets(prior: Prior, match: int) -> tuple[Float64Array, Float64Array, BoolArray]:
    """Return, for each class, the log-odds without the new node's multiplier, its size, and whether links to it are
    possible.
    """
    some = prior.classes.representative
    tables = np.zeros(len(some))
    for layer, group in enumerate(prior.group):
        tables += prior.node_layout.table(prior.tables, layer)[group[match], group[some]]
    offset = prior.left[0, some] + tables
    for left, right in zip(prior.left[1:], prior.right[1:], strict=True):
        offset = offset + left[match] * right[some] + right[match] * left[some]
    return offset, prior.classes.size.astype(np.float64), tables > -CERTAIN_LOG_ODDS


def _solve(offset: Float64Array, size: Float64Array, possible: BoolArray, wanted: Int64Array) -> Float64Array:
    """Return the multiplier for each wanted degree."""
    capacity = float(size @ possible)
    if not capacity:
        return np.zeros(len(wanted))
    highest, lowest = float(offset[possible].max()), float(offset[possible].min())
    target = np.minimum(wanted, capacity)[:, None].astype(np.float64)
    low = _bisect(offset, size, target * (1 - TOLERANCE), -highest - SATURATED, SATURATED - lowest)
    high = _bisect(offset, size, target * (1 + TOLERANCE), -highest - SATURATED, SATURATED - lowest)
    none, every = wanted == 0, wanted >= capacity
    full = (CERTAIN if possible.all() else SATURATED) - lowest
    return np.where(none, -highest - CERTAIN, np.where(every, full, (low + high) / 2))


def _bisect(offset: Float64Array, size: Float64Array, target: Float64Array, low: float, high: float) -> Float64Array:
    """Return where the expected degree reaches the target, by bisection."""
    below, above = np.full(len(target), low), np.full(len(target), high)
    for _ in range(BISECTIONS):
        middle = (below + above) / 2
        less = probability(middle[:, None] + offset) @ size < target[:, 0]
        below, above = np.where(less, middle, below), np.where(less, above, middle)
    return np.asarray((below + above) / 2)
