"""Dimensions, reach and shrinkage, chosen on something that is hidden for it: links, unless told.

One fit with middling settings is made, and then the search climbs the ladder of each dial in turn. A trial starts from
the positions of the best one so far and takes a few steps with the new settings, then it is graded: measured against
whole fits, that tells as much and costs a seventh. Where several contests are given, a trial runs in each of them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, NamedTuple, Protocol

import numpy as np

from netgiven.fitting.fit import make_task, start_positions
from netgiven.fitting.initialization import random_start, turned
from netgiven.fitting.memory_order import in_own_order, order_of, reordered
from netgiven.fitting.objectives import sampled
from netgiven.fitting.problem import Task
from netgiven.fitting.progress import counter
from netgiven.fitting.settings import Schedule, Settings
from netgiven.fitting.train import Course, LocalWalk, train
from netgiven.kernels.arrays import padded
from netgiven.metrics import auc, auc_gain
from netgiven.model import Spread
from netgiven.network import Network
from netgiven.parallel import Engine, Threads, threads
from netgiven.priors.given import Priors
from netgiven.priors.prior import Prior, posterior_log_odds
from netgiven.splits import LinkSplit, hide_links
from netgiven.types import Float32Array, Float64Array, Int64Array

# ---- What settings are chosen by: a network with something hidden from it, and a judge who knows ---------------------


# A tenth of the links is hidden: with more, the settings would suit a sparser network than the one to be fitted. Of a
# small network it is more, and that several times over, because chance weighs heavier there.
HIDDEN, MOST_HIDDEN, ENOUGH = 0.1, 0.2, 1_000
FEWEST = 30  # hidden links below which a grade says nothing
MOST_CONTESTS = 4

# Of a large network a smaller share tells as much, and the search begins with few dimensions and takes short trials: a
# trial in 64 dimensions would take longer than the whole fit in 8.
MANY_NODES, MOST_LINKS_HIDDEN = 200_000, 100_000
MIDDLE = {"reach": 3.0, "shrinkage": 1.0, "dimensions": 64.0}
MIDDLE_OF_MANY = {"reach": 2.0, "shrinkage": 0.3, "dimensions": 8.0}

Dials = dict[str, float]


FitPriors = Callable[[Network], Priors]


class Effort(NamedTuple):
    """Steps of a trial, and how many non-links a block of nodes looks at in each."""

    steps: int = 30
    samples: int = 128


class Contest(Protocol):
    """A network with something hidden from it, and a judge who knows."""

    @property
    def middle(self) -> Dials:
        """Where the search begins, and the order in which dials are turned."""
        ...

    @property
    def effort(self) -> Effort:
        """What a trial takes before its grade can be trusted."""
        ...

    @property
    def margin(self) -> float:
        """How much better a grade must be before it is taken for better: what chance alone would do."""
        ...

    @property
    def train(self) -> Network:
        """What trials are fitted to."""
        ...

    @property
    def prior(self) -> Prior:
        """The prior that trials are fitted with."""
        ...

    def grade(self, positions: Float32Array, spread: Spread) -> float:
        """How well positions tell what is hidden; more is better."""
        ...

    def gain(self, positions: Float32Array, spread: Spread) -> tuple[float, float]:
        """How much better they tell it than the prior alone, and the standard error of that."""
        ...


ContestMaker = Callable[[Network, FitPriors, int], Sequence[Contest]]


@dataclass(frozen=True)
class HiddenLinks:
    """Some links are hidden; the grade is the AUC against pairs that were never linked."""

    split: LinkSplit
    priors: Priors
    margin: ClassVar[float] = 0.0  # the same pairs are graded each time, and there are many

    @property
    def middle(self) -> Dials:
        """Many dimensions, unless there are many nodes."""
        return MIDDLE_OF_MANY if self._many else MIDDLE

    @property
    def effort(self) -> Effort:
        """The usual, unless there are many nodes."""
        return Effort(steps=12) if self._many else Effort()

    @property
    def _many(self) -> bool:
        return self.train.node_count > MANY_NODES

    @property
    def train(self) -> Network:
        """Without the hidden links."""
        return self.split.train

    @property
    def prior(self) -> Prior:
        """The prior that trials are fitted with."""
        return self.priors.train

    def grade(self, positions: Float32Array, spread: Spread) -> float:
        """The AUC on hidden links."""
        return auc(self.split.truth, self._log_odds(positions, spread))

    def gain(self, positions: Float32Array, spread: Spread) -> tuple[float, float]:
        """The AUC above that of the prior."""
        known = self.priors.predict.log_odds_of(*self.split.pairs.T)
        return auc_gain(self.split.truth, self._log_odds(positions, spread), known)

    def _log_odds(self, positions: Float32Array, spread: Spread) -> Float64Array:
        return posterior_log_odds(self.priors.predict, positions, spread, *self.split.pairs.T)


def hidden_links(network: Network, fit_priors: FitPriors, seed: int) -> list[HiddenLinks]:
    """One contest for a large network, several for a small one, none where there is too little to hide."""
    links = max(network.link_count, 1)
    share = min(max(HIDDEN, ENOUGH / links), MOST_HIDDEN)
    if network.node_count > MANY_NODES:
        share = min(share, MOST_LINKS_HIDDEN / links)
    first = hide_links(network, share, seed)
    if min(len(first.hidden), len(first.others)) < FEWEST:
        return []
    count = min(-(-ENOUGH // len(first.hidden)), MOST_CONTESTS)
    splits = [first, *(hide_links(network, share, seed + more) for more in range(1, count))]
    return [HiddenLinks(split, fit_priors(split.train)) for split in splits]


# ---- Where trials take place: a contest's network and prior as kernels take them, made ready once for all trials -----


class Ground(NamedTuple):
    """A contest and its task; of a large network, with nodes in an order that suits the memory.

    Positions are in the order of the task all the way through, until they are graded.
    """

    contest: Contest
    task: Task
    order: Int64Array | None

    def start(self, settings: Settings) -> Float32Array:
        """Where the first fit begins."""
        plain = make_task(self.contest.train, self.contest.prior, settings, self.task.engine)
        positions = start_positions(self.contest.train, self.contest.prior, settings, plain)
        return positions if self.order is None else positions[self.order]

    def move(self, settings: Settings, positions: Float32Array, schedule: Schedule, seed: int) -> Float32Array:
        """Where some steps lead, without padding."""
        assert not isinstance(settings.method, str)
        task = replace(self.task, stiffness=settings.spread.stiffness, shrinkage=settings.shrinkage)
        objective = settings.method.objective(task, positions.shape[1], seed)
        walk = LocalWalk(objective, settings.make_rule(), positions, task.engine)
        train(walk, Course(schedule, objective.noisy))
        return positions[:, : settings.dimensions].copy()

    def grade(self, positions: Float32Array, spread: Spread) -> float:
        """How well positions tell what is hidden."""
        return self.contest.grade(self._unsorted(positions), spread)

    def gain(self, positions: Float32Array, spread: Spread) -> tuple[float, float]:
        """How much better they tell it than the prior alone, and the standard error of that."""
        return self.contest.gain(self._unsorted(positions), spread)

    def _unsorted(self, positions: Float32Array) -> Float32Array:
        return positions if self.order is None else in_own_order(positions, self.order)


def make_ground(contest: Contest, settings: Settings, engine: Engine) -> Ground:
    """The ground of a contest."""
    task = make_task(contest.train, contest.prior, settings, engine)
    if contest.train.node_count <= MANY_NODES:
        return Ground(contest, task, None)
    order = order_of(task, settings.seed)
    return Ground(contest, reordered(task, order), order)


FIRST_STEPS, FIRST_RATE, FIRST_COOLING = 100, 0.2, 0.25
RATE, COOLING = 0.1, 0.6
NEW_COORDINATE = 0.1  # standard deviation, in units of one over the root of the stiffness

LADDERS: dict[str, tuple[float, ...]] = {
    "reach": (0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 5.5, 7.0, 9.0),
    "shrinkage": (0.0, 0.3, 1.0, 3.0, 10.0),
    "dimensions": (2, 4, 8, 16, 32, 64, 128),
}
NODES_A_DIMENSION = 8  # fewer, and an embedding learns the network by heart
MOST_COORDINATES = 32_000_000  # of all nodes: a million in 32 dimensions takes a cup of coffee; more, if asked for
NO_REACH = 0.01  # the embedding adds next to nothing, and the prior is left


class Trial(NamedTuple):
    """What was tried, and its grade."""

    dimensions: int
    reach: float
    shrinkage: float
    score: float


def choose(
    contests: Sequence[Contest],
    settings: Settings,
    dials: Sequence[str],
    thread_count: int | None = None,
    progress: bool | None = None,
) -> tuple[Settings, list[Trial]]:
    """The settings with the dials named (`dimensions`, `reach`, `shrinkage`) set, and all that was tried."""
    middle, nodes = contests[0].middle, contests[0].train.node_count
    ladders = {name: _ladder(name, nodes) for name in middle if name in dials}
    with threads(thread_count) as engine, counter("choosing settings", progress) as tell:
        search = Search(contests, settings, engine, tell)
        search.begin({name: max(rung for rung in ladder if rung <= middle[name]) for name, ladder in ladders.items()})
        for name in (*ladders, *(["reach"] if len(ladders) > 1 and "reach" in ladders else [])):
            search.climb(name, ladders[name])
    return search.result(keep_reach="reach" not in dials), search.trials


def _ladder(name: str, nodes: int) -> tuple[float, ...]:
    few = min(nodes // NODES_A_DIMENSION, MOST_COORDINATES // max(nodes, 1))
    most = max(few, LADDERS[name][0]) if name == "dimensions" else np.inf
    return tuple(value for value in LADDERS[name] if value <= most)


class Search:
    """What was tried so far, and the best of it."""

    def __init__(
        self, contests: Sequence[Contest], settings: Settings, engine: Threads, tell: Callable[[str], None]
    ) -> None:
        self.contests, self.settings, self.tell = contests, settings, tell
        self._grounds = [make_ground(contest, self._resolved(settings), engine) for contest in contests]
        self.trials: list[Trial] = []
        self.best: Dials = {}
        self._score = -np.inf
        self._positions: list[Float32Array] = []  # of the best trial, in each contest

    def begin(self, dials: Dials) -> None:
        """The one whole fit; then it is tried like everything else, so that none has an advantage."""
        settings = _set(self.settings, dials)
        schedule = self._schedule(settings, FIRST_STEPS, FIRST_RATE, FIRST_COOLING, rising=0.4)
        starts = [ground.start(self._resolved(settings)) for ground in self._grounds]
        self._positions = self._move(settings, starts, schedule)
        self.attempt(dials)

    def attempt(self, dials: Dials) -> bool:
        """A few steps from the best positions so far; whether the mean grade is better."""
        self.tell(", ".join(f"{name} {value:g}" for name, value in dials.items()))
        settings = _set(self.settings, dials)
        schedule = self._schedule(settings, self.contests[0].effort.steps, RATE, COOLING, rising=0.0)
        starts = [_fitted_into(there, settings.dimensions, settings.spread.stiffness) for there in self._positions]
        positions = self._move(settings, starts, schedule)
        grades = [ground.grade(there, settings.spread) for ground, there in self._judged(positions)]
        reach, score = settings.spread.reach(settings.dimensions), float(np.mean(grades))
        self.trials.append(Trial(settings.dimensions, reach, settings.shrinkage, score))
        better = score > self._score + self.contests[0].margin
        if better:
            self.best, self._score, self._positions = dials, score, positions
        return better

    def _judged(self, positions: list[Float32Array]) -> list[tuple[Ground, Float32Array]]:
        return list(zip(self._grounds, positions, strict=True))

    def climb(self, name: str, ladder: Sequence[float]) -> None:
        """Up the ladder of a dial for as long as that helps; if it does not, down."""
        place = ladder.index(self.best[name])
        if not self._step(name, ladder[place + 1 :]):
            self._step(name, ladder[:place][::-1])

    def _step(self, name: str, rungs: Sequence[float]) -> bool:
        """Rung after rung while the grade rises; whether it ever did."""
        before = self._score
        for value in rungs:
            if not self.attempt({**self.best, name: value}):
                break
        return self._score > before

    def result(self, keep_reach: bool) -> Settings:
        """The best settings. Where they do not beat the prior beyond chance, a reach that leaves it as it is."""
        best = _set(self.settings, self.best)
        gains = np.array([ground.gain(there, best.spread) for ground, there in self._judged(self._positions)])
        if keep_reach or gains[:, 0].sum() > np.sqrt(np.square(gains[:, 1]).sum()):
            return best
        return replace(best, spread=Spread.from_reach(NO_REACH))

    def _resolved(self, settings: Settings) -> Settings:
        method = sampled(self.contests[0].effort.samples)
        return replace(settings, method=method, rule="adam").resolved(self.contests[0].train.node_count)

    def _schedule(self, settings: Settings, steps: int, rate: float, cooling: float, rising: float) -> Schedule:
        short = replace(settings, steps=steps, rate=rate, cooling=cooling, rising=rising, tolerance=0.0)
        return self._resolved(short).schedule()

    def _move(self, settings: Settings, starts: list[Float32Array], schedule: Schedule) -> list[Float32Array]:
        """Where some steps lead in each contest, without padding."""
        here = self._resolved(settings)
        seed = here.seed + len(self.trials)
        return [ground.move(here, start, schedule, seed) for ground, start in self._judged(starts)]


def _set(settings: Settings, dials: Dials) -> Settings:
    values: dict[str, Any] = {}
    if "reach" in dials:
        values["spread"] = Spread.from_reach(dials["reach"])
    if "dimensions" in dials:
        values["dimensions"] = int(dials["dimensions"])
    if "shrinkage" in dials:
        values["shrinkage"] = dials["shrinkage"]
    return replace(settings, **values)


def _fitted_into(positions: Float32Array, dimensions: int, stiffness: float) -> Float32Array:
    """The same positions in fewer dimensions, the widest ones, or in more, a little of chance in the new ones."""
    if dimensions == positions.shape[1]:
        return padded(positions)
    kept = turned(positions)[:, :dimensions]
    fresh = random_start(len(kept), dimensions - kept.shape[1], NEW_COORDINATE / stiffness**0.5, seed=0)
    return padded(np.hstack([kept, fresh]).astype(np.float32))
