"""Sums over all pairs that a prior expects."""

from __future__ import annotations

import numpy as np

from netgiven.kernels.pair_sums import SURE, PairSums, add_pairs, correct_sums, measure_listed, measure_pairs
from netgiven.model import probability
from netgiven.priors.layout import Coefficients, Layout, Sums
from netgiven.priors.stand_ins import stand_for_themselves, stand_ins
from netgiven.types import Float64Array

EXACT = 1e-11  # relative error of sums


def rounding(layout: Layout) -> float:
    """The relative error that is left in sums."""
    return 1e-14 if stand_for_themselves(layout, EXACT) else EXACT


def expected_sums(layout: Layout, coefficients: Coefficients) -> Sums:
    """The sums that the prior with these coefficients expects."""
    points = stand_ins(layout, coefficients, EXACT)
    raw = PairSums(np.empty(points.arrays.own.shape), np.empty(len(coefficients.tables)))
    add_pairs(points.arrays, raw)
    sums = Sums(points.spread(raw.pulls), raw.between, np.zeros(len(coefficients.listed)))
    layout.without_self(sums.pulls, sums.between, probability(layout.with_itself(coefficients)))
    if layout.listed is not None:
        both = PairSums(sums.pulls, sums.between)
        correct_sums(layout.listed, coefficients.listed, layout.nodes(coefficients), both, sums.listed)
    return sums


def measured(layout: Layout, coefficients: Coefficients) -> Float64Array:
    """softplus(z) and P z, summed over pairs; nothing for those of which the prior is certain."""
    out = np.zeros(2)
    measure_pairs(stand_ins(layout, coefficients, EXACT).arrays, out)
    z = layout.with_itself(coefficients)
    size = np.where(np.abs(z) < SURE, layout.size, 0.0)
    z = np.where(size > 0, z, 0.0)
    out -= [size @ np.logaddexp(0.0, z), size @ (probability(z) * z)]
    if layout.listed is not None:
        measure_listed(layout.listed, coefficients.listed, layout.nodes(coefficients), out)
    return out / 2
