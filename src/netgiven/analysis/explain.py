"""Why is a pair likely? Which links of its two nodes raise the probability, and by how much.

A node lies where its objective is lowest, with the others where they are: there the gradient is 0. A link u-k of weight
a adds stiffness (x_u - x_k) to the gradient for each unit of a, so that by the implicit function theorem the optimum
moves by -stiffness H_u^-1 (x_u - x_k), where H_u is the Hessian in x_u, and

    d P_uv / d a_uk  =  stiffness^2 P_uv (1 - P_uv) (x_u - x_v)^T H_u^-1 (x_u - x_k)

The same holds for the links of v. To tell what would be without a link, the node is moved by as much as the link of
weight 1 moves it, and the probability read there: the curve of the probability counts, that of the objective does not.

What is given stays as it is, although a prior would be fitted to other degrees if a
link were not there, and so do the other nodes. A link of which the prior is certain is no news, and has no effect.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

from netgiven.analysis.local_objective import View
from netgiven.edges import counted, plain, shown
from netgiven.errors import InputError
from netgiven.maps.canvas import GREY, PRINT_COLOURS, check_ending, literal, make_figure, write_figure
from netgiven.model import log_odds, probability
from netgiven.notebook import as_html
from netgiven.types import Float64Array, IntegerArray

# ---- A pair of nodes and their links, drawn by what each link does to the probability of the pair --------------------


RAISES, LOWERS = PRINT_COLOURS[0], PRINT_COLOURS[3]
WIDEST, THINNEST = 5.0, 0.4  # lines, in points
LETTERS = 24  # of a name
MOST_LINES = 400  # the weakest of more links are left out, and told


class Explained(Protocol):
    """What is drawn of an explanation."""

    @property
    def view(self) -> View:
        """The embedding."""
        ...

    @property
    def sides(self) -> Any:
        """The two nodes, with their links."""
        ...

    @property
    def names(self) -> tuple[Any, Any]:
        """What they are called."""
        ...

    @property
    def linked(self) -> bool:
        """Are they linked?"""
        ...

    @property
    def probability(self) -> float:
        """How likely the pair is."""
        ...

    @property
    def links(self) -> IntegerArray:
        """Node numbers of each link."""
        ...

    @property
    def effects(self) -> Float64Array:
        """What each link does."""
        ...

    @property
    def order(self) -> Any:
        """The strongest first."""
        ...


def draw_neighbourhood(explanation: Explained, path: str | os.PathLike[str], count: int) -> None:
    """Both nodes, the nodes that they are linked to, and the links: width and colour tell the effect."""
    check_ending(path)
    drawn = np.argsort(-np.abs(explanation.effects), kind="stable")[:MOST_LINES]
    nodes = np.unique(np.concatenate([_ends(explanation), explanation.links[drawn].ravel()]))
    places = dict(zip(nodes.tolist(), flat(explanation, nodes), strict=True))
    figure = make_figure(7.0, 5.6)
    axes = figure.subplots()
    _draw_links(axes, explanation, drawn, places)
    _draw_nodes(axes, explanation, places)
    _name(axes, explanation, places, count)
    _tell(axes, explanation, len(explanation.effects) - len(drawn))
    write_figure(figure, path)


def _ends(explanation: Explained) -> Any:
    return np.array([side.node for side in explanation.sides])


def flat(explanation: Explained, nodes: Any) -> Float64Array:
    """The plane through the pair that shows most of where the strong reasons are: from the first node to the second
    goes to the right, and upwards the direction in which reasons differ most, weighted by their effects.
    """
    x = explanation.view.positions.astype(np.float64)
    first, second = _ends(explanation)
    middle, along = (x[first] + x[second]) / 2, _unit(x[second] - x[first])
    away = x[explanation.links[:, 1]] - middle
    away -= np.outer(away @ along, along)
    _, _, directions = np.linalg.svd(np.abs(explanation.effects)[:, None] * away, full_matrices=False)
    up = directions[0] if len(directions) else np.zeros_like(along)
    up = up - (up @ along) * along
    up *= np.sign(up[np.argmax(np.abs(up))])  # one of two signs, always the same
    return np.column_stack([(x[nodes] - middle) @ along, (x[nodes] - middle) @ up])


def _unit(vector: Float64Array) -> Float64Array:
    """Of length 1; any direction where two nodes are at one place."""
    length = float(np.linalg.norm(vector))
    return vector / length if length else np.eye(len(vector))[0]


def _draw_links(axes: Any, explanation: Explained, drawn: Any, places: dict[int, Float64Array]) -> None:
    from matplotlib.collections import LineCollection

    pair = np.array([places[node] for node in _ends(explanation).tolist()])
    axes.plot(*pair.T, color="0.2", linewidth=1.2, linestyle="-" if explanation.linked else (0, (4, 3)), zorder=2)
    if not len(drawn):
        return
    effects = explanation.effects[drawn]
    shares = np.abs(effects) / (float(np.abs(effects).max(initial=0.0)) or 1.0)
    lines = [[places[first], places[second]] for first, second in explanation.links[drawn].tolist()]
    colours = [RAISES if effect > 0 else LOWERS if effect < 0 else GREY for effect in effects.tolist()]
    widths = THINNEST + (WIDEST - THINNEST) * shares
    axes.add_collection(LineCollection(lines, colors=colours, linewidths=widths, alpha=0.25 + 0.65 * shares, zorder=1))


def _draw_nodes(axes: Any, explanation: Explained, places: dict[int, Float64Array]) -> None:
    pair = _ends(explanation).tolist()
    others = np.array([place for node, place in places.items() if node not in pair]).reshape(-1, 2)
    axes.scatter(*others.T, s=22, color="white", edgecolors="0.35", linewidths=0.8, zorder=3)
    axes.scatter(
        *np.array([places[node] for node in pair]).T, s=110, color=PRINT_COLOURS[1], edgecolors="0.2", zorder=4
    )
    axes.margins(0.14)
    axes.set_aspect("equal", adjustable="datalim")
    axes.axis("off")


def _name(axes: Any, explanation: Explained, places: dict[int, Float64Array], count: int) -> None:
    """The pair, and the nodes at the other ends of the strongest reasons."""
    pair, names = _ends(explanation).tolist(), explanation.view.network.nodes
    best = [int(explanation.links[place, 1]) for place in explanation.order[:count]]
    for node in dict.fromkeys(other for other in best if other in places and other not in pair):
        _write(axes, names[node], places[node], (0, 8), ha="center", size=8.5)
    for node, side, step in zip(pair, ("right", "left"), (-9, 9), strict=True):
        _write(axes, names[node], places[node], (step, -4), ha=side, size=11, weight="bold")


def _write(axes: Any, name: Any, place: Float64Array, away: tuple[int, int], **look: Any) -> None:
    axes.annotate(_short(str(name)), place, away, textcoords="offset points", zorder=5, **look)


def _tell(axes: Any, explanation: Explained, left_out: int) -> None:
    first, second = (_short(str(name)) for name in explanation.names)
    axes.set_title(f"{first} – {second}: probability {explanation.probability:.3g}", size=12)
    for height, colour, text in ((0.04, RAISES, "a link that raises it"), (0.0, LOWERS, "a link that lowers it")):
        axes.text(0.0, height, text, color=colour, size=9, transform=axes.transAxes)
    if left_out:
        told = f"{counted(left_out, 'weaker link')} left out"
        axes.text(1.0, 0.0, told, color="0.4", size=8, ha="right", transform=axes.transAxes)


def _short(name: str) -> str:
    """A name on one line, not too long, in which Matplotlib finds no mathematics."""
    line = " ".join(name.split())
    return literal(line if len(line) <= LETTERS else line[: LETTERS - 1] + "…")


if TYPE_CHECKING:
    import pandas as pd

FLAT = 1e-6  # of the largest curvature at a node: below, the position is not determined in that direction
AT_REST = 0.5  # 1 / root of the stiffness: on arXiv a sampled fit ended at up to 0.4, on Facebook an exact one at 0.2


class Parts(NamedTuple):
    """What the log-odds of a pair are made of."""

    prior: float
    reach: float
    distance: float

    @property
    def total(self) -> float:
        """The log-odds."""
        return self.prior + self.reach + self.distance


class Side(NamedTuple):
    """One node of the pair, and the nodes that it is linked to."""

    node: int
    others: IntegerArray
    shifts: Float64Array  # (links, dimensions): how x_u - x_v changes when a link is taken away
    unrest: float  # how far the node is from its optimum, in units of 1 / root of the stiffness
    is_flat: bool  # the objective does not curve upwards in every direction


@dataclass(frozen=True, eq=False)
class Explanation:
    """Why a pair is as likely as it is: the parts of its log-odds, and the effect of each link of the two nodes.

    An effect is the derivative of the probability in the weight of a link: where it is small, what would be lost if the
    link were not there.
    """

    view: View
    parts: Parts
    sides: tuple[Side, Side]

    @property
    def probability(self) -> float:
        """P of the pair."""
        return float(probability(self.parts.total))

    @property
    def names(self) -> tuple[Any, Any]:
        """The two nodes."""
        nodes = self.view.network.nodes
        return plain(nodes[self.sides[0].node]), plain(nodes[self.sides[1].node])

    @property
    def linked(self) -> bool:
        """Are they linked already?"""
        return bool((self.sides[0].others == self.sides[1].node).any())

    @property
    def is_known(self) -> bool:
        """Is it known whether they are linked?"""
        return bool(self.view.network.are_known(*(np.array([side.node]) for side in self.sides))[0])

    @cached_property
    def links(self) -> IntegerArray:
        """Node numbers of each link that was looked at, an end of the pair first; the link between them comes once."""
        first, second = (np.column_stack([np.full(len(side.others), side.node), side.others]) for side in self.sides)
        return np.concatenate([first, second[self._new]])

    @cached_property
    def shifts(self) -> Float64Array:
        """How x_u - x_v changes when each of `links` is taken away; without the link between the two, both move."""
        first, second = (side.shifts for side in self.sides)
        whole = np.concatenate([first, second[self._new]])
        whole[: len(first)][self.sides[0].others == self.sides[1].node] += second[~self._new].sum(axis=0)
        return whole

    @property
    def apart(self) -> Float64Array:
        """x_u - x_v."""
        positions = self.view.positions
        return np.asarray(positions[self.sides[0].node].astype(np.float64) - positions[self.sides[1].node])

    def effects_of(self, shifts: Float64Array) -> Float64Array:
        """Of shifts of x_u - x_v that links prevent, on the probability."""
        slope = self.view.spread.stiffness * self.probability * (1 - self.probability)
        return np.asarray(slope * (shifts @ self.apart))

    @cached_property
    def effects(self) -> Float64Array:
        """Derivative of the probability in the weight of each of `links`."""
        return self.effects_of(self.shifts)

    @cached_property
    def without(self) -> Float64Array:
        """The probability without each of `links`, as far as the curvature at the two nodes tells."""
        squared = np.square(self.apart + self.shifts).sum(axis=1)
        prior, reach, _ = self.parts
        return np.asarray(probability(log_odds(prior, reach, self.view.spread.stiffness, squared)))

    @property
    def _new(self) -> Any:
        return self.sides[1].others != self.sides[0].node

    @cached_property
    def order(self) -> IntegerArray:
        """Places in `links`, strongest reason first."""
        return np.argsort(-self.effects, kind="stable")

    def table(self, count: int = 10) -> pd.DataFrame:
        """The links that raise the probability most: whose, to whom, by how much, and what it would be without.

        Shares are of the sum of all effects, taken without their signs.
        """
        import pandas as pd

        if not isinstance(count, (int, np.integer)) or count < 1:
            raise InputError(f"The {count} strongest reasons were asked for; a whole number of at least 1 is needed.")
        best, nodes = self.order[:count], self.view.network.nodes
        whole = float(np.abs(self.effects).sum()) or 1.0
        ends = {"node": nodes[self.links[best, 0]], "linked_to": nodes[self.links[best, 1]]}
        told = {"effect": self.effects[best], "share": self.effects[best] / whole, "without": self.without[best]}
        return pd.DataFrame({**ends, **told})

    @property
    def notes(self) -> list[str]:
        """What a reader should know, a sentence each."""
        ends = list(zip(self.names, self.sides, strict=True))
        first, second = (shown(name) for name in self.names)
        return [
            *(
                [f"{first} and {second} are linked; the link between them is one of the reasons."]
                if self.linked
                else []
            ),
            *([] if self.is_known else [f"Nobody knows whether {first} and {second} are linked."]),
            *([self._certain()] if np.isinf(self.parts.prior) else []),
            *(f"{shown(name)} has no links." for name, side in ends if not len(side.others)),
            *(_restless(shown(name)) for name, side in ends if len(side.others) and side.unrest > AT_REST),
            *(_flat(shown(name)) for name, side in ends if len(side.others) and side.is_flat),
        ]

    def _certain(self) -> str:
        told = "impossible" if self.parts.prior < 0 else "certain"
        return f"What is given makes this link {told}: no other link changes that."

    def lines(self) -> list[tuple[str, str]]:
        """The parts of the log-odds and their sum, to be read."""
        prior, reach, distance = self.parts
        before = f"{prior:+.3f}, a probability of {float(probability(prior)):.3g} by what is given alone"
        return [
            ("prior", before),
            ("reach", f"{reach:+.3f}"),
            ("distance", f"{distance:+.3f}"),
            ("log-odds", f"{self.parts.total:+.3f}, a probability of {self.probability:.3g}"),
        ]

    def picture(self, path: str | os.PathLike[str], count: int = 10) -> None:
        """Draw the two nodes, their links by effect, and the names of the strongest reasons: .png, .svg or .pdf."""

        draw_neighbourhood(self, path, count)

    def __repr__(self) -> str:
        told = [f"Explanation of {shown(self.names[0])} and {shown(self.names[1])}: {self.probability:.3g}"]
        reasons = self.table(3).itertuples(index=False) if len(self.effects) else []
        told += [f"{shown(one.node)} - {shown(one.linked_to)} {one.effect:+.2g}" for one in reasons]
        return ", ".join(told)

    def _repr_html_(self) -> str:
        reasons = self.table(5).itertuples(index=False) if len(self.effects) else []
        told = [(f"{one.node} – {one.linked_to}", f"{one.effect:+.3g}") for one in reasons]
        notes = [("note", note) for note in self.notes]
        return as_html(f"Why {self.names[0]} – {self.names[1]}?", [*self.lines(), *told, *notes])


def explain(view: View, first: int, second: int, found: View | None = None) -> Explanation:
    """Why a pair of nodes, given by their numbers, is as likely as it is.

    `found`: what the positions were found with, where they are read with another prior or reach.
    """
    if first == second:
        name = shown(view.network.nodes[first])
        raise InputError(f"{name} was given twice; no node is linked to itself, so give two nodes to explain a pair.")
    ends = np.array([first, second])
    squared = float(np.square(view.positions[first].astype(np.float64) - view.positions[second]).sum())
    known = float(view.prior.log_odds_of(ends[:1], ends[1:])[0])
    parts = Parts(known, view.reach, -view.spread.stiffness / 2 * squared)
    return Explanation(view, parts, _sides(found or view, ends))


def _sides(view: View, ends: IntegerArray) -> tuple[Side, Side]:
    """Both nodes of a pair."""
    gradient, hessian = view.surface(ends)
    curvature, directions = np.linalg.eigh(hessian)
    steep = curvature > FLAT * np.maximum(curvature[:, -1:], 0.0)
    give = np.where(steep, 1 / np.where(steep, curvature, 1.0), 0.0)[:, None, :]
    inverse = (directions * give) @ directions.transpose(0, 2, 1)
    return (
        _side(view, int(ends[0]), inverse[0], gradient[0], bool(steep[0].all())),
        _side(view, int(ends[1]), -inverse[1], gradient[1], bool(steep[1].all())),
    )


def _side(view: View, node: int, inverse: Float64Array, gradient: Float64Array, is_steep: bool) -> Side:
    """A node; links that are certain hold it nowhere, as they are no news."""
    others = view.neighbours(node)
    shifts = view.spread.stiffness * ((view.positions[node].astype(np.float64) - view.positions[others]) @ inverse)
    shifts[np.isinf(view.prior.log_odds_of(np.full(len(others), node), others))] = 0.0
    step = inverse @ gradient
    return Side(node, others, shifts, float(np.sqrt(view.spread.stiffness * (step @ step))), not is_steep)


def _restless(name: str) -> str:
    return f"{name} is not where the objective is lowest: the effects of its links are rough. More steps would help."


def _flat(name: str) -> str:
    return f"The place of {name} is not determined in every direction; along those, its links are given no effect."
