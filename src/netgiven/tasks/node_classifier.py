"""A classifier of nodes: one logistic regression per label, on what the network says about each node.

Three blocks of features describe a node. The first two have the same mean square length over all nodes, the third has
half of it, because its columns agree with each other more than those of the others do:

- its vector: the position in an embedding given degrees, of which some dimensions repel, and the logarithm of its
  degree;
- its links: one column per node, log(1 + 1/P) for a link that the degrees expect with probability P, so that a link to
  a node with few links says more; the node itself is one of its neighbours; not in networks of more than 30,000 nodes;
- labels around it: how much more frequent each label is among its neighbours, and among theirs, than among all nodes.
  A node's own labels are never counted.

So a node may resemble nodes that are near, nodes that link to the same nodes, and nodes whose neighbours have the same
labels. There are two rounds: in the second, neighbours without labels count with the probabilities that the first one
predicts for them.

The penalty of a label's regression grows with the square root of the number of nodes that have it: with the same one
for all, regressions of rare labels would hardly differ from their shares. Its factor is chosen on hidden labels, and so
is whether dimensions that repel are used.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from netgiven.embedding import Embedding, fit_embedding
from netgiven.fitting.settings import Settings
from netgiven.labels import Labels
from netgiven.metrics import likeliest_labels, macro_f1, micro_f1
from netgiven.model import probability
from netgiven.network import Network
from netgiven.parallel import single_blas_thread
from netgiven.priors import degrees
from netgiven.types import BoolArray, Float32Array, Float64Array, Int64Array

PENALTIES = (30.0, 12.0)  # of a label of mean frequency; tried in this order, each from the weights of the one before
DIMENSIONS, REPELLING, REACH, SHRINKAGE, REPELLING_SHRINKAGE = 128, 32, 4.0, 3.0, 10.0  # of the embedding
ENOUGH = 10_000  # labelled nodes, to choose a penalty
LENGTH = 4.0  # root mean square length of the rows of a block; only its product with the penalty matters
LENGTH_AROUND = LENGTH / 2**0.5  # of the labels around
MAX_ITERATIONS = 40  # of each regression; more change no label
COUNTED_BEFORE = 4.0  # neighbours with labels as frequent as elsewhere, counted before the real ones
MAX_NODES_LINKED = 30_000  # with more, weights for single nodes cost more than everything else together
MAX_LABELS_AROUND = 200  # with more different labels, their shares among neighbours are left out


class FeatureTable(NamedTuple):
    """A table of which the first columns are sparse and the others dense: products of the latter are quick."""

    sparse: sparse.csr_array
    dense: Float64Array

    def rows(self, chosen: Int64Array) -> FeatureTable:
        """Some of the rows."""
        return FeatureTable(self.sparse[chosen], self.dense[chosen])

    def times(self, weights: Float64Array) -> Float64Array:
        """The product with weights, one row per column of the table."""
        first = self.sparse.shape[1]
        return np.asarray(self.sparse @ weights[:first] + self.dense @ weights[first:])

    def transposed_times(self, values: Float64Array) -> Float64Array:
        """The product of the transposed table with values, one row per row of the table."""
        return np.vstack([self.sparse.T @ values, self.dense.T @ values])

    @property
    def width(self) -> int:
        """Number of columns."""
        return int(self.sparse.shape[1] + self.dense.shape[1])


@dataclass(frozen=True, eq=False)
class NodeFeatures:
    """What does not depend on labels: parts of vectors (dense), and links (sparse)."""

    near: Float64Array
    repelling: Float64Array
    degree: Float64Array
    adjacency: sparse.csr_array
    links: sparse.csr_array

    @classmethod
    def of(cls, network: Network, positions: Float32Array, repelling: int) -> NodeFeatures:
        """Features of the nodes of a network with these positions, of which the last dimensions repel."""
        near, far = np.split(positions.astype(np.float64), [positions.shape[1] - repelling], axis=1)
        adjacency = sparse.csr_array(network.to_scipy().astype(np.float64))
        degree = np.log1p(network.degrees.astype(np.float64))[:, None]
        count = network.node_count
        links = _surprising_links(adjacency) if count <= MAX_NODES_LINKED else sparse.csr_array((count, 0))
        return cls(_centred(near), _centred(far), _centred(degree), adjacency, links)

    def given(self, labels: Labels, repelling: bool, predicted: Float64Array | None = None) -> FeatureTable:
        """All features, one row per node, given the labels that are known and probabilities of the others."""
        vectors = [self.near, self.degree] + [self.repelling] * repelling
        around = self.labels_around(labels, predicted)
        return FeatureTable(self.links, np.hstack([_scaled(np.hstack(vectors)), around]))

    def labels_around(self, labels: Labels, predicted: Float64Array | None = None) -> Float64Array:
        """Logarithms of how much more frequent labels are one step and two steps away, without a node's own labels.

        Nodes without labels count with the probabilities in `predicted`, one row per node, if there are any.
        """
        if len(labels.names) > MAX_LABELS_AROUND:
            return np.empty((len(labels.nodes), 0))
        known = labels.counts > 0
        counted = np.column_stack([labels.matrix.toarray(), known]).astype(np.float64)
        if predicted is not None:
            counted[~known] = np.column_stack([predicted[~known], np.ones((~known).sum())])
        inverse = 1 / np.maximum(self.adjacency.sum(axis=1), 1.0)
        near = self.adjacency @ counted
        back = (self.adjacency @ inverse)[:, None] * counted  # two steps that return to the node
        far = self.adjacency @ (inverse[:, None] * near) - back
        usual = np.maximum(counted.sum(axis=0), 0.5) / max(counted[:, -1].sum(), 1.0)
        return _scaled(np.hstack([_relative_shares(counts, usual) for counts in (near, far)]), LENGTH_AROUND)


def embed_nodes(network: Network, seed: int, threads: int | None = None, progress: bool | None = None) -> Embedding:
    """An embedding given degrees, with fixed settings: the regressions weigh the dimensions."""
    near, repelling = min(DIMENSIONS, network.node_count), min(REPELLING, network.node_count)
    settings = Settings(
        dimensions=near + repelling,
        repelling=repelling,
        reach=REACH,
        shrinkage=SHRINKAGE,
        repelling_shrinkage=REPELLING_SHRINKAGE,
        seed=seed,
    )
    return fit_embedding(network, degrees(), settings, threads=threads, progress=progress)


def _centred(columns: Float64Array) -> Float64Array:
    """Columns with mean 0, and a mean square of 1 over all of them."""
    columns = columns - columns.mean(axis=0)
    return columns / (np.sqrt(np.square(columns).mean()) or 1.0) if columns.size else columns


def _scaled(rows: Float64Array, length: float = LENGTH) -> Float64Array:
    """Rows with this root mean square length."""
    return rows * (length / (np.sqrt(np.square(rows).sum(axis=1).mean()) or 1.0)) if rows.size else rows


def _surprising_links(adjacency: sparse.csr_array) -> sparse.csr_array:
    """log(1 + 1/P) for each link and for each node with itself, in rows of length LENGTH."""
    degree = np.maximum(adjacency.sum(axis=1), 1.0)
    links = sparse.coo_array(adjacency + sparse.eye_array(adjacency.shape[0]))
    row, column = links.coords
    values = np.log1p(degree.sum() / (degree[row] * degree[column]))
    length = np.sqrt(np.bincount(row, values**2, minlength=len(degree)))
    return sparse.csr_array((LENGTH * values / length[row], (row, column)), shape=links.shape)


def _relative_shares(counts: Float64Array, usual: Float64Array) -> Float64Array:
    """log(share / usual share) of each label; the last column counts the nodes that have labels."""
    with_usual = np.maximum(counts, 0.0) + COUNTED_BEFORE * usual
    return np.asarray(np.log(with_usual[:, :-1] / with_usual[:, -1:] / usual[:-1]))


@dataclass(frozen=True)
class NodeClassifier:
    """What is left to choose: the penalty of the regressions, and whether dimensions that repel are used."""

    penalty: float = PENALTIES[0]
    repelling: bool = True

    def log_odds(self, features: NodeFeatures, labels: Labels) -> Float64Array:
        """Log-odds of each label for each node, trained on the nodes with labels."""
        *_, last = _trained(features, labels, self.repelling, tuple(x for x in PENALTIES if x >= self.penalty))
        return last


CLASSIFIERS = tuple(NodeClassifier(penalty, repelling) for repelling in (True, False) for penalty in PENALTIES)


def candidates(features: NodeFeatures, labels: Labels) -> dict[NodeClassifier, Float64Array]:
    """Log-odds of each label for each node by each classifier, trained on at most `ENOUGH` nodes with labels."""
    tried = [z for repelling in (True, False) for z in _trained(features, labels, repelling, PENALTIES, ENOUGH)]
    return dict(zip(CLASSIFIERS, tried, strict=True))


def label_score(truth: BoolArray, scores: Float64Array) -> float:
    """The mean of micro-F1 and macro-F1, where each node gets as many labels as it has."""
    guess = likeliest_labels(scores, truth.sum(axis=1))
    return (micro_f1(truth, guess) + macro_f1(truth, guess)) / 2


def _trained(
    features: NodeFeatures, labels: Labels, repelling: bool, penalties: tuple[float, ...], most: int | None = None
) -> Iterator[Float64Array]:
    """Log-odds of all nodes for each penalty, trained on all nodes with labels or on `most` of them."""
    known = np.flatnonzero(labels.counts)
    if most is not None and len(known) > most:
        known = np.sort(np.random.default_rng(0).choice(known, most, replace=False))
    truth = labels.matrix[known].toarray().astype(np.float64)
    table = features.given(labels, repelling)
    if len(labels.names) <= MAX_LABELS_AROUND:
        first = next(regressions(table.rows(known), truth, penalties[:1]))
        table = features.given(labels, repelling, np.asarray(probability(first.log_odds(table))))
    for fitted in regressions(table.rows(known), truth, penalties):
        yield fitted.log_odds(table)


@dataclass(frozen=True, eq=False)
class Regressions:
    """Weights (features, labels) and intercepts of one logistic regression per label."""

    weights: Float64Array
    intercepts: Float64Array

    def log_odds(self, features: FeatureTable) -> Float64Array:
        """Log-odds of each label for each row."""
        with single_blas_thread():
            return features.times(self.weights) + self.intercepts


def regressions(features: FeatureTable, truth: Float64Array, penalties: tuple[float, ...]) -> Iterator[Regressions]:
    """Logistic regressions of all labels together, for each penalty in turn; each begins with the last result.

    `features` and `truth` have one row per node with labels.
    """
    share = np.clip(truth.sum(axis=0), 0.5, max(len(truth) - 0.5, 0.5)) / max(len(truth), 1)
    weights = np.concatenate([np.zeros(features.width * truth.shape[1]), np.log(share / (1 - share + 1e-12))])
    relative = np.sqrt(share / np.average(share, weights=share))
    for penalty in penalties:
        with single_blas_thread():
            weights = _minimize(features, truth, penalty * relative, weights)
        shaped = weights.reshape(-1, truth.shape[1])
        yield Regressions(shaped[:-1], shaped[-1])


def _minimize(features: FeatureTable, truth: Float64Array, penalty: Float64Array, start: Float64Array) -> Float64Array:
    from scipy.optimize import minimize

    def loss(flat: Float64Array) -> tuple[float, Float64Array]:
        shaped = flat.reshape(-1, truth.shape[1])
        z = features.times(shaped[:-1]) + shaped[-1]
        error = probability(z) - truth
        value = np.logaddexp(0, z).sum() - (truth * z).sum() + (penalty / 2 * np.square(shaped[:-1])).sum()
        gradient = np.vstack([features.transposed_times(error) + penalty * shaped[:-1], error.sum(axis=0)])
        return float(value), gradient.ravel()

    options: Any = {"maxiter": MAX_ITERATIONS, "ftol": 1e-7}
    return np.asarray(minimize(loss, start, jac=True, method="L-BFGS-B", options=options).x)
