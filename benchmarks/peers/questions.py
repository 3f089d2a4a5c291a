"""Ranking questions: which of 1,001 nodes is the other end of a hidden link?

Candidates are of the same type and of the same degree in the training network; where too few have the same degree,
those with the nearest degrees take part. So types and degrees alone answer as a guess would, and the measures do not
saturate as AUC against uniform pairs does.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from netgiven import Network
from netgiven.splits import NodesAlike, ranking_questions, ranks_of_answers

Numbers = npt.NDArray[np.int64]
Texts = npt.NDArray[np.str_]

QUESTIONS, CANDIDATES = 2_000, 1_000
MRR, HITS = "MRR", "hits at 10"


def draw_questions(network: Network, train: Network, hidden: Numbers, types: Texts) -> Numbers:
    """One row per question: the node, the other end of its hidden link, and the candidates."""
    alike = NodesAlike(np.unique(types, return_inverse=True)[1], train.degrees)
    return ranking_questions(network, hidden, alike, QUESTIONS, CANDIDATES)


def answer_measures(questions: Numbers, scores: npt.NDArray[np.floating]) -> dict[str, float]:
    """Mean reciprocal rank, and the share of questions whose hidden link is among the first ten."""
    ranks = ranks_of_answers(questions, scores)
    return {MRR: float(np.mean(1 / ranks)), HITS: float(np.mean(ranks <= 10))}
