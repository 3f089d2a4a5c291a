"""How well the output of a peer separates hidden links from other pairs. Not part of the peer's cost."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import numpy.typing as npt

import netgiven as ng
from benchmarks.peers.networks import Pairs, read_train
from netgiven.evaluation.methods import score_by_regression
from netgiven.metrics import auc

Doubles = npt.NDArray[np.float64]

MOST_EXAMPLES = 200_000  # links that a regression learns from, and the same number of other pairs


def grade(place: Path, output: Path) -> dict[str, float]:
    """AUC of scores, of an embedding's log-odds, or of vectors: by the regression, and by their dot product."""
    pairs, truth = np.load(place / "pairs.npy"), np.load(place / "truth.npy")
    if (output / "scores.npy").exists():
        return {"AUC": auc(truth, np.load(output / "scores.npy"))}
    if (output / "embedding.netgiven").exists():
        embedding = ng.load(output / "embedding.netgiven")
        return {"AUC": auc(truth, embedding.log_odds_of(pairs[:, 0], pairs[:, 1]))}
    return _grade_vectors(place, _whole(np.load(output / "vectors.npy")), pairs, truth)


def _grade_vectors(
    place: Path, vectors: npt.NDArray[np.float32], pairs: Pairs, truth: npt.NDArray[np.bool_]
) -> dict[str, float]:
    by_regression = score_by_regression(_examples(place), vectors, pairs, seed=0)
    by_product = np.einsum("ij,ij->i", vectors[pairs[:, 0]], vectors[pairs[:, 1]], dtype=np.float64)
    return {"AUC": auc(truth, by_regression), "AUC by dot product": auc(truth, by_product)}


def _whole(vectors: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """The vectors, if all values are finite."""
    if not np.isfinite(vectors).all():
        raise ValueError("its vectors contain values that are not finite")
    return vectors


@cache
def _examples(place: Path) -> ng.Network:
    """The training network, or part of its links; then one other pair in thousands may be a link that was left out."""
    train = read_train(place)
    if train.link_count <= MOST_EXAMPLES:
        return train
    links = np.random.default_rng(0).permutation(train.links())[:MOST_EXAMPLES]
    return ng.Network.from_edges(links, nodes={"node": np.arange(train.node_count)})


def grade_true_probabilities(place: Path) -> dict[str, float]:
    """AUC of the probabilities that a generated network was drawn with: the best possible, up to random variation."""
    return {"AUC": auc(np.load(place / "truth.npy"), np.load(place / "probabilities.npy"))}
