"""Fast elementary functions in float32 that vector registers run side by side.

The polynomials are minimax fits of the relative error on the interval that each function names.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from netgiven.kernels.jit import inlined

f32 = np.float32

LOG2_E = f32(1.4426950408889634)
FAR = f32(-100.0)  # below this, exp is 0 in float32
SMALLEST_POWER = f32(-126.0)  # of two, that float32 holds


@inlined
def exp_negative(x: Any) -> Any:
    """exp(x) for x <= 0: 2 to an integer, put together from bits, times a polynomial for 2 to the rest, in (-1, 0].

    Relative error below 3e-7; between -87 and -100 the smallest float32, below exactly 0, so that a
    pair that the prior rules out weighs nothing.
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
    return value * scale if x > FAR else f32(0.0)


@inlined
def log_one_plus(t: Any) -> Any:
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
