"""How much totals are in doubt where not all pairs are known.

A total is known for known pairs alone. A node of which one pair in ten was looked at, and no link seen, may well have
some: met exactly, its total would make all links of it impossible, and nobody would look there again. So a total is in
doubt by the share of its pairs that is unknown, and is met nearly: its multiplier is drawn towards the one that tells
no nodes apart.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from netgiven.network import Network
from netgiven.priors.classes import Classes
from netgiven.priors.problem import Problem
from netgiven.types import Float64Array

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
