"""netgiven explore --unknown, --known."""

import pytest

import netgiven as ng
from netgiven.explorer import server
from tests.cli.test_cli import run


@pytest.fixture
def desks(tmp_path, monkeypatch):
    """What would be served."""
    monkeypatch.chdir(tmp_path)
    links = [(i, (i + step) % 20) for i in range(20) for step in (1, 2)]
    (tmp_path / "links.txt").write_text("".join(f"{u} {v}\n" for u, v in links))
    (tmp_path / "pairs.txt").write_text("0 10\n3 9\n")
    found = []
    monkeypatch.setattr(server, "make_server", lambda desk, host, port: found.append(desk))
    monkeypatch.setattr(server, "address_of", lambda made: "http://127.0.0.1:1/")
    monkeypatch.setattr(server, "run", lambda made, ready: None)
    return found


@pytest.mark.parametrize(("option", "lists_known"), [("--unknown", False), ("--known", True)])
def test_pairs_come_with_the_network(desks, option, lists_known):
    assert run("explore", "links.txt", option, "pairs.txt", "--no-browser") == 0
    unknown = desks[0].opened.network.unknown
    assert unknown.pairs.tolist() == [[0, 10], [3, 9]]
    assert unknown.lists_known == lists_known


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--unknown", "pairs.txt"], "--unknown goes with a file of links"),
        (["--known", "pairs.txt"], "--known goes with a file of links"),
        (["links.txt", "--known", "pairs.txt", "--unknown", "pairs.txt"], "--unknown or --known, not both"),
        (["links.txt", "--unknown", "links.txt"], "0 and 1 were given as an unknown pair, and are linked"),
        (["links.txt", "--known", "nowhere.txt"], "nowhere.txt"),
        (["x.ng", "--unknown", "pairs.txt"], "which has its unknown pairs already; leave out --unknown"),
        (["x.ng", "--known", "pairs.txt"], "which has its known pairs already; leave out --known"),
    ],
)
def test_bad_pairs_get_a_sentence(desks, capsys, words, told):
    if "x.ng" in words:
        ng.embed("links.txt", dimensions=2, spread=ng.Spread.from_reach(2), shrinkage=0.1, threads=1).save("x.ng")
    assert run("explore", *words, "--no-browser") == 2
    assert told in capsys.readouterr().err
    assert desks == []
