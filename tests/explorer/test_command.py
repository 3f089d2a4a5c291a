"""The command `netgiven explore`."""

import re
import signal
import subprocess
import sys
import urllib.request

import pytest

import netgiven as ng
from netgiven.explorer import server
from tests.helpers import run_command

LINKS = "ann bob\nbob cid\ncid ann\n"


@pytest.fixture
def registries(tmp_path, monkeypatch):
    """The registries that would be served."""
    monkeypatch.chdir(tmp_path)
    links = [(i, (i + step) % 20) for i in range(20) for step in (1, 2)]
    (tmp_path / "links.txt").write_text("".join(f"{u} {v}\n" for u, v in links))
    (tmp_path / "pairs.txt").write_text("0 10\n3 9\n")
    found = []
    monkeypatch.setattr(server, "make_server", lambda registry, host, port: found.append(registry))
    monkeypatch.setattr(server, "address_of", lambda made: "http://127.0.0.1:1/")
    monkeypatch.setattr(server, "run", lambda made, registry, ready: None)
    return found


@pytest.mark.parametrize(("option", "lists_observed"), [("--unobserved", False), ("--observed", True)])
def test_pairs_are_read_with_the_network(registries, option, lists_observed):
    assert run_command("explore", "links.txt", option, "pairs.txt", "--no-browser") == 0
    unobserved = registries[0].opened.network.unobserved
    assert unobserved.pairs.tolist() == [[0, 10], [3, 9]]
    assert unobserved.lists_observed == lists_observed


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--unobserved", "pairs.txt"], "--unobserved was given without a file of links"),
        (["--observed", "pairs.txt"], "--observed was given without a file of links"),
        (
            ["links.txt", "--observed", "pairs.txt", "--unobserved", "pairs.txt"],
            "Both --unobserved and --observed were given",
        ),
        (["links.txt", "--unobserved", "links.txt"], "0 and 1 were given as an unobserved pair, but they are linked"),
        (["links.txt", "--observed", "nowhere.txt"], "nowhere.txt"),
        (["x.ng", "--unobserved", "pairs.txt"], "which already has its unobserved pairs; omit --unobserved"),
        (["x.ng", "--observed", "pairs.txt"], "which already has its observed pairs; omit --observed"),
    ],
)
def test_errors_of_pairs(registries, capsys, words, message):
    if "x.ng" in words:
        ng.embed("links.txt", dimensions=2, reach=2, shrinkage=0.1, threads=1).save("x.ng")
    assert run_command("explore", *words, "--no-browser") == 2
    assert message in capsys.readouterr().err
    assert registries == []


@pytest.fixture
def links(tmp_path):
    (tmp_path / "links.txt").write_text(LINKS)
    return tmp_path / "links.txt"


def test_the_server_prints_its_address_and_stops(links):
    command = [sys.executable, "-m", "netgiven", "explore", str(links), "--no-browser", "--port", "0"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        lines = iter(process.stderr.readline, "")
        address = next(found[0] for line in lines if (found := re.search(r"http://127\.0\.0\.1:\d+/", line)))
        with urllib.request.urlopen(address, timeout=60) as answer:
            assert b"netgiven explorer" in answer.read()
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 0
        assert "Traceback" not in process.stderr.read()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nothing.csv"], "There is no file nothing.csv"),
        (["--nodes", "people.csv"], "--nodes was given without a file of links"),
        (["LINKS", "--host", "192.0.2.1"], "cannot be used"),
        (["LOOPS"], "a map needs at least two nodes and one link"),
    ],
)
def test_invalid_input(links, capsys, arguments, message):
    loops = links.with_name("loops.txt")
    loops.write_text("ann ann\n")
    paths = {"LINKS": str(links), "LOOPS": str(loops)}
    assert run_command("explore", *(paths.get(argument, argument) for argument in arguments), "--no-browser") == 2
    assert message in capsys.readouterr().err


def test_an_embedding_has_its_own_nodes(tmp_path, capsys):
    ng.embed(ng.datasets.company(20), dimensions=2, threads=1).save(tmp_path / "x.ng")
    (tmp_path / "people.csv").write_text("name,team\nann,x\n")
    assert run_command("explore", tmp_path / "x.ng", "--nodes", tmp_path / "people.csv", "--no-browser") == 2
    assert "which already has its nodes; omit --nodes" in capsys.readouterr().err


def test_a_browser_is_opened_by_default(links, monkeypatch):
    opened = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    monkeypatch.setattr(server, "make_server", lambda registry, host, port: None)
    monkeypatch.setattr(server, "address_of", lambda made: "http://127.0.0.1:1/")
    monkeypatch.setattr(server, "run", lambda made, registry, ready: ready())
    assert run_command("explore", links) == 0
    assert run_command("explore", links, "--no-browser") == 0
    assert opened == ["http://127.0.0.1:1/"]
