"""Text tables: edge lists, CSV and TSV, also as spreadsheets write them.

`lay_out` decides from the first lines how a text table is laid out: what separates its fields, whether they are quoted,
whether the first line is a header. What was decided can be overruled (`delimiter=`, `header=`) and is noted.
PyArrow parses the columns. The line-by-line reader, slow and exact, is its reference in tests, reads the tables that
are too irregular for it, and finds the line of an error.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice, takewhile
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as arrow_csv

from netgiven.edges import EdgeList, Roles, check_is_list, find_roles, listed_names, named_ends, places_of
from netgiven.errors import InputError
from netgiven.io.files import File, arrow_source, numbered_lines, shorten, utf8_bytes
from netgiven.io.tables import GAP_WORDS, Column, LinkColumns, check_no_gaps

BLANKS = " "  # as a delimiter: runs of blanks and tabs
HEADER_HINT = " (if it is not, use header=False, or --no-header on the command line)"
DELIMITER_HINT = " (choose another one with delimiter=, or --delimiter on the command line)"

_SAMPLE = 100
_BATCH = 100_000
_PIECE = 1 << 20
_SEPARATOR_LINE = re.compile(rb'"?sep=(?P<mark>[ -~\t])"?[ \t,;]*(?=[\r\n])', re.IGNORECASE)
_NUMBER_OR_COMMA = r"^[ \t]*[+-]?\d+(,\d+)?([eE][+-]?\d+)?[ \t]*$"
_DECIMAL_COMMA = re.compile(r"^\s*([+-]?\d+),(\d+)\s*$", re.ASCII)
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
DELIMITER_NAMES = {"\t": "tabs", ",": "commas", ";": "semicolons", BLANKS: "blanks"}

Row = list[str]
HeaderTest = Callable[[Row, list[Row]], bool]


def read_text(
    file: File,
    header: bool | None = None,
    delimiter: str | None = None,
    ends: tuple[str | None, str | None] = (None, None),
    *,
    is_header: HeaderTest | None = None,
    by_kind: bool = True,
) -> EdgeList:
    """Read links from lines of two names; a third column may hold weights, and others what a header says.

    >>> links = read_text(File("friends.csv", ".csv", b"from,to\\nann,bob\\nbob,cid\\n"))
    >>> links.names.tolist(), links.first.tolist(), links.second.tolist()
    (['ann', 'bob', 'cid'], [0, 1], [1, 2])
    """
    named = ends != (None, None)
    text = lay_out(file, is_header or looks_like_header, True if named and header is None else header, delimiter)
    if text.width < 2:
        place = place_of_row(text, 0)
        raise InputError(f"{place} is one column only; a link is two names, with a tab, comma or blank between.")
    if not named:
        _check_no_matrix(text)
    elif text.header is None:
        raise file.error("source= and target= (--source, --target) name columns, and there is no header.")
    roles = find_roles(text.header, text.width, places_of(text.header or (), ends))
    links = _links(text, roles, by_kind=by_kind)
    if text.header is None:
        check_is_list(len(links.first), text.width)
    return replace(links, notes=(*text.notes, *links.notes, *_notes(text, roles, links)))


def _check_no_matrix(text: TextTable) -> None:
    """Raise an error for an adjacency matrix: rows and columns have the same words for names, all else is numbers."""
    first, *rest = text.rows if text.header is None else (list(text.header), *text.rows)
    names = [row[0] for row in rest]
    if len(first) < 3 or len(names) < min(len(first), _SAMPLE) - 1 or names != first[1 : len(names) + 1]:
        return
    if not any(map(is_number, names)) and all(is_number(cell) for row in rest for cell in row[1:]):
        raise text.file.error(
            f"rows and columns have the same names ({listed_names(names)}): an adjacency matrix, where links were "
            "expected. Read it with pandas, and give the data frame: netgiven.read(pandas.read_csv(path, index_col=0))."
        )


def looks_like_header(first: Row, rest: list[Row]) -> bool:
    """Whether the first row names columns: with known words, or with a word above numbers.

    One number may be the name of a node; two and more below a word that is no name are measured or counted.

    >>> looks_like_header(["Source", "Target"], [["ann", "bob"]]), looks_like_header(["ann", "bob"], [["1", "2"]])
    (True, True)
    >>> looks_like_header(["id", "who", "whom"], [["1", "ann", "bob"], ["2", "bob", "cid"]])
    True
    >>> looks_like_header(["u", "v"], [["v", "w"]]), looks_like_header(["ann", "bob"], [["bob", "cid"]])
    (False, False)
    """
    ends = named_ends(first)
    if ends is not None:  # words that occur again are names: headers are not repeated
        words = {first[end] for end in ends}
        return not any(words.intersection(row) for row in rest)
    begin = 1 if len(first) > 2 and not first[0] else 0  # pandas and R leave the name of their row numbers empty
    if _are_words_above_numbers(first[begin : begin + 2], [row[begin : begin + 2] for row in rest]):
        return True
    again = {cell for row in rest for cell in row}
    if len(rest) < 2 or any(cell in again or is_number(cell) for cell in first):
        return False
    columns = [[row[place] for row in rest if place < len(row)] for place in range(len(first))]
    return any(
        cell and cell.lower() not in GAP_WORDS and _are_words_above_numbers([cell], [below])
        for cell, below in zip(first, columns, strict=True)
    )


def _are_words_above_numbers(first: Row, rest: list[Row]) -> bool:
    below = [cell for row in rest for cell in row]
    return bool(below) and not any(map(is_number, first)) and all(map(is_number, below))


def is_number(cell: str) -> bool:
    """Whether a cell looks like a number.

    >>> [is_number(cell) for cell in ("12", "-1.5e3", "007", "1,5", "nan", "")]
    [True, True, True, False, False, False]
    """
    return _NUMBER.fullmatch(cell.strip(" \t")) is not None


def _links(text: TextTable, roles: Roles, *, by_kind: bool) -> EdgeList:
    positions = [*roles.ends, *roles.others]
    columns = None if roles.of_nodes else integer_columns(text, roles.ends, roles.weight)
    locate = partial(place_of_row, text)
    notes: tuple[str, ...] = ()
    if columns is None:
        columns = text_columns(text, positions)
        check_no_gaps(columns[:2], locate)
        others, notes = decimal_points(text, columns[2:])
        columns = [*columns[:2], *others]
    chosen = LinkColumns.chosen(dict(zip(positions, columns, strict=True)), roles)
    links = chosen.links(text.file, locate, by_kind=by_kind)
    return replace(links, notes=(*links.notes, *notes))


def decimal_points(text: TextTable, columns: Sequence[Column]) -> tuple[list[Column], tuple[str, ...]]:
    """Return columns with points where commas are decimal, and a note if there are such.

    They are where fields are separated by semicolons, as spreadsheets do it in countries that write 0,5.
    """
    if text.dialect.delimiter != ";" or b"," not in text.data:
        return list(columns), ()
    found = [_pointed(column) for column in columns]
    changed = any(new is not old for new, old in zip(found, columns, strict=True))
    return found, ("Commas in numbers were read as decimal points, as semicolons separate the fields.",) * changed


def _pointed(column: Column) -> Column:
    numbers = pc.all(pc.match_substring_regex(column, _NUMBER_OR_COMMA)).as_py()
    commas = numbers and pc.any(pc.match_substring(column, ",")).as_py()
    return pc.replace_substring(column, ",", ".") if commas else column


def _notes(text: TextTable, roles: Roles, links: EdgeList) -> list[str]:
    notes = [*roles.notes]
    comments = skipped_comments(text)
    if comments:
        notes.append(f"Lines skipped as comments below the first link, as they begin with # or %: {comments:,}.")
    spaced = _with_blanks_around(text, links)
    if len(spaced):
        notes.append(f"Names that begin or end with a blank: {len(spaced):,}, such as {spaced[0]!r}.")
    return notes


def _with_blanks_around(text: TextTable, links: EdgeList) -> pd.Index[Any]:
    if links.names.dtype == np.int64 or b" " not in text.data:
        return links.names[:0]
    return links.names[links.names.str.strip() != links.names]


# ---- layout ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Dialect:
    """What separates fields, whether they are quoted, and whether blanks may stand before a quotation mark."""

    delimiter: str
    quoted: bool = False
    loose: bool = False

    def rows(self, lines: Iterable[str]) -> Iterator[Row]:
        """Iterate over the fields of each line; a quoted field may run over several lines."""
        spaced = self.delimiter == BLANKS
        return csv.reader(
            (line.replace("\t", " ") for line in lines) if spaced else lines,
            delimiter=self.delimiter,
            quoting=csv.QUOTE_MINIMAL if self.quoted else csv.QUOTE_NONE,
            skipinitialspace=spaced or self.loose,
        )

    def split(self, line: str) -> Row:
        """Split one line into fields."""
        try:
            return self.trimmed(next(self.rows([line]), []))
        except csv.Error:  # a field longer than Python's reader allows; reported when the table is read
            return line.split(self.delimiter)

    def trimmed(self, row: Row) -> Row:
        """Return a row without the empty field that blanks at the end of a line make."""
        return row[:-1] if self.delimiter == BLANKS and row and not row[-1] else row


@dataclass(frozen=True)
class TextTable:
    """A text table and how to read it. `header` names each of the `width` fields of a row, if there is a header."""

    file: File
    data: bytes
    dialect: Dialect
    strip: bool  # blanks follow every delimiter ("ann, bob") and are not part of the names
    line_by_line: bool  # too irregular for the fast reader
    header: tuple[str, ...] | None
    width: int
    rows: tuple[Row, ...]  # the first ones
    notes: tuple[str, ...]


def lay_out(file: File, is_header: HeaderTest, header: bool | None = None, delimiter: str | None = None) -> TextTable:
    """Find out how to read a text table; `is_header` decides on the first row from the rows after it."""
    data, named = _without_separator_line(utf8_bytes(file))
    delimiter = named if delimiter is None else delimiter
    lines = _first_lines(file, data)
    mark, notes = _delimiter(lines) if delimiter is None else (checked_delimiter(delimiter), [])
    dialect, line_by_line = _dialect(data, mark)
    if not dialect.quoted and mark + '"' in "".join(lines):
        notes.append("Quotation marks were taken as parts of names: on some line they do not pair up.")
    strip = delimiter is None and mark in ",;" and all(_is_spaced(line, mark) for line in lines)
    if strip:
        notes.append(f"Blanks around names were left out, as they follow every delimiter{DELIMITER_HINT}.")
    found = islice(records(file, data, dialect), _SAMPLE)
    rows = [[cell.strip(" \t") if strip else cell for cell in row] for _, row in found]
    if header is None and is_header(rows[0], _with_decimal_points(rows[1:]) if mark == ";" else rows[1:]):
        header = True
        notes.append(f"The first line was taken as a header: {shorten(', '.join(rows[0]))}{HEADER_HINT}.")
    names = _header_names(file, rows) if header else None
    width = len(names or rows[0])
    rows = rows[1:] if header else rows
    return TextTable(file, data, dialect, strip, line_by_line, names, width, tuple(rows), tuple(notes))


def _without_separator_line(data: bytes) -> tuple[bytes, str | None]:
    """Make a comment of a first line `sep=;`, which Excel reads and writes, and return what it says."""
    found = _SEPARATOR_LINE.match(data)
    return (data, None) if found is None else (b"#" + data[1:], found["mark"].decode())


def _with_decimal_points(rows: list[Row]) -> list[Row]:
    return [[_DECIMAL_COMMA.sub(r"\1.\2", cell) for cell in row] for row in rows]


def _first_lines(file: File, data: bytes) -> list[str]:
    content = (line.rstrip("\r\n") for _, line in numbered_lines(data) if is_content(line))
    lines = list(islice(content, _SAMPLE))
    if not lines:
        raise file.error("the file is empty (or holds nothing but comments); a table was expected.")
    return lines


def checked_delimiter(delimiter: str) -> str:
    """Return the character that separates fields, as the user gave it."""
    mark = "\t" if delimiter == r"\t" else delimiter  # a shell passes on the backslash and the letter
    if len(mark) != 1 or not mark.isascii() or mark in '"#%\r\n\0':
        raise InputError(f"The delimiter {mark!r} was given; one character was expected, such as ',' or '\\t'.")
    return mark


def _delimiter(lines: list[str]) -> tuple[str, list[str]]:
    """Return the first delimiter that splits all lines into equally many fields; else the one that splits most."""
    whole = [line for line in lines if line.count('"') % 2 == 0] or lines
    # Semicolons before commas: "a;b;0,5" is more usual than a name with a semicolon on every line.
    widths = {mark: [len(Dialect(mark, quoted=mark in ",;").split(line)) for line in whole] for mark in "\t;, "}
    fitting = [mark for mark, found in widths.items() if found[0] > 1 and len(set(found)) == 1]
    if not fitting:
        return max(widths, key=lambda mark: sum(width > 1 for width in widths[mark])), []
    first, *others = fitting
    also = [DELIMITER_NAMES[mark] for mark in others if mark != BLANKS or not _is_blank_only_beside(whole[0], first)]
    note = f"Fields are separated by {DELIMITER_NAMES[first]}; {' or '.join(also)} would fit too{DELIMITER_HINT}."
    return first, [note] if also else []


def _is_blank_only_beside(line: str, delimiter: str) -> bool:
    """Whether blanks split a line only where the delimiter does, as in "a, b", or as tabs do."""
    return delimiter == "\t" or _is_spaced(line, delimiter)


def _is_spaced(line: str, delimiter: str) -> bool:
    """Whether a blank follows every delimiter of a line."""
    return delimiter in line and line.count(delimiter) == line.count(delimiter + " ")


def _dialect(data: bytes, delimiter: str) -> tuple[Dialect, bool]:
    """Return how fields are quoted, and whether that requires reading line by line.

    With commas and semicolons quotation marks belong to the format. With tabs and blanks they are often just characters
    (the network of words in a text has a node for them): they quote only if they pair up on every line.
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
    """Whether some line holds an odd number of quotation marks: one is alone, or a field runs over lines."""
    before = 0
    for start in range(0, len(data), _PIECE):
        piece = np.frombuffer(data, dtype=np.uint8, count=min(_PIECE, len(data) - start), offset=start)
        marks = np.cumsum(piece == ord('"'), dtype=np.int32) + before
        if np.any(marks[(piece == ord("\n")) | (piece == ord("\r"))] & 1):
            return True
        before = int(marks[-1]) & 1
    return bool(before)


def _header_names(file: File, rows: list[Row]) -> tuple[str, ...]:
    """Return one name per field. R leaves out the name of the row numbers that it puts before each line."""
    if len(rows) == 1:
        raise file.error(f"there is a header, {shorten(', '.join(rows[0]))}, and nothing after it.")
    names, width = rows[0], len(rows[1])
    if len(names) == width - 1:
        names = ["", *names]
    if len(names) != width:
        raise file.error(f"the header names {len(names)} columns, and the line after it has {width} fields.")
    return tuple(names)


# ---- line by line ----------------------------------------------------------------------------------------------------


class _Lines:
    """Lines for Python's reader: comments and blank lines are left out, but not within a quoted field."""

    def __init__(self, data: bytes) -> None:
        self._lines = numbered_lines(data)
        self._within = False
        self.number = 0  # of the line where the record begins
        self.cut_off = False  # the file ended within a quoted field

    def begin(self) -> None:
        """Begin a new record."""
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
    """Iterate over line number and fields of each record: a quoted field may run over several lines."""
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


def is_content(line: str) -> bool:
    """Whether a line is neither blank nor a comment.

    >>> [is_content(line) for line in ("a b", "  ", " # a b", "%", "b#")]
    [True, False, False, False, True]
    """
    line = line.lstrip(" \t\r\n")
    return bool(line) and line[0] not in "#%"


def slow_columns(text: TextTable, positions: Sequence[int]) -> list[Column]:
    """Return the same as `text_columns`, line by line."""
    batches: list[list[pa.Array]] = [[] for _ in positions]
    for rows in _batched(text):
        for position, chunks in zip(positions, batches, strict=True):
            chunks.append(pa.array([row[position] or None for row in rows], type=pa.string()))
    return [pa.chunked_array(chunks, type=pa.string()) for chunks in batches]


def _batched(text: TextTable) -> Iterator[list[Row]]:
    rows: list[Row] = []
    found = records(text.file, text.data, text.dialect)
    if text.header is not None:
        next(found, None)
    for line, row in found:
        if len(row) != text.width:
            raise _width_error(text, row, line)
        rows.append(row)
        if len(rows) == _BATCH:
            yield rows
            rows = []
    yield rows


def _width_error(text: TextTable, row: Row, line: int) -> InputError:
    fields = f"{len(row)} field{'s'[: len(row) != 1]}"
    excerpt = shorten(text.dialect.delimiter.join(row))
    return text.file.error(
        f"{fields} where {text.width} were expected: {excerpt}. Give every line the same number of fields. (If it is "
        'a node and its neighbours, call the file .adjlist, or use format="adjlist" in Python.)',
        line,
    )


def place_of_row(text: TextTable, row: int) -> str:
    """Return where a row (counted from 0, without the header) stands: file, line, and what is written there."""
    for number, (line, cells) in enumerate(
        records(text.file, text.data, text.dialect), start=-int(text.header is not None)
    ):
        if number == row:
            return f"{text.file.label}, line {line}: {shorten(text.dialect.delimiter.join(cells))}"
    return text.file.label


def skipped_comments(text: TextTable) -> int:
    """Count the comment lines below the first row: one may have been a link of the node "#tag"."""
    if b"#" not in text.data and b"%" not in text.data:
        return 0
    above = sum(1 for _ in takewhile(lambda numbered: not is_content(numbered[1]), numbered_lines(text.data)))
    rest = text.data.split(b"\n", above)[-1]
    return rest.count(b"\n#") + rest.count(b"\n%")


# ---- fast, by PyArrow ------------------------------------------------------------------------------------------------


def text_columns(text: TextTable, positions: Sequence[int]) -> list[Column]:
    """Return columns as text, null where a cell is empty. A line with too few or too many fields is an error."""
    found = None if text.line_by_line else _parse(text, dict.fromkeys(positions, pa.string()))
    columns = slow_columns(text, positions) if found is None else found
    return [pc.ascii_trim(column, " \t") if text.strip else column for column in columns]


def integer_columns(text: TextTable, positions: tuple[int, int], number: int | None) -> list[Column] | None:
    """Return two columns of integers and perhaps one of numbers, if they were written exactly so; else None."""
    if text.line_by_line or not all(is_number(row[position]) for row in text.rows[:1] for position in positions):
        return None
    types = dict.fromkeys(positions, pa.int64()) | ({} if number is None else {number: pa.float64()})
    body = _body(text)
    columns = _parse(text, types, body)
    if columns is None or any(column.null_count for column in columns) or _may_be_altered(body, text):
        return None
    return columns


def _parse(text: TextTable, types: dict[int, Any], body: bytes | None = None) -> list[Column] | None:
    """Return columns of the given types, or None where PyArrow cannot read them so."""
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


def _body(text: TextTable) -> bytes:
    r"""Return the text as PyArrow wants it: lines end in \n, no comments, one delimiter between two fields."""
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
    for found, replacement in ((b"\n ", b"\n"), (b" \n", b"\n")):
        data = data.replace(found, replacement) if found in data else data
    return data.strip(b" ") if data.startswith(b" ") or data.endswith(b" ") else data


def _without_comments(data: bytes) -> bytes:
    """Return the data without the lines that are blank or begin, after blanks, with # or %."""
    kept, end = [], 0
    for start in sorted(_possible_comments(data)):
        stop = data.find(b"\n", start) + 1 or len(data)
        line = data[start:stop].strip(b" \t\n")
        if not line or line[:1] in (b"#", b"%"):
            kept.append(memoryview(data)[end:start])
            end = stop
    return b"".join([*kept, memoryview(data)[end:]]) if end else data


def _possible_comments(data: bytes) -> Iterator[int]:
    """Iterate over the positions where lines begin that may be comments or blank."""
    if data[:1] in (b"#", b"%", b" ", b"\t"):
        yield 0
    for mark in (b"\n#", b"\n%", b"\n ", b"\n\t"):
        start = data.find(mark) if mark[1:] in data else -1  # one byte is found much faster than two
        while start >= 0:
            yield start + 1
            start = data.find(mark, start + 1)


def _may_be_altered(body: bytes, text: TextTable) -> bool:
    """Whether some number may have been written differently from how it reads: 007, -0, 0x1F, or with blanks around.

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
