"""The last word on the reach: as many links are expected as there are.

Shrinkage draws nodes together, more than the likelihood wants, and then every pair gains. With positions as they are,
the likelihood has one maximum in the reach, where expected and observed numbers of links agree. All log-odds move by
the same amount, so the order of pairs stays as it is.
"""

from __future__ import annotations

import math

from scipy.optimize import minimize_scalar

from netgiven.fitting.journeys import make_task
from netgiven.fitting.methods import choose_method
from netgiven.fitting.objectives import FRESH, Exact, Sampled
from netgiven.fitting.settings import MOST_REACH, Settings
from netgiven.kernels.arrays import padded
from netgiven.model import Spread
from netgiven.network import Network
from netgiven.parallel import threads
from netgiven.priors.prior import Prior
from netgiven.types import Float32Array

SAMPLES, MOST_PAIRS = 1_024, 200_000_000  # of a node, and of all nodes together
PRECISION = 1e-3
LEAST = 1e-3


def balanced(
    network: Network, prior: Prior, settings: Settings, positions: Float32Array, thread_count: int | None = None
) -> Spread:
    """The spread with the same stiffness whose reach suits the positions."""
    if network.node_count < 2 or not network.link_count:
        return settings.spread
    wide = padded(positions)
    with threads(thread_count) as engine:
        task = make_task(network, prior, settings, engine)
        samples = max(min(SAMPLES, MOST_PAIRS // network.node_count), 1)
        exact = choose_method("auto", network.node_count).name == "exact"
        objective = Exact(task, wide.shape[1]) if exact else Sampled(task, wide.shape[1], samples, settings.seed)
        # the same sample each time: a smooth function of the reach
        found = minimize_scalar(
            lambda reach: objective(wide, reach, FRESH)[0],
            bounds=(LEAST, min(2 * settings.spread.reach(settings.dimensions) + 5, MOST_REACH - 2)),
            method="bounded",
            options={"xatol": PRECISION},
        )
    return spread_of(float(found.x), settings.spread.stiffness)


def spread_of(reach: float, stiffness: float) -> Spread:
    """The half-normal spread with this reach and stiffness.

    >>> spread = spread_of(1.5, 0.7)
    >>> round(spread.reach(dimensions=8), 6), round(spread.stiffness, 6)
    (1.5, 0.7)
    """
    s1 = math.sqrt(-math.expm1(-2 * reach) / stiffness)
    return Spread(s1, s1 * math.exp(reach))
