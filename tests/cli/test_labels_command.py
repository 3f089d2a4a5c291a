"""Labels and presets from the command line."""

import pandas as pd
import pytest

import netgiven as ng
from tests.helpers import run_command as run

FIXED = ("--dimensions", "4", "--reach", "3", "--shrinkage", "0.3")


@pytest.fixture
def company(tmp_path, monkeypatch):
    """Links of a company, and the departments of all but every fifth person."""
    monkeypatch.chdir(tmp_path)
    network = ng.datasets.company(people=120)
    pd.DataFrame({"u": network.nodes[network.links()[:, 0]], "v": network.nodes[network.links()[:, 1]]}).to_csv(
        "links.csv", index=False
    )
    table = pd.DataFrame({"node": network.nodes, "label": network.columns["department"]})
    table[table.index % 5 > 0].to_csv("labels.tsv", sep="\t", index=False, header=False)
    table.to_csv("all.tsv", sep="\t", index=False, header=False)
    return table.set_index("node")["label"]


def test_missing_labels_are_predicted(company, capsys):
    assert run("labels", "links.csv", "--labels", "labels.tsv", "--top", "1", *FIXED, "--out", "found.tsv") == 0
    found = pd.read_csv("found.tsv", sep="\t")
    assert len(found) == 24
    right = [company[row.node] == row.label for row in found.itertuples()]
    assert sum(right) >= 20
    assert "96 labels of 96 nodes, 5 different ones" in capsys.readouterr().err


def test_labels_of_a_node_that_has_some(company, capsys):
    assert run("labels", "links.csv", "--labels", "all.tsv", "--node", "person 001", "--top", "2", *FIXED) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 3 and company["person 001"] not in "".join(lines)


@pytest.mark.parametrize(
    ("arguments", "output"),
    [
        (("--labels", "all.tsv"), "Every node has labels already"),
        (("--labels", "labels.tsv", "--node", "nobody"), "There is no node"),
        (("--labels", "none.tsv"), "There is no file"),
        (("--labels", "others.tsv"), "none of its nodes is in the network"),
        (("--labels", "labels.tsv", "--reach", "far"), "a number or auto is needed"),
        (("--labels", "labels.tsv", "--method", "magic"), "auto, links, classifier, average"),
        (("--labels", "labels.tsv", "--given", "degrees+blocks:colour"), "no node column"),
    ],
)
def test_what_cannot_be_done_gets_an_error_message(company, capsys, arguments, output):
    pd.DataFrame([("x", 1), ("y", 2)]).to_csv("others.tsv", sep="\t", index=False, header=False)
    assert run("labels", "links.csv", *arguments) == 2
    error = capsys.readouterr().err
    assert output in error and "Traceback" not in error


def test_label_methods_are_compared(company, capsys):
    common = ("evaluate", "labels", "links.csv", "--labels", "all.tsv", "--splits", "1", *FIXED)
    assert run(*common) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split("\t") == ["method", "micro-F1", "macro-F1", "macro-F1 (paper)", "CPU s"]
    assert len(lines) == 4
    assert run(*common, "--by", "links", "--baselines", "none") == 0
    assert run(*common, "--by", "hand") == 2
    assert "nodes or links" in capsys.readouterr().err


def test_the_preset_is_the_papers_settings(company, capsys):
    assert run("embed", "links.csv", "--preset", "paper", "--out", "x.ng") == 0
    embedding = ng.load("x.ng")
    assert embedding.spread == ng.Spread(1, 2, "gaussian") and embedding.dimensions == 8
    assert embedding.fit.settings.method == ng.paper(50) and not embedding.fit.trials
    assert (
        run("embed", "links.csv", "--preset", "paper", "--density", "half_normal", "--dimensions", "4", "--out", "y.ng")
        == 0
    )
    other = ng.load("y.ng")
    assert other.spread == ng.Spread(1, 2) and other.dimensions == 4
    assert run("embed", "links.csv", "--preset", "magazine", "--out", "z.ng") == 2
    assert "There is no preset 'magazine'; presets: paper." in capsys.readouterr().err


def test_settings_are_selected_by_default_and_the_cost_is_printed(company, capsys):
    assert run("embed", "links.csv", "--out", "x.ng") == 0
    output = capsys.readouterr().err
    assert "Selected: " in output and "times the fit" in output
    assert run("info", "x.ng") == 0
    assert "trial" in capsys.readouterr().out
