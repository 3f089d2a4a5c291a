"""Every format, plain and compressed; what is wrong with a file or an argument is said."""

from __future__ import annotations

import gzip
import io
import mmap
import sys
from pathlib import Path

import networkx as nx
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest
import scipy.io
from scipy import sparse

import netgiven as ng
from netgiven.errors import UnknownColumn
from netgiven.io import files
from tests.file_samples import LINKS, NUMBERED, SAMPLES, TEXT_KINDS, compressed, named_links, read_bytes, read_string


def expected_links(kind):
    if kind in NUMBERED:
        first = 1 if kind == ".mtx" else 0
        number = {name: first + position for position, name in enumerate(["ann", "bob", "cid", "dan"])}
        return {frozenset((number[a], number[b])) for a, b in LINKS}
    return {frozenset(pair) for pair in LINKS}


@pytest.mark.parametrize("compression", ["", ".gz", ".zst"])
@pytest.mark.parametrize("kind", SAMPLES)
def test_every_format_gives_the_same_network(kind, compression):
    data = compressed(SAMPLES[kind], compression) if compression else SAMPLES[kind]
    network = read_bytes(data, f"links{kind}{compression}")
    assert named_links(network) == expected_links(kind)
    assert network.cleaning.given == network.cleaning.kept == len(LINKS)


@pytest.mark.parametrize("kind", TEXT_KINDS)
def test_text_is_read_under_any_name(kind):
    assert named_links(read_bytes(SAMPLES[".edges"], f"links{kind}")) == expected_links(kind)


@pytest.mark.parametrize("kind", [".graphml", ".gexf", ".gml", ".json"])
def test_node_attributes_become_columns(kind):
    network = read_bytes(SAMPLES[kind], f"links{kind}", groups="type")
    assert dict(zip(network.nodes, network.columns["type"], strict=True)) == {
        "ann": "x",
        "bob": "y",
        "cid": "x",
        "dan": "y",
    }
    assert isinstance(network.columns["type"].dtype, pd.CategoricalDtype)


def test_capital_letters_in_an_extension_do_not_matter():
    assert read_bytes(SAMPLES[".gml"], "LINKS.GML").link_count == len(LINKS)


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(ng.InputError, match=r"no file .*nowhere\.csv"):
        ng.read(tmp_path / "nowhere.csv")


def test_a_folder_is_no_file(tmp_path):
    with pytest.raises(ng.InputError, match="is a folder"):
        ng.read(tmp_path)


@pytest.mark.parametrize("path", [None, 3, {"a"}])
def test_what_is_no_path_is_refused(path):
    with pytest.raises(ng.InputError, match="Give the path of a file"):
        ng.read(path)


@pytest.mark.parametrize("kind", [*SAMPLES, ".txt"])
def test_an_empty_file_is_an_error_everywhere(kind):
    with pytest.raises(ng.InputError, match=rf"links{kind}: the file is empty"):
        read_bytes(b"", f"links{kind}")


@pytest.mark.parametrize("kind", SAMPLES)
def test_a_truncated_gzip_is_an_error_everywhere(kind):
    data = gzip.compress(SAMPLES[kind])[:-9]
    with pytest.raises(ng.InputError, match=rf"links{kind}\.gz: .*cut off or damaged"):
        read_bytes(data, f"links{kind}.gz")


def test_a_truncated_zst_is_an_error():
    data = compressed(b"".join(b"%d %d\n" % (i, i + 1) for i in range(20_000)), ".zst")
    with pytest.raises(ng.InputError, match=r"\.zst"):
        read_bytes(data[: len(data) // 2], "links.edges.zst")


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_damaged_zst_files_leave_no_memory_behind():
    def pages():
        return int(Path("/proc/self/statm").read_text().split()[0])

    data = b"xxxx" + compressed(b"1 2\n", ".zst")[4:]
    sizes = []
    for _ in range(40):
        with pytest.raises(ng.InputError, match=r"\.zst: .*Unknown frame"):
            read_bytes(data, "links.edges.zst")
        sizes.append(pages())
    assert (sizes[-1] - sizes[4]) * mmap.PAGESIZE < 1 << 26


def test_what_is_not_compressed_is_not_decompressed():
    with pytest.raises(ng.InputError, match="cut off or damaged"):
        read_bytes(b"1 2\n", "links.edges.gz")
    with pytest.raises(ng.InputError, match="cut off or damaged"):
        read_bytes(b"1 2\n", "links.edges.zst")


RAISE = r"If you trust the file, raise the limit: memory_limit= in Python, --memory-limit on the command line\."


@pytest.mark.parametrize("compression", [".gz", ".zst"])
def test_a_small_file_that_expands_is_refused(compression):
    data = compressed(b"1 2\n" * 300_000, compression)
    with pytest.raises(
        ng.InputError, match=rf"links\.edges.*expands to more than 1\.0 MB, .* limit of 0\.01 GB\. {RAISE}"
    ):
        read_bytes(data, f"links.edges{compression}", memory_limit=0.01)
    assert read_bytes(data, f"links.edges{compression}").link_count == 1


def test_matrices_that_expand_are_refused():
    zeros, archive, matlab = np.zeros((400, 400)), io.BytesIO(), io.BytesIO()
    np.savez_compressed(archive, format=b"csr", shape=[2, 2], data=zeros)
    scipy.io.savemat(matlab, {"network": zeros}, do_compression=True)
    for data, kind in ((archive.getvalue(), ".npz"), (matlab.getvalue(), ".mat")):
        with pytest.raises(ng.InputError, match=rf"links{kind}: .*1\.\d MB.* limit .*0\.01 GB\. {RAISE}"):
            read_bytes(data, f"links{kind}", memory_limit=0.01)


def test_variables_of_a_matlab_file_are_limited_together():
    sink = io.BytesIO()
    variables = {f"x{number}": np.zeros((300, 300)) for number in range(4)}
    scipy.io.savemat(sink, {**variables, "network": np.eye(3)}, do_compression=True)
    assert read_bytes(sink.getvalue(), "links.mat", memory_limit=0.05).node_count == 3
    with pytest.raises(ng.InputError, match=r"links\.mat: it expands to more than"):
        read_bytes(sink.getvalue(), "links.mat", memory_limit=0.015)


def test_a_dense_matrix_of_few_links_is_small():
    sink = io.BytesIO()
    scipy.io.savemat(sink, {"network": np.eye(1000, k=1)}, do_compression=True)
    assert read_bytes(sink.getvalue(), "links.mat", memory_limit=0.09).link_count == 999
    sink = io.BytesIO()
    scipy.io.savemat(sink, {"network": np.ones((1000, 1000), dtype=np.uint8)}, do_compression=True)
    with pytest.raises(ng.InputError, match=r"links\.mat: there are 1,000,000 links"):
        read_bytes(sink.getvalue(), "links.mat", memory_limit=0.09)


MTX = b"%%MatrixMarket matrix coordinate pattern general\n"
ANNOUNCING = {
    ".mtx": MTX + b"1000000 1000000 1\n1 2\n",
    ".net": b"*Vertices 1000000\n*Edges\n1 2\n",
    ".npz": sparse.coo_array(([1], ([0], [1])), shape=(10**6, 10**6)),
}


@pytest.mark.parametrize("kind", ANNOUNCING)
def test_a_small_file_that_announces_many_nodes_is_refused(kind):
    data = ANNOUNCING[kind]
    if not isinstance(data, bytes):
        sink = io.BytesIO()
        sparse.save_npz(sink, data)
        data = sink.getvalue()
    message = rf"links{kind}: 1,000,000 nodes are announced, which takes about 0\.\d+ GB of memory; .* {RAISE}"
    with pytest.raises(ng.InputError, match=message):
        read_bytes(data, f"links{kind}", memory_limit=0.01)
    assert read_bytes(data, f"links{kind}", memory_limit=1).node_count == 10**6


def test_tables_are_refused_before_they_are_read():
    rows = pa.table({"source": np.zeros(10**6, dtype=int), "target": np.ones(10**6, dtype=int)})
    for write, kind in ((pyarrow.parquet.write_table, ".parquet"), (pyarrow.feather.write_feather, ".feather")):
        sink = io.BytesIO()
        write(rows, sink, compression="zstd")
        with pytest.raises(ng.InputError, match=rf"links{kind}: there are .* to read, which takes about 0\.\d+ GB"):
            read_bytes(sink.getvalue(), f"links{kind}", memory_limit=0.05)


def test_the_limit_holds_for_node_tables():
    table = b"node,x\n" + b"".join(b"%d,1\n" % number for number in range(30_000))
    with pytest.raises(ng.InputError, match=r"nodes\.csv: .* the limit is 0\.001 GB"):
        read_bytes(b"1 2\n", nodes=table, memory_limit=0.001)


def test_the_usual_limit(monkeypatch):
    monkeypatch.setattr(files.os, "sysconf", lambda name: {"SC_PAGE_SIZE": 4096, "SC_PHYS_PAGES": 10**7}[name])
    assert [files._memory_limit(size) / 10**9 for size in (10**3, 10**8, 10**12)] == [4, 10, 40.96]
    with files.reading(7):
        assert files._memory_limit(10) == 7 * 10**9


@pytest.mark.parametrize("limit", [0, -1, float("inf"), 1e300, float("nan"), "8", True])
def test_a_memory_limit_is_a_number(limit):
    with pytest.raises(ng.InputError, match="a number of gigabytes above 0"):
        read_string("1 2\n", memory_limit=limit)


@pytest.mark.parametrize("kind", [".parquet", ".feather", ".arrow", ".mat", ".npz"])
def test_a_damaged_file_is_an_error(kind):
    for data in (SAMPLES[kind][: len(SAMPLES[kind]) // 2], b"garbage"):
        with pytest.raises(ng.InputError, match=rf"links{kind}: .*cut off"):
            read_bytes(data, f"links{kind}")


def test_options_of_text_are_refused_elsewhere():
    with pytest.raises(ng.InputError, match=r"header= .*--delimiter\) are for text"):
        read_bytes(SAMPLES[".gml"], "links.gml", header=True)


def test_an_unknown_group_column_lists_those_there_are():
    with pytest.raises(UnknownColumn, match=r"groups='colour'.*'group'"):
        read_string("1 2\n", nodes="1,a\n2,b\n", groups="colour")
    with pytest.raises(UnknownColumn, match="none; give a node table"):
        read_string("1 2\n", groups="colour")


@pytest.mark.parametrize(("kind", "library"), [(".graphml", "networkx"), (".gexf", "networkx"), (".gml", "igraph")])
def test_a_missing_library_is_named_with_its_extra(monkeypatch, kind, library):
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(ng.InputError, match=rf"links{kind}: This needs {library}.*pip install \"netgiven\[graphs\]"):
        read_bytes(SAMPLES[kind], f"links{kind}")


@pytest.mark.parametrize(("name", "nodes", "links"), [("facebook", 4039, 88_234), ("ppi", 3_860, 37_845)])
def test_public_networks(data_folder, name, nodes, links):
    network = ng.read(data_folder / f"{name}.edges.gz")
    assert (network.node_count, network.link_count) == (nodes, links)
    assert network.nodes.dtype == np.int64


def test_isolated_nodes_come_from_the_labels(data_folder):
    network = ng.read(data_folder / "ppi.edges.gz", nodes=data_folder / "ppi.labels.gz")
    assert (network.node_count, network.link_count) == (3890, 37_845)
    assert network.columns["group"].iloc[0] == "5;15;36;38;45"
    assert any("several lines" in note for note in network.notes)


def test_types_of_the_student_database(data_folder):
    folder = data_folder
    network = ng.read(folder / "studentdb_standin.edges", nodes=folder / "studentdb_standin.types", groups="group")
    assert (network.node_count, network.link_count) == (403, 3_429)
    assert len(network.groups("group")[1]) == 7


# ---- two sides -------------------------------------------------------------------------------------------------------


def rows(pairs, header):
    return "".join(f"{u},{v}\n" for u, v in [header, *pairs])


def proposal(network):
    return [note for note in network.notes if "No link joins" in note]


def test_people_and_things_are_two_kinds_of_nodes(tmp_path):
    (tmp_path / "seen.csv").write_text(rows([(1, 1), (1, 2), (2, 1)], ("userId", "film_id")))
    network = ng.read(tmp_path / "seen.csv")
    assert network.nodes.tolist() == ["user 1", "user 2", "film 1", "film 2"]
    assert network.columns["side"].tolist() == ["user", "user", "film", "film"]
    assert network.neighbours("user 1") == ["film 1", "film 2"] and not proposal(network)
    frame = ng.Network.from_pandas(pd.DataFrame({"title": ["x"] * 3, "film_id": [1, 2, 1], "userId": [1, 1, 2]}))
    assert set(frame.nodes) == set(network.nodes) and frame.link_count == 3
    texts = ng.read(pd.DataFrame({"user": ["ann", "bob"], "book": ["Emma", "Emma"]}))
    assert texts.nodes.tolist() == ["ann", "Emma", "bob"] and texts.columns["side"].tolist() == ["user", "book", "user"]


def test_node_tables_of_one_kind_may_have_its_numbers(tmp_path):
    (tmp_path / "seen.csv").write_text(rows([(1, 1), (1, 2), (2, 1)], ("userId", "movieId")))
    (tmp_path / "films.csv").write_text("movieId,genre\n1,crime\n2,drama\n3,crime\n")
    network = ng.read(tmp_path / "seen.csv", nodes=tmp_path / "films.csv")
    genre = dict(zip(network.nodes, network.columns["genre"], strict=True))
    assert genre["movie 2"] == "drama" and genre["movie 3"] == "crime" and len(network.nodes) == 5


COMPLETE = [(f"a{i}", f"b{j}") for i in range(11) for j in range(11)]


def test_sides_are_proposed_from_the_columns_of_a_table(tmp_path):
    (tmp_path / "x.csv").write_text(rows(COMPLETE, ("actor", "play")))
    network = ng.read(tmp_path / "x.csv", header=True)
    assert network.columns["side"].tolist() == [{"a": "actor", "b": "play"}[name[0]] for name in network.nodes]
    assert "actor (11), play (11). Tell it with given='degrees+blocks:side'" in proposal(network)[0]
    assert len(ng.read(network).notes) == len(network.notes)


def test_sides_are_proposed_from_the_links_alone():
    mixed = [pair if number % 3 else pair[::-1] for number, pair in enumerate(COMPLETE)]
    network = ng.read(ng.Network.from_edges([*mixed, ("c", "d")]).to_networkx())
    side = dict(zip(network.nodes, network.columns["side"], strict=True))
    assert {side[f"a{i}"] for i in range(11)} != {side[f"b{i}"] for i in range(11)} and len(set(side.values())) == 2
    assert "Outside of the largest component, 2 nodes may be on the other side" in network.notes[-2]


@pytest.mark.parametrize(
    "graph",
    [
        nx.balanced_tree(2, 5),
        nx.cycle_graph(40),
        nx.complete_bipartite_graph(3, 4),
        nx.karate_club_graph(),
        nx.disjoint_union(nx.complete_bipartite_graph(9, 9), nx.path_graph(9)),
        nx.disjoint_union(nx.complete_bipartite_graph(9, 9), nx.cycle_graph(3)),
    ],
)
def test_sides_are_not_proposed_by_chance(graph):
    mixed = [(u, v) if (u + v // 2) % 2 else (v, u) for u, v in graph.edges]
    network = ng.read(pd.DataFrame(mixed, columns=["source", "target"]))
    assert not proposal(network) and "side" not in network.columns


def test_a_column_without_links_inside_its_groups_is_proposed():
    kinds = {"node": [f"{side}{i}" for side in "ab" for i in range(11)], "type": ["x"] * 11 + ["y"] * 11}
    network = ng.read(pd.DataFrame(COMPLETE, columns=["source", "target"]), nodes={**kinds, "own": kinds["node"]})
    assert "same type: x (11), y (11)" in proposal(network)[0] and "side" not in network.columns
    inside = ng.read(pd.DataFrame([*COMPLETE, ("a0", "a1")], columns=["source", "target"]), nodes=kinds)
    assert not proposal(inside)
