"""Who owns which nodes."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from netgiven.distributed.shards import NODE_COST, Part, cut, unlocked
from netgiven.distributed.worker import rows_of, spread_out
from netgiven.errors import InputError
from netgiven.kernels.arrays import Links
from netgiven.kernels.repulsion import BLOCK

degree_lists = st.builds(
    lambda count, seed, tail: (np.random.default_rng(seed).pareto(tail, count) * 10).astype(np.int64),
    st.integers(1, 5_000),
    st.integers(0, 99),
    st.sampled_from([0.7, 2.0, 9.0]),
)


@given(degree_lists, st.integers(1, 9))
def test_ranges_cover_all_nodes_once_and_begin_with_blocks(degrees, workers):
    parts = cut(degrees, min(workers, len(degrees)))
    assert 1 <= len(parts) <= workers
    assert np.concatenate([np.arange(part.start, part.stop) for part in parts]).tolist() == list(range(len(degrees)))
    assert all(part.start % BLOCK == 0 and part.count == len(degrees) for part in parts)


@given(degree_lists, st.integers(1, 9))
def test_ranges_cost_about_the_same(degrees, workers):
    parts = cut(degrees, min(workers, len(degrees)))
    costs = degrees + NODE_COST
    dearest_block = np.add.reduceat(costs, np.arange(0, len(costs), BLOCK)).max()
    fair = costs.sum() / workers
    assert all(costs[part.start : part.stop].sum() <= fair + dearest_block for part in parts)


@given(degree_lists, st.integers(1, 9))
def test_nodes_and_their_blocks_are_shared_alike(degrees, workers):
    count = len(degrees)
    nodes, blocks = np.zeros(count, int), np.zeros(-(-count // BLOCK), int)

    def mark(start, stop, out):
        out[start:stop] += 1

    for part in cut(degrees, min(workers, count)):
        part.run(mark, count, nodes)
        part.run(mark, len(blocks), blocks)
    assert np.all(nodes == 1) and np.all(blocks == 1)


def test_links_weigh_more_than_nodes():
    degrees = np.repeat([400, 1], [BLOCK * 4, BLOCK * 60])
    first, second = cut(degrees, 2)
    assert first.stop - first.start < (second.stop - second.start) / 3


def test_there_are_no_more_workers_than_nodes():
    assert len(cut(np.ones(3, dtype=np.int64), 3)) == 1  # nodes of a block stay together
    with pytest.raises(InputError, match="4 workers were asked for, and the network has 3 nodes; ask for fewer"):
        cut(np.ones(3, dtype=np.int64), 4)


def test_rows_of_a_range_find_their_place_again():
    degrees = np.random.default_rng(0).integers(0, 9, 700)
    indptr = np.concatenate([[0], np.cumsum(degrees)])
    links = Links(indptr, np.arange(indptr[-1], dtype=np.int32))
    for part in cut(degrees, 3):
        rows = rows_of(links, part)
        assert rows.indptr[0] == 0 and len(rows.indices) == rows.indptr[-1]
        whole = spread_out(part, rows)
        for node in range(part.start, part.stop):
            found = whole.indices[whole.indptr[node] : whole.indptr[node + 1]]
            assert np.array_equal(found, links.indices[indptr[node] : indptr[node + 1]])


def test_unlocked_arrays_are_the_same_memory():
    array = np.arange(5.0)
    array.flags.writeable = False
    free = unlocked(Links(array, array))
    assert isinstance(free, Links) and free.indptr.flags.writeable
    assert np.shares_memory(free.indptr, array) and np.array_equal(free.indptr, array)
    assert not array.flags.writeable
    own = np.zeros(2)
    assert unlocked(own) is own and unlocked("text") == "text" and unlocked(Part(0, 1, 1)) == Part(0, 1, 1)


def test_unlocked_memory_outlives_its_owner():
    def made():
        array = np.full(100_000, 7.0)
        array.flags.writeable = False
        return unlocked(array)

    kept = made()
    np.full(100_000, 1.0)
    assert np.all(kept == 7.0)
