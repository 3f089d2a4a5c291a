"""Sums over the cells of a prior. A pair has few features: constraints that it counts for, each with a value."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from netgiven.kernels.arrays import Doubles
from netgiven.kernels.compiling import inlined, kernel

f64 = np.float64

LOG2_E = f64(1.4426950408889634)
LN2_HIGH, LN2_LOW = f64(6.93147180369123816490e-01), f64(1.90821492927058770002e-10)
MOST = f64(-700.0)


class CellFeatures(NamedTuple):
    """Constraint and value of feature k of cell c: `column[k, c]` and `value[k, c]`."""

    column: npt.NDArray[np.int32]
    value: Doubles


@inlined
def exp_negative_double(x: Any) -> Any:
    """exp(x) for x <= 0 in float64, to rounding error, by steps that vectorise. Below -700, exp(-700)."""
    x = max(x, MOST)
    whole = np.int32(x * LOG2_E - f64(0.5))
    r = x - whole * LN2_HIGH - whole * LN2_LOW
    value = f64(1 / 39916800) + r * f64(1 / 479001600)
    value = f64(1 / 3628800) + r * value
    value = f64(1 / 362880) + r * value
    value = f64(1 / 40320) + r * value
    value = f64(1 / 5040) + r * value
    value = f64(1 / 720) + r * value
    value = f64(1 / 120) + r * value
    value = f64(1 / 24) + r * value
    value = f64(1 / 6) + r * value
    value = f64(0.5) + r * value
    value = f64(1.0) + r * value
    value = f64(1.0) + r * value
    scale = np.int64((np.int64(whole) + np.int64(1023)) << np.int64(52)).view(np.float64)
    return value * scale


@kernel
def multiply(features: CellFeatures, multipliers: Doubles, out: Doubles) -> None:
    """out_c = f_c . lambda."""
    column, value = features.column, features.value
    for c in range(len(out)):
        out[c] = value[0, c] * multipliers[column[0, c]]
    for k in range(1, len(column)):
        for c in range(len(out)):
            out[c] += value[k, c] * multipliers[column[k, c]]


@kernel
def add_up(features: CellFeatures, weights: Doubles, out: Doubles) -> None:
    """out = sum over cells of weights_c f_c. Cells of the same constraint often follow each other: they share a sum."""
    out[:] = 0.0
    for k in range(len(features.column)):
        column, value = features.column[k], features.value[k]
        total, current = 0.0, column[0] if len(weights) else 0
        for c in range(len(weights)):
            if column[c] != current:
                out[current] += total
                total, current = 0.0, column[c]
            total += weights[c] * value[c]
        if len(weights):
            out[current] += total


@kernel
def sigmoid(z: Doubles) -> None:
    """Turn log-odds into probabilities, in place."""
    for c in range(len(z)):
        small = exp_negative_double(-abs(z[c]))
        likely = 1.0 / (1.0 + small)
        z[c] = likely if z[c] >= 0.0 else small * likely


@kernel
def weighted_gram(features: CellFeatures, weights: Doubles, out: Doubles) -> None:
    """Add sum over cells of weights_c f_c f_c' to the upper triangle of `out`."""
    column, value = features.column, features.value
    for c in range(len(weights)):
        for a in range(len(column)):
            share = weights[c] * value[a, c]
            target = out[column[a, c]]
            for b in range(a, len(column)):
                target[column[b, c]] += share * value[b, c]
