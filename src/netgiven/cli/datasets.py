"""netgiven datasets"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from netgiven.cli.printing import show_table, tell
from netgiven.errors import InputError

if TYPE_CHECKING:
    from netgiven.datasets.downloading import Watcher

DataFolder = Annotated[
    Path | None, typer.Option("--data", help="The folder of public networks (default: what NETGIVEN_DATA names).")
]


def datasets(
    *,
    data: DataFolder = None,
    fetch: Annotated[
        list[str] | None,
        typer.Option(help="Download this network into the folder unless it is there, or all; give it several times."),
    ] = None,
    out: Annotated[Path | None, typer.Option(help="Write the table to this file, tab-separated.")] = None,
) -> None:
    """The public networks by name: what they hold, and whether they are there."""
    from netgiven.array_file import check_target
    from netgiven.datasets import public

    if out is not None:
        check_target(out)
    failures = _fetch(_wanted(fetch), public.folder(data)) if fetch else []
    show_table(public.status(public.given_folder(data)), out)
    if failures:
        raise InputError("\n".join(failures))


def _wanted(names: list[str]) -> list[str]:
    """Each network once; of `all` only those that can be fetched, and a line for those that cannot."""
    from netgiven.datasets import public

    chosen = [public.named(name).name for name in dict.fromkeys(names) if name != "all"]
    if "all" not in names:
        return chosen
    for network in public.NETWORKS.values():
        if network.original is None:
            tell(f"{network.name}: {network.origin}")
    return [network.name for network in public.NETWORKS.values() if network.original is not None]


def _fetch(names: list[str], folder: Path) -> list[str]:
    """Fetch what is not there yet; what cannot be fetched keeps nothing else from it, and is told at the end."""
    from netgiven.datasets import fetching, public

    failures = []
    for name in names:
        if public.state(public.named(name), folder).startswith("present"):
            tell(f"{name}: there already")
            continue
        try:
            with _progress(name) as watch:
                files = fetching.fetch(name, folder, watch)
            tell(f"{name}: fetched to {', '.join(str(path) for path in files if path is not None)}")
        except InputError as problem:
            failures.append(str(problem))
    return failures


@contextmanager
def _progress(name: str) -> Iterator[Watcher | None]:
    """A bar on standard error, if that is a terminal."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(name, total=None)
        yield lambda received, total: bar.update(task, completed=received, total=total)
