"""Pictures by Matplotlib, without a window: made, and written whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from netgiven.array_file import write_atomically
from netgiven.errors import InputError

# ---- Colours and shapes that people can tell apart, colour-blind ones too, on light and on dark ground ---------------


# Okabe and Ito's colours without black, which dark ground swallows; the palest comes last
COLOURS = ("#0072B2", "#E69F00", "#009E73", "#D55E00", "#CC79A7", "#56B4E9", "#F0E442")
MARKERS = ("circle", "triangle", "square", "diamond", "inverted_triangle")  # another one each time colours run out
MOST_GROUPS = 32  # shapes and colours beyond are not told apart: the smaller groups share one
GREY = "#8C8C8C"  # no value
OTHER = "#B0A89F"  # of one of the many small groups
SHADES = 256

Colours = npt.NDArray[np.uint32]


class Look(NamedTuple):
    """How the nodes of a group look."""

    colour: str
    marker: str


def looks(count: int) -> list[Look]:
    """A look for each of up to 32 groups: seven colours, then the same ones in other shapes.

    >>> looks(8)[0], looks(8)[7]
    (Look(colour='#0072B2', marker='circle'), Look(colour='#0072B2', marker='triangle'))
    """
    return [Look(COLOURS[place % len(COLOURS)], MARKERS[place // len(COLOURS)]) for place in range(count)]


def shades() -> list[str]:
    """An even scale from little to much (viridis), without ends that light or dark ground would swallow."""
    from matplotlib import colormaps
    from matplotlib.colors import to_hex

    return [to_hex(shade) for shade in colormaps["viridis"](np.linspace(0.18, 0.95, SHADES))]


def packed(colours: list[str]) -> Colours:
    """Colours as one number each, 0xRRGGBBAA, opaque.

    >>> [hex(number) for number in packed(["#0072B2"])]
    ['0x72b2ff']
    """
    return np.array([int(colour[1:], 16) << 8 | 0xFF for colour in colours], dtype=np.uint32)


PRINT_COLOURS = (*COLOURS, "#000000")  # on white paper there is room for black
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
