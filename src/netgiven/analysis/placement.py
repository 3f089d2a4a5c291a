"""Place new nodes: each at a minimum of the objective with respect to its own position, while all others stay fixed.

The objective F(x) = sum_j softplus(z_j) - a_j z_j + shrinkage / 2 |x|^2, its gradient and its Hessian come from one
pass over all nodes. Newton steps use the absolute values of the eigenvalues of the Hessian, so that they also go
downhill where it is not positive definite, and are limited to a trust radius, which grows while F decreases and shrinks
where it does not.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

from netgiven.analysis.local_objective import LocalObjective
from netgiven.errors import InputError
from netgiven.kernels.arrays import LinkRows, padded
from netgiven.kernels.node_objective import (
    Points,
    PointSums,
    empty_point_sums,
    points_of,
    sum_around_points,
    without_padding,
)
from netgiven.model import direction, probability, separation, uncertain_softplus
from netgiven.network import Network
from netgiven.parallel import Engine, single_blas_thread, threads
from netgiven.priors.prior import Prior
from netgiven.types import BoolArray, Float32Array, Float64Array, Int64Array

Report = Callable[[int], None]  # called with the number of nodes placed so far

MAX_STEPS = 60
CLOSE = 1e-2  # in units of 1 / sqrt(stiffness): a shorter step is the last, since Newton steps square the error
ROUNDING = 1e-6  # relative to the objective: differences that single precision does not resolve
LEAST_CURVATURE = 1e-3  # of an eigenvalue, relative to the largest
BATCH = 2_048  # nodes that are placed together
FAR = 1e6  # in units of 1 / sqrt(stiffness): a distance at which no link is expected


class PointsToPlace(NamedTuple):
    """Points without positions, and the nodes that they are linked to."""

    points: Points  # their positions are not used
    links: LinkRows
    certain: BoolArray  # per link: whether the prior is certain of it
    node: Int64Array  # the number of the node that the point is, if the embedding has it already; -1 if not


class Attraction(NamedTuple):
    """Sums over the links of each point at x: sum |x - x_j|^2 = number |x|^2 - 2 x . total + squares.

    In dimensions that repel, the sum of separations is 2 y . total.
    """

    number: Float64Array
    total: Float64Array
    squares: Float64Array
    repelling: int

    def of(self, rows: Int64Array) -> Attraction:
        """The sums of some of the points."""
        return Attraction(self.number[rows], self.total[rows], self.squares[rows], self.repelling)

    def sum_of_directions(self, x: Float64Array) -> Float64Array:
        """The sum of x - x_j, and of y_j."""
        near = x.shape[1] - self.repelling
        return np.hstack([self.number[:, None] * x[:, :near] - self.total[:, :near], self.total[:, near:]])

    def sum_of_separations(self, x: Float64Array) -> Float64Array:
        """The sum of |x - x_j|^2 + 2 y . y_j."""
        sign = np.where(np.arange(x.shape[1]) < x.shape[1] - self.repelling, 1.0, -1.0)
        near = x[:, : x.shape[1] - self.repelling]
        products = (x * self.total) @ sign if self.repelling else (x * self.total).sum(axis=1)
        return np.asarray(self.number * np.square(near).sum(axis=1) - 2 * products + self.squares)


class Expansion(NamedTuple):
    """Value, gradient and Hessian of the objective at each point."""

    value: Float64Array
    gradient: Float64Array
    hessian: Float64Array


def place_missing(objective: LocalObjective, missing: BoolArray, thread_count: int | None = None) -> Float32Array:
    """Positions of all nodes, with those of the missing ones found given the others.

    `objective` has arbitrary positions for the missing nodes. While these are placed, they are moved far away, where
    they contribute nothing.
    """
    far = np.where(missing[:, None], _far_away(objective), objective.positions).astype(np.float32)
    nodes = np.flatnonzero(missing)
    links = rows_of(objective.network, nodes)
    links = filter_rows(links, ~missing[links.indices])
    certain = _certain_links(objective, nodes, links)
    points = PointsToPlace(points_of(objective.model, nodes), links, certain, np.full(len(nodes), -1))
    positions = objective.positions.copy()
    with threads(thread_count) as engine:
        start = mean_of_neighbours(links, objective.positions, mean_position(objective.positions[~missing]))
        positions[missing] = place_points(replace(objective, positions=far), points, start, engine)
    return positions


def _far_away(objective: LocalObjective) -> Float64Array:
    """A position far from all nodes, and in the middle of dimensions that repel, where it has no influence."""
    is_near = np.arange(objective.dimensions) < objective.dimensions - objective.repelling
    return np.asarray(is_near * FAR / objective.spread.stiffness**0.5)


def place_again(objective: LocalObjective, nodes: Int64Array, engine: Engine) -> Float64Array:
    """New positions of some nodes, given the current positions of all others."""
    links = rows_of(objective.network, nodes)
    points = PointsToPlace(points_of(objective.model, nodes), links, _certain_links(objective, nodes, links), nodes)
    start = mean_of_neighbours(links, objective.positions, mean_position(objective.positions))
    return place_points(objective, points, start, engine)


def _certain_links(objective: LocalObjective, nodes: Int64Array, links: LinkRows) -> BoolArray:
    rows = np.repeat(nodes, np.diff(links.indptr))
    return np.asarray(np.isposinf(objective.prior.log_odds_of(rows, links.indices)))


def place_points(
    objective: LocalObjective,
    points: PointsToPlace,
    start: Float64Array,
    engine: Engine,
    report: Report = lambda placed: None,
) -> Float64Array:
    """Minimise the objective of each point, beginning at `start`; `report` gets the number of points placed so far."""
    positions = np.empty_like(start)
    expand = PlacementObjective(objective, points, engine)
    with single_blas_thread():
        for low in range(0, len(start), BATCH):
            rows = np.arange(low, min(low + BATCH, len(start)))
            positions[rows] = _place_batch(expand, rows, start[rows])
            report(int(rows[-1]) + 1)
    return positions


class PlacementObjective:
    """F and its derivatives at any positions of the points."""

    def __init__(self, objective: LocalObjective, points: PointsToPlace, engine: Engine) -> None:
        self.objective, self.points, self.engine = objective, points, engine
        every = np.ones(len(points.links.indices), dtype=bool)
        self.links = attraction_of(points.links, objective.positions, every, objective.repelling)
        self.uncertain = attraction_of(points.links, objective.positions, ~points.certain, objective.repelling)

    def __call__(self, rows: Int64Array, x: Float64Array) -> Expansion:
        """Expand F around positions x of the points with the given numbers."""
        objective, all_points = self.objective, self.points.points
        left = np.ascontiguousarray(all_points.left[:, rows])
        points = Points(padded(x, objective.repelling), all_points.node[rows], all_points.group[rows], left)
        sums = empty_point_sums(points)
        self.engine.run(sum_around_points, len(rows), points, objective.model, objective.tables, sums)
        sums = without_padding(sums, objective.dimensions, objective.repelling)
        self._subtract_own_node(rows, x, points, sums)
        links = self.links.of(rows)
        sums.probability[:] -= links.number
        sums.repulsion[:] -= links.sum_of_directions(x)
        attraction = objective.spread.stiffness / 2 * self.uncertain.of(rows).sum_of_separations(x)
        value = sums.softplus + attraction + _penalty(objective, x)
        return Expansion(value, *objective.derivatives_from(sums, x))

    def is_determined(self, rows: Int64Array) -> BoolArray:
        """Whether F depends on the position at all. It does not where the prior is certain of all links of a point."""
        certain = (self.uncertain.number[rows] == 0) & (self.links.number[rows] > 0)
        return np.asarray(~certain | np.any(np.greater(self.objective.shrinkages, 0)))

    def _subtract_own_node(self, rows: Int64Array, x: Float64Array, points: Points, sums: PointSums) -> None:
        """Subtract the terms of the node that a point is itself."""
        node = self.points.node[rows]
        own = np.flatnonzero(node >= 0)
        if not len(own):
            return
        objective, node = self.objective, node[own]
        prior, there = objective.model.prior, objective.positions[node].astype(np.float64)
        directions = direction(x[own], there, objective.repelling)
        offset = points.node[own].astype(np.float64) + prior.node[node]
        offset = offset + prior.table[points.group[own], prior.group[node]]
        offset += (points.left[:, own].astype(np.float64) * prior.right[:, node]).sum(axis=0)
        z = offset + objective.reach - objective.spread.stiffness / 2 * separation(x[own], there, objective.repelling)
        p = probability(z)
        sums.softplus[own] -= uncertain_softplus(z)
        sums.probability[own] -= p
        sums.repulsion[own] -= p[:, None] * directions
        sums.hessian[own] -= np.einsum("i,ik,il->ikl", p * (1 - p), directions, directions)


def _penalty(objective: LocalObjective, x: Float64Array) -> Float64Array:
    if not objective.repelling:
        return np.asarray(objective.shrinkage / 2 * np.square(x).sum(axis=1))
    return np.asarray(np.square(x) @ np.asarray(objective.shrinkages) / 2)


def attraction_of(
    links: LinkRows, positions: npt.NDArray[np.floating], counted: BoolArray, repelling: int
) -> Attraction:
    """Sums over the counted links of each row."""
    rows = np.repeat(np.arange(len(links.indptr) - 1), np.diff(links.indptr))[counted]
    others, count = positions[links.indices[counted]].astype(np.float64), len(links.indptr) - 1
    squares, ones = np.square(others[:, : others.shape[1] - repelling]).sum(axis=1), np.ones(len(rows))
    sums = [np.bincount(rows, column, count).astype(np.float64) for column in (ones, squares, *others.T)]
    return Attraction(sums[0], np.stack(sums[2:], axis=1), sums[1], repelling)


def _place_batch(objective: PlacementObjective, rows: Int64Array, start: Float64Array) -> Float64Array:
    """Newton steps until the last step of each point is short."""
    x, unit = start.copy(), objective.objective.spread.stiffness**-0.5
    current, left = objective(rows, x), np.flatnonzero(objective.is_determined(rows))
    radius = np.full(len(rows), unit)
    for _ in range(MAX_STEPS):
        step = newton_steps(current.gradient[left], current.hessian[left], radius[left])
        short = np.sqrt(np.square(step).sum(axis=1)) < CLOSE * unit
        x[left[short]] += step[short]
        left, step = left[~short], step[~short]
        if not len(left):
            break
        tried = objective(rows[left], x[left] + step)
        better = tried.value <= current.value[left] + ROUNDING * np.abs(current.value[left])
        moved = left[better]
        x[moved] += step[better]
        for part, new in zip(current, tried, strict=True):
            part[moved] = new[better]
        radius[left] *= np.where(better, 2.0, 0.25)
    return x


def newton_steps(gradient: Float64Array, hessian: Float64Array, radius: Float64Array) -> Float64Array:
    """The steps -|H|^-1 g, shortened to the radius; |H| has the absolute values of the eigenvalues of H.

    >>> newton_steps(np.array([[2.0, 2.0]]), np.array([[[4.0, 0.0], [0.0, -1.0]]]), np.array([10.0])).tolist()
    [[-0.5, -2.0]]
    """
    values, axes = np.linalg.eigh(hessian)
    curvature = np.abs(values)
    curvature = np.maximum(curvature, LEAST_CURVATURE * curvature.max(axis=1, keepdims=True) + 1e-12)
    along = np.einsum("ikl,ik->il", axes, gradient) / curvature
    step = -np.einsum("ikl,il->ik", axes, along)
    length = np.sqrt(np.square(step).sum(axis=1))
    return np.asarray(step * np.minimum(1.0, radius / np.maximum(length, 1e-300))[:, None])


def mean_of_neighbours(links: LinkRows, positions: Float32Array, default: Float64Array) -> Float64Array:
    """The mean position of the nodes of each row; `default` for an empty row."""
    rows = np.repeat(np.arange(len(links.indptr) - 1), np.diff(links.indptr))
    count = np.bincount(rows, minlength=len(links.indptr) - 1)[:, None]
    columns = positions[links.indices].astype(np.float64).T
    total = np.stack([np.bincount(rows, column, len(count)) for column in columns], axis=1)
    return np.where(count > 0, total / np.maximum(count, 1), default)


def mean_position(positions: Float32Array) -> Float64Array:
    """The mean position of all nodes."""
    return np.asarray(positions.mean(axis=0, dtype=np.float64))


def filter_rows(links: LinkRows, kept: BoolArray) -> LinkRows:
    """The rows with only the links for which `kept` is true."""
    ends = np.concatenate([[0], np.cumsum(kept)])[links.indptr]
    return LinkRows(ends.astype(np.int64), links.indices[kept])


def rows_of(network: Network, nodes: Int64Array) -> LinkRows:
    """The rows of some nodes, given in ascending order."""
    chosen = np.isin(np.arange(network.node_count), nodes)
    indptr = np.concatenate([[0], np.cumsum(network.degrees[chosen])])
    return LinkRows(indptr, network.indices[np.repeat(chosen, network.degrees)])


# ---- start positions for a changed network ---------------------------------------------------------------------------


def with_old_columns(network: Network, old: Network) -> Network:
    """The network with the values of an old one where it lacks them, by the names of nodes and columns.

    What were groups there are groups here, also if they are numbers.
    """
    place = old.nodes.get_indexer(network.nodes)
    filled = {}
    for name in old.columns:
        before = old.columns[name].take(np.maximum(place, 0)).reset_index(drop=True).where(place >= 0)
        if name not in network.columns:
            filled[name] = before
        elif isinstance(before.dtype, pd.CategoricalDtype):
            now, was = network.columns[name].astype(object), before.astype(object)
            filled[name] = now.where(now.notna(), was).astype("category")
        elif network.columns[name].isna().any():
            filled[name] = network.columns[name].where(network.columns[name].notna(), before)
    return network.with_columns(pd.DataFrame(filled, index=range(network.node_count))) if filled else network


def carry_positions(
    objective: LocalObjective, network: Network, prior: Prior, thread_count: int | None = None
) -> Float32Array:
    """Positions for the nodes of another network: their old ones, or for new nodes where they fit among the old."""
    place = objective.network.nodes.get_indexer(network.nodes)
    missing = place < 0
    if len(place) and missing.all():
        raise InputError(
            "The network has no node in common with the embedding; nodes are identified by their names. For another "
            "network, use embed."
        )
    positions = objective.positions[np.maximum(place, 0)] if len(place) else objective.positions[:0]
    there = replace(objective, network=network, prior=prior, positions=positions)
    return place_missing(there, missing, thread_count) if missing.any() else positions
