"""embed(network, given=...) and what it returns: positions that add the most information to what is known."""

from __future__ import annotations

import os
from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import pandas as pd

from netgiven.analysis.add_nodes import arrivals_in, told_arrivals
from netgiven.analysis.update import grown, kept_settings, updated, with_old_columns
from netgiven.answers.answering import Answering
from netgiven.array_file import load_arrays, save_arrays
from netgiven.distributed.cluster import Ray
from netgiven.distributed.driver import journeys_on
from netgiven.embedding_file import pack, unpack
from netgiven.errors import FormatError, InputError
from netgiven.exporting import export
from netgiven.fitting.fit import Likelihood, balanced, fit_positions, measure
from netgiven.fitting.progress import Clock, stage
from netgiven.fitting.record import Ending, Outcome, Record
from netgiven.fitting.selection import ContestMaker, Trial, choose, hidden_links
from netgiven.fitting.settings import Settings, check_settings, map_settings
from netgiven.fitting.train import Watcher
from netgiven.kernels.arrays import Links, make_scene
from netgiven.maps.map import Map
from netgiven.model import Spread, probability
from netgiven.network import Network
from netgiven.node_index import number_pairs
from netgiven.notebook import as_html
from netgiven.priors import Prior
from netgiven.priors.given import Given, first_told, fit_priors
from netgiven.priors.prior import posterior_log_odds
from netgiven.priors.unobserved import closed
from netgiven.ranking import largest, likeliest_pairs
from netgiven.readers.objects import as_network
from netgiven.types import Float32Array, Float64Array, IntegerArray


@dataclass(frozen=True, eq=False)
class Embedding(Answering):
    """A position for each node, and with the prior a probability for each pair.

    >>> network = Network.from_edges([("ann", "bob"), ("bob", "cid"), ("cid", "ann"), ("cid", "dan"), ("dan", "eve")])
    >>> embedding = embed(network, given="degrees", dimensions=2)
    >>> embedding["ann"].shape
    (2,)
    >>> 0 < embedding.probability("ann", "dan") < 1
    True
    """

    network: Network
    positions: Float32Array
    prior: Prior
    spread: Spread
    outcome: Outcome
    history: pd.DataFrame
    settings: dict[str, Any]
    measured: Likelihood | None = None  # the likelihood, where a file tells it
    # no part of what is saved:
    seconds: dict[str, float] = field(default_factory=dict)  # of the processors, by stage
    threads: int | None = None  # how many processors to use for what is asked later; all unless told

    @property
    def nodes(self) -> pd.Index[Any]:
        """The names of the nodes, in the order of `positions`."""
        return self.network.nodes

    def __getitem__(self, node: Hashable) -> Float32Array:
        return np.asarray(self.positions[int(self.network.numbers([node])[0])])

    def __len__(self) -> int:
        return len(self.nodes)

    def __contains__(self, node: Hashable) -> bool:
        return node in self.nodes

    def __iter__(self) -> Iterator[Hashable]:
        return iter(self.nodes)

    def __repr__(self) -> str:
        size = f"{len(self):,} nodes in {self.dimensions} dimensions"
        return f"Embedding of {size} given {self.prior.knowledge}; {self.outcome}"

    def _repr_html_(self) -> str:
        lines = {"given": str(self.prior.knowledge), "reach": f"{self.reach:.3g}", "fit": str(self.outcome)}
        size = f"{len(self):,} nodes, {self.network.link_count:,} links, {self.dimensions} dimensions"
        return as_html(f"Embedding: {size}", [*lines.items(), ("to see it", "embedding.map()")])

    # ---- probabilities ---------------------------------------------------------------------------------------------

    def log_odds_of(self, first: IntegerArray, second: IntegerArray) -> Float64Array:
        """z of pairs given as node numbers; minus or plus infinity where the prior is certain."""
        return posterior_log_odds(self.prior, self.positions, self.spread, first, second)

    def probabilities(self, pairs: Any) -> Float64Array:
        """P(a_uv = 1 | X) of pairs of names, in the order given; 0 for a node with itself."""
        first, second = number_pairs(self.nodes, pairs)
        return np.where(first == second, 0.0, probability(self.log_odds_of(first, second)))

    def probability(self, first: Hashable, second: Hashable) -> float:
        """P(a_uv = 1 | X) of one pair of names."""
        return float(self.probabilities([(first, second)])[0])

    def likely_links(self, node: Hashable | None = None, count: int = 10, threads: int | None = None) -> pd.DataFrame:
        """The likeliest pairs that are not linked: those of `node`, or of the whole network.

        Columns: the other node (or `u` and `v`), its probability, what the prior alone says, and the lift between the
        two.
        """
        if not isinstance(count, (int, np.integer)) or count < 1:
            raise InputError(f"The {count} likeliest links were asked for; a whole number of at least 1 is needed.")
        if node is None:
            scene = make_scene(self.positions, self.prior.arrays, self.reach, self.spread.stiffness)
            links = Links(self.network.indptr, self.network.indices)
            first, second = likeliest_pairs(scene, links, count, threads or self.threads)
            exact = np.argsort(-self.log_odds_of(first, second), kind="stable")  # the search was in float32
            order = exact[self.prior.log_odds_of(first, second)[exact] > -np.inf]
            first, second = first[order], second[order]
            return self._told({"u": self.nodes[first], "v": self.nodes[second]}, first, second)
        own = int(self.network.numbers([node])[0])
        others = largest(self._scores_of(own), count)
        return self._told({"node": self.nodes[others]}, np.full(len(others), own), others)

    def _scores_of(self, number: int) -> Float64Array:
        """z with every other node, and minus infinity where there is a link."""
        scores = self.log_odds_of(np.full(len(self), number), np.arange(len(self)))
        scores[self.network.indices[self.network.indptr[number] : self.network.indptr[number + 1]]] = -np.inf
        scores[number] = -np.inf
        return scores

    def _told(self, names: dict[str, Any], first: npt.NDArray[Any], second: npt.NDArray[Any]) -> pd.DataFrame:
        chance = probability(self.log_odds_of(first, second))
        before = probability(self.prior.log_odds_of(first, second))
        return pd.DataFrame({**names, "probability": chance, "prior": before, "lift": chance / before})

    # ---- changes ---------------------------------------------------------------------------------------------------

    def add(self, node: Hashable, links: Iterable[Hashable], columns: Mapping[str, Any] | None = None) -> Embedding:
        """This embedding with one node more, linked to the nodes named; all others stay as they are.

        `columns` are the node's values in the columns that the prior is about.

        >>> ring = Network.from_edges([(i, (i + 1) % 12) for i in range(12)])
        >>> more = embed(ring, dimensions=2).add("new", [3, 4])
        >>> len(more), more.network.neighbours("new")
        (13, [3, 4])
        """
        table = pd.DataFrame({name: [value] for name, value in (columns or {}).items()}, index=[0])
        return replace(self, **grown(self, told_arrivals(self.network, {node: links}, table)))

    def add_many(self, links: Any, progress: bool | None = None) -> Embedding:
        """The same with many nodes at once: a mapping of names to the names that each is linked to, or a network (or
        what `embed` takes for one), with its columns, whose new names are those that this embedding does not have.

        New nodes find their places given the old ones; where they are linked to each other, they look around again.
        """
        if isinstance(links, Mapping):
            arrivals = told_arrivals(self.network, links, pd.DataFrame(index=range(len(links))))
        else:
            arrivals = arrivals_in(self.network, as_network(links))
        return replace(self, **grown(self, arrivals, progress))

    def update(self, network: Any, given: Given = None, progress: bool | None = None, **settings: Any) -> Embedding:
        """The embedding of a network after links or nodes came or went: from where the nodes of the same names are.

        The prior is fitted anew, to the same knowledge unless told; values that the network's columns lack are taken
        from the old one. Far cheaper than `embed`: reach, shrinkage and dimensions stay. `settings`: steps, rate, seed.

        >>> ring = Network.from_edges([(i, (i + 1) % 12) for i in range(12)])
        >>> embed(ring, dimensions=2).update(Network.from_edges([(i, (i + 1) % 14) for i in range(14)])).dimensions
        2
        """
        changed = with_old_columns(as_network(network), self.network)
        wanted = check_settings(kept_settings(self) | settings)
        same = self.prior.knowledge if given is None else given
        train = self.trained_given if given is None and self.trained_given != same else same
        with stage("prior", progress):
            priors = fit_priors(changed, train, same)
        return replace(self, **updated(self, changed, priors, wanted, progress))

    # ---- information -----------------------------------------------------------------------------------------------

    @cached_property
    def likelihood(self) -> Likelihood:
        """Log-likelihood and its standard error, computed when first asked for: exact up to 20,000 nodes."""
        return self.measured or measure(self.network, self.prior, self.spread, self.positions, self.threads)

    @property
    def log_likelihood(self) -> float:
        """log P(network | X) in nats; estimated for large networks, see `likelihood.standard_error`."""
        return self.likelihood.value

    @cached_property
    def bits_per_link(self) -> float:
        """Information that the embedding adds to the prior, in bits a link."""
        gained = self.likelihood.value - closed(self.prior, self.network).log_likelihood(self.network.links())
        return float(gained / np.log(2) / max(self.network.link_count, 1))

    # ---- out -------------------------------------------------------------------------------------------------------

    def map(
        self,
        colour: str | None = None,
        *,
        reach: float | Literal["auto"] = "auto",
        title: str = "A network",
        dark: bool | None = None,
        **settings: Any,
    ) -> Map:
        """This network drawn in the plane, given the same: `.save("map.html")`, `.save("map.png")`, or in a notebook.

        An embedding in 2 dimensions is drawn as it is. Otherwise, or if anything of `embed` is told, a map is fitted.

        - `colour`: a node column, or `degree`; the first column with groups unless told
        - `reach`: of the fit, chosen on hidden links unless told
        """
        if reach != "auto":
            settings["spread"] = Spread.from_reach(reach)
        fitted = self.dimensions == 2 and not set(settings) - {"threads", "progress"}
        return Map((self if fitted else embed_flat(self.network, self.prior, **settings),), colour, title, dark)

    def to_pandas(self) -> pd.DataFrame:
        """One row a node: its name and coordinates x1, x2, ..."""
        names = [f"x{k + 1}" for k in range(self.dimensions)]
        return pd.concat([pd.DataFrame({"node": self.nodes}), pd.DataFrame(self.positions, columns=names)], axis=1)

    def export(self, path: str | os.PathLike[str]) -> None:
        """Write the vectors for other programs: .csv, .tsv, .parquet, .npy (NumPy) or .txt/.vec (word2vec text)."""
        export(self.to_pandas(), path)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write everything to one file, from which `load` makes the same embedding."""
        arrays, header = pack(self)
        save_arrays(path, arrays, header)


def embed(
    network: Any,
    given: Given = None,
    *,
    train_given: Given = None,
    predict_given: Given = None,
    dimensions: int | Literal["auto"] = "auto",
    spread: Spread | Literal["auto"] = "auto",
    shrinkage: float | Literal["auto"] = "auto",
    contests: ContestMaker = hidden_links,
    threads: int | None = None,
    progress: bool | None = None,
    watch: Watcher | None = None,
    engine: Literal["local", "ray"] | Ray = "local",
    **settings: Any,
) -> Embedding:
    """The embedding that adds the most information to what is given.

    - `network`: a Network, a path, a networkx or igraph graph, a matrix, or a data frame of links
    - `given`: what is known, `degrees()` unless told: `density()`, `blocks("column")`, a sum of them, the text of one,
      a fitted prior, or one that was learned on another network
    - `train_given`, `predict_given`: what positions are found with, and what probabilities are made with, where that is
      not the same. Positions that were found given more than they are read with say nothing of the difference: train
      with `group_degrees("gender")`, predict with `degrees()`
    - `dimensions`: number of coordinates of a node
    - `spread`: `Spread(s1, s2, density)` or `Spread.from_reach(reach)`
    - `shrinkage`: strength of a Gaussian prior on positions; these three are chosen on hidden links unless told, which
      costs one to three fits, and at the end the reach is set so that as many links are expected as there are; a
      network with too few links to hide gets 8 dimensions, a reach of 2, and no shrinkage
    - `contests`: what they are chosen by; hidden links unless told
    - `threads`: how many processors to use, all unless told; the result is the same, byte for byte
    - `progress`: show a bar; unless told, if standard error is a terminal
    - `watch`: a function that is told each step, with its record and the positions
    - `engine`: "local", or "ray" for a cluster, or `ng.Ray(address=, workers=)` for a certain one; the result is the
      same, byte for byte
    - anything else of `Settings`: method, rule, start, steps, rate, rising, cooling, tolerance, seed

    >>> ring = Network.from_edges([(i, (i + 1) % 12) for i in range(12)])
    >>> embedding = embed(ring, given="density", dimensions=2, seed=1)
    >>> sorted(embedding.likely_links(0, count=2)["node"])
    [2, 10]
    """
    network = as_network(network)
    dials = {"dimensions": dimensions, "spread": spread, "shrinkage": shrinkage}
    wanted = check_settings(settings | {name: value for name, value in dials.items() if not _is_auto(value)})
    complete = wanted.resolved(network.node_count)  # complains before any work is done
    open_dials = ["reach" if name == "spread" else name for name, value in dials.items() if _is_auto(value)]
    clock = Clock()
    knowledge = first_told(train_given, given), first_told(predict_given, given)
    with journeys_on(engine, complete) as journeys:  # connects, or complains, before the work
        with stage("prior", progress):
            priors = fit_priors(network, *knowledge)
        clock.stop("prior")
        with stage("choosing settings", progress if open_dials else False):
            hidden = contests(network, lambda part: fit_priors(part, *knowledge), wanted.seed) if open_dials else []
        chosen, trials = choose(hidden, wanted, open_dials, threads, progress) if hidden else (wanted, [])
        clock.stop("choice")
        chosen = chosen.resolved(network.node_count)
        fitted = fit_positions(network, priors.train, chosen, threads, progress, watch=watch, journeys=journeys)
    if trials and "reach" in open_dials and fitted.outcome.ending is not Ending.DIVERGED:
        chosen = replace(chosen, spread=balanced(network, priors.predict, chosen, fitted.positions, threads))
    clock.stop("fit")
    history = pd.DataFrame(fitted.history, columns=list(Record._fields))
    told = _told(chosen, trials) | {"trained_given": priors.train.knowledge}
    positions, outcome = fitted.positions, fitted.outcome
    later: dict[str, Any] = {"seconds": clock.seconds, "threads": threads}
    return Embedding(network, positions, priors.predict, chosen.spread, outcome, history, told, **later)


def embed_flat(network: Any, given: Given = None, **settings: Any) -> Embedding:
    """An embedding in the plane, for looking at: exact up to 5,000 nodes; settings are those of `embed`."""
    if settings.get("dimensions", 2) != 2:
        raise InputError(f"A map in {settings['dimensions']} dimensions was asked for; a map has 2.")
    network = as_network(network)
    embedding = embed(network, given, **(map_settings(network.node_count) | settings))
    if embedding.outcome.ending is Ending.DIVERGED:
        raise InputError("The fit of the map diverged. Try a lower rate (0.2 is usual) or a smaller reach.")
    return embedding


def _told(settings: Settings, trials: list[Trial]) -> dict[str, Any]:
    """Settings and trials as they are kept with an embedding."""
    return settings.told() | {"trials": [list(trial) for trial in trials]}


def _is_auto(value: object) -> bool:
    return isinstance(value, str) and value == "auto"


def load(path: str | os.PathLike[str], threads: int | None = None) -> Embedding:
    """Read back an embedding that `save` wrote; `threads`: how many processors to use for what is asked later."""
    arrays, header = load_arrays(path)
    try:
        return Embedding(**unpack(arrays, header), threads=threads)
    except FormatError as problem:
        raise FormatError(f"{path}: {problem}") from problem
    except (KeyError, TypeError, ValueError, IndexError, AttributeError, InputError) as problem:
        raise FormatError(f"{path} lacks or garbles a part of an embedding ({problem}). Make it again.") from problem
