"""Where the time of a large sampled step goes, beside what the machine can do.

    python benchmarks/speed/roofline.py [--nodes 1000000] [--links 10000000] [--dimensions 8] [--samples 128]

First the machine, on one thread: bytes per second of a copy, of sums over rows in random order, and floating-point
operations per second of a polynomial. Then the kernels of a step on a planted network, with nodes in memory order:
nanoseconds per link end or pair, bytes or operations per second, and the share of what the machine can do.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

import numba
import numpy as np
from measuring import cpu_seconds
from step import gather

import netgiven as ng
from netgiven.fitting.fit import diffusion_order, make_problem, reordered
from netgiven.fitting.objectives import SampledObjective
from netgiven.fitting.optimizers import Adam, Evaluation
from netgiven.fitting.settings import Settings
from netgiven.kernels.arrays import LinkRows, RandomKey
from netgiven.kernels.repulsion import BLOCK, draw_blocks, repel_sampled
from netgiven.parallel import threads

LINE = 64  # bytes that a processor reads from memory at once
SIGMOID_OPERATIONS = 45  # of sigmoid and softplus: two polynomials, a division, scale and comparisons


@numba.njit(fastmath={"contract"}, error_model="numpy")
def polynomial(values: Any, rounds: int) -> None:
    """64 multiplications and additions per value, on values that stay in the first-level cache."""
    for _ in range(rounds):
        for i in range(len(values)):
            x = values[i]
            y = x
            for _ in range(64):
                y = y * x + np.float32(0.5)
            values[i] = y * np.float32(1e-3)


def seconds(work: Callable[[], Any]) -> float:
    """CPU seconds, the best of five, after a first call."""
    work()
    return cpu_seconds(work, repetitions=5)[0]


def machine(nodes: int, dimensions: int) -> dict[str, float]:
    """Bytes per second of a copy and of rows in random order, operations per second of a polynomial."""
    source = np.ones(1 << 26, np.float32)
    target = np.empty_like(source)
    copy = 2 * source.nbytes / seconds(lambda: np.copyto(target, source))
    random = np.random.default_rng(0)
    rows = LinkRows(np.arange(0, 10 * nodes + 1, 10), random.integers(nodes, size=10 * nodes).astype(np.int32))
    positions = random.normal(size=(nodes, dimensions)).astype(np.float32)
    out = np.empty_like(positions)
    lines = max(LINE, 4 * dimensions) + 4
    at_random = len(rows.indices) * lines / seconds(lambda: gather(positions, rows, out))
    values = np.full(2048, 0.5, np.float32)
    operations = 2 * 64 * 2048 * 1000 / seconds(lambda: polynomial(values, 1000))
    return {"copy": copy, "rows in random order": at_random, "polynomial": operations}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nodes", type=int, default=1_000_000)
    parser.add_argument("--links", type=int, default=10_000_000)
    parser.add_argument("--dimensions", type=int, default=8)
    parser.add_argument("--samples", type=int, default=128)
    options = parser.parse_args()
    can = machine(options.nodes, options.dimensions)
    for name, value in can.items():
        print(f"{name:24} {value / 1e9:8.1f} {'Gflop/s' if name == 'polynomial' else 'GB/s'}")
    network = ng.datasets.planted(options.nodes, options.links).network
    settings = Settings(dimensions=options.dimensions, reach=2.0, shrinkage=0.0).resolve(network.node_count)
    with threads(1) as engine:
        problem = make_problem(network, ng.degrees().fit(network), settings, engine)
        problem = reordered(problem, diffusion_order(problem, 0))
        report(problem, options, can)


def report(problem: Any, options: argparse.Namespace, can: dict[str, float]) -> None:
    """One line per kernel."""
    count, dimensions, samples = problem.node_count, options.dimensions, options.samples
    positions = np.random.default_rng(0).normal(size=(count, dimensions)).astype(np.float32)
    objective = SampledObjective(problem, dimensions, samples, 0)
    model, proposal = problem.model(positions, 2.0), problem.proposal_of(samples)
    blocks, ends, pairs = -(-count // BLOCK), len(problem.links.indices), count * samples
    drawn, sums = objective._drawn, objective._sums
    gradient, separation = objective._gradient, objective._separation
    optimizer = Adam()
    state = optimizer.init(positions)
    evaluation = Evaluation(0.0, gradient, 0.0)
    run = problem.engine.run
    works = {
        "attraction": (lambda: problem.attract(positions, gradient, separation), ends, "link end"),
        "repulsion": (lambda: run(repel_sampled, blocks, drawn, proposal.weights, model, sums), pairs, "pair"),
        "drawing": (
            lambda: run(draw_blocks, blocks, RandomKey(0, 0), proposal.proposal, drawn),
            blocks * samples,
            "draw",
        ),
        "combine": (lambda: problem.combine(model, gradient, sums), count, "node"),
        "Adam": (lambda: optimizer.step(state, positions, evaluation, problem.engine), count, "node"),
    }
    run(draw_blocks, blocks, RandomKey(0, 0), proposal.proposal, drawn)
    bytes_of_end, operations = max(LINE, 4 * dimensions) + 4, 5 * dimensions + SIGMOID_OPERATIONS
    for name, (work, units, unit) in works.items():
        taken = seconds(work)
        line = f"{name:12} {taken:7.3f} CPU s {taken / units * 1e9:8.2f} ns per {unit}"
        if name == "attraction":
            rate = units * bytes_of_end / taken
            line += f", {rate / 1e9:.1f} GB/s: {rate / can['rows in random order']:.2f} of rows in random order"
        if name == "repulsion":
            rate = units * operations / taken
            line += f", {rate / 1e9:.1f} Gflop/s: {rate / can['polynomial']:.2f} of the polynomial"
        print(line)


if __name__ == "__main__":
    main()
