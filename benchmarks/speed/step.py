"""One sampled step on a million nodes and ten million links, against a bare gather of its link rows. Run by fit.py."""

from __future__ import annotations

import numba
import numpy as np
from measuring import Target, cpu_seconds
from networks import draw_network

import netgiven as ng
from netgiven.fitting.fit import make_task
from netgiven.fitting.objectives import Sampled
from netgiven.fitting.optimizers import Adam
from netgiven.fitting.problem import Task
from netgiven.fitting.settings import Settings
from netgiven.kernels.arrays import Links
from netgiven.parallel import Threads
from netgiven.types import Float32Array

NODES, LINKS, EXPONENT, OFFSET, DIMENSIONS = 1_000_000, 10_000_000, 0.6, 100.0, 8


@numba.njit(nogil=True, fastmath=True)
def gather(positions: Float32Array, links: Links, out: Float32Array) -> None:
    """The sum of the positions of each node's neighbours: the least that a step has to read."""
    dimensions = positions.shape[1]
    for i in range(len(positions)):
        sums = out[i]
        for k in range(dimensions):
            sums[k] = np.float32(0.0)
        for place in range(links.indptr[i], links.indptr[i + 1]):
            other = positions[links.indices[place]]
            for k in range(dimensions):
                sums[k] += other[k]


def draw_task() -> Task:
    """The network and its degree prior, on one thread."""
    network = draw_network(NODES, LINKS, EXPONENT, OFFSET)
    return make_task(network, ng.degrees().fit(network), Settings(), Threads(1))


class Stepper:
    """A sampled fit in its middle: each call is one step."""

    def __init__(self, task: Task, positions: Float32Array, samples: int) -> None:
        self.objective = Sampled(task, DIMENSIONS, samples, seed=0)
        self.rule, self.engine, self.positions = Adam(), task.engine, positions
        self.state = self.rule.begin(positions)

    def __call__(self) -> None:
        """Value, gradient, update."""
        value, gradient = self.objective(self.positions, 2.0, self.state.steps)
        self.rule.step(self.state, self.positions, value, gradient, 1e-3, self.engine)


def compare(task: Task, samples: int) -> Target:
    """CPU time of a step over that of the gather; best of several steps after one that compiles."""
    positions = np.random.default_rng(0).normal(size=(NODES, DIMENSIONS)).astype(np.float32)
    out, step = np.empty_like(positions), Stepper(task, positions, samples)
    step()
    gather(positions, task.links, out)
    seconds, yardstick = cpu_seconds(step, lambda: gather(positions, task.links, out), repetitions=4)
    rows = len(task.links.indices)
    note = f"step {seconds:.2f} s, gather {yardstick:.2f} s = {1e9 * yardstick / rows:.1f} ns a row"
    return Target(f"step over gather, {samples} shared non-links", seconds / yardstick, 3.0, note=note)


def measure() -> list[Target]:
    """Steps with 128 and with 256 shared non-links."""
    task = draw_task()
    return [compare(task, samples) for samples in (128, 256)]
