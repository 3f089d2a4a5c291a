"""A fit from beginning to end: start, train, turn; and what it is worth."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple, Protocol

import numpy as np
from scipy.optimize import minimize_scalar

from netgiven.fitting.initialization import flattened, random_start, smoothed_start, spectral_start, turned
from netgiven.fitting.memory_order import (
    WORTH_SORTING,
    in_own_order,
    nearby_order,
    order_of,
    reordered,
    watched_in_own_order,
)
from netgiven.fitting.objectives import FRESH, Exact, Sampled, choose_method
from netgiven.fitting.problem import Task
from netgiven.fitting.progress import progress_bar, stage
from netgiven.fitting.record import Ending, Outcome, Record
from netgiven.fitting.settings import MOST_NODES_SPECTRAL, MOST_REACH, Settings
from netgiven.fitting.train import Course, Keeper, LocalWalk, Walk, Watcher, fall, has_settled, train
from netgiven.kernels.arrays import Links, padded
from netgiven.model import Spread
from netgiven.network import Network
from netgiven.parallel import Engine, threads
from netgiven.priors.prior import Prior
from netgiven.priors.unobserved import closed
from netgiven.types import Float32Array, Int64Array

# ---- Where fits are computed: on this machine, unless told -----------------------------------------------------------


class Journey(NamedTuple):
    """A walk, the steps that it took before it was interrupted, and who writes down how far it came."""

    walk: Walk
    history: Sequence[Record] = ()
    keep: Keeper | None = None


def make_task(network: Network, prior: Prior, settings: Settings, engine: Engine) -> Task:
    """What kernels need to know of network, prior and settings; unknown pairs add nothing."""
    links, known = Links(network.indptr, network.indices), closed(prior, network)
    degrees = known.expected_degrees
    return Task(links, known.arrays, degrees, settings.spread.stiffness, settings.shrinkage, engine)


class Journeys(Protocol):
    """Whoever can make a task of a network, and begin a walk."""

    @property
    def news(self) -> str:
        """What a person who waits should know."""
        ...

    def task(self, network: Network, prior: Prior, settings: Settings, engine: Engine) -> Task:
        """What is to be fitted."""
        ...

    def begin(self, task: Task, settings: Settings, positions: Float32Array) -> Journey:
        """Walk from these positions, which move along."""
        ...


class LocalJourneys:
    """On the threads of this machine."""

    news = ""

    def task(self, network: Network, prior: Prior, settings: Settings, engine: Engine) -> Task:
        """All of it is here."""
        return make_task(network, prior, settings, engine)

    def begin(self, task: Task, settings: Settings, positions: Float32Array) -> Journey:
        """By the method and the rule of the settings."""
        assert not isinstance(settings.method, str)
        objective = settings.method.objective(task, positions.shape[1], settings.seed)
        return Journey(LocalWalk(objective, settings.make_rule(), positions, task.engine))


START_SCALE = 0.5  # standard deviation of a coordinate at the start, in units of one over the root of the stiffness
MOST_NODES_MEASURED = 20_000
MEASURING_SAMPLES, MEASURING_DRAWS = 512, 8


class Likelihood(NamedTuple):
    """A log-likelihood in nats, and its standard error: 0 where all pairs were counted."""

    value: float
    standard_error: float


class Watchers(NamedTuple):
    """Who wants to see each step, with the positions in the order of the network; and a bar, which looks at none."""

    watch: Watcher | None = None
    bar: Watcher | None = None

    def sorted(self, order: Int64Array) -> Watchers:
        """The same, where a task has its nodes in another order."""
        return Watchers(None if self.watch is None else watched_in_own_order(self.watch, order), self.bar)

    def both(self, record: Record, positions: Float32Array) -> None:
        """Tell them."""
        for watcher in (self.watch, self.bar):
            if watcher is not None:
                watcher(record, positions)


class Fitted(NamedTuple):
    """What a fit gives."""

    positions: Float32Array
    outcome: Outcome
    history: list[Record]


def fit_positions(
    network: Network,
    prior: Prior,
    settings: Settings,
    thread_count: int | None = None,
    progress: bool | None = None,
    *,
    watch: Watcher | None = None,
    journeys: Journeys | None = None,
    positions: Float32Array | None = None,
) -> Fitted:
    """Positions that maximise the likelihood of the network, given the prior; from `positions`, if told."""
    where = journeys or LocalJourneys()
    with threads(thread_count) as engine:
        with stage("first positions", progress):
            task = where.task(network, prior, settings, engine)
            moving = start_positions(network, prior, settings, task) if positions is None else padded(positions)
        with progress_bar(settings.steps or 0, progress, lambda: where.news) as bar:
            outcome, history = _train_nearby(task, settings, moving, Watchers(watch, bar), where)
    return Fitted(turned(moving[:, : settings.dimensions]).astype(np.float32), outcome, history)


def start_positions(network: Network, prior: Prior, settings: Settings, task: Task) -> Float32Array:
    """Where the fit begins, padded for the kernels."""
    flat = settings.start == "flattened"
    positions = _first_positions(network, prior, settings, task, (2 if flat else 1) * settings.dimensions)
    return flattened(task, settings, positions) if flat else positions


def _first_positions(network: Network, prior: Prior, settings: Settings, task: Task, dimensions: int) -> Float32Array:
    scale, many = START_SCALE / settings.spread.stiffness**0.5, network.node_count > MOST_NODES_SPECTRAL
    if settings.start == "random":
        return padded(random_start(network.node_count, dimensions, scale, settings.seed))
    if settings.start == "smoothed" or (settings.start == "flattened" and many):
        return smoothed_start(task, dimensions, scale, settings.seed)
    return padded(spectral_start(network, prior, dimensions, scale, settings.seed))


def _train_nearby(
    task: Task, settings: Settings, positions: Float32Array, watchers: Watchers, journeys: Journeys
) -> tuple[Outcome, list[Record]]:
    """Train with nodes in an order that suits the memory, where there are many."""
    if positions.nbytes <= WORTH_SORTING:
        return _train(task, settings, positions, watchers, journeys)
    order = nearby_order(positions) if settings.start == "smoothed" else order_of(task, settings.seed)
    sorted_positions = positions[order]
    result = _train(reordered(task, order), settings, sorted_positions, watchers.sorted(order), journeys)
    positions[:] = in_own_order(sorted_positions, order)
    return result


def _train(
    task: Task, settings: Settings, positions: Float32Array, watchers: Watchers, journeys: Journeys
) -> tuple[Outcome, list[Record]]:
    if task.node_count < 2:
        return Outcome(Ending.NOTHING_TO_FIT, 0, 0.0), []
    walk, history, keep = journeys.begin(task, settings, positions)
    course = Course(settings.schedule(), walk.noisy, history)
    return train(walk, course, watchers.both, keep), course.history


def measure(
    network: Network, prior: Prior, spread: Spread, positions: Float32Array, thread_count: int | None = None
) -> Likelihood:
    """The log-likelihood of positions: exact up to 20,000 nodes, estimated above."""
    if network.node_count < 2:
        return Likelihood(0.0, 0.0)
    wide, reach = padded(positions), spread.reach(positions.shape[1])
    with threads(thread_count) as engine:
        task = make_task(network, prior, Settings(spread=spread), engine)
        if network.node_count <= MOST_NODES_MEASURED:
            return Likelihood(-Exact(task, wide.shape[1])(wide, reach, 0)[0], 0.0)
        value, error = Sampled(task, wide.shape[1], MEASURING_SAMPLES, seed=0).estimate(wide, reach, MEASURING_DRAWS)
    return Likelihood(-value, error)


# ---- Warm starts: fits that go on from good positions, with few steps that shorten from the first ----
#
# How many, and how long: measured on Facebook and arXiv after 1 to 30 % of the links were taken away
# (`benchmarks/answers/add.py`). Longer steps first spoil what is there, and then need as many again to mend it.


STEPS = 20
SHARE_OF_RATE = 0.15


def warm_settings(settings: Settings, node_count: int) -> Settings:
    """Settings that go on from where positions are."""
    resolved = replace(settings, rising=0.0).resolved(node_count)
    if resolved.rule == "lbfgs":  # it finds out by itself how far to go
        return resolved
    assert resolved.rate is not None
    return replace(resolved, steps=settings.steps or STEPS, rate=SHARE_OF_RATE * resolved.rate, cooling=1.0)


def fit_on(
    network: Network,
    prior: Prior,
    settings: Settings,
    positions: Float32Array,
    thread_count: int | None = None,
    progress: bool | None = None,
) -> Fitted:
    """A fit with warm settings from positions, one row a node."""
    fitted = fit_positions(network, prior, settings, thread_count, progress, positions=positions)
    if settings.rule == "lbfgs" or not fitted.history or fitted.outcome.ending is Ending.DIVERGED:
        return fitted
    quiet = has_settled(fitted.history, settings.tolerance or 0.0, noisy=True)
    ending = Ending.SETTLED if quiet else Ending.OUT_OF_STEPS
    return fitted._replace(outcome=Outcome(ending, len(fitted.history), fall(fitted.history, noisy=True)))


# ---- The last word on the reach: as many links are expected as there are ---------------------------------------------
#
# Shrinkage draws nodes together, more than the likelihood wants, and then every pair gains. With positions as they
# are, the likelihood has one maximum in the reach, where expected and observed numbers of links agree. All log-odds
# move by the same amount, so the order of pairs stays as it is.


SAMPLES, MOST_PAIRS = 1_024, 200_000_000  # of a node, and of all nodes together
PRECISION = 1e-3
LEAST = 1e-3


def balanced(
    network: Network, prior: Prior, settings: Settings, positions: Float32Array, thread_count: int | None = None
) -> Spread:
    """The spread with the same stiffness whose reach suits the positions."""
    if network.node_count < 2 or not network.link_count:
        return settings.spread
    wide = padded(positions)
    with threads(thread_count) as engine:
        task = make_task(network, prior, settings, engine)
        samples = max(min(SAMPLES, MOST_PAIRS // network.node_count), 1)
        exact = choose_method("auto", network.node_count).name == "exact"
        objective = Exact(task, wide.shape[1]) if exact else Sampled(task, wide.shape[1], samples, settings.seed)
        # the same sample each time: a smooth function of the reach
        found = minimize_scalar(
            lambda reach: objective(wide, reach, FRESH)[0],
            bounds=(LEAST, min(2 * settings.spread.reach(settings.dimensions) + 5, MOST_REACH - 2)),
            method="bounded",
            options={"xatol": PRECISION},
        )
    return spread_of(float(found.x), settings.spread.stiffness)


def spread_of(reach: float, stiffness: float) -> Spread:
    """The half-normal spread with this reach and stiffness.

    >>> spread = spread_of(1.5, 0.7)
    >>> round(spread.reach(dimensions=8), 6), round(spread.stiffness, 6)
    (1.5, 0.7)
    """
    s1 = math.sqrt(-math.expm1(-2 * reach) / stiffness)
    return Spread(s1, s1 * math.exp(reach))
