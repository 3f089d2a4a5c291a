"""netgiven fairness F.ng [G.ng ...] --attribute COLUMN"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from netgiven.cli.options import Delimiter, Header, check_targets, tell_written
from netgiven.cli.printing import show_table, tell
from netgiven.errors import InputError

if TYPE_CHECKING:
    import pandas as pd

    from netgiven.embedding import Embedding
    from netgiven.tasks.fairness import FairnessReport


def fairness(
    files: Annotated[list[Path], typer.Argument(help="Embeddings of one network that 'netgiven embed' wrote.")],
    *,
    attribute: Annotated[str, typer.Option(help="The node column whose groups are compared.")],
    pairs: Annotated[
        Path | None, typer.Option(help="Links that were hidden from the embeddings, two names a line.")
    ] = None,
    groups: Annotated[
        bool, typer.Option("--groups", help="Tell of each two groups, in place of the embeddings as a whole.")
    ] = False,
    picture: Annotated[Path | None, typer.Option(help="Draw it, too (.png, .svg, .pdf).")] = None,
    out: Annotated[Path | None, typer.Option(help="Write the table to this file, tab-separated.")] = None,
    delimiter: Delimiter = None,
    header: Header = None,
) -> None:
    """Is it fair? What embeddings make of the groups of nodes, in predictions and in vectors, side by side."""
    import netgiven as ng
    from netgiven.tasks.fairness import told_given

    if pairs is None and not (delimiter is None and header is None):
        raise InputError("--delimiter and --header go with --pairs, whose file they describe.")
    check_targets(picture, out, *files, pairs)
    embeddings = {name: ng.load(file) for name, file in _named(files).items()}
    hidden = None if pairs is None else _read_pairs(pairs, embeddings, header, delimiter)
    report = ng.fairness(embeddings, attribute, hidden)
    for line in (*(f"{name}: given {told_given(one)}" for name, one in embeddings.items()), *report.remarks()):
        tell(line)
    if picture is not None:
        report.draw(picture)
    show_table(report.group_pairs if groups else _side_by_side(report), out)
    tell_written(picture, out)


def _named(files: list[Path]) -> dict[str, Path]:
    """Files by what tells them apart: their names, or where they are."""
    if len(set(files)) < len(files):
        raise InputError("The same file was given twice; name each embedding once.")
    stems = [file.stem for file in files]
    return {file.stem if stems.count(file.stem) == 1 else str(file): file for file in files}


def _read_pairs(
    path: Path, embeddings: dict[str, Embedding], header: bool | None, delimiter: str | None
) -> pd.DataFrame:
    import netgiven as ng

    nodes = next(iter(embeddings.values())).nodes
    table, notes = ng.read_pairs(path, nodes, header=header, delimiter=delimiter)
    for note in notes:
        tell(note)
    return table


def _side_by_side(report: FairnessReport) -> pd.DataFrame:
    """A row for each measure, a column for each embedding."""
    turned = report.table.T
    turned.insert(0, "measure", turned.index.str.replace("_", " "))
    return turned
