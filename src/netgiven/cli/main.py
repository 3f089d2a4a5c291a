"""The program `netgiven`: its commands, and what happens to errors."""

from __future__ import annotations

import os
import sys
from typing import Annotated

import typer

import netgiven
from netgiven.cli import demo, embed, export, info, predict
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
app.command(name="info")(info.info)
app.command(name="export")(export.export)
app.command(name="demo")(demo.demo)


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
        app()
    except NetgivenError as error:
        print(f"netgiven: {error}", file=sys.stderr)
        sys.exit(2)
    except MemoryError:
        print("netgiven: not enough memory for this network with these settings.", file=sys.stderr)
        sys.exit(1)
    except BrokenPipeError:  # the reader of our output has gone, as `head` does
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)


if __name__ == "__main__":
    main()
