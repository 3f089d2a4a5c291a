"""Pictures by Matplotlib, without a window: made, and written whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from netgiven.array_file import write_atomically
from netgiven.errors import InputError
from netgiven.maps import colours

COLOURS = (*colours.COLOURS, "#000000")  # on white paper there is room for black
ENDINGS = ("png", "svg", "pdf")


def check_ending(path: str | os.PathLike[str]) -> str:
    """The kind of picture that a path asks for."""
    ending = Path(path).suffix.lower().lstrip(".")
    if ending not in ENDINGS:
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
