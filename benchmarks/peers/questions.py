"""Ranking questions: which of 1,001 nodes is the other end of a hidden link?

A question has a node, the other end of its hidden link, and candidates: nodes of the same type and of the same degree
in the training network that have no link with the node, hidden or not. Where too few have the same degree, those with
the nearest degrees take part. So types and degrees alone answer as a guess would, and the measures do not saturate as
AUC against uniform pairs does.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

import netgiven as ng

Numbers = npt.NDArray[np.int64]
Texts = npt.NDArray[np.str_]

QUESTIONS, CANDIDATES = 2_000, 1_000
NOBODY = -1  # fills up questions with fewer candidates
MRR, HITS = "MRR", "hits at 10"


def draw_questions(network: ng.Network, train: ng.Network, hidden: Numbers, types: Texts, seed: int = 0) -> Numbers:
    """One row per question: the node, the other end of its hidden link, and the candidates."""
    random = np.random.default_rng(seed)
    asked = random.permutation(hidden)[:QUESTIONS]
    asked = np.where(random.random(len(asked))[:, None] < 0.5, asked, asked[:, ::-1])
    alike = Alike(train.degrees, types, random)
    rows = np.full((len(asked), 2 + CANDIDATES), NOBODY)
    rows[:, :2] = asked
    for row, (node, partner) in zip(rows, asked, strict=True):
        drawn = alike.draw(int(partner), 2 * CANDIDATES)  # some may be linked to the node
        never = np.append(network.indices[network.indptr[node] : network.indptr[node + 1]], [node, partner])
        found = drawn[~np.isin(drawn, never)][:CANDIDATES]
        row[2 : 2 + len(found)] = found
    return rows


class Alike:
    """Nodes in the order of types and degrees, to draw some that are like a given one."""

    def __init__(self, degrees: Numbers, types: Texts, random: np.random.Generator) -> None:
        self.random = random
        type_numbers = np.unique(types, return_inverse=True)[1]
        self.order = np.lexsort((random.random(len(degrees)), degrees, type_numbers))
        self.place = np.empty_like(self.order)
        self.place[self.order] = np.arange(len(degrees))
        self.type_ends = np.cumsum(np.bincount(type_numbers))
        changes = (np.diff(type_numbers[self.order]) != 0) | (np.diff(degrees[self.order]) != 0)
        self.kind_ends = np.append(np.flatnonzero(changes) + 1, len(degrees))

    def draw(self, node: int, count: int) -> Numbers:
        """At most `count` distinct nodes of the same type and degree; if these are few, from the nearest degrees."""
        place = int(self.place[node])
        low, high = _between_ends(self.kind_ends, place)
        if high - low < count:
            first, last = _between_ends(self.type_ends, place)
            low, high = max(first, place - count // 2), min(last, place + count // 2)
        return self.order[low + self.random.choice(high - low, min(count, high - low), replace=False)]


def _between_ends(ends: Numbers, place: int) -> tuple[int, int]:
    number = int(np.searchsorted(ends, place, side="right"))
    return (int(ends[number - 1]) if number else 0), int(ends[number])


def answer_measures(questions: Numbers, scores: npt.NDArray[np.floating]) -> dict[str, float]:
    """Mean reciprocal rank, and the share of questions whose hidden link is among the first ten.

    `scores` are those of the partner and of the candidates; equal scores share their ranks.
    """
    scores = np.where(questions[:, 1:] == NOBODY, -np.inf, scores)
    partner, others = scores[:, :1], scores[:, 1:]
    ranks = 1 + (others > partner).sum(axis=1) + (others == partner).sum(axis=1) / 2
    return {MRR: float(np.mean(1 / ranks)), HITS: float(np.mean(ranks <= 10))}


def pairs_of(questions: Numbers) -> Numbers:
    """All pairs that the questions are about, as a list; where nobody is asked about, the node with itself."""
    nodes = np.repeat(questions[:, :1], questions.shape[1] - 1, axis=1)
    others = np.where(questions[:, 1:] == NOBODY, nodes, questions[:, 1:])
    return np.stack([others, nodes], axis=2).reshape(-1, 2)
