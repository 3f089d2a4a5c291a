"""netgiven explore, from the command line."""

import re
import signal
import subprocess
import sys
import urllib.request

import pytest

import netgiven as ng
from netgiven.explorer import server
from tests.cli.test_cli import run

LINKS = "ann bob\nbob cid\ncid ann\n"


@pytest.fixture
def links(tmp_path):
    (tmp_path / "links.txt").write_text(LINKS)
    return tmp_path / "links.txt"


def test_it_tells_where_it_is_and_ends(links):
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
    ("arguments", "sentence"),
    [
        (["nothing.csv"], "There is no file nothing.csv"),
        (["--nodes", "people.csv"], "--nodes goes with a file of links"),
        (["LINKS", "--host", "192.0.2.1"], "cannot be used"),
        (["LOOPS"], "a map needs two nodes and a link"),
    ],
)
def test_bad_input_gets_a_sentence(links, capsys, arguments, sentence):
    loops = links.with_name("loops.txt")
    loops.write_text("ann ann\n")
    known = {"LINKS": str(links), "LOOPS": str(loops)}
    assert run("explore", *(known.get(argument, argument) for argument in arguments), "--no-browser") == 2
    assert sentence in capsys.readouterr().err


def test_an_embedding_has_its_nodes(tmp_path, capsys):
    ng.embed(ng.datasets.company(20), dimensions=2, threads=1).save(tmp_path / "x.ng")
    (tmp_path / "people.csv").write_text("name,team\nann,x\n")
    assert run("explore", tmp_path / "x.ng", "--nodes", tmp_path / "people.csv", "--no-browser") == 2
    assert "which has its nodes already" in capsys.readouterr().err


def test_a_browser_is_opened_unless_told(links, monkeypatch):
    opened = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    monkeypatch.setattr(server, "make_server", lambda desk, host, port: None)
    monkeypatch.setattr(server, "address_of", lambda made: "http://127.0.0.1:1/")
    monkeypatch.setattr(server, "run", lambda made, ready: ready())
    assert run("explore", links) == 0
    assert run("explore", links, "--no-browser") == 0
    assert opened == ["http://127.0.0.1:1/"]
