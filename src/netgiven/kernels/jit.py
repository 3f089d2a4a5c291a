"""Compiler flags of all kernels, in one place.

Kernels are compiled at the first call and cached on disk (`cache`), and release Python's lock so that threads run side
by side (`nogil`). Sums may be reordered to use vector registers (`reassoc`), in the same way on every thread;
infinities and NaN keep their meaning. There is no `parallel=True`: a kernel works on a range of nodes, and an engine
(`parallel.py`, `distributed/`) splits the nodes into ranges.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba
from numba.core.registry import CPUDispatcher

Function = TypeVar("Function", bound=Callable[..., Any])

_FLAGS: dict[str, Any] = {
    "cache": True,
    "nogil": True,
    "error_model": "numpy",
    "fastmath": {"reassoc", "contract", "nsz", "arcp"},
}


def kernel(function: Function) -> Function:
    """Compile a function that the rest of the package calls."""
    return _compiled(function)


def inlined(function: Function) -> Function:
    """Compile a function that only kernels call, into each of them; it is cached with them."""
    return _compiled(function, inline="always", cache=False)


def _compiled(function: Function, **more: Any) -> Function:
    flags = {**_FLAGS, **more}
    try:
        compiled = numba.njit(**flags)(function)
    except RuntimeError:  # no folder that can be written to: compile without a cache
        compiled = numba.njit(**{**flags, "cache": False})(function)
    if numba.__version__.startswith("0.60."):
        compiled.__class__ = _DispatcherByType
    return cast(Function, compiled)


class _DispatcherByType(CPUDispatcher):
    """For Numba 0.60: types of arguments are found in Python.

    Its quicker way, by a fingerprint, confuses named tuples with long names whose arrays differ in type, and the kernel
    compiled for one of them then reads the other. Later versions do not.
    """

    def __call__(self, *arguments: Any) -> Any:
        kinds = tuple(map(numba.typeof, arguments))
        found: Any = self.overloads.get(kinds)
        return (found.entry_point if found is not None else self.compile(kinds))(*arguments)
