"""The problem that a fit solves, in arrays, and what all objectives share.

Sums over nodes are taken block by block, and then over blocks. So a worker that has a range of whole blocks, on any
machine, adds the same numbers in the same order.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from netgiven.kernels.arrays import LinkRows, ModelArrays, PriorArrays, RepulsionSums, padded_size
from netgiven.kernels.csr import renumber_rows
from netgiven.kernels.gradient import Shrinkage, attract, combine_gradient
from netgiven.kernels.prior_logit import prior_log_odds, unlisted_log_odds
from netgiven.kernels.repulsion import BLOCK, Proposal, correct_listed, make_proposal
from netgiven.model import CERTAIN_LOG_ODDS, probability, separation, uncertain_softplus
from netgiven.parallel import MIN_NODES_PER_THREAD, Engine
from netgiven.types import BoolArray, Float32Array, Float64Array, Int32Array, Int64Array

MIN_PAIRS_PER_THREAD = 100_000  # about a tenth of a millisecond
LINKS_AT_ONCE = 1 << 20  # so that memory does not grow with the network
NO_LINK = 1e-9  # an expected degree so small that a node is certain to have no link


class LinkTerms(NamedTuple):
    """What links add to the objective that does not depend on positions."""

    prior: Float64Array  # for each block: half of the prior's log-odds, summed over the ends of links
    ends: int  # number of these ends; a link has two
    certain: tuple[Int64Array, Int64Array]  # both nodes of links that are left out, as the prior is certain of them


class SampleProposal(NamedTuple):
    """The distribution q that K nodes are sampled from, and the weight 1 / (K q_j) of each node."""

    proposal: Proposal
    weights: Float32Array


@dataclass(frozen=True, eq=False)
class Problem:
    """Links, prior, stiffness and shrinkage, and the engine that runs the kernels.

    `sample_proposal` is given where it was computed for all workers before. The last `repelling` dimensions repel.
    """

    links: LinkRows
    prior: PriorArrays
    expected_degrees: Float64Array
    stiffness: float
    shrinkage: float
    engine: Engine
    sample_proposal: SampleProposal | None = None
    repelling: int = 0
    repelling_shrinkage: float = 0.0

    @property
    def node_count(self) -> int:
        """Number of nodes."""
        return len(self.links.indptr) - 1

    @property
    def link_count(self) -> int:
        """Number of links."""
        return len(self.links.indices) // 2

    @property
    def free_of_forces(self) -> BoolArray:
        """Which nodes are certain to have no link: nothing but shrinkage moves them, so they begin in the middle."""
        return np.asarray(self.expected_degrees < NO_LINK)

    @property
    def own(self) -> slice:
        """The nodes that are computed here: all, or a range of whole blocks."""
        return self.engine.share(self.node_count)

    def model(self, positions: Float32Array, reach: float) -> ModelArrays:
        """The arguments of the kernels; positions are padded already."""
        repelling = padded_size(self.repelling)
        return ModelArrays(positions, self.prior, np.float32(reach), np.float32(self.stiffness / 2), repelling)

    def attract(self, positions: Float32Array, attraction: Float32Array, separation: Float64Array) -> None:
        """Sums over the links of each node, in place."""
        arrays = positions, padded_size(self.repelling), self.links, attraction, separation
        self.engine.run(attract, self.node_count, *arrays, grain=MIN_NODES_PER_THREAD)

    def pull(self, positions: Float32Array) -> Float32Array:
        """d_i x_i minus the sum over the neighbours of i."""
        pull, separation = np.empty_like(positions), np.empty(self.node_count)
        self.engine.run(
            attract, self.node_count, positions, 0, self.links, pull, separation, grain=MIN_NODES_PER_THREAD
        )
        return pull

    def reordered_links(self, order: Int64Array, place: Int32Array) -> dict[str, Any]:
        """The fields that hold links, where node order[i] becomes node i, and node i becomes place[i]."""
        degrees = np.diff(self.links.indptr)[order]
        indptr = np.concatenate([[0], np.cumsum(degrees)])
        links = LinkRows(indptr, np.empty_like(self.links.indices))
        self.engine.run(renumber_rows, len(order), self.links, order, place, links, grain=MIN_NODES_PER_THREAD)
        return {"links": links}

    def combine(self, model: ModelArrays, attraction: Float32Array, sums: RepulsionSums) -> None:
        """Turn the attraction into the gradient, in place: subtract the repulsion and add the shrinkage."""
        shrinkage = Shrinkage(np.float32(self.shrinkage), np.float32(self.repelling_shrinkage))
        arrays = model, attraction, sums.repulsion, shrinkage
        self.engine.run(combine_gradient, self.node_count, *arrays, grain=MIN_NODES_PER_THREAD)

    # ---- value -----------------------------------------------------------------------------------------------------

    def block_values(self, positions: Float32Array, softplus: Float64Array, separation: Float64Array) -> Float64Array:
        """What each own block adds to the objective, from the kernels' sums per node.

        A pair counts half at each of its nodes.
        """
        own = self.own
        nodes = softplus[own] / 2 + (self.stiffness / 4) * separation[own] + self.penalties(positions[own])
        return by_block(nodes) - self.link_terms.prior - self._values_of_certain_links(positions)

    def penalties(self, positions: Float32Array) -> Float64Array | float:
        """What shrinkage adds to the objective for each row of padded positions."""
        near = positions.shape[1] - padded_size(self.repelling)
        strengths = (self.shrinkage, positions[:, :near]), (self.repelling_shrinkage, positions[:, near:])
        penalties = [
            strength / 2 * np.square(part, dtype=np.float64).sum(axis=1) for strength, part in strengths if strength
        ]
        return np.sum(penalties, axis=0) if penalties else 0.0

    def value(self, block_values: Float64Array, reach: float, ends: int) -> float:
        """The objective, from the values of all blocks and the number of ends of uncertain links."""
        counted_with_itself = 0.0 if self.repelling else self.softplus_of_self(reach) / 2
        return float(block_values.sum()) - counted_with_itself - ends / 2 * reach

    @cached_property
    def link_terms(self) -> LinkTerms:
        """What the links of own nodes add by the prior."""
        none = np.empty(0, dtype=np.int64)
        degrees = np.diff(self.links.indptr[self.own.start : self.own.stop + 1])
        if (
            self._has_node_terms_only and 2 * self.prior.node.max() + self.prior.table[0, 0] < CERTAIN_LOG_ODDS
        ):  # without copies
            half = self.prior.node[self.own].astype(np.float64) + float(self.prior.table[0, 0]) / 2
            return LinkTerms(by_block(half * degrees), int(degrees.sum()), (none, none))
        return self._link_terms_one_by_one(degrees)

    def _link_terms_one_by_one(self, degrees: Int64Array) -> LinkTerms:
        """The same link by link, some links at a time."""
        halves, ends, rows, others = np.empty(len(degrees)), 0, [], []
        for low, high in _row_ranges(degrees):
            begin, end = (self.links.indptr[self.own.start + place] for place in (low, high))
            row = np.repeat(np.arange(self.own.start + low, self.own.start + high), degrees[low:high])
            other = self.links.indices[begin:end].astype(np.int64)
            log_odds = prior_log_odds(self.prior, row, other)
            certain = log_odds > CERTAIN_LOG_ODDS
            log_odds[certain] = 0.0
            halves[low:high] = np.bincount(row - (self.own.start + low), log_odds, high - low) / 2
            ends += int(np.count_nonzero(~certain))
            rows.append(row[certain])
            others.append(other[certain])
        none = np.empty(0, dtype=np.int64)
        return LinkTerms(by_block(halves), ends, (np.concatenate([none, *rows]), np.concatenate([none, *others])))

    @property
    def _has_node_terms_only(self) -> bool:
        return len(self.prior.table) == 1 and not len(self.prior.left) and not self.has_listed_pairs

    def _values_of_certain_links(self, positions: Float32Array) -> Float64Array | float:
        """What certain links were counted with, at each end: stiffness / 4 of their separation."""
        rows, others = self.link_terms.certain
        if not len(rows):
            return 0.0
        apart = separation(positions[rows], positions[others], padded_size(self.repelling))
        block = rows // BLOCK - self.own.start // BLOCK
        return np.asarray(self.stiffness / 4 * np.bincount(block, apart, blocks_of(self.own)))

    @cached_property
    def _diagonal_log_odds(self) -> tuple[Float64Array, Float64Array]:
        """The distinct prior log-odds of a node with itself, and how often each occurs."""
        nodes = np.arange(self.node_count)
        values, counts = np.unique(unlisted_log_odds(self.prior, nodes, nodes), return_counts=True)
        return values, counts.astype(np.float64)

    def softplus_of_self(self, reach: float) -> float:
        """The sum of softplus(z_ii): kernels count a pair of each node with itself."""
        log_odds, counts = self._diagonal_log_odds
        return float(np.sum(counts * uncertain_softplus(log_odds + reach)))

    # ---- samples ---------------------------------------------------------------------------------------------------

    @cached_property
    def unlisted_degrees(self) -> Float64Array:
        """Expected degrees without listed pairs: what a sample estimates before it is corrected."""
        if not self.has_listed_pairs:
            return self.expected_degrees
        listed = self.prior.listed
        rows = np.repeat(np.arange(self.node_count), np.diff(listed.indptr))
        log_odds = unlisted_log_odds(self.prior, rows, listed.indices)
        change = probability(log_odds + listed.value) - probability(log_odds)
        degrees = self.expected_degrees - np.bincount(rows, change, self.node_count)
        # rounding may lead below 0, and a node that is never drawn would be missing from the estimate
        return np.maximum(degrees, self.expected_degrees / 100)

    def proposal_of(self, samples: int) -> SampleProposal:
        """Sampling in proportion to expected degrees."""
        if self.sample_proposal is not None:
            return self.sample_proposal
        shares = np.maximum(self.unlisted_degrees, 0.0)
        if not shares.any():  # no link is possible: whatever is drawn has probability 0
            shares = np.ones_like(shares)
        with np.errstate(divide="ignore"):
            weights = shares.sum() / (samples * shares)
        return SampleProposal(make_proposal(shares), np.where(shares > 0, weights, 0.0).astype(np.float32))

    # ---- listed pairs ----------------------------------------------------------------------------------------------

    @property
    def has_listed_pairs(self) -> bool:
        """Whether the prior has listed pairs."""
        return len(self.prior.listed.indices) > 0

    def correct(self, model: ModelArrays, sums: RepulsionSums) -> None:
        """Correct the repulsion for listed pairs, if there are any."""
        if self.has_listed_pairs:
            grain = min_nodes_per_thread(self.node_count, len(self.prior.listed.indices))
            self.engine.run(correct_listed, self.node_count, model, sums, grain=grain)


def by_block(values: Float64Array) -> Float64Array:
    """Sums over the nodes of each block; `values` begin at the start of a block.

    >>> by_block(np.ones(300)).tolist()
    [256.0, 44.0]
    """
    return np.add.reduceat(values, np.arange(0, len(values), BLOCK)) if len(values) else np.empty(0)


def blocks_of(nodes: slice) -> int:
    """Number of blocks in a range of whole blocks.

    >>> blocks_of(slice(256, 600))
    2
    """
    return int(-(-(nodes.stop - nodes.start) // BLOCK))


def _row_ranges(degrees: Int64Array) -> list[tuple[int, int]]:
    """Ranges of rows with about LINKS_AT_ONCE ends of links each."""
    ends = np.cumsum(degrees)
    cuts = np.searchsorted(
        ends, np.arange(LINKS_AT_ONCE, int(ends[-1]) if len(ends) else 0, LINKS_AT_ONCE), side="right"
    )
    places = np.unique(np.concatenate([[0], cuts, [len(degrees)]])).tolist()
    return list(pairwise(places))


def min_nodes_per_thread(nodes: int, pairs: int) -> int:
    """The smallest number of nodes that is worth a thread where `pairs` pairs are visited one by one.

    Without vectorization, a pair takes ten times the work of a pair in a table.
    """
    return MIN_PAIRS_PER_THREAD * nodes // (10 * pairs + 1) + 1
