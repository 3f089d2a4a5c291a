"""AUC against CPU time, one panel a network: up and to the left is better."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from catalogue import ENVIRONMENTS
from results import Result

from netgiven.maps.canvas import COLOURS

COLUMNS = 3
MARKERS = "osD^v<>Pp*hX"


def draw(tables: dict[str, list[Result]], target: Path) -> None:
    """One panel a network, and one for the legend."""
    from matplotlib.figure import Figure

    rows = -(-(len(tables) + 1) // COLUMNS)
    figure = Figure(figsize=(5 * COLUMNS, 4 * rows), layout="constrained")
    panels = figure.subplots(rows, COLUMNS, squeeze=False).ravel()
    for axes, (network, results) in zip(panels, tables.items(), strict=False):
        _draw_network(axes, network, results)
    for axes in panels[len(tables) :]:
        axes.set_axis_off()
    handles = {
        label: handle for axes in panels for handle, label in zip(*axes.get_legend_handles_labels(), strict=True)
    }
    panels[len(tables)].legend(handles.values(), handles, loc="center", ncols=2, frameon=False)
    figure.savefig(target, format="png", dpi=110, metadata={"Software": None})


def _legend(panels: Any) -> dict[str, Any]:
    """A mark for each label, once."""
    found = [axes.get_legend_handles_labels() for axes in panels]
    return {label: handle for handles, labels in found for handle, label in zip(handles, labels, strict=True)}


def _draw_network(axes: Any, network: str, results: list[Result]) -> None:
    shown = [result for result in results if "AUC" in result.measures and result.cpu_seconds is not None]
    for result in shown:
        spot = result.cpu_seconds, result.measures["AUC"]
        axes.plot(*spot, **_style(result))
        axes.annotate(_short(result), spot, fontsize=6, xytext=(3, 3), textcoords="offset points")
    for result in results:
        if result.peer == "truth":
            axes.axhline(result.measures["AUC"], color="0.6", linestyle="--", label="true probabilities")
    axes.set(title=network, xscale="log", xlabel="CPU s", ylabel="AUC")
    axes.grid(color="0.92")
    axes.set_axisbelow(True)


def _short(result: Result) -> str:
    """The method, and its dimensions."""
    method = result.row.removeprefix(f"{result.peer}, ").split(", d = ")[0]
    return f"{method} {result.dimensions}" if result.dimensions else method


def _style(result: Result) -> dict[str, Any]:
    """A colour and a marker a peer; ours larger."""
    number = list(ENVIRONMENTS).index(result.peer)
    size = 9 if result.peer == "netgiven" else 6
    marker, colour = MARKERS[number % len(MARKERS)], COLOURS[number % len(COLOURS)]
    return {"marker": marker, "color": colour, "markersize": size, "linestyle": "none", "label": result.peer}
