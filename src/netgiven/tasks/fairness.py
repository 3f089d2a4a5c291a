"""Is it fair? What embeddings make of the groups of a node column: in their predictions, and in their vectors."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt
import pandas as pd

from netgiven.edges import counted, shown
from netgiven.embedding import Embedding
from netgiven.errors import InputError, UnknownColumn
from netgiven.maps.canvas import PRINT_COLOURS, literal, make_figure, write_figure
from netgiven.metrics import auc
from netgiven.model import probability
from netgiven.network import Network
from netgiven.node_index import number_pairs
from netgiven.parallel import one_blas_thread
from netgiven.splits import pairs_without_link
from netgiven.types import BoolArray, Float64Array, Int64Array, IntegerArray

# ---- A picture of a report on fairness: predictions for pairs of groups, and what vectors tell, embedding by embedding


SAME, DIFFERENT = PRINT_COLOURS[0], PRINT_COLOURS[1]
READERS = {"read_logistic": ("logistic regression", "D"), "read_neighbours": ("nearest neighbours", "o")}
KINDS = {
    "link_auc": ("all pairs", "0.3"),
    "link_auc_same": ("same group", SAME),
    "link_auc_different": ("different groups", DIFFERENT),
}
LETTERS = 24  # of a line of a name


class Reported(Protocol):
    """What is drawn of a report."""

    @property
    def attribute(self) -> str:
        """The column."""
        ...

    @property
    def hidden(self) -> int:
        """How many hidden links were told."""
        ...

    @property
    def table(self) -> pd.DataFrame:
        """One row an embedding."""
        ...

    @property
    def group_pairs(self) -> pd.DataFrame:
        """One row for two groups."""
        ...


def draw_fairness(report: Reported, path: str | os.PathLike[str]) -> None:
    """A row for each embedding. Panels: mean probability of each two groups, over all pairs and among links (a dot for
    two groups, a bar for the mean); how well the attribute is read; and the AUC on hidden links, if there are any.
    """
    names = list(report.table.index)
    panels = 3 + ("link_auc" in report.table)
    figure = make_figure(1.6 + 3.1 * panels, 2.0 + 0.75 * len(names))
    axes = figure.subplots(1, panels, sharey=True)
    links = "of hidden links" if report.hidden else "of links"
    for panel, column, pairs in zip(axes, ("probability", "opportunity"), ("of all pairs", links), strict=False):
        _draw_groups(panel, report, column)
        panel.set_title(f"predicted probability\n{pairs}", size=10)
    _draw_readings(axes[2], report)
    if panels > 3:
        _draw_accuracy(axes[3], report.table)
    axes[0].set_yticks(range(len(names)), [literal(_broken(name)) for name in names])
    axes[0].set_ylim(len(names) - 0.45, -0.55)
    for panel in axes:
        _tidy(panel, len(names))
    write_figure(figure, path)


def _draw_groups(panel: Any, report: Reported, column: str) -> None:
    """Groups with themselves above the line of an embedding, two different groups below it."""
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
    _explain(panel)


def _draw_readings(panel: Any, report: Reported) -> None:
    """Against what somebody tells who knows the largest group only."""
    rows = range(len(report.table))
    panel.axvline(
        report.table["read_nothing"].iloc[0], color="0.45", linewidth=1, linestyle="--", label="largest group"
    )
    for place, (column, (label, marker)) in enumerate(READERS.items()):
        heights = [row + 0.24 * place - 0.12 for row in rows]
        panel.scatter(report.table[column], heights, s=34, marker=marker, color=PRINT_COLOURS[2 + place], label=label)
    panel.set_xlim(-0.03, 1.03)
    panel.set_title(literal(f"{report.attribute} told rightly\nfrom the vectors"), size=10)
    _explain(panel)


def _draw_accuracy(panel: Any, table: pd.DataFrame) -> None:
    """How well hidden links are found."""
    for place, (column, (label, colour)) in enumerate(KINDS.items()):
        heights = [row + 0.2 * (place - 1) for row in range(len(table))]
        panel.scatter(table[column], heights, s=34, marker="s", color=colour, label=label)
    least = float(table[list(KINDS)].fillna(0.5).to_numpy().min())
    panel.set_xlim(min(0.5, least - 0.03), 1.02)
    panel.set_title("AUC on\nhidden links", size=10)
    _explain(panel)


def _explain(panel: Any) -> None:
    panel.legend(loc="upper center", bbox_to_anchor=(0.5, -0.13), frameon=False, fontsize=8, handlelength=1.2)


def _tidy(panel: Any, rows: int) -> None:
    for row in range(1, rows):
        panel.axhline(row - 0.5, color="0.85", linewidth=0.8, zorder=0)
    panel.grid(axis="x", color="0.92", linewidth=0.8)
    panel.set_axisbelow(True)
    panel.spines[["top", "right", "left"]].set_visible(False)
    panel.tick_params(axis="y", length=0)


def _broken(name: str) -> str:
    """A name in lines that are not too long, broken after a comma, a plus or a blank."""
    lines = [""]
    for piece in name.replace("+", "+\0").replace(" ", " \0").split("\0"):
        if lines[-1] and len(lines[-1] + piece) > LETTERS:
            lines.append("")
        lines[-1] += piece
    return "\n".join(line.strip() for line in lines)


# ---- Probabilities, averaged over the pairs of nodes that two groups have: all pairs, or a sample of a large network


ALL_PAIRS, DRAWN_PAIRS = 5_000_000, 2_000_000  # all are looked at up to 3,162 nodes; of more, so many pairs are drawn
PAIRS_AT_ONCE = 100_000  # in 64 dimensions 50 MB


@dataclass(frozen=True, eq=False)
class Groups:
    """Nodes by the values of a column: `codes` numbers the group of each node, -1 where it has none.

    Two groups, or a group with itself, are a *cell*: (0, 0), (0, 1), ..., (1, 1), (1, 2), ...

    >>> groups = Groups(np.array([0, 1, 1, -1]), ["left", "right"])
    >>> groups.ends, groups.pair_counts.tolist()
    ((array([0, 0, 1]), array([0, 1, 1])), [0, 2, 1])
    >>> groups.cell_of(np.array([1, 2]), np.array([0, 1])).tolist()
    [1, 2]
    """

    codes: IntegerArray
    values: list[Any]

    @property
    def nodes(self) -> Int64Array:
        """The numbers of the nodes that have a value."""
        return np.flatnonzero(self.codes >= 0)

    @cached_property
    def sizes(self) -> Int64Array:
        """Number of nodes of each group."""
        return np.bincount(self.codes[self.nodes], minlength=len(self.values))

    @cached_property
    def ends(self) -> tuple[Int64Array, Int64Array]:
        """The two groups of each cell."""
        first, second = np.triu_indices(len(self.values))
        return first, second

    @property
    def same(self) -> BoolArray:
        """Which cells are a group with itself."""
        return np.asarray(self.ends[0] == self.ends[1])

    @cached_property
    def pair_counts(self) -> Int64Array:
        """How many pairs of nodes each cell has."""
        first, second = self.ends
        return np.asarray(self.sizes[first] * (self.sizes[second] - self.same) // np.where(self.same, 2, 1))

    def cell_of(self, first: IntegerArray, second: IntegerArray) -> Int64Array:
        """The cell of each pair of nodes, both of which have a value."""
        cells = np.empty((len(self.values),) * 2, dtype=np.int64)
        cells[self.ends] = cells[self.ends[::-1]] = np.arange(len(self.ends[0]))
        return np.asarray(cells[self.codes[first], self.codes[second]])

    def among(self, pairs: IntegerArray) -> IntegerArray:
        """Those pairs of node numbers, one a row, of which both ends have a value."""
        return np.asarray(pairs[(self.codes[pairs] >= 0).all(axis=1)])


class Means(NamedTuple):
    """Mean probability of the pairs of each cell, NaN where there are none; `error` is 0 where all were looked at."""

    pairs: Int64Array
    mean: Float64Array
    error: Float64Array

    def over(self, cells: BoolArray) -> tuple[float, float]:
        """Mean over all pairs of these cells together, and its standard error."""
        chosen = cells & (self.pairs > 0)
        share = self.pairs[chosen] / max(self.pairs[chosen].sum(), 1)
        if not len(share):
            return float("nan"), float("nan")
        return float(share @ self.mean[chosen]), float(np.sqrt(np.square(share * self.error[chosen]).sum()))


def means_of_all(embedding: Embedding, groups: Groups, seed: int = 0) -> Means:
    """Mean of P_uv over all pairs of each cell, whether linked or not: exact up to 5,000,000 pairs.

    Of a larger network 2,000,000 pairs are drawn, as many in each cell. Few pairs have most of the probability, and
    most of those are linked, so the links are looked at one by one, and only the other pairs are drawn:

        mean  =  (sum over links of P  +  number of other pairs * mean of P over those drawn) / number of pairs
    """
    if groups.pair_counts.sum() <= ALL_PAIRS:
        blocks = (_tally(embedding, groups, first, second) for first, second in _blocks(groups.nodes))
        total = sum((block.total for block in blocks), np.zeros(len(groups.pair_counts)))
        return Means(groups.pair_counts, _divided(total, groups.pair_counts), np.zeros(len(total)))
    links = _tally(embedding, groups, *groups.among(embedding.network.links()).T)
    drawn = _tally(embedding, groups, *_draw_others(embedding.network, groups, seed))
    others = groups.pair_counts - links.pairs
    mean = np.where(others > 0, drawn.mean, 0.0)
    total = links.total + others * mean
    error = np.where(others > 0, others * drawn.error, 0.0)
    return Means(groups.pair_counts, _divided(total, groups.pair_counts), _divided(error, groups.pair_counts))


def means_of_listed(embedding: Embedding, groups: Groups, pairs: IntegerArray) -> Means:
    """Mean of P_uv over these pairs of node numbers, one a row, by cell; nodes without a value are left out."""
    tally = _tally(embedding, groups, *groups.among(pairs).T)
    return Means(tally.pairs, tally.mean, np.zeros(len(tally.pairs)))


class _Tally(NamedTuple):
    """Pairs, and sums of their probabilities and of the squares of these, by cell."""

    pairs: Int64Array
    total: Float64Array
    squares: Float64Array

    @property
    def mean(self) -> Float64Array:
        return _divided(self.total, self.pairs)

    @property
    def error(self) -> Float64Array:
        """Standard error of the mean, if the pairs were drawn."""
        variance = np.maximum(_divided(self.squares, self.pairs) - np.square(self.mean), 0.0)
        return np.sqrt(_divided(variance, np.maximum(self.pairs - 1, 1)))


def _tally(embedding: Embedding, groups: Groups, first: IntegerArray, second: IntegerArray) -> _Tally:
    """Some pairs at a time, so that no array is large."""
    cells = len(groups.pair_counts)
    count, total, squares = np.zeros(cells, dtype=np.int64), np.zeros(cells), np.zeros(cells)
    for begin in range(0, len(first), PAIRS_AT_ONCE):
        some = first[begin : begin + PAIRS_AT_ONCE], second[begin : begin + PAIRS_AT_ONCE]
        cell, chance = groups.cell_of(*some), probability(embedding.log_odds_of(*some))
        count += np.bincount(cell, minlength=cells)
        total += np.bincount(cell, chance, minlength=cells)
        squares += np.bincount(cell, np.square(chance), minlength=cells)
    return _Tally(count, total, squares)


def _blocks(nodes: Int64Array) -> Iterator[tuple[Int64Array, Int64Array]]:
    """All pairs of these nodes, each once, some rows of the triangle at a time."""
    step = max(PAIRS_AT_ONCE // max(len(nodes), 1), 1)
    for begin in range(0, len(nodes), step):
        rows, others = np.arange(begin, min(begin + step, len(nodes))), np.arange(begin, len(nodes))
        first, second = np.nonzero(others[None, :] > rows[:, None])
        yield nodes[begin + first], nodes[begin + second]


def _draw_others(network: Network, groups: Groups, seed: int) -> tuple[Int64Array, Int64Array]:
    """Pairs without a link, as many draws in each cell, uniform within it."""
    random = np.random.default_rng(seed)
    order = np.argsort(groups.codes, kind="stable")[-len(groups.nodes) :]  # the groups one after the other
    begin = np.concatenate([[0], np.cumsum(groups.sizes)])
    cell = np.repeat(np.arange(len(groups.pair_counts)), DRAWN_PAIRS // len(groups.pair_counts))
    ends = [group[cell] for group in groups.ends]
    first, second = (order[begin[end] + (random.random(len(cell)) * groups.sizes[end]).astype(int)] for end in ends)
    kept = (first != second) & ~network.are_linked(first, second)
    return first[kept], second[kept]


def _divided(total: Float64Array, count: Int64Array) -> Float64Array:
    """NaN where there is nothing to divide by."""
    return np.asarray(np.divide(total, count, out=np.full(len(total), np.nan), where=count > 0))


# ---- How well a column of the nodes can be read from their vectors, by somebody who knows it of most nodes -----------


Reader = Literal["logistic", "neighbours"]

FOLDS = 5
NEIGHBOURS = 10
MOST_NODES = 20_000  # of a larger network so many are drawn: that leaves a standard error of at most .004


class Reading(NamedTuple):
    """Share of the nodes whose group is told rightly, and AUC: mean over groups of telling it from all others."""

    accuracy: float
    auc: float


def read_attribute(vectors: npt.ArrayLike, codes: IntegerArray, reader: Reader, seed: int = 0) -> Reading:
    """How well the groups of nodes, numbered 0, 1, ..., can be told from vectors, one row a node.

    Nodes are dealt to five folds, each group evenly; the group of each is told by somebody who knows it of the other
    folds: by logistic regression (coordinates of variance 1, an L2 penalty of 1) or by the ten nearest neighbours.

    >>> vectors = np.concatenate([np.zeros((20, 2)), np.ones((20, 2))])
    >>> read_attribute(vectors, np.repeat([0, 1], 20), "logistic")
    Reading(accuracy=1.0, auc=1.0)
    """
    chosen = _drawn(len(codes), seed)
    x, y = np.asarray(vectors, dtype=np.float64)[chosen], np.unique(np.asarray(codes)[chosen], return_inverse=True)[1]
    fold = deal(y, seed)
    with _one_thread():
        chances = _told(_scaled(x) if reader == "logistic" else x, y, fold, reader)
    return Reading(float((chances.argmax(axis=1) == y).mean()), _mean_auc(chances, y, fold))


def largest_share(codes: IntegerArray) -> float:
    """How often somebody is right who knows nothing but which group is the largest."""
    return float(np.bincount(codes).max() / len(codes))


def deal(codes: IntegerArray, seed: int = 0) -> Int64Array:
    """The fold of each node: one after the other, group by group, shuffled within.

    >>> np.bincount(deal(np.repeat([0, 1], [10, 5]))).tolist()
    [3, 3, 3, 3, 3]
    """
    shuffled = np.random.default_rng(seed).permutation(len(codes))
    order = shuffled[np.argsort(codes[shuffled], kind="stable")]
    fold = np.empty(len(codes), dtype=np.int64)
    fold[order] = np.arange(len(codes)) % FOLDS
    return fold


def _drawn(count: int, seed: int) -> Int64Array:
    """All, or some of many, in order."""
    return np.sort(np.random.default_rng(seed).permutation(count)[:MOST_NODES])


def _scaled(x: Float64Array) -> Float64Array:
    """Each coordinate with mean 0 and variance 1; one that is the same for all nodes says nothing, and stays 0."""
    spread = x.std(axis=0)
    return np.asarray((x - x.mean(axis=0)) / np.where(spread > 0, spread, 1.0))


def _told(x: Float64Array, y: IntegerArray, fold: IntegerArray, reader: Reader) -> Float64Array:
    """Chance of each group for each node, told without knowing the group of the nodes in its fold."""
    chances = np.zeros((len(y), int(y.max()) + 1))
    for number in np.unique(fold):
        asked, known = fold == number, fold != number
        groups = np.unique(y[known])
        if len(groups) < 2:  # who knows one group only will always name it
            chances[np.ix_(asked, groups)] = 1.0
            continue
        model = _model(reader, int(known.sum())).fit(x[known], y[known])
        chances[np.ix_(asked, groups)] = model.predict_proba(x[asked]).round(9)  # equal but for rounding is a tie
    return chances


def _model(reader: Reader, known: int) -> Any:
    if reader == "logistic":
        from sklearn.linear_model import LogisticRegression

        return LogisticRegression(max_iter=1000)
    from sklearn.neighbors import KNeighborsClassifier

    return KNeighborsClassifier(min(NEIGHBOURS, known), algorithm="brute")


def _mean_auc(chances: Float64Array, y: IntegerArray, fold: IntegerArray) -> float:
    """Over folds and groups: chances of different folds come from different models, and are not compared."""
    from netgiven.metrics import auc

    found = [
        auc(truth, chances[fold == number, group])
        for group in range(chances.shape[1])
        for number in np.unique(fold)
        if 0 < (truth := y[fold == number] == group).sum() < len(truth)
    ]
    return float(np.mean(found)) if found else float("nan")


@contextmanager
def _one_thread() -> Iterator[None]:
    """The same numbers on any number of processors."""
    from threadpoolctl import threadpool_limits

    with one_blas_thread(), threadpool_limits(1):
        yield


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
