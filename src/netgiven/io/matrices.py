"""Matrices: Matrix Market by SciPy, `.npz` as SciPy writes it, and MATLAB by a parser of our own.

SciPy's reader of MATLAB files crashes the whole process on damaged ones: see "MATLAB files" in docs/decisions.md.
"""

from __future__ import annotations

import io
import re
import struct
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse

from netgiven.edges import EdgeList, Weights
from netgiven.errors import InputError
from netgiven.io.files import File, TooLarge, decompress, numbered_lines, shorten, utf8_bytes
from netgiven.kernels.arrays import are_rows
from netgiven.objects import matrix_edges

_FIRST_LINE = re.compile(
    r"%%MatrixMarket\s+matrix\s+(?P<form>coordinate|array)\s+(?P<field>real|integer|unsigned-integer|double|complex|pattern)"
    r"\s+(?P<symmetry>general|symmetric|skew-symmetric|hermitian)\s*",
    re.IGNORECASE | re.ASCII,
)
# Comments and blank lines, then the line with the sizes.
_SIZES = re.compile(rb"(?:[ \t]*(?:%[^\n]*)?\n)*([^\n]*)\n")
_NUMBER_CHARACTERS = b"0123456789+-.eEinfaINFA \t\n"

_POSITIONS = {"shape", "row", "col", "coords", "indices", "indptr", "offsets"}  # arrays of an .npz besides the values

_NUMBER_TYPES = {1: "i1", 2: "u1", 3: "i2", 4: "u2", 5: "i4", 6: "u4", 7: "f4", 9: "f8", 12: "i8", 13: "u8"}
_MATRIX, _COMPRESSED = 14, 15
_SPARSE, _DENSE = 5, range(6, 16)  # classes of matrices; others hold text, cells, objects
_HEADER = 128


# ---- Matrix Market ---------------------------------------------------------------------------------------------------


def read_mtx(file: File) -> EdgeList:
    """Read links from a Matrix Market file. Its rows are numbered from 1, and so are the nodes.

    >>> data = b"%%MatrixMarket matrix coordinate pattern symmetric\\n3 3 1\\n3 1\\n"
    >>> links = read_mtx(File("links.mtx", ".mtx", data))
    >>> links.names.tolist(), links.first.tolist(), links.second.tolist()
    ([1, 2, 3], [0], [2])
    """
    import scipy.io

    header, data = _checked_mtx(file)
    try:
        matrix = scipy.io.mmread(io.BytesIO(data))
    except (ValueError, OverflowError, IndexError) as error:
        raise _mtx_error(file, str(error)) from error
    links = matrix_edges(matrix)
    weights = Weights() if header["field"].lower() == "pattern" else links.weights
    directed = links.directed and header["symmetry"].lower() == "general"
    notes = ("Nodes are numbered from 1, as in the file.",)
    return replace(links, names=links.names + 1, weights=weights, directed=directed, notes=notes)


def _mtx_error(file: File, message: str) -> InputError:
    place, _, reason = message.rpartition(": ")
    line = int(place.removeprefix("Line ")) if re.fullmatch(r"Line \d+", place, re.ASCII) else None
    return file.error(f"the file cannot be read as Matrix Market: it is cut off or damaged ({reason}).", line)


def _checked_mtx(file: File) -> tuple[re.Match[str], bytes]:
    """Return the match of the first line, and the file as SciPy reads it safely, with the same line numbers.

    SciPy reserves memory for the size that the file announces, and reads beyond the end of what is not numbers.
    """
    data = utf8_bytes(file).replace(b"\r\n", b"\n").replace(b"\r", b"\n") + b"\n"
    first = data.partition(b"\n")[0].decode("utf-8")
    header = _FIRST_LINE.fullmatch(first)
    if header is None:
        expected = "'%%MatrixMarket matrix coordinate pattern symmetric' or the like was expected"
        raise file.error(f"{expected}; {shorten(first)} given.", 1)
    sizes = _SIZES.match(data)
    line = data.count(b"\n", 0, sizes.start(1)) + 1 if sizes else 2
    size_line, body = (sizes[1], data[sizes.end() :]) if sizes else (b"", b"")
    _check_sizes(file, header, size_line.decode("utf-8"), line, body)
    _check_numbers(file, body, line)
    form = [header["form"], _read_as(header["field"]), header["symmetry"]]
    top = f"%%MatrixMarket matrix {' '.join(form)}\n".lower().replace("matrixmarket", "MatrixMarket").encode()
    return header, b"".join([top, b"%\n" * (line - 2), size_line, b"\n", body])


def _read_as(field: str) -> str:
    """Return the field as which values are read: 0.5 in a file of integers is not 0."""
    return field if field.lower() in ("pattern", "complex") else "real"


def _check_sizes(file: File, header: re.Match[str], text: str, line: int, body: bytes) -> None:
    is_array, words = header["form"].lower() == "array", text.split()
    if len(words) != (2 if is_array else 3) or not all(re.fullmatch(r"\d{1,18}", word, re.ASCII) for word in words):
        expected = "the numbers of rows and columns" + ("" if is_array else ", and of entries")
        raise file.error(f"{expected} were expected; {shorten(text)} given.", line)
    rows, columns, *entries = map(int, words)
    if rows != columns:
        raise file.error(f"the matrix has {rows:,} rows and {columns:,} columns; a network needs a square one.", line)
    if is_array and header["field"].lower() == "pattern":
        raise file.error("an array holds values; 'pattern' is for coordinates.", 1)
    file.check_nodes(rows)
    announced = entries[0] if entries else rows * (rows - 1) // 2  # of an array at least these
    if announced > body.count(b"\n"):
        raise file.error(f"{announced:,} entries are announced, and fewer given: the file is cut off or damaged.")


def _check_numbers(file: File, body: bytes, line: int) -> None:
    if not body.translate(None, _NUMBER_CHARACTERS):
        return
    for number, text in numbered_lines(body):
        if text.encode().translate(None, _NUMBER_CHARACTERS):
            raise file.error(
                f"{shorten(text.rstrip())} was given; the numbers of an entry were expected.", line + number
            )


# ---- SciPy -----------------------------------------------------------------------------------------------------------


def read_npz(file: File) -> EdgeList:
    """Read links from a sparse matrix that `scipy.sparse.save_npz` wrote. Nothing in it is unpickled."""
    try:
        matrix = _npz_matrix(file)
        file.check_links(matrix.nnz)
        links = matrix_edges(matrix)
    except InputError:
        raise
    except Exception as error:
        reason = f"{type(error).__name__}: {error}".splitlines()[0]
        raise file.error(f"the file cannot be read as a sparse matrix: it is cut off or damaged ({reason}).") from error
    return replace(links, notes=("Nodes are numbered from 0, by their rows.",))


def _npz_matrix(file: File) -> Any:
    with zipfile.ZipFile(io.BytesIO(file.data)) as archive:  # never yields more bytes than its directory says
        file.check_size(sum(member.file_size for member in archive.infolist()))
    with np.load(io.BytesIO(file.data), allow_pickle=False) as archive:
        parts = {name: archive[name] for name in archive.files}
    if "format" not in parts or "shape" not in parts:
        raise file.error(f"there is no sparse matrix, only {', '.join(parts) or 'nothing'}; use scipy.sparse.save_npz.")
    for name, values in parts.items():
        if name in _POSITIONS and values.dtype.kind not in "iu":
            raise file.error(f"the array {name!r} holds {values.dtype}; integers were expected: the file is damaged.")
    form = parts["format"].item()
    form = form.decode("ascii") if isinstance(form, bytes) else str(form)
    rows, columns = (int(size) for size in parts["shape"])
    file.check_nodes(max(rows, columns))
    return _sparse_matrix(form, parts, (rows, columns))


def _sparse_matrix(form: str, parts: dict[str, Any], shape: tuple[int, int]) -> Any:
    if form == "coo":
        places = (parts["row"], parts["col"]) if "row" in parts else tuple(parts["coords"])
        return sparse.coo_array((parts["data"], places), shape=shape)
    if form == "dia":
        return sparse.dia_array((parts["data"], parts["offsets"]), shape=shape)
    build = {"csr": sparse.csr_array, "csc": sparse.csc_array, "bsr": sparse.bsr_array}[form]
    block = parts["data"].shape[1:] if form == "bsr" else (1, 1)
    blocks = (shape[0] // block[0], shape[1] // block[1])
    positions = _checked_rows(parts["indptr"], parts["indices"], blocks[::-1] if form == "csc" else blocks)
    return build((parts["data"][: len(positions[0])], *positions), shape=shape)


def _checked_rows(starts: Any, columns: Any, shape: tuple[int, int]) -> tuple[Any, Any]:
    """Return positions and row starts, as SciPy wants them, if they lie within the matrix: SciPy does not look."""
    if not starts.size:
        raise ValueError("there are no row starts")
    columns = columns[: int(starts[-1])]  # room for more may have been left
    if not are_rows(starts, columns, shape):
        raise ValueError("positions lie outside of the matrix")
    return columns, starts


# ---- MATLAB ----------------------------------------------------------------------------------------------------------
# The format: a header of 128 bytes, then elements of a type, a length and contents; a matrix is an element made of
# elements.


@dataclass(frozen=True)
class _Bytes:
    """Bytes, and their byte order ("<" or ">")."""

    data: memoryview
    order: str

    def elements(self) -> Iterator[tuple[int, memoryview]]:
        """Iterate over type and contents of each element. Up to four bytes are stored within the tag."""
        place = 0
        while place + 8 <= len(self.data):
            kind, size = struct.unpack_from(f"{self.order}II", self.data, place)
            small = kind >> 16
            begin, size = (place + 4, small) if small else (place + 8, size)
            if begin + size > len(self.data):
                raise ValueError("an element is longer than the file")
            yield kind & 0xFFFF, self.data[begin : begin + size]
            place = place + 8 if small else begin + size + (0 if kind == _COMPRESSED else -size % 8)

    def numbers(self, kind: int, contents: memoryview) -> np.ndarray[Any, Any]:
        """Return the contents of an element of numbers."""
        return np.frombuffer(contents, dtype=np.dtype(self.order + _NUMBER_TYPES[kind]))


def read_mat(file: File) -> EdgeList:
    """Read links from the variable `network` of a MATLAB file (version 5 to 7), and groups from `group`, if any."""
    variables = _variables(file)
    file.check_links(_entry_count(variables["network"]))
    links = matrix_edges(variables["network"])
    links = replace(links, notes=("Nodes are numbered from 0, by their rows.",))
    return _with_group(file, links, variables["group"]) if "group" in variables else links


def _entry_count(matrix: Any) -> int:
    return int(np.count_nonzero(matrix) if isinstance(matrix, np.ndarray) else matrix.nnz)


def _variables(file: File) -> dict[str, Any]:
    data = file.data
    if data.startswith(b"\x89HDF") or b"MATLAB 7.3" in data[:_HEADER]:
        raise file.error("this is a MATLAB 7.3 file; save it with -v7 to have it read.")
    order = {b"IM": "<", b"MI": ">"}.get(data[126:_HEADER])
    if order is None:
        raise file.error("this is not a MATLAB file of version 5 to 7, or it is cut off or damaged.")
    variables: dict[str, _Bytes] = {}
    rest = file.size_limit
    try:
        for kind, contents in _Bytes(memoryview(data)[_HEADER:], order).elements():
            matrix = _Bytes(_inflated(kind, contents, order, rest), order)
            rest -= len(matrix.data)
            variables.setdefault(_name(matrix), matrix)
        found: dict[str, Any] = {
            name: _matrix(file, variables[name]) for name in ("network", "group") if name in variables
        }
    except TooLarge as error:
        raise file.too_large() from error
    except InputError:
        raise
    except (ValueError, KeyError, IndexError, struct.error, zlib.error, OverflowError, OSError, EOFError) as error:
        raise file.error(f"the file cannot be read as a MATLAB file: it is cut off or damaged ({error}).") from error
    if "network" not in found:
        names = ", ".join(variables) or "none"
        raise file.error(f"there is no variable 'network', the matrix of links. Variables: {names}.")
    return found


def _inflated(kind: int, contents: memoryview, order: str, limit: int) -> memoryview:
    """Return the contents of a matrix, which may be compressed together with its tag, up to `limit` bytes."""
    if kind == _COMPRESSED:
        data = memoryview(decompress(bytes(contents), "zlib", limit))
        kind, size = struct.unpack_from(f"{order}II", data)
        contents = data[8 : 8 + size]
    if kind != _MATRIX:
        raise ValueError(f"an element of type {kind} where a matrix was expected")
    return contents


def _name(matrix: _Bytes) -> str:
    _, _, (_, name), *_ = matrix.elements()
    return bytes(name).decode("ascii", errors="replace")


def _matrix(file: File, matrix: _Bytes) -> Any:
    (_, flags), (_, dimensions), _, *parts = matrix.elements()
    kind = struct.unpack_from(f"{matrix.order}I", flags)[0] & 0xFF
    shape = tuple(int(size) for size in matrix.numbers(5, dimensions))
    if len(shape) != 2 or min(shape) < 0:
        raise ValueError(f"a variable of shape {shape}")
    if kind == _SPARSE:
        file.check_nodes(max(shape))
        rows, starts, values = (matrix.numbers(*part) for part in parts[:3])
        positions = _checked_rows(starts, rows, (shape[1], shape[0]))
        return sparse.csc_array((values[: len(positions[0])].astype(float), *positions), shape=shape)
    if kind not in _DENSE:
        raise InputError(f"{file.label}: the variable {_name(matrix)!r} is not a matrix of numbers.")
    return matrix.numbers(*parts[0]).reshape(shape, order="F")


def _with_group(file: File, links: EdgeList, group: Any) -> EdgeList:
    """Add the column `group`: one value per node, or the numbers of the columns of an indicator matrix, as in '3;7'."""
    count = len(links.names)
    indicators = sparse.csr_array(group)
    if indicators.shape[0] != count and indicators.shape[1] == count:
        indicators = sparse.csr_array(indicators.T)
    if indicators.shape[0] != count:
        raise file.error(
            f"the variable 'group' has shape {indicators.shape}; a row for each of {count:,} nodes was expected."
        )
    if indicators.shape[1] == 1 and count > 1:
        return replace(links, columns=pd.DataFrame({"group": indicators.toarray()[:, 0]}))
    indicators.eliminate_zeros()
    indicators.sort_indices()
    several = int(np.count_nonzero(np.diff(indicators.indptr) > 1))
    joined = f" {several:,} nodes are in several groups, joined as in '3;7'." if several else ""
    notes = (*links.notes, f"Groups are numbered from 0, by their columns.{joined}")
    return replace(links, columns=pd.DataFrame({"group": _group_names(indicators)}), notes=notes)


def _group_names(indicators: sparse.csr_array) -> pd.Series[Any]:
    rows = np.repeat(np.arange(indicators.shape[0]), np.diff(indicators.indptr))
    numbers = pd.Series(indicators.indices, index=rows)
    if numbers.index.is_unique:
        return numbers.reindex(range(indicators.shape[0]))
    return numbers.astype("str").groupby(level=0).agg(";".join).reindex(range(indicators.shape[0]))
