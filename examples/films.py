"""Films and viewers: given how much everybody watches, the tastes appear, and what to recommend.

    python examples/films.py --out pictures

Viewers watch popular films and films of the genres that they like. Some films have far more viewers than others. Who
watched what is known, genres and tastes are not. The network is generated.
"""

import argparse
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

import netgiven as ng

COLOURS = {"comedy": "#E69F00", "crime": "#0072B2", "drama": "#CC79A7", "fantasy": "#009E73", "western": "#D55E00"}


def make_views(viewers=300, films=200, seed=0):
    """Draw how probable it is that a viewer watches a film: activity times popularity times taste for its genre."""
    random, genres = np.random.default_rng(seed), np.array(list(COLOURS))
    genre, taste = random.integers(5, size=films), random.dirichlet(np.full(5, 0.15), viewers)
    activity, popularity = np.exp(random.normal(0, 0.6, viewers)), 1 + random.pareto(2, films)
    probability = 1 - np.exp(-0.015 * np.outer(activity, popularity) * (0.2 + 30 * taste[:, genre]))
    names = [f"viewer {number}" for number in range(viewers)], [f"film {number}" for number in range(films)]
    nodes = pd.DataFrame({"name": names[0] + names[1], "side": ["viewer"] * viewers + ["film"] * films})
    nodes["genre"] = genres[np.concatenate([taste.argmax(axis=1), genre])]  # of a viewer: the favourite one
    return pd.DataFrame(probability, *names), nodes


def make_network(watched, nodes):
    """Link viewers to the films that they watched."""
    viewer, film = np.nonzero(watched)
    return ng.Network.from_edges(np.column_stack([watched.index[viewer], watched.columns[film]]), nodes=nodes)


def best(scores, watched):
    """List the ten films with the highest scores that a viewer has not watched."""
    return scores[~watched].nlargest(10).index


def draw_map(panel, embedding):
    """Draw films as discs, larger with more viewers, and viewers as crosses."""
    places, degrees = embedding.positions, embedding.network.degrees
    for (side, genre), nodes in embedding.network.columns.groupby(["side", "genre"]):
        here = nodes.index
        if side == "film":
            panel.scatter(*places[here].T, s=10 + degrees[here], c=COLOURS[genre], lw=0.4, ec="white", label=genre)
        else:
            panel.scatter(*places[here].T, s=12, c=COLOURS[genre], lw=0.7, alpha=0.7, marker="x")
    title = "film (disc), or\nfavourite of a\nviewer (cross)"
    panel.legend(loc="center right", bbox_to_anchor=(0, 0.5), frameon=False, title=title)
    panel.set_title("given degrees and the two sides: tastes", loc="left", fontsize=11)
    panel.axis("off")


def draw_bars(panel, hits):
    """Draw how many of ten recommended films were watched."""
    bars = panel.barh(list(hits), list(hits.values()), color=["#B0B0B0", "#0072B2", "#B0B0B0"])
    panel.bar_label(bars, fmt="%.2f", padding=4)
    panel.set_title("hits among ten films", loc="left", fontsize=11)
    panel.spines[:].set_visible(False)
    panel.set(xticks=[], xlim=(0, 1.2 * max(hits.values())))


def main(out):
    """Hide a fifth of the views, recommend ten films to everybody, and count how many of them were hidden views."""
    probability, nodes = make_views()
    random = np.random.default_rng(1)
    watched = random.random(probability.shape) < probability
    known = watched & (random.random(probability.shape) < 0.8)
    network, given = make_network(known, nodes), ng.degrees() + ng.blocks("side")
    embedding = ng.embed(network, given)
    print(network)
    print(embedding.recommend("viewer 7", count=3, among="film").round(3).to_string(index=False))

    methods = {
        "most watched films": lambda viewer: best(known.sum(), known.loc[viewer]),
        "netgiven": lambda viewer: embedding.recommend(viewer, count=10, among="film")["node"],
        "true probabilities": lambda viewer: best(probability.loc[viewer], known.loc[viewer]),
    }
    hits = {}
    for name, films in methods.items():
        hits[name] = np.mean([watched.loc[viewer, films(viewer)].sum() for viewer in known.index])
        print(f"{name}: {hits[name]:.2f} of ten recommended films were watched")

    figure, panels = plt.subplots(1, 2, figsize=(10, 4), width_ratios=[1.8, 1], layout="constrained")
    draw_map(panels[0], ng.embed(network, given, dimensions=2))
    draw_bars(panels[1], hits)
    figure.savefig(out / "films.png", dpi=100)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=Path(), help="folder for the picture")
    folder = parser.parse_args().out
    folder.mkdir(parents=True, exist_ok=True)
    main(folder)
