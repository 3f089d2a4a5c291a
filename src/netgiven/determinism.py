"""The same bytes on any number of threads."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from threading import RLock
from typing import Any

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
