"""Maps as pictures: PNG, SVG or PDF."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from netgiven.edges import counted
from netgiven.maps.bokeh_figure import FAINT, INK, MAX_LINKS, link_opacity
from netgiven.maps.canvas import literal, make_figure, shades, shortened, write_figure
from netgiven.maps.marks import Group, Marks
from netgiven.types import Float32Array, IntegerArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

SHAPES = {"circle": "o", "triangle": "^", "square": "s", "diamond": "D", "inverted_triangle": "v"}
BACKGROUND = {False: "#FFFFFF", True: "#17191D"}
SIDE = 4.6  # of a panel, in inches
MAX_SHAPES = 5_000  # nodes that are vector shapes in SVG and PDF; more are rasterized to keep files small
MAX_LETTERS = 36  # of a name in the legend
MAX_ROWS = 12  # of a column of the legend
TAIL = 0.025  # share of nodes at each side that may lie outside of the picture
MARGIN = 0.4  # relative to the extent of the other nodes


def draw_picture(
    path: str | os.PathLike[str],
    places: Sequence[Float32Array],
    titles: Sequence[str],
    marks: Marks,
    links: IntegerArray,
    *,
    dark: bool = False,
) -> None:
    """Draw all panels side by side, with one legend at the right."""
    figure = make_figure(SIDE * len(places) + 1.7, SIDE + 0.2)
    figure.set_facecolor(BACKGROUND[dark])
    panels = figure.subplots(1, len(places), squeeze=False)[0]
    for panel, positions, title in zip(panels, places, titles, strict=True):
        _draw_links(panel, positions, links)
        _draw_nodes(panel, positions, marks, dark, 1.0 if len(places) == 1 else 0.8)
        _set_limits(panel, positions, dark)
        panel.set_title(literal(title), color=INK[dark], size=10)
        panel.axis("off")
    _draw_legend(figure, panels, marks, dark)
    write_figure(figure, path, resolution=160)


def _draw_links(panel: Axes, positions: Float32Array, links: IntegerArray) -> None:
    from matplotlib.collections import LineCollection

    if len(links) <= MAX_LINKS:
        lines = LineCollection(
            list(positions[links]),
            zorder=0,
            colors=FAINT,
            alpha=link_opacity(len(links)),
            linewidths=0.5,
            rasterized=len(links) > 1000,
        )
        panel.add_collection(lines)


def _draw_nodes(panel: Axes, positions: Float32Array, marks: Marks, dark: bool, factor: float) -> None:
    colour = np.stack([marks.colour >> shift & 255 for shift in (24, 16, 8, 0)], axis=-1) / 255
    area = np.square(marks.size * 0.62 * factor)
    for shape in dict.fromkeys(marks.marker):
        here = np.array([marker == shape for marker in marks.marker])
        panel.scatter(
            positions[here, 0],
            positions[here, 1],
            s=area[here],
            c=colour[here],
            marker=SHAPES[shape],
            edgecolors=INK[dark],
            linewidths=0.15,
            alpha=0.9,
            rasterized=len(positions) > MAX_SHAPES,
        )


def _set_limits(panel: Axes, positions: Float32Array, dark: bool) -> None:
    """Show a square with nearly all nodes, as pages do at first, and write how many nodes lie outside."""
    ends = np.array([central_range(positions[:, axis]) for axis in (0, 1)])
    middle, half = ends.mean(axis=1), max(0.54 * float((ends[:, 1] - ends[:, 0]).max()), 1e-6)
    panel.set(xlim=(middle[0] - half, middle[0] + half), ylim=(middle[1] - half, middle[1] + half))
    panel.set_aspect("equal", adjustable="box")
    outside = int((np.abs(positions - middle) > half).any(axis=1).sum())
    if outside:
        text = f"{counted(outside, 'node')} farther out"
        panel.text(0.01, 0.01, text, transform=panel.transAxes, color=INK[dark], size=7, alpha=0.7)


def central_range(values: Float32Array) -> tuple[float, float]:
    """The interval that holds nearly all values; view.js computes the same.

    >>> central_range(np.array([*range(100), 10_000.0], dtype=np.float32))
    (0.0, 136.4)
    """
    known = np.sort(values[np.isfinite(values)].astype(np.float64))
    if not len(known):
        return -1.0, 1.0
    last = len(known) - 1
    low, high = known[int(np.floor(TAIL * last))], known[int(np.ceil((1 - TAIL) * last))]
    wider = MARGIN * (high - low) or np.inf
    return float(max(known[0], low - wider)), float(min(known[-1], high + wider))


def _draw_legend(figure: Figure, panels: Sequence[Axes], marks: Marks, dark: bool) -> None:
    if marks.scale is not None:
        _draw_bar(figure, panels, marks, dark)
        return
    if len(marks.groups) < 2:
        return
    handles = [_handle(group, dark) for group in marks.groups]
    names = [_label(group.name) for group in marks.groups]
    columns = 1 + (len(handles) - 1) // MAX_ROWS
    legend = figure.legend(
        handles, names, title=_label(marks.title), loc="outside right center", ncols=columns, frameon=False, fontsize=9
    )
    for text in (legend.get_title(), *legend.get_texts()):
        text.set_color(INK[dark])


def _handle(group: Group, dark: bool) -> Line2D:
    from matplotlib.lines import Line2D

    return Line2D(
        [],
        [],
        linestyle="none",
        marker=SHAPES[group.look.marker],
        color=group.look.colour,
        markeredgecolor=INK[dark],
        markeredgewidth=0.2,
        markersize=6,
    )


def _draw_bar(figure: Figure, panels: Sequence[Axes], marks: Marks, dark: bool) -> None:
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import ListedColormap

    assert marks.scale is not None
    bar = figure.colorbar(ScalarMappable(cmap=ListedColormap(shades())), ax=list(panels), shrink=0.6, pad=0.02)
    ticks = marks.scale.ticks()
    bar.set_ticks([share for _, share in ticks], labels=[f"{value:,.4g}" for value, _ in ticks])
    bar.set_label(_label(marks.title), color=INK[dark])
    bar.ax.tick_params(colors=INK[dark], labelsize=8, length=0)
    bar.outline.set_visible(False)


def _label(name: str) -> str:
    """A name on one line, shortened, without mathematics.

    >>> _label("_hidden"), _label("a" * 50)[-3:]
    ('\\u200b_hidden', 'aa…')
    """
    cut = shortened(name, MAX_LETTERS)
    return "\u200b" * cut.startswith("_") + literal(cut)  # Matplotlib hides labels that begin with an underscore
