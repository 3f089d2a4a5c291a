"""HTML tables by which notebooks display objects, with all names escaped."""

from __future__ import annotations

import html
from collections.abc import Iterable

MAX_LETTERS = 200  # of a value; longer ones are cut


def as_html(title: str, lines: Iterable[tuple[str, str]]) -> str:
    """A table with a title and one row per line, which is a name and a value.

    >>> "&lt;b&gt;" in as_html("Network", [("column", "<b>")])
    True
    """
    rows = "".join(_row(name, value) for name, value in lines)
    return f'<table><caption style="text-align:left;font-weight:600">{_text(title)}</caption>{rows}</table>'


def _row(name: str, value: str) -> str:
    left = 'style="text-align:left"'
    return f"<tr><th {left}>{_text(name)}</th><td {left}>{_text(value)}</td></tr>"


def _text(text: str) -> str:
    """Escaped text that keeps its writing direction, and in which notebooks look for no mathematics."""
    cut = text if len(text) <= MAX_LETTERS else text[: MAX_LETTERS - 1] + "…"
    return f'<bdi class="tex2jax_ignore mathjax_ignore">{html.escape(cut)}</bdi>'
