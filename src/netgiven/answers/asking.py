"""What to ask next: of all pairs that could be looked up, which would tell the most.

| strategy    | asks first for                                                                                  |
|-------------|-------------------------------------------------------------------------------------------------|
| probability | the likeliest links                                                                             |
| entropy     | pairs of which the embedding is least sure                                                      |
| d-optimal   | what shrinks the uncertainty of the two nodes the most: log(1 + q g K^-1 g), summed over both   |
| v-optimal   | what shrinks the variance of all other probabilities of these nodes in the pool the most        |
| random      | anything; to compare with                                                                       |

K is the curvature of a node, as for intervals; g the slope of the pair's log-odds in its multiplier and position; and
q = p (1 - p) is what a look is expected to tell.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, NamedTuple, get_args

import numpy as np
import numpy.typing as npt

from netgiven.answers.interval import BATCH, covariance, slopes
from netgiven.answers.view import Nodes, View
from netgiven.cleaning import shown
from netgiven.errors import InputError
from netgiven.kernels.arrays import Doubles
from netgiven.model import probability

Strategy = Literal["probability", "entropy", "d-optimal", "v-optimal", "random"]
Pairs = npt.NDArray[np.int64]
Gain = Callable[[Doubles, Nodes, Doubles, Doubles], Doubles]


class Question(NamedTuple):
    """Pairs to ask for, the most telling first, and what each is worth by the strategy."""

    pairs: Pairs
    worth: Doubles


def ask(view: View, pool: Pairs, strategy: Strategy = "v-optimal", count: int = 10, seed: int = 0) -> Question:
    """The pairs of the pool (node numbers, a row a pair) to ask for first."""
    if strategy not in get_args(Strategy):
        raise InputError(f"The strategy {strategy!r} was given; it is one of {', '.join(get_args(Strategy))}.")
    if count < 1:
        raise InputError(f"{count} pairs were to be asked for; at least 1 is needed.")
    check_pool(view, pool)
    worth = worth_of(view, pool, strategy, seed)
    best = np.lexsort((pool[:, 1], pool[:, 0], -worth))[:count]
    return Question(pool[best], worth[best])


def check_pool(view: View, pool: Pairs) -> None:
    """There are pairs, and none of them is a link."""
    if not len(pool):
        raise InputError("The pool is empty: there is no pair to ask for. Give one, or tell which pairs are unknown.")
    linked = view.network.are_linked(*pool.T)
    if linked.any():
        u, v = (shown(view.network.nodes[node]) for node in pool[int(np.argmax(linked))])
        raise InputError(f"{u} and {v} are in the pool, and are linked already; leave them out.")


def worth_of(view: View, pool: Pairs, strategy: Strategy, seed: int = 0) -> Doubles:
    """What each pair of the pool is worth by a strategy."""
    chance = probability(view.log_odds(*pool.T))
    if strategy == "random":
        return np.random.default_rng(seed).random(len(pool))
    if strategy == "probability":
        return np.asarray(chance)
    if strategy == "entropy":
        return np.asarray(-np.abs(chance - 0.5))
    told = chance * (1 - chance)
    sides = ((pool[:, 0], pool[:, 1]), (pool[:, 1], pool[:, 0]))
    gain = _gain_of_sureness if strategy == "d-optimal" else _gain_of_others
    return np.asarray(sum(_by_nodes(view, first, second, told, gain) for first, second in sides))


def _by_nodes(view: View, first: Nodes, second: Nodes, told: Doubles, gain: Gain) -> Doubles:
    """A gain of the first node of each pair, for some nodes at a time."""
    nodes, place = np.unique(first, return_inverse=True)
    slope, worth = slopes(view, first, second), np.empty(len(first))
    for start in range(0, len(nodes), BATCH):
        there = (place >= start) & (place < start + BATCH)
        inverse = covariance(view, nodes[start : start + BATCH])
        worth[there] = gain(inverse, place[there] - start, slope[there], told[there])
    return worth


def _gain_of_sureness(inverse: Doubles, place: Nodes, slope: Doubles, told: Doubles) -> Doubles:
    """log det(K + q g g^T) - log det K."""
    return np.asarray(np.log1p(told * np.einsum("pk,pkl,pl->p", slope, inverse[place], slope)))


def _gain_of_others(inverse: Doubles, place: Nodes, slope: Doubles, told: Doubles) -> Doubles:
    """By how much the variances of the probabilities of the node's pairs in the pool fall together:
    q (C g)^T M (C g) / (1 + q g^T C g), where C = K^-1 and M is the sum of (p (1 - p))^2 g g^T over these pairs.
    """
    size = slope.shape[1]
    wanted = np.zeros((len(inverse), size, size))
    np.add.at(wanted, place, (told**2)[:, None, None] * slope[:, :, None] * slope[:, None, :])
    move = np.einsum("pkl,pl->pk", inverse[place], slope)
    fall = np.einsum("pk,pkl,pl->p", move, wanted[place], move)
    return np.asarray(told * fall / (1 + told * np.einsum("pk,pk->p", slope, move)))
