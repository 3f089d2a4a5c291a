"""Positions on their way to where the objective is lowest, on this machine."""

from __future__ import annotations

from typing import Protocol

from netgiven.fitting.objectives import Objective
from netgiven.fitting.rules import Rule
from netgiven.parallel import Engine
from netgiven.types import Float32Array


class Walk(Protocol):
    """Positions that look around and then move, step by step."""

    @property
    def noisy(self) -> bool:
        """Is what they see an estimate?"""
        ...

    @property
    def positions(self) -> Float32Array:
        """Where they are."""
        ...

    def look(self, step: int, reach: float, rate: float) -> float:
        """The objective here."""
        ...

    def move(self) -> None:
        """Take the step that was looked at."""
        ...

    def end(self) -> None:
        """Leave the positions at the best point that is known."""
        ...


class LocalWalk:
    """An objective, a rule that follows it downhill, and positions that are moved in place."""

    def __init__(self, objective: Objective, rule: Rule, positions: Float32Array, engine: Engine) -> None:
        self.objective, self.rule, self.positions, self.engine = objective, rule, positions, engine
        self._state = rule.begin(positions)
        self._seen: tuple[float, Float32Array] | None = None
        self._reach = self._rate = 0.0

    @property
    def noisy(self) -> bool:
        """As the objective."""
        return self.objective.noisy

    def look(self, step: int, reach: float, rate: float) -> float:
        """The objective here; to a rule that compares values of steps, another reach is another beginning."""
        if self._seen is not None and self.rule.compares_values and reach != self._reach:
            self.end()
            self._state = self.rule.begin(self.positions)
        self._seen, self._reach, self._rate = self.objective(self.positions, reach, step), reach, rate
        return self._seen[0]

    def move(self) -> None:
        """Let the rule take its step."""
        assert self._seen is not None
        self.rule.step(self._state, self.positions, *self._seen, self._rate, self.engine)

    def end(self) -> None:
        """To the best point that the rule knows of."""
        self.rule.end(self._state, self.positions)
