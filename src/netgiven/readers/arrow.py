"""Parquet, Feather and Arrow files."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pyarrow as pa

from netgiven.edges import Links
from netgiven.readers.columns import LinkColumns, find_roles
from netgiven.readers.files import File, arrow_source
from netgiven.readers.table import Column

KINDS = (".parquet", ".feather", ".arrow")


def is_arrow(kind: str) -> bool:
    """Whether files of this kind are read here."""
    return kind in KINDS


def read_arrow(file: File) -> Links:
    """Links from two columns: those called source and target (or the like), else the first two."""

    def locate(row: int) -> str:
        return f"{file.label}, row {row + 1}"

    names, columns = arrow_columns(file)
    if len(names) < 2:
        raise file.error(f"the table has {len(names)} column; links need two, the names of their ends.")
    roles = find_roles(names, len(names))
    found = dict(enumerate(columns))
    found |= {end: _names(file, names[end], columns[end]) for end in roles.ends}
    links = LinkColumns.chosen(found, roles).links(file, locate)
    notes = (f"Ignored columns: {', '.join(roles.ignored)}.",) if roles.ignored else ()
    return replace(links, notes=(*links.notes, *notes))


def arrow_columns(file: File) -> tuple[list[str], list[Column]]:
    """The names of a table's columns, and the columns; text is plain text, empty where it says nothing."""
    try:
        table = _table(file)
        table.validate(full=True)  # an Arrow file is used as it lies there: offsets could point anywhere
        kept = [name for name in table.column_names if not name.startswith("__index_level_")]
        return kept, [_plain(table.column(name)) for name in kept]
    except (pa.ArrowException, OSError, ValueError, KeyError, MemoryError) as error:
        told = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise file.error(f"the file cannot be read as {file.kind[1:]}: it is cut off or damaged ({told}).") from error


def _table(file: File) -> Any:
    source = arrow_source(file.data)
    if file.kind == ".parquet":
        import pyarrow.parquet

        return pyarrow.parquet.read_table(source)
    if file.data.startswith(b"FEA1"):
        import pyarrow.feather

        return pyarrow.feather.read_table(source)
    if file.data.startswith(b"ARROW1"):
        return pa.ipc.open_file(source).read_all()
    return pa.ipc.open_stream(source).read_all()


def _plain(column: Column) -> Column:
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if pa.types.is_large_string(column.type) or pa.types.is_string_view(column.type):
        column = column.cast(pa.string())
    if pa.types.is_null(column.type):
        column = column.cast(pa.string())
    return column


def _names(file: File, name: str, column: Column) -> Column:
    """Names of nodes: integers or text, null where empty."""
    import pyarrow.compute as pc

    if pa.types.is_integer(column.type):
        try:
            return column.cast(pa.int64())
        except pa.ArrowInvalid:  # beyond 64 bits with a sign
            return column.cast(pa.string())
    if not pa.types.is_string(column.type):
        raise file.error(f"column {name!r} holds {column.type}; names of nodes are integers or text. Convert it.")
    return pc.if_else(pc.equal(column, ""), None, column)
