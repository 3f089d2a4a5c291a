"""netgiven explain F.ng U V"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from netgiven.cli.options import EmbeddingFile, check_targets, tell_written
from netgiven.cli.printing import print_lines, show_table, tell


def explain(
    file: EmbeddingFile,
    first: Annotated[str, typer.Argument(metavar="U", help="A node.")],
    second: Annotated[str, typer.Argument(metavar="V", help="Another node.")],
    *,
    top: Annotated[int, typer.Option(help="So many links that raise the probability most.")] = 10,
    picture: Annotated[Path | None, typer.Option(help="Draw the two nodes and their links (.png, .svg, .pdf).")] = None,
) -> None:
    """Why a pair is likely: the parts of its log-odds, and the links that raise its probability."""
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
        tell(note)
    if picture is not None:
        explanation.picture(picture, top)
    tell_written(picture)
