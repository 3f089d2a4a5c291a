"""What a method makes of a split: measures; for links also a ROC curve, and whether probabilities can be trusted."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import numpy as np

from netgiven.evaluation.harness import grade_labels, score_links
from netgiven.evaluation.label_methods import LabelMethod
from netgiven.evaluation.link_methods import GIVE_LOG_ODDS, LinkMethod
from netgiven.evaluation.reproduction.plan import Data, Result
from netgiven.metrics import METRICS
from netgiven.model import probability
from netgiven.splits import LabelSplit, LinkSplit, hide_labels, hide_links
from netgiven.tasks.calibration import reliability_on
from netgiven.types import BoolArray, Float64Array

SHARE = 0.5  # of the links or labels, hidden
RATES = (np.arange(101) / 100) ** 2  # false-positive rates, closer together where curves are steep


def hide_half(data: Data, seed: int) -> LinkSplit:
    """The paper's split of links."""
    return hide_links(data.network, SHARE, seed)


def hide_labels_of_half(data: Data, seed: int) -> LabelSplit:
    """The split of labels behind the paper's numbers: half of the nodes lose all of them."""
    return hide_labels(data.labels, SHARE, seed, by="nodes")


def hide_half_of_labels(data: Data, seed: int) -> LabelSplit:
    """The split of labels in the paper's text: half of the (node, label) pairs."""
    return hide_labels(data.labels, SHARE, seed, by="links")


def grade_link_split(method: LinkMethod, data: Data, split: LinkSplit, seed: int) -> Result:
    """Score the pairs of the split, then grade the scores."""
    scores, seconds = score_links(method, split, seed)
    details, costs = told(method)
    return Result(
        measures={name: metric(split.truth, scores) for name, metric in METRICS.items()},
        seconds={"total": seconds, **costs},
        curve=roc_curve(split.truth, scores).tolist(),
        reliability=_reliability(split, scores) if isinstance(method, GIVE_LOG_ODDS) else {},
        details=details,
    )


def grade_label_split(method: LabelMethod, data: Data, split: LabelSplit, seed: int) -> Result:
    """Score the labels of the nodes of the split, then grade the scores."""
    measures = grade_labels(method, data.network, split, seed)
    seconds = measures.pop("CPU s")
    details, costs = told(method)
    return Result(measures=measures, seconds={"total": seconds, **costs}, details=details)


def told(method: Any) -> tuple[dict[str, Any], dict[str, float]]:
    """What a method tells of itself in `details`: facts, and times (whose names end in "CPU s")."""
    details = dict(getattr(method, "details", {}))
    costs = {name: float(details.pop(name)) for name in list(details) if name.endswith("CPU s")}
    return details, costs


def roc_curve(truth: BoolArray, scores: Float64Array) -> Float64Array:
    """True-positive rates at `RATES`.

    >>> roc_curve(np.array([True, True, False]), np.array([3.0, 1.0, 2.0]))[[0, 50, 100]].tolist()
    [0.5, 0.5, 1.0]
    """
    from sklearn.metrics import roc_curve as curve

    ranks = np.unique(scores, return_inverse=True)[1]  # log-odds may be infinite
    false_positives, true_positives, _ = curve(truth, ranks)
    return np.asarray(np.interp(RATES, false_positives, true_positives))


def _reliability(split: LinkSplit, log_odds: Float64Array) -> dict[str, list[float]]:
    table = reliability_on(split, probability(log_odds))
    return {name: values.tolist() for name, values in asdict(table).items()}
