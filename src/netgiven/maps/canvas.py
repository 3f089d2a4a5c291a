"""Matplotlib figures that need no window, and the colours and shapes of all pictures."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from netgiven.array_file import write_atomically
from netgiven.errors import InputError, require

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# The palette of Okabe and Ito, which colour-blind people can distinguish, without black, which is invisible on a dark
# background; the palest colour comes last
COLOURS = ("#0072B2", "#E69F00", "#009E73", "#D55E00", "#CC79A7", "#56B4E9", "#F0E442")
PRINT_COLOURS = (*COLOURS, "#000000")  # on white paper
MARKERS = ("circle", "triangle", "square", "diamond", "inverted_triangle")  # the next one when colours are used up
MAX_GROUPS = 32  # with a colour and shape of their own; the smaller groups share one
GREY = "#8C8C8C"  # no value
OTHER = "#B0A89F"  # one of the smaller groups
SHADES = 256
SUFFIXES = ("png", "svg", "pdf")
WRITERS = {"html": ("bokeh", "explorer"), **dict.fromkeys(SUFFIXES, ("matplotlib", "plot"))}  # library and extra

PackedColours = npt.NDArray[np.uint32]


def check_suffix(path: str | os.PathLike[str], endings: tuple[str, ...] = SUFFIXES, what: str = "pictures") -> str:
    """The ending of a path in lower case, without its dot.

    It is an error if it is not one of `endings`, or if the library that writes such files is missing.
    """
    suffix = Path(path).suffix.lower().lstrip(".")
    if suffix not in endings:
        *others, last = (f".{one}" for one in endings)
        known = f"{', '.join(others)} or {last}"
        raise InputError(f"{path} ends in {suffix or 'nothing'!r}; {what} are written to {known}.")
    if suffix in WRITERS:
        require(*WRITERS[suffix])  # now, not after a long fit
    return suffix


def make_figure(width: float, height: float) -> Figure:
    """An empty figure of the given size in inches."""
    require("matplotlib", "plot")
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    return figure


def write_figure(figure: Figure, path: str | os.PathLike[str], resolution: int = 120) -> None:
    """Write a figure atomically; the same figure gives the same bytes."""
    from matplotlib import rc_context

    suffix = check_suffix(path)
    undated = {"png": {"Software": None}, "svg": {"Date": None}, "pdf": {"CreationDate": None}}[suffix]
    with rc_context({"svg.hashsalt": "netgiven"}):
        write_atomically(path, lambda target: figure.savefig(target, format=suffix, dpi=resolution, metadata=undated))


def literal(text: str) -> str:
    """The text with dollar signs escaped, so that Matplotlib does not read it as mathematics."""
    return text.replace("$", r"\$")


def shortened(text: str, letters: int) -> str:
    """The text on one line, cut to at most `letters` characters.

    >>> shortened("a long\\nname", 8)
    'a long …'
    """
    line = " ".join(text.split())
    return line if len(line) <= letters else line[: letters - 1] + "…"


class Look(NamedTuple):
    """Colour and shape of the nodes of a group."""

    colour: str
    marker: str


def looks(count: int) -> list[Look]:
    """Looks for up to 32 groups: seven colours, then the same colours with other shapes.

    >>> looks(8)[0], looks(8)[7]
    (Look(colour='#0072B2', marker='circle'), Look(colour='#0072B2', marker='triangle'))
    """
    return [Look(COLOURS[place % len(COLOURS)], MARKERS[place // len(COLOURS)]) for place in range(count)]


def shades() -> list[str]:
    """A perceptually uniform colour scale (viridis), without the ends that vanish on a light or dark background."""
    require("matplotlib", "plot")
    from matplotlib import colormaps
    from matplotlib.colors import to_hex

    return [to_hex(shade) for shade in colormaps["viridis"](np.linspace(0.18, 0.95, SHADES))]


def packed(colours: list[str]) -> PackedColours:
    """Opaque colours as one number each, 0xRRGGBBAA.

    >>> [hex(number) for number in packed(["#0072B2"])]
    ['0x72b2ff']
    """
    return np.array([int(colour[1:], 16) << 8 | 0xFF for colour in colours], dtype=np.uint32)
