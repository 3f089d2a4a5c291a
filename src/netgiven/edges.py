"""Cleaning of links: from pairs of names to numbered, undirected, unweighted links, once each.

What is dropped or merged is counted, and reported in one line.
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

# Links are held as 32-bit node numbers: half the memory of 64 bits, and twice as fast to read.
MAX_NODES = 2**31 - 1

# With this many links, SciPy takes longer than half a second, which loading the compiled code takes.
MANY_LINKS = 5_000_000


@dataclass(frozen=True)
class EdgeCleaning:
    """What cleaning did to the links as they were given.

    Parameters
    ----------
    given, kept : int
        Number of links before and after cleaning.
    self_loops : int
        Links of a node with itself, which were dropped.
    duplicates : int
        Links that were given more than once in the same direction, which were merged.
    both_directions : int
        Links that were given in both directions, which were merged.
    weighted, directed : bool
        Whether the source had weights or directions, which were ignored.

    Examples
    --------
    >>> print(EdgeCleaning(given=5, kept=3, self_loops=1, duplicates=1))
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
        listed = ", ".join(change for change in changes if change)
        return f"{counted(self.given, 'link')} given, {self.kept:,} kept" + (f": {listed}" if listed else "")


def counted(count: int, noun: str) -> str:
    """A number and its noun, in the singular or plural.

    >>> counted(1, "node"), counted(2000, "link")
    ('1 node', '2,000 links')
    """
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def clean_edges(
    first: IntegerArray, second: IntegerArray, node_count: int, *, weighted: bool = False, directed: bool = False
) -> tuple[Int64Array, Int32Array, EdgeCleaning]:
    """Row starts and sorted columns (CSR, both directions) of the links, and the report of the cleaning.

    >>> starts, columns, cleaning = clean_edges(np.array([0, 1, 1]), np.array([1, 0, 2]), 3)
    >>> starts.tolist(), columns.tolist()
    ([0, 1, 3, 4], [1, 0, 2, 1])
    >>> print(cleaning)
    3 links given, 2 kept: 1 given in both directions merged
    """
    if node_count > MAX_NODES:
        raise InputError(f"{node_count:,} nodes were given; a network has at most {MAX_NODES:,}.")
    ends = np.ascontiguousarray(first, dtype=np.int32), np.ascontiguousarray(second, dtype=np.int32)
    make_rows = compiled_rows if len(first) >= MANY_LINKS else scipy_rows
    indptr, indices, directed_count = make_rows(*ends, node_count)
    loops, kept = int(np.count_nonzero(ends[0] == ends[1])), len(indices) // 2
    cleaning = EdgeCleaning(
        given=len(first),
        kept=kept,
        self_loops=loops,
        duplicates=len(first) - loops - directed_count,
        both_directions=directed_count - kept,
        weighted=weighted,
        directed=directed,
    )
    return indptr, indices, cleaning


def compiled_rows(first: Int32Array, second: Int32Array, node_count: int) -> Rows:
    """Row starts, sorted columns, and the number of distinct links where (1, 2) and (2, 1) count as two: compiled."""
    from netgiven.kernels import csr

    return csr.sorted_rows(first, second, node_count)


def scipy_rows(first: Int32Array, second: Int32Array, node_count: int) -> Rows:
    """The result of `compiled_rows` by SciPy: its twin in tests, and faster for few links.

    >>> indptr, indices, directed_count = scipy_rows(np.array([0, 1, 1, 2]), np.array([1, 0, 2, 2]), 3)
    >>> indptr.tolist(), indices.tolist(), directed_count
    ([0, 1, 3, 4], [1, 0, 2, 1], 3)
    """
    distinct = first != second
    first, second = first[distinct], second[distinct]
    present = np.ones(len(first), dtype=np.int8)
    directed = sparse.coo_array((present, (first, second)), shape=(node_count, node_count)).tocsr()
    directed.data[:] = 1  # duplicates were added up, and the sum of 256 of them overflows to 0
    links = directed + directed.T
    return links.indptr.astype(np.int64), links.indices.astype(np.int32, copy=False), directed.nnz


# ---- names ---------------------------------------------------------------------------------------------------------


def to_python(value: Any) -> Any:
    """A value as a Python object, not a NumPy one."""
    if isinstance(value, (np.generic, np.ndarray)):
        return value.tolist()
    return type(value)(map(to_python, value)) if type(value) in (tuple, list) else value


def shown(value: Any) -> str:
    """A name as a person would type it.

    >>> shown(np.int64(3)), shown((np.str_("a"), 1))
    ('3', "('a', 1)")
    """
    return repr(to_python(value))


def check_names(names: pd.Index[Any], *, distinct: bool = False) -> pd.Index[Any]:
    """The names, checked to be neither empty nor duplicate; `distinct` skips the check for duplicates."""
    empty = np.asarray(names.isna())
    if not pd.api.types.is_numeric_dtype(names.dtype):
        empty = empty | np.asarray(names == "")
    if empty.any():
        raise InputError(
            f"Node number {int(np.argmax(empty)) + 1} has no name (empty or NaN); name it or leave it out."
        )
    if not distinct and not names.is_unique:
        twice = names[names.duplicated()][0]
        raise InputError(f"Node {shown(twice)} is named more than once in the node table; give one row per node.")
    return names


def typed_series(values: list[Any]) -> pd.Series[Any]:
    """Names as a column: 64-bit integers if all are integers that fit, text if all are text, else objects."""
    column = pd.Series(values, dtype=object)
    kind = pd.api.types.infer_dtype(values, skipna=False)
    try:
        if kind == "integer":
            return column.astype("int64")
        return column.astype("str") if kind == "string" else column
    except OverflowError:
        return column
    except UnicodeEncodeError as error:
        raise InputError(f"The name {error.object!r} is not valid text (it holds half of a character).") from error


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
class EdgeList:
    """Links as they were given, before cleaning: node names, and the ends of each link as positions among them.

    `columns` has one row per name. `weighted` and `directed` say what the source had; the model ignores both.
    """

    names: pd.Index[Any]
    first: IntegerArray
    second: IntegerArray
    columns: pd.DataFrame = field(default_factory=pd.DataFrame)
    weighted: bool = False
    directed: bool = False
    notes: tuple[str, ...] = ()
    distinct: bool = False  # the names are known to be distinct; checking takes as long as reading them

    def with_node_table(self, names: pd.Index[Any], columns: pd.DataFrame) -> EdgeList:
        """The same links with the names of a node table first, in its order, followed by all others.

        Columns of the table replace columns of the same name.
        """
        check_names(names)
        place = names.get_indexer(self.names).astype(np.int64)
        new = place < 0
        if len(new) and new.all():
            _check_kinds(names, self.names)
        place[new] = len(names) + np.arange(np.count_nonzero(new))
        every = names.append(self.names[new]) if new.any() else names
        merged = columns.reset_index(drop=True).reindex(pd.RangeIndex(len(every)))
        for name in self.columns.columns.difference(merged.columns, sort=False):
            merged[name] = self.columns[name].set_axis(place).reindex(merged.index)
        first, second = place[self.first], place[self.second]
        return replace(self, names=every, first=first, second=second, columns=merged, distinct=False)


def _check_kinds(names: pd.Index[Any], linked: pd.Index[Any]) -> None:
    """Raise an error if no linked node is in the node table, but one with the same text is, such as 1 and "1"."""
    looks = {str(to_python(name)): name for name in names}
    for name in linked:
        alike = looks.get(str(to_python(name)))
        if alike is not None:
            raise InputError(
                f"Links and node table have node names of different types: {shown(name)} is {_kind(name)} in the "
                f"links, {shown(alike)} is {_kind(alike)} in the table. Give both the same type."
            )


def _kind(name: Any) -> str:
    return type(to_python(name)).__name__


def number_ends(first: pd.Index[Any], second: pd.Index[Any]) -> EdgeList:
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


def number_integers(first: Int64Array, second: Int64Array) -> EdgeList:
    """Links between integers: numbered by a table of marks if they are dense, by sorting if not."""
    if not len(first):
        return EdgeList(pd.Index(first), first, second)
    low, high = int(min(first.min(), second.min())), int(max(first.max(), second.max()))
    if high - low > 16 * len(first) + 1_000_000:
        names, numbers = np.unique(np.concatenate([first, second]), return_inverse=True)
        return EdgeList(pd.Index(names), numbers[: len(first)], numbers[len(first) :])
    marks = np.zeros(high - low + 1, dtype=bool)
    first, second = (first, second) if low == 0 else (first - low, second - low)
    marks[first] = True
    marks[second] = True
    names = np.flatnonzero(marks) + low
    if len(names) == len(marks):  # no gaps: the numbers are there already
        return EdgeList(pd.Index(names), first.astype(np.int32), second.astype(np.int32))
    place = np.cumsum(marks, dtype=np.int32) - np.int32(1)
    return EdgeList(pd.Index(names), place[first], place[second])


def by_appearance(names: pd.Index[Any], first: IntegerArray, second: IntegerArray) -> EdgeList:
    """The same links with names in the order of their first appearance."""
    lines = np.arange(len(first), dtype=np.int64)[::-1]
    seen = np.full((2, len(names)), 2 * len(lines), dtype=np.int64)
    seen[0, first[::-1]] = 2 * lines  # backwards: of several lines the earliest is written last, and stays
    seen[1, second[::-1]] = 2 * lines + 1
    order = np.argsort(seen.min(axis=0), kind="stable")
    place = np.empty(len(names), dtype=np.int32)
    place[order] = np.arange(len(names), dtype=np.int32)
    return EdgeList(names[order], place[first], place[second])
