"""The commands of docs/maps.md are valid, and its pictures exist."""

import re
import shlex
from pathlib import Path

import pytest

from netgiven.cli.main import load_command

DOCS = Path(__file__).parent.parent.parent / "docs"
TEXT = (DOCS / "maps.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```sh\n(.*?)```", TEXT, flags=re.DOTALL)
COMMANDS = [line for block in BLOCKS for line in block.splitlines() if line.startswith("netgiven")]


@pytest.mark.parametrize("line", COMMANDS)
def test_commands_are_valid(line):
    program, command, *arguments = shlex.split(line)
    assert (program, command) == ("netgiven", "map")
    context = load_command("map").make_context("map", arguments)
    assert context.params["out"].suffix in (".html", ".png", ".svg")


def test_pictures_exist_and_are_small():
    shown = set(re.findall(r"\]\((pictures/[^)]+)\)", TEXT))
    assert shown == {f"pictures/maps/{path.name}" for path in (DOCS / "pictures" / "maps").glob("*.png")}
    assert max((DOCS / path).stat().st_size for path in shown) < 400_000
