"""The public networks that the paper measures on, by name: what they hold, finding them in a folder, and loading them.

They lie in one folder: `NAME.edges.gz` (two node numbers per line, each link once), `NAME.labels.gz` (node and label,
several lines per node), `NAME.types` (node and type). Nodes are numbered from 0. Those without links are in no line, so
the number of nodes is held here. `download.py` downloads them.
"""

from __future__ import annotations

import hashlib
import io
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

from netgiven.errors import InputError
from netgiven.io.files import load_file
from netgiven.network import Network

VARIABLE = "NETGIVEN_DATA"


@dataclass(frozen=True)
class PublicFile:
    """A file of a network, and the SHA-256 of its decompressed contents: one text can be compressed in many ways."""

    name: str
    sha256: str


@dataclass(frozen=True)
class PublicNetwork:
    """A named network. `original` is the address of the file that it is made from; None if there is no download, and
    then `absence` says why.

    `links` counts each link once; the paper counts those of PPI and Wikipedia twice. `label_pairs` counts lines of the
    file of labels. The `fingerprint` is that of the degrees: it does not depend on how nodes are numbered.
    """

    name: str
    title: str
    what: str
    nodes: int
    links: int
    labels: int | None
    label_pairs: int | None
    home: str
    original: str | None
    files: tuple[PublicFile, ...]
    fingerprint: str
    absence: str = ""

    @property
    def origin(self) -> str:
        """Address of the original, or the reason why there is no download."""
        return self.original or f"no download: {self.absence}"


class Files(NamedTuple):
    """The paths of a network's files; None where it has no such file."""

    links: Path
    labels: Path | None
    types: Path | None


# ---- finding them ---------------------------------------------------------------------------------------------------


def named(name: str) -> PublicNetwork:
    """Return the description of a public network, or raise an error that lists the names.

    >>> named("ppi").title, named("ppi").links
    ('Protein-Protein Interactions', 37845)
    """
    if name not in NETWORKS:
        raise InputError(f"There is no public network {name!r}; there are {', '.join(NETWORKS)}.")
    return NETWORKS[name]


def given_folder(given: Path | None) -> Path | None:
    """Return the folder of public networks: the one given, else that of NETGIVEN_DATA. It need not exist yet."""
    chosen = given or os.environ.get(VARIABLE)
    if not chosen:
        return None
    path = Path(chosen)
    try:
        usable = not path.exists() or (path.is_dir() and os.access(path, os.R_OK | os.X_OK))
    except OSError as problem:
        raise InputError(f"The folder {path} cannot be opened: {problem.strerror}.") from problem
    if not usable:
        raise InputError(f"{path} is not a folder that can be read; the folder of the public networks was expected.")
    return path


def folder(given: Path | None) -> Path:
    """Return the folder of public networks, or raise an error that says how to name it."""
    path = given_folder(given)
    if path is None:
        raise InputError(f"Which folder holds the public networks? Give --data DIR, or set {VARIABLE} to it.")
    return path


def find(name: str, folder: Path) -> Files:
    """Return the paths of a network's files, or raise an error that says which is missing and how to get it."""
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
    """Return the paths that a network's files have in a folder, whether they exist or not."""
    paths = {Path(file.name.removesuffix(".gz")).suffix: folder / file.name for file in network.files}
    return Files(paths[".edges"], paths.get(".labels"), paths.get(".types"))


# ---- reading them ----------------------------------------------------------------------------------------------------


def load(name: str, folder: Path) -> Network:
    """Load a public network from a folder.

    Parameters
    ----------
    name
        Its name, one of `NETWORKS`.
    folder
        The folder that holds its files; `netgiven datasets --data FOLDER --fetch NAME` downloads them.

    Returns
    -------
    Network
        All nodes 0, 1, ..., also those without links; types, where there are any, as column `type`.

    Raises
    ------
    InputError
        If a file is missing or damaged, or holds another network.

    Examples
    --------
    >>> load("ppi", Path("empty"))
    Traceback (most recent call last):
    netgiven.errors.InputError: There is no ppi.edges.gz in empty. It is made from ... by: netgiven datasets ...
    """
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
    """Raise an error if the numbers of nodes and links are not those of the named network."""
    if (loaded.node_count, loaded.link_count) != (network.nodes, network.links):
        raise InputError(
            f"{source} holds {loaded.node_count:,} nodes and {loaded.link_count:,} links; "
            f"{network.name} has {network.nodes:,} and {network.links:,}, so this is another network or version."
        )


def _table(path: Path, kind: Any) -> pd.DataFrame:
    """Read two columns, 0 and 1, of a file without a header."""
    data = contents(path)
    try:
        table = pd.read_csv(io.BytesIO(data), sep="\t", header=None, dtype=kind, keep_default_na=False)
    except (ValueError, OverflowError) as problem:
        reason = str(problem).splitlines()[0]
        raise InputError(f"{path} is damaged: two columns with a tab between were expected ({reason}).") from problem
    if table.shape[1] != 2:
        raise InputError(f"{path} is damaged: it has {table.shape[1]} columns, and two were expected.")
    return table


def contents(path: Path) -> bytes:
    """Return the bytes of a file, decompressed if its name ends in .gz."""
    return load_file(path).data


# ---- checking them ---------------------------------------------------------------------------------------------------


def fingerprint(degrees: npt.NDArray[np.integer[Any]]) -> str:
    """Return the SHA-256 of the degrees in ascending order, one per line.

    >>> fingerprint(np.array([2, 1, 1])) == fingerprint(np.array([1, 2, 1]))
    True
    """
    return hashlib.sha256("\n".join(map(str, np.sort(degrees).tolist())).encode()).hexdigest()


def status(folder: Path | None) -> pd.DataFrame:
    """Return a table with one row per network: name, nodes, links, labels, status, and origin."""
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
    """Return the status of a network in a folder.

    `present`; `present, other bytes` (the same counts and degrees: an original may number nodes differently);
    `missing`; `differs` (another network, or a damaged file).
    """
    if not all((folder / file.name).is_file() for file in network.files):
        return "missing"
    try:
        if all(hashlib.sha256(contents(folder / file.name)).hexdigest() == file.sha256 for file in network.files):
            return "present"
        return "present, other bytes" if _is_alike(network, files_in(network, folder)) else "differs"
    except InputError:  # a list of networks should not stop at the first damaged one
        return "differs"


def _is_alike(network: PublicNetwork, files: Files) -> bool:
    if network.original is None:  # there is nothing that could have been converted
        return False
    loaded = _read(network, files)
    labels = None if files.labels is None else _table(files.labels, np.int64)
    return fingerprint(loaded.degrees) == network.fingerprint and label_counts(labels) == (
        network.labels,
        network.label_pairs,
    )


def label_counts(labels: pd.DataFrame | None) -> tuple[int | None, int | None]:
    """Return the number of labels, and of pairs of a node and a label (columns 0 and 1)."""
    return (None, None) if labels is None else (labels[1].nunique(), len(labels.drop_duplicates()))


# ---- what they hold --------------------------------------------------------------------------------------------------

NETWORKS = {
    network.name: network
    for network in (
        PublicNetwork(
            name="facebook",
            title="Facebook",
            what="friendships",
            nodes=4_039,
            links=88_234,
            labels=None,
            label_pairs=None,
            home="https://snap.stanford.edu/data/ego-Facebook.html",
            original="https://snap.stanford.edu/data/facebook_combined.txt.gz",
            files=(
                PublicFile("facebook.edges.gz", "a23ba0e1930d856fe71c3355969ca2a53756de3ea9ccae486fd7cb4294a59567"),
            ),
            fingerprint="cf5a34f952a7f948a8c610565825db5c6e62fa2ef8f09ab3e5b67968770e3a15",
        ),
        PublicNetwork(
            name="ppi",
            title="Protein-Protein Interactions",
            what="interactions of human proteins",
            nodes=3_890,
            links=37_845,
            labels=50,
            label_pairs=6_640,
            home="https://snap.stanford.edu/node2vec/",
            original="https://snap.stanford.edu/node2vec/Homo_sapiens.mat",
            files=(
                PublicFile("ppi.edges.gz", "c304d65cc1f5ff7008e6f2f9f66b86ba32fc1de41872bc91bb330e9dea15e4b1"),
                PublicFile("ppi.labels.gz", "fe5798a26b00b35f8d6045600bda875fcf1a912ae3547d66f06d141693f5f6db"),
            ),
            fingerprint="8139c1feb6b64665e2169d5befb73c88f5dd33be49f0732c78c130f44f32725d",
        ),
        PublicNetwork(
            name="arxiv_astroph",
            title="arXiv ASTRO-PH",
            what="co-authorships in astrophysics",
            nodes=18_772,
            links=198_050,
            labels=None,
            label_pairs=None,
            home="https://snap.stanford.edu/data/ca-AstroPh.html",
            original="https://snap.stanford.edu/data/ca-AstroPh.txt.gz",
            files=(
                PublicFile(
                    "arxiv_astroph.edges.gz", "8e92b81c7e8dc2cf750e6d92889581fbcb172dc84106d3562c1f7840c91cd0f9"
                ),
            ),
            fingerprint="1fe03544877e6db91e1ef96e40611ec6c554a35c7fe10107d95d33aa267a3c28",
        ),
        PublicNetwork(
            name="blogcatalog",
            title="BlogCatalog",
            what="friendships of bloggers, with their interests",
            nodes=10_312,
            links=333_983,
            labels=39,
            label_pairs=14_476,
            home="http://leitang.net/social_dimension.html",
            original="https://leitang.net/code/social-dimension/data/blogcatalog.mat",
            files=(
                PublicFile("blogcatalog.edges.gz", "728b630215973b055f0c8994509a46c67fb265a7f9f42e41f16e9180305f5131"),
                PublicFile("blogcatalog.labels.gz", "140d07f1b17eda8d590821dc967c1d73ad72623a2b03c3e36d86887d1d9b3503"),
            ),
            fingerprint="e4a01c55213a646b0e31228b314f56d9b24c16c42f193dfee2c9fd70c08e9036",
        ),
        PublicNetwork(
            name="wikipedia",
            title="Wikipedia",
            what="co-occurrence of words, with their parts of speech",
            nodes=4_777,
            links=92_295,
            labels=40,
            label_pairs=6_770,
            home="https://snap.stanford.edu/node2vec/",
            original="https://snap.stanford.edu/node2vec/POS.mat",
            files=(
                PublicFile("wikipedia.edges.gz", "053cb2eefb3b26ae14dc796a4bd522486b409a3901398adad8fc1e521696453b"),
                PublicFile("wikipedia.labels.gz", "abe9a25abf5657cff4ac78d587a1f5bda96564528db05eb0a26542150323afb9"),
            ),
            fingerprint="3eb105e857c6efb2bbbc9e7779b55ac22067c62ccc140717c7f1f8e68306adf9",
        ),
        PublicNetwork(
            name="studentdb_standin",
            title="StudentDB (synthetic replacement)",
            what="a database of students, courses and rooms; synthetic, so not comparable with the paper's numbers",
            nodes=403,
            links=3_429,
            labels=None,
            label_pairs=None,
            home="http://adrem.ua.ac.be/smurfig",
            original=None,
            files=(
                PublicFile(
                    "studentdb_standin.edges", "47ca112be184a04e5c978fb77919ced83b011cf4909ef21a5c9a2cab717f7810"
                ),
                PublicFile(
                    "studentdb_standin.types", "2573fb5bb9696159b802016eef91dd8ff7223eeb57b3e81ce2567215ff1861f8"
                ),
            ),
            fingerprint="06815f41c57acffef09c8a5f4735f3990181b7eb2b7b4da3e6a0b903f90a208f",
            absence="a synthetic replacement, as the paper's StudentDB is not public any more",
        ),
    )
}
