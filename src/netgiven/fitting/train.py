"""The one training loop."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

import numpy as np

from netgiven.fitting.objectives import Objective
from netgiven.fitting.optimizers import Rule
from netgiven.fitting.record import Ending, Outcome, Record
from netgiven.fitting.settings import Schedule
from netgiven.parallel import Engine
from netgiven.types import Float32Array

# ---- Positions on their way to where the objective is lowest, on this machine ----------------------------------------


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


Watcher = Callable[[Record, Float32Array], None]
Keeper = Callable[[Sequence[Record]], None]

WINDOW = 10  # the objective's mean over so many steps is compared with its mean over as many before


class Course:
    """The steps so far, and what they decide: whether the rate falls already, and whether this is the end.

    Nothing but the history goes into it, so that a fit that was interrupted goes on as if it had not been.
    """

    def __init__(self, schedule: Schedule, noisy: bool, history: Sequence[Record] = ()) -> None:
        self.schedule, self.noisy = schedule, noisy
        self.history: list[Record] = []
        self.cooling_since: int | None = None
        self.settled, self.last_fall = False, np.nan
        for record in history:
            self.add(record)

    @property
    def is_over(self) -> bool:
        """Are the steps used up, or is the rate at zero?"""
        step, since = len(self.history), self.cooling_since
        return step >= self.schedule.steps or (since is not None and step >= since + self.schedule.cooling_steps)

    def next_step(self) -> tuple[int, float, float]:
        """Its number, reach and rate."""
        step = len(self.history)
        return step, self.schedule.reach_at(step), self.schedule.rate_at(step, self.cooling_since)

    def add(self, record: Record) -> None:
        """One step more. When the objective no longer falls, or the time has come, the rate begins to."""
        self.history.append(record)
        if self.cooling_since is None and np.isfinite(record.objective):
            held = self.schedule.held_since(record.step) >= 2 * WINDOW
            self.last_fall = fall(self.history, self.noisy)
            self.settled = held and has_settled(self.history, self.schedule.tolerance, self.noisy)
            if self.settled or record.step + 1 >= self.schedule.steps - self.schedule.cooling_steps:
                self.cooling_since = record.step + 1

    def outcome(self) -> Outcome:
        """How it ended."""
        if not np.isfinite(self.history[-1].objective):
            return Outcome(Ending.DIVERGED, len(self.history), np.nan)
        falls_no_more = self.last_fall < self.schedule.tolerance or not self.noisy
        quiet = Ending.CONVERGED if falls_no_more else Ending.SETTLED
        return Outcome(quiet if self.settled else Ending.OUT_OF_STEPS, len(self.history), self.last_fall)


def train(walk: Walk, course: Course, watch: Watcher | None = None, keep: Keeper | None = None) -> Outcome:
    """Step by step, until the objective no longer falls or the steps are used up.

    `watch` is told of each step before it is taken, for progress bars and moving pictures; `keep` after it, to write
    down how far it came.
    """
    while not course.is_over:
        step, reach, rate = course.next_step()
        record = Record(step, walk.look(step, reach, rate), reach, rate)
        if watch is not None:
            watch(record, walk.positions)
        course.add(record)
        if not np.isfinite(record.objective):
            break
        walk.move()
        if keep is not None:
            keep(course.history)
    walk.end()
    return course.outcome()


def fall(history: Sequence[Record], noisy: bool) -> float:
    """By how much the objective fell over the last window, relative to itself.

    Means are compared where there is noise, and lowest values where there is none: a line search tries
    high ones on its way.
    """
    values = np.array([record.objective for record in history[-2 * WINDOW :]])
    if len(values) < 2:
        return np.nan
    before, after = np.array_split(values, 2)
    drop = before.mean() - after.mean() if noisy else before.min() - values.min()
    return float(drop / max(abs(values.mean()), 1e-300))


def noise(history: Sequence[Record]) -> float:
    """The standard error of `fall` that comes from sampling: the scatter of neighbouring steps."""
    values = np.array([record.objective for record in history[-2 * WINDOW :]])
    scatter = np.std(np.diff(values)) / np.sqrt(2)
    return float(scatter * np.sqrt(2 / WINDOW) / max(abs(values.mean()), 1e-300))


def has_settled(history: Sequence[Record], tolerance: float, noisy: bool) -> bool:
    """Does the objective fall by less than the tolerance, or less than sampling lets us see?"""
    return fall(history, noisy) < max(tolerance, noise(history) if noisy else 0.0)
