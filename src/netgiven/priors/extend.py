"""What a prior says of nodes that it was not fitted to, while all that it says of the others stays.

Groups and basis columns follow from the values of a node's columns: those of a node with the same values are taken.
Where degrees are known, the multiplier t of a node with k links solves

    sum over all nodes j of sigmoid(t + c_j) = k        c_j: log-odds with node j, but for t

whose left side only ever grows with t. There is no finite t for a node without links, or one linked to all: as in the
fit, it is so far out that the prior is certain.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from netgiven.edges import shown
from netgiven.errors import InputError
from netgiven.model import probability
from netgiven.network import Network
from netgiven.priors.constraint import Kind, PairKind
from netgiven.priors.kinds import Blocks, Degrees, Density, Homophily, OverlappingBlocks
from netgiven.priors.knowledge import parse_knowledge
from netgiven.priors.learned import Learned
from netgiven.priors.order import Order
from netgiven.priors.prior import CERTAIN, Prior
from netgiven.types import BoolArray, Float64Array, Int64Array

CARRIED_OVER = (Density, Degrees, Blocks, OverlappingBlocks, Order, Homophily)
HALVINGS = 60  # of an interval of some thousands: to the last digit
MET = 1e-9  # relative error of the number of links
ENOUGH = 40.0  # log-odds whose probability is 1 in double precision


def kinds_of(prior: Prior) -> tuple[Kind | PairKind, ...]:
    """The kinds of knowledge of a prior, if each can be carried over to a new node."""
    try:
        kinds = parse_knowledge(prior.knowledge).kinds
    except InputError as problem:
        raise InputError(_cannot(prior, prior.knowledge)) from problem
    for kind in kinds:
        if not isinstance(kind, CARRIED_OVER):
            raise InputError(_cannot(prior, str(kind)))
    return kinds


def _cannot(prior: Prior, kind: str) -> str:
    return (
        f"The prior is given {prior.knowledge}, and what {kind} says of a new node is not known while all others stay "
        "(of density, degrees, blocks, order and homophily it is). Use update(network), which fits the prior anew."
    )


def knows_degrees(prior: Prior) -> bool:
    """Has each node a multiplier of its own?"""
    return any(isinstance(kind, Degrees) for kind in kinds_of(prior))


def find_twins(prior: Prior, network: Network, names: pd.Index[Any], columns: pd.DataFrame) -> Int64Array:
    """For each new node, one of the network that has the same values in the columns that the prior is about."""
    needed = list(dict.fromkeys(column for kind in kinds_of(prior) for column in kind.columns))
    for column in needed:
        if column not in columns:
            raise InputError(
                f"The prior is given {prior.knowledge}, so a new node needs a value in column {column!r}; none was "
                "given."
            )
    if not needed:
        return np.zeros(len(names), dtype=np.int64)
    known = pd.DataFrame({column: network.column(column) for column in needed}, index=range(network.node_count))
    twins = Learned(prior, known).twins(columns[needed].reset_index(drop=True))
    if len(twins) and twins.min() < 0:
        place = int(np.argmin(twins))
        told = ", ".join(f"{column} {shown(columns[column].iloc[place])}" for column in needed)
        raise InputError(
            f"Node {shown(names[place])} has {told}, which no node of the embedding has, so {prior.knowledge} says "
            "nothing of it. Use update(network), which fits the prior anew."
        )
    return twins


def solve_multipliers(prior: Prior, twins: Int64Array, links: Int64Array) -> Float64Array:
    """The multiplier of each new node that has so many links, and otherwise what its twin has."""
    multipliers: Float64Array = prior.own[0, twins]
    if not knows_degrees(prior):
        return multipliers
    kinds, of = np.unique(_others_by_kind(prior, twins), axis=0, return_inverse=True)
    for kind in range(len(kinds)):
        mine = np.flatnonzero(of.ravel() == kind)
        wanted, place = np.unique(links[mine], return_inverse=True)
        multipliers[mine] = _solve(*_seen_by(prior, twins[mine[0]]), wanted)[place]
    return multipliers


def _others_by_kind(prior: Prior, twins: Int64Array) -> Float64Array:
    """All that decides log-odds with others, but for the multiplier: one row a node."""
    return np.asarray(np.vstack([prior.own[1:, twins], prior.basis[1:, twins], prior.group[:, twins]]).T)


def _seen_by(prior: Prior, twin: int) -> tuple[Float64Array, Float64Array, BoolArray]:
    """Of each class of nodes: log-odds but for the new node's multiplier, how many nodes it has, and whether groups let
    a link be.
    """
    some = prior.classes.representative
    tables = np.zeros(len(some))
    for layer, group in enumerate(prior.group):
        tables += prior.by_node.table(prior.tables, layer)[group[twin], group[some]]
    known = prior.own[0, some] + tables
    for own, basis in zip(prior.own[1:], prior.basis[1:], strict=True):
        known = known + own[twin] * basis[some] + basis[twin] * own[some]
    return known, prior.classes.size.astype(np.float64), tables > -CERTAIN / 2


def _solve(known: Float64Array, size: Float64Array, possible: BoolArray, wanted: Int64Array) -> Float64Array:
    """The multiplier that expects each wanted number of links."""
    room = float(size @ possible)
    if not room:
        return np.zeros(len(wanted))
    highest, lowest = float(known[possible].max()), float(known[possible].min())
    target = np.minimum(wanted, room)[:, None].astype(np.float64)
    low = _where_reached(known, size, target * (1 - MET), -highest - ENOUGH, ENOUGH - lowest)
    high = _where_reached(known, size, target * (1 + MET), -highest - ENOUGH, ENOUGH - lowest)
    none, every = wanted == 0, wanted >= room
    full = (CERTAIN if possible.all() else ENOUGH) - lowest
    return np.where(none, -highest - CERTAIN, np.where(every, full, (low + high) / 2))


def _where_reached(
    known: Float64Array, size: Float64Array, target: Float64Array, low: float, high: float
) -> Float64Array:
    """Where the expected number of links passes the target, by halving."""
    below, above = np.full(len(target), low), np.full(len(target), high)
    for _ in range(HALVINGS):
        middle = (below + above) / 2
        less = probability(middle[:, None] + known) @ size < target[:, 0]
        below, above = np.where(less, middle, below), np.where(less, above, middle)
    return np.asarray((below + above) / 2)


def with_degrees(prior: Prior, nodes: Int64Array, links: Int64Array) -> Prior:
    """The same prior, but for the multipliers of some nodes, which now have so many links."""
    own = prior.own.copy()
    own[0, nodes] = solve_multipliers(prior, nodes, links)
    return replace(prior, own=own) if len(nodes) else prior


def joined(prior: Prior, nodes: pd.Index[Any], twins: Int64Array, multipliers: Float64Array) -> Prior:
    """The prior of all nodes: those that it was fitted to, and then the new ones."""
    own = prior.own[:, twins].copy()
    own[0] = multipliers
    return replace(
        prior,
        nodes=nodes,
        own=np.concatenate([prior.own, own], axis=1),
        basis=np.concatenate([prior.basis, prior.basis[:, twins]], axis=1),
        group=np.concatenate([prior.group, prior.group[:, twins]], axis=1),
        checks=(),  # they were about the nodes that it was fitted to
    )
