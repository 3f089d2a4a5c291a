"""Hiding links or labels, to see whether they are found again."""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import minimum_spanning_tree

from netgiven.edges import clean
from netgiven.errors import InputError
from netgiven.labels import Labels
from netgiven.network import Network
from netgiven.observed_pairs import Unknown
from netgiven.types import BoolArray, Int64Array

LabelProtocol = Literal["nodes", "links"]


class LinkSplit(NamedTuple):
    """A network without some of its links, those links, and as many pairs that were never linked (as node numbers)."""

    train: Network
    hidden: Int64Array
    others: Int64Array

    @property
    def pairs(self) -> Int64Array:
        """The pairs to predict: hidden links, then pairs without a link."""
        return np.concatenate([self.hidden, self.others])

    @property
    def truth(self) -> BoolArray:
        """Which of the pairs are links."""
        return np.arange(len(self.hidden) + len(self.others)) < len(self.hidden)


def hide_links(network: Network, share: float = 0.5, seed: int = 0) -> LinkSplit:
    """The paper's split: hide a share of the links without raising the number of components.

    The links are shuffled and hidden one by one, unless that would take a component apart, until the share is reached
    or only a spanning forest is left. Pairs without a link are distinct, uniform, and as many as the hidden ones.

    >>> ring = Network.from_edges([(i, (i + 1) % 6) for i in range(6)])
    >>> split = hide_links(ring)
    >>> split.train.link_count, len(split.hidden), len(split.others)
    (5, 1, 1)
    """
    if not 0 < share < 1:
        raise InputError(f"A share of {share} of the links was to be hidden; it must lie between 0 and 1.")
    random = np.random.default_rng(seed)
    links = random.permutation(network.links()).astype(np.int64)
    hidden = np.flatnonzero(~_needed(links, network.node_count))[: int(share * len(links))]
    others = pairs_without_link(network, len(hidden), random)
    train = _with_links(network, np.delete(links, hidden, axis=0), others)
    return LinkSplit(train, links[hidden], others)


def _needed(links: Int64Array, nodes: int) -> BoolArray:
    """Which links cannot be hidden: each just if the links after it do not join its ends already.

    That is the spanning forest built from the last link to the first: of minimal weight, if late links weigh little.
    """
    weights = np.arange(len(links), 0, -1)
    matrix = sparse.csr_array((weights, (links[:, 0], links[:, 1])), shape=(nodes, nodes))
    needed = np.zeros(len(links), dtype=bool)
    needed[len(links) - minimum_spanning_tree(matrix).data.astype(np.int64)] = True
    return needed


def _with_links(network: Network, links: Int64Array, others: Int64Array) -> Network:
    """The same nodes with other links; where few pairs are known, those to be predicted no longer are."""
    indptr, indices, cleaning = clean(links[:, 0], links[:, 1], network.node_count)
    return Network(network.nodes, indptr, indices, network.columns, cleaning, unknown=_unknown_now(network, others))


def _unknown_now(network: Network, others: Int64Array) -> Unknown | None:
    unknown = network.unknown
    if unknown is None or not unknown.lists_known:
        return unknown
    first, second = unknown.pairs.T
    kept = ~np.isin(first * network.node_count + second, others @ [network.node_count, 1])
    return Unknown.from_pairs(first[kept], second[kept], network.node_count, lists_known=True)


def pairs_without_link(network: Network, count: int, random: np.random.Generator) -> Int64Array:
    """`count` distinct pairs that are known not to be linked, drawn uniformly; fewer if there are no more."""
    nodes, unknown = network.node_count, network.unknown
    if unknown is not None and unknown.lists_known:
        return random.permutation(unknown.pairs)[:count]
    free = nodes * (nodes - 1) // 2 - network.link_count - (0 if unknown is None else len(unknown.indices) // 2)
    codes = np.empty(0, dtype=np.int64)
    while len(codes) < min(count, free):
        drawn = np.sort(random.integers(nodes, size=(2 * count + 16, 2)), axis=1)
        drawn = drawn[(drawn[:, 0] < drawn[:, 1]) & ~network.are_linked(*drawn.T) & network.are_known(*drawn.T)]
        codes = np.concatenate([codes, drawn @ [nodes, 1]])
        codes = codes[np.sort(np.unique(codes, return_index=True)[1])]
    return np.column_stack(np.divmod(codes[:count], nodes))


class LabelSplit(NamedTuple):
    """Labels without some of them, and those."""

    train: Labels
    hidden: Labels

    @property
    def nodes(self) -> Int64Array:
        """The nodes to predict labels of, as numbers."""
        return np.flatnonzero(self.hidden.counts)

    @property
    def truth(self) -> BoolArray:
        """Which labels are hidden of each of these nodes."""
        return np.asarray(self.hidden.matrix[self.nodes].toarray())


def hide_labels(labels: Labels, share: float = 0.5, seed: int = 0, by: LabelProtocol = "nodes") -> LabelSplit:
    """Hide a share of the labels; every label keeps at least one node.

    - by "nodes", as the paper's authors did: a share of the labelled nodes lose all their labels
    - by "links", as the paper says: a share of the (node, label) pairs are hidden, whomever they belong to

    Nodes or pairs are shuffled and hidden one by one, unless that leaves a label without a node, until the share is
    reached.

    >>> import pandas as pd
    >>> labels = Labels.from_pairs(pd.RangeIndex(4), [(0, "x"), (1, "x"), (2, "y"), (3, "y")])
    >>> split = hide_labels(labels)
    >>> split.train, split.truth.sum(axis=0).tolist()
    (Labels: 2 labels of 2 nodes, 2 different ones, [1, 1])
    """
    if not 0 < share < 1:
        raise InputError(f"A share of {share} of the labels was to be hidden; it must lie between 0 and 1.")
    if by not in ("nodes", "links"):
        raise InputError(f"Labels were to be hidden by {by!r}; it is 'nodes' or 'links'.")
    owner = labels.pairs[:, 0] if by == "nodes" else np.arange(len(labels.pairs))
    hidden = np.isin(owner, _spared(owner, labels, share, np.random.default_rng(seed)))
    if not hidden.any():
        raise InputError("No label can be hidden: each label has a single node. Labels that nodes share are needed.")
    return LabelSplit(labels.only(~hidden), labels.only(hidden))


def _spared(owner: Int64Array, labels: Labels, share: float, random: np.random.Generator) -> list[int]:
    """Owners, shuffled, that can lose their labels while each label keeps somebody: as many as the share says."""
    left = np.bincount(labels.pairs[:, 1], minlength=len(labels.names))
    owners, begins = np.unique(owner, return_index=True)
    ends = np.append(begins[1:], len(owner))
    spared: list[int] = []
    for place in random.permutation(len(owners)):
        mine = labels.pairs[begins[place] : ends[place], 1]
        if len(spared) < int(share * len(owners)) and (left[mine] > 1).all():
            left[mine] -= 1
            spared.append(int(owners[place]))
    return spared
