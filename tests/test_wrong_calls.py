"""Wrong calls are errors of the library, which say what was expected and what may have been meant."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pandas as pd
import pytest

import netgiven as ng
from netgiven.errors import UnknownColumn
from netgiven.network import Network
from tests.helpers import run_command as run


@pytest.fixture(scope="module")
def embedding():
    return ng.embed(Network.from_edges([(i, (i + 1) % 12) for i in range(12)]), dimensions=2, max_steps=5)


WRONG = {
    "a spread of text": (lambda _: ng.Spread("a", "b"), "s1 = a and s2 = b were given"),
    "a reach of text": (lambda _: ng.Spread.from_reach("2"), "A reach of 2 was given"),
    "a density": (lambda _: ng.Spread(1, 2, "gausian"), "Did you mean 'gaussian'"),
    "a level of text": (lambda e: e.intervals([(0, 1)], level="0.9"), "level='0.9' was given"),
    "several nodes": (lambda e: e.likely_links([0, 1]), r"name of one node was expected, \[0, 1\] given"),
    "a vector of several": (lambda e: e[[0, 1]], "name of one node was expected"),
    "a list in a pair": (lambda e: e.probabilities([([0], 1)]), "name of one node was expected"),
    "no pairs": (lambda e: e.probabilities(5), "Pairs of node names were expected, 5 given"),
    "a number of names": (lambda e: e.network.numbers(5), r"A list of node names was expected, 5 given. Write \[5\]"),
    "no neighbours": (lambda e: e.add("new", 5), "names of a new node's neighbours were expected, 5 given"),
    "a list as a name": (lambda e: e.add(["new"], [5]), r"name of one node was expected, \['new'\] given"),
    "columns in a list": (lambda e: e.add("new", [5], ["x"]), "a mapping of columns to values is needed"),
    "a number of pairs to ask": (lambda e: e.ask([(0, 5)], count="3"), "A count of 3 was given; a whole number"),
    "a strategy": (lambda e: e.ask([(0, 5)], strategy="entropi"), "Did you mean 'entropy'"),
    "no graph of networkx": (lambda _: Network.from_networkx("x"), "A graph of networkx was expected, str given"),
    "no graph of igraph": (lambda _: Network.from_igraph(nx.Graph()), "A graph of igraph was expected, Graph given"),
    "no links": (lambda _: Network.from_edges(5), "Pairs of node names were expected, 5 given"),
    "no network": (lambda _: ng.degrees().fit(7), "A network was expected, int given"),
    "warmup of text": (lambda e: ng.embed(e.network, warmup="x"), "shares of the steps"),
    "an unknown setting": (lambda e: ng.embed(e.network, dimension=2), "'dimension'. Did you mean 'dimensions'"),
    "a setting unlike all others": (lambda e: ng.embed(e.network, qqq=2), "There are: network, given, dimensions"),
    "unknown Settings": (lambda _: ng.Settings(learningrate=2), "Settings takes no argument .*'learning_rate'"),
    "a method": (lambda e: ng.embed(e.network, method="exat"), "Did you mean 'exact'"),
    "an optimizer": (lambda _: ng.Settings(optimizer="adams"), "Did you mean 'adam'"),
    "an init": (lambda _: ng.Settings(init="spektral"), "Did you mean 'spectral'"),
    "a preset": (lambda _: ng.preset("papers"), "Did you mean 'paper'"),
    "a word of knowledge": (lambda _: ng.parse_knowledge("degress+density"), "Did you mean 'degrees'"),
}  # fmt: skip


@pytest.mark.parametrize("wrong", WRONG)
def test_wrong_calls(embedding, wrong):
    call, message = WRONG[wrong]
    with pytest.raises(ng.InputError, match=message):
        call(embedding)


NONSENSE = [None, 5, -1, 2.5, float("nan"), True, "x", b"x", [], [0, 1], [["a"]], {}, {"a": 1}, {"a": [1]}, set(), (1,),
            object(), pd.DataFrame({"a": [1]}), pd.Series([1]), nx.Graph(), np.float64(3)]  # fmt: skip
ANYTHING = {
    "spread": lambda e, thing: ng.Spread(1, thing), "density": lambda e, thing: ng.Spread(1, 2, thing),
    "reach": lambda e, thing: ng.Spread.from_reach(thing), "likely links": lambda e, thing: e.likely_links(thing),
    "count": lambda e, thing: e.likely_links(count=thing), "threads": lambda e, thing: e.likely_links(threads=thing),
    "pairs": lambda e, thing: e.probabilities(thing), "explain": lambda e, thing: e.explain(0, thing),
    "level": lambda e, thing: e.intervals([(0, 5)], thing), "pool": lambda e, thing: e.ask(thing),
    "asked": lambda e, thing: e.ask([(0, 5)], count=thing), "ask": lambda e, thing: e.ask([(0, 5)], thing),
    "seed": lambda e, thing: e.ask([(0, 5)], "random", seed=thing), "name": lambda e, thing: e.add(thing, [0]),
    "neighbours": lambda e, thing: e.add("new", thing), "values": lambda e, thing: e.add("new", [0], thing),
    "more": lambda e, thing: e.add_many(thing), "vector": lambda e, thing: e[thing],
    "export": lambda e, thing: e.export(thing), "load": lambda e, thing: ng.load(thing),
    "read": lambda e, thing: ng.read(thing), "nodes": lambda e, thing: ng.read(e.network, nodes=thing),
    "groups": lambda e, thing: ng.read(e.network, groups=thing), "edges": lambda e, thing: Network.from_edges(thing),
    "table": lambda e, thing: Network.from_edges([(1, 2)], thing), "matrix": lambda e, thing: Network.from_scipy(thing),
    "frame": lambda e, thing: Network.from_pandas(thing), "networkx": lambda e, thing: Network.from_networkx(thing),
    "igraph": lambda e, thing: Network.from_igraph(thing), "numbers": lambda e, thing: e.network.numbers(thing),
    "column": lambda e, thing: e.network.column(thing), "columns": lambda e, thing: e.network.with_columns(thing),
    "unobserved": lambda e, thing: e.network.with_unobserved(thing), "fit": lambda e, thing: ng.degrees().fit(thing),
    "text": lambda e, thing: ng.parse_knowledge(thing), "blocks": lambda e, thing: ng.blocks(thing).fit(e.network),
    "kind": lambda e, thing: ng.homophily("x", thing), "bins": lambda e, thing: ng.order("x", thing),
    "score": lambda e, thing: ng.common_neighbours(thing), "preset": lambda e, thing: ng.preset(thing),
    "labels": lambda e, thing: ng.Labels.from_pairs(e.nodes, thing), "sample": lambda e, thing: e.prior.sample(thing),
    **{f"setting {name}": lambda e, thing, name=name: ng.Settings(**{name: thing}).resolve(9)
       for name in vars(ng.Settings())},
}  # fmt: skip


@pytest.mark.parametrize("call", ANYTHING)
def test_nonsense_is_used_or_refused_by_the_library(embedding, call):
    for thing in NONSENSE:
        try:
            ANYTHING[call](embedding, thing)
        except ng.NetgivenError as error:
            assert str(error)


def test_a_column_may_be_meant():
    with pytest.raises(UnknownColumn, match="Did you mean 'department'"):
        ng.blocks("departement").fit(ng.datasets.company(20))


def test_the_command_line_suggests_too(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "links.txt").write_text("a b\nb c\nc a\nc d\n")
    for options, meant in (
        (("--given", "degress"), "Did you mean 'degrees'"),
        (("--method", "exat"), "Did you mean 'exact'"),
        (("--optimizer", "adams"), "Did you mean 'adam'"),
        (("--dimension", "3"), "Possible options: --density, --dimensions"),
    ):
        assert run("embed", "links.txt", "--out", "x.ng", *options) == 2
        assert meant in capsys.readouterr().err


def test_settings_are_still_values():
    settings = ng.Settings(dimensions=2, reach=3)
    assert settings == ng.Settings(2, 3)
    assert ng.embed.__name__ == "embed" and ng.embed.__doc__.startswith("Find the embedding")


# ---- what makes sense works ------------------------------------------------------------------------------------------


def test_priors_are_fitted_to_graphs():
    graph = nx.path_graph(5)
    network = Network.from_networkx(graph)
    assert ng.degrees().fit(graph).entropy == ng.degrees().fit(network).entropy
    assert ng.density().learn(graph).fit(network).expected_links() == pytest.approx(4)


def test_a_reach_can_be_given_everywhere():
    network = Network.from_edges([(i, (i + 1) % 12) for i in range(12)])
    assert ng.embed(network, reach=2, dimensions=2, max_steps=3).fit.settings.reach == pytest.approx(2)
    drawn = ng.map_network(network, reach=2)
    assert drawn.panels[0].fit.settings.reach == pytest.approx(2)
    drawn = ng.compare_maps(network, ["density", "degrees"], reach=1.5)
    assert [panel.fit.settings.reach for panel in drawn.panels] == pytest.approx([1.5, 1.5])


def test_names_that_are_tuples_are_saved(tmp_path):
    graph = nx.grid_2d_graph(4, 4)
    graph.add_edge((0, 0), ("a", (1, 2.5)))
    embedding = ng.embed(graph, dimensions=2, max_steps=3)
    embedding.save(tmp_path / "grid.ng")
    again = ng.load(tmp_path / "grid.ng")
    assert again.nodes.tolist() == embedding.nodes.tolist()
    assert np.array_equal(again[("a", (1, 2.5))], embedding[("a", (1, 2.5))])
    odd = ng.embed(nx.relabel_nodes(nx.path_graph(4), {0: frozenset("ab")}), dimensions=1, max_steps=1)
    with pytest.raises(ng.InputError, match="text, numbers, or tuples of them"):
        odd.save(tmp_path / "odd.ng")


def test_columns_of_lists_are_saved_as_text(tmp_path):
    network = Network.from_edges([(0, 1), (1, 2)]).with_columns(pd.DataFrame({"tags": [["a"], ["b", "c"], None]}))
    ng.embed(network, dimensions=1, max_steps=1).save(tmp_path / "x.ng")
    assert ng.load(tmp_path / "x.ng").network.columns["tags"].tolist()[:2] == ["['a']", "['b', 'c']"]
