"""Priors of networks of which not all pairs are known.

To a fit, an unknown pair is one that is certain to have no link: its probability is 0 and it has none, so it adds
nothing to any sum. So a prior is *closed* over unknown pairs while positions are found and likelihoods measured, and
open when it is asked.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from scipy import optimize, sparse

from netgiven.kernels.pair_sums import Listed
from netgiven.model import probability
from netgiven.network import Network
from netgiven.observed_pairs import Unknown
from netgiven.priors.constraint import PairKind
from netgiven.priors.dual import Problem
from netgiven.priors.layout import Classes
from netgiven.priors.prior import CERTAIN, Prior
from netgiven.types import BoolArray, Float64Array, Int64Array

OUT = 2 * CERTAIN  # below what any certain link adds


class UnknownPairs(PairKind):
    """1 for each unknown pair. No link is among them, so the fit finds that they are certain to have none."""

    def __str__(self) -> str:
        return "unknown pairs"

    def matrix(self, network: Network) -> sparse.csr_array:
        """As the network lists them."""
        assert network.unknown is not None
        return network.unknown.matrix


def closed(prior: Prior, network: Network) -> Prior:
    """The prior with a probability of 0 for unknown pairs; the same prior, where all pairs are known."""
    unknown = network.unknown
    if unknown is None:
        return prior
    if not unknown.lists_known:
        return replace(prior, listed=_with(prior.listed, unknown.matrix, -OUT))
    tables = prior.tables.copy()
    tables[: prior.width[0] ** 2] -= OUT  # all pairs, and then those that are known are lifted again
    known = unknown.matrix + network.to_scipy().astype(np.float64)
    return replace(prior, tables=tables, listed=_with(prior.listed, known, OUT))


def _with(listed: Listed | None, pairs: sparse.csr_array, value: float) -> Listed:
    """Listed pairs, with a value added to some of them or listed for the first time."""
    added = sparse.csr_array(sparse.triu(pairs, k=1)) * value
    if listed is not None:
        added = added + sparse.csr_array((listed.value[0], listed.indices, listed.indptr), shape=pairs.shape)
    rows = sparse.csr_array(added)
    rows.sort_indices()
    return Listed(rows.indptr.astype(np.int64), rows.indices.astype(np.int32), rows.data[None].astype(np.float64))


# ---- few known pairs -----------------------------------------------------------------------------------------------


def known_pairs(network: Network, unknown: Unknown) -> tuple[Int64Array, BoolArray]:
    """All known pairs, and which of them are links."""
    pairs = np.concatenate([network.links().astype(np.int64), unknown.pairs])
    return pairs, np.arange(len(pairs)) < network.link_count


def regressed(problem: Problem, features: sparse.csr_array, linked: BoolArray) -> Float64Array:
    """Multipliers that explain which of some pairs are links, as far as there is no doubt: maximum entropy of these."""

    def cost(multipliers: Float64Array) -> tuple[float, Float64Array]:
        z, drawn = features @ multipliers, problem.drawn(multipliers)
        value = float(np.sum(np.logaddexp(0.0, z) - linked * z)) + float(drawn @ (multipliers - problem.even)) / 2
        return value, features.T @ (probability(z) - linked) + drawn

    start, limits = problem.even, {"maxiter": 1_000, "gtol": 1e-8}
    found: Any = optimize.minimize(cost, start, jac=True, method="L-BFGS-B", options=limits)  # type: ignore[call-overload]
    return np.asarray(found.x)


# ---- How much totals are in doubt where not all pairs are known ------------------------------------------------------
#
# A total is known for known pairs alone. A node of which one pair in ten was looked at, and no link seen, may well
# have some: met exactly, its total would make all links of it impossible, and nobody would look there again. So a
# total is in doubt by the share of its pairs that is unknown, and is met nearly: its multiplier is drawn towards the
# one that tells no nodes apart.


DOUBT = 0.1  # the weight of a total of which all pairs are unknown


def with_doubts(problem: Problem, network: Network, classes: Classes) -> Problem:
    """The problem with totals in doubt as far as their pairs are unknown."""
    if network.unknown is None:
        return problem
    doubt = DOUBT * np.where(problem.told, 0.0, unknown_shares(problem, network, classes))
    if not network.unknown.lists_known:
        doubt[-1] = 0.0  # of the feature that lists unknown pairs: it is there to keep them out
    return replace(problem, doubt=doubt, even=_even(problem, network))


def unknown_shares(problem: Problem, network: Network, classes: Classes) -> Float64Array:
    """Which share of the pairs of each total is unknown, by weight; of features that can be negative, by number."""
    unknown = network.unknown
    assert unknown is not None
    room = problem.room
    listed = replace(network, indptr=unknown.indptr, indices=unknown.indices, unknown=None)
    part = problem.totals(problem.layout.observed(listed, classes))
    if unknown.lists_known:
        part = room - part - problem.totals(problem.layout.observed(network, classes))
    never_negative = np.repeat([term.least > 0 for term in problem.terms], [term.count for term in problem.terms])
    share = np.where(
        never_negative & (room > 0), part / np.where(room > 0, room, 1.0), network.unknown_count / _pair_count(network)
    )
    return np.clip(share, 0.0, 1.0)


def _even(problem: Problem, network: Network) -> Float64Array:
    """Multipliers that give each pair the same chance: those of the first kind of knowledge that can say so."""
    rate = (network.link_count + 0.5) / (_pair_count(network) - network.unknown_count + 1)
    even = np.zeros(len(problem.observed))
    for term, part in zip(problem.terms, problem.slices, strict=True):
        if term.constant:
            even[part] = np.log(rate / (1 - rate)) / term.constant
            break
    return even


def _pair_count(network: Network) -> int:
    return max(network.node_count * (network.node_count - 1) // 2, 1)
