"""Settings that go together, by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from netgiven.errors import InputError
from netgiven.fitting.methods import exact, paper, sampled
from netgiven.model import Density, Spread

MOST_NODES_EXACT_MAP = 5_000  # some seconds


def paper_settings(dimensions: int = 8, density: Density = "gaussian") -> dict[str, Any]:
    """The paper's: s2 = 2, 50 links and 50 non-links a node, no shrinkage.

    Its tables come from the Gaussian density of the difference vector, in 8 dimensions, 16 for arXiv; its text
    describes the half-normal density of the distance.
    """
    return {"dimensions": dimensions, "spread": Spread(1.0, 2.0, density), "shrinkage": 0.0, "method": paper(50)}


def map_settings(nodes: int) -> dict[str, Any]:
    """For looking at: two dimensions, exact up to 5,000 nodes, no shrinkage, which would draw all to the middle.

    The reach is left to be chosen on hidden links: the paper's maps have `Spread(1, 15)`, too much for most networks.
    """
    method = exact() if nodes <= MOST_NODES_EXACT_MAP else sampled(512)
    return {"dimensions": 2, "shrinkage": 0.0, "method": method, "rule": "adam", "steps": 300}


PRESETS: dict[str, Callable[..., dict[str, Any]]] = {"paper": paper_settings}


def preset(name: str, **changes: Any) -> dict[str, Any]:
    """Keyword arguments for `embed`, by the name of a preset.

    >>> sorted(preset("paper", dimensions=16))
    ['dimensions', 'method', 'shrinkage', 'spread']
    """
    if name not in PRESETS:
        raise InputError(f"There is no preset {name!r}; presets: {', '.join(PRESETS)}.")
    return PRESETS[name](**changes)
