"""An embedding seen from single nodes: the objective around one of them while all others stay, to second order.

With z_j = known_j + reach - stiffness / 2 |x - x_j|^2, p_j = sigmoid(z_j) and D_j = x - x_j, the objective

    F(x) = sum_j softplus(z_j) - a_j z_j  +  shrinkage / 2 |x|^2

has the gradient -stiffness sum_j (p_j - a_j) D_j + shrinkage x, and the Hessian

    stiffness^2 sum_j p_j (1 - p_j) D_j D_j^T  +  (shrinkage - stiffness sum_j (p_j - a_j)) I
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from netgiven.kernels.arrays import Links, Scene, Tables, make_scene, tabulate
from netgiven.kernels.node_objective import Around, Points, look_around, points_of, room_for
from netgiven.kernels.prior_logit import unlisted_log_odds
from netgiven.model import Spread, probability
from netgiven.network import Network
from netgiven.priors.prior import Prior, posterior_log_odds
from netgiven.priors.unobserved import closed
from netgiven.types import Float32Array, Float64Array, IntegerArray


class Surface(NamedTuple):
    """Gradient and Hessian of the objective in the position of each of some points."""

    gradient: Float64Array  # (points, dimensions)
    hessian: Float64Array  # (points, dimensions, dimensions)


@dataclass(frozen=True, eq=False)
class View:
    """A network, what is known of it, and where its nodes are."""

    network: Network
    prior: Prior
    positions: Float32Array
    spread: Spread
    shrinkage: float = 0.0

    @property
    def dimensions(self) -> int:
        """Number of coordinates of a node."""
        return int(self.positions.shape[1])

    @property
    def reach(self) -> float:
        """Log-odds that two nodes at the same place gain over the prior."""
        return self.spread.reach(self.dimensions)

    @cached_property
    def scene(self) -> Scene:
        """As kernels look at it."""
        known = closed(self.prior, self.network)
        return make_scene(self.positions, known.arrays, self.reach, self.spread.stiffness)

    @cached_property
    def tables(self) -> Tables:
        """All nodes, to be seen from a point."""
        return tabulate(self.scene)

    @cached_property
    def links(self) -> Links:
        """Rows of neighbours."""
        return Links(self.network.indptr, self.network.indices)

    def log_odds(self, first: IntegerArray, second: IntegerArray) -> Float64Array:
        """z of pairs of node numbers; minus or plus infinity where the prior is certain."""
        return posterior_log_odds(self.prior, self.positions, self.spread, first, second)

    def neighbours(self, node: int) -> IntegerArray:
        """The numbers of the nodes that a node is linked to."""
        return self.links.indices[self.links.indptr[node] : self.links.indptr[node + 1]]

    def around(self, points: Points) -> Around:
        """What points see of all nodes, with nothing listed."""
        found = room_for(points)
        look_around(0, len(points.positions), points, self.scene, self.tables, found)
        return found

    def surface(self, nodes: IntegerArray) -> Surface:
        """Gradient and Hessian in the position of each of some nodes."""
        return self.surface_from(self.open_sums(nodes), self.positions[nodes])

    def open_sums(self, nodes: IntegerArray) -> Around:
        """What nodes see of all others, with p - a in place of p: what is left to be explained."""
        found = self.around(points_of(self.scene, nodes))
        itself = probability(unlisted_log_odds(self.scene.prior, nodes, nodes) + self.reach)
        for place, node in enumerate(np.asarray(nodes).tolist()):
            found.chance[place] -= itself[place]
            found.slack[place] -= itself[place] * (1 - itself[place])
            self._correct_listed(place, node, found)
            self._take_links(place, node, found)
        return found

    def surface_from(self, found: Around, positions: npt.NDArray[np.floating]) -> Surface:
        """Gradient and Hessian, from sums over p_j - a_j and p_j (1 - p_j)."""
        size, stiffness = self.dimensions, self.spread.stiffness
        gradient = -stiffness * found.push[:, :size] + self.shrinkage * positions
        level = self.shrinkage - stiffness * found.chance
        hessian = stiffness**2 * found.bend[:, :size, :size] + level[:, None, None] * np.eye(size)
        return Surface(gradient, hessian)

    def _take_links(self, place: int, node: int, found: Around) -> None:
        """From sums over p to sums over p - a."""
        others = self.neighbours(node)
        found.chance[place] -= len(others)
        apart = self.positions[node].astype(np.float64) - self.positions[others]
        found.push[place, : self.dimensions] -= apart.sum(axis=0)

    def _correct_listed(self, place: int, node: int, found: Around) -> None:
        """Replace what was counted for pairs that the prior lists."""
        listed, size = self.scene.prior.listed, self.dimensions
        others = listed.indices[listed.indptr[node] : listed.indptr[node + 1]]
        if not len(others):
            return
        value = listed.value[listed.indptr[node] : listed.indptr[node + 1]].astype(np.float64)
        apart = self.positions[node].astype(np.float64) - self.positions[others]
        known = unlisted_log_odds(self.scene.prior, np.full(len(others), node), others)
        before = known + self.reach - self.spread.stiffness / 2 * np.square(apart).sum(axis=1)
        old, new = probability(before), probability(before + value)
        slack = new * (1 - new) - old * (1 - old)
        found.chance[place] += (new - old).sum()
        found.push[place, :size] += (new - old) @ apart
        found.slack[place] += slack.sum()
        found.lean[place, :size] += slack @ apart
        found.bend[place, :size, :size] += np.einsum("j,jk,jl->kl", slack, apart, apart)
