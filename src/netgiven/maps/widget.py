"""A map in a notebook that gives the selection back: an anywidget, drawn by browser/widget.js."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from netgiven.errors import require
from netgiven.maps.bokeh_figure import browser_file
from netgiven.maps.marks import Marks
from netgiven.network import Network
from netgiven.types import Float32Array

if TYPE_CHECKING:
    import pandas as pd

MAX_LINKS = 20_000  # more are not drawn: they would hide the nodes, and make panning slow
MAX_ENTRIES = 12  # of the legend


def make_widget(
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
