"""How a text table is laid out: what separates its fields, whether they are quoted, whether the first line is a header.

All of it is decided from the first lines. What was decided can be overruled (`delimiter=`, `header=`) and is told.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from itertools import islice

import numpy as np

from netgiven.errors import InputError
from netgiven.readers.files import File
from netgiven.readers.lines import BLANKS, Dialect, Row, checked_text, is_content, lines_of, records, shorten

_SAMPLE = 100
_PIECE = 1 << 20
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
HEADER_HINT = " (if it is none, say so with header=False, or --no-header on the command line)"
DELIMITER_HINT = " (another choice is made with delimiter=, or --delimiter on the command line)"
_SPOKEN = {"\t": "tabs", ",": "commas", ";": "semicolons", BLANKS: "blanks"}

HeaderTest = Callable[[Row, list[Row]], bool]


@dataclass(frozen=True)
class Text:
    """A text table and how to read it. `header` names each of the `width` fields of a row, if there is a header."""

    file: File
    data: bytes
    dialect: Dialect
    strip: bool  # blanks follow every delimiter ("ann, bob") and are no part of the names
    line_by_line: bool  # too irregular for the fast reader
    header: tuple[str, ...] | None
    width: int
    rows: tuple[Row, ...]  # the first ones
    notes: tuple[str, ...]


def lay_out(file: File, is_header: HeaderTest, header: bool | None = None, delimiter: str | None = None) -> Text:
    """Find out how a text table is to be read; `is_header` judges the first row by the rows after it."""
    data = checked_text(file)
    lines = [line.rstrip("\r\n") for line in islice((line for _, line in lines_of(data) if is_content(line)), _SAMPLE)]
    if not lines:
        raise file.error("the file is empty (or holds nothing but comments); a table was expected.")
    mark, notes = _delimiter(lines) if delimiter is None else (_checked(delimiter), [])
    dialect, line_by_line = _dialect(data, mark)
    if not dialect.quoted and mark + '"' in "".join(lines):
        notes.append("Quotation marks were taken as parts of names: on some line they do not pair up.")
    strip = delimiter is None and mark in ",;" and all(_is_spaced(line, mark) for line in lines)
    if strip:
        notes.append(f"Blanks around names were left out, as they follow every delimiter{DELIMITER_HINT}.")
    found = islice(records(file, data, dialect), _SAMPLE)
    rows = [[cell.strip(" \t") if strip else cell for cell in row] for _, row in found]
    if header is None and is_header(rows[0], rows[1:]):
        header = True
        notes.append(f"The first line was taken as a header: {shorten(', '.join(rows[0]))}{HEADER_HINT}.")
    names = _header_names(file, rows) if header else None
    width = len(names or rows[0])
    rows = rows[1:] if header else rows
    return Text(file, data, dialect, strip, line_by_line, names, width, tuple(rows), tuple(notes))


def is_number(cell: str) -> bool:
    """Whether a cell looks like a number.

    >>> [is_number(cell) for cell in ("12", "-1.5e3", "007", "1,5", "nan", "")]
    [True, True, True, False, False, False]
    """
    return _NUMBER.fullmatch(cell.strip(" \t")) is not None


def _checked(delimiter: str) -> str:
    mark = "\t" if delimiter == r"\t" else delimiter  # a shell hands on the backslash and the letter
    if len(mark) != 1 or not mark.isascii() or mark in '"#%\r\n\0':
        raise InputError(f"The delimiter {mark!r} was given; one character was expected, such as ',' or '\\t'.")
    return mark


def _delimiter(lines: list[str]) -> tuple[str, list[str]]:
    """The first delimiter that splits all lines into the same number of fields; else the one that splits most."""
    whole = [line for line in lines if line.count('"') % 2 == 0] or lines
    # Semicolons before commas: "a;b;0,5" is more usual than a name with a semicolon on every line.
    widths = {mark: [len(Dialect(mark, quoted=mark in ",;").split(line)) for line in whole] for mark in "\t;, "}
    fitting = [mark for mark, found in widths.items() if found[0] > 1 and len(set(found)) == 1]
    if not fitting:
        return max(widths, key=lambda mark: sum(width > 1 for width in widths[mark])), []
    first, *others = fitting
    told = [_SPOKEN[mark] for mark in others if mark != BLANKS or not _is_blank_only_beside(whole[0], first)]
    note = f"Fields are separated by {_SPOKEN[first]}; {' or '.join(told)} would fit too{DELIMITER_HINT}."
    return first, [note] if told else []


def _is_blank_only_beside(line: str, delimiter: str) -> bool:
    """Whether blanks split a line only where the delimiter does, as in "a, b" and, of course, with tabs."""
    return delimiter == "\t" or _is_spaced(line, delimiter)


def _is_spaced(line: str, delimiter: str) -> bool:
    """Whether a blank follows every delimiter of a line."""
    return delimiter in line and line.count(delimiter) == line.count(delimiter + " ")


def _dialect(data: bytes, delimiter: str) -> tuple[Dialect, bool]:
    """How fields are quoted, and whether that takes reading line by line.

    With commas and semicolons quotation marks are the rule of the format. With tabs and blanks they are often just
    characters (the network of words in a text has a node for them): they count only if they pair up on every line.
    """
    mark = delimiter.encode()
    if b'"' not in data or not (
        data[:1] == b'"' or any(before + b'"' in data for before in (b"\n", b"\r", b" ", mark))
    ):
        return Dialect(delimiter), False
    odd = _has_odd_line(data)
    if odd and delimiter in ("\t", BLANKS):
        return Dialect(delimiter), False
    loose = mark + b' "' in data
    return Dialect(delimiter, quoted=True, loose=loose), odd or loose or delimiter == BLANKS


def _has_odd_line(data: bytes) -> bool:
    """Whether some line holds an odd number of quotation marks: one stands alone, or a field runs over lines."""
    before = 0
    for start in range(0, len(data), _PIECE):
        piece = np.frombuffer(data, dtype=np.uint8, count=min(_PIECE, len(data) - start), offset=start)
        marks = np.cumsum(piece == ord('"'), dtype=np.int32) + before
        if np.any(marks[(piece == ord("\n")) | (piece == ord("\r"))] & 1):
            return True
        before = int(marks[-1]) & 1
    return bool(before)


def _header_names(file: File, rows: list[Row]) -> tuple[str, ...]:
    """Column names, one a field. R leaves out the name of the row numbers that it puts before each line."""
    if len(rows) == 1:
        raise file.error(f"there is a header, {shorten(', '.join(rows[0]))}, and nothing after it.")
    names, width = rows[0], len(rows[1])
    if len(names) == width - 1:
        names = ["", *names]
    if len(names) != width:
        raise file.error(f"the header names {len(names)} columns, and the line after it has {width} fields.")
    return tuple(names)
