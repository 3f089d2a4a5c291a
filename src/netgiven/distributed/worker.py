"""What one worker of a cluster does: the objective and the rule for the nodes that it owns."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from netgiven.distributed.shards import Part, unlocked
from netgiven.fitting.objectives import ExactMethod, SampledMethod
from netgiven.fitting.optimizers import Adam, Memory
from netgiven.fitting.problem import Draws, Task
from netgiven.kernels.arrays import Links, PriorArrays
from netgiven.kernels.updates import Moments
from netgiven.parallel import Threads
from netgiven.types import Float32Array, Float64Array


class Shared(NamedTuple):
    """What all workers need to know. A machine holds it once."""

    prior: PriorArrays
    draws: Draws | None
    stiffness: float
    shrinkage: float
    method: ExactMethod | SampledMethod
    rule: Adam
    dimensions: int
    seed: int


class Here(NamedTuple):
    """Where a step begins: its number, reach and rate."""

    step: int
    reach: float
    rate: float


class Worker:
    """Computes a range of nodes. All that it needs comes with each call, so that another can take its place at any
    time; what can be made of links and prior once for all steps is kept.
    """

    def __init__(self) -> None:
        self._objective: Any = None

    def ends(self, part: Part, rows: Links, shared: Shared) -> int:
        """How many ends of uncertain links there are here."""
        return int(self._made(part, rows, shared).task.link_terms.ends)

    def step(
        self, part: Part, rows: Links, shared: Shared, positions: Float32Array, here: Here, moments: Moments | None
    ) -> tuple[Float64Array, Float32Array, Moments]:
        """What own blocks add to the objective; own positions, and the memory of the rule, after the step."""
        objective, everybody = self._made(part, rows, shared), unlocked(positions)
        energies, gradient = objective.look(everybody, here.reach, here.step)
        own, rule = objective.task.own, shared.rule
        mine = everybody[own].copy()
        state = rule.begin(mine) if moments is None else Memory(Moments(*(m.copy() for m in moments)), here.step)
        rule.step(state, mine, 0.0, gradient[own], here.rate, Threads(1))
        return energies, mine, state.moments

    def _made(self, part: Part, rows: Links, shared: Shared) -> Any:
        if self._objective is None:
            self._objective = make_objective(part, unlocked(rows), unlocked(shared))
        return self._objective


def make_objective(part: Part, rows: Links, shared: Shared) -> Any:
    """The objective, as far as a range has a share in it."""
    links, nobody = spread_out(part, rows), np.empty(0)
    task = Task(links, shared.prior, nobody, shared.stiffness, shared.shrinkage, part, shared.draws)
    return shared.method.objective(task, shared.dimensions, shared.seed)


def rows_of(links: Links, part: Part) -> Links:
    """The rows of a range, counted from its beginning."""
    starts = links.indptr[part.start : part.stop + 1]
    return Links(starts - starts[0], links.indices[starts[0] : starts[-1]])


def spread_out(part: Part, rows: Links) -> Links:
    """Rows of a range in the place that they have in the whole; the others are empty, and take no memory."""
    indptr = np.zeros(part.count + 1, dtype=np.int64)
    indptr[part.start : part.stop + 1] = rows.indptr
    return Links(indptr, rows.indices)
