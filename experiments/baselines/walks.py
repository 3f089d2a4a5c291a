"""Random walks over links: second-order walks (node2vec; DeepWalk with p = q = 1), and walks along a meta-path.

A walk draws its random numbers from (seed, round, first node), so walks are the same on any number of threads.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from netgiven.kernels.arrays import LinkRows, RandomKey
from netgiven.kernels.csr import row_contains
from netgiven.kernels.jit import inlined, kernel
from netgiven.kernels.random import stream, uniform
from netgiven.network import Network
from netgiven.parallel import threads
from netgiven.types import Int32Array, Int64Array

WALKS_PER_THREAD = 256  # at least so many, or starting a thread does not pay
ENDED = -1  # in place of a node, after the end of a walk
ANY_TYPE = -1  # a position of a meta-path that admits every type


class Bias(NamedTuple):
    """Weights of the next node: 1/p for the node before, 1/q for nodes that are not linked to it, 1 for others."""

    p: float = 1.0
    q: float = 1.0


UNBIASED = Bias()


class MetaPath(NamedTuple):
    """A meta-path as positions: position k admits nodes of type `type_at[k]` and is followed by `following[k]`.

    A walk from a node of type t begins at position `entry[t]` (-1: no walk); `types` holds the type of each node.
    """

    type_at: Int32Array
    following: Int32Array
    entry: Int32Array
    types: Int32Array


def second_order_walks(
    network: Network, rounds: int, length: int, bias: Bias = UNBIASED, seed: int = 0, thread_count: int | None = None
) -> Int32Array:
    """`rounds` walks from each node with links, one per row; each round is in another random order of first nodes.

    >>> star = Network.from_edges([("hub", "ann"), ("hub", "bob")])
    >>> walks = second_order_walks(star, rounds=2, length=5)
    >>> walks.shape, len(set(walks[:, 0].tolist()))
    ((6, 5), 3)
    """
    parts = [_round(_second_order, network, length, seed, number, thread_count, bias) for number in range(rounds)]
    return np.concatenate(parts) if parts else np.empty((0, length), dtype=np.int32)


def meta_path_walks(
    network: Network, number: int, length: int, path: MetaPath, seed: int = 0, thread_count: int | None = None
) -> Int32Array:
    """Round `number` of walks along a meta-path, one from each node with links; -1 after the end of a walk.

    A node whose type is not on the meta-path has an empty walk.
    """
    return _round(_along_meta_path, network, length, seed, number, thread_count, path)


def _round(
    walk: Any, network: Network, length: int, seed: int, number: int, thread_count: int | None, bias_or_path: Any
) -> Int32Array:
    first = np.flatnonzero(network.degrees).astype(np.int32)
    first = np.random.default_rng([seed, number]).permutation(first)
    walks = np.full((len(first), length), ENDED, dtype=np.int32)
    links = LinkRows(network.indptr, network.indices)
    with threads(thread_count) as engine:
        key = RandomKey(seed, number)
        engine.run(walk, len(first), first, key, links, bias_or_path, walks, grain=WALKS_PER_THREAD)
    return walks


@kernel
def _second_order(
    start: int, stop: int, first: Int32Array, key: RandomKey, links: LinkRows, bias: Bias, walks: Int32Array
) -> None:
    """Rejection sampling: draw a neighbour uniformly, accept it with probability weight / largest weight.

    An only neighbour is accepted at once.
    """
    largest = max(1.0, 1.0 / bias.p, 1.0 / bias.q)
    plain = bias.p == 1.0 and bias.q == 1.0
    for row in range(start, stop):
        begin, used = stream(key.seed, key.step, first[row]), 0
        node = before = first[row]
        walks[row, 0] = node
        for place in range(1, walks.shape[1]):
            low, degree = links.indptr[node], links.indptr[node + 1] - links.indptr[node]
            chosen = links.indices[low + int(uniform(begin, used) * degree)]
            used += 1
            while (
                place > 1
                and degree > 1
                and not plain
                and uniform(begin, used) * largest >= _weight(links, bias, before, chosen)
            ):
                chosen = links.indices[low + int(uniform(begin, used + 1) * degree)]
                used += 2
            used += 1
            before, node = node, chosen
            walks[row, place] = node


@inlined
def _weight(links: LinkRows, bias: Bias, before: Any, node: Any) -> Any:
    """Weight of a step to `node` in a walk that came from `before`."""
    if node == before:
        weight = 1.0 / bias.p
    elif row_contains(links, before, node):
        weight = 1.0
    else:
        weight = 1.0 / bias.q
    return weight


@kernel
def _along_meta_path(
    start: int, stop: int, first: Int32Array, key: RandomKey, links: LinkRows, path: MetaPath, walks: Int32Array
) -> None:
    """Each step goes to a neighbour of the next type on the meta-path, all of them with the same probability."""
    for row in range(start, stop):
        begin, node = stream(key.seed, key.step, first[row]), first[row]
        at = path.entry[path.types[node]]
        if at < 0:
            continue
        walks[row, 0] = node
        for place in range(1, walks.shape[1]):
            at = path.following[at]
            neighbours = links.indices[links.indptr[node] : links.indptr[node + 1]]
            node = _neighbour_of_type(neighbours, path.types, path.type_at[at], uniform(begin, place))
            if node < 0:
                break
            walks[row, place] = node


@inlined
def _neighbour_of_type(neighbours: Any, types: Any, wanted: Any, share: Any) -> Any:
    """Of the neighbours of the wanted type, the one at `share` in [0, 1) of their list; -1 if there is none."""
    count = 0
    for node in neighbours:
        count += wanted == ANY_TYPE or types[node] == wanted
    left = int(share * count)
    found = -1
    for node in neighbours:
        if wanted == ANY_TYPE or types[node] == wanted:
            if left == 0:
                found = node
            left -= 1
    return found if count else -1


def node_counts(walks: Int32Array, nodes: int) -> Int64Array:
    """Number of times that each node occurs in the walks."""
    return np.bincount(walks[walks >= 0], minlength=nodes).astype(np.int64)
