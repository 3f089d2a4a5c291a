"""Neighbourhood scores: without learning, so their cost is that of scoring the pairs."""

import numpy as np
from common import Order, run

from netgiven import read
from netgiven.evaluation.methods import HEURISTICS


def score(order: Order) -> None:
    scores = HEURISTICS[order.method](read(order.matrix_file), np.load(order.network / "pairs.npy"))
    np.save(order.output / "scores.npy", scores)


run(dict.fromkeys(HEURISTICS, score))
