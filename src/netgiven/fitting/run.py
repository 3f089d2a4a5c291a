"""A fit from beginning to end: start, train, turn; and what it is worth."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from netgiven.fitting.flattening import flattened
from netgiven.fitting.journeys import Journeys, LocalJourneys, make_task
from netgiven.fitting.locality import (
    WORTH_SORTING,
    in_own_order,
    nearby_order,
    order_of,
    reordered,
    watched_in_own_order,
)
from netgiven.fitting.loop import Course, Watcher, train
from netgiven.fitting.objectives import Exact, Sampled
from netgiven.fitting.outcome import Ending, Outcome, Record
from netgiven.fitting.progress import progress_bar, stage
from netgiven.fitting.settings import MOST_NODES_SPECTRAL, Settings
from netgiven.fitting.smoothing import smoothed_start
from netgiven.fitting.start import random_start, spectral_start
from netgiven.fitting.task import Task
from netgiven.fitting.turning import turned
from netgiven.kernels.arrays import padded
from netgiven.model import Spread
from netgiven.network import Network
from netgiven.parallel import threads
from netgiven.priors.prior import Prior
from netgiven.types import Float32Array, Int64Array

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
