"""A fit in a thread of its own: it can be watched and stopped."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from netgiven.embedding import Embedding, embed
from netgiven.errors import NetgivenError
from netgiven.fitting.initialization import turned
from netgiven.fitting.record import Ending, Record
from netgiven.fitting.selection import ContestMaker, FitPriors, HiddenLinks, hidden_links
from netgiven.network import Network
from netgiven.types import Float32Array


class Stopped(Exception):  # noqa: N818 - nothing went wrong
    """The visitor does not want this fit any more."""


class Progress(NamedTuple):
    """How far a fit is: trials while the reach is chosen, then steps."""

    trials: int
    step: int
    objective: float


@dataclass(frozen=True)
class WatchedLinks(HiddenLinks):
    """Hidden links that tell each trial, so that the choice of the reach can be watched and stopped, too."""

    tell: Callable[[], None]

    def grade(self, positions: Float32Array, spread: Any) -> float:
        """The AUC on hidden links."""
        self.tell()
        return super().grade(positions, spread)


def watched_links(tell: Callable[[], None]) -> ContestMaker:
    """`hidden_links`, watched."""

    def make(network: Network, fit_priors: FitPriors, seed: int) -> Sequence[WatchedLinks]:
        return [WatchedLinks(one.split, one.priors, tell) for one in hidden_links(network, fit_priors, seed)]

    return make


class FittingJob:
    """One fit. `frame` tells where the nodes are now, `progress` how far it is, and `running` whether it ended."""

    def __init__(self, network: Network, given: Any, pause: float = 0.0, **settings: Any) -> None:
        self.network, self.given, self.settings = network, given, settings
        self._pause = pause  # after each step: a small network would be there before anybody sees it move
        self.progress = Progress(0, 0, float("nan"))
        self.embedding: Embedding | None = None
        self.problem: str = ""
        self.was_stopped = False
        self._stop, self._wanted = threading.Event(), threading.Event()
        self._wanted.set()
        self._frame: Float32Array | None = None
        self._thread = threading.Thread(target=self._run, name="netgiven fit", daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def stop(self) -> None:
        """Ask the fit to end at its next step."""
        self._stop.set()

    def wait(self, seconds: float | None = None) -> None:
        """Until it has ended."""
        self._thread.join(seconds)

    @property
    def running(self) -> bool:
        """Whether the thread still works."""
        return self._thread.is_alive()

    @property
    def stopping(self) -> bool:
        """Whether it was asked to end."""
        return self._stop.is_set()

    def frame(self) -> Float32Array | None:
        """The newest positions in the plane, if they are newer than those handed out last."""
        frame, self._frame = self._frame, None
        if frame is None:
            return None
        self._wanted.set()
        return turned(frame)[:, :2].astype(np.float32)

    def _run(self) -> None:
        try:
            watching: dict[str, Any] = {"watch": self._watch, "contests": watched_links(self._count_trial)}
            found = embed(self.network, self.given, progress=False, **watching, **self.settings)
            self._end(found)
        except Stopped:
            self.was_stopped = True
        except NetgivenError as problem:
            self.problem = str(problem)
        except MemoryError:
            self.problem = "There is not enough memory for this network with this knowledge."

    def _end(self, found: Embedding) -> None:
        if found.outcome.ending is Ending.DIVERGED:
            self.problem = "The fit diverged: its objective is no longer a number. Try a smaller reach."
        else:
            self.embedding = found

    def _count_trial(self) -> None:
        self._check()
        self.progress = self.progress._replace(trials=self.progress.trials + 1)

    def _watch(self, record: Record, positions: Float32Array) -> None:
        self._stop.wait(self._pause)
        self._check()
        self.progress = self.progress._replace(step=record.step + 1, objective=float(record.objective))
        if self._wanted.is_set():  # positions are copied only when somebody will look at them
            self._wanted.clear()
            self._frame = positions.copy()

    def _check(self) -> None:
        if self._stop.is_set():
            raise Stopped
