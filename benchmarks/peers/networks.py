"""The networks of the comparison, as files: what a peer may read, and what only the grading reads."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import sparse

import netgiven as ng
from netgiven.datasets import public
from netgiven.datasets.generators import planted
from netgiven.splits import LinkSplit, hide_links

Pairs = npt.NDArray[np.int64]

HALF, TENTH = 0.5, 0.1  # shares of the links that are hidden: as in the paper, and for large networks
COMMUNITIES, INSIDE = 20, 0.9  # of generated networks, and the share of links within communities
MOST_PAIRS = 200_000  # hidden links to grade on, and the same number of other pairs


class Split(NamedTuple):
    """A training network, pairs to score, and which of them are hidden links.

    `probabilities` are the true probabilities of the pairs, where they are known.
    """

    train: ng.Network
    pairs: Pairs
    truth: npt.NDArray[np.bool_]
    probabilities: npt.NDArray[np.float64] | None = None


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
        return split._replace(probabilities=drawn.probability(split.pairs[:, 0], split.pairs[:, 1]))

    return make


def _few(split: LinkSplit) -> Split:
    """At most `MOST_PAIRS` pairs of each kind, which are in random order already."""
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
    """Write the files of a network to its folder, unless they exist: a million nodes take minutes."""
    place = folder / name
    if not (place / "complete").exists():
        place.mkdir(parents=True, exist_ok=True)
        _write(NETWORKS[name](data), place)
        (place / "complete").touch()
    return place


def _write(split: Split, place: Path) -> None:
    """Peers read `train.npz`, a matrix, or `train.edges`, a text; the other files are for the grading."""
    matrix = sparse.csr_matrix(split.train.to_scipy()).astype(np.float32)
    sparse.save_npz(place / "train.npz", matrix, compressed=False)
    np.savetxt(place / "train.edges", split.train.links(), fmt="%d", delimiter="\t")
    np.save(place / "pairs.npy", split.pairs)
    np.save(place / "truth.npy", split.truth)
    if split.probabilities is not None:
        np.save(place / "probabilities.npy", split.probabilities)


def read_train(place: Path) -> ng.Network:
    """The training network; its nodes are numbered."""
    return ng.read(place / "train.npz")
