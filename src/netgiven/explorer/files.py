"""Files that visitors take along, written to the private folder of their visit."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from netgiven.embedding import Embedding
from netgiven.errors import InputError
from netgiven.maps.map import Map
from netgiven.types import Int64Array

PREDICTIONS = 1_000

NAMES = {
    "embedding": "embedding.ng",
    "predictions": "predictions.tsv",
    "page": "map.html",
    "nodes": "selected-nodes.tsv",
    "links": "selected-links.tsv",
}


def write_file(
    kind: str,
    maps: Sequence[Embedding],
    place: int,
    selection: Int64Array,
    folder: Path,
    *,
    title: str = "A network",
    colour: str | None = None,
    threads: int | None = None,
) -> Path:
    """The file of a kind, made of the map at a place, or of all maps and the selection."""
    if kind not in NAMES:
        raise InputError(f"A file of the kind {kind!r} was asked for; there are {', '.join(NAMES)}.")
    path, embedding = folder / NAMES[kind], maps[place]
    if kind == "embedding":
        embedding.save(path)
    elif kind == "predictions":
        embedding.likely_links(count=PREDICTIONS, threads=threads).to_csv(path, sep="\t", index=False)
    elif kind == "page":
        _write_page(maps, title, colour, path)
    elif kind == "nodes":
        _nodes(embedding, selection).to_csv(path, sep="\t", index=False)
    else:
        _links(embedding, selection).to_csv(path, sep="\t", index=False)
    return path


def _write_page(maps: Sequence[Embedding], title: str, colour: str | None, path: Path) -> None:
    """The maps as one file that opens in any browser."""
    flat = tuple(one for one in maps if one.dimensions == 2)
    if len(flat) < len(maps):
        raise InputError("A page shows maps in 2 dimensions, and one here has more; make it again with 2.")
    Map(flat, colour, title).save(path)


def _nodes(embedding: Embedding, numbers: Int64Array) -> pd.DataFrame:
    """Some nodes, with their degree, columns and coordinates."""
    network = embedding.network
    names = pd.DataFrame({"node": network.nodes, "degree": network.degrees})
    return pd.concat([names, network.columns, embedding.to_pandas().iloc[:, 1:]], axis=1).iloc[numbers]


def _links(embedding: Embedding, numbers: Int64Array) -> pd.DataFrame:
    """The links inside a group, with what posterior and prior say of each."""
    network = embedding.network
    chosen = np.zeros(network.node_count, dtype=bool)
    chosen[numbers] = True
    links = network.links()
    first, second = links[chosen[links].all(axis=1)].T
    names = pd.DataFrame({"source": network.nodes[first], "target": network.nodes[second]})
    told = {"probability": embedding.probabilities(names), "prior": embedding.prior.probabilities(names)}
    return names.assign(**told)
