"""A fit that goes on from positions that are good already: few steps, at the full reach, that shorten from the first.

How many, and how long: measured on Facebook and arXiv after 1 to 30 % of the links were taken away
(`benchmarks/answers/add.py`). Longer steps first spoil what is there, and then need as many again to mend it.
"""

from __future__ import annotations

from dataclasses import replace

from netgiven.fitting.loop import fall, has_settled
from netgiven.fitting.outcome import Ending, Outcome
from netgiven.fitting.run import Fitted, fit_positions
from netgiven.fitting.settings import Settings
from netgiven.network import Network
from netgiven.priors.prior import Prior
from netgiven.types import Float32Array

STEPS = 20
SHARE_OF_RATE = 0.15


def warm_settings(settings: Settings, node_count: int) -> Settings:
    """Settings that go on from where positions are."""
    resolved = replace(settings, rising=0.0).resolved(node_count)
    if resolved.rule == "lbfgs":  # it finds out by itself how far to go
        return resolved
    assert resolved.rate is not None
    return replace(resolved, steps=settings.steps or STEPS, rate=SHARE_OF_RATE * resolved.rate, cooling=1.0)


def fit_on(
    network: Network,
    prior: Prior,
    settings: Settings,
    positions: Float32Array,
    thread_count: int | None = None,
    progress: bool | None = None,
) -> Fitted:
    """A fit with warm settings from positions, one row a node."""
    fitted = fit_positions(network, prior, settings, thread_count, progress, positions=positions)
    if settings.rule == "lbfgs" or not fitted.history or fitted.outcome.ending is Ending.DIVERGED:
        return fitted
    quiet = has_settled(fitted.history, settings.tolerance or 0.0, noisy=True)
    ending = Ending.SETTLED if quiet else Ending.OUT_OF_STEPS
    return fitted._replace(outcome=Outcome(ending, len(fitted.history), fall(fitted.history, noisy=True)))
