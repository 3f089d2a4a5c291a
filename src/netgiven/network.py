"""Network: node names, links, and what is known of each node. Immutable."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy import sparse

from netgiven.edges import Cleaning, Links, check_names, clean, counted, names_index, number_ends, shown, typed_series
from netgiven.errors import InputError, UnknownColumn, require
from netgiven.node_index import Names, find_nodes
from netgiven.notebook import as_html
from netgiven.observed_pairs import Unknown
from netgiven.types import BoolArray, Int32Array, Int64Array


@dataclass(frozen=True, eq=False)
class Network:
    """An undirected, unweighted network with named nodes.

    Links are held as sorted rows (CSR, both directions): the neighbours of node number i are
    `indices[indptr[i]:indptr[i + 1]]`. `columns` has one row a node: groups and attributes.

    >>> network = Network.from_edges([("ann", "bob"), ("bob", "cid")], nodes={"name": ["ann", "bob", "cid", "dan"]})
    >>> network
    Network: 4 nodes, 2 links
    >>> list(network.nodes), network.degrees.tolist()
    (['ann', 'bob', 'cid', 'dan'], [1, 2, 1, 0])
    """

    nodes: pd.Index[Any]
    indptr: Int64Array
    indices: Int32Array
    columns: pd.DataFrame
    cleaning: Cleaning
    notes: tuple[str, ...] = field(default=())
    unknown: Unknown | None = None  # pairs that are neither links nor without one

    def __post_init__(self) -> None:
        self.indptr.flags.writeable = False
        self.indices.flags.writeable = False

    @property
    def node_count(self) -> int:
        """Number of nodes, isolated ones included."""
        return len(self.nodes)

    @property
    def link_count(self) -> int:
        """Number of links, each counted once."""
        return len(self.indices) // 2

    @property
    def degrees(self) -> Int64Array:
        """Number of links of each node."""
        return np.diff(self.indptr)

    def links(self) -> Int32Array:
        """All links once, as node numbers (first < second), one row a link."""
        rows = np.repeat(np.arange(self.node_count, dtype=np.int32), self.degrees)
        once = rows < self.indices
        return np.column_stack([rows[once], self.indices[once]])

    def neighbours(self, node: Hashable) -> list[Hashable]:
        """The names of the nodes that `node` is linked to."""
        number = int(self.numbers([node])[0])
        return self.nodes[self.indices[self.indptr[number] : self.indptr[number + 1]]].tolist()

    def numbers(self, names: Names) -> Int64Array:
        """Positions of nodes in `nodes`, by name; an unknown name is an error that offers the nearest ones."""
        return find_nodes(self.nodes, names)

    def column(self, name: str) -> pd.Series[Any]:
        """One node column, or an error that lists those there are."""
        if name not in self.columns:
            there = ", ".join(repr(column) for column in self.columns) or "none"
            raise UnknownColumn(f"There is no node column {name!r}. Columns of this network: {there}.")
        return self.columns[name]

    def are_linked(self, first: npt.ArrayLike, second: npt.ArrayLike) -> BoolArray:
        """Which pairs of node numbers are links."""
        count = self.node_count
        keys = np.repeat(np.arange(count), np.diff(self.indptr)) * count + self.indices  # rows are sorted
        wanted = np.asarray(first, dtype=np.int64) * count + np.asarray(second)
        places = np.minimum(np.searchsorted(keys, wanted), max(len(keys) - 1, 0))
        return keys[places] == wanted if len(keys) else np.zeros(wanted.shape, dtype=bool)

    def are_known(self, first: npt.ArrayLike, second: npt.ArrayLike) -> BoolArray:
        """Of which pairs of node numbers it is known whether they are linked."""
        one, other = np.asarray(first), np.asarray(second)
        if self.unknown is None:
            return np.ones(one.shape, dtype=bool)
        listed = self.unknown.lists(one, other)
        return listed | self.are_linked(one, other) if self.unknown.lists_known else ~listed

    @property
    def unknown_count(self) -> int:
        """Of how many pairs nobody knows whether they are linked."""
        return 0 if self.unknown is None else self.unknown.count(self.link_count)

    def with_unknown(self, pairs: Any) -> Network:
        """The same network, where nobody knows of some pairs of names whether they are linked."""
        first, second = self._numbered(pairs)
        linked = self.are_linked(first, second)
        if linked.any():
            u, v = (shown(self.nodes[end[int(np.argmax(linked))]]) for end in (first, second))
            raise InputError(f"{u} and {v} were given as an unknown pair, and are linked; leave out one of both.")
        return replace(self, unknown=Unknown.from_pairs(first, second, self.node_count, lists_known=False))

    def with_known(self, pairs: Any) -> Network:
        """The same network, where only links and some pairs of names, which have none, are known; no other pair is."""
        first, second = self._numbered(pairs)
        free = ~self.are_linked(first, second)
        return replace(self, unknown=Unknown.from_pairs(first[free], second[free], self.node_count, lists_known=True))

    def _numbered(self, pairs: Any) -> tuple[Int64Array, Int64Array]:
        frame = _pair_frame(pairs)
        return self.numbers(names_index(frame.iloc[:, 0])), self.numbers(names_index(frame.iloc[:, 1]))

    def groups(self, name: str) -> tuple[Int32Array, list[Any]]:
        """Group number of each node by a column, and the groups' names; -1 where the column has no value."""
        column = self.column(name)
        try:
            codes, values = pd.factorize(column, sort=True)
        except TypeError:  # values that cannot be sorted or hashed, such as 1 beside "a": sort what they look like
            codes, values = pd.factorize(column.astype("str").where(column.notna()), sort=True)
        return codes.astype(np.int32), list(values)

    def with_columns(self, columns: pd.DataFrame) -> Network:
        """The same network with more node columns, one row a node, in the order of `nodes`.

        A column that is there already is replaced.
        """
        if len(columns) != self.node_count:
            raise InputError(f"{len(columns):,} rows were given for {self.node_count:,} nodes; give one row a node.")
        kept = self.columns.drop(columns=[name for name in columns if name in self.columns])
        return replace(self, columns=pd.concat([kept, columns.reset_index(drop=True)], axis=1))

    def __repr__(self) -> str:
        told = f"Network: {counted(self.node_count, 'node')}, {counted(self.link_count, 'link')}"
        return told + (f", columns {', '.join(map(str, self.columns))}" if len(self.columns.columns) else "")

    def _repr_html_(self) -> str:
        degrees = self.degrees
        mean = f"{degrees.mean():.1f} on average, {degrees.max():,} at most" if len(degrees) else "none"
        kinds = [(f"column {name}", counted(values.nunique(), "value")) for name, values in self.columns.items()]
        size = f"{counted(self.node_count, 'node')}, {counted(self.link_count, 'link')}"
        return as_html(f"Network: {size}", [("links of a node", mean), *kinds])

    # ---- from other things, and back -------------------------------------------------------------------------------

    @classmethod
    def from_links(cls, links: Links) -> Network:
        """From numbered links with all that is known of them: every other way in ends here."""
        names = check_names(links.names, distinct=links.distinct)
        indptr, indices, cleaning = clean(
            links.first, links.second, len(names), weighted=links.weighted, directed=links.directed
        )
        columns = links.columns.reset_index(drop=True).reindex(pd.RangeIndex(len(names)))
        columns.columns = pd.Index([str(name) for name in columns.columns], dtype=object)
        if not columns.columns.is_unique:
            twice = columns.columns[columns.columns.duplicated()][0]
            raise InputError(f"Two node columns are called {twice!r}; rename one.")
        return cls(names, indptr, indices, columns, cleaning, links.notes)

    @classmethod
    def from_edges(
        cls,
        pairs: Any,
        nodes: Any = None,
        *,
        weighted: bool = False,
        directed: bool = False,
        notes: tuple[str, ...] = (),
    ) -> Network:
        """From pairs of names: a sequence of pairs, an array with two columns, or a data frame's first two columns.

        `nodes` is a table (data frame or mapping of columns) whose first column names nodes and whose others are
        groups and attributes, or just a sequence of names. Its order is kept; nodes without links may stand in it.
        A third element of a pair is taken for its weight.
        """
        frame = _pair_frame(pairs)
        links = number_ends(_end(frame, 0), _end(frame, 1))
        table = _node_table(nodes)
        if table is not None:
            links = links.joined(names_index(table.iloc[:, 0]), table.iloc[:, 1:])
        weighted = weighted or (frame.shape[1] > 2 and are_weights(frame.iloc[:, 2]))
        return cls.from_links(replace(links, weighted=weighted, directed=directed, notes=notes))

    @classmethod
    def from_pandas(
        cls, links: pd.DataFrame, source: str | None = None, target: str | None = None, nodes: Any = None
    ) -> Network:
        """From a data frame of links; `source` and `target` name its two columns (default: the first two)."""
        frame = _pair_frame(links)
        wanted = [frame.columns[0] if source is None else source, frame.columns[1] if target is None else target]
        for name in wanted:
            if name not in frame.columns:
                there = ", ".join(map(str, frame.columns))
                raise UnknownColumn(f"There is no column {shown(name)} in the links. Columns: {there}.")
        weighted = "weight" in frame.columns and "weight" not in wanted and are_weights(frame["weight"])
        return cls.from_edges(frame[wanted], nodes=nodes, weighted=weighted)

    @classmethod
    def from_scipy(cls, matrix: Any, nodes: Any = None) -> Network:
        """From a square sparse (or dense) matrix: a link wherever an entry is not zero.

        Nodes are 0, 1, ... unless `nodes` names them, one for each row.
        """
        links = matrix_links(matrix)
        table = _node_table(nodes)
        if table is None:
            return cls.from_links(links)
        if len(table) != len(links.names):
            raise InputError(f"{len(table):,} node names were given for a matrix with {len(links.names):,} rows.")
        return cls.from_links(replace(links, names=names_index(table.iloc[:, 0]), columns=table.iloc[:, 1:]))

    @classmethod
    def from_networkx(cls, graph: Any) -> Network:
        """From a networkx graph of any kind; its node attributes become columns."""
        return cls.from_links(networkx_links(graph))

    @classmethod
    def from_igraph(cls, graph: Any) -> Network:
        """From an igraph graph; the vertex attribute `name` names nodes, if there is one; others become columns."""
        attributes = {key: graph.vs[key] for key in graph.vs.attributes()}
        names = attributes.pop("name", list(range(graph.vcount())))
        weights = graph.es["weight"] if "weight" in graph.es.attributes() else []
        return cls.from_links(
            Links(
                names_index(typed_series(names)),
                *_columns_of(graph.get_edgelist()),
                columns=pd.DataFrame(attributes, index=pd.RangeIndex(graph.vcount())),
                weighted=any(weight != 1 for weight in weights),
                directed=graph.is_directed(),
            )
        )

    def to_scipy(self) -> sparse.csr_array:
        """The adjacency matrix, in the order of `nodes`."""
        ones = np.ones(len(self.indices), dtype=np.int8)
        shape = (self.node_count, self.node_count)
        return sparse.csr_array((ones, self.indices.copy(), self.indptr.copy()), shape=shape)

    def to_pandas(self) -> tuple[pd.DataFrame, pd.DataFrame]:
        """Two data frames: the links by name (`source`, `target`), and the nodes (`node` and the columns)."""
        first, second = self.links().T
        links = pd.DataFrame({"source": self.nodes[first], "target": self.nodes[second]})
        return links, pd.concat([pd.DataFrame({"node": self.nodes}), self.columns], axis=1)

    def to_networkx(self) -> Any:
        """A networkx graph with the same names, links and node columns; a missing value is left out."""
        graph = require("networkx").Graph()
        names = self.nodes.tolist()
        graph.add_nodes_from(names)
        for column, values in self.columns.items():
            for name, value in zip(names, values.tolist(), strict=True):
                if not _is_missing(value):
                    graph.nodes[name][column] = value
        graph.add_edges_from((names[i], names[j]) for i, j in self.links().tolist())
        return graph

    def to_igraph(self) -> Any:
        """An igraph graph with the same links and node columns; the vertex attribute `name` holds the names."""
        columns = {str(name): values.tolist() for name, values in self.columns.items()}
        attributes = {**columns, "name": self.nodes.tolist()}
        return require("igraph").Graph(n=self.node_count, edges=self.links().tolist(), vertex_attrs=attributes)


# ---- what is given --------------------------------------------------------------------------------------------------


def are_weights(column: pd.Series[Any]) -> bool:
    """Whether a column holds numbers that are not all 1."""
    return pd.api.types.is_numeric_dtype(column.dtype) and bool((column != 1).any())


def _is_missing(value: Any) -> bool:
    return value is None or value is pd.NA or value is pd.NaT or (isinstance(value, float) and math.isnan(value))


def _pair_frame(pairs: Any) -> pd.DataFrame:
    """Links as a table whose first two columns are their ends. Lists of tuples keep the names' own types."""
    if hasattr(pairs, "to_pandas"):  # polars, PyArrow
        pairs = pairs.to_pandas()
    if isinstance(pairs, np.ndarray) and pairs.ndim == 2:
        pairs = pd.DataFrame(pairs)
    if isinstance(pairs, pd.DataFrame):
        frame = pairs
    else:
        rows = [_pair(number, row) for number, row in enumerate(pairs)]
        frame = pd.DataFrame({end: typed_series([row[end] for row in rows]) for end in (0, 1)})
        if rows and all(len(row) > 2 for row in rows):
            frame[2] = pd.Series([row[2] for row in rows], dtype=object).infer_objects()
    if frame.shape[1] < 2:
        raise InputError(f"Links need two columns, the two ends; {frame.shape[1]} given.")
    return frame


def _pair(number: int, row: Any) -> tuple[Any, ...]:
    pair = () if isinstance(row, str) or not isinstance(row, Iterable) else tuple(row)
    if len(pair) < 2:
        raise InputError(f"Link {number + 1} is {shown(row)}; a link is a pair of names.")
    return pair


def _end(frame: pd.DataFrame, end: int) -> pd.Index[Any]:
    empty = frame.iloc[:, end].isna().to_numpy()
    if empty.any():
        line = int(np.argmax(empty)) + 1
        raise InputError(f"Link {line} has an end without a name (empty or NaN); name both or leave it out.")
    return names_index(frame.iloc[:, end])


def _node_table(nodes: Any) -> pd.DataFrame | None:
    if nodes is None:
        return None
    if isinstance(nodes, (pd.DataFrame, Mapping)):
        table = pd.DataFrame(nodes).reset_index(drop=True)
    else:
        table = pd.DataFrame({"node": typed_series(list(nodes))})
    if table.shape[1] == 0:
        raise InputError("The node table has no column; its first one names the nodes.")
    return table


def _columns_of(pairs: list[tuple[int, int]]) -> tuple[Int64Array, Int64Array]:
    ends = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    return ends[:, 0], ends[:, 1]


def networkx_links(graph: Any) -> Links:
    """The links of a networkx graph; names are told apart as networkx does (1 and "1" are two nodes)."""
    number = {name: position for position, name in enumerate(graph)}
    records = [dict(data) for _, data in graph.nodes(data=True)]
    return Links(
        names_index(typed_series(list(number))),
        *_columns_of([(number[u], number[v]) for u, v in graph.edges()]),
        columns=pd.DataFrame(records, index=pd.RangeIndex(len(number))),
        weighted=any(data.get("weight", 1) != 1 for *_, data in graph.edges(data=True)),
        directed=graph.is_directed(),
    )


def matrix_links(matrix: Any) -> Links:
    """The links of a square matrix between nodes 0, 1, ...; those of a symmetric one once, as one writes them down."""
    entries = _coordinates(matrix)
    rows, columns = entries.coords
    present = sparse.csr_array((np.ones(len(rows), dtype=np.int8), (rows, columns)), shape=entries.shape)
    symmetric = (present - present.T).nnz == 0
    if symmetric:  # each link stands there twice, as it should: tell nothing
        once = rows <= columns
        rows, columns = rows[once], columns[once]
    # A triangle is the usual way to write an undirected network down once.
    triangle = bool(np.all(rows <= columns)) or bool(np.all(rows >= columns))
    return Links(
        pd.Index(np.arange(entries.shape[0])),
        rows,
        columns,
        weighted=bool((entries.data != 1).any()),
        directed=not (symmetric or triangle),
    )


def _coordinates(matrix: Any) -> sparse.coo_array:
    try:
        entries = sparse.coo_array(matrix)
    except (TypeError, ValueError) as error:
        raise InputError(f"A matrix was expected; {type(matrix).__name__} given ({error}).") from error
    if entries.ndim != 2 or entries.shape[0] != entries.shape[1]:
        raise InputError(f"A matrix of shape {entries.shape} was given; a network needs a square one.")
    if entries.dtype.kind not in "biufc":
        raise InputError(f"The matrix holds {entries.dtype}; a network needs one of numbers.")
    if np.isnan(entries.data).any():
        raise InputError("The matrix holds NaN; put 0 where there is no link.")
    entries.sum_duplicates()
    entries.eliminate_zeros()
    return entries
