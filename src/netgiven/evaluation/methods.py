"""Methods that score pairs of nodes (hidden links) or labels of nodes, behind two small protocols.

A link method sees the training network and the pairs, never which of them are hidden links. A label method sees the
network and the labels that were not hidden. A method that gives each node a vector becomes either of them by a logistic
regression: `LinkRegression`, `LabelRegression`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import pairwise
from typing import Any, Protocol, runtime_checkable

import numpy as np
from scipy import sparse

from netgiven.embedding import Embedding, fit_embedding
from netgiven.errors import InputError
from netgiven.evaluation.top_list import Rows, Scorer, embedding_scorer, top_of_rows
from netgiven.fitting.settings import Settings
from netgiven.kernels.arrays import LinkRows, find_in_rows
from netgiven.labels import Labels
from netgiven.network import Network
from netgiven.parallel import single_blas_thread
from netgiven.priors import Knowledge, blocks, degrees
from netgiven.splits import pairs_without_link
from netgiven.tasks.labels import predict_labels
from netgiven.types import BoolArray, Float32Array, Float64Array, Int64Array, IntegerArray

# ---- heuristics: scores of pairs by their neighbourhoods, and by paths and random walks between them -----------------
#
# With N(u) the neighbours of u, k_t = |N(t)|, and P(u -> v) the probability that a random step from u leads to v:
#
#     common neighbours         |N(u) & N(v)|
#     Jaccard                   |N(u) & N(v)| / |N(u) | N(v)|
#     Adamic-Adar               sum over common t of 1 / log k_t
#     resource allocation       sum over common t of 1 / k_t
#     preferential attachment   k_u k_v
#     paths of length three     sum over paths u s t v of 1 / sqrt(k_s k_t)
#     four-step walk            P^4(u -> v) + P^4(v -> u)
#     personalised PageRank     R(u -> v) + R(v -> u), where R = .15 sum over n of (.85 P)^n


Columns = Callable[[Float32Array], Float32Array]  # from some columns of the identity to those of a large matrix

CHUNK = 1_000_000  # neighbours that are looked up at a time
MAX_BLOCK = 1 << 20  # nodes times nodes that walks start from at a time: 4 MB, which a cache holds
RESTART, PAGERANK_STEPS = 0.15, 20  # of personalised PageRank; 97 % of its walks are not longer


def common_neighbours(network: Network, pairs: Int64Array) -> Float64Array:
    """Number of neighbours that two nodes share.

    Parameters
    ----------
    network : Network
        The network.
    pairs : array of int, shape (pairs, 2)
        Node numbers.

    Returns
    -------
    array of float, shape (pairs,)
        Scores of the pairs.

    Examples
    --------
    >>> common_neighbours(Network.from_edges([(0, 1), (1, 2)]), np.array([[0, 2], [0, 1]]))
    array([1., 0.])
    """
    return _shared(network, pairs, _equally(network))


def jaccard(network: Network, pairs: Int64Array) -> Float64Array:
    """Share of the neighbours of two nodes that both have; 0 where neither has any.

    Parameters
    ----------
    network : Network
        The network.
    pairs : array of int, shape (pairs, 2)
        Node numbers.

    Returns
    -------
    array of float, shape (pairs,)
        Scores of the pairs.
    """
    both = common_neighbours(network, pairs)
    degrees = network.degrees.astype(np.float64)
    return both / np.maximum(degrees[pairs[:, 0]] + degrees[pairs[:, 1]] - both, 1.0)


def adamic_adar(network: Network, pairs: Int64Array) -> Float64Array:
    """Shared neighbours, weighted by 1 / log degree.

    Parameters
    ----------
    network : Network
        The network.
    pairs : array of int, shape (pairs, 2)
        Node numbers.

    Returns
    -------
    array of float, shape (pairs,)
        Scores of the pairs.
    """
    return _shared(network, pairs, _by_log_degree(network))


def resource_allocation(network: Network, pairs: Int64Array) -> Float64Array:
    """Shared neighbours, weighted by 1 / degree.

    Parameters
    ----------
    network : Network
        The network.
    pairs : array of int, shape (pairs, 2)
        Node numbers.

    Returns
    -------
    array of float, shape (pairs,)
        Scores of the pairs.
    """
    return _shared(network, pairs, _by_degree(network))


def preferential_attachment(network: Network, pairs: Int64Array) -> Float64Array:
    """Product of the degrees.

    Parameters
    ----------
    network : Network
        The network.
    pairs : array of int, shape (pairs, 2)
        Node numbers.

    Returns
    -------
    array of float, shape (pairs,)
        Scores of the pairs.
    """
    degrees = network.degrees.astype(np.float64)
    return np.asarray(degrees[pairs[:, 0]] * degrees[pairs[:, 1]])


def _equally(network: Network) -> Float64Array:
    return np.ones(network.node_count)


def _by_log_degree(network: Network) -> Float64Array:
    # a neighbour with a single link cannot be shared: its weight does not matter
    return np.asarray(1 / np.log(np.maximum(network.degrees, 2)))


def _by_degree(network: Network) -> Float64Array:
    return np.asarray(1 / np.maximum(network.degrees, 1))


def _shared(network: Network, pairs: Int64Array, weights: Float64Array) -> Float64Array:
    """Sum of weights_t over the neighbours t that both nodes share.

    The neighbours of the node with fewer links are looked up among those of the other: hubs cost no more than others.
    """
    rows, degrees = LinkRows(network.indptr, network.indices), network.degrees
    swap = degrees[pairs[:, 0]] > degrees[pairs[:, 1]]
    fewer, more = np.where(swap[:, None], pairs[:, ::-1], pairs).T
    scores, ends = np.empty(len(pairs)), np.cumsum(degrees[fewer])
    cuts = np.searchsorted(ends, np.arange(CHUNK, ends[-1] if len(ends) else 0, CHUNK))
    for low, high in pairwise([0, *cuts.tolist(), len(pairs)]):
        size = degrees[fewer[low:high]]
        pair = np.repeat(np.arange(high - low), size)
        places = np.arange(len(pair)) - np.repeat(np.cumsum(size) - size, size) + rows.indptr[fewer[low:high]][pair]
        between = rows.indices[places]
        is_shared = find_in_rows(rows, more[low:high][pair], between) >= 0
        scores[low:high] = np.bincount(pair[is_shared], weights[between[is_shared]], high - low)
    return scores


def paths_of_length_three(network: Network, pairs: Int64Array) -> Float64Array:
    """Paths of length three, weighted by 1 / root of the product of the degrees of the two nodes between.

    Proteins interact if one is similar to the partners of the other, rather than to the other (Kovacs et al., 2019).

    Parameters
    ----------
    network : Network
        The network.
    pairs : array of int, shape (pairs, 2)
        Node numbers.

    Returns
    -------
    array of float, shape (pairs,)
        Scores of the pairs.
    """
    return _between(network, pairs, _three_steps(network))


def four_step_transitions(network: Network, pairs: Int64Array) -> Float64Array:
    """Probability that a random walk of four steps leads from one node to the other, added up for both ways.

    Parameters
    ----------
    network : Network
        The network.
    pairs : array of int, shape (pairs, 2)
        Node numbers.

    Returns
    -------
    array of float, shape (pairs,)
        Scores of the pairs.

    Examples
    --------
    >>> four_step_transitions(Network.from_edges([(0, 1), (1, 2)]), np.array([[0, 2], [0, 1]])).round(3).tolist()
    [1.0, 0.0]
    """
    return _between(network, pairs, _four_steps(network)) * _both_ways(network, pairs)


def personalised_pagerank(network: Network, pairs: Int64Array) -> Float64Array:
    """Personalised PageRank of one node for the other, added up for both ways; restart probability .15.

    Walks of up to 20 steps are added up, which hold 97 % of the probability.

    Parameters
    ----------
    network : Network
        The network.
    pairs : array of int, shape (pairs, 2)
        Node numbers.

    Returns
    -------
    array of float, shape (pairs,)
        Scores of the pairs.
    """
    return RESTART * _between(network, pairs, _restarting(network)) * _both_ways(network, pairs)


def _three_steps(network: Network) -> Columns:
    matrix, normalised = network.to_scipy().astype(np.float32), _normalised(network)
    return lambda start: matrix @ (normalised @ (matrix @ start))


def _four_steps(network: Network) -> Columns:
    normalised = _normalised(network)
    return lambda start: normalised @ (normalised @ (normalised @ (normalised @ start)))


def _restarting(network: Network) -> Columns:
    step = np.float32(1 - RESTART) * _normalised(network)

    def ranks(start: Float32Array) -> Float32Array:
        total = start
        for _ in range(PAGERANK_STEPS):
            total = start + step @ total
        return total

    return ranks


def _normalised(network: Network) -> sparse.csr_array:
    """S = D^-1/2 A D^-1/2. A random walk has the transitions P = D^-1/2 S D^1/2, but S is symmetric.

    Single precision is enough: all terms are positive, so relative errors stay small.
    """
    root = np.sqrt(np.maximum(network.degrees, 1)).astype(np.float32)
    return sparse.csr_array(network.to_scipy().astype(np.float32) / root[:, None] / root[None, :])


def _both_ways(network: Network, pairs: Int64Array) -> Float64Array:
    """What turns S^n of pairs into P^n from the first to the second plus P^n from the second to the first."""
    root = np.sqrt(np.maximum(network.degrees, 1))[pairs]
    return np.asarray(root[:, 1] / root[:, 0] + root[:, 0] / root[:, 1])


def _between(network: Network, pairs: Int64Array, columns: Columns) -> Float64Array:
    """Entries of a large matrix at pairs."""
    nodes = network.node_count
    source, column = np.unique(pairs[:, 1], return_inverse=True)
    block = max(MAX_BLOCK // max(nodes, 1), 8)
    order = np.argsort(column, kind="stable")
    ends = np.searchsorted(column[order], np.arange(0, len(source) + block, block))
    scores = np.empty(len(pairs))
    for number, begin in enumerate(range(0, len(source), block)):
        start = _unit_columns(nodes, source[begin : begin + block])
        mine = order[ends[number] : ends[number + 1]]
        scores[mine] = columns(start)[pairs[mine, 0], column[mine] - begin]
    return scores


def _unit_columns(nodes: int, some: Int64Array) -> Float32Array:
    start = np.zeros((nodes, len(some)), dtype=np.float32)
    start[some, np.arange(len(some))] = 1.0
    return start


HEURISTICS: dict[str, Callable[[Network, Int64Array], Float64Array]] = {
    "common neighbours": common_neighbours,
    "Jaccard": jaccard,
    "Adamic-Adar": adamic_adar,
    "resource allocation": resource_allocation,
    "preferential attachment": preferential_attachment,
    "paths of length three": paths_of_length_three,
    "four-step walk": four_step_transitions,
    "personalised PageRank": personalised_pagerank,
}


# The same scores of some nodes with all nodes, one row each, to find the likeliest of all pairs.


def _rows_of_shared(weigh: Callable[[Network], Float64Array], network: Network) -> Rows:
    matrix = sparse.csr_array(network.to_scipy().astype(np.float64))
    weighted = sparse.csr_array(matrix * weigh(network)[None, :])
    return lambda nodes: (weighted[nodes] @ matrix).toarray()


def _rows_of_jaccard(network: Network) -> Rows:
    shared, degrees = _rows_of_shared(_equally, network), network.degrees.astype(np.float64)

    def rows(nodes: Int64Array) -> Float64Array:
        both = shared(nodes)
        return np.asarray(both / np.maximum(degrees[nodes][:, None] + degrees - both, 1.0))

    return rows


def _rows_of_attachment(network: Network) -> Rows:
    degrees = network.degrees.astype(np.float64)
    return lambda nodes: np.outer(degrees[nodes], degrees)


def _rows_of_paths(network: Network) -> Rows:
    columns = _three_steps(network)
    return lambda nodes: columns(_unit_columns(network.node_count, nodes)).T.astype(np.float64)


def _rows_both_ways(make: Callable[[Network], Columns], network: Network, factor: float = 1.0) -> Rows:
    columns, root = make(network), np.sqrt(np.maximum(network.degrees, 1))

    def rows(nodes: Int64Array) -> Float64Array:
        ratio = root / root[nodes][:, None]
        return np.asarray(columns(_unit_columns(network.node_count, nodes)).T * (factor * (ratio + 1 / ratio)))

    return rows


HEURISTIC_ROWS: dict[str, Callable[[Network], Rows]] = {
    "common neighbours": partial(_rows_of_shared, _equally),
    "Jaccard": _rows_of_jaccard,
    "Adamic-Adar": partial(_rows_of_shared, _by_log_degree),
    "resource allocation": partial(_rows_of_shared, _by_degree),
    "preferential attachment": _rows_of_attachment,
    "paths of length three": _rows_of_paths,
    "four-step walk": partial(_rows_both_ways, _four_steps),
    "personalised PageRank": partial(_rows_both_ways, _restarting, factor=RESTART),
}
# these follow each link from each node: minutes where nodes times links are more than this
FROM_EACH_NODE = ("paths of length three", "four-step walk", "personalised PageRank")
MAX_FAST_WORK = 20_000_000_000


# ---- protocols -------------------------------------------------------------------------------------------------------


class LinkMethod(Protocol):
    """A method that gives likely links high scores."""

    @property
    def name(self) -> str:
        """Name of the method in tables."""
        ...

    def score(self, train: Network, pairs: Int64Array, seed: int) -> Float64Array:
        """Score pairs of nodes from the training network.

        Parameters
        ----------
        train : Network
            The network without the hidden links.
        pairs : array of int, shape (pairs, 2)
            Node numbers of the pairs to score.
        seed : int
            Seed of all random numbers.

        Returns
        -------
        array of float, shape (pairs,)
            Higher for pairs that are more likely to be linked.
        """
        ...


@runtime_checkable
class FittedLinkMethod(LinkMethod, Protocol):
    """A link method that can also say which of all pairs are the likeliest."""

    def fit(self, train: Network, seed: int) -> Scorer:
        """Learn from the training network.

        Parameters
        ----------
        train : Network
            The network without the hidden links.
        seed : int
            Seed of all random numbers.

        Returns
        -------
        Scorer
            Gives scores of pairs, and the likeliest of all pairs.
        """
        ...


class LabelMethod(Protocol):
    """A method that gives likely labels high scores."""

    @property
    def name(self) -> str:
        """Name of the method in tables."""
        ...

    def score(self, network: Network, labels: Labels, seed: int) -> Float64Array:
        """Score every label for every node.

        Parameters
        ----------
        network : Network
            All nodes and links.
        labels : Labels
            The labels that were not hidden.
        seed : int
            Seed of all random numbers.

        Returns
        -------
        array of float, shape (nodes, labels)
            Higher for labels that are more likely.
        """
        ...


class VectorMethod(Protocol):
    """A method that gives each node a vector."""

    @property
    def name(self) -> str:
        """Name of the method in tables."""
        ...

    def vectors(self, network: Network, seed: int) -> Float32Array:
        """Compute one vector per node.

        Parameters
        ----------
        network : Network
            The network to learn from.
        seed : int
            Seed of all random numbers.

        Returns
        -------
        array of float32, shape (nodes, dimensions)
            One row per node; zeros for nodes without links.
        """
        ...


# ---- links -----------------------------------------------------------------------------------------------------------


class ScoresByFit:
    """Scores of a method that has `fit`."""

    def fit(self, train: Network, seed: int) -> Scorer:
        """Learn from the training network."""
        raise NotImplementedError

    def score(self, train: Network, pairs: Int64Array, seed: int) -> Float64Array:
        """Scores of the pairs, as those of `fit`."""
        return self.fit(train, seed).score(pairs)


@dataclass(frozen=True)
class ConditionalEmbedding(ScoresByFit):
    """Score pairs by their log-odds under an embedding.

    Parameters
    ----------
    given : Knowledge
        What is known about the network.
    settings : Settings, optional
        Settings of the fit; its seed is replaced by that of `score`.
    threads : int, optional
        Number of processors; by default all.

    Attributes
    ----------
    details : dict
        Settings and CPU times of the last fit.
    """

    given: Knowledge
    settings: Settings = field(default_factory=Settings)
    threads: int | None = field(default=None, compare=False, repr=False)  # does not change the result
    details: dict[str, Any] = field(default_factory=dict, compare=False, repr=False)

    @property
    def name(self) -> str:
        """Name of the method in tables, with what is given."""
        return f"netgiven, given {self.given}"

    def fit(self, train: Network, seed: int) -> Scorer:
        """Scores are log-odds. They order pairs as probabilities do, also where those round to 1."""
        embedding = fit_embedding(
            train, self.given, replace(self.settings, seed=seed), threads=self.threads, progress=False
        )
        self.details.update(fit_details(embedding))
        return embedding_scorer(embedding)


def fit_details(embedding: Embedding) -> dict[str, Any]:
    """Settings of an embedding, set or selected, and the CPU times of selection and fit."""
    settings: dict[str, Any] = {"dimensions": embedding.dimensions, "reach": round(embedding.reach, 4)}
    fit = embedding.fit
    settings |= {"shrinkage": fit.settings.shrinkage, "trials": len(fit.trials), "repelling": fit.settings.repelling}
    return settings | {"selection CPU s": fit.seconds["selection"], "fit CPU s": fit.seconds["fit"]}


@dataclass(frozen=True)
class PriorAlone(ScoresByFit):
    """Score pairs by their log-odds under the prior, without an embedding.

    Parameters
    ----------
    given : Knowledge
        What is known about the network.
    """

    given: Knowledge

    @property
    def name(self) -> str:
        """Name of the method in tables, with what is given."""
        return f"prior alone, {self.given}"

    def fit(self, train: Network, seed: int) -> Scorer:
        """Scores are log-odds under the prior."""
        prior, everyone = self.given.fit(train), np.arange(train.node_count)
        rows: Rows = lambda nodes: prior.log_odds_of(*np.broadcast_arrays(nodes[:, None], everyone))  # noqa: E731
        return Scorer(lambda pairs: prior.log_odds_of(*pairs.T), partial(top_of_rows, rows))


PROBABILISTIC = (
    ConditionalEmbedding,
    PriorAlone,
)  # methods whose scores are log-odds, so that calibration has a meaning


@dataclass(frozen=True)
class Heuristic(ScoresByFit):
    """Score pairs by their neighbourhoods, or by paths and random walks between them.

    Parameters
    ----------
    name : str
        One of the names in `netgiven.evaluation.methods.HEURISTICS`.
    """

    name: str

    def fit(self, train: Network, seed: int) -> Scorer:
        """Scores by the heuristic."""
        return Scorer(
            lambda pairs: HEURISTICS[self.name](train, pairs),
            lambda split, count: top_of_rows(HEURISTIC_ROWS[self.name](train), split, count),
        )


@dataclass(frozen=True)
class LinkRegression(ScoresByFit):
    """Score pairs by a logistic regression on the element-wise (Hadamard) product of the vectors of their nodes.

    Parameters
    ----------
    method : VectorMethod
        The method that computes the vectors, from the training network.
    """

    method: VectorMethod

    @property
    def name(self) -> str:
        """Name of the vector method."""
        return self.method.name

    def fit(self, train: Network, seed: int) -> Scorer:
        """Scores are log-odds by the regression."""
        return fit_regression(train, self.method.vectors(train, seed), seed)


def fit_regression(train: Network, vectors: Float32Array, seed: int) -> Scorer:
    """Score pairs by a logistic regression on products of vectors.

    The regression separates the links of the training network from the same number of random pairs without a link.

    Parameters
    ----------
    train : Network
        The training network.
    vectors : array of float32, shape (nodes, dimensions)
        One row per node.
    seed : int
        Seed of the random pairs without a link.

    Returns
    -------
    Scorer
        Its scores are log-odds.

    Raises
    ------
    InputError
        If the training network has no links, or links between all pairs.
    """
    from sklearn.linear_model import LogisticRegression

    random = np.random.default_rng([seed, 1])  # not the numbers with which a split of the same seed drew its pairs
    others = pairs_without_link(train, train.link_count, random)
    if not train.link_count or not len(others):
        raise InputError("A regression needs links and pairs without a link; this network lacks one of them.")
    examples = np.concatenate([train.links(), others])
    truth = np.arange(len(examples)) < train.link_count
    products = _products(vectors, examples)
    # The solver's tolerance is absolute: with short, unscaled vectors it stops at once, and all scores are equal.
    scale = products.std(axis=0)
    scale[scale == 0] = 1.0
    with single_blas_thread():
        model = LogisticRegression(max_iter=10_000).fit(products / scale, truth)
    wide = vectors.astype(np.float64)
    weighted = wide * (model.coef_[0] / scale)
    return Scorer(
        lambda pairs: np.asarray(model.decision_function(_products(vectors, pairs) / scale), dtype=np.float64),
        partial(top_of_rows, lambda nodes: weighted[nodes] @ wide.T),  # the intercept changes no order
    )


def _products(vectors: Float32Array, pairs: IntegerArray) -> Float64Array:
    wide = vectors.astype(np.float64)
    return np.asarray(wide[pairs[:, 0]] * wide[pairs[:, 1]])


# ---- labels ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class PredictedLabels:
    """Score labels by `predict_labels`.

    Parameters
    ----------
    given : Knowledge, optional
        What is known about the network with labels as nodes; by default degrees and the kinds of nodes.
    settings : Settings, optional
        Settings of the fit; its seed is replaced by that of `score`.
    threads : int, optional
        Number of processors; by default all.
    method : str, optional
        How labels are predicted: "auto", "links", "classifier" or "average".

    Attributes
    ----------
    details : dict
        Settings and CPU times of the last fit, and how the last labels were predicted.
    """

    given: Knowledge = field(default_factory=lambda: degrees() + blocks("kind"))
    settings: Settings = field(default_factory=Settings)
    threads: int | None = field(default=None, compare=False, repr=False)  # does not change the result
    method: str = "auto"
    details: dict[str, Any] = field(default_factory=dict, compare=False, repr=False)

    @property
    def name(self) -> str:
        """Name of the method in tables, with what is given."""
        return f"{'labels as links' if self.method == 'links' else f'labels ({self.method})'}, given {self.given}"

    def score(self, network: Network, labels: Labels, seed: int) -> Float64Array:
        """Log-odds of each label for each node."""
        prediction = predict_labels(
            network,
            labels,
            self.given,
            method=self.method,
            settings=replace(self.settings, seed=seed),
            threads=self.threads,
            progress=False,
        )
        self.details.update(fit_details(prediction.embedding))
        self.details.update(method=prediction.method, scores=dict(prediction.scores))
        return prediction.log_odds


@dataclass(frozen=True)
class LabelsAsLinks(PredictedLabels):
    """Score labels as links to nodes that stand for them: CNE-LP in the paper.

    Parameters and attributes are those of `PredictedLabels`.
    """

    method: str = "links"


@dataclass(frozen=True)
class MostCommonLabels:
    """Give all nodes the most common labels: a lower bound for other methods."""

    name: str = "most common labels"

    def score(self, network: Network, labels: Labels, seed: int) -> Float64Array:
        """Number of nodes with each label, the same for all nodes."""
        counts = np.bincount(labels.pairs[:, 1], minlength=len(labels.names))
        return np.tile(counts.astype(np.float64), (network.node_count, 1))


@dataclass(frozen=True)
class EmbeddingVectors:
    """Positions of a conditional embedding, as vectors for a regression: CNE-LR in the paper.

    Parameters
    ----------
    given : Knowledge, optional
        What is known about the network; by default degrees.
    settings : Settings, optional
        Settings of the fit; its seed is replaced by that of `score`.
    threads : int, optional
        Number of processors; by default all.
    """

    given: Knowledge = field(default_factory=degrees)
    settings: Settings = field(default_factory=Settings)
    threads: int | None = field(default=None, compare=False, repr=False)  # does not change the result

    @property
    def name(self) -> str:
        """Name of the method in tables, with what is given."""
        return f"netgiven, given {self.given}"

    def vectors(self, network: Network, seed: int) -> Float32Array:
        """Positions of the nodes, one row per node."""
        return fit_embedding(
            network, self.given, replace(self.settings, seed=seed), threads=self.threads, progress=False
        ).positions


@dataclass(frozen=True)
class LabelRegression:
    """Score each label by a logistic regression on vectors of the nodes that have labels.

    Parameters
    ----------
    method : VectorMethod
        The method that computes the vectors.
    penalty : float, optional
        Weight of the L2 penalty of the regressions.
    """

    method: VectorMethod
    penalty: float = 1.0

    @property
    def name(self) -> str:
        """Name of the vector method, with the regression."""
        return f"{self.method.name}, logistic regression"

    def score(self, network: Network, labels: Labels, seed: int) -> Float64Array:
        """Log-odds by the regressions; infinite where all nodes with labels, or none, have the label."""
        vectors = self.method.vectors(network, seed).astype(np.float64)
        known = labels.counts > 0
        truth = labels.matrix[np.flatnonzero(known)].toarray()
        columns = [_label_log_odds(vectors, known, truth[:, label], self.penalty) for label in range(truth.shape[1])]
        return np.column_stack(columns)


def _label_log_odds(vectors: Float64Array, known: BoolArray, truth: BoolArray, penalty: float) -> Float64Array:
    from sklearn.linear_model import LogisticRegression

    if truth.all() or not truth.any():
        return np.full(len(vectors), np.inf if truth.all() else -np.inf)
    model = LogisticRegression(C=1 / penalty, solver="liblinear", random_state=0)
    return np.asarray(model.fit(vectors[known], truth).decision_function(vectors))
