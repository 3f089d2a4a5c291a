"""Work beside the page: its tasks, whose results return to the event loop, the fit of a map, and compiling ahead."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import numpy as np

from netgiven import priors
from netgiven.datasets import company
from netgiven.embedding import Embedding, fit_embedding
from netgiven.errors import NetgivenError
from netgiven.explorer import tables
from netgiven.fitting.initialization import along_principal_axes
from netgiven.fitting.objectives import sampled
from netgiven.fitting.selection import HeldOutLinks, Validation, held_out_links
from netgiven.fitting.settings import Settings, map_settings
from netgiven.fitting.train import Step
from netgiven.model import Spread
from netgiven.network import Network
from netgiven.priors.knowledge import Given, GivenKnowledge, with_exact_degrees
from netgiven.types import Float32Array

if TYPE_CHECKING:
    from bokeh.document import Document

log = logging.getLogger(__name__)
Result = TypeVar("Result")

# ---- tasks of a page -----------------------------------------------------------------------------------------------

WORKERS = 4  # more than one, so that a slow task does not delay fast ones
LOG_MESSAGE = "a request of the explorer failed"
INTERNAL_ERROR = "Internal error: this is a bug in netgiven. The terminal shows the details."


class BackgroundTasks:
    """The tasks of one page.

    Parameters
    ----------
    document
        The Bokeh document whose event loop receives the results.
    show_error
        Called with the part of the page that an error belongs to, and with its message.
    """

    def __init__(self, document: Document, show_error: Callable[[str, str], None]) -> None:
        self._document, self._show_error = document, show_error
        self._closed = False
        self._latest: Counter[str] = Counter()
        self._executor = ThreadPoolExecutor(WORKERS, thread_name_prefix="netgiven explorer")

    def run(self, where: str, action: Callable[[], None]) -> None:
        """Run something at once, and show its errors on the page."""
        try:
            action()
        except NetgivenError as error:
            self._show_error(where, str(error))
        except Exception:  # shown on the page in short, in the terminal in full
            log.exception(LOG_MESSAGE)
            self._show_error(where, INTERNAL_ERROR)

    def submit(self, where: str, work: Callable[[], Result], finish: Callable[[Result], None]) -> None:
        """Run `work` in a thread, then `finish` with its result on the event loop."""

        def task() -> None:
            try:
                result = work()
            except NetgivenError as error:
                self._on_loop(partial(self._show_error, where, str(error)))
            except Exception:
                log.exception(LOG_MESSAGE)
                self._on_loop(partial(self._show_error, where, INTERNAL_ERROR))
            else:
                self._on_loop(partial(self.run, where, partial(finish, result)))

        self._executor.submit(task)

    def submit_latest(self, kind: str, work: Callable[[], Result], finish: Callable[[Result], None]) -> None:
        """Like `submit`; a task is dropped when another one of its kind is submitted."""
        self.cancel(kind)
        number = self._latest[kind]

        def is_latest() -> bool:
            return number == self._latest[kind]

        def finish_latest(result: Result | None) -> None:
            if is_latest() and result is not None:
                finish(result)

        self.submit("page", lambda: work() if is_latest() else None, finish_latest)

    def cancel(self, kind: str) -> None:
        """Drop the tasks of a kind: their results will not be used."""
        self._latest[kind] += 1

    def _on_loop(self, action: Callable[[], None]) -> None:
        if not self._closed:
            self._document.add_next_tick_callback(action)

    def close(self) -> None:
        """Drop all tasks, after the page was closed."""
        self._closed = True
        self._executor.shutdown(wait=False, cancel_futures=True)


# ---- the fit of a map ----------------------------------------------------------------------------------------------


class Stopped(Exception):  # noqa: N818 - not an error
    """The user has stopped the fit."""


class Progress(NamedTuple):
    """Progress of a fit: first validation trials, while the reach is chosen, then optimizer steps."""

    trials: int
    step: int
    objective: float


@dataclass(frozen=True, kw_only=True)
class MonitoredLinks(HeldOutLinks):
    """A validation split that reports each trial, so that the choice of the reach can be followed and stopped."""

    on_trial: Callable[[], None]

    def score(self, positions: Float32Array, spread: Spread, uncertainty: float = 0.0) -> float:
        """How well held-out links are predicted."""
        self.on_trial()
        return super().score(positions, spread, uncertainty)


def monitored_links(on_trial: Callable[[], None]) -> Validation:
    """`held_out_links`, with a call of `on_trial` for each trial."""

    def make(network: Network, given: GivenKnowledge, seed: int) -> Sequence[MonitoredLinks]:
        return [MonitoredLinks(**vars(one), on_trial=on_trial) for one in held_out_links(network, given, seed)]

    return make


class FittingJob:
    """A fit in its own thread, which can be followed and stopped.

    Parameters
    ----------
    network, given, settings, threads
        As of `netgiven.embedding.fit_embedding`.
    pause
        Seconds to wait after each step: a small network would be finished before anyone sees it move.
    """

    def __init__(
        self, network: Network, given: Given, settings: Settings, pause: float = 0.0, threads: int | None = None
    ) -> None:
        self.network, self.given, self.settings, self.threads = network, given, settings, threads
        self._pause = pause
        self.progress = Progress(0, 0, float("nan"))
        self.begun = time.monotonic()
        self.embedding: Embedding | None = None
        self.error: str = ""
        self.was_stopped = False
        self._stop, self._frame_wanted = threading.Event(), threading.Event()
        self._frame_wanted.set()
        self._frame: Float32Array | None = None
        self._thread = threading.Thread(target=self._run, name="netgiven fit", daemon=True)

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def stop(self) -> None:
        """Request that the fit ends at its next step."""
        self._stop.set()

    def wait(self, seconds: float | None = None) -> None:
        """Wait for the end of the thread."""
        self._thread.join(seconds)

    @property
    def running(self) -> bool:
        """Whether the thread is alive."""
        return self._thread.is_alive()

    @property
    def stopping(self) -> bool:
        """Whether a stop was requested."""
        return self._stop.is_set()

    def frame(self) -> Float32Array | None:
        """The latest positions in the plane, or None if there are no new ones since the last call."""
        frame, self._frame = self._frame, None
        if frame is None:
            return None
        self._frame_wanted.set()
        return along_principal_axes(frame)[:, :2].astype(np.float32)

    def _run(self) -> None:
        try:
            found = fit_embedding(
                self.network,
                with_exact_degrees(self.given),
                self.settings,
                validation=monitored_links(self._on_trial),
                threads=self.threads,
                progress=False,
                callback=self._on_step,
            )
            self._end(found)
        except Stopped:
            self.was_stopped = True
        except NetgivenError as error:
            self.error = str(error)
        except MemoryError:
            self.error = "There is not enough memory for this network with this prior."

    def _end(self, found: Embedding) -> None:
        if found.fit.convergence.diverged:
            self.error = "The fit diverged: the objective is not finite. Try a smaller reach."
        else:
            self.embedding = found

    def _on_trial(self) -> None:
        self._raise_if_stopped()
        self.progress = self.progress._replace(trials=self.progress.trials + 1)

    def _on_step(self, step: Step, positions: Float32Array) -> None:
        self._stop.wait(self._pause)
        self._raise_if_stopped()
        self.progress = self.progress._replace(step=step.step + 1, objective=float(step.objective))
        if self._frame_wanted.is_set():  # positions are copied only if the last frame was used
            self._frame_wanted.clear()
            self._frame = positions.copy()

    def _raise_if_stopped(self) -> None:
        if self._stop.is_set():
            raise Stopped


# ---- compiling ahead ------------------------------------------------------------------------------------------------

# Numba compiles a kernel at its first call and keeps the result on disk, so only the first use on a machine is slow.
# While the user reads the first page, a small network is fitted and asked everything that the page can ask. That runs
# in a process of its own, which fills the cache without holding Python's lock, so the page stays quick; then in a
# thread of the server, which loads what is cached by then, or compiles it if no cache can be written.

PEOPLE = 30  # of the network that is fitted
PATIENCE = 19  # lower priority of the process: what the user waits for comes first
PREPARING = (
    "Preparing: compiling the numerical routines for this machine, once. A first map may take some seconds more."
)
FAILED = "compiling ahead failed; the first map compiles what it needs"


class WarmUp:
    """Compiles the kernels in the background.

    >>> warm_up = WarmUp()
    >>> warm_up.done, warm_up.message
    (False, '')
    """

    def __init__(self) -> None:
        self._thread = threading.Thread(target=self._run, name="netgiven warm-up", daemon=True)
        self._process: subprocess.Popen[str] | None = None
        self._stopped, self._done = threading.Event(), threading.Event()

    @property
    def done(self) -> bool:
        """Whether everything is compiled, or could not be."""
        return self._done.is_set()

    @property
    def message(self) -> str:
        """What is going on, for the page; empty if nothing is."""
        return PREPARING if self._thread.is_alive() and not self.done else ""

    def start(self) -> None:
        """Start the work; returns at once."""
        self._thread.start()

    def wait(self, seconds: float | None = None) -> bool:
        """Wait for the end; False if it has not come after so many seconds."""
        return self._done.wait(seconds)

    def stop(self) -> None:
        """End the work, because the server ends."""
        self._stopped.set()
        if self._process is not None:
            self._process.terminate()

    def _run(self) -> None:
        try:
            self._compile_apart()
            if not self._stopped.is_set():
                compile_kernels()
        except Exception:  # nothing is lost but time, and the terminal shows why
            log.exception(FAILED)
        finally:
            self._done.set()

    def _compile_apart(self) -> None:
        """Fill the cache from a process of its own, and pass on what it complains about."""
        command = [sys.executable, "-m", "netgiven.explorer.background"]
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as self._process:
            if self._stopped.is_set():
                self._process.terminate()
            _, errors = self._process.communicate()
        if self._process.returncode and not self._stopped.is_set():
            log.warning("%s: %s", FAILED, errors.strip())


def compile_kernels() -> None:
    """Call the kernels that maps and answers need, with arguments of the types that the page has.

    One is left to the fit that needs it: products with the Hessian, for some priors with common neighbours (1.5 s).

    Examples
    --------
    >>> compile_kernels()
    """
    network, given = company(PEOPLE), priors.degrees() + priors.blocks("department")
    _fit_and_ask(network, given)
    _fit_and_ask(_with_unobserved(network), given)


def _fit_and_ask(network: Network, given: priors.Knowledge) -> None:
    """With all pairs first, then with a sample of them.

    A map is fitted the other way round: its reach is chosen with a sample. So if the user does not wait, this process
    and the server compile from both ends, and what one has compiled the other finds in the cache.
    """
    settings = replace(map_settings(Settings(), network.node_count), max_steps=2)
    _ask(_fitted(network, given, settings))
    _fitted(network, given, replace(settings, method=sampled(1), reach=2.0))


def _with_unobserved(network: Network) -> Network:
    """The network with a few unobserved pairs."""
    linked = set(map(tuple, network.links().tolist()))
    pairs = [(0, other) for other in range(1, network.node_count) if (0, other) not in linked][:3]
    return network.with_unobserved([(network.nodes[one], network.nodes[other]) for one, other in pairs])


def _fitted(network: Network, given: priors.Knowledge, settings: Settings) -> Embedding:
    job = FittingJob(network, given, settings, threads=1)
    job.start()
    job.wait()
    if job.embedding is None:
        raise RuntimeError(job.error or "the fit failed")
    return job.embedding


def _ask(embedding: Embedding) -> None:
    """Everything that the page shows of a map."""
    some = np.arange(5, dtype=np.int64)
    _ = embedding.bits_per_link
    tables.likeliest_links(embedding, tables.LIKELIEST, threads=1)
    tables.node_table(embedding, 0)
    tables.pair_table(embedding, 0, 1)
    tables.group_table(embedding, some)
    if tables.needed_columns([embedding]):
        tables.place_new_node(embedding, some[:2], {"department": embedding.network.column("department").iloc[0]})
    for strategy in tables.STRATEGIES if tables.has_unobserved_pairs(embedding.network) else ():
        tables.pairs_to_check(embedding, strategy)


if __name__ == "__main__":
    if hasattr(os, "nice"):  # not on Windows
        os.nice(PATIENCE)
    compile_kernels()
