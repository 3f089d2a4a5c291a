"""Dimensions, reach and shrinkage, chosen on links that are hidden for it.

A fifth of the links is hidden, and short fits on the rest are graded by how well they tell the hidden links from pairs
that were never linked (AUC). From a middle setting the search climbs up and down the ladder of each dial in turn, for
as long as that helps.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple

from netgiven.fitting.methods import sampled
from netgiven.fitting.run import fit_positions
from netgiven.fitting.settings import Settings
from netgiven.metrics import auc
from netgiven.model import Spread, log_odds
from netgiven.network import Network
from netgiven.priors.prior import Prior
from netgiven.splits import LinkSplit, hide_links

HIDDEN = 0.2
FEWEST = 30  # hidden links below which a grade says nothing
SHORT = {"steps": 60, "samples": 128}

LADDERS: dict[str, tuple[float, ...]] = {
    "reach": (0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 5.5, 7.0),
    "dimensions": (4, 8, 16, 32, 64),
    "shrinkage": (0.0, 0.3, 1.0, 3.0, 10.0),
}


class Trial(NamedTuple):
    """What was tried, and the AUC on hidden links."""

    dimensions: int
    reach: float
    shrinkage: float
    score: float


def choose(
    network: Network,
    fit_prior: Callable[[Network], Prior],
    settings: Settings,
    dials: Sequence[str],
    thread_count: int | None = None,
) -> tuple[Settings, list[Trial]]:
    """The settings with the dials named (`dimensions`, `reach`, `shrinkage`) set, and all that was tried.

    A network with too few links to hide keeps the settings as they are.
    """
    split = hide_links(network, HIDDEN, settings.seed)
    if min(len(split.hidden), len(split.others)) < FEWEST:
        return settings, []
    prior = fit_prior(split.train)
    tried: dict[tuple[float, ...], Trial] = {}

    def grade(dial_values: dict[str, float]) -> float:
        place = tuple(dial_values.values())
        if place not in tried:
            tried[place] = _try(split, prior, _set(settings, dial_values), thread_count)
        return tried[place].score

    best = _climb(_middle(settings, dials), dials, grade)
    return _set(settings, best), list(tried.values())


def _middle(settings: Settings, dials: Sequence[str]) -> dict[str, float]:
    """Where the search begins: in the middle for the dials that are open, as given for the others."""
    given = {
        "reach": settings.spread.reach(settings.dimensions),
        "dimensions": settings.dimensions,
        "shrinkage": settings.shrinkage,
    }
    middle = {"reach": 2.0, "dimensions": 32, "shrinkage": 1.0}
    return {name: middle[name] if name in dials else given[name] for name in LADDERS}


def _climb(
    best: dict[str, float], dials: Sequence[str], grade: Callable[[dict[str, float]], float]
) -> dict[str, float]:
    """Each dial in turn, upwards and downwards while the grade rises; the reach once more at the end."""
    for name in [name for name in (*LADDERS, "reach") if name in dials]:
        for direction in (1, -1):
            ladder = LADDERS[name][::direction]
            for value in ladder[ladder.index(best[name]) + 1 :]:
                candidate = {**best, name: value}
                if grade(candidate) <= grade(best):
                    break
                best = candidate
    return best


def _set(settings: Settings, dial_values: dict[str, float]) -> Settings:
    dimensions, reach = int(dial_values["dimensions"]), dial_values["reach"]
    same = settings.dimensions == dimensions and settings.spread.reach(dimensions) == reach
    spread = settings.spread if same else Spread.from_reach(reach)
    return replace(settings, dimensions=dimensions, spread=spread, shrinkage=dial_values["shrinkage"])


def _try(split: LinkSplit, prior: Prior, settings: Settings, thread_count: int | None) -> Trial:
    """A short fit, and its grade."""
    quick = replace(settings, method=sampled(SHORT["samples"]), rule=None, steps=SHORT["steps"])
    resolved = quick.resolved(split.train.node_count)
    positions = fit_positions(split.train, prior, resolved, thread_count, progress=False).positions
    first, second = split.pairs.T
    squared = ((positions[first] - positions[second]) ** 2).sum(axis=1)
    reach = settings.spread.reach(settings.dimensions)
    z = log_odds(prior.log_odds_of(first, second), reach, settings.spread.stiffness, squared)
    return Trial(settings.dimensions, reach, settings.shrinkage, auc(split.truth, z))
