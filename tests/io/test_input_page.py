"""The examples of docs/input.md run."""

import doctest
import re
from pathlib import Path

import pytest

PAGE = Path(__file__).parent.parent.parent / "docs" / "input.md"


def test_examples_run(tmp_path, monkeypatch):
    pytest.importorskip("polars")
    pytest.importorskip("duckdb")
    monkeypatch.chdir(tmp_path)
    code = "\n".join(re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), flags=re.DOTALL))
    flags = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
    examples = doctest.DocTestParser().get_doctest(code, {}, PAGE.name, PAGE.name, 0)
    shown = []
    result = doctest.DocTestRunner(optionflags=flags).run(examples, out=shown.append)
    assert result.attempted > 20
    assert result.failed == 0, "".join(shown)
