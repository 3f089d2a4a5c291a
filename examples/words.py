"""Words: given how many words each word occurs with, what goes with what in Python's own manual.

    python examples/words.py --out pictures

The text is the manual behind `help()`, read from your own installation. Two words are linked if they occur together in
four paragraphs or more.
"""

import argparse
import re
from collections import Counter
from itertools import combinations
from pathlib import Path
from pydoc_data.topics import topics

import matplotlib.pyplot as plt
import numpy as np
from sklearn.cluster import KMeans
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS
from sklearn.neighbors import NearestNeighbors

import netgiven as ng

COLOURS = ["#0072B2", "#C77C00", "#009E73", "#D55E00", "#B0538B", "#3C9BD0", "#7A6A00", "#5F6368"]
COMMON = ENGLISH_STOP_WORDS | {"does", "example", "following", "new", "use", "used", "uses", "using"}


def read_paragraphs():
    """Read the words of each paragraph; neither code, nor names, nor words that every text has."""
    text = re.sub(r'"[^"]*"|\S*[_(]\S*', "", "\n\n".join(topics.values())).lower()
    return {frozenset(re.findall("[a-z]{3,}", part)) - COMMON for part in re.split(r"\n\s*\n", text)}


def make_words(count=400, together=4):
    """Link the most frequent words that occur together in several paragraphs."""
    paragraphs = read_paragraphs()
    frequency = Counter(word for words in paragraphs for word in words)
    kept = set(sorted(frequency, key=lambda word: (-frequency[word], word))[:count])
    pairs = Counter(pair for words in paragraphs for pair in combinations(sorted(kept & words), 2))
    return ng.Network.from_edges(sorted(pair for pair, times in pairs.items() if times >= together))


def nearest_words(embedding, count=10):
    """List the nearest words of each word."""
    found = NearestNeighbors(n_neighbors=count).fit(embedding.vectors).kneighbors(return_distance=False)
    return embedding.nodes.to_numpy()[found]


def draw(embedding, groups, path):
    """Write words where they are, the most linked first, as long as there is room; a colour for each group."""
    figure, panel = plt.subplots(figsize=(10, 6.4), layout="constrained")
    low, high = np.quantile(embedding.positions, [0.01, 0.99], axis=0)
    places, written = (embedding.positions - low) / (high - low), []
    order = np.argsort(-embedding.network.degrees, kind="stable")
    for word in order:
        near = [abs(places[word] - places[other]) for other in written]
        if all(across > 0.075 or down > 0.022 for across, down in near):
            written.append(word)
            panel.text(*places[word], embedding.nodes[word], c=COLOURS[groups[word]], ha="center", va="center", size=8)
    for group, colour in enumerate(COLOURS):
        words = embedding.nodes[[word for word in order if groups[word] == group][:3]]
        panel.plot([], [], "o", c=colour, label=", ".join(words))
    panel.set(xlim=(-0.05, 1.05), ylim=(-0.05, 1.1))
    panel.set_title("Words of Python's manual, given their degrees, in eight groups", loc="left")
    panel.axis("off")
    figure.legend(loc="outside lower center", ncols=4, frameon=False, fontsize=8, handletextpad=0)
    figure.savefig(path, dpi=90)


def main(out):
    """Compare nearest words given density and given degrees, and draw groups of words."""
    words = make_words()
    print(words)
    often = words.nodes[np.argsort(-words.degrees)[:40]]
    for given in (ng.density(), ng.degrees()):
        embedding = ng.embed(words, given)
        nearest = nearest_words(embedding)
        share = 100 * np.isin(nearest, often).mean()
        print(f"given {given}: {share:.0f} % of the nearest words are among the 40 most linked")
        for word in ("string", "exception", "class"):
            print(f"  {word}: {', '.join(nearest[words.nodes.get_loc(word)][:6])}")
    groups = KMeans(len(COLOURS), n_init=10, random_state=0).fit_predict(embedding.vectors)
    draw(ng.embed(words, ng.degrees(), dimensions=2), groups, out / "words.png")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=Path(), help="folder for the picture")
    folder = parser.parse_args().out
    folder.mkdir(parents=True, exist_ok=True)
    main(folder)
