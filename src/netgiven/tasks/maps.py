"""Maps of networks given one or several priors, and measures of what explains the positions in a map."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np
import pandas as pd

from netgiven.embedding import fit_map
from netgiven.fitting.settings import Settings
from netgiven.io.read import as_network
from netgiven.labels import Labels
from netgiven.maps.map import Map
from netgiven.maps.marks import make_marks
from netgiven.maps.page import PlanarEmbedding
from netgiven.model import Spread
from netgiven.network import Network
from netgiven.priors.knowledge import Given
from netgiven.tasks.prior_report import Log, check_columns, parse_several
from netgiven.types import Float64Array

LABEL = "label"  # the node column that `with_label_column` adds


def map_network(
    network: Any,
    given: Given = None,
    *,
    colour: str | None = None,
    reach: float | Spread | Literal["auto"] = "auto",
    title: str = "A network",
    dark: bool | None = None,
    settings: Settings | None = None,
    threads: int | None = None,
    progress: bool | None = None,
) -> Map:
    """Fit a network in the plane, and draw it.

    Parameters
    ----------
    network
        A network, or anything else that `embed` takes as one.
    given
        What is known; by default `degrees()`.
    colour, title, dark
        See `Map`.
    reach
        Of the fit; "auto": that of the settings.
    settings
        Settings of the fit. By default the method is exact up to 5,000 nodes, and the reach is chosen on held-out
        links.
    threads
        The number of threads, all processors if None; the result is the same.
    progress
        Whether to show progress; by default, if standard error is a terminal.

    Returns
    -------
    Map
        Save it with `save("map.html")`, or show it in a notebook.

    Raises
    ------
    InputError
        If a column is missing, `settings` have other than two dimensions, or the fit diverged.

    Examples
    --------
    >>> from netgiven import Network
    >>> ring = Network.from_edges([(i, (i + 1) % 12) for i in range(12)])
    >>> map_network(ring, "density", threads=1)
    Map of 12 nodes given density; save it to .html, .png or .svg
    """
    return compare_maps(
        network,
        [given],
        colour=colour,
        reach=reach,
        title=title,
        dark=dark,
        settings=settings,
        threads=threads,
        progress=progress,
    )


def compare_maps(
    network: Any,
    given: Sequence[Given],
    *,
    colour: str | None = None,
    reach: float | Spread | Literal["auto"] = "auto",
    title: str = "A network",
    dark: bool | None = None,
    log: Log | None = None,
    settings: Settings | None = None,
    threads: int | None = None,
    progress: bool | None = None,
) -> Map:
    """Draw a network given several priors, one panel each; panels are rotated, mirrored and scaled to the first.

    Parameters
    ----------
    network
        A network, or anything else that `embed` takes as one.
    given
        A list of what is known; one panel for each.
    colour, title, dark
        See `Map`.
    log
        Called with a line of text before each fit.
    reach, settings, threads, progress
        See `map_network`.

    Returns
    -------
    Map
        A map with several panels.

    Raises
    ------
    InputError
        If `given` is not a list, a column is missing, or `settings` have other than two dimensions.

    Examples
    --------
    >>> from netgiven import Network
    >>> ring = Network.from_edges([(i, (i + 1) % 12) for i in range(12)])
    >>> compare_maps(ring, ["density", "degrees"], threads=1).titles
    ['given density', 'given degrees']
    """
    network = as_network(network)
    known = parse_several(given)
    check_columns(network, known)
    make_marks(network, colour)  # raises an error if there is no such column, before the first fit
    wanted = settings or Settings()
    wanted = wanted if reach == "auto" else replace(wanted, reach=reach)
    panels = []
    for place, one in enumerate(known):
        if log is not None:
            log(f"{place + 1} of {len(known)}: {one}")
        panels.append(fit_map(network, one, wanted, threads=threads, progress=progress))
    return Map(tuple(panels), colour, title, dark)


def with_label_column(network: Network, labels: Labels) -> Network:
    """The network with a column "label": the label of each node, its most frequent one if it has several.

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


def variance_explained_by(embedding: PlanarEmbedding, column: str) -> float:
    """The share of the variance of positions that lies between the groups of a node column, 0 to 1.

        1 - sum_i |x_i - mean of the group of i|^2 / sum_i |x_i - mean|^2,    over the nodes that have a value

    >>> from netgiven import Network, embed
    >>> cliques = [(i, j) for i in range(12) for j in range(i) if i % 2 == j % 2]
    >>> network = Network.from_edges(cliques, nodes={"node": range(12), "side": ["left", "right"] * 6})
    >>> variance_explained_by(embed(network, given="density", dimensions=2), "side") > 0.9
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


def degree_correlation(embedding: PlanarEmbedding) -> float:
    """Spearman's rank correlation of degree and distance from the centre; negative if hubs are central."""
    centre = embedding.positions.mean(axis=0, dtype=np.float64)
    distance = np.sqrt(np.square(embedding.positions - centre).sum(axis=1))
    ranks = pd.DataFrame({"distance": distance, "degree": embedding.network.degrees}).rank()
    if (ranks.nunique() < 2).any():  # a constant has no correlation
        return 0.0
    return float(ranks["distance"].corr(ranks["degree"]))


def measure_maps(embeddings: Sequence[PlanarEmbedding], columns: Sequence[str]) -> pd.DataFrame:
    """Measures of maps, one row per embedding.

    Columns: `given`, `reach`, `bits_per_link`, `degree` (see `degree_correlation`), and for each of `columns` the
    share of variance that it explains (see `variance_explained_by`).
    """
    rows = [
        {
            "given": embedding.prior.knowledge,
            "reach": embedding.reach,
            "bits_per_link": embedding.bits_per_link + 0.0,  # turns -0.0 into 0.0
            "degree": degree_correlation(embedding),
            **{column: variance_explained_by(embedding, column) for column in columns},
        }
        for embedding in embeddings
    ]
    return pd.DataFrame(rows)


def _squares(values: Float64Array) -> float:
    return float(np.square(values).sum())
