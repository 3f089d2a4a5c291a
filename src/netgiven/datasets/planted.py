"""Networks of any size with communities and uneven degrees, of which the true probabilities are known."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from netgiven.errors import InputError
from netgiven.network import Network

TAIL = 2.2  # of the activities' Pareto distribution: few nodes have hundreds of times the links of the others
EVEN = 10  # the larger, the more alike are the sizes of communities

Doubles = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Planted:
    """A network that was drawn, and what it was drawn from."""

    network: Network
    community: Integers
    activity: Doubles
    expected_links: float
    inside: float

    def probability(self, first: npt.ArrayLike, second: npt.ArrayLike) -> Doubles:
        """The probability with which pairs of node numbers were linked: 1 - exp(-rate)."""
        first, second = np.asarray(first), np.asarray(second)
        total, own = self.activity.sum(), np.bincount(self.community, self.activity)
        together = self.community[first] == self.community[second]
        share = (1 - self.inside) / total + self.inside * together / own[self.community[second]]
        rate = 2 * self.expected_links * self.activity[first] * self.activity[second] / total * share
        return np.asarray(-np.expm1(-rate))


def planted(nodes: int, links: int, communities: int = 20, inside: float = 0.9, seed: int = 0) -> Planted:
    """A degree-corrected network with planted communities, drawn in time that grows with the links, not the pairs.

    About `links` links are drawn. One end is drawn in proportion to the nodes' activities, which are Pareto
    distributed; the other too, from the same community for a share `inside` of the links, from all nodes for the rest.
    Links drawn twice are merged and those from a node to itself dropped, so the network has a few less.

    >>> drawn = planted(1_000, 5_000, communities=10)
    >>> drawn.network
    Network: 1,000 nodes, 4,349 links, columns community
    """
    _check(nodes, links, communities, inside)
    random = np.random.default_rng(seed)
    sizes = 1 / (np.arange(communities) + EVEN)
    community = random.choice(communities, nodes, p=sizes / sizes.sum())
    activity = 1 + random.pareto(TAIL, nodes)
    ends = _draw(random, int(random.poisson(links)), community, activity, inside)
    network = Network.from_edges(ends, nodes={"node": np.arange(nodes), "community": community})
    return Planted(network, community, activity, links, inside)


def _draw(
    random: np.random.Generator, links: int, community: Integers, activity: Doubles, inside: float
) -> npt.NDArray[np.int64]:
    """Both ends of each link, one row a link."""
    order = np.argsort(community, kind="stable")  # the activities of a community are neighbours on one line
    marks = np.concatenate([[0.0], np.cumsum(activity[order])])
    bounds = marks[np.searchsorted(community[order], np.arange(community.max() + 2))]
    first = _at(marks, random.random(links) * marks[-1])
    own, stays = community[order[first]], random.random(links) < inside
    low, high = np.where(stays, bounds[own], 0.0), np.where(stays, bounds[own + 1], marks[-1])
    second = _at(marks, low + random.random(links) * (high - low))
    return order[np.column_stack([first, second])]


def _at(marks: Doubles, where: Doubles) -> Integers:
    """Which stretch of the line a mark falls on."""
    return np.clip(np.searchsorted(marks, where, side="right") - 1, 0, len(marks) - 2)


def _check(nodes: int, links: int, communities: int, inside: float) -> None:
    if nodes < 2 or links < 1:
        raise InputError(f"{nodes} nodes and {links} links were asked for; at least 2 nodes and 1 link are needed.")
    if not 1 <= communities <= nodes:
        raise InputError(f"{communities} communities were asked for; 1 to {nodes:,}, one a node, are possible.")
    if not 0 <= inside <= 1:
        raise InputError(f"A share of {inside} of links inside communities was given; it is between 0 and 1.")
