"""Networks and settings for fits on several workers."""

from __future__ import annotations

import numpy as np

import netgiven as ng

FEW_STEPS = {"dimensions": 4, "reach": 2, "shrinkage": 0.0, "max_steps": 12}


def small(count=1_500, links=6_000, seed=0):
    """Three whole blocks of nodes and a part of one."""
    return ng.datasets.planted(count, links, communities=5, seed=seed).network


def certain(count=1_500):
    """With a group where all are linked and one where none are, so that the prior is certain of some pairs."""
    random = np.random.default_rng(1)
    group = np.array(["club"] * 12 + ["loners"] * 12 + list(random.choice(["a", "b"], count - 24)))
    shuffled = random.permutation(count)
    club, rest = shuffled[:12], shuffled[24:]
    links = [(u, v) for u in club for v in club if u < v]
    links += random.choice(rest, (4 * count, 2)).tolist()
    return ng.Network.from_edges(links, nodes={"node": shuffled, "group": group})


def same(first, second):
    """The same positions and steps, byte for byte."""
    assert first.positions.tobytes() == second.positions.tobytes()
    assert first.history.to_numpy().tobytes() == second.history.to_numpy().tobytes()
    assert first.fit.convergence == second.fit.convergence
