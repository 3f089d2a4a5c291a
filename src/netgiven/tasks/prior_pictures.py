"""Pictures of priors: expected against observed degrees, and what priors and embeddings explain."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import pandas as pd

from netgiven.maps.canvas import COLOURS, literal, make_figure, write_figure
from netgiven.tasks.prior_report import PriorReport

LETTERS = 34  # of a line of knowledge beside a bar


def draw_degrees(report: PriorReport, path: str | os.PathLike[str]) -> None:
    """Expected against observed degree, a dot for each node, on logarithmic axes.

    Where nodes have no links, or hardly any are expected, there is a place for 0, too.
    Nodes at the same place make one dot, larger the more they are.
    """
    figure = make_figure(5.2, 5.4)
    axes = figure.subplots()
    observed, expected, count = _places(report)
    axes.scatter(observed, expected, s=10 + 14 * np.log2(count), color=COLOURS[0], alpha=0.55, linewidths=0)
    least, most = _limits(np.concatenate([observed, expected]))
    axes.plot([least, most], [least, most], color="0.45", linewidth=0.9, linestyle="--", zorder=0)
    _number_logarithmically(axes, least, most)
    told = "\n".join(_lines(f"given {report.knowledge}", letters=55))
    axes.set_title(literal(f"{told}\n{report.bits_explained:.2f} bits a link explained, AUC {report.auc:.3f}"), size=10)
    axes.set(xlabel="observed degree", ylabel="expected degree")
    write_figure(figure, path)


def _places(report: PriorReport) -> tuple[Any, Any, Any]:
    """Observed and expected degree of nodes that cannot be told apart in a picture, and how many they are."""
    rough = np.where(report.expected_degrees < 1, report.expected_degrees.round(2), report.expected_degrees)
    rough = np.array([float(f"{degree:.3g}") for degree in rough])
    pairs, count = np.unique(np.column_stack([report.observed_degrees, rough]), axis=0, return_counts=True)
    return pairs[:, 0], pairs[:, 1], count


def _limits(degrees: Any) -> tuple[float, float]:
    """Where both axes begin and end: somewhat below 0 if there are degrees below 1."""
    least, most = float(degrees.min(initial=1)), float(degrees.max(initial=1))
    return (-0.2 if least < 1 else 0.8 * least), 1.25 * most


def _number_logarithmically(axes: Any, least: float, most: float) -> None:
    """Logarithmic from 1 on, and straight from 0 to 1; the same for both axes."""
    powers = [10.0**power for power in range(int(np.log10(most)) + 1)]
    marks = [step * power for power in powers for step in ((1, 2, 5) if most < 2000 * max(least, 1) else (1,))]
    shown = [mark for mark in (0.0, *marks) if least <= mark <= most]
    straight = {"linthresh": 1, "linscale": 0.4}
    axes.set_xscale("symlog", **straight)
    axes.set_yscale("symlog", **straight)
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_ticks(shown, [f"{mark:,.0f}" for mark in shown])
        axis.set_ticks([], minor=True)
    axes.set(xlim=(least, most), ylim=(least, most), aspect="equal")
    axes.grid(color="0.92", linewidth=0.8)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)


def draw_comparison(table: pd.DataFrame, path: str | os.PathLike[str]) -> None:
    """A bar for each prior of `compare_priors`: bits a link that it explains, and those that the embedding adds."""
    texts = ["\n".join(_lines(given, LETTERS)) for given in table["given"]]
    heights = np.array([1 + text.count("\n") for text in texts])
    figure = make_figure(8.4, 1.5 + 0.24 * float((heights + 1).sum()))
    axes = figure.subplots()
    _draw_bars(axes, table)
    axes.set_yticks(range(len(table)), [literal(text) for text in texts])
    axes.invert_yaxis()
    axes.set_xlabel("bits a link, more than the density says")
    axes.axvline(0, color="0.3", linewidth=0.8)
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.tick_params(axis="y", length=0)
    axes.margins(x=0.12)
    figure.legend(loc="outside upper center", ncols=3, frameon=False)
    write_figure(figure, path)


def _lines(given: str, letters: int) -> list[str]:
    """Knowledge in lines that are not too long, broken before a plus."""
    lines = [""]
    for number, kind in enumerate(given.split("+")):
        piece = f"+{kind}" if number else kind
        if lines[-1] and len(lines[-1] + piece) > letters:
            lines.append("")
        lines[-1] += piece
    return lines


def _draw_bars(axes: Any, table: pd.DataFrame) -> None:
    """What is added stands on what is explained, or on the other side of 0 if their signs differ."""
    explained = table["bits_explained"].to_numpy()
    added = table["bits_added"].fillna(0).to_numpy() if "bits_added" in table else np.zeros(len(table))
    left = np.where(explained * added >= 0, explained, 0.0)
    ends = np.array([explained, left + added, np.zeros(len(table))])
    room = float(ends.max() - ends.min()) or 1.0
    shared = room if "bits_added" in table else np.inf  # a bar of one part has its number beside it already
    _draw_part(axes, explained, np.zeros(len(table)), shared, 0, "explained by what is given")
    if "bits_added" in table:
        _draw_part(axes, added, left, room, 1, "added by the embedding")
    for row, total in enumerate(explained + added):
        axes.text(ends[:, row].max() + 0.012 * room, row, f"{total:.2f}", va="center", weight="bold")


def _draw_part(axes: Any, values: Any, left: Any, room: float, colour: int, name: str) -> None:
    """Bars with their numbers inside, where there is room for them."""
    rows = range(len(values))
    axes.barh(rows, values, left=left, height=0.6, color=COLOURS[colour], label=name)
    for row, value, begin in zip(rows, values, left, strict=True):
        if abs(value) > 0.08 * room:
            ink = ("white", "black")[colour]
            axes.text(begin + value / 2, row, f"{value:.2f}", ha="center", va="center", color=ink)
