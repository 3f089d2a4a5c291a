"""Methods that score pairs, behind one small interface: they see training network and pairs, never the answers."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Protocol

from netgiven.embedding import Embedding, embed
from netgiven.evaluation.baselines.neighbourhoods import HEURISTICS
from netgiven.network import Network
from netgiven.priors import Knowledge
from netgiven.types import Float64Array, Int64Array


class LinkMethod(Protocol):
    """Something that gives likely links high scores."""

    @property
    def name(self) -> str:
        """What it is called in a table."""
        ...

    def score(self, train: Network, pairs: Int64Array, seed: int) -> Float64Array:
        """A score for each pair of node numbers, from the training network alone."""
        ...


@dataclass(frozen=True)
class Conditional:
    """A conditional embedding: the probability of the pair."""

    given: Knowledge
    settings: dict[str, Any] = field(default_factory=dict)
    details: dict[str, Any] = field(default_factory=dict, compare=False, repr=False)  # of the last run

    @property
    def name(self) -> str:
        """With what is given."""
        return f"netgiven, given {self.given}"

    def score(self, train: Network, pairs: Int64Array, seed: int) -> Float64Array:
        """Log-odds: in the order of probabilities, and apart where those round to 1."""
        embedding = embed(train, self.given, seed=seed, progress=False, **self.settings)
        self.details.update(describe(embedding))
        return embedding.log_odds_of(pairs[:, 0], pairs[:, 1])


def describe(embedding: Embedding) -> dict[str, Any]:
    """Settings, as given or chosen, and what choice and fit cost."""
    settings: dict[str, Any] = {"dimensions": embedding.dimensions, "reach": round(embedding.reach, 4)}
    settings |= {"shrinkage": embedding.settings["shrinkage"], "trials": len(embedding.settings["trials"])}
    return settings | {f"{stage} CPU s": embedding.seconds[stage] for stage in ("choice", "fit")}


@dataclass(frozen=True)
class PriorAlone:
    """What is given, without an embedding."""

    given: Knowledge

    @property
    def name(self) -> str:
        """With what is given."""
        return f"prior alone, {self.given}"

    def score(self, train: Network, pairs: Int64Array, seed: int) -> Float64Array:
        """Log-odds by the prior."""
        return self.given.fit(train).log_odds_of(pairs[:, 0], pairs[:, 1])


@dataclass(frozen=True)
class Heuristic:
    """A score by neighbourhoods."""

    name: str

    def score(self, train: Network, pairs: Int64Array, seed: int) -> Float64Array:
        """The heuristic's score."""
        return HEURISTICS[self.name](train, pairs)


GIVE_LOG_ODDS = (Conditional, PriorAlone)  # whose scores are probabilities, and can be right or wrong as such
