"""Pages, rendered by templates."""

import re

import pytest

from experiments.page import BulletList, Cell, Grid, Heading, Paragraph, Picture, to_html, to_markdown

HOSTILE = "<script>alert(\"x\")</script> & | *a* _b_ [c](d) `e` \\ 'f'"
BLOCKS = {
    "heading": Heading(2, HOSTILE),
    "paragraph": Paragraph(HOSTILE),
    "list": BulletList([HOSTILE, "plain"]),
    "header": Grid(["method", HOSTILE], [[Cell("a"), Cell("b")]]),
    "cells": Grid(["method", "value"], [[Cell(HOSTILE), Cell(HOSTILE, HOSTILE, bold=True)]]),
    "picture": Picture("a.svg", HOSTILE, b"<svg/>"),
}


def test_a_page_in_markdown():
    blocks = [
        Heading(1, "Title"),
        Paragraph("Two\n  lines."),
        BulletList(["one", "two"]),
        Grid(["method", "value"], [[Cell("a"), Cell("1", "note", bold=True)], [Cell("b"), Cell("2")]]),
        Picture("a.svg", "A picture", b"<svg/>"),
    ]
    assert to_markdown(blocks) == (
        "# Title\n\nTwo lines.\n\n- one\n- two\n\n"
        "| method | value |\n| --- | ---: |\n| a | **1**<br>note |\n| b | 2 |\n\n"
        "![A picture](a.svg)\n"
    )


@pytest.mark.parametrize("block", BLOCKS.values(), ids=BLOCKS)
def test_texts_are_escaped_wherever_they_stand(block):
    page, text = to_html(HOSTILE, [block]), to_markdown([block])
    assert "<script" not in page and "<script" not in text
    assert not re.search(r"(?<!\\)[*_\[\]`]", text.replace("**", "").replace("![", "").replace("](a.svg)", ""))


def test_the_html_page_holds_its_pictures():
    page = to_html("Title", [BLOCKS["picture"]])
    assert "<title>Title</title>" in page and 'src="data:image/svg+xml;base64,PHN2Zy8+"' in page
