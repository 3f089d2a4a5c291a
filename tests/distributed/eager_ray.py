"""A stand-in for Ray that computes every call at once in this process, so that no cluster has to start."""

from __future__ import annotations

from contextlib import contextmanager
from types import SimpleNamespace

import numpy as np

from netgiven.distributed.cluster import LOSSES, Session


def locked(value):
    """Read-only arrays, as they come out of Ray's object store."""
    if isinstance(value, np.ndarray):
        copy = value.copy()
        copy.flags.writeable = False
        return copy
    return type(value)(*map(locked, value)) if hasattr(value, "_fields") else value


class RayError(Exception):
    """What Ray raises."""


class RayTaskError(RayError):
    """What Ray raises for an error of a call, which is its cause."""

    cause = None


class Lost(RayError):  # noqa: N818
    """The error for what was lost with a worker, and what a reference to it refers to."""


class Method:
    def __init__(self, actor, name):
        self.actor, self.name, self.returns = actor, name, 1

    def options(self, num_returns):
        self.returns = num_returns
        return self

    def remote(self, *arguments):
        self.actor.ray.calls.append(self.name)
        if len(self.actor.ray.calls) in self.actor.ray.deaths:
            self.actor.inner = None
        if self.actor.inner is None or any(isinstance(argument, Lost) for argument in arguments):
            lost = Lost(f"The worker died before it had finished {self.name}.")
            return lost if self.returns == 1 else [lost] * self.returns
        result = (
            self.actor.inner.machine if self.name == "machine" else getattr(self.actor.inner, self.name)(*arguments)
        )
        return locked(result) if self.returns == 1 else list(map(locked, result))


class Actor:
    def __init__(self, ray, kind):
        self.ray, self.kind, self.inner = ray, kind, None

    def options(self, **placement):
        return self

    def remote(self):
        made = Actor(self.ray, self.kind)
        made.inner = self.kind()
        self.ray.made += 1
        made.inner.machine = f"machine {self.ray.made % 2}"
        return made

    def __getattr__(self, name):
        return Method(self, name)


class EagerRay:
    """Two machines, whose workers alternate. A worker dies in each call that is in `deaths`, counted from 1."""

    exceptions = SimpleNamespace(RayError=RayError, RayTaskError=RayTaskError, **dict.fromkeys(LOSSES, Lost))
    put = staticmethod(locked)

    def __init__(self, deaths=()):
        self.deaths, self.calls, self.made = set(deaths), [], 0

    def remote(self, kind):
        return Actor(self, kind)

    def get(self, references):
        for reference in references if isinstance(references, list) else [references]:
            if isinstance(reference, Lost):
                raise reference
        return references

    @staticmethod
    def kill(actor):
        actor.inner = None

    @staticmethod
    def nodes():
        return [{"Alive": True}]


@contextmanager
def connect_eagerly(settings):
    """In place of `connect`."""
    yield Session(EagerRay(), 2, settings.workers)


def connect_to(ray):
    """In place of `connect`, to a stand-in that is already there."""

    @contextmanager
    def connect(settings):
        yield Session(ray, 2, settings.workers, settings.log)

    return connect
