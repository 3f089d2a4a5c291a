"""Probabilities of hidden links, and whether they can be trusted.

`Embedding.probabilities` and `Embedding.likely_links` say which pairs are likely to be linked *as far as the network
shows its links*. Where a share of the links is known to be hidden, `corrected` turns those into probabilities of a
hidden link; `reliability` compares such probabilities with what came to light.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from netgiven.errors import InputError
from netgiven.maps.canvas import PRINT_COLOURS
from netgiven.splits import LinkSplit
from netgiven.types import BoolArray, Float64Array, Int64Array


def corrected(probability: Any, share: float) -> Float64Array:
    """P(hidden link | no training link), from p = P(training link) and the share h of the links that is hidden.

    A link is kept with chance 1 - h, so P(link) = p / (1 - h), of which the part h is hidden: P(hidden) is
    p h / (1 - h). A pair that is no training link is one of the 1 - p others, so

        P(hidden | no training link)  =  p / (1 - p)  *  h / (1 - h)        at most 1

    >>> corrected([0.0, 0.2, 0.5, 1.0], share=0.5).tolist()
    [0.0, 0.25, 1.0, 1.0]
    """
    if not 0 < share < 1:
        raise InputError(f"A share of {share} of the links was said to be hidden; it must lie between 0 and 1.")
    p = np.asarray(probability, dtype=np.float64)
    hidden = p * share
    return np.asarray(hidden / np.maximum((1 - p) * (1 - share), hidden))


@dataclass(frozen=True)
class Reliability:
    """Bins of pairs of similar probability: what was predicted, what was observed.

    - `predicted`: mean probability
    - `observed`: share of links
    - `error`: standard error of the observed share
    - `error_if_right`: the same if the prediction is right, to judge how far apart the two are
    - `weight`: how many pairs the bin stands for
    """

    predicted: Float64Array
    observed: Float64Array
    error: Float64Array
    error_if_right: Float64Array
    weight: Float64Array

    @property
    def expected_calibration_error(self) -> float:
        """Mean over all pairs of |observed - predicted| of their bin."""
        return self._mean(np.abs(self.observed - self.predicted))

    @property
    def relative_calibration_error(self) -> float:
        """The same in units of the share of links: how many links too many or too few are expected, over the links.

        The number to look at where links are rare: if one pair in a hundred is linked, saying "never" has an expected
        calibration error of only .01, but a relative one of 1.
        """
        return self.expected_calibration_error / self._mean(self.observed)

    @property
    def relative_error_by_chance(self) -> float:
        """What a model that is right would show as relative error: |a normal deviation| is sqrt(2/pi) on average."""
        return float(np.sqrt(2 / np.pi)) * self._mean(self.error_if_right) / self._mean(self.observed)

    def _mean(self, values: Float64Array) -> float:
        return float(np.average(values, weights=self.weight))


def reliability(truth: Any, predicted: Any, others_stand_for: float = 1.0, bins: int = 10) -> Reliability:
    """Predicted probabilities against what is true, in bins that expect the same number of links.

    Links are rare: bins of equal width, or of equally many pairs, would leave nearly all links in one of them. Equal
    probabilities stay together, so there may be fewer bins. If all links are given but only a sample of the other
    pairs, each of those stands for `others_stand_for`, w for short, pairs.

    A pair of probability p adds 1 - p to sum w (truth - p) with chance p, and -w p with chance (1 - p) / w. That has
    mean 0 and variance p (1 - p) (1 - p + w p), from which the standard errors come.

    >>> table = reliability([True, False, True, False], [0.5, 0.5, 0.25, 0.25], bins=2)
    >>> table.predicted.tolist(), table.observed.tolist()
    ([0.25, 0.5], [0.5, 0.5])
    >>> table.expected_calibration_error
    0.125
    """
    y, p = np.asarray(truth, dtype=bool), np.asarray(predicted, dtype=np.float64)
    _check(y, p, others_stand_for, bins)
    w = np.where(y, 1.0, others_stand_for)
    bin_of = _bins_of_equal_expectation(p, w, bins)
    weight = _sums(bin_of, w)
    observed = _sums(bin_of, w * y) / weight
    return Reliability(
        predicted=_sums(bin_of, w * p) / weight,
        observed=observed,
        error=np.sqrt(_variance(observed, others_stand_for) / weight),
        error_if_right=np.sqrt(_sums(bin_of, w * _variance(p, others_stand_for))) / weight,
        weight=weight,
    )


def _variance(p: Float64Array, w: float) -> Float64Array:
    return p * (1 - p) * (1 - p + w * p)


def _check(truth: BoolArray, predicted: Float64Array, others_stand_for: float, bins: int) -> None:
    if len(truth) != len(predicted) or not truth.any():
        raise InputError(
            f"{len(truth)} answers, {int(truth.sum())} of them links, were given for {len(predicted)} probabilities; "
            "give as many of each, and at least one link."
        )
    if not ((predicted >= 0) & (predicted <= 1)).all():
        raise InputError("A probability was given that does not lie between 0 and 1.")
    if not 0 < others_stand_for < np.inf:
        raise InputError(f"Pairs that stand for {others_stand_for} each were given; a number above 0 is needed.")
    if bins < 1:
        raise InputError(f"{bins} bins were asked for; at least 1 is needed.")


def _sums(bin_of: Int64Array, values: Float64Array) -> Float64Array:
    return np.bincount(bin_of, values).astype(np.float64)


def _bins_of_equal_expectation(predicted: Float64Array, weights: Float64Array, bins: int) -> Int64Array:
    """The bin of each pair, lowest probabilities first, none of them empty."""
    order = np.argsort(predicted, kind="stable")
    expected = np.cumsum((weights * predicted)[order])
    cuts = np.searchsorted(expected, expected[-1] * np.arange(1, bins) / bins)
    places = np.searchsorted(np.unique(predicted[order[cuts]]), predicted, side="right")
    return np.unique(places, return_inverse=True)[1]


def reliability_on(split: LinkSplit, probability: Any, bins: int = 10) -> Reliability:
    """How far P(training link) of the pairs of a split, corrected for what was hidden, can be trusted.

    All hidden links are among the pairs; each of the others stands for many pairs that were never linked.
    """
    links, nodes = split.train.link_count + len(split.hidden), split.train.node_count
    never_linked = nodes * (nodes - 1) // 2 - links
    share = len(split.hidden) / links
    return reliability(split.truth, corrected(probability, share), never_linked / max(len(split.others), 1), bins)


def draw_reliability(axes: Any, curves: Mapping[str, Reliability], errors: float = 2.0) -> None:
    """Observed against predicted on logarithmic axes, a curve for each name, with so many standard errors.

    A bin in which nothing was observed, or nothing expected, has no place on such axes and is left out.
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
