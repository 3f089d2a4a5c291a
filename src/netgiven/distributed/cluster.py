"""Ray: workers on whatever machines there are, who owns which nodes, and what happens when one is lost.

Ray places workers, restarts those that die, and moves arrays. A worker keeps nothing that is not in its arguments, so
that a call can be made again by whoever takes its place; the machine that drives the fit holds a copy of all that is
needed for that.
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
from pathlib import Path
from typing import Any

from netgiven.distributed.shards import Part, cut
from netgiven.errors import InputError, NetgivenError, require
from netgiven.parallel import available
from netgiven.types import Int64Array

PATIENCE = 5.0  # seconds that an address has to answer


def _warn(text: str) -> None:
    warnings.warn(text, stacklevel=2)


@dataclass(frozen=True)
class Ray:
    """A Ray cluster to fit on.

    - `address`: "auto" or host:port of a cluster that runs; without, one is started on this machine and stopped after
    - `workers`: how many; all processors of the cluster unless told
    - `checkpoint`: a file that is written every `minutes` minutes; with `resume` the fit goes on from it
    - `tell`: a function that is told what happens on the way
    """

    address: str | None = None
    workers: int | None = None
    checkpoint: str | os.PathLike[str] | None = None
    minutes: float = 5.0
    resume: bool = False
    tell: Callable[[str], None] = _warn

    def __post_init__(self) -> None:
        if self.workers is not None and self.workers < 1:
            raise InputError(f"{self.workers} workers were asked for; at least 1 is needed.")
        if self.minutes < 0:
            raise InputError(f"A checkpoint every {self.minutes} minutes was asked for; 0 or more is needed.")
        if self.resume and (self.checkpoint is None or not Path(self.checkpoint).is_file()):
            raise InputError(f"There is no checkpoint {self.checkpoint} to resume from; begin without resume.")


@dataclass
class Session:
    """A connection to a cluster: who is there, and who was lost."""

    ray: Any
    processors: int
    asked: int | None = None  # so many workers
    tell: Callable[[str], None] = _warn
    seen: int = 0
    kept: list[Any] = field(default_factory=list)
    told: str = ""

    def cut(self, degrees: Int64Array) -> list[Part]:
        """A range of nodes for each worker: as many as were asked for, or as there are processors."""
        return cut(degrees, self.asked or min(self.processors, len(degrees)))

    def call(self, function: Callable[..., Any], *arguments: Any, returns: int = 1) -> Any:
        """Have a function called somewhere: a reference to what it returns, or a list of `returns` references."""
        return self.ray.remote(function).options(max_retries=-1, num_returns=returns).remote(*arguments)

    def keep(self, value: Any) -> Any:
        """A reference to a value that stays to the end: what was computed from it can be computed again."""
        self.kept.append(self.ray.put(value))
        return self.kept[-1]

    def get(self, references: Any) -> Any:
        """What references stand for. An error of ours, raised far away, is raised here."""
        try:
            return self.ray.get(references)
        except self.ray.exceptions.RayTaskError as problem:
            raise (problem.cause if isinstance(problem.cause, NetgivenError) else problem) from None

    @property
    def machines(self) -> int:
        """How many machines are alive."""
        return sum(node["Alive"] for node in self.ray.nodes())

    @property
    def news(self) -> str:
        """What a person who waits should know: machines that were lost."""
        alive = self.machines
        self.seen = max(self.seen, alive)
        lost = self.seen - alive
        return f"{lost} of {self.seen} machines lost, their nodes are computed by the others" if lost else ""

    def look_around(self) -> None:
        """Tell of machines that were lost, once: not everybody sees a progress line."""
        news = self.news
        if news and news != self.told:
            self.tell(f"{news}.")
        self.told = news


class Crew:
    """Workers, each in a process of its own, on as many machines as there are."""

    def __init__(self, session: Session, kind: type[Any], count: int) -> None:
        self.session, self.ray = session, session.ray
        remote = self.ray.remote(kind).options(max_restarts=-1, max_task_retries=-1, scheduling_strategy="SPREAD")
        self.workers = [remote.remote() for _ in range(count)]

    def ask(self, method: str, arguments: Sequence[Sequence[Any]], returns: int = 1) -> list[Any]:
        """Call a method of all workers at once, each with arguments of its own; references among them are fetched.

        Gives a reference to what each returns, or a list of `returns` references.
        """
        self.session.look_around()
        return [
            getattr(worker, method).options(num_returns=returns).remote(*some)
            for worker, some in zip(self.workers, arguments, strict=True)
        ]

    def close(self) -> None:
        """Let the workers go."""
        for worker in self.workers:
            self.ray.kill(worker)


@contextmanager
def connected(settings: Ray) -> Iterator[Session]:
    """A session on the cluster that is meant, or on one of this machine alone, for the length of a `with` block."""
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    ray = require("ray", "cluster")
    if ray.is_initialized():
        yield _session(ray, settings)
        return
    with _hushed(ray):
        try:
            _start(ray, settings)
            yield _session(ray, settings)
        finally:
            with _uninterrupted():
                ray.shutdown()


def _session(ray: Any, settings: Ray) -> Session:
    processors = int(ray.cluster_resources().get("CPU", 1))
    session = Session(ray, processors, settings.workers, settings.tell)
    _check_versions(session)
    return session


def _start(ray: Any, settings: Ray) -> None:
    logging.getLogger("ray").setLevel(logging.ERROR)
    quiet = {"log_to_driver": False, "configure_logging": False, "logging_level": logging.ERROR}
    if settings.address is None:
        count = settings.workers or available()
        try:
            with _uninterrupted(), _on_loopback(ray):
                ray.init("local", num_cpus=count, include_dashboard=False, _node_ip_address="127.0.0.1", **quiet)
        except (OSError, RuntimeError, ValueError) as problem:
            raise InputError(f"Ray does not start on this machine ({_first_line(str(problem))}).") from problem
        return
    _check_reachable(settings.address)
    try:
        ray.init(settings.address, **quiet)
    except (ConnectionError, RuntimeError, ValueError) as problem:
        raise InputError(_why(settings.address, str(problem))) from problem


@contextmanager
def _uninterrupted() -> Iterator[None]:
    """Hold Ctrl-C back: a Ray that is stopped while it starts or ends leaves processes behind."""
    if threading.current_thread() is not threading.main_thread():  # others never see it
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
def _hushed(ray: Any) -> Iterator[None]:
    """Without what Ray says of each lost worker on standard output, where results belong; we tell of it ourselves."""
    listener = ray._private.worker
    if not hasattr(listener, "print_to_stdstream"):  # another version of Ray says it elsewhere
        yield
        return
    before, listener.print_to_stdstream = listener.print_to_stdstream, lambda *told, **how: None
    try:
        yield
    finally:
        listener.print_to_stdstream = before


@contextmanager
def _on_loopback(ray: Any) -> Iterator[None]:
    """Let 127.0.0.1 be taken as it is: Ray puts the address of the machine in its place, and listens to the world."""
    constants = ray._private.ray_constants
    before, constants.ENABLE_RAY_CLUSTER = constants.ENABLE_RAY_CLUSTER, False
    try:
        yield
    finally:
        constants.ENABLE_RAY_CLUSTER = before


def _check_reachable(address: str) -> None:
    """Ray tries for minutes; whether anybody listens is known at once."""
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if not host or not port.isdigit():
        if address == "auto":
            return
        raise InputError(f"The address {address!r} was given; it is auto, host:port, or ray://host:port.")
    try:
        socket.create_connection((host, int(port)), PATIENCE).close()
    except OSError as problem:
        raise InputError(_why(address, problem.strerror or str(problem))) from problem


def _first_line(told: str) -> str:
    return next((line.strip() for line in told.splitlines() if line.strip()), "no answer")


def _why(address: str, told: str) -> str:
    line = _first_line(told)
    if "ersion mismatch" in told:
        return (
            f"The cluster at {address} runs other versions of Ray or Python than this machine "
            f"({' '.join(told.split())}). Install the same ones here."
        )
    return f"No Ray cluster answers at {address} ({line}). Start one with 'ray start --head', or leave the address out."


def _check_versions(session: Session) -> None:
    """Workers must run the same netgiven: bits depend on it."""
    ray = session.ray
    try:
        theirs = ray.get(ray.remote(_version).remote())
    except ray.exceptions.RayError as problem:
        raise InputError(
            "A worker of the cluster cannot import netgiven; install netgiven[cluster] on all machines "
            f"({str(problem).strip().splitlines()[-1]})."
        ) from problem
    if theirs != _version():
        raise InputError(f"The cluster runs netgiven {theirs}, and this is {_version()}; install the same everywhere.")


def _version() -> str:
    import netgiven

    return netgiven.__version__
