"""Coverage of 90 % intervals: planted networks in 2 to 128 dimensions, Facebook drawn again, and its held-out pairs.

    python benchmarks/analysis/coverage.py [--rounds 2] [--data FOLDER] [--only planted | facebook | held-out]

Planted: positions are drawn in d dimensions, log-odds fall with the squared distance, degrees are uneven, and a network
is drawn. It is embedded in d dimensions, all else as by default. Two questions, each over pairs drawn at random:

- *drawn again*: the embedding is the truth. Networks are drawn from its probabilities (a bootstrap over links) and
  embedded with the same settings; how many of its probabilities lie within their intervals?
- *planted*: how many of the planted probabilities lie within the intervals of the embedding itself?

Facebook: the first question for the default embedding. Held-out: a tenth of the links and as many non-links as are
needed for a frequency are unobserved; pairs are binned by their probability, and the frequency of links in a bin (with
its own 90 % bootstrap interval) is set beside the mean ends of the intervals in it.

Exit code 1 if less than 85 % or more than 95 % lie within where the embedding is the truth.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

import netgiven as ng
from netgiven.fitting.fit import calibrate_reach
from netgiven.model import probability

sys.path.insert(0, str(Path(__file__).parents[1] / "speed"))
from measuring import add_data_option, data_file

LEVEL, LOWEST, HIGHEST = 0.9, 0.85, 0.95
PAIRS = 10_000
RANGES = ((0.0, 0.001), (0.001, 0.01), (0.01, 0.05), (0.05, 0.2), (0.2, 0.6), (0.6, 1.0))
DIMENSIONS = {2: 600, 8: 600, 32: 600, 128: 1_100}  # and the number of nodes: 8 a dimension are needed by default
MEAN_DEGREE, GAIN, UNEVENNESS = 60, 2.0, 0.7
HELD_OUT = 0.1


def planted_log_odds(nodes: int, dimensions: int, seed: int) -> Any:
    """True log-odds of all pairs: uneven degrees and distances whose effect has a standard deviation of `GAIN`."""
    random = np.random.default_rng(seed)
    x = random.normal(0, (GAIN / np.sqrt(2 * dimensions)) ** 0.5, (nodes, dimensions))
    activity = random.normal(0, UNEVENNESS, nodes)
    lengths = np.square(x).sum(axis=1)
    z = activity[:, None] + activity[None, :] - (lengths[:, None] + lengths[None, :]) / 2 + x @ x.T
    low, high = -30.0, 100.0
    upper = np.triu_indices(nodes, 1)
    while high - low > 1e-6:
        middle = (low + high) / 2
        expected = 2 * probability(z[upper] + middle).sum() / nodes
        low, high = (low, middle) if expected > MEAN_DEGREE else (middle, high)
    return z + low


def draw(log_odds: Any, seed: int) -> ng.Network:
    """A network from log-odds of all pairs; `log_odds(node, others)` are those of one row."""
    random, (count, row_of), links = np.random.default_rng(seed), log_odds, []
    for node in range(count - 1):
        others = np.arange(node + 1, count)
        linked = others[random.random(len(others)) < probability(row_of(node, others))]
        links.append(np.column_stack([np.full(len(linked), node), linked]))
    return ng.Network.from_edges(np.concatenate(links), nodes=list(range(count)))


def rows_of(embedding: ng.Embedding) -> Any:
    """The log-odds of an embedding as `draw` takes them."""
    return len(embedding), lambda node, others: embedding.log_odds_of(np.full(len(others), node), others)


def fit_again(truth: ng.Embedding, network: ng.Network) -> ng.Embedding:
    """The embedding of another network with the settings of the first; the reach is balanced if it was there."""
    settings = truth.fit.settings
    found = ng.embed(
        network,
        "degrees",
        dimensions=settings.dimensions,
        reach=settings.spread,
        shrinkage=settings.shrinkage,
        method=settings.method,
    )
    if truth.spread == settings.spread:
        return found
    stretch = truth.spread.stiffness / settings.spread.stiffness
    spread = calibrate_reach(network, found.prior, found.fit.settings, found.positions, stretch=stretch)
    return replace(found, spread=spread)


def some_pairs(count: int) -> Any:
    """Pairs of node numbers, drawn at random."""
    pairs = np.random.default_rng(0).integers(count, size=(PAIRS, 2))
    return pairs[pairs[:, 0] != pairs[:, 1]]


def report(name: str, embedding: ng.Embedding, pairs: Any, true: Any) -> float:
    """Print how many of the true probabilities lie within, over all pairs and by predicted probability."""
    found = embedding.intervals(embedding.nodes.to_numpy()[pairs], LEVEL)
    inside = ((found["low"] <= true) & (true <= found["high"])).to_numpy()
    width = (found["high"] - found["low"]).to_numpy()
    bins = [inside[(found["probability"] >= low) & (found["probability"] < high)] for low, high in RANGES]
    parts = " ".join(f"{part.mean():.2f}" if len(part) >= 50 else "." for part in bins)
    print(
        f"{name:<34} {inside.mean():.3f}   {parts:<30}  mean width {width.mean():.3f}, "
        f"{np.mean(width > 0.99):.1%} nearly [0, 1]",
        flush=True,
    )
    return float(inside.mean())


def drawn_again(name: str, truth: ng.Embedding, rounds: int) -> float:
    """Mean coverage of the probabilities of an embedding in networks drawn from it."""
    pairs = some_pairs(len(truth))
    true = probability(truth.log_odds_of(*pairs.T))
    shares = [
        report(f"{name}, drawn again ({number})", fit_again(truth, draw(rows_of(truth), seed=number)), pairs, true)
        for number in range(1, rounds + 1)
    ]
    return float(np.mean(shares))


def planted(dimensions: int, rounds: int) -> float:
    """Coverage on a network planted in some dimensions."""
    nodes = DIMENSIONS[dimensions]
    z = planted_log_odds(nodes, dimensions, seed=dimensions)
    network = draw((nodes, lambda node, others: z[node, others]), seed=0)
    truth = ng.embed(network, "degrees", dimensions=dimensions)
    pairs = some_pairs(nodes)
    name = f"{dimensions} dimensions"
    report(f"{name}, planted", truth, pairs, probability(z[tuple(pairs.T)]))
    return drawn_again(name, truth, rounds)


def held_out(network: ng.Network) -> None:
    """Frequencies of links among held-out pairs, beside the intervals of their probabilities."""
    random = np.random.default_rng(0)
    links = network.links()
    hidden = links[random.choice(len(links), int(HELD_OUT * len(links)), replace=False)]
    others = random.integers(network.node_count, size=(20 * len(hidden), 2))
    others = np.unique(np.sort(others[others[:, 0] < others[:, 1]], axis=1), axis=0)
    others = others[~network.are_linked(*others.T)]
    pairs = np.concatenate([hidden, others])
    linked = np.arange(len(pairs)) < len(hidden)
    non_links = network.node_count * (network.node_count - 1) / 2 - len(links)
    weight = np.where(linked, 1.0, HELD_OUT * non_links / len(others))
    keys = {tuple(pair) for pair in hidden.tolist()}
    kept = np.array([tuple(pair) not in keys for pair in links.tolist()])
    names = network.nodes.to_numpy()
    train = ng.Network.from_edges(names[links[kept]], nodes=names.tolist()).with_unobserved(names[pairs])
    embedding = ng.embed(train, "degrees")
    print(f"Facebook, {len(hidden):,} links and {len(others):,} non-links held out, {embedding.dimensions} dimensions")
    some = random.permutation(len(pairs))[: 2 * PAIRS]
    found = embedding.intervals(names[pairs[some]], LEVEL)
    for low, high in RANGES:
        there = np.flatnonzero((found["probability"] >= low) & (found["probability"] < high))
        if len(there) >= 50:
            _report_bin(f"{low:g} to {high:g}", found.iloc[there], linked[some[there]], weight[some[there]], random)


def _report_bin(name: str, found: Any, linked: Any, weight: Any, random: Any) -> None:
    again = random.integers(len(linked), size=(1_000, len(linked)))
    frequencies = (weight * linked)[again].sum(axis=1) / weight[again].sum(axis=1)
    low, high = np.quantile(frequencies, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    frequency = np.average(linked, weights=weight)
    means = {column: np.average(found[column], weights=weight) for column in ("probability", "low", "high")}
    verdict = "inside" if means["low"] <= frequency <= means["high"] else "OUTSIDE"
    print(
        f"  {name:<14} {len(linked):6,} pairs: frequency {frequency:.4g} ({low:.3g} to {high:.3g}), probability "
        f"{means['probability']:.4g}, interval {means['low']:.3g} to {means['high']:.3g}: {verdict}",
        flush=True,
    )


def main() -> None:
    """All of them, or one."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--only", choices=("planted", "facebook", "held-out"))
    add_data_option(parser)
    options = parser.parse_args()
    shares = {}
    if options.only in (None, "planted"):
        print(f"{'share within 90 % intervals':<34} all     by predicted probability: {RANGES}")
        shares = {f"{size} dimensions": planted(size, options.rounds) for size in DIMENSIONS}
    if options.only in ("facebook", "held-out") or (options.only is None and options.data is not None):
        network = ng.read(data_file(options.data, "facebook.edges.gz"))
        if options.only != "held-out":
            shares["Facebook"] = drawn_again("Facebook", ng.embed(network, "degrees"), options.rounds)
        if options.only != "facebook":
            held_out(network)
    missed = [name for name, share in shares.items() if not LOWEST <= share <= HIGHEST]
    print(f"between {LOWEST:.0%} and {HIGHEST:.0%}: {'all' if not missed else f'not {missed}'}")
    sys.exit(1 if missed else 0)


if __name__ == "__main__":
    main()
