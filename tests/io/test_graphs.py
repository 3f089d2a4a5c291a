"""GraphML, GEXF, GML and Pajek."""

from __future__ import annotations

import io
import json

import igraph
import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

import netgiven as ng
from tests.file_samples import SAMPLES, named_links, pairs_of, read_bytes, read_string, scripts

# What XML 1.0 can hold, and GML between quotation marks.
xml_text = st.text(st.characters(min_codepoint=32, max_codepoint=0xD7FF), min_size=1, max_size=8)
FORMATS = {".graphml": nx.write_graphml, ".gexf": nx.write_gexf, ".gml": nx.write_gml}


def written(graph, kind):
    sink = io.BytesIO()
    FORMATS[kind](graph, sink)
    return sink.getvalue()


@pytest.mark.parametrize("kind", FORMATS)
@given(pairs=pairs_of(scripts | xml_text))
def test_names_come_back(kind, pairs):
    network = read_bytes(written(nx.Graph(pairs), kind), f"links{kind}")
    assert set(map(str, network.nodes)) == {name for pair in pairs for name in pair}
    expected = {frozenset(pair) for pair in pairs if pair[0] != pair[1]}
    assert {frozenset(map(str, pair)) for pair in named_links(network)} == expected


@pytest.mark.parametrize("kind", FORMATS)
@pytest.mark.parametrize("graph", [nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph])
def test_directions_duplicates_and_weights_are_noted(kind, graph):
    links = graph([("a", "b", {"weight": 2.0}), ("b", "a", {"weight": 1.0}), ("c", "c", {"weight": 1.0})])
    network = read_bytes(written(links, kind), f"links{kind}")
    assert network.nodes.tolist() == ["a", "b", "c"]
    assert network.link_count == 1
    assert network.cleaning.directed == links.is_directed()
    assert network.cleaning.weighted
    assert network.cleaning.self_loops == 1
    assert network.cleaning.duplicates + network.cleaning.both_directions == 1


@pytest.mark.parametrize("kind", FORMATS)
def test_integers_come_back_as_integers(kind):
    network = read_bytes(written(nx.path_graph(4), kind), f"links{kind}")
    assert network.nodes.tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize(
    ("kind", "write"), [(".graphml", "write_graphml"), (".gml", "write_gml"), (".net", "write_pajek")]
)
def test_files_of_igraph(kind, write, tmp_path):
    graph = igraph.Graph([(0, 1), (1, 2)])
    if kind == ".graphml":
        graph.vs["name"] = ["ann", "bob", "cid"]
    path = tmp_path / f"links{kind}"
    getattr(graph, write)(str(path))
    network = ng.read(path)
    assert network.link_count == 2
    if kind == ".graphml":
        assert network.nodes.tolist() == ["ann", "bob", "cid"]
        assert "Nodes are named by their name, not by their id." in network.notes


@pytest.mark.parametrize("kind", [".graphml", ".gexf"])
def test_document_types_are_refused(kind):
    bomb = '<?xml version="1.0"?>\n<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]>\n<graphml>&b;</graphml>'
    with pytest.raises(ng.InputError, match=rf"links{kind}, line 2: .*DOCTYPE"):
        read_string(bomb, f"links{kind}")
    with pytest.raises(ng.InputError, match="DOCTYPE"):
        read_bytes(bomb.replace("1.0", "1.0").encode("utf-16"), f"links{kind}")


@pytest.mark.parametrize("kind", [".graphml", ".gexf"])
def test_broken_xml_is_an_error_with_its_line(kind):
    data = SAMPLES[kind]
    with pytest.raises(ng.InputError, match=rf"links{kind}, line \d+: this is not well-formed XML"):
        read_bytes(data[: len(data) // 2], f"links{kind}")
    with pytest.raises(ng.InputError, match="cannot be read as"):
        read_bytes(b"<other/>", f"links{kind}")


# ---- GML -------------------------------------------------------------------------------------------------------------

NODES = 'node [ id 1 label "a" ] node [ id 2 label "b" ]'


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x 1", r"links\.gml: the file cannot be read as GML: No 'graph' object"),
        (f"graph [ {NODES} edge [ source 1 target 3 ] ]", "line 1: .*Unknown target node id"),
        (f"graph [\n{NODES}\nedge [ source 1 target 2", "line 3: .*unexpected end of file"),
        ("graph [\n node [ id ] ]", r"line 2: .*unexpected \]"),
        ('graph [\n "x" ]', "line 2: .*unexpected string, expecting keyword"),
        ('graph [\n\n node [ label "x ]', "line 3: the file cannot be read as GML"),
        ("graph [ node [ x 1 ] ]", "node number 1 has no id"),
        ("graph [ node [ id 1 ] node [ id 1 ] ]", "line 1: .*Duplicate node id"),
        ("graph [ node [ id 9007199254740993 ] ]", "put labels in quotation marks"),
        ("graph [\n node [ id 1 label 12345678901234567 ] ]", "put labels in quotation marks"),
        ('graph [\n node [ id 1 label "a\0" ] ]', "line 2: the file holds a NUL"),
        ('graph [ node [ id "" ] ]', "line 1: .*Non-integer node id"),
    ],
)
def test_errors_in_gml(text, message):
    with pytest.raises(ng.InputError, match=message):
        read_string(text, "links.gml")


def test_gml_in_detail():
    text = (
        'Creator "someone # here"\n# a comment\ngraph [ directed 1\n'
        ' node [ id 1 label "a &amp; b" type "x" graphics [ x 1 ] ]\n'
        ' node [ id 2 label "two\nlines" type "y" ] edge [ source 1 target 2 value 3 ] edge [ source 1 target 2 ] ]'
    )
    network = read_string(text, "links.gml")
    assert network.nodes.tolist() == ["a & b", "two\nlines"]
    assert network.columns["type"].tolist() == ["x", "y"]
    assert list(network.columns) == ["type"]
    assert (
        str(network.cleaning)
        == "2 links given, 1 kept: 1 duplicate merged, direction ignored, weights of 1 link ignored"
    )


def test_gml_labels_that_are_not_unique_leave_ids_as_names():
    text = 'graph [ node [ id 5 label "a" ] node [ id 6 label "a" ] edge [ source 5 target 6 ] ]'
    network = read_string(text, "links.gml")
    assert network.nodes.tolist() == [5, 6]
    assert network.columns["label"].tolist() == ["a", "a"]
    assert "Nodes are named by their ids" in network.notes[0]


def test_deeply_nested_gml_is_refused():
    text = f"graph [ {NODES} edge [ source 1 target 2 ] " + "x [ " * 50_000 + "] " * 50_000 + "]"
    with pytest.raises(ng.InputError, match="cannot be read as GML"):
        read_string(text, "links.gml")


def test_gml_characters_and_numbers():
    text = (
        'graph [ node [ id 1 label "&#233; &eacute; &amp;#233; &unknown; é" rank 3 size 1.5 ]\n'
        "node [ id -2 label 7 rank 4 ] edge [ source 1 target -2 weight 1 ] edge [ source -2 target 1 ] ]\n"
        "graph [ node [ id 5 ] ]"
    )
    network = read_string(text, "links.gml")
    assert network.nodes.tolist() == ["é é &#233; &unknown; é", "7"]
    assert network.columns["rank"].tolist() == [3, 4]
    assert network.columns["size"].isna().tolist() == [False, True]
    assert str(network.cleaning) == "2 links given, 1 kept: 1 duplicate merged"
    assert network.notes == ("Only the first graph of the file was read.",)


# ---- Pajek -----------------------------------------------------------------------------------------------------------


def test_pajek_in_detail():
    text = (
        '*Network test\n% a comment\n*Vertices 5\n1 "ann lee" 0.1 0.2 0.3\n2 bob\n3 "cid"\n*Arcs\n1 2 1.0\n2 1 3\n'
        "*Arcslist\n3 1 2\n*Edges\n1 3\n*Edgeslist\n4 1\n*Partition sex\n*Vertices 5\n1\n2\n1\n2\n1\n"
        "*Vector age\n*Vertices 5\n1.5\n2\n3\n4\n5\n"
        "*Permutation p\n*Vertices 5\n1\n2\n3\n4\n5\n*Network two\n*Vertices 1\n*Edges\n"
    )
    network = read_string(text, "links.paj")
    assert network.nodes.tolist() == ["ann lee", "bob", "cid", "4", "5"]
    assert named_links(network) == {
        frozenset(pair) for pair in [("ann lee", "bob"), ("cid", "ann lee"), ("cid", "bob"), ("4", "ann lee")]
    }
    assert network.columns["sex"].tolist() == [1, 2, 1, 2, 1]
    assert network.columns["age"].tolist() == [1.5, 2, 3, 4, 5]
    assert network.cleaning.weighted
    assert network.cleaning.directed
    assert any("*Permutation" in note for note in network.notes)


def test_pajek_matrix():
    network = read_string("*Vertices 3\n*Matrix\n0 1 0\n1 0 2\n0 2 0\n", "links.net")
    assert network.nodes.tolist() == [1, 2, 3]
    assert str(network.cleaning) == "2 links given, 2 kept: weights of 1 link ignored"


def test_pajek_labels_that_are_not_unique_leave_numbers_as_names():
    network = read_string('*Vertices 2\n1 "a"\n2 "a"\n*Edges\n1 2\n', "links.net")
    assert network.nodes.tolist() == [1, 2]
    assert network.columns["label"].tolist() == ["a", "a"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("hello\n", r"links\.net, line 1: 'hello' was given; '\*Vertices' and the number of nodes was expected"),
        ("*Edges\n1 2\n", r"line 2: '1 2' was given; the numbers of two nodes"),
        ("*Vertices x\n", "line 1: the number of nodes was expected"),
        ("*Vertices 2\n5 a\n", r"line 2: '5 a' was given; a node's number \(1 to 2\)"),
        ("*Vertices 2\n*Edges\n1 3\n", "line 3: '1 3'"),
        ("*Vertices 2\n*Edges\n1\n", "line 3: '1'"),
        ("*Vertices 2\n*Matrix\n0 1\n", "not square"),
        ("*Vertices 2\n*Matrix\n0 x\n", "line 3: '0 x' was given; numbers"),
        ("*Vertices 9999999999\n*Edges\n1 2\n", "9,999,999,999 nodes are announced"),
        (f"*Vertices 3\n000000000001{'0' * 5000} ann\n*Edges\n1 2\n", r"line 2: .*\(1 to 3\)"),
        ("*Vertices 3\n0000000000012 ann\n*Edges\n1 2\n", r"line 2: .*\(1 to 3\)"),
        ("% nothing\n", "there are no nodes"),
    ],
)
def test_errors_in_pajek(text, message):
    with pytest.raises(ng.InputError, match=message):
        read_string(text, "links.net")


def test_a_partition_of_numbers_beyond_integers_stays_as_it_is():
    network = read_string("*Vertices 2\n*Edges\n1 2\n*Partition a\n1e300\n1\n", "links.net")
    assert network.columns["a"].tolist() == [1e300, 1.0]


# ---- JSON ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("edges", ["links", "edges"])
def test_node_link_json_of_networkx(edges):
    graph = nx.DiGraph([("ann", "bob"), ("bob", "cid"), ("cid", "cid")])
    graph.add_node("dan", age=7)
    graph.add_node((1, "x"))
    graph["ann"]["bob"]["weight"] = 2
    network = read_bytes(json.dumps(nx.node_link_data(graph, edges=edges)).encode(), "graph.json")
    assert network.nodes.tolist() == ["ann", "bob", "cid", "dan", (1, "x")]
    assert named_links(network) == {frozenset(("ann", "bob")), frozenset(("bob", "cid"))}
    assert network.columns["age"].tolist()[3] == 7
    assert str(network.cleaning).endswith("1 self-loop dropped, direction ignored, weights of 1 link ignored")


def test_node_link_json_of_d3():
    nodes = [{"name": "ann", "group": 1}, {"name": "bob", "group": 2}, {"name": "cid", "group": 2}]
    text = json.dumps({"nodes": nodes, "links": [{"source": 0, "target": 1, "value": 1}, {"source": 2, "target": 0}]})
    network = read_bytes(text.encode(), "miserables.json")
    assert named_links(network) == {frozenset(("ann", "bob")), frozenset(("ann", "cid"))}
    assert network.columns["group"].tolist() == [1, 2, 2]
    assert network.notes == ("The ends of links were read as positions in the list of nodes, from 0.",)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", r"graph\.json, line 1: this is not valid JSON"),
        ("[1, 2]", "Pair 1 is 1; a pair is two node names"),
        ("3", "a network was expected: lists of nodes and links"),
        ('{"ann": 3}', "a network was expected: lists of nodes and links"),
        ('{"ann": [null]}', "neither text nor a whole number"),
        ('{"nodes": [], "elements": []}', "no such list 'links' or 'edges'"),
        ('{"nodes": [1], "links": []}', "no such list 'nodes'"),
        ('{"nodes": [{"id": 1}], "links": [{"source": 1, "target": 2}]}', "link 1 has an end '2'"),
        ('{"nodes": [{"id": 1}], "links": [{"source": 1}]}', "link 1 has an end 'None'"),
        ('{"nodes": [{"id": 1}], "links": [{"source": 1, "target": {}}]}', "no name of a node"),
        ('{"nodes": [{"id": {}}], "links": []}', "the id of node 1 is '{}'"),
        ('{"nodes": [{"id": 1}, {"id": 1}], "links": []}', "named more than once"),
        ('{"nodes": [{"id": null}], "links": []}', "empty or NaN"),
        ("[" * 100_000, "no JSON of a network"),
        ('{"nodes": [{"id": 1' + "0" * 6000 + '}], "links": []}', "no JSON of a network"),
    ],
)
def test_wrong_json(text, message):
    with pytest.raises(ng.InputError, match=message):
        read_bytes(text.encode(), "graph.json")


@pytest.mark.parametrize("kind", [nx.Graph, nx.DiGraph, nx.MultiGraph])
def test_adjacency_json_of_networkx(kind):
    graph = nx.path_graph(4, create_using=kind)
    graph.add_node("dan", age=7)
    graph.add_edge(0, 1, weight=2)
    network = read_bytes(json.dumps(nx.adjacency_data(graph)).encode(), "graph.json")
    assert network.nodes.tolist() == [0, 1, 2, 3, "dan"]
    assert named_links(network) == {frozenset((0, 1)), frozenset((1, 2)), frozenset((2, 3))}
    assert network.columns["age"].tolist()[-1] == 7
    assert network.cleaning.given == graph.number_of_edges()
    assert network.cleaning.directed == graph.is_directed()
    assert network.cleaning.weighted == 1


def test_plain_json_of_neighbours_and_of_links():
    network = read_string('{"ann": ["bob", "cid"], "bob": ["ann"], "cid": ["ann"], "dan": []}', "graph.json")
    assert network.nodes.tolist() == ["ann", "bob", "cid", "dan"]
    assert str(network.cleaning) == "2 links given, 2 kept"
    assert read_string(json.dumps({1: [2, 3], 2: []}), "graph.json").nodes.tolist() == [1, 2, 3]
    assert read_string(json.dumps({"ann": {"bob": {"weight": 2}}}), "graph.json").cleaning.weighted == 1
    for text in ('[["ann", "bob"], ["bob", "cid"]]', '[{"to": "ann", "from": "bob"}, {"from": "bob", "to": "cid"}]'):
        assert read_string(text, "graph.json").link_count == 2
    with pytest.raises(ng.InputError, match="a list of neighbours for each of 1 nodes"):
        read_string('{"nodes": [{"id": 1}], "adjacency": []}', "graph.json")


# ---- adjacency lists -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("make", [nx.Graph, nx.DiGraph])
def test_adjacency_lists_of_networkx(make, tmp_path):
    graph = nx.relabel_nodes(nx.gnp_random_graph(12, 0.2, seed=1), dict(enumerate("abcdefghijkl")))
    nx.write_adjlist(make(graph), tmp_path / "graph.adjlist")
    network = ng.read(tmp_path / "graph.adjlist")
    assert network.nodes.tolist() == list(graph)
    assert named_links(network) == {frozenset(pair) for pair in graph.edges}
    assert str(network.cleaning) == f"{graph.number_of_edges()} links given, {graph.number_of_edges()} kept"


def test_adjacency_lists_with_other_delimiters_and_names():
    text = "# comment\n\nAnn Lee\tBob\tCid\nDan\n"
    network = read_string(text, "links.txt", format="adjlist")
    assert network.nodes.tolist() == ["Ann Lee", "Dan", "Bob", "Cid"]
    assert network.notes == ("Names are separated by tabs.",)
    assert read_string("1|2|3\n", "links.adjlist", delimiter="|").nodes.tolist() == [1, 2, 3]
    assert read_string("1 2 3\n", "links.ADJLIST").link_count == 2
    with pytest.raises(ng.InputError, match="there are no nodes"):
        read_string("# nothing\n", "links.adjlist")
    with pytest.raises(ng.InputError, match=r"call the file \.adjlist"):
        read_string("1 2 3\n4 5\n", "links.txt")
    with pytest.raises(ng.InputError, match="are for text tables"):
        read_string("1 2 3\n", "links.adjlist", header=True)


def test_the_format_can_be_named():
    assert read_string("a,b\n", "links.json", format="csv").link_count == 1
    assert read_string("[[1, 2]]", "links.txt", format=".json").link_count == 1
    with pytest.raises(ng.InputError, match=r"format='jso' was given; there are: csv, .* Did you mean 'json'\?"):
        read_string("a,b\n", "links.txt", format="jso")
    with pytest.raises(ng.InputError, match="are for files; Graph was given"):
        ng.read(nx.path_graph(3), format="csv")
