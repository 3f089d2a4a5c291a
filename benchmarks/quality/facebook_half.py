"""The paper's link prediction, by the command line: half of the links hidden, AUC on the hidden half.

    python benchmarks/quality/facebook_half.py [--network facebook] [--splits 3] [--data FOLDER]

For each split: shuffle the links, hide half of them without raising the number of components, draw the same number of
non-links; run `netgiven embed` with the paper's settings and `netgiven predict` as programs. Prints the AUC of each
split and their mean beside the paper's, and the other measures of `netgiven evaluate links`; exit code 1 if the mean
AUC on Facebook is below .990. `--network` takes the paper's others.
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

import netgiven as ng
from netgiven.evaluation.harness import calibration_error, link_measures
from netgiven.evaluation.top_list import embedding_scorer
from netgiven.splits import LinkSplit, hide_links

Pairs = npt.NDArray[np.integer]


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
PAPER = {"given": "degrees", "preset": "paper", "seed": "0"}


# ---- the programs ----------------------------------------------------------------------------------------------------


def run_netgiven(command: str, file: str, **options: str) -> None:
    """Run the program; its output is shown if it fails."""
    arguments = [word for name, value in options.items() for word in (f"--{name}", value)]
    line = [sys.executable, "-m", "netgiven.cli.main", command, file, *arguments]
    done = subprocess.run(line, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(line)} failed:\n{done.stderr}")


def write_rows(path: Path, rows: Pairs) -> str:
    """Tab-separated lines without a header."""
    np.savetxt(path, rows, fmt="%d", delimiter="\t")
    return str(path)


def score(train: Pairs, pairs: Pairs, case: Case, folder: Path) -> npt.NDArray[np.float64]:
    """Scores of `pairs` by the program, trained on `train`."""
    edges, asked = write_rows(folder / "train.edges", train), write_rows(folder / "pairs.tsv", pairs)
    (folder / "nodes.tsv").write_text("node\n" + "\n".join(map(str, range(case.nodes))) + "\n")
    nodes, model, scores = (str(folder / name) for name in ("nodes.tsv", "x.ng", "scores.tsv"))
    run_netgiven("embed", edges, **PAPER, nodes=nodes, dimensions=str(case.dimensions), out=model)
    run_netgiven("predict", model, pairs=asked, out=scores)
    return np.loadtxt(scores, delimiter="\t", usecols=2)


def grade(split: LinkSplit, case: Case) -> dict[str, float]:
    """Measures of one split."""
    with tempfile.TemporaryDirectory() as folder:
        scores = score(split.train.links(), split.pairs, case, Path(folder))
        scorer = embedding_scorer(ng.load(Path(folder) / "x.ng"))
    return link_measures(split, scores, scorer) | calibration_error(split, scorer.score(split.pairs))


# ---- the command -----------------------------------------------------------------------------------------------------


def read_network(folder: Path | None, case: Case) -> ng.Network:
    """A public network with all its nodes; the error says what to do if it is missing."""
    if folder is None or not (folder / case.file).exists():
        sys.exit(f"Where is {case.file}? Set NETGIVEN_DATA to the folder of public networks, or give --data FOLDER.")
    return ng.read(folder / case.file, nodes={"node": range(case.nodes)})


def main() -> None:
    """Parse, split, score, print."""
    data = os.environ.get("NETGIVEN_DATA")
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--network", choices=CASES, default="facebook")
    parser.add_argument("--splits", type=int, default=3)
    parser.add_argument("--data", type=Path, default=data and Path(data), help="folder of the public networks")
    options = parser.parse_args()
    case = CASES[options.network]
    network = read_network(options.data, case)
    grades = []
    for seed in range(options.splits):
        grades.append(grade(hide_links(network, seed=seed), case))
        print(f"{options.network}, split {seed}: AUC {grades[-1]['AUC']:.4f}", flush=True)
    means = {name: float(np.mean([one[name] for one in grades])) for name in grades[0]}
    mean = means.pop("AUC")
    print(f"{options.network}, mean of {options.splits}: AUC {mean:.4f}   paper {case.paper:.4f}")
    print(", ".join(f"{name} {value:.4f}" for name, value in means.items()))
    sys.exit(int(options.network == "facebook" and mean < TARGET))


if __name__ == "__main__":
    main()
