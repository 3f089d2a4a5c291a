"""How well the output of a peer separates hidden links from other pairs. Not part of the peer's cost."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
import numpy.typing as npt

import netgiven as ng
from benchmarks.peers.networks import MOST_PAIRS, read_train
from benchmarks.peers.questions import Numbers, answer_measures
from benchmarks.peers.results import BY_PRODUCT
from netgiven.evaluation.harness import calibration_error, link_measures
from netgiven.evaluation.methods import HEURISTICS, Heuristic, fit_regression
from netgiven.evaluation.top_list import Scorer, embedding_scorer
from netgiven.metrics import auc
from netgiven.splits import LinkSplit, pairs_of_questions

PARTS = 20  # of the pairs that questions are about
MOST_EXAMPLES = 200_000  # links that a regression learns from, and the same number of other pairs


def grade(place: Path, output: Path, method: str) -> dict[str, float]:
    """Measures of scores, of log-odds of an embedding or a prior, or of vectors: by the regression, and AUC by their
    dot product. Answers to questions, where there are any, are by the better of the two for each measure.

    The list of all pairs, for precision at 100 and at 1,000, is that of the embedding, of the regression, or of the
    heuristic that the scores are from.
    """
    split, questions = _split(place), _Questions(place)
    if (output / "answers.npy").exists() or (output / "scores.npy").exists():
        return _grade_scores(split, output, method, questions)
    if (output / "embedding.netgiven").exists():
        scorer = embedding_scorer(ng.load(output / "embedding.netgiven"))
        return _grade_embedding(split, scorer) | questions.measures(scorer.score)
    vectors = _whole(np.load(output / "vectors.npy"))
    return _grade_vectors(place, split, vectors, questions)


def _grade_scores(split: LinkSplit, output: Path, method: str, questions: _Questions) -> dict[str, float]:
    """Those of a heuristic; walks in large networks have answers only."""
    found = {}
    if (output / "scores.npy").exists():
        found |= link_measures(split, np.load(output / "scores.npy"), _listed(split, _heuristic(method, split)))
    if (output / "answers.npy").exists():
        found |= questions.measures_of(np.load(output / "answers.npy"))
    return found


class _Questions:
    """The questions of a network; none for small ones, whose whole list of pairs is graded instead."""

    def __init__(self, place: Path) -> None:
        file = place / "questions.npy"
        self.questions = np.load(file) if file.exists() else None

    def measures(self, *scores: Callable[[Numbers], npt.NDArray[np.floating]]) -> dict[str, float]:
        """Those of the scores with the best answers, for each measure."""
        if self.questions is None:
            return {}
        pairs = pairs_of_questions(self.questions)
        # a part at a time: products of all vectors would not fit into memory
        parts = np.array_split(pairs, PARTS)
        found = [self.measures_of(np.concatenate([score(part) for part in parts])) for score in scores]
        return {name: max(measures[name] for measures in found) for name in found[0]}

    def measures_of(self, scores: npt.NDArray[np.floating]) -> dict[str, float]:
        """Those of the scores of all pairs that the questions are about."""
        assert self.questions is not None
        return answer_measures(self.questions, scores)


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


def _grade_vectors(
    place: Path, split: LinkSplit, vectors: npt.NDArray[np.float32], questions: _Questions
) -> dict[str, float]:
    def product(pairs: Numbers) -> npt.NDArray[np.float64]:
        return np.einsum("ij,ij->i", vectors[pairs[:, 0]], vectors[pairs[:, 1]], dtype=np.float64)

    regression = fit_regression(_examples(place), vectors, seed=0)
    answers = questions.measures(regression.score, product)
    return {**_measures(split, regression), BY_PRODUCT: auc(split.truth, product(split.pairs)), **answers}


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
