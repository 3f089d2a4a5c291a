"""The numbers of a node, a pair, a group and the whole, as the page shows them: computed by the Python API."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from netgiven.analysis.explain import explain
from netgiven.analysis.intervals import intervals
from netgiven.embedding import Embedding
from netgiven.errors import InputError
from netgiven.model import probability
from netgiven.network import Network
from netgiven.types import BoolArray, Int32Array, Int64Array

LIKELIEST, NEIGHBOURS, REASONS = 10, 50, 3  # rows of a table
LEVEL = 0.9  # of intervals
ALL_PAIRS, DRAWN_PAIRS = 5_000_000, 1_000_000  # of a group: all are added up, or so many of them drawn
PAIRS_AT_ONCE = 1_000_000
FEW_NODES = 30_000  # up to here all pairs of the network are looked at without being asked


# ---- a node --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class NodeTable:
    """A node, what it should be linked to, and what it is linked to."""

    number: int
    degree: int
    expected_degree: float
    values: dict[str, str]
    likely: pd.DataFrame
    neighbours: pd.DataFrame


def node_table(embedding: Embedding, number: int) -> NodeTable:
    """What the embedding says of one node."""
    network = embedding.network
    name = network.nodes[number]
    return NodeTable(
        number=number,
        degree=int(network.degrees[number]),
        expected_degree=float(embedding.prior.expected_degrees[number]),
        values={str(column): _shown(network.columns[column].iloc[number]) for column in network.columns},
        likely=numbered(network, embedding.likely_links(name, LIKELIEST)),
        neighbours=sorted_pairs(embedding, number, row_of(network, number).astype(np.int64)),
    )


def sorted_pairs(embedding: Embedding, number: int, others: Int64Array) -> pd.DataFrame:
    """A node with each of the nodes that it is linked to, likeliest first."""
    table = pair_table(embedding, np.full(len(others), number), others)
    return table.sort_values("probability", ascending=False, kind="stable").head(NEIGHBOURS)


def pair_table(embedding: Embedding, first: Int64Array, second: Int64Array) -> pd.DataFrame:
    """Probability, prior and lift of pairs of node numbers, told by the second of them."""
    chance = probability(embedding.log_odds_of(first, second))
    before = probability(embedding.prior.log_odds_of(first, second))
    told = {"number": second, "node": embedding.nodes[second], "probability": chance, "prior": before}
    return pd.DataFrame({**told, "lift": chance / np.where(before > 0, before, np.nan)})


def numbered(network: Network, table: pd.DataFrame) -> pd.DataFrame:
    """A table of nodes, with their numbers."""
    return table.assign(number=_numbers_of(network, table["node"]))


def _shown(value: Any) -> str:
    return "no value" if pd.isna(value) else str(value)


# ---- a pair --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class PairTable:
    """From the prior to the posterior: log-odds add up."""

    first: int
    second: int
    linked: bool
    known: bool  # whether they are linked
    common_neighbours: int
    distance: float
    prior: float
    probability: float
    prior_log_odds: float
    gain: float
    log_odds: float
    interval: tuple[float, float] | None  # between what the probability lies
    reasons: pd.DataFrame  # links that raise the probability most

    @property
    def lift(self) -> float:
        """How many times likelier than by the prior."""
        return self.probability / self.prior if self.prior > 0 else float("nan")


def pair_of(embedding: Embedding, first: int, second: int) -> PairTable:
    """What the embedding says of two nodes."""
    network, one, other = embedding.network, np.array([first]), np.array([second])
    known, told = embedding.prior.log_odds_of(one, other)[0], embedding.log_odds_of(one, other)[0]
    difference = embedding.positions[first].astype(np.float64) - embedding.positions[second]
    distance = float(np.linalg.norm(difference))
    return PairTable(
        first=first,
        second=second,
        linked=bool(network.are_linked(one, other)[0]),
        known=bool(network.are_known(one, other)[0]),
        common_neighbours=len(np.intersect1d(row_of(network, first), row_of(network, second))),
        distance=distance,
        prior=float(probability(known)),
        probability=float(probability(told)),
        prior_log_odds=float(known),
        gain=embedding.reach - 0.5 * embedding.spread.stiffness * distance**2,
        log_odds=float(told),
        interval=_interval(embedding, one, other),
        reasons=_reasons(embedding, first, second),
    )


def _interval(embedding: Embedding, first: Int64Array, second: Int64Array) -> tuple[float, float] | None:
    """None where the prior is certain: there is nothing to be unsure of."""
    if np.isinf(embedding.prior.log_odds_of(first, second)[0]):
        return None
    found = intervals(embedding.view, first, second, LEVEL)
    return float(found.low[0]), float(found.high[0])


def _reasons(embedding: Embedding, first: int, second: int) -> pd.DataFrame:
    """None where the positions were found with a prior that cannot be had again: the rest of the card still stands."""
    try:
        found = embedding.found
    except InputError:
        return pd.DataFrame(columns=["node", "linked_to", "effect"])
    table = explain(embedding.view, first, second, found).table(REASONS)
    return table[table["effect"] > 0]


def row_of(network: Network, number: int) -> Int32Array:
    """The numbers of the nodes that a node is linked to."""
    return network.indices[network.indptr[number] : network.indptr[number + 1]]


# ---- a group -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Expected:
    """Links between some pairs: how many there are, and how many the prior and the posterior expect.

    `error` is the standard error of the last number; 0 where all pairs were added up.
    """

    pairs: int
    links: int
    by_prior: float
    by_posterior: float
    error: float

    @property
    def density(self) -> float:
        """Links a pair."""
        return self.links / self.pairs if self.pairs else float("nan")


@dataclass(frozen=True)
class GroupTable:
    """Some nodes: their links inside and to the rest, and which values they have more often than others."""

    numbers: Int64Array
    inside: Expected
    outside: Expected
    makeup: list[tuple[str, str, float, float]]  # column, value, share inside, share in the whole network


def group_table(embedding: Embedding, numbers: Int64Array) -> GroupTable:
    """What the embedding says of a group of nodes."""
    network = embedding.network
    chosen = np.zeros(network.node_count, dtype=bool)
    chosen[numbers] = True
    rest = np.flatnonzero(~chosen)
    inside, across = _links(network, chosen)
    names, others = embedding.nodes[numbers], embedding.nodes[rest]
    return GroupTable(
        numbers=numbers,
        inside=_expected(embedding, numbers, None, inside, embedding.prior.expected_links(names)),
        outside=_expected(embedding, numbers, rest, across, embedding.prior.expected_links(names, others)),
        makeup=_makeup(network, numbers),
    )


def _links(network: Network, chosen: BoolArray) -> tuple[int, int]:
    """Number of links inside a group, and from it to the rest."""
    first, second = network.links().T
    ends = chosen[first].astype(int) + chosen[second]
    return int((ends == 2).sum()), int((ends == 1).sum())


def _expected(embedding: Embedding, numbers: Int64Array, rest: Int64Array | None, links: int, prior: float) -> Expected:
    size = len(numbers)
    pairs = size * (size - 1) // 2 if rest is None else size * len(rest)
    posterior, error = _posterior_links(embedding, numbers, rest, pairs)
    return Expected(pairs, links, prior, posterior, error)


def _posterior_links(
    embedding: Embedding, numbers: Int64Array, rest: Int64Array | None, pairs: int
) -> tuple[float, float]:
    """The sum of probabilities of all pairs, or its estimate from some of them and the standard error."""
    if not pairs:
        return 0.0, 0.0
    if pairs <= ALL_PAIRS:
        return _sum_of_all(embedding, numbers, rest), 0.0
    random = np.random.default_rng(0)
    first = random.choice(numbers, DRAWN_PAIRS)
    second = random.choice(numbers if rest is None else rest, DRAWN_PAIRS)
    apart = first != second
    chance = probability(embedding.log_odds_of(first[apart], second[apart]))
    return float(chance.mean() * pairs), float(chance.std() / np.sqrt(len(chance)) * pairs)


def _sum_of_all(embedding: Embedding, numbers: Int64Array, rest: Int64Array | None) -> float:
    """A million pairs at a time; inside a group each pair comes twice."""
    others = numbers if rest is None else rest
    step, total = max(PAIRS_AT_ONCE // len(others), 1), 0.0
    for begin in range(0, len(numbers), step):
        rows = numbers[begin : begin + step]
        first, second = np.repeat(rows, len(others)), np.tile(others, len(rows))
        chance = probability(embedding.log_odds_of(first, second))
        total += float(chance[first != second].sum())
    return total / 2 if rest is None else total


def _makeup(network: Network, numbers: Int64Array, most: int = 4) -> list[tuple[str, str, float, float]]:
    """The values that this group has more often than the network, most striking first; columns of groups only."""
    found = [entry for column in map(str, network.columns) for entry in _shares(network, column, numbers)]
    return sorted(found, key=lambda entry: entry[3] - entry[2])[:most]


def _shares(network: Network, column: str, numbers: Int64Array) -> list[tuple[str, str, float, float]]:
    codes, values = network.groups(column)
    if not 2 <= len(values) <= max(network.node_count // 2, 2):
        return []
    whole = np.bincount(codes[codes >= 0], minlength=len(values)) / len(codes)
    here = codes[numbers]
    part = np.bincount(here[here >= 0], minlength=len(values)) / max(len(numbers), 1)
    often = np.flatnonzero(part > 1.2 * whole)
    return [(column, str(values[code]), float(part[code]), float(whole[code])) for code in often]


# ---- the whole -----------------------------------------------------------------------------------------------------


def likeliest_links(embedding: Embedding, count: int, threads: int | None = None) -> pd.DataFrame:
    """The likeliest missing links of the whole network, with the numbers of their nodes."""
    return numbered_pairs(embedding.network, embedding.likely_links(count=count, threads=threads))


def numbered_pairs(network: Network, table: pd.DataFrame) -> pd.DataFrame:
    """A table of pairs, with the numbers of their nodes."""
    return table.assign(u_number=_numbers_of(network, table["u"]), v_number=_numbers_of(network, table["v"]))


def _numbers_of(network: Network, names: pd.Series[Any]) -> Int64Array:
    return network.numbers(names) if len(names) else np.empty(0, dtype=np.int64)
