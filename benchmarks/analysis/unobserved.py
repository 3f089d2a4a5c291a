"""The gain from marking pairs as unobserved, instead of counting them as pairs without a link.

    python benchmarks/analysis/unobserved.py [--rounds 5] [--out docs/pictures] [--data FOLDER]

Two cases in the protein network, given degrees:

- some random proteins were never tested with each other: with these pairs marked as unobserved, or not marked, the
  expected number of links among them, and the AUC on these pairs (default settings);
- half of the links, all over the network, were never tested, together with five times as many other pairs (fixed
  settings: 8 dimensions, reach 2).

Exit code 1 if marking does not help on average. `--out` is a folder for a picture of the first case.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import netgiven as ng
from netgiven.maps.canvas import PRINT_COLOURS, make_figure, write_figure
from netgiven.metrics import auc
from netgiven.model import probability
from netgiven.splits import hide_links, pairs_without_link

sys.path.insert(0, str(Path(__file__).parents[1] / "speed"))
from measuring import Target, add_data_option, data_file, finish

SETTINGS: dict[str, Any] = {"dimensions": 8, "reach": 2.0, "shrinkage": 0.0}
TIMES = 5
SHARES = (0.1, 0.2, 0.3, 0.4, 0.5)  # of proteins that were not tested with each other


class Among(NamedTuple):
    """Links among some proteins: how many there are, how many are expected, and how well they are predicted."""

    links: float
    marked: float
    unmarked: float
    auc_marked: float
    auc_unmarked: float


def among(network: ng.Network, share: float, seed: int) -> Among:
    """Some proteins were not tested with each other."""
    random, count = np.random.default_rng(seed), network.node_count
    some = np.isin(np.arange(count), random.choice(count, int(share * count), replace=False))
    pairs = np.flatnonzero(some)[np.column_stack(np.triu_indices(int(some.sum()), 1))]
    truth, links = network.are_linked(*pairs.T), network.links()
    names = network.nodes.to_numpy()
    tested = ng.Network.from_edges(names[links[~some[links].all(axis=1)]], nodes=list(names))
    both = [tested.with_unobserved(names[pairs]), tested]
    scores = [ng.embed(one, "degrees", seed=seed).log_odds_of(*pairs.T) for one in both]
    return Among(truth.sum(), *(probability(z).sum() for z in scores), *(auc(truth, z) for z in scores))


def measure_among(network: ng.Network, rounds: int, folder: Path | None) -> list[Target]:
    """All shares, as a table and a picture."""
    table = np.array([np.mean([among(network, share, seed) for seed in range(rounds)], axis=0) for share in SHARES])
    for share, row in zip(SHARES, table, strict=True):
        mean = Among(*row)
        print(
            f"{share:.0%} of the proteins: {mean.links:,.0f} links, {mean.marked:,.0f} expected if marked and "
            f"{mean.unmarked:,.0f} if not; AUC {mean.auc_marked:.4f} and {mean.auc_unmarked:.4f}"
        )
    if folder is not None:
        draw(table, folder / "unobserved.png")
    means = Among(*table.mean(axis=0))
    errors = np.abs(table[:, 1:3] - table[:, :1]).mean(axis=0)
    return [
        Target("not tested with each other: gain in AUC by marking", means.auc_marked - means.auc_unmarked, 0.0, True),
        Target("the same: error of the number of links, marked divided by not marked", errors[0] / errors[1], 1.0),
    ]


def draw(table: np.ndarray, path: Path) -> None:
    """Expected links and AUC over the share of proteins."""
    figure = make_figure(8.5, 3.6)
    left, right = figure.subplots(1, 2)
    found, percent = Among(*table.T), [100 * share for share in SHARES]
    left.plot(percent, found.links, color="0.35", linestyle="--", label="true number")
    left.plot(percent, found.marked, color=PRINT_COLOURS[0], marker="o", label="expected, marked as unobserved")
    left.plot(percent, found.unmarked, color=PRINT_COLOURS[1], marker="o", label="expected, not marked")
    left.set_ylabel("links among them")
    left.legend(frameon=False)
    right.plot(percent, found.auc_marked, color=PRINT_COLOURS[0], marker="o")
    right.plot(percent, found.auc_unmarked, color=PRINT_COLOURS[1], marker="o")
    right.set_ylabel("AUC on these pairs")
    figure.supxlabel("% of proteins that were not tested with each other", fontsize="medium")
    for panel in (left, right):
        panel.spines[["top", "right"]].set_visible(False)
    write_figure(figure, path)


def gains(network: ng.Network, seed: int) -> tuple[float, float]:
    """AUC where untested pairs count as without a link, and where they are marked as unobserved."""
    split = hide_links(network, 0.5, seed)
    others = pairs_without_link(network, TIMES * len(split.hidden), np.random.default_rng(seed))
    pairs = np.concatenate([split.hidden, others])
    truth = np.arange(len(pairs)) < len(split.hidden)
    names = network.nodes[pairs.ravel()].to_numpy().reshape(-1, 2)
    scores = [
        ng.embed(train, "degrees", seed=seed, **SETTINGS).log_odds_of(*pairs.T)
        for train in (split.train, split.train.with_unobserved(names))
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
    note = f"AUC {before:.4f} counted as without a link, {after:.4f} marked as unobserved; deviation {deviation:.4f}"
    targets = [
        Target("links all over the network: gain in AUC by marking", after - before, 0.0, at_least=True, note=note)
    ]
    finish(targets + measure_among(network, options.rounds, options.out))


if __name__ == "__main__":
    main()
