"""Libraries that not everybody needs."""

from __future__ import annotations

import importlib
from typing import Any

from netgiven.errors import InputError


def require(module: str, extra: str = "graphs") -> Any:
    """An optional library, or an error that says how to get it."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        library = module.split(".", maxsplit=1)[0]
        raise InputError(f"This needs {library}, which is not installed: pip install netgiven[{extra}]") from error
