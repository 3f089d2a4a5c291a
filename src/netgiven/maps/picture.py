"""Maps as pictures: PNG, SVG or PDF.

A few groups are explained by a legend. Where it would take more than a quarter of the picture, or list more than 12
groups, the name of each group stands at the median of its nodes instead. Names do not overlap: those of larger groups
are placed first, and those that find no room are counted.
"""

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
    from matplotlib.text import Annotation
    from matplotlib.transforms import Bbox

SHAPES = {"circle": "o", "triangle": "^", "square": "s", "diamond": "D", "inverted_triangle": "v"}
BACKGROUND = {False: "#FFFFFF", True: "#17191D"}
SIDE = 4.6  # of a panel, in inches
NAMED_SIDE = 6.3  # of a panel with names in it: as wide as one panel and its legend
MAX_SHAPES = 5_000  # nodes that are vector shapes in SVG and PDF; more are rasterized to keep files small
MAX_LETTERS = 36  # of a name in the legend
MAX_ROWS = 12  # of the legend, and one for nodes without a value
MAX_SHARE = 0.25  # of the width of the picture that the legend may take
MAX_NAME_LETTERS = 24  # of a name in a map with many
GAP = 1.5  # between names, in pixels of a figure
SHIFTS = (0, 1, -1, 2, -2)  # heights of a name by which it may be moved up or down to find room
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
    """Draw all panels side by side, with one legend at the right, or with the names of groups in the panels."""
    write_figure(make_picture(places, titles, marks, links, dark=dark), path, resolution=160)


def make_picture(
    places: Sequence[Float32Array], titles: Sequence[str], marks: Marks, links: IntegerArray, *, dark: bool = False
) -> Figure:
    """The figure that `draw_picture` writes."""
    figure = make_figure(SIDE * len(places) + 1.7, SIDE + 0.2)
    figure.set_facecolor(BACKGROUND[dark])
    panels = figure.subplots(1, len(places), squeeze=False)[0]
    for panel, positions, title in zip(panels, places, titles, strict=True):
        _draw_links(panel, positions, links)
        _draw_nodes(panel, positions, marks, dark, 1.0 if len(places) == 1 else 0.8)
        _set_limits(panel, positions, dark)
        panel.set_title(literal(title), color=INK[dark], size=10)
        panel.axis("off")
    if marks.scale is not None:
        _draw_bar(figure, panels, marks, dark)
    elif len(marks.groups) > 1 and not _draw_legend(figure, marks, dark):
        _draw_names(figure, panels, places, marks, dark)
    return figure


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


def _draw_legend(figure: Figure, marks: Marks, dark: bool) -> bool:
    """Draw the legend and return True, unless it would be too large."""
    if marks.coloured > MAX_ROWS:
        return False
    handles = [_handle(group, dark) for group in marks.groups]
    names = [_label(group.name) for group in marks.groups]
    legend = figure.legend(
        handles, names, title=_label(marks.title), loc="outside right center", frameon=False, fontsize=9
    )
    for text in (legend.get_title(), *legend.get_texts()):
        text.set_color(INK[dark])
    fits = legend.get_window_extent().width <= MAX_SHARE * figure.bbox.width
    if not fits:
        legend.remove()
    return fits


def _draw_names(
    figure: Figure, panels: Sequence[Axes], places: Sequence[Float32Array], marks: Marks, dark: bool
) -> None:
    """Draw the names of groups in all panels, which take the place of the legend, and a caption below."""
    figure.set_size_inches(NAMED_SIDE * len(panels), NAMED_SIDE + 0.3)
    figure.supxlabel(literal(_caption(marks)), color=INK[dark], size=8)
    figure.draw_without_rendering()  # panels get their final size: names are compared in pixels
    for panel, positions in zip(panels, places, strict=True):
        _name_groups(panel, positions, marks, dark)


def _caption(marks: Marks) -> str:
    """What the colours are, how many groups have none of their own, and how many nodes have no value."""
    total = marks.coloured + marks.smaller
    many = f"{marks.coloured} largest of {total:,} groups are coloured, the others are grey"
    parts = [f"Coloured by {shortened(marks.title, MAX_LETTERS)}", many if marks.smaller else counted(total, "group")]
    if len(marks.groups) > marks.coloured + bool(marks.smaller):
        parts.append(f"{counted(marks.groups[-1].count, 'node')} without a value")
    return "; ".join(parts)


def _name_groups(panel: Axes, positions: Float32Array, marks: Marks, dark: bool) -> None:
    """Draw the name of each coloured group at the median of its nodes, where it fits, the largest group first."""
    taken: list[Bbox] = [text.get_window_extent() for text in panel.texts]
    letters = MAX_LETTERS if marks.coloured <= MAX_ROWS else MAX_NAME_LETTERS
    left_out = 0
    for number in sorted(range(marks.coloured), key=lambda number: -marks.groups[number].count):
        median = np.median(positions[marks.group == number], axis=0)
        box = _place_name(panel, shortened(marks.groups[number].name, letters), median, taken, dark)
        if box is None:
            left_out += 1
        else:
            taken.append(box)
    if left_out:
        text = f"no room for {counted(left_out, 'name')}"
        panel.text(0.99, 0.01, text, transform=panel.transAxes, color=INK[dark], size=7, alpha=0.7, ha="right")


def _place_name(panel: Axes, name: str, place: Float32Array, taken: list[Bbox], dark: bool) -> Bbox | None:
    """Write a name at a place, or just above or below it; None if it would leave the panel or overlap other names."""
    from matplotlib.patheffects import withStroke

    text = panel.annotate(
        literal(name),
        (float(place[0]), float(place[1])),
        xytext=(0, 0),
        textcoords="offset points",
        ha="center",
        va="center",
        size=8,
        weight="bold",
        color=INK[dark],
        zorder=5,
        path_effects=[withStroke(linewidth=2.5, foreground=BACKGROUND[dark])],
        in_layout=False,
    )
    for shift in SHIFTS:
        box = _moved(text, panel, shift)
        if _is_inside(box, panel.bbox) and not box.count_overlaps(taken):
            return box
    text.remove()
    return None


def _moved(text: Annotation, panel: Axes, shift: int) -> Bbox:
    """Move a name up by `shift` heights, and sideways into the panel if it is near its edge; return its box."""
    text.set_position((0, 0))
    box = _padded(text)
    aside = max(panel.bbox.x0 - box.x0, 0.0) + min(panel.bbox.x1 - box.x1, 0.0)
    if abs(aside) > box.width / 2:  # the nodes themselves are outside
        aside = 0.0
    points = 72 / panel.figure.dpi
    text.set_position((points * aside, points * shift * box.height))
    return _padded(text)


def _padded(text: Annotation) -> Bbox:
    return text.get_window_extent().padded(GAP)


def _is_inside(box: Bbox, panel: Bbox) -> bool:
    """Whether a box lies in a panel; one that was moved to its edge may be a fraction of a pixel beyond."""
    return bool(panel.x0 - 1 <= box.x0 and box.x1 <= panel.x1 + 1 and panel.y0 <= box.y0 and box.y1 <= panel.y1)


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
