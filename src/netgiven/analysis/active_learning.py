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

from collections.abc import Iterator
from typing import Literal, NamedTuple, get_args

import numpy as np
import numpy.typing as npt
from scipy import sparse

from netgiven.analysis.intervals import BATCH, curvature, slopes, with_multipliers
from netgiven.analysis.local_objective import View
from netgiven.edges import shown
from netgiven.errors import InputError
from netgiven.model import probability
from netgiven.parallel import one_blas_thread
from netgiven.priors.prior import CERTAIN
from netgiven.types import Float64Array, Int64Array, IntegerArray

# ---- What an answer would tell: how much more would be known of two nodes by it, and what that is good for -----------
#
# K is what is known of a node's multiplier and position: their curvature, as for intervals, and that it is a node
# like others, one over the variance over all nodes; so nodes of which the network says nothing are not all that is
# asked for. C = K^-1; g is the slope of a pair's log-odds in multiplier and position, and q = p (1 - p) is what a
# look at the pair is expected to tell: K grows by q g g^T. Of each of the two nodes of a pair,
#
# | aim | gain | is | |--------|---------------------------------------|----------------------------------------------
# -----------------------| | nodes | log(1 + q g C g) | what the uncertainty of the node shrinks by: log det K | |
# others | q (C g)^T M (C g) / (1 + q g C g) | what the variances of all probabilities of its pairs shrink by |
#
# where M is the sum of q^2 g g^T over all pairs of the node in the pool.


Aim = Literal["nodes", "others"]

Places = npt.NDArray[np.intp]

NUMBERS = 5_000_000  # held at once: a matrix for each of some pairs
SHORTLIST = 20  # so many times the pairs that are wanted are looked at again after each part of the choice
PARTS = 32  # of a choice: after each, what was chosen counts as told


class Telling:
    """The pairs of a pool, and what is known of their nodes."""

    def __init__(self, view: View, pool: Int64Array, aim: Aim) -> None:
        self.view, self.pool, self.aim, self.apart = view, pool, aim, differences(view)
        nodes, place = np.unique(pool, return_inverse=True)
        self.place = place.reshape(pool.shape)
        chance = probability(view.log_odds(*pool.T))
        self.told = chance * (1 - chance)
        parts = [precision(view, self.apart, nodes[start : start + BATCH]) for start in range(0, len(nodes), BATCH)]
        self.precision = np.concatenate(parts)
        self.inverse = np.linalg.inv(self.precision)
        self.wanted = np.zeros_like(self.precision)
        if aim == "others":
            _add_squares(self.wanted, self._seen(np.arange(len(pool)), self.told**2))

    def _seen(self, which: Places, weight: Float64Array) -> Iterator[tuple[Places, Float64Array, Float64Array]]:
        """Some pairs from both ends, piece by piece: the place of a node, slopes of log-odds in it, and weights.

        All is in units of how much nodes differ.
        """
        size = max(NUMBERS // len(self.apart) ** 2, 1)
        for start in range(0, len(which), size):
            piece = which[start : start + size]
            for end in (0, 1):
                first, second = self.pool[piece, end], self.pool[piece, 1 - end]
                slope = slopes(self.view, first, second) * self.apart
                yield self.place[piece, end], slope, weight[start : start + size]

    def gains(self, which: Places | None = None) -> Float64Array:
        """What some pairs would be good for, each alone (default: all)."""
        chosen = np.arange(len(self.pool)) if which is None else which
        found = [self._gain(*seen) for seen in self._seen(chosen, self.told[chosen])]
        return np.concatenate([one + other for one, other in zip(found[::2], found[1::2], strict=True)])

    def _gain(self, place: Places, slope: Float64Array, told: Float64Array) -> Float64Array:
        move = np.einsum("pkl,pl->pk", self.inverse[place], slope)
        sure = told * np.einsum("pk,pk->p", slope, move)
        if self.aim == "nodes":
            return np.asarray(np.log1p(sure))
        there = np.einsum("pkl,pl->pk", self.wanted[place], move)
        return np.asarray(told * np.einsum("pk,pk->p", move, there) / (1 + sure))

    def tell(self, which: Places) -> None:
        """From now on some pairs count as told."""
        _add_squares(self.precision, self._seen(which, self.told[which]))
        touched = np.unique(self.place[which])
        self.inverse[touched] = np.linalg.inv(self.precision[touched])

    def choose(self, count: int) -> tuple[Places, Float64Array]:
        """The pairs to ask for together, and what each is good for once those before it are told.

        Pairs that tell the same are worth it once: after each part of the choice, the best of the rest are looked at
        again.
        """
        alone = self.gains()
        rest = _best(alone, SHORTLIST * count)
        chosen, gains = np.empty(0, dtype=np.intp), np.empty(0)
        total = min(count, len(rest))
        for part in np.array_split(np.arange(total), min(total, PARTS)):
            now = self.gains(rest)
            best = _best(now, len(part))
            chosen, gains = np.concatenate([chosen, rest[best]]), np.concatenate([gains, now[best]])
            self.tell(rest[best])
            rest = np.delete(rest, best)
        return chosen, gains


def differences(view: View) -> Float64Array:
    """The standard deviation over nodes of multipliers, where those are in question, and of each coordinate."""
    own = view.prior.own[0]
    free = own[np.abs(own) < CERTAIN / 4]
    of_multipliers = [float(free.std()) if len(free) else 0.0] if with_multipliers(view) else []
    return np.concatenate([of_multipliers, view.positions.std(axis=0, dtype=np.float64)])


def precision(view: View, apart: Float64Array, nodes: IntegerArray) -> Float64Array:
    """K of each node, in units of how much nodes differ. Directions in which the objective falls say nothing."""
    values, vectors = np.linalg.eigh(curvature(view, nodes) * apart[:, None] * apart)
    return np.asarray((vectors * (1 + np.maximum(values, 0.0))[:, None, :]) @ vectors.transpose(0, 2, 1))


def _best(worth: Float64Array, count: int) -> Places:
    """The places of the largest, in their order; the earlier one of two that are alike."""
    return np.argsort(-worth, kind="stable")[:count]


def _add_squares(sums: Float64Array, seen: Iterator[tuple[Places, Float64Array, Float64Array]]) -> None:
    """Add weight g g^T to the matrices of nodes."""
    for place, slope, weight in seen:
        nodes, row = np.unique(place, return_inverse=True)
        join = sparse.csr_array((weight, (row, np.arange(len(row)))), shape=(len(nodes), len(row)))
        for k, column in enumerate(slope.T):
            sums[nodes, k] += join @ (slope * column[:, None])


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
