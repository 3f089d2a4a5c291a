"""An embedding after its network has grown or changed: the fields that are then other ones."""

from __future__ import annotations

import time
from typing import Any

import pandas as pd

from netgiven.answers.adding import add_nodes
from netgiven.answers.arrivals import Arrivals
from netgiven.answers.carrying import carried_over
from netgiven.errors import InputError
from netgiven.fitting.balance import balanced
from netgiven.fitting.contests import Priors
from netgiven.fitting.methods import method_from_text
from netgiven.fitting.outcome import Ending, Record
from netgiven.fitting.progress import stage, tally
from netgiven.fitting.settings import Settings
from netgiven.fitting.warm import fit_on, warm_settings
from netgiven.network import Network

KEPT = ("rule", "rate", "shrinkage", "seed")


def grown(embedding: Any, arrivals: Arrivals, progress: bool | None = None) -> dict[str, Any]:
    """With more nodes, all others as they are."""
    if embedding.trained_given != embedding.prior.knowledge:
        raise InputError(
            f"Positions were found given {embedding.trained_given}, and this prior was not kept, so a new node cannot "
            "find its own. Use update(network), which fits it anew."
        )
    with tally("placing new nodes", arrivals.count, progress) as tell:
        found = add_nodes(embedding.settled, arrivals, embedding.threads, tell)
    settings = embedding.settings | {"added": embedding.settings.get("added", 0) + arrivals.count}
    return {**found._asdict(), "settings": settings, "measured": None, "seconds": {}}


def kept_settings(embedding: Any) -> dict[str, Any]:
    """What stays of the settings when a fit goes on."""
    told = embedding.settings
    kept = {name: told[name] for name in KEPT if name in told}
    method = method_from_text(told.get("method", "auto"))
    return kept | {"dimensions": embedding.dimensions, "spread": embedding.trained_spread, "method": method}


def updated(
    embedding: Any, network: Network, priors: Priors, settings: Settings, progress: bool | None = None
) -> dict[str, Any]:
    """Another network, with priors fitted to it, and positions that go on from where they are."""
    begin = time.process_time()
    chosen = warm_settings(settings, network.node_count)
    with stage("first positions", progress):
        start = carried_over(embedding.settled, network, priors.train, embedding.threads)
    fitted = fit_on(network, priors.train, chosen, start, embedding.threads, progress)
    spread = chosen.spread
    if chosen.spread == embedding.trained_spread != embedding.spread and fitted.outcome.ending is not Ending.DIVERGED:
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
