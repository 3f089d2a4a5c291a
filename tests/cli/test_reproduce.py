"""netgiven reproduce, used as a person would, on tiny networks in place of the public ones."""

import io
from dataclasses import replace

import numpy as np
import pytest
from rich.console import Console

import netgiven as ng
from netgiven.cli import reproduce
from netgiven.evaluation.reproduction import methods, sources
from netgiven.evaluation.reproduction.plan import Data
from netgiven.evaluation.reproduction.run import Wanted
from netgiven.evaluation.reproduction.run import run as run_units
from tests.cli.test_cli import run

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
    monkeypatch.setattr(sources, "public_sources", lambda folder: {"facebook": lambda: tiny(0), "ppi": missing})
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_report_is_written_and_missing_data_are_told(folder, capsys):
    assert run("reproduce", "--data", ".", "--splits", "2") == 0
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.splitlines() == [
        "Not run: ppi. There is no ppi.edges.gz in here. It can be fetched.",
        "Report on 6 runs: reproduction/report.md and reproduction/report.html",
    ]
    text = (folder / "reproduction" / "report.md").read_text()
    assert "- Command: netgiven reproduce --splits 2\n" in text and f"netgiven {ng.__version__}" in text
    assert str(folder) not in text


def test_a_quick_run_in_a_folder_of_its_own(folder, capsys):
    assert (
        run("reproduce", "--data", ".", "--quick", "--networks", "facebook", "--tables", "links", "--out", "a/b") == 0
    )
    text = (folder / "a" / "b" / "report.md").read_text()
    assert "- Command: netgiven reproduce --quick --networks facebook --tables links\n" in text
    assert len(list((folder / "a" / "b" / "units").iterdir())) == 3


def test_an_interrupted_run_says_how_to_go_on(folder, capsys, monkeypatch):
    def interrupted(*arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr("netgiven.evaluation.reproduction.run.run", interrupted)
    assert run("reproduce", "--data", ".") != 0
    assert "What was done is kept in reproduction; the same command goes on from there." in capsys.readouterr().err
    assert not (folder / "reproduction" / "report.md").exists()


def test_what_cannot_be_meant_gets_a_sentence(folder, capsys, monkeypatch):
    for words, sentence in (
        (("--networks", "facebook,enron"), "There is no network 'enron' in these tables; there are facebook, ppi."),
        (("--tables", "all"), "The tables 'all' were asked for"),
        (("--splits", "0"), "0 splits were asked for; at least 1 is needed."),
        (("--networks", "ppi"), "Nothing could be run.\nNot run: ppi. There is no ppi.edges.gz"),
    ):
        assert run("reproduce", "--data", ".", *words) == 2
        assert sentence in capsys.readouterr().err
    monkeypatch.delenv("NETGIVEN_DATA", raising=False)
    assert run("reproduce") == 2
    assert "--data" in capsys.readouterr().err


def test_a_terminal_sees_how_far_it_is(folder, monkeypatch, capsys):
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    recording = Console(record=True, force_terminal=True, width=200, file=io.StringIO())
    monkeypatch.setattr("rich.console.Console", lambda **options: recording)
    with reproduce._progress() as watch:
        run_units(Wanted(methods.tables("links"), ["facebook"], 1), sources.public_sources(folder), folder, watch=watch)
    shown = recording.export_text()
    assert "links, facebook, split 1: preferential attachment" in shown and "2/3" in shown
