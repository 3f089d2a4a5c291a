"""The maps of a visit as Bokeh figures, side by side, and what is pointed out in them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from netgiven.kernels.arrays import Floats
from netgiven.maps import alignment
from netgiven.maps.figure import Drawing, draw, link_columns, place_columns
from netgiven.maps.marks import Marks
from netgiven.network import Network

TOOLS = "pan,lasso_select,wheel_zoom,reset"
NOTHING: dict[str, list[Any]] = {"x": [], "y": [], "to_x": [], "to_y": []}
NOBODY: dict[str, list[Any]] = {"x": [], "y": [], "size": [], "colour": [], "marker": []}


class Canvas:
    """One drawing of one network: positions move in it, nodes and links are pointed out."""

    def __init__(self, network: Network, planes: Sequence[Floats], marks: Marks) -> None:
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

    def move(self, number: int, plane: Floats) -> None:
        """Nodes are elsewhere in one of the maps."""
        self.planes[number] = plane
        self.drawing.nodes.data.update(place_columns(plane, number))
        self.drawing.panels[number].links.data.update(link_columns(plane, self._links))

    def colour(self, marks: Marks) -> None:
        """Nodes look otherwise."""
        self.marks = marks
        looks = {"colour": marks.colour, "marker": marks.marker, "group": marks.group.astype(np.int32)}
        self.drawing.nodes.data.update(looks)

    def point_out(
        self, number: int, nodes: npt.NDArray[np.integer], linked: Sequence[tuple[int, int]], likely: Sequence[Any]
    ) -> None:
        """In one map: nodes to see, links between nodes, and likely ones."""
        panel, plane = self.drawing.panels[number], self.planes[number]
        panel.spokes.data = _segments(plane, linked)
        panel.guesses.data = _segments(plane, likely)
        data = self.drawing.nodes.data
        panel.spots.data = {
            "x": plane[nodes, 0],
            "y": plane[nodes, 1],
            "size": np.asarray(data["size"])[nodes],
            "colour": np.asarray(data["colour"])[nodes],
            "marker": [self.marks.marker[node] for node in nodes],
        }

    def clear(self) -> None:
        """Nothing is pointed out."""
        for panel in self.drawing.panels:
            panel.spokes.data, panel.guesses.data, panel.spots.data = dict(NOTHING), dict(NOTHING), dict(NOBODY)


def _add_ends(source: Any, links: npt.NDArray[np.int32]) -> None:
    """Which nodes a drawn link joins: with these, it vanishes."""
    shown = links[: len(source.data["x"])]
    source.data.update({"first": shown[:, 0], "second": shown[:, 1]})


def _segments(plane: Floats, pairs: Sequence[tuple[int, int]]) -> dict[str, Any]:
    ends = np.asarray(pairs, dtype=np.int64).reshape(-1, 2)
    begin, end = plane[ends[:, 0]], plane[ends[:, 1]]
    return {"x": begin[:, 0], "y": begin[:, 1], "to_x": end[:, 0], "to_y": end[:, 1]}


def aligned(plane: Floats, like: Floats) -> Floats:
    """Positions turned and mirrored towards others of the same nodes, and scaled to their size."""
    return alignment.aligned([like, plane])[0][1]
