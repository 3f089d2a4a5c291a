"""netgiven embed --unobserved, --observed."""

import pytest

import netgiven as ng
from tests.helpers import run_command

DIALS = ["--dimensions", "2", "--reach", "2", "--shrinkage", "0.1", "--out", "x.ng"]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    links = [(i, (i + step) % 20) for i in range(20) for step in (1, 2)]
    (tmp_path / "links.txt").write_text("".join(f"{u} {v}\n" for u, v in links))
    (tmp_path / "pairs.txt").write_text("0 10\n3 9\n")
    (tmp_path / "nodes.csv").write_text("node\n" + "".join(f"{i}\n" for i in range(20)))
    return tmp_path


def run(*words):
    return run_command("embed", "links.txt", *words, *DIALS)


@pytest.mark.parametrize("option,listed", [("--unobserved", False), ("--observed", True)])
def test_pairs_are_kept_with_the_embedding(folder, option, listed):
    assert run(option, "pairs.txt") == 0
    unobserved = ng.load("x.ng").network.unobserved
    assert unobserved.pairs.tolist() == [[0, 10], [3, 9]]
    assert unobserved.lists_observed == listed


def test_nodes_without_links_are_added_from_the_pairs(folder, capsys):
    (folder / "pairs.txt").write_text("0 99\n3 98\n98 99\n")
    assert run("--observed", "pairs.txt") == 0
    assert "2 nodes of pairs.txt without a link: 99, 98" in capsys.readouterr().err
    network = ng.load("x.ng").network
    assert network.nodes[-2:].tolist() == [99, 98]
    assert network.unobserved.pairs.tolist() == [[0, 20], [3, 21], [20, 21]]


@pytest.mark.parametrize(
    "text,words,output",
    [
        ("0 1\n", ["--unobserved", "pairs.txt"], "0 and 1 were given as an unobserved pair, but they are linked"),
        ("0 99\n", ["--observed", "pairs.txt", "--nodes", "nodes.csv"], "no node 99"),
        ("0 10\n", ["--observed", "pairs.txt", "--unobserved", "pairs.txt"], "Both --unobserved and --observed"),
        ("0 10\n", ["--observed", "nowhere.txt"], "nowhere.txt"),
    ],
)
def test_bad_pairs_get_an_error_message(folder, capsys, text, words, output):
    (folder / "pairs.txt").write_text(text)
    assert run(*words) == 2
    assert output in capsys.readouterr().err
    assert not (folder / "x.ng").exists()
