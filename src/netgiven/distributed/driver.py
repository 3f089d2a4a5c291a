"""Fit on a Ray cluster: the same bytes as on one machine.

Each worker keeps the state of the optimizer for its nodes. There is one exchange per step: workers put the positions of
their nodes into Ray's object store, and on each machine one of them makes one array of all. The driver passes
references on; no positions come to it but for a checkpoint, for a callback, and in the end.

If a worker or a machine is lost, new workers go on from the last checkpoint, or from the beginning if there is none
yet. Steps that are repeated give the same bytes, as random numbers belong to a step and a node. It is what happens too
when a fit is resumed whose driver has died.
"""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import numpy.typing as npt

from netgiven.array_file import Shape, open_arrays, save_pieces
from netgiven.distributed.cluster import Actors, Ray, Session, Shard, WorkersLost, connect
from netgiven.distributed.sharded import ShardedProblem
from netgiven.distributed.worker import Broadcast, StepArguments, Worker, rows_of_shard
from netgiven.edges import counted
from netgiven.errors import FormatError, InputError
from netgiven.fitting.fit import Backend, make_problem
from netgiven.fitting.objectives import SampledMethod
from netgiven.fitting.optimizers import OPTIMIZERS, Adam
from netgiven.fitting.problem import Problem
from netgiven.fitting.settings import ResolvedSettings
from netgiven.fitting.train import Convergence, ConvergenceMonitor, Observer, Schedule, Step, train
from netgiven.kernels.gradient import Moments
from netgiven.network import Network
from netgiven.parallel import Engine
from netgiven.priors.prior import Prior
from netgiven.types import Float32Array

STATE = ("positions", *Moments._fields)  # arrays of a checkpoint, in the order of the file
MAX_LOSSES = 5  # of workers in a row, without a further step: then something is wrong that does not go away


@contextmanager
def open_ray_backend(engine: str | Ray, settings: ResolvedSettings) -> Iterator[Backend]:
    """Fit on "ray", or on a certain cluster; connected for the length of a `with` block.

    Raises an error before it connects if a cluster cannot run these settings.
    """
    cluster = Ray() if engine == "ray" else engine
    if not isinstance(cluster, Ray):
        raise InputError(f"engine = {engine!r} was given; it is 'local', 'ray', or Ray(address=..., workers=...).")
    check_shardable(settings)
    with connect(cluster) as session:
        yield RayBackend(session, cluster)


def check_shardable(settings: ResolvedSettings) -> None:
    """Raise an error if a node's part of a step cannot be computed without the other nodes' parts."""
    if not settings.method.shardable:
        raise InputError(
            f"The method {settings.method.name} was requested, which only one machine can compute; a cluster computes "
            "the method sampled."
        )
    if not OPTIMIZERS[settings.optimizer].per_node:
        raise InputError(
            f"The optimizer {settings.optimizer} compares whole steps, which only one machine can do. It is the "
            "default for up to 2,000 nodes, where a fit takes seconds. Use the method sampled, or no cluster."
        )


class RayBackend:
    """Fits on a cluster, with a checkpoint if one is requested."""

    def __init__(self, session: Session, cluster: Ray) -> None:
        self.session, self.cluster = session, cluster

    @property
    def warning(self) -> str:
        """Machines that were lost."""
        return self.session.warning

    def make_problem(self, network: Network, prior: Prior, settings: ResolvedSettings, engine: Engine) -> Problem:
        """The fit in arrays; links are here until they are sharded."""
        return make_problem(network, prior, settings, engine)

    def optimize(
        self, problem: Problem, settings: ResolvedSettings, positions: Float32Array, observe: Observer
    ) -> tuple[Convergence, list[Step]]:
        """Train from these positions, or from those of the checkpoint."""
        stepper = RayStepper(self.session, problem, settings, positions)
        with TemporaryDirectory(prefix="netgiven-") as folder:
            path = self.cluster.checkpoint or Path(folder, "checkpoint")
            checkpoint = Checkpoint(stepper, self.cluster, path, fingerprint(problem, settings))
            try:
                return self._train(stepper, checkpoint, settings.schedule(), observe)
            finally:
                stepper.close()

    def _train(
        self, stepper: RayStepper, checkpoint: Checkpoint, schedule: Schedule, observe: Observer
    ) -> tuple[Convergence, list[Step]]:
        """Train; after the loss of workers again from the last checkpoint."""
        losses = 0
        while True:
            reached = stepper.reached
            try:
                monitor = ConvergenceMonitor(schedule, stepper.noisy, checkpoint.begin())
                return train(stepper, monitor, observe, checkpoint.save), monitor.steps
            except WorkersLost as problem:
                losses = 1 if stepper.reached > reached else losses + 1
                if losses == MAX_LOSSES:
                    raise InputError(
                        f"Workers were lost {losses} times in a row, and none came further than {stepper.reached} "
                        f"steps; the last time: {problem} If memory is short, request fewer workers, or use machines "
                        "with more of it."
                    ) from problem
                self.cluster.log(f"A worker was lost; all go back to {checkpoint}.")


class RayStepper:
    """Positions that the workers of a cluster move, each worker those of its shard.

    `start` is the only array of all positions here: those that workers begin with, and in the end the result.
    """

    def __init__(self, session: Session, problem: Problem, settings: ResolvedSettings, start: Float32Array) -> None:
        check_shardable(settings)
        self.session, self.problem, self.start = session, problem, start
        self.noisy = settings.method.noisy
        self.shards, self._rows = shard_rows(session, problem)
        self._common = session.ray.put(_broadcast(problem, settings, start.shape[1]))
        self._actors: Actors | None = None
        self._positions: list[Any] = []  # for each worker, a reference to those of all nodes on its machine
        self._moved: list[Any] = []  # for each worker, a reference to those of its nodes after the step
        self._ends = self.reached = 0

    def begin(self, steps: int = 0, moments: Sequence[Any] = ()) -> None:
        """Start workers at the positions `start`, after some steps; `moments` refers to the state of each worker."""
        self.close()
        self._actors = Actors(self.session, Worker, len(self.shards))
        states = moments or [None] * len(self.shards)
        fixed = [(shard, own, self._common) for shard, own in zip(self.shards, self._rows, strict=True)]
        calls = [(*own, state, steps) for own, state in zip(fixed, states, strict=True)]
        self._ends = sum(self.session.get(self._workers.call("start", calls)))
        self._positions = [self.session.ray.put(self.start)] * len(self.shards)

    @property
    def _workers(self) -> Actors:
        assert self._actors is not None
        return self._actors

    @property
    def positions(self) -> Float32Array:
        """The current positions, fetched from the cluster."""
        found: Float32Array = self.session.get(self._positions[0])
        return found

    def evaluate(self, step: int, reach: float, learning_rate: float) -> float:
        """The objective here. Workers take the step at once, since nothing else could be done meanwhile."""
        arguments = StepArguments(step, reach, learning_rate)
        results = self._workers.call("step", [(positions, arguments) for positions in self._positions], returns=2)
        self._moved = [mine for _, mine in results]
        block_values = self.session.get([block_values for block_values, _ in results])
        self.reached = max(self.reached, step + 1)
        return self.problem.value(np.concatenate(block_values), reach, self._ends)

    def advance(self) -> None:
        """Let the machines gather what workers moved."""
        self._positions = []  # otherwise the object store would keep old positions beside the new ones
        self._positions = self._workers.call_on_machines("gather", *self._moved)
        self._moved = []

    def finish(self) -> None:
        """Fetch the last positions; they count as the best."""
        self.start[:] = self.positions

    def state(self) -> Iterator[Float32Array]:
        """Positions, then both moments, in pieces that follow each other."""
        yield self.positions
        for which in range(len(Moments._fields)):
            for worker in self._workers.workers:
                yield self.session.get(worker.moment.remote(which))

    def close(self) -> None:
        """Stop the workers, and free what they computed."""
        self._positions, self._moved = [], []
        if self._actors is not None:
            self._actors.close()
        self._actors = None


def _broadcast(problem: Problem, settings: ResolvedSettings, width: int) -> Broadcast:
    method, optimizer = settings.method, settings.make_optimizer()
    assert isinstance(optimizer, Adam)
    draws = problem.proposal_of(method.samples) if isinstance(method, SampledMethod) else None
    return Broadcast(problem.prior, draws, settings.forces, method, optimizer, width, settings.seed)


def shard_rows(session: Session, problem: Problem) -> tuple[Sequence[Shard], Sequence[Any]]:
    """Shards, and references to their rows of links."""
    if isinstance(problem, ShardedProblem):
        return problem.shards, problem.rows
    shards = session.shard_nodes(np.diff(problem.links.indptr))
    return shards, [session.ray.put(rows_of_shard(problem.links, shard)) for shard in shards]


# ---- checkpoints: a file from which a fit goes on after workers, a machine or the driver died ------------------------


class Checkpoint:
    """Positions, optimizer state and steps of a fit, written completely or not at all."""

    def __init__(self, stepper: RayStepper, cluster: Ray, path: str | os.PathLike[str], fingerprint: str) -> None:
        self.stepper, self.path, self.fingerprint = stepper, path, fingerprint
        self.seconds, self.log = 60 * cluster.checkpoint_minutes, cluster.log
        self._exists, self._last = cluster.resume, time.monotonic()

    def __str__(self) -> str:
        return "the last checkpoint" if self._exists else "the beginning, as there is no checkpoint yet"

    def save(self, steps: Sequence[Step]) -> None:
        """Write if it is time. A fit of hours does not fail because a disk is full: it warns and goes on."""
        if time.monotonic() - self._last < self.seconds:
            return
        history, state = np.array(steps, dtype=np.float64), dict.fromkeys(STATE, ("float32", self.stepper.start.shape))
        shapes: dict[str, Shape] = {"history": ("float64", history.shape), **state}
        pieces: Iterator[npt.NDArray[Any]] = chain([history], self.stepper.state())
        try:
            save_pieces(self.path, shapes, pieces, {"checkpoint": self.fingerprint})
            self._exists = True
        except InputError as problem:
            self.log(f"No checkpoint was written: {problem} The fit goes on; make room, or it cannot be resumed.")
        self._last = time.monotonic()

    def begin(self) -> list[Step]:
        """Start workers where the file says, and return the steps that were taken; without a file, at the beginning."""
        if not self._exists:
            self.stepper.begin()
            return []
        steps, moments = self._read()
        self.stepper.begin(len(steps), moments)
        self.log(f"Resumed after {counted(len(steps), 'step')}.")
        return steps

    def _read(self) -> tuple[list[Step], list[Any]]:
        """Steps, and references to the moments of each shard; positions go to the stepper."""
        with open_arrays(self.path) as (file, header):
            if header.get("checkpoint") != self.fingerprint:
                raise InputError(
                    f"The checkpoint {self.path} is of another network, prior or settings. Repeat the command that "
                    "wrote it, or leave resume out to begin anew."
                )
            positions, *moments = (file.get_slice(name) for name in STATE)
            history = file.get_tensor("history")
            if not self._matches(history, positions, *moments):
                raise FormatError(f"The checkpoint {self.path} is damaged; leave resume out to begin anew.")
            references = []
            for shard in self.stepper.shards:
                own = slice(shard.start, shard.stop)
                self.stepper.start[own] = positions[own]
                references.append(self.stepper.session.ray.put(Moments(*(moment[own] for moment in moments))))
        return [Step(int(step), *rest) for step, *rest in history.tolist()], references

    def _matches(self, history: npt.NDArray[Any], *state: Any) -> bool:
        """Whether all arrays have the shapes of this fit. Kernels do not check what they are given."""
        shape = list(self.stepper.start.shape)
        alike = all(array.get_shape() == shape and array.get_dtype() == "F32" for array in state)
        return alike and history.shape[1:] == (len(Step._fields),)


def fingerprint(problem: Problem, settings: ResolvedSettings) -> str:
    """A hash of all that decides the steps of a fit."""
    digest = hashlib.sha256(repr(settings).encode())
    for array in _arrays(problem.prior, problem.links):
        digest.update(np.ascontiguousarray(array).data)
    return digest.hexdigest()


def _arrays(*values: Any) -> list[npt.NDArray[Any]]:
    """Arrays, and those within tuples."""
    return [array for value in values for array in (_arrays(*value) if isinstance(value, tuple) else [value])]
