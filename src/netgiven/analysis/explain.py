"""Explanations: which links of two nodes make a link between them likely, and by how much.

The position of a node minimises its objective while all other nodes stay fixed, so its gradient is 0. A link u-k of
weight a adds stiffness (x_u - x_k) to the gradient per unit of a. By the implicit function theorem the optimum moves
by -stiffness H_u^-1 (x_u - x_k), where H_u is the Hessian with respect to x_u, and therefore

    d P_uv / d a_uk  =  stiffness^2 P_uv (1 - P_uv) (x_u - x_v)^T H_u^-1 (x_u - x_k)

In dimensions that repel, y_v and y_k stand for the differences. The same holds for the links of v. The probability
without a link is evaluated at the position that the node reaches by the first-order step of removing a link of weight
1: the curvature of the probability is taken into account, changes of the Hessian are not.

The prior is held fixed, although it would be fitted to other degrees without the link, and so are all other nodes. A
link of which the prior is certain carries no information and has no effect.
"""

from __future__ import annotations

import os
from collections.abc import Hashable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from netgiven.analysis.local_objective import LocalObjective
from netgiven.edges import counted, shown, to_python
from netgiven.errors import InputError
from netgiven.maps.canvas import GREY, PRINT_COLOURS, check_suffix, literal, make_figure, shortened, write_figure
from netgiven.model import log_odds, probability
from netgiven.notebook import as_html
from netgiven.types import BoolArray, Float64Array, IntegerArray

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

FLAT = 1e-6  # relative to the largest curvature at a node: below, the position is not determined in that direction
CLOSE = (
    0.5  # 1 / sqrt(stiffness): a sampled fit of arXiv ended up to 0.4 from the optimum, an exact one of Facebook 0.2
)
RAISES, LOWERS = PRINT_COLOURS[0], PRINT_COLOURS[3]
WIDEST, THINNEST = 5.0, 0.4  # lines of the picture, in points
MAX_LETTERS = 24  # of a name in the picture
MAX_LINES = 400  # in the picture; weaker links are left out


class Parts(NamedTuple):
    """The terms of the log-odds of a pair; `roles` is that of dimensions that repel."""

    prior: float
    reach: float
    distance: float
    roles: float = 0.0

    @property
    def total(self) -> float:
        """The log-odds."""
        return self.prior + self.reach + self.distance + self.roles


class Side(NamedTuple):
    """One node of the pair with its links."""

    node: int
    others: IntegerArray
    shifts: Float64Array  # (links, dimensions): how the node moves if a link is removed
    distance_to_optimum: float  # in units of 1 / sqrt(stiffness)
    is_flat: bool  # the objective does not curve upwards in every direction


@dataclass(frozen=True, eq=False)
class Explanation:
    """Why a pair has its probability: the terms of its log-odds, and the effect of each link of the two nodes.

    The effect of a link is the derivative of the probability with respect to the weight of the link. Where effects are
    small, it is approximately the decrease of the probability if the link were removed.

    Attributes
    ----------
    objective
        The embedding around single nodes.
    parts
        `prior`, `reach`, `distance` and `roles`, which add up to the log-odds `parts.total`.
    sides
        The two nodes, each with its links.

    Examples
    --------
    >>> import netgiven as ng
    >>> path = ng.Network.from_edges([("ann", "bob"), ("bob", "cid"), ("cid", "dan")])
    >>> embedding = ng.embed(path, "density", dimensions=2, shrinkage=1.0)
    >>> why = embedding.explain("ann", "cid")
    >>> abs(why.probability - embedding.probability("ann", "cid")) < 1e-6
    True
    >>> sorted(why.table(count=2)["linked_to"])
    ['bob', 'bob']
    """

    objective: LocalObjective
    parts: Parts
    sides: tuple[Side, Side]

    @property
    def probability(self) -> float:
        """The predicted probability of the pair."""
        return float(probability(self.parts.total))

    @property
    def names(self) -> tuple[Hashable, Hashable]:
        """The names of the two nodes."""
        nodes = self.objective.network.nodes
        return to_python(nodes[self.sides[0].node]), to_python(nodes[self.sides[1].node])

    @property
    def linked(self) -> bool:
        """Whether the two nodes are linked."""
        return bool((self.sides[0].others == self.sides[1].node).any())

    @property
    def is_observed(self) -> bool:
        """Whether the network says if the two nodes are linked or not."""
        return bool(self.objective.network.are_observed(*(np.array([side.node]) for side in self.sides))[0])

    @cached_property
    def links(self) -> IntegerArray:
        """Node numbers of the links of both nodes, one row per link, the node of the pair first.

        A link between the two nodes is listed once.
        """
        first, second = (np.column_stack([np.full(len(side.others), side.node), side.others]) for side in self.sides)
        return np.concatenate([first, second[self._not_the_pair]])

    @cached_property
    def shifts(self) -> tuple[Float64Array, Float64Array]:
        """How both nodes move if each of `links` is removed; without the link between the two, both move."""
        first, second = (side.shifts for side in self.sides)
        none = np.zeros_like(first)
        none[self.sides[0].others == self.sides[1].node] += second[~self._not_the_pair].sum(axis=0)
        rest = second[self._not_the_pair]
        return np.concatenate([first, np.zeros_like(rest)]), np.concatenate([none, rest])

    @property
    def _not_the_pair(self) -> BoolArray:
        """Which links of the second node lead to others than the first."""
        return np.asarray(self.sides[1].others != self.sides[0].node)

    def effects_of(self, first: Float64Array, second: Float64Array) -> Float64Array:
        """The effects on the probability of links whose removal moves the two nodes by these shifts."""
        one, other = (side.node for side in self.sides)
        near, seen, seen_back = self._near, self.objective.directions(one, other), self.objective.directions(other, one)
        change = (first - second)[:, :near] @ seen[:near]
        if self.objective.repelling:
            change = change + first[:, near:] @ seen[near:] + second[:, near:] @ seen_back[near:]
        return np.asarray(self.objective.spread.stiffness * self.probability * (1 - self.probability) * change)

    @property
    def _near(self) -> int:
        """How many dimensions do not repel."""
        return self.objective.dimensions - self.objective.repelling

    @cached_property
    def effects(self) -> Float64Array:
        """The derivative of the probability with respect to the weight of each of `links`."""
        return self.effects_of(*self.shifts)

    @cached_property
    def without(self) -> Float64Array:
        """The probability if each of `links` were removed, to first order in the positions."""
        first, second = self.shifts
        here, there = (self.objective.positions[side.node].astype(np.float64) for side in self.sides)
        apart = np.square(((here - there) + (first - second))[:, : self._near]).sum(axis=1)
        if self.objective.repelling:
            products = (here + first)[:, self._near :] * (there + second)[:, self._near :]
            apart = apart + 2 * products.sum(axis=1)
        prior, reach, *_ = self.parts
        return np.asarray(probability(log_odds(prior, reach, self.objective.spread.stiffness, apart)))

    @cached_property
    def order(self) -> IntegerArray:
        """Places in `links`, largest effect first."""
        return np.argsort(-self.effects, kind="stable")

    def table(self, count: int = 10) -> pd.DataFrame:
        """The links that raise the probability most.

        Parameters
        ----------
        count
            The largest number of rows.

        Returns
        -------
        pandas.DataFrame
            One row per link, largest effect first: `node` (one of the pair), `linked_to`, `effect`, `share` (the effect
            divided by the sum of all absolute effects) and `without` (the probability if the link were removed).

        Raises
        ------
        InputError
            If `count` is not a whole number of at least 1.
        """
        import pandas as pd

        if not isinstance(count, (int, np.integer)) or count < 1:
            raise InputError(f"The {count} strongest reasons were asked for; a whole number of at least 1 is needed.")
        best, nodes = self.order[:count], self.objective.network.nodes
        total = float(np.abs(self.effects).sum()) or 1.0
        return pd.DataFrame(
            {
                "node": nodes[self.links[best, 0]],
                "linked_to": nodes[self.links[best, 1]],
                "effect": self.effects[best],
                "share": self.effects[best] / total,
                "without": self.without[best],
            }
        )

    @property
    def notes(self) -> list[str]:
        """Limits of this explanation that a reader should know."""
        ends = list(zip((shown(name) for name in self.names), self.sides, strict=True))
        (first, _), (second, _) = ends
        pair = f"{first} and {second}"
        return [
            *([f"{pair} are linked; the link between them is one of the reasons."] if self.linked else []),
            *([] if self.is_observed else [f"It is not known whether {pair} are linked."]),
            *([self._certainty()] if np.isinf(self.parts.prior) else []),
            *(f"{name} has no links." for name, side in ends if not len(side.others)),
            *(_far_from_optimum(name) for name, side in ends if len(side.others) and side.distance_to_optimum > CLOSE),
            *(_undetermined(name) for name, side in ends if len(side.others) and side.is_flat),
        ]

    def _certainty(self) -> str:
        certainty = "impossible" if self.parts.prior < 0 else "certain"
        return f"The prior makes this link {certainty}: no other link changes that."

    def lines(self) -> list[tuple[str, str]]:
        """The terms of the log-odds and their sum as text."""
        prior, reach, distance, roles = self.parts
        return [
            ("prior", f"{prior:+.3f}, a probability of {float(probability(prior)):.3g} by what is given alone"),
            ("reach", f"{reach:+.3f}"),
            ("distance", f"{distance:+.3f}"),
            *([("roles", f"{roles:+.3f}")] if self.objective.repelling else []),
            ("log-odds", f"{self.parts.total:+.3f}, a probability of {self.probability:.3g}"),
        ]

    def picture(self, path: str | os.PathLike[str], count: int = 10) -> None:
        """Draw the two nodes and their neighbours, with the effect of each link as colour and width.

        Parameters
        ----------
        path
            A file that ends in .png, .svg or .pdf.
        count
            The number of links whose ends are named, strongest first.
        """
        draw_neighbourhood(self, path, count)

    def __repr__(self) -> str:
        title = f"Explanation of {shown(self.names[0])} and {shown(self.names[1])}: {self.probability:.3g}"
        reasons = self.table(3).itertuples(index=False) if len(self.effects) else []
        return ", ".join([title, *(f"{shown(one.node)} - {shown(one.linked_to)} {one.effect:+.2g}" for one in reasons)])

    def _repr_html_(self) -> str:
        reasons = self.table(5).itertuples(index=False) if len(self.effects) else []
        rows = [(f"{one.node} – {one.linked_to}", f"{one.effect:+.3g}") for one in reasons]
        notes = [("note", note) for note in self.notes]
        return as_html(f"Why {self.names[0]} – {self.names[1]}?", [*self.lines(), *rows, *notes])


def explain(objective: LocalObjective, first: int, second: int, trained: LocalObjective | None = None) -> Explanation:
    """Explain the probability of a pair of node numbers.

    Parameters
    ----------
    objective
        The embedding with the prior and reach that probabilities are predicted with.
    first, second
        Node numbers.
    trained
        The embedding with the prior and reach that positions were trained with, where those are different.

    Raises
    ------
    InputError
        If `first` and `second` are the same node.
    """
    if first == second:
        name = shown(objective.network.nodes[first])
        raise InputError(f"{name} was given twice; a node is not linked to itself. Give two different nodes.")
    ends = np.array([first, second])
    near = objective.dimensions - objective.repelling
    squared = float(np.square(objective.directions(first, second)[:near]).sum())
    prior, stiffness = float(objective.prior.log_odds_of(ends[:1], ends[1:])[0]), objective.spread.stiffness
    roles = -stiffness / 2 * (float(objective.separations(first, second)) - squared) if objective.repelling else 0.0
    parts = Parts(prior, objective.reach, -stiffness / 2 * squared, roles)
    return Explanation(objective, parts, _sides(trained or objective, ends))


def _sides(objective: LocalObjective, ends: IntegerArray) -> tuple[Side, Side]:
    gradient, hessian = objective.derivatives(ends)
    curvature, directions = np.linalg.eigh(hessian)
    curved = curvature > FLAT * np.maximum(curvature[:, -1:], 0.0)
    inverse_curvature = np.where(curved, 1 / np.where(curved, curvature, 1.0), 0.0)[:, None, :]
    inverse = (directions * inverse_curvature) @ directions.transpose(0, 2, 1)
    return (
        _side(objective, int(ends[0]), inverse[0], gradient[0], bool(curved[0].all())),
        _side(objective, int(ends[1]), inverse[1], gradient[1], bool(curved[1].all())),
    )


def _side(objective: LocalObjective, node: int, inverse: Float64Array, gradient: Float64Array, is_curved: bool) -> Side:
    """One node and the shifts of its links; links of which the prior is certain shift nothing."""
    others, stiffness = objective.neighbours(node), objective.spread.stiffness
    shifts = stiffness * (objective.directions(node, others) @ inverse)
    shifts[np.isinf(objective.prior.log_odds_of(np.full(len(others), node), others))] = 0.0
    step = inverse @ gradient
    return Side(node, others, shifts, float(np.sqrt(stiffness * (step @ step))), not is_curved)


def _far_from_optimum(name: str) -> str:
    return f"{name} is not at its optimum, so the effects of its links are rough. Fit with more steps."


def _undetermined(name: str) -> str:
    return f"The position of {name} is not determined in every direction; along those, its links have no effect."


def draw_neighbourhood(explanation: Explanation, path: str | os.PathLike[str], count: int) -> None:
    """Draw both nodes, their neighbours, and links whose width and colour show their effect."""
    check_suffix(path)
    drawn = np.argsort(-np.abs(explanation.effects), kind="stable")[:MAX_LINES]
    nodes = np.unique(np.concatenate([_ends(explanation), explanation.links[drawn].ravel()]))
    places = dict(zip(nodes.tolist(), planar_projection(explanation, nodes), strict=True))
    figure = make_figure(7.0, 5.6)
    axes = figure.subplots()
    _draw_links(axes, explanation, drawn, places)
    _draw_nodes(axes, explanation, places)
    _write_names(axes, explanation, places, count)
    _write_title(axes, explanation, len(explanation.effects) - len(drawn))
    write_figure(figure, path)


def _ends(explanation: Explanation) -> IntegerArray:
    return np.array([side.node for side in explanation.sides])


def planar_projection(explanation: Explanation, nodes: IntegerArray) -> Float64Array:
    """Project nodes onto a plane through the pair.

    The horizontal axis goes from the first node to the second; the vertical axis is the direction in which their
    neighbours vary most, weighted by the effects of the links.
    """
    x = explanation.objective.positions.astype(np.float64)
    first, second = _ends(explanation)
    middle, along = (x[first] + x[second]) / 2, _unit(x[second] - x[first])
    away = x[explanation.links[:, 1]] - middle
    away -= np.outer(away @ along, along)
    _, _, directions = np.linalg.svd(np.abs(explanation.effects)[:, None] * away, full_matrices=False)
    up = directions[0] if len(directions) else np.zeros_like(along)
    up = up - (up @ along) * along
    up *= np.sign(up[np.argmax(np.abs(up))])  # either sign would do: always take the same one
    return np.column_stack([(x[nodes] - middle) @ along, (x[nodes] - middle) @ up])


def _unit(vector: Float64Array) -> Float64Array:
    """The vector scaled to length 1; the first axis if it is 0."""
    length = float(np.linalg.norm(vector))
    return vector / length if length else np.eye(len(vector))[0]


def _draw_links(axes: Axes, explanation: Explanation, drawn: IntegerArray, places: dict[int, Float64Array]) -> None:
    from matplotlib.collections import LineCollection

    pair = np.array([places[node] for node in _ends(explanation).tolist()])
    style = "-" if explanation.linked else (0, (4, 3))
    axes.plot(*pair.T, color="0.2", linewidth=1.2, linestyle=style, zorder=2)
    if not len(drawn):
        return
    effects = explanation.effects[drawn]
    shares = np.abs(effects) / (float(np.abs(effects).max(initial=0.0)) or 1.0)
    lines = [[places[first], places[second]] for first, second in explanation.links[drawn].tolist()]
    colours = [RAISES if effect > 0 else LOWERS if effect < 0 else GREY for effect in effects.tolist()]
    widths = THINNEST + (WIDEST - THINNEST) * shares
    axes.add_collection(LineCollection(lines, colors=colours, linewidths=widths, alpha=0.25 + 0.65 * shares, zorder=1))


def _draw_nodes(axes: Axes, explanation: Explanation, places: dict[int, Float64Array]) -> None:
    pair = _ends(explanation).tolist()
    others = np.array([place for node, place in places.items() if node not in pair]).reshape(-1, 2)
    ends = np.array([places[node] for node in pair])
    axes.scatter(others[:, 0], others[:, 1], s=22, color="white", edgecolors="0.35", linewidths=0.8, zorder=3)
    axes.scatter(ends[:, 0], ends[:, 1], s=110, color=PRINT_COLOURS[1], edgecolors="0.2", zorder=4)
    axes.margins(0.14)
    axes.set_aspect("equal", adjustable="datalim")
    axes.axis("off")


def _write_names(axes: Axes, explanation: Explanation, places: dict[int, Float64Array], count: int) -> None:
    """Name the pair, and the nodes at the other ends of the strongest links."""
    pair, names = _ends(explanation).tolist(), explanation.objective.network.nodes
    best = [int(explanation.links[place, 1]) for place in explanation.order[:count]]
    for node in dict.fromkeys(other for other in best if other in places and other not in pair):
        _write(axes, names[node], places[node], (0, 8), ha="center", size=8.5)
    for node, side, step in zip(pair, ("right", "left"), (-9, 9), strict=True):
        _write(axes, names[node], places[node], (step, -4), ha=side, size=11, weight="bold")


def _write(axes: Axes, name: Hashable, place: Float64Array, offset: tuple[int, int], **style: Any) -> None:
    axes.annotate(_label(name), (place[0], place[1]), offset, textcoords="offset points", zorder=5, **style)


def _write_title(axes: Axes, explanation: Explanation, left_out: int) -> None:
    first, second = (_label(name) for name in explanation.names)
    axes.set_title(f"{first} – {second}: probability {explanation.probability:.3g}", size=12)
    for height, colour, text in ((0.04, RAISES, "a link that raises it"), (0.0, LOWERS, "a link that lowers it")):
        axes.text(0.0, height, text, color=colour, size=9, transform=axes.transAxes)
    if left_out:
        text = f"{counted(left_out, 'weaker link')} left out"
        axes.text(1.0, 0.0, text, color="0.4", size=8, ha="right", transform=axes.transAxes)


def _label(name: Hashable) -> str:
    return literal(shortened(str(name), MAX_LETTERS))
