"""Make the pictures of docs/explorer.md: python docs/scripts/explorer_screenshots.py

The explorer is started and used in Chromium: on the demo company, with all pairs observed and with some unobserved, and
on a random network of 100,000 nodes. With names of parts (company, compare, questions, error, large) only those are
made.
"""

import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from PIL import Image
from playwright.sync_api import Page, sync_playwright

import netgiven as ng

FOLDER = Path(__file__).parents[1] / "pictures" / "explorer"
FLAGS = ["--headless=new", "--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"]
SMALL, LARGE = {"width": 1280, "height": 800}, {"width": 1920, "height": 1080}
TIMEOUT = 60_000  # milliseconds


@contextmanager
def explorer(*arguments: str) -> Iterator[str]:
    """Address of a running explorer."""
    command = [sys.executable, "-m", "netgiven", "explore", "--no-browser", "--port", "0", "--threads", "1", *arguments]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        found = next(found for line in process.stderr if (found := re.search(r"http://\S+", line)))
        try:
            yield found[0]
        finally:
            process.terminate()


@contextmanager
def open_page(browser: Any, address: str, size: dict[str, int], **settings: Any) -> Iterator[Page]:
    """A page of the explorer."""
    context = browser.new_context(viewport=size, **settings)
    page = context.new_page()
    page.set_default_timeout(TIMEOUT)
    page.goto(address)
    page.wait_for_function("window.netgiven?.explorer?.page")
    yield page
    context.close()


def keep(page: Page, name: str, wait: bool = True) -> None:
    """Store a screenshot with all its colours: fewer would mix up the groups."""
    page.wait_for_timeout(700 if wait else 0)
    target = FOLDER / f"{name}.png"
    page.screenshot(path=target)
    Image.open(target).convert("RGB").save(target, optimize=True)
    print(f"{target}: {target.stat().st_size:,} bytes")


def make_map(page: Page, button: str = "#fit") -> None:
    """Press a button, and wait for the map."""
    page.click(button)
    page.wait_for_selector("#stop:visible")
    page.wait_for_selector("#details[data-kind=overview]")


def reach(page: Page, value: float) -> None:
    """Set the reach."""
    page.select_option("#reach-kind", "manual")
    page.fill("#reach", str(value))


def lasso(page: Page, corners: list[tuple[float, float]]) -> None:
    """Select a part of the map with the lasso; corners are shares of its width and height."""
    box = page.locator("#canvas").bounding_box()
    assert box is not None
    for place, (across, down) in enumerate(corners):
        page.mouse.move(box["x"] + across * box["width"], box["y"] + down * box["height"], steps=5)
        if not place:
            page.mouse.down()
    page.mouse.up()
    page.mouse.move(box["x"] + 5, box["y"] + 5)
    page.wait_for_selector("#details[data-kind=group]")


def find(page: Page, name: str) -> None:
    """Search for a node, and select it."""
    page.fill("#search", name)
    page.press("#search", "Enter")
    page.wait_for_selector("#details[data-kind=node]")


def company(page: Page) -> None:
    """All views on the example, from the first page on."""
    keep(page, "start")
    page.click("#open-example")
    page.wait_for_selector("#network-title:visible")
    page.click("fieldset:has(h3:has-text('department')) label:has-text('group densities')")
    page.wait_for_selector("#knowledge-text:has-text('blocks')")
    reach(page, 2)
    page.click("#fit")
    page.wait_for_function("netgiven.explorer.page.channel.drawn_frame > 0")
    keep(page, "moving", wait=False)
    page.wait_for_selector("#details[data-kind=overview]")
    page.select_option("#colour", "project")
    keep(page, "overview")
    page.fill("#search", "person 02")
    page.wait_for_selector("#found li")
    keep(page, "search")
    find(page, "person 020")
    keep(page, "node")
    page.click("[data-table=likely] tbody tr:first-child button")
    page.wait_for_selector("#details[data-kind=pair]")
    keep(page, "pair")
    page.click(".bk-tool-icon-lasso-select >> nth=0")
    lasso(page, [(0.03, 0.03), (0.5, 0.03), (0.5, 0.5), (0.03, 0.5), (0.03, 0.06)])
    keep(page, "group")
    page.click("#details .close")
    page.wait_for_selector("#details[data-kind=overview]")
    lasso(page, [(0.24, 0.19), (0.42, 0.19), (0.42, 0.31), (0.24, 0.31), (0.24, 0.2)])
    page.click("[data-action=new_node]")
    page.select_option("[data-needed=department]", label="research")
    page.wait_for_function("netgiven.explorer.page.newNodes.length === 1")
    keep(page, "new_node")


def compare(page: Page, name: str) -> None:
    """Two priors side by side."""
    page.click("#open-example")
    page.wait_for_selector("#network-title:visible")
    reach(page, 2)
    make_map(page)
    page.click("fieldset:has(h3:has-text('department')) label:has-text('group densities')")
    page.wait_for_selector("#knowledge-text:has-text('blocks')")
    make_map(page, "#beside")
    page.select_option("#colour", "project")
    find(page, "person 020")
    keep(page, name)


def untested_company(folder: Path) -> list[str]:
    """The company as files, of which 400 pairs without a link are unobserved."""
    network, random = ng.datasets.company(), np.random.default_rng(0)
    links, people = network.to_pandas()
    first, second = np.triu_indices(network.node_count, 1)
    free = np.flatnonzero(~network.are_linked(first, second))
    drawn = np.sort(random.choice(free, 400, replace=False))
    pairs = pd.DataFrame({"u": network.nodes[first[drawn]], "v": network.nodes[second[drawn]]})
    tables = {"company.csv": links, "people.csv": people, "unasked.csv": pairs}
    for name, table in tables.items():
        table.to_csv(folder / name, index=False)
    paths = {name: str(folder / name) for name in tables}
    return [paths["company.csv"], "--nodes", paths["people.csv"], "--unobserved", paths["unasked.csv"]]


def questions(page: Page) -> None:
    """Pairs to check next, and fairness."""
    reach(page, 2)
    make_map(page)
    page.wait_for_selector("[data-table=next-pairs]")
    keep(page, "next_pairs")
    page.click("fieldset:has(h3:has-text('department')) label:has-text('group densities')")
    page.wait_for_selector("#knowledge-text:has-text('blocks')")
    make_map(page, "#beside")
    page.wait_for_function("netgiven.explorer.page.panels.length === 2")
    page.click("[data-action=fairness]")
    page.wait_for_selector("[data-table=fairness]")
    page.click("#details summary")
    keep(page, "fairness")


def error(page: Page) -> None:
    """A file that cannot be read."""
    page.click("#open-example")
    page.wait_for_selector("#network-title:visible")
    wrong = {"name": "friends.csv", "mimeType": "text/csv", "buffer": b"ann,bob\nbob,cid\ncid\n"}
    page.set_input_files("#links-file", wrong)
    page.wait_for_selector("#network-error:not(:empty)")
    keep(page, "error")


def large_network(folder: Path) -> list[str]:
    """100,000 nodes in 300 communities of 12 regions, as files."""
    random, nodes = np.random.default_rng(0), 100_000
    community = np.sort(random.integers(0, 300, nodes))
    begin = np.searchsorted(community, np.arange(301))
    busy = np.exp(random.normal(0, 0.7, nodes))
    first = random.choice(nodes, 400_000, p=busy / busy.sum())
    second = random.integers(begin[community[first]], begin[community[first] + 1])
    second[:60_000] = random.integers(0, nodes, 60_000)
    pd.DataFrame({"source": first, "target": second}).to_csv(folder / "large.csv", index=False)
    regions = [f"region {number % 12 + 1}" for number in community]
    pd.DataFrame({"node": range(nodes), "region": regions}).to_csv(folder / "people.csv", index=False)
    return [str(folder / "large.csv"), "--nodes", str(folder / "people.csv")]


def large(page: Page) -> None:
    """A map of 100,000 nodes."""
    reach(page, 2)
    make_map(page)
    keep(page, "large")


def main(*parts: str) -> None:
    """All pictures, or those of some parts."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    wanted = parts or ("company", "compare", "questions", "error", "large")
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as folder:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        with explorer() as address:
            if "company" in wanted:
                with open_page(browser, address, SMALL) as page:
                    company(page)
            if "compare" in wanted:
                with open_page(browser, address, SMALL, color_scheme="dark") as page:
                    compare(page, "compare-dark")
                with open_page(browser, address, LARGE) as page:
                    compare(page, "compare")
            if "error" in wanted:
                with open_page(browser, address, SMALL) as page:
                    error(page)
        if "questions" in wanted:
            with explorer(*untested_company(Path(folder))) as address, open_page(browser, address, SMALL) as page:
                questions(page)
        if "large" in wanted:
            with explorer(*large_network(Path(folder))) as address, open_page(browser, address, SMALL) as page:
                large(page)
        browser.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
