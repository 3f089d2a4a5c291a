"""Node tables: groups, attributes, and nodes without links."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from netgiven.edges import EdgeList, is_kind, names_index, shown, simplified
from netgiven.errors import InputError, UnknownColumn, is_one_of
from netgiven.io.files import File, load_file
from netgiven.io.tables import (
    KINDS,
    Locate,
    as_integers,
    attribute_column,
    check_named,
    check_no_gaps,
    name_column,
    table_columns,
    to_series,
)
from netgiven.io.text import (
    DELIMITER_HINT,
    HEADER_HINT,
    Row,
    decimal_points,
    is_number,
    lay_out,
    place_of_row,
    text_columns,
)
from netgiven.network import Network
from netgiven.objects import NAME_WORDS, as_table, node_table


@dataclass(frozen=True)
class NodeTable:
    """One row per node: its name (the first column) and its attributes."""

    label: str
    frame: pd.DataFrame
    locate: Locate
    notes: tuple[str, ...] = ()

    @property
    def names(self) -> pd.Index[Any]:
        """Names of the nodes."""
        return names_index(self.frame.iloc[:, 0])


def add_nodes(links: EdgeList, given: Any) -> EdgeList:
    """Return links together with the nodes and columns of a node table (a file, a data frame)."""
    table = _one_row_per_node(_table(given, links.names))
    names, linked = _same_kind(table.names, links.names)
    links = replace(links, names=linked)
    names = links.names_of_kind(names, str(table.frame.columns[0]))
    known = names.get_indexer(linked) >= 0
    if len(linked) and not known.any():
        raise InputError(
            f"{table.label}: none of its nodes ({_some(names)}) is linked; the linked ones are {_some(linked)}. "
            "The first column of this table must hold the names that the links use."
        )
    missing = len(linked) - int(np.count_nonzero(known))
    notes = (f"{missing:,} linked nodes are not in {table.label}; their values are missing.",) if missing else ()
    return replace(links.with_node_table(names, table.frame.iloc[:, 1:]), notes=(*links.notes, *table.notes, *notes))


def with_groups(network: Network, name: str) -> Network:
    """Return the network with one node column as categories."""
    if not is_one_of(name, network.columns):
        available = ", ".join(map(repr, network.columns)) or "none; give a node table with nodes="
        raise UnknownColumn(f"groups={name!r} was given, and there is no such node column. Available: {available}.")
    column = network.columns[name].astype("category")
    missing = int(column.isna().sum())
    notes = (f"{missing:,} nodes have no value in {name!r}.",) if missing else ()
    network = network.with_columns(column.to_frame())
    return replace(network, notes=(*network.notes, *notes))


def _some(names: pd.Index[Any]) -> str:
    return ", ".join(repr(name)[:40] for name in names[:3].tolist()) + (", ..." if len(names) > 3 else "")


def _table(given: Any, linked: pd.Index[Any]) -> NodeTable:
    found = given if isinstance(given, Mapping) else as_table(given)
    if found is not None:
        frame = node_table(found)
        table = NodeTable("The node table", frame, lambda row: f"The node table, row {row + 1}")
    else:
        file = load_file(given)
        table = _arrow_table(file) if file.kind in KINDS else _text_table(file, linked)
    if not table.frame.shape[1] or not len(table.frame):
        raise InputError(f"{table.label} is empty; one row per node was expected, with its name in the first column.")
    return table


def _arrow_table(file: File) -> NodeTable:
    titles, columns = table_columns(file)
    if titles:
        columns[0] = name_column(file, titles[0], columns[0])
    named = zip(titles, columns, strict=True)
    frame = pd.DataFrame({title: to_series(file, title, column, pa.ChunkedArray.to_pandas) for title, column in named})
    return NodeTable(file.label, frame, lambda row: f"{file.label}, row {row + 1}")


def _text_table(file: File, linked: pd.Index[Any]) -> NodeTable:
    def is_header(first: Row, rest: list[Row]) -> bool:
        return is_node_header(first, rest, linked)

    text = lay_out(file, is_header)
    locate = partial(place_of_row, text)
    begin = 1 if text.header and text.width > 1 and not text.header[0] else 0  # row numbers of pandas or R
    names, *others = text_columns(text, range(begin, text.width))
    check_named(names, locate)
    check_no_gaps([names], locate)
    integers = as_integers(names)
    others, decimal_notes = decimal_points(text, others)
    series = [(names if integers is None else integers).to_pandas(), *map(attribute_column, others)]
    titles = _titles(text.header, text.width)[begin:]
    if len(set(titles)) < len(titles):
        raise file.error(f"two columns have the same name: {', '.join(titles)}; rename one.")
    # the options that the hints name are for the links
    plain_notes = (note.replace(HEADER_HINT, "").replace(DELIMITER_HINT, "") for note in text.notes)
    notes = tuple(note.replace("The first line", f"The first line of {file.label}") for note in plain_notes)
    frame = pd.DataFrame(dict(zip(titles, series, strict=True)))
    return NodeTable(file.label, frame, locate, (*notes, *decimal_notes))


def _titles(header: tuple[str, ...] | None, width: int) -> list[str]:
    if header is not None:
        return [name or f"column{position + 1}" for position, name in enumerate(header)]
    return ["node", "group", *(f"column{position}" for position in range(3, width + 1))][:width]


def is_node_header(first: Row, rest: list[Row], linked: pd.Index[Any]) -> bool:
    """Whether the first cell is not a linked node while the one below is, or is a usual name of such a column.

    The first line may also be that of a node without links: then its other cells look like those below.
    """
    if not first[0] and len(first) > 1:  # pandas and R leave the name of their row numbers empty
        return True
    if _is_linked(first[0], linked) or is_number(first[0]) or not rest:
        return False
    if any(is_number(cell) or cell in {row[place] for row in rest if place < len(row)} for place, cell in _rest(first)):
        return False
    return _is_linked(rest[0][0], linked) or simplified(first[0]) in NAME_WORDS or is_kind(first[0])


def _rest(row: Row) -> list[tuple[int, str]]:
    return [(place, cell) for place, cell in enumerate(row) if place and cell]


def _is_linked(cell: str, linked: pd.Index[Any]) -> bool:
    if linked.dtype == np.int64:
        return cell.lstrip("-").isdecimal() and len(cell) < 20 and int(cell) in linked
    return cell in linked


def _same_kind(names: pd.Index[Any], linked: pd.Index[Any]) -> tuple[pd.Index[Any], pd.Index[Any]]:
    """Return both as integers if both are, else both as text."""
    if names.dtype == linked.dtype == np.int64:
        return names, linked
    return tuple(index if _is_text(index) else index.map(str).astype("str") for index in (names, linked))  # type: ignore[return-value]


def _is_text(index: pd.Index[Any]) -> bool:
    return pd.api.types.infer_dtype(index, skipna=False) == "string"


def _one_row_per_node(table: NodeTable) -> NodeTable:
    """Join several lines of one node if they hold one label each; otherwise they are an error."""
    again = table.names.duplicated()
    if not again.any():
        return table
    if table.frame.shape[1] != 2:
        row = int(np.argmax(again))
        name = table.names[row]
        before = table.locate(int(np.argmax(np.asarray(table.names == name))))
        raise InputError(f"{table.locate(row)} repeats node {shown(name)} (first: {before}); give each node one row.")
    return _joined(table)


def _label(value: Any) -> str:
    if pd.isna(value):
        return ""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def _join(values: pd.Series[Any]) -> str | float:
    return ";".join(value for value in values if value) or np.nan


def _joined(table: NodeTable) -> NodeTable:
    node, label = table.frame.columns
    frame = table.frame.drop_duplicates()
    joined = frame[label].map(_label).groupby(frame[node], sort=False).agg(_join)
    several = int((frame.groupby(node, sort=False).size() > 1).sum())
    notes = (f"{several:,} nodes have several lines in {table.label}; their {label}s were joined, as in 'a;b'.",)
    if not several:  # the same line twice is not a second label
        notes, joined = (
            (f"Repeated lines of {table.label} were read once.",),
            frame.set_index(node)[label],
        )
    return NodeTable(table.label, joined.rename(label).reset_index(), table.locate, (*table.notes, *notes))
