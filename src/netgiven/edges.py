"""From pairs of names as given to links as the model wants them: numbered, undirected, unweighted, once each.

What is dropped or merged is counted, and told in one line.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse

from netgiven.errors import InputError
from netgiven.types import Int32Array, Int64Array, IntegerArray

Rows = tuple[Int64Array, Int32Array, int]

# Links are held as 32-bit node numbers: half the memory of 64 bits, and twice as fast to walk through.
MOST_NODES = 2**31 - 1

# From so many links on SciPy takes longer than loading compiled code does, half a second.
MANY_LINKS = 5_000_000


@dataclass(frozen=True)
class Cleaning:
    """What was done to the links as they were given.

    >>> print(Cleaning(given=5, kept=3, self_loops=1, duplicates=1))
    5 links given, 3 kept: 1 self-loop dropped, 1 duplicate merged
    """

    given: int
    kept: int
    self_loops: int = 0
    duplicates: int = 0
    both_directions: int = 0
    weighted: bool = False
    directed: bool = False

    def __str__(self) -> str:
        changes = [
            f"{counted(self.self_loops, 'self-loop')} dropped" if self.self_loops else "",
            f"{counted(self.duplicates, 'duplicate')} merged" if self.duplicates else "",
            f"{self.both_directions:,} given in both directions merged" if self.both_directions else "",
            "direction ignored" if self.directed else "",
            "weights ignored" if self.weighted else "",
        ]
        told = ", ".join(change for change in changes if change)
        return f"{counted(self.given, 'link')} given, {self.kept:,} kept" + (f": {told}" if told else "")


def counted(count: int, noun: str) -> str:
    """A number of things.

    >>> counted(1, "node"), counted(2000, "link")
    ('1 node', '2,000 links')
    """
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def clean(
    first: IntegerArray, second: IntegerArray, node_count: int, *, weighted: bool = False, directed: bool = False
) -> tuple[Int64Array, Int32Array, Cleaning]:
    """Row starts and sorted columns (CSR, both directions) of the links, and what was done to get them.

    >>> starts, columns, cleaning = clean(np.array([0, 1, 1]), np.array([1, 0, 2]), 3)
    >>> starts.tolist(), columns.tolist()
    ([0, 1, 3, 4], [1, 0, 2, 1])
    >>> print(cleaning)
    3 links given, 2 kept: 1 given in both directions merged
    """
    if node_count > MOST_NODES:
        raise InputError(f"{node_count:,} nodes were given; a network holds {MOST_NODES:,} at the most.")
    ends = np.ascontiguousarray(first, dtype=np.int32), np.ascontiguousarray(second, dtype=np.int32)
    csr = sorted_rows if len(first) >= MANY_LINKS else plain_rows
    indptr, indices, one_way = csr(*ends, node_count)
    loops, kept = int(np.count_nonzero(ends[0] == ends[1])), len(indices) // 2
    cleaning = Cleaning(
        given=len(first),
        kept=kept,
        self_loops=loops,
        duplicates=len(first) - loops - one_way,
        both_directions=one_way - kept,
        weighted=weighted,
        directed=directed,
    )
    return indptr, indices, cleaning


def sorted_rows(first: Int32Array, second: Int32Array, node_count: int) -> Rows:
    """Row starts, sorted columns, and how many distinct links there were when (1, 2) and (2, 1) are two: compiled."""
    from netgiven.kernels import csr

    return csr.sorted_rows(first, second, node_count)


def plain_rows(first: Int32Array, second: Int32Array, node_count: int) -> Rows:
    """The same by SciPy: the judge of the compiled one, and at work where that would not pay.

    >>> indptr, indices, one_way = plain_rows(np.array([0, 1, 1, 2]), np.array([1, 0, 2, 2]), 3)
    >>> indptr.tolist(), indices.tolist(), one_way
    ([0, 1, 3, 4], [1, 0, 2, 1], 3)
    """
    distinct = first != second
    first, second = first[distinct], second[distinct]
    present = np.ones(len(first), dtype=np.int8)
    one_way = sparse.coo_array((present, (first, second)), shape=(node_count, node_count)).tocsr()
    one_way.data[:] = 1  # duplicates were added up, and 256 of them would have come to 0
    links = one_way + one_way.T
    return links.indptr.astype(np.int64), links.indices.astype(np.int32, copy=False), one_way.nnz


# ---- names ---------------------------------------------------------------------------------------------------------


def plain(value: Any) -> Any:
    """A value as Python has it, not NumPy."""
    if isinstance(value, (np.generic, np.ndarray)):
        return value.tolist()
    return type(value)(map(plain, value)) if type(value) in (tuple, list) else value


def shown(value: Any) -> str:
    """A name as a person would type it.

    >>> shown(np.int64(3)), shown((np.str_("a"), 1))
    ('3', "('a', 1)")
    """
    return repr(plain(value))


def check_names(names: pd.Index[Any], *, distinct: bool = False) -> pd.Index[Any]:
    """The names, if each is there and there only once; `distinct` says that the latter is known already."""
    empty = np.asarray(names.isna())
    if not pd.api.types.is_numeric_dtype(names.dtype):
        empty = empty | np.asarray(names == "")
    if empty.any():
        raise InputError(
            f"Node number {int(np.argmax(empty)) + 1} has no name (empty or NaN); name it or leave it out."
        )
    if not distinct and not names.is_unique:
        twice = names[names.duplicated()][0]
        raise InputError(f"Node {shown(twice)} is named more than once in the node table; give one row a node.")
    return names


def typed_series(values: list[Any]) -> pd.Series[Any]:
    """Names as a column: 64-bit integers if all are whole numbers that fit, text if all are, else as they are."""
    column = pd.Series(values, dtype=object)
    kind = pd.api.types.infer_dtype(values, skipna=False)
    try:
        if kind == "integer":
            return column.astype("int64")
        return column.astype("str") if kind == "string" else column
    except OverflowError:
        return column
    except UnicodeEncodeError as error:
        raise InputError(f"The name {error.object!r} is no valid text (it holds half of a character).") from error


def names_index(column: pd.Series[Any]) -> pd.Index[Any]:
    """A column as an index; tuples stay tuples (pandas would make levels of them)."""
    if isinstance(column.dtype, pd.CategoricalDtype):
        column = column.astype(column.cat.categories.dtype)
    if column.dtype == object:
        column = typed_series(column.tolist())
    if column.isna().any():
        row = int(np.argmax(column.isna().to_numpy())) + 1
        raise InputError(f"Node number {row} has no name (empty or NaN); name it or leave it out.")
    index: pd.Index[Any] = pd.Index(column, dtype=column.dtype, tupleize_cols=False)
    if pd.api.types.is_integer_dtype(column.dtype) and not (len(column) and column.max() > np.iinfo(np.int64).max):
        index = pd.Index(column.to_numpy(dtype=np.int64))
    return index


@dataclass(frozen=True)
class Links:
    """Links as they were given, before cleaning: names, each link's ends as positions among them, and what is known.

    `columns` has one row a name. `weighted` and `directed` say what the source held; the model ignores both.
    """

    names: pd.Index[Any]
    first: IntegerArray
    second: IntegerArray
    columns: pd.DataFrame = field(default_factory=pd.DataFrame)
    weighted: bool = False
    directed: bool = False
    notes: tuple[str, ...] = ()
    distinct: bool = False  # whoever numbered the names told them apart: a second look takes as long as reading them

    def joined(self, names: pd.Index[Any], columns: pd.DataFrame) -> Links:
        """The same links with a node table's names first, in its order, and the names that only links hold after.

        Columns of the table replace columns of the same name.
        """
        check_names(names)
        place = names.get_indexer(self.names).astype(np.int64)
        new = place < 0
        if len(new) and new.all():
            _check_kinds(names, self.names)
        place[new] = len(names) + np.arange(np.count_nonzero(new))
        every = names.append(self.names[new]) if new.any() else names
        known = columns.reset_index(drop=True).reindex(pd.RangeIndex(len(every)))
        for name in self.columns.columns.difference(known.columns, sort=False):
            known[name] = self.columns[name].set_axis(place).reindex(known.index)
        first, second = place[self.first], place[self.second]
        return replace(self, names=every, first=first, second=second, columns=known, distinct=False)


def _check_kinds(names: pd.Index[Any], linked: pd.Index[Any]) -> None:
    """No linked node stands in the node table; if it does as text, 1 was meant to be "1" or the other way round."""
    looks = {str(plain(name)): name for name in names}
    for name in linked:
        alike = looks.get(str(plain(name)))
        if alike is not None:
            raise InputError(
                f"Links and node table name nodes by other kinds: {shown(name)} is {_kind(name)} in the links, "
                f"{shown(alike)} is {_kind(alike)} in the table. Give both the same kind."
            )


def _kind(name: Any) -> str:
    return type(plain(name)).__name__


def number_ends(first: pd.Index[Any], second: pd.Index[Any]) -> Links:
    """Links from the names of their two ends.

    Names come out in ascending order for integers, by first appearance for everything else.

    >>> links = number_ends(pd.Index([7, 3]), pd.Index([3, 9]))
    >>> links.names.tolist(), links.first.tolist(), links.second.tolist()
    ([3, 7, 9], [1, 0], [0, 2])
    """
    if first.dtype == second.dtype == np.int64:
        return number_integers(first.to_numpy(), second.to_numpy())
    if first.dtype == second.dtype != object:
        codes, names = pd.factorize(first.append(second))
    else:  # an index would turn (1, 2.5) into floats: names stay what they are
        codes, found = pd.factorize(np.concatenate([first.to_numpy(object), second.to_numpy(object)]))
        names = pd.Index(found, dtype=object, tupleize_cols=False)
    numbers = codes.astype(np.int32)
    return by_appearance(names, numbers[: len(first)], numbers[len(first) :])


def number_integers(first: Int64Array, second: Int64Array) -> Links:
    """Integers by a table of marks where they are dense, by sorting where they are not."""
    if not len(first):
        return Links(pd.Index(first), first, second)
    low, high = int(min(first.min(), second.min())), int(max(first.max(), second.max()))
    if high - low > 16 * len(first) + 1_000_000:
        names, numbers = np.unique(np.concatenate([first, second]), return_inverse=True)
        return Links(pd.Index(names), numbers[: len(first)], numbers[len(first) :])
    marks = np.zeros(high - low + 1, dtype=bool)
    first, second = (first, second) if low == 0 else (first - low, second - low)
    marks[first] = True
    marks[second] = True
    names = np.flatnonzero(marks) + low
    if len(names) == len(marks):  # no gaps: the numbers are there already
        return Links(pd.Index(names), first.astype(np.int32), second.astype(np.int32))
    place = np.cumsum(marks, dtype=np.int32) - np.int32(1)
    return Links(pd.Index(names), place[first], place[second])


def by_appearance(names: pd.Index[Any], first: IntegerArray, second: IntegerArray) -> Links:
    """The same links with names in the order in which a reader of the lines would meet them."""
    lines = np.arange(len(first), dtype=np.int64)[::-1]
    seen = np.full((2, len(names)), 2 * len(lines), dtype=np.int64)
    seen[0, first[::-1]] = 2 * lines  # backwards: of several lines the earliest is written last, and stays
    seen[1, second[::-1]] = 2 * lines + 1
    order = np.argsort(seen.min(axis=0), kind="stable")
    place = np.empty(len(names), dtype=np.int32)
    place[order] = np.arange(len(names), dtype=np.int32)
    return Links(names[order], place[first], place[second])
