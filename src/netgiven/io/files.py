"""From a path to bytes: the kind of file, bounded decompression, encoding, and errors that name file and line."""

from __future__ import annotations

import codecs
import gzip
import io
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from netgiven.errors import InputError

Compression = Literal["gzip", "zstd", "zlib"]

COMPRESSIONS: dict[str, Compression] = {".gz": "gzip", ".zst": "zstd"}
_PIECE = 1 << 24
# Edge lists shrink to a third or a tenth. What grows a hundredfold, and past a gigabyte, was made to fill the memory.
_MAX_GROWTH = 100
_ALWAYS_ALLOWED = 1 << 30
# A file of a few bytes can announce any size. Networks have links: many more nodes than bytes are an error.
_FREE_NODES, _NODES_PER_BYTE = 10_000_000, 1_000


@dataclass(frozen=True)
class File:
    """The contents of a file: its path as the user wrote it, its kind (`.csv`, without .gz or .zst), and its bytes."""

    label: str
    kind: str
    data: bytes

    def error(self, message: str, line: int | None = None) -> InputError:
        """Return an error that begins with the file and, if known, the line."""
        return InputError(f"{self.label}, line {line}: {message}" if line else f"{self.label}: {message}")


def load_file(given: Any) -> File:
    """Load the file at a path, decompressed if its name ends in .gz or .zst."""
    path = _path(given)
    compression = COMPRESSIONS.get(path.suffix.lower())
    kind = Path(path.stem).suffix if compression else path.suffix
    try:
        data = _decompressed(path, compression) if compression else path.read_bytes()
    except (OSError, EOFError, zlib.error, MemoryError) as error:
        problem = "cannot be decompressed: it is cut off or damaged" if compression else "cannot be read"
        raise InputError(f"{given}: the file {problem} ({error}).") from error
    return File(str(given), kind.lower(), data)


def _decompressed(path: Path, compression: Compression) -> bytes:
    return decompress(path, compression, size_limit(path.stat().st_size))


def _path(given: Any) -> Path:
    try:
        path = Path(given).expanduser()
        if path.is_dir():
            raise InputError(f"{given} is a folder; give the path of a file in it.")
        exists = path.exists()
    except (TypeError, ValueError, RuntimeError, OSError) as error:
        raise InputError(f"The path of a file was expected, and {type(given).__name__} given ({error}).") from error
    if not exists:
        raise InputError(f"There is no file {given}. Paths begin at the current folder, {Path.cwd()}.")
    return path


# ---- bounded decompression -------------------------------------------------------------------------------------------


class TooLarge(OSError):  # noqa: N818 - reads better without the suffix
    """Compressed data that expands beyond the limit."""


def size_limit(compressed: int) -> int:
    """Return the number of bytes that `compressed` bytes may expand to.

    >>> size_limit(1_000_000) == 1 << 30, size_limit(10**8)
    (True, 10000000000)
    """
    return max(_ALWAYS_ALLOWED, _MAX_GROWTH * compressed)


def check_expanded_size(size: int, limit: int) -> None:
    """Raise `TooLarge` if compressed data expands to more bytes than the limit."""
    if size > limit:
        raise TooLarge(f"it expands to more than {limit:,} bytes; decompress it yourself if you trust it")


def decompress(source: bytes | Path, compression: Compression, limit: int) -> bytes:
    """Decompress bytes or the file at a path; `TooLarge` if they expand to more than `limit` bytes.

    >>> decompress(gzip.compress(b"ann bob"), "gzip", limit=100)
    b'ann bob'
    """
    result = io.BytesIO()
    for piece in decompressed_pieces(source, compression, limit):
        result.write(piece)
    return result.getvalue()


def decompressed_pieces(source: bytes | Path, compression: Compression, limit: int) -> Iterator[bytes]:
    """Decompress bytes or the file at a path piece by piece; `TooLarge` before more than `limit` bytes are yielded."""
    size = 0
    for piece in _pieces(source, compression):
        size += len(piece)
        check_expanded_size(size, limit)
        yield piece


def _pieces(source: bytes | Path, compression: Compression) -> Iterator[bytes]:
    if compression == "zlib":
        yield from _inflated_pieces(source if isinstance(source, bytes) else source.read_bytes())
        return
    with _open(source, compression) as stream:
        while piece := stream.read(_PIECE):
            yield piece


def _open(source: bytes | Path, compression: Compression) -> Any:
    if compression == "gzip":
        return gzip.open(io.BytesIO(source) if isinstance(source, bytes) else source)
    import pyarrow as pa

    return pa.input_stream(source if isinstance(source, bytes) else str(source), compression=compression)


def _inflated_pieces(data: bytes) -> Iterator[bytes]:
    stream = zlib.decompressobj()
    while piece := stream.decompress(data, _PIECE):
        yield piece
        data = stream.unconsumed_tail
    if not stream.eof:
        raise EOFError("the compressed data is cut off")


def arrow_source(data: bytes) -> Any:
    """Return the bytes for PyArrow to read, in memory of its own.

    A thread of PyArrow may release them a moment after the table is read. To free memory of Python it waits for
    Python, and if the interpreter is about to exit, the process is aborted.

    >>> arrow_source(b"ann bob").read()
    b'ann bob'
    """
    import pyarrow as pa

    copy = pa.BufferOutputStream()
    copy.write(data)
    return pa.BufferReader(copy.getvalue())


# ---- text ------------------------------------------------------------------------------------------------------------


def utf8_bytes(file: File) -> bytes:
    """Return the file's bytes without a byte order mark if they are UTF-8; otherwise raise an error with the line."""
    data = file.data
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise file.error("the file is UTF-16; save it as UTF-8.", line=1)
    data = data.removeprefix(codecs.BOM_UTF8)
    if not data.isascii():
        decoder, piece = codecs.getincrementaldecoder("utf-8")(), 1 << 20
        try:  # piece by piece, as the text itself is not needed
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
            excerpt = shorten(line.decode("utf-8", errors="replace"))
            return file.error(f"the line is not UTF-8: {excerpt}. Save the file as UTF-8.", number)
    return file.error("the file is not UTF-8. Save it as UTF-8.")


def numbered_lines(data: bytes) -> Iterator[tuple[int, str]]:
    r"""Iterate over lines with their numbers and their ends (\n, \r\n or \r); nothing else ends a line."""
    return enumerate(io.TextIOWrapper(io.BytesIO(data), encoding="utf-8", newline=""), start=1)


def shorten(text: str, limit: int = 80) -> str:
    """Quote a text, cut if it is long.

    >>> shorten("a" * 100, limit=10)
    "'aaaaaaa...'"
    """
    return repr(text if len(text) <= limit else text[: limit - 3] + "...")


def check_node_count(file: File, nodes: int) -> None:
    """Raise an error if a file announces many more nodes than it could describe."""
    if nodes > _FREE_NODES + _NODES_PER_BYTE * len(file.data):
        raise file.error(f"{nodes:,} nodes are announced in {len(file.data):,} bytes; that is not a network.")
