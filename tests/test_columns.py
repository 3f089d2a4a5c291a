"""Columns of nodes: integers that are codes, missing values, labels in any form; and what is not found is said."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import netgiven as ng
from netgiven.columns import is_scale
from netgiven.labels import as_labels
from netgiven.network import Network
from netgiven.priors import parse_knowledge
from tests.helpers import run_command as run

FAST = ("--dimensions", "2", "--reach", "2", "--shrinkage", "0", "--max-steps", "5")
SETTINGS = ng.Settings(dimensions=2, reach=2, shrinkage=0, max_steps=5)


@pytest.fixture(scope="module")
def company():
    return ng.datasets.company(60, seed=1)


@pytest.fixture
def folder(tmp_path, monkeypatch, company):
    """A network of people whose departments are numbers."""
    links, nodes = company.to_pandas()
    nodes["dept"] = company.groups("department")[0] + 1
    links.to_csv(tmp_path / "links.csv", index=False)
    nodes[["node", "dept"]].to_csv(tmp_path / "nodes.csv", index=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path


# ---- integers as groups ----------------------------------------------------------------------------------------------


def test_nodes_are_added_to_groups_that_are_numbers(folder):
    Path("new.csv").write_text("source,target\nnew 1,person 001\nnew 2,person 003\nnew 1,person 005\n")
    Path("new_nodes.csv").write_text("node,dept\nnew 1,1\nnew 2,2\n")
    assert run("embed", "links.csv", "--nodes", "nodes.csv", "--given", "blocks:dept", *FAST, "--out", "x.ng") == 0
    assert run("add", "x.ng", "new.csv", "--nodes", "new_nodes.csv", "--out", "y.ng") == 0
    larger = ng.load("y.ng")
    assert larger.network.columns["dept"].tolist()[-2:] == [1, 2]
    assert larger.network.columns["dept"].dtype == np.int64
    ours = larger.prior.probability("new 1", "new 2")
    old = larger.network.columns["dept"].tolist()
    same = [larger.nodes[old.index(1)], larger.nodes[old.index(2)]]
    assert ours == pytest.approx(larger.prior.probability(*same))


def test_groups_of_whole_numbers_are_integers_also_beside_gaps():
    network = Network.from_edges([(0, 1), (1, 2)], nodes={"node": [0, 1, 2], "team": [1, 2, None]})
    assert network.groups("team")[1] == [1, 2]
    assert all(type(value) is int for value in network.groups("team")[1])


def test_homophily_of_a_few_whole_numbers_asks_for_the_kind(company):
    codes = company.with_columns(pd.DataFrame({"dept": company.groups("department")[0]}))
    with pytest.raises(ng.InputError, match=r"'dept' holds a few whole numbers.*dept:kind=near or kind=equal"):
        ng.homophily("dept").fit(codes)
    text = ng.homophily("department").fit(company)
    equal = ng.homophily("dept", kind="equal").fit(codes)
    assert equal.log_likelihood(codes.links()) == pytest.approx(text.log_likelihood(codes.links()))
    assert ng.homophily("dept", kind="near").fit(codes)
    grouped = ng.read(codes, groups="dept")
    assert ng.homophily("dept").fit(grouped).log_likelihood(codes.links()) == pytest.approx(
        text.log_likelihood(codes.links())
    )
    for measured in (np.linspace(1, 2, 60), np.arange(60) * 1000, pd.date_range("2020", periods=60)):
        assert ng.homophily("x").fit(company.with_columns(pd.DataFrame({"x": measured})))


def test_the_command_line_takes_groups(folder, capsys):
    assert run("prior", "links.csv", "--nodes", "nodes.csv", "--given", "homophily:dept") == 2
    assert "--groups" in capsys.readouterr().err
    assert run("prior", "links.csv", "--nodes", "nodes.csv", "--given", "homophily:dept", "--groups", "dept") == 0
    by_group = capsys.readouterr().out
    assert run("prior", "links.csv", "--nodes", "nodes.csv", "--given", "homophily:dept:kind=equal") == 0
    bits = [line.split()[1] for line in by_group.splitlines() if line.startswith("log-likelihood")]
    assert f" {bits[0]} bits per link" in capsys.readouterr().out
    given = ("--groups", "dept", "--given", "homophily:dept")
    assert run("embed", "links.csv", "--nodes", "nodes.csv", *given, *FAST, "--out", "x.ng") == 0
    assert run("map", "x.ng", "--groups", "dept", "--out", "map.html") == 2
    assert run("update", "x.ng", "links.csv", "--nodes", "nodes.csv", "--out", "y.ng") == 0
    assert ng.load("y.ng").network.groups("dept")[1] == [1, 2, 3, 4, 5]


def test_numbers_of_groups_are_no_scale():
    assert not is_scale(pd.Series(np.arange(200) % 42))
    assert not is_scale(pd.Series(np.arange(200) % 42 + 1))
    assert is_scale(pd.Series(np.arange(200) % 42 + 1980))
    assert is_scale(pd.Series(np.arange(200) % 90))
    assert is_scale(pd.Series((np.arange(200) % 42) / 2))


# ---- missing values --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    ["blocks:team", "group_degrees:team", "homophily:team", "homophily:team:kind=equal", "blocks:team:separator=|"],
)
def test_nodes_without_a_value_can_be_a_group(company, text):
    values = company.columns["department"].astype(object).where(np.arange(60) % 4 > 0, None)
    network = company.with_columns(pd.DataFrame({"team": values, "filled": values.where(values.notna(), "none")}))
    with pytest.raises(ng.InputError, match=r"make those without one a group of their own \(missing='group', or"):
        parse_knowledge(text).fit(network)
    knowledge = parse_knowledge(f"{text}:missing=group")
    assert str(knowledge).endswith(f"{text}:missing=group")
    found = knowledge.fit(network).log_likelihood(network.links())
    expected = parse_knowledge(text.replace("team", "filled")).fit(network).log_likelihood(network.links())
    assert found == pytest.approx(expected)


def test_other_words_for_missing_are_refused():
    for wrong in (lambda: ng.blocks("x", missing="drop"), lambda: ng.group_degrees("x", missing="unknown")):
        with pytest.raises(ng.InputError, match="can be a group of their own, 'group'"):
            wrong()
    with pytest.raises(ng.InputError, match="near to none"):
        ng.homophily("x", kind="near", missing="group")


# ---- labels ----------------------------------------------------------------------------------------------------------


def test_labels_in_any_form_also_of_nodes_without_links():
    ring = Network.from_edges([(i, (i + 1) % 12) for i in range(12)])
    pairs = [(0, "left"), (1, "left"), (6, "right"), (7, "right"), (50, "right")]
    frame = pd.DataFrame(pairs, columns=["node", "label"])
    forms = [pairs, dict(pairs), frame, frame.set_index("node")["label"], {**dict(pairs), 0: ["left"]}]
    forms.append(frame.assign(year=2020)[["year", "label", "node"]])
    for given in forms:
        labels = as_labels(ring, given)
        assert (len(labels.pairs), labels.nodes[-1]) == (5, 50)
    prediction = ng.predict_labels(ring, frame, settings=SETTINGS)
    assert prediction.labels.nodes.tolist() == [*range(12), 50]
    for wrong in (7, "left", [1, 2], frame.assign(label2="x").rename(columns={"node": "n"})):
        with pytest.raises(ng.InputError, match=r"[Ll]abels"):
            ng.predict_labels(ring, wrong)


def test_label_files_with_words_beside_integers(tmp_path):
    ring = Network.from_edges([(i, (i + 1) % 12) for i in range(12)])
    path = tmp_path / "labels.tsv"
    path.write_text("0\tleft\n1\t5\n6\tright\n7\t99\nzoe\tright\n")
    found = ng.read_labels(path, ring)
    assert found.network.nodes.tolist() == [*range(12), "zoe"]
    assert set(found.labels.names) == {"left", "5", "right", "99"}


# ---- what is written, and what is said -------------------------------------------------------------------------------


def test_an_embedding_is_not_written_as_a_table(folder, capsys, company):
    assert run("embed", "links.csv", *FAST, "--out", "x.csv") == 2
    assert "netgiven export" in capsys.readouterr().err
    assert not Path("x.csv").exists()
    with pytest.raises(ng.InputError, match=r"ends in '.parquet'; an embedding .*embedding.export\('x.parquet'\)"):
        ng.embed(company, dimensions=1, max_steps=1).save("x.parquet")


def test_nothing_found_is_said(folder, capsys, monkeypatch):
    monkeypatch.setattr(ng.Embedding, "bits_per_link", -0.0004)
    assert run("embed", "links.csv", *FAST, "--out", "x.ng") == 0
    assert (
        "\n0.00 bits per link gained over the prior\nNothing was found beyond what was given.\n"
        in capsys.readouterr().err
    )
    assert run("info", "x.ng") == 0
    assert "0.000 bits per link over the prior. Nothing was found beyond what was given." in capsys.readouterr().out
    assert run("update", "x.ng", "links.csv", "--out", "y.ng") == 0
    assert "Nothing was found beyond what was given." in capsys.readouterr().err
    assert run("map", "x.ng", "--out", "map.html") == 0
    assert "Given degrees: Nothing was found beyond what was given." in capsys.readouterr().err


def test_pairs_of_users_and_films_are_named_as_the_network_names_them():
    random = np.random.default_rng(0)
    ratings = pd.DataFrame({"userId": random.integers(0, 30, 300), "movieId": random.integers(0, 20, 300)})
    network = ng.read(ratings)
    prior = ng.parse_knowledge("degrees+blocks:side").fit(network)
    named = [(f"user {user}", f"movie {movie}") for user, movie in ratings.head().itertuples(index=False)]
    np.testing.assert_array_equal(prior.probabilities(ratings.head()), prior.probabilities(named))
    with pytest.raises(ng.InputError, match="no node"):
        prior.probabilities([(1, 2)])


def test_a_column_of_pairs_is_a_list_of_them():
    path = Network.from_edges(pd.Series([("ann", "bob"), ("bob", "cid")]))
    assert path.link_count == 2
    assert ng.degrees().fit(path).probabilities(pd.Series([("ann", "bob")])).shape == (1,)
