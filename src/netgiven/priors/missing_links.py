"""Expected degrees where links are missing at random: an observed degree is a sample.

Let each link of a network be observed with the same chance p, independently. A node with n links shows k of them with
the binomial probability B(k; n, p), and (k + 1) B(k + 1; n, p) = p / (1 - p) (n - k) B(k; n, p). Summed over all nodes,
whatever their true degrees are, with N_k nodes of observed degree k:

    mean number of missing links of a node with k observed ones  =  (1 - p) / p  (k + 1) N_(k+1) / N_k

This is the formula of Good and Turing. It needs no model of the degrees, and the unknown p is the same factor for all
nodes. The estimates add up to the observed degrees. A node without an observed link is expected to have some missing
ones, and in a network of many leaves even more than a node with one.

Counts N_k are noisy where nodes are few. So degrees that follow each other are put into bins of enough nodes, and the
estimate of a bin is divided over its nodes in proportion to k + 1/2.
"""

from __future__ import annotations

import numpy as np

from netgiven.types import Float64Array, Int64Array

NODES_PER_BIN = 30
MISSING_ODDS = 0.1  # where missing links can be more than a tenth of the observed ones, they may be missing at random


def expected_degrees(degree: Int64Array, size: Int64Array, pool: Int64Array) -> Float64Array:
    """Return the expected degree of each class of nodes, in proportion to its expected number of missing links.

    Parameters
    ----------
    degree, size, pool
        Degree of each class, its number of nodes, and its pool: only nodes of the same pool are compared, and the sum
        of their degrees is kept.

    Returns
    -------
    ndarray
        One number per class.

    Examples
    --------
    >>> degree, size = np.array([0, 1, 2, 3]), np.array([100, 200, 50, 40])
    >>> expected_degrees(degree, size, np.zeros(4, dtype=np.int64)).round(2).tolist()
    [2.0, 0.5, 2.4, 0.0]
    """
    expected = np.zeros(len(degree))
    for one in np.unique(pool):
        members = np.flatnonzero(pool == one)
        distinct, of = np.unique(degree[members], return_inverse=True)
        nodes = np.bincount(of, size[members])
        expected[members] = _expected_in_pool(distinct, nodes.astype(np.float64))[of]
    return expected


def _expected_in_pool(degree: Int64Array, nodes: Float64Array) -> Float64Array:
    """Return the estimate for each of some distinct, increasing degrees."""
    bins = _bins(nodes)
    # the nodes of degree d speak of those of degree d - 1, whether or not there are any
    below = np.where(np.diff(degree, prepend=-1) == 1, np.roll(bins, 1), bins)
    links = degree * nodes
    counted = links if degree[0] == 0 else np.where(degree == 1, 0.0, links)  # who has no link is not listed
    count = int(bins[-1]) + 1
    weight = (degree + 0.5) * nodes
    share = np.bincount(below, counted, count) / np.bincount(bins, weight, count)
    expected = np.asarray((degree + 0.5) * share[bins])
    total = float(expected @ nodes)
    return expected * (links.sum() / total) if total else degree.astype(np.float64)


def _bins(nodes: Float64Array) -> Int64Array:
    """Return the bin of each degree: a bin is closed when it has enough nodes, and enough are left for another."""
    bins, held, left = np.zeros(len(nodes), dtype=np.int64), 0.0, float(nodes.sum())
    for index, count in enumerate(nodes[:-1]):
        held, left = held + count, left - count
        closed = held >= NODES_PER_BIN and left >= NODES_PER_BIN
        bins[index + 1] = bins[index] + closed
        held = 0.0 if closed else held
    return bins


def may_miss_links(degrees: Int64Array) -> bool:
    """Return whether links of a network may be missing at random, by the number of nodes without a link.

    Of nodes without a link, the mean number H of missing ones is (1 - p) / p N_1 / N_0, and the mean of H (H - 1) is
    ((1 - p) / p)^2 2 N_2 / N_0. As the mean of H^2 is not less than the square of the mean, (1 - p) / p is at most
    1 / (N_1 / N_0 - 2 N_2 / N_1). A network in which hardly a node is without links, but many have one, cannot have
    lost many at random.

    Examples
    --------
    >>> may_miss_links(np.repeat([0, 1, 2, 3], [0, 200, 50, 40]))
    False
    >>> may_miss_links(np.repeat([0, 1, 2, 3], [100, 200, 50, 40]))
    True
    """
    none, one, two = np.bincount(degrees, minlength=3)[:3].astype(np.float64)
    if not none:
        return False
    return bool(one == 0 or MISSING_ODDS * (one / none - 2 * two / one) <= 1)
