"""A ledger of knowledge: what each given thing explains, what can still be read from a map, and what to give next.

If only the number of links is known, each link of a network costs so many bits, -log2 of its likelihood divided by the
number of links. A network that is known completely costs nothing, so these bits are all that can be explained. Each
line of the ledger is one thing that is given, and what it adds to the lines above it.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np
import pandas as pd

from netgiven.analysis.group_measures import MAX_NODES, largest_share, predict_groups
from netgiven.columns import MAX_GROUPS, columns_of_groups, columns_of_many_groups, groups_without_links
from netgiven.edges import counted, whole_percent
from netgiven.errors import InputError
from netgiven.io.read import as_network
from netgiven.network import Network, group_sizes
from netgiven.notebook import as_html
from netgiven.priors import Knowledge, Prior, density, parse_knowledge
from netgiven.priors.builtin import MAX_BLOCK_GROUPS, MAX_DEGREE_GROUPS
from netgiven.priors.knowledge import Given, fit_prior
from netgiven.priors.unobserved import mask_unobserved
from netgiven.types import BoolArray, Float32Array, Float64Array, Int64Array

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
LEARNED = " (learned elsewhere)"  # the end of the text of a prior that was


class EmbeddedNetwork(Protocol):
    """What is asked of an embedding: its network, positions and prior, and what they add to it."""

    @property
    def network(self) -> Network: ...  # noqa: D102
    @property
    def positions(self) -> Float32Array: ...  # noqa: D102
    @property
    def prior(self) -> Prior: ...  # noqa: D102
    @property
    def bits_per_link(self) -> float: ...  # noqa: D102


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
    >>> from netgiven.analysis.ledger import in_words
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
        and their `share` of all that can be explained. With a map, its row is the last one. Bits are negative where a
        prior describes the network worse than the rows above it, such as one that was learned elsewhere.
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
        rows = [f"{words}: {text}" for words, text in self._texts()]
        return "\n".join([*rows, f"not explained: {self.left:.2f} of {self.cost:.2f} bits per link"])

    def _repr_html_(self) -> str:
        return as_html("Ledger", self._texts())

    def _texts(self) -> list[tuple[str, str]]:
        rows = self.table[["words", "bits", "share"]].itertuples(index=False, name=None)
        return [(words, f"{bits:.2f} bits per link ({whole_percent(share)})") for words, bits, share in rows]


def ledger(network: Any, given: Given = None, embedding: EmbeddedNetwork | None = None) -> Ledger:
    """What each thing that is given explains of a network.

    Parameters
    ----------
    network
        A network, or anything else that `embed` takes as one.
    given
        What is known; by default what is given for the embedding, or `degrees()`.
    embedding
        An embedding given this, whose row is then the last one.

    Returns
    -------
    Ledger
        One row per thing that is given; one row for all, if it was learned elsewhere or is not known in parts.

    Examples
    --------
    >>> import netgiven as ng
    >>> found = ng.ledger(ng.datasets.company(100), "degrees+blocks:department")
    >>> found.table["knowledge"].tolist(), found.table["bits"].round(2).tolist()
    (['degrees', 'blocks:department'], [0.43, 0.62])
    """
    network = as_network(network)
    whole = _whole_prior(network, given, embedding)
    base = _bits(network, density().fit(network))
    rows, before = [], base
    for text, words, prior in _given_in_turn(network, _parts(network, given, whole), whole):
        bits = _bits(network, prior)
        rows.append((text, words, bits - before))
        before = bits
    if embedding is not None:
        rows.append(("", EMBEDDING, embedding.bits_per_link))
    table = pd.DataFrame(rows, columns=["knowledge", "words", "bits"])
    return Ledger(table.assign(share=table["bits"] / (-base or 1.0)), 0.0 - base)


def _whole_prior(network: Network, given: Given, embedding: EmbeddedNetwork | None) -> Prior:
    """The prior given all that is given: that of the embedding, if there is one."""
    return embedding.prior if embedding is not None else fit_prior(network, given)


def _parts(network: Network, given: Given, whole: Prior) -> Knowledge | None:
    """What is given as a sum; None if that is not known, as for a prior that was learned elsewhere."""
    if isinstance(given, str):
        return parse_knowledge(given)
    if isinstance(given, Knowledge):
        return given
    if whole.knowledge.endswith(LEARNED):
        return None
    try:  # a fitted prior has the text only: it may name a constraint of Python, or a column that new nodes lack
        known = parse_knowledge(whole.knowledge)
        known.fit(network)
    except InputError:
        return None
    return known


def _given_in_turn(network: Network, known: Knowledge | None, whole: Prior) -> Iterator[tuple[str, str, Prior]]:
    """Each thing that is given, in words, too, and the prior given all up to it, and the number of links."""
    if known is None:
        yield whole.knowledge, whole.knowledge, whole
        return
    for count, kind in enumerate(known.constraints, start=1):
        is_last = count == len(known.constraints)
        yield (
            str(kind),
            in_words(kind),
            whole if is_last else (Knowledge(known.constraints[:count]) + density()).fit(network),
        )


def _bits(network: Network, prior: Prior) -> float:
    """Log-likelihood of the network in bits per link, over observed pairs."""
    likelihood = mask_unobserved(prior, network).log_likelihood(network.links())
    return likelihood / float(np.log(2)) / max(network.link_count, 1)


# ---- what can still be read -----------------------------------------------------------------------------------------

ERRORS, LEAST = 3, 0.03  # above the largest group's share, before a column counts as readable


def readable(embedding: EmbeddedNetwork, columns: Sequence[str] | None = None) -> pd.DataFrame:
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


def read_share(positions: Float32Array, codes: Int64Array) -> tuple[float, float, int]:
    """The share of nodes whose group their neighbours predict, the share of the largest group, and how many nodes."""
    known = np.flatnonzero(codes >= 0)
    if len(np.unique(codes[known])) < 2:
        return 1.0, 1.0, len(known)
    with warnings.catch_warnings():  # of scikit-learn: many small groups are groups all the same
        warnings.filterwarnings("ignore", message="The number of unique classes")
        found = predict_groups(positions[known], codes[known], "neighbours")
    return found.accuracy, largest_share(codes[known]), min(len(known), MAX_NODES)


# ---- what to tell next ----------------------------------------------------------------------------------------------

MOST = 5  # proposals
EXPECTED = 10.0  # links that a prior expects in a block, at least, before it is remarkable that there is none
UNEVEN = 1.5  # variance of the degrees, divided by the mean, from which they say something


class Proposal(NamedTuple):
    """Something to tell: what to add to `given`, and why."""

    knowledge: str
    text: str


class Proposals(list[Proposal]):
    """Things to tell, the most obvious first.

    Attributes
    ----------
    untried
        Columns that may say something but have too many groups to try: how to give each, and why it was not tried.
        `knowledge` is empty where a column has too many groups to be given at all.
    """

    def __init__(self, found: Iterable[Proposal] = (), untried: Sequence[Proposal] = ()) -> None:
        super().__init__(found)
        self.untried = tuple(untried)


def proposals(
    network: Any, given: Given = None, embedding: EmbeddedNetwork | None = None, *, read: pd.DataFrame | None = None
) -> Proposals:
    """What to tell next, the most obvious first; at most five.

    Parameters
    ----------
    network
        A network, or anything else that `embed` takes as one.
    given
        What is known; by default what is given for the embedding, or `degrees()`.
    embedding
        An embedding given this: columns that can still be read from it are proposed, too.
    read
        The table that `readable` returned for the embedding, if there is one already.

    Returns
    -------
    Proposals
        A list of what to add to `given`, and why: groups between which no link is though many are expected, columns
        that can be read from the map, and degrees. Columns with more than 200 groups are not tried; those with two
        nodes or more in each group, on average, are in its attribute `untried`.

    Examples
    --------
    >>> import netgiven as ng
    >>> films = ng.datasets.cinema(viewers=60, films=30)
    >>> network = films.with_sides()
    >>> [proposal.knowledge for proposal in ng.proposals(network, "degrees")]
    ['blocks:side']
    """
    network = as_network(network)
    whole = _whole_prior(network, given, embedding)
    given_kinds = _kinds(whole.knowledge if given is None or isinstance(given, Prior) else str(given))
    # an unobserved pair may be a link: only among observed pairs is it remarkable that there is none
    found = [
        *_degrees_proposed(network, given_kinds),
        *_empty_blocks(network, mask_unobserved(whole, network), given_kinds),
    ]
    if embedding is not None:
        found += _readable_columns(network, readable(embedding) if read is None else read, given_kinds)
    once = list({proposal.knowledge: proposal for proposal in reversed(found)}.values())[::-1]
    return Proposals(once[:MOST], _untried(network, given_kinds))


def _kinds(text: str) -> set[str]:
    """The kinds of knowledge that a text names, also those that were learned elsewhere or made in Python."""
    text = text.removesuffix(LEARNED)
    try:
        return {str(kind) for kind in parse_knowledge(text).constraints}
    except InputError:
        return set(text.split("+"))


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


def _with_missing(network: Network, kind: str, column: str) -> str:
    """The text of a kind; nodes without a value are a group of their own, if some of them have links."""
    missing = network.groups(column)[0] < 0
    return f"{kind}:{column}" + (":missing=group" if network.degrees[missing].any() else "")


def _empty_blocks(network: Network, prior: Prior, given_kinds: set[str]) -> list[Proposal]:
    """Columns with pairs of groups that are never linked, though the prior expects links."""
    found = []
    for column in columns_of_groups(network):
        if any(_is_given(column, given_kinds, kind) for kind in ("blocks", "group_degrees")):
            continue
        empty = groups_without_links(network, column)
        expected = _remarkable(network, prior, column, empty)
        if expected.any():
            reason = _why_blocks(network, column, empty, expected)
            found.append((expected.sum(), Proposal(_with_missing(network, "blocks", column), reason)))
    return [proposal for _, proposal in sorted(found, key=lambda entry: -entry[0])]


def _remarkable(network: Network, prior: Prior, column: str, empty: BoolArray) -> Float64Array:
    """The expected number of links of pairs of groups without any; 0 where it is so small that none is no surprise."""
    if not empty.any():
        return np.zeros(empty.shape)
    expected = prior.expected_between(network.groups(column)[0], len(empty))
    return np.where(empty & (expected >= EXPECTED), expected, 0.0)


def _why_blocks(network: Network, column: str, empty: BoolArray, expected: Float64Array) -> str:
    """Which groups no link joins: the same group, if that is so for all of them, or the pair with most expected."""
    though = f"though {expected.sum():,.0f} are expected"
    if np.diag(empty).all() and np.diag(expected).any():
        others = _nor_others(int(np.count_nonzero(np.triu(expected, 1))))
        sizes = group_sizes(network, column)
        return f"No link joins two nodes of the same {column}{others}, {though}: {sizes}. Tell each node's {column}."
    (one, other), values = np.unravel_index(np.argmax(expected), expected.shape), network.groups(column)[1]
    text = f"two nodes of {column} {values[one]}" if one == other else f"{column} {values[one]} and {values[other]}"
    others = _nor_others(int(np.count_nonzero(expected)) - 1)
    return f"No link joins {text}{others}, {though}: tell each node's {column}."


def _nor_others(pairs: int) -> str:
    return f", nor {counted(pairs, 'other pair')} of groups" if pairs else ""


def _untried(network: Network, given_kinds: set[str]) -> tuple[Proposal, ...]:
    """Columns with more groups than are tried, if they are not given."""
    return tuple(
        _too_many(network, column, count)
        for column, count in columns_of_many_groups(network).items()
        if not any(_is_given(column, given_kinds, kind) for kind in ("blocks", "homophily"))
    )


def _too_many(network: Network, column: str, count: int) -> Proposal:
    reason = f"Column {column!r} has {count:,} groups; columns with more than {MAX_GROUPS} are not tried."
    if count >= MAX_BLOCK_GROUPS:  # nodes without a value may be one more
        return Proposal("", f"{reason} Blocks take fewer than {MAX_BLOCK_GROUPS:,}: combine some of its values.")
    return Proposal(_with_missing(network, "blocks", column), f"{reason} If it matters, tell each node's {column}.")


def _readable_columns(network: Network, read: pd.DataFrame, given_kinds: set[str]) -> list[Proposal]:
    """Columns that can still be read; the number of links to each group, where blocks are given already."""
    found = []
    for column, share, largest in read.loc[read["readable"], ["column", "read", "largest"]].itertuples(index=False):
        shares = f"{whole_percent(share)} of the nodes (the largest group has {whole_percent(largest)})"
        why = f"{column} can still be read from {shares}"
        kind, what = "blocks", f"each node's {column}"
        if _is_given(column, given_kinds, "group_degrees"):
            continue
        if _is_given(column, given_kinds, "blocks"):
            kind, what = "group_degrees", f"how many links each node has to each {column}"
            if len(network.groups(column)[1]) >= MAX_DEGREE_GROUPS:  # nodes without a value may be one more
                continue
        found.append((share - largest, Proposal(_with_missing(network, kind, column), f"{why}: tell {what}.")))
    return [proposal for _, proposal in sorted(found, key=lambda entry: -entry[0])]
