"""Which columns are the ends of links: the same for data frames, text and Parquet; what is ambiguous is refused."""

from __future__ import annotations

import io

import networkx as nx
import numpy as np
import pandas as pd
import pytest

import netgiven as ng
from netgiven.errors import UnknownColumn
from netgiven.network import Network
from tests.file_samples import named_links, read_bytes

LINKS = {frozenset(("ann", "bob")), frozenset(("bob", "cid")), frozenset(("cid", "dan"))}
FIRST, SECOND = ["ann", "bob", "cid"], ["bob", "cid", "dan"]


def as_frame(frame, **options):
    return Network.from_pandas(frame, **options)


def as_csv(frame, **options):
    return read_bytes(frame.to_csv(index=False).encode(), "links.csv", header=True, **options)


def as_parquet(frame, **options):
    sink = io.BytesIO()
    frame.to_parquet(sink)
    return read_bytes(sink.getvalue(), "links.parquet", **options)


SOURCES = pytest.mark.parametrize("read", [as_frame, as_csv, as_parquet])


@SOURCES
@pytest.mark.parametrize(
    "columns",
    [
        {"weight": [1, 1, 1], "source": FIRST, "target": SECOND},
        {"id": [7, 8, 9], "source": FIRST, "target": SECOND},
        {"year": [1, 2, 3], "To": SECOND, "id": [7, 8, 9], "From": FIRST},
        {"who": FIRST, "whom": SECOND},
        {"timestamp": [5, 6, 7], "who": FIRST, "whom": SECOND, "rating": [1, 1, 1]},
    ],
)
def test_ends_are_found_by_name_and_what_is_left(read, columns):
    assert named_links(read(pd.DataFrame(columns))) == LINKS


@SOURCES
def test_ambiguous_columns_are_refused_and_can_be_named(read):
    frame = pd.DataFrame({"id": [7, 8, 9], "who": FIRST, "whom": SECOND})
    with pytest.raises(ng.InputError, match=r"'id', 'who', 'whom'.*source= and target= \(--source and --target"):
        read(frame)
    network = read(frame, source="who", target="whom")
    assert named_links(network) == LINKS
    assert network.notes == ("Ignored columns: id.",)
    with pytest.raises(ng.InputError, match="Which columns"):
        read(frame, source="who")
    with pytest.raises(UnknownColumn, match=r"no column 'from' in the links. Columns: 'id', 'who', 'whom'"):
        read(frame, source="from", target="whom")


@SOURCES
def test_columns_of_both_ends_become_a_node_column(read):
    frame = pd.DataFrame(
        {"source": FIRST, "target": SECOND, "source_age": [1, 2, 3], "target_age": [2, 3, 4], "weight": [1, 2, 0]}
    )
    network = read(frame)
    assert network.columns["age"].tolist() == [1, 2, 3, 4]
    assert network.cleaning.weighted == 2
    assert network.notes == ("Links of weight 0, which count as links: 1.",)
    with pytest.raises(ng.InputError, match="node 'bob' has two values in column 'age': 2 and 5"):
        read(frame.assign(target_age=[5, 3, 4]))


@SOURCES
def test_negative_weights_are_refused_with_their_number(read):
    frame = pd.DataFrame({"source": FIRST, "target": SECOND, "weight": [1.0, -0.5, -2.0]})
    with pytest.raises(ng.InputError, match="2 of 3 links have negative weights"):
        read(frame)


def test_negative_weights_of_graphs_and_matrices_are_refused():
    graph = nx.Graph([(0, 1, {"weight": -1}), (1, 2)])
    with pytest.raises(ng.InputError, match="1 of 2 links have negative weights"):
        Network.from_networkx(graph)
    with pytest.raises(ng.InputError, match="1 of 2 links have negative weights"):
        Network.from_scipy(nx.to_scipy_sparse_array(graph))
    with pytest.raises(ng.InputError, match="1 of 2 links have negative weights"):
        Network.from_edges(graph.edges(data=True))


# ---- matrices and arrays ---------------------------------------------------------------------------------------------


def test_a_frame_whose_rows_and_columns_are_named_alike_is_a_matrix():
    graph = nx.relabel_nodes(nx.path_graph(8), dict(enumerate("abcdefgh")))
    frame = nx.to_pandas_adjacency(graph)
    for given in (frame, frame[list("hgfedcba")]):
        network = Network.from_pandas(given, nodes={"node": ["z", "a"], "age": [1, 2]})
        assert named_links(network) == {frozenset(pair) for pair in graph.edges}
        assert network.nodes.tolist()[:2] == ["z", "a"]
    club = nx.karate_club_graph()
    network = ng.read(nx.to_pandas_adjacency(club, weight=None))
    assert (network.node_count, network.link_count) == (34, 78)


def test_a_matrix_in_a_text_file_is_refused():
    frame = nx.to_pandas_adjacency(nx.karate_club_graph(), weight=None).astype(int)
    frame.index = frame.columns = [f"n{name}" for name in frame.columns]
    with pytest.raises(ng.InputError, match="Which columns are the two ends"):
        read_bytes(frame.to_csv().encode(), "links.csv")
    with pytest.raises(ng.InputError, match=r"34 rows of 34 columns .*If this is a matrix"):
        read_bytes(frame.to_csv(index=False, header=False).encode(), "links.csv")
    index = np.array(nx.karate_club_graph().edges).T
    with pytest.raises(ng.InputError, match=r"2 rows of 78 columns .*give its transpose"):
        read_bytes("\n".join(" ".join(map(str, row)) for row in index).encode(), "links.txt")


@pytest.mark.parametrize("width", [3, 4, 5, 34])
def test_an_index_array_is_refused(width):
    index = np.array([np.arange(width), np.arange(width) + 1])
    for make in (ng.read, Network.from_edges, lambda array: Network.from_edges(list(map(tuple, array)))):
        if width == 3 and make not in (ng.read, Network.from_edges):
            continue  # two tuples of three are two links with weights
        with pytest.raises(ng.InputError, match=r"PyTorch Geometric, give its transpose"):
            make(index)
    assert ng.read(index.T).link_count == Network.from_edges(index.T).link_count == width


def test_a_small_square_array_is_ambiguous():
    for array in (np.array([[7, 3], [3, 9]]), np.array([[0, 1], [1, 0]]), np.ones((3, 3), dtype=int)):
        for given in (array, pd.DataFrame(array)):
            with pytest.raises(ng.InputError, match=r"a matrix or a list of \d links. Use Network.from_scipy"):
                ng.read(given)
    assert Network.from_edges(np.array([[7, 3], [3, 9]])).nodes.tolist() == [3, 7, 9]
    assert Network.from_scipy(np.array([[0, 1], [1, 0]])).node_count == 2


def test_pairs_to_ask_about_follow_the_same_rules():
    embedding = ng.embed(Network.from_edges([(i, (i + 1) % 12) for i in range(12)]), "density", dimensions=2)
    expected = embedding.probabilities([(3, 5), (4, 9)])
    assert np.array_equal(embedding.probabilities(pd.DataFrame({"x": [1, 2], "u": [3, 4], "v": [5, 9]})), expected)
    with pytest.raises(ng.InputError, match="Which columns"):
        embedding.probabilities(pd.DataFrame({"a": [1, 2], "b": [3, 4], "c": [5, 9]}))
    with pytest.raises(ng.InputError, match="a row of two names per link was expected"):
        embedding.probabilities(np.array([[3, 5, 4, 9], [1, 2, 3, 4]]))
    with pytest.raises(ng.InputError, match="a pair is two node names"):
        embedding.probabilities([(3, 5, 0.5)])
    network = embedding.network.with_unobserved(pd.DataFrame({"x": [1, 2], "u": [3, 4], "v": [5, 9]}))
    assert network.unobserved_count == 2


def test_an_embedding_as_an_array_is_its_positions():
    embedding = ng.embed(Network.from_edges([(i, (i + 1) % 12) for i in range(12)]), "density", dimensions=2)
    assert np.array_equal(np.asarray(embedding), embedding.positions)
    assert np.asarray(embedding, dtype=np.float64).dtype == np.float64
    assert np.array(embedding).shape == (12, 2)


# ---- what a network cannot hold --------------------------------------------------------------------------------------


def lossy():
    """Graphs, pairs and matrices with a loop, directions and weights."""
    graph = nx.MultiDiGraph()
    graph.add_weighted_edges_from([("a", "b", 2), ("a", "b", 1), ("b", "a", 1), ("b", "c", 3), ("c", "c", 1)])
    counts = "5 links given, 2 kept: 1 self-loop dropped, 1 duplicate merged, 1 given in both directions merged"
    return graph, f"{counts}, direction ignored, weights of 2 links ignored"


def test_what_is_left_out_is_a_warning_with_counts():
    graph, report = lossy()
    with pytest.warns(ng.InputWarning, match=f"^{report}. A network is undirected and unweighted.$") as caught:
        network = Network.from_networkx(graph)
    assert caught[0].filename == __file__  # the line that made the network, not one of the package
    assert repr(network) == f"Network: 3 nodes, 2 links; {report.partition(': ')[2]}"
    assert report in network._repr_html_()
    with pytest.warns(ng.InputWarning, match="direction ignored"):
        ng.embed(graph, dimensions=2, max_steps=3)
    with pytest.warns(ng.InputWarning, match="weights of 3 links ignored"):
        ng.read(sp_matrix())
    with pytest.warns(ng.InputWarning, match="weights of 1 link ignored"):
        Network.from_edges([("a", "b", 2), ("b", "c")])


def sp_matrix():
    return 2 * nx.to_scipy_sparse_array(nx.path_graph(4))


@pytest.mark.filterwarnings("error::netgiven.errors.InputWarning")
def test_nothing_left_out_is_no_warning():
    network = Network.from_edges([("a", "b"), ("b", "a"), ("b", "c", 1)])
    assert repr(network) == "Network: 3 nodes, 2 links"
    Network.from_networkx(nx.path_graph(5))
    Network.from_scipy(nx.to_scipy_sparse_array(nx.path_graph(5)))


def test_a_file_that_holds_more_is_a_warning_in_python():
    with pytest.warns(ng.InputWarning, match=r"2 links given, 1 kept: 1 self-loop dropped"):
        read_bytes(b"a b\nb b\n")


# ---- read takes what embed takes -------------------------------------------------------------------------------------


def test_read_takes_graphs_and_tables_with_nodes_and_groups():
    graph = nx.path_graph(3)
    table = pd.DataFrame({"node": [0, 1, 2, 3], "team": [1, 2, 1, 2]})
    network = ng.read(graph, nodes=table, groups="team")
    assert (network.node_count, network.link_count) == (4, 2)
    assert isinstance(network.columns["team"].dtype, pd.CategoricalDtype)
    assert ng.read(network).node_count == 4
    with pytest.raises(ng.InputError, match="are for files; Graph was given"):
        ng.read(graph, header=True)
    with pytest.raises(ng.InputError, match=r"are for tables, which this is not"):
        ng.read(graph, source="a")
