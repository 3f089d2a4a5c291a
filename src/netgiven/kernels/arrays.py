"""The arrays that kernels take, bundled under their names."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from netgiven.types import Float32Array, Float64Array, Int32Array, Int64Array

LANES = 4  # positions are padded with zeros to a multiple of this many dimensions, so that loops take four at a time
TABLE = 512  # nodes in one table of the exact kernel: with 8 dimensions, half of a first-level cache
NOWHERE = np.float32(-1e30)  # log-odds of a place in a table that holds no node


class Links(NamedTuple):
    """Sorted rows of neighbours: those of node i are `indices[indptr[i]:indptr[i + 1]]`."""

    indptr: Int64Array
    indices: Int32Array


class ListedPairs(NamedTuple):
    """What few pairs have on top, in sorted rows: `value[place]` for i and `indices[place]`, and for both swapped."""

    indptr: Int64Array
    indices: Int32Array
    value: Float32Array


class PriorArrays(NamedTuple):
    """logit P_ij = node[i] + node[j] + table[group[i], group[j]] + left[:, i] . right[:, j] + what is listed for ij.

    left_i . right_j is the same as left_j . right_i.
    """

    node: Float32Array
    group: Int32Array
    table: Float32Array
    left: Float32Array  # (terms, nodes), mostly no terms at all
    right: Float32Array
    listed: ListedPairs


class Scene(NamedTuple):
    """All that decides the log-odds of pairs: positions, prior, reach and half the stiffness."""

    positions: Float32Array
    prior: PriorArrays
    reach: np.float32
    half_stiffness: np.float32


class Sums(NamedTuple):
    """What a kernel adds up for each node: sigmoid(z_ij) (x_i - x_j), a vector, and softplus(z_ij)."""

    push: Float32Array | Float64Array
    surprise: Float64Array


class Address(NamedTuple):
    """Whose random numbers these are, together with a node or block: the seed of a fit, and its step."""

    seed: int
    step: int


class Tables(NamedTuple):
    """Nodes in tables of fixed length: positions dimension by dimension, multipliers, groups and weights."""

    positions: Float32Array  # (tables, dimensions, length)
    node: Float32Array  # (tables, length)
    group: Int32Array
    right: Float32Array  # (tables, terms, length)
    weight: Float32Array


def nothing_listed(count: int) -> ListedPairs:
    """No pair has anything on top."""
    return ListedPairs(np.zeros(count + 1, np.int64), np.empty(0, np.int32), np.empty(0, np.float32))


def plain_prior(node: Float32Array, group: Int32Array, table: Float32Array) -> PriorArrays:
    """A prior of nodes and groups alone.

    >>> prior = plain_prior(np.zeros(3, np.float32), np.zeros(3, np.int32), np.zeros((1, 1), np.float32))
    >>> prior.left.shape, prior.listed.indptr.tolist()
    ((0, 3), [0, 0, 0, 0])
    """
    none = np.empty((0, len(node)), dtype=np.float32)
    return PriorArrays(node, group, table, none, none, nothing_listed(len(node)))


def padded(positions: npt.NDArray[np.floating]) -> Float32Array:
    """Positions in float32, with zeros up to a multiple of LANES dimensions.

    >>> padded(np.ones((2, 3))).shape
    (2, 4)
    """
    count, dimensions = positions.shape
    wide = np.zeros((count, -(-dimensions // LANES) * LANES), dtype=np.float32)
    wide[:, :dimensions] = positions
    return wide


def make_scene(positions: npt.NDArray[np.floating], prior: PriorArrays, reach: float, stiffness: float) -> Scene:
    """A scene in float32, padded."""
    return Scene(padded(positions), prior, np.float32(reach), np.float32(stiffness / 2))


def tabulate(scene: Scene, length: int = TABLE) -> Tables:
    """All nodes in tables, in order; the last table is filled up with places that weigh nothing."""
    prior, count = scene.prior, len(scene.positions)
    tables = max(1, -(-count // length))
    node = np.full(tables * length, NOWHERE, dtype=np.float32)
    node[:count] = prior.node
    group = np.zeros(tables * length, dtype=np.int32)
    group[:count] = prior.group
    return Tables(
        _cut(scene.positions, tables, length),
        node.reshape(tables, length),
        group.reshape(tables, length),
        _cut(prior.right.T, tables, length),
        np.ones((tables, length), dtype=np.float32),
    )


def _cut(rows: Float32Array, tables: int, length: int) -> Float32Array:
    """One row a node, cut into tables that hold column after column; zeros fill up the last."""
    count, columns = rows.shape
    wide = np.zeros((tables * length, columns), dtype=np.float32)
    wide[:count] = rows
    return np.ascontiguousarray(wide.reshape(tables, length, columns).transpose(0, 2, 1))
