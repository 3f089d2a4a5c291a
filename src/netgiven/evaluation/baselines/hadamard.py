"""Links from vectors: logistic regression on the element-wise product of two nodes' vectors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from netgiven.errors import InputError
from netgiven.network import Network
from netgiven.parallel import one_blas_thread
from netgiven.splits import pairs_without_link
from netgiven.types import Float32Array, Float64Array, Int64Array, IntegerArray


class VectorMethod(Protocol):
    """Something that gives each node a vector."""

    @property
    def name(self) -> str:
        """What it is called in a table."""
        ...

    def vectors(self, network: Network, seed: int) -> Float32Array:
        """One row a node; zeros for a node without links."""
        ...


@dataclass(frozen=True)
class Hadamard:
    """Scores pairs by a regression that tells the links of the training network from as many pairs without a link."""

    method: VectorMethod

    @property
    def name(self) -> str:
        """That of the vectors."""
        return self.method.name

    def score(self, train: Network, pairs: Int64Array, seed: int) -> Float64Array:
        """Log-odds by the regression."""
        return regress(train, self.method.vectors(train, seed), pairs, seed)


def regress(train: Network, vectors: Float32Array, pairs: Int64Array, seed: int) -> Float64Array:
    """Fit on the links of `train` and as many pairs that it does not link; log-odds of `pairs`."""
    from sklearn.linear_model import LogisticRegression

    random = np.random.default_rng([seed, 1])  # not the numbers with which a split of the same seed drew its pairs
    others = pairs_without_link(train, train.link_count, random)
    if not train.link_count or not len(others):
        raise InputError("A regression needs links and pairs without a link; this network lacks one of them.")
    examples = np.concatenate([train.links(), others])
    truth = np.arange(len(examples)) < train.link_count
    products = _products(vectors, examples)
    # Without a common scale the solver takes short vectors for a solved problem and gives every pair the same score.
    scale = products.std(axis=0)
    scale[scale == 0] = 1.0
    with one_blas_thread():
        model = LogisticRegression(max_iter=10_000).fit(products / scale, truth)
        return np.asarray(model.decision_function(_products(vectors, pairs) / scale), dtype=np.float64)


def _products(vectors: Float32Array, pairs: IntegerArray) -> Float64Array:
    wide = vectors.astype(np.float64)
    return np.asarray(wide[pairs[:, 0]] * wide[pairs[:, 1]])
