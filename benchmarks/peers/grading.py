"""How well the output of a peer separates hidden links from other pairs. Not part of the peer's cost."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import numpy.typing as npt

import netgiven as ng
from benchmarks.peers.networks import MOST_PAIRS, read_train
from benchmarks.peers.results import BY_PRODUCT
from netgiven.evaluation.harness import calibration_error, link_measures
from netgiven.evaluation.methods import HEURISTICS, Heuristic, fit_regression
from netgiven.evaluation.top_list import Scorer, embedding_scorer
from netgiven.metrics import auc
from netgiven.splits import LinkSplit

MOST_EXAMPLES = 200_000  # links that a regression learns from, and the same number of other pairs


def grade(place: Path, output: Path, method: str) -> dict[str, float]:
    """Measures of scores, of an embedding's log-odds, or of vectors: by the regression, and AUC by their dot product.

    The list of all pairs, for precision at 100 and at 1,000, is that of the embedding, of the regression, or of the
    heuristic that the scores are from.
    """
    split = _split(place)
    if (output / "scores.npy").exists():
        return link_measures(split, np.load(output / "scores.npy"), _listed(split, _heuristic(method, split)))
    if (output / "embedding.netgiven").exists():
        return _grade_embedding(split, embedding_scorer(ng.load(output / "embedding.netgiven")))
    return _grade_vectors(place, split, _whole(np.load(output / "vectors.npy")))


def _split(place: Path) -> LinkSplit:
    pairs, truth = np.load(place / "pairs.npy"), np.load(place / "truth.npy")
    return LinkSplit(read_train(place), pairs[truth], pairs[~truth])


def _heuristic(method: str, split: LinkSplit) -> Scorer | None:
    return Heuristic(method).fit(split.train, 0) if method in HEURISTICS else None


def _grade_embedding(split: LinkSplit, scorer: Scorer) -> dict[str, float]:
    whole = _listed(split, scorer) is not None  # else the share of hidden links is not known
    return _measures(split, scorer) | (calibration_error(split, scorer.score(split.pairs)) if whole else {})


def _measures(split: LinkSplit, scorer: Scorer) -> dict[str, float]:
    return link_measures(split, scorer.score(split.pairs), _listed(split, scorer))


def _listed(split: LinkSplit, scorer: Scorer | None) -> Scorer | None:
    """The scorer, unless some hidden links are not known: then the top of its list cannot be graded."""
    return scorer if len(split.hidden) < MOST_PAIRS else None


def _grade_vectors(place: Path, split: LinkSplit, vectors: npt.NDArray[np.float32]) -> dict[str, float]:
    first, second = split.pairs.T
    by_product = np.einsum("ij,ij->i", vectors[first], vectors[second], dtype=np.float64)
    by_regression = _measures(split, fit_regression(_examples(place), vectors, seed=0))
    return {**by_regression, BY_PRODUCT: auc(split.truth, by_product)}


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
    """Those of the probabilities that a generated network was drawn with: the best possible, up to random variation."""
    return link_measures(_split(place), np.load(place / "probabilities.npy"))
