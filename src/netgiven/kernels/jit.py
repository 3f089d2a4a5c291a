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
from llvmlite import ir  # type: ignore[import-untyped]
from numba.core import types
from numba.core.registry import CPUDispatcher
from numba.extending import intrinsic

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


# ---- memory ----------------------------------------------------------------------------------------------------------


def _prefetch(_: Any, array: Any, row: Any, column: Any) -> Any:
    """Ask the memory for array[row, column], and do not wait for it.

    This changes no result. Rows of other nodes lie anywhere in memory; a processor looks only some instructions ahead,
    and would wait for most of them.
    """

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        view = context.make_array(signature.args[0])(context, builder, arguments[0])
        place, element = (context.cast(builder, arguments[k], signature.args[k], types.int64) for k in (1, 2))
        start = builder.ptrtoint(view.data, ir.IntType(64))
        offset = builder.add(
            builder.mul(place, builder.extract_value(view.strides, 0)), builder.mul(element, view.itemsize)
        )
        pointer, number = ir.IntType(8).as_pointer(), ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [pointer, number, number, number])
        hint = builder.module.declare_intrinsic("llvm.prefetch", [pointer], kind)
        for_reading, keep, data = (ir.Constant(number, value) for value in (0, 3, 1))
        builder.call(hint, [builder.inttoptr(builder.add(start, offset), pointer), for_reading, keep, data])
        return context.get_dummy_value()

    return types.void(array, row, column), generate


prefetch: Callable[[Any, Any, Any], None] = cast(Any, intrinsic(_prefetch))
