"""Methods against splits: who finds hidden links, and at what cost."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence

import pandas as pd

from netgiven.errors import InputError
from netgiven.evaluation.link_methods import LinkMethod
from netgiven.metrics import METRICS
from netgiven.network import Network
from netgiven.splits import LinkSplit, hide_links


def evaluate_links(
    network: Network,
    methods: Sequence[LinkMethod],
    splits: int = 3,
    share: float = 0.5,
    watch: Callable[[str, int], None] | None = None,
) -> pd.DataFrame:
    """Each method on each split: its metrics and CPU seconds, one row each. Methods never see what was hidden.

    `watch` is told the method and the split before each run.
    """
    if splits < 1:
        raise InputError(f"{splits} splits were asked for; at least 1 is needed.")
    rows = []
    for seed in range(splits):
        split = hide_links(network, share, seed)
        _check(split)
        for method in methods:
            if watch is not None:
                watch(method.name, seed)
            rows.append({"method": method.name, "split": seed, **_grade(method, split, seed)})
    return pd.DataFrame(rows)


def _check(split: LinkSplit) -> None:
    if not len(split.hidden) or not len(split.others):
        raise InputError(
            "No link can be hidden, or no pair is without a link: the network is a forest or complete. "
            "A network with cycles and some density is needed."
        )


def _grade(method: LinkMethod, split: LinkSplit, seed: int) -> dict[str, float]:
    start = time.process_time()
    scores = method.score(split.train, split.pairs, seed)
    seconds = time.process_time() - start
    return {**{name: metric(split.truth, scores) for name, metric in METRICS.items()}, "CPU s": seconds}


def summarise(results: pd.DataFrame, columns: Iterable[str] = ("AUC", "average precision", "CPU s")) -> pd.DataFrame:
    """One row a method, in the order they ran: means over the splits, and the standard deviation of the AUC."""
    groups = results.groupby("method", sort=False)
    table = groups[list(columns)].mean()
    table.insert(1, "±", groups["AUC"].std(ddof=1).fillna(0.0))
    return table.reset_index()
