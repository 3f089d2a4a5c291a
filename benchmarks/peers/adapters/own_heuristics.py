"""Neighbourhood scores and walks: without learning, so their cost is that of scoring pairs and answering questions.

Walks begin at each node anew: in large networks they answer the questions only, which have few nodes to begin at.
"""

import numpy as np
from common import Order, run

from netgiven import read
from netgiven.evaluation.methods import FROM_EACH_NODE, HEURISTICS
from netgiven.splits import pairs_of_questions


def score(order: Order) -> None:
    network, heuristic = read(order.matrix_file), HEURISTICS[order.method]
    asked = order.network / "questions.npy"
    if asked.exists():
        np.save(order.output / "answers.npy", heuristic(network, pairs_of_questions(np.load(asked))))
    if not asked.exists() or order.method not in FROM_EACH_NODE:
        np.save(order.output / "scores.npy", heuristic(network, np.load(order.network / "pairs.npy")))


run(dict.fromkeys(HEURISTICS, score))
