"""What is to be fitted, in numbers, and what all objectives share.

Sums over nodes are made block by block of nodes, and then over blocks: so whoever has a range of whole blocks, on
whatever machine, adds the same numbers in the same order.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from netgiven.kernels.arrays import Links, PriorArrays, Scene, Sums
from netgiven.kernels.attraction import attract
from netgiven.kernels.csr import renumber_rows
from netgiven.kernels.prior_logit import known_log_odds, unlisted_log_odds
from netgiven.kernels.repulsion import BLOCK, SURE, Proposal, correct_listed, propose
from netgiven.model import probability
from netgiven.parallel import NODES_WORTH_A_THREAD, Engine
from netgiven.types import Float32Array, Float64Array, Int32Array, Int64Array

PAIRS_WORTH_A_THREAD = 100_000  # about a tenth of a millisecond
PIECE = 1 << 20  # links looked at together, so that memory does not grow with the network


class LinkTerms(NamedTuple):
    """What links add to the objective that does not depend on positions."""

    known: Float64Array  # for each block: half of the prior's log-odds, summed over the ends of links
    ends: int  # how many ends of links these are, from both sides
    certain: tuple[Int64Array, Int64Array]  # left out, as the prior is sure of them: both nodes of such links


class Draws(NamedTuple):
    """Whom a sample of K nodes draws, and the weight 1 / (K q_j) of each."""

    proposal: Proposal
    weights: Float32Array


@dataclass(frozen=True, eq=False)
class Task:
    """What is to be fitted: links, prior, stiffness and shrinkage, and who computes.

    `draws` come along where somebody else found them out for all.
    """

    links: Links
    prior: PriorArrays
    expected_degrees: Float64Array
    stiffness: float
    shrinkage: float
    engine: Engine
    draws: Draws | None = None

    @property
    def node_count(self) -> int:
        """Number of nodes."""
        return len(self.links.indptr) - 1

    @property
    def link_count(self) -> int:
        """Number of links."""
        return len(self.links.indices) // 2

    @property
    def own(self) -> slice:
        """The nodes that are computed here: all, or a range of whole blocks."""
        return self.engine.share(self.node_count)

    def scene(self, positions: Float32Array, reach: float) -> Scene:
        """What kernels look at: padded positions, taken as they are."""
        return Scene(positions, self.prior, np.float32(reach), np.float32(self.stiffness / 2))

    def pull(self, positions: Float32Array) -> Float32Array:
        """d_i x_i minus the sum over the neighbours of i."""
        pull, stretch = np.empty_like(positions), np.empty(self.node_count)
        self.engine.run(attract, self.node_count, positions, self.links, pull, stretch, grain=NODES_WORTH_A_THREAD)
        return pull

    def links_in(self, order: Int64Array, place: Int32Array) -> dict[str, Any]:
        """The fields of this task that hold links, where node order[i] is now node i, and i now place[i]."""
        degrees = np.diff(self.links.indptr)[order]
        indptr = np.concatenate([[0], np.cumsum(degrees)])
        links = Links(indptr, np.empty_like(self.links.indices))
        self.engine.run(renumber_rows, len(order), self.links, order, place, links, grain=NODES_WORTH_A_THREAD)
        return {"links": links}

    # ---- value -----------------------------------------------------------------------------------------------------

    def energies(self, positions: Float32Array, surprise: Float64Array, stretch: Float64Array) -> Float64Array:
        """What each own block adds to the objective, from the kernels' sums for each node; a pair counts half at each
        of its ends.
        """
        own = self.own
        nodes = surprise[own] / 2 + (self.stiffness / 4) * stretch[own]
        if self.shrinkage:
            nodes += self.shrinkage / 2 * np.square(positions[own], dtype=np.float64).sum(axis=1)
        return by_block(nodes) - self.link_terms.known - self._energies_of_certain(positions)

    def value(self, energies: Float64Array, reach: float, ends: int) -> float:
        """The objective, from the energies of all blocks and the number of ends of uncertain links."""
        return float(energies.sum()) - self.surprise_of_self(reach) / 2 - ends / 2 * reach

    @cached_property
    def link_terms(self) -> LinkTerms:
        """What the prior says of the links of own nodes."""
        nowhere = np.empty(0, dtype=np.int64)
        degrees = np.diff(self.links.indptr[self.own.start : self.own.stop + 1])
        if self._only_nodes_differ and 2 * self.prior.node.max() + self.prior.table[0, 0] < SURE:  # without copies
            half = self.prior.node[self.own].astype(np.float64) + float(self.prior.table[0, 0]) / 2
            return LinkTerms(by_block(half * degrees), int(degrees.sum()), (nowhere, nowhere))
        return self._looked_up(degrees)

    def _looked_up(self, degrees: Int64Array) -> LinkTerms:
        """The same, link by link, in pieces."""
        halves, ends, rows, others = np.empty(len(degrees)), 0, [], []
        for low, high in _pieces(degrees):
            begin, end = (self.links.indptr[self.own.start + place] for place in (low, high))
            row = np.repeat(np.arange(self.own.start + low, self.own.start + high), degrees[low:high])
            other = self.links.indices[begin:end].astype(np.int64)
            known = known_log_odds(self.prior, row, other)
            certain = known > SURE
            known[certain] = 0.0
            halves[low:high] = np.bincount(row - (self.own.start + low), known, high - low) / 2
            ends += int(np.count_nonzero(~certain))
            rows.append(row[certain])
            others.append(other[certain])
        nowhere = np.empty(0, dtype=np.int64)
        return LinkTerms(by_block(halves), ends, (np.concatenate([nowhere, *rows]), np.concatenate([nowhere, *others])))

    @property
    def _only_nodes_differ(self) -> bool:
        return len(self.prior.table) == 1 and not len(self.prior.left) and not self.anything_listed

    def _energies_of_certain(self, positions: Float32Array) -> Float64Array | float:
        """What was counted of certain links: stiffness / 4 |x_i - x_j|^2 at each end."""
        rows, others = self.link_terms.certain
        if not len(rows):
            return 0.0
        squares = np.square(positions[rows] - positions[others]).sum(axis=1, dtype=np.float64)
        block = rows // BLOCK - self.own.start // BLOCK
        return np.asarray(self.stiffness / 4 * np.bincount(block, squares, blocks_of(self.own)))

    @cached_property
    def _known_of_self(self) -> tuple[Float64Array, Float64Array]:
        """The distinct log-odds of a node with itself, by the prior, and how often each occurs."""
        nodes = np.arange(self.node_count)
        values, counts = np.unique(unlisted_log_odds(self.prior, nodes, nodes), return_counts=True)
        return values, counts.astype(np.float64)

    def surprise_of_self(self, reach: float) -> float:
        """softplus(z_ii), summed: the kernels count a node as its own partner."""
        known, counts = self._known_of_self
        return float(np.sum(counts * np.where(known + reach < SURE, np.logaddexp(0.0, known + reach), 0.0)))

    # ---- samples ---------------------------------------------------------------------------------------------------

    @cached_property
    def unlisted_degrees(self) -> Float64Array:
        """Expected degrees as if nothing were listed: the sum that a sample estimates, before it is corrected."""
        if not self.anything_listed:
            return self.expected_degrees
        listed = self.prior.listed
        rows = np.repeat(np.arange(self.node_count), np.diff(listed.indptr))
        known = unlisted_log_odds(self.prior, rows, listed.indices)
        change = probability(known + listed.value) - probability(known)
        degrees = self.expected_degrees - np.bincount(rows, change, self.node_count)
        # what rounding may take below 0 keeps a chance: a node that is never drawn would be missing
        return np.maximum(degrees, self.expected_degrees / 100)

    def draws_of(self, samples: int) -> Draws:
        """In proportion to expected degrees."""
        if self.draws is not None:
            return self.draws
        chances = np.maximum(self.unlisted_degrees, 0.0)
        if not chances.any():  # no link is possible: whatever is drawn has probability 0
            chances = np.ones_like(chances)
        with np.errstate(divide="ignore"):
            weights = chances.sum() / (samples * chances)
        return Draws(propose(chances), np.where(chances > 0, weights, 0.0).astype(np.float32))

    # ---- listed pairs ----------------------------------------------------------------------------------------------

    @property
    def anything_listed(self) -> bool:
        """Does the prior list any pair?"""
        return len(self.prior.listed.indices) > 0

    def correct(self, scene: Scene, sums: Sums) -> None:
        """Put the repulsion right for listed pairs, if there are any."""
        if self.anything_listed:
            grain = lookups_worth_a_thread(self.node_count, len(self.prior.listed.indices))
            self.engine.run(correct_listed, self.node_count, scene, sums, grain=grain)


def by_block(values: Float64Array) -> Float64Array:
    """Sums over the nodes of each block; `values` begin with those of a block.

    >>> by_block(np.ones(300)).tolist()
    [256.0, 44.0]
    """
    return np.add.reduceat(values, np.arange(0, len(values), BLOCK)) if len(values) else np.empty(0)


def blocks_of(nodes: slice) -> int:
    """How many blocks a range of whole blocks has.

    >>> blocks_of(slice(256, 600))
    2
    """
    return int(-(-(nodes.stop - nodes.start) // BLOCK))


def _pieces(degrees: Int64Array) -> list[tuple[int, int]]:
    """Ranges of rows with about PIECE ends of links each."""
    ends = np.cumsum(degrees)
    cuts = np.searchsorted(ends, np.arange(PIECE, int(ends[-1]) if len(ends) else 0, PIECE), side="right")
    places = np.unique(np.concatenate([[0], cuts, [len(degrees)]])).tolist()
    return list(pairwise(places))


def lookups_worth_a_thread(nodes: int, pairs: int) -> int:
    """Nodes worth a thread where `pairs` pairs are visited one by one: ten times the work of a pair in a table, as
    nothing vectorises.
    """
    return PAIRS_WORTH_A_THREAD * nodes // (10 * pairs + 1) + 1
