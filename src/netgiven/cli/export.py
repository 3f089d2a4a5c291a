"""netgiven export F.ng vectors.csv"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from netgiven.cli.options import EmbeddingFile, tell_written


def export(
    file: EmbeddingFile,
    out: Annotated[Path, typer.Argument(help="Where to: .csv, .tsv, .parquet, .npy, or .txt/.vec (word2vec text).")],
) -> None:
    """Write the vectors for other programs."""
    import netgiven as ng
    from netgiven.array_file import check_target

    check_target(out, file)
    ng.load(file).export(out)
    tell_written(out)
