"""Threads of one machine."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache
from threading import RLock
from typing import Any, Protocol

from netgiven.errors import InputError

NODES_WORTH_A_THREAD = 4_096  # of the kernels that visit each node or link once
CHUNKS_A_THREAD = 16  # more ranges than threads, so that an uneven one keeps nobody waiting


class Engine(Protocol):
    """Whoever runs kernels over ranges of nodes, or of blocks of nodes."""

    def share(self, size: int) -> slice:
        """What of 0 .. size is computed here."""
        ...

    def run(self, kernel: Callable[..., None], size: int, *arrays: Any, grain: int = 1) -> None:
        """Call `kernel(start, stop, *arrays)` for ranges that cover the share."""
        ...


class Threads:
    """Runs kernels over ranges of nodes, side by side.

    A kernel takes `(start, stop, *arrays)` and writes only what belongs to its range, so the result is the same, byte
    for byte, on any number of threads.
    """

    def __init__(self, count: int | None = None) -> None:
        if count is not None and count < 1:
            raise InputError(f"{count} threads were asked for; at least 1 is needed.")
        self.count = count or available()
        self._pool = ThreadPoolExecutor(self.count) if self.count > 1 else None

    def share(self, size: int) -> slice:
        """All of it."""
        return slice(0, size)

    def run(self, kernel: Callable[..., None], size: int, *arrays: Any, grain: int = 1) -> None:
        """Call `kernel(start, stop, *arrays)` for ranges that cover 0 .. size.

        `grain` is the least that is worth a thread's while: handing out a range costs about 50 microseconds.
        """
        if self._pool is None or size < 2 * grain:
            kernel(0, size, *arrays)
            return
        step = max(grain, -(-size // (self.count * CHUNKS_A_THREAD)))
        jobs = [self._pool.submit(kernel, low, min(low + step, size), *arrays) for low in range(0, size, step)]
        for job in jobs:
            job.result()

    def close(self) -> None:
        """Let the threads go."""
        if self._pool is not None:
            self._pool.shutdown()


def available() -> int:
    """How many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@contextmanager
def threads(count: int | None = None) -> Iterator[Threads]:
    """Threads for the length of a `with` block.

    >>> with threads(2) as engine:
    ...     engine.count
    2
    """
    engine = Threads(count)
    try:
        yield engine
    finally:
        engine.close()


# ---- The same bytes on any number of threads -------------------------------------------------------------------------


_ONE_AT_A_TIME = RLock()  # the limit belongs to the process: two Python threads would undo each other's


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Linear algebra on one thread: several would add in another order, and the same network would give other bytes."""
    with _ONE_AT_A_TIME, _libraries().limit(limits=1, user_api="blas"):
        yield


@cache
def _libraries() -> Any:
    """The linear algebra libraries of this process, looked up once: that takes milliseconds."""
    import numpy.linalg  # noqa: F401 - each brings a library of its own,
    import scipy.linalg  # noqa: F401 - which must be there to be found
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()
