"""Optimizers: each is a value with `init` and `step`, and its state travels beside it.

Sums are NumPy's own, not those of a linear algebra library, whose order of addition changes with the number of threads.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import ClassVar, Generic, TypeVar

import numpy as np

from netgiven.kernels.gradient import AdamStep, Moments, adam
from netgiven.parallel import MIN_NODES_PER_THREAD, Engine
from netgiven.types import Float32Array, Float64Array

ROUNDING = 1e-6  # gradients below this are rounding errors of single precision: the prior explains all links

State = TypeVar("State")
OptimizerClass = TypeVar("OptimizerClass", bound="type[Optimizer]")  # type: ignore[type-arg]


class Optimizer(ABC, Generic[State]):
    """Moves positions, given the objective's value and gradient there.

    A new optimizer is a frozen dataclass, registered under its name: `Settings` and the command line find it there.
    """

    name: ClassVar[str]
    compares_values: ClassVar[bool] = (
        False  # between steps: needs an objective without noise, and starts over at a new reach
    )
    per_node: ClassVar[bool] = False  # can the step of a node be taken without the other nodes?
    warmup_stages: ClassVar[int] = 0  # jumps in which the reach rises; 0: a little in each step

    @abstractmethod
    def init(self, positions: Float32Array) -> State:
        """The state before the first step."""

    @abstractmethod
    def step(self, state: State, positions: Float32Array, evaluated: Evaluation, engine: Engine) -> None:
        """Move `positions` in place, and update `state`."""

    @abstractmethod
    def finish(self, state: State, positions: Float32Array) -> None:
        """Leave `positions` at the best point that the optimizer knows."""


@dataclass(frozen=True)
class Evaluation:
    """The objective at the current positions, and the learning rate of the step from there."""

    value: float
    gradient: Float32Array
    learning_rate: float


OPTIMIZERS: dict[str, type[Optimizer]] = {}  # type: ignore[type-arg]


def register_optimizer(kind: OptimizerClass) -> OptimizerClass:
    """Make an optimizer known by its name."""
    OPTIMIZERS[kind.name] = kind
    return kind


@dataclass
class AdamState:
    """Running means of gradients and of their squares, and the number of steps they cover."""

    moments: Moments
    steps: int = 0


@register_optimizer
@dataclass(frozen=True)
class Adam(Optimizer[AdamState]):
    """Adam (Kingma and Ba 2015): each coordinate moves by about the learning rate along its mean gradient."""

    mean_decay: float = 0.9
    square_decay: float = 0.99
    name = "adam"
    per_node = True

    def init(self, positions: Float32Array) -> AdamState:
        """Moments of zero."""
        return AdamState(Moments(np.zeros_like(positions), np.zeros_like(positions)))

    def step(self, state: AdamState, positions: Float32Array, evaluated: Evaluation, engine: Engine) -> None:
        """One step. The correction for moments that began at zero goes into the learning rate."""
        state.steps += 1
        correction = np.sqrt(1 - self.square_decay**state.steps) / (1 - self.mean_decay**state.steps)
        length = np.float32(evaluated.learning_rate * correction)
        pace = AdamStep(length, np.float32(self.mean_decay), np.float32(self.square_decay))
        engine.run(adam, len(positions), positions, evaluated.gradient, state.moments, pace, grain=MIN_NODES_PER_THREAD)

    def finish(self, state: AdamState, positions: Float32Array) -> None:
        """Nothing to do: the last point counts as the best."""


@dataclass(frozen=True)
class CurvaturePair:
    """A move, the change of the gradient along it, and the scalar product of both."""

    move: Float64Array
    gradient_change: Float64Array
    curvature: float


@dataclass
class LineSearchState:
    """The last accepted point, the search direction from there, and curvature seen before."""

    positions: Float64Array | None = None
    value: float = np.inf
    gradient: Float64Array = field(default_factory=lambda: np.empty(0))
    direction: Float64Array = field(default_factory=lambda: np.empty(0))
    slope: float = 0.0
    length: float = 1.0
    pairs: list[CurvaturePair] = field(default_factory=list)


@register_optimizer
@dataclass(frozen=True)
class LBFGS(Optimizer[LineSearchState]):
    """Limited-memory BFGS with backtracking (Nocedal 1980), one evaluation per step.

    SciPy's implementation owns the loop; this one shares the training loop, its schedule, progress and stopping rule
    with the other optimizers.
    """

    memory: int = 10
    decrease: float = 1e-4
    name = "lbfgs"
    compares_values = True
    warmup_stages = 4

    def init(self, positions: Float32Array) -> LineSearchState:
        """No point is accepted yet."""
        return LineSearchState()

    def step(self, state: LineSearchState, positions: Float32Array, evaluated: Evaluation, engine: Engine) -> None:
        """Accept the point just evaluated and search on from it, or halve the step length."""
        if evaluated.value <= state.value + self.decrease * state.length * state.slope or state.positions is None:
            self._accept(state, positions.astype(np.float64), evaluated)
        else:
            state.length /= 2
        assert state.positions is not None
        positions[:] = state.positions + state.length * state.direction

    def finish(self, state: LineSearchState, positions: Float32Array) -> None:
        """Go back to the last accepted point."""
        if state.positions is not None:
            positions[:] = state.positions

    def _accept(self, state: LineSearchState, point: Float64Array, evaluated: Evaluation) -> None:
        gradient = evaluated.gradient.astype(np.float64)
        if state.positions is not None:
            move, change = point - state.positions, gradient - state.gradient
            curvature = float(np.sum(move * change))
            if curvature > 1e-10 * float(np.sum(change * change)):
                state.pairs = [*state.pairs[-self.memory + 1 :], CurvaturePair(move, change, curvature)]
        state.positions, state.value, state.gradient = point, evaluated.value, gradient
        state.direction = _two_loop_direction(gradient, state.pairs, evaluated.learning_rate)
        state.slope = float(np.sum(state.direction * gradient))
        state.length = 1.0


def _two_loop_direction(gradient: Float64Array, pairs: list[CurvaturePair], learning_rate: float) -> Float64Array:
    """-H^-1 gradient, with the Hessian H as far as the pairs know it; without any, the largest move is the rate."""
    direction: Float64Array = -gradient
    steepest = float(np.abs(gradient).max(initial=0.0))
    if steepest < ROUNDING:
        return np.zeros_like(direction)
    if not pairs:
        return direction * (learning_rate / steepest)
    shares = []
    for pair in reversed(pairs):
        share = float(np.sum(pair.move * direction)) / pair.curvature
        direction = direction - share * pair.gradient_change
        shares.append(share)
    last = pairs[-1]
    direction = direction * (last.curvature / float(np.sum(last.gradient_change * last.gradient_change)))
    for pair, share in zip(pairs, reversed(shares), strict=True):
        back = float(np.sum(pair.gradient_change * direction)) / pair.curvature
        direction = direction + (share - back) * pair.move
    return direction
