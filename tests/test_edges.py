"""Cleaning: counts against a count by hand, and rows that are sorted, symmetric and complete."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from netgiven import edges
from netgiven.edges import MAX_NODES, EdgeCleaning, clean_edges, compiled_rows, number_integers, scipy_rows
from netgiven.errors import InputError
from netgiven.kernels.csr import fill_buckets

pairs = st.lists(st.tuples(st.integers(0, 7), st.integers(0, 7)), max_size=40)


@given(pairs)
def test_counts_and_rows(pairs):
    ends = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    indptr, indices, report = clean_edges(ends[:, 0], ends[:, 1], 8)

    distinct = [pair for pair in pairs if pair[0] != pair[1]]
    one_way = set(distinct)
    links = {frozenset(pair) for pair in distinct}
    assert report == EdgeCleaning(
        given=len(pairs),
        kept=len(links),
        self_loops=len(pairs) - len(distinct),
        duplicates=len(distinct) - len(one_way),
        both_directions=len(one_way) - len(links),
    )
    rows = [indices[indptr[i] : indptr[i + 1]].tolist() for i in range(8)]
    assert rows == [sorted(j for j in range(8) if frozenset((i, j)) in links and i != j) for i in range(8)]
    assert indptr.dtype == np.int64
    assert indices.dtype == np.int32


@given(st.integers(1, 5000), st.integers(0, 2**32), st.integers(0, 300))
def test_compiled_and_plain_rows_are_the_same(nodes, seed, links):
    generator = np.random.default_rng(seed)
    hub = generator.integers(0, nodes)  # links that come again, both ways, and the buckets that are full
    ends = generator.integers(0, nodes, (2, links), dtype=np.int32)
    ends[0, generator.random(links) < 0.3] = ends[1, generator.random(links) < 0.3] = hub
    for compiled, plain in zip(compiled_rows(*ends, nodes), scipy_rows(*ends, nodes), strict=True):
        assert np.array_equal(compiled, plain)


def test_keys_hold_the_highest_node_numbers():
    high = MAX_NODES - 1 - np.array([0, 1, 2, 1], dtype=np.int32)
    low = np.array([5, 6, 7, 6], dtype=np.int32)
    keys = np.empty(8, dtype=np.uint64)
    fill_buckets(high, low, 21, 31, np.r_[4, np.zeros(1022, dtype=int), 0], keys)
    rows, columns, ways = keys >> 32, (keys >> 1) & (2**31 - 1), keys & 1
    assert rows.tolist() == [*high, *low]
    assert columns.tolist() == [*low, *high]
    assert ways.tolist() == [0, 0, 0, 0, 1, 1, 1, 1]


def test_rows_of_nodes_that_are_not_there_are_refused():
    with pytest.raises(ValueError, match="outside of the 3 nodes"):
        compiled_rows(np.array([0, 3], dtype=np.int32), np.array([1, 1], dtype=np.int32), 3)


def test_many_links_are_cleaned_alike(monkeypatch):
    ends = np.random.default_rng(1).integers(0, 50, (2, 3_000))
    plain = clean_edges(*ends, 50)
    monkeypatch.setattr(edges, "MANY_LINKS", 1)
    compiled = clean_edges(*ends, 50)
    assert compiled[2] == plain[2]
    assert np.array_equal(compiled[0], plain[0])
    assert np.array_equal(compiled[1], plain[1])
    assert [array.dtype for array in compiled[:2]] == [array.dtype for array in plain[:2]]


def test_given_is_what_is_kept_and_what_is_not():
    generator = np.random.default_rng(0)
    first, second = generator.integers(0, 30, (2, 500))
    cleaning = clean_edges(first, second, 30)[2]
    dropped = cleaning.self_loops + cleaning.duplicates + cleaning.both_directions
    assert cleaning.given == cleaning.kept + dropped == 500


@pytest.mark.parametrize("times", [2, 255, 256, 257, 512, 70_000])
def test_a_link_given_many_times_is_still_there(times):
    cleaning = clean_edges(np.zeros(times, dtype=int), np.ones(times, dtype=int), 2)[2]
    assert cleaning == EdgeCleaning(given=times, kept=1, duplicates=times - 1)


def test_no_links():
    indptr, indices, cleaning = clean_edges(np.zeros(0, dtype=int), np.zeros(0, dtype=int), 3)
    assert indptr.tolist() == [0, 0, 0, 0]
    assert len(indices) == 0
    assert str(cleaning) == "0 links given, 0 kept"


def test_too_many_nodes_are_refused():
    with pytest.raises(InputError, match="at most 2,147,483,647"):
        clean_edges(np.zeros(0, dtype=int), np.zeros(0, dtype=int), 2**31)


@pytest.mark.parametrize(
    ("cleaning", "report"),
    [
        (EdgeCleaning(1, 1), "1 link given, 1 kept"),
        (EdgeCleaning(2_000, 1_999, self_loops=1), "2,000 links given, 1,999 kept: 1 self-loop dropped"),
        (EdgeCleaning(3, 1, duplicates=2), "3 links given, 1 kept: 2 duplicates merged"),
        (EdgeCleaning(4, 2, both_directions=2), "4 links given, 2 kept: 2 given in both directions merged"),
        (
            EdgeCleaning(1, 1, weighted=1, directed=True),
            "1 link given, 1 kept: direction ignored, weights of 1 link ignored",
        ),
    ],
)
def test_the_report_is_one_line(cleaning, report):
    assert str(cleaning) == report


wide = st.integers(-(2**63), 2**63 - 1)


@given(st.one_of([st.lists(st.tuples(one, one)) for one in (wide, st.integers(-5, 5), st.integers(10**6, 10**6 + 50))]))
def test_integers_are_numbered_in_order_dense_or_not(pairs):
    ends = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    links = number_integers(ends[:, 0], ends[:, 1])
    assert links.names.tolist() == sorted(Counter(ends.ravel().tolist()))
    assert links.names[links.first].tolist() == ends[:, 0].tolist()
    assert links.names[links.second].tolist() == ends[:, 1].tolist()
