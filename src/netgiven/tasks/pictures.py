"""Pictures for paper and terminal people: PNG or SVG, by Matplotlib, without a window."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from netgiven.embedding import Embedding
from netgiven.maps.canvas import COLOURS, check_ending, make_figure, write_figure


def compare(embeddings: Sequence[Embedding], columns: Sequence[str], path: str | os.PathLike[str]) -> None:
    """Several embeddings side by side, a row for each node column that colours them.

    The first two dimensions are drawn.
    """
    check_ending(path)
    figure = make_figure(4.2 * len(embeddings), 4.3 * len(columns))
    panels = np.atleast_2d(figure.subplots(len(columns), len(embeddings), squeeze=False))
    for row, column in enumerate(columns):
        for place, embedding in enumerate(embeddings):
            _draw(panels[row, place], embedding, column, legend=place == len(embeddings) - 1)
            if row == 0:
                panels[row, place].set_title(f"given {embedding.prior.knowledge}")
        panels[row, 0].set_ylabel(f"coloured by {column}")
    write_figure(figure, path, resolution=80)


def _draw(panel: Any, embedding: Embedding, column: str, legend: bool) -> None:
    codes, values = embedding.network.groups(column)
    flat = np.zeros((len(embedding), 2))
    flat[:, : min(2, embedding.dimensions)] = embedding.positions[:, :2]
    sizes = 8 + 12 * np.log1p(embedding.network.degrees)
    for code, value in enumerate(values):
        here = codes == code
        colour = COLOURS[code % len(COLOURS)]
        panel.scatter(*flat[here].T, s=sizes[here], color=colour, label=str(value), linewidths=0.4, edgecolors="white")
    panel.set_aspect("equal", adjustable="datalim")
    panel.set_xticks([])
    panel.set_yticks([])
    if legend:
        panel.legend(loc="center left", bbox_to_anchor=(1.01, 0.5), frameon=False)
