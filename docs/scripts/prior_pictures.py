"""Make the pictures of docs/priors.md: python docs/scripts/prior_pictures.py [name ...]

Each picture shows one small network, drawn from known log-odds, under two priors: without and with what the section is
about. Seeds are fixed, so that the files are the same each time.
"""

import sys
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from PIL import Image
from scipy import sparse
from scipy.spatial import KDTree

import netgiven as ng
from netgiven.array_file import write_atomically
from netgiven.maps.canvas import PRINT_COLOURS
from netgiven.model import probability

FOLDER = Path(__file__).parents[1] / "pictures" / "priors"
GREY = "#888888"
Doubles = npt.NDArray[np.float64]
Panel = Any


# ---- networks ----------------------------------------------------------------------------------------------------


def planted(columns: dict[str, Any], log_odds: Callable[..., Doubles], seed: int = 0) -> ng.Network:
    """A random network with these node columns; `log_odds` is a function of the two nodes of a pair."""
    table = pd.DataFrame(columns)
    first, second = np.triu_indices(len(table), 1)
    probabilities = probability(log_odds(table.iloc[first].reset_index(), table.iloc[second].reset_index()))
    linked = np.random.default_rng(seed).random(len(first)) < probabilities
    names = np.array([f"node {number + 1}" for number in range(len(table))])
    pairs = pd.DataFrame({"source": names[first[linked]], "target": names[second[linked]]})
    return ng.Network.from_edges(pairs, nodes={"node": names, **columns})


def drawn(values: Any, count: int, seed: int) -> npt.NDArray[Any]:
    """Values for nodes, in equal numbers and random order."""
    return np.random.default_rng(seed).permutation(np.take(values, np.arange(count) % len(values)))


# ---- drawing -----------------------------------------------------------------------------------------------------


def embedded(network: ng.Network, given: Any, reach: float = 2.0) -> ng.Embedding:
    """A map: two dimensions, and the same settings for all pictures."""
    return ng.embed(network, given, dimensions=2, reach=reach, shrinkage=0.0, threads=1)


def canvas(rows: int, height: float, widths: tuple[float, ...] = (1, 1)) -> tuple[Figure, npt.NDArray[Any]]:
    """A figure with panels."""
    figure = Figure(figsize=(8.2, height), layout="constrained")
    FigureCanvasAgg(figure)
    return figure, figure.subplots(rows, len(widths), squeeze=False, width_ratios=widths)


def write(figure: Figure, name: str) -> None:
    """Write a PNG with 200 colours, which halves its size without a visible difference."""
    raw = BytesIO()
    figure.savefig(raw, format="png", dpi=90)
    picture = Image.open(raw).convert("RGB").quantize(200, dither=Image.Dither.NONE)
    FOLDER.mkdir(parents=True, exist_ok=True)
    write_atomically(FOLDER / f"{name}.png", lambda target: picture.save(target, format="PNG", optimize=True))


def maps(name: str, network: ng.Network, givens: list[Any], columns: list[str], reach: float = 2.0) -> None:
    """Draw a network under two priors, side by side, with one row per column of colours."""
    embeddings = [embedded(network, given, reach) for given in givens]
    figure, panels = canvas(len(columns), 3.55 * len(columns) + 0.2, (1, 1, 0.34))
    for row, column in enumerate(columns):
        for place, embedding in enumerate(embeddings):
            panel = panels[row, place]
            scatter(panel, panels[row, -1], embedding, column)
            panel.set_xlabel(similarity_text(embedding, column), fontsize=9, color="#444444")
            if row == 0:
                panel.set_title(f"given {title(givens[place])}", fontsize=11)
        panels[row, 0].set_ylabel(f"coloured by {column}", fontsize=10)
        panels[row, -1].axis("off")
    write(figure, name)


def title(given: Any) -> str:
    """What was given, without `density` where there is stronger knowledge."""
    if str(given) == "constraint:nothing":
        return "nothing (P = 1/2)"
    kinds = str(given).split("+")
    return " + ".join(kind for kind in kinds if kind != "density" or len(kinds) == 1)


def is_number(network: ng.Network, column: str) -> bool:
    """Whether a column is drawn on a scale, not as groups."""
    return pd.api.types.is_numeric_dtype(network.column(column))


def similarity_text(embedding: ng.Embedding, column: str) -> str:
    """How similar the ten nearest nodes are, and random nodes for comparison; films are left out."""
    values = embedding.network.column(column)
    who = (values != "film").to_numpy()
    values, flat = values[who].to_numpy(), embedding.positions[who]
    near = KDTree(flat).query(flat, k=11)[1][:, 1:]
    others = ~np.eye(len(values), dtype=bool)
    if not is_number(embedding.network, column):
        nearest, any_pair = (values[near] == values[:, None]).mean(), (values[:, None] == values)[others].mean()
        return f"ten nearest: {100 * nearest:.0f} % equal (random {100 * any_pair:.0f} %)"
    nearest, any_pair = np.abs(values[near] - values[:, None]).mean(), np.abs(values[:, None] - values)[others].mean()
    return f"ten nearest differ by {nearest:.2g} (random {any_pair:.2g})"


def scatter(panel: Panel, beside: Panel, embedding: ng.Embedding, column: str) -> None:
    """Draw nodes at their positions, larger with more links, and a legend in the panel beside."""
    network, flat = embedding.network, embedding.positions
    look = {"linewidths": 0.4, "edgecolors": "white"}
    sizes = 6 + 9 * np.log1p(network.degrees)
    if is_number(network, column):
        points = panel.scatter(*flat.T, s=sizes, c=network.column(column), cmap="viridis", **look)
        if not beside.child_axes:
            scale = beside.inset_axes([0.0, 0.15, 0.12, 0.7])
            panel.figure.colorbar(points, cax=scale, label=column).outline.set_visible(False)
    else:
        codes, values = network.groups(column)
        for code, value in enumerate(values):
            here = codes == code
            panel.scatter(*flat[here].T, s=sizes[here], color=PRINT_COLOURS[code], label=str(value), **look)
        beside.legend(*panel.get_legend_handles_labels(), loc="center left", frameon=False, fontsize=9, borderpad=0)
    bare(panel)


def bare(panel: Panel) -> None:
    """Hide the axes of a map."""
    panel.set_aspect("equal", adjustable="datalim")
    panel.set(xticks=[], yticks=[])
    panel.spines[:].set_color("#cccccc")


def plain(panel: Panel, name: str, x: str, y: str) -> None:
    """Title and axis labels of a panel with curves."""
    panel.set_title(name, fontsize=11)
    panel.set_xlabel(x, fontsize=10)
    panel.set_ylabel(y, fontsize=10)
    panel.spines[["top", "right"]].set_visible(False)
    panel.tick_params(labelsize=9)


# ---- one picture per kind ------------------------------------------------------------------------------------------


def density() -> None:
    """Links are rare: without a prior that knows it, positions have to express it."""
    columns = {"team": drawn(["amber", "birch", "coral", "delta"], 240, 1)}
    network = planted(columns, lambda a, b: -4.6 + 2.2 * (a.team == b.team))
    half = network.node_count * (network.node_count - 1) / 4  # of all pairs: each has a probability of one half
    nothing = ng.constraint(np.ones((network.node_count, 1)), name="nothing", total=half)
    maps("density", network, [nothing, ng.density()], ["team"])


def degrees() -> None:
    """Busy and quiet people of three teams."""
    count = 220
    activity = np.random.default_rng(1).normal(0, 1.3, count)
    columns = {"team": drawn(["amber", "birch", "coral"], count, 2), "activity": activity}
    network = planted(columns, lambda a, b: -3.4 + 1.3 * (a.activity + b.activity) + 1.3 * (a.team == b.team))
    maps("degrees", with_degrees(network), ["density", "degrees"], ["log10(degree)", "team"])


def with_degrees(network: ng.Network) -> ng.Network:
    """Add a column of degrees, on a logarithmic scale, for colours."""
    size = np.log10(np.maximum(network.degrees, 1))
    return network.with_columns(pd.DataFrame({"log10(degree)": size}))


def blocks() -> None:
    """The company of the README: departments that everybody knows, and projects."""
    network = ng.datasets.company()
    maps("blocks", network, ["degrees", "degrees+blocks:department"], ["department", "project"])


def overlapping() -> None:
    """Members of up to two of three clubs, in three towns."""
    clubs = ["chess", "chess|rowing", "rowing", "rowing|tennis", "tennis", "chess|tennis"]
    columns = {"clubs": drawn(clubs, 240, 1), "town": drawn(["Aby", "Berg", "Dal"], 240, 2)}

    def log_odds(a: pd.DataFrame, b: pd.DataFrame) -> Doubles:
        pairs = [set(x.split("|")) & set(y.split("|")) for x, y in zip(a.clubs, b.clubs, strict=True)]
        return -4.2 + 2.4 * np.array([len(pair) for pair in pairs]) + 1.8 * (a.town == b.town).to_numpy()

    given = ["degrees", ng.degrees() + ng.blocks("clubs", separator="|")]
    maps("overlapping", planted(columns, log_odds), given, ["clubs", "town"])


def papers() -> ng.Network:
    """Papers of forty years on four topics that cite what is recent."""
    year = np.random.default_rng(1).integers(1980, 2020, 300)
    columns = {"year": year, "topic": drawn(["algebra", "botany", "cells", "dyes"], 300, 2)}
    return planted(columns, lambda a, b: -1.9 - 0.17 * np.abs(a.year - b.year) + 1.6 * (a.topic == b.topic))


def order() -> None:
    """Time, then topics."""
    maps("order", papers(), ["degrees", "degrees+order:year:bins=20"], ["year", "topic"])


def order_shapes() -> None:
    """Share of linked pairs at each distance, observed and expected by each shape."""
    network = papers()
    year = network.column("year").to_numpy()
    first, second = np.triu_indices(network.node_count, 1)
    distance = np.abs(year[first] - year[second])
    pairs = np.bincount(distance)
    seen = np.bincount(distance, network.are_linked(first, second)) / pairs
    figure, panels = canvas(2, 5.0)
    shapes = ["order:year:bins=10", "order:year:kind=log", "order:year:kind=linear", "order:year:kind=window:width=5"]
    for panel, text in zip(panels.flat, shapes, strict=True):
        prior = ng.parse_knowledge(text).fit(network)
        expected = np.bincount(distance, probability(prior.log_odds_of(first, second))) / pairs
        panel.plot(seen, "o", color=GREY, markersize=3.5, label="observed")
        panel.plot(expected, color=PRINT_COLOURS[0], linewidth=2, label="expected")
        plain(panel, f"given {text}", "years apart", "share linked")
    panels[0, 0].legend(frameon=False, fontsize=9)
    write(figure, "order_shapes")


def homophily_equal() -> None:
    """Parties, which link within themselves, and hobbies, which cut across."""
    columns = {
        "party": drawn(["centre", "farmers", "labour"], 240, 1),
        "hobby": drawn(["music", "sailing", "films"], 240, 2),
    }
    network = planted(columns, lambda a, b: -4.2 + 2.1 * (a.party == b.party) + 1.7 * (a.hobby == b.hobby))
    maps("homophily_equal", network, ["degrees", "degrees+homophily:party"], ["party", "hobby"])


def homophily_near() -> None:
    """Age, then towns."""
    age = np.random.default_rng(1).integers(18, 80, 260)
    columns = {"age": age, "town": drawn(["Aby", "Berg", "Dal"], 260, 2)}
    network = planted(columns, lambda a, b: -2.0 - 0.007 * (a.age - b.age) ** 2 + 1.8 * (a.town == b.town))
    maps("homophily_near", network, ["degrees", "degrees+homophily:age"], ["age", "town"])


def popular() -> ng.Network:
    """The well known know each other, more than their numbers of links explain; and there are three teams."""
    standing = np.random.default_rng(1).normal(0, 1, 260)
    columns = {"standing": standing, "team": drawn(["amber", "birch", "coral"], 260, 2)}

    def log_odds(a: pd.DataFrame, b: pd.DataFrame) -> Doubles:
        return np.asarray(
            -3.4 + 1.1 * a.standing * b.standing + 0.4 * (a.standing + b.standing) + 1.9 * (a.team == b.team)
        )

    return planted(columns, log_odds)


def assortativity() -> None:
    """The mean degree of neighbours by degree: a map shows less of it."""
    network = popular()
    givens = ["degrees", "degrees+assortativity"]
    priors = [ng.parse_knowledge(given).fit(network) for given in givens]
    degree = network.degrees.astype(float)
    figure, panels = canvas(1, 3.4)
    seen = (network.to_scipy() @ degree) / np.maximum(degree, 1)
    for panel, given, prior in zip(panels[0], givens, priors, strict=True):
        panel.plot(degree, seen, "o", color=GREY, markersize=3, label="observed")
        values, expected = expected_neighbours(prior, degree)
        panel.plot(values, expected, color=PRINT_COLOURS[0], linewidth=2, label="expected")
        plain(panel, f"given {title(given)}", "links of a node", "mean links of its neighbours")
    panels[0, 0].legend(frameon=False, fontsize=9)
    write(figure, "assortativity")


def expected_neighbours(prior: ng.Prior, degree: Doubles) -> tuple[Doubles, Doubles]:
    """The mean degree of neighbours that a prior expects, by degree."""
    every = np.arange(len(degree))
    probabilities = probability(prior.log_odds_of(every[:, None], every[None, :]))
    np.fill_diagonal(probabilities, 0.0)
    values, some = np.unique(degree, return_index=True)
    mean = probabilities @ degree / np.maximum(probabilities.sum(axis=1), 1e-300)
    return values[values > 0], mean[some][values > 0]


def group_degrees() -> None:
    """Viewers, whose taste differs by gender and by genre, and films."""
    viewers, films = 200, 120
    gender = np.append(drawn(["woman", "man"], viewers, 1), np.full(films, "film"))
    genre = drawn(["crime", "romance", "space"], viewers + films, 2)
    for_whom = np.append(np.full(viewers, ""), drawn(["woman", "man"], films, 3))
    columns = {"gender": gender, "genre": genre, "for_whom": for_whom}

    def log_odds(a: pd.DataFrame, b: pd.DataFrame) -> Doubles:  # viewers come first
        z = -3.0 + 2.6 * (a.gender == b.for_whom) + 1.9 * (a.genre == b.genre)
        return np.where((a.gender != "film") & (b.gender == "film"), z, -np.inf)

    network = planted(columns, log_odds)
    maps("group_degrees", network, ["degrees+blocks:gender", "group_degrees:gender"], ["gender", "genre"])


def common_neighbours() -> None:
    """Share of linked pairs by the number of common neighbours."""
    network = triads()
    givens = ["degrees", "degrees+common_neighbours"]
    first, second = np.triu_indices(network.node_count, 1)
    shared = np.asarray((network.to_scipy() @ network.to_scipy()).todense())[first, second]
    figure, panels = canvas(1, 3.4)
    linked = network.are_linked(first, second)
    for panel, given in zip(panels[0], givens, strict=True):
        prior = ng.parse_knowledge(given).fit(network)
        probabilities = probability(prior.log_odds_of(first, second))
        pairs = np.bincount(shared)
        there = np.flatnonzero(pairs >= 10)
        for values, label, look in ((linked, "observed", "o"), (probabilities, "expected", "-")):
            share = np.bincount(shared, values)[there] / pairs[there]
            panel.plot(there, share, look, color=GREY if look == "o" else PRINT_COLOURS[0], label=label, linewidth=2)
        plain(panel, f"given {title(ng.parse_knowledge(given))}", "common neighbours", "share linked")
    panels[0, 0].legend(frameon=False, fontsize=9)
    write(figure, "common_neighbours")


def triads(count: int = 300) -> ng.Network:
    """A few links at random, then friends of friends."""
    random = np.random.default_rng(4)
    links = np.triu(random.random((count, count)) < 4 / count, 1)
    links |= links.T
    for _ in range(2):
        shared = links.astype(int) @ links.astype(int)
        met = np.triu(random.random((count, count)) < 0.16 * shared, 1)
        links |= met | met.T
    np.fill_diagonal(links, False)
    return ng.Network.from_scipy(sparse.csr_array(links))


def constraint_function() -> None:
    """Villages on a plane, and three languages."""
    random = np.random.default_rng(1)
    east, north = random.uniform(0, 10, (2, 260)).round(1)
    columns = {"east": east, "north": north, "language": drawn(["Ido", "Volapük", "Novial"], 260, 2)}

    def log_odds(a: pd.DataFrame, b: pd.DataFrame) -> Doubles:
        return np.asarray(0.3 - 1.2 * np.hypot(a.east - b.east, a.north - b.north) + 2.0 * (a.language == b.language))

    away = ng.constraint(
        lambda a, b: np.hypot(a.east - b.east, a.north - b.north), columns=["east", "north"], name="distance"
    )
    maps("constraint_function", planted(columns, log_odds), ["degrees", ng.degrees() + away], ["east", "language"])


def constraint_matrix() -> None:
    """Last year's links, most of which are still there, and this year's projects."""
    columns = {"old team": drawn(["amber", "birch", "coral"], 240, 1), "new project": drawn(["x", "y", "z"], 240, 2)}
    before = planted(columns, lambda a, b: -4 + 3.4 * (a["old team"] == b["old team"]), seed=3)
    kept = before.to_scipy().astype(float)
    first, second = np.triu_indices(before.node_count, 1)
    was = before.are_linked(first, second)
    network = planted(columns, lambda a, b: -4 + 3.6 * was + 2.1 * (a["new project"] == b["new project"]), seed=4)
    last_year = ng.constraint(kept, name="last year")
    maps("constraint_matrix", network, ["degrees", ng.degrees() + last_year], ["old team", "new project"])


def constraint_low_rank() -> None:
    """Opinions on two questions, and towns."""
    random = np.random.default_rng(1)
    opinions = random.normal(0, 1, (240, 2))
    columns = {"left": opinions[:, 0], "green": opinions[:, 1], "town": drawn(["Aby", "Berg", "Dal"], 240, 2)}

    def log_odds(a: pd.DataFrame, b: pd.DataFrame) -> Doubles:
        return np.asarray(-2.6 + 1.3 * (a.left * b.left + a.green * b.green) + 1.9 * (a.town == b.town))

    alike = ng.constraint(opinions, name="opinions")
    maps("constraint_low_rank", planted(columns, log_odds), ["degrees", ng.degrees() + alike], ["left", "town"])


PICTURES = (
    density,
    degrees,
    blocks,
    overlapping,
    order,
    order_shapes,
    homophily_equal,
    homophily_near,
    assortativity,
    group_degrees,
    common_neighbours,
    constraint_function,
    constraint_matrix,
    constraint_low_rank,
)

if __name__ == "__main__":
    for make in PICTURES:
        if len(sys.argv) == 1 or make.__name__ in sys.argv[1:]:
            make()
