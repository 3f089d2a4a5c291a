"""Make the pictures of docs/idea.md: python docs/scripts/idea_pictures.py"""

from pathlib import Path
from typing import Any

import numpy as np

import netgiven as ng
from netgiven.maps.canvas import COLOURS, GREY, make_figure, write_figure
from netgiven.metrics import auc
from netgiven.model import probability
from netgiven.splits import hide_links
from netgiven.types import IntegerArray

FOLDER = Path(__file__).parents[1] / "pictures" / "idea"
PRIORS = ("density", "degrees", "degrees+blocks:department")
SEEDS = range(5)
REACHES = (0.25, 0.5, 1, 1.5, 2, 3, 4, 6, 8)


def expected_networks(network: ng.Network) -> None:
    """The network as a matrix, beside what three priors expect of each pair."""
    departments, names = network.groups("department")
    order = np.lexsort((-network.degrees, departments))
    first, second = np.meshgrid(order, order)
    matrices = {"the network": network.to_scipy().toarray()[order][:, order]}
    for given in PRIORS:
        prior = ng.parse_knowledge(given).fit(network)
        matrices[f"given {given}"] = probability(prior.log_odds_of(first.ravel(), second.ravel())).reshape(first.shape)
    figure = make_figure(13, 3.6)
    for panel, (title, matrix) in zip(figure.subplots(1, 4), matrices.items(), strict=True):
        np.fill_diagonal(matrix, 0)
        panel.imshow(matrix, cmap="Greys", vmin=0, vmax=0.8, interpolation="antialiased")
        panel.set_title(title, fontsize=10)
        middles = [np.flatnonzero(departments[order] == code).mean() for code in range(len(names))]
        panel.set_yticks(middles, names, fontsize=8)
        panel.set_xticks([])
    write_figure(figure, FOLDER / "prior.png", resolution=80)


def gain_by_distance() -> None:
    """The gain in log-odds over the prior by distance, and the probability that follows from it."""
    distance = np.linspace(0, 4, 200)
    figure = make_figure(9, 3.4)
    gains, chances = figure.subplots(1, 2)
    for colour, reach in zip(COLOURS, (1, 2, 4), strict=False):
        gains.plot(distance, reach - distance**2 / 2, color=colour, label=f"reach {reach}")
    gains.axhline(0, color=GREY, linewidth=0.8)
    gains.set(xlabel="distance of the two nodes", ylabel="gain in log-odds over the prior", ylim=(-6, 4.5))
    for colour, prior in zip(COLOURS, (0.01, 0.1, 0.5), strict=False):
        log_odds = np.log(prior / (1 - prior)) + 2 - distance**2 / 2
        chances.plot(distance, probability(log_odds), color=colour, label=f"prior {prior:g}")
        chances.axhline(prior, color=colour, linewidth=0.8, linestyle=":")
    chances.set(xlabel="distance of the two nodes", ylabel="probability of a link (reach 2)", ylim=(0, 1))
    for panel in (gains, chances):
        panel.legend(frameon=False)
        panel.spines[["top", "right"]].set_visible(False)
    write_figure(figure, FOLDER / "distance.png", resolution=80)


def score(network: ng.Network, seed: int, reach: float) -> tuple[float, float]:
    """AUC on the links that were fitted and on those that were hidden, both among the pairs of one split."""
    split = hide_links(network, 0.2, seed)
    embedding = ng.embed(split.train, PRIORS[-1], dimensions=8, reach=reach, shrinkage=0.0)
    return told_apart(embedding, split.train.links(), split.others), told_apart(embedding, split.hidden, split.others)


def told_apart(embedding: ng.Embedding, links: IntegerArray, others: IntegerArray) -> float:
    """AUC of links against other pairs."""
    truth = np.repeat([True, False], [len(links), len(others)])
    return auc(truth, embedding.log_odds_of(*np.concatenate([links, others]).T))


def overfitting(network: ng.Network) -> None:
    """AUC of fitted and of hidden links as the reach grows."""
    scores = np.array([[score(network, seed, reach) for reach in REACHES] for seed in SEEDS]).mean(axis=0)
    figure = make_figure(5.4, 3.4)
    panel = figure.subplots()
    for colour, name, values in zip(
        COLOURS, ("links that were fitted", "links that were hidden"), scores.T, strict=False
    ):
        panel.plot(REACHES, values, color=colour, marker="o", markersize=4, label=name)
    best = int(np.argmax(scores[:, 1]))
    panel.axvline(REACHES[best], color=GREY, linestyle=":", linewidth=1)
    panel.set(xlabel="reach", ylabel="AUC")
    panel.legend(frameon=False)
    panel.spines[["top", "right"]].set_visible(False)
    write_figure(figure, FOLDER / "reach.png", resolution=80)


def information(network: ng.Network) -> None:
    """Bits per link that each prior explains, and that an embedding adds to it."""
    table = ng.compare_priors(network, [*PRIORS, "degrees+blocks:department+blocks:project"]).iloc[::-1]
    figure = make_figure(8.4, 2.6)
    panel: Any = figure.subplots()
    panel.barh(table["given"], table["bits_explained"], color=GREY, label="explained by what is given")
    panel.barh(
        table["given"],
        table["bits_added"],
        left=table["bits_explained"],
        color=COLOURS[0],
        label="added by the embedding",
    )
    panel.set(xlabel="bits per link")
    panel.legend(frameon=False, loc="upper left", bbox_to_anchor=(1, 1))
    panel.spines[["top", "right"]].set_visible(False)
    write_figure(figure, FOLDER / "information.png", resolution=80)


def main() -> None:
    """Make all pictures."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    company = ng.datasets.company()
    expected_networks(company)
    gain_by_distance()
    overfitting(company)
    information(company)


if __name__ == "__main__":
    main()
