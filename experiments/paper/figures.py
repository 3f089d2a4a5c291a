"""Figures of a table, one panel per network: bars beside the paper's numbers, ROC curves, calibration."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

import numpy as np

from experiments.paper.methods import FALSE_POSITIVE_RATES
from experiments.paper.summary import Summary
from netgiven.maps.canvas import PRINT_COLOURS
from netgiven.tasks.calibration import draw_reliability

COLUMNS = 3
SHOWN_RATES = (1e-3, 1.0)  # range of false-positive rates that is drawn


def bars(summary: Summary, measure: str) -> bytes:
    """Mean and standard deviation of each method as bars, and the paper's numbers as marks."""
    height = 1.0 + 0.24 * len(summary.rows)
    return _panels(summary, height, lambda axes, network: _draw_bars(axes, summary, network, measure), share_rows=True)


def _draw_bars(axes: Any, summary: Summary, network: str, measure: str) -> None:
    averages = [summary.measure(row, network, measure) for row in summary.rows]
    published = [summary.table.published(measure, row, network) for row in summary.rows]
    places = np.arange(len(averages))
    means = [np.nan if average is None else average.mean for average in averages]
    colours = [PRINT_COLOURS[0] if number is None else PRINT_COLOURS[5] for number in published]
    axes.barh(
        places, means, xerr=[average.deviation if average else 0.0 for average in averages], color=colours, ecolor="0.2"
    )
    marks = [np.nan if number is None else number for number in published]
    if not np.isnan(marks).all():
        axes.plot(marks, places, linestyle="none", marker="D", markersize=4.5, color=PRINT_COLOURS[3], label="paper")
    axes.set_yticks(places, [_literal(row.name) for row in summary.rows])
    axes.set(xlim=_range([*means, *marks]), ylim=(len(places) - 0.4, -0.6))  # the first method is on top
    axes.set_xlabel(measure)
    axes.grid(axis="x", color="0.9")
    axes.set_axisbelow(True)


def _range(values: list[float]) -> tuple[float, float]:
    """Limits somewhat beyond the smallest and the largest value, so that differences are visible."""
    least, most = float(np.nanmin(values)), float(np.nanmax(values))
    margin = max(0.1 * (most - least), 0.002)
    return max(0.0, least - 2 * margin), most + margin


def roc_curves(summary: Summary) -> bytes:
    """The mean ROC curves of the main methods, on a logarithmic axis because most pairs are not linked."""
    return _panels(summary, 3.6, lambda axes, network: _draw_curves(axes, summary, network))


def _draw_curves(axes: Any, summary: Summary, network: str) -> None:
    for number, row in enumerate(row for row in summary.rows if row.drawn):
        curve = summary.curve(row, network)
        if curve is not None:
            colour = PRINT_COLOURS[number % len(PRINT_COLOURS)]
            axes.plot(FALSE_POSITIVE_RATES[1:], curve[1:], color=colour, label=_literal(row.name), linewidth=1.4)
    axes.plot(FALSE_POSITIVE_RATES[1:], FALSE_POSITIVE_RATES[1:], color="0.6", linewidth=0.8, linestyle="--")
    axes.set(xscale="log", xlim=SHOWN_RATES, ylim=(0, 1.01))
    axes.set(xlabel="false-positive rate", ylabel="true-positive rate")


def calibration(summary: Summary) -> bytes:
    """Observed share of links against predicted probability, for the methods that give probabilities."""
    return _panels(summary, 3.6, lambda axes, network: _draw_calibration(axes, summary, network))


def _draw_calibration(axes: Any, summary: Summary, network: str) -> None:
    tables = {_literal(row.name): summary.reliability(row, network) for row in summary.rows}
    draw_reliability(axes, {name: table for name, table in tables.items() if table is not None})


# ---- figures ---------------------------------------------------------------------------------------------------------


def _panels(
    summary: Summary,
    height: float,
    draw: Callable[[Any, str], None],
    share_rows: bool = False,
) -> bytes:
    """A figure with one panel per network, as SVG."""
    from matplotlib.figure import Figure

    networks = summary.networks
    columns = min(COLUMNS, len(networks))
    rows = -(-len(networks) // columns)
    figure = Figure(figsize=(1.6 + 3.6 * columns, 0.5 + height * rows), layout="constrained")
    panels = np.ravel(figure.subplots(rows, columns, squeeze=False, sharey="row" if share_rows else False))
    for axes, network in zip(panels, networks, strict=False):
        draw(axes, network)
        axes.set_title(_literal(summary.table.networks[network]))
        axes.spines[["top", "right"]].set_visible(False)
    for axes in panels[len(networks) :]:
        axes.set_visible(False)
    _add_legend(figure, columns)
    return _as_svg(figure)


def _add_legend(figure: Any, columns: int) -> None:
    """One legend for all panels, below them."""
    entries = [entry for axes in figure.axes for entry in zip(*axes.get_legend_handles_labels(), strict=True)]
    handles = {label: handle for handle, label in entries}
    if handles:
        figure.set_figheight(figure.get_figheight() + 0.2 * -(-len(handles) // columns))
        figure.legend(handles.values(), handles, loc="outside lower center", ncols=columns, frameon=False)


def _as_svg(figure: Any) -> bytes:
    """Render without date and random names, so that the same figure gives the same bytes."""
    from matplotlib import rc_context

    target = io.BytesIO()
    with rc_context({"svg.hashsalt": "netgiven"}):
        figure.savefig(target, format="svg", metadata={"Date": None, "Creator": None})
    return target.getvalue()


def _literal(text: str) -> str:
    """Escape a text so that Matplotlib does not read it as mathematics."""
    return text.replace("$", r"\$")
