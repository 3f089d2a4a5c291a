"""The numbers that the page shows of a node, a pair, a group, the network and a new node."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pandas as pd

from netgiven.analysis.active_learning import Strategy
from netgiven.analysis.explain import explain
from netgiven.analysis.groups import frequent_values
from netgiven.analysis.intervals import intervals
from netgiven.analysis.surprise import pair_surprise
from netgiven.columns import is_scale
from netgiven.embedding import MAX_UNOBSERVED_POOL, Embedding
from netgiven.errors import InputError
from netgiven.model import probability
from netgiven.network import Network
from netgiven.priors.extend import extendable_constraints
from netgiven.tasks.fairness import MAX_GROUPS
from netgiven.types import BoolArray, Float32Array, Float64Array, Int32Array, Int64Array

LIKELIEST, NEIGHBOURS, REASONS = 10, 50, 3  # rows of a table
LEVEL = 0.9  # of intervals
MAX_PAIRS_EXACT, SAMPLED_PAIRS = 5_000_000, 1_000_000  # of a group: beyond the first number, a sample is used
BATCH = 1_000_000  # pairs at a time
MAX_NODES_UNREQUESTED = 30_000  # in larger networks, all pairs are searched only on request


# ---- a node --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class NodeTable:
    """A node with its likeliest missing links and its neighbours."""

    number: int
    degree: int
    expected_degree: float
    values: dict[str, str]
    likely: pd.DataFrame
    neighbours: pd.DataFrame


def node_table(embedding: Embedding, number: int) -> NodeTable:
    """Numbers of one node."""
    network = embedding.network
    name = network.nodes[number]
    return NodeTable(
        number=number,
        degree=int(network.degrees[number]),
        expected_degree=float(embedding.prior.expected_degrees[number]),
        values={str(column): _value_text(network.columns[column].iloc[number]) for column in network.columns},
        likely=numbered(network, embedding.likely_links(name, LIKELIEST)),
        neighbours=likeliest_first(embedding, number, neighbours_of(network, number).astype(np.int64)),
    )


def likeliest_first(embedding: Embedding, number: int, others: Int64Array) -> pd.DataFrame:
    """Probabilities of a node with others, the largest first; at most `NEIGHBOURS` rows."""
    table = probability_rows(embedding, np.full(len(others), number), others)
    return table.sort_values("probability", ascending=False, kind="stable").head(NEIGHBOURS)


def probability_rows(embedding: Embedding, first: Int64Array, second: Int64Array) -> pd.DataFrame:
    """Probability, prior and lift of pairs of node numbers; `node` and `number` are those of the second node."""
    posterior = probability(embedding.log_odds_of(first, second))
    prior = probability(embedding.prior.log_odds_of(first, second))
    return pd.DataFrame(
        {
            "number": second,
            "node": embedding.nodes[second],
            "probability": posterior,
            "prior": prior,
            "lift": posterior / np.where(prior > 0, prior, np.nan),
        }
    )


def numbered(network: Network, table: pd.DataFrame) -> pd.DataFrame:
    """A table of nodes with a column of their numbers."""
    return table.assign(number=_numbers_of(network, table["node"]))


def _value_text(value: Any) -> str:
    return "no value" if pd.isna(value) else str(value)


# ---- a pair --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class PairTable:
    """Two nodes: prior and posterior, log-odds = prior log-odds + gain, an interval and reasons."""

    first: int
    second: int
    linked: bool
    observed: bool
    common_neighbours: int
    distance: float
    prior: float
    probability: float
    prior_log_odds: float
    gain: float
    log_odds: float
    interval: tuple[float, float] | None  # of the probability, at `LEVEL`; None if the prior is certain
    reasons: pd.DataFrame  # the links that raise the probability most

    @property
    def lift(self) -> float:
        """Probability divided by the prior."""
        return self.probability / self.prior if self.prior > 0 else float("nan")


def pair_table(embedding: Embedding, first: int, second: int) -> PairTable:
    """Numbers of two nodes."""
    network, one, other = embedding.network, np.array([first]), np.array([second])
    prior, posterior = embedding.prior.log_odds_of(one, other)[0], embedding.log_odds_of(one, other)[0]
    near = embedding.positions[:, : embedding.dimensions - embedding.repelling].astype(np.float64)
    distance = float(np.linalg.norm(near[first] - near[second]))
    return PairTable(
        first=first,
        second=second,
        linked=bool(network.are_linked(one, other)[0]),
        observed=bool(network.are_observed(one, other)[0]),
        common_neighbours=len(np.intersect1d(neighbours_of(network, first), neighbours_of(network, second))),
        distance=distance,
        prior=float(probability(prior)),
        probability=float(probability(posterior)),
        prior_log_odds=float(prior),
        gain=embedding.reach - 0.5 * embedding.spread.stiffness * float(embedding.objective.separations(first, second)),
        log_odds=float(posterior),
        interval=_interval(embedding, one, other),
        reasons=_reasons(embedding, first, second),
    )


def _interval(embedding: Embedding, first: Int64Array, second: Int64Array) -> tuple[float, float] | None:
    """The interval of the probability; None if the prior is certain."""
    if np.isinf(embedding.prior.log_odds_of(first, second)[0]):
        return None
    found = intervals(embedding.objective, first, second, LEVEL, embedding.training_objective)
    return float(found.low[0]), float(found.high[0])


def _reasons(embedding: Embedding, first: int, second: int) -> pd.DataFrame:
    """The links that raise the probability most."""
    table = explain(embedding.objective, first, second, embedding.training_objective).table(REASONS)
    return table[table["effect"] > 0]


def neighbours_of(network: Network, number: int) -> Int32Array:
    """Numbers of the nodes that a node is linked to."""
    return network.indices[network.indptr[number] : network.indptr[number + 1]]


# ---- a group -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Expected:
    """Number of links among some pairs, and the numbers that prior and posterior expect.

    `error` is the standard error of `by_posterior`; 0 if it is exact.
    """

    pairs: int
    links: int
    by_prior: float
    by_posterior: float
    error: float

    @property
    def density(self) -> float:
        """Links per pair."""
        return self.links / self.pairs if self.pairs else float("nan")


@dataclass(frozen=True)
class GroupTable:
    """A group of nodes: links inside and to the rest, and values that are more frequent in it than overall."""

    numbers: Int64Array
    inside: Expected
    outside: Expected
    frequent_values: list[tuple[str, str, float, float]]  # column, value, share inside, share in the network


def group_table(embedding: Embedding, numbers: Int64Array) -> GroupTable:
    """Numbers of a group of nodes."""
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
        frequent_values=frequent_values(network, numbers),
    )


def _links(network: Network, chosen: BoolArray) -> tuple[int, int]:
    """Number of links inside a group, and between it and the rest."""
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
    """Sum of the probabilities of all pairs, exact or estimated from a sample, and its standard error."""
    if not pairs:
        return 0.0, 0.0
    if pairs <= MAX_PAIRS_EXACT:
        return _sum_of_all(embedding, numbers, rest), 0.0
    random = np.random.default_rng(0)
    first = random.choice(numbers, SAMPLED_PAIRS)
    second = random.choice(numbers if rest is None else rest, SAMPLED_PAIRS)
    apart = first != second
    sample = probability(embedding.log_odds_of(first[apart], second[apart]))
    return float(sample.mean() * pairs), float(sample.std() / np.sqrt(len(sample)) * pairs)


def _sum_of_all(embedding: Embedding, numbers: Int64Array, rest: Int64Array | None) -> float:
    """Sum in batches; inside a group each pair is counted twice, and the sum is halved."""
    others = numbers if rest is None else rest
    step, total = max(BATCH // len(others), 1), 0.0
    for begin in range(0, len(numbers), step):
        rows = numbers[begin : begin + step]
        first, second = np.repeat(rows, len(others)), np.tile(others, len(rows))
        total += float(probability(embedding.log_odds_of(first, second))[first != second].sum())
    return total / 2 if rest is None else total


# ---- the network ---------------------------------------------------------------------------------------------------

Order = Literal["probability", "lift", "surprise"]
ORDERS: tuple[Order, ...] = ("probability", "lift", "surprise")
SORTED = 200  # likeliest links, of which those with the largest lift are shown


def likeliest_links(
    embedding: Embedding, count: int, threads: int | None = None, order: Order = "probability"
) -> pd.DataFrame:
    """The likeliest missing links of the network, with their surprise and the numbers of their nodes.

    Sorted by lift, they are the first of the `SORTED` likeliest. The surprise of a missing link is that it is missing.
    """
    several = SORTED if order == "lift" else count
    found = embedding.likely_links(count=max(several, count), threads=threads)
    found = found.assign(surprise=pair_surprise(False, found["probability"]))
    ranked = found.sort_values(order, ascending=False, kind="stable", na_position="last", ignore_index=True)
    return numbered_pairs(embedding.network, ranked.head(count))


def surprising_links(embedding: Embedding, count: int, order: Order = "surprise") -> pd.DataFrame:
    """The existing links that are least likely, or whose lift is smallest, with the numbers of their nodes."""
    found = embedding.surprising_links(count, by="lift" if order == "lift" else "surprise")
    return numbered_pairs(embedding.network, found)


# ---- the table of nodes --------------------------------------------------------------------------------------------

SURPRISE = "surprise"  # colour by surprise, unless the network has a column of this name
MAX_TEXTS = 10_000  # different values of a column; with more, a filter would be no help


@dataclass(frozen=True)
class NodeColumn:
    """A column of the table of nodes: numbers, or texts with the place of each node's text, -1 if it has none."""

    name: str
    numbers: list[float | None]
    texts: list[str] | None = None


def node_columns(network: Network, embedding: Embedding) -> list[NodeColumn]:
    """All columns of the network that can be shown, and the surprise of each node."""
    found = [_node_column(network, str(name)) for name in network.columns]
    bits = embedding.node_surprise().to_numpy(np.float64)
    return [*(one for one in found if one is not None), NodeColumn(SURPRISE, _numbers_or_none(bits))]


def _node_column(network: Network, name: str) -> NodeColumn | None:
    column = network.column(name)
    if is_scale(column):
        return NodeColumn(name, _numbers_or_none(column.to_numpy(np.float64, na_value=np.nan)))
    codes, values = network.groups(name)
    return NodeColumn(name, codes.tolist(), [str(value) for value in values]) if len(values) <= MAX_TEXTS else None


def _numbers_or_none(values: Float64Array) -> list[float | None]:
    """Numbers with five digits, which JSON can hold; None for those that are missing."""
    return [float(f"{value:.5g}") if np.isfinite(value) else None for value in values]


def numbered_pairs(network: Network, table: pd.DataFrame) -> pd.DataFrame:
    """A table of pairs with columns of their numbers."""
    return table.assign(u_number=_numbers_of(network, table["u"]), v_number=_numbers_of(network, table["v"]))


def _numbers_of(network: Network, names: pd.Series[Any]) -> Int64Array:
    return network.numbers(names) if len(names) else np.empty(0, dtype=np.int64)


# ---- pairs to check next -------------------------------------------------------------------------------------------

STRATEGIES: tuple[Strategy, ...] = ("v-optimal", "d-optimal", "entropy", "probability")
TO_CHECK = 10  # pairs
MAX_NODE_PAIRS_FAST, MAX_PAIRS_FAST = 20_000_000, 50_000  # up to these, a search takes a fraction of a second


def has_unobserved_pairs(network: Network) -> bool:
    """Whether there are unobserved pairs, and few enough to choose from."""
    return 0 < network.unobserved_count <= MAX_UNOBSERVED_POOL


def is_fast(network: Network) -> bool:
    """Whether the search takes less than about half a second, so that it need not be requested."""
    nodes = min(2 * network.unobserved_count, network.node_count)  # with unobserved pairs, at most
    return nodes * network.node_count <= MAX_NODE_PAIRS_FAST and network.unobserved_count <= MAX_PAIRS_FAST


def pairs_to_check(embedding: Embedding, strategy: Strategy) -> pd.DataFrame:
    """The unobserved pairs to check first, with the numbers of their nodes."""
    return numbered_pairs(embedding.network, embedding.ask(strategy=strategy, count=TO_CHECK))


# ---- a new node ----------------------------------------------------------------------------------------------------

MAX_VALUES = 200  # of a column that a new node needs: more cannot be chosen from in a list


@dataclass(frozen=True)
class NewNode:
    """Position of a node that was added, its likeliest further links, and the links that it was given."""

    position: Float32Array
    likely: pd.DataFrame
    links: pd.DataFrame


def place_new_node(embedding: Embedding, numbers: Int64Array, values: Mapping[str, object]) -> NewNode:
    """Add a node that is linked to some others, with values in the columns that the prior uses."""
    network, name = embedding.network, unused_name(embedding.nodes)
    extended = embedding.add(name, network.nodes[numbers].tolist(), values)
    return NewNode(
        position=extended.positions[-1],
        likely=numbered(network, extended.likely_links(name, LIKELIEST)),
        links=likeliest_first(extended, network.node_count, numbers),
    )


def unused_name(nodes: pd.Index[Any]) -> str:
    """A name that no node has.

    >>> unused_name(pd.Index(["ann", "new node"]))
    'new node*'
    """
    name = "new node"
    while name in nodes:
        name += "*"
    return name


def needed_columns(embeddings: Sequence[Embedding]) -> list[str]:
    """Columns in which a new node needs a value, except those with too many values for a list."""
    found = [column for embedding in embeddings for column in _columns_of(embedding)]
    network = embeddings[0].network
    return [name for name in dict.fromkeys(found) if len(network.groups(name)[1]) <= MAX_VALUES]


def _columns_of(embedding: Embedding) -> list[str]:
    """Empty if no node can be added; `place_new_node` then raises the reason."""
    try:
        kinds = extendable_constraints(embedding.prior)
    except InputError:
        return []
    return [column for kind in kinds for column in kind.columns]


# ---- fairness ------------------------------------------------------------------------------------------------------


def group_column(network: Network, column: str | None) -> str | None:
    """The column if it divides nodes into groups that can be compared, else None."""
    if column is None or column not in network.columns or is_scale(network.column(column)):
        return None
    return column if 2 <= len(network.groups(column)[1]) <= MAX_GROUPS else None
