"""Choose dimensions, reach and shrinkage, and how to predict, on validation splits: by default, on held-out links.

All is one path. A short fit is made with hyperparameters that are often best, and then the search moves along the grid
of each in turn. A trial goes on from the positions of the best one so far, takes a few steps with the new values, and
is scored; twice as many dimensions must remove a hundredth of the error. The reach is tried again if another one has
changed since, and dimensions that repel are tried last. The fit itself goes on from the best positions, too, with the
held-out links put back. Where there are several splits, a trial runs on each.

Two hyperparameters are about predictions alone, and are tried together without further steps. The *uncertainty* of
degrees is chosen where links may be missing at random. The *stretch* multiplies the stiffness: shrinkage draws nodes
closer together than they belong.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from itertools import product, starmap
from typing import ClassVar, NamedTuple, Protocol

import numpy as np

from netgiven.fitting.fit import (
    diffusion_order,
    in_network_order,
    initial_positions,
    make_problem,
    reordered,
    stretched_spread,
)
from netgiven.fitting.initialization import (
    INIT_SCALE,
    ROLE_SCALE,
    along_principal_axes,
    random_positions,
    spectral_positions,
)
from netgiven.fitting.objectives import sampled
from netgiven.fitting.problem import Problem
from netgiven.fitting.record import Trial, stage, trial_counter
from netgiven.fitting.settings import MAX_DIMENSIONS_LIFTED, ResolvedSettings, Settings
from netgiven.fitting.train import ConvergenceMonitor, LocalStepper, Schedule, train
from netgiven.kernels.arrays import padded, unpadded
from netgiven.metrics import auc, auc_gain
from netgiven.model import Spread
from netgiven.network import Network
from netgiven.parallel import Engine, threads
from netgiven.priors.knowledge import GivenKnowledge, Priors
from netgiven.priors.missing_links import may_miss_links
from netgiven.priors.prior import Prior, posterior_log_odds
from netgiven.splits import (
    LinkSplit,
    NodesAlike,
    hide_links,
    pairs_of_questions,
    ranking_questions,
    ranks_of_answers,
)
from netgiven.types import Float32Array, Float64Array, Int64Array

Hyperparameters = dict[str, float]

GRIDS: dict[str, tuple[float, ...]] = {  # in the order of trying: from the first value on, and then back
    "reach": (0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 5.5, 7.0, 9.0),
    "shrinkage": (10.0, 3.0, 1.0, 0.3, 0.0),
    "dimensions": (2, 4, 8, 16, 32, 64, 128),  # those that do not repel
    "repelling_shrinkage": (20.0, 10.0, 5.0, 2.0, 1.0),
}
PREDICTION_GRIDS = {"uncertainty": (0.0, 0.1, 0.25, 0.5, 0.75, 0.95), "stretch": (0.7, 0.85, 1.0, 1.2, 1.4)}
# Dimensions that repel, and their shrinkage. In small networks fewer of them, with less shrinkage, are tried as well.
REPELLING, REPELLING_IN_SMALL_NETWORKS, SMALL = (32, 20.0), ((8, 5.0), (2, 2.0)), 2_000
NODES_PER_DIMENSION = 8  # with fewer, an embedding learns the network by heart
MAX_COORDINATES = 40_000_000  # of all nodes: a million nodes in 32 dimensions take minutes; more only on request
NEGLIGIBLE_REACH = 0.01  # the embedding adds next to nothing, and the prior remains

# Of a large network a smaller share of the links is informative enough, and the search begins with few dimensions and
# takes short trials: a trial in 64 dimensions would take longer than the whole fit in 8.
SOME_NODES, MORE_NODES, MANY_NODES, MAX_LINKS_HELD_OUT = 8_000, 50_000, 200_000, 100_000
INITIAL = {"reach": 4.0, "shrinkage": 3.0, "dimensions": 64.0, "repelling": 0.0, "repelling_shrinkage": 10.0}
INITIAL_FOR_FEW_NODES = INITIAL | {"repelling_shrinkage": 2.0}
INITIAL_FOR_MORE_NODES = {"reach": 4.0, "shrinkage": 1.0, "dimensions": 32.0, "repelling_shrinkage": 10.0}
INITIAL_FOR_MANY_NODES = {"dimensions": 8.0, "reach": 4.0, "shrinkage": 0.3, "repelling_shrinkage": 10.0}
INITIAL_UNCERTAINTY = 0.5
MIN_SHARE_OF_ERROR = 0.01  # that another prediction, or twice as many dimensions, must remove to be chosen


class TrialBudget(NamedTuple):
    """Steps of a trial, and how many non-links a block of nodes is compared with in each."""

    steps: int = 30
    samples: int = 128


class Prediction(NamedTuple):
    """What predictions depend on besides positions and reach."""

    uncertainty: float = 0.0  # of degrees
    stretch: float = 1.0  # of the stiffness


class ValidationSplit(Protocol):
    """A training network from which something is held out, and a score for how well it is predicted."""

    @property
    def initial(self) -> Hyperparameters:
        """Where the search begins, and the order in which hyperparameters are searched."""
        ...

    @property
    def predictions(self) -> Sequence[Prediction]:
        """Which predictions are tried; the search for other hyperparameters begins with the first."""
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

    def score(self, positions: Float32Array, spread: Spread, uncertainty: float = 0.0) -> float:
        """How well positions predict what is held out; higher is better."""
        ...

    def gain(self, positions: Float32Array, spread: Spread, uncertainty: float = 0.0) -> tuple[float, float]:
        """How much better they predict it than the prior alone, and the standard error of that."""
        ...


Validation = Callable[[Network, GivenKnowledge, int], Sequence[ValidationSplit]]


# ---- held-out links --------------------------------------------------------------------------------------------------

# A tenth of the links is held out: with more, the choice would suit a sparser network than the one to be fitted. Of a
# small network it is more, several times over, because chance has more influence there.
SHARE_HELD_OUT, MAX_SHARE_HELD_OUT, ENOUGH_LINKS = 0.1, 0.2, 1_000
MIN_LINKS = 30  # with fewer held-out links, a score means nothing
MAX_SPLITS = 4
MAX_QUESTIONS, CANDIDATES = 4_000, 50
PAIRS_AT_ONCE = 2_048  # whose differences stay in the cache


@dataclass(frozen=True)
class HeldOutLinks:
    """Some links are held out; the score is the AUC against pairs that were never linked.

    In a large network nearly every such pair is far apart, and the AUC is close to 1 whatever the settings are. There,
    held-out links are ranked among pairs that the prior takes for alike, too, and the score is one minus the geometric
    mean of both errors, 1 - AUC and 1 - mean reciprocal rank: it rises if one of them falls by a larger share than the
    other rises.
    """

    split: LinkSplit
    fit_priors: Callable[[float], Priors]  # with this uncertainty of degrees in predictions
    with_uncertainty: bool
    questions: Int64Array | None = None  # as in `ranking_questions`
    min_improvement: ClassVar[float] = 0.0  # the same pairs are scored each time, and there are many

    @property
    def initial(self) -> Hyperparameters:
        """The fewer dimensions, the more nodes there are."""
        if self._is_large:
            return INITIAL_FOR_MANY_NODES
        if self.train.node_count <= SMALL:
            return INITIAL_FOR_FEW_NODES
        return INITIAL if self.train.node_count <= MORE_NODES else INITIAL_FOR_MORE_NODES

    @property
    def predictions(self) -> Sequence[Prediction]:
        """All stretches, and all uncertainties where they are to be chosen."""
        uncertainties = PREDICTION_GRIDS["uncertainty"] if self.with_uncertainty else (0.0,)
        first = Prediction(INITIAL_UNCERTAINTY if self.with_uncertainty else 0.0)
        return [first, *starmap(Prediction, product(uncertainties, PREDICTION_GRIDS["stretch"]))]

    @property
    def budget(self) -> TrialBudget:
        """The more nodes there are, the less chance has to do with a score, and the shorter is a trial."""
        if self._is_large:
            return TrialBudget(steps=12, samples=64)
        return TrialBudget() if self.train.node_count <= SOME_NODES else TrialBudget(steps=20, samples=64)

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
        return self.fit_priors(0.0).train

    def score(self, positions: Float32Array, spread: Spread, uncertainty: float = 0.0) -> float:
        """The AUC on held-out links, and in large networks their ranks."""
        area = auc(self.split.truth, self._log_odds(self.split.pairs, positions, spread, uncertainty))
        if self.questions is None:
            return area
        scores = self._log_odds(pairs_of_questions(self.questions), positions, spread, uncertainty)
        reciprocal_rank = float(np.mean(1 / ranks_of_answers(self.questions, scores)))
        return 1 - float(np.sqrt((1 - area) * (1 - reciprocal_rank)))

    def gain(self, positions: Float32Array, spread: Spread, uncertainty: float = 0.0) -> tuple[float, float]:
        """The AUC above that of the prior."""
        prior = self.fit_priors(uncertainty).predict.log_odds_of(*self.split.pairs.T)
        return auc_gain(self.split.truth, self._log_odds(self.split.pairs, positions, spread, uncertainty), prior)

    def _log_odds(self, pairs: Int64Array, positions: Float32Array, spread: Spread, uncertainty: float) -> Float64Array:
        prior = self.fit_priors(uncertainty).predict
        parts = np.array_split(pairs, -(-len(pairs) // PAIRS_AT_ONCE))
        return np.concatenate([posterior_log_odds(prior, positions, spread, *part.T) for part in parts])


def held_out_links(network: Network, given: GivenKnowledge, seed: int) -> list[HeldOutLinks]:
    """One split of a large network, several of a small one, none where there are too few links to hold out.

    Links are hidden at random where they may be missing at random; elsewhere so that all nodes stay connected.
    """
    links = max(network.link_count, 1)
    share = min(max(SHARE_HELD_OUT, ENOUGH_LINKS / links), MAX_SHARE_HELD_OUT)
    if network.node_count > MANY_NODES:
        share = min(share, MAX_LINKS_HELD_OUT / links)
    at_random = network.unobserved is None and may_miss_links(network.degrees)

    def make(seed: int) -> HeldOutLinks:
        split = hide_links(network, share, seed, split="random" if at_random else "paper")
        fit_priors = cache(partial(given.fit, split.train))
        questions = _questions(network, split, fit_priors(0.0).train) if network.node_count > MORE_NODES else None
        return HeldOutLinks(split, fit_priors, at_random and given.leaves_uncertainty_open, questions)

    first = make(seed)
    if min(len(first.split.hidden), len(first.split.others)) < MIN_LINKS:
        return []
    count = min(-(-ENOUGH_LINKS // len(first.split.hidden)), MAX_SPLITS)
    return [first, *(make(seed + more) for more in range(1, count))]


def _questions(network: Network, split: LinkSplit, prior: Prior) -> Int64Array:
    """Questions about nodes that the prior takes for alike: of the same groups, with the nearest multipliers."""
    alike = NodesAlike(prior.arrays.group, prior.arrays.node)
    return ranking_questions(network, split.hidden, alike, MAX_QUESTIONS, CANDIDATES)


# ---- the search ------------------------------------------------------------------------------------------------------

FIRST_STEPS, FIRST_LEARNING_RATE, FIRST_WARMUP, FIRST_DECAY = 60, 0.2, 0.4, 0.25
TRIAL_LEARNING_RATE, TRIAL_DECAY = 0.1, 0.6
NEW_COORDINATE_SCALE = 0.1  # standard deviation, in units of one over the square root of the stiffness


class Choice(NamedTuple):
    """Settings with the open hyperparameters chosen, how to predict, and all trials."""

    settings: Settings
    prediction: Prediction = Prediction()
    trials: Sequence[Trial] = ()
    positions: Float32Array | None = None  # of the best trial, on the first split


def select_settings(
    network: Network,
    given: GivenKnowledge,
    settings: Settings,
    validation: Validation | None = None,
    thread_count: int | None = None,
    progress: bool | None = None,
) -> Choice:
    """Choose the hyperparameters that are open; where nothing can be chosen, settings remain as they are."""
    if not settings.open_hyperparameters:
        return Choice(settings)
    with stage("choosing settings", progress):
        splits = (validation or held_out_links)(network, given, settings.seed)
    return search_settings(splits, settings, thread_count, progress) if splits else Choice(settings)


def search_settings(
    splits: Sequence[ValidationSplit],
    settings: Settings,
    thread_count: int | None = None,
    progress: bool | None = None,
) -> Choice:
    """The settings with the best mean score over the splits."""
    initial, nodes = splits[0].initial, splits[0].train.node_count
    open_ones = set(initial).intersection(settings.open_hyperparameters)
    grids = {name: _grid(name, nodes) for name in initial if name in open_ones - {"repelling"}}
    keep_reach = "reach" not in grids
    with threads(thread_count) as engine, trial_counter("choosing settings", progress) as show_trial:
        search = GridSearch(splits, settings, engine, show_trial)
        search.begin({name: max(value for value in grid if value <= initial[name]) for name, grid in grids.items()})
        found = {}
        for name, grid in grids.items():
            search.move_along(name, grid)
            found[name] = dict(search.best)
        if not keep_reach and search.best != found["reach"]:
            search.move_along("reach", grids["reach"])
        if "repelling" in open_ones:
            search.add_repelling()
        search.choose_prediction(keep_reach)
    return search.result(keep_reach)


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
        positions[self.problem.free_of_forces] = 0.0
        problem = replace(self.problem, **settings.forces)
        objective = settings.method.objective(problem, positions.shape[1], seed)
        stepper = LocalStepper(objective, settings.make_optimizer(), positions, problem.engine)
        train(stepper, ConvergenceMonitor(schedule, objective.noisy))
        return unpadded(positions, settings.dimensions, settings.repelling).copy()

    def fit_into(self, positions: Float32Array, before: ResolvedSettings, settings: ResolvedSettings) -> Float32Array:
        """Positions of other settings in the dimensions of these, padded; new ones that repel begin as in a fit."""
        near, stiffness = before.dimensions - before.repelling, settings.spread.stiffness
        moving = _fit_into(positions[:, :near], settings.dimensions - settings.repelling, stiffness)
        if before.repelling == settings.repelling:
            return np.hstack([moving, padded(positions[:, near:])])
        scale, seed = ROLE_SCALE * INIT_SCALE / stiffness**0.5, settings.seed + 1
        split, count = self.split, settings.repelling
        roles = spectral_positions(split.train, split.prior, count, scale, seed, opposite=True)
        return np.hstack([moving, padded(roles if self.order is None else roles[self.order])])

    def score(self, positions: Float32Array, spread: Spread, uncertainty: float = 0.0) -> float:
        """How well positions predict what is held out."""
        return self.split.score(self.in_network_order(positions), spread, uncertainty)

    def gain(self, positions: Float32Array, spread: Spread, uncertainty: float = 0.0) -> tuple[float, float]:
        """How much better they predict it than the prior alone, and the standard error of that."""
        return self.split.gain(self.in_network_order(positions), spread, uncertainty)

    def in_network_order(self, positions: Float32Array) -> Float32Array:
        """Positions, one row per node of the network."""
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
        self.prediction = splits[0].predictions[0]
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
        before = self._resolve(_with_values(self.settings, self.best or values))
        starts = [problem.fit_into(there, before, resolved) for problem, there in self._pair(self._positions)]
        positions = self._train(settings, starts, schedule)
        score = self._mean_score(positions, resolved, self.prediction)
        self._record(resolved, score)
        least = self.splits[0].min_improvement
        if values.get("dimensions", 0.0) > self.best.get("dimensions", np.inf):
            least += MIN_SHARE_OF_ERROR * (1 - self._score)
        is_better = score > self._score + least
        if is_better:
            self.best, self._score, self._positions = values, score, positions
        return is_better

    def choose_prediction(self, keep_reach: bool) -> None:
        """Choose uncertainty and stretch for the best positions; a spread that is given is not stretched."""
        resolved, before = self._resolve(_with_values(self.settings, self.best)), self.prediction
        for prediction in self.splits[0].predictions:
            if keep_reach and prediction.stretch != 1:
                continue
            score = self._mean_score(self._positions, resolved, prediction)
            if score > self._score + MIN_SHARE_OF_ERROR * (1 - self._score):
                self.prediction, self._score = prediction, score
        if self.prediction != before:
            self._record(resolved, self._score)

    def _mean_score(self, positions: list[Float32Array], settings: ResolvedSettings, prediction: Prediction) -> float:
        spread = stretched_spread(settings, prediction.stretch)
        scores = [problem.score(there, spread, prediction.uncertainty) for problem, there in self._pair(positions)]
        return float(np.mean(scores))

    def _record(self, settings: ResolvedSettings, score: float) -> None:
        repelling = settings.repelling, settings.repelling_shrinkage if settings.repelling else 0.0
        values = settings.dimensions, settings.reach, settings.shrinkage, score, *self.prediction, *repelling
        self.trials.append(Trial(*values))

    def move_along(self, name: str, grid: Sequence[float]) -> None:
        """Try later values of the grid for as long as that helps; if it never does, earlier ones."""
        place = grid.index(self.best[name])
        if not self._try_in_turn(name, grid[place + 1 :]):
            self._try_in_turn(name, grid[:place][::-1])

    def add_repelling(self) -> None:
        """Try dimensions that repel, at most as many as there are others, and not too many for the nodes."""
        nodes, near, given = self.splits[0].train.node_count, self.best["dimensions"], self.settings.repelling_shrinkage
        for count, shrinkage in (REPELLING, *(REPELLING_IN_SMALL_NETWORKS if nodes <= SMALL else ())):
            allowed = min(count, near, nodes // NODES_PER_DIMENSION - near)
            if allowed >= 1:
                strength = shrinkage if isinstance(given, str) else given
                self.attempt({**self.best, "repelling": allowed, "repelling_shrinkage": strength})

    def _try_in_turn(self, name: str, values: Sequence[float]) -> bool:
        """One value after the other while the score rises; return whether it ever did."""
        before = self._score
        for value in values:
            if not self.attempt({**self.best, name: value}):
                break
        return self._score > before

    def result(self, keep_reach: bool) -> Choice:
        """The best settings. Where they do not beat the prior beyond chance, a reach that leaves it as it is.

        Positions that led to another reach, or that an initialization was given for, are none to go on from.
        """
        best = _with_values(self.settings, self.best)
        spread = stretched_spread(self._resolve(best), self.prediction.stretch)
        pairs = self._pair(self._positions)
        gains = np.array([problem.gain(there, spread, self.prediction.uncertainty) for problem, there in pairs])
        if not keep_reach and gains[:, 0].sum() <= np.sqrt(np.square(gains[:, 1]).sum()):
            near = {name: value for name, value in self.best.items() if name != "repelling"}
            left = replace(_with_values(self.settings, near), reach=NEGLIGIBLE_REACH)
            return Choice(left, self.prediction, self.trials)
        positions = self._problems[0].in_network_order(self._positions[0])
        return Choice(best, self.prediction, self.trials, positions if _may_go_on(best) else None)

    def _pair(self, positions: list[Float32Array]) -> list[tuple[ValidationProblem, Float32Array]]:
        return list(zip(self._problems, positions, strict=True))

    def _resolve(self, settings: Settings) -> ResolvedSettings:
        method = sampled(self.splits[0].budget.samples)
        resolved = replace(settings, method=method, optimizer="adam").resolve(self.splits[0].train.node_count)
        # as good as eigenvectors for the choice, and cheaper
        quick = settings.init == "auto" and resolved.init == "spectral"
        return replace(resolved, init="diffusion") if quick else resolved

    def _schedule(self, settings: Settings, steps: int, learning_rate: float, warmup: float, decay: float) -> Schedule:
        short = replace(
            settings, max_steps=steps, learning_rate=learning_rate, warmup=warmup, decay=decay, tolerance=0.0
        )
        return self._resolve(short).schedule()

    def _train(self, settings: Settings, starts: list[Float32Array], schedule: Schedule) -> list[Float32Array]:
        resolved = self._resolve(settings)
        seed = resolved.seed + len(self.trials)
        return [problem.train(resolved, start, schedule, seed) for problem, start in self._pair(starts)]


def _may_go_on(settings: Settings) -> bool:
    """Whether the fit may begin with positions of the search: not if a setting says how it begins or ends."""
    lifted = not isinstance(settings.dimensions, str) and settings.dimensions <= MAX_DIMENSIONS_LIFTED
    return settings.init == "auto" and settings.max_steps is None and not lifted


def _with_values(settings: Settings, values: Hyperparameters) -> Settings:
    if "reach" in values:
        settings = replace(settings, reach=values["reach"])
    if "repelling" in values:
        settings = replace(settings, repelling=int(values["repelling"]))
    if "repelling_shrinkage" in values:
        settings = replace(settings, repelling_shrinkage=values["repelling_shrinkage"])
    if "dimensions" in values:
        repelling = settings.resolve(0).repelling
        settings = replace(settings, dimensions=int(values["dimensions"]) + repelling)
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
