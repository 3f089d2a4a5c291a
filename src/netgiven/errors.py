"""The errors that netgiven raises. Each message says what was given, what was expected, and what to do."""

from __future__ import annotations

import functools
import importlib
import inspect
import warnings
from collections.abc import Callable, Iterable, Sequence
from numbers import Integral, Real
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")


class NetgivenError(Exception):
    """Base class of all errors that netgiven raises.

    ::

        NetgivenError
        ├── InputError               an input cannot be used: a file, a table, a setting
        │   ├── UnknownNode          a node name that is not in the network
        │   ├── UnknownColumn        a node column that is not in the network
        │   └── UnconstrainedPairs   knowledge that says nothing about some pairs of nodes
        └── FormatError              a saved embedding that cannot be read

    Examples
    --------
    >>> try:
    ...     raise InputError("A share of 2 of the links was given; it must lie between 0 and 1.")
    ... except NetgivenError as error:
    ...     print(error)
    A share of 2 of the links was given; it must lie between 0 and 1.
    """


class InputError(NetgivenError, ValueError):
    """An input cannot be used: a file, a table, a setting. A `ValueError`, as other libraries raise it.

    Examples
    --------
    >>> import netgiven as ng
    >>> ng.Settings(dimensions=0)
    Traceback (most recent call last):
        ...
    netgiven.errors.InputError: dimensions = 0 was given; a whole number of at least 1 is needed.
    """


class UnknownNode(InputError):  # noqa: N818 - reads better without the suffix
    """A node name that is not in the network."""


class UnknownColumn(InputError):  # noqa: N818
    """A node column that is not in the network."""


class UnconstrainedPairs(InputError):  # noqa: N818
    """Knowledge that says nothing about some pairs of nodes."""


class FormatError(NetgivenError):
    """A saved embedding that cannot be read: it is damaged, or has another format.

    Examples
    --------
    >>> import netgiven as ng; from pathlib import Path; from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     _ = Path(folder, "x.ng").write_bytes(b"not an embedding")
    ...     try:
    ...         ng.load(Path(folder, "x.ng"))
    ...     except ng.FormatError:
    ...         print("refused")
    refused
    """


# ---- Checks of arguments ---------------------------------------------------------------------------------------------


def did_you_mean(word: object, words: Iterable[object]) -> str:
    """Return what the user may have meant, to be added to a message; empty if nothing is similar.

    >>> did_you_mean("degress", ["density", "degrees"])
    " Did you mean 'degrees'?"
    """
    import difflib

    near = difflib.get_close_matches(str(word)[:60], [str(one)[:60] for one in words], n=1)
    return f" Did you mean {near[0]!r}?" if near else ""


def is_real(value: object) -> bool:
    """Whether a value is a number of Python or NumPy, and no truth value.

    >>> is_real(0.9), is_real("0.9"), is_real(True)
    (True, False, False)
    """
    return isinstance(value, Real) and not isinstance(value, bool)


def is_whole(value: object, smallest: int = 0) -> bool:
    """Whether a value is a whole number of Python or NumPy, no truth value, and not below another."""
    return type(value) is not bool and isinstance(value, Integral) and int(value) >= smallest


def is_one_of(value: object, words: Iterable[object]) -> bool:
    """Whether a value is one of some words.

    >>> is_one_of("exact", ["exact", "paper"]), is_one_of(["exact"], ["exact", "paper"])
    (True, False)
    """
    return isinstance(value, str) and value in list(words)


def as_path(given: Any) -> Path:
    """Return a path, or raise an `InputError` if it is none."""
    try:
        return Path(given)
    except TypeError as error:
        raise InputError(f"The path of a file was expected, {type(given).__name__} given.") from error


def check_keywords(function: Callable[P, R]) -> Callable[P, R]:
    """Raise an `InputError` that suggests a name where a keyword argument is not one of the function's."""
    names = list(inspect.signature(function).parameters)

    @functools.wraps(function)
    def checked(*arguments: P.args, **keywords: P.kwargs) -> R:
        check_words(function.__name__, keywords, names)
        return function(*arguments, **keywords)

    return checked


def check_words(name: str, words: Iterable[str], allowed: Sequence[str]) -> None:
    """Raise an `InputError` if a keyword argument of `name` is not allowed."""
    for word in words:
        if word not in allowed:
            meant = did_you_mean(word, allowed) or f" There are: {', '.join(allowed)}."
            raise InputError(f"{name} takes no argument {word!r}.{meant}")


# ---- Warnings --------------------------------------------------------------------------------------------------------


class InputWarning(UserWarning):
    """A part of an input is not used: directions, weights, self-loops, duplicates. The message counts them.

    Examples
    --------
    >>> import netgiven as ng, warnings
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     network = ng.Network.from_edges([("ann", "bob", 3), ("bob", "bob", 1)])
    >>> print(caught[0].message)
    2 links given, 1 kept: 1 self-loop dropped, weights of 1 link ignored. A network is undirected and unweighted.
    """


def warn(message: str) -> None:
    """Give an `InputWarning`, at the line outside of the package that led to it."""
    package = str(Path(__file__).parent)
    frame, level = inspect.currentframe(), 1
    while frame is not None and frame.f_code.co_filename.startswith(package):
        frame, level = frame.f_back, level + 1
    warnings.warn(message, InputWarning, stacklevel=level)


# ---- Optional libraries ----------------------------------------------------------------------------------------------


def require(module: str, extra: str = "graphs") -> Any:
    """Import an optional library, or raise an error that says how to install it: by an extra, or on its own if ""."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        library = module.split(".", maxsplit=1)[0]
        package = f'"netgiven[{extra}]"' if extra else library
        raise InputError(f"This needs {library}, which is not installed: pip install {package}") from error
