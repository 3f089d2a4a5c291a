"""A named network from its home: downloaded, converted to our layout, checked, and only then put in place."""

from __future__ import annotations

import gzip
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import urlsplit

import numpy as np
import pandas as pd

from netgiven.array_file import make_folder, write_atomically
from netgiven.datasets.downloading import Watcher, download
from netgiven.datasets.public import (
    Files,
    PublicNetwork,
    check_counts,
    files_in,
    fingerprint,
    label_counts,
    named,
)
from netgiven.errors import InputError
from netgiven.network import Network
from netgiven.readers import read


def fetch(name: str, folder: Path, watch: Watcher | None = None) -> Files:
    """Fetch a network into a folder, which is made if it is not there."""
    return fetch_network(named(name), folder, watch=watch)


def fetch_network(network: PublicNetwork, folder: Path, *, watch: Watcher | None = None, local: bool = False) -> Files:
    """The same for a network that need not be a named one. `local` also takes plain http from 127.0.0.1."""
    if network.original is None:
        raise InputError(f"{network.name} cannot be fetched: there is {network.origin}.")
    original = _original(network.original, watch, local)
    labels = _labels(network, original)
    _check(network, original, labels)
    files = files_in(network, folder)
    tables = {files.links: pd.DataFrame(original.links())}
    if files.labels is not None and labels is not None:
        tables[files.labels] = labels
    make_folder(folder)
    _write([(path, _packed(path, table)) for path, table in tables.items()])
    return files


def _original(address: str, watch: Watcher | None, local: bool) -> Network:
    with TemporaryDirectory() as folder:
        path = Path(folder, Path(urlsplit(address).path).name)
        download(address, path, watch=watch, local=local)
        try:
            return read(path)
        except InputError as problem:  # the path is gone when somebody reads this
            raise InputError(str(problem).replace(str(path), address)) from problem


def _labels(network: PublicNetwork, original: Network) -> pd.DataFrame | None:
    """Node and label, one row a pair, from the column `group`, which has the form '3;7' where a node has several."""
    if network.labels is None:
        return None
    if "group" not in original.columns:
        raise InputError(f"{network.original} holds no labels (variable 'group'); {network.labels} were expected.")
    groups = original.columns["group"].dropna()
    texts = groups.map(lambda group: group if isinstance(group, str) else str(int(group)))
    labels = texts.str.split(";").explode().astype(np.int64)
    return pd.DataFrame({0: labels.index.to_numpy(), 1: labels.to_numpy()})


def _check(network: PublicNetwork, original: Network, labels: pd.DataFrame | None) -> None:
    check_counts(network, original, network.original)
    if label_counts(labels) != (network.labels, network.label_pairs):
        found, pairs = label_counts(labels)
        raise InputError(
            f"{network.original} holds {found} labels in {pairs} pairs with nodes; {network.name} has "
            f"{network.labels} in {network.label_pairs}, so this is another version."
        )
    if fingerprint(original.degrees) != network.fingerprint:
        raise InputError(
            f"{network.original} holds another network than {network.name}: as many nodes and links, but other "
            "degrees. It was not kept."
        )


def _packed(path: Path, table: pd.DataFrame) -> bytes:
    data = table.to_csv(sep="\t", header=False, index=False, lineterminator="\n").encode()
    return gzip.compress(data, mtime=0) if path.suffix == ".gz" else data


def _write(files: list[tuple[Path, bytes]]) -> None:
    """Put files in place, the first one last: where one cannot be written, none is."""
    (path, data), *others = files

    def write(temporary: Path) -> None:
        temporary.write_bytes(data)
        if others:
            _write(others)

    write_atomically(path, write)
