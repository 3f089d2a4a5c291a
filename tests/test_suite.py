"""The tests themselves: what they share comes from helpers.py, strategies.py and fixtures."""

import ast
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent


def imported(path):
    """Names of modules, and of what may be modules, that a file imports."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            yield from (node.module or "").split(".")
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from (part for alias in node.names for part in alias.name.split("."))


@pytest.mark.parametrize(
    "folder", [FOLDER, *sorted(path.parent for path in FOLDER.glob("*/__init__.py"))], ids=lambda path: path.name
)
def test_no_test_imports_another(folder):
    modules = {path.stem for path in FOLDER.rglob("*.py") if path.stem.startswith("test_")} | {"conftest"}
    for path in folder.glob("*.py"):
        assert not modules & set(imported(path)), path
