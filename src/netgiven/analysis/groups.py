"""Groups of nodes that are near each other: k-means on the positions, and how many groups the links justify.

A grouping explains links inside groups. With O_g links inside group g where the prior expects E_g, it gains

    bits = sum over groups, and all other pairs as one more, of (O_g log(O_g / E_g) - (O_g - E_g)) / log 2

(numbers of links are Poisson). To write down which group each of n nodes belongs to, and the densities of k groups,
takes

    cost = n log2 k + (k + 1) / 2 log2(links)

The number of groups is the one that gains most beyond its cost; none, if no grouping is worth its cost.
"""

from __future__ import annotations

import warnings
from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from netgiven.columns import node_texts
from netgiven.edges import counted, whole_percent
from netgiven.errors import InputError, is_whole
from netgiven.network import Network
from netgiven.node_index import number_of
from netgiven.notebook import as_html
from netgiven.parallel import single_blas_thread
from netgiven.priors.prior import Prior
from netgiven.priors.unobserved import mask_unobserved
from netgiven.types import Float32Array, Float64Array, Int64Array

if TYPE_CHECKING:
    import pandas as pd

STARTS = 10  # of k-means, whose best result counts; 1 in networks of more than
MANY_NODES = 10_000
SMALLEST = 3  # nodes of a group on average, at least
MOST_GROUPS = 512  # that are tried
PATIENCE = 4  # numbers of groups that may be worse than the best before the search ends
MAX_SEED = 2**32 - 1  # of k-means
TYPICAL = 3  # nodes per group in the table


class Trial(NamedTuple):
    """A number of groups that was tried: the bits that the grouping gains, and what it costs to write it down."""

    groups: int
    bits: float
    cost: float


@dataclass(frozen=True, eq=False)
class Groups:
    """Groups of nodes that are near each other in an embedding, the largest first.

    `Embedding.groups` returns them. Groups are numbered from 0; -1 is the number of nodes in no group.

    Parameters
    ----------
    network
        The network.
    prior
        What links are expected by.
    positions
        Positions of the nodes.
    numbers
        The number of each node's group, in the order of the nodes.
    trials
        The numbers of groups that were tried; one if it was given.

    Examples
    --------
    >>> import netgiven as ng
    >>> found = ng.embed(ng.datasets.company(), given="degrees", dimensions=16).groups()
    >>> found
    5 groups of 240 nodes: 49, 48, 48, 48, 47
    >>> found.table.loc[0, "frequent"]
    'department research 98 % (20 %)'
    """

    network: Network
    prior: Prior
    positions: Float32Array
    numbers: Int64Array
    trials: tuple[Trial, ...]

    @cached_property
    def group(self) -> pd.Series[Any]:
        """The number of each node's group, by name: a column for a table of nodes."""
        import pandas as pd

        return pd.Series(self.numbers, index=self.network.nodes, name="group")

    @cached_property
    def table(self) -> pd.DataFrame:
        """One row per group.

        `group`, `size`; `links` inside the group, those `expected` by the prior, and the `bits` that their number
        adds to it; the most `typical` nodes, which are nearest to its centre; and the most `frequent` values of node
        columns, each with its share in the group and in the network.
        """
        import pandas as pd

        links, expected = links_inside(self.network, self.prior, self.numbers)
        return pd.DataFrame(
            {
                "group": np.arange(len(self)),
                "size": self.sizes,
                "links": links,
                "expected": expected,
                "bits": poisson_bits(links, expected),
                "typical": [", ".join(self.typical_texts(number)) for number in range(len(self))],
                "frequent": [self._frequent_text(number) for number in range(len(self))],
            }
        )

    @property
    def sizes(self) -> Int64Array:
        """Number of nodes of each group."""
        return np.bincount(self.numbers[self.numbers >= 0], minlength=0)

    def nodes(self, number: int) -> list[Hashable]:
        """The names of the nodes of a group.

        Parameters
        ----------
        number
            Of the group.

        Returns
        -------
        list
            Names, in the order of the network's nodes.

        Raises
        ------
        InputError
            If there is no such group.
        """
        return self.network.nodes[self._members(number)].tolist()

    def typical(self, number: int, count: int = TYPICAL) -> list[Hashable]:
        """The nodes nearest to the centre of a group.

        Parameters
        ----------
        number
            Of the group.
        count
            How many nodes.

        Returns
        -------
        list
            Names, the nearest first.

        Raises
        ------
        InputError
            If there is no such group, or `count` is negative.
        """
        return self.network.nodes[self._nearest(number, count)].tolist()

    def typical_texts(self, number: int, count: int = TYPICAL) -> list[str]:
        """What the nodes nearest to the centre of a group are called, to be shown.

        Parameters
        ----------
        number
            Of the group.
        count
            How many nodes.

        Returns
        -------
        list
            Their names; where these are bare numbers, the texts of a node column with a text of its own for nearly
            every node, such as a title.

        Raises
        ------
        InputError
            If there is no such group, or `count` is negative.

        Examples
        --------
        >>> import netgiven as ng
        >>> nodes = {"node": range(6), "title": ["Emma", "Dune", "Ulysses", "Ivanhoe", "Kim", "She"]}
        >>> network = ng.Network.from_edges([(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3)], nodes=nodes)
        >>> found = ng.embed(network, "density", dimensions=2).groups(count=2)
        >>> sorted(found.typical_texts(found[0]))
        ['Dune', 'Emma', 'Ulysses']
        """
        return [self._texts[node] for node in self._nearest(number, count)]

    @cached_property
    def _texts(self) -> list[str]:
        return node_texts(self.network)

    def _nearest(self, number: int, count: int) -> Int64Array:
        """Numbers of the nodes nearest to the centre of a group."""
        members = self._members(number)
        if not is_whole(count):
            raise InputError(f"count = {count} was given; a whole number of at least 0 is needed.")
        places = self.positions[members].astype(np.float64)
        distances = np.square(places - places.mean(axis=0)).sum(axis=1)
        return members[np.argsort(distances, kind="stable")[:count]]

    def _members(self, number: int) -> Int64Array:
        if not is_whole(number) or number >= len(self):
            raise InputError(f"Group {number} was asked for; there are {len(self)}, numbered from 0.")
        return np.flatnonzero(self.numbers == number)

    def _frequent_text(self, number: int) -> str:
        found = frequent_values(self.network, self._members(number), count=2)
        return ", ".join(
            f"{column} {value} {whole_percent(share)} ({whole_percent(overall)})"
            for column, value, share, overall in found
        )

    def __len__(self) -> int:
        return int(self.numbers.max(initial=-1)) + 1

    def __getitem__(self, node: Hashable) -> int:
        return int(self.numbers[number_of(self.network.nodes, node)])

    def __iter__(self) -> Iterator[list[Hashable]]:
        """The nodes of each group."""
        return (self.nodes(number) for number in range(len(self)))

    def __repr__(self) -> str:
        if not len(self):
            return f"No groups of {len(self.network):,} nodes: the links justify none"
        shown = ", ".join(f"{size:,}" for size in self.sizes[:10])
        alone = f"; {counted(int((self.numbers < 0).sum()), 'node')} in none" if (self.numbers < 0).any() else ""
        more = ", ..." if len(self) > 10 else ""
        return f"{counted(len(self), 'group')} of {len(self.network):,} nodes: {shown}{more}{alone}"

    def _repr_html_(self) -> str:
        rows = zip(self.table["group"], self.table["typical"], self.table["frequent"], strict=True)
        return as_html(repr(self), [(str(group), f"{typical}; {frequent}") for group, typical, frequent in rows])


# ---- finding groups --------------------------------------------------------------------------------------------------


def find_groups(
    network: Network, prior: Prior, positions: Float32Array, count: int | None = None, seed: int = 0
) -> Groups:
    """Groups of nodes by k-means on their positions; see `Embedding.groups`. Nodes without links are in no group."""
    linked = np.flatnonzero(network.degrees > 0)
    _check_count(count, len(linked))
    if not is_whole(seed) or seed > MAX_SEED:
        raise InputError(f"seed = {seed} was given; a whole number from 0 to {MAX_SEED} is needed.")
    prior, places = mask_unobserved(prior, network), positions[linked].astype(np.float64)
    numbers, trials = np.full(len(network), -1, dtype=np.int64), []
    best, most = numbers, 0.0
    for tried in [count] if count else _counts(len(linked)):
        found = numbers.copy()
        found[linked] = _largest_first(_k_means(places, tried, seed))
        trials.append(_trial(network, prior, found, tried))
        gained = trials[-1].bits - trials[-1].cost
        if count or gained > most:
            best, most = found, gained
        if _has_ended(trials):
            break
    return Groups(network, prior, positions, best, tuple(trials))


def _check_count(count: int | None, linked: int) -> None:
    if count is None:
        return
    if not is_whole(count, 1):
        raise InputError(f"count = {count} was given; a whole number of at least 1 is needed, or None to choose it.")
    if count > linked:
        raise InputError(f"{count:,} groups were asked for; only {linked:,} nodes have links.")


def _counts(nodes: int) -> Iterator[int]:
    """Numbers of groups to try: 2, 3, 4, ..., and larger steps after 16, as long as groups are not too small."""
    count = 2
    while count <= min(nodes // SMALLEST, MOST_GROUPS):
        yield count
        count += max(count // 8, 1)


def _has_ended(trials: list[Trial]) -> bool:
    """Whether the best number of groups lies far enough behind: by a quarter of it in trials, or by half the groups."""
    best = int(np.argmax([trial.bits - trial.cost for trial in trials]))
    since, most = len(trials) - 1 - best, trials[best].groups
    return since >= PATIENCE and (since >= most // 4 or trials[-1].groups >= 2 * most)


def _k_means(places: Float64Array, count: int, seed: int) -> Int64Array:
    """The cluster of each point, on one thread: sums of several would not always be the same."""
    from sklearn.cluster import KMeans
    from sklearn.exceptions import ConvergenceWarning
    from threadpoolctl import threadpool_limits

    starts = STARTS if len(places) <= MANY_NODES else 1
    with single_blas_thread(), threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # of fewer clusters, where positions are the same
        return np.asarray(KMeans(count, n_init=starts, random_state=seed).fit_predict(places), dtype=np.int64)


def _largest_first(clusters: Int64Array) -> Int64Array:
    """The same clusters, numbered by size.

    >>> _largest_first(np.array([0, 1, 1, 2, 1, 2])).tolist()
    [2, 0, 0, 1, 0, 1]
    """
    order = np.argsort(-np.bincount(clusters), kind="stable")
    return np.argsort(order)[clusters]


def _trial(network: Network, prior: Prior, numbers: Int64Array, count: int) -> Trial:
    links, expected = links_inside(network, prior, numbers)
    rest = max(prior.expected_links() - float(expected.sum()), 0.0)
    bits = poisson_bits(np.append(links, network.link_count - links.sum()), np.append(expected, rest)).sum()
    nodes = np.count_nonzero(numbers >= 0)
    return Trial(count, float(bits), float(nodes * np.log2(count) + (count + 1) / 2 * np.log2(network.link_count)))


# ---- measuring groups ------------------------------------------------------------------------------------------------


def links_inside(network: Network, prior: Prior, numbers: Int64Array) -> tuple[Int64Array, Float64Array]:
    """Number of links inside each group, and the numbers that a prior expects."""
    count = int(numbers.max(initial=-1)) + 1
    first, second = numbers[network.links()].T
    links = np.bincount(first[(first == second) & (first >= 0)], minlength=count)
    expected = [prior.expected_links(network.nodes[numbers == number]) for number in range(count)]
    return links, np.array(expected, dtype=np.float64)


def poisson_bits(links: Int64Array, expected: Float64Array) -> Float64Array:
    """Bits that numbers of links add to the numbers that were expected.

    >>> poisson_bits(np.array([8, 0]), np.array([4.0, 0.0])).round(2).tolist()
    [2.23, 0.0]
    """
    from scipy.special import xlogy

    few = np.maximum(expected, 1e-12)  # links that the prior excludes: a large number of bits, not infinitely many
    return np.asarray((xlogy(links, links / few) - (links - expected)) / np.log(2))


def frequent_values(network: Network, numbers: Int64Array, count: int = 4) -> list[tuple[str, str, float, float]]:
    """Values whose share among some nodes exceeds that in the network most, from columns that hold groups.

    Column, value, share among the nodes, and share in the network, from which it differs by 1.2 times and by two
    standard errors at least.
    """
    found = [entry for column in map(str, network.columns) for entry in _shares(network, column, numbers)]
    return sorted(found, key=lambda entry: entry[3] - entry[2])[:count]


def _shares(network: Network, column: str, numbers: Int64Array) -> list[tuple[str, str, float, float]]:
    codes, values = network.groups(column)
    if not 2 <= len(values) <= max(network.node_count // 2, 2):
        return []
    overall = np.bincount(codes[codes >= 0], minlength=len(values)) / len(codes)
    chosen = codes[numbers]
    inside = np.bincount(chosen[chosen >= 0], minlength=len(values)) / max(len(numbers), 1)
    error = np.sqrt(overall * (1 - overall) / max(len(numbers), 1))
    frequent = np.flatnonzero(inside > np.maximum(1.2 * overall, overall + 2 * error))
    return [(column, str(values[code]), float(inside[code]), float(overall[code])) for code in frequent]
