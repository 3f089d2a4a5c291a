"""--memory-limit and --encoding, for all commands that read a network."""

import gzip

import pytest

from tests.helpers import run_command

FILE = "links.edges.gz"
ADVICE = "raise the limit: memory_limit= in Python, --memory-limit on the command line."


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A file of some kilobytes that expands to 400, and so takes 4 megabytes of memory."""
    monkeypatch.chdir(tmp_path)
    ring = "".join(f"{i} {(i + step) % 20}\n" for i in range(20) for step in (1, 2))
    (tmp_path / FILE).write_bytes(gzip.compress(ring.encode() * 2_000))
    (tmp_path / "labels.tsv").write_text("".join(f"{i}\t{'xy'[i % 2]}\n" for i in range(20)))
    return tmp_path


COMMANDS = [
    ("embed", FILE, "--out", "x.ng"), ("map", FILE, "--out", "x.html"), ("prior", FILE), ("info", FILE),
    ("labels", FILE, "--labels", "labels.tsv", "--out", "x.tsv"), ("evaluate", "links", FILE), ("explore", FILE),
    ("evaluate", "labels", FILE, "--labels", "labels.tsv"),
]  # fmt: skip


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_a_file_beyond_the_limit_is_refused_and_nothing_is_written(folder, capsys, words):
    before = sorted(folder.iterdir())
    assert run_command(*words, "--memory-limit", "0.001") == 2
    message = capsys.readouterr().err
    assert f"netgiven: {FILE}: it expands to more than 0.1 MB" in message and ADVICE in message
    assert sorted(folder.iterdir()) == before


def test_the_limit_of_one_command_does_not_hold_for_the_next(folder):
    assert run_command("info", FILE, "--memory-limit", "0.001") == 2
    assert run_command("info", FILE) == 0
    assert run_command("info", FILE, "--memory-limit", "1") == 0


@pytest.mark.parametrize("limit", ["0", "-1", "nan"])
def test_a_limit_is_above_0(folder, capsys, limit):
    assert run_command("info", FILE, "--memory-limit", limit) == 2
    assert "a number of gigabytes above 0" in capsys.readouterr().err


# ---- --encoding ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_all_commands_know_encodings(folder, capsys, words):
    assert run_command(*words, "--encoding", "nothing") == 2
    assert "There is no encoding 'nothing'" in capsys.readouterr().err


def test_an_encoding_holds_for_all_files_of_one_command_and_not_for_the_next(folder, capsys):
    (folder / "links.csv").write_bytes("Zoë;Bob\nBob;Cid\n".encode("cp1252"))
    (folder / "nodes.csv").write_bytes("name;sex\nZoë;w\nBob;m\n".encode("cp1252"))
    assert run_command("info", "links.csv", "--nodes", "nodes.csv", "--encoding", "cp1252") == 0
    assert "2 values: w, m" in capsys.readouterr().out
    assert run_command("info", "links.csv") == 2
    assert 'give encoding="cp1252" (--encoding cp1252 on the command line)' in capsys.readouterr().err


def test_an_encoding_needs_a_file(folder, capsys):
    assert run_command("info", FILE) == run_command("embed", FILE, "--dimensions", "2", "--out", "x.ng") == 0
    assert run_command("predict", "x.ng", "--encoding", "cp1252") == 2
    assert "--encoding describe the file of --pairs; give --pairs, too" in capsys.readouterr().err
    assert run_command("info", "x.ng", "--encoding", "cp1252") == 2
