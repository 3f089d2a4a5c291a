"""Matrix Market files.

Read here and not by scipy, whose reader can be brought to crash the whole process by a damaged file.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from scipy import sparse

from netgiven.edges import Links
from netgiven.errors import InputError
from netgiven.network import matrix_links
from netgiven.readers.columns import check_size
from netgiven.readers.files import File
from netgiven.readers.layout import Text
from netgiven.readers.lines import BLANKS, Dialect, checked_text, shorten
from netgiven.readers.table import integer_columns, place_of_row, text_columns

_FIRST_LINE = re.compile(
    r"%%MatrixMarket\s+matrix\s+(?P<form>coordinate|array)\s+(?P<field>real|integer|unsigned-integer|double|complex|pattern)"
    r"\s+(?P<symmetry>general|symmetric|skew-symmetric|hermitian)\s*",
    re.IGNORECASE | re.ASCII,
)
# Comments and blank lines, then the line with the sizes.
_SIZES = re.compile(rb"(?:[ \t]*(?:%[^\r\n]*)?[\r\n]+)*([^\r\n]*)")

Values = npt.NDArray[Any]


@dataclass(frozen=True)
class _Form:
    """What the first two lines say."""

    is_array: bool
    field: str
    symmetry: str
    size: int
    entries: int

    @property
    def numbers(self) -> int:
        """How many numbers make a value."""
        return {"pattern": 0, "complex": 2}.get(self.field, 1)


def read_mtx(file: File) -> Links:
    """Links from a Matrix Market file. Its rows are numbered from 1, and so are the nodes.

    >>> data = b"%%MatrixMarket matrix coordinate pattern symmetric\\n3 3 1\\n3 1\\n"
    >>> links = read_mtx(File("links.mtx", ".mtx", data))
    >>> links.names.tolist(), links.first.tolist(), links.second.tolist()
    ([1, 2, 3], [2], [0])
    """
    form, text = _open(file)
    rows, columns, values = _array(form, text) if form.is_array else _coordinates(form, text)
    matrix = sparse.coo_array((values, (rows, columns)), shape=(form.size, form.size))
    links = matrix_links(matrix)
    directed = links.directed and form.symmetry == "general"
    notes = ("Nodes are numbered from 1, as in the file.",)
    return replace(links, names=links.names + 1, directed=directed, notes=notes)


def _open(file: File) -> tuple[_Form, Text]:
    data = checked_text(file)
    first = re.split(rb"[\r\n]", data, maxsplit=1)[0].decode("utf-8")
    match = _FIRST_LINE.fullmatch(first)
    if match is None:
        expected = "'%%MatrixMarket matrix coordinate pattern symmetric' or the like was expected"
        raise file.error(f"{expected}; {shorten(first)} given.", 1)
    sizes = _SIZES.match(data)
    assert sizes is not None
    form = _form(file, match, sizes[1].decode("utf-8"), data.count(b"\n", 0, sizes.start(1)) + 1)
    # The line of sizes becomes a comment, so that the lines after it keep their numbers.
    body = b"".join([data[: sizes.start(1)], b"%" * len(sizes[1]), data[sizes.end(1) :]])
    width = form.numbers if form.is_array else 2 + form.numbers
    return form, Text(file, body, Dialect(BLANKS), False, False, None, width, (), ())


def _form(file: File, match: re.Match[str], line: str, number: int) -> _Form:
    words = line.split()
    is_array = match["form"].lower() == "array"
    if len(words) != (2 if is_array else 3) or not all(re.fullmatch(r"\d{1,18}", word, re.ASCII) for word in words):
        expected = "the numbers of rows and columns" + ("" if is_array else ", and of entries")
        raise file.error(f"{expected} were expected; {shorten(line)} given.", number)
    rows, columns, *entries = map(int, words)
    if rows != columns:
        raise file.error(f"the matrix has {rows:,} rows and {columns:,} columns; a network needs a square one.", number)
    form = _Form(is_array, match["field"].lower(), match["symmetry"].lower(), rows, *(entries or [rows * rows]))
    if is_array and form.field == "pattern":
        raise file.error("an array holds values; 'pattern' is for coordinates.", 1)
    check_size(file, rows, len(file.data))
    return form


def _coordinates(form: _Form, text: Text) -> tuple[Values, Values, Values]:
    rows, columns, *parts = _columns(text, [pa.int64(), pa.int64(), pa.float64(), pa.float64()][: text.width])
    _check_count(text, form.entries, len(rows))
    outside = (rows < 1) | (rows > form.size) | (columns < 1) | (columns > form.size)
    if outside.any():
        place = place_of_row(text, int(np.argmax(outside)))
        raise InputError(f"{place} is no place in a matrix with {form.size:,} rows and columns.")
    return rows - 1, columns - 1, _values(parts) if parts else np.ones(len(rows))


def _array(form: _Form, text: Text) -> tuple[Values, Values, Values]:
    """All values, column by column; of a symmetric matrix those on and below the diagonal."""
    values = _values(_columns(text, [pa.float64()] * text.width))
    diagonal = 1 if form.symmetry == "skew-symmetric" else 0
    half = form.size * (form.size + 1 - 2 * diagonal) // 2
    _check_count(text, form.size**2 if form.symmetry == "general" else half, len(values))
    if form.symmetry == "general":
        columns, rows = np.divmod(np.arange(len(values)), max(form.size, 1))
    else:
        columns, rows = np.triu_indices(form.size, diagonal)
    return rows, columns, values


def _values(parts: list[Values]) -> Values:
    return parts[0] if len(parts) == 1 else parts[0] + 1j * parts[1]


def _check_count(text: Text, expected: int, found: int) -> None:
    if expected != found:
        raise text.file.error(
            f"{expected:,} entries are announced, and {found:,} given: the file is cut off or damaged."
        )


def _columns(text: Text, kinds: list[Any]) -> list[Values]:
    fast = kinds[:2] == [pa.int64()] * 2 and len(kinds) < 4
    columns = integer_columns(text, (0, 1), 2 if len(kinds) > 2 else None) if fast else None
    if columns is None:
        found = zip(text_columns(text, range(text.width)), kinds, strict=True)
        columns = [_converted(text, column, kind) for column, kind in found]
    return [column.to_numpy() for column in columns]


def _converted(text: Text, column: Any, kind: Any) -> Any:
    try:
        return column.cast(kind)
    except pa.ArrowInvalid:
        wanted = int if kind == pa.int64() else float
        row = next((row for row, cell in enumerate(column.to_pylist()) if not _is(wanted, cell)), 0)
        raise InputError(f"{place_of_row(text, row)} does not hold the numbers of an entry.") from None


def _is(kind: type[int] | type[float], cell: str) -> bool:
    try:
        return abs(kind(cell)) < 2**63
    except ValueError:
        return False
