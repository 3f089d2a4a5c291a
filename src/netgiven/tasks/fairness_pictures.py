"""A picture of a report on fairness: predictions for pairs of groups, and what vectors tell, embedding by embedding."""

from __future__ import annotations

import os
from typing import Any, Protocol

import numpy as np
import pandas as pd

from netgiven.maps.canvas import COLOURS, literal, make_figure, write_figure

SAME, DIFFERENT = COLOURS[0], COLOURS[1]
READERS = {"read_logistic": ("logistic regression", "D"), "read_neighbours": ("nearest neighbours", "o")}
KINDS = {
    "link_auc": ("all pairs", "0.3"),
    "link_auc_same": ("same group", SAME),
    "link_auc_different": ("different groups", DIFFERENT),
}
LETTERS = 24  # of a line of a name


class Reported(Protocol):
    """What is drawn of a report."""

    @property
    def attribute(self) -> str:
        """The column."""
        ...

    @property
    def hidden(self) -> int:
        """How many hidden links were told."""
        ...

    @property
    def table(self) -> pd.DataFrame:
        """One row an embedding."""
        ...

    @property
    def group_pairs(self) -> pd.DataFrame:
        """One row for two groups."""
        ...


def draw_fairness(report: Reported, path: str | os.PathLike[str]) -> None:
    """A row for each embedding. Panels: mean probability of each two groups, over all pairs and among links (a dot for
    two groups, a bar for the mean); how well the attribute is read; and the AUC on hidden links, if there are any.
    """
    names = list(report.table.index)
    panels = 3 + ("link_auc" in report.table)
    figure = make_figure(1.6 + 3.1 * panels, 2.0 + 0.75 * len(names))
    axes = figure.subplots(1, panels, sharey=True)
    links = "of hidden links" if report.hidden else "of links"
    for panel, column, pairs in zip(axes, ("probability", "opportunity"), ("of all pairs", links), strict=False):
        _draw_groups(panel, report, column)
        panel.set_title(f"predicted probability\n{pairs}", size=10)
    _draw_readings(axes[2], report)
    if panels > 3:
        _draw_accuracy(axes[3], report.table)
    axes[0].set_yticks(range(len(names)), [literal(_broken(name)) for name in names])
    axes[0].set_ylim(len(names) - 0.45, -0.55)
    for panel in axes:
        _tidy(panel, len(names))
    write_figure(figure, path)


def _draw_groups(panel: Any, report: Reported, column: str) -> None:
    """Groups with themselves above the line of an embedding, two different groups below it."""
    for row, name in enumerate(report.table.index):
        cells = report.group_pairs[report.group_pairs["embedding"] == name]
        same = (cells["group"] == cells["other"]).to_numpy()
        for which, kind, colour, shift in ((same, "same", SAME, -0.14), (~same, "different", DIFFERENT, 0.14)):
            dots = cells.loc[which, column].dropna()
            panel.scatter(dots, np.full(len(dots), row + shift), s=16, color=colour, alpha=0.45, linewidths=0)
            mean = report.table[f"{column}_{kind}"].iloc[row]
            label = None if row else ("same group" if kind == "same" else "different groups")
            panel.plot([mean] * 2, [row + shift - 0.11, row + shift + 0.11], color=colour, linewidth=3, label=label)
    panel.set_xlim(left=0)
    _explain(panel)


def _draw_readings(panel: Any, report: Reported) -> None:
    """Against what somebody tells who knows the largest group only."""
    rows = range(len(report.table))
    panel.axvline(
        report.table["read_nothing"].iloc[0], color="0.45", linewidth=1, linestyle="--", label="largest group"
    )
    for place, (column, (label, marker)) in enumerate(READERS.items()):
        heights = [row + 0.24 * place - 0.12 for row in rows]
        panel.scatter(report.table[column], heights, s=34, marker=marker, color=COLOURS[2 + place], label=label)
    panel.set_xlim(-0.03, 1.03)
    panel.set_title(literal(f"{report.attribute} told rightly\nfrom the vectors"), size=10)
    _explain(panel)


def _draw_accuracy(panel: Any, table: pd.DataFrame) -> None:
    """How well hidden links are found."""
    for place, (column, (label, colour)) in enumerate(KINDS.items()):
        heights = [row + 0.2 * (place - 1) for row in range(len(table))]
        panel.scatter(table[column], heights, s=34, marker="s", color=colour, label=label)
    least = float(table[list(KINDS)].fillna(0.5).to_numpy().min())
    panel.set_xlim(min(0.5, least - 0.03), 1.02)
    panel.set_title("AUC on\nhidden links", size=10)
    _explain(panel)


def _explain(panel: Any) -> None:
    panel.legend(loc="upper center", bbox_to_anchor=(0.5, -0.13), frameon=False, fontsize=8, handlelength=1.2)


def _tidy(panel: Any, rows: int) -> None:
    for row in range(1, rows):
        panel.axhline(row - 0.5, color="0.85", linewidth=0.8, zorder=0)
    panel.grid(axis="x", color="0.92", linewidth=0.8)
    panel.set_axisbelow(True)
    panel.spines[["top", "right", "left"]].set_visible(False)
    panel.tick_params(axis="y", length=0)


def _broken(name: str) -> str:
    """A name in lines that are not too long, broken after a comma, a plus or a blank."""
    lines = [""]
    for piece in name.replace("+", "+\0").replace(" ", " \0").split("\0"):
        if lines[-1] and len(lines[-1] + piece) > LETTERS:
            lines.append("")
        lines[-1] += piece
    return "\n".join(line.strip() for line in lines)
