"""Parquet, Feather and Arrow files."""

from __future__ import annotations

import io

import numpy as np
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest
from hypothesis import given
from hypothesis import strategies as st

import netgiven as ng
from tests.file_samples import named_links, names, pairs_of, read_bytes


def parquet(**columns):
    sink = io.BytesIO()
    pa.parquet.write_table(pa.table(columns), sink)
    return sink.getvalue()


@given(pairs_of(names))
def test_any_text_comes_back(pairs):
    first, second = zip(*pairs, strict=True)
    network = read_bytes(parquet(a=first, b=second), "links.parquet")
    assert set(map(str, network.nodes)) == {*first, *second}


@given(pairs_of(st.integers(-(2**63), 2**63 - 1)))
def test_integers_come_back(pairs):
    first, second = zip(*pairs, strict=True)
    network = read_bytes(parquet(a=first, b=second), "links.parquet")
    assert network.nodes.tolist() == sorted({*first, *second})


def test_kinds_of_text_and_integers():
    small = pa.array([1, 2], type=pa.uint8())
    words = pa.array(["a", "b"]).dictionary_encode()
    large = pa.array(["b", "c"], type=pa.large_string())
    assert read_bytes(parquet(a=small, b=small), "l.parquet").nodes.dtype == np.int64
    assert named_links(read_bytes(parquet(a=words, b=large), "l.parquet")) == {frozenset("ab"), frozenset("bc")}
    huge = pa.array([2**64 - 1, 2], type=pa.uint64())
    assert read_bytes(parquet(a=huge, b=small), "l.parquet").nodes.tolist() == ["18446744073709551615", "1", "2"]


def test_columns_are_found_by_name():
    data = parquet(year=[1, 2], target=["b", "c"], source=["a", "b"], weight=[1.0, 2.0])
    network = read_bytes(data, "links.parquet")
    assert named_links(network) == {frozenset("ab"), frozenset("bc")}
    assert network.cleaning.weighted
    assert network.notes == ("Ignored columns: year.",)


def test_a_stream_is_read_as_well_as_a_file():
    table, sink = pa.table({"a": ["x"], "b": ["y"]}), pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    assert read_bytes(sink.getvalue().to_pybytes(), "links.arrow").node_count == 2


ERRORS = [
    ({"a": ["x"]}, "links need two"),
    ({"a": ["x", None], "b": ["y", "z"]}, r"links\.parquet, row 2 has an empty name"),
    ({"a": ["x", "y"], "b": ["y", ""]}, r"links\.parquet, row 2 has an empty name"),
    ({"a": pa.array([1, None]), "b": [1, 2]}, "row 2 has an empty name"),
    ({"a": [1.5], "b": [2.5]}, "column 'a' holds double; names of nodes are integers or text"),
    ({"a": pa.array([], type=pa.string()), "b": pa.array([], type=pa.string())}, "no rows"),
]


@pytest.mark.parametrize(("columns", "message"), ERRORS)
def test_errors(columns, message):
    with pytest.raises(ng.InputError, match=message):
        read_bytes(parquet(**columns), "links.parquet")


def test_feather_of_version_1_is_refused():
    with pytest.raises(ng.InputError, match=r"links\.feather: this is a Feather file of version 1, .*version 2"):
        read_bytes(b"FEA1" + bytes(100) + b"FEA1", "links.feather")
