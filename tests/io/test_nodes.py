"""The table of nodes: header or not, kinds of names, several lines a node, and what can be wrong with it."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet
import pytest
from hypothesis import given
from hypothesis import strategies as st

import netgiven as ng
from tests.file_samples import named_links, pairs_of, read_string, scripts

LINKS = "ann,bob\nbob,cid\n"


@pytest.mark.parametrize("table", ["ann,x\nbob,y\ncid,x\ndan,y\n", "who,group\nann,x\nbob,y\ncid,x\ndan,y\n"])
def test_groups_and_isolated_nodes(table):
    network = read_string(LINKS, nodes=table, groups="group")
    assert network.nodes.tolist() == ["ann", "bob", "cid", "dan"]
    assert network.degrees.tolist() == [1, 2, 1, 0]
    assert network.columns["group"].tolist() == ["x", "y", "x", "y"]
    assert isinstance(network.columns["group"].dtype, pd.CategoricalDtype)


def test_a_header_is_noted_and_names_the_columns():
    network = read_string(LINKS, nodes="id,type,age\nann,x,3\nbob,y,\ncid,x,5\n")
    assert list(network.columns) == ["type", "age"]
    assert network.columns["age"].tolist()[::2] == [3, 5]
    assert any("The first line of" in note and "header" in note for note in network.notes)


def test_columns_without_header_get_names():
    network = read_string("1 2\n", nodes="1,x,3,4\n2,y,4,5\n")
    assert list(network.columns) == ["group", "column3", "column4"]


def test_a_node_without_links_on_the_first_line_is_no_header():
    network = read_string(LINKS, nodes="zoe,x\nann,x\nbob,y\ncid,y\n")
    assert network.nodes.tolist() == ["zoe", "ann", "bob", "cid"]
    assert read_string("1 2\n", nodes="9,x\n1,y\n2,z\n").nodes.tolist() == [9, 1, 2]


def test_row_numbers_of_pandas_are_left_out():
    network = read_string(LINKS, nodes=",node,type\n0,ann,x\n1,bob,y\n2,cid,x\n")
    assert network.nodes.tolist() == ["ann", "bob", "cid"]
    assert list(network.columns) == ["type"]


def test_integers_stay_integers_only_if_both_are():
    assert read_string("1 2\n", nodes="2,x\n1,y\n").nodes.tolist() == [2, 1]
    mixed = read_string("1 2\n", nodes="1,x\n2,y\n003,z\n")
    assert mixed.nodes.tolist() == ["1", "2", "003"]
    assert named_links(mixed) == {frozenset(("1", "2"))}
    assert read_string("1 b\n", nodes="1,x\n2,y\n").nodes.tolist() == ["1", "2", "b"]


def test_namibia_is_a_group_and_a_gap_among_numbers():
    network = read_string(LINKS, nodes="node,country,age\nann,NA,NA\nbob,DE,4\ncid,,5\n")
    assert network.columns["country"].tolist()[:2] == ["NA", "DE"]
    assert network.columns["country"].isna().tolist() == [False, False, True]
    assert network.columns["age"].isna().tolist() == [True, False, False]


def test_a_data_frame_or_mapping_will_do():
    frame = pd.DataFrame({"node": ["cid", "bob", "ann"], "type": [1, 2, 3]})
    for nodes in (frame, frame.to_dict("list")):
        network = read_string(LINKS, nodes=nodes)
        assert network.nodes.tolist() == ["cid", "bob", "ann"]
        assert network.columns["type"].tolist() == [1, 2, 3]


def test_a_parquet_table_will_do(tmp_path):
    links, nodes = tmp_path / "links.csv", tmp_path / "nodes.parquet"
    links.write_text(LINKS)
    pa.parquet.write_table(pa.table({"node": ["ann", "bob", "cid"], "type": ["x", "y", "x"]}), nodes)
    assert ng.read(links, nodes=nodes, groups="type").columns["type"].tolist() == ["x", "y", "x"]


def test_several_labels_are_joined_and_noted():
    network = read_string("1 2\n", nodes="1\t5\n1\t3\n1\t5\n2\t7\n3\t\n")
    assert network.columns["group"].tolist()[:2] == ["5;3", "7"]
    assert network.columns["group"].isna().tolist() == [False, False, True]
    assert any("1 nodes have several lines" in note for note in network.notes)


def test_the_same_line_twice_is_noted_and_used_once():
    network = read_string("1 2\n", nodes="1,5\n1,5\n2,7\n")
    assert network.columns["group"].tolist() == [5, 7]
    assert any("Repeated lines" in note for note in network.notes)


def test_nodes_that_the_table_lacks_are_noted():
    network = read_string("1 2\n2 3\n", nodes="1,x\n", groups="group")
    assert network.nodes.tolist() == [1, 2, 3]
    assert any("2 linked nodes are not in" in note for note in network.notes)
    assert "2 nodes have no value in 'group'." in network.notes


def test_columns_of_the_table_replace_those_beside_the_links():
    text = "source,target,source_type,target_type,source_age,target_age\na,b,x,y,1,2\nb,c,y,z,2,3\n"
    network = read_string(text, nodes="node,type\nc,T\nb,T\nd,T\n")
    assert network.nodes.tolist() == ["c", "b", "d", "a"]
    assert network.columns["type"].tolist()[:3] == ["T", "T", "T"]
    assert network.columns["age"].tolist()[:2] == [3, 2]
    assert network.columns["age"].iloc[3] == 1


ERRORS = [
    ("# c\nann,x,1\nbob,y,2\nann,z,3\n", r"nodes\.csv, line 4: 'ann,z,3' repeats node 'ann' .*line 2"),
    ("ann,x\n,y\n", r"nodes\.csv, line 2: ',y' has an empty name"),
    ("ann,x\nbob\n", r"nodes\.csv, line 2: 1 field where 2 were expected"),
    ("", "nothing but comments"),
    ("# c\n", "nothing but comments"),
    (
        "zoe,x\nzac,y\n",
        r"nodes\.csv: none of its nodes \('zoe', 'zac'\) is linked; the linked ones are 'ann', 'bob', 'cid'",
    ),
    ("node,x,x\nann,1,2\n", "two columns have the same name"),
    (b"ann,x\nb\xff,y\n", r"nodes\.csv, line 2: the line is not UTF-8"),
    ({}, "is empty"),
    ({"node": ["ann", None]}, "has no name"),
    ({"node": ["ann", "ann"], "a": [1, 2], "b": [1, 2]}, "The node table, row 2 repeats node 'ann'"),
]


@pytest.mark.parametrize(("table", "message"), ERRORS)
def test_errors(table, message):
    with pytest.raises(ng.InputError, match=message):
        read_string(LINKS, nodes=table)


def test_a_missing_table_is_named():
    with pytest.raises(ng.InputError, match=r"no file .*nowhere\.csv"):
        read_string(LINKS, nodes=Path("/nowhere.csv"))


@given(pairs_of(scripts), st.lists(scripts, unique=True))
def test_the_order_of_the_table_comes_first(pairs, known):
    linked = list(dict.fromkeys(name for pair in pairs for name in pair))
    known = [*known, linked[-1]] if linked[-1] not in known else known
    sink = io.StringIO()
    pd.DataFrame({"node": known, "rank": range(len(known))}).to_csv(sink, index=False)
    network = read_string("".join(f"{a}\t{b}\n" for a, b in pairs), nodes=sink.getvalue(), header=False)
    assert network.nodes.tolist() == [*known, *(name for name in linked if name not in known)]
    assert network.columns["rank"].tolist()[: len(known)] == list(range(len(known)))
    assert np.isnan(network.columns["rank"].to_numpy()[len(known) :].astype(float)).all()


def test_hints_that_are_for_the_links_are_not_given_for_the_table():
    network = read_string(LINKS, nodes="node,type\nann,x\nbob,y\n")
    assert any(note.endswith("was taken as a header: 'node, type'.") for note in network.notes)


def test_a_missing_name_among_integers_is_an_error():
    with pytest.raises(ng.InputError, match=r"nodes\.csv, line 3: 'NA,y' has a node 'NA'"):
        read_string("1 2\n", nodes="node,type\n1,x\nNA,y\n2,x\n")


def test_a_repeated_node_is_shown_as_it_was_written():
    with pytest.raises(ng.InputError, match="repeats node 1 "):
        read_string("1 2\n", nodes="node,a,b\n1,x,x\n2,x,x\n1,y,y\n")
