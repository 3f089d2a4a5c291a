"""Vectors for other programs."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pandas as pd

from netgiven.array_file import write_atomically
from netgiven.edges import plain
from netgiven.errors import InputError


def export(vectors: pd.DataFrame, path: str | os.PathLike[str]) -> None:
    """Write a table of names and coordinates in the format that the ending of `path` asks for."""
    writers = {
        ".csv": lambda target: vectors.to_csv(target, index=False),
        ".tsv": lambda target: vectors.to_csv(target, index=False, sep="\t"),
        ".parquet": lambda target: _parquet(vectors, target),
        ".npy": lambda target: _numpy(vectors, target),
        ".txt": lambda target: _word2vec(vectors, target),
        ".vec": lambda target: _word2vec(vectors, target),
    }
    ending = Path(path).suffix.lower()
    if ending not in writers:
        raise InputError(f"{path} ends in {ending or 'nothing'!r}; vectors are written to {', '.join(writers)}.")
    write_atomically(path, writers[ending])


def _parquet(vectors: pd.DataFrame, target: Path) -> None:
    """A column has one kind: names of mixed kinds, or beyond 64 bits, are written as text."""
    names = vectors.iloc[:, 0]
    if names.dtype == object and pd.api.types.infer_dtype(names) not in ("string", "floating", "boolean"):
        vectors = vectors.assign(node=names.map(lambda name: str(plain(name))))
    vectors.to_parquet(target, index=False)


def _numpy(vectors: pd.DataFrame, target: Path) -> None:
    with target.open("wb") as file:
        np.save(file, vectors.iloc[:, 1:].to_numpy(dtype=np.float32), allow_pickle=False)


def _word2vec(vectors: pd.DataFrame, target: Path) -> None:
    """A line with both sizes, then name and coordinates, separated by blanks."""
    names = vectors.iloc[:, 0].astype(str)
    blank = names.str.contains(r"\s", regex=True) | (names == "")
    if blank.any():
        raise InputError(
            f"Node {names[blank].iloc[0]!r} has a blank in its name, which word2vec text cannot hold. Use .csv."
        )
    with target.open("w", encoding="utf-8") as file:
        file.write(f"{len(vectors)} {vectors.shape[1] - 1}\n")
        vectors.assign(node=names).to_csv(file, index=False, header=False, sep=" ", quoting=3, lineterminator="\n")
