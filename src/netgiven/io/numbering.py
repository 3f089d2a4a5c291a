"""Names to numbers in the order of their first appearance, compiled: for long lists.

The reference implementation is `columns.number_text`.

Names are handled eight bytes at a time, as words. A hash table holds the place in `texts` of the name with a certain
hash: its length and number in one word, then its bytes. So finding a name reads two places somewhere in memory.
One after the other, 20 million names would wait for memory most of the time; those of a few hundred names are requested
together, before the first of them is needed.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from netgiven.kernels.jit import inlined, kernel

u64 = np.uint64
Words = npt.NDArray[np.uint64]
Numbers = npt.NDArray[np.int32]

# The mixing function is that of SplitMix64 (Steele, Lea and Flood 2014), applied once for each word.
GOLDEN, FIRST, SECOND = u64(0x9E3779B97F4A7C15), u64(0xBF58476D1CE4E5B9), u64(0x94D049BB133111EB)
HALF, ALL = u64(32), u64(2**64 - 1)
LOW_HALF = u64(2**32 - 1)
PLACE_BITS = u64(40)  # of an entry of the table; the other bits are of the hash, and differ for most other names
PLACE = u64(2**40 - 1)
HASH_BITS = u64(24)
TOGETHER = 256  # rows whose names are prefetched at once: their cache lines take half of a first-level cache
BATCH = 1 << 16


class Texts(NamedTuple):
    """Some names: the bytes of name k are those from `bounds[k]` to `bounds[k + 1]`, followed by one spare word."""

    bounds: Numbers
    words: Words


class NameTable(NamedTuple):
    """The names so far: `texts` and where to find them, how many there are, and the first free place of `texts`."""

    table: Words
    texts: Words
    filled: npt.NDArray[np.int64]


def number_names(first: Any, second: Any, batch: int = BATCH) -> tuple[Any, Numbers, Numbers]:
    """Return the distinct names as an Arrow array, in order of appearance, and the two columns as numbers of them.

    >>> columns = pa.chunked_array([["bob", "ann"]]), pa.chunked_array([["cid"], ["bob"]])
    >>> names, first, second = number_names(*columns)
    >>> names.to_pylist(), first.tolist(), second.tolist()
    (['bob', 'cid', 'ann'], [0, 2], [1, 0])
    """
    numbers = np.empty((2, len(first)), dtype=np.int32)
    seen = NameTable(np.zeros(1, np.uint64), np.full(1, ALL, np.uint64), np.array([0, 1]))  # place 0 is unused
    start = 0
    for rows in pa.table([first, second], names=["first", "second"]).to_batches(max_chunksize=batch):
        ends = _texts(rows.column(0)), _texts(rows.column(1))
        seen = _with_room(seen, 2 * len(rows), sum(len(end.words) for end in ends))
        number_rows(*ends, seen, *numbers[:, start : start + len(rows)])
        start += len(rows)
    return _names(seen), numbers[0], numbers[1]


def _texts(names: Any) -> Texts:
    """Copy Arrow's bytes, padded to whole words, with one spare word."""
    _, bounds, data = names.buffers()
    ends = np.frombuffer(bounds, np.int32, count=len(names) + 1, offset=4 * names.offset)
    begin, size = int(ends[0]), int(ends[-1] - ends[0])
    words = np.zeros(size // 8 + 2, dtype=np.uint64)
    if size:
        words.view(np.uint8)[:size] = np.frombuffer(data, np.uint8, count=size, offset=begin)
    return Texts(ends - ends[0], words)


def _with_room(seen: NameTable, names: int, words: int) -> NameTable:
    """Grow the table. If it is mostly empty, most names are found at the first slot."""
    table, texts, (count, used) = seen
    if 4 * (count + names) > len(table):
        table = np.zeros(1 << int(4 * (count + names) - 1).bit_length(), dtype=np.uint64)
        enter_all(texts, used, table)
    needed = used + words + 2 * names + 2  # a name takes a word for its length, and two are looked at beyond its first
    if needed > len(texts):
        texts = np.concatenate([texts[:used], np.zeros(2 * needed - used, dtype=np.uint64)])
    return NameTable(table, texts, seen.filled)


def _names(seen: NameTable) -> Any:
    count, used = seen.filled.tolist()
    bounds, data = np.zeros(count + 1, dtype=np.int64), np.empty(8 * used, dtype=np.uint8)
    write_names(seen.texts, seen.texts.view(np.uint8), bounds, data)
    data = data[: bounds[-1]].copy()
    return pa.LargeStringArray.from_buffers(count, pa.py_buffer(bounds), pa.py_buffer(data))


@inlined
def _word(words: Any, begin: Any, end: Any) -> Any:
    """Return the eight bytes from `begin` on, with zeros from `end` on: shifts, as a branch would be mispredicted."""
    place, shift = begin >> 3, u64(8 * (begin & 7))
    word = (words[place] >> shift) | ((words[place + 1] << u64(1)) << (u64(63) - shift))
    return word & (ALL >> u64(8 * max(0, 8 - (end - begin))))


@inlined
def _hash(words: Any, begin: Any, end: Any) -> Any:
    mixed = u64(end - begin) * GOLDEN
    for place in range(begin, end, 8):
        mixed = (mixed ^ _word(words, place, end)) * FIRST
        mixed ^= mixed >> HALF
    mixed *= SECOND
    return mixed ^ (mixed >> u64(29))


@inlined
def _slot(mixed: Any, table: Any) -> Any:
    return (mixed >> HASH_BITS) & u64(len(table) - 1)


@inlined
def _is(words: Any, begin: Any, end: Any, texts: Any, place: Any) -> Any:
    """Whether the name is the one at this place."""
    difference = (texts[place] >> HALF) ^ u64(end - begin)
    if difference == 0:
        for byte in range(begin, end, 8):
            place += 1
            difference |= _word(words, byte, end) ^ texts[place]
    return difference == 0


@kernel
def number_rows(first: Texts, second: Texts, seen: NameTable, numbers: Any, other_numbers: Any) -> Any:
    """Number the names in two columns, row by row, in the order of reading. New names are entered.

    The result is not used, but without it the compiler would remove the prefetches.
    """
    (bounds, words), (other_bounds, other_words) = first, second
    hashes, other_hashes = np.empty(TOGETHER, dtype=np.uint64), np.empty(TOGETHER, dtype=np.uint64)
    places = np.empty(TOGETHER, dtype=np.int64)
    prefetched = u64(0)
    for begin in range(0, len(numbers), TOGETHER):
        end = min(begin + TOGETHER, len(numbers))
        prefetched += look_up(bounds[begin : end + 1], words, seen, hashes, places, numbers[begin:end])
        prefetched += look_up(
            other_bounds[begin : end + 1], other_words, seen, other_hashes, places, other_numbers[begin:end]
        )
        for k in range(begin, end):
            if numbers[k] < 0:
                numbers[k] = search(words, bounds[k], bounds[k + 1], hashes[k - begin], seen)
            if other_numbers[k] < 0:
                other_numbers[k] = search(
                    other_words, other_bounds[k], other_bounds[k + 1], other_hashes[k - begin], seen
                )
    return prefetched


@kernel
def look_up(bounds: Any, words: Any, seen: NameTable, hashes: Any, places: Any, numbers: Any) -> Any:
    """Compute the hash of each name, and its number if it is found at the first slot, as most are; else -1.

    The sum is of the words found there, which are prefetched by computing it.
    """
    table, texts, _ = seen
    for k in range(len(numbers)):
        hashes[k] = _hash(words, bounds[k], bounds[k + 1])
    for k in range(len(numbers)):
        places[k] = table[_slot(hashes[k], table)] & PLACE
    prefetched = u64(0)
    for k in range(len(numbers)):
        prefetched += texts[places[k]] + texts[places[k] + 2]
    for k in range(len(numbers)):
        there = _is(words, bounds[k], bounds[k + 1], texts, places[k])
        numbers[k] = texts[places[k]] & LOW_HALF if there else -1
    return prefetched


@kernel
def search(words: Any, begin: Any, end: Any, hashed: Any, seen: NameTable) -> Any:
    """Return the number of one name by linear probing; at the first empty slot it is entered."""
    table, texts, filled = seen
    slot, tag = _slot(hashed, table), hashed << PLACE_BITS
    while table[slot] != 0:
        place = np.int64(table[slot] & PLACE)
        if (table[slot] ^ tag) >> PLACE_BITS == 0 and _is(words, begin, end, texts, place):
            return np.int32(texts[place] & LOW_HALF)
        slot = (slot + u64(1)) & u64(len(table) - 1)
    number, place = filled
    table[slot] = tag | u64(place)
    texts[place] = (u64(end - begin) << HALF) | u64(number)
    for byte in range(begin, end, 8):
        place += 1
        texts[place] = _word(words, byte, end)
    filled[0], filled[1] = number + 1, place + 1
    return np.int32(number)


@kernel
def enter_all(texts: Any, used: Any, table: Any) -> None:
    """Enter the names in `texts` into an empty table."""
    place: Any = 1
    while place < used:
        length = np.int64(texts[place] >> HALF)
        begin = 8 * (place + 1)
        mixed = _hash(texts, begin, begin + length)
        slot = _slot(mixed, table)
        while table[slot] != 0:
            slot = (slot + u64(1)) & u64(len(table) - 1)
        table[slot] = (mixed << PLACE_BITS) | u64(place)
        place += 1 + (length + 7) // 8


@kernel
def write_names(texts: Any, text_bytes: Any, bounds: Any, data: Any) -> None:
    """Write the names one after the other, without lengths and padding."""
    place: Any = 1
    for name in range(len(bounds) - 1):
        length = np.int64(texts[place] >> HALF)
        begin, written = 8 * (place + 1), bounds[name]
        for byte in range(length):
            data[written + byte] = text_bytes[begin + byte]
        bounds[name + 1] = written + length
        place += 1 + (length + 7) // 8
