"""Probabilities of labels: how often the likeliest label of a node is right, and how likely it was called.

    python benchmarks/quality/label_probabilities.py

Half of the nodes (second row: 70 %) have their labels hidden, one split per network, all settings chosen. Prints one
row per network: share right, mean probability, the temperature and the method that were chosen on held-out labels.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd

import netgiven as ng
from netgiven.labels import Labels
from netgiven.network import Network
from netgiven.splits import hide_labels


def cases() -> Iterator[tuple[str, Network, pd.Series, float]]:
    """A name, a network, the label of each of its nodes, and the share of nodes whose label is hidden."""
    for nodes, links, communities, inside, share in (
        (600, 5_000, 6, 0.7, 0.5),
        (1_000, 4_000, 10, 0.8, 0.7),
        (1_000, 4_000, 10, 0.5, 0.5),
    ):
        drawn = ng.datasets.planted(nodes, links, communities=communities, inside=inside)
        name = f"planted({nodes}, {links}, communities={communities}, inside={inside})"
        yield name, drawn.network, pd.Series(drawn.community), share
    company = ng.datasets.company(people=400)
    yield "company(people=400), projects", company, company.column("project"), 0.5


def main() -> None:
    """Print the table."""
    print("| | right | mean probability | temperature | method |\n|---|---|---|---|---|")
    for name, network, column, share in cases():
        labels = Labels.from_pairs(network.nodes, zip(network.nodes, column.astype(str), strict=True))
        split = hide_labels(labels, share)
        prediction = ng.predict_labels(network, split.train, progress=False)
        hidden = split.nodes
        likeliest = prediction.probabilities[hidden].argmax(axis=1)
        right = split.truth[np.arange(len(hidden)), likeliest].mean()
        mean = prediction.probabilities[hidden].max(axis=1).mean()
        print(f"| {name} | {right:.3f} | {mean:.3f} | {prediction.temperature:.2f} | {prediction.method} |", flush=True)


if __name__ == "__main__":
    main()
