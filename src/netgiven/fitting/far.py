"""Positions on their way, computed by the workers of a cluster: the same bits as on one machine.

One exchange a step. Each worker gets everybody's positions, of which a machine holds one copy, and gives those of its
own nodes after the step, with the memory of its rule. This machine keeps both: what is lost with a machine is computed
again from the last exchange.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from netgiven.engine.cluster import Crew, Ray, Session, connected
from netgiven.engine.part import Part
from netgiven.errors import InputError
from netgiven.fitting.checkpoint import Checkpoint, fingerprint
from netgiven.fitting.journeys import Journey, Journeys, LocalJourneys, make_task
from netgiven.fitting.methods import PaperMethod, SampledMethod
from netgiven.fitting.rules import Adam
from netgiven.fitting.scattered import ScatteredTask
from netgiven.fitting.settings import Settings
from netgiven.fitting.task import Task
from netgiven.fitting.worker import Here, Shared, Worker, rows_of
from netgiven.kernels.updates import Moments
from netgiven.network import Network
from netgiven.parallel import Engine
from netgiven.priors.prior import Prior
from netgiven.types import Float32Array


class FarJourneys:
    """Fits on a cluster, with a checkpoint where one was asked for."""

    def __init__(self, session: Session, settings: Ray) -> None:
        self.session, self.settings = session, settings

    @property
    def news(self) -> str:
        """Machines that were lost."""
        return self.session.news

    def task(self, network: Network, prior: Prior, settings: Settings, engine: Engine) -> Task:
        """The links are here, until they are handed out."""
        return make_task(network, prior, settings, engine)

    def begin(self, task: Task, settings: Settings, positions: Float32Array) -> Journey:
        """From these positions, or from where the checkpoint is."""
        walk = FarWalk(self.session, task, settings, positions)
        if self.settings.checkpoint is None:
            return Journey(walk)
        checkpoint = Checkpoint(walk, self.settings, fingerprint(task, settings))
        return Journey(walk, checkpoint.restore() if self.settings.resume else (), checkpoint.keep)


@contextmanager
def journeys_on(engine: str | Ray, settings: Settings) -> Iterator[Journeys]:
    """Where to fit: "local", "ray", or a certain cluster; connected for the length of a `with` block.

    Complains before it connects if a cluster cannot do what is asked for.
    """
    if engine == "local":
        yield LocalJourneys()
        return
    wanted = Ray() if engine == "ray" else engine
    if not isinstance(wanted, Ray):
        raise InputError(f"The engine {engine!r} was given; it is local, ray, or Ray(address=..., workers=...).")
    check_divisible(settings)
    with connected(wanted) as session:
        yield FarJourneys(session, wanted)


class FarWalk:
    """Positions that workers look around for, and move."""

    def __init__(self, session: Session, task: Task, settings: Settings, positions: Float32Array) -> None:
        self.ray, self.task, self.positions = session.ray, task, positions
        method, rule = check_divisible(settings)
        self.noisy = isinstance(method, SampledMethod)
        self.parts, rows = hand_out(session, task)
        draws = task.draws_of(method.samples) if isinstance(method, SampledMethod) else None
        size = positions.shape[1]
        shared = Shared(task.prior, draws, task.stiffness, task.shrinkage, method, rule, size, settings.seed)
        common = self.ray.put(shared)
        self._given = [(part, own, common) for part, own in zip(self.parts, rows, strict=True)]
        self._crew = Crew(session, Worker, len(self.parts))
        self._ends = sum(self.ray.get(self._crew.ask("ends", self._given)))
        self._moments: list[Any] = [None] * len(self.parts)
        self._here = self.ray.put(positions)
        self._answers: list[Any] = []

    def look(self, step: int, reach: float, rate: float) -> float:
        """The objective here; workers go on and take the step, as nothing else would be done meanwhile."""
        here = self._here, Here(step, reach, rate)
        calls = [(*given, *here, moments) for given, moments in zip(self._given, self._moments, strict=True)]
        self._answers = self._crew.ask("step", calls, returns=3)
        energies = self.ray.get([energies for energies, _, _ in self._answers])
        return self.task.value(np.concatenate(energies), reach, self._ends)

    def move(self) -> None:
        """Gather what workers moved, and show it to all of them."""
        pieces = self.ray.get([mine for _, mine, _ in self._answers])
        self._moments = [moments for _, _, moments in self._answers]
        self.ray.wait(self._moments, num_returns=len(self._moments), fetch_local=True)  # a copy of it outlives theirs
        np.concatenate(pieces, out=self.positions)
        self._answers = []  # or the store would keep what is out of date beside what comes next
        self._here = self.ray.put(self.positions)

    def end(self) -> None:
        """The last point is the best."""
        self._crew.close()

    # ---- what a checkpoint holds -----------------------------------------------------------------------------------

    def moments(self) -> Moments:
        """The memory of the rule, of all nodes."""
        mean, square = zip(*self.ray.get(self._moments), strict=True)
        return Moments(np.concatenate(mean), np.concatenate(square))

    def put_back(self, positions: Float32Array, moments: Moments) -> None:
        """Go on from where another walk was."""
        self.positions[:] = positions
        self._here = self.ray.put(self.positions)
        self._moments = [self.ray.put(Moments(*(m[part.start : part.stop] for m in moments))) for part in self.parts]


def hand_out(session: Session, task: Task) -> tuple[Sequence[Part], Sequence[Any]]:
    """Ranges of nodes, and references to their rows."""
    if isinstance(task, ScatteredTask):
        return task.parts, task.rows
    parts = session.cut(np.diff(task.links.indptr))
    return parts, [session.ray.put(rows_of(task.links, part)) for part in parts]


def check_divisible(settings: Settings) -> tuple[Any, Adam]:
    """Method and rule, if each node's part of them can be had without the others'."""
    method, rule = settings.method, settings.make_rule()
    if isinstance(method, PaperMethod):
        raise InputError("The method paper was asked for, which one machine has to compute; a cluster does sampled.")
    if not isinstance(rule, Adam):
        raise InputError(
            f"The rule {rule.name} compares whole steps, which one machine has to do; networks of up to 2,000 nodes "
            "are fitted so by default, within seconds. Leave the cluster out, or ask for the method sampled."
        )
    return method, rule
