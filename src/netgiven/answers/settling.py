"""Where newcomers settle: each at a minimum of the objective in its own position, while all others stay.

F(x) = sum_j softplus(z_j) - a_j z_j + shrinkage / 2 |x|^2, from one look around a step (value, gradient and Hessian).
Newton's steps, with the absolute values of the Hessian's eigenvalues where it bends downwards, no longer than a radius
that grows while F falls and shrinks where it does not.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from netgiven.answers.view import View
from netgiven.kernels.arrays import Links, padded
from netgiven.kernels.node_objective import Around, Points, look_around, room_for
from netgiven.kernels.repulsion import SURE
from netgiven.model import probability
from netgiven.parallel import Engine, one_blas_thread
from netgiven.types import BoolArray, Float64Array, Int64Array

MOST_STEPS = 60
CLOSE = 1e-2  # a step this short, in units of one over the root of the stiffness, is the last: Newton squares errors
SLACK = 1e-6  # of the objective, relative: what single precision cannot tell
LEAST_BEND = 1e-3  # of an eigenvalue, relative to the largest
BATCH = 2_048  # newcomers that are looked at together


class Newcomers(NamedTuple):
    """Points that come to an embedding, and the nodes that they are linked to."""

    points: Points  # without positions
    links: Links
    certain: BoolArray  # of each link: does the prior know it?
    itself: Int64Array  # which node it is itself, if it lies there already; -1 if not


class Attraction(NamedTuple):
    """What links say of a newcomer at x: sum |x - x_j|^2 = number |x|^2 - 2 x . total + squares."""

    number: Float64Array
    total: Float64Array
    squares: Float64Array

    def some(self, places: Int64Array) -> Attraction:
        """Of some newcomers."""
        return Attraction(*(part[places] for part in self))

    def push(self, x: Float64Array) -> Float64Array:
        """The sum of x - x_j."""
        return self.number[:, None] * x - self.total

    def stretch(self, x: Float64Array) -> Float64Array:
        """The sum of |x - x_j|^2."""
        return np.asarray(self.number * np.square(x).sum(axis=1) - 2 * (x * self.total).sum(axis=1) + self.squares)


class Outlook(NamedTuple):
    """The objective around newcomers."""

    value: Float64Array
    gradient: Float64Array
    hessian: Float64Array


def attraction_of(links: Links, positions: npt.NDArray[np.floating], counted: BoolArray) -> Attraction:
    """Sums over the counted links of each row."""
    rows = np.repeat(np.arange(len(links.indptr) - 1), np.diff(links.indptr))[counted]
    others, count = positions[links.indices[counted]].astype(np.float64), len(links.indptr) - 1
    squares, ones = np.square(others).sum(axis=1), np.ones(len(rows))
    sums = [np.bincount(rows, column, count).astype(np.float64) for column in (ones, squares, *others.T)]
    return Attraction(sums[0], np.stack(sums[2:], axis=1), sums[1])


def settle(
    view: View,
    newcomers: Newcomers,
    start: Float64Array,
    engine: Engine,
    tell: Callable[[int], None] = lambda done: None,
) -> Float64Array:
    """The position of each newcomer, from a start; `tell` hears how many have settled."""
    positions = np.empty_like(start)
    objective = Objective(view, newcomers, engine)
    with one_blas_thread():
        for low in range(0, len(start), BATCH):
            places = np.arange(low, min(low + BATCH, len(start)))
            positions[places] = _settle_batch(objective, places, start[places])
            tell(int(places[-1]) + 1)
    return positions


class Objective:
    """F and its derivatives at any positions of the newcomers."""

    def __init__(self, view: View, newcomers: Newcomers, engine: Engine) -> None:
        self.view, self.newcomers, self.engine = view, newcomers, engine
        every = np.ones(len(newcomers.links.indices), dtype=bool)
        self.links = attraction_of(newcomers.links, view.positions, every)
        self.uncertain = attraction_of(newcomers.links, view.positions, ~newcomers.certain)

    def __call__(self, places: Int64Array, x: Float64Array) -> Outlook:
        """Around some of the newcomers, at positions x."""
        view, newcomers, size = self.view, self.newcomers, self.view.dimensions
        points = newcomers.points
        here = Points(
            padded(x), points.node[places], points.group[places], np.ascontiguousarray(points.left[:, places])
        )
        seen = room_for(here)
        self.engine.run(look_around, len(places), here, view.scene, view.tables, seen)
        self._forget_itself(places, x, here, seen)
        links = self.links.some(places)
        seen.chance[:] -= links.number
        seen.push[:, :size] -= links.push(x)
        stretch = self.uncertain.some(places).stretch(x)
        value = seen.surprise + view.spread.stiffness / 2 * stretch + view.shrinkage / 2 * np.square(x).sum(axis=1)
        return Outlook(value, *view.surface_from(seen, x))

    def has_a_say(self, places: Int64Array) -> BoolArray:
        """Whether anything says where newcomers belong. Where the prior knows all links, any place is as good."""
        known = (self.uncertain.number[places] == 0) & (self.links.number[places] > 0)
        return np.asarray(~known | (self.view.shrinkage > 0))

    def _forget_itself(self, places: Int64Array, x: Float64Array, here: Points, seen: Around) -> None:
        """Take out what was counted for a newcomer's own place."""
        itself = self.newcomers.itself[places]
        mine = np.flatnonzero(itself >= 0)
        if not len(mine):
            return
        view, size, node = self.view, self.view.dimensions, itself[mine]
        prior, apart = view.scene.prior, x[mine] - view.positions[node]
        known = here.node[mine].astype(np.float64) + prior.node[node] + prior.table[here.group[mine], prior.group[node]]
        known += (here.left[:, mine].astype(np.float64) * prior.right[:, node]).sum(axis=0)
        z = known + view.reach - view.spread.stiffness / 2 * np.square(apart).sum(axis=1)
        p = probability(z)
        seen.surprise[mine] -= np.where(z < SURE, np.logaddexp(0.0, z), 0.0)
        seen.chance[mine] -= p
        seen.push[mine, :size] -= p[:, None] * apart
        seen.bend[mine, :size, :size] -= np.einsum("i,ik,il->ikl", p * (1 - p), apart, apart)


def _settle_batch(objective: Objective, places: Int64Array, start: Float64Array) -> Float64Array:
    """Newton's steps until the last one is short."""
    x, unit = start.copy(), objective.view.spread.stiffness**-0.5
    at, left = objective(places, x), np.flatnonzero(objective.has_a_say(places))
    radius = np.full(len(places), unit)
    for _ in range(MOST_STEPS):
        step = newton_steps(at.gradient[left], at.hessian[left], radius[left])
        short = np.sqrt(np.square(step).sum(axis=1)) < CLOSE * unit
        x[left[short]] += step[short]
        left, step = left[~short], step[~short]
        if not len(left):
            break
        tried = objective(places[left], x[left] + step)
        better = tried.value <= at.value[left] + SLACK * np.abs(at.value[left])
        moved = left[better]
        x[moved] += step[better]
        for part, new in zip(at, tried, strict=True):
            part[moved] = new[better]
        radius[left] *= np.where(better, 2.0, 0.25)
    return x


def newton_steps(gradient: Float64Array, hessian: Float64Array, radius: Float64Array) -> Float64Array:
    """-|H|^-1 g, no longer than the radius; |H| has the absolute values of H's eigenvalues.

    >>> newton_steps(np.array([[2.0, 2.0]]), np.array([[[4.0, 0.0], [0.0, -1.0]]]), np.array([10.0])).tolist()
    [[-0.5, -2.0]]
    """
    values, axes = np.linalg.eigh(hessian)
    bends = np.abs(values)
    bends = np.maximum(bends, LEAST_BEND * bends.max(axis=1, keepdims=True) + 1e-12)
    along = np.einsum("ikl,ik->il", axes, gradient) / bends
    step = -np.einsum("ikl,il->ik", axes, along)
    length = np.sqrt(np.square(step).sum(axis=1))
    return np.asarray(step * np.minimum(1.0, radius / np.maximum(length, 1e-300))[:, None])
