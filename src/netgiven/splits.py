"""Splits for evaluation: hide links or labels, to predict them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import sparse

from netgiven.edges import clean_edges
from netgiven.errors import InputError
from netgiven.labels import Labels
from netgiven.network import Network
from netgiven.observed_pairs import UnobservedPairs
from netgiven.types import BoolArray, Float64Array, Int64Array, IntegerArray

LabelProtocol = Literal["nodes", "links"]


class LinkSplit(NamedTuple):
    """A training network, the links that are hidden from it, and as many pairs without a link, as node numbers.

    `non_links` says how the latter were drawn; as in `hide_links`.
    """

    train: Network
    hidden: Int64Array
    others: Int64Array
    non_links: str = "uniform"

    @property
    def pairs(self) -> Int64Array:
        """The pairs to predict: hidden links, then pairs without a link, one row per pair."""
        return np.concatenate([self.hidden, self.others])

    @property
    def truth(self) -> BoolArray:
        """Which of the pairs are links."""
        return np.arange(len(self.hidden) + len(self.others)) < len(self.hidden)


def hide_links(
    network: Network,
    share: float = 0.5,
    seed: int = 0,
    *,
    split: str = "paper",
    non_links: str = "uniform",
) -> LinkSplit:
    """Hide a share of the links, and draw as many pairs without a link, distinct and observed.

    Parameters
    ----------
    network
        The network.
    share
        Share of the links to hide, between 0 and 1.
    seed
        Seed of the shuffle and of the pairs without a link.
    split : {"paper", "random"}
        "paper" never raises the number of components: links are shuffled and hidden one by one, unless that would
        divide a component, until the share is reached or only a spanning forest is left. "random" hides links uniformly
        at random; nodes that lose all of their links stay nodes, and their hidden links are to be predicted.
    non_links
        How pairs without a link are drawn: "uniform", all alike; "degrees", both ends in proportion to their degrees in
        the whole network, so that degrees alone predict little; "types:COLUMN", uniformly among pairs of groups of a
        node column that have links between them, such as the two sides of a two-mode network ("types" where there is
        only one column).

    Returns
    -------
    LinkSplit

    Raises
    ------
    InputError
        If the share is not between 0 and 1, or one of the words is not one of these.

    Examples
    --------
    >>> ring = Network.from_edges([(i, (i + 1) % 6) for i in range(6)])
    >>> split = hide_links(ring)
    >>> split.train.link_count, len(split.hidden), len(split.others)
    (5, 1, 1)
    >>> hide_links(ring, split="random", non_links="degrees").train.link_count
    3
    """
    if not 0 < share < 1:
        raise InputError(f"A share of {share} of the links was given; it must lie between 0 and 1.")
    if split not in LINK_SPLITS:
        raise InputError(f"split={split!r} was given; links are hidden by one of: {', '.join(LINK_SPLITS)}.")
    sampler = non_link_sampler(network, non_links)
    random = np.random.default_rng(seed)
    links = random.permutation(network.links()).astype(np.int64)
    hidden = LINK_SPLITS[split](links, network.node_count)[: int(share * len(links))]
    others = pairs_without_link(network, len(hidden), random, sampler)
    train = _with_links(network, np.delete(links, hidden, axis=0), others)
    return LinkSplit(train, links[hidden], others, non_links)


def _not_needed(links: Int64Array, nodes: int) -> Int64Array:
    """Places of links that can be hidden in turn: all but those whose ends the later links do not connect.

    The others are the spanning forest that is built from the last link to the first, hence the minimum spanning forest
    for weights that fall with the position of the link.
    """
    from scipy.sparse.csgraph import minimum_spanning_tree

    weights, ends = np.arange(len(links), 0, -1), links.astype(np.int32)  # wider ones need SciPy 1.17
    matrix = sparse.csr_array((weights, (ends[:, 0], ends[:, 1])), shape=(nodes, nodes))
    needed = np.zeros(len(links), dtype=bool)
    needed[len(links) - minimum_spanning_tree(matrix).data.astype(np.int64)] = True
    return np.flatnonzero(~needed)


LINK_SPLITS: dict[str, Callable[[Int64Array, int], Int64Array]] = {  # places of links that can be hidden, of shuffled
    "paper": _not_needed,
    "random": lambda links, nodes: np.arange(len(links)),
}


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


# ---- pairs without a link --------------------------------------------------------------------------------------------


class NonLinkSampler(NamedTuple):
    """A distribution of pairs of nodes, of which pairs without a link are drawn.

    Attributes
    ----------
    draw
        Draws ordered pairs of node numbers; the two may be equal.
    weights
        Relative probabilities of pairs; 0 for pairs that are never drawn. Each link has a positive one.
    possible
        Number of pairs with a positive weight.
    """

    draw: Callable[[np.random.Generator, int], Int64Array]
    weights: Callable[[Int64Array, Int64Array], Float64Array]
    possible: int


def _uniform(network: Network) -> NonLinkSampler:
    nodes = network.node_count
    return NonLinkSampler(
        lambda random, count: random.integers(nodes, size=(count, 2)),
        lambda first, second: np.ones(len(first)),
        nodes * (nodes - 1) // 2,
    )


def _by_degrees(network: Network) -> NonLinkSampler:
    """Both ends in proportion to their degrees: the end of a random link is such a node."""
    degrees, ends = network.degrees, network.indices
    linked = int(np.count_nonzero(degrees))
    return NonLinkSampler(
        lambda random, count: ends[random.integers(len(ends), size=(count, 2))].astype(np.int64),
        lambda first, second: (degrees[first] * degrees[second]).astype(np.float64),
        linked * (linked - 1) // 2,
    )


def _by_types(network: Network, column: str = "") -> NonLinkSampler:
    """Uniform among pairs of groups that have links; nodes without a value are one more group."""
    codes, values = network.groups(column or _only_column(network))
    count = len(values) + 1
    group = np.where(codes < 0, len(values), codes).astype(np.int64)
    size = np.bincount(group, minlength=count)
    ends = group[np.concatenate([network.links(), network.links()[:, ::-1]])]
    cells = np.unique(ends @ [count, 1])  # ordered pairs of groups
    sides = np.column_stack(np.divmod(cells, count))
    pairs = size[sides].prod(axis=1)  # ordered pairs of nodes in each cell, those of a node and itself included
    members, begins = np.argsort(group, kind="stable"), np.cumsum(size) - size

    def draw(random: np.random.Generator, count: int) -> Int64Array:
        cell = np.searchsorted(np.cumsum(pairs), random.integers(pairs.sum(), size=count), side="right")
        return np.asarray(members[begins[sides[cell]] + random.integers(size[sides[cell]])])

    within = size[sides[sides[:, 0] == sides[:, 1], 0]].sum()
    return NonLinkSampler(
        draw,
        lambda first, second: np.isin(group[first] * count + group[second], cells).astype(np.float64),
        int(pairs.sum() - within) // 2,
    )


def _only_column(network: Network) -> str:
    if len(network.columns.columns) == 1:
        return str(network.columns.columns[0])
    there = ", ".join(f"types:{name}" for name in network.columns) or "none, so give a table of nodes"
    raise InputError(f"Pairs without a link by types were asked for; say by which node column. There are: {there}.")


NON_LINKS: dict[str, Callable[..., NonLinkSampler]] = {  # what follows a colon is an argument
    "uniform": _uniform,
    "degrees": _by_degrees,
    "types": _by_types,
}


def non_link_sampler(network: Network, text: str) -> NonLinkSampler:
    """The sampler of pairs without a link that a text names, as in `hide_links`."""
    name, _, column = text.partition(":")
    if name not in NON_LINKS or (column and name != "types"):
        raise InputError(
            f"{text!r} was given for pairs without a link; they are drawn by one of: uniform, degrees, types:COLUMN "
            "(a node column of groups)."
        )
    return NON_LINKS[name](network, *([column] if column else []))


def pairs_without_link(
    network: Network, count: int, random: np.random.Generator, sampler: NonLinkSampler | None = None
) -> Int64Array:
    """`count` distinct pairs that are observed and not linked, one after the other; fewer if there are no more.

    They are drawn from the distribution of a sampler, by default uniformly.
    """
    nodes, unobserved = network.node_count, network.unobserved
    sampler = sampler or _uniform(network)
    if unobserved is not None and unobserved.lists_observed:
        return _ordered_by_weight(unobserved.pairs, sampler, random)[:count]
    free = sampler.possible - network.link_count
    if unobserved is not None:
        free -= int(np.count_nonzero(sampler.weights(*unobserved.pairs.T)))
    codes = np.empty(0, dtype=np.int64)
    while len(codes) < min(count, free):
        drawn = np.sort(sampler.draw(random, 2 * count + 16), axis=1)
        drawn = drawn[(drawn[:, 0] < drawn[:, 1]) & ~network.are_linked(*drawn.T) & network.are_observed(*drawn.T)]
        codes = np.concatenate([codes, drawn @ [nodes, 1]])
        codes = codes[np.sort(np.unique(codes, return_index=True)[1])]
    return np.column_stack(np.divmod(codes[:count], nodes))


def _ordered_by_weight(pairs: Int64Array, sampler: NonLinkSampler, random: np.random.Generator) -> Int64Array:
    """Pairs in a random order in which each next one is drawn in proportion to its weight; none of weight 0.

    Such an order is that of exponential waiting times whose rates are the weights.
    """
    shuffled = random.permutation(pairs)
    weights = sampler.weights(*shuffled.T)
    if np.all(weights == 1):
        return shuffled
    shuffled, weights = shuffled[weights > 0], weights[weights > 0]
    return shuffled[np.argsort(random.exponential(size=len(weights)) / weights, kind="stable")]


# ---- ranking: which of some alike nodes is the other end of a hidden link? -------------------------------------------

NOBODY = -1  # fills up questions with fewer candidates


class NodesAlike:
    """Nodes in the order of groups and of values, to draw some that are like a given one.

    Parameters
    ----------
    groups : array of int
        A group for each node: nodes of different groups are never alike.
    values : array of float or int
        A value for each node, such as its degree.
    seed : int
        Of the order among nodes with equal values, and of what is drawn.
    """

    def __init__(self, groups: IntegerArray, values: npt.NDArray[Any], seed: int = 0) -> None:
        self._random = np.random.default_rng(seed)
        self._order = np.lexsort((self._random.random(len(groups)), values, groups))
        self._place = np.empty_like(self._order)
        self._place[self._order] = np.arange(len(groups))
        other_group = np.diff(np.asarray(groups)[self._order]) != 0
        self._group_ends = np.append(np.flatnonzero(other_group) + 1, len(groups))
        self._value_ends = np.append(
            np.flatnonzero(other_group | (np.diff(np.asarray(values)[self._order]) != 0)) + 1, len(groups)
        )

    def draw(self, node: int, count: int) -> Int64Array:
        """At most `count` distinct nodes of the same group and value; if these are few, those with nearest values."""
        place = int(self._place[node])
        low, high = _between_ends(self._value_ends, place)
        if high - low < count:
            first, last = _between_ends(self._group_ends, place)
            low, high = max(first, place - count // 2), min(last, place + count // 2 + 1)
        return np.asarray(self._order[low + self._random.choice(high - low, min(count, high - low), replace=False)])


def _between_ends(ends: Int64Array, place: int) -> tuple[int, int]:
    number = int(np.searchsorted(ends, place, side="right"))
    return (int(ends[number - 1]) if number else 0), int(ends[number])


def ranking_questions(
    network: Network, hidden: Int64Array, alike: NodesAlike, count: int, candidates: int, seed: int = 0
) -> Int64Array:
    """Questions to which hidden links are the answers: which of these nodes is linked to the first?

    Parameters
    ----------
    network
        The whole network, with the hidden links.
    hidden
        Hidden links, one pair of node numbers per row.
    alike
        Nodes that a question can be about instead of the other end of a hidden link.
    count
        Number of questions, at most one for each hidden link.
    candidates
        Number of nodes without a link to choose from.
    seed
        Of the choice of links and of the end that is asked about.

    Returns
    -------
    array of int, shape (count, 2 + candidates)
        A node, the other end of its hidden link, and candidates, which have no link to the node; -1 where there are
        not enough of them.

    Examples
    --------
    >>> star = Network.from_edges([(0, 1), (0, 2), (0, 3), (4, 5)])
    >>> alike = NodesAlike(np.zeros(6, np.int64), star.degrees)
    >>> question = ranking_questions(star, np.array([[4, 5]]), alike, count=1, candidates=2)[0]
    >>> sorted(question[:2].tolist()), set(question[2:].tolist()) < {1, 2, 3}
    ([4, 5], True)
    """
    random = np.random.default_rng(seed)
    asked = random.permutation(hidden)[:count]
    asked = np.where(random.random(len(asked))[:, None] < 0.5, asked, asked[:, ::-1])
    drawn = np.full((len(asked), 2 * candidates), NOBODY)  # some of them may be linked to the node
    for row, partner in zip(drawn, asked[:, 1].tolist(), strict=True):
        found = alike.draw(partner, len(row))
        row[: len(found)] = found
    nodes, partners = asked[:, :1], asked[:, 1:]
    never = (drawn == NOBODY) | (drawn == nodes) | (drawn == partners)
    never |= network.are_linked(*np.broadcast_arrays(nodes, np.maximum(drawn, 0)))
    drawn[never] = NOBODY
    kept = np.argsort(never, axis=1, kind="stable")[:, :candidates]
    return np.hstack([asked, np.take_along_axis(drawn, kept, axis=1)])


def pairs_of_questions(questions: Int64Array) -> Int64Array:
    """All pairs that questions are about, one after the other; the node with itself where there is no candidate.

    >>> pairs_of_questions(np.array([[4, 5, 1, -1]])).tolist()
    [[5, 4], [1, 4], [4, 4]]
    """
    nodes = np.repeat(questions[:, :1], questions.shape[1] - 1, axis=1)
    others = np.where(questions[:, 1:] == NOBODY, nodes, questions[:, 1:])
    return np.stack([others, nodes], axis=2).reshape(-1, 2)


def ranks_of_answers(questions: Int64Array, scores: npt.NDArray[np.floating]) -> Float64Array:
    """The rank of the hidden link in each question, from the scores of `pairs_of_questions`; ties share a rank.

    >>> ranks_of_answers(np.array([[4, 5, 1, -1]]), np.array([0.5, 0.7, 0.9])).tolist()
    [2.0]
    """
    table = np.where(questions[:, 1:] == NOBODY, -np.inf, scores.reshape(len(questions), -1))
    answer, others = table[:, :1], table[:, 1:]
    return np.asarray(1 + (others > answer).sum(axis=1) + (others == answer).sum(axis=1) / 2)


# ---- labels ----------------------------------------------------------------------------------------------------------


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
