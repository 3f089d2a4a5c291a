"""A range of nodes, computed by one of several workers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from netgiven.errors import InputError
from netgiven.kernels.repulsion import BLOCK
from netgiven.types import Int64Array

NODE_COST = 20  # what the samples of a node cost, in visits of a link: measured with 256 samples in 8 dimensions


@dataclass(frozen=True)
class Part:
    """Runs kernels over one range of nodes, which begins and ends with a block of nodes; others have the rest.

    Arrays are as long as the network, so that kernels need not know of it. Those that are written to are only ever
    touched in the range, and memory that is not touched is none.
    """

    start: int
    stop: int
    count: int  # of all nodes

    def share(self, size: int) -> slice:
        """The own nodes, where `size` is that of all nodes; their blocks, where it is the number of blocks."""
        if size == self.count:
            return slice(self.start, self.stop)
        assert size == -(-self.count // BLOCK), "neither nodes nor blocks of them"
        return slice(self.start // BLOCK, -(-self.stop // BLOCK))

    def run(self, kernel: Callable[..., None], size: int, *arrays: Any, grain: int = 1) -> None:
        """Call `kernel(start, stop, *arrays)` for the share."""
        own = self.share(size)
        kernel(own.start, own.stop, *arrays)


def cut(degrees: Int64Array, workers: int) -> list[Part]:
    """A range for each worker, of whole blocks, that cost about the same: links count, not nodes alone.

    >>> [(part.start, part.stop) for part in cut(np.array([900] * 256 + [1] * 768), 2)]
    [(0, 256), (256, 1024)]
    """
    count = len(degrees)
    if workers > count:
        raise InputError(f"{workers:,} workers were asked for, and the network has {count:,} nodes; ask for fewer.")
    costs = np.add.reduceat(degrees + NODE_COST, np.arange(0, count, BLOCK))
    ends = np.cumsum(costs)
    wanted = np.arange(1, workers) * (ends[-1] / workers)
    blocks = np.maximum.accumulate(np.searchsorted(ends - costs / 2, wanted))
    bounds = np.minimum(np.concatenate([[0], blocks * BLOCK, [count]]), count).tolist()
    return [Part(low, high, count) for low, high in pairwise(bounds) if low < high]


class _Shared:
    """Memory of an array, not marked as read-only."""

    def __init__(self, array: npt.NDArray[Any]) -> None:
        self.owner = array
        self.__array_interface__ = {**array.__array_interface__, "data": (array.ctypes.data, False)}


def writable(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """The same memory, not marked as read-only. It must not be written to all the same.

    Ray hands out arrays in its store, where all share them. For arrays that are marked, Numba would compile all kernels
    once more.
    """
    return np.asarray(_Shared(array))


def unlocked(value: Any) -> Any:
    """An array, or a named tuple of them, none of them marked as read-only.

    >>> array = np.zeros(2)
    >>> array.flags.writeable = False
    >>> unlocked(array).flags.writeable
    True
    """
    if isinstance(value, np.ndarray):
        return value if value.flags.writeable else writable(value)
    return type(value)(*map(unlocked, value)) if hasattr(value, "_fields") else value
