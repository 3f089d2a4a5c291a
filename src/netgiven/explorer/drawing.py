"""The maps of a visit as Bokeh figures, side by side."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from netgiven.embedding import Embedding
from netgiven.maps import panels
from netgiven.maps.bokeh_figure import Drawing, draw, link_columns, place_columns
from netgiven.maps.marks import Marks
from netgiven.network import Network
from netgiven.types import Float32Array, Int32Array

TOOLS = "pan,lasso_select,wheel_zoom,reset"


class Canvas:
    """One drawing of one network, in which positions move and colours change."""

    def __init__(self, network: Network, planes: Sequence[Float32Array], marks: Marks) -> None:
        self.network, self.marks = network, marks
        self.planes = list(planes)
        self._links = network.links()
        self.drawing: Drawing = draw(planes, marks, self._links, tools=TOOLS)
        self.drawing.nodes.add(network.degrees.astype(np.int32), "degree")
        self.drawing.nodes.add(marks.group.astype(np.int32), "group")
        for panel in self.drawing.panels:
            _add_ends(panel.links, self._links)

    @property
    def figures(self) -> list[Any]:
        """One for each map."""
        return [panel.figure for panel in self.drawing.panels]

    def move(self, number: int, plane: Float32Array) -> None:
        """Nodes are elsewhere in one of the maps."""
        self.planes[number] = plane
        self.drawing.nodes.data.update(place_columns(plane, number))
        self.drawing.panels[number].links.data.update(link_columns(plane, self._links))

    def colour(self, marks: Marks) -> None:
        """Nodes look otherwise."""
        self.marks = marks
        looks = {"colour": marks.colour, "marker": marks.marker, "group": marks.group.astype(np.int32)}
        self.drawing.nodes.data.update(looks)


def _add_ends(source: Any, links: Int32Array) -> None:
    """Which nodes a drawn link joins: with these, it vanishes."""
    shown = links[: len(source.data["x"])]
    source.data.update({"first": shown[:, 0], "second": shown[:, 1]})


def plane(embedding: Embedding) -> Float32Array:
    """The two widest coordinates: what is drawn."""
    return np.ascontiguousarray(embedding.positions[:, :2])


def aligned(places: Float32Array, like: Float32Array) -> Float32Array:
    """Positions turned and mirrored towards others of the same nodes, and scaled to their size."""
    return panels.aligned([like, places])[0][1]


def carried(point: Float32Array, places: Float32Array, drawn: Float32Array) -> Float32Array:
    """Where a point among some places is in a drawing of them, which is turned, mirrored, scaled and moved.

    >>> places = np.array([[0, 0], [1, 0], [0, 2]], dtype=np.float32)
    >>> carried(np.array([1, 3], dtype=np.float32), places, 2 * places[:, ::-1] + 5).round(3).tolist()
    [11.0, 7.0]
    """
    middle, moved = places.mean(axis=0, dtype=np.float64), drawn.mean(axis=0, dtype=np.float64)
    turn = np.linalg.lstsq(places - middle, drawn - moved, rcond=None)[0]
    return np.asarray((point - middle) @ turn + moved, dtype=np.float32)
