"""What settings are chosen by: a network with something hidden from it, and a judge who knows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple, Protocol

from netgiven.metrics import auc, auc_gain
from netgiven.model import Spread
from netgiven.network import Network
from netgiven.priors.posterior import posterior_log_odds
from netgiven.priors.prior import Prior
from netgiven.splits import LinkSplit, hide_links
from netgiven.types import Float32Array, Float64Array

# A tenth of the links is hidden: with more, the settings would suit a sparser network than the one to be fitted. Of a
# small network it is more, and that several times over, because chance weighs heavier there.
HIDDEN, MOST_HIDDEN, ENOUGH = 0.1, 0.2, 1_000
FEWEST = 30  # hidden links below which a grade says nothing
MOST_CONTESTS = 4

# Of a large network a smaller share tells as much, and the search begins with few dimensions and takes short trials: a
# trial in 64 dimensions would take longer than the whole fit in 8.
MANY_NODES, MOST_LINKS_HIDDEN = 200_000, 100_000
MIDDLE = {"reach": 3.0, "shrinkage": 1.0, "dimensions": 64.0}
MIDDLE_OF_MANY = {"reach": 2.0, "shrinkage": 0.3, "dimensions": 8.0}

Dials = dict[str, float]


class Priors(NamedTuple):
    """The prior that positions are fitted with, and the one that they are read with: mostly the same."""

    train: Prior
    predict: Prior


FitPriors = Callable[[Network], Priors]


class Effort(NamedTuple):
    """Steps of a trial, and how many non-links a block of nodes looks at in each."""

    steps: int = 30
    samples: int = 128


class Contest(Protocol):
    """A network with something hidden from it, and a judge who knows."""

    @property
    def middle(self) -> Dials:
        """Where the search begins, and the order in which dials are turned."""
        ...

    @property
    def effort(self) -> Effort:
        """What a trial takes before its grade can be trusted."""
        ...

    @property
    def margin(self) -> float:
        """How much better a grade must be before it is taken for better: what chance alone would do."""
        ...

    @property
    def train(self) -> Network:
        """What trials are fitted to."""
        ...

    @property
    def prior(self) -> Prior:
        """The prior that trials are fitted with."""
        ...

    def grade(self, positions: Float32Array, spread: Spread) -> float:
        """How well positions tell what is hidden; more is better."""
        ...

    def gain(self, positions: Float32Array, spread: Spread) -> tuple[float, float]:
        """How much better they tell it than the prior alone, and the standard error of that."""
        ...


ContestMaker = Callable[[Network, FitPriors, int], Sequence[Contest]]


@dataclass(frozen=True)
class HiddenLinks:
    """Some links are hidden; the grade is the AUC against pairs that were never linked."""

    split: LinkSplit
    priors: Priors
    margin: ClassVar[float] = 0.0  # the same pairs are graded each time, and there are many

    @property
    def middle(self) -> Dials:
        """Many dimensions, unless there are many nodes."""
        return MIDDLE_OF_MANY if self._many else MIDDLE

    @property
    def effort(self) -> Effort:
        """The usual, unless there are many nodes."""
        return Effort(steps=12) if self._many else Effort()

    @property
    def _many(self) -> bool:
        return self.train.node_count > MANY_NODES

    @property
    def train(self) -> Network:
        """Without the hidden links."""
        return self.split.train

    @property
    def prior(self) -> Prior:
        """The prior that trials are fitted with."""
        return self.priors.train

    def grade(self, positions: Float32Array, spread: Spread) -> float:
        """The AUC on hidden links."""
        return auc(self.split.truth, self._log_odds(positions, spread))

    def gain(self, positions: Float32Array, spread: Spread) -> tuple[float, float]:
        """The AUC above that of the prior."""
        known = self.priors.predict.log_odds_of(*self.split.pairs.T)
        return auc_gain(self.split.truth, self._log_odds(positions, spread), known)

    def _log_odds(self, positions: Float32Array, spread: Spread) -> Float64Array:
        return posterior_log_odds(self.priors.predict, positions, spread, *self.split.pairs.T)


def hidden_links(network: Network, fit_priors: FitPriors, seed: int) -> list[HiddenLinks]:
    """One contest for a large network, several for a small one, none where there is too little to hide."""
    links = max(network.link_count, 1)
    share = min(max(HIDDEN, ENOUGH / links), MOST_HIDDEN)
    if network.node_count > MANY_NODES:
        share = min(share, MOST_LINKS_HIDDEN / links)
    first = hide_links(network, share, seed)
    if min(len(first.hidden), len(first.others)) < FEWEST:
        return []
    count = min(-(-ENOUGH // len(first.hidden)), MOST_CONTESTS)
    splits = [first, *(hide_links(network, share, seed + more) for more in range(1, count))]
    return [HiddenLinks(split, fit_priors(split.train)) for split in splits]
