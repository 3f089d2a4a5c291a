"""What each node looks like: its size by its degree, its colour and shape by its group or by a number."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from netgiven.edges import counted
from netgiven.maps.canvas import GREY, MOST_GROUPS, OTHER, SHADES, Colours, Look, looks, packed, shades
from netgiven.network import Network
from netgiven.types import Float32Array, Float64Array, Int32Array

DEGREE = "degree"  # colours by degree, in a network without a column of this name
FEW = 8  # numbers that take no more values than this are groups, not a scale
WIDE = 100.0  # positive numbers that differ by this factor get a logarithmic scale
LARGEST = 2.8  # how much larger than a node without links the one with the most is


@dataclass(frozen=True)
class Group:
    """An entry of the legend: what it is called, how its nodes look, and how many they are."""

    name: str
    look: Look
    count: int


@dataclass(frozen=True)
class Scale:
    """A bar of colours for numbers, from the smallest to the largest.

    >>> Scale(1, 100, logarithmic=True).share(np.array([1.0, 10.0, 100.0])).tolist()
    [0.0, 0.5, 1.0]
    """

    low: float
    high: float
    logarithmic: bool

    def share(self, values: Float64Array) -> Float64Array:
        """Where numbers are on the bar, from 0 to 1."""
        if self.high <= self.low:
            return np.full(len(values), 0.5)
        low, place, high = (self._bent(numbers) for numbers in (self.low, values, self.high))
        return np.asarray((place - low) / (high - low))

    def ticks(self, most: int = 5) -> list[tuple[float, float]]:
        """Round numbers along the bar, and where they are."""
        values = np.array(self._round_numbers(most))
        return [(float(value), float(share)) for value, share in zip(values, self.share(values), strict=True)]

    def bar(self) -> dict[str, Any]:
        """Its colours, and texts along it."""
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

    def _bent(self, numbers: Any) -> Any:
        return np.log(numbers + (self.low == 0)) if self.logarithmic else numbers


@dataclass(frozen=True, eq=False)
class Marks:
    """What each node looks like, in the order of the network's nodes.

    `group` numbers the entries of `groups`; with a `scale` there are two of them: nodes with a number, and without.

    >>> network = Network.from_edges([("ann", "bob")], nodes={"name": ["ann", "bob", "cid"], "team": ["x", "y", None]})
    >>> marks = make_marks(network, "team")
    >>> [(group.name, group.look.colour, group.count) for group in marks.groups]
    [('x', '#0072B2', 1), ('y', '#E69F00', 1), ('no value', '#8C8C8C', 1)]
    """

    title: str
    groups: tuple[Group, ...]
    group: Int32Array
    colour: Colours
    marker: list[str]
    size: Float32Array
    scale: Scale | None = None

    def legend(self) -> dict[str, Any]:
        """What colours and shapes mean, as legend.js reads it."""
        groups = [{"name": group.name, **group.look._asdict(), "count": group.count} for group in self.groups]
        return {"title": self.title, "groups": groups, "scale": None if self.scale is None else self.scale.bar()}


def make_marks(network: Network, colour: str | None = None) -> Marks:
    """Marks coloured by a node column, or by `degree`; by the first column with groups unless told."""
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
    """The first of the columns with groups, if there is one."""
    return next(iter(columns_with_groups(network)), None)


def columns_with_groups(network: Network) -> list[str]:
    """Columns that put nodes into groups few enough to be told apart, of two nodes or more on average."""
    columns = (str(name) for name, values in network.columns.items() if not is_scale(values))
    most = min(MOST_GROUPS, network.node_count // 2)
    return [name for name in columns if 1 < len(network.groups(name)[1]) <= most]


def is_scale(column: pd.Series[Any]) -> bool:
    """Whether a column holds numbers that are more than the names of a few groups."""
    numeric = pd.api.types.is_numeric_dtype(column.dtype) and not pd.api.types.is_bool_dtype(column.dtype)
    return numeric and not pd.api.types.is_complex_dtype(column.dtype) and column.nunique() > FEW


def sizes(network: Network) -> Float32Array:
    """Diameters in pixels, by the logarithm of the degree; smaller where there are many nodes."""
    least = float(np.clip(24 * max(network.node_count, 1) ** -0.22, 2.0, 9.0))
    most = np.log1p(max(int(network.degrees.max(initial=0)), 1))
    share = np.log1p(network.degrees) / most
    return np.asarray(least * (1 + (LARGEST - 1) * share), dtype=np.float32)


# ---- groups --------------------------------------------------------------------------------------------------------


def _by_group(title: str, codes: Int32Array, names: list[str], size: Float32Array) -> Marks:
    """The largest 32 groups have a look of their own; the others, and nodes without a value, share one each."""
    counts = np.bincount(codes[codes >= 0], minlength=len(names))
    kept = np.sort(np.argsort(-counts, kind="stable")[:MOST_GROUPS])
    place = np.full(len(names) + 1, len(kept), dtype=np.int32)
    place[kept] = np.arange(len(kept))
    place[-1] = len(kept) + 1  # code -1: no value
    entries = [(names[code], look) for code, look in zip(kept, looks(len(kept)), strict=True)]
    small = len(names) - len(kept)
    entries += [(counted(small, "smaller group"), Look(OTHER, "circle")), ("no value", Look(GREY, "circle"))]
    return _marked(title, entries, place[codes], size)


def _marked(title: str, entries: list[tuple[str, Look]], entry: Int32Array, size: Float32Array) -> Marks:
    """Marks from the entry of each node; entries without nodes are left out."""
    counts = np.bincount(entry, minlength=len(entries))
    there = np.flatnonzero(counts)
    group = np.searchsorted(there, entry).astype(np.int32)
    groups = tuple(Group(*entries[place], int(counts[place])) for place in there)
    colour = packed([one.look.colour for one in groups])[group] if groups else np.empty(0, np.uint32)
    marker = [groups[number].look.marker for number in group]
    return Marks(title, groups, group, colour, marker, size)


# ---- numbers -------------------------------------------------------------------------------------------------------


def _by_number(title: str, values: Float64Array, size: Float32Array) -> Marks:
    """A shade for each number; grey where there is none, or an infinite one."""
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
