"""The command line of the reproduction, on tiny networks in place of the public ones."""

import io
from dataclasses import replace

import numpy as np
import pytest
from rich.console import Console

import netgiven as ng
from experiments.paper import __main__ as command
from experiments.paper import methods
from experiments.paper.plan import Data
from experiments.paper.run import Request
from experiments.paper.run import run as run_units

KEPT = ("common neighbours", "Adamic-Adar", "preferential attachment")


def tiny(seed):
    random = np.random.default_rng(seed)
    first, second = np.triu_indices(50, 1)
    linked = random.random(len(first)) < 0.15
    return Data(ng.Network.from_edges(np.column_stack([first, second])[linked], nodes=range(50)))


def missing():
    raise ng.InputError("There is no ppi.edges.gz in here. It can be fetched.")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Facebook is a tiny network, PPI is missing, and there are few methods."""
    networks = {name: methods.LINKS.networks[name] for name in ("facebook", "ppi")}
    rows = tuple(row for row in methods.LINKS.rows if row.name in KEPT)
    monkeypatch.setattr(methods, "TABLES", {"links": (replace(methods.LINKS, networks=networks, rows=rows),)})
    monkeypatch.setattr(command, "public_sources", lambda folder: {"facebook": lambda: tiny(0), "ppi": missing})
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*arguments):
    """Exit code of the command, run in this process."""
    try:
        command.main(arguments)
    except SystemExit as end:
        return end.code or 0
    return 0


def test_a_report_is_written_and_missing_data_are_listed(folder, capsys):
    assert run("--data", ".", "--splits", "2") == 0
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.splitlines() == [
        "Not run: ppi. There is no ppi.edges.gz in here. It can be fetched.",
        "Report on 6 runs: reproduction/report.md and reproduction/report.html",
    ]
    text = (folder / "reproduction" / "report.md").read_text()
    assert '- Command: make reproduce OPTIONS="--splits 2"\n' in text and f"netgiven {ng.__version__}" in text
    assert str(folder) not in text


def test_a_quick_run_in_a_folder_of_its_own(folder, capsys):
    assert run("--data", ".", "--quick", "--networks", "facebook", "--tables", "links", "--out", "a/b") == 0
    text = (folder / "a" / "b" / "report.md").read_text()
    assert '- Command: make reproduce OPTIONS="--quick --networks facebook --tables links"\n' in text
    assert len(list((folder / "a" / "b" / "units").iterdir())) == 3


def test_an_interrupted_run_says_how_to_continue(folder, capsys, monkeypatch):
    def interrupted(*arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr(command, "run", interrupted)
    assert run("--data", ".") != 0
    assert "Results so far are in reproduction; the same command continues from there." in capsys.readouterr().err
    assert not (folder / "reproduction" / "report.md").exists()


def test_wrong_options_get_clear_messages(folder, capsys, monkeypatch):
    for words, message in (
        (("--networks", "facebook,enron"), "There is no network 'enron' in these tables; there are facebook, ppi."),
        (("--tables", "all"), "The tables 'all' were asked for"),
        (("--splits", "0"), "0 splits were asked for; at least 1 is needed."),
        (("--networks", "ppi"), "Nothing could be run.\nNot run: ppi. There is no ppi.edges.gz"),
    ):
        assert run("--data", ".", *words) == 2
        assert message in capsys.readouterr().err
    monkeypatch.delenv("NETGIVEN_DATA", raising=False)
    assert run() == 2
    assert "--data" in capsys.readouterr().err


def test_a_terminal_shows_progress(folder, monkeypatch, capsys):
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    recording = Console(record=True, force_terminal=True, width=200, file=io.StringIO())
    monkeypatch.setattr("rich.console.Console", lambda **options: recording)
    with command._progress() as callback:
        request = Request(methods.tables("links"), ["facebook"], 1)
        run_units(request, command.public_sources(folder), folder, callback=callback)
    shown = recording.export_text()
    assert "links, facebook, split 1: preferential attachment" in shown and "2/3" in shown
