"""The documentation site: it builds without a warning, its links lead somewhere, it loads nothing from outside."""

import inspect
import os
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

import netgiven as ng

pytest.importorskip("sphinx", reason="the site is built with what the group docs installs")

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
LOADED = {"img": "src", "script": "src", "link": "href", "iframe": "src", "source": "src", "video": "src"}


class Page(HTMLParser):
    """What a page of the site links to, what it loads, and its anchors."""

    def __init__(self, path):
        super().__init__()
        self.path, self.links, self.loads, self.anchors = path, set(), set(), {"", "top"}
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attrs):
        values = dict(attrs)
        self.anchors.add(values.get("id"))
        if tag == "a" and values.get("href"):
            self.links.add(values["href"])
        if values.get(LOADED.get(tag)):
            self.loads.add(values[LOADED[tag]])


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    paths = os.pathsep.join([str(Path(ng.__file__).parent.parent), *filter(None, [os.environ.get("PYTHONPATH")])])
    done = subprocess.run(
        [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-n", "-q", "-E", str(DOCS), str(folder)],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": paths},
    )
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture(scope="module")
def pages(site):
    return {path: Page(path) for path in site.rglob("*.html")}


def is_outside(address):
    parts = urlsplit(address)
    return bool(parts.scheme or parts.netloc) and parts.scheme != "data"


def leads_somewhere(address, page, pages):
    parts = urlsplit(address)
    target = (page.path.parent / unquote(parts.path)).resolve() if parts.path else page.path
    return unquote(parts.fragment) in pages[target].anchors if target in pages else target.is_file()


def test_links_lead_somewhere(pages):
    broken = {
        f"{page.path.name}: {address}"
        for page in pages.values()
        for address in page.links | page.loads
        if not is_outside(address) and not leads_somewhere(address, page, pages)
    }
    assert not broken


def test_nothing_is_loaded_from_outside(site, pages):
    assert {address for page in pages.values() for address in page.loads if is_outside(address)} == set()
    for sheet in site.rglob("*.css"):
        text = sheet.read_text(encoding="utf-8")
        assert not re.search(r"(url\(|@import)\s*[\"']?(https?:)?//", text), sheet.name


def test_every_page_is_in_the_table_of_contents(site, pages):
    written = {path.stem for path in DOCS.glob("*.md")} - {"index"}
    listed = {Path(urlsplit(link).path).stem for link in pages[site / "index.html"].links}
    assert written <= listed


def test_every_public_name_has_a_page(site, pages):
    without = {name for name in ng.__all__ if not inspect.ismodule(getattr(ng, name)) and name != "__version__"}
    assert {name for name in without if not (site / "generated" / f"{name}.html").is_file()} == set()
    methods = {"Network.from_edges", "Embedding.likely_links", "Embedding.explain", "Prior.sample", "Map.save"}
    assert {
        name
        for name in methods
        if f"netgiven.{name}" not in pages[site / f"generated/{name.split('.')[0]}.html"].anchors
    } == set()


def test_every_command_and_option_is_listed(pages, site):
    from netgiven.cli.main import COMMANDS

    text = (site / "command_line.html").read_text(encoding="utf-8")
    assert {name for name in COMMANDS if f'id="netgiven-{name}"' not in text} == set()
    assert {"cmdoption-netgiven-embed-given", "cmdoption-netgiven-evaluate-links-split"} <= pages[
        site / "command_line.html"
    ].anchors
