"""The three ways to evaluate the objective: over all pairs, over a sample that the prior proposes, and the paper's own.

An objective is called with positions, the reach of the moment and the number of the step, and gives its value (the
negative log-likelihood, plus shrinkage / 2 |X|^2, or an estimate of it) and its gradient, which the next call
overwrites.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
import numpy.typing as npt

from netgiven.engine.local import NODES_WORTH_A_THREAD, Threads
from netgiven.kernels.all_pairs import repel_all
from netgiven.kernels.arrays import Address, Doubles, Floats, Links, PriorArrays, Scene, Sums, tabulate
from netgiven.kernels.attraction import attract
from netgiven.kernels.corrections import correct_listed
from netgiven.kernels.known import known_log_odds, unlisted_log_odds
from netgiven.kernels.partners import Partners, draw_partners, find_way_back, follow_partners, look_up
from netgiven.kernels.repulsion import SURE
from netgiven.kernels.sampled import BLOCK, Proposal, draw_blocks, propose, repel_sampled
from netgiven.kernels.updates import combine
from netgiven.model import probability


@dataclass(frozen=True, eq=False)
class Task:
    """What is to be fitted, in numbers: links, prior, stiffness and shrinkage, and who computes."""

    links: Links
    prior: PriorArrays
    expected_degrees: Doubles
    stiffness: float
    shrinkage: float
    engine: Threads

    @property
    def node_count(self) -> int:
        """Number of nodes."""
        return len(self.links.indptr) - 1

    @property
    def link_count(self) -> int:
        """Number of links."""
        return len(self.links.indices) // 2

    def scene(self, positions: Floats, reach: float) -> Scene:
        """What kernels look at: padded positions, taken as they are."""
        return Scene(positions, self.prior, np.float32(reach), np.float32(self.stiffness / 2))

    @cached_property
    def _link_terms(self) -> tuple[float, int, npt.NDArray[np.int64]]:
        """The prior's log-odds summed over links, how many these are, and the places of certain links, left out."""
        nowhere = np.empty(0, dtype=np.int64)
        if self._only_nodes_differ and 2 * self.prior.node.max() + self.prior.table[0, 0] < SURE:  # without copies
            own = float(np.sum(self.prior.node.astype(np.float64) * np.diff(self.links.indptr)))
            return own + self.link_count * float(self.prior.table[0, 0]), self.link_count, nowhere
        total, count, places = 0.0, 0, [nowhere]
        for begin in range(0, len(self.links.indices), PIECE):
            known = self._known_of_links(begin, begin + PIECE)
            certain = known > SURE
            total, count = total + float(known[~certain].sum()), count + int((~certain).sum())
            places.append(begin + np.flatnonzero(certain))
        return total / 2, count // 2, np.concatenate(places)

    @property
    def _only_nodes_differ(self) -> bool:
        return len(self.prior.table) == 1 and not len(self.prior.left) and not self.anything_listed

    @property
    def anything_listed(self) -> bool:
        """Does the prior list any pair?"""
        return len(self.prior.listed.indices) > 0

    def _known_of_links(self, begin: int, end: int) -> Doubles:
        """The prior's log-odds of the links at places begin to end."""
        second = self.links.indices[begin:end]
        first = np.searchsorted(self.links.indptr, np.arange(begin, begin + len(second)), side="right") - 1
        return known_log_odds(self.prior, first, second)

    def _stretch_of_certain(self, positions: Floats) -> float:
        """|x_i - x_j|^2, summed over both directions of certain links."""
        places = self._link_terms[2]
        if not len(places):
            return 0.0
        rows = np.searchsorted(self.links.indptr, places, side="right") - 1
        return float(np.square(positions[rows] - positions[self.links.indices[places]]).sum(dtype=np.float64))

    @cached_property
    def _known_of_self(self) -> tuple[Doubles, Doubles]:
        """The distinct log-odds of a node with itself, by the prior, and how often each occurs."""
        nodes = np.arange(self.node_count)
        values, counts = np.unique(unlisted_log_odds(self.prior, nodes, nodes), return_counts=True)
        return values, counts.astype(np.float64)

    def surprise_of_self(self, reach: float) -> float:
        """softplus(z_ii), summed: the kernels count a node as its own partner."""
        known, counts = self._known_of_self
        return float(np.sum(counts * np.where(known + reach < SURE, np.logaddexp(0.0, known + reach), 0.0)))

    @cached_property
    def unlisted_degrees(self) -> Doubles:
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

    def correct(self, scene: Scene, sums: Sums) -> None:
        """Put the repulsion right for listed pairs, if there are any."""
        if self.anything_listed:
            grain = lookups_worth_a_thread(self.node_count, len(self.prior.listed.indices))
            self.engine.run(correct_listed, self.node_count, scene, sums, grain=grain)

    def value(self, positions: Floats, reach: float, surprise: Doubles, stretch: Doubles) -> float:
        """The objective, from the kernels' sums for each node."""
        pairs = (float(surprise.sum()) - self.surprise_of_self(reach)) / 2
        known, count, _ = self._link_terms
        squares = float(stretch.sum()) - self._stretch_of_certain(positions)
        linked = known + count * reach - self.stiffness * squares / 4
        return pairs - linked + shrink(positions, self.shrinkage)


def shrink(positions: Floats, shrinkage: float) -> float:
    """Shrinkage / 2 |X|^2."""
    return shrinkage / 2 * float(np.sum(np.square(positions, dtype=np.float64))) if shrinkage else 0.0


FRESH = 1 << 40  # steps that no fit reaches: their samples are independent of those it has seen
PAIRS_WORTH_A_THREAD = 100_000  # about a tenth of a millisecond
PIECE = 1 << 20  # links looked at together, so that memory does not grow with the network


def lookups_worth_a_thread(nodes: int, pairs: int) -> int:
    """Nodes worth a thread where `pairs` pairs are visited one by one: ten times the work of a pair in a table, as
    nothing vectorises.
    """
    return PAIRS_WORTH_A_THREAD * nodes // (10 * pairs + 1) + 1


class Objective(Protocol):
    """Value and gradient at some positions."""

    @property
    def noisy(self) -> bool:
        """Is the value an estimate?"""
        ...

    def __call__(self, positions: Floats, reach: float, step: int) -> tuple[float, Floats]:
        """The value, and the gradient in an array that the next call overwrites."""
        ...


class Exact:
    """All pairs: n^2 work a step, and no noise."""

    noisy = False

    def __init__(self, task: Task, dimensions: int) -> None:
        self.task = task
        self._pull = np.empty((task.node_count, dimensions), dtype=np.float32)
        self._sums = Sums(np.empty((task.node_count, dimensions)), np.empty(task.node_count))
        self._stretch = np.empty(task.node_count)

    def __call__(self, positions: Floats, reach: float, step: int) -> tuple[float, Floats]:
        """Attraction over links minus repulsion over all pairs."""
        task, count, run = self.task, self.task.node_count, self.task.engine.run
        scene = task.scene(positions, reach)
        run(attract, count, positions, task.links, self._pull, self._stretch, grain=NODES_WORTH_A_THREAD)
        run(repel_all, count, scene, tabulate(scene), self._sums, grain=PAIRS_WORTH_A_THREAD // count + 1)
        task.correct(scene, self._sums)
        run(combine, count, scene, self._pull, self._sums.push, np.float32(task.shrinkage), grain=NODES_WORTH_A_THREAD)
        return task.value(positions, reach, self._sums.surprise, self._stretch), self._pull


class Sampled:
    """All links, and `samples` other nodes for each block, drawn in proportion to the prior's expected degrees."""

    noisy = True

    def __init__(self, task: Task, dimensions: int, samples: int, seed: int) -> None:
        self.task, self.seed = task, seed
        self.proposal, self.weights = _proposal(task.unlisted_degrees, samples)
        count = task.node_count
        self._drawn = np.empty((-(-count // BLOCK), samples), dtype=np.int32)
        self._pull = np.empty((count, dimensions), dtype=np.float32)
        self._sums = Sums(np.empty((count, dimensions), dtype=np.float32), np.empty(count))
        self._stretch = np.empty(count)

    def __call__(self, positions: Floats, reach: float, step: int) -> tuple[float, Floats]:
        """Attraction over links minus an unbiased estimate of the repulsion over all pairs."""
        task, count, run = self.task, self.task.node_count, self.task.engine.run
        scene = task.scene(positions, reach)
        self._repel(scene, step)
        run(attract, count, positions, task.links, self._pull, self._stretch, grain=NODES_WORTH_A_THREAD)
        run(combine, count, scene, self._pull, self._sums.push, np.float32(task.shrinkage), grain=NODES_WORTH_A_THREAD)
        return task.value(positions, reach, self._sums.surprise, self._stretch), self._pull

    def _repel(self, scene: Scene, step: int) -> None:
        blocks, samples = self._drawn.shape
        run, grain = self.task.engine.run, PAIRS_WORTH_A_THREAD // (BLOCK * samples) + 1
        run(draw_blocks, blocks, Address(self.seed, step), self.proposal, self._drawn, grain=8 * grain)
        run(repel_sampled, blocks, self._drawn, self.weights, scene, self._sums, grain=grain)
        self.task.correct(scene, self._sums)

    def estimate(self, positions: Floats, reach: float, draws: int) -> tuple[float, float]:
        """The value from several samples that no fit has seen, and its standard error. Links are visited only once."""
        value, _ = self(positions, reach, FRESH)
        surprises = [self._sums.surprise.sum()]
        for draw in range(1, draws):
            self._repel(self.task.scene(positions, reach), FRESH + draw)
            surprises.append(self._sums.surprise.sum())
        better = (np.mean(surprises) - surprises[0]) / 2
        return value + float(better), float(np.std(surprises, ddof=1) / 2 / np.sqrt(draws))


def _proposal(expected_degrees: Doubles, samples: int) -> tuple[Proposal, Floats]:
    """The proposal, and the weight 1 / (K q_j) of each node that can be drawn."""
    chances = np.maximum(expected_degrees, 0.0)
    if not chances.any():  # no link is possible: whatever is drawn has probability 0
        chances = np.ones_like(chances)
    with np.errstate(divide="ignore"):
        weights = chances.sum() / (samples * chances)
    return propose(chances), np.where(chances > 0, weights, 0.0).astype(np.float32)


class Paper:
    """`samples` links and as many non-links of each node, uniformly; `weighted` to be unbiased (published: without)."""

    noisy = True

    def __init__(self, task: Task, dimensions: int, samples: int, seed: int, weighted: bool) -> None:
        self.task, self.seed = task, seed
        count = task.node_count
        self._chosen = make_partners(np.diff(task.links.indptr), samples, weighted)
        self._gradient = np.zeros((count, dimensions), dtype=np.float32)
        self._sums = Sums(np.empty((count, dimensions), dtype=np.float32), np.empty(count))

    def __call__(self, positions: Floats, reach: float, step: int) -> tuple[float, Floats]:
        """The value is that of the partners drawn; unweighted, it is no estimate of the negative log-likelihood.

        Both ends draw, so that each pair has two chances to be drawn: hence the halves.
        """
        task, count, run = self.task, self.task.node_count, self.task.engine.run
        scene = task.scene(positions, reach)
        grain = lookups_worth_a_thread(count, len(self._chosen.node))
        run(draw_partners, count, Address(self.seed, step), task.links, self._chosen, grain=grain)
        if task.anything_listed:
            run(look_up, count, task.prior.listed, self._chosen, grain=grain)
        find_way_back(self._chosen)
        run(follow_partners, count, self._chosen, scene, self._sums, grain=grain)
        np.multiply(self._sums.push, np.float32(0.5), out=self._sums.push)
        self._gradient[:] = 0.0
        run(
            combine,
            count,
            scene,
            self._gradient,
            self._sums.push,
            np.float32(task.shrinkage),
            grain=NODES_WORTH_A_THREAD,
        )
        return float(self._sums.surprise.sum()) / 2 + shrink(positions, task.shrinkage), self._gradient


def make_partners(degrees: npt.NDArray[np.int64], samples: int, weighted: bool) -> Partners:
    """How many links and others each node draws, what they weigh, and room for them."""
    count = len(degrees)
    rest = count - 1 - degrees
    linked = np.minimum(degrees, np.maximum(samples, 2 * samples - rest))
    others = np.minimum(rest, 2 * samples - linked)
    indptr = np.concatenate([[0], np.cumsum(linked + others)])
    ones = np.ones(count, dtype=np.float32)
    link_weight = (degrees / np.maximum(linked, 1)).astype(np.float32) if weighted else ones
    other_weight = (rest / np.maximum(others, 1)).astype(np.float32) if weighted else ones
    node, places = np.empty(indptr[-1], dtype=np.int32), np.empty(indptr[-1], dtype=np.int64)
    owner = np.repeat(np.arange(count, dtype=np.int32), linked + others)
    back = np.empty(count + 1, dtype=np.int64)
    listed = np.zeros(indptr[-1], dtype=np.float32)
    return Partners(indptr, node, owner, linked, link_weight, other_weight, listed, back, places)
