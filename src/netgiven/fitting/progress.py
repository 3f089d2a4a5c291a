"""Progress on standard error, and the CPU time of each stage."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from netgiven.fitting.train import Callback, Step
from netgiven.types import Float32Array


@contextmanager
def stage(name: str, show: bool | None = None) -> Iterator[None]:
    """Show the name of a stage for as long as it takes. `show` None: only if standard error is a terminal."""
    if not _is_shown(show):
        yield
        return
    from rich.console import Console
    from rich.markup import escape

    with Console(stderr=True).status(escape(name)):  # a file may be called [red].csv
        yield


@contextmanager
def trial_counter(name: str, show: bool | None = None) -> Iterator[Callable[[str], None]]:
    """A function to call with each trial, where the total is not known."""
    if not _is_shown(show):
        yield lambda trial: None
        return
    from rich.console import Console

    with Console(stderr=True).status(name) as status:
        count = 0

        def show_trial(trial: str) -> None:
            nonlocal count
            count += 1
            status.update(f"{name}: trial {count}, {trial}")

        yield show_trial


@contextmanager
def item_counter(name: str, total: int, show: bool | None = None) -> Iterator[Callable[[int], None]]:
    """A function to call with the number of items that are done."""
    if not _is_shown(show):
        yield lambda done: None
        return
    from rich.console import Console

    with Console(stderr=True).status(name) as status:
        yield lambda done: status.update(f"{name}: {done:,} of {total:,}")


@contextmanager
def progress_bar(
    max_steps: int, show: bool | None = None, warning: Callable[[], str] = lambda: ""
) -> Iterator[Callback | None]:
    """A callback that moves a bar with the objective, the time left and any warning."""
    if not _is_shown(show):
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("embedding"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("objective {task.fields[objective]}"),
        TimeRemainingColumn(),
        TextColumn("[yellow]{task.fields[warning]}"),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("embedding", total=max_steps, objective="", warning="")

        def move_bar(step: Step, positions: Float32Array) -> None:
            bar.update(task, completed=step.step + 1, objective=f"{step.objective:,.0f}", warning=warning())

        yield move_bar


def _is_shown(show: bool | None) -> bool:
    return sys.stderr.isatty() if show is None else show


class Stopwatch:
    """CPU seconds of each stage, from one `lap` to the next."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._since = time.process_time()

    def lap(self, name: str) -> None:
        """End a stage, and begin the next."""
        now = time.process_time()
        self.seconds[name], self._since = now - self._since, now
