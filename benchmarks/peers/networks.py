"""The networks that peers are compared on, as files: what a peer may read, and what only the grading reads."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import sparse

import netgiven as ng
from netgiven.datasets import public
from netgiven.datasets.planted import planted
from netgiven.splits import LinkSplit, hide_links

Pairs = npt.NDArray[np.int64]

HALF, TENTH = 0.5, 0.1  # of the links, hidden: as in the paper; as somebody with a large network would
COMMUNITIES, INSIDE = 20, 0.9  # of generated networks, and the share of links within communities
MOST_PAIRS = 200_000  # hidden links to grade on, and as many other pairs


class Split(NamedTuple):
    """A network to be learned from, pairs to tell apart, and which of them are hidden links.

    `chances` are the probabilities that the pairs were drawn with, where they are known.
    """

    train: ng.Network
    pairs: Pairs
    truth: npt.NDArray[np.bool_]
    chances: npt.NDArray[np.float64] | None = None


def company(data: Path | None) -> Split:
    """The demo network: small, to try the harness."""
    return _few(hide_links(ng.datasets.company(), HALF))


def real(name: str) -> Callable[[Path | None], Split]:
    """A public network without half of its links."""
    return lambda data: _few(hide_links(public.load(name, public.folder(data)), HALF))


def generated(nodes: int, links: int) -> Callable[[Path | None], Split]:
    """A network with planted communities and uneven degrees, without a tenth of its links."""

    def make(data: Path | None) -> Split:
        drawn = planted(nodes, links, COMMUNITIES, INSIDE)
        split = _few(hide_links(drawn.network, TENTH))
        return split._replace(chances=drawn.probability(split.pairs[:, 0], split.pairs[:, 1]))

    return make


def _few(split: LinkSplit) -> Split:
    """At most so many pairs: both kinds are in random order already."""
    few = split._replace(hidden=split.hidden[:MOST_PAIRS], others=split.others[:MOST_PAIRS])
    return Split(few.train, few.pairs, few.truth)


NETWORKS: dict[str, Callable[[Path | None], Split]] = {
    "company": company,
    "facebook": real("facebook"),
    "ppi": real("ppi"),
    "arxiv": real("arxiv_astroph"),
    "blogcatalog": real("blogcatalog"),
    "wikipedia": real("wikipedia"),
    "generated-100k": generated(100_000, 1_000_000),
    "generated-1m": generated(1_000_000, 10_000_000),
}


# ---- as files --------------------------------------------------------------------------------------------------------


def prepare(name: str, folder: Path, data: Path | None) -> Path:
    """Write a network's files to a folder of its own, unless they are there: a million nodes take minutes."""
    place = folder / name
    if not (place / "finished").exists():
        place.mkdir(parents=True, exist_ok=True)
        _write(NETWORKS[name](data), place)
        (place / "finished").touch()
    return place


def _write(split: Split, place: Path) -> None:
    """`train.npz` for those who like matrices, `train.edges` for those who like text; the rest is for the grading."""
    matrix = sparse.csr_matrix(split.train.to_scipy()).astype(np.float32)
    sparse.save_npz(place / "train.npz", matrix, compressed=False)
    np.savetxt(place / "train.edges", split.train.links(), fmt="%d", delimiter="\t")
    np.save(place / "pairs.npy", split.pairs)
    np.save(place / "truth.npy", split.truth)
    if split.chances is not None:
        np.save(place / "chances.npy", split.chances)


def read_train(place: Path) -> ng.Network:
    """The training network; its nodes are numbered."""
    return ng.read(place / "train.npz")
