"""Network: node names, links, node columns and unobserved pairs."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy import sparse

from netgiven.edges import (
    EdgeCleaning,
    EdgeList,
    Weights,
    check_names,
    clean_edges,
    counted,
    names_index,
    shown,
    typed_series,
)
from netgiven.errors import InputError, UnknownColumn, did_you_mean, is_one_of, require, warn
from netgiven.kernels.arrays import LinkRows, find_in_rows
from netgiven.node_index import Names, find_nodes, number_pairs
from netgiven.notebook import as_html
from netgiven.objects import (
    igraph_edges,
    index_edges,
    matrix_edges,
    networkx_edges,
    node_table,
    pair_edges,
    table_edges,
    table_of,
    with_nodes_of,
)
from netgiven.observed_pairs import UnobservedPairs
from netgiven.types import BoolArray, Int32Array, Int64Array

EVIDENCE = 20  # links expected inside groups, or independent cycles, from which on their absence is no chance
MOST_SIDES = 50  # groups of a column
MOST_GUESSED = 0.1  # share of nodes whose side is a guess
MOST_LINKS_COLOURED = 1_000_000  # finding two sides in more by the links alone would take as long as reading them


@dataclass(frozen=True, eq=False)
class Network:
    """An undirected, unweighted network with named nodes. Immutable.

    Usually made by `read`, which takes files and objects of many kinds, or by one of the constructors `from_edges`,
    `from_pandas`, `from_scipy`, `from_edge_index`, `from_networkx` and `from_igraph`.

    Parameters
    ----------
    nodes : pandas.Index
        Names of the nodes. The position of a name is the number of the node.
    indptr, indices : array
        Links as sorted rows (CSR, both directions): the neighbours of node number i are
        `indices[indptr[i]:indptr[i + 1]]`.
    columns : pandas.DataFrame
        Groups and attributes of nodes, one row per node.
    cleaning : EdgeCleaning
        What was dropped or merged in the links as they were given.
    notes : tuple of str
        What was decided while reading.
    unobserved : UnobservedPairs or None
        Pairs of which it is not known whether they are linked; None if all pairs are observed.

    Examples
    --------
    >>> network = Network.from_edges([("ann", "bob"), ("bob", "cid")], nodes={"name": ["ann", "bob", "cid", "dan"]})
    >>> network
    Network: 4 nodes, 2 links
    >>> list(network), network.degrees.tolist()
    (['ann', 'bob', 'cid', 'dan'], [1, 2, 1, 0])
    >>> len(network), "ann" in network, network.shape
    (4, True, (4, 4))
    """

    nodes: pd.Index[Any]
    indptr: Int64Array
    indices: Int32Array
    columns: pd.DataFrame
    cleaning: EdgeCleaning
    notes: tuple[str, ...] = field(default=())
    unobserved: UnobservedPairs | None = None

    def __post_init__(self) -> None:
        self.indptr.flags.writeable = False
        self.indices.flags.writeable = False

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.__post_init__()  # NumPy copies a read-only array to one that can be written to

    def __len__(self) -> int:
        return len(self.nodes)

    def __contains__(self, node: Hashable) -> bool:
        return node in self.nodes

    def __iter__(self) -> Iterator[Hashable]:
        return iter(self.nodes)

    def __eq__(self, other: object) -> bool:
        """Whether names, their order, links, node columns and unobserved pairs are the same; notes do not count."""
        if not isinstance(other, Network):
            return NotImplemented
        same = self.nodes.equals(other.nodes) and np.array_equal(self.indptr, other.indptr)
        return bool(
            same
            and np.array_equal(self.indices, other.indices)
            and self.columns.equals(other.columns)
            and self._has_unobserved_of(other)
        )

    def __hash__(self) -> int:
        return hash((self.node_count, self.indices.tobytes()))

    def _has_unobserved_of(self, other: Network) -> bool:
        """Whether the unobserved pairs are the same, in whatever way they are listed, if all links are."""
        if self.unobserved_count != other.unobserved_count or not self.unobserved or not other.unobserved:
            return self.unobserved_count == other.unobserved_count
        one, another = (other, self) if self.unobserved.lists_observed else (self, other)
        listed = one.unobserved
        assert listed is not None
        return bool(np.all(another.are_observed(*listed.pairs.T) == listed.lists_observed))

    @property
    def shape(self) -> tuple[int, int]:
        """The shape of the adjacency matrix: number of nodes, twice."""
        return self.node_count, self.node_count

    @property
    def node_count(self) -> int:
        """Number of nodes, including isolated ones."""
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
        """All links once, as node numbers.

        Returns
        -------
        array of shape (links, 2)
            First < second in each row, sorted by the first.

        Examples
        --------
        >>> Network.from_edges([("ann", "bob"), ("bob", "cid")]).links().tolist()
        [[0, 1], [1, 2]]
        """
        rows = np.repeat(np.arange(self.node_count, dtype=np.int32), self.degrees)
        once = rows < self.indices
        return np.column_stack([rows[once], self.indices[once]])

    def neighbours(self, node: Hashable) -> list[Hashable]:
        """The names of the nodes that a node is linked to.

        Parameters
        ----------
        node
            Name of the node.

        Returns
        -------
        list
            Names, in the order of `nodes`.

        Raises
        ------
        UnknownNode
            If there is no such node.

        Examples
        --------
        >>> Network.from_edges([("ann", "bob"), ("bob", "cid")]).neighbours("bob")
        ['ann', 'cid']
        """
        number = int(self.numbers([node])[0])
        return self.nodes[self.indices[self.indptr[number] : self.indptr[number + 1]]].tolist()

    def numbers(self, names: Names) -> Int64Array:
        """The numbers of nodes, by name: their positions in `nodes`.

        Parameters
        ----------
        names
            Names of nodes.

        Returns
        -------
        ndarray
            One integer per name, in the order given.

        Raises
        ------
        UnknownNode
            If a name is not there; the message suggests similar ones.

        Examples
        --------
        >>> Network.from_edges([("ann", "bob"), ("bob", "cid")]).numbers(["cid", "ann"])
        array([2, 0])
        """
        return find_nodes(self.nodes, names)

    def column(self, name: str) -> pd.Series[Any]:
        """One node column.

        Parameters
        ----------
        name
            Name of the column.

        Returns
        -------
        Series
            One value per node, in the order of `nodes`.

        Raises
        ------
        UnknownColumn
            If there is no such column; the message lists all columns.
        """
        if not is_one_of(name, self.columns):
            there = ", ".join(repr(column) for column in self.columns) or "none"
            meant = did_you_mean(name, self.columns)
            raise UnknownColumn(f"There is no node column {name!r}. Columns of this network: {there}.{meant}")
        return self.columns[name]

    def groups(self, name: str) -> tuple[Int32Array, list[Any]]:
        """Groups of nodes by the values of a column.

        Parameters
        ----------
        name
            Name of the column.

        Returns
        -------
        codes : array
            Number of the group of each node; -1 where the column has no value.
        values : list
            The value of each group, sorted.

        Raises
        ------
        UnknownColumn
            If there is no such column.
        """
        column = self.column(name)
        try:
            codes, values = pd.factorize(column, sort=True)
        except TypeError:  # values that cannot be sorted or hashed, such as 1 beside "a": sort them as text
            codes, values = pd.factorize(_as_text(column), sort=True)
        return codes.astype(np.int32), whole_numbers(list(values))

    # ---- pairs -------------------------------------------------------------------------------------------------------

    def are_linked(self, first: npt.ArrayLike, second: npt.ArrayLike) -> BoolArray:
        """Which pairs of nodes are links: one binary search per pair.

        Parameters
        ----------
        first, second
            Node numbers of the two ends of each pair.

        Returns
        -------
        array of bool

        Examples
        --------
        >>> Network.from_edges([("ann", "bob"), ("bob", "cid")]).are_linked([0, 0], [1, 2])
        array([ True, False])
        """
        return find_in_rows(LinkRows(self.indptr, self.indices), first, second) >= 0

    def are_observed(self, first: npt.ArrayLike, second: npt.ArrayLike) -> BoolArray:
        """Which pairs of nodes are observed: links and pairs that are known to have no link.

        Parameters
        ----------
        first, second
            Node numbers of the two ends of each pair.

        Returns
        -------
        array of bool

        Examples
        --------
        >>> network = Network.from_edges([("ann", "bob"), ("bob", "cid")]).with_unobserved([("ann", "cid")])
        >>> network.are_observed([0, 0], [1, 2])
        array([ True, False])
        """
        one, other = np.asarray(first), np.asarray(second)
        if self.unobserved is None:
            return np.ones(one.shape, dtype=bool)
        listed = self.unobserved.contains(one, other)
        return listed | self.are_linked(one, other) if self.unobserved.lists_observed else ~listed

    @property
    def unobserved_count(self) -> int:
        """Number of pairs of which it is not known whether they are linked."""
        return 0 if self.unobserved is None else self.unobserved.count(self.link_count)

    def with_unobserved(self, pairs: Any) -> Network:
        """The same network, with some pairs unobserved and all others observed.

        Parameters
        ----------
        pairs
            Pairs of names: a sequence of pairs, an array, or a table of any library.

        Returns
        -------
        Network

        Raises
        ------
        InputError
            If a pair is linked, or is one node twice.
        UnknownNode
            If a name is not there.

        Examples
        --------
        >>> Network.from_edges([("ann", "bob"), ("bob", "cid")]).with_unobserved([("ann", "cid")]).unobserved_count
        1
        """
        first, second = number_pairs(self.nodes, pairs)
        linked = self.are_linked(first, second)
        if linked.any():
            u, v = (shown(self.nodes[end[int(np.argmax(linked))]]) for end in (first, second))
            raise InputError(
                f"{u} and {v} were given as an unobserved pair, but they are linked; remove the pair or the link."
            )
        listed = UnobservedPairs.from_pairs(first, second, self.node_count, lists_observed=False)
        return replace(self, unobserved=listed)

    def with_observed(self, pairs: Any) -> Network:
        """The same network, with only its links and some other pairs observed.

        Parameters
        ----------
        pairs
            Pairs of names that were observed to have no link, as in `with_unobserved`; links among them are ignored.

        Returns
        -------
        Network

        Raises
        ------
        InputError
            If a pair is one node twice.
        UnknownNode
            If a name is not there.

        Examples
        --------
        >>> Network.from_edges([("ann", "bob"), ("cid", "dan")]).with_observed([("ann", "cid")]).unobserved_count
        3
        """
        first, second = number_pairs(self.nodes, pairs)
        free = ~self.are_linked(first, second)
        listed = UnobservedPairs.from_pairs(first[free], second[free], self.node_count, lists_observed=True)
        return replace(self, unobserved=listed)

    # ---- the same network with more ----------------------------------------------------------------------------------

    def with_columns(self, columns: Any) -> Network:
        """The same network with more node columns.

        Parameters
        ----------
        columns
            A table of any library or a mapping of columns, one row per node in the order of `nodes`; the rows of a
            pandas data frame whose index holds the names of all nodes may be in any order. A column that is there
            already is replaced.

        Returns
        -------
        Network
            A new network; this one does not change.

        Raises
        ------
        InputError
            If the number of rows is not that of the nodes, or an index names some nodes and not all.
        """
        more = table_of(_in_order(columns, self.nodes))
        if len(more) != self.node_count:
            raise InputError(f"{len(more):,} rows were given for {self.node_count:,} nodes; give one row per node.")
        more.columns = pd.Index([str(name) for name in more], dtype=object)
        kept = self.columns.drop(columns=[name for name in more if name in self.columns])
        return replace(self, columns=pd.concat([kept, more], axis=1))

    def with_sides(self) -> Network:
        """The same network with the node column `side`, if its nodes fall into two sides without links inside a side.

        The first node of each component is on the side called "first". Nodes without links have no value.

        Returns
        -------
        Network

        Raises
        ------
        InputError
            If there is a cycle of odd length, such as a triangle: then there are no two such sides.

        Examples
        --------
        >>> square = Network.from_edges([("ann", "Alien"), ("bob", "Alien"), ("bob", "Brazil"), ("ann", "Brazil")])
        >>> square.with_sides().column("side").tolist()
        ['first', 'second', 'first', 'second']
        """
        second = _second_side(self)
        if second is None:
            raise InputError("The nodes do not fall into two sides without links inside: there is an odd cycle.")
        return self._with_side(np.where(second, "second", "first"))

    def _with_side(self, side: npt.NDArray[np.str_]) -> Network:
        return self.with_columns(pd.DataFrame({"side": pd.Series(side).where(self.degrees > 0)}))

    def with_nodes(self, names: Names) -> Network:
        """The same network with more nodes, which have no links.

        Parameters
        ----------
        names
            Names of nodes; those that are there already are skipped.

        Returns
        -------
        Network

        Examples
        --------
        >>> Network.from_edges([("ann", "bob")]).with_nodes(["bob", "cid"])
        Network: 3 nodes, 1 link
        """
        if isinstance(names, str) or not isinstance(names, Iterable):
            raise InputError(f"A list of node names was expected, {shown(names)} given. Write [{shown(names)}].")
        wanted = names if isinstance(names, pd.Index) else names_index(typed_series(list(names)))
        new = wanted[self.nodes.get_indexer(wanted) < 0].unique()
        no_links = LinkRows(np.zeros(len(new) + 1, dtype=np.int64), np.empty(0, dtype=np.int32))
        return self.append_nodes(new, no_links, pd.DataFrame(index=pd.RangeIndex(len(new))))

    def append_nodes(self, names: pd.Index[Any], links: LinkRows, columns: pd.DataFrame) -> Network:
        """The same network with new nodes after the old ones, and their links.

        Unobserved pairs stay as they are listed: the pairs of new nodes are observed if unobserved pairs are listed,
        and unobserved otherwise.

        Parameters
        ----------
        names
            Names of the new nodes; none may be there already.
        links
            Sorted rows of neighbours, one per new node. New nodes are numbered after the old ones, and a link between
            two new nodes is in the rows of both.
        columns
            One row per new node; columns that the network does not have are ignored.

        Returns
        -------
        Network
        """
        old, ends = self.node_count, np.repeat(np.arange(len(names)), np.diff(links.indptr)) + self.node_count
        back = np.flatnonzero(links.indices < old)
        back = back[np.lexsort((ends[back], links.indices[back]))]
        # a new node has a larger number than all old ones: it comes last in each row
        indices = np.insert(self.indices, self.indptr[links.indices[back] + 1], ends[back])
        more = np.cumsum(np.bincount(links.indices[back], minlength=old))
        indptr = self.indptr + np.concatenate([[0], more])
        added = len(back) + int(np.count_nonzero(links.indices >= old)) // 2
        return replace(
            self,
            nodes=append_names(self.nodes, names),
            indptr=np.concatenate([indptr, indptr[-1] + links.indptr[1:]]),
            indices=np.concatenate([indices, links.indices]).astype(np.int32),
            columns=_append_columns(self.columns, columns, len(names)),
            cleaning=replace(self.cleaning, given=self.cleaning.given + added, kept=self.cleaning.kept + added),
            unobserved=None if self.unobserved is None else self.unobserved.with_more_nodes(len(names)),
        )

    def __repr__(self) -> str:
        return self._size() + (f"; {self.cleaning.changes}" if self.cleaning.loses else "")

    def _size(self) -> str:
        size = f"Network: {counted(self.node_count, 'node')}, {counted(self.link_count, 'link')}"
        return size + (f", columns {', '.join(map(str, self.columns))}" if len(self.columns.columns) else "")

    @property
    def report(self) -> tuple[str, ...]:
        """Lines to print about a network that was read: its size, how its links were cleaned, and notes."""
        return (self._size(), str(self.cleaning), *self.notes)

    def _repr_html_(self) -> str:
        degrees = self.degrees
        mean = f"{degrees.mean():.1f} on average, {degrees.max():,} at most" if len(degrees) else "none"
        kinds = [(f"column {name}", counted(hashable(self.columns[name]).nunique(), "value")) for name in self.columns]
        size = f"{counted(self.node_count, 'node')}, {counted(self.link_count, 'link')}"
        read = [("read", str(self.cleaning))] if self.cleaning.loses else []
        return as_html(f"Network: {size}", [("links of a node", mean), *kinds, *read])

    # ---- from other objects ------------------------------------------------------------------------------------------

    @classmethod
    def from_edge_list(cls, links: EdgeList) -> Network:
        """From numbered links; all other constructors and all readers end here.

        Parameters
        ----------
        links
            Names of nodes, both ends of each link as numbers, and node columns.

        Returns
        -------
        Network
            The network: undirected, unweighted, each link once; `cleaning` counts what was merged or removed.

        Raises
        ------
        InputError
            If names or columns occur twice, or weights are negative.

        Warns
        -----
        InputWarning
            If directions, weights, self-loops or duplicates are left out.
        """
        names = check_names(links.names, distinct=links.distinct)
        links.weights.check(len(links.first))
        indptr, indices, cleaning = clean_edges(
            links.first, links.second, len(names), weighted=links.weights.other, directed=links.directed
        )
        columns = links.columns.reset_index(drop=True).reindex(pd.RangeIndex(len(names)))
        columns.columns = pd.Index([str(name) for name in columns.columns], dtype=object)
        if not columns.columns.is_unique:
            twice = columns.columns[columns.columns.duplicated()][0]
            raise InputError(f"Two node columns are called {twice!r}; rename one.")
        if cleaning.loses:
            warn(f"{cleaning}. A network is undirected and unweighted.")
        return cls(names, indptr, indices, columns, cleaning, (*links.notes, *links.weights.notes))

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
        """From pairs of names.

        Parameters
        ----------
        pairs
            A sequence of pairs, an array with one pair per row, or a table, as in `from_pandas`. A third element of a
            pair is its weight.
        nodes
            A table of any library or a mapping of columns; its first column (or its index, if that has a name or holds
            text) names nodes, and the others are groups and attributes. Or a sequence of names. Its order is kept, and
            it may hold nodes without links.
        weighted, directed
            Whether the source had weights or directions, which are ignored; `cleaning` reports it.
        notes
            Notes on how the links were read.

        Returns
        -------
        Network

        Raises
        ------
        InputError
            If a pair has no two names, a name is empty, a weight is negative, or a node is twice in the node table.

        Warns
        -----
        InputWarning
            If directions, weights, self-loops or duplicates are left out.

        Examples
        --------
        >>> Network.from_edges([("ann", "bob"), ("bob", "ann"), ("bob", "cid")])
        Network: 3 nodes, 2 links
        >>> Network.from_edges([(0, 1)], nodes={"node": [0, 1, 2], "team": ["a", "a", "b"]})
        Network: 3 nodes, 1 link, columns team
        """
        links = with_nodes_of(pair_edges(pairs), nodes)
        weights = Weights(other=len(links.first)) if weighted and not links.weights.other else links.weights
        return cls.from_edge_list(replace(links, weights=weights, directed=directed, notes=(*notes, *links.notes)))

    @classmethod
    def from_pandas(
        cls, links: Any, source: Hashable | None = None, target: Hashable | None = None, nodes: Any = None
    ) -> Network:
        """From a data frame with one row per link, or from an adjacency matrix whose rows and columns are named alike.

        Tables of other libraries (polars, PyArrow, DuckDB and all that narwhals knows) are taken, too, here and by
        `read`. Where they have no index, the first column of a matrix names its rows.

        The rules are those for files. Columns called "source" and "target" (or "from" and "to", "u" and "v" and the
        like) are the ends of links, else the only two that can be. A column "weight" (or the like) is counted by
        `cleaning`, and ignored. Pairs of columns such as "source_type" and "target_type" become a node column.

        Parameters
        ----------
        links
            The table.
        source, target
            Names of the two columns with the ends of links; None to find out.
        nodes
            A table of nodes, as in `from_edges`.

        Returns
        -------
        Network

        Raises
        ------
        UnknownColumn
            If there is no such column.
        InputError
            As in `from_edges`; and if more than two columns could be the ends of links.

        Examples
        --------
        >>> Network.from_pandas(pd.DataFrame({"weight": [1, 1], "source": ["a", "b"], "target": ["b", "c"]}))
        Network: 3 nodes, 2 links
        >>> Network.from_pandas(pd.DataFrame({"day": [1, 2], "who": ["a", "b"], "whom": ["b", "c"]}), "who", "whom")
        Network: 3 nodes, 2 links
        """
        return cls.from_edge_list(with_nodes_of(table_edges(links, source, target), nodes))

    @classmethod
    def from_scipy(cls, matrix: Any, nodes: Any = None) -> Network:
        """From a square sparse (or dense) matrix: a link wherever an entry is not zero.

        Parameters
        ----------
        matrix
            The matrix.
        nodes
            Names of the nodes, or a table of nodes as in `from_edges`, one per row (default: 0, 1, ...).

        Returns
        -------
        Network

        Raises
        ------
        InputError
            If the matrix is not a square matrix of numbers, or the number of names is not that of its rows.

        Examples
        --------
        >>> Network.from_scipy([[0, 1, 0], [1, 0, 1], [0, 1, 0]], nodes=["ann", "bob", "cid"])
        Network: 3 nodes, 2 links
        """
        links = matrix_edges(matrix)
        return cls.from_edge_list(_renamed(links, nodes, f"a matrix with {len(links.names):,} rows"))

    @classmethod
    def from_edge_index(cls, edge_index: Any, node_count: int | None = None, nodes: Any = None) -> Network:
        """From an array with two rows, the numbers of the ends of each link, as PyTorch Geometric has it.

        Parameters
        ----------
        edge_index
            An array (or a tensor) of shape (2, links) of whole numbers from 0 on. If all links are there in both
            directions, each counts once.
        node_count
            Number of nodes (default: the largest number in the array, plus 1).
        nodes
            Names of the nodes, or a table of nodes as in `from_edges`, one per node (default: 0, 1, ...).

        Returns
        -------
        Network

        Raises
        ------
        InputError
            If it is no such array, a number is not below `node_count`, or there are not as many names as nodes.

        Warns
        -----
        InputWarning
            If directions, self-loops or duplicates are left out.

        Examples
        --------
        >>> Network.from_edge_index([[0, 1, 1, 2], [1, 0, 2, 1]], node_count=4)
        Network: 4 nodes, 2 links
        """
        links = index_edges(edge_index, node_count)
        return cls.from_edge_list(_renamed(links, nodes, f"{len(links.names):,} nodes"))

    @classmethod
    def from_networkx(cls, graph: Any) -> Network:
        """From a networkx graph of any kind; its node attributes become columns.

        Parameters
        ----------
        graph
            A `networkx.Graph`, `DiGraph`, `MultiGraph` or `MultiDiGraph`, or a graph of a backend of networkx.

        Returns
        -------
        Network
            The network, with the names of the graph's nodes.

        Raises
        ------
        InputError
            If it is no such graph, or a weight is negative.

        Warns
        -----
        InputWarning
            If directions, weights, self-loops or parallel links are left out.

        Examples
        --------
        >>> import networkx
        >>> Network.from_networkx(networkx.path_graph(4))
        Network: 4 nodes, 3 links
        """
        return cls.from_edge_list(networkx_edges(graph))

    @classmethod
    def from_igraph(cls, graph: Any) -> Network:
        """From an igraph graph.

        The vertex attribute `name` holds the names, if there is one, and other attributes become columns.

        Parameters
        ----------
        graph
            An `igraph.Graph`.

        Returns
        -------
        Network
            The network.

        Raises
        ------
        InputError
            If it is no such graph, or a weight is negative.

        Warns
        -----
        InputWarning
            If directions, weights, self-loops or parallel links are left out.
        """
        return cls.from_edge_list(igraph_edges(graph))

    # ---- to other objects --------------------------------------------------------------------------------------------

    def to_scipy(self) -> sparse.csr_array:
        """The adjacency matrix.

        Returns
        -------
        csr_array
            Symmetric, in the order of `nodes`, with 8-bit integers.
        """
        ones = np.ones(len(self.indices), dtype=np.int8)
        shape = (self.node_count, self.node_count)
        return sparse.csr_array((ones, self.indices.copy(), self.indptr.copy()), shape=shape)

    def to_pandas(self) -> tuple[pd.DataFrame, pd.DataFrame]:
        """Two data frames: links and nodes.

        Returns
        -------
        links : pandas.DataFrame
            Columns `source` and `target`, the names of the ends of each link.
        nodes : pandas.DataFrame
            Column `node`, and all node columns.
        """
        first, second = self.links().T
        links = pd.DataFrame({"source": self.nodes[first], "target": self.nodes[second]})
        return links, pd.concat([pd.DataFrame({"node": self.nodes}), self.columns], axis=1)

    def to_networkx(self) -> Any:
        """A networkx graph with the same names, links and node columns; missing values are left out.

        Returns
        -------
        networkx.Graph
            The graph.

        Raises
        ------
        InputError
            If networkx is not installed.
        """
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
        """An igraph graph with the same links and node columns; the vertex attribute `name` holds the names.

        Returns
        -------
        igraph.Graph
            The graph.

        Raises
        ------
        InputError
            If igraph is not installed.
        """
        columns = {str(name): values.tolist() for name, values in self.columns.items()}
        attributes = {**columns, "name": self.nodes.tolist()}
        return require("igraph").Graph(n=self.node_count, edges=self.links().tolist(), vertex_attrs=attributes)


# ---- tables of nodes -------------------------------------------------------------------------------------------------


def _renamed(links: EdgeList, nodes: Any, owner: str) -> EdgeList:
    """Links between numbered nodes with the names and columns of a node table, if there is one."""
    if nodes is None:
        return links
    table = node_table(nodes)
    if len(table) != len(links.names):
        raise InputError(f"{len(table):,} node names were given for {owner}.")
    return replace(links, names=names_index(table.iloc[:, 0]), columns=table.iloc[:, 1:])


def _in_order(columns: Any, nodes: pd.Index[Any]) -> Any:
    """Columns in the order of the nodes, if they are a data frame of pandas whose index holds their names."""
    if not isinstance(columns, (pd.DataFrame, pd.Series)) or isinstance(columns.index, pd.RangeIndex):
        return columns
    index, known = columns.index, columns.index.isin(nodes)
    if len(index) == len(nodes) and index.is_unique and known.all():
        return columns.reindex(nodes)
    if pd.api.types.infer_dtype(index) == "string" and known.any():
        raise InputError(
            f"The index of the columns names {counted(int(known.sum()), 'row')} of {len(index):,} like nodes of the "
            "network; name each node once, or use reset_index(drop=True) if rows are in the order of the nodes."
        )
    return columns


# ---- two sides -------------------------------------------------------------------------------------------------------


def with_suggestion(network: Network, links: EdgeList) -> Network:
    """The network with a note on groups without links inside, if there are such groups, which say much to a prior.

    Where no node column has them, but there are two sides, they become the column `side`.
    """
    for name in map(str, network.columns):
        if _has_no_links_inside(network, name):
            note = suggestion(network, name)
            said = any(note in other for other in network.notes)
            return network if said else replace(network, notes=(*network.notes, note))
    side, guessed = (None, 0) if "side" in network.columns else _sides(network, links)
    if side is None:
        return network
    network = network._with_side(side)
    remark = f" Outside of the largest component, {counted(guessed, 'node')} may be on the other side." * (guessed > 0)
    note = f"Nodes fall into two sides, the new node column 'side'.{remark}"
    return replace(network, notes=(*network.notes, note, suggestion(network, "side")))


def named_by_side(network: Network, nodes: pd.Index[Any]) -> Network:
    """The network with names such as "user 7", if these are among some nodes and its own names are not.

    Only where people and things share names they are read like that, and of a changed network that may be another part.

    >>> more = Network.from_pandas(pd.DataFrame({"user": [9], "film": [7]}))
    >>> sorted(named_by_side(more, pd.Index(["user 7", "film 7"])))
    ['film 7', 'user 9']
    """
    if "side" not in network.columns or network.nodes.isin(nodes).any():
        return network
    pairs = zip(network.columns["side"], network.nodes, strict=True)  # a node without links may have no side
    named = pd.Index([f"{side} {name}" if isinstance(side, str) else str(name) for side, name in pairs], dtype="str")
    return replace(network, nodes=named) if named.is_unique and named.isin(nodes).any() else network


SUGGESTED = "No link joins two nodes of the same"  # how a suggestion begins
HOW_TO_GIVE = " Tell it with given="  # how its end begins, in words of Python and of the command line


def suggestion(network: Network, column: str) -> str:
    """The note that suggests to give the blocks of a node column."""
    known, groups = f"degrees+blocks:{column}", group_sizes(network, column)
    return f"{SUGGESTED} {column}: {groups}.{HOW_TO_GIVE}{known!r} (--given {known})."


def group_sizes(network: Network, column: str) -> str:
    """The four largest groups of a node column with the number of their nodes, and how many more there are."""
    sizes = hashable(network.columns[column]).value_counts()
    names = whole_numbers(sizes.index[:4].tolist())
    groups = ", ".join(f"{name} ({size:,})" for name, size in zip(names, sizes, strict=False))
    return groups + (f" and {len(sizes) - 4} more" if len(sizes) > 4 else "")


def _has_no_links_inside(network: Network, column: str) -> bool:
    """Whether no link is inside a group of the column, where at least 20 would be if links ignored groups."""
    values = network.columns[column]
    if not network.link_count or hashable(values.iloc[:1000]).nunique() > MOST_SIDES:
        return False
    group = pd.factorize(hashable(values))[0]
    rows, ends = np.repeat(group, network.degrees), group[network.indices]
    if (rows < 0).any() or (rows == ends).any():
        return False
    expected = np.square(np.bincount(rows)).sum() / (2 * len(rows))
    return bool(expected >= EVIDENCE)


def _sides(network: Network, links: EdgeList) -> tuple[npt.NDArray[np.str_] | None, int]:
    """Two sides without links inside: the columns of a table of links, or else by the links alone.

    Returns the side of each node, and of how many it is a guess. None if there are none, or if that may be chance: in
    a network without cycles there are always two such sides, and each further cycle is even in every second network.
    """
    if network.link_count - np.count_nonzero(network.degrees) < EVIDENCE:
        return None, 0
    at_end = np.zeros((2, network.node_count), dtype=bool)
    at_end[0, links.first] = at_end[1, links.second] = True
    if not at_end.all(axis=0).any():
        return np.where(at_end[0], *(links.kinds or ("first", "second"))), 0
    costly = network.link_count > MOST_LINKS_COLOURED
    second = None if costly or _has_triangle_at_hub(network) else _second_side(network)
    outside = 0 if second is None else _outside_of_largest(network)
    if second is None or outside > MOST_GUESSED * network.node_count:
        return None, 0
    return np.where(second, "second", "first"), outside


def _outside_of_largest(network: Network) -> int:
    """The number of linked nodes outside of the largest component."""
    component = _components(network.to_scipy())
    return int(np.count_nonzero(network.degrees) - np.bincount(component).max())


def _components(matrix: sparse.csr_array) -> Int32Array:
    from scipy.sparse.csgraph import connected_components

    return np.asarray(connected_components(matrix, directed=False)[1])


def _has_triangle_at_hub(network: Network) -> bool:
    """Whether two neighbours of the node with most links are linked: a quick no for nearly all networks of one kind."""
    hub = int(np.argmax(network.degrees))
    near = network.indices[network.indptr[hub] : network.indptr[hub + 1]]
    first, second = np.meshgrid(near[:200], near[:200])
    return bool(network.are_linked(first, second).any())


def _second_side(network: Network) -> BoolArray | None:
    """Which nodes are an odd number of links away from the first of their component; None if there is an odd cycle.

    In the double cover, where node i is there twice and each link joins different copies, an odd cycle joins the two
    copies of a node to one component.
    """
    count, ends = network.node_count, len(network.indices)
    indices = np.concatenate([network.indices + np.int64(count), network.indices])
    indptr = np.concatenate([network.indptr, network.indptr[1:] + ends])
    cover = sparse.csr_array((np.ones(2 * ends, dtype=np.int8), indices, indptr), shape=(2 * count, 2 * count))
    component = _components(cover)
    even, odd = component[:count], component[count:]
    return None if (even == odd)[network.degrees > 0].any() else even > odd


# ---- more nodes ------------------------------------------------------------------------------------------------------


def append_names(names: pd.Index[Any], more: pd.Index[Any]) -> pd.Index[Any]:
    """Names, and more of them, each with its own type.

    >>> append_names(pd.Index([1, 2]), pd.Index(["zoe"])).tolist()
    [1, 2, 'zoe']
    """
    if not len(more):
        return names
    if names.dtype == more.dtype and names.dtype != object:
        return names.append(more)
    return names_index(typed_series([*names.tolist(), *more.tolist()]))


def _append_columns(columns: pd.DataFrame, more: pd.DataFrame, count: int) -> pd.DataFrame:
    """The columns of the old nodes, followed by the values of `count` new ones, which may be missing."""
    added = more.reset_index(drop=True).reindex(index=pd.RangeIndex(count), columns=columns.columns)
    both = {name: _append_values(columns[name], added[name]) for name in columns}
    return pd.DataFrame(both, index=pd.RangeIndex(len(columns) + count), columns=columns.columns)


def _append_values(values: pd.Series[Any], more: pd.Series[Any]) -> pd.Series[Any]:
    if more.isna().all():
        return values.reset_index(drop=True).reindex(pd.RangeIndex(len(values) + len(more)))
    kinds = pd.api.types.is_integer_dtype(values.dtype), pd.api.types.is_float_dtype(more.dtype)
    if all(kinds) and (more % 1 == 0).all():
        more = more.astype(values.dtype)  # they were integers, before values of other nodes were missing
    return pd.concat([values, more], ignore_index=True)


def whole_numbers(values: list[Any]) -> list[Any]:
    """Values of a column of floats as integers, if all are: a column of integers with gaps is one of floats.

    >>> whole_numbers([1.0, 2.0]), whole_numbers([1.0, 2.5])
    ([1, 2], [1.0, 2.5])
    """
    whole = all(isinstance(value, float) and value.is_integer() for value in values)
    return [int(value) for value in values] if whole else values


def hashable(values: pd.Series[Any]) -> pd.Series[Any]:
    """The values of a node column, as text if some of them cannot be counted, such as lists.

    >>> hashable(pd.Series([[1, 2], [1, 2]])).nunique()
    1
    """
    try:
        values.nunique()
    except TypeError:
        return _as_text(values)
    return values


def _as_text(values: pd.Series[Any]) -> pd.Series[Any]:
    return values.astype("str").where(values.notna())


def _is_missing(value: Any) -> bool:
    return value is None or value is pd.NA or value is pd.NaT or (isinstance(value, float) and math.isnan(value))
