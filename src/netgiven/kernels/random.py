"""Random numbers that belong to a place, not to a history: drawn from (seed, step, owner, count).

Whoever computes a node, on whatever thread or machine, draws the same numbers. The mixing function is that of
SplitMix64 (Steele, Lea and Flood 2014), applied once for each part of the address.
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
    """Spread each bit of a 64-bit number over all of them."""
    x = (x ^ (x >> S30)) * FIRST
    x = (x ^ (x >> S27)) * SECOND
    return x ^ (x >> S31)


@inlined
def stream(seed: Any, step: Any, owner: Any) -> Any:
    """Where the numbers of one owner (a node, a block of nodes) in one step begin."""
    return mix(mix(mix(u64(seed)) + u64(step) * GOLDEN) + u64(owner) * GOLDEN)


@inlined
def uniform(start: Any, count: Any) -> Any:
    """Number `count` of a stream, uniform in [0, 1)."""
    return (mix(start + u64(count) * GOLDEN) >> S11) * (1.0 / 9007199254740992.0)
