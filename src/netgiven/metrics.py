"""How well scores tell links from other pairs."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt
from scipy.stats import rankdata

Doubles = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]


def auc(truth: Mask, scores: Doubles) -> float:
    """Area under the ROC curve: the chance that a link scores higher than another pair, ties counting half.

    >>> auc(np.array([True, False, False]), np.array([2.0, 1.0, 2.0]))
    0.75
    """
    from sklearn.metrics import roc_auc_score

    return float(roc_auc_score(truth, _ranks(scores)))


def average_precision(truth: Mask, scores: Doubles) -> float:
    """Precision, averaged over the places at which links are found."""
    from sklearn.metrics import average_precision_score

    return float(average_precision_score(truth, _ranks(scores)))


def precision_at(truth: Mask, scores: Doubles, count: int) -> float:
    """The share of links among the `count` pairs with the highest scores, earlier pairs first among equals.

    >>> precision_at(np.array([True, False, True]), np.array([3.0, 2.0, 1.0]), 2)
    0.5
    """
    best = np.argsort(-scores, kind="stable")[:count]
    return float(truth[best].mean()) if len(best) else 0.0


def _ranks(scores: Doubles) -> Doubles:
    """The order of the scores, which is all that counts: log-odds of impossible pairs are infinite."""
    return np.asarray(rankdata(scores, method="dense"), dtype=np.float64)


METRICS: dict[str, Callable[[Mask, Doubles], float]] = {"AUC": auc, "average precision": average_precision}
