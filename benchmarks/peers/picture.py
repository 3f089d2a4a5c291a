"""AUC against CPU time, one panel per network: up and to the left is better."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from benchmarks.peers.catalogue import ENVIRONMENTS, THEIRS
from benchmarks.peers.results import Result
from netgiven.maps.canvas import PRINT_COLOURS

COLUMNS = 2
MARKERS = "osD^v<>Pp*hX"


def draw(tables: dict[str, list[Result]], target: Path) -> None:
    """One panel per network, and one for the legend."""
    from matplotlib.figure import Figure

    rows = -(-(len(tables) + 1) // COLUMNS)
    figure = Figure(figsize=(7 * COLUMNS, 4.5 * rows), layout="constrained")
    panels = figure.subplots(rows, COLUMNS, squeeze=False).ravel()
    for axes, (network, results) in zip(panels, tables.items(), strict=False):
        _draw_network(axes, network, results)
    for axes in panels[len(tables) :]:
        axes.set_axis_off()
    legend = _legend(panels)
    title = "filled: 128 dimensions or none; hollow: fewer"
    panels[len(tables)].legend(legend.values(), legend, loc="center", ncols=2, frameon=False, title=title)
    figure.savefig(target, format="png", dpi=110, metadata={"Software": None})


def _legend(panels: Any) -> dict[str, Any]:
    """A mark for each label, once."""
    found = [axes.get_legend_handles_labels() for axes in panels]
    return {label: handle for handles, labels in found for handle, label in zip(handles, labels, strict=True)}


def _draw_network(axes: Any, network: str, results: list[Result]) -> None:
    """1 - AUC, downwards and on a log scale, so that differences near 1 are visible; tick labels are AUC."""
    from matplotlib.ticker import FuncFormatter

    shown = [result for result in results if result.best and result.cpu_seconds is not None]
    for result in shown:
        axes.plot(result.cpu_seconds, 1 - result.best, **_style(result))
    for result in _frontier(shown):
        spot = result.cpu_seconds, 1 - result.best
        axes.annotate(_short(result), spot, fontsize=7, xytext=(5, 5), textcoords="offset points")
    for result in results:
        if result.peer == "truth":
            axes.axhline(1 - result.best, color="0.6", linestyle="--", label="true probabilities")
    axes.set(title=network, xscale="log", yscale="log", xlabel="CPU s", ylabel="AUC")
    axes.invert_yaxis()
    for ticks in (axes.yaxis.set_major_formatter, axes.yaxis.set_minor_formatter):
        ticks(FuncFormatter(lambda value, _: f"{1 - value:.4g}"))
    axes.tick_params(axis="y", which="minor", labelsize=7)
    axes.grid(color="0.92", which="both")
    axes.set_axisbelow(True)


def _frontier(results: list[Result]) -> list[Result]:
    """Our rows, and those for which no other is better and cheaper; names of all rows would overlap."""
    return [
        result for result in results if result.peer == "netgiven" or not any(_beats(other, result) for other in results)
    ]


def _beats(one: Result, other: Result) -> bool:
    return one.best > other.best and (one.cpu_seconds or 0.0) < (other.cpu_seconds or 0.0)


def _short(result: Result) -> str:
    """The method, and its dimensions."""
    method = result.row.removeprefix(f"{result.peer}, ").split(", d = ")[0]
    return f"{method} {result.dimensions}" if result.dimensions else method


def _style(result: Result) -> dict[str, Any]:
    """One colour and marker per peer; ours is larger and red."""
    number = list(ENVIRONMENTS).index(result.peer)
    ours = result.peer == "netgiven"
    colour = "crimson" if ours else PRINT_COLOURS[number % len(PRINT_COLOURS)]
    style = {"marker": MARKERS[number % len(MARKERS)], "color": colour, "markersize": 9 if ours else 6}
    face = "none" if 0 < result.dimensions < THEIRS else colour
    return {**style, "markerfacecolor": face, "linestyle": "none", "label": result.peer}
