"""The top of the list: how many of the pairs that a method finds likeliest are hidden links.

The list is that of `Embedding.likely_links`: all pairs that have no training link. Among as many pairs without a link
as there are hidden links, which AUC compares, nearly every method has only hidden links at the top.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np

from netgiven.embedding import Embedding
from netgiven.metrics import TopList
from netgiven.network import Network
from netgiven.ranking import MAX_NODES_COMPARED
from netgiven.splits import LinkSplit
from netgiven.types import BoolArray, Float64Array, Int64Array

Rows = Callable[[Int64Array], Float64Array]  # from node numbers to their scores with all nodes, one row per number

LENGTHS = {"precision at 100": 100, "precision at 1,000": 1000}
PAIRS_AT_ONCE = 1 << 20


def top_of_rows(rows: Rows, split: LinkSplit, count: int) -> TopList | None:
    """The first `count` of all pairs without a training link, found by scoring all pairs.

    Parameters
    ----------
    rows
        New arrays of the scores of some nodes with all nodes, the same in both directions.
    split
        The training network and the hidden links.
    count
        Number of pairs; pairs that have the same score as the last are in the list, too.

    Returns
    -------
    TopList or None
        None for a network with more than 20,000 nodes: it has too many pairs.
    """
    nodes = split.train.node_count
    if nodes > MAX_NODES_COMPARED:
        return None
    hidden = np.sort(_codes(split.train, split.hidden))
    top, step = TopList.of(np.empty(0, bool), np.empty(0)), max(1, PAIRS_AT_ONCE // nodes)
    for begin in range(0, nodes, step):
        some = np.arange(begin, min(begin + step, nodes))
        scores = rows(some)[:, begin:]
        _exclude(scores, some, split.train)
        first, second = np.nonzero(scores >= max(top.floor(count), np.finfo(np.float64).min))
        truth = _found((begin + first) * nodes + begin + second, hidden)
        top = top.joined(TopList.of(truth, scores[first, second]), count)
    return top


def _exclude(scores: Float64Array, nodes: Int64Array, train: Network) -> None:
    """Minus infinity for pairs of a node and an earlier one or itself, training links, and unobserved pairs.

    Columns of scores begin with the first of the nodes, which follow each other.
    """
    scores[np.tril_indices(len(nodes), m=scores.shape[1])] = -np.inf
    never = [train.to_scipy()] + ([] if train.unobserved is None else [train.unobserved.matrix])
    for matrix in never:
        row, column = matrix[nodes].nonzero()
        later = column >= nodes[0]
        scores[row[later], column[later] - nodes[0]] = -np.inf


def _codes(network: Network, pairs: Int64Array) -> Int64Array:
    """One number for each pair."""
    return np.asarray(np.sort(pairs, axis=1) @ [network.node_count, 1])


def _found(codes: Int64Array, among: Int64Array) -> BoolArray:
    """Which numbers are among sorted ones; `isin` would sort them again for each block."""
    return np.asarray(np.append(among, -1)[np.searchsorted(among, codes)] == codes)


def top_of_embedding(embedding: Embedding, split: LinkSplit, count: int) -> TopList:
    """The first `count` pairs of `Embedding.likely_links`, without unobserved ones.

    Parameters
    ----------
    embedding
        An embedding of the training network.
    split
        The training network and the hidden links.
    count
        Number of pairs.

    Returns
    -------
    TopList
    """
    pairs, asked = _likely(embedding, count), count
    while len(pairs) == asked and split.train.are_observed(*pairs.T).sum() < count:
        asked *= 4
        pairs = _likely(embedding, asked)
    pairs = pairs[split.train.are_observed(*pairs.T)][:count]
    truth = np.isin(_codes(split.train, pairs), _codes(split.train, split.hidden))
    return TopList.of(truth, embedding.log_odds_of(*pairs.T))


def _likely(embedding: Embedding, count: int) -> Int64Array:
    table = embedding.likely_links(count=count)
    return np.column_stack([embedding.network.numbers(table[end]) for end in ("u", "v")]).astype(np.int64)


class Scorer(NamedTuple):
    """What a method has learned from a training network.

    Attributes
    ----------
    score
        Scores of pairs of node numbers, higher for pairs that are more likely to be linked.
    top
        The first pairs of all that are not training links, of a split and up to a number; None if there are too many.
    """

    score: Callable[[Int64Array], Float64Array]
    top: Callable[[LinkSplit, int], TopList | None]


def embedding_scorer(embedding: Embedding) -> Scorer:
    """Log-odds of pairs, and the top of `Embedding.likely_links`."""
    return Scorer(lambda pairs: embedding.log_odds_of(*pairs.T), partial(top_of_embedding, embedding))


def top_precisions(scorer: Scorer, split: LinkSplit) -> dict[str, float]:
    """Share of hidden links among the first 100 and 1,000 of all pairs without a training link.

    Where only some pairs are observed, those that the training network does not have are the pairs of the split.
    """
    unobserved = split.train.unobserved
    if unobserved is not None and unobserved.lists_observed:
        top: TopList | None = TopList.of(split.truth, scorer.score(split.pairs))
    else:
        top = scorer.top(split, max(LENGTHS.values()))
    return {} if top is None else {name: top.precision(count) for name, count in LENGTHS.items()}
