"""Maps from the command line."""

import base64
import json
import re
import zlib
from pathlib import Path

import pytest

import netgiven as ng
from tests.helpers import run_command as run

pytest.importorskip("bokeh")
NODES = ("--nodes", "nodes.csv", "--threads", "1")
FLAT = ("--dimensions", "2", "--reach", "2", "--shrinkage", "0", "--out", "c.ng")


@pytest.fixture
def company(tmp_path, monkeypatch):
    """Links and people of a small company, as files."""
    monkeypatch.chdir(tmp_path)
    links, nodes = ng.datasets.company(people=40).to_pandas()
    links.to_csv("links.csv", index=False)
    nodes.to_csv("nodes.csv", index=False)
    nodes[["node", "project"]].to_csv("labels.tsv", sep="\t", index=False, header=False)
    return ng.read("links.csv", nodes="nodes.csv")


def page_data(path):
    """What a page knows."""
    text = Path(path).read_text(encoding="utf-8")
    return json.loads(re.search(r'id="map">(.*?)</script>', text, flags=re.DOTALL)[1])


def test_a_map_is_a_page(company, capsys):
    assert run("map", "links.csv", *NODES, "--s2", "15") == 0
    page = page_data("map.html")
    names = zlib.decompress(base64.b64decode(page["names"]["base64"])).decode().splitlines()
    assert page["title"] == "links" and names == company.nodes.tolist()
    assert page["legend"]["title"] == "department"
    assert [panel["title"] for panel in page["panels"]] == ["given degrees"]
    assert page["panels"][0]["reach"] == pytest.approx(2.708, abs=1e-3)
    assert re.search(r"Written to map.html \(1\.\d MB\)", capsys.readouterr().err)


def test_priors_are_compared(company, capsys):
    priors = ["density", "degrees", "blocks:project"]
    assert run("map", "links.csv", *NODES, "--compare", *priors, "--colour", "project") == 0
    page = page_data("map.html")
    assert [panel["title"] for panel in page["panels"]] == [f"given {prior}" for prior in priors]
    assert page["legend"]["title"] == "project"
    assert "3 of 3: blocks:project" in capsys.readouterr().err


@pytest.mark.parametrize("out", ["map.png", "map.svg", "map.pdf"])
def test_a_map_is_a_picture(company, out):
    assert run("map", "links.csv", *NODES, "--reach", "2", "--colour", "degree", "--dark", "--out", out) == 0
    assert Path(out).stat().st_size > 5000


def test_labels_colour(company):
    assert run("map", "links.csv", *NODES, "--labels", "labels.tsv", "--reach", "2") == 0
    legend = page_data("map.html")["legend"]
    assert legend["title"] == "label"
    assert [group["name"] for group in legend["groups"]] == sorted(company.columns["project"].unique())


def test_a_saved_embedding_is_drawn(company):
    assert run("embed", "links.csv", *NODES, *FLAT) == 0
    assert run("map", "c.ng", "--colour", "project", "--threads", "1") == 0
    assert page_data("map.html")["panels"][0]["reach"] == pytest.approx(2.0)
    assert run("map", "c.ng", "--s2", "15", "--threads", "1") == 0
    assert page_data("map.html")["panels"][0]["reach"] == pytest.approx(2.708, abs=1e-3)


BAD = {
    "ending": (("--out", "map.txt"), "written to .html"),
    "column": (("--colour", "nothing"), "no node column 'nothing'"),
    "both": (("--given", "degrees", "--compare", "density"), "Both --given and --compare"),
    "reach twice": (("--s2", "15", "--reach", "2"), "Both --reach and --s2"),
    "reach": (("--reach", "much"), "a number or auto is needed"),
    "stray": (("degrees",), "--compare for several"),
    "block": (("--compare", "density", "blocks:nothing"), "no node column 'nothing'"),
    "folder": (("--out", "nowhere/map.html"), "does not exist"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_gets_an_error_message_and_leaves_nothing(company, capsys, name):
    before = sorted(Path().iterdir())
    options, message = BAD[name]
    assert run("map", "links.csv", *options, *NODES) == 2
    assert message in capsys.readouterr().err
    assert sorted(Path().iterdir()) == before


def test_an_embedding_has_its_own_network(company, capsys):
    assert run("embed", "links.csv", *NODES, *FLAT) == 0
    assert run("map", "c.ng", "--given", "density") == 2
    assert "c.ng is an embedding" in capsys.readouterr().err
