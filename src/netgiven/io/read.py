"""Read a network, labels or pairs from a file: choose the reader by the file's name, and finish what it returns."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from os import PathLike
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd
from scipy import sparse

from netgiven.edges import EdgeList, counted, names_index, typed_series
from netgiven.errors import InputError, did_you_mean, is_one_of
from netgiven.io.files import File, load_file, reading
from netgiven.io.tables import KINDS, read_table
from netgiven.io.text import HeaderTest, Row, looks_like_header, read_text
from netgiven.network import Network, with_suggestion
from netgiven.node_index import name_from_text
from netgiven.objects import (
    array_edges,
    as_array,
    as_table,
    graph_data_edges,
    igraph_edges,
    is_graph_data,
    is_networkx,
    is_tensor,
    list_edges,
    mapping_edges,
    matrix_edges,
    networkx_edges,
    table_edges,
)

if TYPE_CHECKING:
    from netgiven.labels import Labels

# Module and function of each format that is no table; loaded when it is used.
_READERS = {
    ".graphml": ("graphs", "read_graphml"),
    ".gexf": ("graphs", "read_gexf"),
    ".gml": ("graphs", "read_gml"),
    ".json": ("graphs", "read_json"),
    ".adjlist": ("graphs", "read_adjacency_list"),
    ".net": ("graphs", "read_pajek"),
    ".paj": ("graphs", "read_pajek"),
    ".mtx": ("matrices", "read_mtx"),
    ".mat": ("matrices", "read_mat"),
    ".npz": ("matrices", "read_npz"),
}

_TEXT = (".csv", ".tsv", ".txt", ".edges")


def read(
    path: Any,
    *,
    nodes: Any = None,
    groups: str | None = None,
    source: str | None = None,
    target: str | None = None,
    header: bool | None = None,
    delimiter: str | None = None,
    encoding: str | None = None,
    format: str | None = None,  # noqa: A002 - as pandas and others call it
    memory_limit: float | None = None,
) -> Network:
    """Read a network from a file, or make one of a table, a graph, a matrix, pairs or an adjacency list.

    The extension chooses the format, also if .gz or .zst follows it: text (.edges .txt .csv .tsv and any other),
    .parquet, .feather, .arrow, .graphml, .gexf, .gml, .json (nodes and links, or the neighbours of each node), .adjlist
    (a node and its neighbours per line), .net and .paj (Pajek), .mtx (Matrix Market), .mat (MATLAB, with the variables
    `network` and `group`), .npz (SciPy). GraphML, GEXF and GML need `pip install "netgiven[graphs]"`.

    Parameters
    ----------
    path
        The file; or one of these objects: a table of links or an adjacency matrix as a data frame of pandas, polars,
        PyArrow, DuckDB or any other library that narwhals knows; a networkx or igraph graph; `Data` of PyTorch
        Geometric; a SciPy matrix; an array, square or with two columns; a list of pairs; a mapping of nodes to lists of
        their neighbours; a Network.
    nodes
        A node table with one row per node and its name in the first column: groups, attributes, nodes without links.
        A file, a table of any library or a mapping of columns.
    groups
        The name of a node column that holds groups, also if its values are numbers.
    source, target
        The names of the two columns of a table that are the ends of links; None to find out. What cannot be found out
        is an error, which lists the columns.
    header
        Whether the first line of a text file names the columns; None to find out.
    delimiter
        What separates the fields of a text file; None to find out.
    encoding
        How the characters of text files are stored, such as "cp1252" (Windows, Western Europe), "latin-1" or "utf-16".
        None: UTF-8, or what a byte order mark says.
    format
        The extension of the format, such as "adjlist" or "csv", for a file with another one.
    memory_limit
        How many gigabytes of memory reading may take. A file that would take more, by what it announces or expands to,
        is refused before. None: 4, or a hundred times the size of the file, but not more than the machine has.

    Returns
    -------
    Network
        Undirected and without weights. `network.notes` and `network.cleaning` say what was decided, dropped or merged.

    Raises
    ------
    InputError
        If the file cannot be read; the message names the file and, where it is known, the line.

    Warns
    -----
    InputWarning
        If directions, weights, self-loops or duplicates are left out.

    Examples
    --------
    >>> from pathlib import Path; from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "friends.csv")
    ...     _ = path.write_text("ann,bob\\nbob,cid\\ncid,bob\\n")
    ...     network = read(path)
    >>> network, str(network.cleaning)
    (Network: 3 nodes, 2 links, '3 links given, 2 kept: 1 given in both directions merged')
    >>> read({"ann": ["bob", "cid"], "dan": []})
    Network: 4 nodes, 2 links
    """
    with reading(memory_limit, encoding):
        if not isinstance(path, (str, PathLike)):
            _check_is_file(path, header=header, delimiter=delimiter, format=format, memory_limit=memory_limit)
            return _finished("", object_links(path, source, target), nodes, groups)
        file = load_file(path, None if format is None else _kind(format))
        links = read_links(file, header, delimiter, (source, target))
        return _finished(f"{file.label}: ", links, nodes, groups)


def _check_is_file(given: Any, **options: Any) -> None:
    if any(option is not None for option in options.values()):
        names = ", ".join(f"{name}=" for name in options)
        raise InputError(f"{names} are for files; {type(given).__name__} was given.")


def _kind(name: str) -> str:
    """The extension that a format has, as files have it."""
    known = [kind[1:] for kind in (*_TEXT, *KINDS, *_READERS)]
    if not is_one_of(name, [*known, *(f".{one}" for one in known)]):
        raise InputError(f"format={name!r} was given; there are: {', '.join(known)}.{did_you_mean(name, known)}")
    return f".{name.removeprefix('.')}"


def read_links(
    file: File,
    header: bool | None = None,
    delimiter: str | None = None,
    ends: tuple[str | None, str | None] = (None, None),
) -> EdgeList:
    """Read the links of a file that is loaded."""
    if not file.data:
        raise file.error("the file is empty.")
    text, lists = file.kind not in (*KINDS, *_READERS), file.kind == ".adjlist"
    if not text and not (header is None and (lists or delimiter is None)):
        raise file.error(
            "header= and delimiter= (--header, --delimiter) are for text tables, which this is not; leave them out."
        )
    try:
        if text:
            return read_text(file, header, delimiter, ends)
        if file.kind in KINDS:
            return read_table(file, ends)
        _check_no_ends(ends)
        return _reader(file.kind)(file, delimiter) if lists else _reader(file.kind)(file)
    except InputError as error:
        raise error if str(error).startswith(file.label) else type(error)(f"{file.label}: {error}") from None
    except MemoryError as error:
        raise file.error("the file needs more memory than there is.") from error


def _reader(kind: str) -> Callable[..., EdgeList]:
    module, function = _READERS[kind]
    reader: Callable[..., EdgeList] = getattr(import_module(f"netgiven.io.{module}"), function)
    return reader


def _check_no_ends(ends: tuple[str | None, str | None]) -> None:
    if ends != (None, None):
        raise InputError("source= and target= (--source, --target) are for tables, which this is not; leave them out.")


def _finished(label: str, links: EdgeList, nodes: Any, groups: str | None) -> Network:
    """Make the network; `label` names the file at the beginning of errors."""
    if nodes is not None:
        from netgiven.io.nodes import add_nodes

        links = add_nodes(links, nodes)
    try:
        network = with_suggestion(Network.from_edge_list(links), links)
    except InputError as error:
        raise type(error)(f"{label}{error}") from None
    if groups is None:
        return network
    from netgiven.io.nodes import with_groups

    return with_groups(network, groups)


def as_network(source: Any) -> Network:
    """Make a network of what `read` takes: a path, a table, a graph, a matrix and so on; a Network is one.

    >>> as_network(pd.DataFrame({"from": ["ann", "bob"], "to": ["bob", "cid"]}))
    Network: 3 nodes, 2 links
    """
    return source if isinstance(source, Network) else read(source)


def object_links(given: Any, source: str | None = None, target: str | None = None) -> EdgeList:
    """The links of a Network, a table of any library, a graph, a matrix, an array, an adjacency list or pairs."""
    table = as_table(given)
    if table is not None:
        return table_edges(table, source, target)
    _check_no_ends((source, target))
    if isinstance(given, Network):
        first, second = given.links().T
        return EdgeList(given.nodes, first, second, given.columns, notes=given.notes)
    for belongs, links_of in _OBJECTS:
        if belongs(given):
            return links_of(given)
    raise InputError(
        f"A network was expected, {type(given).__name__} given. Give the path of a file, a table (pandas, polars, "
        "PyArrow, DuckDB), a networkx or igraph graph, a matrix, an array, pairs of names, or a mapping of nodes to "
        "their neighbours."
    )


# Which objects are taken besides tables, and what makes links of them.
_OBJECTS: list[tuple[Callable[[Any], bool], Callable[[Any], EdgeList]]] = [
    (lambda given: isinstance(given, np.ndarray), array_edges),
    (is_tensor, lambda given: array_edges(as_array(given))),
    (sparse.issparse, matrix_edges),
    (lambda given: hasattr(given, "get_edgelist"), igraph_edges),
    (is_networkx, networkx_edges),
    (is_graph_data, graph_data_edges),
    (lambda given: isinstance(given, Mapping), mapping_edges),
    (lambda given: isinstance(given, (list, tuple)), list_edges),
]


# ---- pairs and labels ------------------------------------------------------------------------------------------------


class PairList(NamedTuple):
    """Pairs of names, in the columns `u` and `v`, and notes on how they were read."""

    table: pd.DataFrame
    notes: tuple[str, ...]


def read_pairs(
    path: str | PathLike[str],
    nodes: pd.Index[Any],
    *,
    header: bool | None = None,
    delimiter: str | None = None,
    encoding: str | None = None,
) -> PairList:
    """Read pairs of node names from a file with two names per line.

    Parameters
    ----------
    path
        The file: a text table (also .gz or .zst), Parquet, Feather or Arrow.
    nodes
        The names of the network's nodes: the names that are read get the same type, text or integers.
    header, delimiter, encoding
        As in `read`.

    Returns
    -------
    PairList
        `table` has the columns `u` and `v` in the order of the file; `notes` say what was decided.

    Raises
    ------
    InputError
        If the file cannot be read.

    Examples
    --------
    >>> from pathlib import Path; from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "pairs.tsv")
    ...     _ = path.write_text("2\\t1\\n1\\t3\\n")
    ...     read_pairs(path, pd.Index(["1", "2", "3"])).table.values.tolist()
    [['2', '1'], ['1', '3']]
    """
    pairs = _two_columns(path, header, delimiter, encoding)
    names = _names_like(pairs.names, nodes)
    by_kind = pairs.named_by_kind()
    if not names.isin(nodes).any() and by_kind.names.isin(nodes).any():
        pairs, names = by_kind, by_kind.names
    return PairList(pd.DataFrame({"u": names[pairs.first], "v": names[pairs.second]}), pairs.notes)


def _two_columns(
    path: str | PathLike[str],
    header: bool | None,
    delimiter: str | None,
    encoding: str | None,
    is_header: HeaderTest | None = None,
) -> EdgeList:
    with reading(encoding=encoding):
        file = load_file(path)
    if not file.data:
        raise file.error("the file is empty; two names per line were expected.")
    if file.kind in KINDS:
        return read_table(file, by_kind=False)
    return read_text(file, header, delimiter, is_header=is_header, by_kind=False)


def _names_like(names: pd.Index[Any], nodes: pd.Index[Any]) -> pd.Index[Any]:
    """Names as the nodes have them: integers and text look alike in a file, and one word makes text of all."""
    if pd.api.types.is_integer_dtype(names.dtype):
        return names if pd.api.types.is_integer_dtype(nodes.dtype) else names.astype(str)
    if names.dtype == nodes.dtype or names.isin(nodes).all():
        return names
    return names_index(typed_series([name_from_text(nodes, name) for name in names]))


class LabelList(NamedTuple):
    """Labels of nodes, the network with the nodes that only have labels added, and notes on how they were read."""

    labels: Labels
    network: Network
    notes: tuple[str, ...]


def read_labels(
    path: str | PathLike[str],
    network: Network,
    *,
    header: bool | None = None,
    delimiter: str | None = None,
    encoding: str | None = None,
) -> LabelList:
    """Read labels of nodes from a file with a node and a label per line.

    Parameters
    ----------
    path
        The file: a text table (also .gz or .zst), Parquet, Feather or Arrow. A node with several labels has several
        lines.
    network
        The network. Nodes that have labels and no links are added to it.
    header, delimiter, encoding
        As in `read`.

    Returns
    -------
    LabelList
        `labels`, the `network` with the added nodes, and `notes`.

    Raises
    ------
    InputError
        If the file cannot be read, or none of its nodes is in the network.

    Examples
    --------
    >>> from pathlib import Path; from tempfile import TemporaryDirectory
    >>> network = Network.from_edges([("ann", "bob"), ("bob", "cid")])
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "labels.tsv")
    ...     _ = path.write_text("ann\\tplays chess\\nann\\tsings\\ncid\\tsings\\ndan\\tsings\\n")
    ...     read_labels(path, network)[:2]
    (Labels: 4 labels of 3 nodes, 2 different ones, Network: 4 nodes, 2 links)
    """
    from netgiven.io.nodes import is_node_header
    from netgiven.labels import Labels

    def is_header(first: Row, rest: list[Row]) -> bool:
        return looks_like_header(first, rest) or is_node_header(first, rest, network.nodes)

    pairs = _two_columns(path, header, delimiter, encoding, is_header)
    named = _names_like(pairs.names, network.nodes)[pairs.first]
    new = int((~named.unique().isin(network.nodes)).sum())
    if new == named.nunique():
        first = ", ".join(str(name) for name in named[:3])
        raise InputError(f"{path}: none of its nodes is in the network (its first are {first}). Check the two files.")
    notes = (f"added {counted(new, 'node')} with labels and without links",) if new else ()
    larger = network.with_nodes(named) if new else network
    labels = Labels.from_columns(larger.nodes, named, pairs.names[pairs.second])
    return LabelList(labels, larger, (*pairs.notes, *notes))
