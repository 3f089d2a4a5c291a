"""netgiven: embed a network given what you already know about it.

    >>> import netgiven as ng
    >>> network = ng.Network.from_edges([("ann", "bob"), ("bob", "cid"), ("cid", "ann"), ("cid", "dan")])
    >>> embedding = ng.embed(network, given=ng.degrees(), dimensions=2)
    >>> embedding["ann"].shape
    (2,)

Names are loaded when they are first used, so that `import netgiven` costs next to nothing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from netgiven.analysis.ledger import ledger as ledger
    from netgiven.analysis.ledger import proposals as proposals
    from netgiven.analysis.ledger import readable as readable
    from netgiven.distributed.cluster import Ray as Ray
    from netgiven.embedding import Embedding as Embedding
    from netgiven.embedding import embed as embed
    from netgiven.embedding import load as load
    from netgiven.errors import FormatError as FormatError
    from netgiven.errors import InputError as InputError
    from netgiven.errors import InputWarning as InputWarning
    from netgiven.errors import NetgivenError as NetgivenError
    from netgiven.fitting.objectives import exact as exact
    from netgiven.fitting.objectives import paper as paper
    from netgiven.fitting.objectives import sampled as sampled
    from netgiven.fitting.record import FitRecord as FitRecord
    from netgiven.fitting.settings import Settings as Settings
    from netgiven.fitting.settings import preset as preset
    from netgiven.fitting.train import Status as Status
    from netgiven.io.read import read as read
    from netgiven.io.read import read_labels as read_labels
    from netgiven.io.read import read_pairs as read_pairs
    from netgiven.labels import Labels as Labels
    from netgiven.maps.map import Map as Map
    from netgiven.model import Spread as Spread
    from netgiven.network import Network as Network
    from netgiven.node_index import name_from_text as name_from_text
    from netgiven.priors import Knowledge as Knowledge
    from netgiven.priors import Prior as Prior
    from netgiven.priors import assortativity as assortativity
    from netgiven.priors import blocks as blocks
    from netgiven.priors import common_neighbours as common_neighbours
    from netgiven.priors import constraint as constraint
    from netgiven.priors import degrees as degrees
    from netgiven.priors import density as density
    from netgiven.priors import group_degrees as group_degrees
    from netgiven.priors import homophily as homophily
    from netgiven.priors import order as order
    from netgiven.priors import parse_knowledge as parse_knowledge
    from netgiven.sharded_embedding import embed_sharded as embed_sharded
    from netgiven.tasks.fairness import fairness as fairness
    from netgiven.tasks.labels import predict_labels as predict_labels
    from netgiven.tasks.maps import compare_maps as compare_maps
    from netgiven.tasks.maps import map_network as map_network
    from netgiven.tasks.prior_report import compare_priors as compare_priors
    from netgiven.tasks.prior_report import describe_prior as describe_prior

_HOME = {
    "Embedding": "embedding",
    "embed": "embedding",
    "Ray": "distributed.cluster",
    "FormatError": "errors",
    "InputError": "errors",
    "InputWarning": "errors",
    "NetgivenError": "errors",
    "exact": "fitting.objectives",
    "sampled": "fitting.objectives",
    "paper": "fitting.objectives",
    "preset": "fitting.settings",
    "Settings": "fitting.settings",
    "FitRecord": "fitting.record",
    "Status": "fitting.train",
    "Labels": "labels",
    "Map": "maps.map",
    "Spread": "model",
    "Network": "network",
    "Knowledge": "priors",
    "Prior": "priors",
    "blocks": "priors",
    "degrees": "priors",
    "density": "priors",
    "assortativity": "priors",
    "common_neighbours": "priors",
    "constraint": "priors",
    "group_degrees": "priors",
    "homophily": "priors",
    "order": "priors",
    "parse_knowledge": "priors",
    "read": "io.read",
    "read_labels": "io.read",
    "read_pairs": "io.read",
    "embed_sharded": "sharded_embedding",
    "fairness": "tasks.fairness",
    "predict_labels": "tasks.labels",
    "ledger": "analysis.ledger",
    "proposals": "analysis.ledger",
    "readable": "analysis.ledger",
    "compare_maps": "tasks.maps",
    "map_network": "tasks.maps",
    "compare_priors": "tasks.prior_report",
    "describe_prior": "tasks.prior_report",
    "name_from_text": "node_index",
    "load": "embedding",
    "datasets": "",
}

__all__ = ["__version__", *_HOME]  # noqa: PLE0604 - the names are the keys


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"netgiven has no {name!r}")
    if not _HOME[name]:
        return importlib.import_module(f"netgiven.{name}")
    return getattr(importlib.import_module(f"netgiven.{_HOME[name]}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)
