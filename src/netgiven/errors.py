"""The errors that netgiven raises. Each message says what was given, what was expected, and what to do."""

from __future__ import annotations

import importlib
import inspect
import warnings
from pathlib import Path
from typing import Any


class NetgivenError(Exception):
    """Base class of all errors that netgiven raises.

    ::

        NetgivenError
        ├── InputError          an input cannot be used: a file, a table, a setting
        │   ├── UnknownNode     a node name that is not in the network
        │   └── UnknownColumn   a node column that is not in the network
        └── FormatError         a saved embedding that cannot be read

    Examples
    --------
    >>> try:
    ...     raise InputError("A share of 2 of the links was given; it must lie between 0 and 1.")
    ... except NetgivenError as error:
    ...     print(error)
    A share of 2 of the links was given; it must lie between 0 and 1.
    """


class InputError(NetgivenError):
    """An input cannot be used: a file, a table, a setting.

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
    """Import an optional library, or raise an error that says how to install it."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        library = module.split(".", maxsplit=1)[0]
        raise InputError(f"This needs {library}, which is not installed: pip install netgiven[{extra}]") from error
