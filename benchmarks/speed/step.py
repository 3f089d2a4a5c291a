"""One sampled step on a million nodes and ten million links, against a bare gather of its link rows. Run by fit.py."""

from __future__ import annotations

import numba
import numpy as np
from measuring import Target, cpu_seconds
from networks import draw_network

import netgiven as ng
from netgiven.fitting.fit import make_problem
from netgiven.fitting.objectives import SampledObjective
from netgiven.fitting.optimizers import Adam, Evaluation
from netgiven.fitting.problem import Problem
from netgiven.fitting.settings import Settings
from netgiven.kernels.arrays import LinkRows
from netgiven.parallel import Threads
from netgiven.types import Float32Array

NODES, LINKS, EXPONENT, OFFSET, DIMENSIONS = 1_000_000, 10_000_000, 0.6, 100.0, 8


@numba.njit(nogil=True, fastmath=True)
def gather(positions: Float32Array, links: LinkRows, out: Float32Array) -> None:
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


def draw_problem() -> Problem:
    """The network and its degree prior, on one thread."""
    network = draw_network(NODES, LINKS, EXPONENT, OFFSET)
    return make_problem(network, ng.degrees().fit(network), Settings().resolve(network.node_count), Threads(1))


class Stepper:
    """A sampled fit in its middle: each call is one step."""

    def __init__(self, problem: Problem, positions: Float32Array, samples: int) -> None:
        self.objective = SampledObjective(problem, DIMENSIONS, samples, seed=0)
        self.optimizer, self.engine, self.positions = Adam(), problem.engine, positions
        self.state = self.optimizer.init(positions)

    def __call__(self) -> None:
        """Value, gradient, update."""
        evaluated = Evaluation(*self.objective(self.positions, 2.0, self.state.steps), learning_rate=1e-3)
        self.optimizer.step(self.state, self.positions, evaluated, self.engine)


def compare(problem: Problem, samples: int) -> Target:
    """CPU time of a step over that of the gather; best of several steps after one that compiles."""
    positions = np.random.default_rng(0).normal(size=(NODES, DIMENSIONS)).astype(np.float32)
    out, step = np.empty_like(positions), Stepper(problem, positions, samples)
    step()
    gather(positions, problem.links, out)
    seconds, yardstick = cpu_seconds(step, lambda: gather(positions, problem.links, out), repetitions=4)
    rows = len(problem.links.indices)
    note = f"step {seconds:.2f} s, gather {yardstick:.2f} s = {1e9 * yardstick / rows:.1f} ns per row"
    return Target(f"step over gather, {samples} shared non-links", seconds / yardstick, 3.0, note=note)


def measure() -> list[Target]:
    """Steps with 128 and with 256 shared non-links."""
    problem = draw_problem()
    return [compare(problem, samples) for samples in (128, 256)]
