"""Part files: rows that shards make from the links of all parts are those of one file with all links."""

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import netgiven as ng
from netgiven.distributed.cluster import shard_nodes
from netgiven.distributed.sharded import ShardedNetwork
from netgiven.io.part_files import (
    Ends,
    check_same_columns,
    count_ends,
    merge_rows,
    number_parts,
    part_files,
    read_part,
    split_links,
    split_rows,
)


def write_parts(folder, frames, kind):
    for number, frame in enumerate(frames):
        path = folder / f"part-{number:05d}.{kind}"
        frame.to_parquet(path, index=False) if kind == "parquet" else frame.to_csv(path, index=False)
    return [str(path) for path in part_files(folder)]


def split_parts(pieces, numbers, count, bounds):
    return [split_links(ends, number, count, bounds) for ends, number in zip(pieces, numbers, strict=True)]


@given(
    st.lists(st.lists(st.tuples(st.integers(0, 40), st.integers(0, 40)), min_size=1), min_size=1, max_size=4),
    st.lists(st.integers(0, 41), max_size=3),
)
def test_rows_merged_from_parts_are_those_of_all_links_together(parts, cuts):
    indices = [pd.Index(np.unique(np.array(part))) for part in parts]
    every, numbers = number_parts(indices, [f"part {k}" for k in range(len(parts))])
    pieces = [
        Ends(*index.get_indexer(np.array(part).ravel()).reshape(-1, 2).T.astype(np.int32))
        for index, part in zip(indices, parts, strict=True)
    ]
    whole, count = ng.Network.from_edges([pair for part in parts for pair in part]), len(every)
    assert every.tolist() == whole.nodes.tolist()
    bounds = [0, *sorted(min(place, count) for place in cuts), count]
    by_owner = list(zip(*split_parts(pieces, numbers, count, bounds), strict=True))
    found = [merge_rows(*span, count, *keys) for span, keys in zip(pairwise(bounds), by_owner, strict=True)]
    assert np.concatenate([some.degrees for some in found]).tolist() == whole.degrees.tolist()
    assert np.concatenate([some.rows.indices for some in found]).tolist() == whole.indices.tolist()
    one_way = sum(some.distinct for some in found) // 2
    assert one_way == whole.cleaning.kept + whole.cleaning.both_directions
    crowd = sum(count_ends(ends, number, count) for ends, number in zip(pieces, numbers, strict=True))
    assert (crowd >= whole.degrees).all()


@given(st.integers(0, 1000))
def test_rows_split_again_are_those_in_another_order(seed):
    random = np.random.default_rng(seed)
    network = ng.Network.from_edges(random.integers(600, size=(2_000, 2)), list(range(600)))
    order = random.permutation(600)
    place = np.argsort(order).astype(np.int32)
    spans = [(part.start, part.stop) for part in shard_nodes(network.degrees, 3)]
    bounds = [0, *(stop for _, stop in spans)]
    rows = [
        merge_rows(
            low,
            high,
            600,
            split_links(Ends(*network.links().T), np.arange(600, dtype=np.int32), 600, [0, low, high, 600])[1],
        )
        for low, high in spans
    ]
    moved = [split_rows(some.rows, low, place, bounds) for some, (low, _) in zip(rows, spans, strict=True)]
    found = [merge_rows(*span, 600, *keys) for span, keys in zip(spans, zip(*moved, strict=True), strict=True)]
    matrix = network.to_scipy()[order][:, order].tocsr()
    matrix.sort_indices()
    assert np.concatenate([some.rows.indices for some in found]).tolist() == matrix.indices.tolist()
    assert np.concatenate([some.degrees for some in found]).tolist() == np.diff(matrix.indptr).tolist()


@pytest.mark.parametrize("kind", ["parquet", "csv"])
@pytest.mark.parametrize("named", [False, True])
def test_names_are_numbered_as_in_one_file(tmp_path, kind, named):
    pairs = np.random.default_rng(1).integers(50, size=(90, 2))
    frame = pd.DataFrame(pairs, columns=["source", "target"])
    frame = frame.map(lambda value: f"n{value}") if named else frame
    files = write_parts(tmp_path, [frame[:40], frame[40:45], frame[45:]], kind)
    names, ends, facts = zip(*(read_part(path, None, None) for path in files), strict=True)
    check_same_columns(facts)
    every, numbers = number_parts(names, files)
    whole = ng.Network.from_edges(frame)
    assert every.tolist() == whole.nodes.tolist()
    assert every[numbers[2][ends[2].first]].tolist() == frame["source"][45:].tolist()
    assert sum(fact.given for fact in facts) == 90


def test_a_part_with_other_columns_is_named(tmp_path):
    good, other = (
        pd.DataFrame({"source": [1], "target": [2]}),
        pd.DataFrame({"source": [1], "target": [2], "year": [3]}),
    )
    files = write_parts(tmp_path, [good, other], "parquet")
    facts = [read_part(path, None, None)[2] for path in files]
    with pytest.raises(
        ng.InputError, match=r"part-00001.parquet has other columns than .*source, target, year instead"
    ):
        check_same_columns(facts)


def test_parts_name_nodes_in_one_way():
    with pytest.raises(ng.InputError, match="b names nodes by text, a by integers"):
        number_parts([pd.Index([1]), pd.Index(["x"], dtype="str")], ["a", "b"])


def test_a_part_that_is_missing_is_named(tmp_path):
    for number in (0, 1, 3):
        (tmp_path / f"part-{number:05d}.csv").write_text("1,2\n")
    (tmp_path / "_SUCCESS").touch()
    with pytest.raises(ng.InputError, match="part 2 is missing"):
        part_files(tmp_path)
    (tmp_path / "part-00002.csv").write_text("1,2\n")
    assert [path.name for path in part_files(tmp_path)] == [f"part-{number:05d}.csv" for number in range(4)]


def test_an_empty_folder_is_an_error(tmp_path):
    with pytest.raises(ng.InputError, match="There is no folder"):
        part_files(tmp_path / "nowhere")
    with pytest.raises(ng.InputError, match="holds no files"):
        part_files(tmp_path)


def test_a_sharded_network_has_degrees_and_no_links():
    whole = ng.datasets.company()
    sharded = ShardedNetwork(whole.nodes, whole.degrees, whole.cleaning)
    assert sharded.link_count == whole.link_count
    for given_text in ("density", "degrees"):
        ours, theirs = (ng.parse_knowledge(given_text).fit(network) for network in (sharded, whole))
        assert ours.left.tobytes() == theirs.left.tobytes()
    with pytest.raises(ng.InputError, match="all links on one machine"):
        sharded.links()
    with pytest.raises(ng.InputError, match="all links on one machine"):
        ng.common_neighbours().fit(sharded)
