"""Files that visitors take along. Each gets an address that nobody can guess, and is made anew when asked for."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd

from netgiven.embedding import Embedding
from netgiven.explorer.tables import Numbers

PREDICTIONS = 1_000

Write = Callable[[Path], None]


class Downloads:
    """Files by their address: what is not in this list cannot be fetched."""

    def __init__(self) -> None:
        self._files: dict[str, Path] = {}

    def offer(self, path: Path) -> str:
        """The address of a file."""
        address = secrets.token_urlsafe(24)
        self._files[address] = path
        return address

    def find(self, address: str) -> Path | None:
        """The file, if this is one of our addresses."""
        return self._files.get(address)

    def withdraw(self, folder: Path) -> None:
        """No file of a folder can be fetched any more."""
        self._files = {address: path for address, path in self._files.items() if path.parent != folder}


def write_predictions(embedding: Embedding, path: Path, threads: int | None = None) -> None:
    """The likeliest missing links of the whole network, tab-separated."""
    embedding.likely_links(count=PREDICTIONS, threads=threads).to_csv(path, sep="\t", index=False)


def write_nodes(embedding: Embedding, numbers: Numbers, path: Path) -> None:
    """Some nodes, with their degree, columns and coordinates, tab-separated."""
    network = embedding.network
    parts = [
        pd.DataFrame({"node": network.nodes, "degree": network.degrees}),
        network.columns,
        embedding.to_pandas().iloc[:, 1:],
    ]
    pd.concat(parts, axis=1).iloc[numbers].to_csv(path, sep="\t", index=False)


def write_links(embedding: Embedding, numbers: Numbers, path: Path) -> None:
    """The links inside a group, with what prior and posterior say of each, tab-separated."""
    network = embedding.network
    chosen = np.zeros(network.node_count, dtype=bool)
    chosen[numbers] = True
    links = network.links()
    first, second = links[chosen[links].all(axis=1)].T
    names = pd.DataFrame({"source": network.nodes[first], "target": network.nodes[second]})
    told = {"probability": embedding.probabilities(names), "prior": embedding.prior.probabilities(names)}
    names.assign(**told).to_csv(path, sep="\t", index=False)
