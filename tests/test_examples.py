"""The scripts of the gallery run, write their pictures, and print what docs/gallery.md shows; its code is theirs."""

import re
import runpy
import sys
import textwrap
from pathlib import Path
from typing import NamedTuple

import matplotlib as mpl
import matplotlib.pyplot as plt
import pytest

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs" / "gallery.md").read_text(encoding="utf-8")
SCRIPTS = sorted((ROOT / "examples").glob("*.py"))
MOST_BYTES = 150_000  # of a picture
NUMBER = re.compile(r"\w*\d[\d,.]*%?")  # also names with a number, such as P123


class Entry(NamedTuple):
    """What the page shows of a script: pieces of its code, and its output."""

    code: list[str]
    output: str


def entry(script):
    [section] = [part for part in re.split(r"^## ", PAGE, flags=re.M) if f"python examples/{script.name} --out" in part]
    assert f"pictures/gallery/{script.stem}.png" in section
    blocks = re.findall(r"^```(\w+)\n(.*?)^```", section, flags=re.M | re.S)
    [output] = [text for language, text in blocks if language == "text"]
    return Entry([text for language, text in blocks if language == "python"], output)


def names(script):
    return script.stem


@pytest.fixture(autouse=True)
def _no_windows():
    mpl.use("Agg")
    yield
    plt.close("all")


@pytest.mark.parametrize("script", SCRIPTS, ids=names)
def test_scripts_run(script, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", [script.name, "--out", str(tmp_path / "pictures")])
    runpy.run_path(str(script), run_name="__main__")
    [picture] = (tmp_path / "pictures").iterdir()
    assert picture.name == f"{script.stem}.png"
    assert 10_000 < picture.stat().st_size < MOST_BYTES
    printed, shown = (text.splitlines() for text in (capsys.readouterr().out, entry(script).output))
    assert len(printed) == len(shown)
    for line, example in zip(printed, shown, strict=True):
        assert_alike(line, example)


def assert_alike(line, example):
    """The same words and about the same numbers; of tables and lists of words, which are close calls, the same form."""
    if ":" not in line:
        assert len(line.split()) == len(example.split())
    elif line.startswith("  "):
        assert line.split(":")[0] == example.split(":")[0]
        assert line.count(",") == example.count(",")
    else:
        assert NUMBER.sub("#", line) == NUMBER.sub("#", example)
        assert numbers(line) == pytest.approx(numbers(example), rel=0.3, abs=0.1)


def numbers(line):
    found = (text.rstrip("%,.").replace(",", "") for text in NUMBER.findall(line))
    return [float(text) for text in found if not re.match("[A-Za-z]", text)]


@pytest.mark.parametrize("script", SCRIPTS, ids=names)
def test_the_page_shows_code_of_the_script(script):
    text, pieces = script.read_text(encoding="utf-8"), entry(script).code
    assert pieces
    for piece in pieces:
        assert piece in text or textwrap.indent(piece, "    ") in text


def test_pictures_are_those_of_the_scripts_and_small():
    pictures = sorted((ROOT / "docs" / "pictures" / "gallery").iterdir())
    assert [path.stem for path in pictures] == [path.stem for path in SCRIPTS]
    assert max(path.stat().st_size for path in pictures) < MOST_BYTES
