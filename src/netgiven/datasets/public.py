"""The networks that the paper measures on, by name: finding them in a folder, and reading them.

They lie in one folder: `NAME.edges.gz` (two node numbers a line, each link once), `NAME.labels.gz` (node and label,
several lines a node), `NAME.types` (node and type). Nodes are numbered from 0. Those without links stand in no line, so
the number of nodes is held in registry.py.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import os
import zlib
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

from netgiven.datasets.registry import NETWORKS, PublicFile, PublicNetwork
from netgiven.errors import InputError
from netgiven.network import Network

__all__ = [
    "NETWORKS",
    "Files",
    "PublicFile",
    "PublicNetwork",
    "check_counts",
    "contents",
    "files_in",
    "find",
    "fingerprint",
    "folder",
    "given_folder",
    "label_counts",
    "load",
    "named",
    "state",
    "status",
]

VARIABLE = "NETGIVEN_DATA"


class Files(NamedTuple):
    """The paths of a network's files; None where it has no such file."""

    links: Path
    labels: Path | None
    types: Path | None


# ---- where they are --------------------------------------------------------------------------------------------------


def named(name: str) -> PublicNetwork:
    """A network by its name, or an error that lists those there are.

    >>> named("ppi").title, named("ppi").links
    ('Protein-Protein Interactions', 37845)
    """
    if name not in NETWORKS:
        raise InputError(f"There is no public network {name!r}; there are {', '.join(NETWORKS)}.")
    return NETWORKS[name]


def given_folder(given: Path | None) -> Path | None:
    """The folder of public networks: what is given, else what NETGIVEN_DATA names; it need not be there yet."""
    told = given or os.environ.get(VARIABLE)
    if not told:
        return None
    path = Path(told)
    try:
        usable = not path.exists() or (path.is_dir() and os.access(path, os.R_OK | os.X_OK))
    except OSError as problem:
        raise InputError(f"The folder {path} cannot be looked into: {problem.strerror}.") from problem
    if not usable:
        raise InputError(f"{path} is no folder that can be read; that of the public networks was expected.")
    return path


def folder(given: Path | None) -> Path:
    """The folder of public networks, or an error that says how to name it."""
    path = given_folder(given)
    if path is None:
        raise InputError(f"Which folder holds the public networks? Give --data DIR, or set {VARIABLE} to it.")
    return path


def find(name: str, folder: Path) -> Files:
    """The paths of a network's files, or an error that says which is missing and how to get it."""
    network = named(name)
    for file in network.files:
        if not (folder / file.name).is_file():
            raise InputError(f"There is no {file.name} in {folder}. {_advice(network, folder)}")
    return files_in(network, folder)


def _advice(network: PublicNetwork, folder: Path) -> str:
    if network.original is None:
        return f"There is {network.origin}; copy it from a folder that has it."
    return f"It is made from {network.original} by: netgiven datasets --data {folder} --fetch {network.name}"


def files_in(network: PublicNetwork, folder: Path) -> Files:
    """The paths that a network's files have in a folder, whether they are there or not."""
    paths = {Path(file.name.removesuffix(".gz")).suffix: folder / file.name for file in network.files}
    return Files(paths[".edges"], paths.get(".labels"), paths.get(".types"))


# ---- reading them ----------------------------------------------------------------------------------------------------


def load(name: str, folder: Path) -> Network:
    """A network with all its nodes 0, 1, ..., also those without links; types, where there are, as column `type`."""
    network, files = named(name), find(name, folder)
    loaded = _read(network, files)
    check_counts(network, loaded, files.links)
    return loaded


def _read(network: PublicNetwork, files: Files) -> Network:
    pairs = _table(files.links, np.int64)
    nodes = pd.DataFrame({"node": range(network.nodes)})
    if files.types is not None:
        types = _table(files.types, "str")
        nodes["type"] = nodes["node"].astype("str").map(dict(zip(types[0], types[1], strict=True)))
    return Network.from_edges(pairs, nodes=nodes)


def check_counts(network: PublicNetwork, loaded: Network, source: object) -> None:
    """Numbers of nodes and links must be those of the named network."""
    if (loaded.node_count, loaded.link_count) != (network.nodes, network.links):
        raise InputError(
            f"{source} holds {loaded.node_count:,} nodes and {loaded.link_count:,} links; "
            f"{network.name} has {network.nodes:,} and {network.links:,}, so this is another network or version."
        )


def _table(path: Path, kind: Any) -> pd.DataFrame:
    """Two columns, 0 and 1, of a file without a header."""
    try:
        data = contents(path)
        table = pd.read_csv(io.BytesIO(data), sep="\t", header=None, dtype=kind, keep_default_na=False)
    except (ValueError, OverflowError) as problem:
        told = str(problem).splitlines()[0]
        raise InputError(f"{path} is damaged: two columns with a tab between were expected ({told}).") from problem
    if table.shape[1] != 2:
        raise InputError(f"{path} is damaged: it has {table.shape[1]} columns, and two were expected.")
    return table


def contents(path: Path) -> bytes:
    """The bytes of a file, decompressed if its name ends in .gz."""
    try:
        return gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    except (OSError, EOFError, zlib.error) as problem:
        raise InputError(f"{path} cannot be read: {problem}.") from problem


# ---- telling whether they are right ----------------------------------------------------------------------------------


def fingerprint(degrees: npt.NDArray[np.integer[Any]]) -> str:
    """SHA-256 of the degrees in ascending order, one a line.

    >>> fingerprint(np.array([2, 1, 1])) == fingerprint(np.array([1, 2, 1]))
    True
    """
    return hashlib.sha256("\n".join(map(str, np.sort(degrees).tolist())).encode()).hexdigest()


def status(folder: Path | None) -> pd.DataFrame:
    """One row a network: name, nodes, links, labels, whether it is there, and where it comes from."""
    rows = [
        {
            "name": network.name,
            "nodes": network.nodes,
            "links": network.links,
            "labels": "-" if network.labels is None else network.labels,
            "status": "no folder given" if folder is None else state(network, folder),
            "where from": network.origin,
        }
        for network in NETWORKS.values()
    ]
    return pd.DataFrame(rows)


def state(network: PublicNetwork, folder: Path) -> str:
    """`present`; `present, other bytes` (the same counts and degrees: an original may number nodes otherwise);
    `missing`; `differs` (another network, or a damaged file).
    """
    if not all((folder / file.name).is_file() for file in network.files):
        return "missing"
    try:
        if all(hashlib.sha256(contents(folder / file.name)).hexdigest() == file.sha256 for file in network.files):
            return "present"
        return "present, other bytes" if _is_alike(network, files_in(network, folder)) else "differs"
    except InputError:  # told as a state: a list of networks is no place to stop at the first damaged one
        return "differs"


def _is_alike(network: PublicNetwork, files: Files) -> bool:
    if network.original is None:  # nobody can have converted it
        return False
    loaded = _read(network, files)
    labels = None if files.labels is None else _table(files.labels, np.int64)
    return fingerprint(loaded.degrees) == network.fingerprint and label_counts(labels) == (
        network.labels,
        network.label_pairs,
    )


def label_counts(labels: pd.DataFrame | None) -> tuple[int | None, int | None]:
    """How many labels there are, and how many pairs of a node and a label (columns 0 and 1)."""
    return (None, None) if labels is None else (labels[1].nunique(), len(labels.drop_duplicates()))
