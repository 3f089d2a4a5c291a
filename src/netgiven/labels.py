"""Labels of nodes, any number per node, and networks that hold labels as nodes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse

from netgiven.edges import clean_edges, counted, listed_names, shown
from netgiven.errors import InputError
from netgiven.network import Network
from netgiven.node_index import find_nodes
from netgiven.objects import as_frame, node_table
from netgiven.types import BoolArray, Int64Array

KIND = "kind"  # the node column that distinguishes nodes and labels, in a network that holds both
LABELLED, UNLABELLED, LABEL = "labelled", "unlabelled", "label"


@dataclass(frozen=True, eq=False)
class Labels:
    """Labels of nodes, any number per node.

    Usually made by `read_labels`, `Labels.from_pairs` or `Labels.from_columns`.

    Parameters
    ----------
    nodes : pandas.Index
        Names of all nodes, with and without labels.
    names : pandas.Index
        Names of the labels.
    pairs : array of shape (pairs, 2)
        Distinct pairs of a node number and a label number, sorted.

    Examples
    --------
    >>> labels = Labels.from_pairs(pd.Index(["ann", "bob", "cid"]), [("ann", "x"), ("bob", "y"), ("bob", "x")])
    >>> labels
    Labels: 3 labels of 2 nodes, 2 different ones
    >>> labels.pairs.tolist()
    [[0, 0], [1, 0], [1, 1]]
    """

    nodes: pd.Index[Any]
    names: pd.Index[Any]
    pairs: Int64Array

    @classmethod
    def from_pairs(cls, nodes: pd.Index[Any], pairs: Iterable[tuple[Any, Any]]) -> Labels:
        """From pairs of a node name and a label.

        Parameters
        ----------
        nodes
            Names of all nodes, such as `network.nodes`.
        pairs
            Pairs of a node name and a label.

        Returns
        -------
        Labels

        Raises
        ------
        UnknownNode
            If a pair names a node that is not among `nodes`; see `Network.with_nodes`.
        InputError
            If there are no pairs, or a label is empty.

        Examples
        --------
        >>> Labels.from_pairs(pd.Index(["ann", "bob"]), [("ann", "chess"), ("bob", "chess")])
        Labels: 2 labels of 2 nodes, 1 different ones
        """
        table = _label_frame(pairs)
        return cls.from_columns(nodes, table["node"], table["label"])

    @classmethod
    def from_columns(cls, nodes: pd.Index[Any], node: Any, label: Any) -> Labels:
        """From two columns of equal length: node names, and one label of each.

        Parameters
        ----------
        nodes
            Names of all nodes, such as `network.nodes`.
        node, label
            The columns. A node with several labels has several rows.

        Returns
        -------
        Labels

        Raises
        ------
        UnknownNode
            If a node is not among `nodes`; see `Network.with_nodes`.
        InputError
            If there are no labels, or one is empty.
        """
        try:
            codes, names = pd.factorize(pd.Series(label), sort=True)
        except TypeError as error:
            raise InputError(f"Labels were expected, text or numbers; {shown(label)[:200]} given ({error}).") from error
        if not len(codes) or (codes < 0).any():
            problem = "one of them is empty" if len(codes) else "there are none"
            raise InputError(f"Labels were expected, one node and one of its labels per row; {problem}.")
        return cls(nodes, pd.Index(names), _distinct(find_nodes(nodes, node), codes.astype(np.int64)))

    @property
    def matrix(self) -> sparse.csr_array:
        """A sparse matrix of bool with one row per node and one column per label: True where the node has the label."""
        shape = (len(self.nodes), len(self.names))
        return sparse.csr_array((np.ones(len(self.pairs), dtype=bool), self.pairs.T), shape=shape)

    @property
    def counts(self) -> Int64Array:
        """Number of labels of each node."""
        return np.bincount(self.pairs[:, 0], minlength=len(self.nodes))

    def only(self, chosen: BoolArray) -> Labels:
        """The same nodes and label names with some of the pairs.

        Parameters
        ----------
        chosen
            A mask over `pairs`.

        Returns
        -------
        Labels
        """
        return Labels(self.nodes, self.names, self.pairs[chosen])

    def __repr__(self) -> str:
        size = f"{counted(len(self.pairs), 'label')} of {counted(int((self.counts > 0).sum()), 'node')}"
        return f"Labels: {size}, {len(self.names)} different ones"


def _distinct(node: Int64Array, label: Int64Array) -> Int64Array:
    return np.unique(np.column_stack([node, label]), axis=0)


def as_labels(network: Network, given: Any) -> Labels:
    """Labels of the nodes of a network, from Labels, a mapping, a table or pairs of a node and a label.

    Nodes with labels that are not in the network follow its own.

    >>> network = Network.from_edges([("ann", "bob")])
    >>> as_labels(network, {"ann": "x", "cid": ["x", "y"]})
    Labels: 3 labels of 2 nodes, 2 different ones
    """
    if isinstance(given, Labels):
        return given
    frame = _label_frame(given)
    return Labels.from_columns(network.with_nodes(frame["node"]).nodes, frame["node"], frame["label"])


def _label_frame(given: Any) -> pd.DataFrame:
    """Labels as a data frame with the columns `node` and `label`."""
    if isinstance(given, pd.Series):
        given = given.dropna().to_dict()
    frame = as_frame(given)
    if frame is not None:
        if frame.shape[1] == 1:
            frame = node_table(frame)
        if {"node", "label"} <= set(frame.columns):
            return frame[["node", "label"]]
        if frame.shape[1] == 2:
            return frame.set_axis(["node", "label"], axis=1)
        raise InputError(f"Labels need the columns 'node' and 'label'; there are {listed_names(list(frame.columns))}.")
    if isinstance(given, Mapping):
        pairs = [(node, label) for node, some in given.items() for label in _several(some)]
    elif isinstance(given, Iterable) and not isinstance(given, str):
        pairs = [tuple(pair) if isinstance(pair, (tuple, list)) else (pair,) for pair in given]
    else:
        raise InputError(f"Labels were expected, a mapping of nodes to labels or a data frame; {shown(given)} given.")
    if any(len(pair) != 2 for pair in pairs):
        raise InputError("Labels were expected as pairs, a node and one of its labels; one of them is no pair.")
    return pd.DataFrame({end: pd.Series([pair[at] for pair in pairs]) for at, end in enumerate(("node", "label"))})


def _several(labels: Any) -> list[Any]:
    return list(labels) if isinstance(labels, (list, tuple, set, frozenset)) else [labels]


def align_labels(network: Network, labels: Labels) -> tuple[Network, Labels]:
    """The network with all nodes that have labels, and the labels numbered as its nodes.

    Nodes with labels that are not in the network have no links, and are added to it.

    >>> network = Network.from_edges([("ann", "bob")])
    >>> labels = Labels.from_pairs(pd.Index(["cid", "ann"]), [("cid", "x"), ("ann", "x")])
    >>> larger, labels = align_labels(network, labels)
    >>> larger.nodes.tolist(), labels.pairs.tolist()
    (['ann', 'bob', 'cid'], [[0, 0], [2, 0]])
    """
    if labels.nodes.equals(network.nodes):
        return network, labels
    labelled = labels.nodes[labels.counts > 0]
    if len(labelled) and not labelled.isin(network.nodes).any():
        first = ", ".join(str(name) for name in labelled[:3])
        raise InputError(f"None of the nodes with labels is in the network (the first ones are {first}).")
    larger = network.with_nodes(labelled)
    numbers = find_nodes(larger.nodes, labels.nodes[labels.pairs[:, 0]])
    return larger, Labels(larger.nodes, labels.names, _distinct(numbers, labels.pairs[:, 1]))


def with_labels(network: Network, labels: Labels) -> Network:
    """The network with one more node per label, linked to the nodes that have the label.

    Nodes are named by number, first nodes and then labels, because a label may have the name of a node. The column
    `kind` distinguishes labels, nodes with labels, and nodes without. Nothing is known about the labels of the last,
    and `blocks:kind` says so: no links join them and labels, so the prior is certain, and the fit leaves the pairs out.

    >>> network = Network.from_edges([("ann", "bob"), ("bob", "cid")])
    >>> both = with_labels(network, Labels.from_pairs(network.nodes, [("bob", "x")]))
    >>> both, list(both.columns["kind"])
    (Network: 4 nodes, 3 links, columns kind, ['unlabelled', 'labelled', 'unlabelled', 'label'])
    """
    network, labels = align_labels(network, labels)
    nodes = network.node_count
    links = network.links().astype(np.int64)
    first = np.concatenate([links[:, 0], labels.pairs[:, 0]])
    second = np.concatenate([links[:, 1], labels.pairs[:, 1] + nodes])
    indptr, indices, cleaning = clean_edges(first, second, nodes + len(labels.names))
    kind = np.where(labels.counts > 0, LABELLED, UNLABELLED)
    columns = network.columns.reindex(pd.RangeIndex(nodes + len(labels.names)))
    columns = columns.assign(**{KIND: np.concatenate([kind, np.full(len(labels.names), LABEL)])})
    return Network(pd.RangeIndex(len(columns)), indptr, indices, columns, cleaning)
