"""The commands `netgiven predict F.ng`, `explain F.ng U V` and `ask F.ng`: probabilities, why, and what to look up."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from netgiven.cli.options import (
    Delimiter,
    EmbeddingFile,
    Encoding,
    Header,
    Seed,
    TableFile,
    Threads,
    check_file_options,
    check_targets,
    print_written,
)
from netgiven.cli.printing import print_lines, print_status, show_table
from netgiven.errors import InputError, InputWarning

if TYPE_CHECKING:
    import pandas as pd

    from netgiven.analysis.active_learning import Strategy
    from netgiven.embedding import Embedding

INTERVALS = (
    "Intervals: how far a probability would vary if the network were drawn again from this embedding. They do not "
    "cover what the embedding does not show."
)


def predict(
    file: EmbeddingFile,
    *,
    node: Annotated[
        list[str] | None,
        typer.Option(help="Rank the possible links of this node, or of all with COLUMN=VALUE; may be repeated."),
    ] = None,
    among: Annotated[
        str | None, typer.Option(help="With --node: only links to nodes with COLUMN=VALUE, e.g. type=film.")
    ] = None,
    pairs: Annotated[
        Path | None, typer.Option(help="Print the probability of each pair in this file, two names per line.")
    ] = None,
    top: Annotated[
        int | None, typer.Option(help="Number of possible links to print, for each --node (default: 10).")
    ] = None,
    surprising: Annotated[
        bool, typer.Option("--surprising", help="List links that are there although they are improbable, in bits.")
    ] = False,
    level: Annotated[
        float | None,
        typer.Option(help="With --pairs: also print intervals of this level, e.g. 0.9."),
    ] = None,
    out: TableFile = None,
    threads: Threads = None,
    delimiter: Delimiter = None,
    header: Header = None,
    encoding: Encoding = None,
) -> None:
    """Print probabilities of pairs, or the most probable new links.

    With --surprising, the least probable links that are there.
    """
    import netgiven as ng

    if pairs is not None and (node or top is not None):
        raise InputError("Both --pairs and --node or --top were given; give one of them.")
    if surprising:
        _check_surprising(node, among, pairs)
    if among is not None and not node:
        raise InputError(f"--among {among} goes with --node, the node that links are recommended to.")
    check_file_options(pairs, "--pairs", delimiter, header, encoding)
    if pairs is None and level is not None:
        raise InputError("--level goes with --pairs; intervals are computed for given pairs only.")
    check_targets(None, out, file, pairs)
    embedding = ng.load(file)
    if pairs is not None:
        table, notes = ng.read_pairs(pairs, embedding.nodes, header=header, delimiter=delimiter)
        for note in notes:
            print_status(note)
        scored = table.assign(probability=embedding.probabilities(table))
        if level is not None:
            scored[["low", "high"]] = embedding.intervals(table, level)[["low", "high"]].to_numpy()
            print_status(INTERVALS)
        show_table(scored, out, header=False)
    else:
        count = 10 if top is None else top
        if surprising:
            table = embedding.surprising_links(
                count, node=ng.name_from_text(embedding.nodes, node[0]) if node else None
            )
        elif node:
            table = _recommended(embedding, node, count, among)
        else:
            table = embedding.likely_links(None, count, threads)
        show_table(table, out)
    print_written(out)


def _check_surprising(node: list[str] | None, among: str | None, pairs: Path | None) -> None:
    if among is not None or pairs is not None:
        raise InputError("--surprising lists links that are there; it goes with --node, --top and --out only.")
    if node and len(node) > 1:
        raise InputError(f"--surprising takes one --node; {len(node)} were given.")


def _recommended(embedding: Embedding, texts: list[str], count: int, among: str | None) -> pd.DataFrame:
    """Recommendations for one node, or for several; prints whether some get none."""
    groups = [_nodes_from_text(embedding, text) for text in texts]
    names = [name for group in groups for name in group]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", InputWarning)
        table = embedding.recommend(names[0] if len(names) == 1 else names, count, among)
    for warning in caught:
        print_status(str(warning.message))
    return table


def _nodes_from_text(embedding: Embedding, text: str) -> list[Any]:
    """The name of a node, or of all nodes with a value of a column."""
    import netgiven as ng
    from netgiven.ranking import members

    name, (column, equals, value) = ng.name_from_text(embedding.nodes, text), text.partition("=")
    if name in embedding or not equals or column not in embedding.network.columns:
        return [name]
    return embedding.nodes[members(embedding.network, {column: value})].tolist()


def explain(
    file: EmbeddingFile,
    first: Annotated[str, typer.Argument(metavar="U", help="A node.")],
    second: Annotated[str, typer.Argument(metavar="V", help="Another node.")],
    *,
    top: Annotated[int, typer.Option(help="Number of links to list.")] = 10,
    picture: Annotated[Path | None, typer.Option(help="Draw the two nodes and their links (.png, .svg, .pdf).")] = None,
) -> None:
    """Explain the probability of a pair by the links of its nodes.

    Prints the terms of its log-odds, and the links that raise it most.
    """
    import netgiven as ng

    check_targets(picture, None, file)
    embedding = ng.load(file)
    names = (ng.name_from_text(embedding.nodes, name) for name in (first, second))
    explanation = embedding.explain(*names)
    table = explanation.table(top)
    print_lines(explanation.lines())
    print()
    show_table(table, None)
    for note in explanation.notes:
        print_status(note)
    if picture is not None:
        explanation.picture(picture, top)
    print_written(picture)


def ask(
    file: EmbeddingFile,
    *,
    pool: Annotated[
        Path | None,
        typer.Option(help="File of pairs that can be looked up, two names per line (default: all unobserved pairs)."),
    ] = None,
    strategy: Annotated[
        str, typer.Option(help="How to rank pairs: probability, entropy, d-optimal, v-optimal or random.")
    ] = "v-optimal",
    top: Annotated[int, typer.Option(help="Number of pairs.")] = 10,
    seed: Seed = 0,
    out: TableFile = None,
    delimiter: Delimiter = None,
    header: Header = None,
    encoding: Encoding = None,
) -> None:
    """Rank the pairs to look up next by what they would teach.

    Active learning: the pairs come first from which the embedding would learn most.
    """
    import netgiven as ng

    check_file_options(pool, "--pool", delimiter, header, encoding)
    check_targets(None, out, file, pool)
    embedding, pairs = ng.load(file), None
    if pool is None and not embedding.network.unobserved_count:
        raise InputError(f"{file} has no unobserved pairs; list the pairs that can be looked up with --pool.")
    if pool is not None:
        pairs, notes = ng.read_pairs(pool, embedding.nodes, header=header, delimiter=delimiter)
        for note in notes:
            print_status(note)
    show_table(embedding.ask(pairs, cast("Strategy", strategy), top, seed), out)
    print_written(out)
