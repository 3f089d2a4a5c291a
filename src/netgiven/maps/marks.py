"""Marks: the size of each node by its degree, and its colour and shape by a node column."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from netgiven.columns import columns_of_groups, is_scale
from netgiven.edges import counted
from netgiven.maps.canvas import GREY, MAX_GROUPS, OTHER, SHADES, Look, PackedColours, looks, packed, shades
from netgiven.network import Network
from netgiven.types import Float32Array, Float64Array, Int32Array

DEGREE = "degree"  # colour by degree, unless the network has a column of this name
WIDE = 100.0  # positive numbers that span this factor get a logarithmic scale
LARGEST = 2.8  # diameter of the node with most links, relative to one without links


@dataclass(frozen=True)
class Group:
    """An entry of the legend: its name, look, and number of nodes."""

    name: str
    look: Look
    count: int


@dataclass(frozen=True)
class Scale:
    """A colour scale for numbers.

    >>> Scale(1, 100, logarithmic=True).share(np.array([1.0, 10.0, 100.0])).tolist()
    [0.0, 0.5, 1.0]
    """

    low: float
    high: float
    logarithmic: bool

    def share(self, values: Float64Array) -> Float64Array:
        """Places of numbers on the scale, from 0 to 1."""
        if self.high <= self.low:
            return np.full(len(values), 0.5)
        low, place, high = (self._transformed(numbers) for numbers in (self.low, values, self.high))
        return np.asarray((place - low) / (high - low))

    def ticks(self, most: int = 5) -> list[tuple[float, float]]:
        """Round numbers with their places on the scale."""
        values = np.array(self._round_numbers(most))
        return [(float(value), float(share)) for value, share in zip(values, self.share(values), strict=True)]

    def bar(self) -> dict[str, Any]:
        """Colours and tick labels, as legend.js reads them."""
        return {"colours": shades()[::15], "ticks": [(share, f"{value:,.4g}") for value, share in self.ticks()]}

    def _round_numbers(self, most: int) -> list[float]:
        from matplotlib.ticker import MaxNLocator

        if self.high <= self.low:
            return [self.low]
        if not self.logarithmic:
            values = MaxNLocator(most - 1).tick_values(self.low, self.high)
            return [float(value) for value in values if self.low <= value <= self.high]
        powers = range(int(np.floor(np.log10(self.low or 1))), int(np.ceil(np.log10(self.high))))
        values = [step * 10.0**power for power in powers for step in (1, 2, 5)]
        inside = [0.0] * (self.low == 0) + [value for value in values if self.low <= value <= self.high]
        return inside if len(inside) <= most else inside[:: -(-len(inside) // most)]

    def _transformed(self, numbers: npt.ArrayLike) -> Float64Array:
        values = np.asarray(numbers, dtype=np.float64)
        return np.log(values + (self.low == 0)) if self.logarithmic else values


@dataclass(frozen=True, eq=False)
class Marks:
    """Size, colour and shape of each node, in the order of the nodes of the network.

    `group` holds the place of each node in `groups`. With a `scale` there are at most two groups: nodes with a number,
    and nodes without one. `coloured` of these groups, the first ones, have a look of their own, and `smaller` groups
    of the column share one.

    >>> network = Network.from_edges([("ann", "bob")], nodes={"name": ["ann", "bob", "cid"], "team": ["x", "y", None]})
    >>> marks = make_marks(network, "team")
    >>> [(group.name, group.look.colour, group.count) for group in marks.groups]
    [('x', '#0072B2', 1), ('y', '#E69F00', 1), ('no value', '#8C8C8C', 1)]
    """

    title: str
    groups: tuple[Group, ...]
    group: Int32Array
    colour: PackedColours
    marker: list[str]
    size: Float32Array
    scale: Scale | None = None
    coloured: int = 0
    smaller: int = 0

    def legend(self) -> dict[str, Any]:
        """The legend as legend.js reads it."""
        groups = [{"name": group.name, **group.look._asdict(), "count": group.count} for group in self.groups]
        return {"title": self.title, "groups": groups, "scale": None if self.scale is None else self.scale.bar()}


def make_marks(network: Network, colour: str | None = None) -> Marks:
    """Marks coloured by a node column or by "degree"; by default, by the first column with groups."""
    chosen = first_with_groups(network) if colour is None else colour
    size = sizes(network)
    if chosen is None:
        return _by_group("", np.zeros(network.node_count, np.int32), ["node"], size)
    if chosen == DEGREE and DEGREE not in network.columns:
        return _by_number(DEGREE, network.degrees.astype(np.float64), size)
    column = network.column(chosen)
    if is_scale(column):
        return _by_number(chosen, column.to_numpy(np.float64, na_value=np.nan), size)
    codes, names = network.groups(chosen)
    return _by_group(chosen, codes, [str(name) for name in names], size)


def first_with_groups(network: Network) -> str | None:
    """The first column with groups, if there is one."""
    return next(iter(columns_with_groups(network)), None)


def columns_with_groups(network: Network) -> list[str]:
    """Columns that divide nodes into at most 32 groups of two nodes or more on average."""
    return columns_of_groups(network, MAX_GROUPS)


def sizes(network: Network) -> Float32Array:
    """Diameters in pixels, by the logarithm of the degree; smaller if there are many nodes."""
    least = float(np.clip(24 * max(network.node_count, 1) ** -0.22, 2.0, 9.0))
    most = np.log1p(max(int(network.degrees.max(initial=0)), 1))
    share = np.log1p(network.degrees) / most
    return np.asarray(least * (1 + (LARGEST - 1) * share), dtype=np.float32)


def _by_group(title: str, codes: Int32Array, names: list[str], size: Float32Array) -> Marks:
    """The 32 largest groups have looks of their own; all smaller groups share one, and so do nodes without a value."""
    counts = np.bincount(codes[codes >= 0], minlength=len(names))
    kept = np.sort(np.argsort(-counts, kind="stable")[:MAX_GROUPS])
    place = np.full(len(names) + 1, len(kept), dtype=np.int32)
    place[kept] = np.arange(len(kept))
    place[-1] = len(kept) + 1  # code -1: no value
    entries = [(names[code], look) for code, look in zip(kept, looks(len(kept)), strict=True)]
    small = len(names) - len(kept)
    entries += [(counted(small, "smaller group"), Look(OTHER, "circle")), ("no value", Look(GREY, "circle"))]
    there = int(np.count_nonzero(counts[kept]))  # entries without nodes are dropped
    return replace(_marked(title, entries, place[codes], size), coloured=there, smaller=small)


def _marked(title: str, entries: list[tuple[str, Look]], entry: Int32Array, size: Float32Array) -> Marks:
    """Marks from the legend entry of each node; entries without nodes are dropped."""
    counts = np.bincount(entry, minlength=len(entries))
    there = np.flatnonzero(counts)
    group = np.searchsorted(there, entry).astype(np.int32)
    groups = tuple(Group(*entries[place], int(counts[place])) for place in there)
    colour = packed([one.look.colour for one in groups])[group] if groups else np.empty(0, np.uint32)
    marker = [groups[number].look.marker for number in group]
    return Marks(title, groups, group, colour, marker, size)


def _by_number(title: str, values: Float64Array, size: Float32Array) -> Marks:
    """A shade for each number; grey if it is missing or infinite."""
    known = np.isfinite(values)
    scale = _scale(values[known])
    share = scale.share(np.where(known, values, scale.high))
    shade = np.where(known, np.minimum((share * SHADES).astype(np.int64), SHADES - 1), SHADES)
    colour = packed([*shades(), GREY])[shade]
    entries = [(title, Look(shades()[SHADES // 2], "circle")), ("no value", Look(GREY, "circle"))]
    plain = _marked(title, entries, np.where(known, 0, 1).astype(np.int32), size)
    return Marks(title, plain.groups, plain.group, colour, plain.marker, size, scale)


def _scale(values: Float64Array) -> Scale:
    low, high = (float(values.min()), float(values.max())) if len(values) else (0.0, 0.0)
    return Scale(low, high, logarithmic=low >= 0 and high >= WIDE * (low or 1.0))
