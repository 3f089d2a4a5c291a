"""The objective as a function of the position of one node, to second order, while all other nodes stay fixed.

With z_j = prior_j + reach - stiffness / 2 |x - x_j|^2, p_j = sigmoid(z_j) and D_j = x - x_j, the objective

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

from netgiven.kernels.arrays import LinkRows, ModelArrays, NodeTables, make_model_arrays, make_tables
from netgiven.kernels.node_objective import Points, PointSums, empty_point_sums, points_of, sum_around_points
from netgiven.kernels.prior_logit import unlisted_log_odds
from netgiven.model import Spread, probability
from netgiven.network import Network
from netgiven.priors.prior import Prior, posterior_log_odds
from netgiven.priors.unobserved import mask_unobserved
from netgiven.types import Float32Array, Float64Array, IntegerArray


class Derivatives(NamedTuple):
    """Gradient and Hessian of the objective with respect to the position of each point."""

    gradient: Float64Array  # (points, dimensions)
    hessian: Float64Array  # (points, dimensions, dimensions)


@dataclass(frozen=True, eq=False)
class LocalObjective:
    """The objective of an embedding around single nodes.

    Parameters
    ----------
    network
        The network.
    prior
        The fitted prior of its pairs.
    positions
        One row per node.
    spread
        The two standard deviations of the distance densities; they determine reach and stiffness.
    shrinkage
        Weight of the penalty `shrinkage / 2 * |x|^2`.
    """

    network: Network
    prior: Prior
    positions: Float32Array
    spread: Spread
    shrinkage: float = 0.0

    @property
    def dimensions(self) -> int:
        """The number of coordinates per node."""
        return int(self.positions.shape[1])

    @property
    def reach(self) -> float:
        """The log-odds that two nodes at distance 0 gain over the prior."""
        return self.spread.reach(self.dimensions)

    @cached_property
    def model(self) -> ModelArrays:
        """The arrays that the kernels take; unobserved pairs contribute nothing."""
        known = mask_unobserved(self.prior, self.network)
        return make_model_arrays(self.positions, known.arrays, self.reach, self.spread.stiffness)

    @cached_property
    def tables(self) -> NodeTables:
        """All nodes in blocks, as the kernels take them."""
        return make_tables(self.model)

    @cached_property
    def links(self) -> LinkRows:
        """The neighbours of each node as sorted rows."""
        return LinkRows(self.network.indptr, self.network.indices)

    def log_odds(self, first: IntegerArray, second: IntegerArray) -> Float64Array:
        """Log-odds z of pairs of node numbers; minus or plus infinity where the prior is certain."""
        return posterior_log_odds(self.prior, self.positions, self.spread, first, second)

    def neighbours(self, node: int) -> IntegerArray:
        """The numbers of the neighbours of a node."""
        return self.links.indices[self.links.indptr[node] : self.links.indptr[node + 1]]

    def sums_over_nodes(self, points: Points) -> PointSums:
        """Sums over all nodes, seen from each point; pairs that the prior lists one by one are not corrected."""
        sums = empty_point_sums(points)
        sum_around_points(0, len(points.positions), points, self.model, self.tables, sums)
        return sums

    def derivatives(self, nodes: IntegerArray) -> Derivatives:
        """Gradient and Hessian with respect to the position of each of `nodes`."""
        return self.derivatives_from(self.residual_sums(nodes), self.positions[nodes])

    def residual_sums(self, nodes: IntegerArray) -> PointSums:
        """Sums over all other nodes j of the residuals p_j - a_j and of the variances p_j (1 - p_j)."""
        sums = self.sums_over_nodes(points_of(self.model, nodes))
        self_probability = probability(unlisted_log_odds(self.model.prior, nodes, nodes) + self.reach)
        for row, node in enumerate(np.asarray(nodes).tolist()):
            sums.probability[row] -= self_probability[row]
            sums.variance[row] -= self_probability[row] * (1 - self_probability[row])
            self._correct_listed_pairs(row, node, sums)
            self._subtract_links(row, node, sums)
        return sums

    def derivatives_from(self, sums: PointSums, positions: npt.NDArray[np.floating]) -> Derivatives:
        """Gradient and Hessian from the sums of `residual_sums`."""
        size, stiffness = self.dimensions, self.spread.stiffness
        gradient = -stiffness * sums.repulsion[:, :size] + self.shrinkage * positions
        level = self.shrinkage - stiffness * sums.probability
        hessian = stiffness**2 * sums.hessian[:, :size, :size] + level[:, None, None] * np.eye(size)
        return Derivatives(gradient, hessian)

    def _subtract_links(self, row: int, node: int, sums: PointSums) -> None:
        """Turn sums over p_j into sums over p_j - a_j."""
        others = self.neighbours(node)
        sums.probability[row] -= len(others)
        difference = self.positions[node].astype(np.float64) - self.positions[others]
        sums.repulsion[row, : self.dimensions] -= difference.sum(axis=0)

    def _correct_listed_pairs(self, row: int, node: int, sums: PointSums) -> None:
        """Replace the terms of the pairs whose prior log-odds are listed one by one."""
        listed, size = self.model.prior.listed, self.dimensions
        others = listed.indices[listed.indptr[node] : listed.indptr[node + 1]]
        if not len(others):
            return
        value = listed.value[listed.indptr[node] : listed.indptr[node + 1]].astype(np.float64)
        difference = self.positions[node].astype(np.float64) - self.positions[others]
        known = unlisted_log_odds(self.model.prior, np.full(len(others), node), others)
        before = known + self.reach - self.spread.stiffness / 2 * np.square(difference).sum(axis=1)
        old, new = probability(before), probability(before + value)
        variance = new * (1 - new) - old * (1 - old)
        sums.probability[row] += (new - old).sum()
        sums.repulsion[row, :size] += (new - old) @ difference
        sums.variance[row] += variance.sum()
        sums.cross[row, :size] += variance @ difference
        sums.hessian[row, :size, :size] += np.einsum("j,jk,jl->kl", variance, difference, difference)
