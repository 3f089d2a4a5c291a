"""The errors that netgiven raises on purpose, and nothing else.

NetgivenError
├── InputError          something given from outside cannot be used: a file, a table, a setting
│   ├── UnknownNode     a node name that the network does not hold
│   └── UnknownColumn   a node column that the network does not hold
└── FormatError         a saved embedding that cannot be read back

Each message says what was given, what was expected, and what to do.
"""

from __future__ import annotations

import importlib
from typing import Any


class NetgivenError(Exception):
    """Base of all errors that netgiven raises on purpose."""


class InputError(NetgivenError):
    """Something given from outside cannot be used."""


class UnknownNode(InputError):  # noqa: N818 - reads better without the suffix
    """A node name that the network does not hold."""


class UnknownColumn(InputError):  # noqa: N818
    """A node column that the network does not hold."""


class FormatError(NetgivenError):
    """A saved embedding that cannot be read back."""


# ---- Libraries that not everybody needs ------------------------------------------------------------------------------


def require(module: str, extra: str = "graphs") -> Any:
    """An optional library, or an error that says how to get it."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        library = module.split(".", maxsplit=1)[0]
        raise InputError(f"This needs {library}, which is not installed: pip install netgiven[{extra}]") from error
