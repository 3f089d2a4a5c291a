"""What changes with the steps of a fit: the reach rises to its target, and at the end the rate falls to nothing."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Schedule:
    """Reach and rate of each step: rise, hold, cool.

    The reach rises in a straight line over the first `rising` share of the steps: with the full reach at once, far
    nodes do not feel each other and a random start stays tangled. Then it holds until the objective falls no more.
    Last, the rate falls in a straight line to zero over `cooling` times `steps`, which averages sampling noise away.
    Without cooling the hold ends the fit.

    >>> schedule = Schedule(steps=10, reach=2.0, rate=0.2, rising=0.5, cooling=0.3)
    >>> [round(schedule.reach_at(step), 2) for step in range(6)]
    [0.4, 0.8, 1.2, 1.6, 2.0, 2.0]
    >>> [round(schedule.rate_at(step, cooling_since=7), 3) for step in (7, 8, 9)]
    [0.2, 0.133, 0.067]
    """

    steps: int
    reach: float
    rate: float
    rising: float = 0.0
    cooling: float = 0.0
    tolerance: float = 0.0  # a relative fall of the objective below this, over a window of steps, is none
    stages: int = 0  # the reach rises in so many stages; 0: a little in each step

    @property
    def cooling_steps(self) -> int:
        """How many steps the cooling takes."""
        return round(self.cooling * self.steps)

    def reach_at(self, step: int) -> float:
        """The reach of a step, counted from 0."""
        rise = self.rising * self.steps
        share = min(1.0, (step + 1) / rise) if rise > 1 else 1.0
        return self.reach * (-(-share * self.stages // 1) / self.stages if self.stages else share)

    def rate_at(self, step: int, cooling_since: int | None) -> float:
        """The rate of a step; None while it holds."""
        if cooling_since is None:
            return self.rate
        return self.rate * (1 - (step - cooling_since) / max(self.cooling_steps, 1))

    def held_since(self, step: int) -> int:
        """For how many steps the reach has been at its target."""
        return max(0, step + 1 - round(self.rising * self.steps))
