"""What docs/priors.md says is so: its texts are read, its pictures are there. That its code runs: test_pages.py."""

import re
from pathlib import Path

import pytest

import netgiven as ng
from netgiven.priors.knowledge import REGISTRY

DOCS = Path(__file__).parent.parent / "docs"
TEXT = (DOCS / "priors.md").read_text(encoding="utf-8")


def blocks(language):
    return re.findall(rf"```{language}\n(.*?)```", TEXT, flags=re.DOTALL)


TEXTS = [text for block in blocks("sh") for text in re.findall(r'--given "?([^"\s]+)"?', block)]


@pytest.mark.parametrize("text", TEXTS)
def test_texts_are_read(text):
    assert all(piece in str(ng.parse_knowledge(text)) for piece in text.split("+"))


def test_each_kind_has_a_text():
    assert {text.split(":")[0] for whole in TEXTS for text in whole.split("+")} >= set(REGISTRY) - {"season"}


def test_pictures_are_there_and_small():
    told = re.findall(r"\]\((pictures/[^)]+)\)", TEXT)
    there = {f"pictures/priors/{path.name}" for path in (DOCS / "pictures" / "priors").glob("*.png")}
    assert set(told) == there
    assert max((DOCS / path).stat().st_size for path in told) < 60_000


def test_links_within_the_page_lead_somewhere():
    headings = re.findall(r"^#+ (.*)$", TEXT, flags=re.MULTILINE)
    anchors = {heading.lower().replace(",", "").replace(" ", "-") for heading in headings}
    assert set(re.findall(r"\]\(#([^)]+)\)", TEXT)) <= anchors
