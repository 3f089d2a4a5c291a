"""Explanations against brute force: remove a link, refit all positions, and compare the probabilities.

    python benchmarks/quality/explanations.py [--pairs 200] [--nodes 100] [--work FOLDER] [--ways] [--cost]

Facebook is embedded in 8 dimensions given degrees (all pairs, L-BFGS, reach 5.5, shrinkage 0.3), to convergence.
`--nodes` nodes with 3 to 10 links are drawn, and among them `--pairs` pairs that are not linked, have at most 15 links
together, and are at least ten times as likely as the degrees alone say. Each link of these nodes is removed in turn,
with the prior as it is, and all positions are refitted to convergence. For each pair, the probability that is lost with
each link is compared with the effect that `explain` gives: Spearman's rank correlation over the links of a pair, its
mean over pairs, and how often the strongest reason is the same. In `--work` each refit is kept, so that an interrupted
run continues. `--ways` grades other formulas, too (`explanation_ways.py`). `--cost` measures only what `explain` costs
on arXiv, in passes of the exact kernel for two nodes. Exit code 1 if a target is missed.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.stats import spearmanr

sys.path.insert(0, str(Path(__file__).parent.parent / "speed"))

from explanation_ways import WAYS
from measuring import Target, add_data_option, data_file, finish

import netgiven as ng
from netgiven.analysis.explain import explain
from netgiven.analysis.local_objective import LocalObjective
from netgiven.fitting.objectives import ExactObjective
from netgiven.fitting.optimizers import LBFGS, Evaluation
from netgiven.fitting.problem import Problem
from netgiven.kernels.arrays import LinkRows, RepulsionSums
from netgiven.kernels.repulsion import repel_all
from netgiven.model import probability
from netgiven.parallel import Threads
from netgiven.priors.prior import posterior_log_odds

Doubles = npt.NDArray[np.float64]
Link = tuple[int, int]

REACH, SHRINKAGE, DIMENSIONS = 5.5, 0.3, 8
FEWEST, MOST, MOST_OF_BOTH, LIFT = 3, 10, 15, 10.0
CONVERGED = 1e-3  # the largest slope, in coordinates in which each node's own curvature is 1
ROUNDS = 100  # steps before the curvature is computed again
STEPS = 80


class Coordinates(NamedTuple):
    """Coordinates in which the curvature of the objective at each node is 1, so that all of them move alike."""

    forth: Doubles
    back: Doubles

    @classmethod
    def of(cls, local: LocalObjective) -> Coordinates:
        """From the Hessian at each node; flat directions count as if they were a little curved."""
        curvature, directions = np.linalg.eigh(local.derivatives(np.arange(local.network.node_count)).hessian)
        floor = 0.05 * np.maximum(curvature[:, -1:], 0.05)
        root = np.sqrt(np.maximum(curvature, floor))[:, None, :]
        turned = directions.transpose(0, 2, 1)
        return cls((directions * root) @ turned, (directions / root) @ turned)


def turn(matrices: Doubles, vectors: npt.NDArray[Any]) -> Doubles:
    """Each vector by its own matrix."""
    return np.einsum("nij,nj->ni", matrices, vectors)


def refit(
    local: LocalObjective, links: LinkRows, coordinates: Coordinates, steps: int, slope: float
) -> tuple[Doubles, int]:
    """Positions of all nodes at the minimum, beginning with those of `local`, and the number of steps.

    Values are in single precision and too coarse at the end: they are replaced by the integral of slopes.
    """
    problem = Problem(
        links, local.prior.arrays, local.prior.expected_degrees, local.spread.stiffness, local.shrinkage, Threads(1)
    )
    objective, optimizer = ExactObjective(problem, DIMENSIONS), LBFGS(memory=20)
    here = turn(coordinates.forth, local.positions)
    state = optimizer.init(here)  # type: ignore[arg-type]
    for step in range(steps):
        value, gradient = objective(turn(coordinates.back, here).astype(np.float32), local.reach, step)
        turned = turn(coordinates.back, gradient)
        if state.positions is not None:
            value = state.value + float(np.sum((turned + state.gradient) * (here - state.positions))) / 2
        if np.abs(turned).max() < slope:
            return turn(coordinates.back, here), step
        evaluated = Evaluation(value, turned, learning_rate=0.3)  # type: ignore[arg-type]
        optimizer.step(state, here, evaluated, problem.engine)  # type: ignore[arg-type]
    optimizer.finish(state, here)  # type: ignore[arg-type]
    return turn(coordinates.back, here), steps


def converged(data: Path | None, work: Path) -> LocalObjective:
    """Facebook, embedded to convergence; positions are kept in the folder."""
    network = ng.read(data_file(data, "facebook.edges.gz"))
    kept, spread = work / "converged.npy", ng.Spread.from_reach(REACH)
    if kept.exists():
        return LocalObjective(network, ng.degrees().fit(network), np.load(kept), spread, SHRINKAGE)
    exact: dict[str, Any] = {"method": "exact", "optimizer": "lbfgs", "tolerance": 1e-8}
    embedding = ng.embed(
        network, "degrees", dimensions=DIMENSIONS, reach=spread, shrinkage=SHRINKAGE, threads=1, **exact
    )
    local = embedding.objective
    for number in range(60):
        positions, steps = refit(local, local.links, Coordinates.of(local), ROUNDS, CONVERGED / 4)
        print(f"convergence, round {number + 1}: {steps} steps", flush=True)
        local = LocalObjective(network, embedding.prior, positions.astype(np.float32), spread, SHRINKAGE)
        if steps < ROUNDS // 4:
            break
    np.save(kept, local.positions)
    return local


def probabilities_of(local: LocalObjective, positions: npt.NDArray[Any], pairs: npt.NDArray[np.integer]) -> Doubles:
    """Probabilities of pairs of node numbers."""
    return np.asarray(probability(posterior_log_odds(local.prior, positions, local.spread, *pairs.T)))


def draw_pairs(local: LocalObjective, nodes: int, count: int, seed: int = 0) -> npt.NDArray[np.int64]:
    """Pairs of drawn nodes with few links that the positions make likelier."""
    random, degrees = np.random.default_rng(seed), local.network.degrees
    few = np.flatnonzero((degrees >= FEWEST) & (degrees <= MOST))
    pool = np.sort(random.choice(few, nodes, replace=False))
    pairs = pool[np.column_stack(np.triu_indices(nodes, 1))]
    lifted = probabilities_of(local, local.positions, pairs) >= LIFT * probability(local.prior.log_odds_of(*pairs.T))
    fit = lifted & (degrees[pairs].sum(axis=1) <= MOST_OF_BOTH) & ~local.network.are_linked(*pairs.T)
    return random.permutation(pairs[fit])[:count]


def without(links: LinkRows, link: Link) -> LinkRows:
    """The links without one of them."""
    kept, indptr = np.ones(len(links.indices), dtype=bool), links.indptr.copy()
    for one, other in (link, link[::-1]):
        row = links.indices[links.indptr[one] : links.indptr[one + 1]]
        kept[links.indptr[one] + np.searchsorted(row, other)] = False
        indptr[one + 1 :] -= 1
    return LinkRows(indptr, links.indices[kept])


class Refits:
    """Probabilities of all pairs after each link was removed; each is kept as a line of a file."""

    def __init__(self, local: LocalObjective, pairs: npt.NDArray[np.int64], path: Path) -> None:
        self.local, self.pairs, self.path = local, pairs, path
        self.coordinates = Coordinates.of(local)
        self.stored: dict[Link, Doubles] = {}
        for line in path.read_text().splitlines() if path.exists() else []:
            record = json.loads(line)
            self.stored[tuple(record["link"])] = np.array(record["probabilities"])

    def after(self, link: Link) -> Doubles:
        """The probabilities of the pairs without the link."""
        if link not in self.stored:
            links = without(self.local.links, link)
            positions, steps = refit(self.local, links, self.coordinates, STEPS, CONVERGED)
            self.stored[link] = probabilities_of(self.local, positions, self.pairs)
            record = {"link": link, "steps": steps, "probabilities": self.stored[link].tolist()}
            with self.path.open("a") as file:
                file.write(json.dumps(record) + "\n")
        return self.stored[link]


def brute_force(local: LocalObjective, pairs: npt.NDArray[np.int64], work: Path, ways: bool) -> list[Target]:
    """Effects by `explain` and by refits."""
    refits, begin = Refits(local, pairs, work / f"refits_{len(pairs)}.jsonl"), time.time()
    before = probabilities_of(local, refit(local, local.links, refits.coordinates, STEPS, CONVERGED)[0], pairs)
    graded: dict[str, list[tuple[float, bool, float]]] = {"effect": [], "without": []}
    graded |= {name: [] for name in WAYS} if ways else {}
    for place, (first, second) in enumerate(pairs.tolist()):
        explanation = explain(local, first, second)
        ends = [(min(link), max(link)) for link in explanation.links.tolist()]
        lost = np.array([before[place] - refits.after(link)[place] for link in ends])
        graded["effect"].append(grade(lost, explanation.effects))
        graded["without"].append(grade(lost, explanation.probability - explanation.without))
        for name in WAYS if ways else ():
            others = np.array([WAYS[name](local, (first, second), *link) for link in explanation.links.tolist()])
            graded[name].append(grade(lost, others))
        if (place + 1) % 5 == 0:
            done = f"{place + 1} of {len(pairs)} pairs, {len(refits.stored)} refits, {time.time() - begin:.0f} s"
            print(f"{done}: rank correlation {np.mean([rank for rank, *_ in graded['effect']]):.3f}", flush=True)
    note = f"{len(pairs)} pairs, {len(refits.stored)} refits"
    return [target for name, grades in graded.items() for target in targets(name, np.array(grades), note)]


def grade(lost: Doubles, effects: Doubles) -> tuple[float, bool, float]:
    """Rank correlation, whether the strongest is the same, and the loss per unit of the effect."""
    return (
        float(spearmanr(lost, effects).statistic),
        bool(np.argmax(lost) == np.argmax(effects)),
        float((lost @ effects) / (effects @ effects)),
    )


def targets(name: str, grades: Doubles, note: str) -> list[Target]:
    """The means over pairs."""
    rank, same = grades[:, :2].mean(axis=0)
    steepness = f"loss divided by effect, median {np.median(grades[:, 2]):.2f}"
    return [
        Target(f"{name}: rank correlation with refits", rank, 0.8, at_least=True, note=note),
        Target(f"{name}: strongest reason is the same", same, 0.7, at_least=True, note=steepness),
    ]


def cost(data: Path | None) -> Target:
    """Least wall-clock times of single calls, in turn; both run on one thread. Names are looked up, too."""
    network = ng.read(data_file(data, "arxiv_astroph.edges.gz"))
    fixed: dict[str, Any] = {"reach": 4.0, "shrinkage": 0.0, "max_steps": 20, "progress": False}
    embedding = ng.embed(network, "degrees", dimensions=DIMENSIONS, method="sampled", threads=1, **fixed)
    local, names = embedding.objective, network.nodes[:2].tolist()
    sums = RepulsionSums(np.empty((network.node_count, DIMENSIONS)), np.empty(network.node_count))
    works = (lambda: embedding.explain(*names).effects), (lambda: repel_all(0, 2, local.model, local.tables, sums))
    rounds = np.array([[_once(work) for work in works] for _ in range(500)])[1:]
    ours, kernel = rounds.min(axis=0) * 1e6
    note = f"arXiv, d = {DIMENSIONS}: {ours:.0f} and {kernel:.0f} microseconds"
    return Target("explain over a pass for two nodes", ours / kernel, 10.0, note=note)


def _once(work: Any) -> float:
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--pairs", type=int, default=200)
    parser.add_argument("--nodes", type=int, default=100)
    parser.add_argument("--work", type=Path, default=Path("explanations"), help="folder of stored refits")
    parser.add_argument("--cost", action="store_true", help="only the cost")
    parser.add_argument("--ways", action="store_true", help="also other formulas")
    add_data_option(parser)
    options = parser.parse_args()
    if options.cost:
        finish([cost(options.data)])
    options.work.mkdir(parents=True, exist_ok=True)
    local = converged(options.data, options.work)
    pairs = draw_pairs(local, options.nodes, options.pairs)
    finish([*brute_force(local, pairs, options.work, options.ways), cost(options.data)])


if __name__ == "__main__":
    main()
