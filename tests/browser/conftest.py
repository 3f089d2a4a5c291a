"""Chromium without a window, for pages that people will open; tests are skipped where there is none."""

import shutil
from contextlib import contextmanager

import pytest

# drawing needs WebGL, which a machine without a graphics card computes; nothing else is asked of the outside
FLAGS = [
    "--headless=new",
    "--no-sandbox",
    "--use-gl=angle",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-quic",
    "--disable-sync",
]
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


class Visit:
    """A page that was opened, and what it complained about: errors, messages, dialogs, requests to the outside."""

    def __init__(self, page):
        self.page = page
        self.complaints = []
        page.on("console", lambda message: self._hear(message.type, message.text))
        page.on("pageerror", lambda error: self.complaints.append(f"error: {error}"))
        page.on("dialog", self._dismiss)
        page.on("request", self._request)

    def _hear(self, kind, text):
        if kind in ("error", "warning"):
            self.complaints.append(f"{kind}: {text}")

    def _dismiss(self, dialog):
        self.complaints.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def _request(self, request):
        if not request.url.startswith(("file:", "data:", "blob:", "http://127.0.0.1:", "http://localhost:")):
            self.complaints.append(f"request: {request.url}")


@pytest.fixture
def visits(browser):
    """A function that opens a tab with nothing in it; at the end no tab may have complained."""
    opened = []

    @contextmanager
    def visit(offline=False, **settings):
        context = browser.new_context(**{"viewport": {"width": 1280, "height": 800}, **settings})
        context.set_offline(offline)
        opened.append(Visit(context.new_page()))
        try:
            yield opened[-1]
        finally:
            context.close()

    yield visit
    assert [complaint for one in opened for complaint in one.complaints] == []


@pytest.fixture
def page(visits, explorer):
    """A tab with the page of the explorer that a module serves."""
    with visits() as visit:
        visit.page.set_default_timeout(60_000)
        enter(visit.page, explorer)
        yield visit.page


def enter(page, explorer):
    """Open the explorer's page, and wait until it can be used."""
    page.goto(explorer.url)
    page.wait_for_function("window.netgiven?.explorer?.page")
