"""Blogs of two parties: given the parties, what the blogs write about appears.

    python examples/blogs.py --out pictures

Blogs link to blogs of their own party, which is known, and to blogs on the same subject, which is not. A few blogs have
ten times the links of others. The network is generated.
"""

import argparse
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.neighbors import NearestNeighbors

import netgiven as ng

COLOURS = {"climate": "#009E73", "culture": "#CC79A7", "economy": "#E69F00", "law": "#0072B2"}
MARKERS = {"Tory": "o", "Whig": "^"}


def make_blogs(count=500, seed=0):
    """Draw blogs: a link is 13 times as likely within a party, 17 times on one subject, 29 times if both."""
    random = np.random.default_rng(seed)
    party, subject = random.choice(list(MARKERS), count), random.choice(list(COLOURS), count)
    activity = 1 + random.pareto(1.8, count)
    first, second = np.triu_indices(count, 1)
    affinity = 1 + 12 * (party[first] == party[second]) + 16 * (subject[first] == subject[second])
    expected = 0.0014 * affinity * activity[first] * activity[second]
    links = np.column_stack([first, second])[random.random(len(first)) < 1 - np.exp(-expected)]
    return ng.Network.from_edges(links, nodes=pd.DataFrame({"blog": range(count), "party": party, "subject": subject}))


def agreement(embedding, column):
    """Share of the ten nearest blogs that have the same value in a column."""
    nearest = NearestNeighbors(n_neighbors=10).fit(embedding.vectors).kneighbors(return_distance=False)
    values = embedding.network.column(column).to_numpy()
    return (values[nearest] == values[:, None]).mean()


def draw(panel, embedding, title):
    """Draw a map: a colour for each subject, a shape for each party; larger with more links."""
    columns, sizes = embedding.network.columns, 8 + 3 * np.sqrt(embedding.network.degrees)
    for (subject, party), blogs in columns.groupby(["subject", "party"]):
        style = {"c": COLOURS[subject], "marker": MARKERS[party], "label": f"{subject}, {party}"}
        panel.scatter(*embedding.positions[blogs.index].T, s=sizes[blogs.index], lw=0.3, ec="white", **style)
    low, high = np.quantile(embedding.positions, [0.01, 0.99], axis=0)
    panel.set(xlim=(low[0] - 0.2, high[0] + 0.2), ylim=(low[1] - 0.2, high[1] + 0.2), xticks=[], yticks=[])
    panel.set_title(title, loc="left", fontsize=11)
    panel.spines[:].set_visible(False)


def main(out):
    """Fit maps given more and more, print what neighbours share, and draw the last two."""
    blogs = make_blogs()
    print(blogs)
    known = [ng.density(), ng.degrees(), ng.degrees() + ng.blocks("party")]
    embeddings = [ng.embed(blogs, given, dimensions=2) for given in known]
    for embedding in embeddings:
        party, subject = agreement(embedding, "party"), agreement(embedding, "subject")
        print(f"given {embedding.prior.knowledge}: same party {100 * party:.0f} %, same subject {100 * subject:.0f} %")

    figure, panels = plt.subplots(1, 2, figsize=(10, 4.6), layout="constrained")
    draw(panels[0], embeddings[1], "given degrees: two parties, apart")
    draw(panels[1], embeddings[2], "given degrees and parties: four subjects, across parties")
    figure.legend(*panels[0].get_legend_handles_labels(), loc="outside right center", frameon=False)
    figure.savefig(out / "blogs.png", dpi=90)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=Path(), help="folder for the picture")
    folder = parser.parse_args().out
    folder.mkdir(parents=True, exist_ok=True)
    main(folder)
