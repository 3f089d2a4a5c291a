"""netgiven ask F.ng --pool PAIRS --strategy v-optimal"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from netgiven.cli.options import Delimiter, EmbeddingFile, Header, check_targets, tell_written
from netgiven.cli.printing import show_table, tell
from netgiven.errors import InputError


def ask(
    file: EmbeddingFile,
    *,
    pool: Annotated[
        Path | None,
        typer.Option(help="Pairs that can be looked up, two names a line (default: all that are unknown)."),
    ] = None,
    strategy: Annotated[str, typer.Option(help="probability, entropy, d-optimal, v-optimal or random.")] = "v-optimal",
    top: Annotated[int, typer.Option(help="So many pairs.")] = 10,
    seed: Annotated[int, typer.Option(help="Of the strategy random.")] = 0,
    out: Annotated[Path | None, typer.Option(help="Write tab-separated lines to this file.")] = None,
    delimiter: Delimiter = None,
    header: Header = None,
) -> None:
    """Which pairs to look up next: those that would tell the most."""
    import netgiven as ng

    if pool is None and not (delimiter is None and header is None):
        raise InputError("--delimiter and --header go with --pool, whose file they describe.")
    check_targets(None, out, file, pool)
    embedding, pairs = ng.load(file), None
    if pool is not None:
        pairs, notes = ng.read_pairs(pool, embedding.nodes, header=header, delimiter=delimiter)
        for note in notes:
            tell(note)
    wanted: Any = strategy
    show_table(embedding.ask(pairs, wanted, top, seed), out)
    tell_written(out)
