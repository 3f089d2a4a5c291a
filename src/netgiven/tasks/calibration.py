"""Calibration: do predicted probabilities of hidden links agree with the frequencies of links?

`Embedding.probabilities` and `Embedding.likely_links` give probabilities of *observed* links. If a known share of the
links is hidden, `hidden_link_probability` turns them into probabilities of hidden links; `reliability` compares
predicted probabilities with observed frequencies.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from netgiven.errors import InputError
from netgiven.maps.canvas import PRINT_COLOURS
from netgiven.splits import LinkSplit
from netgiven.types import BoolArray, Float64Array, Int64Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def hidden_link_probability(probability: npt.ArrayLike, share: float) -> Float64Array:
    """P(hidden link | no training link), from p = P(training link) and the share h of all links that are hidden.

    A link is kept with probability 1 - h, so P(link) = p / (1 - h) and P(hidden link) = p h / (1 - h). A pair without a
    training link has probability 1 - p, so

        P(hidden | no training link)  =  p / (1 - p)  *  h / (1 - h)        at most 1

    Parameters
    ----------
    probability
        Predicted probabilities of training links.
    share
        The share of hidden links, between 0 and 1.

    Raises
    ------
    InputError
        If `share` is not between 0 and 1.

    Examples
    --------
    >>> hidden_link_probability([0.0, 0.2, 0.5, 1.0], share=0.5).tolist()
    [0.0, 0.25, 1.0, 1.0]
    """
    if not 0 < share < 1:
        raise InputError(f"A share of {share} hidden links was given; it must lie between 0 and 1.")
    p = np.asarray(probability, dtype=np.float64)
    hidden = p * share
    return np.asarray(hidden / np.maximum((1 - p) * (1 - share), hidden))


@dataclass(frozen=True)
class Reliability:
    """Predicted probabilities and observed shares of links in bins of pairs with similar probability.

    Attributes
    ----------
    predicted
        The mean predicted probability of each bin.
    observed
        The share of links.
    error
        The standard error of the observed share.
    error_if_right
        The standard error of the observed share if the predictions are right.
    weight
        The number of pairs that the bin represents.
    """

    predicted: Float64Array
    observed: Float64Array
    error: Float64Array
    error_if_right: Float64Array
    weight: Float64Array

    @property
    def expected_calibration_error(self) -> float:
        """The mean over all pairs of |observed - predicted| of their bin."""
        return self._mean(np.abs(self.observed - self.predicted))

    @property
    def relative_calibration_error(self) -> float:
        """The expected calibration error divided by the share of links.

        Use it where links are rare: if one pair in a hundred is linked, predicting 0 has an expected calibration error
        of only .01, but a relative one of 1.
        """
        return self.expected_calibration_error / self._mean(self.observed)

    @property
    def relative_error_if_right(self) -> float:
        """The expected relative calibration error of a model that is right; E|normal| = sqrt(2 / pi)."""
        return float(np.sqrt(2 / np.pi)) * self._mean(self.error_if_right) / self._mean(self.observed)

    def _mean(self, values: Float64Array) -> float:
        return float(np.average(values, weights=self.weight))


def reliability(
    truth: npt.ArrayLike, predicted: npt.ArrayLike, weight_of_others: float = 1.0, bins: int = 10
) -> Reliability:
    """Compare predicted probabilities with the truth in bins with equal expected numbers of links.

    Links are rare: of bins of equal width or equal numbers of pairs, one would hold nearly all links. Pairs of equal
    probability are in the same bin, so there may be fewer bins.

    If all links but only a sample of the other pairs are given, each of the latter has the weight w =
    `weight_of_others`. A pair of probability p then contributes 1 - p to sum w (truth - p) with probability p, and -w p
    with probability (1 - p) / w, which has mean 0 and variance p (1 - p) (1 - p + w p). The standard errors follow.

    Parameters
    ----------
    truth
        Whether each pair is a link.
    predicted
        The predicted probability of each pair.
    weight_of_others
        The number of pairs that each pair without a link represents.
    bins
        The number of bins, at most.

    Raises
    ------
    InputError
        If there is no link, a probability is not between 0 and 1, or the lengths differ.

    Examples
    --------
    >>> table = reliability([True, False, True, False], [0.5, 0.5, 0.25, 0.25], bins=2)
    >>> table.predicted.tolist(), table.observed.tolist()
    ([0.25, 0.5], [0.5, 0.5])
    >>> table.expected_calibration_error
    0.125
    """
    y, p = np.asarray(truth, dtype=bool), np.asarray(predicted, dtype=np.float64)
    _check(y, p, weight_of_others, bins)
    w = np.where(y, 1.0, weight_of_others)
    bin_of = _bins_of_equal_expectation(p, w, bins)
    weight = _sums(bin_of, w)
    observed = _sums(bin_of, w * y) / weight
    return Reliability(
        predicted=_sums(bin_of, w * p) / weight,
        observed=observed,
        error=np.sqrt(_variance(observed, weight_of_others) / weight),
        error_if_right=np.sqrt(_sums(bin_of, w * _variance(p, weight_of_others))) / weight,
        weight=weight,
    )


def _variance(p: Float64Array, w: float) -> Float64Array:
    return p * (1 - p) * (1 - p + w * p)


def _check(truth: BoolArray, predicted: Float64Array, weight_of_others: float, bins: int) -> None:
    if len(truth) != len(predicted) or not truth.any():
        raise InputError(
            f"{len(truth)} true values, {int(truth.sum())} of them links, and {len(predicted)} probabilities were "
            "given; give equally many of both, and at least one link."
        )
    if not ((predicted >= 0) & (predicted <= 1)).all():
        raise InputError("A probability was given that is not between 0 and 1.")
    if not 0 < weight_of_others < np.inf:
        raise InputError(f"weight_of_others = {weight_of_others} was given; a number above 0 is needed.")
    if bins < 1:
        raise InputError(f"bins = {bins} was given; at least 1 is needed.")


def _sums(bin_of: Int64Array, values: Float64Array) -> Float64Array:
    return np.bincount(bin_of, values).astype(np.float64)


def _bins_of_equal_expectation(predicted: Float64Array, weights: Float64Array, bins: int) -> Int64Array:
    """The bin of each pair, lowest probabilities first; no bin is empty."""
    order = np.argsort(predicted, kind="stable")
    expected = np.cumsum((weights * predicted)[order])
    cuts = np.searchsorted(expected, expected[-1] * np.arange(1, bins) / bins)
    places = np.searchsorted(np.unique(predicted[order[cuts]]), predicted, side="right")
    return np.unique(places, return_inverse=True)[1]


def reliability_on(split: LinkSplit, probability: npt.ArrayLike, bins: int = 10) -> Reliability:
    """The reliability of predicted probabilities on the pairs of a split, corrected for the hidden links.

    All hidden links are among the pairs; each of the others represents many pairs that were never linked.
    """
    links, nodes = split.train.link_count + len(split.hidden), split.train.node_count
    never_linked = nodes * (nodes - 1) // 2 - links
    share = len(split.hidden) / links
    return reliability(
        split.truth, hidden_link_probability(probability, share), never_linked / max(len(split.others), 1), bins
    )


def draw_reliability(axes: Axes, curves: Mapping[str, Reliability], errors: float = 2.0) -> None:
    """Draw observed against predicted shares on logarithmic axes, one curve per name.

    Error bars are `errors` standard errors long. Bins without observed or expected links are left out, because they
    have no place on logarithmic axes.
    """
    shown = {name: _positive(curve) for name, curve in curves.items()}
    for number, (name, curve) in enumerate(shown.items()):
        lower = np.minimum(errors * curve.error, 0.9 * curve.observed)  # the bar may not reach zero
        axes.errorbar(
            curve.predicted,
            curve.observed,
            yerr=[lower, errors * curve.error],
            color=PRINT_COLOURS[number % len(PRINT_COLOURS)],
            label=name,
            marker="o",
            markersize=3.5,
            linewidth=1.2,
            elinewidth=0.8,
        )
    values = [value for curve in shown.values() for value in (*curve.predicted, *curve.observed)]
    least = min(values, default=0.1) / 2
    axes.plot([least, 1], [least, 1], color="0.6", linewidth=0.8, linestyle="--", zorder=0)
    axes.set(xscale="log", yscale="log", xlabel="predicted probability", ylabel="observed share of links")


def _positive(curve: Reliability) -> Reliability:
    here = (curve.predicted > 0) & (curve.observed > 0)
    return Reliability(*(column[here] for column in vars(curve).values()))
