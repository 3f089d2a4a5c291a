"""From the embedding of one network to a beginning for another that has most of its nodes."""

from __future__ import annotations

import numpy as np
import pandas as pd

from netgiven.answers.adding import place_missing
from netgiven.answers.view import View
from netgiven.errors import InputError
from netgiven.network import Network
from netgiven.priors.prior import Prior
from netgiven.types import Float32Array


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
