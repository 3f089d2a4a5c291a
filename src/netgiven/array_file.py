"""Files of arrays with a JSON header, in the safetensors format, written atomically.

There is no pickle: nothing that is read is executed. Names and columns of nodes are an Arrow table, in bytes.
"""

from __future__ import annotations

import json
import math
import os
import re
import shutil
import struct
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from netgiven.edges import shown, to_python
from netgiven.errors import FormatError, InputError, NetgivenError
from netgiven.types import UInt8Array

KEY, VERSION = "netgiven", 2
WHOLE = "whole.safetensors"  # in a folder of parts: the header, and the arrays that are not in parts

OLD = "old"  # in a temporary folder: the folder of parts that is replaced
NAME_TYPES = {str, int, float, bool}  # of names that are written as JSON, and of what is in tuples

Arrays = dict[str, npt.NDArray[Any]]
Parts = Sequence[Callable[[], Arrays]]
Shape = tuple[str, tuple[int, ...]]  # the type and the shape of an array
SAFETENSORS_TYPES = {"float32": "F32", "float64": "F64"}


def write_atomically(path: str | os.PathLike[str], write: Callable[[Path], None]) -> None:
    """Let `write` fill a temporary file beside `path`, then move it to `path`, which so never holds half of a file.

    The target of a symbolic link is replaced, not the link. A pipe or a device is written to, not replaced. What
    processes that were killed while they wrote to `path` left behind is removed.

    Raises
    ------
    InputError
        If the file cannot be written.
    """
    target = check_target(path)
    try:
        if target.exists() and not target.is_file():
            _copy_into(target, write)
        else:
            _replace(target.resolve(), write)
    except OSError as problem:
        raise InputError(f"{target} cannot be written: {problem.strerror or problem}.") from problem


def _replace(target: Path, write: Callable[[Path], None]) -> None:
    with _folder_beside(target) as folder:
        temporary = folder / "whole.part"
        write(temporary)
        temporary.chmod(0o666 & ~_umask())
        temporary.replace(target)


def _copy_into(target: Path, write: Callable[[Path], None]) -> None:
    """Write to a pipe or a device by a copy of a temporary file, because some formats are not written sequentially."""
    with tempfile.TemporaryDirectory() as folder:
        temporary = Path(folder, "whole.part")
        write(temporary)
        with temporary.open("rb") as source, target.open("wb") as sink:
            shutil.copyfileobj(source, sink)


def check_target(path: str | os.PathLike[str], *sources: Path | None) -> Path:
    """The path, after a check that a file can be written there without overwriting one of the sources."""
    target = Path(path)
    try:
        real = target.resolve()
    except (OSError, RuntimeError) as problem:  # symbolic links that form a cycle
        raise InputError(f"{target} cannot be written: {problem}.") from problem
    if target.is_dir():
        raise InputError(f"{target} is a folder; give the name of a file in it.")
    if not target.exists() and not real.parent.is_dir():
        folder = real.parent if target.is_symlink() else target.parent
        raise InputError(f"The folder {folder} does not exist, so {target.name} cannot be written. Make it first.")
    if any(source is not None and _is_same(source, target) for source in sources):
        raise InputError(f"{target} is an input file and would be overwritten; write to another file.")
    return target


def _is_same(source: Path, target: Path) -> bool:
    return source.is_file() and target.is_file() and source.samefile(target)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


# ---- temporary folders -----------------------------------------------------------------------------------------------
#
# What is not yet whole is in a folder beside the target, with all that a library makes on the way. Its process holds a
# lock on it. The lock ends with the process, even one that is killed: so a folder that can be locked is left over.


@contextmanager
def _folder_beside(target: Path) -> Iterator[Path]:
    """A temporary folder beside the target, after those that are left over have been removed."""
    _remove_left_over(target)
    folder, lock = _locked_folder(target)
    try:
        yield folder
    finally:
        _remove(folder)
        if lock is not None:
            os.close(lock)


def _remove(folder: Path) -> None:
    """Remove a folder, all of it also if Ctrl-C comes meanwhile."""
    try:
        shutil.rmtree(folder, ignore_errors=True)
    except KeyboardInterrupt:
        shutil.rmtree(folder, ignore_errors=True)
        raise


def _locked_folder(target: Path) -> tuple[Path, int | None]:
    while True:
        folder = Path(tempfile.mkdtemp(dir=target.parent, prefix=f".{target.name}.", suffix=".part"))
        try:
            lock = _lock(folder, wait=True)
        except FileNotFoundError:  # taken for left over before it was locked
            continue
        except OSError:  # a file system without locks: nobody can take it for left over
            return folder, None
        except KeyboardInterrupt:
            _remove(folder)
            raise
        if folder.exists():
            return folder, lock
        os.close(lock)


def _remove_left_over(target: Path) -> None:
    """Remove the temporary folders of this target whose processes were killed."""
    pattern = re.compile(re.escape(f".{target.name}.") + r"[a-z0-9_]{8}\.part")
    try:
        found = [path for path in target.parent.iterdir() if pattern.fullmatch(path.name)]
    except PermissionError:  # a folder that may be written to, and not listed
        return
    for folder in found:
        try:
            lock = _lock(folder, wait=False)
        except OSError:  # its process is at work
            continue
        if (folder / OLD).exists() and not target.exists():  # killed between two moves
            (folder / OLD).rename(target)
        shutil.rmtree(folder, ignore_errors=True)
        os.close(lock)


def _lock(folder: Path, wait: bool) -> int:
    """Lock a folder, and return what to close to unlock it; OSError if it cannot be locked."""
    try:
        import fcntl
    except ImportError as problem:  # Windows
        raise OSError("folders cannot be locked here") from problem
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except OSError:
        os.close(descriptor)
        raise
    return descriptor


# ---- arrays ----------------------------------------------------------------------------------------------------------


def save_arrays(path: str | os.PathLike[str], arrays: Arrays, header: dict[str, Any]) -> None:
    """Write arrays and a header, which must be JSON."""
    # one entry only: the order of several would vary, and the same embedding would give other bytes
    metadata = {KEY: json.dumps({"version": VERSION, **header})}
    whole = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
    write_atomically(path, lambda temporary: _save(whole, temporary, metadata))


def _save(arrays: Arrays, path: Path, metadata: dict[str, str]) -> None:
    """Write a file, with errors of the disk as OSError."""
    from safetensors import SafetensorError
    from safetensors.numpy import save_file

    try:
        save_file(arrays, path, metadata=metadata)
    except SafetensorError as problem:
        raise OSError(_first_line(problem)) from problem


def save_pieces(
    path: str | os.PathLike[str], shapes: dict[str, Shape], pieces: Iterable[npt.NDArray[Any]], header: dict[str, Any]
) -> None:
    """Write what `save_arrays` would, from pieces that follow each other: only one of them is in memory at a time.

    `shapes` has the type and the shape of each array, in the order of the pieces.
    """
    entries: dict[str, Any] = {"__metadata__": {KEY: json.dumps({"version": VERSION, **header})}}
    end = 0
    for name, (kind, shape) in shapes.items():
        begin, end = end, end + np.dtype(kind).itemsize * math.prod(shape)
        entries[name] = {"dtype": SAFETENSORS_TYPES[kind], "shape": shape, "data_offsets": [begin, end]}
    write_atomically(path, lambda temporary: _write_pieces(temporary, entries, pieces))


def _write_pieces(path: Path, entries: dict[str, Any], pieces: Iterable[npt.NDArray[Any]]) -> None:
    text = json.dumps(entries).encode()
    text += b" " * (-len(text) % 8)
    with path.open("wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        for piece in pieces:
            file.write(np.ascontiguousarray(piece).data)


def save_parts(path: str | os.PathLike[str], arrays: Arrays, header: dict[str, Any], parts: Parts) -> None:
    """Write a folder: one file with the header and `arrays`, and one file per part, each computed when it is written.

    The folder is written atomically; an embedding in parts that is there already is replaced.

    Raises
    ------
    InputError
        If the folder cannot be written.
    """
    target = check_folder(path)
    try:
        _replace_folder(target.resolve(), arrays, {**header, "parts": len(parts)}, parts)
    except OSError as problem:
        raise InputError(f"{target} cannot be written: {problem.strerror or problem}.") from problem


def check_folder(path: str | os.PathLike[str]) -> Path:
    """The path, after a check that a folder of parts can be written there without overwriting anything else."""
    target = Path(path)
    if target.exists() and not is_folder_of_parts(target):
        raise InputError(f"{target} exists, and is not an embedding in parts; give the name of another folder.")
    if not target.resolve().parent.is_dir():
        raise InputError(
            f"The folder {target.parent} does not exist, so {target.name} cannot be written. Make it first."
        )
    return target


def _replace_folder(target: Path, arrays: Arrays, header: dict[str, Any], parts: Parts) -> None:
    with _folder_beside(target) as folder:
        fresh = folder / "fresh"
        fresh.mkdir()
        for number, make in enumerate(parts):
            save_arrays(fresh / part_name(number), make(), {"part": number})
        save_arrays(fresh / WHOLE, arrays, header)
        if target.exists():
            target.rename(folder / OLD)
        fresh.rename(target)


def part_name(number: int) -> str:
    """The name of the file of a part.

    >>> part_name(7)
    'part-00007.safetensors'
    """
    return f"part-{number:05d}.safetensors"


def is_folder_of_parts(path: Path) -> bool:
    """Whether a folder holds an embedding in parts."""
    return path.is_dir() and is_embedding(path / WHOLE)


def _load_folder(folder: Path) -> tuple[Arrays, dict[str, Any]]:
    """The arrays of a folder, joined as in a single file."""
    arrays, header = load_arrays(folder / WHOLE)
    count = header.pop("parts", None)
    if type(count) is not int or count < 1:
        raise FormatError(f"{folder / WHOLE} does not say how many parts there are; it is damaged. Make it again.")
    parts = [load_arrays(folder / part_name(number))[0] for number in range(count)]
    try:
        return {**arrays, **_joined(parts)}, header
    except (KeyError, ValueError, TypeError, IndexError) as problem:
        raise FormatError(
            f"{folder}: the parts do not fit together, or are damaged ({_first_line(problem)}). Make it again."
        ) from problem


def _joined(parts: list[Arrays]) -> Arrays:
    starts = np.cumsum([0, *(len(part["links.indices"]) for part in parts)])
    rows = [part["links.indptr"][1:] + start for part, start in zip(parts, starts[:-1], strict=True)]
    joined = {name: np.concatenate([part[name] for part in parts]) for name in ("positions", "links.indices")}
    return {**joined, "links.indptr": np.concatenate([np.zeros(1, dtype=np.int64), *rows])}


def load_arrays(path: str | os.PathLike[str]) -> tuple[Arrays, dict[str, Any]]:
    """Read what `save_arrays` or `save_parts` wrote.

    Raises
    ------
    FormatError
        If the file is something else, or is damaged.
    InputError
        If there is no file.
    """
    if is_folder_of_parts(Path(path)):
        return _load_folder(Path(path))
    with open_arrays(path) as (file, header):
        return {name: file.get_tensor(name) for name in file.keys()}, header  # noqa: SIM118 - it is no mapping


@contextmanager
def open_arrays(path: str | os.PathLike[str]) -> Iterator[tuple[Any, dict[str, Any]]]:
    """A file of arrays, of which rows can be read, and its header; open for the length of a `with` block."""
    from safetensors import SafetensorError, safe_open

    target = check_file(path)
    try:
        with safe_open(target, framework="numpy") as file:
            yield file, _header(target, file.metadata())
    except NetgivenError:  # one of them is a ValueError
        raise
    except (SafetensorError, OSError, ValueError, TypeError, MemoryError, RecursionError) as problem:
        raise FormatError(
            f"{target} is not a readable embedding: it is damaged, truncated, or was not written by netgiven "
            f"({_first_line(problem)}). Make it again with 'netgiven embed'."
        ) from problem


def is_embedding(path: Path) -> bool:
    """Whether a file holds an embedding, whatever its name: a safetensors file with our entry in its header."""
    if not (path.is_file() and os.access(path, os.R_OK)):
        return False
    with path.open("rb") as file:
        start = file.read(8)
        size = struct.unpack("<Q", start)[0] if len(start) == 8 else 0
        # eight letters of a text file, read as a number, are far more than the size of any file
        return 0 < size < path.stat().st_size and f'"{KEY}"'.encode() in file.read(size)


def check_file(path: str | os.PathLike[str]) -> Path:
    """The path, after a check that it is a file."""
    target = Path(path)
    if target.is_dir():
        raise InputError(f"{target} is a folder; a file is needed.")
    if not target.exists():
        raise InputError(f"There is no file {target}. Check the name and the folder.")
    return target


def _first_line(problem: BaseException) -> str:
    return (str(problem).splitlines() or [type(problem).__name__])[0][:200]


def _header(path: Path, metadata: dict[str, str] | None) -> dict[str, Any]:
    if not metadata or KEY not in metadata:
        raise FormatError(f"{path} is a safetensors file, but not an embedding of netgiven.")
    header = json.loads(metadata[KEY])
    if not isinstance(header, dict):
        raise FormatError(f"{path} has a header that is no JSON object.")
    if header.get("version") != VERSION:
        raise FormatError(
            f"{path} has format version {header.get('version')}; this netgiven reads version {VERSION}. "
            "Install the version that wrote it, or make it again."
        )
    return header


# ---- Node names and columns as bytes ---------------------------------------------------------------------------------


def table_to_bytes(nodes: pd.Index[Any], columns: pd.DataFrame) -> tuple[UInt8Array, bool]:
    """Names and columns as an Arrow stream, and whether the names are written as JSON.

    They are if they have several types, or are tuples, or integers beyond 64 bits.
    """
    import pyarrow as pa

    names, as_json = _plain_names(nodes)
    arrays = [names, *(_arrow_column(columns.iloc[:, place]) for place in range(columns.shape[1]))]
    table = pa.table(arrays, names=["node", *(f"column {name}" for name in columns.columns)])
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return np.frombuffer(sink.getvalue(), dtype=np.uint8), as_json


def _plain_names(nodes: pd.Index[Any]) -> tuple[Any, bool]:
    import pyarrow as pa

    if nodes.dtype != object:
        return pa.array(nodes), False
    names = [to_python(name) for name in nodes]
    if all(type(name) is str for name in names):
        return pa.array(names, type=pa.string()), False
    for name in names:
        if not _is_plain(name):
            raise InputError(
                f"Node {shown(name)} cannot be saved; node names in a file must be text, numbers, or tuples of them. "
                "Rename such nodes."
            )
    return pa.array([json.dumps(name) for name in names]), True


def _is_plain(name: Any) -> bool:
    return all(map(_is_plain, name)) if type(name) is tuple else type(name) in NAME_TYPES


def _name(text: str) -> Any:
    """A name from JSON, in which a tuple is a list."""
    name = _with_tuples(json.loads(text))
    if not _is_plain(name):
        raise ValueError(f"a node is named {shown(name)[:40]}")
    return name


def _with_tuples(value: Any) -> Any:
    return tuple(map(_with_tuples, value)) if isinstance(value, list) else value


def _arrow_column(values: pd.Series[Any]) -> Any:
    """A column as an Arrow array; values of several types, lists and the like become text."""
    import pyarrow as pa

    held = values
    if isinstance(values.dtype, pd.CategoricalDtype) and not pd.api.types.is_integer_dtype(values.cat.categories.dtype):
        held = values.astype(object)  # integers stay categories: as numbers they would be no groups
    try:
        array = pa.array(held, from_pandas=True)
    except (pa.ArrowException, OverflowError):
        array = None
    if array is not None and not pa.types.is_nested(array.type):
        return array
    return pa.array([None if missing else str(value) for value, missing in zip(held, held.isna(), strict=True)])


def table_from_bytes(data: UInt8Array, as_json: bool) -> tuple[pd.Index[Any], pd.DataFrame]:
    """Names and columns from an Arrow stream."""
    import pyarrow as pa

    try:
        table = pa.ipc.open_stream(pa.py_buffer(data.tobytes())).read_all()
        table.validate(full=True)
        frame = table.replace_schema_metadata(None).to_pandas()
        names = (
            pd.Index([_name(text) for text in frame["node"]], dtype=object, tupleize_cols=False)
            if as_json
            else pd.Index(frame["node"])
        )
    except (pa.ArrowException, OSError, KeyError, ValueError, TypeError, RecursionError) as problem:
        raise FormatError(f"The node table in the file is damaged ({_first_line(problem)}).") from problem
    columns = frame.drop(columns="node").rename(columns=lambda name: str(name).removeprefix("column "))
    if not columns.columns.is_unique or any(pa.types.is_nested(kind) for kind in table.schema.types):
        raise FormatError("The node table in the file is damaged (a column comes twice, or holds lists).")
    return pd.Index(names, name=None, tupleize_cols=False), columns


def make_folder(folder: Path) -> None:
    """Make a folder if it does not exist, before the work whose result goes there."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise InputError(
            f"The folder {folder} cannot be made ({problem.strerror}); give the name of another one."
        ) from problem
