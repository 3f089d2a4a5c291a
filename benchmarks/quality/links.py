"""Link prediction on five public networks, half of the links hidden: the whole list, its top, probabilities, and cost.

    python benchmarks/quality/links.py [--networks facebook,ppi] [--splits 10] [--split random] [--only netgiven,stack]
                                       [--out FOLDER] [--again] [--data FOLDER]

All methods see the same splits: netgiven with its defaults given degrees, the degree prior alone, scores of
neighbourhoods and of walks, a regression on a truncated SVD of the degree-normalised adjacency (NetMF, window 1), and a
stack: gradient boosting on the scores of all heuristics and of the SVD, trained on links that are hidden from the
training network once more. Measures are those of `netgiven evaluate links`, see docs/evaluation.md.

Each network, split and method is one file in `--out`; what has a file is not run again, unless `--again` is given.
Prints means and standard deviations over the splits; exit code 1 if the AUC of netgiven is below its goal, which is for
the paper's split.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import svds
from sklearn.ensemble import HistGradientBoostingClassifier

import netgiven as ng
from netgiven.array_file import make_folder, write_atomically
from netgiven.datasets import public
from netgiven.evaluation.harness import CALIBRATION, LINK_MEASURES, grade_links
from netgiven.evaluation.methods import (
    HEURISTIC_ROWS,
    HEURISTICS,
    ConditionalEmbedding,
    Heuristic,
    LinkMethod,
    LinkRegression,
    PriorAlone,
    ScoresByFit,
)
from netgiven.evaluation.top_list import Rows, Scorer, top_of_rows
from netgiven.splits import LinkSplit, hide_links
from netgiven.types import BoolArray, Float32Array, Float64Array, Int64Array

TODAY = {"facebook": 0.9951, "ppi": 0.9226, "arxiv_astroph": 0.9898, "blogcatalog": 0.9690, "wikipedia": 0.9248}
GOALS = {"facebook": 0.996, "ppi": 0.925, "arxiv_astroph": 0.992, "blogcatalog": 0.971, "wikipedia": 0.928}
COLUMNS = (*LINK_MEASURES, CALIBRATION, "CPU s")
DIMENSIONS = 128  # of the SVD
HIDDEN_AGAIN = 0.2  # share of the training links that the stack learns from
SHORT_LIST = 0.02  # share of pairs, by any one feature, that the stack looks at for the top of its list


# ---- a truncated SVD -------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class TruncatedSVD:
    """Singular vectors of log(2 m A_ij / (k_i k_j)) where there is a link and it is positive: NetMF with window 1."""

    name: str = "truncated SVD (NetMF, window 1)"

    def vectors(self, network: ng.Network, seed: int) -> Float32Array:
        """Left singular vectors, times the roots of the singular values."""
        u, values, _ = self.factors(network, seed)
        return np.asarray(u * np.sqrt(values), dtype=np.float32)

    def factors(self, network: ng.Network, seed: int) -> tuple[Float64Array, Float64Array, Float64Array]:
        """The truncated SVD."""
        matrix = sparse.coo_array(network.to_scipy().astype(np.float64))
        degrees = network.degrees.astype(np.float64)
        row, column = matrix.coords
        strength = np.log(np.maximum(degrees.sum() / (degrees[row] * degrees[column]), 1.0))
        start = np.random.default_rng(seed).normal(size=network.node_count)
        logs = sparse.csr_array((strength, (row, column)), shape=matrix.shape)
        u, values, v = svds(logs, k=min(DIMENSIONS, network.node_count - 2), v0=start)
        return u, values.astype(np.float64), v.T


# ---- the stack -------------------------------------------------------------------------------------------------------


class Features:
    """Logarithms of all heuristic scores, the SVD's estimate, and the smaller and the larger degree of a pair."""

    def __init__(self, network: ng.Network, seed: int) -> None:
        self.network, self.degrees = network, np.log1p(network.degrees.astype(np.float64))
        u, values, v = TruncatedSVD().factors(network, seed)
        self.left, self.right = u * values, v
        self.rows_of: list[Rows] = [make(network) for make in HEURISTIC_ROWS.values()]

    def of(self, pairs: Int64Array) -> Float64Array:
        """Features of pairs, one row each."""
        first, second = pairs.T
        scores = [_log(score(self.network, pairs)) for score in HEURISTICS.values()]
        estimate = np.einsum("ij,ij->i", self.left[first], self.right[second])
        return np.column_stack([*scores, estimate, *self._degrees(first, second)])

    def rows(self, nodes: Int64Array) -> list[Float64Array]:
        """Each feature of some nodes with all nodes."""
        estimate = self.left[nodes] @ self.right.T
        everyone = np.arange(self.network.node_count)
        return [*(_log(rows(nodes)) for rows in self.rows_of), estimate, *self._degrees(nodes[:, None], everyone)]

    def _degrees(self, first: Int64Array, second: Int64Array) -> tuple[Float64Array, Float64Array]:
        one, other = self.degrees[first], self.degrees[second]
        return np.minimum(one, other), np.maximum(one, other)


def _log(scores: Float64Array) -> Float64Array:
    """Logarithms of scores that may be 0; single precision, so that both ways to compute a score agree."""
    return np.log(scores + 1e-9).astype(np.float32).astype(np.float64)


@dataclass(frozen=True)
class Stack(ScoresByFit):
    """Gradient boosting on features of pairs, learned from training links that are hidden once more."""

    split: str
    name: str = "stack"

    def fit(self, train: ng.Network, seed: int) -> Scorer:
        """Learn how much each feature says."""
        again = hide_links(train, HIDDEN_AGAIN, seed + 1, split=self.split)
        model = HistGradientBoostingClassifier(max_iter=200, learning_rate=0.05, random_state=seed)
        model.fit(Features(again.train, seed).of(again.pairs), again.truth)
        features = Features(train, seed)
        return Scorer(
            lambda pairs: np.asarray(model.decision_function(features.of(pairs))),
            partial(top_of_rows, partial(_short_listed, model, features)),
        )


def _short_listed(model: HistGradientBoostingClassifier, features: Features, nodes: Int64Array) -> Float64Array:
    """Scores of pairs that are near the top by any feature; all others are ruled out, since boosting is slow."""
    columns = features.rows(nodes)
    some = np.logical_or.reduce([_near_the_top(column) for column in columns[:-2]])
    scores = np.full(some.shape, -np.inf)
    scores[some] = model.decision_function(np.column_stack([column[some] for column in columns]))
    return scores


def _near_the_top(scores: Float64Array) -> BoolArray:
    return np.asarray(scores > np.quantile(scores, 1 - SHORT_LIST))


# ---- what is run -----------------------------------------------------------------------------------------------------


def make_methods(split: str) -> dict[str, LinkMethod]:
    """All methods by name; the stack hides links as the split does."""
    walks = ("Adamic-Adar", "resource allocation", "four-step walk", "personalised PageRank")
    return {
        "netgiven": ConditionalEmbedding(ng.degrees()),
        "netgiven, repelling=0": ConditionalEmbedding(ng.degrees(), ng.Settings(repelling=0)),
        "degree prior alone": PriorAlone(ng.degrees()),
        **{name: Heuristic(name) for name in walks},
        TruncatedSVD.name: LinkRegression(TruncatedSVD()),
        Stack.name: Stack(split),
    }


def measured(path: Path, again: bool, measure: Callable[[], dict[str, float]]) -> dict[str, float]:
    """The content of a file of measures, which is made first if it is not there."""
    if again or not path.exists():
        text = json.dumps({"version": ng.__version__, "measures": measure()}, indent=1, allow_nan=False) + "\n"
        write_atomically(path, partial(_write, text))
    return dict(json.loads(path.read_text(encoding="utf-8"))["measures"])


def _write(text: str, target: Path) -> None:
    target.write_text(text, encoding="utf-8")


def path_of(folder: Path, network: str, split: str, method: str, seed: int) -> Path:
    """The file of one method on one split."""
    name = re.sub(r"[^a-z0-9]+", "-", method.lower()).strip("-")
    return folder / f"{network}.{split}.{name}.{seed}.json"


def run_network(name: str, methods: dict[str, LinkMethod], options: argparse.Namespace) -> dict[str, Float64Array]:
    """For each method one row per split, with the columns in order."""
    network = public.load(name, options.data)
    table: dict[str, list[list[float]]] = {method: [] for method in methods}
    for seed in range(options.splits):
        split = hide_links(network, 0.5, seed, split=options.split)
        for label, method in methods.items():
            path = path_of(options.out, name, options.split, label, seed)
            found = measured(path, options.again, partial(_grade, method, split, seed))
            table[label].append([found.get(column, np.nan) for column in COLUMNS])
            print(f"{name}, split {seed}, {label}: AUC {found['AUC']:.4f}", file=sys.stderr, flush=True)
    return {label: np.array(rows) for label, rows in table.items()}


def _grade(method: LinkMethod, split: LinkSplit, seed: int) -> dict[str, float]:
    return grade_links(method, split, seed)


# ---- the tables ------------------------------------------------------------------------------------------------------


def print_network(name: str, table: dict[str, Float64Array], split: str) -> None:
    """One line per method: mean and, below several splits, standard deviation of each measure."""
    goal = f": AUC today {TODAY[name]:.4f}, goal {GOALS[name]:.3f}" if split == "paper" else ""
    print(f"\n{name}, split {split}, splits: {len(next(iter(table.values())))}{goal}\n")
    print(f"| method | {' | '.join(COLUMNS)} |\n|---|{'---|' * len(COLUMNS)}")
    for label, rows in table.items():
        print(f"| {label} | {' | '.join(_cell(values) for values in rows.T)} |")


def _cell(values: Float64Array) -> str:
    """Mean ± standard deviation; empty where the method has no such measure."""
    if np.isnan(values).any():
        return ""
    spread = f" ± {values.std(ddof=1):.4f}" if len(values) > 1 else ""
    return f"{values.mean():.4f}{spread}"


def is_short(name: str, table: dict[str, Float64Array], split: str) -> bool:
    """Whether netgiven is below its goal."""
    return split == "paper" and "netgiven" in table and float(table["netgiven"][:, 0].mean()) < GOALS[name]


def read_options() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--networks", default=",".join(GOALS))
    parser.add_argument("--splits", type=int, default=10)
    parser.add_argument("--split", choices=("paper", "random"), default="paper")
    parser.add_argument("--only", default="", help="words in the names of methods, separated by commas")
    parser.add_argument("--out", type=Path, default=Path("link_quality"), help="folder of results")
    parser.add_argument("--again", action="store_true", help="repeat what has a result")
    parser.add_argument("--data", type=Path, default=os.environ.get("NETGIVEN_DATA"))
    options = parser.parse_args()
    if options.data is None:
        sys.exit("Give the folder of the networks by --data, or by the variable NETGIVEN_DATA.")
    unknown = set(options.networks.split(",")) - set(GOALS)
    if unknown:
        sys.exit(f"There is no network {', '.join(sorted(unknown))}; there are {', '.join(GOALS)}.")
    return options


def main() -> None:
    """Run what is missing and print a table per network."""
    options = read_options()
    make_folder(options.out)
    words = options.only.split(",")
    methods = {label: one for label, one in make_methods(options.split).items() if any(word in label for word in words)}
    if not methods:
        sys.exit(f"No method has {options.only} in its name; there are {', '.join(make_methods(options.split))}.")
    short = []
    for name in options.networks.split(","):
        table = run_network(name, methods, options)
        print_network(name, table, options.split)
        short.append(is_short(name, table, options.split))
    sys.exit(int(any(short)))


if __name__ == "__main__":
    main()
