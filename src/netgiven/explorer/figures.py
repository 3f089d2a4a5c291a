"""The maps of a session as Bokeh figures, side by side."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from netgiven.embedding import Embedding
from netgiven.maps.bokeh_figure import Drawing, draw, link_columns, position_columns
from netgiven.maps.map import align
from netgiven.maps.marks import Marks
from netgiven.network import Network
from netgiven.types import Float32Array, Int32Array

TOOLS = "pan,lasso_select,wheel_zoom,reset"


class Canvas:
    """The figures of one network, in which positions and colours can change."""

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
        """One Bokeh figure per map."""
        return [panel.figure for panel in self.drawing.panels]

    def can_show(self, planes: Sequence[Float32Array]) -> bool:
        """Whether other positions of the same nodes can be shown in the same figures."""
        return [len(there) for there in planes] == [len(there) for there in self.planes]

    def move(self, number: int, plane: Float32Array) -> None:
        """Change the positions in one of the maps."""
        self.planes[number] = plane
        self.drawing.nodes.data.update(position_columns(plane, number))
        self.drawing.panels[number].links.data.update(link_columns(plane, self._links))

    def colour(self, marks: Marks) -> None:
        """Change colours and markers of the nodes."""
        self.marks = marks
        columns = {"colour": marks.colour, "marker": marks.marker, "group": marks.group.astype(np.int32)}
        self.drawing.nodes.data.update(columns)


def _add_ends(source: Any, links: Int32Array) -> None:
    """Add the end nodes of each drawn link, so that the page can hide links together with nodes."""
    drawn = links[: len(source.data["x"])]
    source.data.update({"first": drawn[:, 0], "second": drawn[:, 1]})


def plane(embedding: Embedding) -> Float32Array:
    """The two coordinates with the largest variance, which are drawn."""
    return np.ascontiguousarray(embedding.positions[:, :2])


def aligned(positions: Float32Array, reference: Float32Array) -> Float32Array:
    """Positions rotated, reflected and scaled to match those of the same nodes in another map."""
    return align([reference, positions])[0][1]


def transformed(point: Float32Array, positions: Float32Array, drawn: Float32Array) -> Float32Array:
    """A point after the affine map that takes positions to where they are drawn, found by least squares.

    >>> positions = np.array([[0, 0], [1, 0], [0, 2]], dtype=np.float32)
    >>> transformed(np.array([1, 3], dtype=np.float32), positions, 2 * positions[:, ::-1] + 5).round(3).tolist()
    [11.0, 7.0]
    """
    centre, drawn_centre = positions.mean(axis=0, dtype=np.float64), drawn.mean(axis=0, dtype=np.float64)
    matrix = np.linalg.lstsq(positions - centre, drawn - drawn_centre, rcond=None)[0]
    return np.asarray((point - centre) @ matrix + drawn_centre, dtype=np.float32)
