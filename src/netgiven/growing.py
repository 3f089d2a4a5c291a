"""An embedding after its network has grown or changed: the fields that are then other ones."""

from __future__ import annotations

import math
import time
from dataclasses import replace
from typing import Any

import pandas as pd

from netgiven.answers.adding import add_nodes
from netgiven.answers.arrivals import Arrivals
from netgiven.answers.carrying import carried_over
from netgiven.answers.view import View
from netgiven.errors import InputError
from netgiven.fitting.balance import balanced, spread_of
from netgiven.fitting.contests import Priors
from netgiven.fitting.methods import method_from_text
from netgiven.fitting.outcome import Ending, Record
from netgiven.fitting.progress import stage, tally
from netgiven.fitting.settings import Settings
from netgiven.fitting.warm import fit_on, warm_settings
from netgiven.model import Spread
from netgiven.network import Network

KEPT = ("rule", "rate", "shrinkage", "seed")


def found_with(embedding: Any) -> Spread:
    """The spread that positions were found with: its reach is another one where that was balanced at the end."""
    reach = float(embedding.history["reach"].iloc[-1]) if len(embedding.history) else embedding.reach
    spread: Spread = embedding.spread
    return spread if math.isclose(reach, embedding.reach, rel_tol=1e-6) else spread_of(reach, spread.stiffness)


def view_of(embedding: Any) -> View:
    """An embedding as those saw it who found their places in it."""
    view, spread = embedding.view, found_with(embedding)
    assert isinstance(view, View)
    return view if spread == view.spread else replace(view, spread=spread)


def trained_given(embedding: Any) -> str:
    """The knowledge that positions were found with."""
    return str(embedding.settings.get("trained_given", embedding.prior.knowledge))


def grown(embedding: Any, arrivals: Arrivals, progress: bool | None = None) -> dict[str, Any]:
    """With more nodes, all others as they are."""
    if trained_given(embedding) != embedding.prior.knowledge:
        raise InputError(
            f"Positions were found given {trained_given(embedding)}, and this prior was not kept, so a new node cannot "
            "find its own. Use update(network), which fits it anew."
        )
    with tally("placing new nodes", arrivals.count, progress) as tell:
        found = add_nodes(view_of(embedding), arrivals, embedding.threads, tell)
    settings = embedding.settings | {"added": embedding.settings.get("added", 0) + arrivals.count}
    return {**found._asdict(), "settings": settings, "measured": None, "seconds": {}}


def kept_settings(embedding: Any) -> dict[str, Any]:
    """What stays of the settings when a fit goes on."""
    told = embedding.settings
    kept = {name: told[name] for name in KEPT if name in told}
    method = method_from_text(told.get("method", "auto"))
    return kept | {"dimensions": embedding.dimensions, "spread": found_with(embedding), "method": method}


def updated(
    embedding: Any, network: Network, priors: Priors, settings: Settings, progress: bool | None = None
) -> dict[str, Any]:
    """Another network, with priors fitted to it, and positions that go on from where they are."""
    begin = time.process_time()
    chosen = warm_settings(settings, network.node_count)
    with stage("first positions", progress):
        start = carried_over(view_of(embedding), network, priors.train, embedding.threads)
    fitted = fit_on(network, priors.train, chosen, start, embedding.threads, progress)
    spread = chosen.spread
    if chosen.spread == found_with(embedding) != embedding.spread and fitted.outcome.ending is not Ending.DIVERGED:
        spread = balanced(network, priors.predict, chosen, fitted.positions, embedding.threads)
    return {
        "network": network,
        "spread": spread,
        "positions": fitted.positions,
        "prior": priors.predict,
        "outcome": fitted.outcome,
        "history": pd.DataFrame(fitted.history, columns=list(Record._fields)),
        "settings": embedding.settings | chosen.told() | {"trained_given": priors.train.knowledge, "added": 0},
        "measured": None,
        "seconds": {"fit": time.process_time() - begin},
    }
