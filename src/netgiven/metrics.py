"""Metrics of link prediction and of label prediction."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from netgiven.types import BoolArray, Float64Array, IntegerArray


def auc(truth: BoolArray, scores: Float64Array) -> float:
    """Area under the ROC curve: the probability that a link scores higher than another pair, ties counting half.

    Parameters
    ----------
    truth
        Which pairs are links.
    scores
        Score of each pair; infinite scores are allowed.

    Returns
    -------
    float
        NaN without links, or without other pairs.

    Examples
    --------
    >>> auc(np.array([True, False, False]), np.array([2.0, 1.0, 2.0]))
    0.75
    """
    links, others = scores[truth], np.sort(scores[~truth])
    won, lost = (np.searchsorted(others, links, side).sum() for side in ("left", "right"))
    pairs = len(links) * len(others)
    return float((won + lost) / (2 * pairs)) if pairs else float("nan")


def auc_gain(truth: BoolArray, scores: Float64Array, others: Float64Array) -> tuple[float, float]:
    """Difference between the AUC of scores and of other scores of the same pairs, and its standard error.

    DeLong, DeLong and Clarke-Pearson (1988): the AUC is a mean over links of the share of other pairs that score lower,
    and a mean over other pairs likewise; the standard error comes from the variance of these shares.

    Parameters
    ----------
    truth
        Which pairs are links.
    scores, others
        Two scores of each pair.

    Returns
    -------
    gain : float
    standard_error : float

    Examples
    --------
    >>> gain, error = auc_gain(np.array([True, True, False, False]), np.array([4.0, 3, 2, 1]), np.array([4.0, 2, 3, 1]))
    >>> gain, round(error, 3)
    (0.25, 0.354)
    """
    shares = [_win_shares(truth, values) for values in (scores, others)]
    differences = [mine - theirs for mine, theirs in zip(*shares, strict=True)]
    error = sum(difference.var(ddof=1) / len(difference) for difference in differences) ** 0.5
    return float(differences[0].mean()), float(error)


def _win_shares(truth: BoolArray, scores: Float64Array) -> tuple[Float64Array, Float64Array]:
    """For each link the share of other pairs that score lower, and for each other pair the share of links above it."""
    links, others = np.sort(scores[truth]), np.sort(scores[~truth])
    below = [np.searchsorted(others, scores[truth], side) for side in ("left", "right")]
    above = [len(links) - np.searchsorted(links, scores[~truth], side) for side in ("left", "right")]
    return np.mean(below, axis=0) / len(others), np.mean(above, axis=0) / len(links)


def average_precision(truth: BoolArray, scores: Float64Array) -> float:
    """Precision, averaged over the ranks of links.

    Parameters and result are those of `auc`.
    """
    from sklearn.metrics import average_precision_score

    return float(average_precision_score(truth, _ranks(scores)))


def precision_at(truth: BoolArray, scores: Float64Array, count: int) -> float:
    """Share of links among the `count` pairs with the highest scores; pairs with equal scores share their ranks.

    Parameters
    ----------
    truth
        Which pairs are links.
    scores
        Score of each pair.
    count
        Number of pairs.

    Returns
    -------
    float

    Examples
    --------
    >>> precision_at(np.array([True, False, True, False]), np.array([3.0, 2.0, 1.0, 1.0]), 3)
    0.5
    """
    count = min(count, len(scores))
    if not count:
        return 0.0
    last = np.partition(scores, len(scores) - count)[len(scores) - count]
    above, level = scores > last, scores == last
    return float((truth[above].sum() + truth[level].mean() * (count - above.sum())) / count)


def mean_reciprocal_rank(truth: BoolArray, scores: Float64Array, count: int = 1000) -> float:
    """Mean of 1 / rank of each link among `count` other pairs, drawn for each link from all other pairs given.

    The rank is one more than the number of drawn pairs that score higher, each tie counting with probability one half.
    Pairs are drawn with replacement, and the mean is over all draws, so nothing in it is random: with p the share of
    other pairs that score higher than a link, their number is binomial, and the mean of 1 / (1 + number) is
    (1 - (1 - p)^(count + 1)) / ((count + 1) p).

    Parameters
    ----------
    truth
        Which pairs are links.
    scores
        Score of each pair; infinite scores are allowed.
    count
        Number of other pairs that a link is ranked among.

    Returns
    -------
    float

    Examples
    --------
    >>> mean_reciprocal_rank(np.array([True, False, False]), np.array([2.0, 1.0, 1.0]))
    1.0
    >>> mean_reciprocal_rank(np.array([True, False, False]), np.array([1.0, 2.0, 2.0]), count=9)
    0.1
    """
    share = 1 - _win_shares(truth, scores)[0]
    means = np.ones(len(share))
    some = share > 0
    means[some] = (1 - (1 - share[some]) ** (count + 1)) / ((count + 1) * share[some])
    return float(means.mean())


def hits_at(truth: BoolArray, scores: Float64Array, count: int) -> float:
    """Share of the links that score above the other pair at place `count`, as in the Open Graph Benchmark.

    Ties are no hits; with fewer other pairs, all links are hits. The more other pairs there are, the fewer hits.

    Parameters
    ----------
    truth
        Which pairs are links.
    scores
        Score of each pair; infinite scores are allowed.
    count
        The place.

    Returns
    -------
    float

    Examples
    --------
    >>> hits_at(np.array([True, True, False, False]), np.array([3.0, 1.0, 2.0, 0.0]), 1)
    0.5
    """
    others = scores[~truth]
    if len(others) < count:
        return 1.0
    return float((scores[truth] > np.partition(others, len(others) - count)[len(others) - count]).mean())


def _ranks(scores: Float64Array) -> Float64Array:
    """Ranks in place of scores, which decide the metric: log-odds of impossible pairs are infinite."""
    return np.unique(scores, return_inverse=True)[1].astype(np.float64)  # loading scipy.stats takes half a second


METRICS: dict[str, Callable[[BoolArray, Float64Array], float]] = {
    "AUC": auc,
    "average precision": average_precision,
    "precision at 100": partial(precision_at, count=100),
    "MRR of 1,000": partial(mean_reciprocal_rank, count=1000),
    "hits at 50": partial(hits_at, count=50),
}


# ---- Labels: truth and guess are masks with one row per node and one column per label --------------------------------


def likeliest_labels(scores: Float64Array, counts: IntegerArray) -> BoolArray:
    """Mask of the `counts[i]` likeliest labels of each node i; of equal scores, the earlier label wins.

    >>> likeliest_labels(np.array([[0.1, 0.9, 0.5]]), np.array([2]))
    array([[False,  True,  True]])
    """
    place = np.argsort(np.argsort(-scores, axis=1, kind="stable"), axis=1, kind="stable")
    return np.asarray(place < np.asarray(counts)[:, None])


def micro_f1(truth: BoolArray, guess: BoolArray) -> float:
    """F1 over all pairs of a node and a label: 2 hits / (guessed + true)."""
    return float(2 * (truth & guess).sum() / max(int(truth.sum() + guess.sum()), 1))


def macro_f1(truth: BoolArray, guess: BoolArray) -> float:
    """Mean of the F1 of each label, which is 0 for a label that is neither guessed nor true."""
    hits, both = (truth & guess).sum(axis=0), truth.sum(axis=0) + guess.sum(axis=0)
    return float((2 * hits / np.maximum(both, 1)).mean())


def paper_macro_f1(truth: BoolArray, guess: BoolArray) -> float:
    """The macro-F1 that the paper published for CNE-LP, which is larger than the ordinary one.

    Labels that are never guessed or never true are left out, precision and recall are averaged over the others, and F1
    is the harmonic mean of the two averages.
    """
    hits, guessed, true = (truth & guess).sum(axis=0), guess.sum(axis=0), truth.sum(axis=0)
    some = (guessed > 0) & (true > 0)
    if not hits.any():
        return 0.0
    precision, recall = (hits[some] / guessed[some]).mean(), (hits[some] / true[some]).mean()
    return float(2 * precision * recall / (precision + recall))


LABEL_METRICS: dict[str, Callable[[BoolArray, BoolArray], float]] = {
    "micro-F1": micro_f1,
    "macro-F1": macro_f1,
    "macro-F1 (paper)": paper_macro_f1,
}
