"""The objective as a function of the position of one node, to second order, while all other nodes stay fixed.

With z_j = prior_j + reach - stiffness / 2 |x - x_j|^2, p_j = sigmoid(z_j) and directions D_j = x - x_j, the objective

    F(x) = sum_j softplus(z_j) - a_j z_j  +  shrinkage / 2 |x|^2

has the gradient -stiffness sum_j (p_j - a_j) D_j + shrinkage x, and the Hessian

    stiffness^2 sum_j p_j (1 - p_j) D_j D_j^T  +  (shrinkage - stiffness sum_j (p_j - a_j)) I

In dimensions that repel, D_j = y_j does not depend on the position, so that only their own shrinkage is left of the
second term.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from netgiven.kernels.arrays import LinkRows, ModelArrays, NodeTables, make_model_arrays, make_tables
from netgiven.kernels.node_objective import (
    Points,
    PointSums,
    empty_point_sums,
    points_of,
    sum_around_points,
    without_padding,
)
from netgiven.kernels.prior_logit import unlisted_log_odds
from netgiven.model import Spread, direction, probability, separation
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
    repelling_shrinkage
        The same for dimensions that repel.
    """

    network: Network
    prior: Prior
    positions: Float32Array
    spread: Spread
    shrinkage: float = 0.0
    repelling_shrinkage: float = 0.0

    @property
    def dimensions(self) -> int:
        """The number of coordinates per node."""
        return int(self.positions.shape[1])

    @property
    def reach(self) -> float:
        """The log-odds that two nodes at distance 0 gain over the prior."""
        return self.spread.reach(self.dimensions)

    @property
    def repelling(self) -> int:
        """How many of the dimensions, the last ones, repel."""
        return self.spread.repelling

    @property
    def shrinkages(self) -> Float64Array | float:
        """The shrinkage of each dimension; one number where none repels."""
        if not self.repelling:
            return self.shrinkage
        return np.repeat([self.shrinkage, self.repelling_shrinkage], [self.dimensions - self.repelling, self.repelling])

    def curvature_levels(self, attraction: Float64Array) -> Float64Array:
        """The second term of the Hessian by point and dimension; `attraction` is -stiffness sum_j (p_j - a_j)."""
        changing = np.arange(self.dimensions) < self.dimensions - self.repelling
        return np.asarray(self.shrinkages + attraction[:, None] * changing)

    def directions(self, first: IntegerArray | int, second: IntegerArray | int) -> Float64Array:
        """D of pairs of node numbers, seen from the first node."""
        ends = self.positions[first].astype(np.float64), self.positions[second].astype(np.float64)
        return np.asarray(direction(*ends, self.repelling))

    def separations(self, first: IntegerArray | int, second: IntegerArray | int) -> Float64Array:
        """The separation of pairs of node numbers."""
        ends = self.positions[first].astype(np.float64), self.positions[second].astype(np.float64)
        return np.asarray(separation(*ends, self.repelling))

    @cached_property
    def model(self) -> ModelArrays:
        """The arrays that the kernels take; unobserved pairs contribute nothing."""
        known = mask_unobserved(self.prior, self.network)
        return make_model_arrays(self.positions, known.arrays, self.reach, self.spread.stiffness, self.repelling)

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
        return without_padding(sums, self.dimensions, self.repelling)

    def derivatives(self, nodes: IntegerArray) -> Derivatives:
        """Gradient and Hessian with respect to the position of each of `nodes`."""
        return self.derivatives_from(self.residual_sums(nodes), self.positions[nodes])

    def residual_sums(self, nodes: IntegerArray) -> PointSums:
        """Sums over all other nodes j of the residuals p_j - a_j and of the variances p_j (1 - p_j)."""
        sums = self.sums_over_nodes(points_of(self.model, nodes))
        apart = self.spread.stiffness / 2 * self.separations(nodes, nodes)
        self_probability = probability(unlisted_log_odds(self.model.prior, nodes, nodes) + self.reach - apart)
        for row, node in enumerate(np.asarray(nodes).tolist()):
            change = -np.array([self_probability[row], self_probability[row] * (1 - self_probability[row])])
            _add_pairs(sums, row, change[:1], change[1:], self.directions(node, np.array([node])))
            self._correct_listed_pairs(row, node, sums)
            self._subtract_links(row, node, sums)
        return sums

    def derivatives_from(self, sums: PointSums, positions: npt.NDArray[np.floating]) -> Derivatives:
        """Gradient and Hessian from the sums of `residual_sums`."""
        stiffness = self.spread.stiffness
        gradient = -stiffness * sums.repulsion + self.shrinkages * positions
        levels = self.curvature_levels(-stiffness * sums.probability)
        return Derivatives(gradient, stiffness**2 * sums.hessian + levels[:, None] * np.eye(self.dimensions))

    def _subtract_links(self, row: int, node: int, sums: PointSums) -> None:
        """Turn sums over p_j into sums over p_j - a_j."""
        others = self.neighbours(node)
        sums.probability[row] -= len(others)
        sums.repulsion[row] -= self.directions(node, others).sum(axis=0)

    def _correct_listed_pairs(self, row: int, node: int, sums: PointSums) -> None:
        """Replace the terms of the pairs whose prior log-odds are listed one by one."""
        listed = self.model.prior.listed
        others = listed.indices[listed.indptr[node] : listed.indptr[node + 1]]
        if not len(others):
            return
        value = listed.value[listed.indptr[node] : listed.indptr[node + 1]].astype(np.float64)
        known = unlisted_log_odds(self.model.prior, np.full(len(others), node), others)
        before = known + self.reach - self.spread.stiffness / 2 * self.separations(node, others)
        old, new = probability(before), probability(before + value)
        _add_pairs(sums, row, new - old, new * (1 - new) - old * (1 - old), self.directions(node, others))


def _add_pairs(
    sums: PointSums, row: int, change: Float64Array, variance: Float64Array, directions: Float64Array
) -> None:
    """Add changes of p and of p (1 - p) of some pairs to the sums of a point, in place."""
    sums.probability[row] += change.sum()
    sums.repulsion[row] += change @ directions
    sums.variance[row] += variance.sum()
    sums.cross[row] += variance @ directions
    sums.hessian[row] += np.einsum("j,jk,jl->kl", variance, directions, directions)
