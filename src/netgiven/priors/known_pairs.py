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
from netgiven.priors.kind import PairKind
from netgiven.priors.prior import CERTAIN, Prior
from netgiven.priors.problem import Problem
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
