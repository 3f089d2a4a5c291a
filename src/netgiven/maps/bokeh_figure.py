"""One Bokeh figure for each panel of a map: used by the saved page, the notebook and the explorer.

All panels share one source with a row for each node, so that what is selected in one is selected in all. Its columns
are `x0`, `y0` for the first panel, `x1`, `y1` for the second, and so on, and `size`, `colour`, `marker`. It holds no
names: they are never given to Bokeh, which might take them for markup.
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

MOST_LINKS = 20_000  # that are drawn all the time, faintly; more of them would hide the nodes
MOST_POINTS = 20_000  # of a network that are drawn one by one, even by a computer without a graphics card
MOST_IN_VIEW = 10_000  # points of a larger one; where more are in view, a picture of their density stands for them
INK = {False: "#202124", True: "#E8EAED"}  # of what is pointed out, on light and on dark ground
FAINT = "#80868B"  # of links, on either ground
# on dark ground a page sets --netgiven-tools to invert(1)
TOOLS = ":host(.bk-inner) { background-color: transparent; filter: var(--netgiven-tools, none); }"


@dataclass(frozen=True, eq=False)
class Panel:
    """A figure, its nodes, and the source that holds all links of a small network as `x`, `y` and `to_x`, `to_y`.

    Nodes that are pointed out are drawn by overlay.js on a sheet above it.
    """

    figure: Any
    renderer: Any
    links: Any


@dataclass(frozen=True, eq=False)
class Drawing:
    """All panels of a map, and the source with a row for each node that they share."""

    nodes: Any
    panels: tuple[Panel, ...]


def draw(
    places: Sequence[Float32Array], marks: Marks, links: IntegerArray, *, dark: bool = False, tools: str = ""
) -> Drawing:
    """A figure for each array of positions (one row a node, two columns), all with the same marks.

    `links` are pairs of node numbers, one row a link. `tools` are Bokeh's, those of a map unless told.
    """
    models = require("bokeh.models", extra="explorer")
    narrower = 1.0 if len(places) == 1 else 0.8
    columns: dict[str, Any] = {"size": marks.size * np.float32(narrower), "colour": marks.colour}
    columns |= {"marker": marks.marker}
    for number, positions in enumerate(places):
        columns |= place_columns(positions, number)
    nodes = models.ColumnDataSource(columns, name="nodes")
    panels = (_panel(nodes, number, positions, links, dark, tools) for number, positions in enumerate(places))
    return Drawing(nodes, tuple(panels))


def place_columns(positions: Float32Array, number: int = 0) -> dict[str, Float32Array]:
    """The two columns of a panel in the shared source; the explorer replaces them while a fit moves."""
    flat = np.asarray(positions, dtype=np.float32)
    return {f"x{number}": np.ascontiguousarray(flat[:, 0]), f"y{number}": np.ascontiguousarray(flat[:, 1])}


def link_columns(positions: Float32Array, links: IntegerArray) -> dict[str, Float32Array]:
    """Segments for links, from node to node; none where they are too many to be seen."""
    shown = links if len(links) <= MOST_LINKS else links[:0]
    begin, end = positions[shown[:, 0]].astype(np.float32), positions[shown[:, 1]].astype(np.float32)
    return {"x": begin[:, 0], "y": begin[:, 1], "to_x": end[:, 0], "to_y": end[:, 1]}


def script(name: str) -> str:
    """The text of one of our scripts or styles that run in the browser."""
    return (resources.files("netgiven.maps") / "browser" / name).read_text(encoding="utf-8")


def show_most(panel: Panel, nodes: Any, number: int = 0) -> Any:
    """A callback that moves and scales a panel so that its nodes are seen, with equal scales; a few may be far out."""
    from bokeh.models import CustomJS

    arguments = {"figure": panel.figure, "nodes": nodes, "number": number}
    return CustomJS(args=arguments, code=script("view.js") + "netgiven.showMost(figure, nodes, number)")


# ---- one panel -----------------------------------------------------------------------------------------------------


def _panel(nodes: Any, number: int, positions: Float32Array, links: IntegerArray, dark: bool, tools: str) -> Panel:
    """A figure whose frame is all of it: no axes, no border; its titles stand outside, where text is only text."""
    from bokeh.models import ColumnDataSource

    figure = _bare_figure(number, positions, tools)
    lines = ColumnDataSource(link_columns(positions, links), name=f"links {number}")
    _segments(figure, lines, faintness(len(links)))
    renderer = _points(figure, nodes, number, dark)
    panel = Panel(figure, renderer, lines)
    _watch(panel, nodes, number, crowded=len(positions) > MOST_POINTS)
    return panel


def faintness(count: int) -> float:
    """How opaque links are: less, the more there are.

    >>> faintness(50), faintness(20_000)
    (0.5, 0.06)
    """
    return float(np.clip(round(7 / np.sqrt(max(count, 1)), 2), 0.06, 0.5))


def _bare_figure(number: int, positions: Float32Array, tools: str) -> Any:
    """Without axes and grid; its ranges are set right in the browser, once the shape of the panel is known."""
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
    """Nodes, with an edge that keeps pale ones visible; those beside a selection fade."""
    from bokeh.models import CDSView, IndexFilter

    count = len(nodes.data["size"])
    filled = IndexFilter(indices=[] if count > MOST_POINTS else None)  # of a crowd, the browser decides who is drawn
    return figure.scatter(
        f"x{number}",
        f"y{number}",
        source=nodes,
        view=CDSView(filter=filled),
        size="size",
        marker="marker",
        fill_color="colour",
        fill_alpha=0.85,
        line_color=INK[dark],
        line_alpha=0.35,
        line_width=0.6,
        nonselection_fill_alpha=0.15,
        nonselection_line_alpha=0.08,
        name=f"points {number}",
    )


def _density(figure: Any, number: int) -> Any:
    """A picture that stands for points where they are too many; filled in the browser."""
    from bokeh.models import ColumnDataSource

    blank = {"image": [np.zeros((1, 1), np.uint32)], "x": [0.0], "y": [0.0], "dw": [1.0], "dh": [1.0]}
    source = ColumnDataSource(blank, syncable=False)
    place = {"x": "x", "y": "y", "dw": "dw", "dh": "dh"}
    picture = figure.image_rgba(
        "image", source=source, level="underlay", visible=False, name=f"density {number}", **place
    )
    picture.tags = [MOST_IN_VIEW]
    return picture


def _watch(panel: Panel, nodes: Any, number: int, crowded: bool) -> None:
    """Equal scales whatever shape the window takes; a click keeps the nearest node; crowds become a picture."""
    from bokeh.models import CustomJS

    figure = panel.figure
    fit = show_most(panel, nodes, number)
    for size in ("inner_width", "inner_height"):
        figure.js_on_change(size, fit)
    here = {"figure": figure, "nodes": nodes, "number": number}
    figure.js_on_event(
        "tap", CustomJS(args=here, code=script("pick.js") + "netgiven.keep(figure, nodes, number, cb_obj)")
    )
    if crowded:
        here |= {"filter": panel.renderer.view.filter, "picture": _density(figure, number)}
        scripts = script("pick.js") + script("crowd.js")
        crowd = CustomJS(args=here, code=scripts + "netgiven.crowd(figure, filter, picture, nodes, number)")
        for axis in (figure.x_range, figure.y_range):
            axis.js_on_change("start", crowd)
            axis.js_on_change("end", crowd)
        nodes.selected.js_on_change("indices", crowd)
        enclose = CustomJS(args=here, code=scripts + "netgiven.enclose(figure, picture, nodes, number, cb_obj)")
        figure.js_on_event("selectiongeometry", enclose)
