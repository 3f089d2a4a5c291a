"""Roles: which words are used alike, from which words stand side by side in Python's own manual.

    python examples/roles.py --out pictures

The text is the manual behind `help()`, read from your own installation. Two words are linked if they stand side by side
at least twice. Words that are used alike are hardly ever neighbours: an article stands beside nouns and not beside
articles. So dimensions in which alike words link tell topics, and dimensions that repel tell roles.
"""

import argparse
import re
from collections import Counter
from itertools import pairwise
from pathlib import Path
from pydoc_data.topics import topics

import matplotlib.pyplot as plt
import numpy as np

import netgiven as ng

ROLES = {
    "articles": "a an the this these each any its their another some all no",
    "prepositions": "of in for by with from to at as on into if when while before after and or but",
    "auxiliaries": "is are was be been has have does do can cannot may must should will would not",
    "nouns": "string object class method function name value statement module list argument expression attribute type",
}
COLOURS = ["#0072B2", "#D55E00", "#009E73", "#B0538B"]
GREY = "#9AA0A6"


def make_neighbours(count=500, times=2):
    """Link frequent words that stand side by side in a sentence; neither code nor names."""
    text = re.sub(r'"[^"]*"|\S*[_(]\S*', ".", "\n\n".join(topics.values())).lower()
    sentences = [re.findall("[a-z]+", part) for part in re.split(r"[^a-z\s]+|\n\s*\n", text)]
    frequency = Counter(word for words in sentences for word in words if len(word) > 1 or word == "a")
    kept = set(sorted(frequency, key=lambda word: (-frequency[word], word))[:count])
    pairs = Counter(tuple(sorted(pair)) for words in sentences for pair in pairwise(words) if kept.issuperset(pair))
    return ng.Network.from_edges(sorted(pair for pair, often in pairs.items() if often >= times and pair[0] != pair[1]))


def nearest_words(vectors, nodes, word, count=6):
    """List the words that are nearest to a word."""
    distances = np.linalg.norm(vectors - vectors[nodes.get_loc(word)], axis=1)
    return ", ".join(nodes[np.argsort(distances, kind="stable")[1 : count + 1]])


def draw(embedding, path):
    """Write words where they are, the most linked first, as long as there is room; a colour for each list of words."""
    role = {word: place for place, words in enumerate(ROLES.values()) for word in words.split()}
    figure, panel = plt.subplots(figsize=(10, 6.4), layout="constrained")
    listed = np.array([word in role for word in embedding.nodes])
    # distances from the centre by their square root, so that frequent words, which are far out, leave room for others
    places = embedding.positions / np.sqrt(np.linalg.norm(embedding.positions, axis=1, keepdims=True))
    low, high = places[listed].min(axis=0), places[listed].max(axis=0)
    places, written = (places - low) / (high - low), []
    for word in np.lexsort((-embedding.network.degrees, ~listed)):
        near = [abs(places[word] - places[other]) for other in written]
        if all(across > 0.065 or down > 0.022 for across, down in near):
            written.append(word)
            name = embedding.nodes[word]
            colour = COLOURS[role[name]] if name in role else GREY
            panel.text(*places[word], name, c=colour, ha="center", va="center", size=9 if name in role else 7)
    for name, colour in zip(ROLES, COLOURS, strict=True):
        panel.plot([], [], "o", c=colour, label=name)
    panel.set(xlim=(-0.05, 1.05), ylim=(-0.05, 1.05))
    panel.set_title("Words of Python's manual by their roles: two dimensions that repel, given degrees", loc="left")
    panel.axis("off")
    figure.legend(loc="outside lower center", ncols=4, frameon=False, handletextpad=0)
    figure.savefig(path, dpi=90)


def main(out):
    """Compare nearest words by nearness and by roles, and draw a map of roles."""
    words = make_neighbours()
    print(words)
    embedding = ng.embed(words, "degrees", dimensions=32, repelling=16, repelling_shrinkage=5, reach=2, shrinkage=1)
    near, roles = embedding.positions[:, :16], embedding.positions[:, 16:]
    for word in ("the", "can", "in", "is", "string"):
        print(f"  near {word}: {nearest_words(near, words.nodes, word)}")
        print(f"  like {word}: {nearest_words(roles, words.nodes, word)}")
    draw(ng.embed(words, "degrees", dimensions=2, repelling=2, repelling_shrinkage=2), out / "roles.png")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=Path(), help="folder for the picture")
    folder = parser.parse_args().out
    folder.mkdir(parents=True, exist_ok=True)
    main(folder)
