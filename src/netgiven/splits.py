"""Hiding links, to see whether they are found again."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.sparse.csgraph import minimum_spanning_tree

from netgiven.cleaning import clean
from netgiven.errors import InputError
from netgiven.network import Network

Integers = npt.NDArray[np.int64]


class LinkSplit(NamedTuple):
    """A network without some of its links, those links, and as many pairs that were never linked (as node numbers)."""

    train: Network
    hidden: Integers
    others: Integers

    @property
    def pairs(self) -> Integers:
        """The pairs to predict: hidden links, then pairs without a link."""
        return np.concatenate([self.hidden, self.others])

    @property
    def truth(self) -> npt.NDArray[np.bool_]:
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
    train = _with_links(network, np.delete(links, hidden, axis=0))
    return LinkSplit(train, links[hidden], pairs_without_link(network, len(hidden), random))


def _needed(links: Integers, nodes: int) -> npt.NDArray[np.bool_]:
    """Which links cannot be hidden: each just if the links after it do not join its ends already.

    That is the spanning forest built from the last link to the first: of minimal weight, if late links weigh little.
    """
    weights = np.arange(len(links), 0, -1)
    matrix = sparse.csr_array((weights, (links[:, 0], links[:, 1])), shape=(nodes, nodes))
    needed = np.zeros(len(links), dtype=bool)
    needed[len(links) - minimum_spanning_tree(matrix).data.astype(np.int64)] = True
    return needed


def _with_links(network: Network, links: Integers) -> Network:
    """The same nodes with other links."""
    indptr, indices, cleaning = clean(links[:, 0], links[:, 1], network.node_count)
    return Network(network.nodes, indptr, indices, network.columns, cleaning)


def pairs_without_link(network: Network, count: int, random: np.random.Generator) -> Integers:
    """`count` distinct pairs that are not linked, drawn uniformly; fewer if there are no more."""
    nodes = network.node_count
    linked = network.links().astype(np.int64) @ [nodes, 1]
    free = nodes * (nodes - 1) // 2 - len(linked)
    codes = np.empty(0, dtype=np.int64)
    while len(codes) < min(count, free):
        drawn = np.sort(random.integers(nodes, size=(2 * count + 16, 2)), axis=1)
        fresh = drawn[drawn[:, 0] < drawn[:, 1]] @ [nodes, 1]
        fresh = fresh[~np.isin(fresh, linked)]
        codes = np.concatenate([codes, fresh])
        codes = codes[np.sort(np.unique(codes, return_index=True)[1])]
    return np.column_stack(np.divmod(codes[:count], nodes))
