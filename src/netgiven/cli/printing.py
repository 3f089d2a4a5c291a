"""Output: results on standard output, as a table or tab-separated; messages on standard error."""

from __future__ import annotations

import math
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    import pandas as pd
    from rich.table import Table

    from netgiven.embedding import Embedding
    from netgiven.network import Network


def print_status(line: str) -> None:
    """Print a message to standard error."""
    try:
        print(line, file=sys.stderr)
    except BrokenPipeError:  # a closed standard error is no reason to stop
        redirect_to_null(sys.stderr)


def redirect_to_null(stream: TextIO) -> None:
    """Discard further output to a stream whose reader has gone, such as `head`."""
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, stream.fileno())
    os.close(null)


def print_network(network: Network, *given: str, suggest: bool = True) -> None:
    """Print the size of a network, how its links were cleaned, and notes; none that proposes what is given already.

    Without `suggest`, none that proposes anything: a command that prints proposals says it better.
    """
    from netgiven.network import SUGGESTED, suggestion

    blocks = [piece.split(":")[1] for piece in "+".join(given).split("+") if piece.startswith("blocks:")]
    known = {suggestion(network, column) for column in blocks if column in network.columns}
    for line in network.report:
        if line not in known and (suggest or not line.startswith(SUGGESTED)):
            print_status(line)


def bits_gained(embedding: Embedding, digits: int = 2) -> str:
    """Bits per link over the prior, with the standard error where the likelihood is estimated."""
    error = embedding.likelihood.standard_error / math.log(2) / max(embedding.network.link_count, 1)
    bits = round(embedding.bits_per_link, digits) + 0.0  # turns -0.0 into 0.0
    return f"{bits:.{digits}f}" + (f" ± {error:.2g}" if error else "")


def print_gain_remark(embedding: Embedding) -> None:
    """Print what it means if the embedding gains nothing over the prior, or loses; else nothing."""
    from netgiven.fitting.record import NOTHING_GAINED, gains_nothing

    if gains_nothing(embedding.bits_per_link):
        print_status(NOTHING_GAINED)
    elif embedding.bits_per_link < 0:
        print_status("The embedding predicts worse than the prior alone: try a smaller --reach or more --dimensions.")


def print_selected(embedding: Embedding) -> None:
    """Print which settings were chosen on held-out data, and the CPU time of the choice; nothing if none was."""
    fit = embedding.fit
    if not fit.trials:
        return
    selection, seconds = fit.seconds["selection"], fit.seconds["fit"]
    repelling = f" ({embedding.repelling} repelling)" if embedding.repelling else ""
    print_status(
        f"Selected: {embedding.dimensions} dimensions{repelling}, reach {embedding.reach:.3g}, "
        f"shrinkage {fit.settings.shrinkage:g} ({len(fit.trials)} trials, {selection:.1f} CPU s, "
        f"{selection / max(seconds, 1e-9):.1f} times the fit)"
    )
    if fit.trials[-1].uncertainty:
        print_status(
            f"Links may be missing at random, so probabilities are given {embedding.prior.knowledge}: a node without "
            "links may have some. To take all degrees as they are, use degrees:uncertainty=0."
        )


def show_table(table: pd.DataFrame, out: Path | None, header: bool = True) -> None:
    """Write a table to a file, with commas if it ends in .csv and else with tabs, or print it."""
    if out is not None:
        from netgiven.array_file import write_atomically

        separator = "," if out.suffix.lower() == ".csv" else "\t"
        write_atomically(out, lambda target: _write(table, target, header, separator))
    elif sys.stdout.isatty():
        _pretty(table)
    else:
        _write(table, sys.stdout, header)


def print_lines(lines: list[tuple[str, str]]) -> None:
    """Print names and values in two columns."""
    width = max(len(name) for name, _ in lines)
    for name, value in lines:
        print(f"{name:<{width}}  {value}")


def _write(table: pd.DataFrame, target: object, header: bool, separator: str = "\t") -> None:
    table.to_csv(target, sep=separator, index=False, header=header, float_format="%.9g", lineterminator="\n")  # type: ignore[call-overload]


def _cell(value: object) -> str:
    """A value as text; a dash where there is no number."""
    if not isinstance(value, float):
        return str(value)
    if math.isnan(value):
        return "–"
    return f"{value:,.0f}" if 1e4 <= abs(value) < 1e12 else f"{value:.2g}" if abs(value) < 1e-4 else f"{value:.4g}"


def _cells(values: list[object]) -> list[str]:
    """A column as texts. Its numbers have the same decimals, four digits of the largest, unless some would become 0.

    >>> _cells([0.525, 0.4371, 0.01]), _cells([83.39, 0.37]), _cells([0.5, 1e-7])
    (['0.5250', '0.4371', '0.0100'], ['83.39', '0.37'], ['0.5', '1e-07'])
    """
    sizes = [abs(value) for value in values if isinstance(value, float) and math.isfinite(value) and value]
    if not sizes or max(sizes) >= 1e12:
        return [_cell(value) for value in values]
    decimals = max(3 - math.floor(math.log10(max(sizes))), 0)
    if decimals > 7 or min(sizes) < 0.5 * 10.0**-decimals:
        return [_cell(value) for value in values]
    fixed = f",.{decimals}f"
    return [
        format(value, fixed) if isinstance(value, float) and math.isfinite(value) else _cell(value) for value in values
    ]


def _pretty(table: pd.DataFrame) -> None:
    """Print a table as wide as the terminal: column names and texts may be wrapped, numbers are not."""
    from rich.console import Console

    console = Console(markup=False, highlight=False)
    titles, cells = [str(name).replace("_", " ") for name in table.columns], _texts(table)
    widths = [max(map(len, [title, *column])) + 1 for title, column in zip(titles, cells, strict=True)]
    if sum(widths) > console.width:
        titles = [title.replace(" ", "\n") for title in titles]
    console.print(_grid(titles, cells, [kind.kind for kind in table.dtypes]))


def _texts(table: pd.DataFrame) -> list[list[str]]:
    return [_cells(table.iloc[:, place].tolist()) for place in range(table.shape[1])]


def _grid(titles: list[str], cells: list[list[str]], kinds: list[str]) -> Table:
    from rich.table import Table

    grid = Table(box=None, header_style="bold", collapse_padding=True, pad_edge=False)
    for title, column, kind in zip(titles, cells, kinds, strict=True):
        width = max(map(len, [*(column if kind in "iuf" else []), *title.split(), ""]))
        grid.add_column(title, justify="right" if kind == "f" else "left", overflow="fold", min_width=width)
    for row in zip(*cells, strict=True):
        grid.add_row(*row)
    return grid
