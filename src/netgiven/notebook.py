"""What a notebook shows of an object: a few lines, in which no name is taken for markup."""

from __future__ import annotations

import html
from collections.abc import Iterable

LETTERS = 200  # of a value; a longer one is cut


def as_html(title: str, lines: Iterable[tuple[str, str]]) -> str:
    """A small table with a title.

    >>> "&lt;b&gt;" in as_html("Network", [("column", "<b>")])
    True
    """
    rows = "".join(_row(name, value) for name, value in lines)
    return f'<table><caption style="text-align:left;font-weight:600">{_text(title)}</caption>{rows}</table>'


def _row(name: str, value: str) -> str:
    left = 'style="text-align:left"'
    return f"<tr><th {left}>{_text(name)}</th><td {left}>{_text(value)}</td></tr>"


def _text(text: str) -> str:
    """Text that stays text, in its own direction of writing, and in which no notebook looks for mathematics."""
    cut = text if len(text) <= LETTERS else text[: LETTERS - 1] + "…"
    return f'<bdi class="tex2jax_ignore mathjax_ignore">{html.escape(cut)}</bdi>'
