"""A network in a folder of part files (Parquet, CSV, any format), each part read by itself.

No step on one part needs another part, so that parts can be read in parallel, on any number of machines. Each worker
owns a range of nodes: every part sends the links of a range to its owner, which makes the rows of these nodes.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

from netgiven.edges import check_names
from netgiven.errors import InputError
from netgiven.io.files import File, load_file
from netgiven.io.read import read_links
from netgiven.io.tables import KINDS, table_columns
from netgiven.io.text import lay_out, looks_like_header
from netgiven.kernels import arrays

Keys = npt.NDArray[np.int64]
Numbers = npt.NDArray[np.int32]

_NUMBERED = re.compile(r"part[-_.]?(\d+)")


@dataclass(frozen=True)
class Facts:
    """Facts about a part besides its links."""

    label: str
    columns: tuple[str, ...]
    given: int
    loops: int
    weighted: int
    notes: tuple[str, ...]


class Ends(NamedTuple):
    """The two ends of links, as positions among the names of their part."""

    first: Numbers
    second: Numbers


def part_files(folder: str | PathLike[str]) -> list[Path]:
    """Return the files of a folder sorted by name, without those that begin with a dot or an underscore."""
    if not Path(folder).is_dir():
        raise InputError(f"There is no folder {folder}; give one that holds part files.")
    files = sorted(path for path in Path(folder).iterdir() if path.is_file() and path.name[0] not in "._")
    if not files:
        raise InputError(f"The folder {folder} holds no files; part files with links are needed.")
    _check_all_there(folder, files)
    return files


def _check_all_there(folder: Any, files: list[Path]) -> None:
    """Raise an error if a number is missing among numbered parts."""
    found = [_NUMBERED.match(path.name) for path in files]
    numbers = sorted({int(match.group(1)) for match in found if match})
    if len(numbers) < 2 or None in found:
        return
    missing = set(range(numbers[0] and 1, numbers[-1])) - set(numbers)
    if missing:
        raise InputError(
            f"In the folder {folder} part {min(missing)} is missing: there are parts {numbers[0]} to {numbers[-1]}. "
            "Copy it there, or rename the parts if there never was one."
        )


def read_part(path: str, header: bool | None, delimiter: str | None) -> tuple[pd.Index[Any], Ends, Facts]:
    """Return the names of the nodes of one part, its links, and facts about it."""
    file = load_file(path)
    links = read_links(file, header, delimiter)
    ends = Ends(*(end.astype(np.int32, copy=False) for end in (links.first, links.second)))
    links.weights.check(len(ends.first))
    loops = int(np.count_nonzero(ends.first == ends.second))
    columns = columns_of(file, header, delimiter)
    return links.names, ends, Facts(file.label, columns, len(ends.first), loops, links.weights.other, links.notes)


def columns_of(file: File, header: bool | None, delimiter: str | None) -> tuple[str, ...]:
    """Return the names of a part's columns; without a header their number."""
    if file.kind in KINDS:
        return tuple(table_columns(file)[0])
    text = lay_out(file, looks_like_header, header, delimiter)
    return (f"{text.width} columns without names",) if text.header is None else tuple(text.header)


def check_same_columns(facts: Sequence[Facts]) -> None:
    """Raise an error if not all parts have the same columns."""
    first = facts[0]
    for other in facts[1:]:
        if other.columns != first.columns:
            raise InputError(
                f"{other.label} has other columns than {first.label}: {', '.join(other.columns)} instead of "
                f"{', '.join(first.columns)}. All part files of a folder need the same."
            )


# ---- numbers for names, over all parts -----------------------------------------------------------------------------


def number_parts(names: Sequence[pd.Index[Any]], labels: Sequence[str]) -> tuple[pd.Index[Any], list[Numbers]]:
    """Return all names, in the order that one file with all links would give them, and each part's names as numbers.

    >>> every, numbers = number_parts([pd.Index([3, 7]), pd.Index([1, 7])], ["a", "b"])
    >>> every.tolist(), [some.tolist() for some in numbers]
    ([1, 3, 7], [[1, 2], [0, 2]])
    """
    for other, label in zip(names, labels, strict=True):
        if other.dtype != names[0].dtype:
            problem = f"{label} names nodes by {_kind(other)}, {labels[0]} by {_kind(names[0])}"
            raise InputError(f"{problem}; name all of them in one way.")
    if names[0].dtype == np.int64:  # without the hash table of an index, which is five times as large as the names
        numbers = arrays.distinct(np.concatenate([some.to_numpy() for some in names]))
        return pd.Index(numbers), [np.searchsorted(numbers, some.to_numpy()).astype(np.int32) for some in names]
    every: pd.Index[Any] = pd.Index(pd.concat([some.to_series() for some in names]).unique(), dtype=names[0].dtype)
    check_names(every, distinct=True)
    return every, [every.get_indexer(some).astype(np.int32) for some in names]


def _kind(names: pd.Index[Any]) -> str:
    return "integers" if names.dtype == np.int64 else "text"


# ---- rows, made by their owners ------------------------------------------------------------------------------------


def count_ends(ends: Ends, numbers: Numbers, count: int) -> npt.NDArray[np.int64]:
    """Count the ends of links of each node in a part, before duplicates are merged."""
    return sum((np.bincount(numbers[end], minlength=count) for end in ends), np.zeros(count, dtype=np.int64))


def split_links(ends: Ends, numbers: Numbers, count: int, bounds: Sequence[int]) -> list[Keys]:
    """Return for each range of nodes the links that end there, as keys: row, column, and the direction as given."""
    first, second = (numbers[end].astype(np.int64) for end in ends)
    apart = first != second
    first, second = first[apart], second[apart]
    return split_keys(np.concatenate([(first * count + second) * 2, (second * count + first) * 2 + 1]), count, bounds)


def split_rows(rows: arrays.LinkRows, start: int, place: Numbers, bounds: Sequence[int]) -> list[Keys]:
    """Return the same for rows from node `start` on, where node i is now place[i]."""
    count = len(place)
    own = np.repeat(np.arange(start, start + len(rows.indptr) - 1), np.diff(rows.indptr))
    return split_keys((place[own].astype(np.int64) * count + place[rows.indices]) * 2, count, bounds)


def split_keys(keys: Keys, count: int, bounds: Sequence[int]) -> list[Keys]:
    """Split keys by the range of nodes that their row lies in."""
    keys.sort()
    cuts = np.searchsorted(keys, np.array(bounds, dtype=np.int64)[1:-1] * (2 * count))
    return np.split(keys, cuts)


class ShardRows(NamedTuple):
    """The rows of a range, their degrees, and the number of distinct keys."""

    rows: arrays.LinkRows
    degrees: npt.NDArray[np.int64]
    distinct: int


def merge_rows(start: int, stop: int, count: int, *pieces: Keys) -> ShardRows:
    """Return the rows from `start` to `stop` of a network of `count` nodes from the keys sent to their owner.

    >>> keys = split_links(Ends(np.array([0, 1]), np.array([1, 2])), np.arange(3, dtype=np.int32), 3, [0, 2, 3])
    >>> merge_rows(0, 2, 3, keys[0]).rows
    LinkRows(indptr=array([0, 1, 3]), indices=array([1, 0, 2], dtype=int32))
    """
    keys = arrays.distinct(np.concatenate(pieces))
    pairs = arrays.distinct(keys >> 1)
    degrees = np.bincount(pairs // count - start, minlength=stop - start)
    indptr = np.concatenate([[0], np.cumsum(degrees)])
    return ShardRows(arrays.LinkRows(indptr, (pairs % count).astype(np.int32)), degrees, len(keys))
