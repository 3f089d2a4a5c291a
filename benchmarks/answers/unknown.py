"""What it is worth to say that pairs are unknown, instead of letting them count as pairs without a link.

    python benchmarks/answers/unknown.py [--rounds 5] [--data FOLDER]

Of the protein network half of the links were never tested, together with five times as many other pairs. Told as
unknown, or not told: the AUC of telling the links among the untested pairs from the others, with fixed settings (8
dimensions, reach 2, given degrees). Exit code 1 if telling does not help in the mean.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np

import netgiven as ng
from netgiven.metrics import auc
from netgiven.splits import hide_links, pairs_without_link

sys.path.insert(0, str(Path(__file__).parents[1] / "speed"))
from measuring import Target, add_data_option, data_file, finish

SETTINGS = {"dimensions": 8, "spread": ng.Spread.from_reach(2.0), "shrinkage": 0.0}
TIMES = 5


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
    add_data_option(parser)
    options = parser.parse_args()
    network = ng.read(data_file(options.data, "ppi.edges.gz"))
    found = np.array([gains(network, seed) for seed in range(options.rounds)])
    before, after = found.mean(axis=0)
    deviation = found.std(axis=0, ddof=1).max() if options.rounds > 1 else np.nan
    note = f"AUC {before:.4f} counted as without a link, {after:.4f} told as unknown; deviation {deviation:.4f}"
    finish([Target("PPI: gain in AUC by telling", after - before, 0.0, at_least=True, note=note)])


if __name__ == "__main__":
    main()
