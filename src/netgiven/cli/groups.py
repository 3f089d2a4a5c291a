"""The command `netgiven groups F.ng --out groups.csv`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from netgiven.cli.options import EmbeddingFile, Seed, print_written
from netgiven.cli.printing import print_status, show_table


def groups(
    file: EmbeddingFile,
    *,
    count: Annotated[
        int | None, typer.Option(min=1, help="Number of groups (default: as many as the links justify).")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(help="Write the group of each node to this file (.csv: commas, others: tabs); --nodes reads it."),
    ] = None,
    seed: Seed = 0,
) -> None:
    """Find groups of nodes that are near each other.

    Prints one row per group: links inside it, those that the prior expects, typical nodes, frequent values.
    """
    import netgiven as ng
    from netgiven.array_file import check_target
    from netgiven.fitting.progress import stage

    if out is not None:
        check_target(out, file)
    embedding = ng.load(file)
    with stage("finding groups"):
        found = embedding.groups(count, seed)
    print_status(repr(found))
    if len(found):
        show_table(found.table, None)
    if out is not None:
        show_table(found.group.rename_axis("node").reset_index(), out)
    print_written(out)
