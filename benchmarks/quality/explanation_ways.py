"""Other ways to tell what a probability loses with a link, beside those of `explain`. Run by explanations.py --ways.

Each way takes a view, a pair and a link of one of its nodes, and gives the probability that is lost without the link.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from netgiven.analysis.local_objective import View
from netgiven.model import probability
from netgiven.priors.prior import posterior_log_odds

Doubles = npt.NDArray[np.float64]
FLOOR = 0.2  # of the least curvature before the link is gone


def log_odds(view: View, first: int, second: int) -> float:
    """z of one pair."""
    found = posterior_log_odds(view.prior, view.positions, view.spread, np.array([first]), np.array([second]))
    return float(found[0])


def apart(view: View, first: int, second: int) -> Doubles:
    """The difference of two positions."""
    return np.asarray(view.positions[first].astype(np.float64) - view.positions[second])


def slope(view: View, pair: tuple[int, int]) -> Doubles:
    """Of the lost probability in x_u - x_v."""
    chance = float(probability(log_odds(view, *pair)))
    return view.spread.stiffness * chance * (1 - chance) * apart(view, *pair)


def curved(view: View, pair: tuple[int, int], end: int, other: int) -> float:
    """With the Hessian that the node has without the link, kept positive; the probability read where it moves to."""
    stiffness, before = view.spread.stiffness, view.surface(np.array([end])).hessian[0]
    curvature, directions = np.linalg.eigh(before - stiffness * np.eye(len(before)))
    firm = np.maximum(curvature, FLOOR * np.linalg.eigvalsh(before)[0])
    move = directions @ ((directions.T @ (stiffness * apart(view, end, other))) / firm)
    far, z = apart(view, *pair) + (move if end == pair[0] else -move), log_odds(view, *pair)
    near = apart(view, *pair)
    return float(probability(z) - probability(z - stiffness / 2 * (far @ far - near @ near)))


def three(view: View, pair: tuple[int, int], end: int, other: int) -> float:
    """Both nodes of the pair and the other end of the link move together."""
    return together(view, pair, [*pair, other], end, other)


def everybody(view: View, pair: tuple[int, int], end: int, other: int) -> float:
    """Both nodes and all nodes that they are linked to move together."""
    around = [*pair, *view.neighbours(pair[0]).tolist(), *view.neighbours(pair[1]).tolist()]
    return together(view, pair, list(dict.fromkeys(around)), end, other)


def together(view: View, pair: tuple[int, int], nodes: list[int], end: int, other: int) -> float:
    """To first order, where some nodes move."""
    size, places = view.dimensions, {node: place for place, node in enumerate(nodes)}
    force = np.zeros((len(nodes), size))
    force[places[end]] += view.spread.stiffness * apart(view, end, other)
    force[places[other]] -= view.spread.stiffness * apart(view, end, other)
    moves = np.linalg.solve(block(view, nodes), force.ravel()).reshape(-1, size)
    return float(slope(view, pair) @ (moves[places[pair[0]]] - moves[places[pair[1]]]))


def block(view: View, nodes: list[int]) -> Doubles:
    """The Hessian in the positions of some nodes."""
    own, size = view.surface(np.array(nodes)).hessian, view.dimensions
    whole = np.zeros((len(nodes), size, len(nodes), size))
    for row, first in enumerate(nodes):
        for column, second in enumerate(nodes):
            whole[row, :, column] = own[row] if first == second else mixed(view, first, second)
    return whole.reshape(len(nodes) * size, -1)


def mixed(view: View, first: int, second: int) -> Doubles:
    """The derivative of the gradient at one node in the position of another."""
    stiffness, difference = view.spread.stiffness, apart(view, first, second)
    chance = float(probability(log_odds(view, first, second)))
    linked = float(view.network.are_linked([first], [second])[0])
    bend = stiffness**2 * chance * (1 - chance) * np.outer(difference, difference)
    return stiffness * (chance - linked) * np.eye(len(difference)) - bend


WAYS: dict[str, Callable[[View, tuple[int, int], int, int], Any]] = {
    "Hessian without the link": curved,
    "u, v and k together": three,
    "u, v and all neighbours": everybody,
}
