"""Each kernel once more in plain NumPy and float64, readable and slow. Tests compare both."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from netgiven.kernels.arrays import LinkRows, ModelArrays, nothing_listed
from netgiven.kernels.pair_sums import ListedFeatures, NodeArrays, PointArrays
from netgiven.kernels.paper_sampling import DrawnPairs
from netgiven.kernels.prior_logit import prior_log_odds
from netgiven.kernels.top_pairs import BandArrays
from netgiven.model import (
    CERTAIN_LOG_ODDS,
    direction,
    log_odds,
    log_probability,
    log_probability_gradient,
    probability,
    separation,
    softplus,
)
from netgiven.types import BoolArray, Float64Array, IntegerArray


def all_log_odds(model: ModelArrays) -> Float64Array:
    """z of all pairs, as an n x n matrix."""
    x, prior = model.positions.astype(np.float64), all_prior_log_odds(model)
    near = x[:, : x.shape[1] - model.repelling]  # a product, of any size, changes no pair that the prior is certain of
    distance = separation(near[:, None, :], near[None, :, :])
    apart = np.where(
        np.abs(prior) < CERTAIN_LOG_ODDS, separation(x[:, None, :], x[None, :, :], model.repelling), distance
    )
    return np.asarray(log_odds(prior, float(model.reach), 2 * float(model.half_stiffness), apart))


def all_prior_log_odds(model: ModelArrays) -> Float64Array:
    """The prior's log-odds of all pairs, as an n x n matrix."""
    nodes = np.arange(len(model.positions))
    return prior_log_odds(model.prior, nodes[:, None], nodes[None, :])


def all_softplus(model: ModelArrays) -> Float64Array:
    """softplus(z) of all pairs, and 0 for links of which the prior is certain, as an n x n matrix."""
    return np.where(all_prior_log_odds(model) < CERTAIN_LOG_ODDS, softplus(all_log_odds(model)), 0.0)


def all_directions(model: ModelArrays) -> Float64Array:
    """(x_i - x_j, y_j) of all pairs, as an n x n x d array."""
    x = model.positions.astype(np.float64)
    return np.asarray(direction(x[:, None, :], x[None, :, :], model.repelling))


def counted_pairs(model: ModelArrays) -> BoolArray:
    """The pairs that the sums of kernels count: those of a node with itself only if no dimension repels."""
    return ~np.eye(len(model.positions), dtype=bool) if model.repelling else np.ones((len(model.positions),) * 2, bool)


def unlisted(model: ModelArrays) -> ModelArrays:
    """The same model without listed pairs."""
    return model._replace(prior=model.prior._replace(listed=nothing_listed(len(model.positions))))


def adjacency(links: LinkRows) -> BoolArray:
    """Links as an n x n matrix."""
    count = len(links.indptr) - 1
    matrix = np.zeros((count, count), dtype=bool)
    matrix[np.repeat(np.arange(count), np.diff(links.indptr)), links.indices] = True
    return matrix


def objective(
    model: ModelArrays, links: LinkRows, shrinkage: float = 0.0, repelling_shrinkage: float = 0.0
) -> tuple[float, Float64Array]:
    """Negative log-likelihood of the links, plus shrinkage / 2 |X|^2, that of y apart; and its gradient."""
    x = model.positions.astype(np.float64)
    z, linked = all_log_odds(model), adjacency(links)
    others = ~np.eye(len(x), dtype=bool)
    strength = np.full(x.shape[1], shrinkage)
    strength[x.shape[1] - model.repelling :] = repelling_shrinkage
    value = -(log_probability(z, linked) * others).sum() / 2 + (strength / 2 * x**2).sum()
    pulls = log_probability_gradient(z, linked, 2 * float(model.half_stiffness), all_directions(model))
    return float(value), -(pulls * others[:, :, None]).sum(axis=1) + strength * x


def repel_all(model: ModelArrays) -> tuple[Float64Array, Float64Array]:
    """Sums over all j of sigmoid(z_ij) (x_i - x_j, y_j) and of softplus(z_ij), without the listed term."""
    z, counted = all_log_odds(unlisted(model)), counted_pairs(model)
    repulsion = ((counted * probability(z))[:, :, None] * all_directions(model)).sum(axis=1)
    return repulsion, (counted * all_softplus(unlisted(model))).sum(axis=1)


def correct_listed(model: ModelArrays) -> tuple[Float64Array, Float64Array]:
    """What the listed term changes in the sums of `repel_all`."""
    z, before = all_log_odds(model), all_log_odds(unlisted(model))
    change = probability(z) - probability(before)
    repulsion = (change[:, :, None] * all_directions(model)).sum(axis=1)
    return repulsion, (all_softplus(model) - all_softplus(unlisted(model))).sum(axis=1)


def repel_sampled(
    drawn: IntegerArray, block: int, weights: npt.NDArray[Any], model: ModelArrays
) -> tuple[Float64Array, Float64Array]:
    """The sums of `repel_all` over the drawn nodes of each block of `block` nodes, weighted."""
    z, directions, counted = all_log_odds(unlisted(model)), all_directions(model), counted_pairs(model)
    repulsion, total, softpluses = np.zeros(model.positions.shape), np.zeros(len(z)), all_softplus(unlisted(model))
    for i in range(len(z)):
        others = drawn[i // block]
        weight = weights[others] * counted[i, others]
        repulsion[i] = (weight * probability(z[i, others])) @ directions[i, others]
        total[i] = weight @ softpluses[i, others]
    return repulsion, total


def sum_around_points(model: ModelArrays, weights: npt.NDArray[Any]) -> tuple[Float64Array, ...]:
    """For each node, with D = (x_i - x_j, y_j): weighted sums over all nodes j of softplus(z), p, p D, p (1 - p) D D^T,
    p (1 - p) and p (1 - p) D, without the listed term.
    """
    z = all_log_odds(unlisted(model))
    p, difference = probability(z), all_directions(model)
    variance = weights * p * (1 - p)
    hessian, cross = (
        np.einsum("ij,ijk,ijl->ikl", variance, difference, difference),
        np.einsum("ij,ijk->ik", variance, difference),
    )
    repulsion = np.einsum("ij,ijk->ik", weights * p, difference)
    softpluses = all_softplus(unlisted(model))
    return softpluses @ weights, p @ weights, repulsion, hessian, variance.sum(axis=1), cross


def attract(positions: npt.NDArray[Any], repelling: int, links: LinkRows) -> tuple[Float64Array, Float64Array]:
    """Sums over the links ij of node i of (x_i - x_j, y_j) and of |x_i - x_j|^2 + 2 y_i . y_j."""
    x, linked = positions.astype(np.float64), adjacency(links)
    directions = direction(x[:, None, :], x[None, :, :], repelling) * linked[:, :, None]
    return directions.sum(axis=1), (separation(x[:, None, :], x[None, :, :], repelling) * linked).sum(axis=1)


def sum_drawn_pairs(pairs: DrawnPairs, model: ModelArrays) -> tuple[Float64Array, Float64Array]:
    """Sums over drawn pairs of w (sigmoid(z) - a) (x_i - x_j, y_j), for both nodes, and of -w log P(a)."""
    z, directions = all_log_odds(model), all_directions(model)
    repulsion, total = np.zeros(model.positions.shape), np.zeros(len(z))
    for i in range(len(z)):
        others = pairs.node[pairs.indptr[i] : pairs.indptr[i + 1]]
        is_link = np.arange(len(others)) < pairs.linked[i]
        weight = np.where(is_link, pairs.link_weight[i], pairs.other_weight[i])
        force = weight * (probability(z[i, others]) - is_link)
        repulsion[i] += force @ directions[i, others]
        np.add.at(repulsion, others, force[:, None] * directions[others, i])
        total[i] = -(weight * log_probability(z[i, others], is_link)).sum()
    return repulsion, total


def point_log_odds(points: PointArrays) -> Float64Array:
    """z of all pairs of points, as a matrix."""
    half = points.left.T @ points.right
    z = half + half.T
    for at, width, group in zip(points.tables.at, points.tables.width, points.group, strict=True):
        z = z + points.tables.values[at : at + width * width].reshape(width, width)[np.ix_(group, group)]
    return np.asarray(z)


def _between_groups(points: PointArrays, amounts: Float64Array) -> Float64Array:
    """Sums of the amounts of pairs between the groups of each layer."""
    member = [np.eye(width)[group] for width, group in zip(points.tables.width, points.group, strict=True)]
    return np.concatenate([(one.T @ amounts @ one).ravel() for one in member])


def sum_pairs(points: PointArrays) -> tuple[Float64Array, Float64Array]:
    """Sums of P over all pairs of points: for each point, weighted by `right`, and between groups."""
    p = probability(point_log_odds(points))
    weighted = points.weight[:, None] * p * points.weight
    return (points.weight * points.right) @ p, _between_groups(points, weighted)


def hessian_product(points: PointArrays, step: PointArrays) -> tuple[Float64Array, Float64Array]:
    """The derivative of the sums of `sum_pairs` along a step: P (1 - P) dz in place of P."""
    p = probability(point_log_odds(points))
    change = p * (1 - p) * point_log_odds(step)
    weighted = points.weight[:, None] * change * points.weight
    return (points.weight * points.right) @ change, _between_groups(points, weighted)


def entropy_terms(points: PointArrays) -> Float64Array:
    """Sums of softplus(z) and of P z over ordered pairs, without those that the prior is certain of."""
    z = point_log_odds(points)
    weights = np.outer(points.weight, points.weight) * (np.abs(z) < CERTAIN_LOG_ODDS)
    return np.array([np.sum(weights * softplus(z)), np.sum(weights * probability(z) * z)])


def listed_sums(
    listed: ListedFeatures, multipliers: Float64Array, nodes: NodeArrays
) -> tuple[Float64Array, Float64Array, Float64Array]:
    """What listed features change in the sums of P, for each node and between groups; and the totals of features."""
    count = len(listed.indptr) - 1
    ones = np.ones(count)
    points = PointArrays(ones, nodes.left, nodes.right, nodes.group, nodes.tables, np.zeros(1, np.int32))
    z = point_log_odds(points)
    rows = np.repeat(np.arange(count), np.diff(listed.indptr))
    more = np.zeros((count, count))
    more[rows, listed.indices] = more[listed.indices, rows] = multipliers @ listed.value
    change = probability(z + more) - probability(z)
    totals = listed.value @ probability(z + more)[rows, listed.indices]
    return nodes.right @ change, _between_groups(points, change), np.asarray(totals)


def pairs_above(
    few: BandArrays, many: BandArrays, most: float, half_stiffness: float, floor: float, links: LinkRows
) -> list[tuple[int, int]]:
    """The pairs of two bands that are not links and have log-odds of at least `floor`, in the order of the bands."""
    products = few.left.astype(np.float64) @ many.right.T.astype(np.float64)
    distance = separation(few.positions[:, None, :].astype(np.float64), many.positions[None, :, :].astype(np.float64))
    z = few.own[:, None] + many.own + most + products - half_stiffness * distance
    wanted = (z >= floor) & ~adjacency(links)[np.ix_(few.nodes, many.nodes)]
    if few.nodes[0] == many.nodes[0]:
        wanted = np.triu(wanted, 1)
    return [(int(few.nodes[i]), int(many.nodes[j])) for i, j in zip(*np.nonzero(wanted), strict=True)]
