"""The paper's algorithm, written from its text in plain NumPy, node by node: the reference of `fit.py facebook`.

Written from the paper's section "Finding the most informative embedding". For each node, k of its links and k of its
non-links are drawn uniformly (a node with fewer links takes more non-links, so that there are 2k), and the node moves
along the gradient of its own part of the log-likelihood. Two changes, both to its advantage: samples are
weighted by the number of pairs that they represent, so that it aims at the exact optimum, and the step is Adam's with a
falling learning rate.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from netgiven.network import Network
from netgiven.priors import Prior

Doubles = npt.NDArray[np.float64]
Integers = npt.NDArray[np.integer]

KEEP_MEAN, KEEP_SQUARE = 0.9, 0.99  # Adam's memory, as in netgiven


class PlainFit:
    """Positions during a fit: each call of `epoch` moves every node once."""

    def __init__(self, network: Network, prior: Prior, s2: float, dimensions: int, samples: int, seed: int = 0) -> None:
        self.random = np.random.default_rng(seed)
        self.samples, self.count = samples, network.node_count
        self.reach, self.stiffness = np.log(s2), 1 - 1 / s2**2
        self.neighbours = np.split(network.indices, network.indptr[1:-1])
        # a node is not its own partner; a number beyond the last node ends every search
        self.refused = [np.sort([*row, node, self.count]) for node, row in enumerate(self.neighbours)]
        self.node, self.offset = prior.left[0], float(prior.tables[0])
        self.positions = self.random.normal(0.0, 0.5, (self.count, dimensions))
        self.mean, self.square = np.zeros((2, self.count, dimensions))
        self.epochs = 0

    def epoch(self, learning_rate: float) -> None:
        """Move each node once."""
        self.epochs += 1
        learning_rate *= np.sqrt(1 - KEEP_SQUARE**self.epochs) / (1 - KEEP_MEAN**self.epochs)
        for node in range(self.count):
            self.move(node, self.slope(node), learning_rate)

    def move(self, node: int, slope: Doubles, learning_rate: float) -> None:
        """Adam's step of one node, uphill."""
        self.mean[node] = KEEP_MEAN * self.mean[node] + (1 - KEEP_MEAN) * slope
        self.square[node] = KEEP_SQUARE * self.square[node] + (1 - KEEP_SQUARE) * slope**2
        self.positions[node] += learning_rate * self.mean[node] / (np.sqrt(self.square[node]) + 1e-12)

    def slope(self, node: int) -> Doubles:
        """The gradient of the log-likelihood in the node's position, estimated from its partners."""
        links = self.draw_links(node)
        others = self.draw_others(node, 2 * self.samples - len(links))
        degree = len(self.neighbours[node])
        attraction = self.forces(node, links, linked=True) * (degree / max(len(links), 1))
        repulsion = self.forces(node, others, linked=False) * ((self.count - 1 - degree) / len(others))
        return attraction + repulsion

    def draw_links(self, node: int) -> Integers:
        """All links, or k of them."""
        row = self.neighbours[node]
        return row if len(row) <= self.samples else self.random.choice(row, self.samples, replace=False)

    def draw_others(self, node: int, wanted: int) -> Integers:
        """Nodes without a link to this one."""
        drawn = self.random.integers(self.count, size=2 * wanted)
        refused = self.refused[node]
        others = drawn[refused[np.searchsorted(refused, drawn)] != drawn]
        return others[:wanted] if len(others) >= wanted else self.draw_others(node, wanted)

    def forces(self, node: int, partners: Integers, linked: bool) -> Doubles:
        """stiffness (sigmoid(z) - a) (x_i - x_j), summed over partners."""
        difference = self.positions[node] - self.positions[partners]
        squared = np.einsum("jk,jk->j", difference, difference)
        prior = self.node[node] + self.node[partners] + self.offset
        p = 1 / (1 + np.exp(-(prior + self.reach - self.stiffness / 2 * squared)))
        return self.stiffness * ((p - linked) @ difference)
