"""The degree prior of a million nodes, against NEMtropy's fixed-point solver on the same degrees in the same run.

    python benchmarks/speed/prior.py [--repetitions 5]

Prints the number of distinct degrees, the largest degree error of both, the CPU seconds of both (after a small network,
so that neither pays for compiling), and a table with targets. Exit code 1 if one is missed.

NEMtropy's `solve_tool` ends with an error check over all pairs of nodes, which at a million nodes takes longer than
anything else here. It is left out, in NEMtropy's favour; its error is found over distinct degrees.
"""

from __future__ import annotations

import argparse
import contextlib
import io

import numpy as np
import numpy.typing as npt
from measuring import Target, cpu_seconds, finish
from NEMtropy import UndirectedGraph
from networks import draw_network

import netgiven as ng

NODES, LINKS, EXPONENT, OFFSET = (
    1_000_000,
    5_000_000,
    0.75,
    3.0,
)  # largest degree 28,000, as in online networks of this size


class Unchecked(UndirectedGraph):
    """NEMtropy's graph, without the error check over all pairs at the end."""

    def _solution_error(self) -> None:
        """Left out."""


def solve_theirs(degrees: npt.NDArray[np.int64]) -> UndirectedGraph:
    """NEMtropy, from a degree sequence to one parameter per node."""
    graph = Unchecked(degree_sequence=degrees)
    with contextlib.redirect_stdout(io.StringIO()), np.errstate(invalid="ignore"):
        graph.solve_tool(model="cm_exp", method="fixed-point")
    return graph


def largest_error(parameters: npt.NDArray[np.float64], degrees: npt.NDArray[np.int64]) -> float:
    """Largest |expected - observed| degree where P_ij = x_i x_j / (1 + x_i x_j), x equal for equal degrees."""
    distinct, place, count = np.unique(degrees, return_index=True, return_counts=True)
    odds = np.outer(parameters[place], parameters[place])
    p = odds / (1 + odds)
    return float(np.abs(p @ count - p.diagonal() - distinct).max())


def warm_up() -> None:
    """Both solvers once on a small network, so that everything is compiled."""
    small = draw_network(2_000, 10_000, EXPONENT, OFFSET)
    ng.degrees().fit(small)
    solve_theirs(small.degrees)


def compare(network: ng.Network, repetitions: int) -> list[Target]:
    """Errors and times of both, as targets."""
    degrees = network.degrees
    works = (lambda: ng.degrees().fit(network)), (lambda: solve_theirs(degrees))
    ours, theirs = cpu_seconds(*works, repetitions=repetitions)
    error = float(np.abs(ng.degrees().fit(network).expected_degrees - degrees).max())
    print(
        f"largest degree error   netgiven {error:.2g}   NEMtropy {largest_error(solve_theirs(degrees).x, degrees):.2g}"
    )
    print(f"CPU seconds            netgiven {ours:.3f}   NEMtropy {theirs:.3f}")
    return [
        Target("largest degree error", error, 1e-9),
        Target("CPU time over NEMtropy's", ours / theirs, 1.0, note="its check over all pairs left out"),
    ]


def main() -> None:
    """Parse, draw, compare."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repetitions", type=int, default=5)
    repetitions = parser.parse_args().repetitions
    warm_up()
    network = draw_network(NODES, LINKS, EXPONENT, OFFSET)
    distinct = len(np.unique(network.degrees))
    print(f"{network}, {distinct:,} distinct degrees up to {network.degrees.max():,}")
    finish([Target("distinct degrees", distinct, 1_000, at_least=True), *compare(network, repetitions)])


if __name__ == "__main__":
    main()
