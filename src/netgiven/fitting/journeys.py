"""Where fits are computed: on this machine, unless told."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from netgiven.fitting.loop import Keeper
from netgiven.fitting.outcome import Record
from netgiven.fitting.settings import Settings
from netgiven.fitting.task import Task
from netgiven.fitting.walk import LocalWalk, Walk
from netgiven.kernels.arrays import Links
from netgiven.network import Network
from netgiven.parallel import Engine
from netgiven.priors.known_pairs import closed
from netgiven.priors.prior import Prior
from netgiven.types import Float32Array


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
