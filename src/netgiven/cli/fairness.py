"""The command `netgiven fairness F.ng [G.ng ...] --attribute COLUMN`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from netgiven.cli.options import (
    Delimiter,
    Encoding,
    Header,
    TableFile,
    check_file_options,
    check_targets,
    print_written,
)
from netgiven.cli.printing import print_status, show_table
from netgiven.errors import InputError

if TYPE_CHECKING:
    import pandas as pd

    from netgiven.embedding import Embedding
    from netgiven.tasks.fairness import FairnessReport


def fairness(
    files: Annotated[list[Path], typer.Argument(help="Embeddings of one network, written by 'netgiven embed'.")],
    *,
    attribute: Annotated[str, typer.Option(help="The node column whose groups are compared.")],
    pairs: Annotated[
        Path | None, typer.Option(help="File of links that were held out of the embeddings, two names per line.")
    ] = None,
    groups: Annotated[
        bool, typer.Option("--groups", help="Print one row per pair of groups instead of one column per embedding.")
    ] = False,
    picture: Annotated[Path | None, typer.Option(help="Draw the comparison to this file (.png, .svg, .pdf).")] = None,
    out: TableFile = None,
    delimiter: Delimiter = None,
    header: Header = None,
    encoding: Encoding = None,
) -> None:
    """Measure how fair embeddings are to groups of nodes.

    Predictions and vectors of several embeddings of one network are compared.
    """
    import netgiven as ng
    from netgiven.tasks.fairness import describe_given

    check_file_options(pairs, "--pairs", delimiter, header, encoding)
    check_targets(picture, out, *files, pairs)
    embeddings = {name: ng.load(file) for name, file in _named(files).items()}
    held_out = None if pairs is None else _read_pairs(pairs, embeddings, header, delimiter)
    report = ng.fairness(embeddings, attribute, held_out)
    for line in (*(f"{name}: given {describe_given(one)}" for name, one in embeddings.items()), *report.notes):
        print_status(line)
    if picture is not None:
        report.draw(picture)
    show_table(report.group_pairs if groups else _side_by_side(report), out)
    print_written(picture, out)


def _named(files: list[Path]) -> dict[str, Path]:
    """Files by name, or by path where names are the same."""
    if len(set(files)) < len(files):
        raise InputError("The same file was given twice; give each embedding once.")
    stems = [file.stem for file in files]
    return {file.stem if stems.count(file.stem) == 1 else str(file): file for file in files}


def _read_pairs(
    path: Path, embeddings: dict[str, Embedding], header: bool | None, delimiter: str | None
) -> pd.DataFrame:
    import netgiven as ng

    nodes = next(iter(embeddings.values())).nodes
    table, notes = ng.read_pairs(path, nodes, header=header, delimiter=delimiter)
    for note in notes:
        print_status(note)
    return table


def _side_by_side(report: FairnessReport) -> pd.DataFrame:
    """One row per measure, one column per embedding."""
    turned = report.table.T
    turned.insert(0, "measure", turned.index.str.replace("_", " "))
    return turned
