"""Maps for other programs: GEXF as networkx reads it, and the table of Embedding Atlas."""

import dataclasses
from itertools import pairwise

import networkx
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import netgiven as ng
from netgiven.maps.export import atlas_table, pixels_per_unit, write_gexf
from netgiven.maps.marks import make_marks
from tests.helpers import run_command

FIXED = {"reach": 2.0, "shrinkage": 0.0}


@pytest.fixture(scope="module")
def company():
    return ng.embed(ng.datasets.company(people=40), dimensions=2, **FIXED)


def test_networkx_reads_names_columns_links_and_positions(company, tmp_path):
    company.export(tmp_path / "map.gexf")
    graph = networkx.read_gexf(tmp_path / "map.gexf")
    assert list(graph) == company.nodes.tolist()
    assert {frozenset(link) for link in graph.edges} == {
        frozenset(link) for link in company.network.to_networkx().edges
    }
    columns, places = company.network.columns, pixels_per_unit(company.positions) * company.positions
    assert 1_000 <= np.ptp(places, axis=0).max() <= 10_000
    for number, (name, data) in enumerate(graph.nodes(data=True)):
        view = data["viz"]
        np.testing.assert_allclose([view["position"]["x"], view["position"]["y"]], places[number], atol=1e-3)
        assert data["label"] == name and data["department"] == columns["department"][number]
    colours = {data["department"]: str(data["viz"]["color"]) for _, data in graph.nodes(data=True)}
    assert len(set(colours.values())) == 5


names = st.one_of(st.integers(0, 3), st.text(min_size=1, max_size=3).filter(lambda text: text.isprintable()))


@given(st.lists(names, min_size=2, max_size=6, unique_by=lambda name: (type(name), name)))
def test_gexf_keeps_any_names(tmp_path_factory, found):
    network = ng.Network.from_edges(list(pairwise(found)), nodes={"node": found})
    path, texts = tmp_path_factory.mktemp("gexf") / "map.gexf", [str(name) for name in found]
    write_gexf(path, network, np.zeros((len(found), 2), np.float32), make_marks(network))
    graph = networkx.read_gexf(path)
    assert [data["label"] for _, data in graph.nodes(data=True)] == texts
    assert graph.number_of_edges() == network.link_count
    assert list(graph) == (texts if len(set(texts)) == len(texts) else [str(place) for place in range(len(texts))])


def test_gexf_keeps_the_types_of_columns(tmp_path):
    columns = {
        "whole": [1, 2, 3],
        "real": [0.5, None, 2.0],
        "flag": [True, False, True],
        "text": ["<a&\"b'>", None, "\x00"],
    }
    network = ng.Network.from_edges([(0, 1), (1, 2)], nodes={"node": [0, 1, 2], **columns})
    write_gexf(tmp_path / "map.gexf", network, np.eye(3, 2, dtype=np.float32), make_marks(network))
    graph = networkx.read_gexf(tmp_path / "map.gexf", node_type=int)
    kept = [{key: value for key, value in data.items() if key in columns} for _, data in graph.nodes(data=True)]
    assert kept == [
        {"whole": 1, "real": 0.5, "flag": True, "text": "<a&\"b'>"},
        {"whole": 2, "flag": False},
        {"whole": 3, "real": 2.0, "flag": True, "text": "\ufffd"},
    ]


def test_embedding_atlas_gets_a_row_per_node(company, tmp_path):
    company.map().save(tmp_path / "map.parquet")
    table = pd.read_parquet(tmp_path / "map.parquet")
    assert list(table) == ["node", "projection_x", "projection_y", "neighbors", "department", "project"]
    np.testing.assert_array_equal(table[["projection_x", "projection_y"]].to_numpy(), company.vectors)
    for number, entry in enumerate(table["neighbors"]):
        near = company.nodes[entry["ids"]].tolist()
        assert sorted(near) == sorted(company.network.neighbours(company.nodes[number]))
        distances = [np.linalg.norm(company[name] - company.positions[number]) for name in near]
        np.testing.assert_allclose(entry["distances"], distances, rtol=1e-5)
        assert distances == sorted(distances)


def test_a_map_is_read_as_the_network_that_it_shows(company, tmp_path):
    company.export(tmp_path / "map.gexf")
    assert ng.read(tmp_path / "map.gexf") == company.network


def test_mixed_values_become_text_in_parquet(tmp_path):
    network = ng.Network.from_edges([("a", 1), (1, (2, "b"))], nodes={"n": ["a", 1, (2, "b")], "mixed": [1, "x", None]})
    ng.embed(network, dimensions=2, **FIXED).map().save(tmp_path / "map.parquet")
    table = pd.read_parquet(tmp_path / "map.parquet")
    assert table["node"].tolist() == ["a", "1", "(2, 'b')"]
    assert table["mixed"].tolist()[:2] == ["1", "x"] and pd.isna(table["mixed"][2])


def test_what_parquet_cannot_hold_is_refused(company, tmp_path):
    network = company.network.with_columns({"phase": [1j] * 40})
    with pytest.raises(ng.InputError, match="phase"):
        ng.Map((dataclasses.replace(company, network=network),)).save(tmp_path / "map.parquet")
    assert not list(tmp_path.iterdir())


def test_columns_of_the_table_are_not_mixed_up(company):
    network = company.network.with_columns({"neighbors": ["x"] * 40})
    with pytest.raises(ng.InputError, match="'neighbors' of its own"):
        atlas_table(network, company.positions)


def test_several_panels_do_not_fit_into_one_file(company, tmp_path):
    both = ng.Map((company, company))
    for ending in ("gexf", "parquet"):
        with pytest.raises(ng.InputError, match=f"A .{ending} file holds one map, not 2"):
            both.save(tmp_path / f"map.{ending}")
    with pytest.raises(ng.InputError, match=r"ends in .ng"):
        company.save(tmp_path / "company.gexf")


def test_the_commands_write_maps(company, tmp_path, capsys):
    links = tmp_path / "links.csv"
    company.network.to_pandas()[0].to_csv(links, index=False)
    assert run_command("map", links, "--out", tmp_path / "map.gexf", "--reach", "2") == 0
    deep = ng.embed(company.network, dimensions=4, **FIXED)
    deep.save(tmp_path / "deep.ng")
    assert run_command("export", tmp_path / "deep.ng", tmp_path / "deep.gexf") == 0
    assert "A map is fitted in the plane: the embedding has 4 dimensions." in capsys.readouterr().err
    for name in ("map.gexf", "deep.gexf"):
        assert networkx.read_gexf(tmp_path / name).number_of_edges() == company.network.link_count
    wrong = run_command("map", links, "--out", tmp_path / "x.gexf", "--compare", "density", "degrees")
    assert wrong == 2 and not (tmp_path / "x.gexf").exists()
