"""What short paths would add to an embedding: ranks of hidden links among nodes of the same type and degree.

    python -m benchmarks.quality.short_paths [--networks debian,papers,npm] [--work FOLDER] [--data FOLDER]

Run it in the root of the repository. Networks and questions are those of `benchmarks/peers`. For each network, prints
the mean reciprocal rank (MRR) of an embedding with fixed settings, of the strength of paths of three links (two links
in the thesaurus, whose links close triangles), and of log-odds + weight log(1 + 1000 strength). The weight is the best
of a few on one half of the questions; all figures are those of the other half.
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from time import process_time

import numpy as np
from scipy import sparse

import netgiven as ng
from benchmarks.peers.catalogue import LARGE, WITH_TYPES
from benchmarks.peers.networks import prepare
from benchmarks.peers.questions import Numbers
from benchmarks.peers.run import CACHE
from netgiven.splits import pairs_of_questions, ranks_of_answers
from netgiven.types import Float64Array

LINKS_OF_PATH = {"thesaurus": 2}
SETTINGS = {"dimensions": 16, "reach": 4.0, "shrinkage": 0.3, "threads": 1, "progress": False}
WEIGHTS = (0.0, 0.1, 0.3, 0.5, 1.0, 2.0, 3.0)
NODES_AT_ONCE = 50
PARTS = 20  # of the pairs of all questions


def main() -> None:
    """Print one row per network."""
    options = read_options()
    print("network       embedding   paths    both  weight   CPU s of embedding, of paths")
    for name in options.networks:
        place = prepare(name, options.work / "networks", options.data)
        print(f"{name:12}", *row(place, name), flush=True)


def row(place: Path, name: str) -> list[str]:
    """MRR of the three scores, the weight, and CPU seconds."""
    questions = np.load(place / "questions.npy")
    network = read(place, name)
    begin = process_time()
    odds = embedding_scores(network, questions, "degrees+blocks:type" if name in WITH_TYPES else "degrees")
    middle = process_time()
    paths = np.log1p(1000 * strengths(network, questions, LINKS_OF_PATH.get(name, 3)))
    seconds = middle - begin, process_time() - middle
    choose, measure = np.arange(len(questions)) % 2 == 0, np.arange(len(questions)) % 2 == 1
    best = max(WEIGHTS, key=lambda weight: reciprocal_rank(questions, odds + weight * paths, choose))
    found = [reciprocal_rank(questions, score, measure) for score in (odds, paths, odds + best * paths)]
    return [f"{value:9.3f}" for value in found] + [f"{best:6}"] + [f"{value:8.1f}" for value in seconds]


def read(place: Path, name: str) -> ng.Network:
    """The training network, with types where it has any."""
    if name not in WITH_TYPES:
        return ng.read(place / "train.npz")
    types = np.load(place / "types.npy")
    return ng.read(place / "train.npz", nodes={"node": np.arange(len(types)), "type": types})


def embedding_scores(network: ng.Network, questions: Numbers, given: str) -> Float64Array:
    """Log-odds of the pairs of all questions."""
    embedding = ng.embed(network, given, **SETTINGS)
    parts = np.array_split(pairs_of_questions(questions), PARTS)
    return np.concatenate([embedding.log_odds_of(*part.T) for part in parts]).reshape(len(questions), -1)


def strengths(network: ng.Network, questions: Numbers, length: int) -> Float64Array:
    """Sums over paths of one over the degrees between, divided by the root of the degrees of both ends.

    Pairs of questions are not linked in the training network, so no walk of three links returns.
    """
    root = np.sqrt(np.maximum(network.degrees, 1))
    step = sparse.csr_array(network.to_scipy().astype(np.float32) / root[:, None] / root[None, :])
    found = np.empty((len(questions), questions.shape[1] - 1))
    for low in range(0, len(questions), NODES_AT_ONCE):
        part = questions[low : low + NODES_AT_ONCE]
        columns = np.arange(len(part))
        reached = np.zeros((network.node_count, len(part)), dtype=np.float32)
        reached[part[:, 0], columns] = 1.0
        for _ in range(length):
            reached = step @ reached
        found[low : low + len(part)] = reached[part[:, 1:], columns[:, None]]
    return found


def reciprocal_rank(questions: Numbers, scores: Float64Array, some: Float64Array) -> float:
    """The mean reciprocal rank of the hidden links of some questions."""
    return float(np.mean(1 / ranks_of_answers(questions[some], scores[some].ravel())))


def read_options() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--networks", type=lambda text: text.split(","), default=list(LARGE), help=", ".join(LARGE))
    parser.add_argument("--work", type=Path, default=CACHE, help="folder of the prepared networks")
    folder = os.environ.get("NETGIVEN_DATA")
    parser.add_argument("--data", type=Path, default=folder and Path(folder), help="folder of the public networks")
    return parser.parse_args()


if __name__ == "__main__":
    main()
