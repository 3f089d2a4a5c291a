"""The training loop, its schedule, and the monitor that decides when it ends."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any, NamedTuple, Protocol

import numpy as np

from netgiven.fitting.objectives import Objective
from netgiven.fitting.optimizers import Evaluation, Optimizer
from netgiven.parallel import Engine
from netgiven.types import Float32Array


@dataclass(frozen=True)
class Schedule:
    """Reach and learning rate of each step: warm up, hold, decay.

    The reach rises in a straight line over the first `warmup` share of the steps: with the full reach at once, distant
    nodes do not feel each other and a random start stays tangled. Then it holds until the objective falls no more.
    Last, the learning rate falls in a straight line to zero over `decay` times `max_steps`, which averages sampling
    noise away. Without decay the fit ends with the hold.

    Examples
    --------
    >>> schedule = Schedule(max_steps=10, reach=2.0, learning_rate=0.2, warmup=0.5, decay=0.3)
    >>> [round(schedule.reach_at(step), 2) for step in range(6)]
    [0.4, 0.8, 1.2, 1.6, 2.0, 2.0]
    >>> [round(schedule.learning_rate_at(step, decay_start=7), 3) for step in (7, 8, 9)]
    [0.2, 0.133, 0.067]
    """

    max_steps: int
    reach: float
    learning_rate: float
    warmup: float = 0.0
    decay: float = 0.0
    tolerance: float = 0.0  # a relative fall of the objective below this, over a window of steps, counts as none
    warmup_stages: int = 0  # the reach rises in this many jumps; 0: a little in each step

    @property
    def decay_steps(self) -> int:
        """Number of steps over which the learning rate falls to zero."""
        return round(self.decay * self.max_steps)

    def reach_at(self, step: int) -> float:
        """The reach of a step, counted from 0."""
        rise = self.warmup * self.max_steps
        share = min(1.0, (step + 1) / rise) if rise > 1 else 1.0
        stages = self.warmup_stages
        return self.reach * (-(-share * stages // 1) / stages if stages else share)

    def learning_rate_at(self, step: int, decay_start: int | None) -> float:
        """The learning rate of a step; `decay_start` is None while it holds."""
        if decay_start is None:
            return self.learning_rate
        return self.learning_rate * (1 - (step - decay_start) / max(self.decay_steps, 1))

    def steps_at_full_reach(self, step: int) -> int:
        """For how many steps the reach has been at its target."""
        return max(0, step + 1 - round(self.warmup * self.max_steps))


class Status(Enum):
    """Why a fit stopped. The value is the message for users.

    Examples
    --------
    >>> import netgiven as ng
    >>> ring = ng.Network.from_edges([(i, (i + 1) % 12) for i in range(12)])
    >>> ng.embed(ring, dimensions=2, max_steps=3).fit.convergence.status is ng.Status.OUT_OF_STEPS
    True
    """

    CONVERGED = "converged: the objective no longer falls"
    WITHIN_NOISE = "converged within sampling noise: any further fall is smaller than the noise"
    REFINED = "refined: the planned steps from the positions that settings were chosen with"
    OUT_OF_STEPS = "out of steps: the objective was still falling, more steps would help"
    DIVERGED = "diverged: the objective is not a number; a lower learning rate or reach may help"
    NOTHING_TO_FIT = "nothing to fit: the network has fewer than two nodes"


class Step(NamedTuple):
    """One step of a fit: its number, and the objective, reach and learning rate it was taken with."""

    step: int
    objective: float
    reach: float
    learning_rate: float


@dataclass(frozen=True)
class Convergence:
    """Why a fit stopped, after how many steps, and the relative change of the objective over the last window."""

    status: Status
    steps: int
    last_change: float

    def __str__(self) -> str:
        return f"{self.status.value} ({self.steps} steps, last relative change {self.last_change:.1e})"

    @property
    def diverged(self) -> bool:
        """Whether the objective stopped being a number."""
        return self.status is Status.DIVERGED


Callback = Callable[[Step, Float32Array], None]
SaveProgress = Callable[[Sequence[Step]], None]

WINDOW = 10  # the objective's mean over this many steps is compared with its mean over as many before


class Stepper(Protocol):
    """Positions on their way to the minimum of an objective, one step at a time."""

    @property
    def noisy(self) -> bool:
        """Whether values of the objective are estimates."""
        ...

    @property
    def positions(self) -> Float32Array:
        """The current positions."""
        ...

    def evaluate(self, step: int, reach: float, learning_rate: float) -> float:
        """The objective at the current positions."""
        ...

    def advance(self) -> None:
        """Take the step that was evaluated."""
        ...

    def finish(self) -> None:
        """Leave the positions at the best point that is known."""
        ...


Observer = Callable[[Step, Stepper], None]  # asks for positions only if it needs them: they may be on other machines


class LocalStepper:
    """An objective and an optimizer that moves positions in place, on the threads of this machine."""

    def __init__(
        self, objective: Objective, optimizer: Optimizer[Any], positions: Float32Array, engine: Engine
    ) -> None:
        self.objective, self.optimizer, self.positions, self.engine = objective, optimizer, positions, engine
        self._state = optimizer.init(positions)
        self._evaluated: Evaluation | None = None
        self._reach = 0.0

    @property
    def noisy(self) -> bool:
        """Whether values of the objective are estimates."""
        return self.objective.noisy

    def evaluate(self, step: int, reach: float, learning_rate: float) -> float:
        """The objective here. An optimizer that compares values starts over where the reach changes."""
        if self._evaluated is not None and self.optimizer.compares_values and reach != self._reach:
            self.finish()
            self._state = self.optimizer.init(self.positions)
        self._evaluated = Evaluation(*self.objective(self.positions, reach, step), learning_rate)
        self._reach = reach
        return self._evaluated.value

    def advance(self) -> None:
        """Let the optimizer take its step."""
        assert self._evaluated is not None
        self.optimizer.step(self._state, self.positions, self._evaluated, self.engine)

    def finish(self) -> None:
        """Go to the best point that the optimizer knows."""
        self.optimizer.finish(self._state, self.positions)


class ConvergenceMonitor:
    """Decides from the steps so far whether the learning rate decays already, and whether the fit is over.

    It depends on the steps alone, so that a fit that was interrupted goes on as if it had not been.
    """

    def __init__(self, schedule: Schedule, noisy: bool, steps: Sequence[Step] = ()) -> None:
        self.schedule, self.noisy = schedule, noisy
        self.steps: list[Step] = []
        self.decay_start: int | None = None
        self.has_converged, self.last_fall = False, np.nan
        for step in steps:
            self.add(step)

    @property
    def is_over(self) -> bool:
        """Whether all steps are taken, or the learning rate is at zero."""
        step, start = len(self.steps), self.decay_start
        return step >= self.schedule.max_steps or (start is not None and step >= start + self.schedule.decay_steps)

    def next_step(self) -> tuple[int, float, float]:
        """Number, reach and learning rate of the next step."""
        step = len(self.steps)
        return step, self.schedule.reach_at(step), self.schedule.learning_rate_at(step, self.decay_start)

    def add(self, step: Step) -> None:
        """Add a step. Decay begins when the objective no longer falls, or when just enough steps are left for it."""
        self.steps.append(step)
        if self.decay_start is None and np.isfinite(step.objective):
            has_held = self.schedule.steps_at_full_reach(step.step) >= 2 * WINDOW
            self.last_fall = relative_fall(self.steps, self.noisy)
            self.has_converged = has_held and is_flat(self.steps, self.schedule.tolerance, self.noisy)
            if self.has_converged or step.step + 1 >= self.schedule.max_steps - self.schedule.decay_steps:
                self.decay_start = step.step + 1

    def convergence(self) -> Convergence:
        """Why the fit ended."""
        if not np.isfinite(self.steps[-1].objective):
            return Convergence(Status.DIVERGED, len(self.steps), np.nan)
        below_tolerance = self.last_fall < self.schedule.tolerance or not self.noisy
        converged = Status.CONVERGED if below_tolerance else Status.WITHIN_NOISE
        return Convergence(converged if self.has_converged else Status.OUT_OF_STEPS, len(self.steps), self.last_fall)


def train(
    stepper: Stepper,
    monitor: ConvergenceMonitor,
    observe: Observer | None = None,
    save_progress: SaveProgress | None = None,
) -> Convergence:
    """Take steps until the objective no longer falls or all steps are taken.

    `observe` is called before each step, with its record and the stepper; `save_progress` after it.
    """
    while not monitor.is_over:
        step, reach, learning_rate = monitor.next_step()
        record = Step(step, stepper.evaluate(step, reach, learning_rate), reach, learning_rate)
        if observe is not None:
            observe(record, stepper)
        monitor.add(record)
        if not np.isfinite(record.objective):
            break
        stepper.advance()
        if save_progress is not None:
            save_progress(monitor.steps)
    stepper.finish()
    return monitor.convergence()


def relative_fall(steps: Sequence[Step], noisy: bool) -> float:
    """By how much the objective fell over the last window, relative to itself.

    Means are compared where there is noise, and lowest values where there is none: a line search tries high ones on
    its way.
    """
    values = np.array([step.objective for step in steps[-2 * WINDOW :]])
    if len(values) < 2:
        return np.nan
    before, after = np.array_split(values, 2)
    drop = before.mean() - after.mean() if noisy else before.min() - values.min()
    return float(drop / max(abs(values.mean()), 1e-300))


def sampling_noise(steps: Sequence[Step]) -> float:
    """The standard error of `relative_fall` that sampling causes: from the scatter of neighbouring steps."""
    values = np.array([step.objective for step in steps[-2 * WINDOW :]])
    scatter = np.std(np.diff(values)) / np.sqrt(2)
    return float(scatter * np.sqrt(2 / WINDOW) / max(abs(values.mean()), 1e-300))


def is_flat(steps: Sequence[Step], tolerance: float, noisy: bool) -> bool:
    """Whether the objective falls by less than the tolerance, or by less than sampling noise."""
    return relative_fall(steps, noisy) < max(tolerance, sampling_noise(steps) if noisy else 0.0)
