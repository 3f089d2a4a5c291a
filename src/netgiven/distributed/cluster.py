"""Connections to Ray clusters: workers, their shards of nodes, and what happens when a machine is lost.

Ray places workers and moves arrays, and repeats calls of functions whose results were lost. Workers have a state, which
Ray cannot compute again: what needs a worker that is lost raises `WorkersLost`, and the driver starts new ones.
"""

from __future__ import annotations

import logging
import os
import signal
import socket
import threading
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from netgiven.errors import InputError, NetgivenError, require
from netgiven.kernels.repulsion import BLOCK
from netgiven.parallel import available_cpus
from netgiven.types import Int64Array

# ---- shards: ranges of nodes, each computed by one worker ------------------------------------------------------------


NODE_COST = 20  # cost of a node's samples, in units of one link: measured with 256 samples in 8 dimensions


@dataclass(frozen=True)
class Shard:
    """An engine that runs kernels over one range of nodes, made of whole blocks.

    Arrays are as long as the network, so that kernels need not know about shards. They are written only within the
    range, and pages of memory that are never written take no space.
    """

    start: int
    stop: int
    count: int  # number of nodes of the network

    def share(self, size: int) -> slice:
        """The nodes of this shard, where `size` is the number of nodes; its blocks, where it is that of blocks."""
        if size == self.count:
            return slice(self.start, self.stop)
        assert size == -(-self.count // BLOCK), "neither the number of nodes nor of blocks"
        return slice(self.start // BLOCK, -(-self.stop // BLOCK))

    def run(self, kernel: Callable[..., None], size: int, *arrays: Any, grain: int = 1) -> None:
        """Call `kernel(start, stop, *arrays)` for the nodes or blocks of this shard."""
        own = self.share(size)
        kernel(own.start, own.stop, *arrays)


def shard_nodes(degrees: Int64Array, workers: int) -> list[Shard]:
    """A shard of whole blocks for each worker, of about the same cost: nodes and their links count.

    >>> [(shard.start, shard.stop) for shard in shard_nodes(np.array([900] * 256 + [1] * 768), 2)]
    [(0, 256), (256, 1024)]
    """
    count = len(degrees)
    if workers > count:
        raise InputError(f"{workers:,} workers were requested for {count:,} nodes; request at most one per node.")
    costs = np.add.reduceat(degrees + NODE_COST, np.arange(0, count, BLOCK))
    ends = np.cumsum(costs)
    targets = np.arange(1, workers) * (ends[-1] / workers)
    blocks = np.maximum.accumulate(np.searchsorted(ends - costs / 2, targets))
    bounds = np.minimum(np.concatenate([[0], blocks * BLOCK, [count]]), count).tolist()
    return [Shard(low, high, count) for low, high in pairwise(bounds) if low < high]


class _Writeable:
    """The memory of an array, not marked as read-only."""

    def __init__(self, array: npt.NDArray[Any]) -> None:
        self.owner = array
        self.__array_interface__ = {**array.__array_interface__, "data": (array.ctypes.data, False)}


def as_writeable(value: Any) -> Any:
    """An array, or a named tuple of arrays, none of them marked as read-only. They must not be written all the same.

    Arrays in Ray's object store are shared by all processes of a machine and marked as read-only. For marked arrays
    Numba would compile all kernels once more.

    >>> array = np.zeros(2)
    >>> array.flags.writeable = False
    >>> as_writeable(array).flags.writeable
    True
    """
    if isinstance(value, np.ndarray):
        return value if value.flags.writeable else np.asarray(_Writeable(value))
    return type(value)(*map(as_writeable, value)) if hasattr(value, "_fields") else value


CONNECT_TIMEOUT = 5.0  # seconds
LOSSES = ("RayActorError", "ObjectLostError", "NodeDiedError", "WorkerCrashedError", "OutOfMemoryError")


class WorkersLost(NetgivenError):  # noqa: N818 - nobody did anything wrong
    """A worker has died, or something that it computed was lost with its machine."""


def _warn(message: str) -> None:
    warnings.warn(message, stacklevel=2)


@dataclass(frozen=True)
class Ray:
    """A Ray cluster to fit on: `embed(..., engine=Ray(...))`.

    Parameters
    ----------
    address
        "auto", host:port or ray://host:port of a running cluster; None: a cluster of this machine alone, which is
        started for the fit and stopped after it.
    workers
        Number of worker processes; None: one for each processor of the cluster.
    checkpoint
        A file that is written every `checkpoint_minutes` minutes, from which a fit goes on after a failure. None: a
        temporary file, for the loss of workers alone.
    checkpoint_minutes
        Minutes between two checkpoints; 0: after each step.
    resume
        Go on from the checkpoint.
    log
        Called with messages about the fit, such as lost machines; by default they are Python warnings.

    Raises
    ------
    InputError
        If there are fewer than one worker, `checkpoint_minutes` is below 0, or there is no checkpoint to resume from.

    Examples
    --------
    >>> Ray(workers=2).checkpoint_minutes
    5.0
    """

    address: str | None = None
    workers: int | None = None
    checkpoint: str | os.PathLike[str] | None = None
    checkpoint_minutes: float = 5.0
    resume: bool = False
    log: Callable[[str], None] = _warn

    def __post_init__(self) -> None:
        if self.workers is not None and self.workers < 1:
            raise InputError(f"{self.workers} workers were requested; at least 1 is needed.")
        if self.checkpoint_minutes < 0:
            raise InputError(
                f"A checkpoint every {self.checkpoint_minutes} minutes was requested; 0 or more is needed."
            )
        if self.resume and (self.checkpoint is None or not Path(self.checkpoint).is_file()):
            raise InputError(f"There is no checkpoint {self.checkpoint} to resume from; start without resume.")


@dataclass
class Session:
    """A connection to a cluster."""

    ray: Any
    processors: int
    workers: int | None = None  # as requested
    log: Callable[[str], None] = _warn
    most_machines: int = 0  # that were alive at the same time
    pinned: list[Any] = field(default_factory=list)
    logged_warning: str = ""

    def shard_nodes(self, degrees: Int64Array) -> list[Shard]:
        """A shard for each worker: as many as were requested, or as there are processors."""
        return shard_nodes(degrees, self.workers or min(self.processors, len(degrees)))

    def call(self, function: Callable[..., Any], *arguments: Any, returns: int = 1) -> Any:
        """Call a function on the cluster: a reference to its result, or a list of `returns` references."""
        return self.ray.remote(function).options(max_retries=-1, num_returns=returns).remote(*arguments)

    def pin(self, value: Any) -> Any:
        """A reference to a value that is held to the end, so that what depends on it can be computed again."""
        self.pinned.append(self.ray.put(value))
        return self.pinned[-1]

    def get(self, references: Any) -> Any:
        """The values of references. A netgiven error that was raised on the cluster is raised here as itself.

        Raises
        ------
        WorkersLost
            If a value was lost with a worker or a machine.
        """
        errors = self.ray.exceptions
        try:
            return self.ray.get(references)
        except errors.RayError as problem:
            cause = problem
            while isinstance(cause, errors.RayTaskError):
                cause = cause.cause
            if isinstance(cause, NetgivenError):
                raise cause from None
            if isinstance(cause, tuple(getattr(errors, name) for name in LOSSES)):
                raise WorkersLost(_first_line(str(cause))) from problem
            raise

    @property
    def machines(self) -> int:
        """Number of machines that are alive."""
        return sum(node["Alive"] for node in self.ray.nodes())

    @property
    def warning(self) -> str:
        """How many machines were lost; empty if none was."""
        alive = self.machines
        self.most_machines = max(self.most_machines, alive)
        lost = self.most_machines - alive
        return f"{lost} of {self.most_machines} machines lost, their nodes are computed by the others" if lost else ""

    def log_lost_machines(self) -> None:
        """Log each loss once: the progress bar, which shows it, is not always there."""
        warning = self.warning
        if warning and warning != self.logged_warning:
            self.log(f"{warning}.")
        self.logged_warning = warning


class Actors:
    """Workers, each in a process of its own, spread over the machines of a cluster."""

    def __init__(self, session: Session, kind: type[Any], count: int) -> None:
        self.session, self.ray = session, session.ray
        remote = self.ray.remote(kind).options(max_restarts=0, max_task_retries=0, scheduling_strategy="SPREAD")
        self.workers = [remote.remote() for _ in range(count)]

    def call(self, method: str, arguments: Sequence[Sequence[Any]], returns: int = 1) -> list[Any]:
        """Call a method of all workers in parallel, each with its own arguments, which may be references.

        Returns for each worker a reference to the result, or a list of `returns` references.
        """
        self.session.log_lost_machines()
        return [
            getattr(worker, method).options(num_returns=returns).remote(*own)
            for worker, own in zip(self.workers, arguments, strict=True)
        ]

    @cached_property
    def machines(self) -> list[str]:
        """The machine of each worker."""
        return list(self.session.get([worker.machine.remote() for worker in self.workers]))

    def call_on_machines(self, method: str, *arguments: Any) -> list[Any]:
        """Call a method of one worker of each machine.

        Returns for each worker a reference to the result on its machine.
        """
        one_of = dict(zip(self.machines, self.workers, strict=True))
        results = {machine: getattr(worker, method).remote(*arguments) for machine, worker in one_of.items()}
        return [results[machine] for machine in self.machines]

    def close(self) -> None:
        """Stop the workers."""
        for worker in self.workers:
            self.ray.kill(worker)


@contextmanager
def connect(cluster: Ray) -> Iterator[Session]:
    """A session on a cluster for the length of a `with` block. A Ray that this process has started is used as it is."""
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    ray = require("ray", "cluster")
    if ray.is_initialized():
        yield _session(ray, cluster)
        return
    with _without_ray_messages(ray):
        try:
            _start(ray, cluster)
            yield _session(ray, cluster)
        finally:
            with _uninterrupted():
                ray.shutdown()


def _session(ray: Any, cluster: Ray) -> Session:
    processors = int(ray.cluster_resources().get("CPU", 1))
    session = Session(ray, processors, cluster.workers, cluster.log)
    _check_versions(session)
    return session


def _start(ray: Any, cluster: Ray) -> None:
    logging.getLogger("ray").setLevel(logging.ERROR)
    quiet = {"log_to_driver": False, "configure_logging": False, "logging_level": logging.ERROR}
    if cluster.address is None:
        count = cluster.workers or available_cpus()
        try:
            with _uninterrupted(), _on_loopback(ray):
                ray.init("local", num_cpus=count, include_dashboard=False, _node_ip_address="127.0.0.1", **quiet)
        except (OSError, RuntimeError, ValueError) as problem:
            raise InputError(f"Ray does not start on this machine ({_first_line(str(problem))}).") from problem
        return
    _check_reachable(cluster.address)
    try:
        ray.init(cluster.address, **quiet)
    except (ConnectionError, RuntimeError, ValueError) as problem:
        raise InputError(_connection_error(cluster.address, str(problem))) from problem


@contextmanager
def _uninterrupted() -> Iterator[None]:
    """Delay Ctrl-C: a Ray that is interrupted while it starts or stops leaves processes behind."""
    if threading.current_thread() is not threading.main_thread():  # other threads never receive it
        yield
        return
    pressed: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, _: pressed.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    if pressed:
        raise KeyboardInterrupt


@contextmanager
def _without_ray_messages(ray: Any) -> Iterator[None]:
    """Suppress what Ray prints about lost workers to standard output, where results belong; the session logs it."""
    listener = ray._private.worker
    if not hasattr(listener, "print_to_stdstream"):  # another version of Ray prints elsewhere
        yield
        return
    before, listener.print_to_stdstream = listener.print_to_stdstream, lambda *arguments, **options: None
    try:
        yield
    finally:
        listener.print_to_stdstream = before


@contextmanager
def _on_loopback(ray: Any) -> Iterator[None]:
    """Make Ray listen on 127.0.0.1: otherwise it listens on the address of the machine, open to the network."""
    constants = ray._private.ray_constants
    before, constants.ENABLE_RAY_CLUSTER = constants.ENABLE_RAY_CLUSTER, False
    try:
        yield
    finally:
        constants.ENABLE_RAY_CLUSTER = before


def _check_reachable(address: str) -> None:
    """Raise an error at once if nothing listens at the address; Ray itself would try for minutes."""
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if not host or not port.isdigit():
        if address == "auto":
            return
        raise InputError(f"The address {address!r} was given; it is auto, host:port, or ray://host:port.")
    try:
        socket.create_connection((host, int(port)), CONNECT_TIMEOUT).close()
    except OSError as problem:
        raise InputError(_connection_error(address, problem.strerror or str(problem))) from problem


def _first_line(text: str) -> str:
    return next((line.strip() for line in text.splitlines() if line.strip()), "no answer")


def _connection_error(address: str, reason: str) -> str:
    if "ersion mismatch" in reason:
        return (
            f"The cluster at {address} runs other versions of Ray or Python than this machine "
            f"({' '.join(reason.split())}). Install the same ones here."
        )
    return (
        f"No Ray cluster answers at {address} ({_first_line(reason)}). Start one with 'ray start --head', or leave the "
        "address out."
    )


def _check_versions(session: Session) -> None:
    """Raise an error if workers run another version of netgiven: results may depend on it."""
    ray = session.ray
    try:
        theirs = ray.get(ray.remote(_version).remote())
    except ray.exceptions.RayError as problem:
        raise InputError(
            "A worker of the cluster cannot import netgiven; install netgiven[cluster] on all machines "
            f"({str(problem).strip().splitlines()[-1]})."
        ) from problem
    if theirs != _version():
        raise InputError(
            f"The cluster runs netgiven {theirs}, this machine runs {_version()}; install the same version on both."
        )


def _version() -> str:
    import netgiven

    return netgiven.__version__
