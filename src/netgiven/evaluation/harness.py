"""Methods against splits: who finds hidden links or labels, and at what cost. Methods never see what was hidden."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

import numpy as np
import pandas as pd

from netgiven.errors import InputError
from netgiven.evaluation.label_methods import LabelMethod
from netgiven.evaluation.link_methods import GIVE_LOG_ODDS, LinkMethod
from netgiven.labels import Labels
from netgiven.metrics import LABEL_METRICS, METRICS, likeliest_labels
from netgiven.model import probability
from netgiven.network import Network
from netgiven.splits import LabelProtocol, LabelSplit, LinkSplit, hide_labels, hide_links
from netgiven.tasks.calibration import reliability_on
from netgiven.types import Float64Array

Method = TypeVar("Method", LinkMethod, LabelMethod)


def evaluate_links(
    network: Network,
    methods: Sequence[LinkMethod],
    splits: int = 3,
    share: float = 0.5,
    watch: Callable[[str, int], None] | None = None,
) -> pd.DataFrame:
    """Each method on each split: its metrics and CPU seconds, one row each.

    `watch` is told the method and the split before each run.
    """

    def grade(seed: int) -> Iterator[tuple[str, dict[str, float]]]:
        split = hide_links(network, share, seed)
        for method in _told(methods, seed, watch):
            yield method.name, grade_links(method, split, seed)

    return _table(grade, splits)


def evaluate_labels(
    network: Network,
    labels: Labels,
    methods: Sequence[LabelMethod],
    *,
    splits: int = 3,
    share: float = 0.5,
    by: LabelProtocol = "nodes",
    watch: Callable[[str, int], None] | None = None,
) -> pd.DataFrame:
    """Each method on each split of the labels, by nodes or by links: its metrics and CPU seconds, one row each."""

    def grade(seed: int) -> Iterator[tuple[str, dict[str, float]]]:
        split = hide_labels(labels, share, seed, by)
        for method in _told(methods, seed, watch):
            yield method.name, grade_labels(method, network, split, seed)

    return _table(grade, splits)


def grade_links(method: LinkMethod, split: LinkSplit, seed: int) -> dict[str, float]:
    """Metrics of the scores that a method gives to the pairs of a split, and its CPU seconds.

    The calibration error is the number of hidden links too many or too few in all bins, over their number.
    """
    scores, seconds = score_links(method, split, seed)
    grades = {name: metric(split.truth, scores) for name, metric in METRICS.items()}
    if isinstance(method, GIVE_LOG_ODDS):
        grades["calibration error"] = reliability_on(split, probability(scores)).relative_calibration_error
    return {**grades, "CPU s": seconds}


def score_links(method: LinkMethod, split: LinkSplit, seed: int) -> tuple[Float64Array, float]:
    """The scores that a method gives to the pairs of a split, and its CPU seconds."""
    check_links(split)
    start = time.process_time()
    scores = method.score(split.train, split.pairs, seed)
    return scores, time.process_time() - start


def grade_labels(method: LabelMethod, network: Network, split: LabelSplit, seed: int) -> dict[str, float]:
    """Metrics of a method's guesses, and its CPU seconds.

    A node gets as many labels as are hidden of it, the likeliest among those that it is not known to have.
    """
    start = time.process_time()
    scores = method.score(network, split.train, seed)[split.nodes]
    seconds = time.process_time() - start
    known = split.train.matrix[split.nodes].toarray()
    guess = likeliest_labels(np.where(known, -np.inf, scores), split.truth.sum(axis=1))
    return {**{name: metric(split.truth, guess) for name, metric in LABEL_METRICS.items()}, "CPU s": seconds}


def check_links(split: LinkSplit) -> None:
    """An error where a split has nothing to predict."""
    if not len(split.hidden) or not len(split.others):
        raise InputError(
            "No link can be hidden, or no pair is without a link: the network is a forest or complete. "
            "A network with cycles and some density is needed."
        )


def _told(methods: Sequence[Method], seed: int, watch: Callable[[str, int], None] | None) -> Iterator[Method]:
    """The methods, each announced before it runs."""
    for method in methods:
        if watch is not None:
            watch(method.name, seed)
        yield method


def _table(grade: Callable[[int], Iterator[tuple[str, dict[str, float]]]], splits: int) -> pd.DataFrame:
    if splits < 1:
        raise InputError(f"{splits} splits were asked for; at least 1 is needed.")
    rows = [{"method": name, "split": seed, **grades} for seed in range(splits) for name, grades in grade(seed)]
    return pd.DataFrame(rows)


def summarise(results: pd.DataFrame) -> pd.DataFrame:
    """One row a method, in the order they ran: means over the splits, and the first metric's standard deviation."""
    groups = results.groupby("method", sort=False)
    table = groups[[name for name in results.columns if name not in ("method", "split")]].mean()
    table.insert(1, "±", groups[str(table.columns[0])].std(ddof=1).fillna(0.0))
    return table.reset_index()
