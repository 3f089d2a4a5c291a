"""Rules that move positions: each is a value with `begin` and `step`, and its state travels beside it.

Sums are NumPy's own, not those of a linear algebra library, whose order of addition changes with the number of threads.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from netgiven.kernels.updates import Moments, Pace, adam
from netgiven.parallel import NODES_WORTH_A_THREAD, Engine
from netgiven.types import Float32Array, Float64Array


class Rule(Protocol):
    """Moves positions, given value and gradient there."""

    name: str
    compares_values: bool  # of different steps, so that a new reach means a new beginning

    def begin(self, positions: Float32Array) -> Any:
        """The state before the first step."""
        ...

    def step(
        self, state: Any, positions: Float32Array, value: float, gradient: Float32Array, rate: float, engine: Engine
    ) -> None:
        """Move `positions` in place, and bring `state` up to date."""
        ...

    def end(self, state: Any, positions: Float32Array) -> None:
        """Leave `positions` at the best point that the rule knows of."""
        ...


@dataclass
class Memory:
    """Adam's memory, and for how many steps it has been gathered."""

    moments: Moments
    steps: int = 0


@dataclass(frozen=True)
class Adam:
    """Each coordinate moves by about `rate` in the direction that its gradient keeps to (Kingma and Ba 2015)."""

    keep_mean: float = 0.9
    keep_square: float = 0.99
    name = "adam"
    compares_values = False

    def begin(self, positions: Float32Array) -> Memory:
        """Moments of zero."""
        return Memory(Moments(np.zeros_like(positions), np.zeros_like(positions)))

    def step(
        self, state: Memory, positions: Float32Array, value: float, gradient: Float32Array, rate: float, engine: Engine
    ) -> None:
        """One step; the correction for moments that began at zero goes into the rate."""
        state.steps += 1
        correction = np.sqrt(1 - self.keep_square**state.steps) / (1 - self.keep_mean**state.steps)
        pace = Pace(np.float32(rate * correction), np.float32(self.keep_mean), np.float32(self.keep_square))
        engine.run(adam, len(positions), positions, gradient, state.moments, pace, grain=NODES_WORTH_A_THREAD)

    def end(self, state: Memory, positions: Float32Array) -> None:
        """The last point is the best."""


@dataclass
class Search:
    """Where L-BFGS stands: the last point it accepted, the direction it searches from there, and how curvature
    looked before.
    """

    positions: Float64Array | None = None
    value: float = np.inf
    gradient: Float64Array = field(default_factory=lambda: np.empty(0))
    direction: Float64Array = field(default_factory=lambda: np.empty(0))
    slope: float = 0.0
    length: float = 1.0
    memory: list[tuple[Any, Any, float]] = field(default_factory=list)


@dataclass(frozen=True)
class LBFGS:
    """Limited-memory BFGS with backtracking (Nocedal 1980), one evaluation a step, for objectives without noise.

    SciPy's keeps the loop to itself; this one shares the loop, its schedule, progress and stopping with all other
    rules.
    """

    memory: int = 10
    decrease: float = 1e-4
    name = "lbfgs"
    compares_values = True

    def begin(self, positions: Float32Array) -> Search:
        """No point accepted yet."""
        return Search()

    def step(
        self, state: Search, positions: Float32Array, value: float, gradient: Float32Array, rate: float, engine: Engine
    ) -> None:
        """Accept the point just evaluated and search on from it, or go back half the way."""
        if value <= state.value + self.decrease * state.length * state.slope or state.positions is None:
            self._accept(state, positions.astype(np.float64), value, gradient.astype(np.float64), rate)
        else:
            state.length /= 2
        assert state.positions is not None
        positions[:] = state.positions + state.length * state.direction

    def end(self, state: Search, positions: Float32Array) -> None:
        """The last point accepted."""
        if state.positions is not None:
            positions[:] = state.positions

    def _accept(self, state: Search, point: Any, value: float, gradient: Any, rate: float) -> None:
        if state.positions is not None:
            moved, bent = point - state.positions, gradient - state.gradient
            curvature = float(np.sum(moved * bent))
            if curvature > 1e-10 * float(np.sum(bent * bent)):
                state.memory = [*state.memory[-self.memory + 1 :], (moved, bent, curvature)]
        state.positions, state.value, state.gradient = point, value, gradient
        state.direction = _two_loops(gradient, state.memory, rate)
        state.slope = float(np.sum(state.direction * gradient))
        state.length = 1.0


def _two_loops(gradient: Any, memory: list[tuple[Any, Any, float]], rate: float) -> Any:
    """-H^-1 gradient, as far as the memory knows the curvature H. Without any, the largest move is `rate`."""
    direction = -gradient
    if not memory:
        return direction * (rate / max(float(np.abs(gradient).max(initial=0.0)), 1e-300))
    shares = []
    for moved, bent, curvature in reversed(memory):
        share = float(np.sum(moved * direction)) / curvature
        direction = direction - share * bent
        shares.append(share)
    _, bent, curvature = memory[-1]
    direction = direction * (curvature / float(np.sum(bent * bent)))
    for (moved, bent, curvature), share in zip(memory, reversed(shares), strict=True):
        direction = direction + (share - float(np.sum(bent * direction)) / curvature) * moved
    return direction
