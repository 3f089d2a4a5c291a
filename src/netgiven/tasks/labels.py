"""Predict the labels of nodes: as links between nodes and labels, by a classifier, or by the average of both.

Which of them is best on hidden labels is used. The classifier is in `netgiven.tasks.node_classifier`.

Labels as links: each label becomes a node that is linked to the nodes that have it, and the whole network is embedded
given blocks (nodes and labels) and degrees: the paper's CNE-LP. A label is likely for the nodes near it. The position
of a node without labels comes from its links, and its log-odds are matched to the frequencies of labels:

    logit P(i has k)  =  u_i + b_k - stiffness / 2 |x_i - y_k|^2

with b_k such that label k is as frequent among the nodes without labels as among those with labels, and u_i such that
the expected number of labels of a node is the mean number of labels of labelled nodes. This is again a maximum entropy
distribution, with the distances given.

The log-odds of a classifier are matched in the same way. Scores of rare labels vary too little, as they are learned
from few nodes: before they are matched, scores of label k are multiplied by (share of k / largest share)^-rarity, with
the rarity that is best on held-out labels.

These probabilities are too even, because settings are chosen for the order of labels. So log-odds are divided by a
temperature, and u_i is matched again. The temperature is the one with which held-out labels are likeliest; the order of
the labels of a node stays as it is.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from os import PathLike
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from netgiven.edges import counted
from netgiven.embedding import Embedding, fit_embedding
from netgiven.errors import InputError
from netgiven.fitting.selection import Hyperparameters, Prediction, TrialBudget
from netgiven.fitting.settings import Settings
from netgiven.io.read import as_network, read_labels
from netgiven.labels import Labels, align_labels, as_labels, with_labels
from netgiven.metrics import likeliest_labels, micro_f1
from netgiven.model import Spread, probability
from netgiven.network import Network, whole_numbers
from netgiven.node_index import find_nodes
from netgiven.priors import Knowledge, Prior, blocks, degrees
from netgiven.priors.knowledge import GivenKnowledge
from netgiven.splits import LabelSplit, hide_labels
from netgiven.tasks.node_classifier import (
    CLASSIFIERS,
    NodeClassifier,
    NodeFeatures,
    candidates,
    embed_nodes,
    label_score,
)
from netgiven.types import BoolArray, Float32Array, Float64Array

SHARE_HELD_OUT = 0.4  # of the labelled nodes, to choose settings
MIN_NODES = 30  # held out; with fewer, a score is not reliable
ENOUGH_NODES, MAX_SPLITS = 4_000, 5  # more splits are made until this many nodes are held out
FITS = 4  # whose log-odds are averaged
MAX_STEPS = 300  # twice the usual number: labels have few links, and need a fit that has converged
ROUNDS = 200  # of matching, at most
PRECISION = 1e-6  # of the matched shares
MAX_TEMPERATURE = 10.0  # and the smallest is one over this
SPLITS_OF_WAYS = 3  # at most, to choose between ways
RARITIES = (0.0, 0.1)
WAYS = {"links": "labels as links", "classifier": "a classifier of nodes", "average": "the average of both"}


@dataclass(frozen=True, eq=False)
class LabelPrediction:
    """Predicted probabilities of labels.

    Attributes
    ----------
    labels
        The labels that were given.
    embedding
        The embedding of all nodes, in the order of the network, followed by the labels; with the method "classifier",
        that of the nodes alone.
    log_odds
        One row per node, one column per label.
    temperature
        What the log-odds of nodes without labels were divided by, chosen on held-out labels; 1 where too few nodes
        have labels to hold some out.
    rarity
        The power of one over its share by which the log-odds of a rare label were multiplied before; chosen in the same
        way, otherwise 0.
    method
        How labels were predicted: "links", "classifier" or "average".
    scores
        The mean of micro-F1 and macro-F1 of each way that was tried, on held-out labels; empty where too few nodes have
        labels to hold some out.
    """

    labels: Labels
    embedding: Embedding
    log_odds: Float64Array
    temperature: float = 1.0
    rarity: float = 0.0
    method: str = "links"
    scores: Mapping[str, float] = field(default_factory=dict)

    def __repr__(self) -> str:
        without = counted(int(np.count_nonzero(self.labels.counts == 0)), "node")
        return f"LabelPrediction from {self.labels}; {without} without labels; {self.reason}"

    @property
    def reason(self) -> str:
        """How labels were predicted, and the scores on held-out labels."""
        scores = ", ".join(f"{name} {score:.3f}" for name, score in self.scores.items())
        known = f"mean of micro- and macro-F1 on held-out labels: {scores}" if scores else "no labels were held out"
        return f"by {WAYS[self.method]} ({known})"

    @property
    def probabilities(self) -> Float64Array:
        """P(node i has label k): one row per node, one column per label."""
        return np.asarray(probability(self.log_odds))

    def likely(self, nodes: Iterable[Hashable] | None = None, count: int = 3) -> pd.DataFrame:
        """The likeliest labels of nodes, without those that were given.

        Parameters
        ----------
        nodes
            Names of nodes; by default, all nodes without labels.
        count
            The largest number of labels per node.

        Returns
        -------
        pandas.DataFrame
            Columns `node`, `label` and `probability`, likeliest labels of each node first.

        Raises
        ------
        InputError
            If `count` is not a whole number of at least 1.
        """
        if not isinstance(count, (int, np.integer)) or count < 1:
            raise InputError(f"The {count} likeliest labels were asked for; a whole number of at least 1 is needed.")
        numbers = np.flatnonzero(self.labels.counts == 0) if nodes is None else find_nodes(self.labels.nodes, nodes)
        scores = np.where(self.labels.matrix[numbers].toarray(), -np.inf, self.log_odds[numbers])
        order = np.argsort(-scores, axis=1, kind="stable")[:, :count]
        rows = np.repeat(numbers, order.shape[1])
        kept = np.take_along_axis(scores, order, axis=1).ravel() > -np.inf
        rows, columns = rows[kept], order.ravel()[kept]
        return pd.DataFrame(
            {
                "node": self.labels.nodes[rows],
                "label": self.labels.names[columns],
                "probability": probability(self.log_odds[rows, columns]),
            }
        )


def predict_labels(
    network: Any,
    labels: Any,
    given: Knowledge | str | None = None,
    *,
    method: str = "auto",
    settings: Settings | None = None,
    threads: int | None = None,
    progress: bool | None = None,
) -> LabelPrediction:
    """Predict the labels of nodes from the network and the labels of other nodes.

    Nodes and labels are embedded together, see the formula in `netgiven.tasks.labels`; nodes are classified by their
    vectors, their links and the labels around them, see `netgiven.tasks.node_classifier`; or both are averaged.

    Parameters
    ----------
    network
        The network, or anything else that `embed` takes as one.
    labels
        The known labels of its nodes: `Labels`, a mapping of a node to its label or a list of them, a data frame
        with the columns `node` and `label`, the name of a node column (nodes without a value have no label), or a file
        as for `read_labels`. Nodes with labels and without links are added to the network.
    given
        What is known, for labels as links; by default `degrees() + blocks("kind")`. The column "kind" distinguishes
        labels, nodes with labels, and nodes without. The classifier always embeds nodes given their degrees.
    method : {"auto", "links", "classifier", "average"}
        How: labels as links, a classifier of nodes, or the average of their log-odds. "auto" takes what is best on
        held-out labels, and the average where too few nodes have labels to hold some out.
    settings
        Settings of the fit of labels as links; those left open are chosen on held-out labels. The classifier takes the
        seed only.
    threads
        The number of threads, all processors if None; the result is the same.
    progress
        Whether to show progress; by default, if standard error is a terminal.

    Returns
    -------
    LabelPrediction
        Log-odds and probabilities of each label for each node.

    Raises
    ------
    InputError
        If there are no labels, none of the nodes with labels is in the network, or `method` is not one of the four.

    Examples
    --------
    >>> ring = Network.from_edges([(i, (i + 1) % 5) for i in range(5)] + [(i + 5, (i + 1) % 5 + 5) for i in range(5)])
    >>> labels = Labels.from_pairs(ring.nodes, [(0, "left"), (1, "left"), (6, "right"), (7, "right")])
    >>> predict_labels(ring, labels, settings=Settings(dimensions=2)).likely([3, 8], count=1)["label"].tolist()
    ['left', 'right']
    """
    check_method(method)
    knowledge = degrees() + blocks("kind") if given is None else given
    network = as_network(network)
    network, labels = align_labels(network, as_labels(network, _find_labels(network, labels)))
    wanted = settings or Settings()
    # labels as links chose their settings on the first splits, and would look too good on these
    seed = wanted.seed if method == "links" else wanted.seed + MAX_SPLITS
    splits = held_out_labels(network, labels, GivenKnowledge(knowledge, knowledge), seed, SPLITS_OF_WAYS)
    task = _Task(network, labels, knowledge, wanted, splits, threads, progress)
    ways, embedding = _ways(task, method)
    scores = {name: _mean_score(splits, way.hidden) for name, way in ways.items() if splits}
    chosen = method if method in ways else max(scores, key=scores.__getitem__, default="average")
    way = ways[chosen]
    return LabelPrediction(labels, embedding, way.log_odds, way.temperature, way.rarity, chosen, scores)


@dataclass(frozen=True, eq=False)
class _Task:
    """What each way of predicting labels gets."""

    network: Network
    labels: Labels
    knowledge: Knowledge | str
    settings: Settings
    splits: Sequence[HeldOutLabels]
    threads: int | None
    progress: bool | None


@dataclass(frozen=True, eq=False)
class _Way:
    """The result of one way of predicting labels: log-odds of all nodes, and of those with held-out labels."""

    log_odds: Float64Array
    temperature: float
    rarity: float
    hidden: list[Float64Array]


def _mean_score(splits: Sequence[HeldOutLabels], hidden: Iterable[Float64Array]) -> float:
    return float(np.mean([label_score(one.split.truth, z) for one, z in zip(splits, hidden, strict=True)]))


def _ways(task: _Task, method: str) -> tuple[dict[str, _Way], Embedding]:
    """The ways that a method needs, and an embedding: that of nodes and labels, if there is one."""
    if method == "links":
        links, embedding = _by_links(task)
        return {"links": links}, embedding
    classifier, of_nodes = _by_classifier(task)
    if method == "classifier":
        return {"classifier": classifier}, of_nodes
    links, embedding = _by_links(task)
    average = _calibrated(
        task,
        (links.log_odds + classifier.log_odds) / 2,
        [(one + other) / 2 for one, other in zip(links.hidden, classifier.hidden, strict=True)],
    )
    return {"links": links, "classifier": classifier, "average": average}, embedding


def _by_links(task: _Task) -> tuple[_Way, Embedding]:
    def validation(_: Network, given: GivenKnowledge, seed: int) -> list[HeldOutLabels]:
        return held_out_labels(task.network, task.labels, given, seed)

    wanted = replace(task.settings, max_steps=task.settings.max_steps or MAX_STEPS)
    both = with_labels(task.network, task.labels)
    embedding = fit_embedding(
        both, task.knowledge, wanted, validation=validation, threads=task.threads, progress=task.progress
    )
    hidden = [_held_out_gain(task, one, embedding, wanted) for one in task.splits]
    gain = np.mean([label_gain(*fit, task.labels) for fit in _fits(embedding, wanted, task.progress)], axis=0)
    way = _calibrated(task, gain, hidden, min_matched=0)
    known = task.labels.counts > 0
    first, second = np.flatnonzero(known)[:, None], len(known) + np.arange(len(task.labels.names))[None, :]
    way.log_odds[known] = gain[known] + embedding.prior.log_odds_of(first, second)
    return way, embedding


def _by_classifier(task: _Task) -> tuple[_Way, Embedding]:
    embedding = embed_nodes(task.network, task.settings.seed, task.threads, task.progress)
    features = NodeFeatures.of(task.network, embedding.positions, embedding.spread.repelling)
    tried = [_hidden_candidates(features, one.split) for one in task.splits]

    def score(classifier: NodeClassifier) -> float:
        pairs = zip(task.splits, tried, strict=True)
        return _mean_score(task.splits, [match_shares(z[classifier], one.shares) for one, z in pairs])

    chosen = max(CLASSIFIERS, key=score) if tried else NodeClassifier()
    return _calibrated(task, chosen.log_odds(features, task.labels), [z[chosen] for z in tried]), embedding


def _hidden_candidates(features: NodeFeatures, split: LabelSplit) -> dict[NodeClassifier, Float64Array]:
    return {classifier: z[split.nodes] for classifier, z in candidates(features, split.train).items()}


def _calibrated(task: _Task, log_odds: Float64Array, hidden: list[Float64Array], min_matched: int = MIN_NODES) -> _Way:
    """Log-odds with the right shares and sums; rarity and temperature are those that suit held-out labels best.

    Where few nodes have no labels, their shares may be any, and only sums are matched.
    """
    rarity, temperature, unknown = 0.0, 1.0, task.labels.counts == 0
    shares = label_shares(task.labels)
    if hidden:
        tried = {
            power: [match_shares(z, one.shares, power) for z, one in zip(hidden, task.splits, strict=True)]
            for power in RARITIES
        }
        rarity = max(tried, key=lambda power: _mean_score(task.splits, tried[power]))
        hidden = tried[rarity]
        truth = np.concatenate([one.split.truth for one in task.splits])
        temperature = best_temperature(np.concatenate(hidden), shares, truth)
        hidden = [match_sums(z / temperature, one.shares) for z, one in zip(hidden, task.splits, strict=True)]
    z = log_odds.copy()
    if unknown.sum() < min_matched:
        rarity = 0.0
    else:
        z[unknown] = match_shares(z[unknown], shares, rarity)
    z[unknown] = match_sums(z[unknown] / temperature, shares)
    return _Way(z, temperature, rarity, hidden)


def check_method(method: str) -> str:
    """The name of a way to predict labels; an InputError if it is none."""
    if method not in ("auto", *WAYS):
        raise InputError(f"method={method!r} was given; labels are predicted by one of: auto, {', '.join(WAYS)}.")
    return method


def _find_labels(network: Network, given: Any) -> Any:
    """The labels in a node column or in a file; anything else as it is."""
    if isinstance(given, str) and given in network.columns:
        values = network.column(given).set_axis(network.nodes).dropna()
        return dict(zip(values.index, whole_numbers(values.tolist()), strict=True))
    if not isinstance(given, (str, PathLike)):
        return given
    try:
        return read_labels(given, network).labels
    except InputError as error:
        columns = ", ".join(map(repr, network.columns)) or "none"
        raise InputError(f"Labels are a node column ({columns}), or a file: {error}") from None


def _held_out_gain(task: _Task, one: HeldOutLabels, embedding: Embedding, settings: Settings) -> Float64Array:
    """What one more fit with the same settings adds to the log-odds of nodes with held-out labels."""
    same = _chosen(embedding, settings)
    fit = fit_embedding(one.train, one.prior, same, threads=embedding.threads, progress=task.progress)
    return label_gain(fit.positions, embedding.spread, one.split.train)[one.split.nodes]


def _fits(embedding: Embedding, settings: Settings, progress: bool | None) -> Iterator[tuple[Float32Array, Spread]]:
    """Positions of the embedding, and of others with the same settings and other random initial positions.

    Labels have few links, so their positions vary between fits; the mean of several log-odds varies less.
    """
    yield embedding.positions, embedding.spread
    same = _chosen(embedding, settings)
    for more in range(1, FITS):
        again = replace(same, init="random", seed=settings.seed + more)
        other = fit_embedding(embedding.network, embedding.prior, again, threads=embedding.threads, progress=progress)
        yield other.positions, embedding.spread


def _chosen(embedding: Embedding, settings: Settings) -> Settings:
    """The settings with nothing left to choose."""
    last = embedding.fit.settings
    return replace(
        settings,
        dimensions=embedding.dimensions,
        reach=embedding.spread,
        shrinkage=last.shrinkage,
        repelling_shrinkage=last.repelling_shrinkage,
    )


@dataclass(frozen=True)
class HeldOutLabels:
    """The labels of some nodes are held out; the score is how high they rank among all labels."""

    split: LabelSplit
    train: Network
    prior: Prior
    initial: ClassVar[Hyperparameters] = {"dimensions": 16, "reach": 3.0, "shrinkage": 0.3}
    predictions: ClassVar[Sequence[Prediction]] = (Prediction(),)
    budget: ClassVar[TrialBudget] = TrialBudget(steps=40, samples=256)  # scores of few labels vary more

    @property
    def min_improvement(self) -> float:
        """A third of the standard error of a share of all held-out nodes; the same nodes are scored each time."""
        return float(0.5 / 3 / max(len(self.split.nodes), ENOUGH_NODES) ** 0.5)

    @property
    def shares(self) -> Float64Array:
        """The share of each label among the nodes that keep their labels."""
        return label_shares(self.split.train)

    def score(self, positions: Float32Array, spread: Spread, uncertainty: float = 0.0) -> float:
        """The mean of micro-F1 and label-ranking average precision.

        The first is the usual measure, but varies more between splits than the second.
        """
        gain = label_gain(positions, spread, self.split.train)[self.split.nodes]
        return self._quality(match_shares(gain, self.shares))

    def gain(self, positions: Float32Array, spread: Spread, uncertainty: float = 0.0) -> tuple[float, float]:
        """The score above that of predicting the most frequent labels for all nodes."""
        alone = np.tile(self.shares, (len(self.split.nodes), 1))
        return self.score(positions, spread) - self._quality(alone), 0.0

    def _quality(self, scores: Float64Array) -> float:
        from sklearn.metrics import label_ranking_average_precision_score

        truth = self.split.truth
        top = micro_f1(truth, likeliest_labels(scores, truth.sum(axis=1)))
        return float(top + label_ranking_average_precision_score(truth, scores)) / 2


def held_out_labels(
    network: Network, labels: Labels, given: GivenKnowledge, seed: int, most: int = MAX_SPLITS
) -> list[HeldOutLabels]:
    """Validation splits, `most` at most: several if few nodes have labels, none if very few do."""
    held_out = int(SHARE_HELD_OUT * (labels.counts > 0).sum())
    if held_out < MIN_NODES:
        return []
    count = min(-(-ENOUGH_NODES // held_out), most)
    splits = [hide_labels(labels, SHARE_HELD_OUT, seed + more) for more in range(count)]
    trains = [with_labels(network, split.train) for split in splits]
    return [HeldOutLabels(split, train, given.fit(train).train) for split, train in zip(splits, trains, strict=True)]


def label_gain(positions: Float32Array, spread: Spread, labels: Labels) -> Float64Array:
    """What the embedding adds to the log-odds of each label (after the nodes in `positions`) for each node."""
    nodes, near = len(labels.nodes), positions.shape[1] - spread.repelling
    node, label = positions[:nodes, :near].astype(np.float64), positions[nodes:, :near].astype(np.float64)
    apart = np.square(node).sum(1)[:, None] + np.square(label).sum(1) - 2 * np.einsum("id,kd->ik", node, label)
    if spread.repelling:
        apart += 2 * positions[:nodes, near:].astype(np.float64) @ positions[nodes:, near:].astype(np.float64).T
    return np.asarray(spread.reach(positions.shape[1]) - spread.stiffness / 2 * apart)


def log_odds_at(prediction: LabelPrediction, positions: Float32Array) -> Float64Array:
    """Log-odds of each label for new nodes at these positions; each node's are independent of the others.

    The b_k are those with which labels are as frequent among all nodes as among those with labels.
    """
    embedding, labels = prediction.embedding, prediction.labels
    shares, gain = label_shares(labels), label_gain(embedding.positions, embedding.spread, labels)
    weight = rarity_weights(shares, prediction.rarity)
    offset = (match_shares(gain, shares, prediction.rarity) - weight * gain).mean(axis=0)
    new = Labels(pd.RangeIndex(len(positions)), labels.names, labels.pairs[:0])
    both = np.concatenate([positions, embedding.positions[len(labels.nodes) :]])
    return match_sums((weight * label_gain(both, embedding.spread, new) + offset) / prediction.temperature, shares)


def label_shares(labels: Labels) -> Float64Array:
    """The share of the labelled nodes that have each label, at least half a node away from 0 and 1."""
    labelled = int((labels.counts > 0).sum())
    counts = np.bincount(labels.pairs[:, 1], minlength=len(labels.names))
    return np.asarray(np.clip(counts, 0.5, labelled - 0.5) / max(labelled, 1))


def rarity_weights(shares: Float64Array, rarity: float) -> Float64Array:
    """What scores of labels are multiplied by: 1 for the most frequent one, more for rare ones.

    >>> rarity_weights(np.array([0.5, 0.05]), 0.1).round(2)
    array([1.  , 1.26])
    """
    return np.asarray((shares / shares.max(initial=0.0)) ** -rarity)


def match_shares(scores: Float64Array, shares: Float64Array, rarity: float = 0.0) -> Float64Array:
    """Add u_i + b_k to scores, so that the mean probability of label k is its share, and all nodes have equal sums.

    With a single label the second condition follows from the first, and u stays 0. Scores of rare labels are multiplied
    by `rarity_weights` before.

    >>> z = match_shares(np.array([[1.0, 0.0], [0.0, 0.0]]), np.array([0.5, 0.25]))
    >>> probability(z).mean(axis=0).round(6), probability(z).sum(axis=1).round(6)
    (array([0.5 , 0.25]), array([0.75, 0.75]))
    """
    own, scores = np.zeros(scores.shape[0]), scores * rarity_weights(shares, rarity)
    label = np.log(shares / (1 - shares)) - (scores.mean(axis=0) if len(scores) else 0.0)
    for _ in range(ROUNDS if len(scores) else 0):
        p = probability(scores + own[:, None] + label)
        label += _newton(shares * len(scores) - p.sum(axis=0), (p * (1 - p)).sum(axis=0))
        if len(shares) > 1:
            p = probability(scores + own[:, None] + label)
            own += _newton(shares.sum() - p.sum(axis=1), (p * (1 - p)).sum(axis=1))
        if np.abs(probability(scores + own[:, None] + label).mean(axis=0) - shares).max() < PRECISION:
            break
    return np.asarray(scores + own[:, None] + label)


def match_sums(scores: Float64Array, shares: Float64Array) -> Float64Array:
    """Add u_i to scores, so that the probabilities of each node have the sum of the shares; their order stays.

    With a single label, a number that is the same for all nodes is added, so that its mean probability is its share.

    >>> probability(match_sums(np.array([[3.0, 0.0], [0.0, 1.0]]), np.array([0.5, 0.25]))).sum(axis=1).round(6)
    array([0.75, 0.75])
    """
    over = 1 if len(shares) > 1 else 0
    total = shares.sum() if over else shares.sum() * len(scores)
    own = np.zeros((len(scores), 1) if over else 1)
    for _ in range(ROUNDS if len(scores) else 0):
        p = probability(scores + own)
        missing = total - p.sum(axis=over, keepdims=True)
        own += _newton(missing, (p * (1 - p)).sum(axis=over, keepdims=True)).reshape(own.shape)
        if np.abs(missing).max() < PRECISION * max(total, 1.0):
            break
    return np.asarray(scores + own)


def best_temperature(log_odds: Float64Array, shares: Float64Array, truth: BoolArray) -> float:
    """The temperature with which the true labels of nodes are likeliest; one row per node.

    >>> sure = np.array([[2.0, 0.0], [2.0, 0.0], [0.0, 2.0], [0.0, 2.0]])
    >>> best_temperature(sure, np.array([0.5, 0.5]), sure > 0) < 1
    True
    """
    from scipy.optimize import minimize_scalar

    def loss(log_temperature: float) -> float:
        z = match_sums(log_odds / np.exp(log_temperature), shares)
        return float((np.logaddexp(0, z) - truth * z).mean())

    widest = np.log(MAX_TEMPERATURE)
    found = minimize_scalar(loss, bounds=(-widest, widest), method="bounded", options={"xatol": 0.01})
    return float(np.exp(found.x))


def _newton(missing: Float64Array, curvature: Float64Array) -> Float64Array:
    """A Newton step of at most 1: where probabilities are almost 0 or 1, the curvature is unreliable."""
    return np.clip(missing / np.maximum(curvature, 1e-12), -1.0, 1.0)
