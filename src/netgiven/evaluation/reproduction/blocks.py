"""A page made of headings, paragraphs, lists, tables and pictures, written as Markdown or as HTML."""

from __future__ import annotations

import base64
import re
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import NamedTuple

STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; color: #222; background: #fff; max-width: 72rem; margin: 2rem auto;
       padding: 0 1rem; }
table { border-collapse: collapse; margin: 1rem 0; font-size: 0.9rem; display: block; overflow-x: auto; }
th, td { padding: 0.3rem 0.7rem; border-bottom: 1px solid #ddd; text-align: right; vertical-align: top;
         white-space: nowrap; }
th:first-child, td:first-child { text-align: left; }
th { border-bottom: 2px solid #888; }
small { color: #666; }
img { max-width: 100%; height: auto; }
"""


class Cell(NamedTuple):
    """A cell of a table: a text, in bold for the best, and a note below it."""

    text: str
    note: str = ""
    bold: bool = False


@dataclass(frozen=True)
class Heading:
    """A heading; level 1 is the title."""

    level: int
    text: str

    def markdown(self) -> str:
        """As a line that begins with #."""
        return f"{'#' * self.level} {_plain(self.text)}"

    def html(self) -> str:
        """As h1, h2, ..."""
        return f"<h{self.level}>{escape(self.text)}</h{self.level}>"


@dataclass(frozen=True)
class Paragraph:
    """Some sentences."""

    text: str

    def markdown(self) -> str:
        """As one line."""
        return _plain(self.text)

    def html(self) -> str:
        """As p."""
        return f"<p>{escape(self.text)}</p>"


@dataclass(frozen=True)
class Items:
    """A list."""

    texts: Sequence[str]

    def markdown(self) -> str:
        """As lines that begin with a dash."""
        return "\n".join(f"- {_plain(text)}" for text in self.texts)

    def html(self) -> str:
        """As ul."""
        return "<ul>\n" + "\n".join(f"<li>{escape(text)}</li>" for text in self.texts) + "\n</ul>"


@dataclass(frozen=True)
class Grid:
    """A table, texts on the left and numbers on the right."""

    header: Sequence[str]
    rows: Sequence[Sequence[Cell]]

    def markdown(self) -> str:
        """As lines with bars, notes on a line of their own within the cell."""
        lines = [list(map(_plain, self.header)), ["---", *["---:"] * (len(self.header) - 1)]]
        lines += [[_cell(cell) for cell in row] for row in self.rows]
        return "\n".join("| " + " | ".join(line) + " |" for line in lines)

    def html(self) -> str:
        """As table."""
        head = "".join(f"<th>{escape(text)}</th>" for text in self.header)
        body = ("".join(f"<td>{_html_cell(cell)}</td>" for cell in row) for row in self.rows)
        return f"<table>\n<tr>{head}</tr>\n" + "\n".join(f"<tr>{row}</tr>" for row in body) + "\n</table>"


@dataclass(frozen=True)
class Picture:
    """An SVG picture: a file beside the Markdown page, within the HTML page."""

    file: str
    about: str
    svg: bytes

    def markdown(self) -> str:
        """As a reference to its file."""
        return f"![{_plain(self.about)}]({self.file})"

    def html(self) -> str:
        """As an image that holds all its data."""
        data = base64.b64encode(self.svg).decode("ascii")
        return f'<p><img alt="{escape(self.about)}" src="data:image/svg+xml;base64,{data}"></p>'


Block = Heading | Paragraph | Items | Grid | Picture


def _plain(text: str) -> str:
    """A text in which Markdown finds nothing to interpret.

    >>> _plain("a_b | <c>")
    'a\\\\_b \\\\| &lt;c&gt;'
    """
    return re.sub(r"([\\`*_\[\]|])", r"\\\1", escape(" ".join(text.split()), quote=False))


def _cell(cell: Cell) -> str:
    text = f"**{_plain(cell.text)}**" if cell.bold else _plain(cell.text)
    return f"{text}<br>{_plain(cell.note)}" if cell.note else text


def _html_cell(cell: Cell) -> str:
    text = f"<strong>{escape(cell.text)}</strong>" if cell.bold else escape(cell.text)
    return f"{text}<br><small>{escape(cell.note)}</small>" if cell.note else text


def to_markdown(blocks: Sequence[Block]) -> str:
    """The page as Markdown."""
    return "\n\n".join(block.markdown() for block in blocks) + "\n"


def to_html(title: str, blocks: Sequence[Block]) -> str:
    """The page as HTML that needs nothing else."""
    head = (
        f'<meta charset="utf-8">\n<meta name="viewport" content="width=device-width">\n<title>{escape(title)}</title>'
    )
    body = "\n".join(block.html() for block in blocks)
    head += f"\n<style>{STYLE}</style>"
    return f'<!DOCTYPE html>\n<html lang="en">\n<head>\n{head}\n</head>\n<body>\n{body}\n</body>\n</html>\n'
