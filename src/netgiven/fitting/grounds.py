"""Where trials take place: a contest's network and prior as kernels take them, made ready once for all trials."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from netgiven.fitting.contests import MANY_NODES, Contest
from netgiven.fitting.journeys import make_task
from netgiven.fitting.locality import in_own_order, order_of, reordered
from netgiven.fitting.loop import Course, train
from netgiven.fitting.run import start_positions
from netgiven.fitting.schedule import Schedule
from netgiven.fitting.settings import Settings
from netgiven.fitting.task import Task
from netgiven.fitting.walk import LocalWalk
from netgiven.model import Spread
from netgiven.parallel import Engine
from netgiven.types import Float32Array, Int64Array


class Ground(NamedTuple):
    """A contest and its task; of a large network, with nodes in an order that suits the memory.

    Positions are in the order of the task all the way through, until they are graded.
    """

    contest: Contest
    task: Task
    order: Int64Array | None

    def start(self, settings: Settings) -> Float32Array:
        """Where the first fit begins."""
        plain = make_task(self.contest.train, self.contest.prior, settings, self.task.engine)
        positions = start_positions(self.contest.train, self.contest.prior, settings, plain)
        return positions if self.order is None else positions[self.order]

    def move(self, settings: Settings, positions: Float32Array, schedule: Schedule, seed: int) -> Float32Array:
        """Where some steps lead, without padding."""
        assert not isinstance(settings.method, str)
        task = replace(self.task, stiffness=settings.spread.stiffness, shrinkage=settings.shrinkage)
        objective = settings.method.objective(task, positions.shape[1], seed)
        walk = LocalWalk(objective, settings.make_rule(), positions, task.engine)
        train(walk, Course(schedule, objective.noisy))
        return positions[:, : settings.dimensions].copy()

    def grade(self, positions: Float32Array, spread: Spread) -> float:
        """How well positions tell what is hidden."""
        return self.contest.grade(self._unsorted(positions), spread)

    def gain(self, positions: Float32Array, spread: Spread) -> tuple[float, float]:
        """How much better they tell it than the prior alone, and the standard error of that."""
        return self.contest.gain(self._unsorted(positions), spread)

    def _unsorted(self, positions: Float32Array) -> Float32Array:
        return positions if self.order is None else in_own_order(positions, self.order)


def make_ground(contest: Contest, settings: Settings, engine: Engine) -> Ground:
    """The ground of a contest."""
    task = make_task(contest.train, contest.prior, settings, engine)
    if contest.train.node_count <= MANY_NODES:
        return Ground(contest, task, None)
    order = order_of(task, settings.seed)
    return Ground(contest, reordered(task, order), order)
