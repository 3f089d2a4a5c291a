"""Does it pay to choose what to ask? AUC over the number of questions, for each strategy.

    python benchmarks/answers/asking.py [--networks company,ppi] [--runs 10] [--out docs/pictures] [--data FOLDER]

All pairs among some nodes, drawn by chance, are unknown; a quarter of them is never asked for and tells how good
predictions are, the others are the pool. Round by round the pairs that a strategy wants are looked up, the network is
embedded anew (4 dimensions, reach 2, given degrees), and the AUC on the test pairs is taken. Prints by how much each
strategy is above random in the mean over all rounds, with the standard error over runs (the same nodes and test pairs
for all strategies), and draws the curves. Exit code 1 if none of the informed strategies is beyond the noise.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any, get_args

import numpy as np

import netgiven as ng
from netgiven.answers.asking import Strategy
from netgiven.maps.canvas import COLOURS, make_figure, write_figure
from netgiven.metrics import auc

sys.path.insert(0, str(Path(__file__).parents[1] / "speed"))
from measuring import Target, add_data_option, data_file, finish

SETTINGS: dict[str, Any] = {"dimensions": 4, "spread": ng.Spread.from_reach(2.0), "shrinkage": 0.5}
STRATEGIES = get_args(Strategy)
SOME = {"company": 100, "ppi": 300}  # nodes whose pairs are unknown
ROUNDS, TEST, POOL_SHARE = 8, 0.25, 0.5  # in all rounds together, so much of the pool is asked for


def curve(network: ng.Network, some: int, strategy: str, seed: int) -> list[float]:
    """AUC on the test pairs before the first round and after each."""
    random = np.random.default_rng(seed)
    nodes = np.sort(random.choice(network.node_count, some, replace=False))
    pairs = random.permutation(np.array([(u, v) for place, u in enumerate(nodes) for v in nodes[:place]]))
    linked = network.are_linked(*pairs.T)
    test, pool = np.arange(int(TEST * len(pairs))), np.arange(int(TEST * len(pairs)), len(pairs))
    told = []
    for step in range(ROUNDS + 1):
        embedding = embed(network, pairs, linked, np.concatenate([test, pool]))
        told.append(auc(linked[test], embedding.log_odds_of(*pairs[test].T)))
        if step < ROUNDS:
            asked = question(embedding, pairs[pool], strategy, int(POOL_SHARE * (1 - TEST) * len(pairs) / ROUNDS), seed)
            pool = pool[~np.isin(pairs[pool] @ [network.node_count, 1], asked)]
    return told


def embed(network: ng.Network, pairs: Any, linked: Any, unknown: Any) -> ng.Embedding:
    """An embedding of what is known: links among the unknown pairs are not."""
    links = network.links()
    gone = np.sort(pairs[unknown][linked[unknown]], axis=1) @ [network.node_count, 1]
    kept = links[~np.isin(links.astype(np.int64) @ [network.node_count, 1], gone)]
    known = ng.Network.from_edges(kept, nodes=list(range(network.node_count)))
    return ng.embed(known.with_unknown(pairs[unknown]), "degrees", **SETTINGS)


def question(embedding: ng.Embedding, pool: Any, strategy: str, count: int, seed: int) -> Any:
    """What is asked for, as keys of pairs."""
    chosen = embedding.ask(pool, strategy, count, seed)  # type: ignore[arg-type]
    return chosen[["u", "v"]].to_numpy(dtype=np.int64) @ [len(embedding), 1]


def measure(name: str, network: ng.Network, options: argparse.Namespace) -> list[Target]:
    """The curves of all strategies, drawn, and how far they are above random."""
    curves = {}
    for strategy in STRATEGIES:
        curves[strategy] = np.array([curve(network, SOME[name], strategy, seed) for seed in range(options.runs)])
        print(f"{name}, {strategy}: {np.round(curves[strategy].mean(axis=0), 4).tolist()}", flush=True)
    if options.out:
        draw(name, curves, options.out / f"asking_{name}.png")
    targets = []
    for strategy in (some for some in STRATEGIES if some != "random"):
        above = (curves[strategy] - curves["random"])[:, 1:].mean(axis=1)
        error = above.std(ddof=1) / np.sqrt(len(above))
        note = f"AUC above random {above.mean():+.4f} +- {error:.4f} in the mean over {ROUNDS} rounds"
        targets.append(Target(f"{name}, {strategy}: above random, in errors", above.mean() / error, 2.0, True, note))
    return targets


def company() -> ng.Network:
    """The small network."""
    return ng.datasets.company(people=200)


def draw(name: str, curves: dict[str, Any], path: Path) -> None:
    """AUC over rounds, in the mean. Runs differ more than strategies within a run: errors are told of differences."""
    figure = make_figure(6.5, 4)
    panel = figure.subplots()
    share = 100 * POOL_SHARE * np.arange(ROUNDS + 1) / ROUNDS
    for (strategy, values), colour in zip(curves.items(), COLOURS, strict=False):
        panel.plot(share, values.mean(axis=0), color=colour, label=strategy)
    panel.set(xlabel="% of the pool that was asked for", ylabel="AUC on pairs that are never asked for", title=name)
    panel.legend(frameon=False)
    panel.spines[["top", "right"]].set_visible(False)
    write_figure(figure, path)


def main() -> None:
    """All networks."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--networks", type=lambda text: text.split(","), default=["company", "ppi"])
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--out", type=Path, help="folder for pictures")
    add_data_option(parser)
    options = parser.parse_args()
    targets = []
    for name in options.networks:
        source = (
            ng.datasets.company(people=200) if name == "company" else ng.read(data_file(options.data, "ppi.edges.gz"))
        )
        network = ng.Network.from_edges(source.links(), nodes=list(range(source.node_count)))
        targets += measure(name, network, options)
    finish(targets)


if __name__ == "__main__":
    main()
