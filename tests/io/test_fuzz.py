"""Whatever the bytes: a network, or an InputError that names the file. Nothing else may come out."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import netgiven as ng
from tests.file_samples import SAMPLES, read_bytes

changes = st.lists(
    st.tuples(
        st.sampled_from(["set", "cut", "insert", "end"]), st.integers(0, 10**6), st.binary(min_size=1, max_size=4)
    ),
    min_size=1,
    max_size=4,
)


def mutated(data: bytes, steps) -> bytes:
    for step, place, piece in steps:
        at = place % (len(data) + 1)
        if step == "set":
            data = data[:at] + piece + data[at + len(piece) :]
        elif step == "cut":
            data = data[:at] + data[at + len(piece) :]
        elif step == "insert":
            data = data[:at] + piece + data[at:]
        else:
            data = data[:at]
    return data


def check(data: bytes, name: str, **options):
    try:
        network = read_bytes(data, name, **options)
    except ng.InputError as error:
        assert "links" in str(error) or "nodes" in str(error)
    else:
        assert isinstance(network, ng.Network)
        assert network.nodes.is_unique
        assert network.indptr[-1] == 2 * network.link_count


@pytest.mark.parametrize("kind", SAMPLES)
@given(data=st.binary(max_size=200))
def test_random_bytes(kind, data):
    check(data, f"links{kind}")


@pytest.mark.parametrize("kind", SAMPLES)
@given(steps=changes)
def test_mutations_of_valid_files(kind, steps):
    check(mutated(SAMPLES[kind], steps), f"links{kind}")


@pytest.mark.parametrize("compression", [".gz", ".zst"])
@given(data=st.binary(max_size=100))
def test_random_bytes_that_claim_to_be_compressed(compression, data):
    check(data, f"links.edges{compression}")


@given(data=st.binary(max_size=100), text=st.text(max_size=60))
def test_random_tables_of_nodes(data, text):
    check(b"1 2\n2 3\n", "links.edges", nodes=data)
    check(b"a b\nb c\n", "links.edges", nodes=text)


@given(text=st.text(st.sampled_from("ab01 ,;\t\n\"'#%-+.éNA"), max_size=80))
def test_text_near_an_edge_list(text):
    check(text.encode(), "links.csv")
