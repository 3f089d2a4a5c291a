"""Fit on a Ray cluster: the same bytes as on one machine.

There is one exchange per step. Each worker gets the positions of all nodes, of which a machine holds one copy, and
returns those of its own nodes after the step, with the state of its optimizer. The driver keeps both: what is lost with
a machine is computed again from the last exchange.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import numpy.typing as npt

from netgiven.array_file import Arrays, load_arrays, save_arrays
from netgiven.distributed.cluster import Actors, Ray, Session, Shard, connect
from netgiven.distributed.sharded import ShardedProblem
from netgiven.distributed.worker import Broadcast, StepArguments, Worker, rows_of_shard
from netgiven.edges import counted
from netgiven.errors import FormatError, InputError
from netgiven.fitting.fit import Backend, make_problem
from netgiven.fitting.objectives import SampledMethod
from netgiven.fitting.optimizers import OPTIMIZERS, Adam
from netgiven.fitting.problem import Problem
from netgiven.fitting.settings import ResolvedSettings
from netgiven.fitting.train import Callback, Convergence, ConvergenceMonitor, Step, train
from netgiven.kernels.gradient import Moments
from netgiven.network import Network
from netgiven.parallel import Engine
from netgiven.priors.prior import Prior
from netgiven.types import Float32Array


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
        self, problem: Problem, settings: ResolvedSettings, positions: Float32Array, callback: Callback
    ) -> tuple[Convergence, list[Step]]:
        """Train from these positions, or from those of the checkpoint."""
        stepper = RayStepper(self.session, problem, settings, positions)
        steps: Sequence[Step] = ()
        checkpoint = None
        if self.cluster.checkpoint is not None:
            checkpoint = Checkpoint(stepper, self.cluster, fingerprint(problem, settings))
            steps = checkpoint.restore() if self.cluster.resume else ()
        monitor = ConvergenceMonitor(settings.schedule(), stepper.noisy, steps)
        convergence = train(stepper, monitor, callback, checkpoint.save if checkpoint else None)
        return convergence, monitor.steps


class RayStepper:
    """Positions that the workers of a cluster move, each worker those of its shard."""

    def __init__(self, session: Session, problem: Problem, settings: ResolvedSettings, positions: Float32Array) -> None:
        check_shardable(settings)
        self.ray, self.problem, self.positions = session.ray, problem, positions
        self.noisy = settings.method.noisy
        self.shards, rows = shard_rows(session, problem)
        common = self.ray.put(_broadcast(problem, settings, positions.shape[1]))
        self._fixed = [(shard, own, common) for shard, own in zip(self.shards, rows, strict=True)]
        self._actors = Actors(session, Worker, len(self.shards))
        self._ends = sum(self.ray.get(self._actors.call("ends", self._fixed)))
        self._moments: list[Any] = [None] * len(self.shards)
        self._positions = self.ray.put(positions)
        self._results: list[Any] = []

    def evaluate(self, step: int, reach: float, learning_rate: float) -> float:
        """The objective here. Workers take the step at once, since nothing else could be done meanwhile."""
        varying = self._positions, StepArguments(step, reach, learning_rate)
        calls = [(*fixed, *varying, moments) for fixed, moments in zip(self._fixed, self._moments, strict=True)]
        self._results = self._actors.call("step", calls, returns=3)
        block_values = self.ray.get([block_values for block_values, _, _ in self._results])
        return self.problem.value(np.concatenate(block_values), reach, self._ends)

    def advance(self) -> None:
        """Gather what workers moved, and send it to all of them."""
        pieces = self.ray.get([mine for _, mine, _ in self._results])
        self._moments = [moments for _, _, moments in self._results]
        # a copy on this machine outlives the worker
        self.ray.wait(self._moments, num_returns=len(self._moments), fetch_local=True)
        np.concatenate(pieces, out=self.positions)
        self._results = []  # otherwise the object store would keep old positions beside the new ones
        self._positions = self.ray.put(self.positions)

    def finish(self) -> None:
        """Stop the workers; the last point counts as the best."""
        self._actors.close()

    def moments(self) -> Moments:
        """The state of the optimizer, for all nodes."""
        mean, square = zip(*self.ray.get(self._moments), strict=True)
        return Moments(np.concatenate(mean), np.concatenate(square))

    def restore(self, positions: Float32Array, moments: Moments) -> None:
        """Go on from the positions and the state of an earlier fit."""
        self.positions[:] = positions
        self._positions = self.ray.put(self.positions)
        self._moments = [
            self.ray.put(Moments(*(m[shard.start : shard.stop] for m in moments))) for shard in self.shards
        ]


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


# ---- checkpoints: a file from which a fit goes on after the driver died ----------------------------------------------


class Checkpoint:
    """Positions, optimizer state and steps of a fit, written completely or not at all."""

    def __init__(self, stepper: RayStepper, cluster: Ray, fingerprint: str) -> None:
        assert cluster.checkpoint is not None
        self.stepper, self.path, self.fingerprint = stepper, cluster.checkpoint, fingerprint
        self.seconds, self.log = 60 * cluster.checkpoint_minutes, cluster.log
        self._last = time.monotonic()

    def save(self, steps: Sequence[Step]) -> None:
        """Write if it is time. A fit of hours does not fail because a disk is full: it warns and goes on."""
        if time.monotonic() - self._last < self.seconds:
            return
        try:
            mean, square = self.stepper.moments()
            arrays = {"positions": self.stepper.positions, "mean": mean, "square": square}
            history = np.array(steps, dtype=np.float64)
            save_arrays(self.path, {**arrays, "history": history}, {"checkpoint": self.fingerprint})
        except InputError as problem:
            self.log(f"No checkpoint was written: {problem} The fit goes on; make room, or it cannot be resumed.")
        self._last = time.monotonic()

    def restore(self) -> list[Step]:
        """Put the stepper where the file says, and return the steps that it had taken."""
        arrays, header = load_arrays(self.path)
        if header.get("checkpoint") != self.fingerprint:
            raise InputError(
                f"The checkpoint {self.path} is of another network, prior or settings. Repeat the command that wrote "
                "it, or leave resume out to begin anew."
            )
        if not _match(arrays, self.stepper.positions):
            raise FormatError(f"The checkpoint {self.path} is damaged; leave resume out to begin anew.")
        self.stepper.restore(arrays["positions"], Moments(arrays["mean"], arrays["square"]))
        steps = [Step(int(step), *rest) for step, *rest in arrays["history"].tolist()]
        self.log(f"Resumed after {counted(len(steps), 'step')}.")
        return steps


def _match(arrays: Arrays, positions: Float32Array) -> bool:
    """Whether all arrays are there, in the shapes of this fit. Kernels do not check what they are given."""
    found = [arrays.get(name, np.empty(0)) for name in ("positions", "mean", "square")]
    alike = all(array.shape == positions.shape and array.dtype == positions.dtype for array in found)
    return alike and arrays.get("history", np.empty(0)).shape[1:] == (len(Step._fields),)


def fingerprint(problem: Problem, settings: ResolvedSettings) -> str:
    """A hash of all that decides the steps of a fit."""
    digest = hashlib.sha256(repr(settings).encode())
    for array in _arrays(problem.prior, problem.links):
        digest.update(np.ascontiguousarray(array).data)
    return digest.hexdigest()


def _arrays(*values: Any) -> list[npt.NDArray[Any]]:
    """Arrays, and those within tuples."""
    return [array for value in values for array in (_arrays(*value) if isinstance(value, tuple) else [value])]
