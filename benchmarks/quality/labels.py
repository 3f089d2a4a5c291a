"""Labels of nodes: ours beside regressions on vectors of NetMF, ProNE and DeepWalk, and label spreading.

    python benchmarks/quality/labels.py [--networks wikipedia ppi] [--splits 10] [--known 0.5] [--data FOLDER]
                                        [--methods auto classifier ...] [--out FOLDER]

For each split the labels of some nodes are hidden, and each of these nodes gets as many labels as it has. Vectors do
not depend on labels: they are computed once per network, and their cost is added to that of each regression. The
penalty of each regression and the weight of label spreading are chosen on labels that are hidden once more, as ours
are; rare labels have smaller penalties, as in ours. "Shares matched" does to the result of a peer what netgiven does to
its own: each label is as frequent among nodes without labels as among the others, and rare ones weigh more.

One file per network, share of known labels, split and method is written to the folder, so an interrupted run continues.
Without a folder of public networks, the company example is taken.

Micro-F1, the ordinary macro-F1, the macro-F1 that the paper published, and CPU seconds: mean and deviation.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse
from scipy.special import iv
from sklearn.preprocessing import normalize
from sklearn.utils.extmath import randomized_svd

import netgiven as ng
from experiments.baselines.deepwalk import DeepWalk
from netgiven.evaluation.harness import grade_labels
from netgiven.evaluation.methods import LabelMethod, MostCommonLabels, PredictedLabels
from netgiven.labels import Labels
from netgiven.metrics import LABEL_METRICS
from netgiven.network import Network
from netgiven.splits import hide_labels
from netgiven.tasks.labels import RARITIES, label_shares, match_shares
from netgiven.tasks.node_classifier import FeatureTable, label_score, regressions
from netgiven.types import Float64Array

TABLE_3 = ("wikipedia", "ppi", "blogcatalog")
DIMENSIONS = 128
HELD_OUT = 0.4  # of the labelled nodes, to choose a penalty or a weight
PENALTIES = (300.0, 100.0, 30.0, 10.0, 3.0, 1.0)
EIGENVECTORS = 256  # behind NetMF with a window of 10, as in its paper
ORDER, MU, THETA = 10, 0.2, 0.5  # of ProNE, as in its paper

# ---- peers -----------------------------------------------------------------------------------------------------------


def steps(network: Network) -> sparse.csr_array:
    """Probabilities of random steps: rows have the sum 1, or 0 for nodes without links."""
    return sparse.csr_array(normalize(network.to_scipy().astype(np.float64), norm="l1"))


def netmf_1(network: Network) -> Float64Array:
    """NetMF with a window of 1: the matrix is sparse."""
    degrees = np.maximum(network.degrees, 1.0)
    matrix = sparse.coo_array(network.to_scipy().astype(np.float64))
    row, column = matrix.coords
    values = np.log(np.maximum(degrees.sum() / (degrees[row] * degrees[column]), 1.0))
    return factor(sparse.csr_array((values, (row, column)), shape=matrix.shape))


def netmf_10(network: Network) -> Float64Array:
    """NetMF with a window of 10, from the largest eigenvectors of the normalised adjacency."""
    roots = np.sqrt(np.maximum(network.degrees, 1.0))
    scaling = sparse.diags_array(1 / roots)
    normalised = scaling @ network.to_scipy().astype(np.float64) @ scaling
    count = min(EIGENVECTORS, network.node_count - 2)
    values, vectors = sparse.linalg.eigsh(normalised, k=count, which="LA", v0=roots)
    mean = np.mean([values**step for step in range(1, 11)], axis=0)
    half = ((vectors / roots[:, None]) * np.sqrt(np.maximum(mean, 0))).astype(np.float32)
    dense = half @ half.T * np.float32((roots**2).sum())
    return factor(np.log(np.maximum(dense, 1, out=dense), out=dense))


def prone(network: Network) -> Float64Array:
    """ProNE: a sparse factorisation, and a band-pass filter over the network."""
    step = steps(network)
    negative = np.asarray(step.sum(axis=0)).ravel() ** 0.75
    matrix = sparse.coo_array(step)
    row, column = matrix.coords
    values = np.log(matrix.data) - np.log(negative[column] / negative.sum())
    start = factor(sparse.csr_array((values, (row, column)), shape=matrix.shape))
    nodes = network.node_count
    with_self = network.to_scipy().astype(np.float64) + sparse.eye_array(nodes)
    filtered = sparse.eye_array(nodes) - normalize(with_self, norm="l1") - MU * sparse.eye_array(nodes)
    before, now = start, 0.5 * (filtered @ (filtered @ start)) - start
    result = iv(0, THETA) * start - 2 * iv(1, THETA) * now
    for order in range(2, ORDER):
        after = filtered @ (filtered @ now) - 2 * now - before
        result += (-1) ** order * 2 * iv(order, THETA) * after
        before, now = now, after
    left, values, _ = np.linalg.svd(with_self @ (start - result), full_matrices=False)
    return normalize(left * np.sqrt(values))


def deepwalk(network: Network) -> Float64Array:
    """DeepWalk with ten walks of 80 steps per node and a window of 10."""
    return DeepWalk(DIMENSIONS, rounds=10, length=80).vectors(network, 0).astype(np.float64)


def factor(matrix: Any) -> Float64Array:
    """Left singular vectors, times the square roots of the singular values."""
    left, values, _ = randomized_svd(matrix, min(DIMENSIONS, matrix.shape[0] - 1), n_iter=5, random_state=0)
    return np.asarray(left * np.sqrt(values), dtype=np.float64)


VECTORS: dict[str, Callable[[Network], Float64Array]] = {
    "NetMF, window 1": netmf_1,
    "NetMF, window 10": netmf_10,
    "ProNE": prone,
    "DeepWalk": deepwalk,
}


@dataclass(frozen=True)
class Regression:
    """Regressions on vectors that are computed once, with a penalty that is chosen on hidden labels."""

    name: str
    vectors: Float64Array
    matched: bool = False

    @cached_property
    def scaled(self) -> Float64Array:
        """Vectors with mean 0 and mean square 1."""
        centred = self.vectors - self.vectors.mean(axis=0)
        return np.asarray(centred / np.sqrt(np.square(centred).mean()))

    def score(self, network: Network, labels: Labels, seed: int) -> Float64Array:
        """Log-odds of each label for each node."""
        return chosen(labels, seed, self.candidates)

    def candidates(self, labels: Labels) -> Iterable[Float64Array]:
        """Log-odds for each penalty."""
        known = np.flatnonzero(labels.counts)
        truth = labels.matrix[known].toarray().astype(np.float64)
        table = FeatureTable(sparse.csr_array((len(self.scaled), 0)), self.scaled)
        found = (fitted.log_odds(table) for fitted in regressions(table.rows(known), truth, PENALTIES))
        return (matched(z, labels) for z in found) if self.matched else found


def matched(log_odds: Float64Array, labels: Labels) -> Float64Array:
    """The same, with the shares of labels among nodes without labels."""
    unknown = labels.counts == 0
    log_odds[unknown] = match_shares(log_odds[unknown], label_shares(labels), RARITIES[-1])
    return log_odds


@dataclass(frozen=True)
class LabelSpreading:
    """Labels diffuse over the normalised adjacency; how far is chosen on hidden labels."""

    name: str = "label spreading"

    def score(self, network: Network, labels: Labels, seed: int) -> Float64Array:
        """Label mass of each node."""
        scaling = sparse.diags_array(1 / np.sqrt(np.maximum(network.degrees, 1.0)))
        normalised = sparse.csr_array(scaling @ network.to_scipy().astype(np.float64) @ scaling)
        return chosen(labels, seed, lambda some: (spread(normalised, some, far) for far in (0.2, 0.5, 0.8, 0.95, 0.99)))


def spread(normalised: sparse.csr_array, labels: Labels, far: float) -> Float64Array:
    """The sum of all walks, those of length n weighted by far^n."""
    start = labels.matrix.toarray().astype(np.float64)
    mass = start
    for _ in range(50):
        mass = far * (normalised @ mass) + (1 - far) * start
    return np.asarray(mass)


def chosen(labels: Labels, seed: int, candidates: Callable[[Labels], Iterable[Float64Array]]) -> Float64Array:
    """The scores of the candidate that is best on labels hidden once more."""
    split = hide_labels(labels, HELD_OUT, seed)
    tried = [label_score(split.truth, scores[split.nodes]) for scores in candidates(split.train)]
    return list(candidates(labels))[int(np.argmax(tried))]


# ---- the run ---------------------------------------------------------------------------------------------------------


OURS = ("auto", "links", "classifier", "average")
MATCHED = {f"{name}, shares matched": name for name in VECTORS}
METHODS = ("most common", "label spreading", *VECTORS, *MATCHED, *OURS)


def load(name: str, data: Path | None) -> tuple[Network, Labels]:
    """A network and the labels of its nodes."""
    if name == "company" or data is None:
        network = ng.datasets.company(people=400)
        return network, Labels.from_columns(network.nodes, network.nodes, network.column("project"))
    network = ng.datasets.public.load(name, data)
    return network, ng.read_labels(data / f"{name}.labels.gz", network).labels


def method_of(name: str, label: str, network: Network, out: Path) -> tuple[LabelMethod, float]:
    """A method, and the CPU seconds that its vectors took."""
    if name in OURS:
        return PredictedLabels(method=name, threads=1), 0.0
    if (plain := MATCHED.get(name, name)) in VECTORS:
        vectors, seconds = saved_vectors(plain, label, network, out)
        return Regression(name, vectors, name in MATCHED), seconds
    return (MostCommonLabels() if name == "most common" else LabelSpreading()), 0.0


def saved_vectors(name: str, label: str, network: Network, out: Path) -> tuple[Float64Array, float]:
    """Vectors from the folder, or computed and saved there."""
    file = out / f"{label} {name}.npz"
    if not file.exists():
        start = time.process_time()
        vectors = VECTORS[name](network)
        np.savez(file, vectors=vectors, seconds=time.process_time() - start)
    saved = np.load(file)
    return saved["vectors"], float(saved["seconds"])


def measure(name: str, label: str, data: tuple[Network, Labels], known: float, seed: int, out: Path) -> dict[str, Any]:
    """The result of one method on one split: from its file, or measured and written there."""
    file = out / f"{label} {known:g} {seed} {name}.json"
    if not file.exists():
        network, labels = data
        method, seconds = method_of(name, label, network, out)
        split = hide_labels(labels, 1 - known, seed)
        result: dict[str, Any] = dict(grade_labels(method, network, split, seed))
        result["CPU s"] += seconds
        details = getattr(method, "details", {})
        result |= {"chosen": details.get("method", ""), "scores": details.get("scores", {})}
        file.write_text(json.dumps(result))
        print(f"{file.stem}: {result['micro-F1']:.4f} / {result['macro-F1']:.4f}", flush=True)
    return dict(json.loads(file.read_text()))


def table(rows: list[dict[str, Any]]) -> str:
    """Mean and deviation over splits, in Markdown."""
    frame = pd.DataFrame(rows)
    lines = [
        "| network | known | method | splits | micro-F1 | macro-F1 | macro-F1 (paper) | CPU s | chosen |",
        "|---" * 9 + "|",
    ]
    for key, group in frame.groupby(["network", "known", "method"], sort=False):
        figures = [f"{group[name].mean():.4f} ± {group[name].std(ddof=0):.4f}" for name in LABEL_METRICS]
        ways = ", ".join(f"{way} {count}" for way, count in group["chosen"].value_counts().items() if way)
        cells = [key[0], f"{key[1]:.0%}", key[2], str(len(group)), *figures, f"{group['CPU s'].mean():.1f}", ways]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def main() -> None:
    """Measure what is missing, and print the table."""
    folder = os.environ.get("NETGIVEN_DATA")
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--data", type=Path, default=Path(folder) if folder else None)
    options.add_argument("--networks", nargs="+")
    options.add_argument("--methods", nargs="+", choices=METHODS, default=METHODS)
    options.add_argument("--splits", type=int, default=10)
    options.add_argument("--known", type=float, nargs="+", default=[0.5])
    options.add_argument("--out", type=Path, default=Path("label-results"))
    arguments = options.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    names = arguments.networks or (TABLE_3 if arguments.data else ("company",))
    loaded = {name: load(name, arguments.data) for name in names}
    rows = [
        {"network": name, "known": known, "method": method, "seed": seed}
        | measure(method, name, loaded[name], known, seed, arguments.out)
        for known in arguments.known
        for seed in range(arguments.splits)
        for name in names
        for method in arguments.methods
    ]
    print(table(sorted(rows, key=lambda row: names.index(row["network"]))))


if __name__ == "__main__":
    main()
