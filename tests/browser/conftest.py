"""Chromium without a window, for pages that people will open; tests are skipped where there is none."""

import shutil
from contextlib import contextmanager
from functools import cache

import pytest

from tests.helpers import enter

# Maps need WebGL, which is computed by software where there is no graphics card. Only WebGL: drawing the whole page
# with it would keep a processor busy. Nothing is requested from other machines.
FLAGS = [
    "--headless=new",
    "--no-sandbox",
    "--use-gl=angle",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--disable-gpu-compositing",
    "--disable-gpu-rasterization",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-quic",
    "--disable-sync",
    "--disable-extensions",
    "--process-per-site",
]
SLOW_DRIVER = "GL Driver Message (OpenGL, Performance"  # from the software graphics card, not from the page
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


@pytest.fixture(scope="session")
def browser():
    """One Chromium for all tests of a process."""
    sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    path = next((found for name in NAMES if (found := shutil.which(name))), None)
    if path is None:
        pytest.skip("there is no Chromium: apt-get install chromium")
    with sync_api.sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield chromium
        chromium.close()


class Tab:
    """A page in the browser, and its problems: errors, warnings, dialogs, requests to other machines."""

    def __init__(self, page):
        self.page = page
        self.problems = []
        page.on("console", lambda message: self._add_message(message.type, message.text))
        page.on("pageerror", lambda error: self.problems.append(f"error: {error}"))
        page.on("dialog", self._dismiss)
        page.on("request", self._request)

    def _add_message(self, kind, text):
        if kind in ("error", "warning") and SLOW_DRIVER not in text:
            self.problems.append(f"{kind}: {text}")

    def _dismiss(self, dialog):
        self.problems.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def _request(self, request):
        if not request.url.startswith(("file:", "data:", "blob:", "http://127.0.0.1:", "http://localhost:")):
            self.problems.append(f"request: {request.url}")


@pytest.fixture(scope="session")
def contexts(browser):
    """A function that returns the browser context of some settings. Tabs share it: our pages store nothing in it."""

    @cache
    def context(offline, **settings):
        made = browser.new_context(**{"viewport": {"width": 1280, "height": 800}, **settings})
        made.set_offline(offline)
        made.new_page()  # keeps the window open when tabs are closed: a new window costs more than a new tab
        return made

    return context


@pytest.fixture
def open_tab(contexts):
    """A function that opens an empty tab. At the end of the test, no tab may have had a problem."""
    opened = []

    @contextmanager
    def open_one(offline=False, **settings):
        tab = Tab(contexts(offline, **settings).new_page())
        opened.append(tab)
        try:
            yield tab
        finally:
            tab.page.close()

    yield open_one
    assert [problem for tab in opened for problem in tab.problems] == []


@pytest.fixture
def page(open_tab, explorer):
    """A tab with the page of the explorer that a module serves."""
    with open_tab() as tab:
        tab.page.set_default_timeout(60_000)
        enter(tab.page, explorer)
        yield tab.page
