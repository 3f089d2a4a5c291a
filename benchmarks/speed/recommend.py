"""Cost of recommendations for all users of a two-mode network, and of looking for two sides in a network.

    python benchmarks/speed/recommend.py [--users 100000] [--items 1700] [--links 2000000] [--data FOLDER]

Items are drawn by popularity (a power law), users uniformly. The embedding has 16 dimensions and 10 steps, as the cost
does not depend on how good it is. With `--data`, or NETGIVEN_DATA, the search for two sides is timed on public
networks.
"""

from __future__ import annotations

import argparse
import os
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd

import netgiven as ng
from netgiven.io.read import object_links
from netgiven.network import with_suggestion

GIVEN, TOP = "degrees+blocks:side", 10
REPETITIONS = 3


def draw_views(users: int, items: int, links: int) -> pd.DataFrame:
    """Distinct pairs of a user and an item."""
    random = np.random.default_rng(0)
    popularity = 1 / np.arange(1, items + 1)
    item = random.choice(items, links, p=popularity / popularity.sum())
    return pd.DataFrame({"user": random.integers(users, size=links), "item": item}).drop_duplicates()


def recommend_to_all(users: int, items: int, links: int) -> None:
    """Print the CPU time of ten recommendations for each user."""
    network = ng.read(draw_views(users, items, links))
    embedding = ng.embed(network, GIVEN, dimensions=16, reach=2, shrinkage=0, max_steps=10)
    begin = time.process_time()
    found = embedding.recommend({"side": "user"}, count=TOP, among={"side": "item"})
    seconds = time.process_time() - begin
    print(f"{network}: {len(found):,} recommendations in {seconds:.1f} CPU s")


def look_for_sides(path: Path) -> None:
    """Print the CPU time of looking for two sides, the least of some repetitions."""
    read = ng.read(path)
    network = replace(read, columns=pd.DataFrame(index=pd.RangeIndex(read.node_count)))
    links, seconds = object_links(network), []
    for _ in range(REPETITIONS):
        begin = time.process_time()
        found = with_suggestion(network, links)
        seconds.append(time.process_time() - begin)
    sides = "two sides" if "side" in found.columns else "no sides"
    print(f"{path.name}: {network.link_count:,} links, {sides}, {min(seconds):.4f} CPU s")


def main() -> None:
    """Measure both."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, default in (("users", 100_000), ("items", 1_700), ("links", 2_000_000)):
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument("--data", type=Path, default=os.environ.get("NETGIVEN_DATA"))
    chosen = parser.parse_args()
    recommend_to_all(chosen.users, chosen.items, chosen.links)
    for path in sorted(Path(chosen.data).rglob("*.edges.gz")) if chosen.data else []:
        look_for_sides(path)


if __name__ == "__main__":
    main()
