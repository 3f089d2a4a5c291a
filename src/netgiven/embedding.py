"""`embed` and the embedding that it returns: positions that add the most information to what is known."""

from __future__ import annotations

import os
from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt

from netgiven.array_file import load_arrays, save_arrays
from netgiven.edges import check_name, counted, shown
from netgiven.embedding_file import StoredEmbedding, check_embedding_suffix, pack, unpack
from netgiven.errors import FormatError, InputError, as_path, check_keywords, is_whole, warn
from netgiven.fitting.fit import calibrate_reach, log_likelihood, refit_positions, warm_settings
from netgiven.fitting.pipeline import fit_network
from netgiven.fitting.record import FitRecord, Likelihood, Stopwatch, item_counter, stage
from netgiven.fitting.selection import Validation
from netgiven.fitting.settings import (
    InitName,
    OptimizerName,
    Settings,
    map_settings,
)
from netgiven.fitting.train import Callback
from netgiven.io.read import as_network
from netgiven.kernels.arrays import LinkRows, ModelArrays, make_model_arrays, with_products_in_prior
from netgiven.model import Spread, probability
from netgiven.network import Network, named_by_side
from netgiven.node_index import number_of, number_pairs
from netgiven.notebook import as_html
from netgiven.priors.knowledge import (
    Given,
    GivenKnowledge,
    parse_knowledge,
    same_but_for_uncertainty,
    with_exact_degrees,
)
from netgiven.priors.prior import Prior, posterior_log_odds
from netgiven.priors.unobserved import mask_unobserved
from netgiven.types import Float32Array, Float64Array, Int64Array, IntegerArray

if TYPE_CHECKING:
    import pandas as pd

    from netgiven.analysis.active_learning import Strategy
    from netgiven.analysis.add_nodes import NewNodes
    from netgiven.analysis.explain import Explanation
    from netgiven.analysis.groups import Groups
    from netgiven.analysis.local_objective import LocalObjective
    from netgiven.analysis.surprise import Order
    from netgiven.distributed.cluster import Ray
    from netgiven.fitting.objectives import Method
    from netgiven.maps.map import Map

MAX_UNOBSERVED_POOL = 10_000_000  # up to here, all unobserved pairs are candidates for `ask`


@dataclass(frozen=True, eq=False)
class Embedding:
    """A position for each node and, with the prior, a probability for each pair.

    Made by `embed` and `load`.

    Attributes
    ----------
    network
        The network that was embedded.
    positions
        One row per node, in the order of `nodes`. `vectors` is the same array, read-only.
    prior
        The prior that probabilities are computed with.
    spread
        The spread that probabilities are computed with.
    fit
        How the positions were found: settings, training prior, convergence, steps, trials, CPU seconds.
    threads
        Number of processors for later computations; None: all.

    Examples
    --------
    >>> import netgiven as ng
    >>> links = [("ann", "bob"), ("bob", "cid"), ("cid", "ann"), ("cid", "dan"), ("dan", "eve")]
    >>> network = ng.Network.from_edges(links)
    >>> embedding = ng.embed(network, given="degrees", dimensions=2)
    >>> embedding["ann"].shape, embedding.shape, "ann" in embedding
    ((2,), (5, 2), True)
    >>> 0 < embedding.probability("ann", "dan") < 1
    True
    """

    network: Network
    positions: Float32Array
    prior: Prior
    spread: Spread
    fit: FitRecord
    stored_likelihood: Likelihood | None = None  # where a file has it
    threads: int | None = None

    @property
    def nodes(self) -> pd.Index[Any]:
        """The names of the nodes, in the order of `positions`."""
        return self.network.nodes

    @property
    def vectors(self) -> Float32Array:
        """The positions, by the name that other libraries use: one row per node in the order of `nodes`, read-only."""
        view = self.positions.view()
        view.flags.writeable = False
        return view

    @property
    def shape(self) -> tuple[int, int]:
        """Number of nodes and number of dimensions."""
        return len(self.nodes), self.dimensions

    @property
    def dimensions(self) -> int:
        """Number of coordinates of a node."""
        return int(self.positions.shape[1])

    @property
    def repelling(self) -> int:
        """How many of the dimensions, the last ones, repel: there, alike nodes link less."""
        return self.spread.repelling

    @property
    def reach(self) -> float:
        """Log-odds that two nodes at the same position gain over the prior."""
        return self.spread.reach(self.dimensions)

    @property
    def exact_prior(self) -> Prior:
        """The prior of predictions with degrees as they are: the training prior, unless more than that differs."""
        same = same_but_for_uncertainty(self.fit.prior.knowledge, self.prior.knowledge)
        return self.fit.prior if same else self.prior

    @property
    def history(self) -> pd.DataFrame:
        """The steps of the fit: `step`, `objective`, `reach`, `learning_rate`."""
        return self.fit.history

    def __getitem__(self, node: Hashable) -> Float32Array:
        return np.asarray(self.positions[number_of(self.nodes, node)])

    def __len__(self) -> int:
        return len(self.nodes)

    def __contains__(self, node: Hashable) -> bool:
        return node in self.nodes

    def __iter__(self) -> Iterator[Hashable]:
        return iter(self.nodes)

    def __array__(self, dtype: npt.DTypeLike | None = None, copy: bool | None = None) -> npt.NDArray[Any]:
        """The vectors, so that NumPy and scikit-learn take an embedding for the array of them."""
        return np.array(self.vectors, dtype=dtype, copy=copy)

    def __eq__(self, other: object) -> bool:
        """Whether vectors and probabilities are the same, of the same network; how they were found does not count."""
        if not isinstance(other, Embedding):
            return NotImplemented
        same = self.spread == other.spread and np.array_equal(self.positions, other.positions)
        return bool(same and self.prior == other.prior and self.network == other.network)

    def __hash__(self) -> int:
        return hash((self.shape, (self.positions + 0).tobytes()))  # -0.0 is 0.0, but has other bytes

    def __repr__(self) -> str:
        size = f"{len(self):,} nodes in {self._described_dimensions}"
        return f"Embedding of {size} given {self.prior.knowledge}; {self.fit.convergence}"

    @property
    def _described_dimensions(self) -> str:
        return f"{self.dimensions} dimensions" + (f", {self.repelling} of them repelling," if self.repelling else "")

    def _repr_html_(self) -> str:
        fit = {"given": str(self.prior.knowledge), "reach": f"{self.reach:.3g}", "fit": str(self.fit.convergence)}
        size = f"{len(self):,} nodes, {self.network.link_count:,} links, {self.dimensions} dimensions"
        return as_html(f"Embedding: {size}", [*fit.items(), ("to draw it", "embedding.map()")])

    # ---- probabilities -----------------------------------------------------------------------------------------------

    def log_odds_of(self, first: IntegerArray, second: IntegerArray) -> Float64Array:
        """Log-odds of links between nodes given by number; infinite where the prior is certain.

        Parameters
        ----------
        first, second
            Node numbers: positions in `nodes`.

        Returns
        -------
        ndarray
            z = logit P(a_ij = 1 | X) of each pair.
        """
        return posterior_log_odds(self.prior, self.positions, self.spread, first, second)

    def log_odds(self, pairs: Any) -> Float64Array:
        """Log-odds of links between pairs of nodes.

        Parameters
        ----------
        pairs
            Pairs of node names: a list of pairs, an array or a data frame with two columns.

        Returns
        -------
        ndarray
            z = logit P(a_uv = 1 | X) of each pair, in the order given; infinite where the prior is certain, and minus
            infinity for a node with itself.

        Raises
        ------
        UnknownNode
            If a name is not in the network.

        Examples
        --------
        >>> import netgiven as ng
        >>> ring = ng.Network.from_edges([(i, (i + 1) % 12) for i in range(12)])
        >>> embedding = ng.embed(ring, "density", dimensions=2, seed=1)
        >>> near, far = embedding.log_odds([(0, 1), (0, 6)])
        >>> bool(near > far)
        True
        """
        first, second = number_pairs(self.nodes, pairs)
        return np.asarray(np.where(first == second, -np.inf, self.log_odds_of(first, second)))

    def probabilities(self, pairs: Any) -> Float64Array:
        """Probabilities of links between pairs of nodes.

        Parameters
        ----------
        pairs
            Pairs of node names: a list of pairs, an array or a data frame with two columns.

        Returns
        -------
        ndarray
            P(a_uv = 1 | X) of each pair, in the order given; 0 for a node with itself.

        Raises
        ------
        UnknownNode
            If a name is not in the network.
        """
        return np.asarray(probability(self.log_odds(pairs)))

    def probability(self, first: Hashable, second: Hashable) -> float:
        """Probability of a link between two nodes.

        Parameters
        ----------
        first, second
            Node names.

        Returns
        -------
        float
            P(a_uv = 1 | X).

        Raises
        ------
        UnknownNode
            If a name is not in the network.
        """
        return float(self.probabilities([(first, second)])[0])

    def likely_links(self, node: Hashable | None = None, count: int = 10, threads: int | None = None) -> pd.DataFrame:
        """The most probable pairs that are not linked.

        Parameters
        ----------
        node
            Only pairs of this node; None: of the whole network.
        count
            How many pairs.
        threads
            Number of processors; None: all.

        Returns
        -------
        DataFrame
            `node`, or `u` and `v`; the `probability`, that of the `prior` alone, and the `lift` between the two.

        Raises
        ------
        InputError
            If `count` is not a whole number of at least 1.

        Examples
        --------
        >>> import netgiven as ng
        >>> ring = ng.Network.from_edges([(i, (i + 1) % 12) for i in range(12)])
        >>> sorted(ng.embed(ring, "density", dimensions=2, seed=1).likely_links(0, count=2)["node"])
        [2, 10]
        """
        check_count(count)
        if node is None:
            first, second = self._likeliest_pairs(count, self.threads if threads is None else threads)
            return self._prediction_table({"u": self.nodes[first], "v": self.nodes[second]}, first, second)
        from netgiven.ranking import largest

        own = number_of(self.nodes, node)
        others = largest(self._scores_of(own), count)
        return self._prediction_table({"node": self.nodes[others]}, np.full(len(others), own), others)

    def surprising_links(self, count: int = 10, by: Order = "surprise", node: Hashable | None = None) -> pd.DataFrame:
        """The links that are there although they are improbable.

        Errors in the data, or news: nothing that is given explains them, nor do the other links of their nodes. Each
        link was seen by the fit, which has made it more probable than it would be without it.

        Parameters
        ----------
        count
            How many links.
        by
            "surprise": least probable first. "lift": first those that positions make less probable than the prior,
            by the largest factor; they lead between nodes that the network keeps apart.
        node
            Only links of this node; None: of the whole network.

        Returns
        -------
        DataFrame
            `u` and `v`, or `node`; the `probability`, that of the `prior` alone, the `lift` between the two, and the
            `surprise`, which is -log2 of the probability, in bits.

        Raises
        ------
        UnknownNode
            If the name is not in the network.
        InputError
            If `count` is not a whole number of at least 1, or links cannot be sorted `by` this.

        Examples
        --------
        >>> import netgiven as ng
        >>> cliques = [(i, j) for i in range(20) for j in range(i) if i % 2 == j % 2]
        >>> embedding = ng.embed(ng.Network.from_edges([*cliques, (0, 1)]), "density", dimensions=2)
        >>> embedding.surprising_links(count=1)[["u", "v"]].values.tolist()
        [[0, 1]]
        """
        from netgiven.analysis.surprise import link_surprise, most_surprising

        check_count(count)
        links = self.network.links() if node is None else self._links_of(number_of(self.nodes, node))
        links = links[most_surprising(self.log_odds_of, self.prior.log_odds_of, links, count, by)]
        first, second = links.T
        names = {"u": self.nodes[first], "v": self.nodes[second]} if node is None else {"node": self.nodes[second]}
        return self._prediction_table(names, first, second).assign(surprise=link_surprise(self.log_odds_of, links))

    def node_surprise(self) -> pd.Series[Any]:
        """How improbable the links of each node are: the mean of -log2 of their probabilities, in bits.

        A node with many bits has links that neither what is given nor its position explains: it links across groups,
        or at random. Nodes of low degree have more bits than hubs in the same place, because each of their links was
        less probable; compare nodes of about the same degree.

        Returns
        -------
        Series
            By the name of the node; NaN for nodes without links.

        Examples
        --------
        >>> import netgiven as ng
        >>> cliques = [(i, j) for i in range(20) for j in range(i) if i % 2 == j % 2]
        >>> network = ng.Network.from_edges([*cliques, (0, 1)])
        >>> found = ng.embed(network, "density", dimensions=2).node_surprise()
        >>> sorted(found.nlargest(2).index)
        [0, 1]
        """
        import pandas as pd

        from netgiven.analysis.surprise import mean_surprise

        bits = mean_surprise(self.log_odds_of, self.network.links(), len(self))
        return pd.Series(bits, index=self.nodes, name="surprise")

    def _links_of(self, number: int) -> Int64Array:
        others = self.network.indices[self.network.indptr[number] : self.network.indptr[number + 1]]
        return np.column_stack([np.full(len(others), number), others]).astype(np.int64)

    def nearest(self, node: Hashable, count: int = 10) -> pd.DataFrame:
        """The nodes whose positions are nearest to that of a node, linked to it or not.

        Near nodes are linked more than the prior says. They are not always the likeliest links: those depend on the
        prior as well, see `likely_links`.

        Parameters
        ----------
        node
            Name of the node.
        count
            How many other nodes.

        Returns
        -------
        DataFrame
            `node` and `distance`, nearest first.

        Raises
        ------
        UnknownNode
            If the name is not in the network.
        InputError
            If `count` is not a whole number of at least 1.

        Examples
        --------
        >>> import netgiven as ng
        >>> ring = ng.Network.from_edges([(i, (i + 1) % 12) for i in range(12)])
        >>> sorted(ng.embed(ring, "density", dimensions=2, seed=1).nearest(0, count=2)["node"])
        [1, 11]
        """
        import pandas as pd

        from netgiven.ranking import largest

        check_count(count)
        own = number_of(self.nodes, node)
        distances = np.linalg.norm(self.positions.astype(np.float64) - self.positions[own], axis=1)
        distances[own] = np.inf
        found = largest(-distances, count)
        return pd.DataFrame({"node": self.nodes[found], "distance": distances[found]})

    def recommend(self, node: Any, count: int = 10, among: Any = None) -> pd.DataFrame:
        """The nodes that a node is most probably linked to, among those that it is not linked to yet.

        Parameters
        ----------
        node
            The name of a node; a list of names; or a column and its value, as {"type": "user"}, for all nodes with it.
        count
            How many recommendations for each node.
        among
            Which nodes may be recommended: those with a value of a column, as {"type": "film"} or "type=film" (or
            "film", if only one column has this value), or a list of names; None: all.

        Returns
        -------
        DataFrame
            Likeliest first: the recommended `node`, the `probability`, that of the `prior` alone, and the `lift`
            between the two. For several nodes, `u` is the node and `v` the recommended one, in the order given.

        Raises
        ------
        UnknownNode
            If a name is not in the network.
        InputError
            If no node has the value, several columns have it, or `count` is not a whole number of at least 1.

        Warns
        -----
        InputWarning
            If there is nothing to recommend to a node: it is linked to all candidates, or its other links have
            probability 0, as those of a node without links have given its degree.

        Examples
        --------
        >>> import netgiven as ng
        >>> embedding = ng.embed(ng.datasets.cinema(viewers=60, films=40), "degrees+blocks:side", dimensions=2)
        >>> embedding.recommend("viewer 07", count=3, among="film").columns.tolist()
        ['node', 'probability', 'prior', 'lift']
        >>> embedding.recommend({"side": "viewer"}, count=3, among={"side": "film"}).shape
        (180, 5)
        """
        from netgiven.ranking import best_partners, members

        check_count(count)
        several = isinstance(node, list | Mapping | np.ndarray) or hasattr(node, "to_numpy")
        nodes = self._numbers_of(node) if several else np.array([number_of(self.nodes, node)])
        candidates = members(self.network, among)
        place, second = best_partners(*self._arrays(), self.log_odds_of, nodes, candidates, count)
        first = nodes[place]
        if len(empty := np.setdiff1d(np.arange(len(nodes)), place)):
            warn(self._nothing_to_recommend(nodes[empty]))
        names = {"u": self.nodes[first], "v": self.nodes[second]} if several else {"node": self.nodes[second]}
        return self._prediction_table(names, first, second)

    def _numbers_of(self, given: Any) -> Int64Array:
        from netgiven.ranking import members

        return members(self.network, given) if isinstance(given, Mapping) else self.network.numbers(given)

    def _nothing_to_recommend(self, nodes: Int64Array) -> str:
        isolated = int(np.count_nonzero(self.network.degrees[nodes] == 0))
        reason = f", of which {isolated:,} have no links" if isolated else ""
        return (
            f"Nothing to recommend to {counted(len(nodes), 'node')}, such as {shown(self.nodes[nodes[0]])}{reason}: "
            f"all candidates are linked to them already, or have probability 0 given {self.prior.knowledge}."
        )

    def _arrays(self) -> tuple[ModelArrays, LinkRows]:
        arrays = make_model_arrays(
            self.positions, self.prior.arrays, self.reach, self.spread.stiffness, self.spread.repelling
        )
        return with_products_in_prior(arrays), LinkRows(self.network.indptr, self.network.indices)

    def _likeliest_pairs(self, count: int, threads: int | None) -> tuple[Int64Array, Int64Array]:
        from netgiven.ranking import likeliest_pairs

        first, second = likeliest_pairs(*self._arrays(), count, threads)
        order = np.argsort(-self.log_odds_of(first, second), kind="stable")  # the search was in float32
        order = order[self.prior.log_odds_of(first, second)[order] > -np.inf]
        return first[order], second[order]

    def _scores_of(self, number: int) -> Float64Array:
        """z with every other node, and minus infinity where there is a link."""
        scores = self.log_odds_of(np.full(len(self), number), np.arange(len(self)))
        scores[self.network.indices[self.network.indptr[number] : self.network.indptr[number + 1]]] = -np.inf
        scores[number] = -np.inf
        return scores

    def _prediction_table(self, names: dict[str, Any], first: IntegerArray, second: IntegerArray) -> pd.DataFrame:
        import pandas as pd

        posterior = probability(self.log_odds_of(first, second))
        prior = probability(self.prior.log_odds_of(first, second))
        lift = np.divide(posterior, prior, out=np.full(len(prior), np.nan), where=prior > 0)
        return pd.DataFrame({**names, "probability": posterior, "prior": prior, "lift": lift})

    # ---- likelihood --------------------------------------------------------------------------------------------------

    @cached_property
    def likelihood(self) -> Likelihood:
        """Log-likelihood and its standard error, computed at first use: exact up to 20,000 nodes."""
        return self.stored_likelihood or log_likelihood(
            self.network, self.prior, self.spread, self.positions, self.threads
        )

    @property
    def log_likelihood(self) -> float:
        """log P(network | X) in nats; estimated for large networks, see `likelihood.standard_error`."""
        return self.likelihood.value

    @cached_property
    def bits_per_link(self) -> float:
        """Information that the embedding adds to the prior, in bits per link."""
        gained = self.likelihood.value - mask_unobserved(self.prior, self.network).log_likelihood(self.network.links())
        return float(gained / np.log(2) / max(self.network.link_count, 1))

    # ---- analysis ----------------------------------------------------------------------------------------------------

    @cached_property
    def objective(self) -> LocalObjective:
        """The objective around single nodes, with the prior and spread of predictions."""
        from netgiven.analysis.local_objective import LocalObjective

        last = self.fit.settings
        shrinkages = last.shrinkage, last.repelling_shrinkage
        return LocalObjective(self.network, self.prior, self.positions, self.spread, *shrinkages)

    @cached_property
    def training_objective(self) -> LocalObjective:
        """The same with the prior and spread that positions were trained with: they are at its minimum."""
        spread = self.fit.settings.spread
        if self.fit.prior is self.prior and spread == self.spread:
            return self.objective
        return replace(self.objective, prior=self.fit.prior, spread=spread)

    def explain(self, first: Hashable, second: Hashable) -> Explanation:
        """Explain the probability of a pair: which links of the two nodes raise it, and by how much.

        The prior is held fixed.

        Parameters
        ----------
        first, second
            Node names.

        Returns
        -------
        Explanation
            With a `table()`, a `picture(path)` and `notes`.

        Raises
        ------
        UnknownNode
            If a name is not in the network.

        Examples
        --------
        >>> import netgiven as ng
        >>> path = ng.Network.from_edges([("ann", "bob"), ("bob", "cid"), ("cid", "dan")])
        >>> embedding = ng.embed(path, "density", dimensions=2, shrinkage=1.0)
        >>> sorted(embedding.explain("ann", "cid").table(count=2)["linked_to"])
        ['bob', 'bob']
        """
        from netgiven.analysis.explain import explain

        numbers = number_of(self.nodes, first), number_of(self.nodes, second)
        return explain(self.objective, *numbers, self.training_objective)

    def intervals(self, pairs: Any, level: float = 0.9) -> pd.DataFrame:
        """Intervals of probabilities, from the curvature of the objective where the fit ended.

        By how much a probability would vary if the network were drawn again from this embedding and fitted with the
        same settings. They are not intervals of the probability that a link really has: what the embedding does not
        show, or shows too weakly, is not in them.

        Parameters
        ----------
        pairs
            Pairs of node names.
        level
            Nominal coverage, between 0 and 1.

        Returns
        -------
        DataFrame
            `probability`, `low` and `high` of each pair.

        Raises
        ------
        InputError
            If `level` is not between 0 and 1, or a name is not in the network.

        Examples
        --------
        >>> import netgiven as ng
        >>> embedding = ng.embed(ng.datasets.company(people=40), dimensions=2, shrinkage=1.0)
        >>> found = embedding.intervals([("person 001", "person 002")], level=0.9).iloc[0]
        >>> bool(found["low"] < found["probability"] < found["high"])
        True
        """
        import pandas as pd

        from netgiven.analysis.intervals import intervals

        numbers = number_pairs(self.nodes, pairs)
        return pd.DataFrame(intervals(self.objective, *numbers, level, self.training_objective)._asdict())

    def ask(self, pool: Any = None, strategy: Strategy = "v-optimal", count: int = 10, seed: int = 0) -> pd.DataFrame:
        """Pairs to look up next, so that the embedding learns most (active learning).

        Parameters
        ----------
        pool
            Pairs of node names that can be looked up; None: all unobserved pairs.
        strategy
            "probability", "entropy", "d-optimal", "v-optimal" or "random".
        count
            How many pairs.
        seed
            For the strategy "random".

        Returns
        -------
        DataFrame
            `u`, `v`, the `probability` of a link, and the `score` of the pair by the strategy.

        Raises
        ------
        InputError
            If there is no pool and no unobserved pair, or too many of them.

        Examples
        --------
        >>> import netgiven as ng
        >>> ring = ng.Network.from_edges([(i, (i + 1) % 12) for i in range(12)]).with_unobserved([(0, 2), (0, 6)])
        >>> embedding = ng.embed(ring, "density", dimensions=2, reach=2.0, shrinkage=0.1)
        >>> embedding.ask(strategy="probability", count=1)[["u", "v"]].values.tolist()
        [[0, 2]]
        """
        import pandas as pd

        from netgiven.analysis.active_learning import ask

        found = ask(self.objective, self._pool(pool), strategy, count, seed, self.training_objective)
        first, second = found.pairs.T
        names = {"u": self.nodes[first], "v": self.nodes[second]}
        posterior = probability(self.objective.log_odds(first, second))
        return pd.DataFrame({**names, "probability": posterior, "score": found.scores})

    def _pool(self, pool: Any) -> Int64Array:
        network = self.network
        if pool is not None:
            return np.column_stack(number_pairs(network.nodes, pool)).astype(np.int64)
        if not 0 < network.unobserved_count <= MAX_UNOBSERVED_POOL:
            there = f"{network.unobserved_count:,} pairs are" if network.unobserved_count else "no pair is"
            raise InputError(
                f"No pool of pairs was given, and {there} unobserved. Give the pairs that can be looked up (up to "
                f"{MAX_UNOBSERVED_POOL:,} unobserved pairs are the pool by default)."
            )
        assert network.unobserved is not None
        if not network.unobserved.lists_observed:
            return network.unobserved.pairs
        pairs = np.column_stack(np.triu_indices(network.node_count, 1))
        return pairs[~network.are_observed(*pairs.T)]

    def groups(self, count: int | None = None, seed: int = 0) -> Groups:
        """Groups of nodes that are near each other, found by k-means in all dimensions of the embedding.

        Without a count, several are tried, and the one is taken whose groups gain most bits over the prior beyond what
        it takes to write down who belongs to which; if none is worth that, there are no groups. Nodes without links
        are in no group.

        Parameters
        ----------
        count
            How many groups (fewer, if fewer positions differ); None: as many as the links justify.
        seed
            Of the random numbers that k-means starts with.

        Returns
        -------
        Groups
            The `group` of each node, a `table` with one row per group, the `nodes(number)` of a group.

        Raises
        ------
        InputError
            If `count` is not a whole number of at least 1, or larger than the number of nodes with links; or if `seed`
            is not a whole number from 0 to 2^32 - 1.

        Examples
        --------
        >>> import netgiven as ng
        >>> cliques = [(i, j) for i in range(30) for j in range(i) if i % 3 == j % 3]
        >>> found = ng.embed(ng.Network.from_edges(cliques), given="density", dimensions=2).groups()
        >>> len(found), found[0] == found[27], found[0] == found[1]
        (3, True, False)
        """
        from netgiven.analysis.groups import find_groups

        near = self.dimensions - self.repelling or self.dimensions
        return find_groups(self.network, self.prior, self.positions[:, :near], count, seed)

    # ---- new nodes and changed networks ------------------------------------------------------------------------------

    def add(self, node: Hashable, links: Iterable[Hashable], columns: Mapping[str, Any] | None = None) -> Embedding:
        """Add one node; all others stay where they are.

        Parameters
        ----------
        node
            The name of the new node.
        links
            The names of the nodes that it is linked to.
        columns
            Its values in the node columns that the prior uses.

        Returns
        -------
        Embedding
            A new embedding; this one does not change.

        Raises
        ------
        InputError
            If the name is taken, a neighbour is unknown, or the prior does not allow the node.

        Examples
        --------
        >>> import netgiven as ng
        >>> ring = ng.Network.from_edges([(i, (i + 1) % 12) for i in range(12)])
        >>> more = ng.embed(ring, dimensions=2).add("new", [3, 4])
        >>> len(more), more.network.neighbours("new")
        (13, [3, 4])
        """
        import pandas as pd

        from netgiven.analysis.add_nodes import new_nodes_from_links

        check_name(node)
        if not isinstance(columns, Mapping | None):
            raise InputError(f"columns = {columns!r} was given; a mapping of columns to values is needed.")
        table = pd.DataFrame({name: [value] for name, value in (columns or {}).items()}, index=[0])
        return self._with_nodes(new_nodes_from_links(self.network, {node: links}, table))

    def add_many(self, links: Any, progress: bool | None = None) -> Embedding:
        """Add many nodes at once; all others stay where they are.

        New nodes are placed given the old ones; where they are linked to each other, they are placed once more.

        Parameters
        ----------
        links
            A mapping of new names to the names that each is linked to; or a network (or whatever `embed` accepts as
            one), with its columns, of which the names that this embedding does not have are new.
        progress
            Show progress; None: only if standard error is a terminal.

        Returns
        -------
        Embedding
            A new embedding; this one does not change.

        Raises
        ------
        InputError
            If a name is taken, a neighbour is unknown, or the prior does not allow a node.
        """
        import pandas as pd

        from netgiven.analysis.add_nodes import new_nodes_from_links, new_nodes_in

        if isinstance(links, Mapping):
            return self._with_nodes(
                new_nodes_from_links(self.network, links, pd.DataFrame(index=range(len(links)))), progress
            )
        return self._with_nodes(new_nodes_in(self.network, named_by_side(as_network(links), self.nodes)), progress)

    def _with_nodes(self, new: NewNodes, progress: bool | None = None) -> Embedding:
        from netgiven.analysis.add_nodes import add_nodes

        if self.exact_prior is not self.fit.prior:
            raise InputError(
                f"Positions were trained given {self.fit.prior.knowledge} and are used given {self.prior.knowledge}; "
                "nodes can be added where both are the same. Use update(network), which fits both priors again."
            )
        with item_counter("placing new nodes", new.count, progress) as show_count:
            found = add_nodes(self.training_objective, new, self.threads, show_count)
        prior = found.prior
        if self.prior.knowledge != self.fit.prior.knowledge:  # uncertain degrees are estimated from those of all
            prior = parse_knowledge(self.prior.knowledge).fit(found.network)
        fit = replace(self.fit, prior=found.prior, added_nodes=self.fit.added_nodes + new.count, seconds={})
        return Embedding(found.network, found.positions, prior, self.spread, fit, threads=self.threads)

    def update(
        self,
        network: Any,
        given: Given = None,
        *,
        max_steps: int | None = None,
        learning_rate: float | None = None,
        seed: int | None = None,
        progress: bool | None = None,
    ) -> Embedding:
        """Embed a changed network, starting from the positions of the nodes with the same names.

        The prior is fitted again; values that the network's columns lack are taken from the old one. Dimensions,
        reach, shrinkage and method stay the same. Far cheaper than `embed`.

        Parameters
        ----------
        network
            The network after links or nodes were added or removed: whatever `embed` accepts.
        given
            What is known about it; None: the same as before.
        max_steps, learning_rate, seed
            As for `embed`; None: a short fit, and the values of the last one.
        progress
            Show progress; None: only if standard error is a terminal.

        Returns
        -------
        Embedding
            A new embedding; this one does not change.

        Raises
        ------
        InputError
            If the networks have no node in common, or a setting is out of range.

        Examples
        --------
        >>> import netgiven as ng
        >>> ring, longer = (ng.Network.from_edges([(i, (i + 1) % n) for i in range(n)]) for n in (12, 14))
        >>> ng.embed(ring, dimensions=2).update(longer).dimensions
        2
        """
        from netgiven.analysis.placement import carry_positions, with_old_columns

        changed = with_old_columns(named_by_side(as_network(network), self.nodes), self.network)
        settings = self._settings_for_update(max_steps, learning_rate, seed)
        warm = warm_settings(settings, changed.node_count)
        stopwatch = Stopwatch()
        with stage("prior", progress):
            priors = self._knowledge_for_update(given).fit(changed)
        stopwatch.lap("prior")
        with stage("initial positions", progress):
            start = carry_positions(self.training_objective, changed, priors.train, self.threads)
        fit = refit_positions(changed, priors.train, warm, start, self.threads, progress)
        was_calibrated = self.fit.settings.spread != self.spread and not fit.convergence.diverged
        stretch = self.spread.stiffness / self.fit.settings.spread.stiffness
        spread = (
            calibrate_reach(changed, priors.predict, warm, fit.positions, self.threads, stretch)
            if was_calibrated
            else warm.spread
        )
        stopwatch.lap("fit")
        resolved = settings.resolve(changed.node_count)
        record = FitRecord(resolved, priors.train, fit.convergence, fit.steps, self.fit.trials, stopwatch.seconds)
        return Embedding(changed, fit.positions, priors.predict, spread, record, threads=self.threads)

    def _settings_for_update(self, max_steps: int | None, learning_rate: float | None, seed: int | None) -> Settings:
        last = self.fit.settings
        return Settings(
            dimensions=self.dimensions,
            reach=last.spread,
            shrinkage=last.shrinkage,
            repelling_shrinkage=last.repelling_shrinkage,
            method=last.method,
            optimizer=last.optimizer,
            max_steps=max_steps,
            learning_rate=last.learning_rate if learning_rate is None else learning_rate,
            seed=last.seed if seed is None else seed,
        )

    def _knowledge_for_update(self, given: Given) -> GivenKnowledge:
        """Knowledge of the training prior and of the prior of predictions."""
        if given is not None:
            return GivenKnowledge(given, given)
        return GivenKnowledge(self.fit.prior.knowledge, self.prior.knowledge)

    # ---- output ------------------------------------------------------------------------------------------------------

    def map(
        self,
        colour: str | None = None,
        *,
        reach: float | Spread | Literal["auto"] = "auto",
        title: str = "A network",
        dark: bool | None = None,
        settings: Settings | None = None,
        threads: int | None = None,
        progress: bool | None = None,
    ) -> Map:
        """Draw the network in the plane, given the same prior.

        An embedding in 2 dimensions is drawn as it is, unless a reach or settings are given. Otherwise a map is fitted.

        Parameters
        ----------
        colour
            A node column, or "degree"; None: the first column with groups.
        reach
            Of the fit; "auto": chosen on held-out links.
        title, dark
            Of the page or picture; `dark` None: what the reader's browser prefers.
        settings
            Other settings of the fit.
        threads
            Number of processors; None: all.
        progress
            Show progress; None: only if standard error is a terminal.

        Returns
        -------
        Map
            To `.save("map.html")`, `.save("map.png")`, or to show in a notebook.

        Raises
        ------
        InputError
            If there is no such column, or the fit diverged.
        """
        from netgiven.maps.map import Map

        if self.dimensions == 2 and reach == "auto" and settings is None:
            return Map((self,), colour, title, dark)
        wanted = settings or Settings()
        if reach != "auto":
            wanted = replace(wanted, reach=reach)
        threads = self.threads if threads is None else threads
        planar = fit_map(self.network, self.exact_prior, wanted, threads=threads, progress=progress)
        return Map((planar,), colour, title, dark)

    def to_pandas(self) -> pd.DataFrame:
        """The vectors as a table.

        Returns
        -------
        DataFrame
            One row per node: its name in `node`, its coordinates in `x1`, `x2`, ..., and those in dimensions that
            repel in `y1`, `y2`, ...
        """
        import pandas as pd

        near = self.dimensions - self.repelling
        names = [*(f"x{k + 1}" for k in range(near)), *(f"y{k + 1}" for k in range(self.repelling))]
        return pd.concat([pd.DataFrame({"node": self.nodes}), pd.DataFrame(self.positions, columns=names)], axis=1)

    def to_anndata(self) -> Any:
        """An `AnnData` object, for scanpy and the libraries around it.

        Returns
        -------
        anndata.AnnData
            One observation per node. The vectors are in `X` and in `obsm["X_netgiven"]`, the network is in
            `obsp["connectivities"]`, where `scanpy.tl.leiden` and `scanpy.tl.umap` look for it, and node columns are in
            `obs`. Names are text, as AnnData demands.

        Raises
        ------
        InputError
            If anndata is not installed.
        """
        from netgiven.embedding_file import make_anndata

        return make_anndata(self.network, self.to_pandas())

    def export(self, path: str | os.PathLike[str]) -> None:
        """Write the vectors for other programs, or a map for Gephi.

        Parameters
        ----------
        path
            A file that ends in .csv, .tsv, .parquet, .npy (NumPy) or .txt/.vec (word2vec text); or in .gexf for the
            network with its node columns and positions in the plane, which are those of `map()`: an embedding in more
            than 2 dimensions is not projected, a map is fitted.

        Raises
        ------
        InputError
            If the ending is another one, or the file cannot be written.
        """
        from netgiven.embedding_file import GEXF, export

        if as_path(path).suffix.lower() == GEXF:
            self.map().save(path)
        else:
            export(self.to_pandas(), as_path(path))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write everything to one file, from which `load` makes the same embedding.

        Parameters
        ----------
        path
            The file, which usually ends in .ng; it is replaced completely or not at all.

        Raises
        ------
        InputError
            If the file cannot be written, or its ending is one of `export`.
        """
        check_embedding_suffix(as_path(path))
        known = self.__dict__.get("likelihood", self.stored_likelihood)  # if it was computed: saving only writes
        stored = StoredEmbedding(self.network, self.positions, self.prior, self.spread, self.fit, known)
        save_arrays(path, *pack(stored))


def check_count(count: object) -> None:
    """Raise an error if a number of results is not a whole number of at least 1."""
    if not is_whole(count, 1):
        raise InputError(f"count = {count} was given; a whole number of at least 1 is needed.")


@check_keywords
def embed(
    network: Any,
    given: Given = None,
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
    warmup: float = 0.4,
    decay: float = 0.25,
    tolerance: float | None = None,
    seed: int = 0,
    train_given: Given = None,
    predict_given: Given = None,
    validation: Validation | None = None,
    threads: int | None = None,
    engine: Literal["local", "ray"] | Ray = "local",
    progress: bool | None = None,
    callback: Callback | None = None,
) -> Embedding:
    """Find the embedding that adds the most information to what is known about a network.

    Positions maximize the likelihood of the network under ::

        logit P(a_ij = 1 | X)  =  logit P_ij  +  reach  -  stiffness / 2 * |x_i - x_j|^2

    where P_ij is the prior; for dimensions that repel, `stiffness * y_i . y_j` is subtracted. Dimensions, reach and
    shrinkage that are "auto" are chosen on held-out links, which costs one to three fits. So are two things that
    only predictions depend on: the uncertainty of degrees, where links may be missing at random (see `degrees`),
    and how far distances are stretched, if the reach is "auto". Then the reach is set so that as many links are
    expected as there are. A network with too few links to hold out gets 8 dimensions, a reach of 2 and no
    shrinkage, and degrees are taken as they are.

    Parameters
    ----------
    network
        What `read` takes: a `Network`, a path, a table, a graph, a matrix, pairs, a mapping of nodes to neighbours ...
    given
        What is known: `degrees()` (the default), `density()`, `blocks("column")`, a sum of them, the text of one, a
        fitted prior, or one that was learned on another network.
    dimensions
        Number of coordinates of a node.
    reach
        The largest gain in log-odds over the prior that the distance of two nodes can give; or a `Spread`, which sets
        the stiffness, too.
    shrinkage
        Strength of a Gaussian prior on positions.
    repelling
        How many of the dimensions, the last ones, repel: there, alike nodes link less. "auto": chosen together with the
        dimensions, and 0 where these are given.
    repelling_shrinkage
        Strength of a Gaussian prior on positions in dimensions that repel; "auto": chosen with the others.
    method
        Which pairs a step looks at: "exact", "sampled", "paper", or what `exact()`, `sampled(samples)` and
        `paper(samples, weighted)` return. "auto": exact up to 2,000 nodes, sampled above.
    optimizer
        "adam", or "lbfgs" for the exact method.
    init
        Initial positions: "spectral", "diffusion", "lifted" or "random".
    max_steps
        The largest number of steps; None: 150 to 500, by the method.
    learning_rate
        About how far a coordinate moves in a step; None: 0.2.
    warmup
        Share of the steps over which the reach rises to its target.
    decay
        Share of the steps over which the learning rate falls to zero at the end.
    tolerance
        A relative fall of the objective below this, over ten steps, ends the fit; None: by the method.
    seed
        Of random numbers.
    train_given, predict_given
        What positions are trained with, and what probabilities are computed with, where these differ. Positions that
        were trained given more than they are used with carry nothing of the difference: train with
        `group_degrees("gender")` and predict with `degrees()`.
    validation
        What dimensions, reach and shrinkage are chosen on; None: held-out links.
    threads
        Number of processors, None: all. The result is the same, byte for byte.
    engine
        "local", "ray" for a cluster, or `Ray(address=..., workers=...)`. The result is the same, byte for byte.
    progress
        Show a progress bar; None: only if standard error is a terminal.
    callback
        Called before each step with its record (`step`, `objective`, `reach`, `learning_rate`) and the positions. On
        a cluster it is called again for steps that are repeated after the loss of a worker.

    Returns
    -------
    Embedding
        Positions, prior, and the record of the fit.

    Raises
    ------
    InputError
        If the network cannot be read, the knowledge does not fit it, or a setting is out of range.

    Examples
    --------
    >>> import netgiven as ng
    >>> ring = ng.Network.from_edges([(i, (i + 1) % 12) for i in range(12)])
    >>> embedding = ng.embed(ring, given="density", dimensions=2, seed=1)
    >>> sorted(embedding.likely_links(0, count=2)["node"])
    [2, 10]
    """
    settings = Settings(
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
        warmup=warmup,
        decay=decay,
        tolerance=tolerance,
        seed=seed,
    )
    return fit_embedding(
        network,
        given,
        settings,
        train_given=train_given,
        predict_given=predict_given,
        validation=validation,
        threads=threads,
        engine=engine,
        progress=progress,
        callback=callback,
    )


def fit_embedding(
    network: Any,
    given: Given,
    settings: Settings,
    *,
    train_given: Given = None,
    predict_given: Given = None,
    validation: Validation | None = None,
    threads: int | None = None,
    engine: Literal["local", "ray"] | Ray = "local",
    progress: bool | None = None,
    callback: Callback | None = None,
) -> Embedding:
    """Embed a network with `settings`; see `embed`, which takes them as keywords."""
    fitted = fit_network(
        as_network(network),
        given,
        settings,
        train_given=train_given,
        predict_given=predict_given,
        validation=validation,
        threads=threads,
        engine=engine,
        progress=progress,
        callback=callback,
    )
    return Embedding(*fitted, threads=threads)


def fit_map(
    network: Any,
    given: Given,
    settings: Settings,
    *,
    validation: Validation | None = None,
    threads: int | None = None,
    progress: bool | None = None,
    callback: Callback | None = None,
) -> Embedding:
    """An embedding in the plane, for drawing: exact up to 5,000 nodes, given degrees as they are.

    Raises
    ------
    InputError
        If the settings ask for other than 2 dimensions, or the fit diverged.
    """
    network = as_network(network)
    wanted = map_settings(settings, network.node_count)
    embedding = fit_embedding(
        network,
        with_exact_degrees(given),
        wanted,
        validation=validation,
        threads=threads,
        progress=progress,
        callback=callback,
    )
    if embedding.fit.convergence.diverged:
        raise InputError("The fit of the map diverged. Try a lower learning rate (0.2 is usual) or a smaller reach.")
    return embedding


def load(path: str | os.PathLike[str], threads: int | None = None) -> Embedding:
    """Read an embedding that `Embedding.save` wrote.

    Parameters
    ----------
    path
        The file, or the folder of a sharded embedding.
    threads
        Number of processors for later computations; None: all.

    Returns
    -------
    Embedding
        The same embedding.

    Raises
    ------
    FormatError
        If the file is not an embedding, or is damaged.
    InputError
        If there is no such file.

    Examples
    --------
    >>> import netgiven as ng; from pathlib import Path; from tempfile import TemporaryDirectory
    >>> ring = ng.Network.from_edges([(i, (i + 1) % 12) for i in range(12)])
    >>> with TemporaryDirectory() as folder:
    ...     ng.embed(ring, dimensions=2).save(Path(folder, "ring.ng"))
    ...     again = ng.load(Path(folder, "ring.ng"))
    >>> len(again)
    12
    """
    arrays, header = load_arrays(as_path(path))
    try:
        stored = unpack(arrays, header)
    except FormatError as problem:
        raise FormatError(f"{path}: {problem}") from problem
    except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError, InputError) as problem:
        raise FormatError(
            f"{path} lacks a part of an embedding, or it is damaged ({problem}). Make it again."
        ) from problem
    return Embedding(*stored, threads=threads)
