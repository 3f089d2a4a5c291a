"""Active learning: which pairs of a pool should be observed next.

| strategy    | prefers                                                                             |
|-------------|-------------------------------------------------------------------------------------|
| probability | the likeliest links                                                                 |
| entropy     | pairs with a probability near 1/2                                                   |
| d-optimal   | pairs that reduce the uncertainty of their two nodes the most                       |
| v-optimal   | pairs that reduce the variance of all predictions for their nodes in the pool most  |
| random      | any pair; for comparison                                                            |

The two optimal designs measure an information gain. Let K be the precision matrix of the multiplier and position of a
node: the curvature of the objective, as for intervals, plus the inverse of the variance over all nodes. (The second
term is a prior: without it, nodes without links would always be preferred.) With C = K^-1, g the derivative of the
log-odds of a pair with respect to multiplier and position, and q = p (1 - p) the expected information of observing it,
an observation adds q g g^T to K. For each of the two nodes of a pair, the gain is

| target      | gain                                  | which is                                                       |
|-------------|---------------------------------------|----------------------------------------------------------------|
| nodes       | log(1 + q g^T C g)                    | the increase of log det K                                      |
| predictions | q (C g)^T M (C g) / (1 + q g^T C g)   | the decrease of the summed variances of the node's predictions |

where M is the sum of q^2 g g^T over all pairs of the node in the pool. Pairs are chosen greedily: what has been chosen
counts as observed, so that pairs that carry the same information are not chosen together.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, NamedTuple, get_args

import numpy as np
import numpy.typing as npt
from scipy import sparse

from netgiven.analysis.intervals import (
    batch_size,
    curvature_where_fitted,
    has_node_multipliers,
    slopes,
    uncertain_entries,
)
from netgiven.analysis.local_objective import LocalObjective
from netgiven.edges import shown
from netgiven.errors import InputError, did_you_mean, is_one_of, is_whole
from netgiven.kernels.arrays import distinct
from netgiven.model import CERTAIN, probability
from netgiven.parallel import single_blas_thread
from netgiven.types import Float64Array, Int64Array, IntegerArray

Strategy = Literal["probability", "entropy", "d-optimal", "v-optimal", "random"]
Target = Literal["nodes", "predictions"]
Rows = npt.NDArray[np.intp]

TARGETS: dict[str, Target] = {"d-optimal": "nodes", "v-optimal": "predictions"}
NUMBERS = 5_000_000  # matrix entries in memory at once
SHORTLIST = 20  # candidates per wanted pair whose gain is computed again during the greedy choice
ROUNDS = 32  # of the greedy choice; after each, the pairs chosen in it count as observed


class Queries(NamedTuple):
    """Pairs to observe, best first, with their scores: each score counts the earlier pairs as observed already."""

    pairs: Int64Array
    scores: Float64Array


def ask(
    objective: LocalObjective,
    pool: Int64Array,
    strategy: Strategy = "v-optimal",
    count: int = 10,
    seed: int = 0,
    trained: LocalObjective | None = None,
) -> Queries:
    """Choose the pairs of a pool to observe next.

    Parameters
    ----------
    objective
        The embedding with the prior and reach that probabilities are predicted with.
    pool
        Candidate pairs of node numbers, one row per pair; none of them is a link.
    strategy
        How pairs are scored, see the module docstring.
    count
        How many pairs to choose.
    seed
        Of the strategy "random".
    trained
        The embedding with the prior and reach that positions were trained with, where those are different.

    Returns
    -------
    Queries
        The chosen pairs, best first, and their scores.

    Raises
    ------
    InputError
        If the strategy is unknown, `count` is less than 1, or the pool is empty or has a link or a node paired with
        itself.
    """
    if not is_one_of(strategy, get_args(Strategy)):
        meant = did_you_mean(strategy, get_args(Strategy))
        raise InputError(
            f"The strategy {strategy!r} was given; it must be one of {', '.join(get_args(Strategy))}.{meant}"
        )
    if not is_whole(count, 1):
        raise InputError(f"A count of {count} was given; a whole number of at least 1 is needed.")
    if not is_whole(seed):
        raise InputError(f"seed = {seed} was given; a whole number of at least 0 is needed.")
    check_pool(objective, pool)
    pool = _unique_pairs(pool, objective.network.node_count)
    if strategy in TARGETS:
        with single_blas_thread():  # the matrices are small: more threads would only wait for each other
            best, scores = InformationGain(objective, pool, TARGETS[strategy], trained).choose(count)
        return Queries(pool[best], scores)
    scores = score_pairs(objective, pool, strategy, seed)
    best = _largest(scores, count)
    return Queries(pool[best], scores[best])


def check_pool(objective: LocalObjective, pool: Int64Array) -> None:
    """Raise an error if the pool is empty, or has a link or a node paired with itself."""
    if not len(pool):
        raise InputError("The pool is empty. Give pairs to choose from, or a network with unobserved pairs.")
    same = pool[:, 0] == pool[:, 1]
    if same.any():
        name = shown(objective.network.nodes[pool[int(np.argmax(same)), 0]])
        raise InputError(f"{name} is paired with itself in the pool; a pair has two different nodes. Leave it out.")
    linked = objective.network.are_linked(*pool.T)
    if linked.any():
        u, v = (shown(objective.network.nodes[node]) for node in pool[int(np.argmax(linked))])
        raise InputError(f"{u} and {v} are in the pool, but they are linked already. Leave them out.")


def score_pairs(objective: LocalObjective, pool: Int64Array, strategy: Strategy, seed: int = 0) -> Float64Array:
    """The score of each pair of the pool, if it alone were observed."""
    if strategy == "random":
        return np.random.default_rng(seed).random(len(pool))
    if strategy in TARGETS:
        return InformationGain(objective, pool, TARGETS[strategy]).gains()
    p = probability(objective.log_odds(*pool.T))
    return np.asarray(p if strategy == "probability" else -np.abs(p - 0.5))


class InformationGain:
    """What observing each pair of a pool is expected to gain.

    Multipliers and coordinates are measured in units of their standard deviation over nodes.
    """

    def __init__(
        self, objective: LocalObjective, pool: Int64Array, target: Target, trained: LocalObjective | None = None
    ) -> None:
        self.objective, self.trained, self.pool, self.target = objective, trained or objective, pool, target
        self.units = standard_deviations(self.trained)
        nodes, row = np.unique(pool, return_inverse=True)
        self.row = row.reshape(pool.shape)
        p = probability(objective.log_odds(*pool.T))
        self.information = p * (1 - p)
        size = batch_size(self.objective)
        parts = (nodes[start : start + size] for start in range(0, len(nodes), size))
        self.precision = np.concatenate([self._precision(part) for part in parts])
        self.covariance = np.linalg.inv(self.precision)
        self.prediction_weights = np.zeros_like(self.precision)
        if target == "predictions":
            _add_outer_products(self.prediction_weights, self._ends(np.arange(len(pool)), self.information**2))

    def _precision(self, nodes: IntegerArray) -> Float64Array:
        """K of each node, plus the inverse of the variance over all nodes, which is 1 in the units used."""
        curvatures = curvature_where_fitted(self.objective, self.trained, nodes)
        return np.asarray(curvatures * self.units[:, None] * self.units + np.eye(len(self.units)))

    def _ends(self, pairs: Rows, weight: Float64Array) -> Iterator[tuple[Rows, Float64Array, Float64Array]]:
        """Both ends of the given pairs, some pairs at a time: rows of nodes, derivatives of log-odds, weights."""
        size = max(NUMBERS // len(self.units) ** 2, 1)
        for start in range(0, len(pairs), size):
            some = pairs[start : start + size]
            for end in (0, 1):
                first, second = self.pool[some, end], self.pool[some, 1 - end]
                slope = slopes(self.objective, first, second, uncertain_entries(self.trained)) * self.units
                yield self.row[some, end], slope, weight[start : start + size]

    def gains(self, pairs: Rows | None = None) -> Float64Array:
        """The gain of each of the given pairs alone (default: all pairs of the pool)."""
        chosen = np.arange(len(self.pool)) if pairs is None else pairs
        gains = [self._gain(*end) for end in self._ends(chosen, self.information[chosen])]
        return np.concatenate([one + other for one, other in zip(gains[::2], gains[1::2], strict=True)])

    def _gain(self, row: Rows, slope: Float64Array, information: Float64Array) -> Float64Array:
        step = np.einsum("pkl,pl->pk", self.covariance[row], slope)
        ratio = information * np.einsum("pk,pk->p", slope, step)
        if self.target == "nodes":
            return np.asarray(np.log1p(ratio))
        weighted = np.einsum("pkl,pl->pk", self.prediction_weights[row], step)
        return np.asarray(information * np.einsum("pk,pk->p", step, weighted) / (1 + ratio))

    def observe(self, pairs: Rows) -> None:
        """Count the given pairs as observed from now on."""
        _add_outer_products(self.precision, self._ends(pairs, self.information[pairs]))
        touched = np.unique(self.row[pairs])
        self.covariance[touched] = np.linalg.inv(self.precision[touched])

    def choose(self, count: int) -> tuple[Rows, Float64Array]:
        """Choose pairs greedily, and return them with the gain of each once the earlier ones are observed."""
        candidates = _largest(self.gains(), SHORTLIST * count)
        chosen, gains = np.empty(0, dtype=np.intp), np.empty(0)
        total = min(count, len(candidates))
        for part in np.array_split(np.arange(total), min(total, ROUNDS)):
            now = self.gains(candidates)
            best = _largest(now, len(part))
            chosen, gains = np.concatenate([chosen, candidates[best]]), np.concatenate([gains, now[best]])
            self.observe(candidates[best])
            candidates = np.delete(candidates, best)
        return chosen, gains


def standard_deviations(objective: LocalObjective) -> Float64Array:
    """Standard deviations over nodes: of the multipliers, where nodes have different ones, and of each coordinate."""
    own = objective.prior.left[0]
    finite = own[np.abs(own) < CERTAIN / 4]
    of_multipliers = [float(finite.std()) if len(finite) else 0.0] if has_node_multipliers(objective) else []
    return np.concatenate([of_multipliers, objective.positions.std(axis=0, dtype=np.float64)])


def _largest(scores: Float64Array, count: int) -> Rows:
    """Places of the largest scores, largest first; earlier places first among equal scores."""
    return np.argsort(-scores, kind="stable")[:count]


def _add_outer_products(sums: Float64Array, ends: Iterator[tuple[Rows, Float64Array, Float64Array]]) -> None:
    """Add weight g g^T to the matrix of each node."""
    for row, slope, weight in ends:
        nodes, place = np.unique(row, return_inverse=True)
        by_node = sparse.csr_array((weight, (place, np.arange(len(place)))), shape=(len(nodes), len(place)))
        for k, column in enumerate(slope.T):
            sums[nodes, k] += by_node @ (slope * column[:, None])


def _unique_pairs(pool: Int64Array, count: int) -> Int64Array:
    """Each pair once, first < second, sorted."""
    keys = distinct(pool.min(axis=1) * count + pool.max(axis=1))
    return np.column_stack([keys // count, keys % count])
