"""How results are shown: a table for a person at a terminal, tab-separated lines for a program behind a pipe."""

from __future__ import annotations

import math
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    import pandas as pd

    from netgiven.embedding import Embedding


def tell(line: str) -> None:
    """A line for the person, on standard error: results alone go to standard output."""
    try:
        print(line, file=sys.stderr)
    except BrokenPipeError:  # nobody listens, which is no reason to leave the work undone
        hush(sys.stderr)


def hush(stream: TextIO) -> None:
    """Send what is still to be written to nowhere: whoever read it has gone, as `head` does."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream.fileno())
    os.close(nowhere)


def bits_gained(embedding: Embedding, digits: int = 2) -> str:
    """Bits a link over the prior, with the standard error where the likelihood is estimated."""
    error = embedding.likelihood.standard_error / math.log(2) / max(embedding.network.link_count, 1)
    return f"{embedding.bits_per_link:.{digits}f}" + (f" ± {error:.2g}" if error else "")


def cost_of_choice(embedding: Embedding) -> list[str]:
    """What was chosen, and what the choice cost beside the fit; nothing where nothing was chosen."""
    trials = embedding.settings["trials"]
    if not trials:
        return []
    choice, fit = embedding.seconds["choice"], embedding.seconds["fit"]
    shrinkage = embedding.settings["shrinkage"]
    chosen = f"Chosen: {embedding.dimensions} dimensions, reach {embedding.reach:.3g}, shrinkage {shrinkage:g}"
    return [f"{chosen} ({len(trials)} trials, {choice:.1f} CPU s, {choice / max(fit, 1e-9):.1f} times the fit)"]


def show_table(table: pd.DataFrame, out: Path | None, header: bool = True) -> None:
    """Write a table to a file, or show it."""
    if out is not None:
        from netgiven.array_file import write_atomically

        write_atomically(out, lambda target: _write(table, target, header))
    elif sys.stdout.isatty():
        _pretty(table)
    else:
        _write(table, sys.stdout, header)


def print_lines(lines: list[tuple[str, str]]) -> None:
    """Names and what is to be said of them, one below the other."""
    width = max(len(name) for name, _ in lines)
    for name, value in lines:
        print(f"{name:<{width}}  {value}")


def _write(table: pd.DataFrame, target: object, header: bool) -> None:
    table.to_csv(target, sep="\t", index=False, header=header, float_format="%.9g", lineterminator="\n")  # type: ignore[call-overload]


def _cell(value: object) -> str:
    """What a person sees; a dash where there is no number."""
    if not isinstance(value, float):
        return str(value)
    if math.isnan(value):
        return "–"
    return f"{value:,.0f}" if 1e4 <= abs(value) < 1e12 else f"{value:.2g}" if abs(value) < 1e-4 else f"{value:.4g}"


def _pretty(table: pd.DataFrame) -> None:
    """A table as wide as the terminal: names of columns may be broken, and texts, but no number."""
    from rich.console import Console
    from rich.table import Table

    grid = Table(box=None, header_style="bold", collapse_padding=True, pad_edge=False)
    for place, name in enumerate(table.columns):
        kind, title = table.dtypes.iloc[place].kind, str(name).replace("_", "\n")
        cells = [_cell(value) for value in table.iloc[:, place]] if kind in "iuf" else []
        width = max(map(len, [*cells, *title.split(), ""]))
        grid.add_column(title, justify="right" if kind == "f" else "left", overflow="fold", min_width=width)
    for row in table.itertuples(index=False):
        grid.add_row(*map(_cell, row))
    Console(markup=False, highlight=False).print(grid)
