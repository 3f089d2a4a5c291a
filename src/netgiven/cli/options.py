"""Options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from netgiven.errors import InputError

NetworkFile = Annotated[
    Path, typer.Argument(help="Edge list (text, CSV, TSV, .gz, .zst), Parquet, GraphML, GML, .mtx, .mat ...")
]
NodeTable = Annotated[
    Path | None,
    typer.Option("--nodes", help="Table of nodes: the first column names them, others are groups and attributes."),
]
Delimiter = Annotated[str | None, typer.Option(help="What separates the columns of a text file; found out by default.")]
Header = Annotated[
    bool | None, typer.Option("--header/--no-header", help="Is the first line a header? Found out by default.")
]
Threads = Annotated[int | None, typer.Option(min=1, help="Processors to use (default: all). The result is the same.")]
EmbeddingFile = Annotated[Path, typer.Argument(help="An embedding that 'netgiven embed' wrote.")]


def number_or_auto(name: str, text: str, kind: type[int] | type[float]) -> Any:
    """What was typed for a setting that can be chosen."""
    if text == "auto":
        return text
    try:
        return kind(text)
    except ValueError:
        wanted = "a whole number" if kind is int else "a number"
        raise InputError(f"{name} {text} was given; it takes {wanted}, or auto.") from None
