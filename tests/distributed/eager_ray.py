"""A stand-in for Ray that computes every call at once in this process, so that no cluster has to start."""

from __future__ import annotations

from contextlib import contextmanager

import numpy as np

from netgiven.distributed.cluster import Session


def locked(value):
    """Read-only arrays, as they come out of Ray's object store."""
    if isinstance(value, np.ndarray):
        copy = value.copy()
        copy.flags.writeable = False
        return copy
    return type(value)(*map(locked, value)) if hasattr(value, "_fields") else value


class Method:
    def __init__(self, function):
        self.function, self.returns = function, 1

    def options(self, num_returns):
        self.returns = num_returns
        return self

    def remote(self, *arguments):
        result = self.function(*arguments)
        return locked(result) if self.returns == 1 else list(map(locked, result))


class Actor:
    def __init__(self, kind):
        self.kind, self.inner = kind, None

    def options(self, **placement):
        return self

    def remote(self):
        made = Actor(self.kind)
        made.inner = self.kind()
        return made

    def __getattr__(self, name):
        return Method(getattr(self.inner, name))


class EagerRay:
    remote, put = staticmethod(Actor), staticmethod(locked)

    @staticmethod
    def get(references):
        return references

    @staticmethod
    def wait(references, **settings):
        return references, []

    @staticmethod
    def kill(actor):
        actor.inner = None

    @staticmethod
    def nodes():
        return [{"Alive": True}]


@contextmanager
def connect_eagerly(settings):
    """In place of `connect`."""
    yield Session(EagerRay, 2, settings.workers)
