"""A pair of nodes and their links, drawn by what each link does to the probability of the pair."""

from __future__ import annotations

import os
from typing import Any, Protocol

import numpy as np

from netgiven.answers.view import View
from netgiven.edges import counted
from netgiven.maps.canvas import COLOURS, check_ending, literal, make_figure, write_figure
from netgiven.maps.colours import GREY
from netgiven.types import Float64Array, IntegerArray

RAISES, LOWERS = COLOURS[0], COLOURS[3]
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
    axes.scatter(*np.array([places[node] for node in pair]).T, s=110, color=COLOURS[1], edgecolors="0.2", zorder=4)
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
