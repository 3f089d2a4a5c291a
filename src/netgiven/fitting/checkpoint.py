"""A file from which a fit goes on after the machine that drove it died."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np

from netgiven.array_file import Arrays, load_arrays, save_arrays
from netgiven.edges import counted
from netgiven.engine.cluster import Ray
from netgiven.errors import FormatError, InputError
from netgiven.fitting.outcome import Record
from netgiven.fitting.settings import Settings
from netgiven.fitting.task import Task
from netgiven.kernels.updates import Moments
from netgiven.types import Float32Array


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
