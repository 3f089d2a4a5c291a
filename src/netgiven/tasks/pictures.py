"""Pictures for paper and terminal people: PNG or SVG, by Matplotlib, without a window."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from netgiven.embedding import Embedding
from netgiven.errors import InputError
from netgiven.storage import write_atomically

# Okabe and Ito's eight colours, which colour-blind people can tell apart too
COLOURS = ("#0072B2", "#E69F00", "#009E73", "#D55E00", "#CC79A7", "#56B4E9", "#F0E442", "#000000")


def compare(embeddings: Sequence[Embedding], columns: Sequence[str], path: str | os.PathLike[str]) -> None:
    """Several embeddings side by side, a row for each node column that colours them.

    The first two dimensions are drawn.
    """
    check_ending(path)
    figure = make_figure(4.2 * len(embeddings), 4.3 * len(columns))
    panels = np.atleast_2d(figure.subplots(len(columns), len(embeddings), squeeze=False))
    for row, column in enumerate(columns):
        for place, embedding in enumerate(embeddings):
            _draw(panels[row, place], embedding, column, legend=place == len(embeddings) - 1)
            if row == 0:
                panels[row, place].set_title(f"given {embedding.prior.knowledge}")
        panels[row, 0].set_ylabel(f"coloured by {column}")
    write_figure(figure, path, resolution=80)


def check_ending(path: str | os.PathLike[str]) -> str:
    """The kind of picture that a path asks for."""
    ending = Path(path).suffix.lower().lstrip(".")
    if ending not in ("png", "svg", "pdf"):
        raise InputError(f"{path} ends in {ending or 'nothing'!r}; pictures are written to .png, .svg or .pdf.")
    return ending


def make_figure(width: float, height: float) -> Any:
    """An empty figure, in inches, that needs no window."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    return figure


def write_figure(figure: Any, path: str | os.PathLike[str], resolution: int = 120) -> None:
    """Write a figure whole or not at all; the same figure gives the same bytes."""
    from matplotlib import rc_context

    ending = check_ending(path)
    with rc_context({"svg.hashsalt": "netgiven"}):
        kept = {"format": ending, "dpi": resolution, "metadata": _undated(ending)}
        write_atomically(path, lambda target: figure.savefig(target, **kept))


def literal(text: str) -> str:
    """A text in which Matplotlib finds no mathematics."""
    return text.replace("$", r"\$")


def _undated(ending: str) -> dict[str, Any]:
    """Without a date, the same picture is the same file."""
    return {"png": {"Software": None}, "svg": {"Date": None}, "pdf": {"CreationDate": None}}[ending]


def _draw(panel: Any, embedding: Embedding, column: str, legend: bool) -> None:
    codes, values = embedding.network.groups(column)
    flat = np.zeros((len(embedding), 2))
    flat[:, : min(2, embedding.dimensions)] = embedding.positions[:, :2]
    sizes = 8 + 12 * np.log1p(embedding.network.degrees)
    for code, value in enumerate(values):
        here = codes == code
        colour = COLOURS[code % len(COLOURS)]
        panel.scatter(*flat[here].T, s=sizes[here], color=colour, label=str(value), linewidths=0.4, edgecolors="white")
    panel.set_aspect("equal", adjustable="datalim")
    panel.set_xticks([])
    panel.set_yticks([])
    if legend:
        panel.legend(loc="center left", bbox_to_anchor=(1.01, 0.5), frameon=False)
