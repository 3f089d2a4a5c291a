"""Dimensions, reach and shrinkage, chosen on something that is hidden for it: links, unless told.

One fit with middling settings is made, and then the search climbs the ladder of each dial in turn. A trial starts from
the positions of the best one so far and takes a few steps with the new settings, then it is graded: measured against
whole fits, that tells as much and costs a seventh. Where several contests are given, a trial runs in each of them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from netgiven.fitting.contests import Contest, Dials
from netgiven.fitting.grounds import Ground, make_ground
from netgiven.fitting.methods import sampled
from netgiven.fitting.progress import counter
from netgiven.fitting.schedule import Schedule
from netgiven.fitting.settings import Settings
from netgiven.fitting.start import random_start
from netgiven.fitting.turning import turned
from netgiven.kernels.arrays import padded
from netgiven.model import Spread
from netgiven.parallel import Threads, threads
from netgiven.types import Float32Array

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
