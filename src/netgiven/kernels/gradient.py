"""The gradient of the objective from attraction and repulsion, and one step of Adam along it."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from netgiven.kernels.arrays import LinkRows, ModelArrays
from netgiven.kernels.jit import inlined, kernel, prefetch
from netgiven.types import Float32Array, Float64Array

f32 = np.float32
LINE = 16  # numbers that a processor reads from memory at once


@inlined
def add_one(other: Any, near: Any, own: Any, sums: Any, parts: Any) -> None:
    """Add one link: the difference x_i - x_j and its squares, and y_j."""
    for k in range(near):
        difference = own[k] - other[k]
        sums[k] += difference
        parts[k] += difference * difference
    for k in range(near, len(own)):
        sums[k] += other[k]


@inlined
def add_four(positions: Any, others: Any, near: Any, own: Any, sums: Any, parts: Any) -> None:
    """The same for four links at once: the processor then waits for the memory of all four together."""
    a, b, c, d = positions[others[0]], positions[others[1]], positions[others[2]], positions[others[3]]
    for k in range(near):
        da, db, dc, dd = own[k] - a[k], own[k] - b[k], own[k] - c[k], own[k] - d[k]
        sums[k] += (da + db) + (dc + dd)
        parts[k] += (da * da + db * db) + (dc * dc + dd * dd)
    for k in range(near, len(own)):
        sums[k] += (a[k] + b[k]) + (c[k] + d[k])


@inlined
def prefetch_others(positions: Any, others: Any) -> None:
    """Ask the memory for the positions of these nodes, while the row before theirs is summed up."""
    for place in range(len(others)):
        for k in range(0, positions.shape[1], LINE):
            prefetch(positions, others[place], k)


@kernel
def attract(
    start: int,
    stop: int,
    positions: Float32Array,
    repelling: int,
    links: LinkRows,
    attraction: Float32Array,
    separation: Float64Array,
) -> None:
    """attraction_i = sum over links ij of (x_i - x_j, y_j) and separation_i = that of |x_i - x_j|^2 + 2 y_i . y_j.

    For i in [start, stop). Without y, the first is the product of the sparse Laplacian and the positions.
    """
    dimensions, near = positions.shape[1], positions.shape[1] - repelling
    own, sums, parts = np.empty(dimensions, f32), np.empty(dimensions, f32), np.empty(dimensions, f32)
    for i in range(start, stop):
        for k in range(dimensions):
            own[k], sums[k], parts[k] = positions[i, k], f32(0.0), f32(0.0)
        first, last = links.indptr[i], links.indptr[i + 1]
        if i + 1 < stop:
            prefetch_others(positions, links.indices[last : links.indptr[i + 2]])
        whole = last - (last - first) % 4
        for place in range(first, whole, 4):
            add_four(positions, links.indices[place : place + 4], near, own, sums, parts)
        for place in range(whole, last):
            add_one(positions[links.indices[place]], near, own, sums, parts)
        for k in range(near, dimensions):
            parts[k] = f32(2.0) * own[k] * sums[k]
        for k in range(dimensions):
            attraction[i, k] = sums[k]
        separation[i] = parts.sum()


class Moments(NamedTuple):
    """Running means of the gradient and of its square."""

    mean: Float32Array
    square: Float32Array


class Shrinkage(NamedTuple):
    """Strength of the shrinkage of positions, and of those in dimensions that repel."""

    near: np.float32
    repelling: np.float32


class AdamStep(NamedTuple):
    """The learning rate of a step, with the correction for moments that begin at zero, and both decay rates."""

    learning_rate: np.float32
    beta1: np.float32
    beta2: np.float32


@kernel
def combine_gradient(
    start: int, stop: int, model: ModelArrays, attraction: Float32Array, repulsion: Any, shrinkage: Shrinkage
) -> None:
    """Turn `attraction` into the gradient of the objective, in place, for the nodes in [start, stop):

    stiffness (attraction - repulsion) + shrinkage x.
    """
    stiffness, dimensions = model.half_stiffness + model.half_stiffness, attraction.shape[1]
    for i in range(start, stop):
        for k in range(dimensions):
            attraction[i, k] = (
                stiffness * np.float32(attraction[i, k] - repulsion[i, k]) + shrinkage.near * model.positions[i, k]
            )
        for k in range(dimensions - model.repelling, dimensions):
            attraction[i, k] += (shrinkage.repelling - shrinkage.near) * model.positions[i, k]


@kernel
def adam(
    start: int, stop: int, positions: Float32Array, gradient: Float32Array, moments: Moments, step: AdamStep
) -> None:
    """One step of Adam (Kingma and Ba 2015) for the nodes in [start, stop)."""
    one, mean, square = np.float32(1.0), moments.mean, moments.square
    for i in range(start, stop):
        for k in range(positions.shape[1]):
            slope = gradient[i, k]
            mean[i, k] = step.beta1 * mean[i, k] + (one - step.beta1) * slope
            square[i, k] = step.beta2 * square[i, k] + (one - step.beta2) * slope * slope
            positions[i, k] -= step.learning_rate * mean[i, k] / (np.sqrt(square[i, k]) + np.float32(1e-12))
