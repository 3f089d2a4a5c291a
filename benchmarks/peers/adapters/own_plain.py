"""The paper's algorithm in plain NumPy (`speed/plain.py`), in place of the published implementations."""

import sys
from pathlib import Path

import numpy as np
from common import Order, run

from netgiven import degrees, read

sys.path.append(str(Path(__file__).parents[2] / "speed"))
from plain import PlainFit

REACH, SAMPLES, EPOCHS = 2.0, 50, 100  # the reach of netgiven's own fixed row
LEARNING_RATE = 0.1  # falls to zero


def embed(order: Order) -> None:
    network = read(order.matrix_file)
    prior = degrees().fit(network)
    fit = PlainFit(network, prior, float(np.exp(REACH)), order.dimensions, SAMPLES)
    for epoch in range(EPOCHS):
        fit.epoch(LEARNING_RATE * (1 - epoch / EPOCHS))
    first, second = np.load(order.network / "pairs.npy").T
    distance = ((fit.positions[first] - fit.positions[second]) ** 2).sum(axis=1)
    np.save(order.output / "scores.npy", prior.log_odds_of(first, second) - fit.stiffness / 2 * distance)


run({"NumPy loop over nodes": embed})
