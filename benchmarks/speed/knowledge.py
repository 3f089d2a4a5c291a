"""What it costs to fit a prior, against ten sampled steps of the embedding that follows, in the same run.

    python benchmarks/speed/knowledge.py [--repetitions 3]

Two sums: degrees and blocks of 50 groups on a million nodes; degrees and an order in 100 bins on 100,000 nodes with
continuous times. Prints CPU seconds, the largest relative error of a constraint, and the memory that the fit takes.
Exit code 1 if a fit costs more than ten steps in 8 dimensions, or takes memory for a hundredth of n^2 numbers.
"""

from __future__ import annotations

import argparse
import tracemalloc

import numpy as np
import pandas as pd
from measuring import Target, cpu_seconds, finish
from networks import draw_network

import netgiven as ng
from netgiven.fitting.fit import make_problem
from netgiven.fitting.settings import Settings
from netgiven.kernels.arrays import padded
from netgiven.parallel import Threads

EXPONENT, OFFSET, DIMENSIONS, STEPS = 0.75, 3.0, 8, 10


def with_columns(network: ng.Network) -> ng.Network:
    """Fifty groups, and a time for each node."""
    random = np.random.default_rng(0)
    groups, times = random.integers(0, 50, network.node_count), random.random(network.node_count)
    return network.with_columns(pd.DataFrame({"group": groups.astype(str), "time": times}))


def ten_steps(network: ng.Network, prior: ng.Prior) -> None:
    """Sampled steps of an embedding, on one thread."""
    settings = Settings(dimensions=DIMENSIONS, method=ng.sampled()).resolve(network.node_count)
    problem = make_problem(network, prior, settings, Threads(1))
    positions = padded(np.random.default_rng(0).normal(size=(network.node_count, DIMENSIONS)))
    objective = ng.sampled().objective(problem, positions.shape[1], 0)
    for step in range(STEPS):
        objective(positions, 2.0, step)


def memory(network: ng.Network, given: ng.Knowledge) -> int:
    """The most memory that a fit takes at a time, in bytes."""
    tracemalloc.start()
    given.fit(network)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak


def compare(name: str, network: ng.Network, given: ng.Knowledge, repetitions: int) -> list[Target]:
    """Costs of one sum."""
    prior, added = given.fit(network), memory(network, given)
    prior.expected_degrees  # noqa: B018 - kept for later: no part of a step
    works = (lambda: given.fit(network)), (lambda: ten_steps(network, prior))
    fit, steps = cpu_seconds(*works, repetitions=repetitions)
    error = max(check.largest_relative_error for check in prior.checks)
    print(f"{name}: {network}")
    print(f"  fit {fit:.2f} s, ten steps {steps:.2f} s, largest error {error:.1e}, {added / 2**20:.0f} MB")
    return [
        Target(f"{name}: fit over ten steps", fit / steps, 1.0, note="CPU time, 8 dimensions, 256 samples"),
        Target(f"{name}: largest relative error", error, 1e-8),
        Target(f"{name}: bytes over n^2", added / network.node_count**2, 0.08),
    ]


def main() -> None:
    """Parse, draw, compare."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repetitions", type=int, default=3)
    repetitions = parser.parse_args().repetitions
    blocks, order = ng.degrees() + ng.blocks("group"), ng.degrees() + ng.order("time", bins=100)
    small = with_columns(draw_network(2_000, 10_000, EXPONENT, OFFSET))
    for given in (blocks, order):
        ten_steps(small, given.fit(small))
    middle = with_columns(draw_network(100_000, 1_000_000, EXPONENT, OFFSET))
    large = with_columns(draw_network(1_000_000, 5_000_000, EXPONENT, OFFSET))
    finish(compare("order", middle, order, repetitions) + compare("blocks", large, blocks, repetitions))


if __name__ == "__main__":
    main()
