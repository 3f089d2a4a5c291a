"""Coverage of intervals: networks are drawn from known probabilities and embedded again.

    python benchmarks/analysis/coverage.py [--rounds 3] [--data FOLDER]

An embedding of the demo company, or of Facebook, is the truth: its probabilities are those that networks are drawn
from. Each network gets its own prior and embedding, with the same settings, and intervals at the level
of 90 %. Prints the share of true probabilities within them: over all pairs (a sample of them, where there are many),
and by how likely pairs are. Exit code 1 if it is below 80 % over all pairs.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

import numpy as np

import netgiven as ng
from netgiven.analysis.intervals import Intervals, coverage
from netgiven.model import probability

sys.path.insert(0, str(Path(__file__).parents[1] / "speed"))
from measuring import Target, add_data_option, data_file, finish

LEVEL, LEAST = 0.9, 0.8
MOST_PAIRS = 200_000
RANGES = ((0.0, 0.001), (0.001, 0.01), (0.01, 0.05), (0.05, 0.2), (0.2, 0.6), (0.6, 1.0))


def draw(truth: ng.Embedding, seed: int) -> ng.Network:
    """A network from the probabilities of an embedding, row by row."""
    count, random, links = len(truth), np.random.default_rng(seed), []
    for node in range(count - 1):
        others = np.arange(node + 1, count)
        probabilities = probability(truth.log_odds_of(np.full(len(others), node), others))
        linked = others[random.random(len(others)) < probabilities]
        links.append(np.column_stack([np.full(len(linked), node), linked]))
    return ng.Network.from_edges(np.concatenate(links), nodes=list(range(count)))


def pairs_of(count: int) -> tuple[Any, Any]:
    """All pairs, or a sample of them."""
    if count * (count - 1) // 2 <= MOST_PAIRS:
        return np.triu_indices(count, 1)
    first, second = np.random.default_rng(0).integers(count, size=(2, MOST_PAIRS))
    return first[first != second], second[first != second]


def measure(name: str, network: ng.Network, rounds: int, **settings: Any) -> Target:
    """Coverage over all rounds, for one truth."""
    truth = ng.embed(network, "degrees", **settings)
    pairs = pairs_of(len(truth))
    true = probability(truth.log_odds_of(*pairs))
    found = [
        ng.embed(draw(truth, seed), "degrees", **settings).intervals(pairs_as_rows(pairs), LEVEL)
        for seed in range(rounds)
    ]
    whole = Intervals(*(np.concatenate([some[field].to_numpy() for some in found]) for field in Intervals._fields))
    all_true = np.tile(true, rounds)
    parts = [(low, high, (all_true >= low) & (all_true < high)) for low, high in RANGES]
    note = ", ".join(
        f"{low:g} to {high:g}: {coverage(Intervals(*(some[there] for some in whole)), all_true[there]):.2f}"
        for low, high, there in parts
        if there.any()
    )
    return Target(name, coverage(whole, all_true), LEAST, at_least=True, note=f"by probability {note}")


def pairs_as_rows(pairs: tuple[Any, Any]) -> Any:
    """Two columns of names, which are numbers here."""
    return np.column_stack(pairs)


def main() -> None:
    """The company in several dimensions, and Facebook if its file is available."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    add_data_option(parser)
    options = parser.parse_args()
    reach = {"reach": 2.0, "shrinkage": 0.0}
    company = ng.datasets.company(people=400)
    targets = [measure(f"company, d = {d}", company, options.rounds, dimensions=d, **reach) for d in (2, 4, 8)]
    targets.append(measure("company, all settings selected", company, options.rounds))
    if options.data is not None:
        network = ng.read(data_file(options.data, "facebook.edges.gz"))
        targets.append(measure("Facebook, d = 8", network, 1, dimensions=8, **reach))
    finish(targets)


if __name__ == "__main__":
    main()
