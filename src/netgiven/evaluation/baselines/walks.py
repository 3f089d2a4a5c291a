"""Random walks over links: node2vec's second-order ones (with p = q = 1, DeepWalk's), and walks along a meta-path.

A walk draws its numbers from (seed, round, first node), so walks are the same on any number of threads.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from netgiven.kernels.arrays import Address, Links
from netgiven.kernels.jit import inlined, kernel
from netgiven.kernels.paper_sampling import is_link
from netgiven.kernels.random import stream, uniform
from netgiven.network import Network
from netgiven.parallel import threads
from netgiven.types import Int32Array, Int64Array

WALKS_WORTH_A_THREAD = 256
NOBODY = -1  # in a walk that has ended
ANY = -1  # a place of a track that admits every type


class Bias(NamedTuple):
    """How a second-order walk weighs its next node: the one it came from 1/p, others not linked to that one 1/q."""

    p: float = 1.0
    q: float = 1.0


UNBIASED = Bias()


class Track(NamedTuple):
    """Meta-paths, place after place: a place admits nodes of type `kind[place]` and leads to `following[place]`.

    A node of type t begins at `entry[t]` (-1: nowhere); `types` holds each node's type.
    """

    kind: Int32Array
    following: Int32Array
    entry: Int32Array
    types: Int32Array


def second_order_walks(
    network: Network, rounds: int, length: int, bias: Bias = UNBIASED, seed: int = 0, thread_count: int | None = None
) -> Int32Array:
    """`rounds` walks from each node with links, one a row; the order of first nodes is shuffled in each round.

    >>> star = Network.from_edges([("hub", "ann"), ("hub", "bob")])
    >>> walks = second_order_walks(star, rounds=2, length=5)
    >>> walks.shape, len(set(walks[:, 0].tolist()))
    ((6, 5), 3)
    """
    parts = [_round(_second_order, network, length, seed, number, thread_count, bias) for number in range(rounds)]
    return np.concatenate(parts) if parts else np.empty((0, length), dtype=np.int32)


def typed_walks(
    network: Network, number: int, length: int, track: Track, seed: int = 0, thread_count: int | None = None
) -> Int32Array:
    """Round `number` of walks along the track, one from each node with links; -1 after a walk's end.

    A node whose type is on no track has no walk of its own.
    """
    return _round(_typed, network, length, seed, number, thread_count, track)


def _round(
    walk: Any, network: Network, length: int, seed: int, number: int, thread_count: int | None, rule: Any
) -> Int32Array:
    first = np.flatnonzero(network.degrees).astype(np.int32)
    first = np.random.default_rng([seed, number]).permutation(first)
    walks = np.full((len(first), length), NOBODY, dtype=np.int32)
    links = Links(network.indptr, network.indices)
    with threads(thread_count) as engine:
        engine.run(walk, len(first), first, Address(seed, number), links, rule, walks, grain=WALKS_WORTH_A_THREAD)
    return walks


@kernel
def _second_order(
    start: int, stop: int, first: Int32Array, address: Address, links: Links, bias: Bias, walks: Int32Array
) -> None:
    """Rejection: a neighbour is drawn uniformly and taken with chance weight / largest weight, an only one at once."""
    largest = max(1.0, 1.0 / bias.p, 1.0 / bias.q)
    plain = bias.p == 1.0 and bias.q == 1.0
    for row in range(start, stop):
        begin, used = stream(address.seed, address.step, first[row]), 0
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
def _weight(links: Links, bias: Bias, before: Any, node: Any) -> Any:
    """Of a step to `node` for a walk that came from `before`."""
    if node == before:
        weight = 1.0 / bias.p
    elif is_link(links, before, node):
        weight = 1.0
    else:
        weight = 1.0 / bias.q
    return weight


@kernel
def _typed(
    start: int, stop: int, first: Int32Array, address: Address, links: Links, track: Track, walks: Int32Array
) -> None:
    """Each step goes to a neighbour of the type that the track admits next, all of them equally likely."""
    for row in range(start, stop):
        begin, node = stream(address.seed, address.step, first[row]), first[row]
        at = track.entry[track.types[node]]
        if at < 0:
            continue
        walks[row, 0] = node
        for place in range(1, walks.shape[1]):
            at = track.following[at]
            neighbours = links.indices[links.indptr[node] : links.indptr[node + 1]]
            node = _nth_of_kind(neighbours, track.types, track.kind[at], uniform(begin, place))
            if node < 0:
                break
            walks[row, place] = node


@inlined
def _nth_of_kind(neighbours: Any, types: Any, kind: Any, share: Any) -> Any:
    """The neighbour of a kind that stands at `share` in [0, 1) of the way through those of that kind; -1 if none."""
    count = 0
    for node in neighbours:
        count += kind == ANY or types[node] == kind
    left = int(share * count)
    found = -1
    for node in neighbours:
        if kind == ANY or types[node] == kind:
            if left == 0:
                found = node
            left -= 1
    return found if count else -1


def visits(walks: Int32Array, nodes: int) -> Int64Array:
    """How often each node is met."""
    return np.bincount(walks[walks >= 0], minlength=nodes).astype(np.int64)
