"""A file of pairs to ask about: two names a line, in the order that the answers will have."""

from __future__ import annotations

from os import PathLike
from typing import Any, NamedTuple

import pandas as pd

from netgiven.readers.files import load_file
from netgiven.readers.text import read_text


class PairList(NamedTuple):
    """Pairs of names, columns `u` and `v`, and what was decided while reading them."""

    table: pd.DataFrame
    notes: tuple[str, ...]


def read_pairs(
    path: str | PathLike[str], nodes: pd.Index[Any], *, header: bool | None = None, delimiter: str | None = None
) -> PairList:
    """Pairs of names, in the kind (text or integers) that the names in `nodes` are of.

    >>> from pathlib import Path; from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "pairs.tsv")
    ...     _ = path.write_text("2\\t1\\n1\\t3\\n")
    ...     read_pairs(path, pd.Index(["1", "2", "3"])).table.values.tolist()
    [['2', '1'], ['1', '3']]
    """
    file = load_file(path)
    if not file.data:
        raise file.error("the file is empty; two names a line were expected.")
    pairs = read_text(file, header, delimiter)
    names = pd.Index(pairs.names)
    if pd.api.types.is_integer_dtype(names.dtype) and not pd.api.types.is_integer_dtype(nodes.dtype):
        names = names.astype(str)
    return PairList(pd.DataFrame({"u": names[pairs.first], "v": names[pairs.second]}), pairs.notes)
