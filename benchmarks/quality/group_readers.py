"""What is left of a group in vectors that were trained given group degrees, read by three classifiers.

    python benchmarks/quality/group_readers.py [--data FOLDER]

A planted network (800 nodes, two groups of five communities each, nine links in ten within a group), a fifth of its
links hidden; and, with data, Wikipedia, whose groups are the most frequent label and all others. For each embedding:
the share of nodes whose group is read correctly by logistic regression, ten nearest neighbours and a random forest,
and on the planted network the AUC on hidden links. Two ways to remove what is left are tried on the planted network:
equal covariances of the groups, and transport: each node moves half of the way to where the other group's nodes lie
(entropic optimal transport; the strength is in units of the mean squared distance).
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import netgiven as ng
from netgiven.metrics import auc
from netgiven.splits import LinkSplit, hide_links

sys.path.insert(0, str(Path(__file__).parents[1] / "speed"))
from measuring import add_data_option, data_file

NODES, COMMUNITIES, DRAWN = 800, 10, 13_000
INSIDE, WITHIN = 0.6, 0.3  # shares of links within communities, and within groups beyond that
DEBIASED = {"train_given": "group_degrees:group", "predict_given": "degrees"}


def nested(seed: int = 0) -> ng.Network:
    """A network of communities, each inside one of two groups; activities of nodes are uneven."""
    random = np.random.default_rng(seed)
    community = random.integers(COMMUNITIES, size=NODES)
    activity = 1 + random.pareto(2.2, NODES)
    first = random.choice(NODES, DRAWN, p=activity / activity.sum())
    kind = np.searchsorted([INSIDE, INSIDE + WITHIN], random.random(DRAWN))
    second = np.empty(DRAWN, dtype=int)
    for number in range(COMMUNITIES):
        targets = (community == number, community % 2 == number % 2, np.ones(NODES, dtype=bool))
        for place, members in enumerate(targets):
            mine = (community[first] == number) & (kind == place)
            share = np.where(members, activity, 0.0)
            second[mine] = random.choice(NODES, mine.sum(), p=share / share.sum())
    links = np.column_stack([first, second])[first != second]
    nodes = {"node": np.arange(NODES), "group": np.take(["left", "right"], community % 2)}
    return ng.Network.from_edges(links, nodes=nodes)


def equal_covariances(x: Any, right: Any) -> Any:
    """Positions in which both groups have the same mean and covariance."""
    pooled = (np.cov(x[right].T) + np.cov(x[~right].T)) / 2
    moved = np.empty_like(x)
    for group in (right, ~right):
        centred = x[group] - x[group].mean(axis=0)
        moved[group] = centred @ _power(np.cov(centred.T), -0.5) @ _power(pooled, 0.5)
    return moved


def _power(matrix: Any, exponent: float) -> Any:
    values, axes = np.linalg.eigh(matrix)
    return (axes * np.maximum(values, 1e-6) ** exponent) @ axes.T


def transported(x: Any, right: Any, strength: float) -> Any:
    """Positions half of the way to where a smooth transport plan takes each node among the other group."""
    squared = np.square(x[right][:, None, :] - x[~right][None, :, :]).sum(axis=2)
    kernel = np.exp(-squared / (strength * squared.mean()))
    rows = np.ones(len(kernel))
    for _ in range(500):
        columns = 1 / kernel.shape[1] / np.maximum(kernel.T @ rows, 1e-300)
        rows = 1 / kernel.shape[0] / np.maximum(kernel @ columns, 1e-300)
    plan = rows[:, None] * kernel * columns
    moved = x.copy()
    moved[right] = (x[right] + plan @ x[~right] / plan.sum(axis=1, keepdims=True)) / 2
    moved[~right] = (x[~right] + plan.T @ x[right] / plan.sum(axis=0)[:, None]) / 2
    return moved


def report(name: str, embedding: ng.Embedding, split: LinkSplit | None = None) -> None:
    """Print one row."""
    row = ng.fairness(embedding, "group").table.iloc[0]
    read = " ".join(f"{kind} {row[f'{kind}_accuracy']:.2f}" for kind in ("logistic", "neighbours", "forest"))
    hidden = "" if split is None else f"   AUC {auc(split.truth, embedding.log_odds_of(*split.pairs.T)):.3f}"
    print(
        f"{name:<44} d {embedding.dimensions:3d}   {read}   largest {row['baseline_accuracy']:.2f}{hidden}", flush=True
    )


def planted() -> None:
    """The planted network in its default dimensions, in 8 and in 2."""
    split = hide_links(nested(), share=0.2)
    right = split.train.columns["group"].to_numpy() == "right"
    for settings in ({}, {"dimensions": 8}, {"dimensions": 2}):
        report("planted, given degrees", ng.embed(split.train, "degrees", **settings), split)
        after = ng.embed(split.train, **DEBIASED, **settings)
        report("planted, trained given group degrees", after, split)
        x = after.positions.astype(np.float64)
        ways = {"equal covariances": equal_covariances(x, right)}
        ways |= {f"transport, {strength}": transported(x, right, strength) for strength in (0.1, 0.03, 0.01)}
        for way, moved in ways.items():
            report(f"  then {way}", replace(after, positions=moved.astype(np.float32)), split)


def wikipedia(folder: Path) -> None:
    """Words by their most frequent part of speech."""
    labels = pd.read_csv(data_file(folder, "wikipedia.labels.gz"), sep="\t", header=None)
    links = pd.read_csv(data_file(folder, "wikipedia.edges.gz"), sep="\t", header=None).to_numpy()
    count = int(max(links.max(), labels[0].max())) + 1
    most = labels.loc[labels[1] == labels[1].mode()[0], 0]
    group = np.where(np.isin(np.arange(count), most), "most frequent", "other")
    network = ng.Network.from_edges(links, nodes={"node": np.arange(count), "group": group})
    for dimensions in (8, 64):
        settings: dict[str, Any] = {"dimensions": dimensions, "reach": 3.0, "shrinkage": 0.3}
        report("wikipedia, given degrees", ng.embed(network, "degrees", **settings))
        report("wikipedia, trained given group degrees", ng.embed(network, **DEBIASED, **settings))


def main() -> None:
    """Both networks."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_data_option(parser)
    options = parser.parse_args()
    planted()
    if options.data is not None:
        wikipedia(options.data)


if __name__ == "__main__":
    main()
