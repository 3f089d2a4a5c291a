"""Make the pictures of docs/explorer.md: python docs/scripts/explorer_screenshots.py

The explorer is started and used in Chromium: on the demo company, with all pairs observed and with some unobserved, and
on a random network of 100,000 nodes. With names of parts (moves, company, widths, questions, error, large) only those
are made.
"""

import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
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
SMALL = {"width": 1280, "height": 800}
WIDTHS = {390: 844, 640: 400, 768: 1024, 1920: 1080, 2560: 1440}  # and the height of each
ENLARGED = 640  # the width that a screen of 1,280 pixels has at 200 %
TALL = 1200  # a height at which no part of the steps is folded away
TIMEOUT = 120_000  # milliseconds
GLIDE = 1500  # milliseconds, in which nodes come to rest
COLOURS = 255  # of a picture: enough to keep the groups apart, and a third of the bytes


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
def open_page(browser: Any, address: str, size: dict[str, int] = SMALL, **settings: Any) -> Iterator[Page]:
    """A page of the explorer."""
    context = browser.new_context(viewport=size, **settings)
    page = context.new_page()
    page.set_default_timeout(TIMEOUT)
    page.goto(address)
    page.wait_for_function("window.netgiven?.explorer?.page")
    yield page
    context.close()


def keep(page: Page, name: str, part: str | None = None, wait: int = GLIDE) -> None:
    """Store a screenshot of the page, or of a part of it."""
    page.wait_for_timeout(wait)
    target = FOLDER / f"{name}.png"
    if part:
        page.locator(part).screenshot(path=target)
    else:
        page.screenshot(path=target)
    few = Image.open(target).convert("RGB").quantize(COLOURS, kmeans=1, dither=Image.Dither.NONE)
    few.save(target, optimize=True)
    print(f"{target}: {target.stat().st_size:,} bytes")


def wait_for_map(page: Page) -> None:
    """Wait until a fit is over, and its map is laid out."""
    page.wait_for_selector("#stop:visible")
    page.wait_for_selector("#stop", state="hidden")
    page.wait_for_selector("#details[data-kind=overview]")
    page.wait_for_function(
        "(({ panels, row }) => panels.length && panels.length === row.children.length)(netgiven.explorer.page)"
    )


def make_map(page: Page, button: str) -> None:
    """Press a button, and wait for the map."""
    page.click(button)
    wait_for_map(page)


def open_example(page: Page) -> None:
    """The company, before the first map."""
    page.click("#open-example")
    page.wait_for_selector("#guide .primary:visible")


def lasso(page: Page, corners: list[tuple[float, float]]) -> None:
    """Select a part of the map with the lasso; corners are shares of its width and height."""
    page.click(".bk-tool-icon-lasso-select >> nth=0")
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


def departments_given(page: Page) -> None:
    """The example after two of its three moves."""
    open_example(page)
    make_map(page, "#guide .primary")
    make_map(page, "#guide .primary")
    page.wait_for_selector("[data-group]")
    page.select_option("#colour", "project")


def moves(page: Page) -> None:
    """The three moves of the example."""
    page.wait_for_function("!netgiven.explorer.page.channel.preparing")
    keep(page, "start")
    open_example(page)
    make_map(page, "#guide .primary")
    page.wait_for_selector("#proposals .proposal")
    keep(page, "move-2")
    make_map(page, "#guide .primary")
    page.wait_for_selector("[data-group]")
    page.select_option("#colour", "project")
    keep(page, "move-3")
    page.set_viewport_size(SMALL | {"height": TALL})
    keep(page, "ledger", "#step-knowledge")
    keep(page, "groups", "[data-section=groups]")
    page.set_viewport_size(SMALL)
    page.click("#strip [data-beside='0']")
    page.wait_for_function("netgiven.explorer.page.panels.length === 2")
    keep(page, "strip")


def company(page: Page) -> None:
    """Nodes, pairs, groups, a new node, the table."""
    departments_given(page)
    page.click("#guide .close")
    find(page, "person 020")
    keep(page, "node")
    page.click("[data-table=likely] tbody tr:first-child button")
    page.wait_for_selector("#details[data-kind=pair]")
    keep(page, "pair")
    page.press("body", "Escape")
    page.wait_for_selector("#details[data-kind=overview]")
    page.click("[data-group='0']")
    page.wait_for_selector("#details[data-kind=group]")
    keep(page, "group")
    page.click("[data-action=new_node]")
    page.select_option("[data-needed=department]", label="research")
    page.wait_for_function("netgiven.explorer.page.newNodes.length === 1")
    keep(page, "new_node")
    page.press("body", "Escape")
    table(page)


def table(page: Page) -> None:
    """The table of nodes: one department, the busiest first."""
    page.click("#table-button")
    page.select_option("[data-action=filter]", "department")
    page.select_option(".filter select", label="research")
    page.click("[data-sort=degree]")
    page.click("[data-action=select-rows]")
    page.wait_for_selector("#details[data-kind=group]")
    keep(page, "table")


def widths(browser: Any, address: str) -> None:
    """The same map on screens of five widths."""
    for width, height in WIDTHS.items():
        scale = 2 if width == ENLARGED else 1
        with open_page(browser, address, {"width": width, "height": height}, device_scale_factor=scale) as page:
            departments_given(page)
            page.click("#guide .close")
            if width == 768:
                page.click("#fold-details")
            if width in (390, ENLARGED):
                page.locator(".middle").scroll_into_view_if_needed()
            keep(page, f"width-{width}")


def untested_company(folder: Path) -> list[str]:
    """The company as files, of which 400 pairs without a link are unobserved."""
    network, random = ng.datasets.company(), np.random.default_rng(0)
    links, people = network.to_pandas()
    first, second = np.triu_indices(network.node_count, 1)
    free = np.flatnonzero(~network.are_linked(first, second))
    drawn = np.sort(random.choice(free, 400, replace=False))
    pairs = pd.DataFrame({"u": network.nodes[first[drawn]], "v": network.nodes[second[drawn]]})
    tables = {"company.csv": links, "people.csv": people, "unasked.csv": pairs}
    for name, one in tables.items():
        one.to_csv(folder / name, index=False)
    paths = {name: str(folder / name) for name in tables}
    return [paths["company.csv"], "--nodes", paths["people.csv"], "--unobserved", paths["unasked.csv"]]


def questions(page: Page) -> None:
    """Pairs to check next with three answers, and fairness."""
    make_map(page, "#fit")
    page.wait_for_selector("[data-table=next-pairs]")
    for row, answer in enumerate(["yes", "no", "skip"]):
        page.click(f"[data-table=next-pairs] tbody tr:nth-child({row + 1}) [data-answer={answer}]")
        page.wait_for_selector(f"[data-answer={answer}][aria-pressed=true]")
    keep(page, "next_pairs", "[data-section=next-pairs]")
    page.click("[data-tell='blocks:department']")
    wait_for_map(page)
    page.click("#strip [data-beside='0']")
    page.wait_for_function("netgiven.explorer.page.panels.length === 2")
    page.select_option("#colour", "department")
    page.click("[data-action=fairness]")
    page.wait_for_selector("[data-table=fairness]")
    page.locator("#details .hint >> nth=-1").scroll_into_view_if_needed()
    keep(page, "fairness")


def error(page: Page) -> None:
    """A file that cannot be read."""
    open_example(page)
    wrong = {"name": "friends.csv", "mimeType": "text/csv", "buffer": b"ann,bob\nbob,cid\ncid\n"}
    page.set_input_files("#links-file", wrong)
    page.wait_for_selector("#network-error:not(:empty)")
    keep(page, "error", "#step-network")


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
    page.click("#step-map summary")
    page.select_option("#reach-kind", "manual")
    page.fill("#reach", "2")
    make_map(page, "#fit")
    keep(page, "large")


PLAIN = {"moves": moves, "company": company, "error": error}  # parts that begin with an empty page
OPENED = {  # parts that begin with a network
    "questions": (untested_company, questions),
    "large": (large_network, large),
}


def empty_parts(browser: Any, wanted: tuple[str, ...]) -> None:
    """Parts that begin with an empty page, on one server."""
    with explorer() as address:
        for part in set(wanted) & set(PLAIN):
            with open_page(browser, address) as page:
                PLAIN[part](page)
        if "widths" in wanted:
            widths(browser, address)


def opened_part(browser: Any, files: Callable[[Path], list[str]], use: Callable[[Page], None]) -> None:
    """A part that begins with a network."""
    with (
        tempfile.TemporaryDirectory() as folder,
        explorer(*files(Path(folder))) as address,
        open_page(browser, address) as page,
    ):
        use(page)


def main(*parts: str) -> None:
    """All pictures, or those of some parts."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    wanted = parts or (*PLAIN, "widths", *OPENED)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        empty_parts(browser, wanted)
        for part in (part for part in OPENED if part in wanted):
            opened_part(browser, *OPENED[part])
        browser.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
