"""What is being done, and a bar with the objective and the time left; nothing where nobody looks."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from netgiven.fitting.record import Record
from netgiven.fitting.train import Watcher
from netgiven.types import Float32Array


@contextmanager
def stage(what: str, show: bool | None = None) -> Iterator[None]:
    """Tell a person what is done now, for as long as it takes."""
    if not _shown(show):
        yield
        return
    from rich.console import Console
    from rich.markup import escape

    with Console(stderr=True).status(escape(what)):  # a file may be called [red].csv
        yield


@contextmanager
def counter(what: str, show: bool | None = None) -> Iterator[Callable[[str], None]]:
    """A function that tells a person what is tried now, and how many were, where the total is not known."""
    if not _shown(show):
        yield lambda told: None
        return
    from rich.console import Console

    with Console(stderr=True).status(what) as status:
        count = 0

        def tell(told: str) -> None:
            nonlocal count
            count += 1
            status.update(f"{what}: trial {count}, {told}")

        yield tell


@contextmanager
def tally(what: str, total: int, show: bool | None = None) -> Iterator[Callable[[int], None]]:
    """A function that tells a person how many of all are done."""
    if not _shown(show):
        yield lambda done: None
        return
    from rich.console import Console

    with Console(stderr=True).status(what) as status:
        yield lambda done: status.update(f"{what}: {done:,} of {total:,}")


def _shown(show: bool | None) -> bool:
    return sys.stderr.isatty() if show is None else show


@contextmanager
def progress_bar(
    steps: int, show: bool | None = None, news: Callable[[], str] = lambda: ""
) -> Iterator[Watcher | None]:
    """A watcher that moves a bar on standard error, with any news. `show` None: only if that is a terminal."""
    if not _shown(show):
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
        TextColumn("[yellow]{task.fields[news]}"),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("embedding", total=steps, objective="", news="")

        def watch(record: Record, positions: Float32Array) -> None:
            bar.update(task, completed=record.step + 1, objective=f"{record.objective:,.0f}", news=news())

        yield watch


# ---- What a fit costs, stage by stage --------------------------------------------------------------------------------


class Clock:
    """CPU seconds of each stage, from one `stop` to the next."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._since = time.process_time()

    def stop(self, stage: str) -> None:
        """The end of a stage, and the beginning of the next."""
        now = time.process_time()
        self.seconds[stage], self._since = now - self._since, now
