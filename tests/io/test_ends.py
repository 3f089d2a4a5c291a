"""Which columns are the ends of links: the same for tables of all libraries, text and Parquet.

What is ambiguous is refused.
"""

from __future__ import annotations

import io

import networkx as nx
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import netgiven as ng
from netgiven.errors import UnknownColumn
from netgiven.labels import as_labels
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


def to_polars(frame):
    objects = frame.astype(object).where(frame.notna(), None)
    columns = {str(name): objects.iloc[:, place].tolist() for place, name in enumerate(frame.columns)}
    return pytest.importorskip("polars").DataFrame(columns)


def to_arrow(frame):
    return pa.Table.from_pandas(frame, preserve_index=False)


def to_duckdb(frame):
    return pytest.importorskip("duckdb").sql("SELECT * FROM frame")


def to_stream(frame):
    table = to_arrow(frame)
    return pa.RecordBatchReader.from_batches(table.schema, table.to_batches())


TABLES = {
    "pandas": lambda frame: frame,
    "pandas with Arrow": lambda frame: frame.convert_dtypes(dtype_backend="pyarrow"),
    "pandas with another index": lambda frame: frame.set_axis(range(5, 5 + len(frame))),
    "polars": to_polars,
    "lazy polars": lambda frame: to_polars(frame).lazy(),
    "PyArrow": to_arrow,
    "a batch": lambda frame: to_arrow(frame).to_batches()[0],
    "a stream": to_stream,
    "DuckDB": to_duckdb,
}


def table_reader(convert, make):
    return lambda frame, **options: make(convert(frame), **options)


SOURCES = pytest.mark.parametrize(
    "read",
    [
        *(table_reader(convert, ng.read) for convert in TABLES.values()),
        table_reader(to_polars, as_frame),
        as_csv,
        as_parquet,
    ],
    ids=[*TABLES, "from_pandas", "CSV", "Parquet"],
)
KINDS = pytest.mark.parametrize("convert", TABLES.values(), ids=TABLES)


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


@KINDS
@pytest.mark.parametrize("names", ["text", "integers", "categories"])
def test_names_are_the_same_from_all_libraries(convert, names):
    places = {name: place for place, name in enumerate(("ann", "bob", "cid", "dan"), start=7)}
    columns = {"source": FIRST, "target": SECOND, "weight": [1.0, None, 1.0]}
    frame = pd.DataFrame(columns)
    if names == "integers":
        frame = frame.replace(places).astype({"source": "int64", "target": "int64"})
    if names == "categories":
        frame = frame.astype({"source": "category", "target": "category"})
    expected = list(places.values()) if names == "integers" else list(places)
    network = ng.read(convert(frame))
    assert network.nodes.tolist() == expected
    assert network.nodes.dtype == Network.from_edges([tuple(expected[:2])]).nodes.dtype
    assert network.nodes.name is None
    assert network.cleaning.weighted == 0
    nodes = pd.DataFrame({"node": [*expected, expected[-1] * 2], "team": [1, 2, 1, 2, 1]})
    larger = ng.read(convert(frame), nodes=convert(nodes))
    assert larger.columns["team"].tolist() == [1, 2, 1, 2, 1]
    assert network.with_columns(convert(nodes[["team"]][:4])).columns["team"].tolist() == [1, 2, 1, 2]
    assert network.with_unobserved(convert(pd.DataFrame({"u": expected[:1], "v": expected[-1:]}))).unobserved_count == 1


@KINDS
def test_an_end_without_a_name_is_refused(convert):
    with pytest.raises(ng.InputError, match="Link 2 has an end without a name"):
        ng.read(convert(pd.DataFrame({"source": ["ann", None], "target": ["bob", "cid"]})))
    with pytest.raises(ng.InputError, match="Links need two columns"):
        ng.read(convert(pd.DataFrame({"source": ["ann", "bob"]})))


@KINDS
def test_labels_come_from_all_libraries(convert):
    network = Network.from_edges([("ann", "bob"), ("bob", "cid")])
    labels = as_labels(network, convert(pd.DataFrame({"node": ["ann", "bob"], "label": ["x", "y"]})))
    assert labels.pairs.tolist() == [[0, 0], [1, 1]]


def test_an_index_is_ignored_unless_it_has_the_ends():
    frame = pd.DataFrame({"source": FIRST, "target": SECOND, "day": [1, 2, 3]})
    for given in (frame.set_index(["source", "target"]), frame.groupby(["source", "target"]).size()):
        assert named_links(ng.read(given)) == LINKS
    indexed = frame.rename(columns={"source": "who", "target": "whom"}).set_index("who")
    assert named_links(ng.read(indexed, source="who", target="whom")) == LINKS
    assert named_links(ng.read(frame.set_index("day"))) == LINKS
    with pytest.raises(UnknownColumn):
        ng.read(frame.set_index("day"), source="source", target="night")


def test_an_index_of_names_is_that_of_a_node_table():
    links = [("ann", "bob"), ("bob", "cid")]
    frame = pd.DataFrame({"team": [3, 1, 2]}, index=["cid", "ann", "bob"])
    for nodes in (frame, frame.rename_axis("who"), frame.rename_axis("node").reset_index().set_axis([4, 5, 6])):
        network = Network.from_edges(links, nodes=nodes)
        assert network.nodes.tolist() == ["cid", "ann", "bob"]
        assert network.columns["team"].tolist() == ng.read(links, nodes=nodes).columns["team"].tolist() == [3, 1, 2]
    assert Network.from_edges(links).with_columns(frame).columns["team"].tolist() == [1, 2, 3]
    assert Network.from_edges(links).with_columns(frame.set_axis([9, 4, 5])).columns["team"].tolist() == [3, 1, 2]


def test_two_columns_of_one_name_are_refused():
    with pytest.raises(ng.InputError, match="The table cannot be read"):
        ng.read(pa.table([[1], [2], [3]], names=["source", "target", "target"]))


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


@pytest.mark.parametrize("convert", [to_polars, to_arrow, to_duckdb, lambda frame: frame])
def test_the_first_column_may_name_the_rows_of_a_matrix(convert):
    graph = nx.relabel_nodes(nx.path_graph(8), dict(enumerate("abcdefgh")))
    frame = nx.to_pandas_adjacency(graph).loc[list("hgfedcba")].reset_index()
    assert named_links(ng.read(convert(frame))) == {frozenset(pair) for pair in graph.edges}
    two = pd.DataFrame({"name": ["a", "b"], "a": [0, 1], "b": [1, 0]})
    assert ng.read(convert(two)).nodes.tolist() == ["a", "b"]
    with pytest.raises(ng.InputError, match="Which columns"):
        ng.read(convert(two.assign(name=["a", "c"])))
    numbered = nx.to_pandas_adjacency(nx.path_graph(5)).rename(columns=str).reset_index()
    assert ng.read(convert(numbered)).nodes.tolist() == [0, 1, 2, 3, 4]


def test_an_arrow_table_of_a_frame_keeps_its_index():
    frame = nx.to_pandas_adjacency(nx.relabel_nodes(nx.path_graph(5), dict(enumerate("abcde"))))
    assert ng.read(pa.Table.from_pandas(frame)).nodes.tolist() == list("abcde")


def test_a_matrix_in_a_text_file_is_refused():
    frame = nx.to_pandas_adjacency(nx.karate_club_graph(), weight=None).astype(int)
    frame.index = frame.columns = [f"n{name}" for name in frame.columns]
    with pytest.raises(ng.InputError, match=r"rows and columns have the same names .*pandas\.read_csv"):
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
        with pytest.raises(ng.InputError, match=r"PyTorch Geometric, give its transpose, or use Network\.from_edge"):
            make(index)
    assert ng.read(index.T).link_count == Network.from_edges(index.T).link_count == width


@pytest.mark.parametrize("kind", [np.array, list, np.uint8])
def test_an_edge_index_is_taken_when_asked_for(kind):
    both = kind([[0, 1, 1, 2], [1, 0, 2, 1]])
    network = Network.from_edge_index(both, node_count=4)
    assert (network.node_count, network.link_count) == (4, 2)
    assert str(network.cleaning) == "2 links given, 2 kept"
    named = Network.from_edge_index(both, nodes=["ann", "bob", "cid"])
    assert named_links(named) == {frozenset(("ann", "bob")), frozenset(("bob", "cid"))}
    with pytest.warns(ng.InputWarning, match="2 links given, 2 kept: direction ignored"):
        Network.from_edge_index(kind([[0, 1], [1, 2]]))
    assert Network.from_edge_index(np.empty((2, 0)), node_count=3).node_count == 3


@pytest.mark.parametrize(
    ("index", "count", "message"),
    [
        ([[0, 1]], None, r"shape \(1, 2\)"),
        ([[0.5], [1]], None, "holds float64"),
        ([[0], [3]], 3, "holds 3; its numbers of nodes must lie between 0 and 2"),
        ([[0], [-1]], None, "holds -1"),
        ([[0], [1]], "3", "a whole number of at most"),
        ([[0], [1]], 10**12, "a whole number of at most"),
        ([[0], [1, 2]], None, "An array was expected"),
    ],
)
def test_wrong_edge_indices(index, count, message):
    with pytest.raises(ng.InputError, match=message):
        Network.from_edge_index(index, count)
    with pytest.raises(ng.InputError, match="1 node names were given for 2 nodes"):
        Network.from_edge_index([[0], [1]], nodes=["ann"])


def test_a_list_is_pairs_or_a_matrix():
    assert named_links(ng.read([("ann", "bob"), ["bob", "cid"], ("cid", "dan", 1)])) == LINKS
    assert ng.read(nx.to_numpy_array(nx.path_graph(6)).tolist()).link_count == 5
    assert ng.read([["ann", "bob"], ["bob", "cid"]]).link_count == 2
    with pytest.raises(ng.InputError, match="a matrix or a list of 2 links"):
        ng.read([[0, 1], [1, 0]])


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


# ---- adjacency lists -------------------------------------------------------------------------------------------------


def test_a_mapping_of_neighbours():
    network = ng.read({"ann": ["bob"], "bob": {"cid"}, "eve": (), "cid": {"dan": {}}})
    assert named_links(network) == LINKS
    assert network.nodes.tolist() == ["ann", "bob", "eve", "cid", "dan"]
    with pytest.raises(ng.InputError, match="The neighbours of node 'ann' are 'bob'; a list of names was expected"):
        ng.read({"ann": "bob"})
    with pytest.raises(ng.InputError, match="The name of one node was expected"):
        ng.read({"ann": [["bob"]]})


@pytest.mark.parametrize("kind", [nx.Graph, nx.MultiGraph, nx.DiGraph])
@pytest.mark.parametrize("convert", [nx.to_dict_of_lists, nx.to_dict_of_dicts])
def test_mappings_of_networkx(kind, convert):
    graph = nx.path_graph(5, create_using=kind)
    graph.add_node(7)
    network = ng.read(convert(graph))
    assert network.nodes.tolist() == list(graph)
    assert str(network.cleaning) == "4 links given, 4 kept"


def test_weights_of_mappings_are_counted():
    graph = nx.Graph([(0, 1, {"weight": 2}), (1, 2)])
    assert ng.read(nx.to_dict_of_dicts(graph)).cleaning.weighted == 1
    assert ng.read({0: {1: 2.5}, 1: {2: 1}}).cleaning.weighted == 1
    several = nx.MultiGraph([(0, 1, {"weight": 2}), (0, 1), (1, 2)])
    assert str(ng.read(nx.to_dict_of_dicts(several)).cleaning) == (
        "3 links given, 2 kept: 1 duplicate merged, weights of 1 link ignored"
    )


def test_a_mapping_of_columns_is_a_table():
    network = ng.read({"source": FIRST, "target": SECOND})
    assert named_links(network) == LINKS
    assert network.notes == ("The mapping was read as columns of a table of links.",)
    assert ng.read({"u": ["v"], "v": ["u"]}).nodes.tolist() == ["u", "v"]
    assert ng.read({"u": ["v", "w"], "v": []}).link_count == 2


# ---- PyTorch Geometric -----------------------------------------------------------------------------------------------


class Tensor:
    """What is used of a tensor; NumPy cannot read it as it is, as if it lay on a graphics card."""

    def __init__(self, values):
        self.values = np.array(values)

    def detach(self):
        return self

    def cpu(self):
        return self.values

    def __array__(self, dtype=None, copy=None):
        raise TypeError("it is elsewhere")


class Data:
    """What is used of `torch_geometric.data.Data`."""

    def __init__(self, edge_index, num_nodes, **more):
        self.edge_index, self.num_nodes = edge_index, num_nodes
        vars(self).update(more)


BOTH = Tensor([[0, 1, 1, 2], [1, 0, 2, 1]])


def test_data_of_pytorch_geometric():
    data = Data(BOTH, 4, y=Tensor([1, 0, 1, 0]), x=Tensor(np.arange(8.0).reshape(4, 2)), edge_attr=None)
    network = ng.read(data)
    assert (network.node_count, network.link_count) == (4, 2)
    assert network.columns["y"].tolist() == [1, 0, 1, 0]
    assert network.columns["x1"].tolist() == [1, 3, 5, 7]
    assert network.notes == ("Nodes are numbered from 0.",)
    large = ng.read(Data(BOTH, 4, x=Tensor(np.zeros((4, 1433))), edge_weight=Tensor([2.0, 2.0, 1.0, 1.0])))
    assert large.notes == ("Nodes are numbered from 0.", "The array x of shape (4, 1433) was left out.")
    assert large.cleaning.weighted == 1
    with pytest.raises(ng.InputError, match="no edge_index"):
        ng.read(Data(None, 4))


def test_data_with_several_types_is_refused():
    data = Data(BOTH, 4, edge_index_dict={})
    with pytest.raises(ng.InputError, match=r"data.to_homogeneous\(\)"):
        ng.read(data)


def test_tensors_are_arrays():
    with pytest.raises(ng.InputError, match=r"Network\.from_edge_index"):
        ng.read(BOTH)
    assert Network.from_edge_index(BOTH).link_count == 2
    assert (
        ng.read(Tensor([[0, 1], [1, 2], [2, 3]])).link_count == Network.from_edges(Tensor([[0, 1]] * 3)).node_count + 1
    )


def test_tensors_of_pytorch():
    torch = pytest.importorskip("torch")
    assert Network.from_edge_index(torch.tensor([[0, 1], [1, 0]])).link_count == 1


# ---- networkx --------------------------------------------------------------------------------------------------------


class OtherGraph:
    """A graph of a backend of networkx: it says the backend's name, and nothing else."""

    __networkx_backend__ = "other"

    def __init__(self, graph):
        self.graph = graph


class Backend:
    def load(self):
        return self

    def convert_to_nx(self, graph):
        return graph.graph


def test_a_graph_of_a_backend_is_converted_by_it(monkeypatch):
    given = OtherGraph(nx.path_graph(4))
    with pytest.raises(ng.InputError, match="networkx backend 'other' was given, which is not installed"):
        ng.read(given)
    monkeypatch.setitem(nx.utils.backends.backends, "other", Backend())
    assert ng.read(given).link_count == Network.from_networkx(given).link_count == 3


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


# ---- nodes that are called like ends of links, and kinds of nodes ----------------------------------------------------


@pytest.mark.parametrize("names", [["u", "v", "w"], ["from", "to", "via"], ["user", "item", "tag", "i", "j"]])
@pytest.mark.parametrize("convert", TABLES.values(), ids=TABLES)
def test_a_matrix_of_nodes_that_are_called_like_ends_is_a_matrix(names, convert):
    network = ng.read(dict(zip(names, ([name] for name in names[1:]), strict=False)))
    matrix = pd.DataFrame(network.to_scipy().toarray(), index=network.nodes, columns=network.nodes.tolist())
    assert ng.read(matrix) == network
    assert ng.read(convert(matrix.rename_axis("name").reset_index())) == network


@pytest.mark.parametrize("corner", ["", "name"])
def test_a_matrix_of_such_nodes_in_a_text_file_is_refused(corner):
    with pytest.raises(ng.InputError, match="an adjacency matrix"):
        read_bytes(f"{corner},u,v,w\nu,0,1,0\nv,1,0,1\nw,0,1,0\n".encode(), "matrix.csv")
    assert read_bytes(b"1,2,3\n2,3,4\n3,4,5\n", "links.csv").link_count == 3


SEEN = pd.DataFrame({"user": [1, 1, 2], "film": [1, 2, 1]})


def test_a_node_table_of_one_kind_may_have_its_numbers():
    users = {"userId": [2, 1, 3], "age": [20, 10, 30]}
    network = Network.from_pandas(SEEN, nodes=users)
    assert network.nodes.tolist() == ["user 2", "user 1", "user 3", "film 1", "film 2"]
    assert network == ng.read(SEEN, nodes=users)
    other = {"source": ["x", "y"], "age": [20, 10]}
    assert Network.from_pandas(pd.DataFrame({"source": ["a"], "target": ["b"]}), nodes=other).nodes[0] == "x"


def test_files_of_pairs_and_labels_keep_the_names_of_the_network(tmp_path):
    path = tmp_path / "rows.csv"
    SEEN.to_csv(path, index=False)
    one_kind = Network.from_edges([(1, 2), (2, 3)])
    assert ng.read_pairs(path, one_kind.nodes).table.to_numpy().tolist() == SEEN.to_numpy().tolist()
    assert ng.read_labels(path, one_kind).labels.pairs.tolist() == [[0, 0], [0, 1], [1, 0]]
    assert ng.read_pairs(path, ng.read(SEEN).nodes).table.iloc[0].tolist() == ["user 1", "film 1"]
    SEEN.to_parquet(tmp_path / "rows.parquet")
    assert ng.read_pairs(tmp_path / "rows.parquet", one_kind.nodes).table.equals(
        ng.read_pairs(path, one_kind.nodes).table
    )
