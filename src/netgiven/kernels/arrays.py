"""The arrays that kernels take, bundled under their names."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]
Doubles = npt.NDArray[np.float64]
Numbers = npt.NDArray[np.int32]

LANES = 4  # positions are padded with zeros to a multiple of this many dimensions, so that loops take four at a time
TABLE = 512  # nodes in one table of the exact kernel: with 8 dimensions, half of a first-level cache
NOWHERE = np.float32(-1e30)  # log-odds of a place in a table that holds no node


class Links(NamedTuple):
    """Sorted rows of neighbours: those of node i are `indices[indptr[i]:indptr[i + 1]]`."""

    indptr: npt.NDArray[np.int64]
    indices: Numbers


class PriorArrays(NamedTuple):
    """logit P_ij = node[i] + node[j] + table[group[i], group[j]]."""

    node: Floats
    group: Numbers
    table: Floats


class Scene(NamedTuple):
    """All that decides the log-odds of pairs: positions, prior, reach and half the stiffness."""

    positions: Floats
    prior: PriorArrays
    reach: np.float32
    half_stiffness: np.float32


class Sums(NamedTuple):
    """What a kernel adds up for each node: sigmoid(z_ij) (x_i - x_j), a vector, and softplus(z_ij)."""

    push: Floats | Doubles
    surprise: Doubles


class Address(NamedTuple):
    """Whose random numbers these are, together with a node or block: the seed of a fit, and its step."""

    seed: int
    step: int


class Tables(NamedTuple):
    """Nodes in tables of fixed length: positions dimension by dimension, node multipliers, groups and weights."""

    positions: Floats  # (tables, dimensions, length)
    node: Floats  # (tables, length)
    group: Numbers
    weight: Floats


def padded(positions: npt.NDArray[np.floating]) -> Floats:
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
    positions, prior = scene.positions, scene.prior
    count, dimensions = positions.shape
    tables = max(1, -(-count // length))
    wide = np.zeros((tables * length, dimensions), dtype=np.float32)
    wide[:count] = positions
    node = np.full(tables * length, NOWHERE, dtype=np.float32)
    node[:count] = prior.node
    group = np.zeros(tables * length, dtype=np.int32)
    group[:count] = prior.group
    return Tables(
        np.ascontiguousarray(wide.reshape(tables, length, dimensions).transpose(0, 2, 1)),
        node.reshape(tables, length),
        group.reshape(tables, length),
        np.ones((tables, length), dtype=np.float32),
    )
