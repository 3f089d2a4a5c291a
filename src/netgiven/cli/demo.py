"""The command `netgiven demo`: a company of departments and projects."""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from netgiven.cli.options import Threads

if TYPE_CHECKING:
    from netgiven.embedding import Embedding
    from netgiven.network import Network
    from netgiven.types import Int64Array

# ---- nearest nodes, and what they have in common ---------------------------------------------------------------------


def nearest(embedding: Embedding, count: int = 10) -> Int64Array:
    """Numbers of the `count` nearest other nodes of each node, nearest first."""
    import numpy as np
    from scipy.spatial import KDTree

    count = min(count, len(embedding) - 1)
    _, found = KDTree(embedding.positions).query(embedding.positions, k=count + 1)
    found = np.atleast_2d(found)
    own = found == np.arange(len(found))[:, None]
    own[~own.any(axis=1), -1] = True  # of several nodes at one point, another one was found first
    return np.asarray(found[~own].reshape(len(found), count))


def agreement(embedding: Embedding, column: str, count: int = 10) -> float:
    """Share of the nearest other nodes that have the same value in a node column, over all nodes."""
    codes, _ = embedding.network.groups(column)
    return float((codes[nearest(embedding, count)] == codes[:, None]).mean())


def random_agreement(embedding: Embedding, column: str) -> float:
    """The same share for other nodes drawn at random."""
    import numpy as np

    codes, _ = embedding.network.groups(column)
    sizes = np.bincount(codes[codes >= 0])
    return float((sizes * (sizes - 1)).sum() / (len(codes) * (len(codes) - 1)))


# ---- picture ---------------------------------------------------------------------------------------------------------


def compare(embeddings: Sequence[Embedding], columns: Sequence[str], path: str | os.PathLike[str]) -> None:
    """Draw the first two dimensions of several embeddings side by side, one row per node column to colour by."""
    import numpy as np

    from netgiven.maps.canvas import make_figure, write_figure

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
    import numpy as np

    from netgiven.maps.canvas import PRINT_COLOURS

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


def write_tables(network: Network, folder: Path) -> None:
    """Write a network as people have it: a table of links and one of nodes."""
    from netgiven.array_file import write_atomically

    links, nodes = network.to_pandas()
    for name, table in (("links.csv", links), ("people.csv", nodes)):
        write_atomically(folder / name, partial(table.to_csv, index=False))


PRIORS = ("density", "degrees", "degrees+blocks:department")


def demo(
    out: Annotated[Path, typer.Option(help="The folder to write to; created if it does not exist.")] = Path("demo"),
    threads: Threads = None,
) -> None:
    """Run an example: a company of departments and projects."""
    import netgiven as ng
    from netgiven.array_file import check_target, make_folder
    from netgiven.edges import whole_percent
    from netgiven.maps.canvas import check_suffix

    check_suffix("company.png")
    make_folder(out)
    for name in ("links.csv", "people.csv", "company.png", "company.ng"):
        check_target(out / name)
    network = ng.datasets.company()
    write_tables(network, out)
    print(f"A company: {network.node_count} people, {network.link_count:,} acquaintances, 5 departments, 4 projects.")
    print("Each person gets a position in the plane. How many of the 10 nearest others are in the same ...\n")
    print(f"{'given':<28}{'department':>12}{'project':>10}{'bits per link gained':>23}")
    embeddings = [ng.embed(network, given, dimensions=2, reach=2.0, shrinkage=0.0, threads=threads) for given in PRIORS]
    for embedding in embeddings:
        shares = [whole_percent(agreement(embedding, column)) for column in ("department", "project")]
        given = "the density only" if embedding.prior.knowledge == "density" else embedding.prior.knowledge
        print(f"{given:<28}{shares[0]:>12}{shares[1]:>10}{embedding.bits_per_link:>23.2f}")
    random = [whole_percent(random_agreement(embeddings[0], column)) for column in ("department", "project")]
    print(f"{'(others drawn at random)':<28}{random[0]:>12}{random[1]:>10}\n")
    print("Given degrees and departments, the embedding shows what they do not explain: the project teams.\n")
    print("The most probable pairs that are not acquainted yet:")
    likely = embeddings[-1].likely_links(count=5, threads=threads)
    shown = likely.assign(**{column: likely[column].map(whole_percent) for column in ("probability", "prior")})
    for row in shown.itertuples():
        print(f"  {row.u} and {row.v}: {row.probability} (given degrees and departments alone: {row.prior})")
    compare(embeddings, ["department", "project"], out / "company.png")
    embeddings[-1].save(out / "company.ng")
    print(f"\nPicture: {out / 'company.png'}. Embedding: {out / 'company.ng'}; try: netgiven info {out / 'company.ng'}")
    print(f"The company itself: {out / 'links.csv'} and {out / 'people.csv'}, to try the other commands on.")
