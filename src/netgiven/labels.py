"""Labels of nodes, several a node: which node has which label."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse

from netgiven.edges import clean, counted
from netgiven.errors import InputError
from netgiven.network import Network
from netgiven.node_index import find_nodes
from netgiven.types import BoolArray, Int64Array

KIND = "kind"  # the node column that tells nodes from labels, in a network that holds both
LABELLED, UNLABELLED, LABEL = "labelled", "unlabelled", "label"


@dataclass(frozen=True, eq=False)
class Labels:
    """Which node has which label: `pairs` are distinct (node number, label number), in order.

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
        """From (node name, label) pairs."""
        table = pd.DataFrame(list(pairs), columns=["node", "label"])
        return cls.from_columns(nodes, table["node"], table["label"])

    @classmethod
    def from_columns(cls, nodes: pd.Index[Any], node: Any, label: Any) -> Labels:
        """From two columns, node names and labels, a row for each label that a node has."""
        codes, names = pd.factorize(pd.Series(label), sort=True)
        if not len(codes) or (codes < 0).any():
            raise InputError(
                "Labels were expected, a node and its label in each row; there are none, or some are empty."
            )
        return cls(nodes, pd.Index(names), _distinct(find_nodes(nodes, node), codes.astype(np.int64)))

    @property
    def matrix(self) -> sparse.csr_array:
        """One row a node, one column a label: True where the node has it."""
        shape = (len(self.nodes), len(self.names))
        return sparse.csr_array((np.ones(len(self.pairs), dtype=bool), self.pairs.T), shape=shape)

    @property
    def counts(self) -> Int64Array:
        """How many labels each node has."""
        return np.bincount(self.pairs[:, 0], minlength=len(self.nodes))

    def only(self, chosen: BoolArray) -> Labels:
        """The chosen pairs alone, of the same nodes and labels."""
        return Labels(self.nodes, self.names, self.pairs[chosen])

    def __repr__(self) -> str:
        told = f"{counted(len(self.pairs), 'label')} of {counted(int((self.counts > 0).sum()), 'node')}"
        return f"Labels: {told}, {len(self.names)} different ones"


def _distinct(node: Int64Array, label: Int64Array) -> Int64Array:
    return np.unique(np.column_stack([node, label]), axis=0)


def with_nodes(network: Network, names: Iterable[Any]) -> Network:
    """The network with these nodes too, without links where they are new.

    >>> with_nodes(Network.from_edges([("ann", "bob")]), ["bob", "cid"])
    Network: 3 nodes, 1 link
    """
    wanted = names if isinstance(names, pd.Index) else pd.Index(list(names))
    fresh = wanted[~wanted.isin(network.nodes)].unique()
    nodes = network.nodes.append(fresh)
    indptr = np.concatenate([network.indptr, np.full(len(fresh), network.indptr[-1])])
    columns = network.columns.reindex(pd.RangeIndex(len(nodes)))
    return replace(network, nodes=nodes, indptr=indptr, columns=columns)


def with_labels(network: Network, labels: Labels) -> Network:
    """The network with a node more for each label, linked to the nodes that have it.

    Nodes are numbered, labels after nodes, because a label may be called like a node. The column `kind` tells apart
    labels, nodes with a label, and nodes without: of these nothing is known, and `blocks:kind` says just that, since a
    block without links counts as settled by the prior.

    >>> network = Network.from_edges([("ann", "bob"), ("bob", "cid")])
    >>> both = with_labels(network, Labels.from_pairs(network.nodes, [("bob", "x")]))
    >>> both, list(both.columns["kind"])
    (Network: 4 nodes, 3 links, columns kind, ['unlabelled', 'labelled', 'unlabelled', 'label'])
    """
    nodes = network.node_count
    links = network.links().astype(np.int64)
    first = np.concatenate([links[:, 0], labels.pairs[:, 0]])
    second = np.concatenate([links[:, 1], labels.pairs[:, 1] + nodes])
    indptr, indices, cleaning = clean(first, second, nodes + len(labels.names))
    kind = np.where(labels.counts > 0, LABELLED, UNLABELLED)
    columns = network.columns.reindex(pd.RangeIndex(nodes + len(labels.names)))
    columns = columns.assign(**{KIND: np.concatenate([kind, np.full(len(labels.names), LABEL)])})
    return Network(pd.RangeIndex(len(columns)), indptr, indices, columns, cleaning)
