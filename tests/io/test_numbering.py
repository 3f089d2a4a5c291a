"""Names to numbers: the compiled way against Arrow's, name by name, and from file to network."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import netgiven as ng
from netgiven import edges
from netgiven.io.numbering import number_names
from netgiven.io.tables import number_many, number_text

text = st.one_of(st.text(max_size=40), st.text("ab\0", max_size=20), st.sampled_from(["ann", "bob", "é" * 9, ""]))
pairs = st.lists(st.tuples(text.filter(lambda name: name.isprintable() or "\0" in name), text), max_size=60)


def columns_of(pairs, cut):
    """Two columns in chunks that do not agree, the first of them with a slice's offset."""
    firsts, seconds = (pa.array([pair[end] for pair in pairs], type=pa.string()) for end in (0, 1))
    padded = pa.concat_arrays([pa.array(["before"]), firsts, pa.array(["after"])])[1:-1]
    return pa.chunked_array([padded]), pa.chunked_array([seconds[:cut], seconds[cut:]], type=pa.string())


@given(pairs, st.integers(0, 60), st.integers(1, 70))
def test_numbers_are_those_that_arrow_gives(pairs, cut, batch):
    columns = columns_of(pairs, cut)
    names, first, second = number_names(*columns, batch=batch)
    names.validate(full=True)
    if pairs:
        reference = number_text(*columns)
        assert names.to_pylist() == reference.names.tolist()
        assert first.tolist() == reference.first.tolist()
        assert second.tolist() == reference.second.tolist()


def test_names_that_grow_beyond_every_table():
    generator = np.random.default_rng(0)
    ends = [pa.array([f"user_{number}" for number in generator.integers(0, 40_000, 90_000)]) for _ in range(2)]
    columns = [pa.chunked_array([end]) for end in ends]
    many, reference = number_many(*columns), number_text(*columns)
    assert many.names.equals(reference.names)
    assert many.names.dtype == reference.names.dtype
    assert np.array_equal(many.first, reference.first)
    assert np.array_equal(many.second, reference.second)
    assert many.first.dtype == reference.first.dtype


@pytest.mark.parametrize("lines", ["ann,bob\nbob,cid\ncid,ann\nann,ann\nbob,ann\n", "1,x\nx,007\n", "a, b\nb, \n"])
def test_files_are_read_alike(tmp_path, monkeypatch, lines):
    path = tmp_path / "links.csv"
    path.write_text(lines, encoding="utf-8")

    def told():
        try:
            network = ng.read(path)
        except ng.NetgivenError as error:
            return str(error)
        links = network.links().tolist()
        return network.nodes.tolist(), network.nodes.dtype, links, str(network.cleaning), network.notes

    plain = told()
    monkeypatch.setattr(edges, "MANY_LINKS", 1)
    assert told() == plain


def test_a_node_table_joins_many_names(tmp_path, monkeypatch):
    monkeypatch.setattr(edges, "MANY_LINKS", 1)
    path = tmp_path / "links.csv"
    path.write_text("ann,bob\nbob,cid\n", encoding="utf-8")
    assert ng.read(path, nodes={"name": ["cid", "dan"]}).nodes.tolist() == ["cid", "dan", "ann", "bob"]
    with pytest.raises(ng.InputError, match="repeats node 'dan'"):
        ng.read(path, nodes={"name": ["dan", "dan"]})
