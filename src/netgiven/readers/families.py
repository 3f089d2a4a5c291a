"""`read`: choose the reader of a file by its name, and finish what it found."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from os import PathLike
from typing import Any

import pandas as pd

from netgiven.edges import Links
from netgiven.errors import InputError
from netgiven.network import Network
from netgiven.readers import graphs
from netgiven.readers.arrow import KINDS, read_arrow
from netgiven.readers.files import File, load_file
from netgiven.readers.gml import read_gml
from netgiven.readers.mat import read_mat
from netgiven.readers.mtx import read_mtx
from netgiven.readers.nodes import add_nodes, with_groups
from netgiven.readers.npz import read_npz
from netgiven.readers.pajek import read_pajek
from netgiven.readers.text import read_text

_READERS: dict[str, Callable[[File], Links]] = {
    **dict.fromkeys(KINDS, read_arrow),
    ".graphml": graphs.read_graphml,
    ".gexf": graphs.read_gexf,
    ".gml": read_gml,
    ".net": read_pajek,
    ".paj": read_pajek,
    ".mtx": read_mtx,
    ".mat": read_mat,
    ".npz": read_npz,
}


def read(
    path: str | PathLike[str],
    *,
    nodes: str | PathLike[str] | pd.DataFrame | Mapping[str, Any] | None = None,
    groups: str | None = None,
    header: bool | None = None,
    delimiter: str | None = None,
) -> Network:
    """A network from a file, chosen by its extension (also with .gz or .zst after it).

    Text (.edges .txt .csv .tsv and any other), .parquet, .feather, .arrow, .graphml, .gml, .gexf, .net and .paj
    (Pajek), .mtx, .mat (variables `network` and `group`), .npz (scipy). Of a text table the delimiter and a header
    are found out unless `delimiter` and `header` say.

    `nodes` is a table with a row a node, its name first: groups, attributes, nodes without links.
    `groups` is the name of a node column that holds groups. What was decided or left out on the way is told in
    `network.notes` and `network.cleaning`.

    >>> from pathlib import Path; from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "friends.csv")
    ...     _ = path.write_text("ann,bob\\nbob,cid\\ncid,bob\\n")
    ...     network = read(path)
    >>> network, str(network.cleaning)
    (Network: 3 nodes, 2 links, '3 links given, 2 kept: 1 given in both directions merged')
    """
    file = load_file(path)
    if file.kind in _READERS and not (header is None and delimiter is None):
        raise file.error(
            "header= and delimiter= (--header, --delimiter) are for text tables, which this is not; leave them out."
        )
    return _finished(file, read_links(file, header, delimiter), nodes, groups)


def read_links(file: File, header: bool | None = None, delimiter: str | None = None) -> Links:
    """The links of a file, as its reader finds them."""
    if not file.data:
        raise file.error("the file is empty.")
    try:
        reader = _READERS.get(file.kind)
        return read_text(file, header, delimiter) if reader is None else reader(file)
    except InputError as error:
        raise error if str(error).startswith(file.label) else _labelled(file, error) from None
    except MemoryError as error:
        raise file.error("the file needs more memory than there is.") from error


def _labelled(file: File, error: InputError) -> InputError:
    return type(error)(f"{file.label}: {error}")


def _finished(file: File, links: Links, nodes: Any, groups: str | None) -> Network:
    if nodes is not None:
        links = add_nodes(links, nodes)
    try:
        network = Network.from_links(links)
    except InputError as error:
        raise _labelled(file, error) from None
    return network if groups is None else with_groups(network, groups)
