"""netgiven predict F.ng --node NAME | --pairs PAIRS.tsv | --top 20"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from netgiven.cli.options import Delimiter, EmbeddingFile, Header, Threads, tell_written
from netgiven.cli.printing import show_table, tell
from netgiven.errors import InputError


def predict(
    file: EmbeddingFile,
    *,
    node: Annotated[str | None, typer.Option(help="The likeliest missing links of this node.")] = None,
    pairs: Annotated[
        Path | None, typer.Option(help="A file of pairs, two names a line: the probability of each.")
    ] = None,
    top: Annotated[
        int | None, typer.Option(help="So many likeliest missing links (default: 10, of the whole network).")
    ] = None,
    level: Annotated[
        float | None,
        typer.Option(help="With --pairs: an interval for each probability, at this level (0.9 is usual)."),
    ] = None,
    out: Annotated[Path | None, typer.Option(help="Write tab-separated lines to this file.")] = None,
    threads: Threads = None,
    delimiter: Delimiter = None,
    header: Header = None,
) -> None:
    """Probabilities of pairs, or the likeliest links that are not there."""
    import netgiven as ng
    from netgiven.array_file import check_target

    if pairs is not None and (node is not None or top is not None):
        raise InputError("Give --pairs, or --node and --top, not both.")
    if pairs is None and not (delimiter is None and header is None):
        raise InputError("--delimiter and --header go with --pairs, whose file they describe.")
    if pairs is None and level is not None:
        raise InputError("--level goes with --pairs: intervals are for pairs that were named.")
    if out is not None:
        check_target(out, file, pairs)
    embedding = ng.load(file)
    if pairs is not None:
        table, notes = ng.read_pairs(pairs, embedding.nodes, header=header, delimiter=delimiter)
        for note in notes:
            tell(note)
        told = table.assign(probability=embedding.probabilities(table))
        if level is not None:
            told[["low", "high"]] = embedding.intervals(table, level)[["low", "high"]].to_numpy()
        show_table(told, out, header=False)
    else:
        name = None if node is None else ng.name_from_text(embedding.nodes, node)
        show_table(embedding.likely_links(name, 10 if top is None else top, threads), out)
    tell_written(out)
