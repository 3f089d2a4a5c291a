"""The command `netgiven datasets`."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from netgiven.cli.options import TableFile
from netgiven.cli.printing import print_status, show_table
from netgiven.errors import InputError

if TYPE_CHECKING:
    from netgiven.datasets.download import Callback

DataFolder = Annotated[
    Path | None,
    typer.Option("--data", help="Folder of public networks (default: the environment variable NETGIVEN_DATA)."),
]


def datasets(
    *,
    data: DataFolder = None,
    fetch: Annotated[
        list[str] | None,
        typer.Option(help="Download this network, or all, unless it is there. Can be repeated."),
    ] = None,
    out: TableFile = None,
) -> None:
    """List public networks, and download them."""
    from netgiven.array_file import check_target
    from netgiven.datasets import public

    if out is not None:
        check_target(out)
    failures = _fetch(_fetchable(fetch), public.folder(data)) if fetch else []
    show_table(public.status(public.given_folder(data)), out)
    if failures:
        raise InputError("\n".join(failures))


def _fetchable(names: list[str]) -> list[str]:
    """Each network once; for `all`, those that can be downloaded, with a message about the others."""
    from netgiven.datasets import public

    chosen = [public.named(name).name for name in dict.fromkeys(names) if name != "all"]
    if "all" not in names:
        return chosen
    for network in public.NETWORKS.values():
        if network.original is None:
            print_status(f"{network.name}: {network.origin}")
    return [network.name for network in public.NETWORKS.values() if network.original is not None]


def _fetch(names: list[str], folder: Path) -> list[str]:
    """Download what is not there yet. A failure does not stop the others; messages are returned."""
    from netgiven.datasets import download, public

    failures = []
    for name in names:
        if public.state(public.named(name), folder).startswith("present"):
            print_status(f"{name}: already downloaded")
            continue
        try:
            with _progress(name) as callback:
                files = download.fetch(name, folder, callback)
            print_status(f"{name}: downloaded to {', '.join(str(path) for path in files if path is not None)}")
        except InputError as problem:
            failures.append(str(problem))
    return failures


@contextmanager
def _progress(name: str) -> Iterator[Callback | None]:
    """A progress bar on standard error, if that is a terminal."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(name, total=None)
        yield lambda received, total: bar.update(task, completed=received, total=total)
