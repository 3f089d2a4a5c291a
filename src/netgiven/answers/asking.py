"""What to ask next: of all pairs that could be looked up, which would tell the most.

| strategy    | asks first for                                                                                  |
|-------------|-------------------------------------------------------------------------------------------------|
| probability | the likeliest links                                                                             |
| entropy     | pairs of which the embedding is least sure                                                      |
| d-optimal   | what shrinks the uncertainty of the two nodes the most                                          |
| v-optimal   | what shrinks the variance of all other probabilities of these nodes in the pool the most        |
| random      | anything; to compare with                                                                       |

The two in the middle are worked out in `telling`; what they ask for together tells different things.
"""

from __future__ import annotations

from typing import Literal, NamedTuple, get_args

import numpy as np

from netgiven.answers.telling import Aim, Telling
from netgiven.answers.view import View
from netgiven.edges import shown
from netgiven.errors import InputError
from netgiven.model import probability
from netgiven.parallel import one_blas_thread
from netgiven.types import Float64Array, Int64Array

Strategy = Literal["probability", "entropy", "d-optimal", "v-optimal", "random"]

AIMS: dict[str, Aim] = {"d-optimal": "nodes", "v-optimal": "others"}


class Question(NamedTuple):
    """Pairs to ask for, the most telling first, and what each is worth by the strategy: once those before it are told,
    where it is about what they tell.
    """

    pairs: Int64Array
    worth: Float64Array


def ask(view: View, pool: Int64Array, strategy: Strategy = "v-optimal", count: int = 10, seed: int = 0) -> Question:
    """The pairs of the pool (node numbers, a row a pair) to ask for first."""
    if strategy not in get_args(Strategy):
        raise InputError(f"The strategy {strategy!r} was given; it is one of {', '.join(get_args(Strategy))}.")
    if count < 1:
        raise InputError(f"{count} pairs were to be asked for; at least 1 is needed.")
    check_pool(view, pool)
    pool = _once(pool, view.network.node_count)
    if strategy in AIMS:
        with one_blas_thread():  # matrices are small: several threads would wait for each other
            best, worth = Telling(view, pool, AIMS[strategy]).choose(count)
        return Question(pool[best], worth)
    worth = worth_of(view, pool, strategy, seed)
    best = np.argsort(-worth, kind="stable")[:count]
    return Question(pool[best], worth[best])


def check_pool(view: View, pool: Int64Array) -> None:
    """There are pairs, of two nodes each, and none of them is a link."""
    if not len(pool):
        raise InputError("The pool is empty: there is no pair to ask for. Give one, or tell which pairs are unknown.")
    same = pool[:, 0] == pool[:, 1]
    if same.any():
        name = shown(view.network.nodes[pool[int(np.argmax(same)), 0]])
        raise InputError(f"{name} is paired with itself in the pool; a pair is two different nodes. Leave it out.")
    linked = view.network.are_linked(*pool.T)
    if linked.any():
        u, v = (shown(view.network.nodes[node]) for node in pool[int(np.argmax(linked))])
        raise InputError(f"{u} and {v} are in the pool, and are linked already; leave them out.")


def worth_of(view: View, pool: Int64Array, strategy: Strategy, seed: int = 0) -> Float64Array:
    """What each pair of the pool is worth by a strategy, alone."""
    if strategy == "random":
        return np.random.default_rng(seed).random(len(pool))
    if strategy in AIMS:
        return Telling(view, pool, AIMS[strategy]).gains()
    chance = probability(view.log_odds(*pool.T))
    return np.asarray(chance if strategy == "probability" else -np.abs(chance - 0.5))


def _once(pool: Int64Array, count: int) -> Int64Array:
    """Each pair once, first < second, in their order."""
    keys = np.unique(pool.min(axis=1) * count + pool.max(axis=1))
    return np.column_stack([keys // count, keys % count])
