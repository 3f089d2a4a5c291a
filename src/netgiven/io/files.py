"""From a path to bytes: the kind of file, bounded decompression, encoding, and errors that name file and line."""

from __future__ import annotations

import codecs
import gzip
import io
import os
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar, Token
from dataclasses import dataclass, replace
from numbers import Real
from pathlib import Path
from typing import Any, Literal

from netgiven.errors import InputError

GIGABYTE = 10**9

Compression = Literal["gzip", "zstd", "zlib"]

COMPRESSIONS: dict[str, Compression] = {".gz": "gzip", ".zst": "zstd"}
_PIECE = 1 << 24

# What reading takes at its highest, in bytes of memory (measured: "Memory of reading" in docs/decisions.md).
_PER_BYTE = {".graphml": 32, ".gexf": 32, ".json": 32, ".adjlist": 32, ".gml": 16, ".net": 20, ".paj": 20}
_PER_BYTE_OF_TABLES = 10
_PER_NODE = {".net": 150, ".paj": 150}
_PER_NODE_OF_MATRICES = 60
_PER_LINK = 100

RAISE_LIMIT = "If you trust the file, raise the limit: memory_limit= in Python, --memory-limit on the command line."


@dataclass(frozen=True)
class File:
    """The contents of a file: its path as the user wrote it, its kind (`.csv`, without .gz or .zst), and its bytes.

    `memory_limit` is the number of bytes that reading it may take; `encoding` is that of its text, if it was given.
    """

    label: str
    kind: str
    data: bytes
    memory_limit: int = 4 * GIGABYTE
    encoding: str | None = None

    def error(self, message: str, line: int | None = None) -> InputError:
        """Return an error that begins with the file and, if known, the line."""
        return InputError(f"{self.label}, line {line}: {message}" if line else f"{self.label}: {message}")

    @property
    def size_limit(self) -> int:
        """The number of bytes that the contents may have, or expand to."""
        return self.memory_limit // _PER_BYTE.get(self.kind, _PER_BYTE_OF_TABLES)

    def check_size(self, size: int) -> None:
        """Raise an error if reading this number of bytes takes more memory than the limit."""
        needed = size * _PER_BYTE.get(self.kind, _PER_BYTE_OF_TABLES)
        self.check_memory(needed, f"there are {size / 1e6:,.1f} MB to read")

    def check_links(self, links: int) -> None:
        """Raise an error if reading this number of links (or lines, rows, entries) takes more memory than the limit."""
        self.check_memory(links * _PER_LINK, f"there are {links:,} links to read")

    def check_nodes(self, nodes: int) -> None:
        """Raise an error if this number of nodes, which few bytes can announce, takes more memory than the limit."""
        self.check_memory(nodes * _PER_NODE.get(self.kind, _PER_NODE_OF_MATRICES), f"{nodes:,} nodes are announced")

    def check_memory(self, needed: int, reason: str) -> None:
        """Raise an error if more memory is needed than the limit."""
        if needed > self.memory_limit:
            about, limit = as_gigabytes(needed), as_gigabytes(self.memory_limit)
            raise self.error(f"{reason}, which takes about {about} of memory; the limit is {limit}. {RAISE_LIMIT}")

    def too_large(self) -> InputError:
        """Return an error for compressed contents that expand beyond `size_limit`."""
        return self.error(
            f"it expands to more than {self.size_limit / 1e6:,.1f} MB, and reading that takes more memory than the "
            f"limit of {as_gigabytes(self.memory_limit)}. {RAISE_LIMIT}"
        )


def load_file(given: Any, kind: str | None = None) -> File:
    """Load the file at a path, decompressed if its name ends in .gz or .zst; its extension is its kind by default."""
    path = _path(given)
    compression = COMPRESSIONS.get(path.suffix.lower())
    kind = kind or (Path(path.stem).suffix if compression else path.suffix)
    empty = File(str(given), kind.lower(), b"", _memory_limit(path.stat().st_size), _given_encoding.get())
    try:
        if compression is None:
            empty.check_size(path.stat().st_size)
        data = decompress(path, compression, empty.size_limit) if compression else path.read_bytes()
    except TooLarge as error:
        raise empty.too_large() from error
    except (OSError, EOFError, zlib.error, MemoryError) as error:
        problem = "cannot be decompressed: it is cut off or damaged" if compression else "cannot be read"
        raise InputError(f"{given}: the file {problem} ({error}).") from error
    empty.check_size(len(data))
    empty.check_links(data.count(b"\n"))
    return replace(empty, data=data)


# ---- memory ----------------------------------------------------------------------------------------------------------


_MOST_GROWTH = 100  # edge lists shrink to a third or a tenth, and take ten times their size

_given_limit: ContextVar[float | None] = ContextVar("memory_limit", default=None)


def as_gigabytes(size: int) -> str:
    """Return a number of bytes for a person.

    >>> as_gigabytes(18_300_000_000), as_gigabytes(2_460_000)
    ('18 GB', '0.0025 GB')
    """
    number = size / GIGABYTE
    return f"{number:,.0f} GB" if number >= 10 else f"{number:.2g} GB"


def _memory_limit(size: int) -> int:
    """Return how many bytes reading a file of this size may take: what was given, or else what is usual."""
    given = _given_limit.get()
    if given is not None:
        return int(given * GIGABYTE)
    return min(max(File.memory_limit, _MOST_GROWTH * size), _machine_memory())


def _machine_memory() -> int:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):  # Windows
        return sys.maxsize


@contextmanager
def reading(memory_limit: float | None = None, encoding: str | None = None) -> Iterator[None]:
    """Read files with a limit of memory and an encoding of text in a `with` block; None: as outside of it."""
    limit_token = set_memory_limit(_given_limit.get() if memory_limit is None else memory_limit)
    try:
        encoding_token = set_encoding(_given_encoding.get() if encoding is None else encoding)
        try:
            yield
        finally:
            _given_encoding.reset(encoding_token)
    finally:
        _given_limit.reset(limit_token)


def set_memory_limit(gigabytes: float | None) -> Token[float | None]:
    """Let reading take this much memory from now on; None: what is usual."""
    if gigabytes is not None and not _is_limit(gigabytes):
        raise InputError(f"A memory limit of {gigabytes!r} was given; a number of gigabytes above 0 is needed.")
    return _given_limit.set(gigabytes)


def _is_limit(given: Any) -> bool:
    return not isinstance(given, bool) and isinstance(given, Real) and 0 < float(given) < 1e9


def _path(given: Any) -> Path:
    try:
        path = Path(given).expanduser()
        exists, is_folder = path.exists(), path.is_dir()
    except (TypeError, ValueError, RuntimeError, OSError) as error:
        raise InputError(f"The path of a file was expected, and {type(given).__name__} given ({error}).") from error
    if is_folder:
        raise InputError(f"{given} is a folder; give the path of a file in it.")
    if not exists:
        raise InputError(f"There is no file {given}. Paths begin at the current folder, {Path.cwd()}.")
    return path


# ---- bounded decompression -------------------------------------------------------------------------------------------


class TooLarge(OSError):  # noqa: N818 - reads better without the suffix
    """Compressed data that expands beyond the limit."""


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
        if size > limit:
            raise TooLarge(f"it expands to more than {limit:,} bytes")
        yield piece


def _pieces(source: bytes | Path, compression: Compression) -> Iterator[bytes]:
    if compression == "zlib":
        yield from _inflated_pieces(source if isinstance(source, bytes) else source.read_bytes())
        return
    if compression == "gzip":
        with gzip.open(io.BytesIO(source) if isinstance(source, bytes) else source) as stream:
            while piece := stream.read(_PIECE):
                yield piece
        return
    yield from _zstd_pieces(source)


def _zstd_pieces(source: bytes | Path) -> Iterator[bytes]:
    import pyarrow as pa

    with pa.input_stream(source if isinstance(source, bytes) else str(source), compression="zstd") as stream:
        # `read` of PyArrow never frees the memory of a piece that turns out to be damaged
        while (piece := stream.read_buffer(_PIECE)).size:
            yield piece.to_pybytes()


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


_given_encoding: ContextVar[str | None] = ContextVar("encoding", default=None)

# What a text begins with, and its encoding. That of UTF-32 begins with that of UTF-16.
_MARKS = {
    codecs.BOM_UTF32_LE: "utf-32-le",
    codecs.BOM_UTF32_BE: "utf-32-be",
    codecs.BOM_UTF16_LE: "utf-16-le",
    codecs.BOM_UTF16_BE: "utf-16-be",
    codecs.BOM_UTF8: "utf-8",
}


def set_encoding(name: str | None) -> Token[str | None]:
    """Read text in this encoding from now on; None: UTF-8."""
    try:
        if name is not None:
            "".encode(name, errors="ignore")
    except (LookupError, TypeError, UnicodeError):
        raise InputError(
            f"There is no encoding {name!r}; the most usual are utf-8, cp1252 (Windows), latin-1 and utf-16."
        ) from None
    return _given_encoding.set(name)


def utf8_bytes(file: File) -> bytes:
    """Return the text of a file as UTF-8 without a byte order mark; what cannot be read is an error with its line.

    A byte order mark says more than the encoding that was given, which may be that of another file.

    >>> utf8_bytes(File("links.csv", ".csv", "Zoë;Bob".encode("cp1252"), encoding="cp1252")).decode()
    'Zoë;Bob'
    """
    mark = next((mark for mark in _MARKS if file.data.startswith(mark)), b"")
    data, encoding = file.data.removeprefix(mark), _MARKS.get(mark, file.encoding or "utf-8")
    if codecs.lookup(encoding).name != "utf-8":
        return _converted(file, data, encoding)
    _check_utf8(file, data)
    return data


def _converted(file: File, data: bytes, encoding: str) -> bytes:
    try:
        text = data.decode(encoding).encode("utf-8")
    except UnicodeError as error:
        before = data[: getattr(error, "start", 0)].decode(encoding, errors="ignore")
        reason = getattr(error, "reason", str(error))
        raise file.error(f"the text is not {encoding} ({reason}).", before.count("\n") + 1) from error
    file.check_size(len(text))
    return text


def _check_utf8(file: File, data: bytes) -> None:
    """Raise an error if text is not UTF-8."""
    if data.isascii():
        _check_not_utf16(file, data)
        return
    decoder, piece = codecs.getincrementaldecoder("utf-8")(), 1 << 20
    try:  # piece by piece, as the text itself is not needed
        for start in range(0, len(data), piece):
            decoder.decode(data[start : start + piece], final=start + piece >= len(data))
    except UnicodeDecodeError as error:
        raise _encoding_error(file, data) from error


def _check_not_utf16(file: File, data: bytes) -> None:
    """Raise an error if every other byte at the beginning is 0: Latin letters in UTF-16."""
    for encoding, begin in (("utf-16-le", 1), ("utf-16-be", 0)):
        some = data[begin:200:2]
        if len(some) > 1 and not any(some):
            raise file.error(f"the text seems to be UTF-16; {_advice(encoding)}", 1)


def _advice(encoding: str) -> str:
    return f'give encoding="{encoding}" (--encoding {encoding} on the command line), or save the file as UTF-8.'


def _encoding_error(file: File, data: bytes) -> InputError:
    for number, line in enumerate(data.splitlines(), start=1):
        try:
            line.decode("utf-8")
        except UnicodeDecodeError:
            return file.error(f"the line is not UTF-8{_guess(line)}", number)
    return file.error(f"the file is not UTF-8; {_advice('cp1252')}")


def _guess(line: bytes) -> str:
    """How a line reads in the encoding that is most usual besides UTF-8, for the user to see whether it is right."""
    for encoding, name in (("cp1252", "Windows-1252"), ("latin-1", "Latin-1")):
        try:
            return f", and reads {shorten(line.decode(encoding))} as {name}. If that is right, {_advice(encoding)}"
        except UnicodeDecodeError:  # five bytes have no meaning in Windows-1252
            continue
    return ""


def numbered_lines(data: bytes) -> Iterator[tuple[int, str]]:
    r"""Iterate over lines with their numbers and their ends (\n, \r\n or \r); nothing else ends a line."""
    return enumerate(io.TextIOWrapper(io.BytesIO(data), encoding="utf-8", newline=""), start=1)


def shorten(text: str, limit: int = 80) -> str:
    """Quote a text, cut if it is long.

    >>> shorten("a" * 100, limit=10)
    "'aaaaaaa...'"
    """
    return repr(text if len(text) <= limit else text[: limit - 3] + "...")
