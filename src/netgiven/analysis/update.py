"""An embedding after its network has grown or changed: the fields that are then other ones."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pandas as pd

from netgiven.analysis.add_nodes import Arrivals, add_nodes, place_missing
from netgiven.analysis.local_objective import View
from netgiven.errors import InputError
from netgiven.fitting.fit import balanced, fit_on, warm_settings
from netgiven.fitting.objectives import method_from_text
from netgiven.fitting.progress import stage, tally
from netgiven.fitting.record import Ending, Record
from netgiven.fitting.settings import Settings
from netgiven.network import Network
from netgiven.priors.given import Priors
from netgiven.priors.prior import Prior
from netgiven.types import Float32Array

# ---- From the embedding of one network to a beginning for another that has most of its nodes -------------------------


def with_old_columns(network: Network, old: Network) -> Network:
    """The network with the values of an old one where it lacks them, by the names of nodes and columns."""
    place = old.nodes.get_indexer(network.nodes)
    told = {}
    for name in old.columns:
        known = old.columns[name].take(np.maximum(place, 0)).reset_index(drop=True).where(place >= 0)
        if name not in network.columns:
            told[name] = known
        elif network.columns[name].isna().any():
            told[name] = network.columns[name].where(network.columns[name].notna(), known)
    return network.with_columns(pd.DataFrame(told, index=range(network.node_count))) if told else network


def carried_over(view: View, network: Network, prior: Prior, thread_count: int | None = None) -> Float32Array:
    """Where the nodes of the other network begin: where they are, or where they belong among those that are there."""
    place = view.network.nodes.get_indexer(network.nodes)
    missing = place < 0
    if len(place) and missing.all():
        raise InputError(
            "The network has no node in common with the embedding. Nodes are told by their names; for another network, "
            "use embed."
        )
    positions = view.positions[np.maximum(place, 0)] if len(place) else view.positions[:0]
    there = View(network, prior, positions, view.spread, view.shrinkage)
    return place_missing(there, missing, thread_count) if missing.any() else positions


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
