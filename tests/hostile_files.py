"""Files that were damaged at random or written to do harm, and a process with limits that reads them.

`python -m tests.hostile_files damaged 0 100` reads the first hundred damaged files and prints a line for each.
`findings` runs it, and again behind a file that ended the process.
"""

from __future__ import annotations

import gzip
import io
import json
import os
import random
import re
import struct
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterable
from functools import cache
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet
from safetensors.numpy import load as load_tensors
from safetensors.numpy import save as save_tensors

import netgiven as ng
from tests.file_samples import SAMPLES, compressed

MEMORY = 1 << 30  # that reading may take, beyond what the libraries take
SECONDS = 20
EXPECTED = {"read", "refused"}
# The limit is one of addresses. Some allocators reserve a gigabyte at once, or some for each thread.
FEW_ADDRESSES = {"ARROW_DEFAULT_MEMORY_POOL": "system", "MALLOC_ARENA_MAX": "1"} | {
    f"{library}_NUM_THREADS": "1" for library in ("OMP", "OPENBLAS", "MKL", "NUMBA")
}
ROOT = Path(__file__).parent.parent
LIMIT = 0.4  # gigabytes, for `read`: half of what the process may take, as estimates are rough
EXPANDED = 1 << 27  # bytes that a small compressed file expands to
LINKS, NODES, EMBEDDING, FOLDER = "links", "nodes", "x.ng", "x"

Files = dict[str, bytes]  # by name, in a folder of their own; names say how they are used


class Finding(NamedTuple):
    """A file that was neither read nor refused as it should be."""

    number: int
    name: str
    problem: str


# ---- embeddings to damage --------------------------------------------------------------------------------------------


@cache
def embedding() -> bytes:
    """A small embedding with columns, listed pairs and unobserved pairs."""
    links = [(f"n{i}", f"n{(i + step) % 14}") for i in range(14) for step in (1, 3)]
    nodes = {"node": [f"n{i}" for i in range(14)], "team": [f"t{i % 3}" for i in range(14)]}
    network = ng.Network.from_edges(links, nodes=nodes).with_unobserved([("n0", "n2"), ("n5", "n9")])
    with TemporaryDirectory() as folder:
        made = ng.embed(network, "degrees+common_neighbours", dimensions=2, reach=2.0, shrinkage=0.1, max_steps=3)
        made.save(Path(folder, EMBEDDING))
        return Path(folder, EMBEDDING).read_bytes()


@cache
def folder_of_parts() -> Files:
    """The same kind of embedding in a folder of two parts."""
    from netgiven.array_file import save_parts

    tensors, header = opened(embedding())
    cut = len(tensors["positions"]) // 2
    starts, columns = tensors.pop("links.indptr"), tensors.pop("links.indices")
    positions = tensors.pop("positions")

    def part(rows: slice) -> dict[str, Any]:
        own = starts[rows.start : rows.stop + 1]
        return {"positions": positions[rows], "links.indptr": own - own[0], "links.indices": columns[own[0] : own[-1]]}

    with TemporaryDirectory() as folder:
        rows = [slice(0, cut), slice(cut, len(positions))]
        save_parts(Path(folder, FOLDER), tensors, header, [lambda own=own: part(own) for own in rows])
        return {f"{FOLDER}/{path.name}": path.read_bytes() for path in Path(folder, FOLDER).iterdir()}


def opened(data: bytes) -> tuple[dict[str, Any], Any]:
    """The arrays of an embedding's file, and its header."""
    size = struct.unpack("<Q", data[:8])[0]
    return load_tensors(data), json.loads(json.loads(data[8 : 8 + size])["__metadata__"]["netgiven"])


def closed(arrays: dict[str, Any], header: Any) -> bytes:
    """A file of arrays and a header, which may be text that is no JSON."""
    text = header if isinstance(header, str) else json.dumps(header)
    return save_tensors({name: np.ascontiguousarray(array) for name, array in arrays.items()}, {"netgiven": text})


# ---- damaged at random -----------------------------------------------------------------------------------------------

HUGE = [0, 1, 2, 3, 7, 127, 128, 255, 2**15, 2**16, 2**31 - 1, 2**31, 2**32 - 1, 2**32, 2**53, 2**62, 2**63 - 1]
NUMBERS = [*HUGE, *(-number for number in HUGE), 2**63, 2**64, 10**30, 10**400, 0.5, 1e-200, 1e300, float("nan")]
WORDS = [*map(str, NUMBERS), "9" * 5_000, "nan", "-", "1e999", "0x1F", "", '"', "[", "{", "\0", "é", "a b", "&#0;"]
STRANGE = [
    0,
    -1,
    2**63,
    10**400,
    1e-200,
    1e300,
    float("nan"),
    None,
    True,
    "",
    "auto",
    [],
    [[]],
    {},
    ["a"],
    {"name": "auto"},
]
VALUES = [*NUMBERS, *STRANGE, "a", "9" * 50]


def changed_bytes(data: bytes, dice: random.Random) -> bytes:
    """Some bytes changed; in half of the files in place, so that what follows is still where it should be."""
    ways = IN_PLACE if dice.random() < 0.5 else [*IN_PLACE, *ELSEWHERE]
    for _ in range(dice.randint(1, 4)):
        data = dice.choice(ways)(data, dice.randrange(len(data) + 1), dice)
    return data


def _set(data: bytes, at: int, dice: random.Random) -> bytes:
    piece = dice.randbytes(dice.randint(1, 4))
    return (data[:at] + piece + data[at + len(piece) :])[: len(data)]


def _flip(data: bytes, at: int, dice: random.Random) -> bytes:
    return data[:at] + bytes(byte ^ (1 << dice.randrange(8)) for byte in data[at : at + 1]) + data[at + 1 :]


def _number(data: bytes, at: int, dice: random.Random) -> bytes:
    size, at = dice.choice([4, 8]), at - at % 4
    number = (dice.choice(HUGE) * dice.choice([-1, 1])) % 2 ** (8 * size)
    return (data[:at] + number.to_bytes(size, dice.choice(["little", "big"])) + data[at + size :])[: len(data)]


def _cut(data: bytes, at: int, dice: random.Random) -> bytes:
    return data[:at] + data[at + dice.randint(1, 4) :]


def _insert(data: bytes, at: int, dice: random.Random) -> bytes:
    return data[:at] + dice.randbytes(dice.randint(1, 4)) + data[at:]


def _double(data: bytes, at: int, dice: random.Random) -> bytes:
    return data[:at] + data[at : at + 40] + data[at:]


def _end(data: bytes, at: int, dice: random.Random) -> bytes:
    return data[:at]


IN_PLACE, ELSEWHERE = [_set, _flip, _number], [_cut, _insert, _double, _end]


def changed_words(data: bytes, dice: random.Random) -> bytes:
    """Some words or numbers of a text replaced by strange ones."""
    words = list(re.finditer(rb"[\w.+-]+", data))
    for found in sorted(dice.sample(words, min(len(words), dice.randint(1, 3))), key=lambda m: -m.start()):
        data = data[: found.start()] + dice.choice(WORDS).encode() + data[found.end() :]
    return data


def changed_array(array: Any, dice: random.Random) -> Any:
    """Another type or shape, or some numbers replaced; several neighbours by numbers whose sums wrap around."""
    array = np.array(array)
    match dice.choice(["type", "shape", "cut", "numbers", "numbers", "wrap"]):
        case "type":
            return array.astype(dice.choice(["f4", "f8", "i1", "u1", "i4", "u4", "i8", "u8", "c16", "?"]))
        case "shape":
            return array.reshape(-1, 1) if dice.random() < 0.5 else array[None]
        case "cut":
            return array[: dice.randrange(len(array) + 1)] if array.ndim else array
        case "wrap" if array.ndim == 1 and array.dtype.kind in "iu" and len(array) > 5:
            bits = 8 * array.dtype.itemsize
            steps = np.full(len(array) - 1, 2**bits // (len(array) - 1), dtype=object)
            ends = [int(sum(steps[:place])) for place in range(len(array))]
            ends[-1] = int(array[-1])
            return np.array([end % 2**bits for end in ends], dtype=f"u{array.dtype.itemsize}").astype(array.dtype)
    for _ in range(dice.randint(1, 3)):
        if array.size and array.dtype.kind in "iuf":
            number = dice.choice(HUGE) * dice.choice([-1, 1])
            bits = 8 * array.dtype.itemsize
            whole = np.array(number % 2**bits, dtype=f"u{array.dtype.itemsize}")
            array.flat[dice.randrange(array.size)] = whole.astype(array.dtype) if array.dtype.kind in "iu" else number
    return array


def changed_json(value: Any, dice: random.Random) -> Any:
    """A value within lists and objects replaced, removed or put in."""
    if isinstance(value, dict) and value and dice.random() < 0.9:
        key = dice.choice(list(value))
        if dice.random() < 0.1:
            return {name: item for name, item in value.items() if name != key}
        return {**value, key: changed_json(value[key], dice)}
    if isinstance(value, list) and value and dice.random() < 0.8:
        place = dice.randrange(len(value))
        return [changed_json(item, dice) if place == number else item for number, item in enumerate(value)]
    return dice.choice(VALUES)


def changed_npz(data: bytes, dice: random.Random) -> bytes:
    """One array of an .npz changed."""
    with np.load(io.BytesIO(data), allow_pickle=False) as archive:
        arrays = {name: archive[name] for name in archive.files}
    name = dice.choice([name for name in arrays if name != "format"])
    return npz(**{**arrays, name: changed_array(arrays[name], dice)})


def changed_embedding(data: bytes, dice: random.Random) -> bytes:
    """An array or a value of the header changed."""
    arrays, header = opened(data)
    if dice.random() < 0.5:
        return closed(arrays, changed_json(header, dice))
    name = dice.choice(list(arrays))
    changed = changed_array(arrays[name], dice)
    return data if changed.dtype.kind == "c" else closed({**arrays, name: changed}, header)


@cache
def sources() -> list[tuple[Files, str, Callable[[bytes, random.Random], bytes]]]:
    """What is damaged: files, the name of the one to change, and how to change it."""
    found: list[Any] = []
    text = {".edges", ".csv", ".tsv", ".graphml", ".gexf", ".gml", ".net", ".paj", ".mtx"}
    for kind, data in SAMPLES.items():
        found += [({f"{LINKS}{kind}": data}, changed_words if kind in text else changed_bytes)]
        found += [({f"{LINKS}{kind}": data}, changed_bytes)]
    for kind in (".edges", ".csv", ".gml", ".mtx", ".npz"):
        found += [({f"{LINKS}{kind}{how}": compressed(SAMPLES[kind], how)}, changed_bytes) for how in (".gz", ".zst")]
    found += [({f"{LINKS}.npz": saved_matrix(form)}, changed_npz) for form in ("csr", "csc", "bsr", "coo", "dia")]
    found += [({EMBEDDING: embedding()}, change) for change in (changed_bytes, changed_embedding, changed_embedding)]
    found += [({f"{LINKS}{kind}": data}, changed_bytes) for kind, data in arrow_files()]
    for kind, data in node_tables().items():
        found += [({f"{NODES}{kind}": data, f"{LINKS}.edges": SAMPLES[".edges"]}, changed_bytes)]
    cases = [(files, next(iter(files)), change) for files, change in found]
    whole = f"{FOLDER}/whole.safetensors"
    return [*cases, *((folder_of_parts(), whole, change) for change in (changed_bytes, changed_embedding))]


def damaged(number: int) -> tuple[str, Files]:
    """The file of this number, the same one each time, and how it came about."""
    dice = random.Random(number)
    files, name, change = sources()[number % len(sources())]
    return f"{name}, {change.__name__}", {**files, name: change(files[name], dice)}


def arrow_files() -> Iterable[tuple[str, bytes]]:
    """Links in what Arrow writes besides the samples: streams, other types of text, compression and encodings."""
    ends = {"source": ["ann", "bob", "cid", "dan"] * 5, "target": ["bob", "cid", "dan", "ann"] * 5}
    table = pa.table({**ends, "weight": [1.0, 2.0, 3.0, 4.0] * 5})
    codes = table.set_column(0, "source", table["source"].dictionary_encode())
    views = table.set_column(0, "source", table["source"].cast(pa.string_view()))
    yield from ((".arrow", stream(one)) for one in (table, codes, views))
    yield ".arrow", stream(table, compression="zstd")
    yield ".parquet", parquet(table, use_dictionary=False, compression="none")
    encoding = {"source": "DELTA_BYTE_ARRAY", "target": "DELTA_LENGTH_BYTE_ARRAY", "weight": "BYTE_STREAM_SPLIT"}
    yield ".parquet", parquet(table, use_dictionary=False, column_encoding=encoding, data_page_version="2.0")
    yield ".parquet", parquet(table, compression="gzip")


def stream(table: pa.Table, **options: Any) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema, options=pa.ipc.IpcWriteOptions(**options)) as writer:
        writer.write_table(table, max_chunksize=7)
    return sink.getvalue().to_pybytes()


def node_tables() -> Files:
    """A node table for the links of the samples, in each format."""
    table = pa.table({"node": ["ann", "bob", "cid", "dan"], "team": ["x", "y", "x", "y"], "age": [1, 2, 3, 4]})
    lines = zip(*(column.to_pylist() for column in table.columns), strict=True)
    text = "node,team,age\n" + "".join(f"{node},{team},{age}\n" for node, team, age in lines)
    return {".csv": text.encode(), ".parquet": parquet(table), ".arrow": arrow(table)}


def parquet(table: pa.Table, **options: Any) -> bytes:
    sink = io.BytesIO()
    pyarrow.parquet.write_table(table, sink, **options)
    return sink.getvalue()


def arrow(table: pa.Table) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table)
    return sink.getvalue().to_pybytes()


def npz(**arrays: Any) -> bytes:
    sink = io.BytesIO()
    np.savez(sink, **arrays)
    return sink.getvalue()


def saved_matrix(form: str) -> bytes:
    from scipy import sparse

    sink = io.BytesIO()
    dense = np.array([[0, 1, 0, 1], [1, 0, 1, 0], [0, 1, 0, 1], [1, 0, 1, 0]])
    sparse.save_npz(sink, sparse.csr_array(dense).asformat(form))
    return sink.getvalue()


# ---- written to do harm ----------------------------------------------------------------------------------------------


def wrapping(kind: str, steps: int, end: int) -> Any:
    """Row starts from 0 to `end` that never seem to decrease, as their differences wrap around."""
    bits = 8 * np.dtype(kind).itemsize
    starts = [place * (2**bits // steps) for place in range(steps)]
    return np.array([*starts, 2**bits + end], dtype=object) % 2**bits


def as_type(values: Any, kind: str) -> Any:
    """Numbers in this type, with the bits that they have without a sign."""
    return np.array([int(value) for value in values], dtype=kind.replace("i", "u")).astype(kind)


def npz_by_hand() -> Iterable[tuple[str, Files]]:
    two = np.array([1, 2])
    good = {"format": b"csr", "shape": [4, 4], "data": np.ones(2), "indices": two, "indptr": np.array([0, 1, 1, 2, 2])}
    strange = {
        "starts that wrap around": {"indptr": as_type(wrapping("i8", 4, 2), "i8")},
        "short starts that wrap around": {"indptr": as_type(wrapping("i4", 4, 2), "i4"), "indices": two.astype("i4")},
        "starts without sign": {"indptr": as_type(wrapping("i8", 4, 2), "u8")},
        "starts beyond the end": {"indptr": np.array([0, 2**62, 2**62, 2**62, 2])},
        "starts that are fractions": {"indptr": np.array([0, 1e300, 1, 1, 2])},
        "starts that are complex": {"indptr": np.array([0, 1j, 1, 1, 2])},
        "too few starts": {"indptr": np.array([0, 2])},
        "no starts": {"indptr": np.array([], dtype=int)},
        "starts in two dimensions": {"indptr": np.array([[0, 1, 1, 2, 2]])},
        "columns beyond the end": {"indices": np.array([1, 2**40])},
        "columns below 0": {"indices": np.array([-1, 2])},
        "columns that are complex": {"indices": np.array([1j, 2])},
        "a complex shape": {"shape": np.array([4j, 4])},
        "a shape that overflows": {"shape": np.array([1e300, 4])},
        "a negative shape": {"shape": np.array([-4, -4])},
        "a shape of three": {"shape": np.array([4, 4, 4])},
        "values that are text": {"data": np.array(["a", "b"])},
        "too few values": {"data": np.ones(1)},
        "values that overflow": {"data": np.array([1e308, 1e308]), "indices": np.array([1, 1]),
                                 "indptr": np.array([0, 2, 2, 2, 2])},
    }  # fmt: skip
    for form in ("csr", "csc", "bsr"):
        for name, parts in strange.items():
            arrays = {**good, "format": form.encode(), **parts}
            if form == "bsr" and arrays["data"].ndim == 1:
                arrays["data"] = arrays["data"][:, None, None]
            yield f"{form} with {name}", {f"{LINKS}.npz": npz(**arrays)}
    blocks = {**good, "format": b"bsr", "data": np.ones((2, 0, 0))}
    yield "bsr with empty blocks", {f"{LINKS}.npz": npz(**blocks)}
    for row in (np.array([2**32, 1]), np.array([2**64 - 1, 1], dtype="u8"), np.array([1j, 2]), np.array([1e300, 2])):
        arrays = {"format": b"coo", "shape": [4, 4], "data": np.ones(2), "row": row, "col": two}
        yield f"coo with rows {row.tolist()}", {f"{LINKS}.npz": npz(**arrays)}
    for offset in (np.array([2**62]), np.array([1j]), np.array([1e300]), np.array([-(2**31)])):
        arrays = {"format": b"dia", "shape": [4, 4], "data": np.ones((1, 4)), "offsets": offset}
        yield f"dia with offset {offset.tolist()}", {f"{LINKS}.npz": npz(**arrays)}
    yield "npz with many nodes", {f"{LINKS}.npz": npz(**{**good, "shape": [2**31 - 1] * 2})}
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        archive.writestr("data.npy", bytes(EXPANDED))
    yield "npz that expands", {f"{LINKS}.npz": sink.getvalue()}


MATLAB_TYPES = {"i4": 5, "u4": 6, "f8": 9, "i8": 12, "u8": 13, "u1": 2}


def mat_element(kind: int, contents: bytes) -> bytes:
    return struct.pack("<II", kind, len(contents)) + contents + bytes(-len(contents) % 8)


def mat_numbers(values: Any) -> bytes:
    return mat_element(MATLAB_TYPES[np.asarray(values).dtype.str[1:]], np.asarray(values).tobytes())


def mat_file(shape: list[int], *parts: Any, kind: int = 5) -> bytes:
    """A MATLAB file with the variable `network`: rows, column starts and values of a sparse matrix."""
    flags = mat_element(6, struct.pack("<II", kind, 2))
    name = mat_element(1, b"network")
    numbers = b"".join(map(mat_numbers, parts))
    content = flags + mat_numbers(np.array(shape, dtype="i4")) + name + numbers
    return b"MATLAB 5.0 MAT-file".ljust(124) + b"\0\x01IM" + mat_element(14, content)


def mat_by_hand() -> Iterable[tuple[str, Files]]:
    rows, values, starts = np.array([1, 2], dtype="i4"), np.ones(2), np.array([0, 1, 1, 2, 2], dtype="i4")
    strange = {
        "starts that wrap around": (rows, as_type(wrapping("i8", 4, 2), "i8"), values),
        "short starts that wrap around": (rows, as_type(wrapping("i4", 4, 2), "i4"), values),
        "starts without sign": (rows, as_type(wrapping("i8", 4, 2), "u8"), values),
        "starts that are fractions": (rows, np.array([0, 1e300, 1, 1, 2]), values),
        "no starts": (rows, np.array([], dtype="i4"), values),
        "starts that end below 0": (rows, np.array([0, 1, 1, 1, -2], dtype="i4"), values),
        "rows beyond the end": (np.array([1, 2**33]), starts, values),
        "rows that are fractions": (np.array([1e300, 2]), starts, values),
        "too few values": (rows, starts, np.ones(1)),
    }
    for name, parts in strange.items():
        yield f"mat with {name}", {f"{LINKS}.mat": mat_file([4, 4], *parts)}
    yield "mat with many nodes", {f"{LINKS}.mat": mat_file([2**31 - 1] * 2, rows, starts, values)}
    yield "mat with a negative shape", {f"{LINKS}.mat": mat_file([-4, -4], rows, starts, values)}
    yield "mat with a dense matrix of another size", {f"{LINKS}.mat": mat_file([9, 9], values, kind=6)}


def embeddings_by_hand() -> Iterable[tuple[str, Files]]:
    arrays, header = opened(embedding())
    for name in ("links", "prior.listed", "unobserved"):
        count, end = len(arrays[f"{name}.indptr"]) - 1, len(arrays[f"{name}.indices"])
        for what, starts in {
            "wrap around": as_type(wrapping("i8", count, end), "i8"),
            "go far": np.array([0, *[2**62] * (count - 1), end]),
            "go back": np.array([0, *[-(2**62)] * (count - 1), end]),
            "are none": np.array([], dtype=np.int64),
        }.items():
            yield f"ng with {name} that {what}", {EMBEDDING: closed({**arrays, f"{name}.indptr": starts}, header)}
    deep = "[" * 100_000 + "]" * 100_000
    yield "ng with a deep header", {EMBEDDING: closed(arrays, deep)}
    for key in header:
        inner = json.dumps({**header, key: "HERE"}).replace('"HERE"', "[" * 2000 + "]" * 2000)
        yield f"ng with a deep {key}", {EMBEDDING: closed(arrays, inner)}
        for value in STRANGE:
            yield f"ng with {key} = {str(value)[:30]}", {EMBEDDING: closed(arrays, {**header, key: value})}
    yield from settings_by_hand(arrays, header)
    yield from names_by_hand(arrays, header)
    yield from folders_by_hand()


def settings_by_hand(arrays: Any, header: Any) -> Iterable[tuple[str, Files]]:
    for key in header["fit"]["settings"]:
        for value in STRANGE:
            settings = {**header["fit"]["settings"], key: value}
            changed = {**header, "fit": {**header["fit"], "settings": settings}}
            yield f"ng with the setting {key} = {str(value)[:30]}", {EMBEDDING: closed(arrays, changed)}
    for s1, s2 in [(1e-200, 1e-180), (5e-324, 1e-300), (1e200, 1e220), (1e-30, 1e-20), (10**400, 10**401), (1, 1e308)]:
        spread = {**header["spread"], "s1": s1, "s2": s2}
        what = f"spreads {str(s1)[:9]} and {str(s2)[:9]}"
        yield f"ng with {what}", {EMBEDDING: closed(arrays, {**header, "spread": spread})}
        settings = {**header["fit"]["settings"], "spread": spread}
        changed = {**header, "fit": {**header["fit"], "settings": settings}}
        yield f"ng trained with {what}", {EMBEDDING: closed(arrays, changed)}
    for value in (np.nan, np.inf, 1e300):
        yield f"ng with steps {value}", {EMBEDDING: closed({**arrays, "steps": np.full((3, 4), value)}, header)}
    positions = np.full_like(arrays["positions"], 3e38)
    yield "ng with positions that overflow", {EMBEDDING: closed({**arrays, "positions": positions}, header)}
    own = np.full_like(arrays["prior.own"], 1e300)
    yield "ng with a prior that overflows", {EMBEDDING: closed({**arrays, "prior.own": own}, header)}


def names_by_hand(arrays: Any, header: Any) -> Iterable[tuple[str, Files]]:
    plain = [f"n{number}" for number in range(14)]
    as_json = {
        "lists": [[number] for number in range(14)],
        "objects": [{"a": number} for number in range(14)],
        "a list among them": [[1], *plain[1:]],
        "null among them": [None, *plain[1:]],
        "NaN among them": [float("nan"), *plain[1:]],
        "long integers": [10 ** (400 + number) for number in range(14)],
    }
    for what, names in as_json.items():
        data = node_bytes({"node": [json.dumps(name) for name in names]})
        changed = closed({**arrays, "nodes": data}, {**header, "names_as_json": True})
        yield f"ng with names that are {what}", {EMBEDDING: changed}
    deep = ["[" * 5000 + "]" * 5000, *map(json.dumps, plain[1:])]
    data = node_bytes({"node": deep})
    yield "ng with a deep name", {EMBEDDING: closed({**arrays, "nodes": data}, {**header, "names_as_json": True})}
    for what, column in {
        "lists": [[1]] * 14, "objects": [{"a": 1}] * 14, "bytes": [b"\xff"] * 14, "nothing": [None] * 14,
    }.items():  # fmt: skip
        data = node_bytes({"node": plain, "column team": column})
        yield f"ng with a column of {what}", {EMBEDDING: closed({**arrays, "nodes": data}, header)}
    for what, names in {"bytes": [b"%d" % n for n in range(14)], "numbers": [n / 3 for n in range(14)]}.items():
        yield f"ng with names of {what}", {EMBEDDING: closed({**arrays, "nodes": node_bytes({"node": names})}, header)}


def node_bytes(columns: dict[str, Any]) -> Any:
    return np.frombuffer(stream(pa.table(columns)), dtype=np.uint8)


def folders_by_hand() -> Iterable[tuple[str, Files]]:
    files = folder_of_parts()
    whole, part = f"{FOLDER}/whole.safetensors", f"{FOLDER}/part-00001.safetensors"
    arrays, header = opened(files[whole])
    yield "a folder", files
    for value in [*STRANGE, 10**9]:
        yield f"a folder of {str(value)[:30]} parts", {**files, whole: closed(arrays, {**header, "parts": value})}
    without = {key: value for key, value in header.items() if key != "parts"}
    yield "a folder without the number of parts", {**files, whole: closed(arrays, without)}
    yield "a folder with one part missing", {name: data for name, data in files.items() if name != part}
    own, _ = opened(files[part])
    for name in own:
        rest = {key: array for key, array in own.items() if key != name}
        yield f"a part without {name}", {**files, part: closed(rest, {"version": 2, "part": 1})}
        for array in (own[name].astype("f8"), own[name][None], own[name].reshape(-1)[:0], np.array(3)):
            changed = closed({**own, name: array}, {"version": 2, "part": 1})
            yield f"a part with other {name} {array.dtype} {array.shape}", {**files, part: changed}
    starts = as_type(wrapping("i8", len(own["links.indptr"]) - 1, int(own["links.indptr"][-1])), "i8")
    wrapped = closed({**own, "links.indptr": starts}, {"version": 2, "part": 1})
    yield "a part with starts that wrap around", {**files, part: wrapped}


def graphs_by_hand() -> Iterable[tuple[str, Files]]:
    nodes = "node [ id 1 ] node [ id 2 ]"
    edge = "edge [ source 1 target 2 ]"
    for depth in (30, 100, 990, 1100, 50_000):
        begin, end = "x [ " * depth, "] " * depth
        for text in (
            f"graph [ {nodes} {edge} {begin}y 1 {end}]", f"{begin}{end}graph [ {nodes} {edge} ]",
            f"graph [ node [ id 1 {begin}{end}] node [ id 2 ] {edge} ]", f"graph [ {nodes} {edge} {begin}",
            f"graph [ {nodes} edge [ source 1 target 2 {begin}{end}] ]", "graph [ " * depth + nodes + end,
            "graph [ " + "node [ id 1 " * depth + end + "]",
        ):  # fmt: skip
            yield f"GML nested {depth} times, {text[:40]} ...", {f"{LINKS}.gml": text.encode()}
        for kind, tags in ((".graphml", ["graph"]), (".graphml", ["graph", "node"]), (".gexf", ["nodes", "node"])):
            text = "".join(f"<{tag}>" for tag in tags * depth) + "".join(f"</{tag}>" for tag in tags[::-1] * depth)
            yield f"{kind} nested {depth} times by {tags}", {f"{LINKS}{kind}": xml(kind, text)}
    yield from long_numbers()


def xml(kind: str, text: str) -> bytes:
    """A document with this text where its nodes would be."""
    if kind == ".graphml":
        return f'<graphml xmlns="http://graphml.graphdrawing.org/xmlns">{text}</graphml>'.encode()
    space = 'xmlns="http://www.gexf.net/1.2draft" version="1.2"'
    return f'<gexf {space}><graph defaultedgetype="undirected">{text}</graph></gexf>'.encode()


def long_numbers() -> Iterable[tuple[str, Files]]:
    digits = "9" * 5_000
    for text in (
        f"*Vertices {digits}\n", f"*Vertices 3\n{digits} a\n*Edges\n1 2\n", f"*Vertices 3\n*Edges\n1 {digits}\n",
        f"*Vertices 3\n*Edges\n1 2 {digits}\n", f"*Vertices 3\n0{'0' * 5000}1 a\n*Edges\n1 2\n",
        f"*Vertices 3\n000000000001{digits} a\n*Edges\n1 2\n", f"*Vertices 2\n*Matrix\n0 {digits}\n1 0\n",
        f"*Vertices 2\n*Partition a\n*Vertices 2\n{digits}\n1\n*Edges\n1 2",
        "*Vertices 2\n*Edges\n1 2\n*Partition a\n1e300\n1\n", "*Vertices 2\n*Edges\n1 2\n*Partition a\ninf\nnan\n",
        "*Vertices ٣\n*Edges\n1 2\n", "*Vertices ²\n*Edges\n1 2\n", "*Vertices 9999999999\n*Edges\n1 2\n",
        "*Vertices 2\n*Matrix\nnan 1\n1 0\n",
    ):  # fmt: skip
        yield f"Pajek {text[:30]!r} ... {text[-9:]!r}", {f"{LINKS}.net": text.encode()}
    for node in (f'<node id="{digits}"/><node id="2"/>', "<node/>"):
        text = f'<graph edgedefault="undirected">{node}<edge source="{digits}" target="2"/></graph>'
        yield f"GraphML {node[:20]}", {f"{LINKS}.graphml": xml(".graphml", text)}
    for name in (digits, "1e999", "-" + digits, '"' + "a" * 100_000 + '"'):
        text = f"graph [ node [ id {name} ] node [ id 2 ] edge [ source {name} target 2 ] ]"
        yield f"GML with id {name[:9]}", {f"{LINKS}.gml": text.encode()}
        yield f"text with the name {name[:9]}", {f"{LINKS}.csv": f"{name},2\n2,3\n".encode()}


def matrices_by_hand() -> Iterable[tuple[str, Files]]:
    top = "%%MatrixMarket matrix {} general\n"
    for sizes in ("2147483647 2147483647 1", "99999999 99999999 1", "999999999999999999 999999999999999999 1",
                  f"{'9' * 5000} {'9' * 5000} 1", "3 3 999999999999999999", "-3 -3 1"):  # fmt: skip
        padding = "%" * 300_000 + "\n"
        data = (top.format("coordinate pattern") + padding + f"{sizes}\n1 2\n").encode()
        yield f"mtx of {sizes[:30]}", {f"{LINKS}.mtx": data}
    for value in ("1e999", "9" * 5000, "nan", "inf", "-inf", "1e-999"):
        text = top.format("coordinate real") + f"3 3 2\n1 2 {value}\n2 3 1\n"
        yield f"mtx with the value {value[:9]}", {f"{LINKS}.mtx": text.encode()}
        text = top.format("coordinate complex") + f"3 3 2\n1 2 {value} 1\n2 3 1 0\n"
        yield f"mtx with the complex value {value[:9]}", {f"{LINKS}.mtx": text.encode()}
    for count in ("2147483647", "99999999", "9999999999"):
        padding = "%" + "x" * 300_000 + "\n"
        yield f"Pajek of {count} nodes", {f"{LINKS}.net": f"{padding}*Vertices {count}\n*Edges\n1 2\n".encode()}


COLUMNS = {
    "integers": pa.array([1, 2, 3]), "text": pa.array(["ann", "2", "cid"]), "digits": pa.array(["1", "2", "3"]),
    "short integers": pa.array([1, 2, 3], pa.int8()), "without sign": pa.array([1, 2**64 - 1, 3], pa.uint64()),
    "fractions": pa.array([0.5, 2.0, 3.0]), "truth": pa.array([True, False, True]), "nothing": pa.nulls(3),
    "dates": pa.array([1, 2, 3], pa.date32()), "times": pa.array([1, 2, 3], pa.timestamp("ns", tz="Nowhere/Else")),
    "bytes": pa.array([b"a", b"\xff", b"c"]), "lists": pa.array([[1], [2], [3]]), "empty lists": pa.array([[], [], []]),
    "objects": pa.array([{"a": 1}, {"a": 2}, {"a": 3}]), "decimals": pa.array([1, 2, 3], pa.decimal128(30, 0)),
    "categories": pa.array(["a", "b", "a"]).dictionary_encode(), "codes": pa.array([5, 6, 5]).dictionary_encode(),
    "list codes": pa.DictionaryArray.from_arrays(pa.array([0, 0, 0]), pa.array([[1, 2]])),
    "large text": pa.array(["a", "b", "c"], pa.large_string()), "views": pa.array(["a", "b", "c"], pa.string_view()),
    "half": pa.array(np.array([1, 2, 3], dtype="f2")), "durations": pa.array([1, 2, 3], pa.duration("s")),
    "gaps": pa.array([1, None, 3]), "text gaps": pa.array(["a", None, ""]),
    "maps": pa.array([[("a", 1)], [], []], pa.map_(pa.string(), pa.int64())),
}  # fmt: skip


def tables_by_hand() -> Iterable[tuple[str, Files]]:
    def files(what: str, table: pa.Table, **others: bytes) -> Iterable[tuple[str, Files]]:
        yield f"Arrow file of {what}", {**others, f"{LINKS}.arrow": arrow(table)}

    for one, first in COLUMNS.items():
        for other in ("integers", "text", "without sign", "fractions", "nothing", "lists"):
            yield from files(f"{one} and {other}", pa.table({"source": first, "target": COLUMNS[other]}))
        ends = {"source": COLUMNS["text"], "target": COLUMNS["text"]}
        yield from files(f"weights that are {one}", pa.table({**ends, "weight": first}))
        for other in ("text", "integers", one):
            both = {"source_type": first, "target_type": COLUMNS[other]}
            yield from files(f"types that are {one} and {other}", pa.table({**ends, **both}))
        table = pa.table({"node": ["ann", "bob", "cid"], "column": first})
        yield f"node table of {one}", {f"{NODES}.arrow": arrow(table), f"{LINKS}.edges": b"ann bob\nbob cid\n"}
        twice = pa.table({"node": ["ann", "ann", "cid"], "column": first})
        yield f"node table of repeated {one}", {f"{NODES}.arrow": arrow(twice), f"{LINKS}.edges": b"ann bob\nbob cid\n"}
        named = pa.table({"node": first, "column": [1, 2, 3]})
        yield f"node table named by {one}", {f"{NODES}.arrow": arrow(named), f"{LINKS}.edges": b"1 2\n2 3\n"}
    yield "Feather of version 1", {f"{LINKS}.feather": b"FEA1" + bytes(100) + b"FEA1"}
    same = pa.table([COLUMNS["text"]] * 3, names=["source", "target", "source"])
    yield from files("columns of the same name", same)
    empty = pa.table({"source": pa.array([], pa.string()), "target": pa.array([], pa.string())})
    yield from files("no rows", empty)
    yield "node table of no columns", {f"{NODES}.arrow": arrow(pa.table({})), f"{LINKS}.edges": b"1 2\n"}


def compressed_by_hand() -> Iterable[tuple[str, Files]]:
    lines = b"1 2\n" * (EXPANDED // 4)
    yield "gzip that expands", {f"{LINKS}.edges.gz": gzip.compress(lines, compresslevel=1)}
    for kind in SAMPLES:
        packed = compressed(SAMPLES[kind], ".zst")
        yield f"{kind}.zst twice", {f"{LINKS}{kind}.zst": packed + packed}
        yield f"{kind}.zst of another length", {f"{LINKS}{kind}.zst": packed[:5] + b"\xff\xff\xff\x7f" + packed[9:]}
        yield f"{kind}.gz within", {f"{LINKS}{kind}.gz": compressed(compressed(SAMPLES[kind], ".gz"), ".gz")}


@cache
def by_hand() -> list[tuple[str, Files]]:
    """All files that were written to do harm, with what they are."""
    return list(
        chain(
            npz_by_hand(), mat_by_hand(), embeddings_by_hand(), graphs_by_hand(), matrices_by_hand(), tables_by_hand(),
            compressed_by_hand(),
        )
    )  # fmt: skip


# ---- the process that reads them -------------------------------------------------------------------------------------


def use(folder: Path, files: Files) -> None:
    """Do with files what a user does; the names say what they are."""
    for name, data in files.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_bytes(data)
    first = next(iter(files))
    if first == EMBEDDING or first.startswith(f"{FOLDER}/"):
        use_embedding(ng.load(folder / (EMBEDDING if first == EMBEDDING else FOLDER), threads=1))
        return
    links = next(name for name in files if name.startswith(LINKS))
    nodes = next((folder / name for name in files if name.startswith(NODES)), None)
    use_network(ng.read(folder / links, nodes=nodes, memory_limit=LIMIT))


def use_embedding(made: ng.Embedding) -> None:
    from netgiven.cli.info import describe_embedding

    describe_embedding(made)
    made.likely_links(count=3)
    made.likely_links(made.nodes[0])
    use_network(made.network)
    assert np.all(np.isfinite(made.positions))


def use_network(network: ng.Network) -> None:
    from netgiven.cli.info import describe_network

    describe_network(network)
    assert network.nodes.is_unique
    assert network.indptr[-1] == 2 * network.link_count == len(network.indices)
    assert len(network.columns) == network.node_count


def outcome(files: Files) -> str:
    """ "read", "refused", or what went wrong."""
    with TemporaryDirectory() as folder:
        try:
            use(Path(folder), files)
        except ng.NetgivenError as error:
            message = str(error)
            return "memory ran out" if "more memory than there is" in message else "refused"
        except BaseException as error:  # noqa: BLE001 - whatever it is, it is reported
            place = error.__traceback__
            while place is not None and place.tb_next is not None:
                place = place.tb_next
            where = f"{Path(place.tb_frame.f_code.co_filename).name}:{place.tb_lineno}" if place else ""
            return f"{type(error).__name__} at {where}: {' '.join(str(error).split())[:150]}"
    return "read"


def limit_memory(size: int) -> None:
    """Limit the memory of this process to what it has now and `size` more."""
    import resource

    now = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (now + size, now + size))


def main(kind: str, start: int, stop: int) -> None:
    """Read files, and print a line for each: number, what it is, and the outcome."""
    import signal
    import warnings

    cases = by_hand() if kind == "by_hand" else None
    for files in ({EMBEDDING: embedding()}, *({f"{LINKS}{one}": data} for one, data in SAMPLES.items())):
        assert outcome(files) == "read"  # and libraries are loaded, before their memory counts
    warnings.simplefilter("error")
    warnings.simplefilter("ignore", ng.InputWarning)  # what a network cannot hold is counted, which is right
    if sys.platform == "linux":
        limit_memory(MEMORY)
    for number in range(start, stop if cases is None else min(stop, len(cases))):
        name, files = cases[number] if cases is not None else damaged(number)
        print(f"{number}\t{name}\t", end="", flush=True)
        signal.setitimer(signal.ITIMER_REAL, SECONDS)  # ends the process
        found = outcome(files)
        signal.setitimer(signal.ITIMER_REAL, 0)
        print(found, flush=True)


def findings(kind: str, start: int = 0, stop: int = sys.maxsize) -> list[Finding]:
    """Read files in a process of its own, and in a new one behind each file that ends it."""
    found: list[Finding] = []
    while True:
        command = [sys.executable, "-m", "tests.hostile_files", kind, str(start), str(stop)]
        environment = {**os.environ, **FEW_ADDRESSES}
        done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
        lines = [line.split("\t", 2) for line in done.stdout.splitlines()]
        assert lines, done.stderr
        if done.returncode:
            lines[-1][2] = f"the process ended with {done.returncode}: {done.stderr.strip()[-300:]}"
        found += [Finding(int(number), name, problem) for number, name, problem in lines if problem not in EXPECTED]
        if not done.returncode:
            return found
        start = int(lines[-1][0]) + 1


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
