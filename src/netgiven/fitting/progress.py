"""A progress bar with the objective and the time left; nothing where nobody looks."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from netgiven.fitting.loop import Watcher
from netgiven.fitting.outcome import Record
from netgiven.kernels.arrays import Floats


@contextmanager
def progress_bar(steps: int, show: bool | None = None) -> Iterator[Watcher | None]:
    """A watcher that moves a bar on standard error. `show` None: only if that is a terminal."""
    if not (sys.stderr.isatty() if show is None else show):
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
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("embedding", total=steps, objective="")

        def watch(record: Record, positions: Floats) -> None:
            bar.update(task, completed=record.step + 1, objective=f"{record.objective:,.0f}")

        yield watch
