"""Splits for evaluation: hide links or labels, to predict them."""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np
from scipy import sparse

from netgiven.edges import clean_edges
from netgiven.errors import InputError
from netgiven.labels import Labels
from netgiven.network import Network
from netgiven.observed_pairs import UnobservedPairs
from netgiven.types import BoolArray, Int64Array

LabelProtocol = Literal["nodes", "links"]


class LinkSplit(NamedTuple):
    """A training network, the links that are hidden from it, and as many pairs without a link, as node numbers."""

    train: Network
    hidden: Int64Array
    others: Int64Array

    @property
    def pairs(self) -> Int64Array:
        """The pairs to predict: hidden links, then pairs without a link, one row per pair."""
        return np.concatenate([self.hidden, self.others])

    @property
    def truth(self) -> BoolArray:
        """Which of the pairs are links."""
        return np.arange(len(self.hidden) + len(self.others)) < len(self.hidden)


def hide_links(network: Network, share: float = 0.5, seed: int = 0) -> LinkSplit:
    """Hide a share of the links without raising the number of components, as in the paper.

    The links are shuffled and hidden one by one, unless that would divide a component, until the share is reached or
    only a spanning forest is left. Pairs without a link are drawn uniformly, distinct and observed.

    Parameters
    ----------
    network
        The network.
    share
        Share of the links to hide, between 0 and 1.
    seed
        Seed of the shuffle and of the pairs without a link.

    Returns
    -------
    LinkSplit

    Raises
    ------
    InputError
        If the share is not between 0 and 1.

    Examples
    --------
    >>> ring = Network.from_edges([(i, (i + 1) % 6) for i in range(6)])
    >>> split = hide_links(ring)
    >>> split.train.link_count, len(split.hidden), len(split.others)
    (5, 1, 1)
    """
    if not 0 < share < 1:
        raise InputError(f"A share of {share} of the links was given; it must lie between 0 and 1.")
    random = np.random.default_rng(seed)
    links = random.permutation(network.links()).astype(np.int64)
    hidden = np.flatnonzero(~_needed(links, network.node_count))[: int(share * len(links))]
    others = pairs_without_link(network, len(hidden), random)
    train = _with_links(network, np.delete(links, hidden, axis=0), others)
    return LinkSplit(train, links[hidden], others)


def _needed(links: Int64Array, nodes: int) -> BoolArray:
    """Which links cannot be hidden: those whose ends the later links do not connect.

    They are the spanning forest that is built from the last link to the first, hence the minimum spanning forest for
    weights that fall with the position of the link.
    """
    weights = np.arange(len(links), 0, -1)
    from scipy.sparse.csgraph import minimum_spanning_tree

    matrix = sparse.csr_array((weights, (links[:, 0], links[:, 1])), shape=(nodes, nodes))
    needed = np.zeros(len(links), dtype=bool)
    needed[len(links) - minimum_spanning_tree(matrix).data.astype(np.int64)] = True
    return needed


def _with_links(network: Network, links: Int64Array, others: Int64Array) -> Network:
    """The same nodes with other links; if observed pairs are listed, those to be predicted are no longer observed."""
    indptr, indices, cleaning = clean_edges(links[:, 0], links[:, 1], network.node_count)
    return Network(
        network.nodes, indptr, indices, network.columns, cleaning, unobserved=_unobserved_in_training(network, others)
    )


def _unobserved_in_training(network: Network, others: Int64Array) -> UnobservedPairs | None:
    unobserved = network.unobserved
    if unobserved is None or not unobserved.lists_observed:
        return unobserved
    first, second = unobserved.pairs.T
    kept = ~np.isin(first * network.node_count + second, others @ [network.node_count, 1])
    return UnobservedPairs.from_pairs(first[kept], second[kept], network.node_count, lists_observed=True)


def pairs_without_link(network: Network, count: int, random: np.random.Generator) -> Int64Array:
    """`count` distinct pairs that are observed and not linked, drawn uniformly; fewer if there are no more."""
    nodes, unobserved = network.node_count, network.unobserved
    if unobserved is not None and unobserved.lists_observed:
        return random.permutation(unobserved.pairs)[:count]
    free = nodes * (nodes - 1) // 2 - network.link_count - (0 if unobserved is None else len(unobserved.indices) // 2)
    codes = np.empty(0, dtype=np.int64)
    while len(codes) < min(count, free):
        drawn = np.sort(random.integers(nodes, size=(2 * count + 16, 2)), axis=1)
        drawn = drawn[(drawn[:, 0] < drawn[:, 1]) & ~network.are_linked(*drawn.T) & network.are_observed(*drawn.T)]
        codes = np.concatenate([codes, drawn @ [nodes, 1]])
        codes = codes[np.sort(np.unique(codes, return_index=True)[1])]
    return np.column_stack(np.divmod(codes[:count], nodes))


class LabelSplit(NamedTuple):
    """Labels for training, and the labels that are hidden from it."""

    train: Labels
    hidden: Labels

    @property
    def nodes(self) -> Int64Array:
        """Numbers of the nodes with hidden labels."""
        return np.flatnonzero(self.hidden.counts)

    @property
    def truth(self) -> BoolArray:
        """The hidden labels of these nodes: one row per node, one column per label."""
        return np.asarray(self.hidden.matrix[self.nodes].toarray())


def hide_labels(labels: Labels, share: float = 0.5, seed: int = 0, by: LabelProtocol = "nodes") -> LabelSplit:
    """Hide a share of the labels; every label keeps at least one node.

    Nodes or pairs are shuffled and hidden one by one, unless that leaves a label without a node, until the share is
    reached.

    Parameters
    ----------
    labels
        The labels.
    share
        Share of the nodes or pairs to hide, between 0 and 1.
    seed
        Seed of the shuffle.
    by : {"nodes", "links"}
        "nodes" hides all labels of a share of the labelled nodes, as the authors of the paper did; "links" hides a
        share of the pairs of a node and a label, as the text of the paper says.

    Returns
    -------
    LabelSplit

    Raises
    ------
    InputError
        If the share is not between 0 and 1, `by` is not one of the two, or no label can be hidden.

    Examples
    --------
    >>> import pandas as pd
    >>> labels = Labels.from_pairs(pd.RangeIndex(4), [(0, "x"), (1, "x"), (2, "y"), (3, "y")])
    >>> split = hide_labels(labels)
    >>> split.train, split.truth.sum(axis=0).tolist()
    (Labels: 2 labels of 2 nodes, 2 different ones, [1, 1])
    """
    if not 0 < share < 1:
        raise InputError(f"A share of {share} of the labels was given; it must lie between 0 and 1.")
    if by not in ("nodes", "links"):
        raise InputError(f"by={by!r} was given; labels are hidden by 'nodes' or by 'links'.")
    owner = labels.pairs[:, 0] if by == "nodes" else np.arange(len(labels.pairs))
    hidden = np.isin(owner, _removable(owner, labels, share, np.random.default_rng(seed)))
    if not hidden.any():
        raise InputError(
            "No label can be hidden, because each label has a single node; labels that nodes share are needed."
        )
    return LabelSplit(labels.only(~hidden), labels.only(hidden))


def _removable(owner: Int64Array, labels: Labels, share: float, random: np.random.Generator) -> list[int]:
    """A share of the owners, in random order, that can lose their labels while each label keeps an owner."""
    left = np.bincount(labels.pairs[:, 1], minlength=len(labels.names))
    owners, begins = np.unique(owner, return_index=True)
    ends = np.append(begins[1:], len(owner))
    removable: list[int] = []
    for place in random.permutation(len(owners)):
        mine = labels.pairs[begins[place] : ends[place], 1]
        if len(removable) < int(share * len(owners)) and (left[mine] > 1).all():
            left[mine] -= 1
            removable.append(int(owners[place]))
    return removable
