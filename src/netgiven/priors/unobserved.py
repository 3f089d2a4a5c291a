"""Priors of networks of which not all pairs are observed.

In a fit, an unobserved pair acts like one that is certain to have no link: its probability is 0 and it has none, so it
adds nothing to any sum. So unobserved pairs of a prior are *masked* while positions are trained and likelihoods
measured, and are not when probabilities are asked for.

A total is observed for observed pairs alone. A node of which one pair in ten was observed, and no link among them, may
well have some: met exactly, its total would make all its links impossible. So the multiplier of a total has a *ridge*,
in proportion to the share of its pairs that is unobserved, towards the multiplier that gives all pairs the same
probability.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from scipy import sparse

from netgiven.kernels.pair_sums import ListedFeatures
from netgiven.model import CERTAIN, probability, softplus
from netgiven.network import Network
from netgiven.observed_pairs import UnobservedPairs
from netgiven.priors.constraints import PairConstraint
from netgiven.priors.dual import DualProblem
from netgiven.priors.features import DegreeFeatures
from netgiven.priors.layout import Classes
from netgiven.priors.prior import Prior
from netgiven.types import BoolArray, Float64Array, Int64Array

MASK = 2 * CERTAIN  # outweighs what certain links add to log-odds
RIDGE = 0.1  # the ridge of a total of which no pair is observed
MIN_RIDGE = 1e-6  # of uncertain totals, which need not be those of any network: multipliers stay finite


def mask_unobserved(prior: Prior, network: Network) -> Prior:
    """Return the prior with a probability of 0 for unobserved pairs; the same prior if all pairs are observed."""
    unobserved = network.unobserved
    if unobserved is None:
        return prior
    if not unobserved.lists_observed:
        return replace(prior, listed=_add_listed(prior.listed, unobserved.matrix, -MASK))
    tables = prior.tables.copy()
    tables[: prior.width[0] ** 2] -= MASK  # mask all pairs, then lift the mask from observed ones
    observed = unobserved.matrix + network.to_scipy().astype(np.float64)
    return replace(prior, tables=tables, listed=_add_listed(prior.listed, observed, MASK))


def _add_listed(listed: ListedFeatures | None, pairs: sparse.csr_array, value: float) -> ListedFeatures:
    """Add a value to some pairs, and list those that were not listed."""
    added = sparse.csr_array(sparse.triu(pairs, k=1)) * value
    if listed is not None:
        added = added + sparse.csr_array((listed.value[0], listed.indices, listed.indptr), shape=pairs.shape)
    rows = sparse.csr_array(added)
    rows.sort_indices()
    return ListedFeatures(
        rows.indptr.astype(np.int64), rows.indices.astype(np.int32), rows.data[None].astype(np.float64)
    )


class UnobservedPairsConstraint(PairConstraint):
    """f(i, j) = 1 for each unobserved pair: no link is among them, so the fit makes them certain to have none."""

    def __str__(self) -> str:
        return "unobserved pairs"

    def matrix(self, network: Network) -> sparse.csr_array:
        """The pairs as the network lists them."""
        assert network.unobserved is not None
        return network.unobserved.matrix


def add_ridge(problem: DualProblem, network: Network, classes: Classes) -> DualProblem:
    """Return the problem with a ridge on totals that are uncertain, or of which some pairs are unobserved."""
    uncertain = [isinstance(block, DegreeFeatures) and block.uncertainty > 0 for block in problem.blocks]
    ridge = MIN_RIDGE * problem.per_multiplier(np.array(uncertain, dtype=np.float64))
    if network.unobserved is not None:
        shares = np.where(problem.is_user_total, 0.0, unobserved_shares(problem, network, classes))
        if not network.unobserved.lists_observed:
            shares[-1] = 0.0  # the last feature lists the unobserved pairs themselves
        ridge = np.maximum(ridge, RIDGE * shares)
    if not ridge.any():
        return problem
    return replace(problem, ridge=ridge, ridge_center=_uniform_multipliers(problem, network))


def unobserved_shares(problem: DualProblem, network: Network, classes: Classes) -> Float64Array:
    """Return the share of each total that is unobserved, by weight; by number for features that can be negative."""
    unobserved = network.unobserved
    assert unobserved is not None
    capacity = problem.capacity
    listed = replace(network, indptr=unobserved.indptr, indices=unobserved.indices, unobserved=None)
    part = problem.totals(problem.layout.observed_statistics(listed, classes))
    if unobserved.lists_observed:
        part = capacity - part - problem.totals(problem.layout.observed_statistics(network, classes))
    never_negative = problem.per_multiplier(np.array([block.smallest_positive > 0 for block in problem.blocks]))
    share = np.where(
        never_negative & (capacity > 0),
        part / np.where(capacity > 0, capacity, 1.0),
        network.unobserved_count / _pair_count(network),
    )
    return np.clip(share, 0.0, 1.0)


def _uniform_multipliers(problem: DualProblem, network: Network) -> Float64Array:
    """Return multipliers that give all pairs the same probability: those of the first block that can express it."""
    density = (network.link_count + 0.5) / (_pair_count(network) - network.unobserved_count + 1)
    multipliers = np.zeros(len(problem.targets))
    for block, part in zip(problem.blocks, problem.slices, strict=True):
        if block.constant_sum:
            multipliers[part] = np.log(density / (1 - density)) / block.constant_sum
            break
    return multipliers


def _pair_count(network: Network) -> int:
    return max(network.node_count * (network.node_count - 1) // 2, 1)


def list_observed_pairs(network: Network, unobserved: UnobservedPairs) -> tuple[Int64Array, BoolArray]:
    """Return all observed pairs of a network that lists them, and which of them are links."""
    pairs = np.concatenate([network.links().astype(np.int64), unobserved.pairs])
    return pairs, np.arange(len(pairs)) < network.link_count


def fit_observed_pairs(problem: DualProblem, features: sparse.csr_array, linked: BoolArray) -> Float64Array:
    """Minimise the dual over listed pairs: a logistic regression with the ridge of the problem."""

    def cost(multipliers: Float64Array) -> tuple[float, Float64Array]:
        z, gradient = features @ multipliers, problem.ridge_gradient(multipliers)
        penalty = float(gradient @ (multipliers - problem.ridge_center)) / 2
        value = float(np.sum(softplus(z) - linked * z)) + penalty
        return value, features.T @ (probability(z) - linked) + gradient

    initial, limits = problem.ridge_center, {"maxiter": 1_000, "gtol": 1e-8}
    from scipy.optimize import minimize  # takes long to import, and is rarely needed

    found: Any = minimize(cost, initial, jac=True, method="L-BFGS-B", options=limits)  # type: ignore[call-overload]
    return np.asarray(found.x)
