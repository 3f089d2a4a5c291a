"""Estimators with the conventions of scikit-learn: embed a network, predict links, classify nodes.

`ConditionalEmbedding` and `NodeClassifier` take an adjacency matrix, with one row and one column per node. Like a
precomputed kernel, it is split by rows and columns in cross-validation: an estimator is fitted to the links among
training nodes, and the rows of test nodes are their links to these. `LinkPredictor` takes pairs of nodes, one per row,
so that cross-validation holds out pairs.

docs/scikit_learn.md shows them at work, and lists which checks of `check_estimator` do not apply to them, and why.
"""

# ruff: noqa: N803 - scikit-learn calls its input X

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
from os import PathLike
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy import sparse

from netgiven.embedding import Embedding, fit_embedding
from netgiven.errors import InputError, is_real, require, warn
from netgiven.fitting.settings import InitName, OptimizerName, Settings
from netgiven.io.read import as_network
from netgiven.kernels.arrays import LinkRows, find_in_rows
from netgiven.labels import KIND, LABELLED, UNLABELLED, Labels
from netgiven.metrics import auc
from netgiven.model import Spread, probability
from netgiven.network import Network
from netgiven.parallel import available_cpus
from netgiven.priors import Knowledge, blocks, parse_knowledge
from netgiven.splits import pairs_without_link
from netgiven.tasks.labels import log_odds_at, predict_labels
from netgiven.types import BoolArray, Float32Array, Float64Array, Int64Array

require("sklearn.base", "sklearn")  # an error that says how to install it, where it is missing
from sklearn.base import (  # noqa: E402
    BaseEstimator,
    ClassifierMixin,
    ClassNamePrefixFeaturesOutMixin,
    TransformerMixin,
)
from sklearn.exceptions import UndefinedMetricWarning  # noqa: E402
from sklearn.utils import check_random_state, multiclass, validation  # noqa: E402

if TYPE_CHECKING:
    from netgiven.fitting.objectives import Method
    from netgiven.priors.knowledge import Given

__all__ = ["ConditionalEmbedding", "LinkPredictor", "NodeClassifier", "sample_pairs"]

SHARE_HIDDEN = 0.5  # of the links of new nodes, where these are scored
MAX_SEED = 2**31 - 1


# ---- what the estimators share ---------------------------------------------------------------------------------------


class _Estimator(BaseEstimator):  # type: ignore[misc]
    """Settings of a fit as parameters of an estimator."""

    def __init__(
        self,
        given: Given = "degrees",
        *,
        dimensions: int | Literal["auto"] = "auto",
        reach: float | Spread | Literal["auto"] = "auto",
        shrinkage: float | Literal["auto"] = "auto",
        repelling: int | Literal["auto"] = "auto",
        repelling_shrinkage: float | Literal["auto"] = "auto",
        method: str | Method = "auto",
        optimizer: OptimizerName = "auto",
        init: InitName = "auto",
        max_steps: int | None = None,
        learning_rate: float | None = None,
        tolerance: float | None = None,
        random_state: Any = 0,
        n_jobs: int | None = None,
        verbose: bool = False,
    ) -> None:
        self.given = given
        self.dimensions = dimensions
        self.reach = reach
        self.shrinkage = shrinkage
        self.repelling = repelling
        self.repelling_shrinkage = repelling_shrinkage
        self.method = method
        self.optimizer = optimizer
        self.init = init
        self.max_steps = max_steps
        self.learning_rate = learning_rate
        self.tolerance = tolerance
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _settings(self) -> Settings:
        return Settings(
            dimensions=self.dimensions,
            reach=self.reach,
            shrinkage=self.shrinkage,
            repelling=self.repelling,
            repelling_shrinkage=self.repelling_shrinkage,
            method=self.method,
            optimizer=self.optimizer,
            init=self.init,
            max_steps=self.max_steps,
            learning_rate=self.learning_rate,
            tolerance=self.tolerance,
            seed=_seed(self.random_state),
        )

    def _embed(self, network: Network) -> Embedding:
        threads, progress = _threads(self.n_jobs), bool(self.verbose)
        return fit_embedding(network, self.given, self._settings(), threads=threads, progress=progress)

    def _validated(self, X: Any, **checks: Any) -> Any:
        """X as an array, after the checks of scikit-learn, which sets `n_features_in_` and `feature_names_in_`."""
        if hasattr(validation, "validate_data"):
            return validation.validate_data(self, X, **checks)
        return self._validate_data(X, **checks)  # before 1.6


class _AdjacencyEstimator(_Estimator):
    """An estimator whose X is an adjacency matrix."""

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = tags.input_tags.pairwise = tags.input_tags.positive_only = True
        return tags

    def _more_tags(self) -> dict[str, Any]:  # before 1.6
        return {"pairwise": True, "requires_positive_X": True, "X_types": ["2darray", "sparse"]}

    def _network(self, X: Any) -> Network:
        """The network to be fitted."""
        if _is_network(X):
            network = as_network(X)
            self.n_features_in_ = network.node_count
            if hasattr(self, "feature_names_in_"):  # of a data frame that was fitted before
                del self.feature_names_in_
            return network
        matrix = self._validated(X, accept_sparse="csr", ensure_min_samples=2, ensure_min_features=2)
        _check_adjacency(X, matrix)
        validation.check_non_negative(matrix, type(self).__name__)
        return Network.from_scipy(matrix, nodes=getattr(self, "feature_names_in_", None))

    def _new_rows(self, X: Any, fitted: Network) -> sparse.csr_array | None:
        """Rows of links of new nodes to the fitted ones; None if X is the network that was fitted."""
        if _is_network(X):
            _check_same(as_network(X), fitted)
            return None
        matrix = self._validated(X, accept_sparse="csr", reset=False)
        validation.check_non_negative(matrix, type(self).__name__)
        rows = _pattern(matrix)
        return None if _is_same(_symmetric(rows), fitted) else rows


def _seed(random_state: Any) -> int:
    """A seed: the number given, or one that is drawn from a RandomState, or from that of NumPy for None."""
    if isinstance(random_state, (int, np.integer)):
        return int(random_state)
    return int(check_random_state(random_state).randint(MAX_SEED))


def _threads(n_jobs: int | None) -> int:
    """Number of threads: None is 1, -1 all processors, -2 all but one.

    >>> _threads(None), _threads(3), _threads(-1) == available_cpus()
    (1, 3, True)
    """
    if n_jobs == 0:
        raise ValueError("n_jobs = 0 was given; a number of threads is needed, or -1 for all processors.")
    if n_jobs is None or n_jobs > 0:
        return n_jobs or 1
    return max(available_cpus() + 1 + n_jobs, 1)


def _is_network(X: Any) -> bool:
    """Whether X is a network, a graph or a path, and no matrix."""
    return isinstance(X, (Network, str, PathLike)) or hasattr(X, "is_directed")


def _check_adjacency(X: Any, matrix: Any) -> None:
    if matrix.shape[0] != matrix.shape[1]:
        raise ValueError(
            f"X has shape {matrix.shape}; a square adjacency matrix is needed, with one row and one column per node. "
            "Make a network of links with netgiven.read or Network.from_edges, and give that."
        )
    index, columns = getattr(X, "index", None), getattr(X, "columns", None)
    if isinstance(index, pd.Index) and set(index) == set(columns) and list(index) != list(columns):  # type: ignore[arg-type]
        raise ValueError("Rows and columns of X have the same names in another order; give X.loc[X.columns].")


def _pattern(matrix: Any) -> sparse.csr_array:
    """Where a matrix is not zero, in sorted rows."""
    rows = sparse.csr_array(matrix).astype(bool)
    rows.eliminate_zeros()
    rows.sum_duplicates()
    return rows


def _symmetric(rows: sparse.csr_array) -> sparse.csr_array | None:
    """The pattern of an undirected network without loops, if there are as many rows as columns."""
    if rows.shape[0] != rows.shape[1]:
        return None
    both = rows.maximum(rows.T).tocoo()
    kept = both.row != both.col
    return sparse.csr_array((both.data[kept], (both.row[kept], both.col[kept])), shape=rows.shape)


def _is_same(links: Any, network: Network) -> bool:
    return links is not None and (links != network.to_scipy().astype(bool)).nnz == 0


def _check_same(network: Network, fitted: Network) -> None:
    same = network.nodes.equals(fitted.nodes) and np.array_equal(network.indptr, fitted.indptr)
    if not (same and np.array_equal(network.indices, fitted.indices)):
        raise InputError(
            "Another network than the one that was fitted was given. Give that one, or a matrix with a row for each "
            "new node and a column for each fitted one. For a changed network, use model_.update(network)."
        )


def _with_rows(embedding: Embedding, rows: sparse.csr_array, kind: str | None = None) -> Embedding:
    """The embedding with new nodes after the others; rows hold their links. `kind` is their value in that column."""
    count = rows.shape[0]
    free = [name for name in range(len(embedding) + count) if name not in embedding.nodes][:count]
    columns = pd.DataFrame({} if kind is None else {KIND: [kind] * count}, index=pd.RangeIndex(count))
    larger = embedding.network.append_nodes(pd.Index(free), _link_rows(rows), columns)
    return embedding.add_many(larger, progress=False)


def _link_rows(rows: sparse.csr_array) -> LinkRows:
    return LinkRows(rows.indptr.astype(np.int64), rows.indices.astype(np.int32))


def _two_columns(links: Float64Array) -> Float64Array:
    """Probabilities of no link and of a link."""
    return np.column_stack([1 - links, links])


# ---- embedding -------------------------------------------------------------------------------------------------------


class ConditionalEmbedding(ClassNamePrefixFeaturesOutMixin, TransformerMixin, _AdjacencyEstimator):  # type: ignore[misc]
    """Embed the nodes of a network, given what is known about it.

    A transformer of an adjacency matrix to vectors, one per node. In cross-validation it is treated like a precomputed
    kernel: fitted to the links among training nodes, and given the links of the other nodes to these, by which
    `transform` places them.

    Parameters
    ----------
    given : str, Knowledge or Prior, default="degrees"
        What is known, as in `netgiven.embed`.
    dimensions : int or "auto", default="auto"
        Number of coordinates of a node. "auto" here, in `reach` and in `shrinkage`: chosen on held-out links, which
        costs one to three more fits.
    reach : float, Spread or "auto", default="auto"
        The largest gain in log-odds over the prior that the embedding can give a pair.
    shrinkage : float or "auto", default="auto"
        Strength of a Gaussian prior on positions.
    repelling : int or "auto", default="auto"
        How many of the dimensions, the last ones, repel: there, alike nodes link less.
    repelling_shrinkage : float or "auto", default="auto"
        Strength of a Gaussian prior on positions in dimensions that repel.
    method, optimizer, init, max_steps, learning_rate, tolerance
        As in `netgiven.embed`.
    random_state : int, RandomState instance or None, default=0
        The seed, or what it is drawn from.
    n_jobs : int or None, default=None
        Number of threads. None is 1, -1 all processors. The result is the same.
    verbose : bool, default=False
        Show a progress bar.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_nodes, dimensions)
        The vectors, in the order of the nodes.
    model_ : netgiven.Embedding
        The same with the prior, probabilities, likely links, explanations and maps.
    n_features_in_ : int
        Number of nodes.
    feature_names_in_ : ndarray of shape (n_nodes,)
        Names of nodes, if X is a data frame whose columns have text for names. Otherwise nodes are called by number.

    See Also
    --------
    LinkPredictor : Grid search on held-out links.
    netgiven.embed : The same without scikit-learn.

    Examples
    --------
    >>> import netgiven as ng
    >>> from netgiven.sklearn import ConditionalEmbedding
    >>> from sklearn.cluster import KMeans
    >>> from sklearn.pipeline import make_pipeline
    >>> network = ng.datasets.planted(200, 1_500, communities=2, inside=0.95).network
    >>> embedding = ConditionalEmbedding(dimensions=2, reach=2.0, shrinkage=0.0)
    >>> embedding.fit_transform(network.to_scipy()).shape
    (200, 2)
    >>> make_pipeline(embedding, KMeans(2, random_state=0)).fit_predict(network.to_scipy()).shape
    (200,)
    """

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = []  # vectors are float32
        return tags

    def _more_tags(self) -> dict[str, Any]:  # before 1.6
        return {"preserves_dtype": []}

    def fit(self, X: Any, y: Any = None) -> ConditionalEmbedding:
        """Embed a network.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_nodes, n_nodes)
            The adjacency matrix: a link wherever an entry is not zero. Or a `netgiven.Network`, a networkx or igraph
            graph, or the path of a file; these cannot be split in cross-validation.
        y : ignored

        Returns
        -------
        self
        """
        self.model_ = self._embed(self._network(X))
        self.embedding_: Float32Array = self.model_.positions
        return self

    def fit_transform(self, X: Any, y: Any = None) -> Float32Array:
        """Embed a network, and return the vectors.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_nodes, n_nodes)
            As in `fit`.
        y : ignored

        Returns
        -------
        ndarray of shape (n_nodes, dimensions)
            The vectors, in the order of the nodes.
        """
        return self.fit(X).embedding_.copy()

    def transform(self, X: Any) -> Float32Array:
        """Return the vectors of the network that was fitted, or of new nodes.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_nodes, n_nodes) or (n_new_nodes, n_nodes)
            The network that was fitted; anything else is rows of links from new nodes to the fitted ones. New nodes are
            placed given these, which stay where they are.

        Returns
        -------
        ndarray of shape (n_nodes, dimensions) or (n_new_nodes, dimensions)

        Raises
        ------
        InputError
            If new nodes cannot be placed given this prior; the message says what to do.
        """
        validation.check_is_fitted(self)
        rows = self._new_rows(X, self.model_.network)
        return self.embedding_.copy() if rows is None else self._placed(rows).positions[len(self.model_) :]

    def predict_proba(self, X: Any) -> Float64Array:
        """Probabilities of links between pairs of nodes.

        Parameters
        ----------
        X : array-like of shape (n_pairs, 2)
            Pairs of nodes: numbers, or names if the network has names.

        Returns
        -------
        ndarray of shape (n_pairs, 2)
            Probabilities of no link and of a link.

        Raises
        ------
        UnknownNode
            If a node is not in the network.
        """
        validation.check_is_fitted(self)
        return _two_columns(self.model_.probabilities(X))

    def score(self, X: Any, y: Any = None) -> float:
        """Area under the ROC curve (AUC) of held-out links, against as many pairs without a link, drawn at random.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_nodes, n_nodes) or (n_new_nodes, n_nodes)
            If it has all links that were fitted, and more, these are scored. If it has just these, they are scored
            themselves, which is optimistic. Anything else is rows of links of new nodes: half of the links are hidden,
            the nodes are placed by the others, and the hidden ones are scored.
        y : ignored

        Returns
        -------
        float
        """
        validation.check_is_fitted(self)
        random = np.random.default_rng(_seed(self.random_state))
        rows = self._new_rows(X, self.model_.network)
        if rows is None:
            return self._auc_of_links(self.model_.network.links().astype(np.int64), self.model_.network, random)
        whole, fitted = _symmetric(rows), self.model_.network.to_scipy().astype(bool)
        if whole is None or (fitted > whole).nnz:
            return self._auc_of_rows(rows, random)
        more = np.column_stack((whole > fitted).nonzero()).astype(np.int64)
        return self._auc_of_links(more[more[:, 0] < more[:, 1]], Network.from_scipy(whole), random)

    def _auc_of_links(self, links: Int64Array, network: Network, random: np.random.Generator) -> float:
        others = pairs_without_link(network, len(links), random)
        return _auc(self.model_, links, others)

    def _auc_of_rows(self, rows: sparse.csr_array, random: np.random.Generator) -> float:
        """AUC of links that are hidden from rows of new nodes, which are numbered after the fitted ones."""
        links = random.permutation(np.column_stack(rows.nonzero()))
        hidden, kept = np.split(links, [int(SHARE_HIDDEN * len(links))])
        others = random.integers(rows.shape, size=(2 * len(hidden), 2))
        others = others[find_in_rows(_link_rows(rows), *others.T) < 0][: len(hidden)]
        seen = sparse.csr_array((np.ones(len(kept), dtype=bool), kept.T), shape=rows.shape)
        offset = np.array([len(self.model_), 0])
        return _auc(self._placed(_pattern(seen)), hidden + offset, others + offset)

    def _placed(self, rows: sparse.csr_array) -> Embedding:
        return _with_rows(self.model_, rows)

    @property
    def _n_features_out(self) -> int:
        return int(self.embedding_.shape[1])


def _auc(embedding: Embedding, links: Int64Array, others: Int64Array) -> float:
    pairs = np.concatenate([links, others])
    truth = np.arange(len(pairs)) < len(links)
    if not 0 < len(links) < len(pairs):
        message = f"The AUC needs links and other pairs; there are {len(links)} links and {len(others)} other pairs."
        warnings.warn(message, UndefinedMetricWarning, stacklevel=3)
        return float("nan")
    return auc(truth, embedding.log_odds_of(*pairs.T))


# ---- links -----------------------------------------------------------------------------------------------------------


class LinkPredictor(ClassifierMixin, _Estimator):  # type: ignore[misc]
    """Predict whether pairs of nodes are linked.

    Rows of X are pairs of nodes, so that cross-validation and grid search hold out pairs.

    Parameters
    ----------
    given : str, Knowledge or Prior, default="degrees"
        What is known, as in `netgiven.embed`.
    nodes : array-like, DataFrame or dict, default=None
        All nodes: their names, or a table whose first column holds the names and whose others are groups and attributes
        that `given` names. None: the nodes of the pairs that `fit` gets. A pair with a node that is not among them gets
        the share of links among all pairs, with a warning.
    unlisted : {"unlinked", "unobserved"}, default="unlinked"
        What the pairs are that `fit` does not get. "unlinked": pairs without a link, as in most networks, of which
        links are listed and some other pairs beside them; probabilities are those of a network with these links.
        "unobserved": nothing is known about them, and probabilities hold for pairs like those in X, of which the share
        of links may be much larger.
    dimensions, reach, shrinkage, repelling, repelling_shrinkage
        As in `ConditionalEmbedding`.
    method, optimizer, init, max_steps, learning_rate, tolerance
        As in `ConditionalEmbedding`.
    random_state, n_jobs, verbose
        As in `ConditionalEmbedding`.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
        The classes: no link, link.
    model_ : netgiven.Embedding
        The embedding of the network.
    n_features_in_ : int
        2

    See Also
    --------
    sample_pairs : X and y of a network.

    Examples
    --------
    >>> import netgiven as ng
    >>> from netgiven.sklearn import LinkPredictor, sample_pairs
    >>> from sklearn.model_selection import GridSearchCV
    >>> X, y = sample_pairs(ng.datasets.company(people=80), random_state=0)
    >>> search = GridSearchCV(LinkPredictor(reach=2.0, shrinkage=1.0), {"dimensions": [1, 4]}, scoring="roc_auc", cv=3)
    >>> search.fit(X, y).best_params_
    {'dimensions': 4}
    >>> search.predict_proba(X[:5]).shape
    (5, 2)
    """

    def __init__(
        self,
        given: Given = "degrees",
        *,
        nodes: Any = None,
        unlisted: Literal["unlinked", "unobserved"] = "unlinked",
        dimensions: int | Literal["auto"] = "auto",
        reach: float | Spread | Literal["auto"] = "auto",
        shrinkage: float | Literal["auto"] = "auto",
        repelling: int | Literal["auto"] = "auto",
        repelling_shrinkage: float | Literal["auto"] = "auto",
        method: str | Method = "auto",
        optimizer: OptimizerName = "auto",
        init: InitName = "auto",
        max_steps: int | None = None,
        learning_rate: float | None = None,
        tolerance: float | None = None,
        random_state: Any = 0,
        n_jobs: int | None = None,
        verbose: bool = False,
    ) -> None:
        super().__init__(
            given,
            dimensions=dimensions,
            reach=reach,
            shrinkage=shrinkage,
            repelling=repelling,
            repelling_shrinkage=repelling_shrinkage,
            method=method,
            optimizer=optimizer,
            init=init,
            max_steps=max_steps,
            learning_rate=learning_rate,
            tolerance=tolerance,
            random_state=random_state,
            n_jobs=n_jobs,
            verbose=verbose,
        )
        self.nodes = nodes
        self.unlisted = unlisted

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        tags.classifier_tags.poor_score = True  # by accuracy: links are rarer than one half
        tags.input_tags.categorical = tags.input_tags.string = True
        return tags

    def _more_tags(self) -> dict[str, Any]:  # before 1.6
        return {"binary_only": True, "poor_score": True, "X_types": ["2darray", "categorical", "string"]}

    def fit(self, X: Any, y: Any) -> LinkPredictor:
        """Embed the network that the pairs with a link make.

        Parameters
        ----------
        X : array-like of shape (n_pairs, 2)
            Pairs of nodes: numbers or names.
        y : array-like of shape (n_pairs,)
            1 for a link, 0 for none. Of two other classes, the second in sorted order is the link.

        Returns
        -------
        self

        Raises
        ------
        InputError
            If `unlisted` is not one of the two words, or the network cannot be fitted.

        Warns
        -----
        InputWarning
            If pairs are listed both with a link and without, which makes them links.
        """
        if self.unlisted not in ("unlinked", "unobserved"):
            raise InputError(f"unlisted = {self.unlisted!r} was given; it is 'unlinked' or 'unobserved'.")
        linked = self._linked(y)
        pairs = self._pairs(X, ensure_min_samples=2, ensure_min_features=2)
        validation.check_consistent_length(pairs, linked)
        self.model_ = self._embed(self._network(pairs, linked))
        return self

    def _pairs(self, X: Any, **checks: Any) -> npt.NDArray[Any]:
        pairs = np.asarray(self._validated(X, dtype=None, **checks))
        if pairs.shape[1] != 2:
            raise ValueError(f"X has {pairs.shape[1]} columns; a pair has two, its nodes.")
        return pairs

    def _linked(self, y: Any) -> BoolArray:
        """Which pairs are links; sets `classes_`."""
        if y is None:
            raise ValueError("This LinkPredictor requires y to be passed, but the target y is None.")
        values = validation.column_or_1d(y, warn=True)
        validation.assert_all_finite(values)
        multiclass.check_classification_targets(values)
        classes = np.unique(values)
        self.classes_ = np.array([0, 1], dtype=values.dtype) if set(classes.tolist()) <= {0, 1} else classes
        if len(self.classes_) != 2:
            raise ValueError(
                f"Only binary classification is supported. The type of the target is "
                f"{multiclass.type_of_target(values)}. y has {len(classes)} class(es); a pair has a link or none."
            )
        return np.asarray(values == self.classes_[1])

    def _network(self, pairs: npt.NDArray[Any], linked: BoolArray) -> Network:
        if not linked.any():
            raise ValueError(f"y has no links among {len(linked)} pairs; at least one is needed.")
        network = Network.from_edges(pd.DataFrame(pairs[linked]), self.nodes).with_nodes(pd.Index(pairs.ravel()))
        others = pairs[~linked]
        both = int(network.are_linked(*(network.numbers(pd.Index(end)) for end in others.T)).sum())
        if both:
            warn(f"{both:,} of {len(others):,} pairs without a link are listed with one, too, and are taken as linked.")
        return network if self.unlisted == "unlinked" else network.with_observed(others)

    def predict_proba(self, X: Any) -> Float64Array:
        """Probabilities of no link and of a link.

        Parameters
        ----------
        X : array-like of shape (n_pairs, 2)
            Pairs of nodes.

        Returns
        -------
        ndarray of shape (n_pairs, 2)

        Warns
        -----
        InputWarning
            If some of the nodes are new.
        """
        validation.check_is_fitted(self)
        pairs, network = self._pairs(X, reset=False), self.model_.network
        known = np.all([network.nodes.get_indexer(pd.Index(end)) >= 0 for end in pairs.T], axis=0)
        share = _share_of_links(network)
        links = np.full(len(pairs), share)
        links[known] = self.model_.probabilities(pairs[known])
        if not known.all():
            new = len(pairs) - np.count_nonzero(known)
            warn(
                f"{new:,} of {len(pairs):,} pairs have a node that fit did not get; their probability is the share of "
                f"links, {share:.3g}. Give all nodes with nodes=."
            )
        return _two_columns(links)

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """The class of each pair: a link if its probability is one half or more.

        Parameters
        ----------
        X : array-like of shape (n_pairs, 2)
            Pairs of nodes.

        Returns
        -------
        ndarray of shape (n_pairs,)
        """
        links = self.predict_proba(X)[:, 1] >= 0.5
        return np.asarray(self.classes_[links.astype(int)])

    def score(self, X: Any, y: Any) -> float:
        """Area under the ROC curve (AUC).

        Not the accuracy, which says little: links are rare, and their share in X is a matter of sampling.

        Parameters
        ----------
        X : array-like of shape (n_pairs, 2)
            Pairs of nodes.
        y : array-like of shape (n_pairs,)
            Their classes.

        Returns
        -------
        float
        """
        links = self.predict_proba(X)[:, 1]
        return auc(validation.column_or_1d(y) == self.classes_[1], links)


def _share_of_links(network: Network) -> float:
    """The share of links among observed pairs."""
    pairs = network.node_count * (network.node_count - 1) // 2
    return network.link_count / max(pairs - network.unobserved_count, 1)


def sample_pairs(network: Any, *, others: float = 1.0, random_state: Any = 0) -> tuple[npt.NDArray[Any], Int64Array]:
    """All links of a network, and pairs without a link that are drawn at random: X and y for `LinkPredictor`.

    In random order: folds of a cross-validation are runs of rows, and would hold out all links of some nodes if links
    were in the order of nodes.

    Parameters
    ----------
    network : netgiven.Network, adjacency matrix, graph or path
        The network.
    others : float, default=1.0
        Number of pairs without a link, per link; fewer, if there are no more.
    random_state : int, RandomState instance or None, default=0
        The seed, or what it is drawn from.

    Returns
    -------
    X : ndarray of shape (n_pairs, 2)
        Names of nodes; numbers for a matrix.
    y : ndarray of shape (n_pairs,)
        1 for links, 0 for the others.

    Raises
    ------
    InputError
        If `others` is not a number of at least 0.

    Examples
    --------
    >>> import networkx
    >>> from netgiven.sklearn import sample_pairs
    >>> X, y = sample_pairs(networkx.path_graph(5))
    >>> X.shape, sorted(y.tolist())
    ((8, 2), [0, 0, 0, 0, 1, 1, 1, 1])
    """
    if not is_real(others) or not 0 <= float(others) < np.inf:
        raise InputError(f"others = {others!r} was given; a number of at least 0 is needed.")
    whole = as_network(network)
    links = whole.links().astype(np.int64)
    count = min(int(others * len(links)), math.comb(whole.node_count, 2) - len(links))
    random = np.random.default_rng(_seed(random_state))
    pairs = np.concatenate([links, pairs_without_link(whole, count, random)])
    order = random.permutation(len(pairs))
    return whole.nodes.to_numpy()[pairs[order]], (order < len(links)).astype(np.int64)


# ---- labels ----------------------------------------------------------------------------------------------------------


class NodeClassifier(ClassifierMixin, _AdjacencyEstimator):  # type: ignore[misc]
    """Classify the nodes of a network from the classes of some of them.

    Semi-supervised, as the estimators of `sklearn.semi_supervised` are: nodes whose class is to be predicted are in the
    network that `fit` gets. Classes are embedded together with nodes, see `netgiven.predict_labels`.

    Parameters
    ----------
    given : str or Knowledge, default="degrees"
        What is known about the network. That classes are no nodes (`blocks("kind")`) is added.
    dimensions, reach, shrinkage, repelling, repelling_shrinkage
        As in `ConditionalEmbedding`; what is "auto" is chosen on held-out classes.
    method, optimizer, init, max_steps, learning_rate, tolerance
        As in `ConditionalEmbedding`.
    random_state, n_jobs, verbose
        As in `ConditionalEmbedding`.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes; column numbers of y, if it is an indicator matrix.
    transduction_ : ndarray of shape (n_nodes,) or (n_nodes, n_classes)
        The class of each node: the one given, or the one predicted.
    label_distributions_ : ndarray of shape (n_nodes, n_classes)
        Probabilities of the classes of each node; 1 for those that are given.
    model_ : netgiven.tasks.labels.LabelPrediction
        The prediction, with the embedding of nodes and classes.
    n_features_in_ : int
        Number of nodes.

    Examples
    --------
    >>> import numpy as np
    >>> import netgiven as ng
    >>> from netgiven.sklearn import NodeClassifier
    >>> drawn = ng.datasets.planted(200, 1_500, communities=2, inside=0.95)
    >>> y = drawn.community.copy()
    >>> y[50:] = -1
    >>> classifier = NodeClassifier(dimensions=2).fit(drawn.network.to_scipy(), y)
    >>> bool((classifier.transduction_[50:] == drawn.community[50:]).mean() > 0.9)
    True
    """

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = True
        return tags

    def _more_tags(self) -> dict[str, Any]:  # before 1.6
        return {"multilabel": True}

    def fit(self, X: Any, y: Any) -> NodeClassifier:
        """Embed a network together with the classes of its nodes.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_nodes, n_nodes)
            The adjacency matrix, or another network, as in `ConditionalEmbedding.fit`.
        y : array-like of shape (n_nodes,) or {array-like, sparse matrix} of shape (n_nodes, n_classes)
            The class of each node; -1, NaN or None where it is unknown. Or, for nodes of several classes, an indicator
            matrix; the classes of nodes whose row has no 1 are unknown.

        Returns
        -------
        self
        """
        if y is None:
            raise ValueError("This NodeClassifier requires y to be passed, but the target y is None.")
        network, target = self._network(X), _Target.read(y)
        validation.check_consistent_length(np.empty(network.node_count), target.known)
        self.classes_, self._single = target.classes, target.single
        labels = Labels(network.nodes, pd.RangeIndex(len(target.classes)), np.argwhere(target.indicator))
        self.model_ = predict_labels(
            network,
            labels,
            _knowledge(self.given) + blocks(KIND),
            method="links",  # new nodes have positions among classes
            settings=self._settings(),
            threads=_threads(self.n_jobs),
            progress=bool(self.verbose),
        )
        predicted = self._probabilities(self.model_.log_odds)
        self.label_distributions_ = np.where(target.known[:, None], target.indicator, predicted)
        self.transduction_ = self._classes(self.label_distributions_)
        self._nodes = network
        return self

    def predict_proba(self, X: Any) -> Float64Array:
        """Probabilities of the classes of nodes.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_nodes, n_nodes) or (n_new_nodes, n_nodes)
            The network that was fitted; anything else is rows of links from new nodes to the fitted ones.

        Returns
        -------
        ndarray of shape (n_nodes, n_classes) or (n_new_nodes, n_classes)
            For the network that was fitted, `label_distributions_`. For several classes per node, each has a
            probability of its own, and the sum is not 1.
        """
        validation.check_is_fitted(self)
        rows = self._new_rows(X, self._nodes)
        if rows is None:
            return self.label_distributions_.copy()
        embedding = self.model_.embedding
        kind = UNLABELLED if (self.model_.labels.counts == 0).any() else LABELLED
        larger = _with_rows(embedding, rows, kind)
        return self._probabilities(log_odds_at(self.model_, larger.positions[len(embedding) :]))

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """The classes of nodes: the likeliest one, or all with a probability of one half or more if there are several.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_nodes, n_nodes) or (n_new_nodes, n_nodes)
            As in `predict_proba`.

        Returns
        -------
        ndarray of shape (n_nodes,) or (n_nodes, n_classes)
            For the network that was fitted, `transduction_`.
        """
        return self._classes(self.predict_proba(X))

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Accuracy on the nodes whose class y has.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_nodes, n_nodes) or (n_new_nodes, n_nodes)
            As in `predict_proba`.
        y : array-like of shape (n_nodes,) or (n_nodes, n_classes)
            The classes, as in `fit`; nodes whose class is unknown are left out.
        sample_weight : array-like of shape (n_nodes,), default=None
            Weights of nodes.

        Returns
        -------
        float
        """
        target = _Target.read(y)
        truth = target.values if self._single else target.indicator
        right: BoolArray = np.equal(self.predict(X), truth).astype(bool).reshape(len(truth), -1).all(axis=1)
        weights = None if sample_weight is None else np.asarray(sample_weight)[target.known]
        return float(np.average(right[target.known], weights=weights))

    def _probabilities(self, log_odds: Float64Array) -> Float64Array:
        each = np.asarray(probability(log_odds))
        return each / each.sum(axis=1, keepdims=True) if self._single else each

    def _classes(self, probabilities: Float64Array) -> npt.NDArray[Any]:
        if self._single:
            return np.asarray(self.classes_[probabilities.argmax(axis=1)])
        return (probabilities >= 0.5).astype(np.int64)


def _knowledge(given: Any) -> Knowledge:
    if not isinstance(given, (str, Knowledge)):
        raise InputError(f"given = {given!r} was given; a text such as 'degrees', or knowledge such as ng.degrees().")
    return parse_knowledge(given) if isinstance(given, str) else given


@dataclass(frozen=True)
class _Target:
    """The classes of nodes: y as an array, which of them are known, and a mask of the classes that each node has."""

    values: npt.NDArray[Any]
    known: BoolArray
    classes: npt.NDArray[Any]
    indicator: BoolArray
    single: bool

    @classmethod
    def read(cls, y: Any) -> _Target:
        """From y in any of the forms that `NodeClassifier.fit` takes."""
        values = np.asarray(y.toarray() if hasattr(y, "toarray") else y)
        if values.ndim == 2 and values.shape[1] > 1:
            indicator = values == 1
            target = cls(values, indicator.any(axis=1), np.arange(values.shape[1]), indicator, single=False)
        else:
            target = cls._of_column(validation.column_or_1d(values, warn=True))
        if not target.known.any():
            raise ValueError("y has no class: all are -1, NaN or None; the classes of some nodes are needed.")
        return target

    @classmethod
    def _of_column(cls, values: npt.NDArray[Any]) -> _Target:
        known = ~np.asarray(pd.isna(values) | (values == -1))
        multiclass.check_classification_targets(values[known])
        classes = np.unique(values[known])
        if len(classes) == 1 and (values == -1).any():
            warn(f"{classes[0]!r} is the only class in y: -1 stands for nodes whose class is unknown.")
        indicator = values[:, None] == classes
        return cls(values, known, classes, indicator, single=True)
