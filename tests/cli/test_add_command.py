"""New nodes and changed networks from the command line."""

import pytest

import netgiven as ng
from tests.helpers import run_command as run

FIXED = ("--dimensions", "2", "--reach", "2", "--shrinkage", "0.1")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    links, nodes = ng.datasets.company(people=60).to_pandas()
    links.to_csv("links.csv", index=False)
    nodes.to_csv("people.csv", index=False)
    (tmp_path / "new.csv").write_text("source,target\nzoe,person 001\nzoe,person 004\nyan,zoe\n")
    (tmp_path / "who.csv").write_text("node,department\nzoe,sales\nyan,design\n")
    given = ("--given", "degrees+blocks:department")
    assert run("embed", "links.csv", "--nodes", "people.csv", *given, *FIXED, "--out", "old.ng") == 0
    return tmp_path


def test_nodes_are_added(folder, capsys):
    assert run("add", "old.ng", "new.csv", "--nodes", "who.csv", "--out", "new.ng") == 0
    assert "2 nodes added with 3 links; 60 others are unchanged" in capsys.readouterr().err
    old, new = ng.load("old.ng"), ng.load("new.ng")
    assert new.nodes[-2:].tolist() == ["zoe", "yan"]
    assert new.positions[:60].tobytes() == old.positions.tobytes()
    assert run("add", "old.ng", "new.csv", "--nodes", "who.csv", "--threads", "1", "--out", "again.ng") == 0
    assert (folder / "again.ng").read_bytes() == (folder / "new.ng").read_bytes()
    capsys.readouterr()
    assert run("predict", "new.ng", "--node", "zoe", "--top", "2") == 0
    assert len(capsys.readouterr().out.splitlines()) == 3


def test_a_network_is_updated(folder, capsys):
    lines = (folder / "links.csv").read_text().splitlines()
    (folder / "next.csv").write_text("\n".join([*lines[:-9], "zoe,person 001", "zoe,person 003"]) + "\n")
    assert run("update", "old.ng", "next.csv", "--nodes", "who.csv", "--out", "next.ng") == 0
    output = capsys.readouterr().err
    assert "60 nodes as before, 2 new, 0 removed" in output and "bits per link gained" in output
    assert ng.load("next.ng").prior.knowledge == "degrees+blocks:department"


@pytest.mark.parametrize(
    ("arguments", "output"),
    [
        (("add", "old.ng", "new.csv"), "needs a value in column 'department'"),
        (("add", "old.ng", "links.csv", "--nodes", "people.csv"), "there is none to add"),
        (("add", "old.ng", "none.csv"), "There is no file"),
        (("add", "links.csv", "new.csv"), "links.csv"),
        (("update", "old.ng", "numbers.csv"), "no value in column"),
    ],
)
def test_what_cannot_be_done_gets_an_error_message(folder, capsys, arguments, output):
    (folder / "numbers.csv").write_text("1,2\n2,3\n")
    assert run(*arguments, "--out", "out.ng") == 2
    error = capsys.readouterr().err
    assert output in error and "Traceback" not in error
    assert not (folder / "out.ng").exists()


def test_names_that_are_numbers_or_text(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "ring.csv").write_text("".join(f"{i},{(i + 1) % 20}\n" for i in range(20)))
    (tmp_path / "new.csv").write_text("zoe,3\nzoe,4\n")
    assert run("embed", "ring.csv", *FIXED, "--out", "ring.ng") == 0
    assert run("add", "ring.ng", "new.csv", "--out", "new.ng") == 0
    assert ng.load("new.ng").network.neighbours("zoe") == [3, 4]
    (tmp_path / "more.csv").write_text("21,3\n21,5\n")
    assert run("add", "new.ng", "more.csv", "--out", "more.ng") == 0
    assert len(ng.load("more.ng")) == 22
