"""Answers to "are these two linked?": the network with them, and the map fitted again from where its nodes are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal, NamedTuple

import numpy as np
import pandas as pd
from scipy import sparse

from netgiven.edges import counted
from netgiven.embedding import Embedding
from netgiven.errors import InputError
from netgiven.explorer.figures import aligned
from netgiven.network import Network
from netgiven.observed_pairs import UnobservedPairs
from netgiven.types import Float32Array, Int64Array

Reply = Literal["yes", "no", "skip"]
REPLIES: tuple[Reply, ...] = ("yes", "no", "skip")
MOVED_MOST = 3  # nodes that are named


class Answer(NamedTuple):
    """Two nodes by their numbers, the smaller first, and whether they are linked, if that is known."""

    first: int
    second: int
    reply: Reply


class AnsweredMap(NamedTuple):
    """A map fitted again with answers, and what has changed, in words."""

    embedding: Embedding
    text: str


def answered_network(network: Network, answers: Sequence[Answer]) -> Network:
    """The network with these answers: a link for each yes, an observed pair without a link for each no.

    >>> network = Network.from_edges([("a", "b"), ("b", "c")], nodes={"name": ["a", "b", "c", "d"]})
    >>> network = network.with_unobserved([("a", "c"), ("a", "d"), ("b", "d")])
    >>> found = answered_network(network, [Answer(0, 2, "yes"), Answer(0, 3, "no"), Answer(1, 3, "skip")])
    >>> found.link_count, found.unobserved_count
    (3, 1)
    """
    linked, not_linked = _pairs(answers, "yes"), _pairs(answers, "no")
    entries = np.ones(2 * len(linked), dtype=np.int8)
    places = np.concatenate([linked[:, 0], linked[:, 1]]), np.concatenate([linked[:, 1], linked[:, 0]])
    matrix = network.to_scipy().astype(np.int8) + sparse.coo_array((entries, places), shape=network.shape).tocsr()
    matrix.sort_indices()
    rows = matrix.indptr.astype(network.indptr.dtype), matrix.indices.astype(network.indices.dtype)
    unobserved = _without(network.unobserved, linked, not_linked, network.node_count)
    return replace(network, indptr=rows[0], indices=rows[1], unobserved=unobserved)


def _pairs(answers: Sequence[Answer], reply: Reply) -> Int64Array:
    found = [(answer.first, answer.second) for answer in answers if answer.reply == reply]
    return np.array(found, dtype=np.int64).reshape(-1, 2)


def _without(
    unobserved: UnobservedPairs | None, linked: Int64Array, not_linked: Int64Array, nodes: int
) -> UnobservedPairs | None:
    """The unobserved pairs without those that were answered."""
    if unobserved is None:
        return None
    listed = unobserved.pairs
    if unobserved.lists_observed:
        kept = np.concatenate([listed, not_linked])
    else:
        answered = np.concatenate([linked, not_linked])
        kept = listed[~np.isin(listed @ [nodes, 1], answered @ [nodes, 1])]
    return UnobservedPairs.from_pairs(kept[:, 0], kept[:, 1], nodes, unobserved.lists_observed)


def refit_with_answers(embedding: Embedding, network: Network, answers: Sequence[Answer]) -> AnsweredMap:
    """Fit a map again with answers, from where its nodes are."""
    if not any(answer.reply != "skip" for answer in answers):
        raise InputError("No pair was answered with yes or no yet; answer some first.")
    found = embedding.update(answered_network(network, answers), progress=False)
    return AnsweredMap(found, _change_text(embedding, found, answers))


def _change_text(before: Embedding, after: Embedding, answers: Sequence[Answer]) -> str:
    yes, no = len(_pairs(answers, "yes")), len(_pairs(answers, "no"))
    moved = distances_moved(before.positions, after.positions)
    most = np.argsort(-moved, kind="stable")[:MOVED_MOST]
    names = ", ".join(str(name) for name in after.nodes[most])
    return f"{counted(yes, 'link')} and {counted(no, 'pair')} without a link were added. Moved most: {names}."


def distances_moved(before: Float32Array, after: Float32Array) -> Float32Array:
    """How far nodes have moved, after the maps were rotated to match."""
    return np.asarray(np.linalg.norm(aligned(after, before) - before, axis=1), dtype=np.float32)


def answer_table(network: Network, answers: Sequence[Answer]) -> pd.DataFrame:
    """All answers, as they are exported: two names and the answer.

    >>> answer_table(Network.from_edges([("a", "b")]), [Answer(0, 1, "no")]).to_dict("list")
    {'u': ['a'], 'v': ['b'], 'linked': ['no']}
    """
    first, second = (np.array([answer[end] for answer in answers], dtype=np.int64) for end in (0, 1))
    return pd.DataFrame(
        {
            "u": network.nodes[first],
            "v": network.nodes[second],
            "linked": [answer.reply for answer in answers],
        }
    )
