"""Shards: which worker computes which nodes."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from netgiven.distributed.cluster import NODE_COST, Shard, as_writeable, shard_nodes
from netgiven.distributed.worker import full_size_rows, rows_of_shard
from netgiven.errors import InputError
from netgiven.kernels.arrays import LinkRows
from netgiven.kernels.repulsion import BLOCK

degree_lists = st.builds(
    lambda count, seed, tail: (np.random.default_rng(seed).pareto(tail, count) * 10).astype(np.int64),
    st.integers(1, 5_000),
    st.integers(0, 99),
    st.sampled_from([0.7, 2.0, 9.0]),
)


@given(degree_lists, st.integers(1, 9))
def test_ranges_cover_all_nodes_once_and_begin_with_blocks(degrees, workers):
    shards = shard_nodes(degrees, min(workers, len(degrees)))
    assert 1 <= len(shards) <= workers
    assert np.concatenate([np.arange(shard.start, shard.stop) for shard in shards]).tolist() == list(
        range(len(degrees))
    )
    assert all(shard.start % BLOCK == 0 and shard.count == len(degrees) for shard in shards)


@given(degree_lists, st.integers(1, 9))
def test_ranges_cost_about_the_same(degrees, workers):
    shards = shard_nodes(degrees, min(workers, len(degrees)))
    costs = degrees + NODE_COST
    dearest_block = np.add.reduceat(costs, np.arange(0, len(costs), BLOCK)).max()
    fair = costs.sum() / workers
    assert all(costs[shard.start : shard.stop].sum() <= fair + dearest_block for shard in shards)


@given(degree_lists, st.integers(1, 9))
def test_nodes_and_their_blocks_are_shared_alike(degrees, workers):
    count = len(degrees)
    nodes, blocks = np.zeros(count, int), np.zeros(-(-count // BLOCK), int)

    def mark(start, stop, out):
        out[start:stop] += 1

    for shard in shard_nodes(degrees, min(workers, count)):
        shard.run(mark, count, nodes)
        shard.run(mark, len(blocks), blocks)
    assert np.all(nodes == 1) and np.all(blocks == 1)


def test_links_weigh_more_than_nodes():
    degrees = np.repeat([400, 1], [BLOCK * 4, BLOCK * 60])
    first, second = shard_nodes(degrees, 2)
    assert first.stop - first.start < (second.stop - second.start) / 3


def test_there_are_no_more_workers_than_nodes():
    assert len(shard_nodes(np.ones(3, dtype=np.int64), 3)) == 1  # nodes of a block stay together
    with pytest.raises(InputError, match="4 workers were requested for 3 nodes"):
        shard_nodes(np.ones(3, dtype=np.int64), 4)


def test_rows_of_a_range_find_their_place_again():
    degrees = np.random.default_rng(0).integers(0, 9, 700)
    indptr = np.concatenate([[0], np.cumsum(degrees)])
    links = LinkRows(indptr, np.arange(indptr[-1], dtype=np.int32))
    for shard in shard_nodes(degrees, 3):
        rows = rows_of_shard(links, shard)
        assert rows.indptr[0] == 0 and len(rows.indices) == rows.indptr[-1]
        whole = full_size_rows(shard, rows)
        for node in range(shard.start, shard.stop):
            found = whole.indices[whole.indptr[node] : whole.indptr[node + 1]]
            assert np.array_equal(found, links.indices[indptr[node] : indptr[node + 1]])


def test_writeable_arrays_are_the_same_memory():
    array = np.arange(5.0)
    array.flags.writeable = False
    free = as_writeable(LinkRows(array, array))
    assert isinstance(free, LinkRows) and free.indptr.flags.writeable
    assert np.shares_memory(free.indptr, array) and np.array_equal(free.indptr, array)
    assert not array.flags.writeable
    own = np.zeros(2)
    assert (
        as_writeable(own) is own and as_writeable("text") == "text" and as_writeable(Shard(0, 1, 1)) == Shard(0, 1, 1)
    )


def test_writeable_memory_outlives_its_owner():
    def made():
        array = np.full(100_000, 7.0)
        array.flags.writeable = False
        return as_writeable(array)

    kept = made()
    np.full(100_000, 1.0)
    assert np.all(kept == 7.0)
