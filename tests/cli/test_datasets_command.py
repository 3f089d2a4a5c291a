"""netgiven datasets, used as a person would."""

import gzip
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from netgiven.cli.main import main
from netgiven.datasets import download, public
from tests.file_samples import ANSWERS, serving, small


def run(*arguments):
    """Exit code of a command, run in this process."""
    before, sys.argv = sys.argv, ["netgiven", "datasets", *map(str, arguments)]
    try:
        main()
    except SystemExit as end:
        return end.code or 0
    finally:
        sys.argv = before
    return 0


def statuses(text):
    header, *rows = [line.split("\t") for line in text.splitlines()]
    assert header == ["name", "nodes", "links", "labels", "status", "where from"]
    return {row[0]: row[4] for row in rows}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("NETGIVEN_DATA", raising=False)
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    return tmp_path


@pytest.fixture
def server(monkeypatch):
    """Two networks on a server of this machine, one of which is not found there, and one that cannot be had."""
    fetch = download.fetch_network
    monkeypatch.setattr(download, "fetch_network", lambda *given, **options: fetch(*given, **options, local=True))
    with serving(ANSWERS) as (address, requested):
        one = small(f"{address}/small.txt.gz")
        lost = replace(
            one, name="lost", original=f"{address}/gone.mat", files=(public.PublicFile("lost.edges.gz", ""),)
        )
        none = replace(lost, name="none", original=None, absence="nobody has it")
        monkeypatch.setattr(public, "NETWORKS", {"lost": lost, "small": one, "none": none})
        yield requested


def test_the_six_networks_are_present(data_folder, folder, capsys):
    assert run("--data", data_folder) == 0
    output = capsys.readouterr()
    assert output.err == ""
    rows = [line.split("\t")[:5] for line in output.out.splitlines()[1:]]
    assert rows == [
        ["facebook", "4039", "88234", "-", "present"],
        ["ppi", "3890", "37845", "50", "present"],
        ["arxiv_astroph", "18772", "198050", "-", "present"],
        ["blogcatalog", "10312", "333983", "39", "present"],
        ["wikipedia", "4777", "92295", "40", "present"],
        ["studentdb_standin", "403", "3429", "-", "present"],
    ]


def test_the_list_needs_no_folder(folder, capsys, monkeypatch):
    assert run() == 0
    assert set(statuses(capsys.readouterr().out).values()) == {"no folder given"}
    monkeypatch.setenv("NETGIVEN_DATA", str(folder / "nothing here"))
    assert run("--out", "list.tsv") == 0
    assert set(statuses((folder / "list.tsv").read_text()).values()) == {"missing"}


def test_fetching_makes_the_folder_and_is_done_once(folder, capsys, server):
    assert run("--data", "made/here", "--fetch", "small", "--fetch", "small") == 0
    output = capsys.readouterr()
    assert output.err == f"small: downloaded to {Path('made/here/small.edges.gz')}\n"
    assert statuses(output.out) == {"lost": "missing", "small": "present, other bytes", "none": "missing"}
    assert gzip.decompress(Path("made/here/small.edges.gz").read_bytes()) == b"0\t1\n0\t2\n2\t3\n"
    assert run("--data", "made/here", "--fetch", "small") == 0
    assert capsys.readouterr().err == "small: already downloaded\n"
    assert [path for path, _ in server] == ["/small.txt.gz"]


def test_one_that_fails_keeps_no_other_from_being_fetched(folder, capsys, server):
    assert run("--data", "made", "--fetch", "all") == 2
    output = capsys.readouterr()
    first, second, third = output.err.splitlines()
    assert first == "none: no download: nobody has it"
    assert second.startswith("small: downloaded to")
    assert third.startswith("netgiven: http://127.0.0.1:") and "gone.mat could not be downloaded" in third
    assert statuses(output.out)["small"].startswith("present")
    assert [path.name for path in Path("made").iterdir()] == ["small.edges.gz"]


BAD = {
    "unknown name": (["--data", "new", "--fetch", "faceboook"], "no public network 'faceboook'"),
    "unknown beside all": (["--data", "new", "--fetch", "all", "--fetch", "faceboook"], "'faceboook'"),
    "no folder": (["--fetch", "facebook"], "--data DIR, or set NETGIVEN_DATA"),
    "folder is a file": (["--data", "file"], "not a folder that can be read"),
    "nothing to fetch": (
        ["--data", "new", "--fetch", "studentdb_standin"],
        "cannot be downloaded: there is no",
    ),
    "out is a folder": (["--out", "."], "is a folder"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_gets_an_error_message_and_leaves_nothing(folder, capsys, name):
    arguments, words = BAD[name]
    (folder / "file").touch()
    assert run(*arguments) == 2
    output = capsys.readouterr().err
    assert words in output and "Traceback" not in output
    assert [path.name for path in folder.iterdir()] == ["file"]
