"""The arrays that kernels take, as named tuples, and the search in sorted rows."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from netgiven.types import Float32Array, Float64Array, Int32Array, Int64Array

LANES = 4  # positions are padded with zeros to a multiple of this many dimensions, so that loops take four at a time
TABLE_LENGTH = 512  # nodes in one table of the exact kernel: with 8 dimensions, half of a first-level cache
EMPTY_SLOT = np.float32(-1e30)  # log-odds of a slot in a table that holds no node


class LinkRows(NamedTuple):
    """Sorted rows of neighbours (CSR): those of node i are `indices[indptr[i]:indptr[i + 1]]`."""

    indptr: Int64Array
    indices: Int32Array


class ListedLogOdds(NamedTuple):
    """Log-odds that are added for few listed pairs, in sorted rows of both nodes.

    The pair of i and `indices[place]`, for `place` in `indptr[i]:indptr[i + 1]`, gets `value[place]`.
    """

    indptr: Int64Array
    indices: Int32Array
    value: Float32Array


class PriorArrays(NamedTuple):
    """logit P_ij = node[i] + node[j] + table[group[i], group[j]] + left[:, i] . right[:, j] + listed_ij, in float32.

    `node` is `left[0]` of the `Prior`. `left` stacks its `left[1:]` and `right[1:]`, and `right` the same in the other
    order, so that left_i . right_j = left_j . right_i.
    """

    node: Float32Array
    group: Int32Array
    table: Float32Array
    left: Float32Array  # (terms, nodes); most priors have no terms
    right: Float32Array
    listed: ListedLogOdds


class ModelArrays(NamedTuple):
    """All that decides the log-odds of pairs: z_ij = logit P_ij + reach - half_stiffness (|x_i - x_j|^2 + 2 y_i . y_j).

    Positions are x and, in the last `repelling` columns, y; both are padded.
    """

    positions: Float32Array  # (nodes, dimensions), padded
    prior: PriorArrays
    reach: np.float32
    half_stiffness: np.float32
    repelling: int = 0


class RepulsionSums(NamedTuple):
    """Sums of a kernel for each node i over other nodes j: of sigmoid(z_ij) (x_i - x_j, y_j) and of softplus(z_ij)."""

    repulsion: Float32Array | Float64Array  # (nodes, dimensions)
    softplus: Float64Array  # (nodes,)


class RandomKey(NamedTuple):
    """The seed of a fit and its step, which together with a node or block select a stream of random numbers."""

    seed: int
    step: int


class NodeTables(NamedTuple):
    """Nodes in tables of fixed length: positions dimension by dimension, multipliers, groups and weights."""

    positions: Float32Array  # (tables, dimensions, length)
    node: Float32Array  # (tables, length)
    group: Int32Array
    right: Float32Array  # (tables, terms, length)
    weight: Float32Array


def distinct(numbers: Int64Array) -> Int64Array:
    """The distinct numbers, sorted.

    NumPy's `unique` hashes numbers since version 2.3, and takes twenty times as long for a million different ones. This
    sort is quicker still where parts are sorted already.

    >>> distinct(np.array([3, 7, 1, 7])).tolist()
    [1, 3, 7]
    """
    ordered = np.sort(numbers, kind="stable")
    return ordered[np.concatenate([[True], ordered[1:] != ordered[:-1]])] if len(ordered) else ordered


def find_in_rows(rows: LinkRows | ListedLogOdds, first: npt.ArrayLike, second: npt.ArrayLike) -> Int64Array:
    """Places of pairs in sorted rows: `second` in the row of `first`, and -1 where it is not there.

    One binary search per pair, all side by side; `csr.search_row` is the compiled search for a single pair. It is in
    this module so that a network finds its links without loading the compiler.

    >>> rows = LinkRows(np.array([0, 2, 3, 3]), np.array([1, 2, 0], np.int32))
    >>> find_in_rows(rows, [0, 0, 1, 2], [2, 0, 0, 1]).tolist()
    [1, -1, 2, -1]
    """
    row, column = np.broadcast_arrays(np.asarray(first, dtype=np.int64), np.asarray(second, dtype=np.int64))
    if not len(rows.indices):
        return np.full(row.shape, -1)
    size = rows.indptr[row + 1] - rows.indptr[row]
    there = size > 0
    place = np.minimum(rows.indptr[row], len(rows.indices) - 1)  # that of an empty last row would be past the end
    # Invariant: if the row holds the column, it is one of `size` entries from `place` on. Each round halves the size.
    for _ in range(int(size.max(initial=0)).bit_length()):
        half = size >> 1
        place = place + np.where(rows.indices[place + half] <= column, half, 0)
        size = size - half
    return np.where(there & (rows.indices[place] == column), place, -1)


def are_rows(starts: npt.NDArray[Any], columns: npt.NDArray[Any], shape: tuple[int, int]) -> bool:
    """Whether arrays from a file are rows (CSR) that compiled code may follow without looking where they lead.

    Starts are compared, not subtracted: differences wrap around, and then rows of any length look small.

    >>> are_rows(np.array([0, 1, 1]), np.array([2]), shape=(2, 3))
    True
    >>> are_rows(np.array([0, 2**62, 1]), np.array([2]), shape=(2, 3))
    False
    """
    if any(array.ndim != 1 or array.dtype.kind not in "iu" for array in (starts, columns)):
        return False
    if len(starts) != shape[0] + 1 or starts[0] != 0 or starts[-1] != len(columns) or (starts[:-1] > starts[1:]).any():
        return False
    return not len(columns) or bool(columns.min() >= 0 and columns.max() < shape[1])


def nothing_listed(count: int) -> ListedLogOdds:
    """No listed pair among `count` nodes."""
    return ListedLogOdds(np.zeros(count + 1, np.int64), np.empty(0, np.int32), np.empty(0, np.float32))


def plain_prior(node: Float32Array, group: Int32Array, table: Float32Array) -> PriorArrays:
    """A prior of nodes and groups alone.

    >>> prior = plain_prior(np.zeros(3, np.float32), np.zeros(3, np.int32), np.zeros((1, 1), np.float32))
    >>> prior.left.shape, prior.listed.indptr.tolist()
    ((0, 3), [0, 0, 0, 0])
    """
    none = np.empty((0, len(node)), dtype=np.float32)
    return PriorArrays(node, group, table, none, none, nothing_listed(len(node)))


def padded(positions: npt.NDArray[np.floating], repelling: int = 0) -> Float32Array:
    """Positions in float32, with zeros up to a multiple of LANES dimensions, for those that repel apart.

    >>> padded(np.ones((2, 3))).shape, padded(np.ones((2, 3)), repelling=1).shape
    ((2, 4), (2, 8))
    """
    count, dimensions = positions.shape
    near = dimensions - repelling
    wide = np.zeros((count, padded_size(near) + padded_size(repelling)), dtype=np.float32)
    wide[:, :near] = positions[:, :near]
    wide[:, padded_size(near) :][:, :repelling] = positions[:, near:]
    return wide


def unpadded(wide: Float32Array, dimensions: int, repelling: int = 0) -> Float32Array:
    """The positions that `padded` made wide.

    >>> unpadded(padded(np.eye(3)), 3).tolist() == unpadded(padded(np.eye(3), 2), 3, 2).tolist() == np.eye(3).tolist()
    True
    """
    if not repelling:
        return wide[:, :dimensions]
    near = dimensions - repelling
    return np.hstack([wide[:, :near], wide[:, padded_size(near) :][:, :repelling]])


def padded_size(dimensions: int) -> int:
    """The number of columns for so many dimensions.

    >>> padded_size(0), padded_size(5)
    (0, 8)
    """
    return -(-dimensions // LANES) * LANES


def make_model_arrays(
    positions: npt.NDArray[np.floating], prior: PriorArrays, reach: float, stiffness: float, repelling: int = 0
) -> ModelArrays:
    """Model arrays in float32, with padded positions."""
    wide = padded(positions, repelling)
    return ModelArrays(wide, prior, np.float32(reach), np.float32(stiffness / 2), padded_size(repelling))


def with_products_in_prior(model: ModelArrays) -> ModelArrays:
    """The same log-odds without dimensions that repel: their products become terms of the prior, left_i . right_j.

    For everything that ranks pairs and needs no gradient.
    """
    if not model.repelling:
        return model
    near = model.positions.shape[1] - model.repelling
    apart = np.ascontiguousarray(model.positions[:, near:].T)
    left = np.vstack([model.prior.left, np.float32(-2) * model.half_stiffness * apart])
    prior = model.prior._replace(left=left, right=np.vstack([model.prior.right, apart]))
    return model._replace(positions=np.ascontiguousarray(model.positions[:, :near]), prior=prior, repelling=0)


def make_tables(model: ModelArrays, length: int = TABLE_LENGTH) -> NodeTables:
    """All nodes in tables, in order, each with weight 1; the last table is filled up with empty slots.

    An empty slot has log-odds of -1e30, hence probability 0 with every node.
    """
    prior, count = model.prior, len(model.positions)
    tables = max(1, -(-count // length))
    node = np.full(tables * length, EMPTY_SLOT, dtype=np.float32)
    node[:count] = prior.node
    group = np.zeros(tables * length, dtype=np.int32)
    group[:count] = prior.group
    return NodeTables(
        _split_rows(model.positions, tables, length),
        node.reshape(tables, length),
        group.reshape(tables, length),
        _split_rows(prior.right.T, tables, length),
        np.ones((tables, length), dtype=np.float32),
    )


def _split_rows(rows: Float32Array, tables: int, length: int) -> Float32Array:
    """One row per node, split into tables of shape (columns, length); zeros fill up the last."""
    count, columns = rows.shape
    wide = np.zeros((tables * length, columns), dtype=np.float32)
    wide[:count] = rows
    return np.ascontiguousarray(wide.reshape(tables, length, columns).transpose(0, 2, 1))
