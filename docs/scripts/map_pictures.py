"""Make the pictures of docs/maps.md: python docs/scripts/map_pictures.py [name ...]

Maps of the demo company, of the synthetic network like StudentDB if NETGIVEN_DATA names the folder with it, and, if
Chromium is installed, screenshots of the pages. The files are the same each time.
"""

import os
import shutil
import sys
import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from PIL import Image

import netgiven as ng
from netgiven.array_file import write_atomically

FOLDER = Path(__file__).parents[1] / "pictures" / "maps"
# as in the paper's case study
PAPER: dict[str, Any] = {"settings": ng.Settings(reach=ng.Spread(1.0, 15.0)), "threads": 1}
FLAGS = ["--headless=new", "--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"]
# where a node is on the screen
SPOT = """([panel, node]) => {
  const box = document.getElementById(`plot-${panel}`).getBoundingClientRect();
  const [left, top] = netgiven.page.panels[panel].place(node);
  return [box.left + left, box.top + top];
}"""


# ---- maps --------------------------------------------------------------------------------------------------------


def company() -> ng.Map:
    """Departments are known: what remains are projects."""
    given = ["density", "degrees", "degrees+blocks:department"]
    return ng.compare_maps(ng.datasets.company(), given, colour="project", title="A company", **PAPER)


def studentdb() -> ng.Map:
    """The paper's figure, on a network with the same types and sizes."""
    network = ng.read(data("studentdb_standin.edges"), nodes=data("studentdb_standin.types"), delimiter="\t")
    typed = replace(network, columns=network.columns.set_axis(["type"], axis=1))
    return ng.compare_maps(
        typed, ["density", "degrees", "group_degrees:type"], colour="type", title="StudentDB", **PAPER
    )


def large(nodes: int = 100_000, links: int = 1_050_000, communities: int = 24) -> ng.Map:
    """Communities of 12 teams, degrees with a long tail: 3 in 5 links stay in a team, 1 in 4 in a community."""
    random = np.random.default_rng(0)
    team, weight = random.integers(0, 12 * communities, nodes), random.pareto(2.2, nodes) + 1
    order = np.argsort(team, kind="stable")
    total = np.concatenate([[0.0], np.cumsum(weight[order])])
    first, uniform = random.choice(nodes, links, p=weight / weight.sum()), random.random(links)
    own = team[first]
    lowest = np.select([uniform < 0.6, uniform < 0.85], [own, own - own % 12], 0)
    highest = np.select([uniform < 0.6, uniform < 0.85], [own, own - own % 12 + 11], team.max())
    begin = total[np.searchsorted(team[order], lowest, side="left")]
    end = total[np.searchsorted(team[order], highest, side="right")]
    second = order[np.searchsorted(total[1:], begin + random.random(links) * (end - begin)).clip(max=nodes - 1)]
    names = {"node": range(nodes), "community": [f"community {number // 12 + 1:02d}" for number in team]}
    network = ng.Network.from_edges(np.column_stack([first, second]), nodes=pd.DataFrame(names))
    return ng.map_network(network, "degrees", title="24 communities", threads=1)


def data(name: str) -> Path:
    """A file of the folder with public networks."""
    return Path(os.environ["NETGIVEN_DATA"], name)


# ---- pictures ----------------------------------------------------------------------------------------------------


def draw(drawn: ng.Map, name: str) -> None:
    """The map as a picture."""
    with tempfile.TemporaryDirectory() as folder:
        drawn.save(Path(folder, "map.png"))
        keep(Path(folder, "map.png"), name, width=1400)


def keep(picture: Path, name: str, width: int) -> None:
    """Store a picture with few colours, as a small file."""
    with Image.open(picture) as image:
        height = round(image.height * width / image.width)
        small = image.convert("RGB").resize((width, height), Image.Resampling.LANCZOS)
        # colours far apart are kept apart, and then moved to where the pixels are
        few = small.quantize(200, method=Image.Quantize.MAXCOVERAGE, kmeans=3, dither=Image.Dither.NONE)
    FOLDER.mkdir(parents=True, exist_ok=True)
    write_atomically(FOLDER / name, lambda target: few.save(target, format="PNG", optimize=True))
    print(f"{name}: {(FOLDER / name).stat().st_size / 1000:.0f} kB")


def photograph(drawn: ng.Map, name: str, act: Callable[[Any], None], **settings: Any) -> None:
    """Screenshot of the page after an action."""
    from playwright.sync_api import sync_playwright

    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        drawn.save(Path(folder, "map.html"))
        chromium = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        page = chromium.new_page(**{"viewport": {"width": 1280, "height": 800}, **settings})
        page.goto(Path(folder, "map.html").as_uri())
        page.wait_for_function("window.netgiven && netgiven.page && netgiven.page.panels[0].figure.inner_width > 0")
        page.wait_for_timeout(1500)
        act(page)
        page.wait_for_timeout(1500)
        page.screenshot(path=Path(folder, "page.png"))
        chromium.close()
        keep(Path(folder, "page.png"), name, width=settings.get("viewport", {"width": 1280})["width"])


def hover(panel: int, node: int) -> Callable[[Any], None]:
    """Move the mouse over a node."""
    return lambda page: page.mouse.move(*page.evaluate(SPOT, [panel, node]))


def click(panel: int, node: int) -> Callable[[Any], None]:
    """Click a node."""
    return lambda page: page.mouse.click(*page.evaluate(SPOT, [panel, node]))


def one() -> ng.Map:
    """The company given degrees alone."""
    return ng.map_network(ng.datasets.company(), "degrees", title="A company", **PAPER)


PICTURES: dict[str, Callable[[], None]] = {
    "company.png": lambda: draw(company(), "company.png"),
    "studentdb.png": lambda: draw(studentdb(), "studentdb.png"),
    "page.png": lambda: photograph(one(), "page.png", hover(0, 5), color_scheme="light"),
    "page_dark.png": lambda: photograph(
        one(), "page_dark.png", click(0, 5), color_scheme="dark", viewport={"width": 1920, "height": 1080}
    ),
    "large.png": lambda: photograph(large(), "large.png", hover(0, 7), color_scheme="light"),
    "compared.png": lambda: photograph(company(), "compared.png", click(2, 7), color_scheme="light"),
}


def possible(name: str) -> bool:
    """Whether the data and programs that a picture needs are available."""
    if name.startswith("studentdb"):
        return "NETGIVEN_DATA" in os.environ
    return name == "company.png" or shutil.which("chromium") is not None


def main() -> None:
    """Make the named pictures, or all."""
    for name in sys.argv[1:] or PICTURES:
        if possible(name):
            PICTURES[name]()
        else:
            print(f"{name}: left out; it needs {'NETGIVEN_DATA' if name.startswith('studentdb') else 'Chromium'}")


if __name__ == "__main__":
    main()
