"""From a network and what is known about it to positions: prior, choice of settings, fit, calibration."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from netgiven.fitting.fit import (
    Backend,
    Fit,
    LocalBackend,
    calibrate_reach,
    fit_positions,
    refit_positions,
    warm_settings,
)
from netgiven.fitting.record import FitRecord, Stopwatch, stage
from netgiven.fitting.selection import Validation, select_settings
from netgiven.fitting.settings import ResolvedSettings, Settings
from netgiven.fitting.train import Callback, Status
from netgiven.model import Spread
from netgiven.network import Network
from netgiven.priors.knowledge import Given, GivenKnowledge
from netgiven.priors.prior import Prior
from netgiven.types import Float32Array

if TYPE_CHECKING:
    from netgiven.distributed.cluster import Ray


# In units of one over the square root of the stiffness: a product of at most 4, and one of no importance.
FARTHEST_ROLE, SMALLEST_ROLE = 2.0, 0.05

# Of the fit that goes on from the positions of the search: its objective ends below that of a whole fit.
STEPS_AFTER_SELECTION, LEARNING_RATE_AFTER_SELECTION = 40, 0.5  # the latter: of the usual one


class FittedNetwork(NamedTuple):
    """What a fit gives: positions with the prior and the spread that make probabilities of them, and its record."""

    network: Network
    positions: Float32Array
    prior: Prior
    spread: Spread
    fit: FitRecord


def fit_network(
    network: Network,
    given: Given,
    settings: Settings,
    *,
    train_given: Given = None,
    predict_given: Given = None,
    validation: Validation | None = None,
    threads: int | None = None,
    engine: Literal["local", "ray"] | Ray = "local",
    progress: bool | None = None,
    callback: Callback | None = None,
) -> FittedNetwork:
    """Fit positions to a network; see `netgiven.embed` for the parameters."""
    stopwatch, size = Stopwatch(), network.node_count
    knowledge = GivenKnowledge(_first(train_given, given), _first(predict_given, given))
    with open_backend(engine, settings.resolve(size)) as backend:  # settings and cluster are checked before the work
        with stage("prior", progress):
            priors = knowledge.fit(network)
        stopwatch.lap("prior")

        # what is left open is chosen, by default on held-out links
        chosen, prediction, trials, begin = select_settings(network, knowledge, settings, validation, threads, progress)
        if prediction.uncertainty:
            priors = knowledge.fit(network, prediction.uncertainty)
        stopwatch.lap("selection")

        resolved = steps = chosen.resolve(size)
        fit_from: Callable[..., Fit] = fit_positions
        if begin is not None:  # the search led to good positions, and the fit goes on from there
            fit_from = partial(refit_positions, positions=begin, at_end=Status.REFINED)
            steps = warm_settings(chosen, size, STEPS_AFTER_SELECTION, LEARNING_RATE_AFTER_SELECTION)
        fit = fit_from(
            network,
            priors.train,
            steps,
            backend=backend,
            thread_count=threads,
            progress=progress,
            callback=callback,
        )

    positions, spread = fit.positions, resolved.spread
    if "repelling" in settings.open_hyperparameters and resolved.repelling:
        positions, resolved = drop_vanished_roles(positions, resolved)
        positions = limit_roles(positions, resolved)
        spread = resolved.spread
    # a reach that was chosen for ranking pairs is set so that as many links are expected as there are
    if trials and settings.reach == "auto" and not fit.convergence.diverged:
        spread = calibrate_reach(network, priors.predict, resolved, positions, threads, prediction.stretch)
    stopwatch.lap("fit")
    record = FitRecord(resolved, priors.train, fit.convergence, fit.steps, trials, stopwatch.seconds)
    return FittedNetwork(network, positions, priors.predict, spread, record)


def drop_vanished_roles(positions: Float32Array, settings: ResolvedSettings) -> tuple[Float32Array, ResolvedSettings]:
    """Leave out dimensions that repel if shrinkage has moved all nodes to the centre of them."""
    near, spread = settings.dimensions - settings.repelling, settings.spread
    if np.abs(positions[:, near:]).max(initial=0.0) > SMALLEST_ROLE / spread.stiffness**0.5:
        return positions, settings
    return positions[:, :near], replace(settings, dimensions=near, spread=replace(spread, repelling=0))


def limit_roles(positions: Float32Array, settings: ResolvedSettings) -> Float32Array:
    """Positions that lie at most FARTHEST_ROLE from the centre in dimensions that repel.

    Products have no bound, and hubs, whose many links outweigh any shrinkage, overfit: pairs of them fill the top of
    the list of likely links.
    """
    near = settings.dimensions - settings.repelling
    roles = positions[:, near:]
    farthest = FARTHEST_ROLE / settings.spread.stiffness**0.5
    factor = farthest / np.maximum(np.linalg.norm(roles, axis=1), farthest)
    return np.hstack([positions[:, :near], roles * factor[:, None].astype(np.float32)])


@contextmanager
def open_backend(engine: Literal["local", "ray"] | Ray, settings: ResolvedSettings) -> Iterator[Backend]:
    """The threads of this machine, or a cluster, for the length of a `with` block."""
    if engine == "local":
        yield LocalBackend()
        return
    from netgiven.distributed.driver import open_ray_backend

    with open_ray_backend(engine, settings) as backend:
        yield backend


def _first(first: Given, second: Given) -> Given:
    return second if first is None else first
