"""The program `netgiven`: its commands, each imported when it is used, and how errors are reported."""

from __future__ import annotations

import atexit
import gc
import os
import sys
import warnings
from contextvars import copy_context
from importlib import import_module
from typing import Annotated, Any, cast

import typer
from typer.core import TyperGroup

import netgiven
from netgiven.cli.printing import redirect_to_null
from netgiven.errors import InputWarning, NetgivenError

GC_THRESHOLD = 500_000  # the default is 700; importing makes 300,000 objects
THREAD_TIMEOUT = "4"  # threads of OpenBLAS sleep after 2^4 cycles, not 2^28, in which each would spin while we import

COMMANDS = {  # in the order of the help: module and function, or an app with subcommands
    "embed": "embed:embed",
    "predict": "predict:predict",
    "explain": "predict:explain",
    "ask": "predict:ask",
    "add": "add:add",
    "update": "add:update",
    "labels": "labels:labels",
    "groups": "info:groups",
    "prior": "prior:prior",
    "fairness": "fairness:fairness",
    "map": "map:map_command",
    "info": "info:info",
    "export": "info:export",
    "explore": "explore:explore",
    "demo": "demo:demo",
    "datasets": "datasets:datasets",
    "evaluate": "evaluate:app",
}


def load_command(name: str) -> Any:
    """Import a command."""
    module, attribute = COMMANDS[name].split(":")
    command = getattr(import_module(f"netgiven.cli.{module}"), attribute)
    if isinstance(command, typer.Typer):
        return typer.main.get_group(command)
    app = typer.Typer(add_completion=False, rich_markup_mode=None)
    app.command(name=name)(command)
    return typer.main.get_command(app)


class LazyGroup(TyperGroup):
    """A group that imports a command when it is called, or listed in the help."""

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        self.commands = cast("Any", dict.fromkeys(COMMANDS))  # the names are used for suggestions after a typing error

    def list_commands(self, ctx: Any) -> list[str]:
        """The names of all commands."""
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """The command of this name, or None."""
        return load_command(cmd_name) if cmd_name in COMMANDS else None


app = typer.Typer(
    cls=LazyGroup,
    help="Embed a network given what you already know about it.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


def _print_version(requested: bool) -> None:
    if requested:
        print(f"netgiven {netgiven.__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Embed a network given what you already know about it."""


def main() -> None:
    """Run a command. Errors of the user are one message on standard error, with exit code 2."""
    _collect_less_garbage()
    os.environ.setdefault("OPENBLAS_THREAD_TIMEOUT", THREAD_TIMEOUT)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", InputWarning)  # commands print what was read and how
            copy_context().run(_run)  # options for all files that are read end with the command
    except NetgivenError as error:
        print(f"netgiven: {error}", file=sys.stderr)
        sys.exit(2)
    except MemoryError:
        print("netgiven: not enough memory for this network with these settings.", file=sys.stderr)
        sys.exit(1)


def _collect_less_garbage() -> None:
    """Save a fifth of the CPU time of a short command.

    The libraries that a command imports make many objects and hardly any garbage. Python would search these objects
    again and again while they are made, and once more before it exits.
    """
    gc.set_threshold(GC_THRESHOLD)
    atexit.register(gc.freeze)


def _run() -> None:
    """Run a command. It is no error if the reader of the output has gone, such as `head`."""
    output = sys.stdout
    try:
        app()
    except SystemExit as end:
        try:
            if isinstance(end.__context__, BrokenPipeError):  # Typer exits with 1 before anybody else can see it
                raise end.__context__ from None
            if not end.code and output is not None:
                output.flush()  # errors of output that is written when Python shuts down could not be caught
        except BrokenPipeError:
            redirect_to_null(output)
            sys.exit(0)
        raise


if __name__ == "__main__":
    main()
