"""A company of departments and projects: a network of our own to try things on."""

from __future__ import annotations

import numpy as np
import pandas as pd

from netgiven.errors import InputError
from netgiven.network import Network

DEPARTMENTS = ("design", "finance", "production", "research", "sales")
PROJECTS = ("amber", "birch", "coral", "delta")


def company(people: int = 240, seed: int = 0) -> Network:
    """A company with a matrix structure: everybody belongs to a department and to a project, and knows people from
    both.

    The departments are what everybody knows already, and what an embedding of the bare network shows. The project
    teams, which cut across them, come to light once departments and degrees are given: the paper's introductory
    example.

    Two people know each other with probability `activity_i activity_j (2 % + 36 % same department + 24 % same
    project)`, at most 95 %. Activity is uneven (log-normal), so degrees are.

    >>> company()
    Network: 240 nodes, 4,110 links, columns department, project
    """
    if people < 2:
        raise InputError(f"A company of {people} was asked for; it needs at least 2 people.")
    random = np.random.default_rng(seed)
    department = random.permutation(np.arange(people) % len(DEPARTMENTS))
    project = random.permutation(np.arange(people) % len(PROJECTS))
    activity = np.exp(random.normal(-0.125, 0.5, people))
    first, second = np.triu_indices(people, 1)
    familiar = 0.02 + 0.36 * (department[first] == department[second]) + 0.24 * (project[first] == project[second])
    linked = random.random(len(first)) < np.minimum(activity[first] * activity[second] * familiar, 0.95)
    names = np.array([f"person {number + 1:03d}" for number in range(people)])
    nodes = {"person": names, "department": np.take(DEPARTMENTS, department), "project": np.take(PROJECTS, project)}
    pairs = pd.DataFrame({"source": names[first[linked]], "target": names[second[linked]]})
    return Network.from_edges(pairs, nodes=nodes)
