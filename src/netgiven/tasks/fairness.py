"""Fairness: how predictions and vectors of embeddings depend on the groups of a node column."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, get_args

import numpy as np
import pandas as pd

from netgiven.analysis.group_measures import (
    MAX_EXACT_PAIRS,
    MAX_NODES,
    Classifier,
    Groups,
    Means,
    largest_share,
    mean_probabilities,
    mean_probabilities_of,
    predict_groups,
)
from netgiven.edges import counted, shown
from netgiven.embedding import Embedding
from netgiven.errors import InputError, UnknownColumn
from netgiven.maps.canvas import PRINT_COLOURS, literal, make_figure, write_figure
from netgiven.metrics import auc
from netgiven.network import Network
from netgiven.node_index import number_pairs
from netgiven.splits import pairs_without_link
from netgiven.types import BoolArray, Int64Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MAX_GROUPS = 32  # as many as group_degrees takes
OTHER_PAIRS = 200_000  # never linked, to compare hidden links with; fewer in a small network
SAME, DIFFERENT = PRINT_COLOURS[0], PRINT_COLOURS[1]
CLASSIFIERS = {
    "logistic_accuracy": ("logistic regression", "D"),
    "neighbours_accuracy": ("nearest neighbours", "o"),
    "forest_accuracy": ("random forest", "^"),
}
LINK_KINDS = {
    "link_auc": ("all pairs", "0.3"),
    "link_auc_same": ("same group", SAME),
    "link_auc_different": ("different groups", DIFFERENT),
}
MAX_LETTERS = 24  # of a line of a name in the picture


@dataclass(frozen=True, eq=False)
class FairnessReport:
    """Embeddings of one network, compared by how they treat the groups of a node column.

    Attributes
    ----------
    attribute
        The node column.
    groups, sizes
        The values of the column, and the number of nodes that have each.
    left_out
        The number of nodes without a value; their pairs are not used.
    hidden
        The number of hidden links on which opportunity is measured; 0 if it is measured on the links of the network.
    sampled
        Whether means over pairs are estimated from a sample.
    table
        One row per embedding; its columns are explained in `fairness`.
    group_pairs
        One row per embedding and pair of groups: the number of `pairs` of nodes, their mean `probability` and its
        `standard_error`, the number of `links`, and the mean probability of those (`opportunity`).
    """

    attribute: str
    groups: list[Any]
    sizes: list[int]
    left_out: int
    hidden: int
    sampled: bool
    table: pd.DataFrame
    group_pairs: pd.DataFrame

    def __repr__(self) -> str:
        return f"FairnessReport on {self.attribute}, {len(self.groups)} groups:\n{self.table.T}"

    @property
    def notes(self) -> list[str]:
        """What the numbers are based on."""
        kept = sum(self.sizes)
        notes = [f"{counted(kept, 'node')} in {counted(len(self.groups), 'group')} of {self.attribute}"]
        if self.left_out:
            notes.append(f"left out because they have no value: {counted(self.left_out, 'node')}")
        links = counted(self.hidden, "hidden link") if self.hidden else "the links that the embeddings were fitted to"
        notes.append(f"opportunity is measured on {links}")
        if self.sampled:
            notes.append("means over pairs are estimated from all links and a sample of the other pairs")
        if kept > MAX_NODES:
            notes.append(f"groups are predicted from the vectors of {MAX_NODES:,} nodes, drawn at random")
        return [*notes, *(self._what_is_left(str(name), row) for name, row in self.table.iterrows())]

    def _what_is_left(self, name: str, row: pd.Series[Any]) -> str:
        """What the best of the classifiers reads from the vectors of an embedding."""
        best = max(CLASSIFIERS, key=lambda column: float(row[column]))
        baseline, read = float(row["baseline_accuracy"]), float(row[best])
        error = np.sqrt(baseline * (1 - baseline) / min(sum(self.sizes), MAX_NODES))
        if read <= baseline + 3 * error:  # three, because the best of several is above its mean
            return f"{name}: none of three classifiers reads {self.attribute} from the vectors; others may"
        return (
            f"{name}: the vectors show {self.attribute}, correctly for {100 * read:.0f} % of the nodes by "
            f"{CLASSIFIERS[best][0]}; {100 * baseline:.0f} % are in the largest group"
        )

    def draw(self, path: str | os.PathLike[str]) -> None:
        """Draw the table.

        Parameters
        ----------
        path
            A file that ends in .png, .svg or .pdf.
        """
        draw_fairness(self, path)


def fairness(
    embeddings: Embedding | Sequence[Embedding] | Mapping[str, Embedding],
    attribute: str,
    pairs: Any = None,
    seed: int = 0,
) -> FairnessReport:
    """Compare how embeddings of one network treat the groups of a node column.

    Parameters
    ----------
    embeddings
        One embedding, several, or a mapping of names to embeddings.
    attribute
        A node column with 2 to 32 values; nodes without a value are left out.
    pairs
        Links that were hidden from the embeddings, as pairs of names. If given, opportunity and AUC are measured on
        them.
    seed
        Of the folds of cross-validation and of samples of pairs.

    Returns
    -------
    FairnessReport
        Its `table` has one row per embedding. With P the predicted probability, and nodes u, v of groups a, b:

        - `probability`: the mean of P over all pairs; `probability_same`, `probability_different`: over pairs with
          a = b, and with a != b
        - `parity_gap`: probability_same - probability_different, which is 0 for demographic parity;
          `parity_gap_error`: its standard error, 0 if all pairs were used (up to 5,000,000)
        - `parity_spread`, `parity_ratio`: max - min and min / max over (a, b) of E[P | a, b]
        - `opportunity_same`, `opportunity_different`, `opportunity_gap`, `opportunity_spread`: the same for
          E[P | a, b, link]; equal values are equalised opportunity
        - `logistic_accuracy`, `neighbours_accuracy`, `forest_accuracy`: the share of nodes whose group is predicted
          correctly from their vectors, in five-fold cross-validation; `logistic_auc`, `neighbours_auc`, `forest_auc`:
          the AUC of these predictions; `baseline_accuracy`: the share of the largest group
        - `link_auc`: the probability that a hidden link has a larger P than a pair that was never linked;
          `link_auc_same`, `link_auc_different`: the same among pairs with a = b, and with a != b; only with `pairs`

    Raises
    ------
    InputError
        If the embeddings are not of the same network, the column is missing or has fewer than 2 or more than 32
        values, or a pair is linked in the network.

    Examples
    --------
    >>> import netgiven as ng
    >>> network = ng.datasets.company(people=60)
    >>> fixed = {"dimensions": 4, "reach": 2.0, "shrinkage": 0.0}
    >>> before = ng.embed(network, given="degrees", **fixed)
    >>> after = ng.embed(network, train_given="group_degrees:department", predict_given="degrees", **fixed)
    >>> report = ng.fairness({"before": before, "after": after}, "department")
    >>> report.table["parity_gap"].abs().round(1).tolist()
    [0.2, 0.0]
    >>> report.table["logistic_accuracy"].round(1).tolist(), report.table["baseline_accuracy"].tolist()
    ([0.8, 0.1], [0.2, 0.2])
    """
    named = _named(embeddings)
    network, groups = _common(named, attribute)
    hidden = None if pairs is None else _hidden_links(network, groups, pairs)
    others = None if hidden is None else _never_linked(network, groups, hidden, seed)
    rows, details = {}, []
    for name, embedding in named.items():
        all_pairs = mean_probabilities(embedding, groups, seed)
        links = mean_probabilities_of(embedding, groups, network.links() if hidden is None else hidden)
        rows[name] = {
            **_parity(all_pairs, groups.same),
            **_opportunity(links, groups.same),
            **_group_predictions(embedding, groups, seed),
            **({} if hidden is None or others is None else _link_auc(embedding, groups, hidden, others)),
        }
        details.append(_by_groups(name, groups, all_pairs, links))
    return FairnessReport(
        attribute=attribute,
        groups=groups.values,
        sizes=groups.sizes.tolist(),
        left_out=network.node_count - len(groups.nodes),
        hidden=0 if hidden is None else len(hidden),
        sampled=bool(groups.pair_counts.sum() > MAX_EXACT_PAIRS),
        table=pd.DataFrame.from_dict(rows, orient="index"),
        group_pairs=pd.concat(details, ignore_index=True),
    )


def _named(embeddings: Embedding | Sequence[Embedding] | Mapping[str, Embedding]) -> dict[str, Embedding]:
    """Each embedding with its name: the given one, or what it is given."""
    if isinstance(embeddings, Mapping):
        named = {str(name): embedding for name, embedding in embeddings.items()}
    else:
        several = [embeddings] if isinstance(embeddings, Embedding) else list(embeddings)
        _check_embeddings(several)
        named = {}
        for embedding in several:
            name = describe_given(embedding)
            named[name if name not in named else f"{len(named) + 1}: {name}"] = embedding
    _check_embeddings(list(named.values()))
    return named


def _check_embeddings(several: Sequence[object]) -> None:
    if not several or not all(isinstance(one, Embedding) for one in several):
        given = f"{type(several[0]).__name__!r} was" if several else "nothing was"
        raise InputError(f"Embeddings were expected; {given} given. Make some with embed, or load them.")


def describe_given(embedding: Embedding) -> str:
    """What an embedding predicts with, and what it was trained with, if that is different."""
    given, trained = embedding.prior.knowledge, embedding.fit.prior.knowledge
    return given if trained == given else f"{given}, trained given {trained}"


def _common(named: dict[str, Embedding], attribute: str) -> tuple[Network, Groups]:
    """The network and groups that all embeddings have in common; an error if they differ."""
    (first, one), *others = named.items()
    groups = _groups(first, one.network, attribute)
    for name, other in others:
        if not _same_links(one.network, other.network):
            raise InputError(
                f"{first} and {name} are embeddings of different networks ({one.network} and {other.network}); "
                "compare embeddings of one network."
            )
        other_groups = _groups(name, other.network, attribute)
        if other_groups.values != groups.values or not np.array_equal(other_groups.codes, groups.codes):
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
        hint = "The column must be in the table of nodes that `read` was given."
        raise UnknownColumn(f"{name}: {problem} {hint}") from None
    if len(values) < 2:
        given = f"one value only, {shown(values[0])}" if values else "no values"
        raise InputError(f"Column {attribute!r} has {given}; at least two groups are needed.")
    if len(values) > MAX_GROUPS:
        raise InputError(
            f"Column {attribute!r} has {len(values):,} values; fairness compares {MAX_GROUPS} groups at most. "
            "Divide them into a few groups, for example numbers into ranges with pandas.qcut, in a new column."
        )
    return Groups(codes, values)


def _hidden_links(network: Network, groups: Groups, pairs: Any) -> Int64Array:
    """Pairs of names as node numbers, each once; those with a node without a value are left out."""
    numbers = np.sort(np.column_stack(number_pairs(network.nodes, pairs)), axis=1)
    for wrong, what in (
        (numbers[:, 0] == numbers[:, 1], "are the same node"),
        (network.are_linked(*numbers.T), "are linked in the network that was embedded"),
    ):
        if wrong.any():
            first, second = (shown(network.nodes[end]) for end in numbers[np.argmax(wrong)])
            more = counted(int(wrong.sum()), "such pair")
            raise InputError(f"{first} and {second} {what}; give links that were hidden from it ({more} given).")
    hidden = groups.with_values(np.unique(numbers, axis=0)).astype(np.int64)
    if not len(hidden):
        raise InputError("No pair was given of which both nodes have a value; give links that were hidden.")
    return hidden


def _never_linked(network: Network, groups: Groups, hidden: Int64Array, seed: int) -> Int64Array:
    """Pairs that are neither links of the network nor hidden links."""
    drawn = groups.with_values(pairs_without_link(network, OTHER_PAIRS, np.random.default_rng(seed)))
    codes = np.sort(drawn, axis=1) @ [network.node_count, 1]
    return np.asarray(drawn[~np.isin(codes, hidden @ [network.node_count, 1])])


def _parity(all_pairs: Means, same: BoolArray) -> dict[str, float]:
    (inside, inside_error), (across, across_error) = all_pairs.over(same), all_pairs.over(~same)
    least, most = _range(all_pairs)
    return {
        "probability": all_pairs.over(np.ones(len(same), dtype=bool))[0],
        "probability_same": inside,
        "probability_different": across,
        "parity_gap": inside - across,
        "parity_gap_error": float(np.hypot(inside_error, across_error)),
        "parity_spread": most - least,
        "parity_ratio": least / most if most else float("nan"),
    }


def _opportunity(links: Means, same: BoolArray) -> dict[str, float]:
    inside, across = links.over(same)[0], links.over(~same)[0]
    least, most = _range(links)
    return {
        "opportunity_same": inside,
        "opportunity_different": across,
        "opportunity_gap": inside - across,
        "opportunity_spread": most - least,
    }


def _range(means: Means) -> tuple[float, float]:
    """The smallest and the largest mean of a cell."""
    some = means.mean[means.pairs > 0]
    return (float(some.min()), float(some.max())) if len(some) else (float("nan"), float("nan"))


def _group_predictions(embedding: Embedding, groups: Groups, seed: int) -> dict[str, float]:
    vectors, codes = embedding.positions[groups.nodes], groups.codes[groups.nodes]
    found = {name: predict_groups(vectors, codes, name, seed) for name in get_args(Classifier)}
    return {
        **{f"{name}_accuracy": one.accuracy for name, one in found.items()},
        "baseline_accuracy": largest_share(codes),
        **{f"{name}_auc": one.auc for name, one in found.items()},
    }


def _link_auc(embedding: Embedding, groups: Groups, hidden: Int64Array, others: Int64Array) -> dict[str, float]:
    """The AUC of hidden links against other pairs: all pairs, and each kind among themselves."""
    pairs, truth = np.concatenate([hidden, others]), np.arange(len(hidden) + len(others)) < len(hidden)
    scores = embedding.log_odds_of(*pairs.T)
    same = groups.codes[pairs[:, 0]] == groups.codes[pairs[:, 1]]
    kinds = {"link_auc": np.ones(len(pairs), dtype=bool), "link_auc_same": same, "link_auc_different": ~same}
    return {
        name: auc(truth[kind], scores[kind]) if 0 < truth[kind].sum() < kind.sum() else float("nan")
        for name, kind in kinds.items()
    }


def _by_groups(name: str, groups: Groups, all_pairs: Means, links: Means) -> pd.DataFrame:
    first, second = groups.ends
    return pd.DataFrame(
        {
            "embedding": name,
            "group": [groups.values[end] for end in first],
            "other": [groups.values[end] for end in second],
            "pairs": all_pairs.pairs,
            "probability": all_pairs.mean,
            "standard_error": all_pairs.error,
            "links": links.pairs,
            "opportunity": links.mean,
        }
    )


def draw_fairness(report: FairnessReport, path: str | os.PathLike[str]) -> None:
    """Draw a report with one row per embedding.

    The panels show the mean probability of pairs of groups, over all pairs and over links (a dot per pair of groups, a
    bar for the mean), the accuracy of predicting the group, and, if links were hidden, the AUC on them.
    """
    names = list(report.table.index)
    panels = 3 + ("link_auc" in report.table)
    figure = make_figure(1.6 + 3.1 * panels, 2.0 + 0.75 * len(names))
    axes = figure.subplots(1, panels, sharey=True)
    links = "of hidden links" if report.hidden else "of links"
    for panel, column, pairs in zip(axes, ("probability", "opportunity"), ("of all pairs", links), strict=False):
        _draw_groups(panel, report, column)
        panel.set_title(f"predicted probability\n{pairs}", size=10)
    _draw_accuracy(axes[2], report)
    if panels > 3:
        _draw_link_auc(axes[3], report.table)
    axes[0].set_yticks(range(len(names)), [literal(_wrapped(name)) for name in names])
    axes[0].set_ylim(len(names) - 0.45, -0.55)
    for panel in axes:
        _draw_grid(panel, len(names))
    write_figure(figure, path)


def _draw_groups(panel: Axes, report: FairnessReport, column: str) -> None:
    """Draw equal groups above the line of an embedding, and different groups below it."""
    for row, name in enumerate(report.table.index):
        cells = report.group_pairs[report.group_pairs["embedding"] == name]
        same = (cells["group"] == cells["other"]).to_numpy()
        for which, kind, colour, shift in ((same, "same", SAME, -0.14), (~same, "different", DIFFERENT, 0.14)):
            dots = cells.loc[which, column].dropna()
            panel.scatter(dots, np.full(len(dots), row + shift), s=16, color=colour, alpha=0.45, linewidths=0)
            mean = report.table[f"{column}_{kind}"].iloc[row]
            label = None if row else ("same group" if kind == "same" else "different groups")
            panel.plot([mean] * 2, [row + shift - 0.11, row + shift + 0.11], color=colour, linewidth=3, label=label)
    panel.set_xlim(left=0)
    _draw_legend(panel)


def _draw_accuracy(panel: Axes, report: FairnessReport) -> None:
    baseline = report.table["baseline_accuracy"].iloc[0]
    panel.axvline(baseline, color="0.45", linewidth=1, linestyle="--", label="largest group")
    for place, (column, (label, marker)) in enumerate(CLASSIFIERS.items()):
        heights = [row + 0.2 * (place - 1) for row in range(len(report.table))]
        panel.scatter(report.table[column], heights, s=34, marker=marker, color=PRINT_COLOURS[2 + place], label=label)
    panel.set_xlim(-0.03, 1.03)
    panel.set_title(literal(f"accuracy of {report.attribute}\npredicted from vectors"), size=10)
    _draw_legend(panel)


def _draw_link_auc(panel: Axes, table: pd.DataFrame) -> None:
    for place, (column, (label, colour)) in enumerate(LINK_KINDS.items()):
        heights = [row + 0.2 * (place - 1) for row in range(len(table))]
        panel.scatter(table[column], heights, s=34, marker="s", color=colour, label=label)
    least = float(table[list(LINK_KINDS)].fillna(0.5).to_numpy().min())
    panel.set_xlim(min(0.5, least - 0.03), 1.02)
    panel.set_title("AUC on\nhidden links", size=10)
    _draw_legend(panel)


def _draw_legend(panel: Axes) -> None:
    panel.legend(loc="upper center", bbox_to_anchor=(0.5, -0.13), frameon=False, fontsize=8, handlelength=1.2)


def _draw_grid(panel: Axes, rows: int) -> None:
    for row in range(1, rows):
        panel.axhline(row - 0.5, color="0.85", linewidth=0.8, zorder=0)
    panel.grid(axis="x", color="0.92", linewidth=0.8)
    panel.set_axisbelow(True)
    panel.spines[["top", "right", "left"]].set_visible(False)
    panel.tick_params(axis="y", length=0)


def _wrapped(name: str) -> str:
    """A name in lines of limited length, broken after a plus or a blank."""
    lines = [""]
    for piece in name.replace("+", "+\0").replace(" ", " \0").split("\0"):
        if lines[-1] and len(lines[-1] + piece) > MAX_LETTERS:
            lines.append("")
        lines[-1] += piece
    return "\n".join(line.strip() for line in lines)
