"""AUC over the number of questions, for each strategy of active learning.

    python benchmarks/analysis/active_learning.py [--networks student,company,ppi] [--runs 10] [--out docs/pictures]
                                                  [--data FOLDER]

A few random pairs are observed at the beginning. A quarter of the others are test pairs, which are never asked for (at
most 300,000), the rest is the pool (at most 2,000,000). In each round the pairs that a strategy selects are looked up,
the network is embedded again (4 dimensions, reach 2, shrinkage 0.5, given degrees), and the AUC on the test pairs is
measured. Prints the mean gain of each strategy over random selection, with the standard error over runs (all strategies
have the same observed and test pairs), and the share of questions that found a link, and draws the curves. Exit code 1
if the gain of an informed strategy is below two standard errors.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any, NamedTuple, get_args

import numpy as np

import netgiven as ng
from netgiven.analysis.active_learning import Strategy
from netgiven.maps.canvas import PRINT_COLOURS, make_figure, write_figure
from netgiven.metrics import auc

sys.path.insert(0, str(Path(__file__).parents[1] / "speed"))
from measuring import Target, add_data_option, data_file, finish

SETTINGS: dict[str, Any] = {"dimensions": 4, "reach": 2.0, "shrinkage": 0.5}
STRATEGIES = get_args(Strategy)
TEST, ROUNDS, MOST_TEST, MOST_POOL = 0.25, 3, 300_000, 2_000_000
OBSERVED = {"student": 0.05, "company": 0.1, "ppi": 0.05}  # share of pairs at the beginning
ASKED = {"student": 4_000, "company": 1_000, "ppi": 8_000}  # pairs per round
Numbers = Any


class Curve(NamedTuple):
    """AUC before the first round and after each, and the share of questions that found a link."""

    auc: list[float]
    found: float


def curve(name: str, network: ng.Network, strategy: str, seed: int) -> Curve:
    """One run of a strategy."""
    random = np.random.default_rng(seed)
    pairs = random.permutation(np.column_stack(np.triu_indices(network.node_count, 1)))
    linked = network.are_linked(*pairs.T)
    begin = int(OBSERVED[name] * len(pairs))
    end = begin + int(TEST * (len(pairs) - begin))
    observed, test, pool = np.arange(begin), np.arange(begin, end)[:MOST_TEST], np.arange(end, len(pairs))[:MOST_POOL]
    scores = []
    for step in range(ROUNDS + 1):
        embedding = embed(network.node_count, pairs[observed], linked[observed])
        scores.append(auc(linked[test], embedding.log_odds_of(*pairs[test].T)))
        if step < ROUNDS:
            asked = is_asked(embedding, pairs[pool], strategy, ASKED[name], seed)
            observed, pool = np.concatenate([observed, pool[asked]]), pool[~asked]
    return Curve(scores, float(linked[observed[begin:]].mean()))


def embed(count: int, pairs: Numbers, linked: Numbers) -> ng.Embedding:
    """An embedding of the observed pairs."""
    network = ng.Network.from_edges(pairs[linked], nodes=list(range(count)))
    return ng.embed(network.with_observed(pairs[~linked]), "degrees", **SETTINGS)


def is_asked(embedding: ng.Embedding, pool: Numbers, strategy: str, count: int, seed: int) -> Numbers:
    """Which pairs of the pool are asked for."""
    chosen = embedding.ask(pool, strategy, count, seed)  # type: ignore[arg-type]
    ends = np.sort(chosen[["u", "v"]].to_numpy(dtype=np.int64), axis=1)
    return np.isin(pool @ [len(embedding), 1], ends @ [len(embedding), 1])


def measure(name: str, network: ng.Network, options: argparse.Namespace) -> list[Target]:
    """Draw the curves of all strategies, and compare them with random selection."""
    curves = {}
    for strategy in STRATEGIES:
        runs = [curve(name, network, strategy, seed) for seed in range(options.runs)]
        curves[strategy] = np.array([run.auc for run in runs])
        found = np.mean([run.found for run in runs])
        shown = np.round(curves[strategy].mean(axis=0), 4).tolist()
        print(f"{name}, {strategy}: {shown}, {found:.1%} of the questions found a link", flush=True)
    if options.out:
        draw(name, curves, options.out / f"asking_{name}.png")
    targets = []
    for strategy in (some for some in STRATEGIES if some != "random"):
        above = (curves[strategy] - curves["random"])[:, 1:].mean(axis=1)
        error = above.std(ddof=1) / np.sqrt(len(above))
        note = f"AUC above random {above.mean():+.4f} +- {error:.4f} in the mean over {ROUNDS} rounds"
        targets.append(Target(f"{name}, {strategy}: above random, in errors", above.mean() / error, 2.0, True, note))
    return targets


def read(name: str, folder: Path | None) -> ng.Network:
    """A network whose nodes are named by their numbers."""
    files = {"student": "studentdb_standin.edges", "ppi": "ppi.edges.gz"}
    source = ng.read(data_file(folder, files[name])) if name in files else ng.datasets.company(people=200)
    return ng.Network.from_edges(source.links(), nodes=list(range(source.node_count)))


def draw(name: str, curves: dict[str, Any], path: Path) -> None:
    """AUC over rounds, in the mean. Without errors: runs differ more than strategies within a run."""
    figure = make_figure(6.5, 4)
    panel = figure.subplots()
    asked = ASKED[name] * np.arange(ROUNDS + 1)
    for (strategy, values), colour in zip(curves.items(), PRINT_COLOURS, strict=False):
        panel.plot(asked, values.mean(axis=0), color=colour, label=strategy)
    panel.set(xlabel="questions", ylabel="AUC on pairs that are never asked for", title=name)
    panel.legend(frameon=False)
    panel.spines[["top", "right"]].set_visible(False)
    write_figure(figure, path)


def main() -> None:
    """Measure all networks."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--networks", type=lambda text: text.split(","), default=["student", "company", "ppi"])
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--out", type=Path, help="folder for pictures")
    add_data_option(parser)
    options = parser.parse_args()
    targets = []
    for name in options.networks:
        targets += measure(name, read(name, options.data), options)
    finish(targets)


if __name__ == "__main__":
    main()
