"""Work in threads: tasks of a page, whose results return to the event loop, and the fit of a map."""

from __future__ import annotations

import logging
import threading
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import numpy as np

from netgiven.embedding import Embedding, fit_embedding
from netgiven.errors import NetgivenError
from netgiven.fitting.initialization import along_principal_axes
from netgiven.fitting.selection import HeldOutLinks, Validation, held_out_links
from netgiven.fitting.settings import Settings
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


@dataclass(frozen=True)
class MonitoredLinks(HeldOutLinks):
    """A validation split that reports each trial, so that the choice of the reach can be followed and stopped."""

    on_trial: Callable[[], None]

    def score(self, positions: Float32Array, spread: Spread, uncertainty: float = 0.0) -> float:
        """The AUC on held-out links."""
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
