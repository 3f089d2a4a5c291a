"""Network: names as they were given, whatever they are; every way in and out."""

from __future__ import annotations

import copy
import sys

import igraph
import networkx as nx
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from netgiven.errors import InputError, UnknownColumn, UnknownNode
from netgiven.network import Network
from netgiven.node_index import number_pairs
from tests.strategies import networks

names = st.one_of(
    st.integers(-3, 3),
    st.integers(-(2**70), 2**70),
    st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=3),
    st.tuples(st.integers(0, 2), st.text("ab", max_size=1)),
    st.booleans(),
    st.floats(allow_nan=False, width=16),
)


def named_links(network):
    listed = network.nodes.tolist()
    return {frozenset((listed[i], listed[j])) for i, j in network.links().tolist()}


def small():
    return Network.from_edges(
        [("ann", "bob"), ("bob", "cid")], {"name": ["ann", "bob", "cid", "dan"], "age": [1, 2, 3, 4]}
    )


# ---- names ---------------------------------------------------------------------------------------------------------


@given(st.lists(st.tuples(names, names), max_size=8))
def test_names_of_any_type_are_kept(pairs):
    network = Network.from_edges(pairs)
    flat = [name for pair in pairs for name in pair]
    expected = list(dict.fromkeys(flat))
    kept = network.nodes.tolist()
    if all(type(name) is int and abs(name) < 2**63 for name in flat):
        expected = sorted(expected)
    assert kept == expected
    assert all(type(name) in {type(other) for other in flat if other == name} for name in kept)  # 0 == False
    assert named_links(network) == {frozenset(pair) for pair in pairs if pair[0] != pair[1]}
    assert network.numbers(expected).tolist() == list(range(len(expected)))


@given(
    st.lists(st.tuples(names, names), max_size=8),
    st.sampled_from([nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph]),
)
def test_networkx_and_back(pairs, kind):
    graph = kind(pairs)
    network = Network.from_networkx(graph)
    assert network.nodes.tolist() == list(graph)
    assert network.cleaning.directed == graph.is_directed()
    assert network.cleaning.given == graph.number_of_edges()
    back = network.to_networkx()
    assert list(back) == list(graph)
    assert {frozenset(pair) for pair in back.edges} == {frozenset(pair) for pair in graph.edges() if pair[0] != pair[1]}


def test_one_and_its_text_and_tuples_are_different_nodes():
    network = Network.from_networkx(nx.Graph([(1, "1"), ("1", (1, 2)), ((1, 2), (1, 3))]))
    assert network.nodes.tolist() == [1, "1", (1, 2), (1, 3)]
    assert network.neighbours("1") == [1, (1, 2)]
    assert network.neighbours((1, 2)) == ["1", (1, 3)]
    only_tuples = Network.from_edges([((0, 0), (0, 1)), ((0, 1), (1, 1))])
    assert only_tuples.nodes.tolist() == [(0, 0), (0, 1), (1, 1)]
    assert only_tuples.neighbours((0, 0)) == [(0, 1)]


def test_half_a_character_is_refused():
    with pytest.raises(InputError, match="not valid text"):
        Network.from_edges([("a", "\ud800")])


@pytest.mark.parametrize("empty", [None, float("nan"), "", pd.NA])
def test_empty_names_are_refused(empty):
    with pytest.raises(InputError, match="empty or NaN"):
        Network.from_edges([("a", "b"), ("b", empty)])
    with pytest.raises(InputError, match="empty or NaN"):
        Network.from_edges([("a", "b")], nodes={"node": ["a", empty]})


def test_an_unknown_node_gets_help():
    network = small()
    with pytest.raises(UnknownNode, match=r"no node 'anne' among the 4 nodes. Did you mean ann\?"):
        network.numbers(["anne"])
    with pytest.raises(UnknownNode, match=r"no node '1'.* There is one of another type: 1 is int, not str"):
        Network.from_edges([(1, 2)]).numbers(["1"])
    with pytest.raises(UnknownNode, match="The first ones are ann, bob, cid"):
        network.numbers([17])
    with pytest.raises(InputError, match=r"Write \['ann'\]"):
        network.numbers("ann")
    with pytest.raises(UnknownNode):
        Network.from_edges([]).numbers(["x"])
    with pytest.raises(UnknownNode):
        network.numbers(["x" * 100_000])


# ---- pairs and tables ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "pairs",
    [
        [(7, 3), (3, 9)],
        [[7, 3], [3, 9]],
        iter([(7, 3), (3, 9)]),
        np.array([[7, 3], [3, 9]]),
        np.array([[7, 3], [3, 9]], dtype=np.uint8),
        pd.DataFrame({"a": [7, 3], "b": [3, 9]}),
        pd.DataFrame({"a": [7, 3], "b": [3, 9]}, dtype="Int64"),
        pd.DataFrame({"a": [7, 3], "b": [3, 9]}, dtype=object),
        pd.DataFrame({"a": [7, 3], "b": [3, 9]}).astype("category"),
        pa.table({"a": [7, 3], "b": [3, 9]}),
    ],
)
def test_pairs_in_any_shape(pairs):
    network = Network.from_edges(pairs)
    assert network.nodes.tolist() == [3, 7, 9]
    assert network.nodes.dtype == np.int64
    assert named_links(network) == {frozenset((7, 3)), frozenset((3, 9))}


def test_huge_integers():
    network = Network.from_edges(np.array([[2**64 - 1, 1]], dtype=np.uint64))
    assert network.nodes.tolist() == [2**64 - 1, 1]


def test_a_third_element_is_a_weight():
    assert Network.from_edges([("a", "b", 2.0)]).cleaning.weighted
    assert not Network.from_edges([("a", "b", 1.0)]).cleaning.weighted
    assert Network.from_edges(np.array([[1, 2, 5]])).cleaning.weighted
    assert Network.from_pandas(pd.DataFrame({"a": [1], "b": [2], "year": [0], "weight": [3]})).cleaning.weighted


@pytest.mark.parametrize("pairs", [["ab"], [("a",)], [3], [("a", "b"), ()]])
def test_links_that_are_no_pairs_are_errors(pairs):
    with pytest.raises(InputError, match=r"Pair \d is .*; a pair is two node names, and perhaps"):
        Network.from_edges(pairs)


@pytest.mark.parametrize("pairs", [pd.DataFrame({"a": [1]}), np.array([[1], [2]])])
def test_one_column_is_not_enough(pairs):
    with pytest.raises(InputError, match="Links need two columns"):
        Network.from_edges(pairs)


def test_the_node_table_comes_first():
    network = Network.from_edges([("a", "b")], nodes=pd.DataFrame({"node": ["z", "b"], "x": [1, 2]}))
    assert network.nodes.tolist() == ["z", "b", "a"]
    assert network.columns["x"].tolist()[:2] == [1, 2]
    assert np.isnan(network.columns["x"].iloc[2])
    assert Network.from_edges([(3, 5)], nodes=[9, 5]).nodes.tolist() == [9, 5, 3]
    assert Network.from_edges([], nodes=["a"]).node_count == 1


def test_wrong_node_tables_are_errors():
    with pytest.raises(InputError, match="named more than once"):
        Network.from_edges([("a", "b")], nodes=["a", "a"])
    with pytest.raises(InputError, match="no column"):
        Network.from_edges([("a", "b")], nodes={})
    with pytest.raises(InputError, match="Two node columns are called '1'"):
        Network.from_edges([("a", "b")], nodes=pd.DataFrame([["a", 1, 2]], columns=["node", 1, "1"]))


def test_pandas_and_back():
    links, nodes = small().to_pandas()
    again = Network.from_pandas(links, "source", "target", nodes)
    assert again.nodes.tolist() == small().nodes.tolist()
    assert named_links(again) == named_links(small())
    assert again.columns["age"].tolist() == [1, 2, 3, 4]
    with pytest.raises(UnknownColumn, match=r"no column 'from' in the links. Columns: 'source', 'target'"):
        Network.from_pandas(links, "from")


# ---- columns -------------------------------------------------------------------------------------------------------


def test_columns_and_groups():
    network = Network.from_edges([(1, 2), (2, 3)], {"node": [1, 2, 3], "type": ["b", "a", None]})
    codes, groups = network.groups("type")
    assert (codes.tolist(), groups) == ([1, 0, -1], ["a", "b"])
    with pytest.raises(UnknownColumn, match=r"no node column 'age'. Columns of this network: 'type'"):
        network.groups("age")
    mixed = network.with_columns(pd.DataFrame({"mixed": [1, "a", None]}))
    assert mixed.groups("mixed")[0].tolist() == [0, 1, -1]
    assert repr(mixed) == "Network: 3 nodes, 2 links, columns type, mixed"


def test_with_columns_replaces_and_checks():
    network = small().with_columns(pd.DataFrame({"age": [5, 6, 7, 8]}, index=[9, 8, 7, 6]))
    assert network.columns["age"].tolist() == [5, 6, 7, 8]
    with pytest.raises(InputError, match="2 rows were given for 4 nodes"):
        small().with_columns(pd.DataFrame({"x": [1, 2]}))


def test_columns_of_some_nodes_are_not_put_in_the_order_of_all():
    network = Network.from_edges([("a", "b"), ("b", "c")])
    with pytest.raises(InputError, match="names 2 rows of 3 like nodes"):
        network.with_columns(pd.DataFrame({"x": [1, 2, 3]}, index=["b", "c", "d"]))
    assert network.with_columns(pd.DataFrame({"x": [1, 2, 3]}, index=["r1", "r2", "r3"])).column("x").tolist() == [
        1,
        2,
        3,
    ]


def test_columns_with_numbers_for_names_are_found_by_their_text():
    assert Network.from_edges([("a", "b")]).with_columns({5: ["x", "y"]}).column("5").tolist() == ["x", "y"]


def test_it_cannot_be_changed():
    network = small()
    for array in (network.indices, network.indptr):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0


# ---- matrices ------------------------------------------------------------------------------------------------------


def matrix(*rows):
    return sparse.csr_array(np.array(rows))


@pytest.mark.parametrize(
    ("given_matrix", "report"),
    [
        (matrix([0, 1], [1, 0]), "1 link given, 1 kept"),
        (matrix([0, 1], [0, 0]), "1 link given, 1 kept"),
        (matrix([1, 2], [2, 0]), "2 links given, 1 kept: 1 self-loop dropped, weights of 1 link ignored"),
        (matrix([0, 1, 0], [1, 0, 0], [1, 0, 0]),
         "3 links given, 2 kept: 1 given in both directions merged, direction ignored"),
        (matrix([0, 2], [3, 0]), "1 link given, 1 kept: weights of 1 link ignored"),
        (np.array([[False, True], [True, False]]), "1 link given, 1 kept"),
        (np.array([[0, 255], [255, 0]], dtype=np.uint8), "1 link given, 1 kept: weights of 1 link ignored"),
        (sparse.coo_array(([1, -1, 1], ([0, 0, 1], [1, 1, 0])), shape=(2, 2)), "1 link given, 1 kept"),
        (np.zeros((0, 0)), "0 links given, 0 kept"),
    ],
)  # fmt: skip
def test_scipy(given_matrix, report):
    before = given_matrix.copy()
    network = Network.from_scipy(given_matrix)
    assert str(network.cleaning) == report
    assert network.nodes.tolist() == list(range(given_matrix.shape[0]))
    assert np.array_equal(np.asarray(abs(before - given_matrix).sum() if given_matrix.dtype != bool else 0), 0)


def test_scipy_and_back_with_names():
    network = small()
    again = Network.from_scipy(network.to_scipy(), nodes=network.nodes)
    assert (again.to_scipy() != network.to_scipy()).nnz == 0
    assert again.nodes.tolist() == network.nodes.tolist()


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (np.ones((2, 3)), "square"),
        (np.ones(3), "square|matrix was expected"),
        (np.array([[0.0, np.nan], [1.0, 0.0]]), "NaN"),
        (np.array([["a", "b"], ["c", "d"]]), "numbers|matrix was expected"),
        ("text", "numbers|square|matrix was expected"),
    ],
)
def test_wrong_matrices(wrong, message):
    with pytest.raises(InputError, match=message):
        Network.from_scipy(wrong)


def test_too_few_names_for_a_matrix():
    with pytest.raises(InputError, match="1 node names were given for a matrix with 2 rows"):
        Network.from_scipy(np.ones((2, 2)), nodes=["a"])


# ---- graphs --------------------------------------------------------------------------------------------------------


def test_attributes_and_weights_of_networkx():
    graph = nx.MultiDiGraph()
    graph.add_node("z", colour="red")
    graph.add_edges_from([("a", "b", {"weight": 2}), ("a", "b"), ("b", "a")])
    network = Network.from_networkx(graph)
    assert network.columns["colour"].tolist()[0] == "red"
    assert str(network.cleaning).startswith(
        "3 links given, 1 kept: 1 duplicate merged, 1 given in both directions merged"
    )
    assert str(network.cleaning).endswith("direction ignored, weights of 1 link ignored")
    assert dict(network.to_networkx().nodes(data=True)) == {"z": {"colour": "red"}, "a": {}, "b": {}}
    assert Network.from_networkx(nx.Graph()).node_count == 0


def test_igraph_and_back():
    graph = igraph.Graph([(0, 1), (1, 2), (2, 2)], directed=True)
    assert Network.from_igraph(graph).nodes.tolist() == [0, 1, 2]
    graph.vs["name"] = ["ann", "bob", "cid"]
    graph.vs["age"] = [1, 2, 3]
    graph.es["weight"] = [1, 2, 3]
    network = Network.from_igraph(graph)
    assert network.nodes.tolist() == ["ann", "bob", "cid"]
    assert network.columns["age"].tolist() == [1, 2, 3]
    assert (
        str(network.cleaning)
        == "3 links given, 2 kept: 1 self-loop dropped, direction ignored, weights of 2 links ignored"
    )
    back = network.to_igraph()
    assert back.vs["name"] == ["ann", "bob", "cid"]
    assert back.get_edgelist() == [(0, 1), (1, 2)]
    assert Network.from_igraph(igraph.Graph(3)).node_count == 3


def test_igraph_names_must_be_unique_and_there():
    graph = igraph.Graph([(0, 1)])
    for wrong in (["a", "a"], ["a", None], ["a", ""]):
        graph.vs["name"] = wrong
        with pytest.raises(InputError, match=r"more than once|empty or NaN"):
            Network.from_igraph(graph)


@pytest.mark.parametrize("module", ["networkx", "igraph"])
def test_a_missing_library_is_named(module, monkeypatch):
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(InputError, match=rf"needs {module}.*pip install \"netgiven\[graphs\]"):
        getattr(small(), f"to_{module}")()


# ---- what people read ------------------------------------------------------------------------------------------------


def test_one_is_written_in_the_singular():
    assert repr(Network.from_edges([("a", "b")])) == "Network: 2 nodes, 1 link"
    assert repr(Network.from_edges([("a", "a")])) == "Network: 1 node, 0 links; 1 self-loop dropped"


@pytest.mark.parametrize(("pairs", "nodes"), [([(1, 2)], ["1", "2"]), ([("1", "2")], [2, 5]), ([(1.5, 2.5)], ["1.5"])])
def test_links_and_table_of_other_kinds_are_an_error(pairs, nodes):
    with pytest.raises(InputError, match="Give both the same type"):
        Network.from_edges(pairs, nodes=nodes)


def test_a_table_of_other_nodes_altogether_is_none():
    assert Network.from_edges([(1, 2)], nodes=["a", "b"]).nodes.tolist() == ["a", "b", 1, 2]


def test_messages_show_values_as_python_has_them():
    network = Network.from_edges(np.array([[0, 1], [1, 2]]))
    for wrong in (
        lambda: network.numbers([np.int64(7)]),
        lambda: network.numbers(["0"]),
        lambda: Network.from_edges([(0, 1)], nodes=[np.int64(0), np.int64(0)]),
        lambda: Network.from_edges([(np.int64(0),)]),
        lambda: Network.from_edges([(np.int64(0), 1)], nodes=["0"]),
        lambda: number_pairs(network.nodes, [(np.int64(0), 1, 2)]),
        lambda: number_pairs(network.nodes, [(np.str_("a"), "b")]),
    ):
        with pytest.raises(InputError) as caught:
            wrong()
        assert "np." not in str(caught.value) and "int64" not in str(caught.value)


def test_links_of_pairs_are_those_of_the_matrix():
    network = Network.from_edges(np.random.default_rng(0).integers(40, size=(90, 2)), nodes=range(43))
    first, second = np.indices((43, 43))
    assert np.array_equal(network.are_linked(first, second), network.to_scipy().toarray() == 1)
    assert network.are_linked(0, 1).shape == ()
    assert network.are_linked([], []).tolist() == []
    assert Network.from_edges([], nodes=["a", "b"]).are_linked([0], [1]).tolist() == [False]


@pytest.mark.parametrize("listed", ["with_unobserved", "with_observed"])
def test_more_nodes_keep_the_unobserved_pairs(listed):
    ring = Network.from_edges([(i, (i + 1) % 8) for i in range(8)])
    network = getattr(ring, listed)([(0, 4), (2, 6)])
    larger = network.with_nodes([7, 99])
    assert larger.nodes.tolist() == [*range(8), 99]
    assert larger.unobserved.pairs.tolist() == [[0, 4], [2, 6]]
    assert larger.unobserved_count == network.unobserved_count + (8 if listed == "with_observed" else 0)
    assert larger.are_observed([0, 0, 0], [4, 2, 8]).tolist() == [
        listed == "with_observed",
        *2 * [listed == "with_unobserved"],
    ]


def test_more_nodes_have_empty_columns():
    network = Network.from_edges([("ann", "bob")], nodes={"node": ["ann", "bob"], "team": ["x", "y"]})
    larger = network.with_nodes(["bob", "cid", "cid"])
    assert larger.nodes.tolist() == ["ann", "bob", "cid"]
    assert larger.columns["team"].tolist()[:2] == ["x", "y"] and larger.columns["team"].isna().tolist()[2]
    assert network.with_nodes(["ann"]).nodes.tolist() == ["ann", "bob"]


# ---- as a collection of nodes, and as a value --------------------------------------------------------------------


@given(networks())
def test_a_network_is_equal_to_its_copies(network):
    again = Network.from_networkx(network.to_networkx())
    copies = [copy.copy(network), copy.deepcopy(network), again]
    assert all(one == network and hash(one) == hash(network) for one in copies)
    assert not any(one.indices.flags.writeable for one in copies)
    assert list(network) == network.nodes.tolist()
    assert network.shape == network.to_scipy().shape == (len(network),) * 2
    assert 0 in network and "0" not in network


def test_networks_that_differ_are_not_equal():
    def with_names(links, names):
        return Network.from_edges(links, nodes={"node": names, "team": ["x", None, "y"]})

    network = with_names([("a", "b"), ("b", "c")], ["a", "b", "c"])
    other = {
        "names": with_names([("a", "b"), ("b", "d")], ["a", "b", "d"]),
        "links": with_names([("a", "b"), ("a", "c")], ["a", "b", "c"]),
        "column": network.with_columns({"team": ["x", "y", "y"]}),
        "unobserved": network.with_unobserved([("a", "c")]),
    }
    assert [name for name, one in other.items() if one == network] == []
    assert network != "a network" and network == network.with_unobserved([])
    assert network.with_columns({"team": ["x", None, "y"]}) == network


def test_unobserved_pairs_may_be_listed_in_either_way():
    network = Network.from_edges([("a", "b"), ("b", "c"), ("c", "d")])
    one, same = network.with_unobserved([("a", "c"), ("b", "d")]), network.with_observed([("a", "d")])
    assert one == same and same == one and same == network.with_observed([("d", "a")])
    assert same != network.with_observed([("a", "c")]) and one != network.with_observed([("a", "c")])


def test_a_network_without_nodes_is_false():
    assert not Network.from_edges([]) and Network.from_edges([("a", "b")])


def test_two_sides_where_there_are_some():
    paths = Network.from_edges([("a", "b"), ("b", "c"), ("x", "y")], nodes=["c", "b", "a", "x", "y", "alone"])
    assert paths.with_sides().columns["side"].tolist()[:5] == ["first", "second", "first", "first", "second"]
    assert paths.with_sides().columns["side"].isna().tolist() == [False] * 5 + [True]
    with pytest.raises(InputError, match="odd cycle"):
        Network.from_edges([(0, 1), (1, 2), (2, 0), (3, 4)]).with_sides()
    assert Network.from_edges([], nodes=[]).with_sides().node_count == 0


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=25))
def test_two_sides_are_those_of_networkx(pairs):
    network = Network.from_edges([(u, v) for u, v in pairs if u != v], nodes=list(range(10)))
    if not nx.is_bipartite(network.to_networkx()):
        with pytest.raises(InputError):
            network.with_sides()
        return
    side = network.with_sides().columns["side"].to_numpy()
    assert all(side[u] != side[v] for u, v in network.links())
