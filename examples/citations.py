"""Citations by year: given the years, the topics of papers appear.

    python examples/citations.py --out pictures

A paper cites papers of the last few years, mostly on its own topic, and some papers are cited far more than others.
Years are known, topics are not. The network is generated.
"""

import argparse
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.neighbors import NearestNeighbors

import netgiven as ng

COLOURS = {"algebra": "#0072B2", "geometry": "#E69F00", "logic": "#009E73", "probability": "#CC79A7"}


def make_papers(count=600, references=9, seed=0):
    """Draw papers: each cites earlier ones by how recent and famous they are; its own topic 4 times as likely."""
    random = np.random.default_rng(seed)
    year, topic = np.sort(random.integers(1990, 2020, count)), random.choice(list(COLOURS), count)
    fame, links = 1 + random.pareto(2, count), []
    for paper in np.flatnonzero(year > 1990):
        earlier = np.flatnonzero(year < year[paper])
        same = np.where(topic[earlier] == topic[paper], 4, 1)
        weight = fame[earlier] * same * np.exp((year[earlier] - year[paper]) / 4)
        cited = random.choice(earlier, references, replace=False, p=weight / weight.sum())
        links += [(paper, other) for other in cited]
    return ng.Network.from_edges(links, nodes=pd.DataFrame({"paper": range(count), "year": year, "topic": topic}))


def print_neighbours(embedding):
    """Compare the topics and years of papers with those of their ten nearest papers."""
    nearest = NearestNeighbors(n_neighbors=10).fit(embedding.vectors).kneighbors(return_distance=False)
    year, topic = (embedding.network.column(name).to_numpy() for name in ("year", "topic"))
    apart, same = np.abs(year[nearest] - year[:, None]).mean(), (topic[nearest] == topic[:, None]).mean()
    print(f"given {embedding.prior.knowledge}: same topic {100 * same:.0f} %, {apart:.1f} years apart")


def draw_years(panel, embedding):
    """Colour papers by year."""
    points = panel.scatter(*embedding.positions.T, s=14, c=embedding.network.column("year"), cmap="viridis")
    panel.figure.colorbar(points, ax=panel, shrink=0.6, location="left", label="year").outline.set_visible(False)
    panel.set_title("given degrees: a line through time", loc="left", fontsize=11)


def draw_topics(panel, embedding):
    """Colour papers by topic."""
    for topic, papers in embedding.network.columns.groupby("topic"):
        panel.scatter(*embedding.positions[papers.index].T, s=14, c=COLOURS[topic], label=topic)
    panel.legend(loc="center left", bbox_to_anchor=(1, 0.5), frameon=False, title="topic")
    panel.set_title("given degrees and years: the topics", loc="left", fontsize=11)


def main(out):
    """Fit a map given degrees and one given years as well, and draw both."""
    papers = make_papers()
    print(papers)
    by_degrees = ng.embed(papers, ng.degrees(), dimensions=2)
    by_years = ng.embed(papers, ng.degrees() + ng.order("year"), dimensions=2)
    print_neighbours(by_degrees)
    print_neighbours(by_years)

    figure, panels = plt.subplots(1, 2, figsize=(10, 4.2), layout="constrained")
    draw_years(panels[0], by_degrees)
    draw_topics(panels[1], by_years)
    for panel in panels:
        panel.axis("off")
        panel.set_aspect("equal")
    figure.savefig(out / "citations.png", dpi=100)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=Path(), help="folder for the picture")
    folder = parser.parse_args().out
    folder.mkdir(parents=True, exist_ok=True)
    main(folder)
