"""Is it fair? What embeddings make of the groups of a node column: in their predictions, and in their vectors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from netgiven.edges import counted, shown
from netgiven.embedding import Embedding
from netgiven.errors import InputError, UnknownColumn
from netgiven.metrics import auc
from netgiven.network import Network
from netgiven.node_index import number_pairs
from netgiven.splits import pairs_without_link
from netgiven.tasks.attribute_reading import MOST_NODES, largest_share, read_attribute
from netgiven.tasks.group_pairs import ALL_PAIRS, Groups, Means, means_of_all, means_of_listed
from netgiven.types import BoolArray, Int64Array

MOST_GROUPS = 32  # as many as group_degrees takes
OTHER_PAIRS = 200_000  # that hidden links are told from, fewer if there are no more


@dataclass(frozen=True, eq=False)
class FairnessReport:
    """Embeddings of one network, compared by what they make of the groups of a node column.

    - `groups`, `sizes`: the values of the column, and how many nodes have each
    - `left_out`: how many nodes have no value; no pair of theirs is looked at
    - `hidden`: how many hidden links the opportunity is measured on; 0 if it is the links of the network
    - `sampled`: whether means over pairs are estimated from some of them
    - `table`: one row an embedding, see `fairness`
    - `group_pairs`: one row an embedding and two groups: the number of `pairs` of nodes, their mean `probability` and
      its `standard_error`, the number of `links`, and the mean probability of those (`opportunity`)
    """

    attribute: str
    groups: list[Any]
    sizes: list[int]
    left_out: int
    hidden: int
    sampled: bool
    table: pd.DataFrame
    group_pairs: pd.DataFrame

    def remarks(self) -> list[str]:
        """What to know before reading the numbers."""
        kept = sum(self.sizes)
        told = [f"{counted(kept, 'node')} in {counted(len(self.groups), 'group')} of {self.attribute}"]
        if self.left_out:
            told.append(f"left out for lack of a value: {counted(self.left_out, 'node')}")
        links = counted(self.hidden, "hidden link") if self.hidden else "the links that the embeddings were fitted to"
        told.append(f"opportunity is measured on {links}")
        if self.sampled:
            told.append("means over pairs are estimated: all links, and a sample of the other pairs")
        if kept > MOST_NODES:
            told.append(f"the attribute is read from the vectors of {MOST_NODES:,} nodes, drawn at random")
        return told

    def draw(self, path: Any) -> None:
        """A picture of the table (.png, .svg, .pdf)."""
        from netgiven.tasks.fairness_pictures import draw_fairness

        draw_fairness(self, path)


def fairness(
    embeddings: Embedding | Sequence[Embedding] | Mapping[str, Embedding],
    attribute: str,
    pairs: Any = None,
    seed: int = 0,
) -> FairnessReport:
    """What embeddings of one network make of the groups of a node column, side by side.

    - `embeddings`: one, several, or several by name
    - `attribute`: a node column with 2 to 32 values; nodes without a value are left out
    - `pairs`: links that were hidden from the embeddings, pairs of names, to measure opportunity and AUC on

    The table has a row for each embedding. With P the predicted probability, and nodes u, v of groups a, b:

    - `probability`: mean of P over all pairs; `probability_same`, `probability_different`: over pairs with a = b, and
      with a != b
    - `parity_gap`: probability_same - probability_different, 0 for demographic parity; `parity_gap_error` is its
      standard error, 0 up to 5,000,000 pairs, of which all are looked at
    - `parity_spread`, `parity_ratio`: max - min and min / max over (a, b) of E[P | a, b]
    - `opportunity_same`, `opportunity_different`, `opportunity_gap`, `opportunity_spread`: the same for E[P | a, b,
      link], of which equality is equalised opportunity
    - `read_logistic`, `read_neighbours`: share of nodes whose group is told rightly from the vectors by somebody who
      knows those of four fifths of the nodes, and `..._auc`; `read_nothing`: the share of the largest group
    - `link_auc`: chance that a hidden link is likelier than a pair never linked, `link_auc_same` and `_different`
      among pairs with a = b, and with a != b; only if `pairs` are given

    >>> from netgiven import Spread, datasets, embed
    >>> network, modest = datasets.company(people=60), {"dimensions": 4, "spread": Spread.from_reach(2), "shrinkage": 0}
    >>> before = embed(network, given="degrees", **modest)
    >>> after = embed(network, train_given="group_degrees:department", predict_given="degrees", **modest)
    >>> report = fairness({"before": before, "after": after}, "department")
    >>> report.table["parity_gap"].abs().round(1).tolist()
    [0.2, 0.0]
    >>> report.table["read_logistic"].round(1).tolist(), report.table["read_nothing"].tolist()
    ([0.8, 0.1], [0.2, 0.2])
    """
    named = _named(embeddings)
    network, groups = _common(named, attribute)
    hidden = None if pairs is None else _hidden(network, groups, pairs)
    others = None if hidden is None else _never_linked(network, groups, hidden, seed)
    rows, details = {}, []
    for name, embedding in named.items():
        chance = means_of_all(embedding, groups, seed)
        given_link = means_of_listed(embedding, groups, network.links() if hidden is None else hidden)
        rows[name] = {
            **_parity(chance, groups.same),
            **_opportunity(given_link, groups.same),
            **_readings(embedding, groups, seed),
            **({} if hidden is None or others is None else _accuracy(embedding, groups, hidden, others)),
        }
        details.append(_by_groups(name, groups, chance, given_link))
    return FairnessReport(
        attribute=attribute,
        groups=groups.values,
        sizes=groups.sizes.tolist(),
        left_out=network.node_count - len(groups.nodes),
        hidden=0 if hidden is None else len(hidden),
        sampled=bool(groups.pair_counts.sum() > ALL_PAIRS),
        table=pd.DataFrame.from_dict(rows, orient="index"),
        group_pairs=pd.concat(details, ignore_index=True),
    )


# ---- what is compared ----------------------------------------------------------------------------------------------


def _named(embeddings: Any) -> dict[str, Embedding]:
    """Each with a name: its own, or what it was given."""
    if isinstance(embeddings, Mapping):
        named = {str(name): embedding for name, embedding in embeddings.items()}
    else:
        several = [embeddings] if isinstance(embeddings, Embedding) else list(embeddings)
        _check_embeddings(several)
        named = {}
        for embedding in several:
            name = told_given(embedding)
            named[name if name not in named else f"{len(named) + 1}: {name}"] = embedding
    _check_embeddings(list(named.values()))
    return named


def _check_embeddings(several: Sequence[Any]) -> None:
    if not several or not all(isinstance(one, Embedding) for one in several):
        given = f"{type(several[0]).__name__!r} was" if several else "nothing was"
        raise InputError(f"Embeddings were expected; {given} given. Make some with embed, or load them.")


def told_given(embedding: Embedding) -> str:
    """What probabilities are made with, and what positions were found with, where that is something else."""
    given = embedding.prior.knowledge
    trained = embedding.settings.get("trained_given", given)
    return given if trained == given else f"{given}, trained given {trained}"


def _common(named: dict[str, Embedding], attribute: str) -> tuple[Network, Groups]:
    """The network that all are of, and the groups of its nodes; a sentence where they differ."""
    (first, one), *others = named.items()
    groups = _groups(first, one.network, attribute)
    for name, other in others:
        if not _same_links(one.network, other.network):
            raise InputError(
                f"{first} and {name} are embeddings of different networks ({one.network} and {other.network}); "
                "compare embeddings of one network."
            )
        found = _groups(name, other.network, attribute)
        if found.values != groups.values or not np.array_equal(found.codes, groups.codes):
            raise InputError(
                f"{first} and {name} have different values in column {attribute!r}; "
                "make both from the same table of nodes."
            )
    return one.network, groups


def _same_links(one: Network, other: Network) -> bool:
    same = one.nodes.equals(other.nodes) and np.array_equal(one.indptr, other.indptr)
    return bool(same and np.array_equal(one.indices, other.indices))


def _groups(name: str, network: Network, attribute: str) -> Groups:
    try:
        codes, values = network.groups(attribute)
    except UnknownColumn as problem:
        hint = "The column must be in the table of nodes that the network is read with."
        raise UnknownColumn(f"{name}: {problem} {hint}") from None
    if len(values) < 2:
        there = f"one value only, {shown(values[0])}" if values else "no values"
        raise InputError(f"Column {attribute!r} has {there}; two groups at least are needed to compare.")
    if len(values) > MOST_GROUPS:
        raise InputError(
            f"Column {attribute!r} has {len(values):,} values; fairness compares {MOST_GROUPS} groups at most. "
            "Put them into a few groups, numbers e.g. into ranges (pandas.qcut), in a column of its own."
        )
    return Groups(codes, values)


def _hidden(network: Network, groups: Groups, pairs: Any) -> Int64Array:
    """Pairs as node numbers, each once; those with a node without a value are left out."""
    numbers = np.sort(np.column_stack(number_pairs(network.nodes, pairs)), axis=1)
    for wrong, what in (
        (numbers[:, 0] == numbers[:, 1], "are the same node"),
        (network.are_linked(*numbers.T), "are linked in the network that was embedded"),
    ):
        if wrong.any():
            first, second = (shown(network.nodes[end]) for end in numbers[np.argmax(wrong)])
            more = counted(int(wrong.sum()), "such pair")
            raise InputError(f"{first} and {second} {what}; links that were hidden from it are needed ({more} given).")
    found = groups.among(np.unique(numbers, axis=0)).astype(np.int64)
    if not len(found):
        raise InputError("No pair was given of which both nodes have a value; links that were hidden are needed.")
    return found


def _never_linked(network: Network, groups: Groups, hidden: Int64Array, seed: int) -> Int64Array:
    """Pairs that are linked neither in the network nor among what is hidden."""
    drawn = groups.among(pairs_without_link(network, OTHER_PAIRS, np.random.default_rng(seed)))
    codes = np.sort(drawn, axis=1) @ [network.node_count, 1]
    return np.asarray(drawn[~np.isin(codes, hidden @ [network.node_count, 1])])


# ---- numbers -------------------------------------------------------------------------------------------------------


def _parity(chance: Means, same: BoolArray) -> dict[str, float]:
    (inside, inside_error), (across, across_error) = chance.over(same), chance.over(~same)
    least, most = _range(chance)
    return {
        "probability": chance.over(np.ones(len(same), dtype=bool))[0],
        "probability_same": inside,
        "probability_different": across,
        "parity_gap": inside - across,
        "parity_gap_error": float(np.hypot(inside_error, across_error)),
        "parity_spread": most - least,
        "parity_ratio": least / most if most else float("nan"),
    }


def _opportunity(given_link: Means, same: BoolArray) -> dict[str, float]:
    inside, across = given_link.over(same)[0], given_link.over(~same)[0]
    least, most = _range(given_link)
    told = {"opportunity_same": inside, "opportunity_different": across}
    return {**told, "opportunity_gap": inside - across, "opportunity_spread": most - least}


def _range(means: Means) -> tuple[float, float]:
    """The least and the largest mean of two groups."""
    some = means.mean[means.pairs > 0]
    return (float(some.min()), float(some.max())) if len(some) else (float("nan"), float("nan"))


def _readings(embedding: Embedding, groups: Groups, seed: int) -> dict[str, float]:
    vectors, codes = embedding.positions[groups.nodes], groups.codes[groups.nodes]
    by_line, by_others = (read_attribute(vectors, codes, reader, seed) for reader in ("logistic", "neighbours"))
    return {
        "read_logistic": by_line.accuracy,
        "read_neighbours": by_others.accuracy,
        "read_nothing": largest_share(codes),
        "read_logistic_auc": by_line.auc,
        "read_neighbours_auc": by_others.auc,
    }


def _accuracy(embedding: Embedding, groups: Groups, hidden: Int64Array, others: Int64Array) -> dict[str, float]:
    """How well hidden links are told from other pairs: of all, and of each kind among themselves."""
    pairs, truth = np.concatenate([hidden, others]), np.arange(len(hidden) + len(others)) < len(hidden)
    scores = embedding.log_odds_of(*pairs.T)
    same = groups.codes[pairs[:, 0]] == groups.codes[pairs[:, 1]]
    kinds = {"link_auc": np.ones(len(pairs), dtype=bool), "link_auc_same": same, "link_auc_different": ~same}
    return {
        name: auc(truth[kind], scores[kind]) if 0 < truth[kind].sum() < kind.sum() else float("nan")
        for name, kind in kinds.items()
    }


def _by_groups(name: str, groups: Groups, chance: Means, given_link: Means) -> pd.DataFrame:
    first, second = groups.ends
    return pd.DataFrame(
        {
            "embedding": name,
            "group": [groups.values[end] for end in first],
            "other": [groups.values[end] for end in second],
            "pairs": chance.pairs,
            "probability": chance.mean,
            "standard_error": chance.error,
            "links": given_link.pairs,
            "opportunity": given_link.mean,
        }
    )
