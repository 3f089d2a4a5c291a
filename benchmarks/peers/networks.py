"""The networks of the comparison, as files: what a peer may read, and what only the grading reads."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import sparse

import netgiven as ng
from benchmarks.peers.catalogue import CONNECTED, LARGE
from benchmarks.peers.questions import Numbers, Texts, draw_questions
from netgiven.datasets import public
from netgiven.datasets.generators import planted
from netgiven.splits import LinkSplit, hide_links

HALF, TENTH = 0.5, 0.1  # shares of the links that are hidden: as in the paper, and for large networks
COMMUNITIES, INSIDE = 20, 0.9  # of generated networks, and the share of links within communities
LARGE_ENDINGS = (".edges.gz", ".directed.edges.gz")
MOST_PAIRS = 200_000  # hidden links to grade on, and the same number of other pairs


class Split(NamedTuple):
    """A training network, pairs to score, and which of them are hidden links.

    `probabilities` are the true probabilities of the pairs, where they are known; `questions` those about rank, and
    `types` the types of nodes, of large networks.
    """

    train: ng.Network
    pairs: Numbers
    truth: npt.NDArray[np.bool_]
    probabilities: npt.NDArray[np.float64] | None = None
    questions: Numbers | None = None
    types: Texts | None = None


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


def large(name: str, split: str) -> Callable[[Path | None], Split]:
    """A large public network without a tenth of its links, with its types of nodes if it has any."""

    def make(data: Path | None) -> Split:
        network = read_large(public.folder(data) / "large", name)
        hidden = hide_links(network, TENTH, split=split)
        has_types = "type" in network.columns
        types = network.column("type").to_numpy().astype(str) if has_types else np.full(network.node_count, "node")
        questions = draw_questions(network, hidden.train, hidden.hidden, types)
        return _few(hidden)._replace(questions=questions, types=types if has_types else None)

    return make


def read_large(folder: Path, name: str) -> ng.Network:
    """The network with its table of nodes; nodes are numbers. Directions, if there are any, are left out."""
    links = next(folder / f"{name}{end}" for end in LARGE_ENDINGS if (folder / f"{name}{end}").exists())
    return ng.read(links, nodes=folder / f"{name}.nodes.csv.gz")


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
NETWORKS |= {name: large(file, "random") for name, file in LARGE.items()}
NETWORKS |= {f"{name}{CONNECTED}": large(file, "paper") for name, file in LARGE.items()}


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
    """Peers read `train.npz`, a matrix, `train.edges`, a text, and `types.npy`; other files are for the grading."""
    matrix = sparse.csr_matrix(split.train.to_scipy()).astype(np.float32)
    sparse.save_npz(place / "train.npz", matrix, compressed=False)
    np.savetxt(place / "train.edges", split.train.links(), fmt="%d", delimiter="\t")
    np.save(place / "pairs.npy", split.pairs)
    np.save(place / "truth.npy", split.truth)
    for name in ("probabilities", "questions", "types"):
        if getattr(split, name) is not None:
            np.save(place / f"{name}.npy", getattr(split, name))


def read_train(place: Path) -> ng.Network:
    """The training network; its nodes are numbered."""
    return ng.read(place / "train.npz")
