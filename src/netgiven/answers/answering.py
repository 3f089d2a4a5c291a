"""What an embedding answers about its predictions, as methods of it."""

from __future__ import annotations

import math
from collections.abc import Hashable
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from netgiven.analysis.active_learning import Strategy, ask
from netgiven.analysis.explain import Explanation, explain
from netgiven.analysis.intervals import intervals
from netgiven.analysis.local_objective import View
from netgiven.errors import InputError
from netgiven.fitting.fit import spread_of
from netgiven.model import Spread, probability
from netgiven.network import Network
from netgiven.node_index import number_of, number_pairs
from netgiven.priors import Prior
from netgiven.priors.given import fit_again
from netgiven.types import Float32Array, Int64Array

MOST_UNKNOWN = 10_000_000  # pairs that are a pool without being told


class Answering:
    """Whoever has a network, a prior, positions and how they were found."""

    network: Network
    positions: Float32Array
    prior: Prior
    spread: Spread
    history: pd.DataFrame
    settings: dict[str, Any]

    @cached_property
    def view(self) -> View:
        """The embedding as seen from single nodes."""
        return View(self.network, self.prior, self.positions, self.spread, float(self.settings.get("shrinkage") or 0.0))

    @property
    def dimensions(self) -> int:
        """Number of coordinates of a node."""
        return self.view.dimensions

    @property
    def reach(self) -> float:
        """Log-odds that two nodes at the same place gain over the prior."""
        return self.view.reach

    @property
    def trained_given(self) -> str:
        """The knowledge that positions were found with."""
        return str(self.settings.get("trained_given", self.prior.knowledge))

    @property
    def trained_spread(self) -> Spread:
        """The spread that positions were found with: its reach is another one where that was balanced at the end."""
        reach = float(self.history["reach"].iloc[-1]) if len(self.history) else self.reach
        return self.spread if math.isclose(reach, self.reach, rel_tol=1e-6) else spread_of(reach, self.spread.stiffness)

    @property
    def settled(self) -> View:
        """The embedding as seen with the reach that positions were found with."""
        return self.view if self.trained_spread == self.spread else replace(self.view, spread=self.trained_spread)

    @cached_property
    def found(self) -> View:
        """The same with the prior that they were found with, too: where they are at rest."""
        if self.trained_given == self.prior.knowledge:
            return self.settled
        return replace(self.settled, prior=fit_again(self.network, self.trained_given))

    def explain(self, first: Hashable, second: Hashable) -> Explanation:
        """Why a pair is as likely as it is: which links of the two nodes raise its probability, and by how much.

        What is given is held fixed. The result has a `table()`, a `picture(path)` and `notes`.

        >>> import netgiven as ng
        >>> path = Network.from_edges([("ann", "bob"), ("bob", "cid"), ("cid", "dan")])
        >>> embedding = ng.embed(path, "density", dimensions=2, shrinkage=1.0)
        >>> sorted(embedding.explain("ann", "cid").table(count=2)["linked_to"])
        ['bob', 'bob']
        """
        return explain(
            self.view, number_of(self.network.nodes, first), number_of(self.network.nodes, second), self.found
        )

    def intervals(self, pairs: Any, level: float = 0.9) -> pd.DataFrame:
        """Between what the probabilities of pairs of names lie, from the curvature at the optimum: `probability`,
        `low` and `high`. They are honest about sampling, not about a model that does not fit.

        >>> import netgiven as ng
        >>> embedding = ng.embed(ng.datasets.company(people=40), dimensions=2, shrinkage=1.0)
        >>> found = embedding.intervals([("person 001", "person 002")], level=0.9).iloc[0]
        >>> bool(found["low"] < found["probability"] < found["high"])
        True
        """
        return pd.DataFrame(intervals(self.view, *number_pairs(self.network.nodes, pairs), level)._asdict())

    def ask(self, pool: Any = None, strategy: Strategy = "v-optimal", count: int = 10, seed: int = 0) -> pd.DataFrame:
        """Which pairs to look up next: of a pool of pairs of names, or of all that are unknown.

        Columns: `u`, `v`, the `probability` of a link, and what the pair is `worth` by the strategy: probability,
        entropy, d-optimal, v-optimal or random.

        >>> import netgiven as ng
        >>> ring = Network.from_edges([(i, (i + 1) % 12) for i in range(12)]).with_unknown([(0, 2), (0, 6)])
        >>> embedding = ng.embed(ring, "density", dimensions=2, spread=ng.Spread.from_reach(2.0), shrinkage=0.1)
        >>> embedding.ask(strategy="probability", count=1)[["u", "v"]].values.tolist()
        [[0, 2]]
        """
        found = ask(self.view, self._pool(pool), strategy, count, seed)
        first, second = found.pairs.T
        names = {"u": self.network.nodes[first], "v": self.network.nodes[second]}
        chance = probability(self.view.log_odds(first, second))
        return pd.DataFrame({**names, "probability": chance, "worth": found.worth})

    def _pool(self, pool: Any) -> Int64Array:
        network = self.network
        if pool is not None:
            return np.column_stack(number_pairs(network.nodes, pool)).astype(np.int64)
        if not 0 < network.unknown_count <= MOST_UNKNOWN:
            told = f"{network.unknown_count:,} pairs are" if network.unknown_count else "no pair is"
            raise InputError(
                f"There is no pool to ask from, and {told} unknown; give the pairs that can be asked for (up to "
                f"{MOST_UNKNOWN:,} unknown ones are a pool without being told)."
            )
        assert network.unknown is not None
        if not network.unknown.lists_known:
            return network.unknown.pairs
        pairs = np.column_stack(np.triu_indices(network.node_count, 1))
        return pairs[~network.are_known(*pairs.T)]
