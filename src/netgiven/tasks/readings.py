"""What explains where nodes lie: the reading of a map, in numbers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from netgiven.maps.placed import Placed
from netgiven.types import Float64Array


def explained_by(embedding: Placed, column: str) -> float:
    """Share of the positions' variance that lies between the groups of a node column, 0 to 1.

        1 - sum_i |x_i - mean of i's group|^2 / sum_i |x_i - mean|^2,    over the nodes that have a value

    >>> from netgiven import Network, embed
    >>> cliques = [(i, j) for i in range(12) for j in range(i) if i % 2 == j % 2]
    >>> network = Network.from_edges(cliques, nodes={"node": range(12), "side": ["left", "right"] * 6})
    >>> explained_by(embed(network, given="density", dimensions=2), "side") > 0.9
    True
    """
    codes, _ = embedding.network.groups(column)
    places = embedding.positions[codes >= 0].astype(np.float64)
    if not len(places):
        return 0.0
    groups = pd.DataFrame(places).groupby(codes[codes >= 0])
    within, total = groups.transform("mean").to_numpy(), places.mean(axis=0)
    variance = _squares(places - total)
    return 1 - _squares(places - within) / variance if variance else 0.0


def explained_by_degree(embedding: Placed) -> float:
    """Spearman's rank correlation of a node's degree with its distance from the centre; below 0 if hubs lie inside."""
    centre = embedding.positions.mean(axis=0, dtype=np.float64)
    distance = np.sqrt(np.square(embedding.positions - centre).sum(axis=1))
    ranks = pd.DataFrame({"distance": distance, "degree": embedding.network.degrees}).rank()
    if (ranks.nunique() < 2).any():  # all have the same: nothing to explain, or nothing to explain it by
        return 0.0
    return float(ranks["distance"].corr(ranks["degree"]))


def read_maps(embeddings: Sequence[Placed], columns: Sequence[str]) -> pd.DataFrame:
    """One row for each embedding: what was given, its reach, the bits a link it gained, what explains its positions."""
    rows = [
        {
            "given": embedding.prior.knowledge,
            "reach": embedding.reach,
            "bits_a_link": embedding.bits_per_link + 0.0,  # no minus before a zero
            "degree": explained_by_degree(embedding),
            **{column: explained_by(embedding, column) for column in columns},
        }
        for embedding in embeddings
    ]
    return pd.DataFrame(rows)


def _squares(values: Float64Array) -> float:
    return float(np.square(values).sum())
