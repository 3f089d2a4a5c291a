"""The page of a large map: its size, the time until it is open, and the delay of hover and search in Chromium.

    python benchmarks/speed/map_page.py [--nodes 100000] [--links 1000000] [--keep map.html] [--picture map]
    python benchmarks/speed/map_page.py --embedding plane.ng    # an embedding in two dimensions

Without --embedding, positions and links are drawn at random around centres: only the page matters here. "open" is the
time from navigation until the density of all nodes is painted and the page answers; it is the best of `--repeats`, as
other programs share the machine. Other times are medians of ten, from the event to the end of the frame in which the
answer is drawn. --picture writes screenshots: map-1.png of the whole map, the next ones nearer. Without a graphics card
the processor puts every frame together: "a word" is the cost of the smallest change of the page on this machine.
"""

import argparse
import shutil
import statistics
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd
from playwright.sync_api import Browser, Page, sync_playwright

import netgiven as ng
from netgiven.edges import EdgeList
from netgiven.fitting.record import FitRecord
from netgiven.fitting.settings import Settings
from netgiven.fitting.train import Convergence, Status

FLAGS = ["--headless=new", "--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"]
TIMED = """async ([act, node]) => {
  const frame = () => new Promise(requestAnimationFrame), begin = performance.now();
  new Function('node', act)(node);
  await frame();
  await frame();
  return performance.now() - begin;
}"""
FIND = "const box = document.getElementById('search'); box.value = TEXT; netgiven.page.search.look();"
ACTS = {
    "nothing (two frames)": "",
    "a word": "document.getElementById('about').textContent = node;",
    "hover": """const { figure, x, y } = netgiven.page.panels[0];
        netgiven.page.hover(netgiven.nearest(figure, netgiven.page.nodes, 0, x[node], y[node]), 0);""",
    "search": FIND.replace("TEXT", "String(node)"),
    "search without result": FIND.replace("TEXT", "'no such name'"),
    "select": "netgiven.page.choose(node);",
    "zoom": """const { figure, x, y } = netgiven.page.panels[0];
        netgiven.show(figure, [x[node] - 1, x[node] + 1], [y[node] - 1, y[node] + 1]);""",
}
HUB = "netgiven.hubsFirst(netgiven.page.nodes.data.size)[0]"
OPEN = """() => {
  const panel = window.netgiven?.page?.panels[0], crowd = panel && netgiven.crowds.get(panel.figure);
  return panel && panel.figure.inner_width > 0 && (!panel.picture || crowd?.took > 0);
}"""
ZOOM = """([node, times]) => {
  const { figure, x, y } = netgiven.page.panels[0], { reset_start, reset_end } = figure.x_range;
  const half = (reset_end - reset_start) / 2 / times;
  netgiven.show(figure, [x[node] - half, x[node] + half], [y[node] - half, y[node] + half]);
}"""


def clustered(nodes: int, links: int, groups: int = 24) -> tuple[ng.Network, np.ndarray]:
    """Nodes around centres, most links within a centre's neighbourhood, uneven degrees."""
    random = np.random.default_rng(0)
    group = random.integers(groups, size=nodes)
    angle = random.random(groups) * 2 * np.pi
    centre = np.sqrt(random.random(groups))[:, None] * 9 * np.column_stack([np.cos(angle), np.sin(angle)])
    positions = (centre[group] + random.normal(size=(nodes, 2)) * 0.9).astype(np.float32)
    order = np.argsort(group, kind="stable")
    weight = random.pareto(2.5, nodes) + 0.1
    first = random.choice(nodes, links, p=weight / weight.sum())
    place = np.empty(nodes, dtype=np.int64)
    place[order] = np.arange(nodes)
    near = order[(place[first] + random.integers(1, 2000, links)) % nodes]
    second = np.where(random.random(links) < 0.8, near, random.integers(nodes, size=links))
    names = pd.Index([f"member {number:06d}" for number in range(nodes)])
    columns = pd.DataFrame({"community": [f"community {number + 1}" for number in group]})
    return ng.Network.from_edge_list(EdgeList(names, first, second, columns=columns)), positions


def measure(page: Page, nodes: int) -> dict[str, float]:
    """Milliseconds of an action."""
    some = np.random.default_rng(1).integers(nodes, size=10).tolist()
    hub = page.evaluate(HUB)
    times = {"hover over the largest": statistics.median(hovered(page, hub) for _ in range(5))}
    for name, act in ACTS.items():
        times[name] = statistics.median(page.evaluate(TIMED, [act, node]) for node in some)
    return times


def hovered(page: Page, node: int) -> float:
    """Milliseconds until a node is highlighted that was not before."""
    page.evaluate("netgiven.page.hover(-1, 0)")
    page.wait_for_timeout(300)
    time: float = page.evaluate(TIMED, [ACTS["hover"], node])
    return time


def drawn_embedding(nodes: int, links: int) -> ng.Embedding:
    """A network at positions that were drawn, not fitted."""
    network, positions = clustered(nodes, links)
    prior, spread = ng.degrees().fit(network), ng.Spread(1.0, 15.0)
    settings = Settings(dimensions=2, reach=spread).resolve(network.node_count)
    fit = FitRecord(settings, prior, Convergence(Status.NOTHING_TO_FIT, 0, 0.0))
    return ng.Embedding(network, positions, prior, spread, fit)


def opened(chromium: Browser, path: Path) -> tuple[Page, float, float]:
    """The page in a new tab, and the milliseconds until it was open: by the clock, and of all processes of Chromium."""
    page = chromium.new_page(viewport={"width": 1280, "height": 800})
    before = processor_seconds(chromium)
    page.goto(path.as_uri())
    page.wait_for_function(OPEN)
    ready = page.evaluate("new Promise(requestAnimationFrame).then(() => performance.now())")
    return page, ready, 1000 * (processor_seconds(chromium) - before)


def processor_seconds(chromium: Browser) -> float:
    session = chromium.new_browser_cdp_session()
    processes = session.send("SystemInfo.getProcessInfo")["processInfo"]
    session.detach()
    return float(sum(process["cpuTime"] for process in processes))


def photograph(page: Page, name: str) -> None:
    """Screenshots of the whole map and nearer to a node with many links."""
    hub = page.evaluate("netgiven.hubsFirst(netgiven.page.nodes.data.size)[20]")
    for number, times in enumerate((None, 5, 40, 300), 1):
        if times:
            page.evaluate(ZOOM, [hub, times])
        page.wait_for_timeout(2000)
        page.screenshot(path=f"{name}-{number}.png")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--nodes", type=int, default=100_000)
    parser.add_argument("--links", type=int, default=1_000_000)
    parser.add_argument("--embedding", type=Path)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--picture")
    options = parser.parse_args()
    embedding = ng.load(options.embedding) if options.embedding else drawn_embedding(options.nodes, options.links)
    with tempfile.TemporaryDirectory() as folder:
        path = (options.keep or Path(folder, "map.html")).resolve()
        begin = time.process_time()
        embedding.map(title="A large network").save(path)
        size, seconds = path.stat().st_size / 1e6, time.process_time() - begin
        print(f"{embedding.network}: {size:.1f} MB, written in {seconds:.1f} CPU s", flush=True)
        with sync_playwright() as playwright:
            chromium = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
            times = []
            for _ in range(options.repeats):
                page, *ready = opened(chromium, path)
                times.append(ready)
                page.close()
            clock, processors = zip(*times, strict=True)
            print(f"{'open':<24}{min(clock):>8.0f} ms (worst of {len(clock)}: {max(clock):.0f})")
            print(f"{'open, processor time':<24}{min(processors):>8.0f} ms", flush=True)
            page, *_ = opened(chromium, path)
            page.wait_for_timeout(2000)
            for name, milliseconds in measure(page, len(embedding)).items():
                print(f"{name:<24}{milliseconds:>8.0f} ms", flush=True)
            if options.picture:
                page.evaluate("netgiven.page.clear(); netgiven.page.search.open(false);")
                page.evaluate("netgiven.showMost(netgiven.page.panels[0].figure, netgiven.page.nodes, 0)")
                photograph(page, options.picture)
            chromium.close()


if __name__ == "__main__":
    main()
