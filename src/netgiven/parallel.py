"""Threads: kernels that run over ranges of nodes side by side, with the same result on any number of threads."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache
from threading import RLock
from typing import Any, Protocol

from netgiven.errors import InputError, is_whole

MIN_NODES_PER_THREAD = 4_096  # for kernels that take little time per node, such as one pass over the links
CHUNKS_PER_THREAD = 16  # more ranges than threads, so that no thread waits long for one with an uneven range


class Engine(Protocol):
    """Runs kernels over ranges of nodes, or of blocks of nodes: on threads, or on one worker of a cluster."""

    def share(self, size: int) -> slice:
        """The part of 0 .. size that is computed here."""
        ...

    def run(self, kernel: Callable[..., None], size: int, *arrays: Any, grain: int = 1) -> None:
        """Call `kernel(start, stop, *arrays)` for ranges of at least `grain` that cover this part."""
        ...


class Threads:
    """A thread pool that runs kernels over ranges of nodes.

    A kernel takes `(start, stop, *arrays)` and writes only what belongs to its range, so the result has the same bytes
    on any number of threads.

    Parameters
    ----------
    count : int or None
        Number of threads; None for all processors.

    Raises
    ------
    InputError
        If the count is below 1.
    """

    def __init__(self, count: int | None = None) -> None:
        if count is not None and not is_whole(count, 1):
            raise InputError(f"{count} threads were given; a whole number of at least 1 is needed.")
        self.count = count or available_cpus()
        self._pool = ThreadPoolExecutor(self.count) if self.count > 1 else None

    def share(self, size: int) -> slice:
        """All of 0 .. size."""
        return slice(0, size)

    def run(self, kernel: Callable[..., None], size: int, *arrays: Any, grain: int = 1) -> None:
        """Call `kernel(start, stop, *arrays)` for ranges that cover 0 .. size.

        `grain` is the smallest range that is worth a thread: submitting a range takes about 50 microseconds.
        """
        if self._pool is None or size < 2 * grain:
            kernel(0, size, *arrays)
            return
        step = max(grain, -(-size // (self.count * CHUNKS_PER_THREAD)))
        jobs = [self._pool.submit(kernel, low, min(low + step, size), *arrays) for low in range(0, size, step)]
        for job in jobs:
            job.result()

    def close(self) -> None:
        """Stop the threads."""
        if self._pool is not None:
            self._pool.shutdown()


def available_cpus() -> int:
    """Number of processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@contextmanager
def threads(count: int | None = None) -> Iterator[Threads]:
    """Threads for the duration of a `with` block.

    >>> with threads(2) as engine:
    ...     engine.count
    2
    """
    engine = Threads(count)
    try:
        yield engine
    finally:
        engine.close()


# ---- Linear algebra on one thread ------------------------------------------------------------------------------------


_LIMIT_LOCK = RLock()  # the limit holds for the process: two Python threads would undo each other's


@contextmanager
def single_blas_thread() -> Iterator[None]:
    """Limit linear algebra to one thread: several add in another order, so that results would have other bytes."""
    with _LIMIT_LOCK, _libraries().limit(limits=1, user_api="blas"):
        yield


@cache
def _libraries() -> Any:
    """The linear algebra libraries of this process, found once, because that takes milliseconds."""
    import numpy.linalg  # noqa: F401 - each brings a library of its own,
    import scipy.linalg  # noqa: F401 - which must be there to be found
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()
