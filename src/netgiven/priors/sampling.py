"""Links drawn from a prior."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np

from netgiven.model import probability
from netgiven.priors.classes import Classes
from netgiven.types import Float64Array, Int64Array

MOST_CLASSES = 3_000  # above, pairs are drawn one by one
ROWS = 1_000_000  # pairs looked at together

LogOdds = Callable[[Int64Array, Int64Array], Float64Array]


def draw_by_cells(classes: Classes, log_odds: LogOdds, random: np.random.Generator) -> Int64Array:
    """A binomial number of links for each pair of classes, at random places in it."""
    first, second = classes.cells
    some = classes.representative
    counts = random.binomial(classes.pairs, probability(log_odds(some[first], some[second])))
    order = np.argsort(classes.of, kind="stable")
    members = [order[begin:end] for begin, end in pairwise(np.concatenate([[0], np.cumsum(classes.size)]))]
    links = [
        _draw_pairs(random, int(counts[cell]), members[first[cell]], members[second[cell]], first[cell] == second[cell])
        for cell in np.flatnonzero(counts)
    ]
    return np.concatenate(links) if links else np.empty((0, 2), dtype=np.int64)


def _draw_pairs(
    random: np.random.Generator, count: int, ours: Int64Array, theirs: Int64Array, inside: bool
) -> Int64Array:
    """`count` distinct pairs of nodes between two classes, or inside one."""
    if not inside:
        places = random.choice(len(ours) * len(theirs), count, replace=False)
        return np.column_stack([ours[places // len(theirs)], theirs[places % len(theirs)]])
    places = random.choice(len(ours) * (len(ours) - 1) // 2, count, replace=False)
    high = ((1 + np.sqrt(1 + 8 * places.astype(np.float64))) // 2).astype(np.int64)
    high += (high * (high + 1) // 2 <= places).astype(np.int64) - (high * (high - 1) // 2 > places)
    return np.column_stack([ours[places - high * (high - 1) // 2], ours[high]])


def draw_one_by_one(count: int, log_odds: LogOdds, random: np.random.Generator) -> Int64Array:
    """Each pair of `count` nodes on its own: n^2 time."""
    step = max(1, ROWS // max(count, 1))
    links = [np.empty((0, 2), dtype=np.int64)]
    for begin in range(0, count, step):
        rows, columns = np.meshgrid(np.arange(begin, min(begin + step, count)), np.arange(count), indexing="ij")
        above = columns > rows
        first, second = rows[above], columns[above]
        drawn = random.random(len(first)) < probability(log_odds(first, second))
        links.append(np.column_stack([first[drawn], second[drawn]]))
    return np.concatenate(links)
