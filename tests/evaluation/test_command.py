import doctest
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

import netgiven as ng
from netgiven.cli.evaluate import app
from netgiven.evaluation.methods import HEURISTICS
from tests.helpers import run_command as run


@pytest.mark.parametrize("name", ["all", "DeepWalk", "node2vec", "LINE", "metapath2vec++"])
@pytest.mark.parametrize("task", [("links", "links.csv"), ("labels", "links.csv", "--labels", "labels.csv")])
def test_baselines_that_are_not_in_the_package_are_named(name, task):
    result = CliRunner().invoke(app, [*task, "--baselines", name])
    assert isinstance(result.exception, ng.InputError)
    message = str(result.exception)
    assert "make reproduce" in message and "fast or none" in message and "gensim" in message
    assert ("four-step walk" in message) == (task[0] == "links")  # the file is not there: nothing was read before


def test_baselines_are_listed(capsys):
    assert run("evaluate", "baselines") == 0
    lines = [line.split("\t") for line in capsys.readouterr().out.splitlines()]
    assert lines[0] == ["predicts", "baseline", "what it is"]
    listed = [name for kind, name, _ in lines[1:] if kind == "links"]
    assert listed == ["prior alone", *HEURISTICS]
    assert all(len(text) > 20 for _, _, text in lines[1:])


@pytest.fixture
def company(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    links, nodes = ng.datasets.company(people=60).to_pandas()
    links.to_csv("links.csv", index=False)
    nodes.to_csv("nodes.csv", index=False)


FAST = ("--dimensions", "2", "--reach", "2", "--shrinkage", "0", "--splits", "1")


def test_some_baselines_on_another_split(company, capsys):
    options = ("--split", "random", "--non-links", "types:department", "--baselines", "jaccard, Prior alone")
    assert run("evaluate", "links", "links.csv", "--nodes", "nodes.csv", *FAST, *options) == 0
    lines = [line.split("\t") for line in capsys.readouterr().out.splitlines()]
    metrics = ["AUC", "average precision", "precision at 100", "precision at 1,000", "MRR of 1,000", "hits at 50"]
    assert lines[0] == ["method", *metrics, "CPU s"]  # one split has no spread, and these pairs no calibration
    assert [line[0] for line in lines[1:]] == ["netgiven, given degrees", "prior alone, degrees", "Jaccard"]


def test_slow_baselines_run_on_a_large_network_if_they_are_named(company, capsys, monkeypatch):
    monkeypatch.setattr("netgiven.evaluation.methods.MAX_FAST_WORK", 100)
    assert run("evaluate", "links", "links.csv", *FAST) == 0
    output = capsys.readouterr()
    assert "PageRank" not in output.out and "Jaccard" in output.out
    assert "To run them, name them in --baselines" in output.err
    assert run("evaluate", "links", "links.csv", *FAST, "--baselines", "personalised PageRank") == 0
    assert "PageRank" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("option", "words"),
    [(("--split", "temporal"), "paper, random"), (("--non-links", "types"), "types:department, types:project")],
)
def test_unknown_splits_are_errors_before_anything_runs(company, capsys, option, words):
    assert run("evaluate", "links", "links.csv", "--nodes", "nodes.csv", *FAST, *option) == 2
    output = capsys.readouterr()
    assert words in output.err and "split 1" not in output.err and not output.out


def test_the_examples_of_the_page_run():
    page = Path(__file__).parents[2] / "docs" / "evaluation.md"
    blocks = re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    examples = doctest.DocTestParser().get_doctest("\n".join(blocks), {}, page.name, page.name, 0)
    failures = []
    assert doctest.DocTestRunner().run(examples, out=failures.append) == (0, 8), "".join(failures)
