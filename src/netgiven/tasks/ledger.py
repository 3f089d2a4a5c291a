"""A ledger of knowledge: what each given thing explains, what can still be read from a map, and what to give next.

If only the number of links is known, each link of a network costs so many bits, -log2 of its likelihood divided by the
number of links. A network that is known completely costs nothing, so these bits are all that can be explained. Each
line of the ledger is one thing that is given, and what it adds to the lines above it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from netgiven.embedding import Embedding
from netgiven.io.read import as_network
from netgiven.maps.marks import is_scale
from netgiven.network import Network
from netgiven.notebook import as_html
from netgiven.priors import Knowledge, Prior, degrees, density, parse_knowledge
from netgiven.priors.knowledge import Given, fit_prior
from netgiven.priors.unobserved import mask_unobserved
from netgiven.tasks.group_measures import MAX_NODES, largest_share, predict_groups
from netgiven.types import Float32Array, Int64Array

MAX_GROUPS = 200  # a column with more values holds names rather than groups
WORDS = {
    "density": "how many links there are",
    "degrees": "how many links each node has",
    "assortativity": "how much nodes with many links link to each other",
    "common_neighbours": "how much nodes with common neighbours link",
    "blocks": "who belongs to which {}, and how densely each links to each",
    "group_degrees": "how many links each node has to each {}",
    "homophily": "how much nodes with the same or a similar {} link",
    "order": "how far apart the {} of linked nodes is",
}
EMBEDDING = "what the map adds"


def in_words(kind: object) -> str:
    """A kind of knowledge in words; its text form, if it is none of the built-in ones.

    Parameters
    ----------
    kind
        A constraint, or its text form.

    Returns
    -------
    str
        A few words.

    Examples
    --------
    >>> from netgiven.tasks.ledger import in_words
    >>> in_words("degrees"), in_words("group_degrees:party")
    ('how many links each node has', 'how many links each node has to each party')
    """
    text = str(kind)
    name, _, rest = text.partition(":")
    words = WORDS.get(name, text)
    return words.format(rest.partition(":")[0]) if "{}" in words and rest else words


# ---- what is given --------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Ledger:
    """What each thing that is given explains of a network.

    Attributes
    ----------
    table
        One row per thing that is given: `knowledge`, `words`, the `bits` per link that it adds to the rows above it,
        and their `share` of all that can be explained. With a map, its row is the last one.
    cost
        Bits per link if only the number of links is known: all that can be explained.
    """

    table: pd.DataFrame
    cost: float

    @property
    def left(self) -> float:
        """Bits per link that nothing explains yet."""
        return self.cost - float(self.table["bits"].sum())

    def __repr__(self) -> str:
        rows = [f"{words}: {bits:.2f} bits per link ({share:.0%})" for words, bits, share in self._rows()]
        return "\n".join([*rows, f"not explained: {self.left:.2f} of {self.cost:.2f} bits per link"])

    def _repr_html_(self) -> str:
        return as_html(
            "Ledger", [(words, f"{bits:.2f} bits per link ({share:.0%})") for words, bits, share in self._rows()]
        )

    def _rows(self) -> list[tuple[str, float, float]]:
        return list(self.table[["words", "bits", "share"]].itertuples(index=False, name=None))


def ledger(network: Any, given: Given = None, embedding: Embedding | None = None) -> Ledger:
    """What each thing that is given explains of a network.

    Parameters
    ----------
    network
        A network, or anything else that `embed` takes as one.
    given
        What is known; by default `degrees()`.
    embedding
        An embedding given this, whose row is then the last one.

    Returns
    -------
    Ledger
        One row per thing that is given.

    Examples
    --------
    >>> import netgiven as ng
    >>> found = ng.ledger(ng.datasets.company(100), "degrees+blocks:department")
    >>> found.table["knowledge"].tolist(), found.table["bits"].round(2).tolist()
    (['degrees', 'blocks:department'], [0.43, 0.62])
    """
    network = as_network(network)
    base = _bits(network, density().fit(network))
    rows, before = [], base
    for text, prior in _given_in_turn(network, degrees() if given is None else given, embedding):
        bits = _bits(network, prior)
        rows.append((text, in_words(text), max(bits - before, 0.0)))
        before = bits
    if embedding is not None:
        rows.append(("", EMBEDDING, embedding.bits_per_link))
    table = pd.DataFrame(rows, columns=["knowledge", "words", "bits"])
    return Ledger(table.assign(share=table["bits"] / (-base or 1.0)), -base)


def _given_in_turn(network: Network, given: Given, embedding: Embedding | None) -> Iterator[tuple[str, Prior]]:
    """Each thing that is given, and the prior given all up to it, and the number of links."""
    known = parse_knowledge(given) if isinstance(given, str) else given
    if not isinstance(known, Knowledge):  # learned elsewhere, or fitted already: its parts are not known
        prior = fit_prior(network, known)
        yield prior.knowledge, prior
        return
    for count, kind in enumerate(known.constraints, start=1):
        is_last = embedding is not None and count == len(known.constraints)
        all_given = Knowledge(known.constraints[:count]) + density()
        yield str(kind), embedding.prior if is_last and embedding is not None else all_given.fit(network)


def _bits(network: Network, prior: Prior) -> float:
    """Log-likelihood of the network in bits per link, over observed pairs."""
    likelihood = mask_unobserved(prior, network).log_likelihood(network.links())
    return likelihood / float(np.log(2)) / max(network.link_count, 1)


# ---- what can still be read -----------------------------------------------------------------------------------------

ERRORS, LEAST = 3, 0.03  # above the largest group's share, before a column counts as readable


def readable(embedding: Embedding, columns: Sequence[str] | None = None) -> pd.DataFrame:
    """How well the value of each column can still be read from the positions of nodes.

    Ten nearest neighbours predict the value of each node, in five-fold cross-validation, so that rings and clusters are
    seen as well as means. Of a large network, 20,000 nodes are asked.

    Parameters
    ----------
    embedding
        The embedding.
    columns
        Names of node columns; by default all with 2 to 200 groups. Numbers on a scale, such as ages, are left out.

    Returns
    -------
    pandas.DataFrame
        `column`, `read` (the share of nodes whose value is predicted), `largest` (the share of the largest group,
        which predicting it for all nodes would reach), `nodes` (how many were asked), and whether it is `readable`:
        better than that by three standard errors, and by .03.

    Examples
    --------
    >>> import netgiven as ng
    >>> network = ng.datasets.company(100)
    >>> ng.readable(ng.embed(network, "degrees", dimensions=2))[["column", "readable"]].to_dict("list")
    {'column': ['department', 'project'], 'readable': [True, False]}
    >>> without = ng.embed(network, "degrees+blocks:department", dimensions=2)
    >>> ng.readable(without, ["department"])["readable"].tolist()
    [False]
    """
    network = embedding.network
    names = columns_of_groups(network) if columns is None else [str(network.column(name).name) for name in columns]
    rows = [(name, *read_share(embedding.positions, network.groups(name)[0].astype(np.int64))) for name in names]
    table = pd.DataFrame(rows, columns=["column", "read", "largest", "nodes"])
    largest, nodes = table["largest"].astype(float), table["nodes"].astype(float)
    error = np.sqrt(largest * (1 - largest) / np.maximum(nodes, 1.0))
    return table.assign(readable=table["read"].astype(float) > largest + np.maximum(ERRORS * error, LEAST))


def columns_of_groups(network: Network) -> list[str]:
    """Columns that divide nodes into 2 to 200 groups, of two nodes or more on average."""
    most = min(MAX_GROUPS, network.node_count // 2)
    names = [str(name) for name, values in network.columns.items() if not is_scale(values)]
    return [name for name in names if 2 <= len(network.groups(name)[1]) <= most]


def read_share(positions: Float32Array, codes: Int64Array) -> tuple[float, float, int]:
    """The share of nodes whose group their neighbours predict, the share of the largest group, and how many nodes."""
    known = np.flatnonzero(codes >= 0)
    if len(np.unique(codes[known])) < 2:
        return 1.0, 1.0, len(known)
    found = predict_groups(positions[known], codes[known], "neighbours")
    return found.accuracy, largest_share(codes[known]), min(len(known), MAX_NODES)


# ---- what to tell next ----------------------------------------------------------------------------------------------

MOST = 5  # proposals
MAX_BLOCKS = 50  # groups of a column whose blocks are looked at
EXPECTED = 10.0  # links that a prior expects in a block, at least, before it is remarkable that there is none
UNEVEN = 1.5  # variance of the degrees, divided by the mean, from which they say something


class Proposal(NamedTuple):
    """Something to tell: what to add to `given`, and why."""

    knowledge: str
    text: str


def proposals(network: Any, given: Given = None, embedding: Embedding | None = None) -> list[Proposal]:
    """What to tell next, the most obvious first; at most five.

    Parameters
    ----------
    network
        A network, or anything else that `embed` takes as one.
    given
        What is known; by default `degrees()`.
    embedding
        An embedding given this: columns that can still be read from it are proposed, too.

    Returns
    -------
    list of Proposal
        What to add to `given`, and why: groups between which no link is though many are expected, columns that can be
        read from the map, and degrees.

    Examples
    --------
    >>> import netgiven as ng
    >>> films = ng.datasets.cinema(viewers=60, films=30)
    >>> network = films.with_sides()
    >>> [proposal.knowledge for proposal in ng.proposals(network, "degrees")]
    ['blocks:side']
    """
    network = as_network(network)
    known = parse_knowledge(given) if isinstance(given, str) else degrees() if given is None else given
    given_kinds = {str(kind) for kind in known.constraints} if isinstance(known, Knowledge) else set()
    prior = embedding.prior if embedding is not None else fit_prior(network, known)
    found = [*_degrees_proposed(network, given_kinds), *_empty_blocks(network, prior, given_kinds)]
    if embedding is not None:
        found += _readable_columns(embedding, given_kinds)
    return list({proposal.knowledge: proposal for proposal in reversed(found)}.values())[::-1][:MOST]


def _degrees_proposed(network: Network, given_kinds: set[str]) -> list[Proposal]:
    if any(kind.partition(":")[0] in ("degrees", "group_degrees") for kind in given_kinds) or not network.link_count:
        return []
    uneven = float(network.degrees.var() / network.degrees.mean())
    if uneven < UNEVEN:
        return []
    most, mean = int(network.degrees.max()), network.degrees.mean()
    return [Proposal("degrees", f"Nodes have up to {most:,} links, {mean:.1f} on average: tell {WORDS['degrees']}.")]


def _is_given(column: str, given_kinds: set[str], kind: str) -> bool:
    return any(text == f"{kind}:{column}" or text.startswith(f"{kind}:{column}:") for text in given_kinds)


def _empty_blocks(network: Network, prior: Prior, given_kinds: set[str]) -> list[Proposal]:
    """Columns with pairs of groups that are never linked, though the prior expects links."""
    found = []
    for column in columns_of_groups(network):
        if any(_is_given(column, given_kinds, kind) for kind in ("blocks", "group_degrees")):
            continue
        blocks = _blocks_without_links(network, prior, column)
        if blocks:
            expected, text = sum(links for links, _ in blocks), max(blocks)[1]
            more = f", nor in {len(blocks) - 1} more pairs of groups" if len(blocks) > 1 else ""
            reason = f"No link joins {text}{more}, though {expected:,.0f} are expected: tell each node's {column}."
            found.append((expected, Proposal(f"blocks:{column}", reason)))
    return [proposal for _, proposal in sorted(found, key=lambda entry: -entry[0])]


def _blocks_without_links(network: Network, prior: Prior, column: str) -> list[tuple[float, str]]:
    """The expected number of links of each pair of groups without any, and its name."""
    codes, values = network.groups(column)
    if len(values) > MAX_BLOCKS:
        return []
    first, second = codes[network.links()].T
    linked = np.zeros((len(values), len(values)), dtype=bool)
    linked[first[(first >= 0) & (second >= 0)], second[(first >= 0) & (second >= 0)]] = True
    names = [network.nodes[codes == code] for code in range(len(values))]
    found = []
    for one, other in np.argwhere(~(linked | linked.T) & np.tri(len(values), dtype=bool).T):
        same = one == other
        expected = prior.expected_links(names[one]) if same else prior.expected_links(names[one], names[other])
        text = f"two nodes of {column} {values[one]}" if same else f"{column} {values[one]} and {values[other]}"
        if expected >= EXPECTED:
            found.append((float(expected), text))
    return found


def _readable_columns(embedding: Embedding, given_kinds: set[str]) -> list[Proposal]:
    table = readable(embedding)
    found = []
    for column, read, largest in table.loc[table["readable"], ["column", "read", "largest"]].itertuples(index=False):
        why = f"{column} can still be read from {read:.0%} of the nodes (the largest group has {largest:.0%})"
        if not _is_given(column, given_kinds, "blocks") and not _is_given(column, given_kinds, "group_degrees"):
            found.append((read - largest, Proposal(f"blocks:{column}", f"{why}: tell each node's {column}.")))
        elif not _is_given(column, given_kinds, "group_degrees"):
            reason = f"{why}: tell how many links each node has to each {column}."
            found.append((read - largest, Proposal(f"group_degrees:{column}", reason)))
    return [proposal for _, proposal in sorted(found, key=lambda entry: -entry[0])]
