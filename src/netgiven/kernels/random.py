"""Counter-based random numbers: each is a function of (seed, step, owner, count), without a state.

So a node draws the same numbers on any thread or machine. The mixing function is that of SplitMix64 (Steele, Lea and
Flood 2014), applied once for each part of the key.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from netgiven.kernels.jit import inlined

u64 = np.uint64

GOLDEN = u64(0x9E3779B97F4A7C15)
FIRST, SECOND = u64(0xBF58476D1CE4E5B9), u64(0x94D049BB133111EB)
S30, S27, S31, S11 = u64(30), u64(27), u64(31), u64(11)


@inlined
def mix(x: Any) -> Any:
    """The finalizer of SplitMix64: each bit of the input changes about half of the bits of the output."""
    x = (x ^ (x >> S30)) * FIRST
    x = (x ^ (x >> S27)) * SECOND
    return x ^ (x >> S31)


@inlined
def stream(seed: Any, step: Any, owner: Any) -> Any:
    """The start of the random numbers of one owner (a node, a block of nodes) in one step."""
    return mix(mix(mix(u64(seed)) + u64(step) * GOLDEN) + u64(owner) * GOLDEN)


@inlined
def uniform(start: Any, count: Any) -> Any:
    """Number `count` of a stream, uniform in [0, 1)."""
    return (mix(start + u64(count) * GOLDEN) >> S11) * (1.0 / 9007199254740992.0)
