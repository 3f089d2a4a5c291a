"""Proteins: predict interactions that an experiment missed, say why, and how certain it is.

    python examples/proteins.py --out pictures

Genes are copied, and a copy keeps some of the interactions; some proteins form complexes. The experiment has missed one
interaction in five. The network is generated.
"""

import argparse
from itertools import combinations
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from sklearn.metrics import roc_auc_score

import netgiven as ng


def copy_genes(count, random):
    """Draw interactions: each new protein is a copy of an old one, and keeps 45 % of its partners."""
    partners = [{1}, {0}]
    for new in range(2, count):
        old = int(random.integers(new))
        kept = {other for other in sorted(partners[old]) if random.random() < 0.45}
        partners.append(kept if kept and random.random() < 0.7 else kept | {old})
        for other in partners[new]:
            partners[other].add(new)
    return {(one, other) for one in range(count) for other in partners[one] if one < other}


def form_complexes(count, random):
    """Draw twenty complexes of 8 to 14 proteins, in which 85 % of the pairs interact."""
    for _ in range(20):
        members = sorted(random.choice(count, random.integers(8, 15), replace=False).tolist())
        yield from (pair for pair in combinations(members, 2) if random.random() < 0.85)


def make_proteins(count=400, seed=0):
    """Draw all interactions, and those of them that the experiment has found."""
    random = np.random.default_rng(seed)
    pairs = sorted(copy_genes(count, random) | set(form_complexes(count, random)))
    names = np.array([[f"P{one:03d}", f"P{other:03d}"] for one, other in pairs])
    return ng.Network.from_edges(names), ng.Network.from_edges(names[random.random(len(names)) < 0.8])


def interact(network, pairs):
    """Say which pairs of names are linked."""
    return network.are_linked(*(network.numbers(ends) for ends in np.asarray(pairs).T))


def draw(likely, path):
    """Draw the probabilities with their intervals, and a tick for what degrees alone say."""
    figure, panel = plt.subplots(figsize=(8, 5), layout="constrained")
    for real, colour, label in ((True, "#009E73", "missed by the experiment"), (False, "#D55E00", "no interaction")):
        rows = likely[likely["real"] == real]
        panel.hlines(rows.index, rows["low"], rows["high"], color=colour, lw=5, alpha=0.25)
        panel.scatter(rows["probability"], rows.index, s=40, c=colour, label=label, zorder=2)
    panel.scatter(likely["prior"], likely.index, s=60, c="#5F6368", marker="|", label="by degrees alone")
    panel.set_yticks(likely.index, likely["u"] + " – " + likely["v"], fontsize=8)
    panel.set(xlim=(0, 1), xlabel="probability, and its 90 % interval")
    panel.set_title(f"The twenty likeliest interactions: the experiment had missed {likely['real'].sum()}", loc="left")
    figure.legend(loc="outside lower center", ncols=3, frameon=False)
    panel.spines[["top", "right"]].set_visible(False)
    panel.invert_yaxis()
    figure.savefig(path, dpi=100)


def main(out):
    """Predict what the experiment missed, explain the first prediction, and draw twenty."""
    true, found = make_proteins()
    embedding = ng.embed(found, ng.degrees())
    likely = embedding.likely_links(count=20)
    likely = likely.join(embedding.intervals(likely[["u", "v"]], level=0.9)[["low", "high"]])
    likely["real"] = interact(true, likely[["u", "v"]])
    draw(likely, out / "proteins.png")

    pairs = np.array(list(combinations(found.nodes, 2)))
    others = pairs[~interact(found, pairs)]
    missed = interact(true, others)
    print(f"found: {found.link_count:,} of {true.link_count:,} interactions")
    print(f"AUC on those that were missed: {roc_auc_score(missed, embedding.probabilities(others)):.3f}")
    print(f"AUC of degrees alone: {roc_auc_score(missed, embedding.prior.probabilities(others)):.3f}")
    print(f"missed, of the 20 likeliest: {likely['real'].sum()}; of 20 at random: {20 * missed.mean():.2f}")
    print(f"the likeliest: {likely['u'][0]} with {likely['v'][0]}, because of these links:")
    print(embedding.explain(likely["u"][0], likely["v"][0]).table(count=3).round(3).to_string(index=False))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=Path(), help="folder for the picture")
    folder = parser.parse_args().out
    folder.mkdir(parents=True, exist_ok=True)
    main(folder)
