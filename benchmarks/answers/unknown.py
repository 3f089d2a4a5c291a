"""What it is worth to say that pairs are unknown, instead of letting them count as pairs without a link.

    python benchmarks/answers/unknown.py [--rounds 5] [--out docs/pictures] [--data FOLDER]

Two cases in the protein network, given degrees:

- some proteins, drawn by chance, were never tested with each other: told as unknown, or not told, how many links are
  expected among them, and the AUC of telling the links there from the other pairs (default settings, chosen);
- half of the links, all over the network, were never tested, together with five times as many other pairs (fixed
  settings: 8 dimensions, reach 2).

Exit code 1 if telling does not help in the mean. `--out` is a folder for a picture of the first case.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import NamedTuple

import numpy as np

import netgiven as ng
from netgiven.maps.canvas import PRINT_COLOURS, make_figure, write_figure
from netgiven.metrics import auc
from netgiven.model import probability
from netgiven.splits import hide_links, pairs_without_link

sys.path.insert(0, str(Path(__file__).parents[1] / "speed"))
from measuring import Target, add_data_option, data_file, finish

SETTINGS = {"dimensions": 8, "spread": ng.Spread.from_reach(2.0), "shrinkage": 0.0}
TIMES = 5
SHARES = (0.1, 0.2, 0.3, 0.4, 0.5)  # of proteins that were not tested with each other


class Among(NamedTuple):
    """Links among some proteins: how many there are, how many are expected, and how well they are told."""

    links: float
    told: float
    untold: float
    auc_told: float
    auc_untold: float


def among(network: ng.Network, share: float, seed: int) -> Among:
    """Some proteins were not tested with each other."""
    random, count = np.random.default_rng(seed), network.node_count
    some = np.isin(np.arange(count), random.choice(count, int(share * count), replace=False))
    pairs = np.flatnonzero(some)[np.column_stack(np.triu_indices(np.count_nonzero(some), 1))]
    truth, links = network.are_linked(*pairs.T), network.links()
    names = network.nodes.to_numpy()
    tested = ng.Network.from_edges(names[links[~some[links].all(axis=1)]], nodes=list(names))
    both = [tested.with_unknown(names[pairs]), tested]
    scores = [ng.embed(one, "degrees", seed=seed).log_odds_of(*pairs.T) for one in both]
    return Among(truth.sum(), *(probability(z).sum() for z in scores), *(auc(truth, z) for z in scores))


def measure_among(network: ng.Network, rounds: int, folder: Path | None) -> list[Target]:
    """All shares, as a table and a picture."""
    table = np.array([np.mean([among(network, share, seed) for seed in range(rounds)], axis=0) for share in SHARES])
    for share, row in zip(SHARES, table, strict=True):
        told = Among(*row)
        print(
            f"{share:.0%} of the proteins: {told.links:,.0f} links, {told.told:,.0f} expected if told and "
            f"{told.untold:,.0f} if not; AUC {told.auc_told:.4f} and {told.auc_untold:.4f}"
        )
    if folder is not None:
        draw(table, folder / "unknown.png")
    means = Among(*table.mean(axis=0))
    errors = np.abs(table[:, 1:3] - table[:, :1]).mean(axis=0)
    return [
        Target("not tested with each other: gain in AUC by telling", means.auc_told - means.auc_untold, 0.0, True),
        Target("the same: error of the number of links, told over not told", errors[0] / errors[1], 1.0),
    ]


def draw(table: np.ndarray, path: Path) -> None:
    """Expected links and AUC over the share of proteins."""
    figure = make_figure(8.5, 3.6)
    left, right = figure.subplots(1, 2)
    found, percent = Among(*table.T), [100 * share for share in SHARES]
    left.plot(percent, found.links, color="0.35", linestyle="--", label="there are")
    left.plot(percent, found.told, color=PRINT_COLOURS[0], marker="o", label="expected, told as unknown")
    left.plot(percent, found.untold, color=PRINT_COLOURS[1], marker="o", label="expected, not told")
    left.set_ylabel("links among them")
    left.legend(frameon=False)
    right.plot(percent, found.auc_told, color=PRINT_COLOURS[0], marker="o")
    right.plot(percent, found.auc_untold, color=PRINT_COLOURS[1], marker="o")
    right.set_ylabel("AUC on these pairs")
    figure.supxlabel("% of proteins that were not tested with each other", fontsize="medium")
    for panel in (left, right):
        panel.spines[["top", "right"]].set_visible(False)
    write_figure(figure, path)


def gains(network: ng.Network, seed: int) -> tuple[float, float]:
    """AUC where untested pairs count as without a link, and where they are told."""
    split = hide_links(network, 0.5, seed)
    others = pairs_without_link(network, TIMES * len(split.hidden), np.random.default_rng(seed))
    pairs = np.concatenate([split.hidden, others])
    truth = np.arange(len(pairs)) < len(split.hidden)
    names = network.nodes[pairs.ravel()].to_numpy().reshape(-1, 2)
    scores = [
        ng.embed(train, "degrees", seed=seed, **SETTINGS).log_odds_of(*pairs.T)
        for train in (split.train, split.train.with_unknown(names))
    ]
    return auc(truth, scores[0]), auc(truth, scores[1])


def main() -> None:
    """All rounds, and their mean."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--out", type=Path, help="folder for a picture")
    add_data_option(parser)
    options = parser.parse_args()
    network = ng.read(data_file(options.data, "ppi.edges.gz"))
    found = np.array([gains(network, seed) for seed in range(options.rounds)])
    before, after = found.mean(axis=0)
    deviation = found.std(axis=0, ddof=1).max() if options.rounds > 1 else np.nan
    note = f"AUC {before:.4f} counted as without a link, {after:.4f} told as unknown; deviation {deviation:.4f}"
    targets = [Target("links all over: gain in AUC by telling", after - before, 0.0, at_least=True, note=note)]
    finish(targets + measure_among(network, options.rounds, options.out))


if __name__ == "__main__":
    main()
