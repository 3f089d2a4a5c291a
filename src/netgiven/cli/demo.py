"""netgiven demo"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from scipy.spatial import KDTree

from netgiven.cli.options import Threads
from netgiven.embedding import Embedding
from netgiven.maps.canvas import PRINT_COLOURS, check_ending, make_figure, write_figure
from netgiven.types import Int64Array

# ---- Who is near whom, and what neighbours have in common ------------------------------------------------------------


def nearest(embedding: Embedding, count: int = 10) -> Int64Array:
    """Node numbers of the `count` nearest others of each node, nearest first."""
    count = min(count, len(embedding) - 1)
    _, found = KDTree(embedding.positions).query(embedding.positions, k=count + 1)
    found = np.atleast_2d(found)
    own = found == np.arange(len(found))[:, None]
    own[~own.any(axis=1), -1] = True  # nodes at one place: somebody else's copy came first
    return np.asarray(found[~own].reshape(len(found), count))


def agreement(embedding: Embedding, column: str, count: int = 10) -> float:
    """Share of the nearest others that have the same value in a node column, over all nodes."""
    codes, _ = embedding.network.groups(column)
    return float((codes[nearest(embedding, count)] == codes[:, None]).mean())


def chance_agreement(embedding: Embedding, column: str) -> float:
    """The share that others drawn at random would have."""
    codes, _ = embedding.network.groups(column)
    sizes = np.bincount(codes[codes >= 0])
    return float((sizes * (sizes - 1)).sum() / (len(codes) * (len(codes) - 1)))


# ---- Pictures for paper and terminal people: PNG or SVG, by Matplotlib, without a window -----------------------------


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
        colour = PRINT_COLOURS[code % len(PRINT_COLOURS)]
        panel.scatter(*flat[here].T, s=sizes[here], color=colour, label=str(value), linewidths=0.4, edgecolors="white")
    panel.set_aspect("equal", adjustable="datalim")
    panel.set_xticks([])
    panel.set_yticks([])
    if legend:
        panel.legend(loc="center left", bbox_to_anchor=(1.01, 0.5), frameon=False)


PRIORS = ("density", "degrees", "degrees+blocks:department")


def demo(
    out: Annotated[Path, typer.Option(help="The folder to write to; made if it is not there.")] = Path("demo"),
    threads: Threads = None,
) -> None:
    """A company of departments and projects: give the departments, and see the project teams."""
    import netgiven as ng
    from netgiven.array_file import check_target, make_folder

    make_folder(out)
    for name in ("company.png", "company.ng"):
        check_target(out / name)
    network = ng.datasets.company()
    print(f"A company: {network.node_count} people, {network.link_count:,} acquaintances, 5 departments, 4 projects.")
    print("Each person is placed in the plane. How many of the 10 nearest share ...\n")
    print(f"{'given':<28}{'the department':>16}{'the project':>14}{'bits a link gained':>21}")
    plane: dict[str, Any] = {"dimensions": 2, "spread": ng.Spread.from_reach(2.0), "shrinkage": 0.0}
    embeddings = [ng.embed(network, given, threads=threads, **plane) for given in PRIORS]
    for embedding in embeddings:
        shares = (agreement(embedding, "department"), agreement(embedding, "project"))
        given = "nothing but the density" if embedding.prior.knowledge == "density" else embedding.prior.knowledge
        print(f"{given:<28}{shares[0]:>16.0%}{shares[1]:>14.0%}{embedding.bits_per_link:>21.2f}")
    chance = [chance_agreement(embeddings[0], column) for column in ("department", "project")]
    print(f"{'(by chance)':<28}{chance[0]:>16.0%}{chance[1]:>14.0%}\n")
    print("Given departments and degrees, what remains to be seen are the project teams.\n")
    print("Likeliest acquaintances that are not there yet:")
    for row in embeddings[-1].likely_links(count=5, threads=threads).itertuples():
        print(f"  {row.u} and {row.v}: {row.probability:.0%} (by departments and degrees alone {row.prior:.0%})")
    compare(embeddings, ["department", "project"], out / "company.png")
    embeddings[-1].save(out / "company.ng")
    print(f"\nPicture: {out / 'company.png'}. Embedding: {out / 'company.ng'}; try: netgiven info {out / 'company.ng'}")
