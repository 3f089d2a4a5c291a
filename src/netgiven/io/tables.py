"""Tables of links: what their columns mean, and Parquet, Feather and Arrow. Text tables are in text.py."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from netgiven import edges
from netgiven.edges import (
    NO_WEIGHTS,
    EdgeList,
    Roles,
    Weights,
    by_appearance,
    find_roles,
    node_column,
    number_integers,
    places_of,
)
from netgiven.errors import InputError
from netgiven.io.files import File, arrow_source
from netgiven.types import IntegerArray

# ---- columns: which are the nodes of a link, which a weight ----------------------------------------------------------


Column = Any  # pa.ChunkedArray; PyArrow has no types

GAP_WORDS = ["na", "nan", "null", "none", "n/a"]
_GAPS = pa.array(GAP_WORDS)
_GAPS_AS_WRITTEN = pa.array(
    [form for gap in _GAPS.to_pylist() for form in (gap, gap.upper(), gap.capitalize())] + ["NaN", "<NA>"]
)
_LONGEST_GAP = pc.max(pc.binary_length(_GAPS_AS_WRITTEN))
_CODE = r"^[+-]?(0[0-9]|[0-9]{16,}$)"  # a postcode or a long number that identifies, and does not measure

Locate = Callable[[int], str]


@dataclass(frozen=True)
class LinkColumns:
    """The columns of a table of links: names of both ends (text or integers), weights, and columns of nodes."""

    first: Column
    second: Column
    weight: Column | None
    of_nodes: dict[str, tuple[Column, Column]]
    kinds: tuple[str, str] | None = None

    @classmethod
    def chosen(cls, found: dict[int, Column], roles: Roles) -> LinkColumns:
        """Choose columns, given by position, according to their roles."""
        of_nodes = {name: (found[first], found[second]) for name, (first, second) in roles.of_nodes.items()}
        weight = None if roles.weight is None else found[roles.weight]
        return cls(found[roles.ends[0]], found[roles.ends[1]], weight, of_nodes, roles.kinds)

    def links(self, file: File, locate: Locate, *, by_kind: bool = True) -> EdgeList:
        """Return numbered links; `locate` returns where a row stands in the file.

        `by_kind`: people and things of the same name are two nodes.
        """
        if not len(self.first):
            raise file.error("the table has no rows; a network needs links.")
        for end in (self.first, self.second):
            check_named(end, locate)
        links = _numbered(self.first, self.second)
        links = links.with_kinds(self.kinds) if by_kind else replace(links, kinds=self.kinds)
        columns = dict(links.columns) | {
            name: _node_column(file, name, links, pair) for name, pair in self.of_nodes.items()
        }
        known = pd.DataFrame(columns, index=pd.RangeIndex(len(links.names)))
        weights, notes = (Weights(), ()) if self.weight is None else _weights(self.weight)
        return replace(links, columns=known, weights=weights, notes=(*links.notes, *notes))


def check_named(names: Column, locate: Locate) -> None:
    """Raise an error if a name is empty; `locate` returns where a row stands in the file."""
    if names.null_count:
        row = pc.index(names.is_null(), True).as_py()
        raise InputError(f"{locate(row)} has an empty name; give every node a name, or leave the line out.")


def check_no_gaps(ends: Sequence[Column], locate: Locate) -> None:
    """Raise an error for "nan" among integers, a missing value; among words NA is a country, and nan a grandmother."""
    texts = [end for end in ends if pa.types.is_string(end.type)]
    names = pa.chunked_array([chunk for end in texts for chunk in end.chunks], type=pa.string())
    short = names.filter(pc.less_equal(pc.binary_length(names), _LONGEST_GAP))  # few, where there are many names
    if not pc.any(pc.is_in(short, value_set=_GAPS_AS_WRITTEN)).as_py():
        return
    gaps = pc.is_in(names, value_set=_GAPS_AS_WRITTEN)
    others = names.filter(pc.invert(gaps))
    if len(others) and as_integers(others) is not None:
        place = pc.index(gaps, True).as_py()
        raise InputError(
            f"{locate(place % len(ends[0]))} has a node {names[place].as_py()!r} where all other names are integers: "
            "a missing value, it seems. Leave the line out, or give every node a name."
        )


def _numbered(first: Column, second: Column) -> EdgeList:
    integers = [end if pa.types.is_integer(end.type) else as_integers(end) for end in (first, second)]
    if integers[0] is not None and integers[1] is not None:
        return number_integers(integers[0].to_numpy(), integers[1].to_numpy())
    number = number_many if len(first) >= edges.MANY_LINKS else number_text
    return number(first.cast(pa.string()), second.cast(pa.string()))


def number_many(first: Column, second: Column) -> EdgeList:
    """Return links from two columns of names, by compiled code."""
    from netgiven.io.numbering import number_names

    names, *ends = number_names(first, second)
    return EdgeList(pd.Index(names.to_pandas(), dtype="str"), ends[0], ends[1], distinct=True)


def number_text(first: Column, second: Column) -> EdgeList:
    """Return the same by Arrow: the reference for the compiled code, and faster for short lists."""
    encoded = pa.chunked_array([*first.chunks, *second.chunks], type=pa.string()).dictionary_encode()
    numbers: IntegerArray = np.concatenate([chunk.indices.to_numpy() for chunk in encoded.chunks])
    names = pd.Index(encoded.chunk(0).dictionary.to_pandas(), dtype="str")
    return by_appearance(names, numbers[: len(first)], numbers[len(first) :])


def _weights(weight: Column) -> tuple[Weights, tuple[str, ...]]:
    """Return how many weights are not 1, 0 and negative, and notes on them."""
    numbers = as_numbers(weight)
    if numbers is None:
        return Weights(), (NO_WEIGHTS,)
    numbers = numbers.cast(pa.float64(), safe=False)
    found = pc.not_equal(numbers, 1), pc.equal(numbers, 0), pc.less(numbers, 0)
    return Weights(*(pc.sum(some).as_py() or 0 for some in found)), ()


def names_from_texts(texts: list[str]) -> pd.Index[Any]:
    """Return names from a format that only knows text: integers if all of them are."""
    column = pa.chunked_array([texts], type=pa.string())
    integers = as_integers(column)
    names: pd.Index[Any] = pd.Index(texts, dtype="str") if integers is None else pd.Index(integers.to_numpy())
    return names


def as_integers(column: Column) -> Column | None:
    """Return a text column as integers if that loses nothing: "007", "+1" and "1.0" are names, not numbers.

    >>> as_integers(pa.chunked_array([["7", "-3"]])).to_pylist()
    [7, -3]
    >>> as_integers(pa.chunked_array([["7", "007"]])) is None
    True
    """
    try:
        numbers = column.cast(pa.int64())
    except pa.ArrowInvalid:
        return None
    same = pc.all(pc.equal(numbers.cast(column.type), column)).as_py()
    return numbers if same is not False else None


def as_numbers(column: Column) -> Column | None:
    """Return a column as integers or else as floats, if every value is a number."""
    if pa.types.is_integer(column.type) or pa.types.is_floating(column.type):
        return column
    try:
        return as_integers(column) or column.cast(pa.float64())
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        return None


def attribute_column(column: Column) -> pd.Series[Any]:
    """Return a node column: numbers if all values are, else text. NA and the like are missing among numbers only."""
    numbers = None
    if pa.types.is_string(column.type) and not pc.any(pc.match_substring_regex(column, _CODE)).as_py():
        gaps = pc.is_in(pc.utf8_lower(column), value_set=_GAPS)
        numbers = as_numbers(pc.if_else(gaps, None, column))
    series: pd.Series[Any] = (column if numbers is None else numbers).to_pandas()
    return series


def to_series(file: File, name: str, column: Column, convert: Callable[[Column], Any]) -> pd.Series[Any]:
    """Return what `convert` makes of a node column; an error if it holds lists, or what pandas does not know."""
    if pa.types.is_nested(column.type):
        raise file.error(
            f"column {name!r} holds {column.type}; a node column holds numbers or text. Convert it, or leave it out."
        )
    try:
        series: pd.Series[Any] = convert(column)
    except (pa.ArrowException, KeyError) as error:  # KeyError: unknown time zone
        raise file.error(f"column {name!r} holds {column.type}, which cannot be read ({error}). Convert it.") from error
    return series


def _both_ends(file: File, name: str, pair: tuple[Column, Column]) -> Column:
    """Return the values beside the first ends of all links, then those beside the second ends."""
    ends = [pa.nulls(len(end)) if end.null_count == len(end) else end for end in pair]
    try:
        return pa.concat_tables([pa.table([end], [name]) for end in ends], promote_options="permissive").column(0)
    except pa.ArrowException as error:
        types = " and ".join(str(end.type) for end in pair)
        raise file.error(f"the columns of both ends for {name!r} hold {types}; give both the same type.") from error


def _node_column(file: File, name: str, links: EdgeList, pair: tuple[Column, Column]) -> pd.Series[Any]:
    values = to_series(file, name, _both_ends(file, name, pair), attribute_column)
    try:
        return node_column(name, links, values)
    except InputError as error:
        raise file.error(str(error)) from None


# ---- Parquet, Feather and Arrow --------------------------------------------------------------------------------------


KINDS = (".parquet", ".feather", ".arrow")


def read_table(file: File, ends: tuple[str | None, str | None] = (None, None), *, by_kind: bool = True) -> EdgeList:
    """Read links from two columns: those that are named, or called source and target or the like."""

    def locate(row: int) -> str:
        return f"{file.label}, row {row + 1}"

    names, columns = table_columns(file)
    if len(names) < 2:
        raise file.error(f"the table has {len(names)} column; links need two, the names of their ends.")
    roles = find_roles(names, len(names), places_of(names, ends))
    found = dict(enumerate(columns))
    found |= {end: name_column(file, names[end], columns[end]) for end in roles.ends}
    links = LinkColumns.chosen(found, roles).links(file, locate, by_kind=by_kind)
    return replace(links, notes=(*links.notes, *roles.notes))


def table_columns(file: File) -> tuple[list[str], list[Column]]:
    """Return the names of a table's columns, and the columns: text as plain strings, null where missing."""
    try:
        table = _table(file)
        table.validate(full=True)  # an Arrow file is used as it lies there: offsets could point anywhere
        kept = [name for name in table.column_names if not name.startswith("__index_level_")]
        return kept, [_plain(table.column(name)) for name in kept]
    except InputError:
        raise
    except (pa.ArrowException, OSError, ValueError, KeyError, MemoryError) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise file.error(f"the file cannot be read as {file.kind[1:]}: it is cut off or damaged ({reason}).") from error


def _table(file: File) -> Any:
    source = arrow_source(file.data)
    if file.kind == ".parquet":
        import pyarrow.parquet

        parquet = pyarrow.parquet.ParquetFile(source)
        file.check_links(parquet.metadata.num_rows)
        groups = range(parquet.metadata.num_row_groups)
        file.check_size(sum(parquet.metadata.row_group(group).total_byte_size for group in groups))
        return parquet.read()
    if file.data.startswith(b"FEA1"):  # PyArrow follows the positions in such a file wherever they lead
        raise file.error("this is a Feather file of version 1, which is out of use; write it again as version 2.")
    if file.data.startswith(b"ARROW1"):
        reader = pa.ipc.open_file(source)
        return _from_batches(file, reader.schema, map(reader.get_batch, range(reader.num_record_batches)))
    stream = pa.ipc.open_stream(source)
    return _from_batches(file, stream.schema, stream)


def _from_batches(file: File, schema: Any, batches: Iterable[Any]) -> Any:
    """Return a table of batches, which may be compressed, while they are small enough together."""
    kept, size = [], 0
    for batch in batches:
        kept.append(batch)
        size += batch.get_total_buffer_size()
        file.check_size(size)
    return pa.Table.from_batches(kept, schema)


def _plain(column: Column) -> Column:
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if pa.types.is_large_string(column.type) or pa.types.is_string_view(column.type):
        column = column.cast(pa.string())
    if pa.types.is_null(column.type):
        column = column.cast(pa.string())
    return column


def name_column(file: File, name: str, column: Column) -> Column:
    """Return names of nodes: integers or text, null where empty."""
    if pa.types.is_integer(column.type):
        try:
            return column.cast(pa.int64())
        except pa.ArrowInvalid:  # beyond 64 bits with a sign
            return column.cast(pa.string())
    if not pa.types.is_string(column.type):
        raise file.error(f"column {name!r} holds {column.type}; names of nodes are integers or text. Convert it.")
    return pc.if_else(pc.equal(column, ""), None, column)
