"""A page of headings, paragraphs, lists, tables and pictures, rendered as Markdown or HTML by the Jinja templates."""

from __future__ import annotations

import base64
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from html import escape
from pathlib import Path
from typing import ClassVar, NamedTuple

from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape

TEMPLATES = Path(__file__).parent / "templates"


class Cell(NamedTuple):
    """A cell of a table: a text, bold or not, and a note below it."""

    text: str
    note: str = ""
    bold: bool = False


@dataclass(frozen=True)
class Heading:
    """A heading; level 1 is the title."""

    level: int
    text: str
    kind: ClassVar = "heading"


@dataclass(frozen=True)
class Paragraph:
    """A paragraph of plain text."""

    text: str
    kind: ClassVar = "paragraph"


@dataclass(frozen=True)
class BulletList:
    """A list of plain texts."""

    texts: Sequence[str]
    kind: ClassVar = "list"


@dataclass(frozen=True)
class Grid:
    """A table, with texts in the first column and numbers, aligned to the right, in the others."""

    header: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    kind: ClassVar = "grid"


@dataclass(frozen=True)
class Picture:
    """An SVG picture: a file beside the Markdown page, embedded in the HTML page."""

    file: str
    description: str
    svg: bytes
    kind: ClassVar = "picture"

    @property
    def base64(self) -> str:
        """The picture, encoded for a data URL."""
        return base64.b64encode(self.svg).decode("ascii")


Block = Heading | Paragraph | BulletList | Grid | Picture


def to_markdown(blocks: Sequence[Block]) -> str:
    """Render a page as Markdown."""
    return _environment().get_template("page.md").render(blocks=blocks)


def to_html(title: str, blocks: Sequence[Block]) -> str:
    """Render a page as one HTML file that loads nothing else."""
    return _environment().get_template("page.html").render(title=title, blocks=blocks)


@cache
def _environment() -> Environment:
    """HTML is escaped by Jinja; in the Markdown template every text passes through the filter `plain`."""
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=select_autoescape(["html"]),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters["plain"] = _plain
    return environment


def _plain(text: str) -> str:
    """Escape a text so that Markdown interprets nothing in it.

    >>> _plain("a_b | <c>")
    'a\\\\_b \\\\| &lt;c&gt;'
    """
    return re.sub(r"([\\`*_\[\]|])", r"\\\1", escape(" ".join(text.split()), quote=False))
