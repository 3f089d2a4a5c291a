"""Choose dimensions, reach and shrinkage on validation splits: by default, on held-out links.

One fit with middling hyperparameters is made, and then the search moves along the grid of each hyperparameter in turn.
A trial starts from the positions of the best one so far, takes a few steps with the new values, and is scored: measured
against whole fits, that is as informative and costs a seventh. Where there are several splits, a trial runs on each.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, NamedTuple, Protocol

import numpy as np

from netgiven.fitting.fit import initial_positions, make_problem
from netgiven.fitting.initialization import along_principal_axes, random_positions
from netgiven.fitting.memory_order import diffusion_order, in_network_order, reordered
from netgiven.fitting.objectives import sampled
from netgiven.fitting.problem import Problem
from netgiven.fitting.progress import stage, trial_counter
from netgiven.fitting.record import Trial
from netgiven.fitting.settings import ResolvedSettings, Settings
from netgiven.fitting.train import ConvergenceMonitor, LocalStepper, Schedule, train
from netgiven.kernels.arrays import padded
from netgiven.metrics import auc, auc_gain
from netgiven.model import Spread
from netgiven.network import Network
from netgiven.parallel import Engine, threads
from netgiven.priors.knowledge import Priors
from netgiven.priors.prior import Prior, posterior_log_odds
from netgiven.splits import LinkSplit, hide_links
from netgiven.types import Float32Array, Float64Array, Int64Array

Hyperparameters = dict[str, float]
FitPriors = Callable[[Network], Priors]

GRIDS: dict[str, tuple[float, ...]] = {
    "reach": (0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 5.5, 7.0, 9.0),
    "shrinkage": (0.0, 0.3, 1.0, 3.0, 10.0),
    "dimensions": (2, 4, 8, 16, 32, 64, 128),
}
NODES_PER_DIMENSION = 8  # with fewer, an embedding learns the network by heart
MAX_COORDINATES = 32_000_000  # of all nodes: a million nodes in 32 dimensions take minutes; more only on request
NEGLIGIBLE_REACH = 0.01  # the embedding adds next to nothing, and the prior remains

# Of a large network a smaller share of the links is informative enough, and the search begins with few dimensions and
# takes short trials: a trial in 64 dimensions would take longer than the whole fit in 8.
MANY_NODES, MAX_LINKS_HELD_OUT = 200_000, 100_000
INITIAL = {"reach": 3.0, "shrinkage": 1.0, "dimensions": 64.0}
INITIAL_FOR_MANY_NODES = {"reach": 2.0, "shrinkage": 0.3, "dimensions": 8.0}


class TrialBudget(NamedTuple):
    """Steps of a trial, and how many non-links a block of nodes is compared with in each."""

    steps: int = 30
    samples: int = 128


class ValidationSplit(Protocol):
    """A training network from which something is held out, and a score for how well it is predicted."""

    @property
    def initial(self) -> Hyperparameters:
        """Where the search begins, and the order in which hyperparameters are searched."""
        ...

    @property
    def budget(self) -> TrialBudget:
        """What a trial needs before its score can be trusted."""
        ...

    @property
    def min_improvement(self) -> float:
        """How much better a score must be to count as better: what chance alone would do."""
        ...

    @property
    def train(self) -> Network:
        """The network that trials are fitted to."""
        ...

    @property
    def prior(self) -> Prior:
        """The prior that trials are fitted with."""
        ...

    def score(self, positions: Float32Array, spread: Spread) -> float:
        """How well positions predict what is held out; higher is better."""
        ...

    def gain(self, positions: Float32Array, spread: Spread) -> tuple[float, float]:
        """How much better they predict it than the prior alone, and the standard error of that."""
        ...


Validation = Callable[[Network, FitPriors, int], Sequence[ValidationSplit]]


# ---- held-out links --------------------------------------------------------------------------------------------------

# A tenth of the links is held out: with more, the choice would suit a sparser network than the one to be fitted. Of a
# small network it is more, several times over, because chance has more influence there.
SHARE_HELD_OUT, MAX_SHARE_HELD_OUT, ENOUGH_LINKS = 0.1, 0.2, 1_000
MIN_LINKS = 30  # with fewer held-out links, a score means nothing
MAX_SPLITS = 4


@dataclass(frozen=True)
class HeldOutLinks:
    """Some links are held out; the score is the AUC against pairs that were never linked."""

    split: LinkSplit
    priors: Priors
    min_improvement: ClassVar[float] = 0.0  # the same pairs are scored each time, and there are many

    @property
    def initial(self) -> Hyperparameters:
        """Many dimensions, unless there are many nodes."""
        return INITIAL_FOR_MANY_NODES if self._is_large else INITIAL

    @property
    def budget(self) -> TrialBudget:
        """The usual one, unless there are many nodes."""
        return TrialBudget(steps=12) if self._is_large else TrialBudget()

    @property
    def _is_large(self) -> bool:
        return self.train.node_count > MANY_NODES

    @property
    def train(self) -> Network:
        """The network without the held-out links."""
        return self.split.train

    @property
    def prior(self) -> Prior:
        """The prior that trials are fitted with."""
        return self.priors.train

    def score(self, positions: Float32Array, spread: Spread) -> float:
        """The AUC on held-out links."""
        return auc(self.split.truth, self._log_odds(positions, spread))

    def gain(self, positions: Float32Array, spread: Spread) -> tuple[float, float]:
        """The AUC above that of the prior."""
        prior = self.priors.predict.log_odds_of(*self.split.pairs.T)
        return auc_gain(self.split.truth, self._log_odds(positions, spread), prior)

    def _log_odds(self, positions: Float32Array, spread: Spread) -> Float64Array:
        return posterior_log_odds(self.priors.predict, positions, spread, *self.split.pairs.T)


def held_out_links(network: Network, fit_priors: FitPriors, seed: int) -> list[HeldOutLinks]:
    """One split of a large network, several of a small one, none where there are too few links to hold out."""
    links = max(network.link_count, 1)
    share = min(max(SHARE_HELD_OUT, ENOUGH_LINKS / links), MAX_SHARE_HELD_OUT)
    if network.node_count > MANY_NODES:
        share = min(share, MAX_LINKS_HELD_OUT / links)
    first = hide_links(network, share, seed)
    if min(len(first.hidden), len(first.others)) < MIN_LINKS:
        return []
    count = min(-(-ENOUGH_LINKS // len(first.hidden)), MAX_SPLITS)
    splits = [first, *(hide_links(network, share, seed + more) for more in range(1, count))]
    return [HeldOutLinks(split, fit_priors(split.train)) for split in splits]


# ---- the search ------------------------------------------------------------------------------------------------------

FIRST_STEPS, FIRST_LEARNING_RATE, FIRST_WARMUP, FIRST_DECAY = 100, 0.2, 0.4, 0.25
TRIAL_LEARNING_RATE, TRIAL_DECAY = 0.1, 0.6
NEW_COORDINATE_SCALE = 0.1  # standard deviation, in units of one over the square root of the stiffness


def select_settings(
    network: Network,
    fit_priors: FitPriors,
    settings: Settings,
    validation: Validation | None = None,
    thread_count: int | None = None,
    progress: bool | None = None,
) -> tuple[Settings, list[Trial]]:
    """Settings with the open hyperparameters chosen, and all trials; as they are where nothing can be chosen."""
    if not settings.open_hyperparameters:
        return settings, []
    with stage("choosing settings", progress):
        splits = (validation or held_out_links)(network, fit_priors, settings.seed)
    return search_settings(splits, settings, thread_count, progress) if splits else (settings, [])


def search_settings(
    splits: Sequence[ValidationSplit],
    settings: Settings,
    thread_count: int | None = None,
    progress: bool | None = None,
) -> tuple[Settings, list[Trial]]:
    """The settings with the best mean score over the splits, and all trials."""
    initial, nodes = splits[0].initial, splits[0].train.node_count
    grids = {name: _grid(name, nodes) for name in initial if name in settings.open_hyperparameters}
    with threads(thread_count) as engine, trial_counter("choosing settings", progress) as show_trial:
        search = GridSearch(splits, settings, engine, show_trial)
        search.begin({name: max(value for value in grid if value <= initial[name]) for name, grid in grids.items()})
        for name in (*grids, *(["reach"] if len(grids) > 1 and "reach" in grids else [])):
            search.move_along(name, grids[name])
    return search.result(keep_reach="reach" not in grids), search.trials


def _grid(name: str, nodes: int) -> tuple[float, ...]:
    allowed = min(nodes // NODES_PER_DIMENSION, MAX_COORDINATES // max(nodes, 1))
    largest = max(allowed, GRIDS[name][0]) if name == "dimensions" else np.inf
    return tuple(value for value in GRIDS[name] if value <= largest)


class ValidationProblem(NamedTuple):
    """A validation split as kernels take it, made once for all trials.

    Nodes of a large network are in an order that suits the memory, and so are positions until they are scored.
    """

    split: ValidationSplit
    problem: Problem
    order: Int64Array | None

    @classmethod
    def make(cls, split: ValidationSplit, settings: ResolvedSettings, engine: Engine) -> ValidationProblem:
        """The problem of a split."""
        problem = make_problem(split.train, split.prior, settings, engine)
        if split.train.node_count <= MANY_NODES:
            return cls(split, problem, None)
        order = diffusion_order(problem, settings.seed)
        return cls(split, reordered(problem, order), order)

    def initial_positions(self, settings: ResolvedSettings) -> Float32Array:
        """Positions that the first fit begins with."""
        plain = make_problem(self.split.train, self.split.prior, settings, self.problem.engine)
        positions = initial_positions(self.split.train, self.split.prior, settings, plain)
        return positions if self.order is None else positions[self.order]

    def train(self, settings: ResolvedSettings, positions: Float32Array, schedule: Schedule, seed: int) -> Float32Array:
        """Positions after some steps, without padding."""
        problem = replace(self.problem, stiffness=settings.spread.stiffness, shrinkage=settings.shrinkage)
        objective = settings.method.objective(problem, positions.shape[1], seed)
        stepper = LocalStepper(objective, settings.make_optimizer(), positions, problem.engine)
        train(stepper, ConvergenceMonitor(schedule, objective.noisy))
        return positions[:, : settings.dimensions].copy()

    def score(self, positions: Float32Array, spread: Spread) -> float:
        """How well positions predict what is held out."""
        return self.split.score(self._in_network_order(positions), spread)

    def gain(self, positions: Float32Array, spread: Spread) -> tuple[float, float]:
        """How much better they predict it than the prior alone, and the standard error of that."""
        return self.split.gain(self._in_network_order(positions), spread)

    def _in_network_order(self, positions: Float32Array) -> Float32Array:
        return positions if self.order is None else in_network_order(positions, self.order)


class GridSearch:
    """All trials so far, and the best of them."""

    def __init__(
        self,
        splits: Sequence[ValidationSplit],
        settings: Settings,
        engine: Engine,
        show_trial: Callable[[str], None],
    ) -> None:
        self.splits, self.settings, self.show_trial = splits, settings, show_trial
        self._problems = [ValidationProblem.make(split, self._resolve(settings), engine) for split in splits]
        self.trials: list[Trial] = []
        self.best: Hyperparameters = {}
        self._score = -np.inf
        self._positions: list[Float32Array] = []  # of the best trial, on each split

    def begin(self, values: Hyperparameters) -> None:
        """Make the one whole fit; then try its values like all others, so that none has an advantage."""
        settings = _with_values(self.settings, values)
        schedule = self._schedule(settings, FIRST_STEPS, FIRST_LEARNING_RATE, FIRST_WARMUP, FIRST_DECAY)
        starts = [problem.initial_positions(self._resolve(settings)) for problem in self._problems]
        self._positions = self._train(settings, starts, schedule)
        self.attempt(values)

    def attempt(self, values: Hyperparameters) -> bool:
        """Take a few steps from the best positions so far; return whether the mean score is better."""
        self.show_trial(", ".join(f"{name} {value:g}" for name, value in values.items()))
        settings = _with_values(self.settings, values)
        resolved = self._resolve(settings)
        schedule = self._schedule(settings, self.splits[0].budget.steps, TRIAL_LEARNING_RATE, 0.0, TRIAL_DECAY)
        starts = [_fit_into(there, resolved.dimensions, resolved.spread.stiffness) for there in self._positions]
        positions = self._train(settings, starts, schedule)
        score = float(np.mean([problem.score(there, resolved.spread) for problem, there in self._pair(positions)]))
        self.trials.append(Trial(resolved.dimensions, resolved.reach, resolved.shrinkage, score))
        is_better = score > self._score + self.splits[0].min_improvement
        if is_better:
            self.best, self._score, self._positions = values, score, positions
        return is_better

    def move_along(self, name: str, grid: Sequence[float]) -> None:
        """Try larger values for as long as that helps; if it never does, smaller ones."""
        place = grid.index(self.best[name])
        if not self._try_in_turn(name, grid[place + 1 :]):
            self._try_in_turn(name, grid[:place][::-1])

    def _try_in_turn(self, name: str, values: Sequence[float]) -> bool:
        """One value after the other while the score rises; return whether it ever did."""
        before = self._score
        for value in values:
            if not self.attempt({**self.best, name: value}):
                break
        return self._score > before

    def result(self, keep_reach: bool) -> Settings:
        """The best settings. Where they do not beat the prior beyond chance, a reach that leaves it as it is."""
        best = _with_values(self.settings, self.best)
        spread = self._resolve(best).spread
        gains = np.array([problem.gain(there, spread) for problem, there in self._pair(self._positions)])
        if keep_reach or gains[:, 0].sum() > np.sqrt(np.square(gains[:, 1]).sum()):
            return best
        return replace(best, reach=NEGLIGIBLE_REACH)

    def _pair(self, positions: list[Float32Array]) -> list[tuple[ValidationProblem, Float32Array]]:
        return list(zip(self._problems, positions, strict=True))

    def _resolve(self, settings: Settings) -> ResolvedSettings:
        method = sampled(self.splits[0].budget.samples)
        return replace(settings, method=method, optimizer="adam").resolve(self.splits[0].train.node_count)

    def _schedule(self, settings: Settings, steps: int, learning_rate: float, warmup: float, decay: float) -> Schedule:
        short = replace(
            settings, max_steps=steps, learning_rate=learning_rate, warmup=warmup, decay=decay, tolerance=0.0
        )
        return self._resolve(short).schedule()

    def _train(self, settings: Settings, starts: list[Float32Array], schedule: Schedule) -> list[Float32Array]:
        resolved = self._resolve(settings)
        seed = resolved.seed + len(self.trials)
        return [problem.train(resolved, start, schedule, seed) for problem, start in self._pair(starts)]


def _with_values(settings: Settings, values: Hyperparameters) -> Settings:
    if "reach" in values:
        settings = replace(settings, reach=values["reach"])
    if "dimensions" in values:
        settings = replace(settings, dimensions=int(values["dimensions"]))
    if "shrinkage" in values:
        settings = replace(settings, shrinkage=values["shrinkage"])
    return settings


def _fit_into(positions: Float32Array, dimensions: int, stiffness: float) -> Float32Array:
    """The same positions in fewer dimensions, the widest ones, or in more, with random numbers in the new ones."""
    if dimensions == positions.shape[1]:
        return padded(positions)
    kept = along_principal_axes(positions)[:, :dimensions]
    scale = NEW_COORDINATE_SCALE / stiffness**0.5
    new = random_positions(len(kept), dimensions - kept.shape[1], scale, seed=0)
    return padded(np.hstack([kept, new]).astype(np.float32))
