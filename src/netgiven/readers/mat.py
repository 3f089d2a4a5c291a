"""MATLAB files (version 5 to 7), as BlogCatalog and PPI come in: the variables `network` and `group`.

Read here and not by scipy, whose reader can be brought to crash the whole process by a damaged file. The format:
a header of 128 bytes, then elements of a type, a length and contents; a matrix is an element made of elements.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse

from netgiven.edges import Links
from netgiven.errors import InputError
from netgiven.network import matrix_links
from netgiven.readers.columns import check_positions, check_size
from netgiven.readers.files import File

_NUMBERS = {1: "i1", 2: "u1", 3: "i2", 4: "u2", 5: "i4", 6: "u4", 7: "f4", 9: "f8", 12: "i8", 13: "u8"}
_MATRIX, _COMPRESSED = 14, 15
_SPARSE, _DENSE = 5, range(6, 16)  # classes of matrices; others hold text, cells, objects
_HEADER = 128
_MOST_GROWTH = 1_000  # what zlib can do at the very most


@dataclass(frozen=True)
class _Bytes:
    """Bytes, and the order in which a number's bytes stand there ("<" or ">")."""

    data: memoryview
    order: str

    def elements(self) -> Iterator[tuple[int, memoryview]]:
        """Type and contents of each element. One of up to four bytes stands within the eight bytes of its tag."""
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
        """The contents of an element of numbers."""
        return np.frombuffer(contents, dtype=np.dtype(self.order + _NUMBERS[kind]))


def read_mat(file: File) -> Links:
    """Links from the variable `network` of a MATLAB file; groups from the variable `group`, if there is one."""
    variables = _variables(file)
    links = matrix_links(variables["network"])
    links = replace(links, notes=("Nodes are numbered from 0, by their rows.",))
    return _with_group(file, links, variables["group"]) if "group" in variables else links


def _variables(file: File) -> dict[str, Any]:
    data = file.data
    if data.startswith(b"\x89HDF") or b"MATLAB 7.3" in data[:_HEADER]:
        raise file.error("this is a MATLAB 7.3 file; save it with -v7 to have it read.")
    order = {b"IM": "<", b"MI": ">"}.get(data[126:_HEADER])
    if order is None:
        raise file.error("this is no MATLAB file of version 5 to 7, or it is cut off or damaged.")
    there: dict[str, _Bytes] = {}
    try:
        for kind, contents in _Bytes(memoryview(data)[_HEADER:], order).elements():
            matrix = _Bytes(_inflated(kind, contents, order), order)
            there.setdefault(_name(matrix), matrix)
        found: dict[str, Any] = {name: _matrix(file, there[name]) for name in ("network", "group") if name in there}
    except (ValueError, KeyError, IndexError, struct.error, zlib.error, OverflowError) as error:
        raise file.error(f"the file cannot be read as a MATLAB file: it is cut off or damaged ({error}).") from error
    if "network" not in found:
        names = ", ".join(there) or "none"
        raise file.error(f"there is no variable 'network', the matrix of links. Variables: {names}.")
    return found


def _inflated(kind: int, contents: memoryview, order: str) -> memoryview:
    """The contents of a matrix, which may be compressed together with its tag."""
    if kind == _COMPRESSED:
        stream = zlib.decompressobj()
        data = memoryview(stream.decompress(contents, _MOST_GROWTH * len(contents)))
        if not stream.eof:
            raise ValueError("a compressed variable is cut off")
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
        check_size(file, max(shape), len(file.data))
        rows, starts, values = (matrix.numbers(*part) for part in parts[:3])
        used = int(starts[-1])  # room for more may have been left
        compressed = sparse.csc_array((values[:used].astype(float), rows[:used], starts), shape=shape)
        return check_positions(compressed)
    if kind not in _DENSE:
        raise InputError(f"{file.label}: the variable {_name(matrix)!r} is no matrix of numbers.")
    return matrix.numbers(*parts[0]).reshape(shape, order="F")


def _with_group(file: File, links: Links, group: Any) -> Links:
    """The column `group`: a value a node, or from a matrix of marks the numbers of its columns, joined as in '3;7'."""
    count = len(links.names)
    marks = sparse.csr_array(group)
    if marks.shape[0] != count and marks.shape[1] == count:
        marks = sparse.csr_array(marks.T)
    if marks.shape[0] != count:
        raise file.error(
            f"the variable 'group' has shape {marks.shape}; a row for each of {count:,} nodes was expected."
        )
    if marks.shape[1] == 1 and count > 1:
        return replace(links, columns=pd.DataFrame({"group": marks.toarray()[:, 0]}))
    marks.eliminate_zeros()
    marks.sort_indices()
    several = int(np.count_nonzero(np.diff(marks.indptr) > 1))
    told = f" {several:,} nodes are in several groups, joined as in '3;7'." if several else ""
    notes = (*links.notes, f"Groups are numbered from 0, by their columns.{told}")
    return replace(links, columns=pd.DataFrame({"group": _group_names(marks)}), notes=notes)


def _group_names(marks: sparse.csr_array) -> pd.Series[Any]:
    rows = np.repeat(np.arange(marks.shape[0]), np.diff(marks.indptr))
    numbers = pd.Series(marks.indices, index=rows)
    if numbers.index.is_unique:
        return numbers.reindex(range(marks.shape[0]))
    return numbers.astype("str").groupby(level=0).agg(";".join).reindex(range(marks.shape[0]))
