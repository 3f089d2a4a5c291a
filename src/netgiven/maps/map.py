"""Map: one or several embeddings of a network in the plane, drawn; in a notebook, as a widget, too."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from netgiven.array_file import check_target, write_atomically
from netgiven.embedding_file import write_parquet
from netgiven.errors import InputError, is_whole, require
from netgiven.maps.bokeh_figure import browser_file
from netgiven.maps.canvas import SUFFIXES, check_suffix
from netgiven.maps.export import atlas_table, write_gexf
from netgiven.maps.marks import Marks, make_marks
from netgiven.maps.page import PagePanel, PlanarEmbedding, in_frame, make_page
from netgiven.maps.picture import draw_picture
from netgiven.network import Network
from netgiven.types import Float32Array, Float64Array

if TYPE_CHECKING:
    import pandas as pd

DATA_SUFFIXES = ("gexf", "parquet")


@dataclass(frozen=True, eq=False)
class Map:
    """A network drawn in the plane, with one panel for each embedding.

    `Embedding.map`, `map_network` and `compare_maps` return maps. All panels show the same nodes; the others are
    rotated, mirrored and scaled to the first.

    Parameters
    ----------
    panels
        Embeddings of one network in two dimensions.
    colour
        A node column, or "degree"; by default the first column that divides nodes into groups.
    title
        The title of the page.
    dark
        Whether the background is dark. By default, pages follow the preference of the browser, and pictures are light.

    Raises
    ------
    InputError
        If there is no panel, a panel does not have two dimensions, panels have different nodes, or there is no such
        column.

    Examples
    --------
    >>> import netgiven as ng
    >>> network = ng.datasets.company(people=40)
    >>> drawn = ng.embed(network, "degrees", dimensions=2).map(colour="department")
    >>> drawn
    Map of 40 nodes given degrees; save it to .html, .png or .svg
    >>> drawn.to_html()[:15]
    '<!DOCTYPE html>'
    """

    panels: tuple[PlanarEmbedding, ...]
    colour: str | None = None
    title: str = "A network"
    dark: bool | None = None

    def __post_init__(self) -> None:
        if not self.panels:
            raise InputError("A map of no embedding was asked for; give at least one.")
        for panel in self.panels:
            if panel.positions.shape[1] != 2:
                raise InputError(f"A map has 2 dimensions; an embedding in {panel.positions.shape[1]} was given.")
            if not panel.network.nodes.equals(self.network.nodes):
                raise InputError("Maps of different nodes cannot be compared; embed the same network for each panel.")
        _ = self.marks  # raises an error if there is no such column, before anything is drawn

    @property
    def network(self) -> Network:
        """The network that is drawn."""
        return self.panels[0].network

    @property
    def titles(self) -> list[str]:
        """The title of each panel."""
        return [f"given {panel.prior.knowledge}" for panel in self.panels]

    @cached_property
    def marks(self) -> Marks:
        """Size, colour and shape of each node."""
        return make_marks(self.network, self.colour)

    @cached_property
    def _aligned(self) -> tuple[list[Float32Array], list[float]]:
        if any(panel.spread.repelling for panel in self.panels):  # turned or moved, roles would mean something else
            return [panel.positions for panel in self.panels], [1.0] * len(self.panels)
        return align([panel.positions for panel in self.panels])

    def to_html(self) -> str:
        """The map as a page: one HTML text that loads nothing else.

        Returns
        -------
        str
            The whole page.

        Raises
        ------
        InputError
            If Bokeh is not installed.
        """
        panels = [
            PagePanel(positions, scale, panel)
            for panel, positions, scale in zip(self.panels, *self._aligned, strict=True)
        ]
        return make_page(self.network, panels, self.marks, title=self.title, dark=self.dark)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a page (.html), a picture (.png, .svg, .pdf), or a map for other programs; the ending decides.

        Parameters
        ----------
        path
            The file to write. It is written whole or not at all; the same map gives the same bytes. Gephi and networkx
            open .gexf: the network with its node columns, positions (times a power of ten: Gephi counts in pixels),
            sizes and colours. Embedding Atlas opens .parquet: a row per node, with its name in `node`, its position in
            `projection_x` and `projection_y`, the nodes that it is linked to in `neighbors`, and its columns.

        Raises
        ------
        InputError
            If the path has another ending or cannot be written, if Bokeh is not installed (.html), or if there are
            several panels (.gexf, .parquet).
        """
        suffix = check_map_suffix(path)
        if suffix in DATA_SUFFIXES:
            check_target(path)
            check_panels(path, len(self.panels))
            write_atomically(path, self._write_gexf if suffix == "gexf" else self._write_parquet)
        elif suffix == "html":
            check_target(path)
            page = self.to_html()
            write_atomically(path, lambda target: _write(target, page))
        else:
            draw_picture(path, self._aligned[0], self.titles, self.marks, self.network.links(), dark=bool(self.dark))

    def widget(self, height: int = 480) -> Any:
        """The map in a notebook, where nodes can be selected, and read or set from Python.

        Drag a lasso around nodes or click one, with shift in addition to those that are selected; pan with the other
        tool, zoom with the wheel, and double-click for all nodes.

        Parameters
        ----------
        height
            Of the map in pixels.

        Returns
        -------
        anywidget.AnyWidget
            Its `selection` is the list of the names of selected nodes: read it, set it, or
            `observe(function, "selection")`. Its `selected` is a data frame of these nodes with their columns.

        Raises
        ------
        InputError
            If anywidget is not installed, or `height` is not a positive whole number.

        Examples
        --------
        >>> import netgiven as ng
        >>> widget = ng.map_network(ng.datasets.company(people=40), reach=2.0).widget()
        >>> widget.selection = ["person 003", "person 001"]
        >>> widget.selected["node"].tolist()
        ['person 003', 'person 001']
        """
        if not is_whole(height, 1):
            raise InputError(f"height = {height} was given; a whole number of at least 1 is needed.")
        return _make_widget(self.network, self._aligned[0], self.titles, self.marks, dark=self.dark, height=height)

    def _write_gexf(self, target: Path) -> None:
        write_gexf(target, self.network, self.panels[0].positions, self.marks)

    def _write_parquet(self, target: Path) -> None:
        write_parquet(atlas_table(self.network, self.panels[0].positions), target)

    def _repr_html_(self) -> str:
        return in_frame(self.to_html())

    def __repr__(self) -> str:
        return f"Map of {self.network.node_count:,} nodes {', '.join(self.titles)}; save it to .html, .png or .svg"


def check_map_suffix(path: str | os.PathLike[str]) -> str:
    """The ending of a path; an error if maps are not written to it."""
    return check_suffix(path, ("html", *SUFFIXES, *DATA_SUFFIXES), "maps")


def check_panels(path: str | os.PathLike[str], panels: int) -> None:
    """Raise an error if a map with this number of panels cannot be written to a path."""
    suffix = check_map_suffix(path)
    if panels > 1 and suffix in DATA_SUFFIXES:
        raise InputError(f"A .{suffix} file holds one map, not {panels}; save each of them on its own.")


def _write(target: Path, page: str) -> None:
    target.write_text(page, encoding="utf-8", errors="replace", newline="\n")


def align(positions: Sequence[Float32Array]) -> tuple[list[Float32Array], list[float]]:
    """Centre all positions, and rotate, mirror and scale all but the first to it (Procrustes).

    The second result is the factor by which each was scaled. Distances within one map keep their proportions.

    >>> square = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], dtype=np.float32)
    >>> turned = 3 * square[:, ::-1] + 5
    >>> (first, second), scales = align([square, turned])
    >>> bool(np.allclose(first, second)), round(scales[1], 6)
    (True, 0.333333)
    """
    from scipy.linalg import orthogonal_procrustes

    if len(positions) == 1:
        return list(positions), [1.0]
    centred = [np.asarray(some, np.float64) - some.mean(axis=0, dtype=np.float64) for some in positions]
    first, aligned, scales = centred[0], [centred[0]], [1.0]
    for other in centred[1:]:
        rotation, _ = orthogonal_procrustes(other, first)
        scale = _size(first) / _size(other) if _size(first) > 0 and _size(other) > 0 else 1.0
        aligned.append(other @ rotation * scale)
        scales.append(scale)
    return [some.astype(np.float32) for some in aligned], scales


def _size(positions: Float64Array) -> float:
    return float(np.linalg.norm(positions))


# ---- a widget that gives the selection back: an anywidget, drawn by browser/widget.js -------------------------------

MAX_LINKS = 20_000  # more are not drawn: they would hide the nodes, and make panning slow
MAX_ENTRIES = 12  # of the legend


def _make_widget(
    network: Network, panels: Sequence[Float32Array], titles: list[str], marks: Marks, *, dark: bool | None, height: int
) -> Any:
    """A widget with one panel for each array of positions."""
    links = network.links() if network.link_count <= MAX_LINKS else np.empty((0, 2), np.int32)
    return _widget_class()(
        network=network,
        names=[str(name) for name in network.nodes],
        titles=titles,
        positions=np.concatenate(panels).astype("<f4").tobytes(),
        sizes=marks.size.astype("<f4").tobytes(),
        colours=marks.colour.astype("<u4").tobytes(),
        links=links.astype("<i4").tobytes(),
        legend=[[group.name, group.look.colour] for group in marks.groups[:MAX_ENTRIES] if marks.title],
        background="" if dark is None else "#17191d" if dark else "#ffffff",
        height=height,
    )


@cache
def _widget_class() -> Any:
    """The class, made where it is needed: anywidget is optional."""
    base, traitlets = require("anywidget", "notebook").AnyWidget, require("traitlets", "notebook")

    class MapWidget(base):  # type: ignore[misc, valid-type]
        """A map: pan, zoom, and select nodes by a click or a lasso.

        `selection` is the list of the names of selected nodes, to be read, set and observed; `selected` is their table.
        """

        _esm = browser_file("widget.js")
        network: Network = traitlets.Any()
        selection = traitlets.List()
        names = traitlets.List().tag(sync=True)
        titles = traitlets.List().tag(sync=True)
        positions = traitlets.Bytes().tag(sync=True)
        sizes = traitlets.Bytes().tag(sync=True)
        colours = traitlets.Bytes().tag(sync=True)
        links = traitlets.Bytes().tag(sync=True)
        legend = traitlets.List().tag(sync=True)
        background = traitlets.Unicode().tag(sync=True)
        height = traitlets.Int().tag(sync=True)
        numbers = traitlets.List().tag(sync=True)  # of the selected nodes, as the script knows them

        @property
        def selected(self) -> pd.DataFrame:
            """The selected nodes with their columns."""
            _, nodes = self.network.to_pandas()
            return nodes.iloc[list(self.numbers)].reset_index(drop=True)

        @traitlets.validate("selection")  # type: ignore[untyped-decorator]
        def _check_names(self, proposal: Any) -> list[Any]:
            self.network.numbers(proposal["value"])
            return list(dict.fromkeys(proposal["value"]))

        @traitlets.observe("selection")  # type: ignore[untyped-decorator]
        def _number_selection(self, change: Any) -> None:
            self.numbers = self.network.numbers(change["new"]).tolist() if change["new"] else []

        @traitlets.observe("numbers")  # type: ignore[untyped-decorator]
        def _name_numbers(self, change: Any) -> None:
            self.selection = self.network.nodes[change["new"]].tolist() if change["new"] else []

    return MapWidget
