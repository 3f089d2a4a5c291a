"""Matrix Market, MATLAB and .npz files."""

from __future__ import annotations

import io

import numpy as np
import pytest
import scipy.io
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

import netgiven as ng
from tests.file_samples import read_bytes, read_string


def npz(**arrays):
    sink = io.BytesIO()
    np.savez(sink, **arrays)
    return sink.getvalue()


def mat(**variables):
    sink = io.BytesIO()
    scipy.io.savemat(sink, variables)
    return sink.getvalue()


def saved(matrix, kind):
    sink = io.BytesIO()
    if kind == ".mtx":
        scipy.io.mmwrite(sink, matrix)
    elif kind == ".npz":
        sparse.save_npz(sink, matrix)
    else:
        scipy.io.savemat(sink, {"network": sparse.csc_matrix(matrix)})
    return sink.getvalue()


entries = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5), st.sampled_from([0.0, 1.0, 1.0, 2.5])), max_size=12)


@pytest.mark.parametrize("kind", [".mtx", ".mat", ".npz"])
@given(entries=entries)
def test_a_matrix_comes_back(kind, entries):
    dense = np.zeros((6, 6))
    for row, column, value in entries:
        dense[row, column] = value
    network = read_bytes(saved(sparse.csr_array(dense), kind), f"links{kind}")
    expected = ng.Network.from_scipy(dense)
    assert (network.to_scipy() != expected.to_scipy()).nnz == 0
    assert network.cleaning == expected.cleaning


@pytest.mark.parametrize("form", ["csr", "csc", "coo", "dia", "bsr"])
@pytest.mark.parametrize("kind", [sparse.csr_array, sparse.csr_matrix])
def test_every_sparse_form(form, kind):
    matrix = kind(np.array([[0, 1, 0, 0], [1, 0, 1, 0], [0, 1, 0, 1], [0, 0, 1, 0]])).asformat(form)
    assert read_bytes(saved(matrix, ".npz"), "links.npz").link_count == 3


def test_numbers_of_nodes_are_noted():
    matrix = sparse.csr_array(np.array([[0, 1], [1, 0]]))
    assert read_bytes(saved(matrix, ".mtx"), "links.mtx").nodes.tolist() == [1, 2]
    assert "from 1" in read_bytes(saved(matrix, ".mtx"), "links.mtx").notes[0]
    assert read_bytes(saved(matrix, ".npz"), "links.npz").nodes.tolist() == [0, 1]
    assert "from 0" in read_bytes(saved(matrix, ".npz"), "links.npz").notes[0]


def test_groups_of_a_matlab_file():
    network, marks = np.ones((3, 3)), np.array([[1, 0], [0, 1], [0, 1]])
    one = read_bytes(mat(network=network, group=marks), "links.mat", groups="group")
    assert one.columns["group"].tolist() == [0, 1, 1]
    several = read_bytes(mat(network=network, group=sparse.csc_matrix([[1, 1], [0, 0], [0, 1]])), "links.mat")
    assert several.columns["group"].tolist()[::2] == ["0;1", "1"]
    assert several.columns["group"].isna().tolist() == [False, True, False]
    assert any("1 nodes are in several groups" in note for note in several.notes)
    column = read_bytes(mat(network=network, group=np.array([[7], [8], [7]])), "links.mat")
    assert column.columns["group"].tolist() == [7, 8, 7]
    row = read_bytes(mat(network=network, group=np.array([[7, 8, 7]])), "links.mat")
    assert row.columns["group"].tolist() == [7, 8, 7]


MTX = "%%MatrixMarket matrix coordinate pattern general\n"
ERRORS = [
    (".mat", mat(x=np.ones((2, 2))), r"links\.mat: there is no variable 'network', the matrix of links. Variables: x"),
    (".mat", mat(network=np.ones((2, 3))), r"links\.mat: A matrix of shape \(2, 3\).*square"),
    (".mat", mat(network="text"), "links.mat"),
    (".mat", mat(network=np.ones((2, 2)), group=np.ones((3, 4))), "'group' has shape"),
    (".mat", b"\x89HDF\r\n", "MATLAB 7.3"),
    (".mtx", (MTX + "2 3 1\n1 2\n").encode(), r"links\.mtx, line 2: the matrix has 2 rows and 3 columns"),
    (
        ".mtx",
        (MTX + "%c\n3 3 x\n1 2\n").encode(),
        "line 3: the numbers of rows and columns, and of entries were expected; '3 3 x'",
    ),
    (".mtx", (MTX + "3 3 1\n1 y\n").encode(), r"links\.mtx, line 3: '1 y' was given; the numbers of an entry"),
    (".mtx", (MTX + "3 3 1\n1\n2\n").encode(), r"links\.mtx, line 3: .*damaged \(Invalid integer"),
    (".mtx", (MTX + "3 3 1\n1 2\n2 3\n").encode(), r"links\.mtx, line 4: .*Too many lines"),
    (".mtx", (MTX + "3 3 1\n1 2\0\n").encode(), r"links\.mtx, line 3: '1 2\\x00' was given"),
    (".mtx", b"hello\n", r"links\.mtx, line 1: .*'hello' given"),
    (".mtx", (MTX + "3 3 2\n1 2\n").encode(), "cut off or damaged"),
    (".mtx", (MTX + "3 3 1\n1 7\n").encode(), r"links\.mtx, line 3: .*Column index out of bounds"),
    (".mtx", (MTX + "2000000000 2000000000 1\n1 2\n").encode(), "nodes are announced"),
    (".mtx", (MTX + "9 9 8000000000\n1 2\n").encode(), "8,000,000,000 entries are announced, and fewer given"),
    (".npz", saved(sparse.csr_array(np.ones((2, 3))), ".npz"), "square"),
    (".npz", npz(a=np.ones(3)), "there is no sparse matrix, only a"),
    (".npz", npz(a=np.array([{}], dtype=object)), "links.npz"),  # a pickle inside: never opened
    (
        ".npz",
        npz(format=b"csr", shape=[2, 2], data=np.ones(2), indices=np.array([0, 99]), indptr=np.array([0, 1, 2])),
        "cut off or damaged",
    ),
    (".npz", npz(format=b"csr", shape=[2, 2], data=np.ones(1), indices=[1], indptr=[0, 9, 1]), "cut off or damaged"),
    (".npz", npz(format=b"coo", shape=[2, 2], data=np.ones(1), row=[0], col=[2]), "cut off or damaged"),
    (".npz", npz(format=b"coo", shape=[2, 2], data=[np.nan], row=[0], col=[1]), "holds NaN"),
    (".npz", npz(format=b"csr", shape=[4_000_000_000] * 2, data=[], indices=[], indptr=[0]), "links.npz"),
]


@pytest.mark.parametrize(("kind", "data", "message"), ERRORS)
def test_errors(kind, data, message):
    with pytest.raises(ng.InputError, match=message):
        read_bytes(data, f"links{kind}")


def test_values_that_add_up_beyond_all_numbers_are_a_link():
    rows, columns = np.array([0, 0]), np.array([1, 1])
    huge = npz(format=b"coo", shape=[2, 2], data=np.array([1e308, 1e308]), row=rows, col=columns)
    assert read_bytes(huge, "links.npz").link_count == 1


def test_symmetric_and_array_forms_of_matrix_market():
    text = "%%MatrixMarket matrix array real symmetric\n2 2\n0\n1\n0\n"
    assert read_string(text, "links.mtx").link_count == 1
    text = "%%MatrixMarket matrix coordinate pattern symmetric\n% a comment\n3 3 2\n2 1\n3 1\n"
    network = read_string(text, "links.mtx")
    assert str(network.cleaning) == "2 links given, 2 kept"


def test_matrix_market_files_as_people_write_them():
    text = "%%matrixmarket MATRIX Coordinate Integer General\r\n%a\r\n\r\n% b\r\n 3 3  2\r\n1 2 0.5 9\r\n\r\n 3 2\t1"
    network = read_string(text, "links.mtx")
    assert network.link_count == 2
    assert network.cleaning.weighted
    assert network.cleaning.directed
    assert not read_string(MTX + "3 3 2\n1 2\n1 2\n", "links.mtx").cleaning.weighted
