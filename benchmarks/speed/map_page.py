"""The page of a map with 100,000 nodes and 1,000,000 links: its size, and the delay of hover and search in Chromium.

    python benchmarks/speed/map_page.py [--nodes 100000] [--links 1000000] [--keep map.html] [--picture map.png]

Positions and links are drawn at random around centres: only the page matters here. Times are medians of ten, from the
event to the end of the frame in which the answer is drawn. Without a graphics card the processor puts every frame
together: "a word" is the cost of the smallest change of the page on this machine.
"""

import argparse
import shutil
import statistics
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
from playwright.sync_api import Page, sync_playwright

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
HUB = """netgiven.page.atlas.names.map((_, node) => [netgiven.page.atlas.neighbours(node).length, node])
  .reduce((one, other) => one[0] >= other[0] ? one : other)[1]"""


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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--nodes", type=int, default=100_000)
    parser.add_argument("--links", type=int, default=1_000_000)
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--picture", type=Path)
    options = parser.parse_args()
    network, positions = clustered(options.nodes, options.links)
    prior, spread = ng.degrees().fit(network), ng.Spread(1.0, 15.0)
    settings = Settings(dimensions=2, reach=spread).resolve(network.node_count)
    fit = FitRecord(settings, prior, Convergence(Status.NOTHING_TO_FIT, 0, 0.0))
    embedding = ng.Embedding(network, positions, prior, spread, fit)
    with tempfile.TemporaryDirectory() as folder:
        path = (options.keep or Path(folder, "map.html")).resolve()
        embedding.map(title="A large network").save(path)
        print(f"{network.node_count:,} nodes, {network.link_count:,} links: {path.stat().st_size / 1e6:.1f} MB")
        with sync_playwright() as playwright:
            chromium = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
            page = chromium.new_page(viewport={"width": 1280, "height": 800})
            page.goto(path.as_uri())
            page.wait_for_function("window.netgiven && netgiven.page")
            ready = page.evaluate("performance.now()")
            print(f"{'ready':<24}{ready:>8.0f} ms")
            page.wait_for_timeout(2000)
            if options.picture:
                page.screenshot(path=options.picture)
            for name, time in measure(page, network.node_count).items():
                print(f"{name:<24}{time:>8.0f} ms")
            chromium.close()


if __name__ == "__main__":
    main()
