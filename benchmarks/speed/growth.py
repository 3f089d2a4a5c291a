"""How the cost of a step, and memory, grow with links, nodes, dimensions and samples.

    python benchmarks/speed/growth.py [--out docs/pictures/speed] [--most 10000000]

Networks with planted communities and 20 links per node, from 10,000 to 10,000,000 links, given degrees. Time: CPU
seconds of one sampled step (value, gradient, update), the least of several, with nodes in the order that a fit gives
them. Memory: the peak size of all arrays while a network in memory is embedded, prior included, as `tracemalloc`
counts. Exponents are slopes of a straight line through the logarithms. Exit code 1 if one of those for the size of the
network is not between .9 and 1.15.
"""

from __future__ import annotations

import argparse
import tracemalloc
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from measuring import Target, cpu_seconds, finish

import netgiven as ng
from netgiven.fitting.fit import MIN_BYTES, make_problem, nearby_order, reordered
from netgiven.fitting.initialization import diffused_positions
from netgiven.fitting.objectives import SampledObjective
from netgiven.fitting.optimizers import Adam, Evaluation
from netgiven.fitting.problem import Problem
from netgiven.fitting.settings import Settings
from netgiven.parallel import Threads

LINKS_PER_NODE, SAMPLES, DIMENSIONS = 10, 256, 8
WIDTHS, MORE_SAMPLES = (4, 8, 16, 32, 64, 128), (16, 64, 256, 1024, 4096)
MIDDLE = 1_000_000  # links where dimensions and samples are varied


class Point(NamedTuple):
    """A size and what it costs."""

    size: float
    cost: float


def ready(network: ng.Network) -> Problem:
    """Links and degree prior on one thread."""
    return make_problem(network, ng.degrees().fit(network), Settings().resolve(network.node_count), Threads(1))


def seconds_of_step(problem: Problem, dimensions: int, samples: int) -> float:
    """The least CPU time of a step, after one that compiles."""
    positions = diffused_positions(problem, dimensions, 0.5, seed=0)
    if positions.nbytes > MIN_BYTES:
        order = nearby_order(positions)
        problem, positions = reordered(problem, order), positions[order]
    objective, optimizer = SampledObjective(problem, positions.shape[1], samples, seed=0), Adam()
    state = optimizer.init(positions)

    def step() -> None:
        evaluated = Evaluation(*objective(positions, 2.0, state.steps), learning_rate=1e-3)
        optimizer.step(state, positions, evaluated, problem.engine)

    step()
    return cpu_seconds(step, repetitions=max(5, 2_000_000 // problem.link_count))[0]


def bytes_of_fit(network: ng.Network) -> int:
    """The most bytes of arrays at once, the network's own included."""
    own = network.indptr.nbytes + network.indices.nbytes
    tracemalloc.start()
    fixed: dict[str, Any] = {"dimensions": DIMENSIONS, "reach": 2.0, "shrinkage": 0.0, "max_steps": 3, "threads": 1}
    ng.embed(network, "degrees", method=ng.sampled(SAMPLES), progress=False, **fixed)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return own + most


def exponent(points: list[Point]) -> float:
    """The slope of a straight line through the logarithms."""
    sizes, costs = np.log(np.array(points)).T
    return float(np.polyfit(sizes, costs, 1)[0])


def bounds(name: str, points: list[Point], unit: str) -> list[Target]:
    """Both sides of what counts as linear."""
    slope, note = exponent(points), f"{points[0].cost:.3g} to {points[-1].cost:.3g} {unit}"
    return [Target(f"{name}: exponent", slope, 1.15, note=note), Target(f"{name}: exponent", slope, 0.9, at_least=True)]


def draw(curves: dict[str, list[Point]], path: Path) -> None:
    """One panel per curve, with its exponent."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(12, 3.2), layout="constrained")
    for panel, (name, points) in zip(figure.subplots(1, len(curves)), curves.items(), strict=True):
        label, unit = name.split(": ")
        sizes, costs = np.array(points).T
        panel.loglog(sizes, costs, "o-", color="#0072B2", markersize=4)
        panel.set(xlabel=label, ylabel=unit, title=f"exponent {exponent(points):.2f}")
        panel.grid(alpha=0.3)
        panel.spines[["top", "right"]].set_visible(False)
    figure.savefig(path, dpi=150)


def main() -> None:
    """Measure, draw, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, help="folder for the picture growth.png")
    parser.add_argument("--most", type=int, default=10_000_000, help="links of the largest network")
    options = parser.parse_args()
    sizes = [round(10**power) for power in np.arange(4, np.log10(options.most) + 0.01, 0.5)]
    bytes_of_fit(ng.datasets.planted(30, 100, communities=2).network)  # compiles
    times, memory = [], []
    for links in sizes:
        network = ng.datasets.planted(max(links // LINKS_PER_NODE, 30), links).network
        terms = network.link_count + SAMPLES * network.node_count
        times.append(Point(terms, seconds_of_step(ready(network), DIMENSIONS, SAMPLES)))
        memory.append(Point(network.link_count, bytes_of_fit(network) / 1e6))
        print(f"{network}: {times[-1].cost:.3g} CPU s per step, {memory[-1].cost:.4g} MB", flush=True)
    middle = ready(ng.datasets.planted(MIDDLE // LINKS_PER_NODE, MIDDLE).network)
    wider = [Point(width, seconds_of_step(middle, width, SAMPLES)) for width in WIDTHS]
    denser = [Point(samples, seconds_of_step(middle, DIMENSIONS, samples)) for samples in MORE_SAMPLES]
    for name, points in (("dimensions", wider), ("samples", denser)):
        costs = ", ".join(f"{point.size:g}: {point.cost:.3g} s" for point in points)
        print(f"{name} at {MIDDLE:,} links: {costs}; exponent {exponent(points):.2f}")
    if options.out:
        curves = {
            "links + samples × nodes: CPU s per step": times,
            "links: peak MB": memory,
            "dimensions: CPU s per step": wider,
            "samples: CPU s per step": denser,
        }
        draw(curves, options.out / "growth.png")
    finish([*bounds("time over links + samples x nodes", times, "s"), *bounds("memory over links", memory, "MB")])


if __name__ == "__main__":
    main()
