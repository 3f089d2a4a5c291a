"""Sorted rows of links (CSR): making them, renumbering them, and the compiled search for one pair.

`sorted_rows` makes rows with each link in both directions, once, and no node with itself; its twin in SciPy is
`edges.scipy_rows`. A key holds row, column and the direction in which the link was given, in this order of bits. Keys
go into buckets of neighbouring rows first: each bucket fits into a core's cache, where a radix sort is fast.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from netgiven.kernels.arrays import LinkRows
from netgiven.kernels.jit import inlined, kernel
from netgiven.types import Int32Array, Int64Array

u64 = np.uint64
ONE = u64(1)

BUCKET_BITS = 10  # 1024 places to write to side by side, one cache line each: a second-level cache holds them easily
DIGIT_BITS = 11  # 2048 counters take half of a first-level cache
DIGITS = 1 << DIGIT_BITS


class SortedRows(NamedTuple):
    """Row starts, sorted columns, and the number of distinct links where (1, 2) and (2, 1) count as two."""

    indptr: Int64Array
    indices: Int32Array
    directed_count: int


@inlined
def search_row(rows: Any, i: Any, j: Any) -> Any:
    """The first place in the sorted row of i that is not before j; `arrays.find_in_rows` is its twin in NumPy."""
    low, high = rows.indptr[i], rows.indptr[i + 1]
    while low < high:
        middle = (low + high) // 2
        if rows.indices[middle] < j:
            low = middle + 1
        else:
            high = middle
    return low


@inlined
def row_contains(rows: Any, i: Any, j: Any) -> Any:
    """Whether j is in the sorted row of i."""
    place = search_row(rows, i, j)
    return place < rows.indptr[i + 1] and rows.indices[place] == j


def sorted_rows(first: Int32Array, second: Int32Array, count: int) -> SortedRows:
    """Rows of the links between `count` nodes, from the node numbers of their ends.

    >>> ends = np.array([0, 1, 1, 2], dtype=np.int32), np.array([1, 0, 2, 2], dtype=np.int32)
    >>> indptr, indices, directed_count = sorted_rows(*ends, 3)
    >>> indptr.tolist(), indices.tolist(), directed_count
    ([0, 1, 3, 4], [1, 0, 2, 1], 3)
    """
    for ends in (first, second):
        if len(ends) and not 0 <= ends.min() <= ends.max() < count:
            raise ValueError(f"A link ends outside of the {count:,} nodes.")
    # Keys into buckets: rows that agree in all but the last `near` bits share one.
    node_bits = max(count - 1, 1).bit_length()
    near = max(node_bits - BUCKET_BITS, 0)
    sizes = np.zeros((max(count - 1, 0) >> near) + 1, dtype=np.int64)
    count_keys(first, second, near, sizes)
    bounds = np.concatenate([[0], np.cumsum(sizes)])
    keys = np.empty(bounds[-1], dtype=np.uint64)
    fill_buckets(first, second, near, node_bits, bounds[:-1].copy(), keys)
    # Each bucket sorted, without duplicates; columns are written over keys that have been read.
    degrees, columns = np.zeros(count + 1, dtype=np.int64), keys.view(np.int32)
    distinct = merge_buckets(keys, bounds, near, node_bits, degrees, columns)
    indptr = np.cumsum(degrees)
    return SortedRows(indptr, columns[: indptr[-1]].copy(), distinct // 2)


@kernel
def renumber_rows(start: int, stop: int, links: LinkRows, order: Any, place: Any, out: LinkRows) -> None:
    """Fill the sorted rows in [start, stop) of the same links, where node order[i] becomes node i, and i place[i]."""
    for i in range(start, stop):
        row = out.indices[out.indptr[i] : out.indptr[i + 1]]
        begin = links.indptr[order[i]]
        for k in range(len(row)):
            row[k] = place[links.indices[begin + k]]
        row.sort()


@kernel
def count_keys(first: Any, second: Any, near: Any, sizes: Any) -> None:
    """Count the keys of each bucket in `sizes`."""
    for k in range(len(first)):
        if first[k] != second[k]:
            sizes[first[k] >> near] += 1
            sizes[second[k] >> near] += 1


@kernel
def fill_buckets(first: Any, second: Any, near: Any, node_bits: Any, place: Any, keys: Any) -> None:
    """Write the keys of all links, bucket by bucket; `place` holds where each begins, and is advanced."""
    for k in range(len(first)):
        i, j = first[k], second[k]
        if i != j:
            keys[place[i >> near]] = _key(i, j, 0, node_bits)
            place[i >> near] += 1
            keys[place[j >> near]] = _key(j, i, 1, node_bits)
            place[j >> near] += 1


@inlined
def _key(row: Any, column: Any, direction: Any, node_bits: Any) -> Any:
    return (u64(row) << u64(node_bits + 1)) | (u64(column) << ONE) | u64(direction)


@kernel
def merge_buckets(keys: Any, bounds: Any, near: Any, node_bits: Any, degrees: Any, columns: Any) -> int:
    """Write columns and degrees (of row i at i + 1); return the number of distinct keys, two per directed link."""
    place, spare = np.empty(DIGITS + 1, dtype=np.int64), np.empty(np.diff(bounds).max(), dtype=np.uint64)
    row_shift, column_mask = u64(node_bits + 1), (ONE << u64(node_bits)) - ONE
    written, distinct = 0, 0
    for bucket in range(len(bounds) - 1):
        source = keys[bounds[bucket] : bounds[bucket + 1]]
        target = spare[: len(source)]
        for low in range(0, node_bits + 1 + near, DIGIT_BITS):
            _sort_by_digit(source, target, u64(low), place)
            source, target = target, source
        last = ~u64(0)
        for key in source:
            distinct += key != last
            if key >> ONE != last >> ONE:
                columns[written] = (key >> ONE) & column_mask
                degrees[(key >> row_shift) + ONE] += 1
                written += 1
            last = key
    return distinct


@inlined
def _sort_by_digit(source: Any, target: Any, low: Any, place: Any) -> None:
    """Stable counting sort of the keys by the DIGIT_BITS bits from `low` on."""
    place[:] = 0
    for key in source:
        place[((key >> low) & u64(DIGITS - 1)) + ONE] += 1
    for digit in range(1, DIGITS):
        place[digit] += place[digit - 1]
    for key in source:
        digit = (key >> low) & u64(DIGITS - 1)
        target[place[digit]] = key
        place[digit] += 1
