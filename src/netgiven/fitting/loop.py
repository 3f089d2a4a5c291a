"""The one training loop."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from netgiven.engine.local import Threads
from netgiven.fitting.objectives import Objective
from netgiven.fitting.outcome import Ending, Outcome, Record
from netgiven.fitting.rules import Rule
from netgiven.fitting.schedule import Schedule
from netgiven.kernels.arrays import Floats

Watcher = Callable[[Record, Floats], None]

WINDOW = 10  # the objective's mean over so many steps is compared with its mean over as many before


def train(
    objective: Objective,
    rule: Rule,
    schedule: Schedule,
    positions: Floats,
    engine: Threads,
    watch: Watcher | None = None,
) -> tuple[Outcome, list[Record]]:
    """Move `positions` in place, step by step, until the objective no longer falls or the steps are used up.

    `watch` is told each step, for progress bars and moving pictures.
    """
    history: list[Record] = []
    state, settled, cooling_since, last_fall = rule.begin(positions), False, None, np.nan
    for step in range(schedule.steps):
        reach, rate = schedule.reach_at(step), schedule.rate_at(step, cooling_since)
        if history and rule.compares_values and reach != history[-1].reach:
            rule.end(state, positions)
            state = rule.begin(positions)
        value, gradient = objective(positions, reach, step)
        history.append(Record(step, value, reach, rate))
        if watch is not None:
            watch(history[-1], positions)
        if not np.isfinite(value):
            rule.end(state, positions)
            return Outcome(Ending.DIVERGED, step + 1, np.nan), history
        rule.step(state, positions, value, gradient, rate, engine)
        if cooling_since is None:
            held, last_fall = schedule.held_since(step) >= 2 * WINDOW, fall(history, objective.noisy)
            settled = held and has_settled(history, schedule.tolerance, objective.noisy)
            if settled or step + 1 >= schedule.steps - schedule.cooling_steps:
                cooling_since = step + 1
        if cooling_since is not None and step + 1 >= cooling_since + schedule.cooling_steps:
            break
    rule.end(state, positions)
    quiet = Ending.CONVERGED if last_fall < schedule.tolerance or not objective.noisy else Ending.SETTLED
    return Outcome(quiet if settled else Ending.OUT_OF_STEPS, len(history), last_fall), history


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
