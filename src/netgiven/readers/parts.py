"""A network in a folder of part files: Parquet, CSV and whatever else is read, each part by itself.

What is done with one part needs no other, so that parts can be read side by side, on whatever machines there are. Rows
of links are made by whoever owns their nodes, from what all parts deal out.
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
from netgiven.kernels import arrays
from netgiven.readers.arrow import arrow_columns, is_arrow
from netgiven.readers.families import read_links
from netgiven.readers.files import File, load_file
from netgiven.readers.layout import lay_out
from netgiven.readers.text import looks_like_header

Keys = npt.NDArray[np.int64]
Numbers = npt.NDArray[np.int32]

_NUMBERED = re.compile(r"part[-_.]?(\d+)")


@dataclass(frozen=True)
class Facts:
    """What is to be known of a part besides its links."""

    label: str
    columns: tuple[str, ...]
    given: int
    loops: int
    weighted: bool
    notes: tuple[str, ...]


class Ends(NamedTuple):
    """The two ends of links, as places among the names of their part."""

    first: Numbers
    second: Numbers


def part_files(folder: str | PathLike[str]) -> list[Path]:
    """The files of a folder by name; those that begin with a dot or an underscore are not meant for readers."""
    if not Path(folder).is_dir():
        raise InputError(f"There is no folder {folder}; give one that holds part files.")
    files = sorted(path for path in Path(folder).iterdir() if path.is_file() and path.name[0] not in "._")
    if not files:
        raise InputError(f"The folder {folder} holds no files; part files with links are needed.")
    _check_all_there(folder, files)
    return files


def _check_all_there(folder: Any, files: list[Path]) -> None:
    """Parts that are numbered are numbered through."""
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
    """The names of the nodes of one part, its links, and what is to be known of it."""
    file = load_file(path)
    links = read_links(file, header, delimiter)
    ends = Ends(*(end.astype(np.int32, copy=False) for end in (links.first, links.second)))
    loops = int(np.count_nonzero(ends.first == ends.second))
    columns = columns_of(file, header, delimiter)
    return links.names, ends, Facts(file.label, columns, len(ends.first), loops, links.weighted, links.notes)


def columns_of(file: File, header: bool | None, delimiter: str | None) -> tuple[str, ...]:
    """The names of a part's columns; without a header their number."""
    if is_arrow(file.kind):
        return tuple(arrow_columns(file)[0])
    text = lay_out(file, looks_like_header, header, delimiter)
    return (f"{text.width} columns without names",) if text.header is None else tuple(text.header)


def check_alike(facts: Sequence[Facts]) -> None:
    """All parts have the same columns."""
    first = facts[0]
    for other in facts[1:]:
        if other.columns != first.columns:
            raise InputError(
                f"{other.label} has other columns than {first.label}: {', '.join(other.columns)} instead of "
                f"{', '.join(first.columns)}. All part files of a folder need the same."
            )


# ---- numbers for names, over all parts -----------------------------------------------------------------------------


def number_pieces(names: Sequence[pd.Index[Any]], labels: Sequence[str]) -> tuple[pd.Index[Any], list[Numbers]]:
    """All names, in the order that one file with all links would give them, and each part's as numbers of these.

    >>> every, numbers = number_pieces([pd.Index([3, 7]), pd.Index([1, 7])], ["a", "b"])
    >>> every.tolist(), [some.tolist() for some in numbers]
    ([1, 3, 7], [[1, 2], [0, 2]])
    """
    for other, label in zip(names, labels, strict=True):
        if other.dtype != names[0].dtype:
            told = f"{label} names nodes by {_kind(other)}, {labels[0]} by {_kind(names[0])}"
            raise InputError(f"{told}; name all of them in one way.")
    if names[0].dtype == np.int64:
        every: pd.Index[Any] = pd.Index(np.unique(np.concatenate([some.to_numpy() for some in names])))
    else:
        every = pd.Index(pd.concat([some.to_series() for some in names]).unique(), dtype=names[0].dtype)
    check_names(every, distinct=True)
    return every, [every.get_indexer(some).astype(np.int32) for some in names]


def _kind(names: pd.Index[Any]) -> str:
    return "integers" if names.dtype == np.int64 else "text"


# ---- rows, made by their owners ------------------------------------------------------------------------------------


def count_ends(ends: Ends, numbers: Numbers, count: int) -> npt.NDArray[np.int64]:
    """How many ends of links each node has in a part, before anything is merged."""
    return sum((np.bincount(numbers[end], minlength=count) for end in ends), np.zeros(count, dtype=np.int64))


def deal(ends: Ends, numbers: Numbers, count: int, bounds: Sequence[int]) -> list[Keys]:
    """For each range of nodes the links that end there, as keys: row, column, and the way that the link was given."""
    first, second = (numbers[end].astype(np.int64) for end in ends)
    apart = first != second
    first, second = first[apart], second[apart]
    return deal_keys(np.concatenate([(first * count + second) * 2, (second * count + first) * 2 + 1]), count, bounds)


def deal_again(rows: arrays.Links, start: int, place: Numbers, bounds: Sequence[int]) -> list[Keys]:
    """The same for rows from node `start` on, where node i is now place[i]."""
    count = len(place)
    own = np.repeat(np.arange(start, start + len(rows.indptr) - 1), np.diff(rows.indptr))
    return deal_keys((place[own].astype(np.int64) * count + place[rows.indices]) * 2, count, bounds)


def deal_keys(keys: Keys, count: int, bounds: Sequence[int]) -> list[Keys]:
    """Keys by the range that their row lies in."""
    keys.sort()
    cuts = np.searchsorted(keys, np.array(bounds, dtype=np.int64)[1:-1] * (2 * count))
    return np.split(keys, cuts)


class Gathered(NamedTuple):
    """The rows of a range; their degrees; and how many distinct keys there were."""

    rows: arrays.Links
    degrees: npt.NDArray[np.int64]
    distinct: int


def gather(start: int, stop: int, count: int, *dealt: Keys) -> Gathered:
    """The rows from `start` to `stop` of a network of `count` nodes, from what was dealt to them.

    >>> keys = deal(Ends(np.array([0, 1]), np.array([1, 2])), np.arange(3, dtype=np.int32), 3, [0, 2, 3])
    >>> gather(0, 2, 3, keys[0]).rows
    Links(indptr=array([0, 1, 3]), indices=array([1, 0, 2], dtype=int32))
    """
    keys = np.unique(np.concatenate(dealt))
    pairs = keys >> 1
    pairs = pairs[np.concatenate([[True], pairs[1:] != pairs[:-1]])] if len(pairs) else pairs
    degrees = np.bincount(pairs // count - start, minlength=stop - start)
    indptr = np.concatenate([[0], np.cumsum(degrees)])
    return Gathered(arrays.Links(indptr, (pairs % count).astype(np.int32)), degrees, len(keys))
