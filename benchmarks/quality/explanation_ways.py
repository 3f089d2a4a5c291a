"""Other formulas for the probability that is lost without a link, beside those of `explain`.

Run by explanations.py --ways. Each function takes a LocalObjective, a pair and a link of one of its nodes, and returns
the probability that is lost without the link.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from netgiven.analysis.local_objective import LocalObjective
from netgiven.model import probability
from netgiven.priors.prior import posterior_log_odds

Doubles = npt.NDArray[np.float64]
FLOOR = 0.2  # of the least curvature before the link is gone


def log_odds(local: LocalObjective, first: int, second: int) -> float:
    """z of one pair."""
    found = posterior_log_odds(local.prior, local.positions, local.spread, np.array([first]), np.array([second]))
    return float(found[0])


def apart(local: LocalObjective, first: int, second: int) -> Doubles:
    """The difference of two positions."""
    return np.asarray(local.positions[first].astype(np.float64) - local.positions[second])


def slope(local: LocalObjective, pair: tuple[int, int]) -> Doubles:
    """Of the lost probability in x_u - x_v."""
    p = float(probability(log_odds(local, *pair)))
    return local.spread.stiffness * p * (1 - p) * apart(local, *pair)


def curved(local: LocalObjective, pair: tuple[int, int], end: int, other: int) -> float:
    """With the Hessian that the node has without the link, kept positive; the probability at the new position."""
    stiffness, before = local.spread.stiffness, local.derivatives(np.array([end])).hessian[0]
    curvature, directions = np.linalg.eigh(before - stiffness * np.eye(len(before)))
    firm = np.maximum(curvature, FLOOR * np.linalg.eigvalsh(before)[0])
    move = directions @ ((directions.T @ (stiffness * apart(local, end, other))) / firm)
    far, z = apart(local, *pair) + (move if end == pair[0] else -move), log_odds(local, *pair)
    near = apart(local, *pair)
    return float(probability(z) - probability(z - stiffness / 2 * (far @ far - near @ near)))


def three(local: LocalObjective, pair: tuple[int, int], end: int, other: int) -> float:
    """Both nodes of the pair and the other end of the link move together."""
    return together(local, pair, [*pair, other], end, other)


def everybody(local: LocalObjective, pair: tuple[int, int], end: int, other: int) -> float:
    """Both nodes and all nodes that they are linked to move together."""
    around = [*pair, *local.neighbours(pair[0]).tolist(), *local.neighbours(pair[1]).tolist()]
    return together(local, pair, list(dict.fromkeys(around)), end, other)


def together(local: LocalObjective, pair: tuple[int, int], nodes: list[int], end: int, other: int) -> float:
    """To first order, where some nodes move."""
    size, places = local.dimensions, {node: place for place, node in enumerate(nodes)}
    force = np.zeros((len(nodes), size))
    force[places[end]] += local.spread.stiffness * apart(local, end, other)
    force[places[other]] -= local.spread.stiffness * apart(local, end, other)
    moves = np.linalg.solve(block(local, nodes), force.ravel()).reshape(-1, size)
    return float(slope(local, pair) @ (moves[places[pair[0]]] - moves[places[pair[1]]]))


def block(local: LocalObjective, nodes: list[int]) -> Doubles:
    """The Hessian in the positions of some nodes."""
    own, size = local.derivatives(np.array(nodes)).hessian, local.dimensions
    whole = np.zeros((len(nodes), size, len(nodes), size))
    for row, first in enumerate(nodes):
        for column, second in enumerate(nodes):
            whole[row, :, column] = own[row] if first == second else mixed(local, first, second)
    return whole.reshape(len(nodes) * size, -1)


def mixed(local: LocalObjective, first: int, second: int) -> Doubles:
    """The derivative of the gradient at one node in the position of another."""
    stiffness, difference = local.spread.stiffness, apart(local, first, second)
    p = float(probability(log_odds(local, first, second)))
    linked = float(local.network.are_linked([first], [second])[0])
    hessian = stiffness**2 * p * (1 - p) * np.outer(difference, difference)
    return stiffness * (p - linked) * np.eye(len(difference)) - hessian


WAYS: dict[str, Callable[[LocalObjective, tuple[int, int], int, int], Any]] = {
    "Hessian without the link": curved,
    "u, v and k together": three,
    "u, v and all neighbours": everybody,
}
