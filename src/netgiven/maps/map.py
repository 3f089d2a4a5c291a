"""Map: one or several embeddings in the plane, drawn. What `embedding.map()` and `compare_maps` return."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from netgiven.array_file import check_target, write_atomically
from netgiven.errors import InputError
from netgiven.maps.canvas import ENDINGS
from netgiven.maps.marks import Marks, make_marks
from netgiven.maps.page import in_frame, make_page
from netgiven.maps.panels import Placed, aligned
from netgiven.maps.picture import draw_picture
from netgiven.network import Network
from netgiven.types import Float32Array


@dataclass(frozen=True, eq=False)
class Map:
    """A network drawn in the plane, once for each panel: all of the same nodes, aligned to the first.

    - `colour`: a node column, or `degree`; the first column with groups unless told
    - `dark`: the ground; on a page, what the reader's browser prefers unless told
    """

    panels: tuple[Placed, ...]
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
        _ = self.marks  # complains about an unknown column before anything is drawn

    @property
    def network(self) -> Network:
        """The network that is drawn."""
        return self.panels[0].network

    @cached_property
    def marks(self) -> Marks:
        """What each node looks like."""
        return make_marks(self.network, self.colour)

    @cached_property
    def _drawn(self) -> tuple[list[Float32Array], list[float]]:
        return aligned([panel.positions for panel in self.panels])

    def to_html(self) -> str:
        """A whole page, with everything that it needs."""
        return make_page(self.panels, *self._drawn, self.marks, title=self.title, dark=self.dark)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a page (.html) or a picture for a paper (.png, .svg, .pdf)."""
        if check_ending(path) == "html":
            check_target(path)
            page = self.to_html()
            write_atomically(path, lambda target: _write(target, page))
        else:
            draw_picture(path, self._drawn[0], self.titles, self.marks, self.network.links(), dark=bool(self.dark))

    @property
    def titles(self) -> list[str]:
        """What was given, panel by panel."""
        return [f"given {panel.prior.knowledge}" for panel in self.panels]

    def _repr_html_(self) -> str:
        return in_frame(self.to_html())

    def __repr__(self) -> str:
        return f"Map of {self.network.node_count:,} nodes {', '.join(self.titles)}; save it to .html, .png or .svg"


def check_ending(path: str | os.PathLike[str]) -> str:
    """What kind of file a path asks for."""
    ending = Path(path).suffix.lower().lstrip(".")
    if ending not in ("html", *ENDINGS):
        raise InputError(f"{path} ends in {ending or 'nothing'!r}; maps are written to .html, .png, .svg or .pdf.")
    return ending


def _write(target: Path, page: str) -> None:
    target.write_text(page, encoding="utf-8", errors="replace", newline="\n")
