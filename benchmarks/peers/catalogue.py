"""The libraries (peers) that are compared: their environments, and the rows of the table."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Environment:
    """Requirements of a virtual environment; without any, it is the environment of this program.

    `python` is the newest version that the peer can be installed with, where that is not ours.
    """

    requirements: tuple[str, ...] = ()
    python: str = ""


@dataclass(frozen=True)
class Row:
    """A method of a peer, run by one of the adapters; 0 dimensions: it has none, or selects them itself."""

    peer: str
    adapter: str
    method: str
    dimensions: int = 0

    @property
    def name(self) -> str:
        """Name of the row in the table."""
        title = self.peer if self.peer == self.method else f"{self.peer}, {self.method}"
        return f"{title}, d = {self.dimensions}" if self.dimensions else title


THEIRS, OURS = 128, 8  # dimensions

LARGE = {  # large public networks, and their files
    "debian": "debian_packages",
    "thesaurus": "moby_thesaurus",
    "papers": "acl_anthology",
    "npm": "npm_2017",
    "genes": "gene_everything",
}
WITH_TYPES = ("papers", "genes")
CONNECTED = "-connected"  # links are hidden as in the paper, so that no component is divided; otherwise at random

ENVIRONMENTS = {
    "netgiven": Environment(),
    "prior": Environment(),
    "plain": Environment(),
    "heuristics": Environment(),
    "truth": Environment(),
    "PecanPy": Environment(("pecanpy",)),
    "gensim": Environment(("gensim",)),
    "fastnode2vec": Environment(("fastnode2vec",)),
    "nodevectors": Environment(("nodevectors",)),
    "karateclub": Environment(("karateclub",), python="3.9"),  # with 3.11 its build ends: no module pkg_resources
    "scikit-network": Environment(("scikit-network",)),
    "graspologic": Environment(("graspologic",)),
    "grape": Environment(("grape",)),
    "PyTorch-BigGraph": Environment(("torchbiggraph", "setuptools<81")),  # it imports pkg_resources
}


def rows(peer: str, adapter: str, methods: tuple[str, ...], *dimensions: int) -> list[Row]:
    """Methods of one peer, at each number of dimensions."""
    return [Row(peer, adapter, method, number) for method in methods for number in dimensions]


HEURISTICS = ("common neighbours", "Jaccard", "Adamic-Adar", "resource allocation", "preferential attachment")

ROWS = [
    *rows("truth", "", ("probabilities",), 0),
    *rows("netgiven", "own_netgiven", ("defaults",), 0),
    *rows("netgiven", "own_netgiven", ("chosen", "fixed", "ten steps"), OURS),
    *rows("plain", "own_plain", ("NumPy loop over nodes",), OURS),
    *rows("heuristics", "own_heuristics", HEURISTICS, 0),
    *rows("PecanPy", "pecanpy_walks", ("node2vec",), THEIRS),
    *rows("gensim", "gensim_walks", ("DeepWalk",), THEIRS, OURS),
    *rows("fastnode2vec", "fastnode2vec_walks", ("node2vec",), THEIRS),
    *rows("nodevectors", "nodevectors_factors", ("ProNE",), THEIRS, OURS),
    *rows("nodevectors", "nodevectors_factors", ("GGVec",), THEIRS, 32, OURS),  # 32 is its own; 128 is too many for it
    *rows("karateclub", "karateclub_methods", ("DeepWalk", "RandNE", "NetMF"), THEIRS),
    *rows("karateclub", "karateclub_methods", ("Walklets",), THEIRS, 32),  # 32 is its own; saved four times as wide
    *rows("scikit-network", "sknetwork_methods", ("Spectral", "SVD", "GSVD", "RandomProjection"), THEIRS, OURS),
    *rows("graspologic", "graspologic_spectral", ("ASE", "LSE"), THEIRS, OURS),
    *rows("grape", "grape_methods", ("LINE, first order", "LINE, second order", "HOPE"), THEIRS, OURS),
    *rows("grape", "grape_methods", ("DeepWalk",), THEIRS),
    *rows("PyTorch-BigGraph", "biggraph", ("dot",), THEIRS, OURS),
]

# On large networks: given types of nodes, too, where there are any, and priors alone.
WALKS = ("paths of length three", "four-step walk", "personalised PageRank")
LARGE_ROWS = [
    *rows("prior", "own_netgiven", ("degrees", "degrees and types"), 0),
    *rows("netgiven", "own_netgiven", ("defaults", "defaults given types"), 0),
    *rows("netgiven", "own_netgiven", ("fixed, reach 4",), 2 * OURS),
    *rows("netgiven", "own_netgiven", ("ten steps",), OURS),
    *rows("heuristics", "own_heuristics", ("Adamic-Adar", "resource allocation", *WALKS), 0),
    *rows("gensim", "gensim_walks", ("DeepWalk",), THEIRS),
    *rows("nodevectors", "nodevectors_factors", ("ProNE",), THEIRS, OURS),
    *rows("scikit-network", "sknetwork_methods", ("Spectral", "GSVD"), THEIRS, OURS),
    *rows("graspologic", "graspologic_spectral", ("LSE",), THEIRS, OURS),
    *rows("grape", "grape_methods", ("LINE, first order", "LINE, second order"), THEIRS),
    *rows("PyTorch-BigGraph", "biggraph", ("dot",), THEIRS, OURS),
]


def rows_of(network: str) -> list[Row]:
    """The rows of a network: only generated ones have true probabilities, and few of the large ones have types."""
    name = network.removesuffix(CONNECTED)
    if name in LARGE:
        return [row for row in LARGE_ROWS if "types" not in row.method or name in WITH_TYPES]
    return [row for row in ROWS if row.peer != "truth" or network.startswith("generated")]
