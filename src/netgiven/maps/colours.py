"""Colours and shapes that people can tell apart, colour-blind ones too, on light and on dark ground."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

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
