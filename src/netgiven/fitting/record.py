"""What is known about a fit after it ended: settings, training prior, steps, status and validation trials."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from netgiven.fitting.settings import ResolvedSettings
from netgiven.fitting.train import Convergence, Step
from netgiven.priors.prior import Prior

if TYPE_CHECKING:
    import pandas as pd


class Trial(NamedTuple):
    """Hyperparameters that were tried on validation splits, and their mean score."""

    dimensions: int
    reach: float
    shrinkage: float
    score: float
    uncertainty: float = 0.0  # of degrees, in predictions
    stretch: float = 1.0  # of the stiffness, in predictions
    repelling: int = 0
    repelling_shrinkage: float = 0.0


class Likelihood(NamedTuple):
    """A log-likelihood in nats, and its standard error: 0 where all pairs were counted."""

    value: float
    standard_error: float


NOTHING_GAINED = "Nothing was found beyond what was given."


def gains_nothing(bits: float) -> bool:
    """Whether a gain in bits per link is none, to two digits.

    >>> gains_nothing(-0.001), gains_nothing(0.02), gains_nothing(-0.25)
    (True, False, False)
    """
    return abs(bits) < 0.005


@dataclass(frozen=True, eq=False)
class FitRecord:
    """How the positions of an embedding were found.

    Parameters
    ----------
    settings
        The settings of the fit, with nothing left open. `settings.spread` is the spread that positions were trained
        with; the embedding's own spread may have another reach and stiffness (see `calibrate_reach`).
    prior
        The prior that positions were trained with.
    convergence
        Why the fit stopped, and after how many steps.
    steps
        All steps, in order.
    trials
        What was tried on validation splits; empty where nothing was left to choose.
    seconds
        CPU seconds by stage: `prior`, `selection`, `fit`. Not saved.
    added_nodes
        How many nodes were added since, by `Embedding.add`.

    Examples
    --------
    >>> import netgiven as ng
    >>> ring = ng.Network.from_edges([(i, (i + 1) % 12) for i in range(12)])
    >>> fit = ng.embed(ring, dimensions=2).fit
    >>> fit.settings.method, fit.settings.init, fit.prior.knowledge
    (ExactMethod(), 'lifted', 'degrees')
    """

    settings: ResolvedSettings
    prior: Prior
    convergence: Convergence
    steps: Sequence[Step] = ()
    trials: Sequence[Trial] = ()
    seconds: dict[str, float] = field(default_factory=dict)
    added_nodes: int = 0

    def __repr__(self) -> str:
        trials = f", {len(self.trials)} trials" if self.trials else ""
        return f"FitRecord given {self.prior.knowledge}: {self.convergence}{trials}"

    @property
    def history(self) -> pd.DataFrame:
        """The steps as a table with the columns `step`, `objective`, `reach` and `learning_rate`."""
        import pandas as pd

        return pd.DataFrame(list(self.steps), columns=list(Step._fields))
