"""Positions on their way, computed by the workers of a cluster: the same bits as on one machine.

One exchange a step. Each worker gets everybody's positions, of which a machine holds one copy, and gives those of its
own nodes after the step, with the memory of its rule. This machine keeps both: what is lost with a machine is computed
again from the last exchange.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Protocol

import numpy as np

from netgiven.array_file import Arrays, load_arrays, save_arrays
from netgiven.distributed.cluster import Crew, Ray, Session, connected
from netgiven.distributed.sharded import ScatteredTask
from netgiven.distributed.shards import Part
from netgiven.distributed.worker import Here, Shared, Worker, rows_of
from netgiven.edges import counted
from netgiven.errors import FormatError, InputError
from netgiven.fitting.fit import Journey, Journeys, LocalJourneys, make_task
from netgiven.fitting.objectives import PaperMethod, SampledMethod
from netgiven.fitting.optimizers import Adam
from netgiven.fitting.problem import Task
from netgiven.fitting.record import Record
from netgiven.fitting.settings import Settings
from netgiven.kernels.updates import Moments
from netgiven.network import Network
from netgiven.parallel import Engine
from netgiven.priors.prior import Prior
from netgiven.types import Float32Array

# ---- A file from which a fit goes on after the machine that drove it died --------------------------------------------


class Resumable(Protocol):
    """A walk that can be put where another one was."""

    positions: Float32Array

    def moments(self) -> Moments:
        """The memory of its rule."""
        ...

    def put_back(self, positions: Float32Array, moments: Moments) -> None:
        """Go on from there."""
        ...


class Checkpoint:
    """Positions, the memory of the rule and the history of a walk, written whole or not at all."""

    def __init__(self, walk: Resumable, settings: Ray, mark: str) -> None:
        assert settings.checkpoint is not None
        self.walk, self.path, self.mark = walk, settings.checkpoint, mark
        self.seconds, self.tell = 60 * settings.minutes, settings.tell
        self._last = time.monotonic()

    def keep(self, history: Sequence[Record]) -> None:
        """Write, if the time has come. A fit of hours does not end because a disk is full: it says so and goes on."""
        if time.monotonic() - self._last < self.seconds:
            return
        try:
            mean, square = self.walk.moments()
            arrays = {"positions": self.walk.positions, "mean": mean, "square": square}
            steps = np.array(history, dtype=np.float64)
            save_arrays(self.path, {**arrays, "history": steps}, {"checkpoint": self.mark})
        except InputError as problem:
            self.tell(f"No checkpoint was written: {problem} The fit goes on; make room, or it cannot be resumed.")
        self._last = time.monotonic()

    def restore(self) -> list[Record]:
        """Put the walk where the file says; the steps that it had taken."""
        arrays, header = load_arrays(self.path)
        if header.get("checkpoint") != self.mark:
            raise InputError(
                f"The checkpoint {self.path} is of another network, prior or settings. Repeat the command that wrote "
                "it, or leave resume out to begin anew."
            )
        if not _fit(arrays, self.walk.positions):
            raise FormatError(f"The checkpoint {self.path} is damaged; leave resume out to begin anew.")
        self.walk.put_back(arrays["positions"], Moments(arrays["mean"], arrays["square"]))
        history = [Record(int(step), *rest) for step, *rest in arrays["history"].tolist()]
        self.tell(f"Resumed after {counted(len(history), 'step')}.")
        return history


def _fit(arrays: Arrays, positions: Float32Array) -> bool:
    """Are all arrays there, as this walk has them? What kernels are handed is not looked at again."""
    alike = (arrays.get(name, np.empty(0)) for name in ("positions", "mean", "square"))
    rows = all(array.shape == positions.shape and array.dtype == positions.dtype for array in alike)
    return rows and arrays.get("history", np.empty(0)).shape[1:] == (len(Record._fields),)


def fingerprint(task: Task, settings: Settings) -> str:
    """What decides the steps of a fit, in a few letters."""
    digest = hashlib.sha256(repr(settings).encode())
    for array in _arrays(task.prior, task.links):
        digest.update(np.ascontiguousarray(array).data)
    return digest.hexdigest()


def _arrays(*values: Any) -> list[Any]:
    """Arrays, and those within tuples."""
    return [array for value in values for array in (_arrays(*value) if isinstance(value, tuple) else [value])]


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
