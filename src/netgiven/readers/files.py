"""From a path to bytes: what kind of file it is, decompressed, with errors that say what is wrong with it."""

from __future__ import annotations

import gzip
import io
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import pyarrow as pa

from netgiven.errors import InputError

_PIECE = 1 << 24
# Edge lists shrink to a third or a tenth. What grows a hundredfold, and past a gigabyte, was made to fill a memory.
_MOST_GROWTH = 100
_ALWAYS_ALLOWED = 1 << 30


@dataclass(frozen=True)
class File:
    """A file that was read: its path as the user wrote it, its kind (`.csv`, without .gz or .zst), and its bytes."""

    label: str
    kind: str
    data: bytes

    def error(self, message: str, line: int | None = None) -> InputError:
        """An error that begins with where it is."""
        return InputError(f"{self.label}, line {line}: {message}" if line else f"{self.label}: {message}")


def load_file(given: Any) -> File:
    """The file at a path, decompressed if its name ends in .gz or .zst."""
    path = _path(given)
    compression = {".gz": "gzip", ".zst": "zstd"}.get(path.suffix.lower())
    kind = Path(path.stem).suffix if compression else path.suffix
    try:
        data = _decompressed(path, compression) if compression else path.read_bytes()
    except (OSError, EOFError, zlib.error, MemoryError) as error:
        told = "cannot be decompressed: it is cut off or damaged" if compression else "cannot be read"
        raise InputError(f"{given}: the file {told} ({error}).") from error
    return File(str(given), kind.lower(), data)


def arrow_source(data: bytes) -> Any:
    """The bytes for PyArrow to read, in memory of its own.

    Its threads may let go of them a moment after the table is there. To free what is Python's they wait for Python,
    and if that is about to exit, the process is aborted.

    >>> arrow_source(b"ann bob").read()
    b'ann bob'
    """
    copy = pa.BufferOutputStream()
    copy.write(data)
    return pa.BufferReader(copy.getvalue())


def _path(given: Any) -> Path:
    try:
        path = Path(given).expanduser()
        if path.is_dir():
            raise InputError(f"{given} is a folder; give the path of a file in it.")
        there = path.exists()
    except (TypeError, ValueError, RuntimeError, OSError) as error:
        told = f"The path of a file was expected, and {type(given).__name__} given ({error})."
        raise InputError(f"{told} Network.from_networkx, from_scipy and the like take objects.") from error
    if not there:
        raise InputError(f"There is no file {given}. Paths begin at the current folder, {Path.cwd()}.")
    return path


def _decompressed(path: Path, compression: str) -> bytes:
    allowed = max(_ALWAYS_ALLOWED, _MOST_GROWTH * path.stat().st_size)
    if compression == "gzip":
        with gzip.open(path) as source:
            return _read_up_to(source, allowed)
    with pa.input_stream(str(path), compression=compression) as source:
        return _read_up_to(source, allowed)


def _read_up_to(source: IO[bytes] | Any, allowed: int) -> bytes:
    data = io.BytesIO()
    while piece := source.read(_PIECE):
        data.write(piece)
        if data.tell() > allowed:
            raise OSError(
                f"it grows to more than {_MOST_GROWTH} times its size; decompress it yourself if you trust it"
            )
    return data.getvalue()
