"""Methods that score labels, behind one small interface: they see the network and the labels that are left."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from netgiven.embedding import embed
from netgiven.evaluation.baselines.hadamard import VectorMethod
from netgiven.evaluation.link_methods import describe
from netgiven.labels import Labels
from netgiven.network import Network
from netgiven.priors import Knowledge, blocks, degrees
from netgiven.tasks.labels import predict_labels
from netgiven.types import BoolArray, Float32Array, Float64Array


class LabelMethod(Protocol):
    """Something that gives likely labels high scores."""

    @property
    def name(self) -> str:
        """What it is called in a table."""
        ...

    def score(self, network: Network, labels: Labels, seed: int) -> Float64Array:
        """A score for each node and label, from the network and the labels that are known."""
        ...


@dataclass(frozen=True)
class LabelsAsLinks:
    """The paper's CNE-LP: labels are nodes, and likely ones are near."""

    given: Knowledge = field(default_factory=lambda: degrees() + blocks("kind"))
    settings: dict[str, Any] = field(default_factory=dict)
    details: dict[str, Any] = field(default_factory=dict, compare=False, repr=False)  # of the last run

    @property
    def name(self) -> str:
        """With what is given."""
        return f"labels as links, given {self.given}"

    def score(self, network: Network, labels: Labels, seed: int) -> Float64Array:
        """Log-odds of each label for each node."""
        prediction = predict_labels(network, labels, self.given, seed=seed, progress=False, **self.settings)
        self.details.update(describe(prediction.embedding))
        return prediction.log_odds


@dataclass(frozen=True)
class CommonLabels:
    """The commonest labels for everybody: what any method should beat."""

    name: str = "commonest labels"

    def score(self, network: Network, labels: Labels, seed: int) -> Float64Array:
        """How many nodes have each label."""
        counts = np.bincount(labels.pairs[:, 1], minlength=len(labels.names))
        return np.tile(counts.astype(np.float64), (network.node_count, 1))


@dataclass(frozen=True)
class EmbeddingVectors:
    """The vectors of a conditional embedding, for a regression (the paper's CNE-LR)."""

    given: Knowledge = field(default_factory=degrees)
    settings: dict[str, Any] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """With what is given."""
        return f"netgiven, given {self.given}"

    def vectors(self, network: Network, seed: int) -> Float32Array:
        """Positions of the nodes."""
        return embed(network, self.given, seed=seed, progress=False, **self.settings).positions


@dataclass(frozen=True)
class LabelRegression:
    """A logistic regression a label, on the vectors of the nodes that have labels."""

    method: VectorMethod
    penalty: float = 1.0

    @property
    def name(self) -> str:
        """Of the vectors."""
        return f"{self.method.name}, logistic regression"

    def score(self, network: Network, labels: Labels, seed: int) -> Float64Array:
        """Log-odds by the regressions; the share of a label where all nodes, or none, have it."""
        vectors = self.method.vectors(network, seed).astype(np.float64)
        known = labels.counts > 0
        truth = labels.matrix[np.flatnonzero(known)].toarray()
        columns = [_regress(vectors, known, truth[:, label], self.penalty) for label in range(truth.shape[1])]
        return np.column_stack(columns)


def _regress(vectors: Float64Array, known: BoolArray, truth: BoolArray, penalty: float) -> Float64Array:
    from sklearn.linear_model import LogisticRegression

    if truth.all() or not truth.any():
        return np.full(len(vectors), np.inf if truth.all() else -np.inf)
    model = LogisticRegression(C=1 / penalty, solver="liblinear", random_state=0)
    return np.asarray(model.fit(vectors[known], truth).decision_function(vectors))
