"""Make the picture of docs/intervals.md: python docs/scripts/interval_pictures.py

A network is drawn from the probabilities of an embedding of the demo company and embedded again. The picture shows
intervals of some pairs beside their true probabilities. Seeds are fixed, so that the file is the same each time.
"""

from pathlib import Path
from typing import Any

import numpy as np

import netgiven as ng
from netgiven.maps.canvas import PRINT_COLOURS, make_figure, write_figure
from netgiven.model import probability

PICTURE = Path(__file__).parents[1] / "pictures" / "intervals.png"
SETTINGS: dict[str, Any] = {"dimensions": 4, "reach": 2.0, "shrinkage": 0.0}
PEOPLE, SHOWN = 400, 60


def main() -> None:
    """Draw a network, embed it, and write the picture."""
    truth = ng.embed(ng.datasets.company(people=PEOPLE), "degrees", **SETTINGS)
    pairs = np.column_stack(np.triu_indices(PEOPLE, 1))
    true = probability(truth.log_odds_of(*pairs.T))
    linked = np.random.default_rng(0).random(len(true)) < true
    drawn = ng.Network.from_edges(pairs[linked], nodes=list(range(PEOPLE)))
    some = np.argsort(true)[np.linspace(len(true) // 4, len(true) - 1, SHOWN).astype(int)]
    found = ng.embed(drawn, "degrees", **SETTINGS).intervals(pairs[some], level=0.9)
    inside = ((found["low"] <= true[some]) & (true[some] <= found["high"])).to_numpy()
    figure = make_figure(9, 4)
    panel = figure.subplots()
    places = np.arange(SHOWN)
    for well, colour, text in ((True, PRINT_COLOURS[0], "holds the truth"), (False, PRINT_COLOURS[1], "does not")):
        these = inside == well
        panel.vlines(places[these], found["low"][these], found["high"][these], color=colour, linewidth=3, alpha=0.5)
        panel.plot(places[these], found["probability"][these], "_", color=colour, label=f"90 % interval, {text}")
    panel.plot(places, true[some], ".", color="black", markersize=4, label="true probability")
    panel.set(yscale="log", xlabel="some pairs, by their true probability", ylabel="probability of a link", xticks=[])
    panel.legend(frameon=False, loc="lower right")
    panel.spines[["top", "right"]].set_visible(False)
    write_figure(figure, PICTURE)


if __name__ == "__main__":
    main()
