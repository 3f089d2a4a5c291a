"""What docs/maps.md says is so: its commands are read, its pictures are there."""

import re
import shlex
from pathlib import Path

import pytest
from typer.main import get_command

from netgiven.cli.main import app

DOCS = Path(__file__).parent.parent.parent / "docs"
TEXT = (DOCS / "maps.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```sh\n(.*?)```", TEXT, flags=re.DOTALL)
COMMANDS = [line for block in BLOCKS for line in block.splitlines() if line.startswith("netgiven")]


@pytest.mark.parametrize("line", COMMANDS)
def test_commands_are_read(line):
    program, command, *arguments = shlex.split(line)
    assert (program, command) == ("netgiven", "map")
    context = get_command(app).commands["map"].make_context("map", arguments)
    assert context.params["out"].suffix in (".html", ".png", ".svg")


def test_pictures_are_there_and_small():
    told = set(re.findall(r"\]\((pictures/[^)]+)\)", TEXT))
    assert told == {f"pictures/maps/{path.name}" for path in (DOCS / "pictures" / "maps").glob("*.png")}
    assert max((DOCS / path).stat().st_size for path in told) < 400_000
