"""The paper's link prediction, from the command line alone: half of the links hidden, AUC on the hidden half.

    python benchmarks/quality/facebook_half.py [--network facebook] [--splits 3] [--data FOLDER]

For each split: shuffle the links, hide half of them without raising the number of components, draw as many non-links;
run `netgiven embed` with the paper's settings and `netgiven predict` as programs. Prints the AUC of each split and
their mean beside the paper's; exit code 1 if the mean on Facebook is below .990. `--network` takes the paper's others.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd
from sklearn.metrics import roc_auc_score

Pairs = npt.NDArray[np.int64]


class Case(NamedTuple):
    """A network of the paper: its file, number of nodes, dimensions, and the AUC in the paper's row "CNE (degree)"."""

    file: str
    nodes: int
    dimensions: int
    paper: float


CASES = {
    "facebook": Case("facebook.edges.gz", 4_039, 8, 0.9909),
    "ppi": Case("ppi.edges.gz", 3_890, 8, 0.9115),
    "arxiv": Case("arxiv_astroph.edges.gz", 18_772, 16, 0.9882),
    "blogcatalog": Case("blogcatalog.edges.gz", 10_312, 8, 0.9636),
    "wikipedia": Case("wikipedia.edges.gz", 4_777, 8, 0.9158),
}
TARGET = 0.990  # on Facebook
PAPER = {"given": "degrees", "s2": "2", "density": "gaussian", "method": "paper", "samples": "50", "seed": "0"}


# ---- the split -------------------------------------------------------------------------------------------------------


def spanning_forest(links: Pairs, nodes: int) -> npt.NDArray[np.bool_]:
    """Which links join two components when they are added one by one."""
    parent = list(range(nodes))

    def root(node: int) -> int:
        while parent[node] != node:
            parent[node] = parent[parent[node]]
            node = parent[node]
        return node

    joins = np.zeros(len(links), dtype=bool)
    for place, (first, second) in enumerate(links.tolist()):
        here, there = root(first), root(second)
        joins[place] = here != there
        parent[here] = there
    return joins


def hide_half(links: Pairs, nodes: int, random: np.random.Generator) -> tuple[Pairs, Pairs]:
    """Links that stay and links that are hidden: in shuffled order, unless that raises the number of components.

    A link is kept for that reason just if the links after it do not join its ends already. So those kept are a spanning
    forest built from the last link to the first.
    """
    shuffled = random.permutation(links)
    needed = spanning_forest(shuffled[::-1], nodes)[::-1]
    hidden = np.flatnonzero(~needed)[: len(links) // 2]
    stays = np.ones(len(links), dtype=bool)
    stays[hidden] = False
    return shuffled[stays], shuffled[hidden]


def draw_non_links(links: Pairs, nodes: int, count: int, random: np.random.Generator) -> Pairs:
    """Distinct uniform pairs that are no link of the full network."""
    linked = np.unique(links.min(axis=1) * nodes + links.max(axis=1))
    drawn = random.integers(nodes, size=(3 * count, 2))
    drawn = drawn[drawn[:, 0] != drawn[:, 1]]
    codes = pd.unique(drawn.min(axis=1) * nodes + drawn.max(axis=1))
    codes = codes[~np.isin(codes, linked)][:count]
    assert len(codes) == count, "the network has too few pairs without a link"
    return np.column_stack([codes // nodes, codes % nodes])


# ---- the programs ----------------------------------------------------------------------------------------------------


def run_netgiven(command: str, file: str, **options: str) -> None:
    """Run the program; its words are shown if it fails."""
    told = [word for name, value in options.items() for word in (f"--{name}", value)]
    line = [sys.executable, "-m", "netgiven.cli.main", command, file, *told]
    done = subprocess.run(line, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(line)} failed:\n{done.stderr}")


def write_rows(path: Path, rows: npt.NDArray[np.int64]) -> str:
    """Tab-separated lines without a header."""
    np.savetxt(path, rows, fmt="%d", delimiter="\t")
    return str(path)


def score(train: Pairs, pairs: Pairs, case: Case, folder: Path) -> npt.NDArray[np.float64]:
    """What the program, trained on `train`, says of `pairs`."""
    edges, asked = write_rows(folder / "train.edges", train), write_rows(folder / "pairs.tsv", pairs)
    (folder / "nodes.tsv").write_text("node\n" + "\n".join(map(str, range(case.nodes))) + "\n")
    nodes, model, scores = (str(folder / name) for name in ("nodes.tsv", "x.ng", "scores.tsv"))
    run_netgiven("embed", edges, **PAPER, nodes=nodes, dimensions=str(case.dimensions), out=model)
    run_netgiven("predict", model, pairs=asked, out=scores)
    return np.loadtxt(scores, delimiter="\t", usecols=2)


def split_auc(links: Pairs, case: Case, seed: int) -> float:
    """AUC of one split."""
    random = np.random.default_rng(seed)
    train, hidden = hide_half(links, case.nodes, random)
    others = draw_non_links(links, case.nodes, len(hidden), random)
    with tempfile.TemporaryDirectory() as folder:
        scores = score(train, np.concatenate([hidden, others]), case, Path(folder))
    return float(roc_auc_score(np.repeat([1, 0], [len(hidden), len(others)]), scores))


# ---- the command -----------------------------------------------------------------------------------------------------


def read_links(folder: Path | None, file: str) -> Pairs:
    """The links of a public network; says what to do where it is missing."""
    if folder is None or not (folder / file).exists():
        sys.exit(f"Where is {file}? Set NETGIVEN_DATA to the folder of the public networks, or give --data FOLDER.")
    return np.loadtxt(folder / file, dtype=np.int64)


def main() -> None:
    """Parse, split, score, print."""
    data = os.environ.get("NETGIVEN_DATA")
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--network", choices=CASES, default="facebook")
    parser.add_argument("--splits", type=int, default=3)
    parser.add_argument("--data", type=Path, default=data and Path(data), help="folder of the public networks")
    options = parser.parse_args()
    case = CASES[options.network]
    links = read_links(options.data, case.file)
    scores = []
    for seed in range(options.splits):
        scores.append(split_auc(links, case, seed))
        print(f"{options.network}, split {seed}: AUC {scores[-1]:.4f}", flush=True)
    print(f"{options.network}, mean of {options.splits}: AUC {np.mean(scores):.4f}   paper {case.paper:.4f}")
    sys.exit(int(options.network == "facebook" and np.mean(scores) < TARGET))


if __name__ == "__main__":
    main()
