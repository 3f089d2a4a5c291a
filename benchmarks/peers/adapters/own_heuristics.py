"""Scores by neighbourhoods: they learn nothing, so scoring the pairs is their cost."""

import numpy as np
from common import order

import netgiven as ng
from netgiven.evaluation.baselines.neighbourhoods import HEURISTICS

asked = order()
scores = HEURISTICS[asked.method](ng.read(asked.matrix_file), np.load(asked.network / "pairs.npy"))
np.save(asked.output / "scores.npy", scores)
