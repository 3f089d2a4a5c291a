"""Columns of a text table, fast: PyArrow parses, and anything out of the ordinary goes to the line-by-line reader."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import takewhile
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as arrow_csv

from netgiven.readers.files import arrow_source
from netgiven.readers.layout import Text, is_number
from netgiven.readers.lines import BLANKS, is_content, lines_of, records, shorten

Column = Any  # pa.ChunkedArray; PyArrow has no types
_BATCH = 100_000
_PIECE = 1 << 20


def text_columns(text: Text, wanted: Sequence[int]) -> list[Column]:
    """The wanted columns as text, null where a cell is empty. A line with too few or too many fields is an error."""
    found = None if text.line_by_line else _parse(text, dict.fromkeys(wanted, pa.string()))
    columns = slow_columns(text, wanted) if found is None else found
    return [pc.ascii_trim(column, " \t") if text.strip else column for column in columns]


def integer_columns(text: Text, wanted: tuple[int, int], number: int | None) -> list[Column] | None:
    """Two columns of integers and perhaps one of numbers, if that is what they are, to the letter; else None."""
    if text.line_by_line or not all(is_number(row[end]) for row in text.rows[:1] for end in wanted):
        return None
    types = dict.fromkeys(wanted, pa.int64()) | ({} if number is None else {number: pa.float64()})
    body = _body(text)
    columns = _parse(text, types, body)
    if columns is None or any(column.null_count for column in columns) or _may_be_altered(body, text):
        return None
    return columns


def as_integers(column: Column) -> Column | None:
    """A text column as integers if that loses nothing: "007", "+1" and "1.0" are names, not numbers.

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


def slow_columns(text: Text, wanted: Sequence[int]) -> list[Column]:
    """The same as `text_columns`, line by line."""
    batches: list[list[pa.Array]] = [[] for _ in wanted]
    for rows in _batched(text):
        for position, chunks in zip(wanted, batches, strict=True):
            chunks.append(pa.array([row[position] or None for row in rows], type=pa.string()))
    return [pa.chunked_array(chunks, type=pa.string()) for chunks in batches]


def place_of_row(text: Text, row: int) -> str:
    """Where a row (counted from 0, without the header) stands: file, line, and what is written there."""
    for number, (line, cells) in enumerate(
        records(text.file, text.data, text.dialect), start=-int(text.header is not None)
    ):
        if number == row:
            return f"{text.file.label}, line {line}: {shorten(text.dialect.delimiter.join(cells))}"
    return text.file.label


def skipped_comments(text: Text) -> int:
    """How many comment lines there are below the first row: one may have been a link of the node "#tag"."""
    if b"#" not in text.data and b"%" not in text.data:
        return 0
    above = sum(1 for _ in takewhile(lambda numbered: not is_content(numbered[1]), lines_of(text.data)))
    rest = text.data.split(b"\n", above)[-1]
    return rest.count(b"\n#") + rest.count(b"\n%")


def _batched(text: Text) -> Iterator[list[list[str]]]:
    rows: list[list[str]] = []
    found = records(text.file, text.data, text.dialect)
    if text.header is not None:
        next(found, None)
    for line, row in found:
        if len(row) != text.width:
            raise text.file.error(
                f"{len(row)} field{'s'[: len(row) != 1]} where {text.width} were expected: "
                f"{shorten(text.dialect.delimiter.join(row))}. Give every line the same number of fields.",
                line,
            )
        rows.append(row)
        if len(rows) == _BATCH:
            yield rows
            rows = []
    yield rows


def _parse(text: Text, types: dict[int, Any], body: bytes | None = None) -> list[Column] | None:
    """Columns of the given types, or None where PyArrow cannot read them so."""
    names = {position: f"f{position}" for position in types}
    try:
        table = arrow_csv.read_csv(
            arrow_source(_body(text) if body is None else body),
            arrow_csv.ReadOptions(
                column_names=[f"f{position}" for position in range(text.width)],  # no more, no less
                skip_rows=int(text.header is not None),
            ),
            arrow_csv.ParseOptions(
                delimiter=text.dialect.delimiter,
                quote_char='"' if text.dialect.quoted else False,
                double_quote=text.dialect.quoted,
            ),
            arrow_csv.ConvertOptions(
                check_utf8=False,  # done before
                column_types={names[position]: kind for position, kind in types.items()},
                include_columns=list(names.values()),
                null_values=[""],  # and nothing else: NA is a country, and nan a grandmother
                strings_can_be_null=True,
            ),
        )
    except (pa.ArrowInvalid, pa.ArrowKeyError):
        return None
    return [table.column(name) for name in names.values()]


def _body(text: Text) -> bytes:
    r"""The text as PyArrow wants it: lines end in \n, no comments, one delimiter between two fields."""
    data = text.data
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    if text.dialect.delimiter == BLANKS:
        data = _single_blanks(data)
    data = _without_comments(data)
    return data.lstrip(b"\n") if data.startswith(b"\n") else data


def _single_blanks(data: bytes) -> bytes:
    if b"\t" in data:
        data = data.replace(b"\t", b" ")
    while b"  " in data:  # each turn halves what is longer than one
        data = data.replace(b"  ", b" ")
    for found, wanted in ((b"\n ", b"\n"), (b" \n", b"\n")):
        data = data.replace(found, wanted) if found in data else data
    return data.strip(b" ") if data.startswith(b" ") or data.endswith(b" ") else data


def _without_comments(data: bytes) -> bytes:
    """Without the lines that are blank or begin, after blanks, with # or %."""
    kept, end = [], 0
    for start in sorted(_suspects(data)):
        stop = data.find(b"\n", start) + 1 or len(data)
        line = data[start:stop].strip(b" \t\n")
        if not line or line[:1] in (b"#", b"%"):
            kept.append(memoryview(data)[end:start])
            end = stop
    return b"".join([*kept, memoryview(data)[end:]]) if end else data


def _suspects(data: bytes) -> Iterator[int]:
    """Where lines begin that may be comments or blank."""
    if data[:1] in (b"#", b"%", b" ", b"\t"):
        yield 0
    for mark in (b"\n#", b"\n%", b"\n ", b"\n\t"):
        start = data.find(mark) if mark[1:] in data else -1  # one byte is found much faster than two
        while start >= 0:
            yield start + 1
            start = data.find(mark, start + 1)


def _may_be_altered(body: bytes, text: Text) -> bool:
    """Whether some number may have been written otherwise than it reads: 007, -0, 0x1F, or with blanks around.

    Weights may raise a false alarm, which costs a second look at the names as text.
    """
    delimiter = text.dialect.delimiter
    if b"x" in body or b"X" in body or (not text.strip and any(b in body for b in _blanks_beside(delimiter))):
        return True
    for start in range(0, len(body), _PIECE):
        begin = max(0, start - 2)
        piece = np.frombuffer(body, dtype=np.uint8, count=min(start + _PIECE, len(body)) - begin, offset=begin)
        if _has_leading_zero(piece, first=begin == 0):
            return True
    return False


def _blanks_beside(delimiter: str) -> list[bytes]:
    return [blank for blank in (b" ", b"\t") if blank.decode() != delimiter]


def _has_leading_zero(piece: np.ndarray[Any, np.dtype[np.uint8]], *, first: bool) -> bool:
    """Whether a 0 begins a number of several digits, or follows a minus sign."""
    digits = (piece - np.uint8(ord("0"))) < 10  # what is below 0 wraps around
    zeros = piece == ord("0")
    if first and len(piece) > 1 and zeros[0] and digits[1]:
        return True
    leading = zeros[1:-1] & digits[2:] & ~digits[:-2]
    if leading.any() and (piece[:-2][leading] != ord(".")).any():
        return True
    return bool((zeros[1:] & (piece[:-1] == ord("-"))).any())
