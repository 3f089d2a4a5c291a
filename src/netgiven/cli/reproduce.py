"""netgiven reproduce"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from netgiven.cli.datasets import DataFolder
from netgiven.cli.options import Threads
from netgiven.cli.printing import tell
from netgiven.errors import InputError

if TYPE_CHECKING:
    from netgiven.evaluation.reproduction.plan import Problem, Table, Unit
    from netgiven.evaluation.reproduction.run import Watcher


def reproduce(
    *,
    data: DataFolder = None,
    out: Annotated[Path, typer.Option(help="The folder to write to; a run that was interrupted goes on there.")] = Path(
        "reproduction"
    ),
    quick: Annotated[bool, typer.Option("--quick", help="One split, and without the slow baselines.")] = False,
    splits: Annotated[int, typer.Option(help="How often to hide links or labels; slow baselines get 3 at most.")] = 10,
    networks: Annotated[
        list[str] | None,
        typer.Option(help="Only these networks, with commas between, or give it several times. Default: all."),
    ] = None,
    tables: Annotated[str, typer.Option(help="links (Table 2), labels (Table 3) or both.")] = "both",
    threads: Threads = None,
) -> None:
    """Make the paper's tables again, on its public networks, with the paper's numbers beside them."""
    from netgiven.datasets import public
    from netgiven.evaluation.reproduction import methods
    from netgiven.evaluation.reproduction.report import Facts, write_report
    from netgiven.evaluation.reproduction.run import Wanted, run
    from netgiven.evaluation.reproduction.sources import public_sources
    from netgiven.evaluation.reproduction.units import load_all

    chosen = methods.tables(tables)
    wanted = Wanted(chosen, _names(networks, chosen), splits, quick)
    sources = public_sources(public.folder(data))
    try:
        with _progress() as watch:
            outcome = run(wanted, sources, out, threads, watch)
    except KeyboardInterrupt:
        tell(f"Interrupted. What was done is kept in {out}; the same command goes on from there.")
        raise
    filed = load_all(methods.tables("both"), out, outcome.fingerprints)
    if not filed:
        raise InputError("\n".join(["Nothing could be run.", *_told(outcome.problems)]))
    facts = Facts(_command(quick, splits, networks, tables), outcome.problems)
    write_report(methods.tables("both"), filed, facts, out)
    for line in _told(outcome.problems):
        tell(line)
    tell(f"Report on {len(filed)} runs: {out / 'report.md'} and {out / 'report.html'}")


def _names(given: list[str] | None, tables: Sequence[Table]) -> list[str]:
    """The networks that were named, or all of the tables."""
    known = list(dict.fromkeys(name for table in tables for name in table.networks))
    names = [name.strip() for text in given or [] for name in text.split(",") if name.strip()]
    for name in names:
        if name not in known:
            raise InputError(f"There is no network {name!r} in these tables; there are {', '.join(known)}.")
    return list(dict.fromkeys(names)) or known


def _command(quick: bool, splits: int, networks: list[str] | None, tables: str) -> str:
    """The command without folders and threads, on which the report does not depend."""
    words = ["netgiven reproduce", *(["--quick"] if quick else [f"--splits {splits}"])]
    words += [f"--networks {name}" for name in networks or []]
    return " ".join(words + ([] if tables == "both" else [f"--tables {tables}"]))


def _told(problems: Sequence[Problem]) -> list[str]:
    return [f"Not run: {problem.what}. {problem.why}" for problem in problems]


@contextmanager
def _progress() -> Iterator[Watcher | None]:
    """A bar on standard error, if that is a terminal."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (BarColumn(), MofNCompleteColumn(), TimeRemainingColumn(), TextColumn("{task.description}"))
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("looking for what is there", total=None)

        def watch(unit: Unit, done: int, total: int) -> None:
            bar.update(task, description=str(unit), completed=done, total=total)

        yield watch
