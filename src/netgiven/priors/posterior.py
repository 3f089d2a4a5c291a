"""What prior and positions say together."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from netgiven.kernels.arrays import Doubles, Floats
from netgiven.model import Spread, log_odds
from netgiven.priors.prior import Prior


def posterior_log_odds(
    prior: Prior, positions: Floats, spread: Spread, first: npt.NDArray[np.integer], second: npt.NDArray[np.integer]
) -> Doubles:
    """z of pairs given as node numbers; minus or plus infinity where the prior is certain."""
    squared = np.square(positions[first].astype(np.float64) - positions[second]).sum(axis=-1)
    known = prior.log_odds_of(first, second)
    return np.asarray(log_odds(known, spread.reach(positions.shape[1]), spread.stiffness, squared))
