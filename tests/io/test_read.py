"""Every format, plain and compressed; what is wrong with a file or an argument is said."""

from __future__ import annotations

import gzip
import io
import sys

import numpy as np
import pandas as pd
import pytest
import scipy.io

import netgiven as ng
from netgiven.errors import UnknownColumn
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


@pytest.mark.parametrize("path", [None, 3, ["a"]])
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


def test_what_is_not_compressed_is_not_decompressed():
    with pytest.raises(ng.InputError, match="cut off or damaged"):
        read_bytes(b"1 2\n", "links.edges.gz")
    with pytest.raises(ng.InputError, match="cut off or damaged"):
        read_bytes(b"1 2\n", "links.edges.zst")


def test_a_file_that_grows_without_end_is_refused(monkeypatch):
    monkeypatch.setattr("netgiven.io.files._ALWAYS_ALLOWED", 1000)
    with pytest.raises(ng.InputError, match="expands to more than"):
        read_bytes(gzip.compress(b"1 2\n" * 1_000_000), "links.edges.gz")


def test_matrices_that_expand_without_limit_are_refused(monkeypatch):
    monkeypatch.setattr("netgiven.io.files._ALWAYS_ALLOWED", 1000)
    monkeypatch.setattr("netgiven.io.files._MAX_GROWTH", 10)
    zeros, archive, matlab = np.zeros((100, 100)), io.BytesIO(), io.BytesIO()
    np.savez_compressed(archive, format=b"csr", shape=[2, 2], data=zeros)
    scipy.io.savemat(matlab, {"network": zeros}, do_compression=True)
    for data, kind in ((archive.getvalue(), ".npz"), (matlab.getvalue(), ".mat")):
        with pytest.raises(ng.InputError, match=rf"links{kind}: .*expands to more than"):
            read_bytes(data, f"links{kind}")


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
    with pytest.raises(ng.InputError, match=rf"links{kind}: This needs {library}.*pip install netgiven\[graphs\]"):
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
