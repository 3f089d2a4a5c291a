"""Command line of the reproduction: python -m experiments.paper [--quick] [--networks NAMES] ..."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from experiments.paper import methods
from experiments.paper.plan import Problem, Table, Unit
from experiments.paper.report import Facts, write_report
from experiments.paper.run import Callback, Request, load_all, public_sources, run
from netgiven.datasets import public
from netgiven.errors import InputError, NetgivenError

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)


@app.command()
def reproduce(
    *,
    data: Annotated[
        Path | None, typer.Option(help="Folder of the public networks (default: the variable NETGIVEN_DATA).")
    ] = None,
    out: Annotated[
        Path, typer.Option(help="Folder for results and report; an interrupted run continues there.")
    ] = Path("reproduction"),
    quick: Annotated[bool, typer.Option("--quick", help="One split, without the slow baselines.")] = False,
    splits: Annotated[int, typer.Option(help="Number of random splits; slow baselines get 3 at most.")] = 10,
    networks: Annotated[
        list[str] | None,
        typer.Option(help="Only these networks, separated by commas; may be repeated (default: all)."),
    ] = None,
    tables: Annotated[str, typer.Option(help="links (Table 2), labels (Table 3) or both.")] = "both",
    threads: Annotated[
        int | None, typer.Option(min=1, help="Number of threads (default: all processors). The result is the same.")
    ] = None,
) -> None:
    """Reproduce the paper's tables on its public networks, beside the published numbers."""
    selected = methods.tables(tables)
    request = Request(selected, _names(networks, selected), splits, quick)
    sources = public_sources(public.folder(data))
    try:
        with _progress() as callback:
            record = run(request, sources, out, threads, callback)
    except KeyboardInterrupt:
        _print(f"Interrupted. Results so far are in {out}; the same command continues from there.")
        raise
    stored = load_all(methods.tables("both"), out, record.fingerprints)
    if not stored:
        raise InputError("\n".join(["Nothing could be run.", *_not_run(record.problems)]))
    facts = Facts(_command(quick, splits, networks, tables), record.problems)
    write_report(methods.tables("both"), stored, facts, out)
    for line in _not_run(record.problems):
        _print(line)
    _print(f"Report on {len(stored)} runs: {out / 'report.md'} and {out / 'report.html'}")


def _names(given: list[str] | None, tables: Sequence[Table]) -> list[str]:
    """The given networks, or all networks of the tables."""
    known = list(dict.fromkeys(name for table in tables for name in table.networks))
    names = [name.strip() for text in given or [] for name in text.split(",") if name.strip()]
    for name in names:
        if name not in known:
            raise InputError(f"There is no network {name!r} in these tables; there are {', '.join(known)}.")
    return list(dict.fromkeys(names)) or known


def _command(quick: bool, splits: int, networks: list[str] | None, tables: str) -> str:
    """The command without folders and threads, on which the report does not depend."""
    options = ["--quick"] if quick else [f"--splits {splits}"]
    options += [f"--networks {name}" for name in networks or []]
    options += [] if tables == "both" else [f"--tables {tables}"]
    return f'make reproduce OPTIONS="{" ".join(options)}"'


def _not_run(problems: Sequence[Problem]) -> list[str]:
    return [f"Not run: {problem.what}. {problem.why}" for problem in problems]


def _print(line: str) -> None:
    print(line, file=sys.stderr)


@contextmanager
def _progress() -> Iterator[Callback | None]:
    """A progress bar on standard error, if that is a terminal."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (BarColumn(), MofNCompleteColumn(), TimeRemainingColumn(), TextColumn("{task.description}"))
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("reading networks", total=None)

        def show(unit: Unit, done: int, total: int) -> None:
            bar.update(task, description=str(unit), completed=done, total=total)

        yield show


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command; errors in its input are printed, with exit code 2."""
    try:
        app(args=None if arguments is None else list(arguments), prog_name="python -m experiments.paper")
    except NetgivenError as error:
        _print(str(error))
        sys.exit(2)


if __name__ == "__main__":
    main()
