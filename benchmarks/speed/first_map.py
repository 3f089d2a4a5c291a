"""The first map of a new user: seconds from the click to the map in Chromium, with an empty compilation cache.

    python benchmarks/speed/first_map.py [--wait 0 20] [--ahead process thread none]

A server of the explorer in a process of its own, on a cache folder that is empty. The visitor reads the start page for
some seconds, opens the example, clicks "Fit the map" and waits until the map and what it predicts are shown. Kernels
are compiled ahead in a process (what the explorer does), in a thread of the server, or not at all; a last row has a
cache that is full. CPU seconds are those of the server and its processes until it has ended. One table; the exit
code is 1 if the explorer itself, after the longest wait, misses its target.
"""

from __future__ import annotations

import argparse
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

from measuring import Target, finish
from playwright.sync_api import Browser, sync_playwright

FLAGS = ["--headless=new", "--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"]
AHEAD = {
    "process": "",
    "thread": "background.WarmUp._compile_apart = lambda self: None",
    "none": "background.WarmUp.start = lambda self: None",
}
SERVER = "from netgiven.explorer import background\n{change}\nfrom netgiven.cli.main import main\nmain()"
TARGET = 15.0  # s
LIMIT = 300_000  # ms, after which the measurement fails


class Waited(NamedTuple):
    """Seconds until the page could be used, seconds from the click to the map, CPU seconds of the server."""

    ready: float
    map: float
    processor: float


@contextmanager
def served(ahead: str, cache: str) -> Iterator[str]:
    """The address of a server, which ends with the block."""
    line = [sys.executable, "-c", SERVER.format(change=AHEAD[ahead]), "explore", "--no-browser", "--port", "0"]
    environment = {**os.environ, "NUMBA_CACHE_DIR": cache}
    with subprocess.Popen(line, stderr=subprocess.PIPE, text=True, env=environment) as process:
        assert process.stderr is not None
        yield next(found[0] for text in process.stderr if (found := re.search(r"http://127\.0\.0\.1:\d+/", text)))
        process.send_signal(signal.SIGTERM)
        process.communicate()


def processor_seconds() -> float:
    """CPU seconds of all processes that this one has started and that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def measure(chromium: Browser, ahead: str, wait: float, cache: str) -> Waited:
    """Visit a new server."""
    before = processor_seconds()
    with served(ahead, cache) as address:
        begin, page = time.perf_counter(), chromium.new_page()
        page.set_default_timeout(LIMIT)
        page.goto(address)
        page.wait_for_function("window.netgiven?.explorer?.page")
        ready = time.perf_counter() - begin
        page.wait_for_timeout(1000 * wait)
        click = time.perf_counter()
        page.click("#open-example")
        page.wait_for_selector("#network:visible")
        page.click("#fit")
        page.wait_for_selector("#details[data-kind=overview]")
        shown = time.perf_counter() - click
        page.close()
    return Waited(ready, shown, processor_seconds() - before)


def row(ahead: str, wait: float, found: Waited, bound: float, cache: str = "empty") -> Target:
    """One line of the table."""
    note = f"page after {found.ready:.1f} s; server {found.processor:.1f} CPU s"
    return Target(f"{cache} cache, ahead: {ahead}, {wait:g} s later: s to the map", found.map, bound, note=note)


def main() -> None:
    """Parse, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--wait", type=float, nargs="+", default=[0, 20], help="seconds on the start page")
    parser.add_argument("--ahead", choices=AHEAD, nargs="+", default=list(AHEAD), help="how kernels are compiled ahead")
    options, rows = parser.parse_args(), []
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        for ahead in options.ahead:
            for wait in options.wait:
                bound = TARGET if ahead == "process" and wait == max(options.wait) else float("inf")
                with tempfile.TemporaryDirectory() as cache:
                    rows.append(row(ahead, wait, measure(chromium, ahead, wait, cache), bound))
                    if ahead == "process" and wait == max(options.wait):
                        rows.append(row(ahead, 0, measure(chromium, ahead, 0, cache), bound, "full"))
        chromium.close()
    finish(rows)


if __name__ == "__main__":
    main()
