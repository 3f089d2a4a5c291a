"""Labels of nodes that have none, as links that are missing.

Each label becomes a node, linked to the nodes that have it, and the whole is embedded given blocks (nodes and labels)
and degrees: the paper's CNE-LP. A node and a label at a short distance belong together. Of a node without labels the
network tells the position, and the labels are matched to what is known of them:

    logit P(i has k)  =  u_i + b_k - stiffness / 2 |x_i - y_k|^2

with b_k such that label k gets, among the nodes without labels, the share that it has among the nodes with labels, and
u_i such that a node gets as many labels as these have on average. It is the maximum entropy distribution again, with
the distances given.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from netgiven.embedding import Embedding, embed
from netgiven.errors import InputError
from netgiven.fitting.selection import Dials, Effort, FitPriors
from netgiven.labels import Labels, with_labels
from netgiven.metrics import likeliest_labels, micro_f1
from netgiven.model import Spread, probability
from netgiven.network import Network
from netgiven.node_index import find_nodes
from netgiven.priors import Knowledge, Prior, blocks, degrees
from netgiven.splits import LabelSplit, hide_labels
from netgiven.types import Float32Array, Float64Array

HIDDEN = 0.4  # of the labelled nodes, to choose settings by
FEWEST = 30  # of them, below which a grade says nothing
ENOUGH, MOST_CONTESTS = 4_000, 5
FITS = 4
STEPS = 300  # twice the usual number: labels have few links, and profit from a fit that has come to rest
ROUNDS = 200
PRECISION = 1e-6


@dataclass(frozen=True, eq=False)
class LabelPrediction:
    """Probabilities of labels: `log_odds` has one row a node, one column a label.

    `embedding` holds the nodes, numbered as in the network, and after them the labels.
    """

    labels: Labels
    embedding: Embedding
    log_odds: Float64Array

    @property
    def probabilities(self) -> Float64Array:
        """P(node i has label k)."""
        return np.asarray(probability(self.log_odds))

    def likely(self, nodes: Iterable[Hashable] | None = None, count: int = 3) -> pd.DataFrame:
        """The `count` likeliest labels of each node that are not known yet, likeliest first.

        Unless told which nodes: those without labels.
        """
        if not isinstance(count, (int, np.integer)) or count < 1:
            raise InputError(f"The {count} likeliest labels were asked for; a whole number of at least 1 is needed.")
        numbers = np.flatnonzero(self.labels.counts == 0) if nodes is None else find_nodes(self.labels.nodes, nodes)
        scores = np.where(self.labels.matrix[numbers].toarray(), -np.inf, self.log_odds[numbers])
        order = np.argsort(-scores, axis=1, kind="stable")[:, :count]
        rows = np.repeat(numbers, order.shape[1])
        kept = np.take_along_axis(scores, order, axis=1).ravel() > -np.inf
        rows, columns = rows[kept], order.ravel()[kept]
        told = {"node": self.labels.nodes[rows], "label": self.labels.names[columns]}
        return pd.DataFrame({**told, "probability": probability(self.log_odds[rows, columns])})


def predict_labels(
    network: Network, labels: Labels, given: Knowledge | str | None = None, **settings: Any
) -> LabelPrediction:
    """Embed nodes and labels together, and read off how likely each label is for each node.

    `given` is `degrees() + blocks("kind")` unless told; the column `kind` tells labels, nodes with and nodes without
    a label apart. The settings are those of `embed`; those left open are chosen on hidden labels.

    >>> ring = Network.from_edges([(i, (i + 1) % 5) for i in range(5)] + [(i + 5, (i + 1) % 5 + 5) for i in range(5)])
    >>> labels = Labels.from_pairs(ring.nodes, [(0, "left"), (1, "left"), (6, "right"), (7, "right")])
    >>> predict_labels(ring, labels, dimensions=2).likely([3, 8], count=1)["label"].tolist()
    ['left', 'right']
    """
    knowledge = degrees() + blocks("kind") if given is None else given

    def contests(_: Network, fit_priors: FitPriors, seed: int) -> list[HiddenLabels]:
        return hidden_labels(network, labels, fit_priors, seed)

    settings = {"steps": STEPS, "contests": contests, **settings}
    embedding = embed(with_labels(network, labels), knowledge, **settings)
    nearness = np.mean([label_nearness(*fit, labels) for fit in _fits(embedding, settings)], axis=0)
    return LabelPrediction(labels, embedding, label_log_odds(nearness, embedding.prior, labels))


def _fits(embedding: Embedding, settings: dict[str, Any]) -> Iterator[tuple[Float32Array, Spread]]:
    """Positions of the embedding, and of others with the same settings from other starts.

    Labels have few links, so that where they come to lie is partly chance; the mean of several log-odds is less so.
    """
    yield embedding.positions, embedding.spread
    same = {"dimensions": embedding.dimensions, "spread": embedding.spread}
    same |= {"shrinkage": embedding.settings["shrinkage"], "start": "random"}
    for more in range(1, FITS):
        again = {**settings, **same, "seed": embedding.settings["seed"] + more}
        yield embed(embedding.network, embedding.prior, **again).positions, embedding.spread


@dataclass(frozen=True)
class HiddenLabels:
    """Some labelled nodes lose their labels; the grade is how high these rank among all labels."""

    split: LabelSplit
    train: Network
    prior: Prior
    middle: ClassVar[Dials] = {"dimensions": 16, "reach": 3.0, "shrinkage": 0.3}
    effort: ClassVar[Effort] = Effort(steps=40, samples=256)  # labels are few, and their grades vary more

    @property
    def margin(self) -> float:
        """A third of the standard error of a share of all hidden nodes, since the same nodes are graded each time."""
        return float(0.5 / 3 / max(len(self.split.nodes), ENOUGH) ** 0.5)

    def grade(self, positions: Float32Array, spread: Spread) -> float:
        """The mean of micro-F1, which looks at the top of a node's ranking of labels, and average precision along it.

        The first is what people look at, and varies by chance; the second varies less, and tells less.
        """
        nearness = label_nearness(positions, spread, self.split.train)[self.split.nodes]
        return self._quality(matched(nearness, label_shares(self.split.train)))

    def gain(self, positions: Float32Array, spread: Spread) -> tuple[float, float]:
        """Above naming the commonest labels for everybody."""
        alone = np.tile(label_shares(self.split.train), (len(self.split.nodes), 1))
        return self.grade(positions, spread) - self._quality(alone), 0.0

    def _quality(self, scores: Float64Array) -> float:
        from sklearn.metrics import label_ranking_average_precision_score

        truth = self.split.truth
        top = micro_f1(truth, likeliest_labels(scores, truth.sum(axis=1)))
        return float(top + label_ranking_average_precision_score(truth, scores)) / 2


def hidden_labels(network: Network, labels: Labels, fit_priors: FitPriors, seed: int) -> list[HiddenLabels]:
    """Several contests, fewer where many nodes have labels, none where few do."""
    hidden = int(HIDDEN * (labels.counts > 0).sum())
    if hidden < FEWEST:
        return []
    count = min(-(-ENOUGH // hidden), MOST_CONTESTS)
    splits = [hide_labels(labels, HIDDEN, seed + more) for more in range(count)]
    trains = [with_labels(network, split.train) for split in splits]
    return [HiddenLabels(split, train, fit_priors(train).train) for split, train in zip(splits, trains, strict=True)]


def label_nearness(positions: Float32Array, spread: Spread, labels: Labels) -> Float64Array:
    """What the embedding adds to the log-odds of each label (after the nodes in `positions`) for each node."""
    nodes = len(labels.nodes)
    place, target = positions[:nodes].astype(np.float64), positions[nodes:].astype(np.float64)
    squared = np.square(place).sum(1)[:, None] + np.square(target).sum(1) - 2 * np.einsum("id,kd->ik", place, target)
    return np.asarray(spread.reach(positions.shape[1]) - spread.stiffness / 2 * squared)


def label_log_odds(nearness: Float64Array, prior: Prior, labels: Labels) -> Float64Array:
    """Log-odds of each label for each node: by the prior where labels are known, matched where none is."""
    known = labels.counts > 0
    z = np.empty_like(nearness)
    z[~known] = matched(nearness[~known], label_shares(labels))
    first, second = np.flatnonzero(known)[:, None], len(known) + np.arange(len(labels.names))[None, :]
    z[known] = nearness[known] + prior.log_odds_of(first, second)
    return z


def label_shares(labels: Labels) -> Float64Array:
    """The share of the labelled nodes that have each label, kept half a node away from 0 and 1."""
    labelled = int((labels.counts > 0).sum())
    counts = np.bincount(labels.pairs[:, 1], minlength=len(labels.names))
    return np.asarray(np.clip(counts, 0.5, labelled - 0.5) / max(labelled, 1))


def matched(scores: Float64Array, shares: Float64Array) -> Float64Array:
    """Scores + u_i + b_k, such that probabilities of label k average to its share, and of each node sum alike.

    With a single label there is nothing to share out among labels, and u stays 0.

    >>> z = matched(np.array([[1.0, 0.0], [0.0, 0.0]]), np.array([0.5, 0.25]))
    >>> probability(z).mean(axis=0).round(6), probability(z).sum(axis=1).round(6)
    (array([0.5 , 0.25]), array([0.75, 0.75]))
    """
    own, label = (
        np.zeros(scores.shape[0]),
        np.log(shares / (1 - shares)) - (scores.mean(axis=0) if len(scores) else 0.0),
    )
    for _ in range(ROUNDS if len(scores) else 0):
        chance = probability(scores + own[:, None] + label)
        label += _newton(shares * len(scores) - chance.sum(axis=0), (chance * (1 - chance)).sum(axis=0))
        if len(shares) > 1:
            chance = probability(scores + own[:, None] + label)
            own += _newton(shares.sum() - chance.sum(axis=1), (chance * (1 - chance)).sum(axis=1))
        if np.abs(probability(scores + own[:, None] + label).mean(axis=0) - shares).max() < PRECISION:
            break
    return np.asarray(scores + own[:, None] + label)


def _newton(missing: Float64Array, curvature: Float64Array) -> Float64Array:
    """A step of Newton's, at most 1: where probabilities are all but certain, the curvature says nothing."""
    return np.clip(missing / np.maximum(curvature, 1e-12), -1.0, 1.0)
