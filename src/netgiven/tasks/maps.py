"""Maps of networks: one, or the same network under several priors side by side."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pandas as pd

from netgiven.embedding import embed_flat
from netgiven.labels import Labels
from netgiven.maps.map import Map
from netgiven.maps.marks import make_marks
from netgiven.network import Network
from netgiven.priors.given import Given
from netgiven.readers.objects import as_network
from netgiven.tasks.several import check_columns, parse_several

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
