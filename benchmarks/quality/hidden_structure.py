"""Positions do not show what is given: two structures are planted, one is given, and neighbours share only the other.

    python benchmarks/quality/hidden_structure.py [--seeds 5] [--nodes 1200] [--dimensions 8]

Every node belongs to one of four groups A and, independently, to one of four groups B; a link has log-odds

    activity_i + activity_j + 1.5 if A is shared + 1.5 if B is shared + a constant for 24 links per node

Twins of the network, from the same random numbers, lack A or B. The table has the shares of the ten nearest neighbours
with the same A and B: for random nodes, in the network with both given degrees, given degrees and one of the two, and
in the twin. Exit code 1 if the share of what is given exceeds that of random nodes by .05, or the share of the other is
below that of the twin (by more than two standard errors over the seeds, and at least .02). Settings are selected on
hidden links; a second table has a fixed number of dimensions.

Nodes that are linked share what makes links, whatever is given, and in many dimensions they are often nearest. So the
last columns have the share of the neighbours that are linked, and what neighbours that are not linked share.
"""

from __future__ import annotations

import argparse
import sys
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.optimize import brentq
from scipy.special import expit
from sklearn.neighbors import NearestNeighbors

import netgiven as ng

GROUPS, STRENGTH, DEGREE, ACTIVITY, NEIGHBOURS = 4, 1.5, 24, 0.5, 10
ALLOWED_ABOVE_RANDOM, ALLOWED_BELOW_TWIN = 0.05, 0.02
Groups = npt.NDArray[np.int64]


class Planted(NamedTuple):
    """The groups of each node and the network with both structures, with A alone, and with B alone."""

    groups: dict[str, Groups]
    networks: dict[str, ng.Network]


# ---- networks --------------------------------------------------------------------------------------------------------


def plant(nodes: int, seed: int) -> Planted:
    """Three networks from the same random numbers."""
    random = np.random.default_rng(seed)
    groups = {name: random.permutation(np.arange(nodes) % GROUPS) for name in "AB"}
    activity = random.normal(0, ACTIVITY, nodes)
    uniform = random.random(nodes * (nodes - 1) // 2)
    return Planted(groups, {kept: draw(groups, kept, activity, uniform) for kept in ("AB", "A", "B")})


def draw(
    groups: dict[str, Groups], kept: str, activity: npt.NDArray[np.float64], uniform: npt.NDArray[np.float64]
) -> ng.Network:
    """The network with the named structures."""
    first, second = np.triu_indices(len(activity), 1)
    shared = sum(STRENGTH * (groups[name][first] == groups[name][second]) for name in kept)
    odds = activity[first] + activity[second] + shared
    level = brentq(lambda height: 2 * expit(odds + height).sum() - DEGREE * len(activity), -20, 5)
    linked = uniform < expit(odds + level)
    ends = pd.DataFrame({"source": first[linked], "target": second[linked]})
    return ng.Network.from_edges(ends, nodes={"node": range(len(activity)), **groups})


# ---- what neighbours share -------------------------------------------------------------------------------------------


def shares(embedding: ng.Embedding, groups: dict[str, Groups]) -> list[float]:
    """The share of nearest neighbours with the same A and B; of those that are linked; of A and B among the others."""
    near = NearestNeighbors(n_neighbors=NEIGHBOURS).fit(embedding.positions).kneighbors(return_distance=False)
    own = np.arange(len(near))[:, None]
    linked = embedding.network.are_linked(np.broadcast_to(own, near.shape), near)
    same = [group[near] == group[own] for group in groups.values()]
    return [float(kept.mean()) for kept in (*same, linked, *(one[~linked] for one in same))]


def of_random_nodes(groups: dict[str, Groups]) -> list[float]:
    """The share of all other nodes."""
    return [float((np.bincount(group)[group] - 1).mean() / (len(group) - 1)) for group in groups.values()]


CASES = (
    ("both planted, given degrees", "AB", "degrees"),
    ("both planted, given degrees+blocks:A", "AB", "degrees+blocks:A"),
    ("both planted, given degrees+blocks:B", "AB", "degrees+blocks:B"),
    ("without A, given degrees", "B", "degrees"),
    ("without B, given degrees", "A", "degrees"),
)
Table = dict[str, npt.NDArray[np.float64]]


def measure(nodes: int, seed: int, settings: dict[str, Any]) -> dict[str, list[float]]:
    """All cases on one planted network."""
    planted = plant(nodes, seed)
    found = {"random": of_random_nodes(planted.groups)}
    for title, kept, given in CASES:
        embedding = ng.embed(planted.networks[kept], given, seed=seed, progress=False, **settings)
        found[title] = [*shares(embedding, planted.groups), embedding.dimensions, embedding.reach]
    return found


def show(table: Table) -> None:
    """Means over the seeds, and standard errors of the shares."""
    print(f"{'':36} same A          same B          linked  others: A      B     d  reach")
    for title, values in table.items():
        mean, error = values.mean(axis=0), values.std(axis=0, ddof=1) / len(values) ** 0.5
        shares = "  ".join(f"{mean[place]:.3f} +- {error[place]:.3f}" for place in (0, 1))
        more = [f"{value:6.3f}" for value in mean[2:5]] + [f"{mean[5]:5.0f} {mean[6]:5.2f}"] if len(mean) > 2 else []
        print(f"{title:36} {shares}  {'  '.join(more)}")


def check_shares(table: Table, given: int, twin: str) -> bool:
    """Whether what is given (0: A, 1: B) is hidden, and the other is shared as often as in its twin."""
    title = f"both planted, given degrees+blocks:{'AB'[given]}"
    left = float((table[title][:, given] - table["random"][:, given]).mean())
    lost = (table[twin] - table[title])[:, 1 - given]
    allowed = max(2 * float(lost.std(ddof=1)) / len(lost) ** 0.5, ALLOWED_BELOW_TWIN)
    print(
        f"{'AB'[given]} given: {'AB'[given]} above random by {left:+.3f} (at most {ALLOWED_ABOVE_RANDOM:+.3f}), "
        f"{'BA'[given]} below its twin by {lost.mean():+.3f} (at most {allowed:+.3f})"
    )
    return left <= ALLOWED_ABOVE_RANDOM and lost.mean() <= allowed


def main() -> None:
    """Parse, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=5, help="number of planted networks, at least 2")
    parser.add_argument("--nodes", type=int, default=1_200)
    parser.add_argument("--dimensions", type=int, default=8, help="of the second table")
    options = parser.parse_args()
    good = True
    for title, settings in (
        ("all settings chosen", {}),
        (f"{options.dimensions} dimensions", {"dimensions": options.dimensions}),
    ):
        measured = [measure(options.nodes, seed, settings) for seed in range(options.seeds)]
        table = {name: np.array([one[name] for one in measured]) for name in measured[0]}
        print(f"{title}, {options.seeds} networks of {options.nodes:,} nodes")
        show(table)
        good &= check_shares(table, 0, "without A, given degrees") & check_shares(table, 1, "without B, given degrees")
        print(flush=True)
    sys.exit(int(not good))


if __name__ == "__main__":
    main()
