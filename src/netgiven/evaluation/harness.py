"""Run methods on splits, and measure how well they find what was hidden and at what cost."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple, TypeVar

import numpy as np
import pandas as pd

from netgiven.errors import InputError
from netgiven.evaluation.methods import PROBABILISTIC, FittedLinkMethod, LabelMethod, LinkMethod
from netgiven.evaluation.top_list import LENGTHS, Scorer, top_precisions
from netgiven.labels import Labels
from netgiven.metrics import LABEL_METRICS, METRICS, likeliest_labels
from netgiven.model import probability
from netgiven.network import Network
from netgiven.splits import LabelProtocol, LabelSplit, LinkSplit, hide_labels, hide_links
from netgiven.tasks.calibration import reliability_on
from netgiven.types import Float64Array

Method = TypeVar("Method", LinkMethod, LabelMethod)
LINK_MEASURES = ("AUC", "average precision", *LENGTHS, "MRR of 1,000", "hits at 50")
CALIBRATION = "calibration error"
Callback = Callable[[str, int], None]  # called with a method's name and the number of the split, before each run


def evaluate_links(
    network: Network,
    methods: Sequence[LinkMethod],
    splits: int = 3,
    share: float = 0.5,
    callback: Callback | None = None,
    *,
    split: str = "paper",
    non_links: str = "uniform",
) -> pd.DataFrame:
    """Evaluate methods on hidden links.

    Parameters
    ----------
    network : Network
        The network whose links are hidden.
    methods : sequence of LinkMethod
        The methods to compare.
    splits : int, optional
        Number of times that links are hidden, with seeds 0, 1, ...
    share : float, optional
        Share of the links to hide.
    callback : callable, optional
        Called with the name of a method and the number of the split before each run.
    split : {"paper", "random"}, optional
        How links are hidden: without dividing a component, as in the paper, or uniformly at random.
    non_links : str, optional
        How as many pairs without a link are drawn: "uniform", "degrees" or "types:COLUMN", as in `hide_links`.

    Returns
    -------
    pandas.DataFrame
        One row per method and split: the metrics and CPU seconds.

    Raises
    ------
    InputError
        If `splits` is below 1, the network has no links that can be hidden, or a word is not one of these.

    Examples
    --------
    >>> from netgiven import datasets
    >>> from netgiven.evaluation.methods import Heuristic
    >>> results = evaluate_links(datasets.company(), [Heuristic("Adamic-Adar")], splits=2)
    >>> results[["method", "split"]].values.tolist()
    [['Adamic-Adar', 0], ['Adamic-Adar', 1]]
    """

    def grade(seed: int) -> Iterator[tuple[str, dict[str, float]]]:
        hidden = hide_links(network, share, seed, split=split, non_links=non_links)
        for method in _announced(methods, seed, callback):
            yield method.name, grade_links(method, hidden, seed)

    table = _table(grade, splits)
    columns = ["method", "split", *LINK_MEASURES, CALIBRATION, "CPU s"]
    return table[[name for name in columns if name in table]]


def evaluate_labels(
    network: Network,
    labels: Labels,
    methods: Sequence[LabelMethod],
    *,
    splits: int = 3,
    share: float = 0.5,
    by: LabelProtocol = "nodes",
    callback: Callback | None = None,
) -> pd.DataFrame:
    """Evaluate methods on hidden labels.

    Parameters
    ----------
    network : Network
        The network.
    labels : Labels
        The labels of its nodes.
    methods : sequence of LabelMethod
        The methods to compare.
    splits : int, optional
        Number of times that labels are hidden, with seeds 0, 1, ...
    share : float, optional
        Share of the nodes or labels to hide.
    by : {"nodes", "links"}, optional
        Hide all labels of some nodes, or some of the (node, label) pairs.
    callback : callable, optional
        Called with the name of a method and the number of the split before each run.

    Returns
    -------
    pandas.DataFrame
        One row per method and split: the metrics and CPU seconds.

    Raises
    ------
    InputError
        If `splits` is below 1, or no label can be hidden.

    Examples
    --------
    >>> from netgiven import datasets
    >>> from netgiven.evaluation.methods import MostCommonLabels
    >>> company = datasets.company()
    >>> departments = Labels.from_columns(company.nodes, company.nodes, company.columns["department"])
    >>> evaluate_labels(company, departments, [MostCommonLabels()], splits=1)["method"].tolist()
    ['most common labels']
    """

    def grade(seed: int) -> Iterator[tuple[str, dict[str, float]]]:
        split = hide_labels(labels, share, seed, by)
        for method in _announced(methods, seed, callback):
            yield method.name, grade_labels(method, network, split, seed)

    return _table(grade, splits)


def grade_links(method: LinkMethod, split: LinkSplit, seed: int) -> dict[str, float]:
    """Metrics of a method on one split of the links, its calibration error if it has one, and its CPU seconds."""
    run = run_links(method, split, seed)
    calibration = calibration_error(split, run.scores) if isinstance(method, PROBABILISTIC) else {}
    return {**run.measures, **calibration, "CPU s": run.seconds}


def calibration_error(split: LinkSplit, log_odds: Float64Array) -> dict[str, float]:
    """The number of hidden links too many or too few in all bins, divided by the number of hidden links.

    It needs non-links that stand for all others: without those drawn uniformly, there is none.
    """
    if split.non_links != "uniform":
        return {}
    return {CALIBRATION: reliability_on(split, probability(log_odds)).relative_calibration_error}


class LinkRun(NamedTuple):
    """A method on one split: the scores of its pairs, metrics, and the CPU seconds of fit and scores."""

    scores: Float64Array
    measures: dict[str, float]
    seconds: float


def run_links(method: LinkMethod, split: LinkSplit, seed: int) -> LinkRun:
    """Fit a method to the training network of a split, score the pairs, and measure the scores.

    Precision at 100 and at 1,000 is that of a list of all pairs, which only methods that have `fit` can give.
    """
    check_links(split)
    start = time.process_time()
    scorer = method.fit(split.train, seed) if isinstance(method, FittedLinkMethod) else None
    scores = method.score(split.train, split.pairs, seed) if scorer is None else scorer.score(split.pairs)
    seconds = time.process_time() - start
    return LinkRun(scores, link_measures(split, scores, scorer), seconds)


def link_measures(split: LinkSplit, scores: Float64Array, scorer: Scorer | None = None) -> dict[str, float]:
    """Metrics of the scores of a split's pairs; with a scorer, also of the top of its list of all pairs."""
    measures = {name: metric(split.truth, scores) for name, metric in METRICS.items()}
    measures |= {} if scorer is None else top_precisions(scorer, split)
    return {name: measures[name] for name in LINK_MEASURES if name in measures}


def grade_labels(method: LabelMethod, network: Network, split: LabelSplit, seed: int) -> dict[str, float]:
    """Metrics of a method on one split of the labels, and its CPU seconds.

    For each node as many labels are predicted as are hidden: those with the highest scores among the labels that the
    node does not have in the training data.
    """
    start = time.process_time()
    scores = method.score(network, split.train, seed)[split.nodes]
    seconds = time.process_time() - start
    known = split.train.matrix[split.nodes].toarray()
    guess = likeliest_labels(np.where(known, -np.inf, scores), split.truth.sum(axis=1))
    return {**{name: metric(split.truth, guess) for name, metric in LABEL_METRICS.items()}, "CPU s": seconds}


def check_links(split: LinkSplit) -> None:
    """Raise an InputError if a split has nothing to predict."""
    if not len(split.hidden) or not len(split.others):
        raise InputError(
            "No link can be hidden, or no pair without a link can be drawn: the network is a forest or complete. A "
            "network with cycles and some density is needed; from a forest, links are hidden with split='random'."
        )


def _announced(methods: Sequence[Method], seed: int, callback: Callback | None) -> Iterator[Method]:
    """The methods, with a call of `callback` before each."""
    for method in methods:
        if callback is not None:
            callback(method.name, seed)
        yield method


def _table(grade: Callable[[int], Iterator[tuple[str, dict[str, float]]]], splits: int) -> pd.DataFrame:
    if splits < 1:
        raise InputError(f"{splits} splits were asked for; at least 1 is needed.")
    rows = [{"method": name, "split": seed, **grades} for seed in range(splits) for name, grades in grade(seed)]
    return pd.DataFrame(rows)


def summarise(results: pd.DataFrame) -> pd.DataFrame:
    """Average results over the splits.

    Parameters
    ----------
    results : pandas.DataFrame
        As returned by `evaluate_links` or `evaluate_labels`.

    Returns
    -------
    pandas.DataFrame
        One row per method, in the order of the runs: means over the splits, and if there are several, in the column
        "±" the standard deviation of the first metric.
    """
    groups = results.groupby("method", sort=False)
    table = groups[[name for name in results.columns if name not in ("method", "split")]].mean()
    if results["split"].nunique() > 1:
        table.insert(1, "±", groups[str(table.columns[0])].std(ddof=1))
    return table.reset_index()
