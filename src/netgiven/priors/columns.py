"""Node columns as knowledge reads them: groups or numbers, with a sentence where a linked node has none."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from netgiven.edges import shown
from netgiven.errors import InputError
from netgiven.network import Network
from netgiven.types import BoolArray, Float64Array, Int64Array


def check_column(column: Any, name: str) -> str:
    """The column's name, if it is one."""
    if not isinstance(column, str) or not column:
        raise InputError(f"{name} needs the name of a node column; {column!r} was given.")
    return column


def groups_of(network: Network, column: str, needed_by: object) -> tuple[Int64Array, int]:
    """Group number of each node, and the number of groups.

    A node without links may go without a value: it gets a group of its own kind, which nothing links to.
    """
    codes, values = network.groups(column)
    check_present(network, codes < 0, column, needed_by)
    return np.where(codes < 0, len(values), codes).astype(np.int64), len(values) + int((codes < 0).any())


def numbers_of(network: Network, column: str, needed_by: object) -> Float64Array:
    """A number for each node: its value, or seconds for a time; NaN only for nodes without links."""
    values = network.column(column)
    if pd.api.types.is_datetime64_any_dtype(values):
        numbers = (values - values.min()).dt.total_seconds().to_numpy(dtype=np.float64, na_value=np.nan)
    else:
        numbers = pd.to_numeric(values, errors="coerce").to_numpy(dtype=np.float64, na_value=np.nan)
        spoiled = np.flatnonzero(np.isnan(numbers) & values.notna().to_numpy())
        if len(spoiled):
            raise InputError(
                f"Column {column!r} holds {shown(values.iloc[spoiled[0]])} for node "
                f"{shown(network.nodes[spoiled[0]])}; {needed_by} needs numbers or times."
            )
    check_present(network, ~np.isfinite(numbers), column, needed_by)
    return np.where(np.isfinite(numbers), numbers, np.nan)


def is_numeric(network: Network, column: str) -> bool:
    """Does a column hold numbers or times, rather than names of groups?"""
    values = network.column(column)
    if pd.api.types.is_bool_dtype(values):
        return False
    return bool(pd.api.types.is_numeric_dtype(values) or pd.api.types.is_datetime64_any_dtype(values))


def check_present(network: Network, missing: BoolArray, column: str, needed_by: object) -> None:
    """A sentence, if a node with links has no value."""
    lost = np.flatnonzero(missing & (network.degrees > 0))
    if len(lost):
        more = f" ({len(lost):,} such nodes)" if len(lost) > 1 else ""
        raise InputError(
            f"Node {shown(network.nodes[lost[0]])} has links but no value in column {column!r}, "
            f"which {needed_by} needs{more}. Give each linked node a value."
        )
