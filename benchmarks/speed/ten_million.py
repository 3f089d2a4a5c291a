"""Ten million nodes and a hundred million links on one machine, from a file to a saved embedding.

    python benchmarks/speed/ten_million.py [--nodes 10000000] [--links 100000000] [--max-steps 30] [--folder FOLDER]

Links of a network with planted communities are drawn in pieces and written to a text file, which FOLDER keeps;
`netgiven embed FILE` runs in a separate process. Prints its CPU time, its peak memory, and the AUC of links that were
drawn in the same way but not written, beside that of the true probabilities. Exit code 1 if a target is missed.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
from child import netgiven, run_child
from measuring import Target, finish
from pyarrow import csv

import netgiven as ng
from netgiven.datasets import Planted
from netgiven.datasets.generators import EVENNESS, TAIL, _draw
from netgiven.metrics import auc

COMMUNITIES, INSIDE, PIECE, HIDDEN = 20, 0.9, 5_000_000, 100_000
SETTINGS = ("--dimensions", "8", "--reach", "2", "--shrinkage", "0")
GIGABYTES = 16


def draw_nodes(nodes: int, links: int, random: np.random.Generator) -> Planted:
    """Communities and activities, as `netgiven.datasets.planted` draws them; the network is only a placeholder."""
    sizes = 1 / (np.arange(COMMUNITIES) + EVENNESS)
    community = random.choice(COMMUNITIES, nodes, p=sizes / sizes.sum())
    activity = 1 + random.pareto(TAIL, nodes)
    return Planted(ng.Network.from_edges([(0, 1)]), community, activity, links, INSIDE)


def write_links(drawn: Planted, file: Path, random: np.random.Generator) -> None:
    """Draw links in pieces and write two node numbers per line; those drawn twice are merged by the reader."""
    schema = pa.schema([("u", pa.int64()), ("v", pa.int64())])
    options = csv.WriteOptions(include_header=False)
    with csv.CSVWriter(file, schema, write_options=options) as writer:
        for begin in range(0, int(drawn.expected_links), PIECE):
            ends = _draw(random, min(PIECE, int(drawn.expected_links) - begin), drawn.community, drawn.activity, INSIDE)
            writer.write_table(pa.table({"u": ends[:, 0], "v": ends[:, 1]}))


def quality(path: Path, drawn: Planted, random: np.random.Generator) -> Target:
    """AUC of links that were not written against uniform pairs, beside that of the true probabilities."""
    embedding = ng.load(path)
    links = _draw(random, HIDDEN, drawn.community, drawn.activity, INSIDE)
    pairs = np.concatenate([links, random.integers(len(drawn.community), size=links.shape)])
    place = embedding.nodes.get_indexer(pairs.ravel()).reshape(pairs.shape)
    there = (place >= 0).all(axis=1) & (pairs[:, 0] != pairs[:, 1])
    truth = (np.arange(len(pairs)) < len(links))[there]
    ours = auc(truth, embedding.log_odds_of(*place[there].T))
    best = auc(truth, drawn.probability(*pairs[there].T))
    note = f"AUC {ours:.4f}, of the true probabilities {best:.4f}; {embedding}"
    return Target("AUC below the true probabilities'", best - ours, 0.02, note=note)


def main() -> None:
    """Draw, embed, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nodes", type=int, default=10_000_000)
    parser.add_argument("--links", type=int, default=100_000_000)
    parser.add_argument("--max-steps", type=int, default=30)
    parser.add_argument("--folder", type=Path, default=Path("ten_million"))
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    random = np.random.default_rng(0)
    drawn = draw_nodes(options.nodes, options.links, random)
    file, out = options.folder / "links.csv", options.folder / "links.ng"
    write_links(drawn, file, random)
    begin = time.perf_counter()
    limits = "--max-steps", str(options.max_steps), "--memory-limit", str(GIGABYTES)
    cost = run_child(netgiven("embed", str(file), "--out", str(out), *SETTINGS, *limits))
    wall = time.perf_counter() - begin
    note = f"{cost.seconds:.0f} CPU s, {wall:.0f} s on the wall, file of {file.stat().st_size / 1e9:.2f} GB"
    finish([Target("peak GB", cost.peak / 1e9, GIGABYTES, note=note), quality(out, drawn, random)])


if __name__ == "__main__":
    main()
