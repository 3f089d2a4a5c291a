"""The Bokeh figures of a map, for saved pages, notebooks and the explorer.

All panels share one data source with one row per node, so that a selection in one panel shows in all. Its columns are
`x0`, `y0` for the first panel, `x1`, `y1` for the second, and so on, and `size`, `colour`, `marker`. Names of nodes are
not among them: Bokeh might interpret them as markup.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib import resources
from typing import Any

import numpy as np

from netgiven.errors import require
from netgiven.maps.marks import Marks
from netgiven.types import Float32Array, IntegerArray

MAX_LINKS = 20_000  # of a network whose links are all drawn; more would hide the nodes
MAX_POINTS = 20_000  # of a network whose nodes are all drawn, even by a computer without a graphics card
MAX_IN_VIEW = 10_000  # nodes of a larger network; if more are in view, an image of their density is drawn instead
INK = {False: "#202124", True: "#E8EAED"}  # borders and text, on a light and on a dark background
FAINT = "#80868B"  # links, on either background
# on a dark background a page sets --netgiven-tools to invert(1)
TOOLS = ":host(.bk-inner) { background-color: transparent; filter: var(--netgiven-tools, none); }"


@dataclass(frozen=True, eq=False)
class Panel:
    """A figure, the renderer of its nodes, and the source of its links (`x`, `y`, `to_x`, `to_y`).

    Highlighted nodes are drawn by overlay.js on a canvas above the figure.
    """

    figure: Any
    renderer: Any
    links: Any


@dataclass(frozen=True, eq=False)
class Drawing:
    """All panels of a map, and the data source that they share."""

    nodes: Any
    panels: tuple[Panel, ...]


def draw(
    places: Sequence[Float32Array], marks: Marks, links: IntegerArray, *, dark: bool = False, tools: str = ""
) -> Drawing:
    """Draw one figure for each array of positions.

    Parameters
    ----------
    places
        Positions in the plane, one row per node.
    marks
        Size, colour and shape of each node.
    links
        Pairs of node numbers, one row per link.
    dark
        Whether the background is dark.
    tools
        The names of Bokeh tools; by default those of a map.
    """
    models = require("bokeh.models", extra="explorer")
    factor = 1.0 if len(places) == 1 else 0.8
    columns: dict[str, Any] = {"size": marks.size * np.float32(factor), "colour": marks.colour}
    columns |= {"marker": marks.marker}
    for number, positions in enumerate(places):
        columns |= position_columns(positions, number)
    nodes = models.ColumnDataSource(columns, name="nodes")
    panels = (_panel(nodes, number, positions, links, dark, tools) for number, positions in enumerate(places))
    return Drawing(nodes, tuple(panels))


def position_columns(positions: Float32Array, number: int = 0) -> dict[str, Float32Array]:
    """The two columns of a panel in the shared source; the explorer replaces them during a fit."""
    flat = np.asarray(positions, dtype=np.float32)
    return {f"x{number}": np.ascontiguousarray(flat[:, 0]), f"y{number}": np.ascontiguousarray(flat[:, 1])}


def link_columns(positions: Float32Array, links: IntegerArray) -> dict[str, Float32Array]:
    """The ends of the line segments of links; none if there are too many to draw."""
    shown = links if len(links) <= MAX_LINKS else links[:0]
    begin, end = positions[shown[:, 0]].astype(np.float32), positions[shown[:, 1]].astype(np.float32)
    return {"x": begin[:, 0], "y": begin[:, 1], "to_x": end[:, 0], "to_y": end[:, 1]}


def browser_file(name: str) -> str:
    """The text of a file in the folder `browser`."""
    return (resources.files("netgiven.maps") / "browser" / name).read_text(encoding="utf-8")


def show_most(panel: Panel, nodes: Any, number: int = 0) -> Any:
    """A callback that pans and zooms a panel to nearly all of its nodes, with equal scales."""
    from bokeh.models import CustomJS

    arguments = {"figure": panel.figure, "nodes": nodes, "number": number}
    return CustomJS(args=arguments, code=browser_file("view.js") + "netgiven.showMost(figure, nodes, number)")


def _panel(nodes: Any, number: int, positions: Float32Array, links: IntegerArray, dark: bool, tools: str) -> Panel:
    """A figure without axes and border; its title stands outside of it, as plain text."""
    from bokeh.models import ColumnDataSource

    figure = _bare_figure(number, positions, tools)
    lines = ColumnDataSource(link_columns(positions, links), name=f"links {number}")
    _segments(figure, lines, link_opacity(len(links)))
    renderer = _points(figure, nodes, number, dark)
    panel = Panel(figure, renderer, lines)
    _connect(panel, nodes, number, crowded=len(positions) > MAX_POINTS)
    return panel


def link_opacity(count: int) -> float:
    """The opacity of links: lower, the more there are.

    >>> link_opacity(50), link_opacity(20_000)
    (0.5, 0.06)
    """
    return float(np.clip(round(7 / np.sqrt(max(count, 1)), 2), 0.06, 0.5))


def _bare_figure(number: int, positions: Float32Array, tools: str) -> Any:
    """A figure without axes and grid; the browser sets its ranges once the shape of the panel is known."""
    from bokeh.models import Range1d
    from bokeh.plotting import figure

    low, high = (float(end) for end in ((positions.min(), positions.max()) if len(positions) else (-1, 1)))
    bare = figure(
        name=f"panel {number}",
        output_backend="webgl",
        sizing_mode="stretch_both",
        tools=tools or "pan,wheel_zoom,box_zoom,lasso_select,reset",
        active_scroll="wheel_zoom",
        toolbar_location="right",
        x_range=Range1d(low, high),
        y_range=Range1d(low, high),
        x_axis_type=None,
        y_axis_type=None,
        min_border=0,
        outline_line_color=None,
        background_fill_color=None,
        border_fill_color=None,
        match_aspect=True,
        lod_threshold=None,
    )
    bare.grid.visible = False
    bare.toolbar.logo = None
    bare.toolbar.stylesheets = [TOOLS]
    bare.toolbar_inner = True
    return bare


def _segments(figure: Any, source: Any, opacity: float) -> None:
    line = {"line_color": FAINT, "line_alpha": opacity, "line_width": 1.0}
    figure.segment("x", "y", "to_x", "to_y", source=source, level="underlay", name=f"{source.name} drawn", **line)


def _points(figure: Any, nodes: Any, number: int, dark: bool) -> Any:
    """Nodes, with a border that keeps pale ones visible; nodes that are not selected fade."""
    if len(nodes.data["size"]) > MAX_POINTS:
        return _some_points(figure, number, dark)
    from bokeh.models import CDSView, IndexFilter

    return figure.scatter(
        f"x{number}",
        f"y{number}",
        source=nodes,
        view=CDSView(filter=IndexFilter(indices=None)),
        fill_alpha=0.85,
        line_alpha=0.35,
        nonselection_fill_alpha=0.15,
        nonselection_line_alpha=0.08,
        **_look(number, dark),
    )


def _look(number: int, dark: bool) -> dict[str, Any]:
    look = {"size": "size", "marker": "marker", "fill_color": "colour", "line_color": INK[dark], "line_width": 0.6}
    return look | {"name": f"points {number}"}


def _some_points(figure: Any, number: int, dark: bool) -> Any:
    """Those of many nodes that are drawn one by one, in a source of their own, which crowd.js fills.

    Bokeh would look at all nodes of a source whenever the view changes.
    """
    from bokeh.models import ColumnDataSource

    empty: dict[str, Any] = {name: np.zeros(0, np.float32) for name in ("x", "y", "size", "alpha", "edge")}
    empty |= {"node": np.zeros(0, np.int32), "colour": np.zeros(0, np.uint32), "marker": []}
    source = ColumnDataSource(empty, syncable=False)
    faded = {
        f"{which}{part}_alpha": column
        for part, column in (("fill", "alpha"), ("line", "edge"))
        for which in ("", "nonselection_")
    }
    return figure.scatter("x", "y", source=source, **faded, **_look(number, dark))


def _density(figure: Any, number: int) -> Any:
    """The image of the density of nodes; the browser computes it."""
    from bokeh.models import ColumnDataSource

    blank = {"image": [np.zeros((1, 1), np.uint32)], "x": [0.0], "y": [0.0], "dw": [1.0], "dh": [1.0]}
    source = ColumnDataSource(blank, syncable=False)
    place = {"x": "x", "y": "y", "dw": "dw", "dh": "dh"}
    picture = figure.image_rgba(
        "image", source=source, level="underlay", visible=False, name=f"density {number}", **place
    )
    picture.tags = [MAX_IN_VIEW]
    return picture


def _connect(panel: Panel, nodes: Any, number: int, crowded: bool) -> None:
    """Connect the figure to the scripts: equal scales, selection by clicks, and the density of many nodes."""
    from bokeh.models import CustomJS

    figure = panel.figure
    fit = show_most(panel, nodes, number)
    for size in ("inner_width", "inner_height"):
        figure.js_on_change(size, fit)
    here = {"figure": figure, "nodes": nodes, "number": number}
    figure.js_on_event(
        "tap", CustomJS(args=here, code=browser_file("pick.js") + "netgiven.keep(figure, nodes, number, cb_obj)")
    )
    if crowded:
        here |= {"renderer": panel.renderer, "picture": _density(figure, number)}
        scripts = "".join(browser_file(f"{name}.js") for name in ("view", "pick", "crowd"))
        call = "netgiven.crowd(figure, renderer, picture, nodes, number"
        moved = CustomJS(args=here, code=f"{scripts}{call}, true)")
        for axis in (figure.x_range, figure.y_range):
            axis.js_on_change("start", moved)
            axis.js_on_change("end", moved)
        changed = CustomJS(args=here, code=f"{scripts}{call})")
        nodes.js_on_change("data", changed)  # other positions or colours
        nodes.selected.js_on_change("indices", changed)
        enclose = CustomJS(args=here, code=scripts + "netgiven.enclose(figure, nodes, cb_obj)")
        figure.js_on_event("selectiongeometry", enclose)
