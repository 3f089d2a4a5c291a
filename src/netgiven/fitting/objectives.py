"""Three ways to evaluate the objective: over all pairs, over a sample drawn from the prior, and the paper's own.

An objective is called with positions, the current reach and the number of the step. It returns its value (the negative
log-likelihood plus shrinkage / 2 |X|^2, or an estimate of it) and its gradient, in an array that the next call
overwrites.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar, Protocol, TypeVar, runtime_checkable

import numpy as np

from netgiven.errors import InputError, did_you_mean, is_one_of
from netgiven.fitting.problem import MIN_PAIRS_PER_THREAD, Problem, min_nodes_per_thread
from netgiven.kernels.arrays import ModelArrays, RandomKey, RepulsionSums, make_tables
from netgiven.kernels.paper_sampling import DrawnPairs, draw_pairs, fill_listed, fill_reverse, sum_drawn_pairs
from netgiven.kernels.repulsion import BLOCK, draw_blocks, repel_all, repel_sampled
from netgiven.types import Float32Array, Float64Array, Int64Array

FRESH_STEP = 1 << 40  # beyond the steps of any fit: samples drawn from here on are independent of those it used

MethodType = TypeVar("MethodType", bound="Method")


class Objective(Protocol):
    """Value and gradient at some positions."""

    @property
    def noisy(self) -> bool:
        """Whether the value is an estimate."""
        ...

    def __call__(self, positions: Float32Array, reach: float, step: int) -> tuple[float, Float32Array]:
        """The value, and the gradient in an array that the next call overwrites."""
        ...


@runtime_checkable
class ShardableObjective(Objective, Protocol):
    """An objective that can be evaluated for some of the nodes: those that the engine of its problem owns."""

    problem: Problem

    def evaluate(self, positions: Float32Array, reach: float, step: int) -> tuple[Float64Array, Float32Array]:
        """What each own block of nodes adds to the value, and the gradient, filled in for own nodes."""
        ...


def value_and_gradient(
    objective: ShardableObjective, positions: Float32Array, reach: float, step: int
) -> tuple[float, Float32Array]:
    """Value and gradient where the engine owns all nodes."""
    block_values, gradient = objective.evaluate(positions, reach, step)
    return objective.problem.value(block_values, reach, objective.problem.link_terms.ends), gradient


class ExactObjective:
    """The objective over all pairs: n^2 work per step, and no noise."""

    noisy = False

    def __init__(self, problem: Problem, dimensions: int) -> None:
        self.problem = problem
        self._gradient = np.empty((problem.node_count, dimensions), dtype=np.float32)
        self._sums = RepulsionSums(np.empty((problem.node_count, dimensions)), np.empty(problem.node_count))
        self._separation = np.empty(problem.node_count)

    def __call__(self, positions: Float32Array, reach: float, step: int) -> tuple[float, Float32Array]:
        """Attraction over links minus repulsion over all pairs."""
        return value_and_gradient(self, positions, reach, step)

    def evaluate(self, positions: Float32Array, reach: float, step: int) -> tuple[Float64Array, Float32Array]:
        """Block values and gradient of own nodes."""
        problem, count, run = self.problem, self.problem.node_count, self.problem.engine.run
        model = problem.model(positions, reach)
        problem.attract(positions, self._gradient, self._separation)
        run(repel_all, count, model, make_tables(model), self._sums, grain=MIN_PAIRS_PER_THREAD // count + 1)
        problem.correct(model, self._sums)
        problem.combine(model, self._gradient, self._sums)
        return problem.block_values(positions, self._sums.softplus, self._separation), self._gradient


class SampledObjective:
    """The objective over all links and `samples` other nodes per block, drawn in proportion to expected degrees."""

    noisy = True

    def __init__(self, problem: Problem, dimensions: int, samples: int, seed: int) -> None:
        self.problem, self.seed = problem, seed
        self._proposal = problem.proposal_of(samples)
        count = problem.node_count
        self._drawn = np.empty((-(-count // BLOCK), samples), dtype=np.int32)
        self._gradient = np.empty((count, dimensions), dtype=np.float32)
        self._sums = RepulsionSums(np.empty((count, dimensions), dtype=np.float32), np.empty(count))
        self._separation = np.empty(count)

    def __call__(self, positions: Float32Array, reach: float, step: int) -> tuple[float, Float32Array]:
        """Attraction over links minus an unbiased estimate of the repulsion over all pairs."""
        return value_and_gradient(self, positions, reach, step)

    def evaluate(self, positions: Float32Array, reach: float, step: int) -> tuple[Float64Array, Float32Array]:
        """Block values and gradient of own nodes."""
        problem = self.problem
        model = problem.model(positions, reach)
        self._repel(model, step)
        problem.attract(positions, self._gradient, self._separation)
        problem.combine(model, self._gradient, self._sums)
        return problem.block_values(positions, self._sums.softplus, self._separation), self._gradient

    def _repel(self, model: ModelArrays, step: int) -> None:
        blocks, samples = self._drawn.shape
        run, grain = self.problem.engine.run, MIN_PAIRS_PER_THREAD // (BLOCK * samples) + 1
        run(draw_blocks, blocks, RandomKey(self.seed, step), self._proposal.proposal, self._drawn, grain=8 * grain)
        run(repel_sampled, blocks, self._drawn, self._proposal.weights, model, self._sums, grain=grain)
        self.problem.correct(model, self._sums)

    def estimate(self, positions: Float32Array, reach: float, draws: int) -> tuple[float, float]:
        """The value from several fresh samples, and its standard error. Links are visited only once."""
        value, _ = self(positions, reach, FRESH_STEP)
        softplus_sums = [self._sums.softplus.sum()]
        for draw in range(1, draws):
            self._repel(self.problem.model(positions, reach), FRESH_STEP + draw)
            softplus_sums.append(self._sums.softplus.sum())
        better = (np.mean(softplus_sums) - softplus_sums[0]) / 2
        return value + float(better), float(np.std(softplus_sums, ddof=1) / 2 / np.sqrt(draws))


class PaperObjective:
    """The objective over `samples` links and as many non-links of each node, drawn uniformly."""

    noisy = True

    def __init__(self, problem: Problem, dimensions: int, samples: int, seed: int, weighted: bool) -> None:
        self.problem, self.seed = problem, seed
        count = problem.node_count
        self._pairs = make_drawn_pairs(np.diff(problem.links.indptr), samples, weighted)
        self._gradient = np.zeros((count, dimensions), dtype=np.float32)
        self._sums = RepulsionSums(np.empty((count, dimensions), dtype=np.float32), np.empty(count))

    def __call__(self, positions: Float32Array, reach: float, step: int) -> tuple[float, Float32Array]:
        """The value over the sampled pairs; without weights it does not estimate the negative log-likelihood.

        Both nodes of a pair may sample it: hence the factors 1/2.
        """
        problem, count, run = self.problem, self.problem.node_count, self.problem.engine.run
        model = problem.model(positions, reach)
        grain = min_nodes_per_thread(count, len(self._pairs.node))
        run(draw_pairs, count, RandomKey(self.seed, step), problem.links, self._pairs, grain=grain)
        if problem.has_listed_pairs:
            run(fill_listed, count, problem.prior.listed, self._pairs, grain=grain)
        fill_reverse(self._pairs)
        run(sum_drawn_pairs, count, self._pairs, model, self._sums, grain=grain)
        np.multiply(self._sums.repulsion, np.float32(0.5), out=self._sums.repulsion)
        self._gradient[:] = 0.0
        problem.combine(model, self._gradient, self._sums)
        return float(self._sums.softplus.sum()) / 2 + float(np.sum(problem.penalties(positions))), self._gradient


def make_drawn_pairs(degrees: Int64Array, samples: int, weighted: bool) -> DrawnPairs:
    """How many links and non-links each node draws, their weights, and arrays for them."""
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
    return DrawnPairs(indptr, node, owner, linked, link_weight, other_weight, listed, back, places)


# ---- methods: which objective a fit uses, as values ----------------------------------------------------------------

MAX_NODES_EXACT = 2_000  # above, a sampled fit is as good and far cheaper
MAX_NODES_WITH_ALL_SAMPLES, FEWER_SAMPLES = 200_000, 128  # above, half of the samples end at the same AUC


class Method(ABC):
    """Which pairs a step of a fit looks at.

    A new method is a frozen dataclass with an objective, registered under its name: `Settings`, the command line and
    saved files find it there.
    """

    name: ClassVar[str]
    noisy: ClassVar[bool] = True  # is the objective an estimate?
    shardable: ClassVar[bool] = False  # can workers evaluate it for some of the nodes?

    @abstractmethod
    def objective(self, problem: Problem, dimensions: int, seed: int) -> Objective:
        """The objective that the method evaluates."""

    def default_steps(self, optimizer: str) -> int:
        """How many steps are usually enough."""
        return 300


METHODS: dict[str, type[Method]] = {}


def register_method(kind: type[MethodType]) -> type[MethodType]:
    """Make a method known by its name."""
    METHODS[kind.name] = kind
    return kind


@register_method
@dataclass(frozen=True)
class ExactMethod(Method):
    """All pairs, without noise."""

    name = "exact"
    noisy = False
    shardable = True

    def objective(self, problem: Problem, dimensions: int, seed: int) -> Objective:
        """The objective over all pairs."""
        return ExactObjective(problem, dimensions)

    def default_steps(self, optimizer: str) -> int:
        """L-BFGS takes more steps, of which many only try a step length."""
        return 500 if optimizer == "lbfgs" else 300


@register_method
@dataclass(frozen=True)
class SampledMethod(Method):
    """All links, and `samples` nodes drawn in proportion to the prior, shared by a block of nodes."""

    samples: int = 256
    name = "sampled"
    shardable = True

    def __post_init__(self) -> None:
        _check_samples(self.samples)

    def objective(self, problem: Problem, dimensions: int, seed: int) -> Objective:
        """The objective over a sample."""
        return SampledObjective(problem, dimensions, self.samples, seed)

    def default_steps(self, optimizer: str) -> int:
        """Half as many as without sampling: noise hides what further steps gain."""
        return 150


@register_method
@dataclass(frozen=True)
class PaperMethod(Method):
    """The paper's sampling: `samples` links and as many non-links of each node."""

    samples: int = 50
    weighted: bool = False
    name = "paper"

    def __post_init__(self) -> None:
        _check_samples(self.samples)

    def objective(self, problem: Problem, dimensions: int, seed: int) -> Objective:
        """The objective over each node's sampled partners."""
        return PaperObjective(problem, dimensions, self.samples, seed, self.weighted)


def exact() -> ExactMethod:
    """Look at all pairs in each step, without noise.

    Returns
    -------
    ExactMethod
        A value for `embed(method=...)`.

    Examples
    --------
    >>> exact()
    ExactMethod()
    """
    return ExactMethod()


def sampled(samples: int = 256) -> SampledMethod:
    """Look at all links and a sample of other pairs in each step.

    Parameters
    ----------
    samples
        How many other nodes each node is compared with, drawn in proportion to the prior's expected degrees and
        weighted so that the objective is unbiased. A block of 256 nodes shares its sample.

    Returns
    -------
    SampledMethod
        A value for `embed(method=...)`.

    Raises
    ------
    InputError
        If `samples` is below 1.

    Examples
    --------
    >>> sampled(128)
    SampledMethod(samples=128)
    """
    return SampledMethod(samples)


def paper(samples: int = 50, weighted: bool = False) -> PaperMethod:
    """Look at `samples` links and as many non-links of each node, drawn uniformly in each step, as the paper does.

    Parameters
    ----------
    samples
        Number of links, and of non-links, per node and step.
    weighted
        Weight the sample so that the objective is unbiased. The published tables are without weights.

    Returns
    -------
    PaperMethod
        A value for `embed(method=...)`.

    Raises
    ------
    InputError
        If `samples` is below 1.

    Examples
    --------
    >>> paper(10)
    PaperMethod(samples=10, weighted=False)
    """
    return PaperMethod(samples, weighted)


def make_method(method: str | Method, node_count: int = 0, **parameters: int | bool) -> Method:
    """A method from its name; "auto" depends on the number of nodes.

    >>> make_method("auto", 100), make_method("auto", 1_000_000), make_method("sampled", samples=64)
    (ExactMethod(), SampledMethod(samples=128), SampledMethod(samples=64))
    """
    if isinstance(method, Method):
        return method
    if is_one_of(method, ["auto"]):
        return _method_for(node_count)
    if not is_one_of(method, METHODS):
        meant = did_you_mean(method, ["auto", *METHODS])
        raise InputError(
            f"method = {method!r} was given; it is auto, {', '.join(METHODS)}, or what these return.{meant}"
        )
    return METHODS[method](**parameters)


def _method_for(node_count: int) -> Method:
    if node_count <= MAX_NODES_EXACT:
        return exact()
    return sampled() if node_count <= MAX_NODES_WITH_ALL_SAMPLES else sampled(FEWER_SAMPLES)


def _check_samples(samples: int) -> None:
    if not isinstance(samples, (int, np.integer)) or samples < 1:
        raise InputError(f"samples = {samples} was given; a whole number of at least 1 is needed (256 is usual).")
