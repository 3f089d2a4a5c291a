"""How kernels are compiled: one place for the flags.

Compiled when first called, kept on disk (`cache`), free of Python's lock so that threads run side by side (`nogil`).
Sums may be reordered to use vector registers (`reassoc`), which is the same on every thread; infinities and NaN keep
their meaning. There is no `parallel=True`: a kernel works on a range of nodes, and an engine says who takes which
range.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba

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
    """Compile a function that only kernels call, into each of them."""
    return _compiled(function, inline="always")


def _compiled(function: Function, **more: Any) -> Function:
    try:
        return cast(Function, numba.njit(**_FLAGS, **more)(function))
    except RuntimeError:  # no folder that could be written to: then without keeping it
        return cast(Function, numba.njit(**{**_FLAGS, "cache": False}, **more)(function))
