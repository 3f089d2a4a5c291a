"""Maps of networks: one, or the same network under several priors side by side."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas as pd

from netgiven.embedding import embed_flat
from netgiven.labels import Labels
from netgiven.maps.map import Map
from netgiven.maps.marks import make_marks
from netgiven.maps.panels import Placed
from netgiven.network import Network
from netgiven.priors.given import Given
from netgiven.readers.objects import as_network
from netgiven.tasks.prior_report import check_columns, parse_several
from netgiven.types import Float64Array

LABEL = "label"  # the node column that labels become


def map_network(network: Any, given: Given = None, *, colour: str | None = None, **settings: Any) -> Map:
    """A map of a network given what is known, fitted in the plane for looking at.

    - `colour`: a node column, or `degree`; the first column with groups unless told
    - `title`, `dark`: of the page or picture
    - anything else of `embed`, such as `spread`, `seed` and `threads`

    >>> ring = Network.from_edges([(i, (i + 1) % 12) for i in range(12)])
    >>> map_network(ring, "density", threads=1)
    Map of 12 nodes given density; save it to .html, .png or .svg
    """
    return compare_maps(network, [given], colour=colour, **settings)


def compare_maps(
    network: Any,
    given: Sequence[Given],
    *,
    colour: str | None = None,
    title: str = "A network",
    dark: bool | None = None,
    announce: Callable[[str], None] | None = None,
    **settings: Any,
) -> Map:
    """The same network under several priors, turned, mirrored and scaled to each other.

    `announce` is told what is fitted now; the rest is as for `map_network`.

    >>> ring = Network.from_edges([(i, (i + 1) % 12) for i in range(12)])
    >>> compare_maps(ring, ["density", "degrees"], threads=1).titles
    ['given density', 'given degrees']
    """
    network = as_network(network)
    known = parse_several(given)
    check_columns(network, known)
    make_marks(network, colour)  # complains about the colour before the first of many fits
    panels = []
    for place, one in enumerate(known):
        if announce is not None:
            announce(f"{place + 1} of {len(known)}: {one}")
        panels.append(embed_flat(network, one, **settings))
    return Map(tuple(panels), colour, title, dark)


def with_label_column(network: Network, labels: Labels) -> Network:
    """The network with a column `label`: the label of each node, the commonest one where it has several.

    >>> network = Network.from_edges([("ann", "bob"), ("bob", "cid")])
    >>> labels = Labels.from_pairs(network.nodes, [("ann", "x"), ("bob", "y"), ("bob", "x")])
    >>> with_label_column(network, labels).columns["label"].tolist()
    ['x', 'x', nan]
    """
    pairs = pd.DataFrame(labels.pairs, columns=["node", "label"])
    pairs["count"] = pairs.groupby("label")["label"].transform("size")
    first = pairs.sort_values(["count", "label"], ascending=[False, True], kind="stable").drop_duplicates("node")
    names = pd.Series(labels.names[first["label"]].astype(object), index=first["node"])
    return network.with_columns(pd.DataFrame({LABEL: names.reindex(range(network.node_count)).to_numpy()}))


# ---- What explains where nodes lie: the reading of a map, in numbers -------------------------------------------------


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
