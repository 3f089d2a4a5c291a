"""A text table line by line: slow, exact, and able to say which line is wrong.

This is the twin that judges the fast reader (`table.py`), and what reads the tables that are too irregular for it.
"""

from __future__ import annotations

import codecs
import csv
import io
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from netgiven.errors import InputError
from netgiven.readers.files import File

BLANKS = " "  # as a delimiter: runs of blanks and tabs
Row = list[str]


@dataclass(frozen=True)
class Dialect:
    """What separates fields, whether they are quoted, and whether blanks may stand before a quotation mark."""

    delimiter: str
    quoted: bool = False
    loose: bool = False

    def rows(self, lines: Iterable[str]) -> Iterator[Row]:
        """The fields of each line; a quoted field may run over several."""
        spaced = self.delimiter == BLANKS
        return csv.reader(
            (line.replace("\t", " ") for line in lines) if spaced else lines,
            delimiter=self.delimiter,
            quoting=csv.QUOTE_MINIMAL if self.quoted else csv.QUOTE_NONE,
            skipinitialspace=spaced or self.loose,
        )

    def split(self, line: str) -> Row:
        """The fields of one line."""
        try:
            return self.trimmed(next(self.rows([line]), []))
        except csv.Error:  # a field longer than Python's reader allows; told when the table is read
            return line.split(self.delimiter)

    def trimmed(self, row: Row) -> Row:
        """A row without the empty field that blanks at the end of a line make."""
        return row[:-1] if self.delimiter == BLANKS and row and not row[-1] else row


class _Lines:
    """Lines for Python's reader: comments and blank lines are left out, but not within a quoted field."""

    def __init__(self, data: bytes) -> None:
        self._lines = lines_of(data)
        self._within = False
        self.number = 0  # of the line where the record begins
        self.cut_off = False  # the file ended within a quoted field

    def begin(self) -> None:
        """Say that a new record begins."""
        self._within = False

    def __iter__(self) -> Iterator[str]:
        for number, line in self._lines:
            if self._within:
                yield line
            elif is_content(line):
                self._within, self.number = True, number
                yield line
        self.cut_off = self._within


def records(file: File, data: bytes, dialect: Dialect) -> Iterator[tuple[int, Row]]:
    """Line number and fields of each record: with quoted fields a record may run over several lines."""
    lines = _Lines(data)
    rows = dialect.rows(iter(lines))
    while True:
        lines.begin()
        try:
            row = next(rows, None)
        except csv.Error as error:
            raise file.error(f"the line cannot be split into fields: {error}.", lines.number) from error
        if lines.cut_off:
            raise file.error("a quotation mark is opened here and never closed.", lines.number)
        if row is None:
            return
        yield lines.number, dialect.trimmed(row)


def lines_of(data: bytes) -> Iterator[tuple[int, str]]:
    r"""Lines with their numbers and their ends (\n, \r\n or \r); nothing else ends a line."""
    return enumerate(io.TextIOWrapper(io.BytesIO(data), encoding="utf-8", newline=""), start=1)


def is_content(line: str) -> bool:
    """Whether a line is neither blank nor a comment.

    >>> [is_content(line) for line in ("a b", "  ", " # a b", "%", "b#")]
    [True, False, False, False, True]
    """
    line = line.lstrip(" \t\r\n")
    return bool(line) and line[0] not in "#%"


def checked_text(file: File) -> bytes:
    """The file's bytes without a byte order mark, if they are UTF-8; otherwise an error that names the line."""
    data = file.data
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise file.error("the file is UTF-16; save it as UTF-8.", line=1)
    data = data.removeprefix(codecs.BOM_UTF8)
    if not data.isascii():
        decoder, piece = codecs.getincrementaldecoder("utf-8")(), 1 << 20
        try:  # by pieces, as the text itself is not needed
            for start in range(0, len(data), piece):
                decoder.decode(data[start : start + piece], final=start + piece >= len(data))
        except UnicodeDecodeError as error:
            raise _encoding_error(file, data) from error
    return data


def _encoding_error(file: File, data: bytes) -> InputError:
    for number, line in enumerate(data.splitlines(), start=1):
        try:
            line.decode("utf-8")
        except UnicodeDecodeError:
            shown = shorten(line.decode("utf-8", errors="replace"))
            return file.error(f"the line is not UTF-8: {shown}. Save the file as UTF-8.", number)
    return file.error("the file is not UTF-8. Save it as UTF-8.")


def shorten(text: str, most: int = 80) -> str:
    """A text in quotation marks, cut if it is long.

    >>> shorten("a" * 100, most=10)
    "'aaaaaaa...'"
    """
    return repr(text if len(text) <= most else text[: most - 3] + "...")
