"""Networks drawn at random: a company, viewers and films, and communities of any size with true probabilities."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd

from netgiven.errors import InputError, is_whole
from netgiven.kernels.arrays import distinct
from netgiven.network import Network

DEPARTMENTS = ("design", "finance", "production", "research", "sales")
PROJECTS = ("amber", "birch", "coral", "delta")
GENRES = ("comedy", "crime", "documentary", "drama", "fantasy", "romance")

TAIL = 2.2  # of the activities' Pareto distribution: few nodes have hundreds of times the links of the others
EVENNESS = 10  # the larger, the more equal are the sizes of communities

Doubles = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]


def company(people: int = 240, seed: int = 0) -> Network:
    """Draw a company: people belong to a department and to a project, and know people from both.

    The departments are known already, and are what an embedding of the network alone shows. The project teams, which
    cut across them, become visible once departments and degrees are given: the paper's introductory example.

    Two people know each other with probability `activity_i activity_j (2 % + 36 % same department + 24 % same
    project)`, at most 95 %. Activity is uneven (log-normal), and so are degrees.

    Parameters
    ----------
    people
        The number of nodes, at least 2.
    seed
        Of the random numbers.

    Returns
    -------
    Network
        With the node columns `department` and `project`.

    Raises
    ------
    InputError
        If there are fewer than 2 people.

    Examples
    --------
    >>> company()
    Network: 240 nodes, 4,110 links, columns department, project
    """
    if not is_whole(people, 2):
        raise InputError(f"A company of {people} people was requested; it needs at least 2.")
    random = np.random.default_rng(seed)
    department = random.permutation(np.arange(people) % len(DEPARTMENTS))
    project = random.permutation(np.arange(people) % len(PROJECTS))
    activity = np.exp(random.normal(-0.125, 0.5, people))
    first, second = np.triu_indices(people, 1)
    familiar = 0.02 + 0.36 * (department[first] == department[second]) + 0.24 * (project[first] == project[second])
    linked = random.random(len(first)) < np.minimum(activity[first] * activity[second] * familiar, 0.95)
    names = np.array([f"person {number + 1:03d}" for number in range(people)])
    nodes = {"person": names, "department": np.take(DEPARTMENTS, department), "project": np.take(PROJECTS, project)}
    pairs = pd.DataFrame({"source": names[first[linked]], "target": names[second[linked]]})
    return Network.from_edges(pairs, nodes=nodes)


def cinema(viewers: int = 400, films: int = 200, seed: int = 0) -> Network:
    """Draw viewers and the films that they have seen, a two-mode network.

    Each film has a genre, and each viewer a favourite one, which is not part of the network. A viewer has seen a film
    with probability `activity popularity (3 % + 30 % favourite genre)`, at most 95 %. Activity is uneven (log-normal),
    and popularity heavy-tailed (Pareto): few films have been seen by most.

    Parameters
    ----------
    viewers, films
        How many, at least 1 each.
    seed
        Of the random numbers.

    Returns
    -------
    Network
        With the node columns `side`, which is viewer or film, and `genre`, which only films have.

    Raises
    ------
    InputError
        If there is no viewer or no film.

    Examples
    --------
    >>> cinema()
    Network: 600 nodes, 5,243 links, columns side, genre
    """
    if not is_whole(viewers, 1) or not is_whole(films, 1):
        raise InputError(f"{viewers} viewers and {films} films were requested; at least 1 of each is needed.")
    random = np.random.default_rng(seed)
    favourite, genre = (random.integers(len(GENRES), size=size) for size in (viewers, films))
    activity, popularity = np.exp(random.normal(-0.3, 0.8, viewers)), 0.5 * (1 + random.pareto(TAIL, films))
    seen = np.outer(activity, popularity) * (0.03 + 0.3 * (favourite[:, None] == genre))
    viewer, film = np.nonzero(random.random((viewers, films)) < np.minimum(seen, 0.95))
    people, titles = _numbered("viewer", viewers), _numbered("film", films)
    nodes = {
        "node": np.concatenate([people, titles]),
        "side": np.repeat(["viewer", "film"], [viewers, films]),
        "genre": [None] * viewers + np.take(GENRES, genre).tolist(),
    }
    return Network.from_edges(pd.DataFrame({"viewer": people[viewer], "film": titles[film]}), nodes=nodes)


def _numbered(kind: str, count: int) -> npt.NDArray[np.str_]:
    """Return names of equal length.

    >>> _numbered("film", 10)[[0, 9]].tolist()
    ['film 01', 'film 10']
    """
    return np.array([f"{kind} {number + 1:0{len(str(count))}d}" for number in range(count)])


@dataclass(frozen=True, eq=False)
class Planted:
    """A network drawn by `planted`, and the parameters that it was drawn from."""

    network: Network
    community: Integers
    activity: Doubles
    expected_links: float
    inside: float

    def probability(self, first: npt.ArrayLike, second: npt.ArrayLike) -> Doubles:
        """Return the probability with which pairs of node numbers were linked: 1 - exp(-expected links).

        Parameters
        ----------
        first, second
            Node numbers.

        Returns
        -------
        ndarray
            One probability per pair.

        Examples
        --------
        >>> planted(100, 500).probability([0, 1], [2, 3]).shape
        (2,)
        """
        first, second = np.asarray(first), np.asarray(second)
        total, own = self.activity.sum(), np.bincount(self.community, self.activity)
        together = self.community[first] == self.community[second]
        share = (1 - self.inside) / total + self.inside * together / own[self.community[second]]
        expected = 2 * self.expected_links * self.activity[first] * self.activity[second] / total * share
        return np.asarray(-np.expm1(-expected))


def planted(nodes: int, links: int, communities: int = 20, inside: float = 0.9, seed: int = 0) -> Planted:
    """Draw a degree-corrected network with planted communities, in time that grows with the links, not the pairs.

    About `links` links are drawn. One end is drawn in proportion to the nodes' activities, which are Pareto
    distributed; the other too, from the same community for a share `inside` of the links, from all nodes for the rest.
    Links drawn twice are merged and those from a node to itself dropped, so the network has a few less.

    Parameters
    ----------
    nodes, links, communities
        How many.
    inside
        The share of links that are drawn inside communities.
    seed
        Of the random numbers.

    Returns
    -------
    Planted
        The `network` (with the node column `community`), and the true probabilities.

    Raises
    ------
    InputError
        If the numbers are impossible.

    Examples
    --------
    >>> drawn = planted(1_000, 5_000, communities=10)
    >>> drawn.network
    Network: 1,000 nodes, 4,349 links, columns community
    """
    _check_planted(nodes, links, communities, inside)
    random = np.random.default_rng(seed)
    sizes = 1 / (np.arange(communities) + EVENNESS)
    community = random.choice(communities, nodes, p=sizes / sizes.sum())
    activity = 1 + random.pareto(TAIL, nodes)
    ends = _distinct(_draw(random, int(random.poisson(links)), community, activity, inside), nodes)
    network = Network.from_edges(ends, nodes={"node": np.arange(nodes), "community": community})
    return Planted(network, community, activity, links, inside)


def _draw(
    random: np.random.Generator, links: int, community: Integers, activity: Doubles, inside: float
) -> npt.NDArray[np.int64]:
    """Draw both ends of each link, one row per link."""
    order = np.argsort(community, kind="stable")  # the activities of a community are adjacent on one line
    marks = np.concatenate([[0.0], np.cumsum(activity[order])])
    bounds = marks[np.searchsorted(community[order], np.arange(community.max() + 2))]
    first = _at(marks, random.random(links) * marks[-1])
    own, stays = community[order[first]], random.random(links) < inside
    low, high = np.where(stays, bounds[own], 0.0), np.where(stays, bounds[own + 1], marks[-1])
    second = _at(marks, low + random.random(links) * (high - low))
    return order[np.column_stack([first, second])]


def _distinct(ends: npt.NDArray[np.int64], nodes: int) -> npt.NDArray[np.int64]:
    """Return each link once, without those of a node with itself: what was drawn twice is one link."""
    low, high = ends.min(axis=1), ends.max(axis=1)
    keys = distinct((low * nodes + high)[low < high])
    return np.column_stack(np.divmod(keys, nodes))


def _at(marks: Doubles, points: Doubles) -> Integers:
    """Return the interval of the line that each point lies in."""
    return np.clip(np.searchsorted(marks, points, side="right") - 1, 0, len(marks) - 2)


def _check_planted(nodes: int, links: int, communities: int, inside: float) -> None:
    if nodes < 2 or links < 1:
        raise InputError(f"{nodes} nodes and {links} links were requested; at least 2 nodes and 1 link are needed.")
    if not 1 <= communities <= nodes:
        raise InputError(f"{communities} communities were requested; 1 to {nodes:,}, one per node, are possible.")
    if not 0 <= inside <= 1:
        raise InputError(f"A share of {inside} of links inside communities was given; it is between 0 and 1.")
