"""What prior and positions say together."""

from __future__ import annotations

import numpy as np

from netgiven.model import Spread, log_odds
from netgiven.priors.prior import Prior
from netgiven.types import Float32Array, Float64Array, IntegerArray


def posterior_log_odds(
    prior: Prior, positions: Float32Array, spread: Spread, first: IntegerArray, second: IntegerArray
) -> Float64Array:
    """z of pairs given as node numbers; minus or plus infinity where the prior is certain."""
    squared = np.square(positions[first].astype(np.float64) - positions[second]).sum(axis=-1)
    known = prior.log_odds_of(first, second)
    return np.asarray(log_odds(known, spread.reach(positions.shape[1]), spread.stiffness, squared))
