"""The numbers of what visitors ask beyond a selection: what to check next, where a new node would be, what is fair."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from netgiven.analysis.active_learning import Strategy
from netgiven.answers.answering import MOST_UNKNOWN
from netgiven.embedding import Embedding
from netgiven.errors import InputError
from netgiven.explorer.tables import LIKELIEST, numbered, numbered_pairs, sorted_pairs
from netgiven.maps.marks import is_scale
from netgiven.network import Network
from netgiven.priors.extend import kinds_of
from netgiven.tasks.fairness import MOST_GROUPS
from netgiven.types import Float32Array, Int64Array

STRATEGIES: tuple[Strategy, ...] = ("v-optimal", "d-optimal", "entropy", "probability")
TO_CHECK = 10  # pairs
FEW_LOOKS = 20_000_000  # nodes seen from the nodes of the pool: so many take a fraction of a second
FEW_PAIRS = 50_000
MOST_VALUES = 200  # of a column, to choose that of a new node from


# ---- what to check next --------------------------------------------------------------------------------------------


def has_pool(network: Network) -> bool:
    """Whether there are unknown pairs, and not too many of them to choose from."""
    return 0 < network.unknown_count <= MOST_UNKNOWN


def is_quick(network: Network) -> bool:
    """Whether asking takes so little that nobody need ask for it."""
    nodes = min(2 * network.unknown_count, network.node_count)  # of the pool, at most
    return nodes * network.node_count <= FEW_LOOKS and network.unknown_count <= FEW_PAIRS


def pairs_to_check(embedding: Embedding, strategy: Strategy) -> pd.DataFrame:
    """The unknown pairs to look up first, with the numbers of their nodes."""
    return numbered_pairs(embedding.network, embedding.ask(strategy=strategy, count=TO_CHECK))


# ---- a new node ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Newcomer:
    """A node that is not there: where it would be, its likeliest further links, and the links that it was given."""

    position: Float32Array
    likely: pd.DataFrame
    links: pd.DataFrame


def newcomer_of(embedding: Embedding, numbers: Int64Array, values: Mapping[str, Any]) -> Newcomer:
    """What the embedding says of a new node that is linked to some, with values in the columns of the prior."""
    network, name = embedding.network, new_name(embedding.nodes)
    grown = embedding.add(name, network.nodes[numbers].tolist(), values)
    return Newcomer(
        position=grown.positions[-1],
        likely=numbered(network, grown.likely_links(name, LIKELIEST)),
        links=sorted_pairs(grown, network.node_count, numbers),
    )


def new_name(nodes: pd.Index[Any]) -> str:
    """A name that no node has.

    >>> new_name(pd.Index(["ann", "new node"]))
    'new node*'
    """
    name = "new node"
    while name in nodes:
        name += "*"
    return name


def needed_columns(embeddings: Sequence[Embedding]) -> list[str]:
    """The columns in which a new node needs a value, as far as there are few to choose from."""
    found = [column for embedding in embeddings for column in _columns_of(embedding)]
    network = embeddings[0].network
    return [name for name in dict.fromkeys(found) if len(network.groups(name)[1]) <= MOST_VALUES]


def _columns_of(embedding: Embedding) -> list[str]:
    """None where no new node can be added: whoever tries is told why."""
    try:
        kinds = kinds_of(embedding.prior)
    except InputError:
        return []
    return [column for kind in kinds for column in kind.columns]


# ---- what is fair --------------------------------------------------------------------------------------------------


def column_of_groups(network: Network, column: str | None) -> str | None:
    """The column, if it puts nodes into groups that can be compared."""
    if column is None or column not in network.columns or is_scale(network.column(column)):
        return None
    return column if 2 <= len(network.groups(column)[1]) <= MOST_GROUPS else None
