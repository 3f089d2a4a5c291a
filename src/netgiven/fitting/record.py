"""How a fit ended, and what happened on the way."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple


class Ending(Enum):
    """Why a fit stopped. The value is the sentence that a person reads."""

    CONVERGED = "converged: the objective no longer falls"
    SETTLED = "settled: the objective falls no more than sampling noise lets us see"
    OUT_OF_STEPS = "out of steps: the objective was still falling, more steps would help"
    DIVERGED = "diverged: the objective is not a number; a lower rate or reach may help"
    NOTHING_TO_FIT = "nothing to fit: what is given leaves no pair open"


class Record(NamedTuple):
    """One step of the history."""

    step: int
    objective: float
    reach: float
    rate: float


@dataclass(frozen=True)
class Outcome:
    """Why a fit stopped, after how many steps, and by how much the objective fell over the last window, relative to
    itself.
    """

    ending: Ending
    steps: int
    last_change: float

    def __str__(self) -> str:
        return f"{self.ending.value} ({self.steps} steps, last relative change {self.last_change:.1e})"
