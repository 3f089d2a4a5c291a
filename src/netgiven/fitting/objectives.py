"""The three ways to evaluate the objective: over all pairs, over a sample that the prior proposes, and the paper's own.

An objective is called with positions, the reach of the moment and the number of the step, and gives its value (the
negative log-likelihood, plus shrinkage / 2 |X|^2, or an estimate of it) and its gradient, which the next call
overwrites.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from netgiven.errors import InputError
from netgiven.fitting.problem import PAIRS_WORTH_A_THREAD, Task, lookups_worth_a_thread
from netgiven.kernels.arrays import Address, Scene, Sums, tabulate
from netgiven.kernels.attraction import attract
from netgiven.kernels.paper_sampling import Partners, draw_partners, find_way_back, follow_partners, look_up
from netgiven.kernels.repulsion import BLOCK, draw_blocks, repel_all, repel_sampled
from netgiven.kernels.updates import combine
from netgiven.parallel import NODES_WORTH_A_THREAD
from netgiven.types import Float32Array, Float64Array, Int64Array

FRESH = 1 << 40  # steps that no fit reaches: their samples are independent of those it has seen


class Objective(Protocol):
    """Value and gradient at some positions."""

    @property
    def noisy(self) -> bool:
        """Is the value an estimate?"""
        ...

    def __call__(self, positions: Float32Array, reach: float, step: int) -> tuple[float, Float32Array]:
        """The value, and the gradient in an array that the next call overwrites."""
        ...


class InParts(Objective, Protocol):
    """An objective that can be asked of some nodes only: those that the engine of its task has a share in."""

    task: Task

    def look(self, positions: Float32Array, reach: float, step: int) -> tuple[Float64Array, Float32Array]:
        """What each own block of nodes adds to the value, and the gradient, filled in for own nodes."""
        ...


def whole_value(objective: InParts, positions: Float32Array, reach: float, step: int) -> tuple[float, Float32Array]:
    """Value and gradient where all nodes are here."""
    energies, gradient = objective.look(positions, reach, step)
    return objective.task.value(energies, reach, objective.task.link_terms.ends), gradient


class Exact:
    """All pairs: n^2 work a step, and no noise."""

    noisy = False

    def __init__(self, task: Task, dimensions: int) -> None:
        self.task = task
        self._pull = np.empty((task.node_count, dimensions), dtype=np.float32)
        self._sums = Sums(np.empty((task.node_count, dimensions)), np.empty(task.node_count))
        self._stretch = np.empty(task.node_count)

    def __call__(self, positions: Float32Array, reach: float, step: int) -> tuple[float, Float32Array]:
        """Attraction over links minus repulsion over all pairs."""
        return whole_value(self, positions, reach, step)

    def look(self, positions: Float32Array, reach: float, step: int) -> tuple[Float64Array, Float32Array]:
        """The same for own nodes."""
        task, count, run = self.task, self.task.node_count, self.task.engine.run
        scene = task.scene(positions, reach)
        run(attract, count, positions, task.links, self._pull, self._stretch, grain=NODES_WORTH_A_THREAD)
        run(repel_all, count, scene, tabulate(scene), self._sums, grain=PAIRS_WORTH_A_THREAD // count + 1)
        task.correct(scene, self._sums)
        run(combine, count, scene, self._pull, self._sums.push, np.float32(task.shrinkage), grain=NODES_WORTH_A_THREAD)
        return task.energies(positions, self._sums.surprise, self._stretch), self._pull


class Sampled:
    """All links, and `samples` other nodes for each block, drawn in proportion to the prior's expected degrees."""

    noisy = True

    def __init__(self, task: Task, dimensions: int, samples: int, seed: int) -> None:
        self.task, self.seed = task, seed
        self.draws = task.draws_of(samples)
        count = task.node_count
        self._drawn = np.empty((-(-count // BLOCK), samples), dtype=np.int32)
        self._pull = np.empty((count, dimensions), dtype=np.float32)
        self._sums = Sums(np.empty((count, dimensions), dtype=np.float32), np.empty(count))
        self._stretch = np.empty(count)

    def __call__(self, positions: Float32Array, reach: float, step: int) -> tuple[float, Float32Array]:
        """Attraction over links minus an unbiased estimate of the repulsion over all pairs."""
        return whole_value(self, positions, reach, step)

    def look(self, positions: Float32Array, reach: float, step: int) -> tuple[Float64Array, Float32Array]:
        """The same for own nodes."""
        task, count, run = self.task, self.task.node_count, self.task.engine.run
        scene = task.scene(positions, reach)
        self._repel(scene, step)
        run(attract, count, positions, task.links, self._pull, self._stretch, grain=NODES_WORTH_A_THREAD)
        run(combine, count, scene, self._pull, self._sums.push, np.float32(task.shrinkage), grain=NODES_WORTH_A_THREAD)
        return task.energies(positions, self._sums.surprise, self._stretch), self._pull

    def _repel(self, scene: Scene, step: int) -> None:
        blocks, samples = self._drawn.shape
        run, grain = self.task.engine.run, PAIRS_WORTH_A_THREAD // (BLOCK * samples) + 1
        run(draw_blocks, blocks, Address(self.seed, step), self.draws.proposal, self._drawn, grain=8 * grain)
        run(repel_sampled, blocks, self._drawn, self.draws.weights, scene, self._sums, grain=grain)
        self.task.correct(scene, self._sums)

    def estimate(self, positions: Float32Array, reach: float, draws: int) -> tuple[float, float]:
        """The value from several samples that no fit has seen, and its standard error. Links are visited only once."""
        value, _ = self(positions, reach, FRESH)
        surprises = [self._sums.surprise.sum()]
        for draw in range(1, draws):
            self._repel(self.task.scene(positions, reach), FRESH + draw)
            surprises.append(self._sums.surprise.sum())
        better = (np.mean(surprises) - surprises[0]) / 2
        return value + float(better), float(np.std(surprises, ddof=1) / 2 / np.sqrt(draws))


class Paper:
    """`samples` links and as many non-links of each node, uniformly; `weighted` to be unbiased (published: without)."""

    noisy = True

    def __init__(self, task: Task, dimensions: int, samples: int, seed: int, weighted: bool) -> None:
        self.task, self.seed = task, seed
        count = task.node_count
        self._chosen = make_partners(np.diff(task.links.indptr), samples, weighted)
        self._gradient = np.zeros((count, dimensions), dtype=np.float32)
        self._sums = Sums(np.empty((count, dimensions), dtype=np.float32), np.empty(count))

    def __call__(self, positions: Float32Array, reach: float, step: int) -> tuple[float, Float32Array]:
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
        squares = float(np.sum(np.square(positions, dtype=np.float64))) if task.shrinkage else 0.0
        return float(self._sums.surprise.sum()) / 2 + task.shrinkage / 2 * squares, self._gradient


def make_partners(degrees: Int64Array, samples: int, weighted: bool) -> Partners:
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


# ---- How a fit looks at pairs, as values: exact(), sampled(samples), paper(samples, weighted) ------------------------


MOST_NODES_EXACT = 2_000  # above, a sampled fit is as good and far cheaper


@dataclass(frozen=True)
class ExactMethod:
    """All pairs, without noise."""

    name = "exact"

    def objective(self, task: Task, dimensions: int, seed: int) -> Objective:
        """The objective over all pairs."""
        return Exact(task, dimensions)


@dataclass(frozen=True)
class SampledMethod:
    """All links, and `samples` nodes that the prior proposes, shared by a block of nodes."""

    samples: int = 256
    name = "sampled"

    def __post_init__(self) -> None:
        check_samples(self.samples)

    def objective(self, task: Task, dimensions: int, seed: int) -> Objective:
        """The objective over a sample."""
        return Sampled(task, dimensions, self.samples, seed)


@dataclass(frozen=True)
class PaperMethod:
    """The paper's: `samples` links and as many non-links of each node."""

    samples: int = 50
    weighted: bool = False
    name = "paper"

    def __post_init__(self) -> None:
        check_samples(self.samples)

    def objective(self, task: Task, dimensions: int, seed: int) -> Objective:
        """The objective over each node's partners."""
        return Paper(task, dimensions, self.samples, seed, self.weighted)


Method = ExactMethod | SampledMethod | PaperMethod


def exact() -> Method:
    """All pairs, without noise."""
    return ExactMethod()


def sampled(samples: int = 256) -> Method:
    """All links, and `samples` other nodes for each node, drawn in proportion to the prior and weighted to be
    unbiased.
    """
    return SampledMethod(samples)


def paper(samples: int = 50, weighted: bool = False) -> Method:
    """The paper's scheme: `samples` links and as many non-links of each node, drawn uniformly in each step.

    `weighted` makes the sample unbiased; the published tables are without.
    """
    return PaperMethod(samples, weighted)


def choose_method(method: str | Method, node_count: int) -> Method:
    """A method from its name; "auto" picks by the number of nodes.

    >>> choose_method("auto", 100)
    ExactMethod()
    """
    if isinstance(method, (ExactMethod, SampledMethod, PaperMethod)):
        return method
    if method == "auto":
        method = "exact" if node_count <= MOST_NODES_EXACT else "sampled"
    makers = {"exact": exact, "sampled": sampled, "paper": paper}
    if method not in makers:
        raise InputError(f"Method {method!r} was given; it is auto, {', '.join(makers)}, or what they make.")
    return makers[method]()


def method_from_text(text: str) -> str | Method:
    """A method as `str` wrote it.

    >>> method_from_text("SampledMethod(samples=128)")
    SampledMethod(samples=128)
    """
    found = re.fullmatch(r"(Exact|Sampled|Paper)Method\((?:samples=(\d+))?(?:, weighted=(True|False))?\)", text)
    if found is None:
        return text
    if found[1] == "Exact":
        return exact()
    return sampled(int(found[2])) if found[1] == "Sampled" else paper(int(found[2]), found[3] == "True")


def check_samples(samples: int) -> None:
    """At least one sample is needed."""
    if samples < 1:
        raise InputError(f"{samples} samples were asked for; at least 1 is needed (256 is usual, 50 in the paper).")
