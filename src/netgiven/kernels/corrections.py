"""Listed pairs: the repulsion is computed as if nothing were listed, and put right here, pair by pair.

So the dense loops stay free of exceptions, and a sampled repulsion stays unbiased: the sample estimates the sum
without the list, the correction is exact.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from netgiven.kernels.arrays import Scene, Sums
from netgiven.kernels.compiling import inlined, kernel
from netgiven.kernels.elementary import exp_negative, log_one_plus
from netgiven.kernels.known import nearness, unlisted_of
from netgiven.kernels.repulsion import SURE

f32 = np.float32


@inlined
def chance_and_surprise(z: Any) -> Any:
    """sigmoid(z) and softplus(z), which is left out for a certain link, as everywhere."""
    small = exp_negative(-abs(z))
    likely = f32(1.0) / (f32(1.0) + small)
    surprise = (z if f32(0.0) < z < SURE else f32(0.0)) + log_one_plus(small)
    return (likely if z >= f32(0.0) else small * likely), surprise


@kernel
def correct_listed(start: int, stop: int, scene: Scene, sums: Sums) -> None:
    """Add to push_i and surprise_i, i in [start, stop), what the listed pairs change in them."""
    prior, positions, listed = scene.prior, scene.positions, scene.prior.listed
    for i in range(start, stop):
        for place in range(listed.indptr[i], listed.indptr[i + 1]):
            j = listed.indices[place]
            known, near = unlisted_of(prior, i, j), nearness(scene, i, j)
            chance_before, surprise_before = chance_and_surprise(known + near)
            chance, surprise = chance_and_surprise((known + listed.value[place]) + near)
            for k in range(positions.shape[1]):
                sums.push[i, k] += (chance - chance_before) * (positions[i, k] - positions[j, k])
            sums.surprise[i] += surprise - surprise_before
