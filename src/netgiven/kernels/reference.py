"""The judge: each kernel once more, in plain NumPy and float64, readable and slow. Tests compare."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from netgiven.kernels.arrays import Links, Scene, nothing_listed
from netgiven.kernels.pair_sums import Listed, NodeArrays, PointArrays
from netgiven.kernels.paper_sampling import Partners
from netgiven.kernels.prior_logit import known_log_odds
from netgiven.kernels.repulsion import SURE
from netgiven.model import log_odds, log_probability, probability, pull
from netgiven.types import BoolArray, Float64Array, IntegerArray


def all_log_odds(scene: Scene) -> Float64Array:
    """z of all pairs, as an n x n matrix."""
    x, nodes = scene.positions.astype(np.float64), np.arange(len(scene.positions))
    squared = ((x[:, None, :] - x[None, :, :]) ** 2).sum(axis=2)
    known = known_log_odds(scene.prior, nodes[:, None], nodes[None, :])
    return np.asarray(log_odds(known, float(scene.reach), 2 * float(scene.half_stiffness), squared))


def unlisted(scene: Scene) -> Scene:
    """The same scene with nothing listed."""
    return scene._replace(prior=scene.prior._replace(listed=nothing_listed(len(scene.positions))))


def adjacency(links: Links) -> BoolArray:
    """The links as an n x n matrix."""
    count = len(links.indptr) - 1
    matrix = np.zeros((count, count), dtype=bool)
    matrix[np.repeat(np.arange(count), np.diff(links.indptr)), links.indices] = True
    return matrix


def objective(scene: Scene, links: Links, shrinkage: float = 0.0) -> tuple[float, Float64Array]:
    """Negative log-likelihood of the links, plus shrinkage / 2 |X|^2; and its gradient."""
    x = scene.positions.astype(np.float64)
    z, linked = all_log_odds(scene), adjacency(links)
    others = ~np.eye(len(x), dtype=bool)
    value = -(log_probability(z, linked) * others).sum() / 2 + shrinkage / 2 * (x**2).sum()
    pulls = pull(z, linked, 2 * float(scene.half_stiffness), x[:, None, :] - x[None, :, :])
    return float(value), -(pulls * others[:, :, None]).sum(axis=1) + shrinkage * x


def surprise_of(z: Float64Array) -> Float64Array:
    """softplus(z), and nothing for certain links."""
    return np.where(z < SURE, np.logaddexp(0.0, z), 0.0)


def repel_all(scene: Scene) -> tuple[Float64Array, Float64Array]:
    """push_i = sum_j sigmoid(z_ij) (x_i - x_j), surprise_i = sum_j softplus(z_ij), j = i included, nothing listed."""
    x, z = scene.positions.astype(np.float64), all_log_odds(unlisted(scene))
    return (probability(z)[:, :, None] * (x[:, None, :] - x[None, :, :])).sum(axis=1), surprise_of(z).sum(axis=1)


def correct_listed(scene: Scene) -> tuple[Float64Array, Float64Array]:
    """What the listed pairs change in the sums of `repel_all`."""
    x, z, before = scene.positions.astype(np.float64), all_log_odds(scene), all_log_odds(unlisted(scene))
    change = probability(z) - probability(before)
    push = (change[:, :, None] * (x[:, None, :] - x[None, :, :])).sum(axis=1)
    return push, (surprise_of(z) - surprise_of(before)).sum(axis=1)


def repel_sampled(
    drawn: IntegerArray, block: int, weights: npt.NDArray[Any], scene: Scene
) -> tuple[Float64Array, Float64Array]:
    """The same sums over the drawn nodes of each block of `block` nodes, weighted."""
    x, z = scene.positions.astype(np.float64), all_log_odds(unlisted(scene))
    push, surprise = np.zeros(x.shape), np.zeros(len(x))
    for i in range(len(x)):
        others = drawn[i // block]
        push[i] = (weights[others] * probability(z[i, others])) @ (x[i] - x[others])
        surprise[i] = weights[others] @ surprise_of(z[i, others])
    return push, surprise


def look_around(scene: Scene, weights: npt.NDArray[Any]) -> tuple[Float64Array, ...]:
    """From each node, with D = x_i - x_j: sums over all nodes j, weighted, of softplus(z), p, p D, p (1 - p) D D^T,
    p (1 - p) and p (1 - p) D; nothing listed.
    """
    x, z = scene.positions.astype(np.float64), all_log_odds(unlisted(scene))
    p, apart = probability(z), x[:, None, :] - x[None, :, :]
    slack = weights * p * (1 - p)
    bend, lean = np.einsum("ij,ijk,ijl->ikl", slack, apart, apart), np.einsum("ij,ijk->ik", slack, apart)
    push = np.einsum("ij,ijk->ik", weights * p, apart)
    return surprise_of(z) @ weights, p @ weights, push, bend, slack.sum(axis=1), lean


def attract(positions: npt.NDArray[Any], links: Links) -> tuple[Float64Array, Float64Array]:
    """pull_i = sum over links ij of (x_i - x_j) and stretch_i = the sum of |x_i - x_j|^2."""
    x = positions.astype(np.float64)
    difference = (x[:, None, :] - x[None, :, :]) * adjacency(links)[:, :, None]
    return difference.sum(axis=1), (difference**2).sum(axis=(1, 2))


def follow_partners(chosen: Partners, scene: Scene) -> tuple[Float64Array, Float64Array]:
    """The paper's scheme, over drawn pairs: sums of w (sigmoid(z) - a) (x_i - x_j), both ends, and of -w log P(a)."""
    x, z = scene.positions.astype(np.float64), all_log_odds(scene)
    push, surprise = np.zeros(x.shape), np.zeros(len(x))
    for i in range(len(x)):
        others = chosen.node[chosen.indptr[i] : chosen.indptr[i + 1]]
        is_link = np.arange(len(others)) < chosen.linked[i]
        weight = np.where(is_link, chosen.link_weight[i], chosen.other_weight[i])
        pulls = weight[:, None] * pull(z[i, others], is_link, 1.0, x[i] - x[others])
        push[i] += pulls.sum(axis=0)
        np.subtract.at(push, others, pulls)
        surprise[i] = -(weight * log_probability(z[i, others], is_link)).sum()
    return push, surprise


def point_log_odds(points: PointArrays) -> Float64Array:
    """z of all pairs of points of a prior."""
    half = points.own.T @ points.basis
    z = half + half.T
    for at, width, group in zip(points.tables.at, points.tables.width, points.group, strict=True):
        z = z + points.tables.values[at : at + width * width].reshape(width, width)[np.ix_(group, group)]
    return np.asarray(z)


def _between_groups(points: PointArrays, amounts: Float64Array) -> Float64Array:
    """Amounts of pairs of points, added up between groups of each layer."""
    member = [np.eye(width)[group] for width, group in zip(points.tables.width, points.group, strict=True)]
    return np.concatenate([(one.T @ amounts @ one).ravel() for one in member])


def add_pairs(points: PointArrays) -> tuple[Float64Array, Float64Array]:
    """Sums of P over all pairs of points: weighted by the basis for each point, and between groups."""
    chance = probability(point_log_odds(points))
    weighted = points.weight[:, None] * chance * points.weight
    return (points.weight * points.basis) @ chance, _between_groups(points, weighted)


def bend_pairs(points: PointArrays, step: PointArrays) -> tuple[Float64Array, Float64Array]:
    """The change of these sums along a step: P (1 - P) dz in place of P."""
    chance = probability(point_log_odds(points))
    change = chance * (1 - chance) * point_log_odds(step)
    weighted = points.weight[:, None] * change * points.weight
    return (points.weight * points.basis) @ change, _between_groups(points, weighted)


def measure_pairs(points: PointArrays) -> Float64Array:
    """The sums of softplus(z) and P z over pairs of which the prior is not certain."""
    z = point_log_odds(points)
    weights = np.outer(points.weight, points.weight) * (np.abs(z) < SURE)
    return np.array([np.sum(weights * np.logaddexp(0.0, z)), np.sum(weights * probability(z) * z)])


def listed_sums(
    listed: Listed, multipliers: Float64Array, nodes: NodeArrays
) -> tuple[Float64Array, Float64Array, Float64Array]:
    """What listed features change in the sums of P, for each node and between groups; and the totals of features."""
    count = len(listed.indptr) - 1
    ones = np.ones(count)
    points = PointArrays(ones, nodes.own, nodes.basis, nodes.group, nodes.tables, np.zeros(1, np.int32))
    z = point_log_odds(points)
    rows = np.repeat(np.arange(count), np.diff(listed.indptr))
    more = np.zeros((count, count))
    more[rows, listed.indices] = more[listed.indices, rows] = multipliers @ listed.value
    change = probability(z + more) - probability(z)
    totals = listed.value @ probability(z + more)[rows, listed.indices]
    return nodes.basis @ change, _between_groups(points, change), np.asarray(totals)
