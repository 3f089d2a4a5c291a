"""The program `netgiven`: its commands, and what happens to errors."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

import netgiven
from netgiven.cli import (
    add,
    ask,
    datasets,
    demo,
    embed,
    evaluate,
    explain,
    explore,
    export,
    fairness,
    info,
    labels,
    map,  # noqa: A004 - a command
    predict,
    prior,
    reproduce,
)
from netgiven.cli.printing import hush
from netgiven.errors import NetgivenError

app = typer.Typer(
    help="Embed a network given what you already know about it.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
app.command(name="embed")(embed.embed)
app.command(name="predict")(predict.predict)
app.command(name="explain")(explain.explain)
app.command(name="ask")(ask.ask)
app.command(name="add")(add.add)
app.command(name="update")(add.update)
app.command(name="labels")(labels.labels)
app.command(name="prior")(prior.prior)
app.command(name="fairness")(fairness.fairness)
app.command(name="map")(map.map_command)
app.command(name="info")(info.info)
app.command(name="export")(export.export)
app.command(name="explore")(explore.explore)
app.command(name="demo")(demo.demo)
app.command(name="datasets")(datasets.datasets)
app.add_typer(evaluate.app, name="evaluate")
app.command(name="reproduce")(reproduce.reproduce)


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"netgiven {netgiven.__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Show version.")
    ] = False,
) -> None:
    """Embed a network given what you already know about it."""


def main() -> None:
    """Run a command. What was done wrong is told in a sentence on standard error, with exit code 2."""
    try:
        _run()
    except NetgivenError as error:
        print(f"netgiven: {error}", file=sys.stderr)
        sys.exit(2)
    except MemoryError:
        print("netgiven: not enough memory for this network with these settings.", file=sys.stderr)
        sys.exit(1)


def _run() -> None:
    """Run a command. It is no error that the reader of our output has gone, as `head` does."""
    output = sys.stdout
    try:
        app()
    except SystemExit as end:
        try:
            if isinstance(end.__context__, BrokenPipeError):  # Typer leaves with 1 before anybody else can see it
                raise end.__context__ from None
            if not end.code and output is not None:
                output.flush()  # what is written when Python shuts down can no longer be caught
        except BrokenPipeError:
            hush(output)
            sys.exit(0)
        raise


if __name__ == "__main__":
    main()
