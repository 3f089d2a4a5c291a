"""Helpers that several tests use."""

import asyncio
import io
import sys
import threading
from contextlib import contextmanager, redirect_stderr
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np

import netgiven as ng
from netgiven.analysis.local_objective import LocalObjective


def local_objective(network, given="degrees", dimensions=2, shrinkage=0.0):
    """The objective around the nodes of an embedding with random positions."""
    positions = np.random.default_rng(0).normal(size=(network.node_count, dimensions)).astype(np.float32)
    prior = ng.parse_knowledge(given).fit(network)
    return LocalObjective(network, prior, positions, ng.Spread.from_reach(1.5), shrinkage)


# ---- the explorer --------------------------------------------------------------------------------------------------


class Served(NamedTuple):
    """A running server of the explorer: its address, its sessions, and the Bokeh server."""

    url: str
    registry: Any
    server: Any


@contextmanager
def served(opened=None, max_megabytes=1.0, host="127.0.0.1"):
    """Serve the explorer from a thread, during a `with` block."""
    from netgiven.explorer.server import SessionRegistry, address_of, make_server

    loop, ready, found = asyncio.new_event_loop(), threading.Event(), []

    def work():
        asyncio.set_event_loop(loop)
        registry = SessionRegistry(opened, max_megabytes, threads=1)
        server = make_server(registry, host, port=0)
        server.start()
        found.append(Served(address_of(server), registry, server))
        ready.set()
        loop.run_forever()

    thread = threading.Thread(target=work)
    thread.start()
    assert ready.wait(60)
    try:
        yield found[0]
    finally:
        asyncio.run_coroutine_threadsafe(_stop(found[0]), loop).result(60)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(60)
        loop.close()


async def _stop(one):
    one.server.stop(wait=False)
    for token in list(one.registry.controllers):
        one.registry.close_page(token)
    await asyncio.sleep(0.05)


def read_in_this_process(monkeypatch):
    """Let the explorer read uploads in this process: a process for each of them costs a second."""
    from netgiven.explorer import files

    def run(command, **options):
        stderr = io.StringIO()
        with redirect_stderr(stderr):
            code = files.main(*command[3:])
        return SimpleNamespace(returncode=code, stderr=stderr.getvalue())

    monkeypatch.setattr(files, "limit_memory", lambda max_bytes: None)
    monkeypatch.setattr(files, "subprocess", SimpleNamespace(run=run, TimeoutExpired=TimeoutError))


def enter(page, explorer):
    """Open the explorer's page, and wait until it can be used."""
    page.goto(explorer.url)
    page.wait_for_function("window.netgiven?.explorer?.page")


def make_map(page, reach=2, button="#fit"):
    """Fit a map in the browser."""
    page.evaluate("document.querySelector('#step-map details').open = true")
    page.select_option("#reach-kind", "manual")
    page.fill("#reach", str(reach))
    page.click(button)
    page.wait_for_selector("#stop:visible")
    wait_for_map(page)


def wait_for_map(page):
    """Wait until a map is fitted and laid out: figures get their size a few frames after the message."""
    page.wait_for_selector("#details[data-kind=overview]")
    covered = "({ panels, row }) => panels.length > 0 && panels.length === row.children.length"
    page.wait_for_function(f"({covered})(netgiven.explorer.page)")


def find(page, text):
    """Search for a node in the browser, and select it."""
    page.fill("#search", text)
    page.press("#search", "Enter")
    page.wait_for_selector("#details[data-kind=node]")


def shown_table(page, kind):
    """Name, probability, prior and text of each row of a table in the browser."""
    rows = page.locator(f"#details [data-table={kind}] tbody tr")
    return [
        (
            row.locator("td").nth(0).inner_text(),
            float(row.locator("[data-column=probability]").get_attribute("data-value")),
            float(row.locator("[data-column=prior]").get_attribute("data-value")),
            row.locator("[data-column=probability]").inner_text(),
        )
        for row in rows.all()
    ]


def controller_of(explorer):
    """The controller of the page that was opened last."""
    return [one for one in explorer.registry.controllers.values() if one.session.network is not None][-1]


def lasso(page):
    """Select the left half of the map with the lasso."""
    page.click(".bk-tool-icon-lasso-select")
    box = page.locator("#canvas").bounding_box()
    corners = [(0.02, 0.02), (0.45, 0.02), (0.45, 0.98), (0.02, 0.98), (0.02, 0.05)]
    for place, (across, down) in enumerate(corners):
        page.mouse.move(box["x"] + across * box["width"], box["y"] + down * box["height"], steps=4)
        if not place:
            page.mouse.down()
    page.mouse.up()


# ---- the command line ----------------------------------------------------------------------------------------------


def run_command(*arguments):
    """Run a command in this process, and return its exit code."""
    from netgiven.cli.main import main

    before, sys.argv = sys.argv, ["netgiven", *map(str, arguments)]
    try:
        main()
    except SystemExit as end:
        return end.code or 0
    finally:
        sys.argv = before
    return 0
