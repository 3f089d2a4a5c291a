"""Known: how links depend on the distance of two nodes in an order, or in time."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from netgiven.errors import InputError
from netgiven.network import Network
from netgiven.priors.columns import check_column, numbers_of
from netgiven.priors.constraint import Kind
from netgiven.priors.features import Table
from netgiven.priors.kinds import density
from netgiven.priors.knowledge import Knowledge, word
from netgiven.priors.layout import Classes
from netgiven.types import Float64Array, Int64Array

SHAPES = "bins", "log", "linear", "window"

MOST_VALUES, SLOTS = 1_000, 128  # an order with more distinct values is divided into so many equal steps
BINS = 10


class Order(Kind):
    """Functions of the distance d of two nodes in a column.

    bins: f_k = 1 if d is in the k-th bin. log: f = log(1 + d), with d in steps. linear: f = d, as a share of the whole.
    window: f = 1 if d is at most `width`. Nodes without links may lack a value: they are at a distance of their own.
    """

    def __init__(self, column: str, shape: str, bins: tuple[float, ...], width: float | None) -> None:
        self.column, self.shape, self.bins, self.width = column, shape, bins, width

    def __str__(self) -> str:
        if self.shape == "bins":
            return f"order:{self.column}:bins={','.join(map(_text, self.bins))}"
        width = "" if self.width is None else f":width={_text(self.width)}"
        return f"order:{self.column}:kind={self.shape}{width}"

    @property
    def columns(self) -> tuple[str, ...]:
        """The one column."""
        return (self.column,)

    def key(self, network: Network) -> Int64Array:
        """The place in the order."""
        return self._slots(network)[0]

    def term(self, network: Network, classes: Classes) -> Table:
        """A table over places in the order."""
        slot, at = self._slots(network)
        distance = np.abs(at[:, None] - at)
        pairs = np.bincount(slot, minlength=len(at)).astype(np.float64)
        weights = self._weights(distance, np.outer(pairs, pairs))
        return Table(slot[classes.representative], weights)

    def _slots(self, network: Network) -> tuple[Int64Array, Float64Array]:
        """The place of each node, and where places are: NaN is the place of nodes without a value."""
        numbers = numbers_of(network, self.column, self)
        at, slot = np.unique(numbers, return_inverse=True)
        there = at[~np.isnan(at)]
        if len(there) > MOST_VALUES:
            low, high = there[0], there[-1]
            step = (high - low) / SLOTS
            coarse = np.minimum(np.floor((numbers - low) / step), SLOTS - 1)
            _, slot = np.unique(coarse, return_inverse=True)
            at = np.bincount(slot, numbers) / np.bincount(slot)  # the mean of its nodes: distances stay nearly the same
        return slot.astype(np.int64), at if len(at) else np.zeros(1)

    def _weights(self, distance: Float64Array, pairs: Float64Array) -> sparse.csr_array:
        known = ~np.isnan(distance)
        flat = np.where(known, distance, 0.0).ravel()
        if self.shape == "bins":
            return _bins(distance, pairs, self.bins)
        if self.shape == "window":
            width = self.width if self.width is not None else flat.max() / 10
            return sparse.csr_array(((flat <= width * (1 + 1e-12)) & known.ravel())[:, None].astype(np.float64))
        step = flat[flat > 0].min(initial=np.inf)
        values = np.log1p(flat / step) if self.shape == "log" else flat / max(flat.max(), 1e-300)
        return sparse.csr_array(values[:, None])


def _bins(distance: Float64Array, pairs: Float64Array, bins: tuple[float, ...]) -> sparse.csr_array:
    """One multiplier a bin of the distance. Pairs without a distance share one more."""
    flat = distance.ravel()
    edges = np.array(bins) if len(bins) > 1 else _even_edges(flat, pairs.ravel(), int(bins[0]))
    bin_of = np.searchsorted(edges, np.nan_to_num(flat, nan=np.inf), side="left")
    _, number = np.unique(np.where(np.isnan(flat), len(edges) + 1, bin_of), return_inverse=True)
    entries = np.ones(len(flat)), (np.arange(len(flat)), number)
    return sparse.csr_array(entries, shape=(len(flat), int(number.max(initial=0)) + 1))


def _even_edges(distance: Float64Array, pairs: Float64Array, count: int) -> Float64Array:
    """The last distance of each bin, such that bins hold about as many pairs of nodes; each distance its own, if few.

    Distances are rounded: the same number of steps must not fall into two bins.
    """
    there = ~np.isnan(distance)
    unit = max(float(distance[there].max(initial=0.0)), 1e-300)
    values, place = np.unique(np.round(distance[there] / unit, 9), return_inverse=True)
    if len(values) <= count:
        return values[:-1] * unit * (1 + 1e-8) + 1e-9 * unit
    share = np.cumsum(np.bincount(place, pairs[there])) / pairs[there].sum()
    last = np.unique(np.searchsorted(share, np.arange(1, count) / count))
    return values[last] * unit * (1 + 1e-8) + 1e-9 * unit


@word("order")
def order(
    column: str,
    bins: int | str | list[float] | tuple[float, ...] | None = None,
    kind: str | None = None,
    width: float | str | None = None,
) -> Knowledge:
    """Known: how many links there are at each distance in an order or in time (years, positions, ages).

    - `bins`: how many bins of the distance (10 unless told), or the last distance of each bin but one
    - `kind`: "log" or "linear": the sum of the (logarithm of the) distance over links; "window": how many links are
      between nodes at most `width` apart

    The number of links is known, too.

    >>> order("year", bins=20)
    density+order:year:bins=20
    >>> order("year", kind="log")
    density+order:year:kind=log
    """
    check_column(column, "order")
    shape = "bins" if kind is None else kind
    if shape not in SHAPES or (shape != "bins" and bins is not None):
        raise InputError(f"order({column!r}, bins={bins!r}, kind={kind!r}): give bins, or a kind: log, linear, window.")
    if width is not None and shape != "window":
        raise InputError(f"order({column!r}, width={width!r}): a width belongs to kind='window'.")
    told = None if width is None else _number(width, "width")
    return density() + Knowledge((Order(column, shape, _read_bins(bins), told),))


def _read_bins(bins: int | str | list[float] | tuple[float, ...] | None) -> tuple[float, ...]:
    parts = [BINS] if bins is None else bins.split(",") if isinstance(bins, str) else bins
    numbers = tuple(_number(part, "bins") for part in (parts if isinstance(parts, (list, tuple)) else [parts]))
    if not numbers or (len(numbers) == 1 and (numbers[0] < 1 or numbers[0] % 1)) or list(numbers) != sorted(numbers):
        raise InputError(f"bins={bins!r} was given; it is a number of bins, or ascending distances such as 1,5,20.")
    return numbers


def _number(text: float | str, name: str) -> float:
    try:
        number = float(text)
    except (TypeError, ValueError):
        raise InputError(f"{name}={text!r} was given; a number is needed.") from None
    if not np.isfinite(number) or number < 0:
        raise InputError(f"{name}={text!r} was given; a number of at least 0 is needed.")
    return number


def _text(number: float) -> str:
    """Short where that reads back as the same number."""
    return short if float(short := f"{number:g}") == number else repr(float(number))
