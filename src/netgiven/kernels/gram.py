"""F' W F of a sparse matrix with few entries a row: the curvature of the prior's dual."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from netgiven.kernels.arrays import Doubles
from netgiven.kernels.compiling import kernel


@kernel
def weighted_gram(
    indptr: npt.NDArray[np.integer], indices: npt.NDArray[np.integer], values: Doubles, weights: Doubles, out: Doubles
) -> None:
    """Add sum over rows r of weights_r f_r f_r' to the upper triangle of `out`.

    Columns of a row come in ascending order.
    """
    for row in range(len(weights)):
        for a in range(indptr[row], indptr[row + 1]):
            share = weights[row] * values[a]
            target = out[indices[a]]
            for b in range(a, indptr[row + 1]):
                target[indices[b]] += share * values[b]
