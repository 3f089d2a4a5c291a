"""exp, log1p, sigmoid and softplus for kernels, written so that loops over them vectorise.

Those in float32 use polynomials that are minimax fits of the relative error on the interval that each function names;
those in float64 are exact to rounding error. The NumPy versions are `probability` and `softplus` of `model.py`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from netgiven.kernels.jit import inlined
from netgiven.model import CERTAIN_LOG_ODDS

f32, f64 = np.float32, np.float64

LOG2_E = f32(1.4426950408889634)
UNDERFLOW = f32(-100.0)  # below this, exp is 0 in float32
SMALLEST_POWER = f32(-126.0)  # of two, in float32
CERTAIN32 = f32(CERTAIN_LOG_ODDS)


@inlined
def exp_negative(x: Any) -> Any:
    """exp(x) for x <= 0: 2 to an integer, put together from bits, times a polynomial for 2 to the rest, in (-1, 0].

    Relative error below 3e-7; between -87 and -100 the smallest float32, below exactly 0, so that a pair that the prior
    rules out weighs nothing.
    """
    power = max(x * LOG2_E, SMALLEST_POWER)
    whole = np.int32(power)
    part = power - f32(whole)
    value = f32(0.00918861079) + part * f32(0.00093878797)
    value = f32(0.0552797217) + part * value
    value = f32(0.240172189) + part * value
    value = f32(0.693142253) + part * value
    value = f32(0.999999925) + part * value
    scale = np.int32((whole + np.int32(127)) << np.int32(23)).view(np.float32)
    return value * scale if x > UNDERFLOW else f32(0.0)


@inlined
def log1p(t: Any) -> Any:
    """log(1 + t) for t in [0, 1]; relative error below 2e-7."""
    value = f32(-0.0295049572) + t * f32(0.005232624)
    value = f32(0.0782254933) + t * value
    value = f32(-0.136632069) + t * value
    value = f32(0.191059885) + t * value
    value = f32(-0.248429775) + t * value
    value = f32(0.333190962) + t * value
    value = f32(-0.499994931) + t * value
    value = f32(0.99999997) + t * value
    return t * value


@inlined
def sigmoid_parts(z: Any) -> Any:
    """t = exp(-|z|) and q = 1 / (1 + t): sigmoid(|z|) is q, sigmoid(-|z|) is t q, and p (1 - p) is t q^2."""
    t = exp_negative(-abs(z))
    return t, f32(1.0) / (f32(1.0) + t)


@inlined
def sigmoid(z: Any) -> Any:
    """sigmoid(z) in float32."""
    t, q = sigmoid_parts(z)
    return q if z >= f32(0.0) else t * q


@inlined
def sigmoid_softplus(z: Any) -> Any:
    """sigmoid(z) and softplus(z) = max(z, 0) + log(1 + exp(-|z|)) in float32.

    The part max(z, 0) is left out for a certain link, as in `model.uncertain_softplus`.
    """
    t, q = sigmoid_parts(z)
    softplus = (z if f32(0.0) < z < CERTAIN32 else f32(0.0)) + log1p(t)
    return (q if z >= f32(0.0) else t * q), softplus


@inlined
def sigmoid_softplus_with(known: Any, gained: Any) -> Any:
    """Those of z = known + gained, where `gained` may be of any size: `known` alone decides which pairs are certain."""
    is_certain = abs(known) >= CERTAIN32
    z = known if is_certain else known + gained
    t, q = sigmoid_parts(z)
    softplus = (z if z > f32(0.0) and not is_certain else f32(0.0)) + log1p(t)
    return (q if z >= f32(0.0) else t * q), softplus


# ---- float64 ---------------------------------------------------------------------------------------------------------


LOG2_E_64 = f64(1.4426950408889634)
LN2_HIGH, LN2_LOW = f64(6.93147180369123816490e-01), f64(1.90821492927058770002e-10)
SMALLEST_EXPONENT = f64(-700.0)


@inlined
def exp_negative64(x: Any) -> Any:
    """exp(x) for x <= 0, to rounding error, by a Taylor series of degree 12. Below -700, exp(-700)."""
    x = max(x, SMALLEST_EXPONENT)
    whole = np.int32(x * LOG2_E_64 - f64(0.5))
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


@inlined
def sigmoid64(z: Any) -> Any:
    """sigmoid(z) in float64."""
    t = exp_negative64(-abs(z))
    q = 1.0 / (1.0 + t)
    return q if z >= 0.0 else t * q


@inlined
def softplus64(z: Any) -> Any:
    """softplus(z) = max(z, 0) + log(1 + exp(-|z|)) in float64."""
    return max(z, 0.0) + np.log1p(exp_negative64(-abs(z)))
