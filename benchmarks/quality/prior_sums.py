"""Random sums of all kinds of knowledge: how well their constraints are met, and what they cost.

    python benchmarks/quality/prior_sums.py [--nodes 20000] [--sums 20]

A network with planted degrees, groups and times is drawn. Each kind is fitted alone, then random sums of two to four.
The constraints are checked as each prior states them, by exact sums over all pairs (tests compare those with sums over
pairs written out one by one). Exit code 1 if a constraint is missed by more than 1e-8 (1e-6 where a term is linear in
an order).
"""

from __future__ import annotations

import argparse
import sys
import time
from functools import reduce

import numpy as np
import pandas as pd

import netgiven as ng

LINKS_PER_NODE = 5


def draw(nodes: int) -> ng.Network:
    """Heavy-tailed degrees; links are rarer between distant times."""
    random = np.random.default_rng(0)
    appeal = random.pareto(2.2, nodes) + 1
    ends = random.choice(nodes, size=(2, 3 * LINKS_PER_NODE * nodes), p=appeal / appeal.sum())
    times = random.random(nodes)
    kept = (ends[0] != ends[1]) & (random.random(ends.shape[1]) < np.exp(-3 * np.abs(times[ends[0]] - times[ends[1]])))
    links = np.unique(np.sort(ends[:, kept].T, axis=1), axis=0)
    links = links[random.permutation(len(links))[: LINKS_PER_NODE * nodes]]
    columns = {
        "node": range(nodes),
        "time": times,
        "type": random.integers(0, 10, nodes).astype(str),
        "age": random.normal(40, 10, nodes).round(),
        "sex": random.choice(["f", "m"], nodes),
        "year": random.integers(1990, 2010, nodes),
        "tags": random.choice(["a", "a|b", "b", "b|c", "c"], nodes),
    }
    return ng.Network.from_edges(links, pd.DataFrame(columns))


def all_kinds() -> dict[str, ng.Knowledge]:
    """One of each kind and shape."""
    return {
        "density": ng.density(),
        "degrees": ng.degrees(),
        "blocks": ng.blocks("type"),
        "overlapping blocks": ng.blocks("tags", separator="|"),
        "order, bins": ng.order("time"),
        "order, log": ng.order("year", kind="log"),
        "order, linear": ng.order("time", kind="linear"),
        "order, window": ng.order("year", kind="window", width=3),
        "assortativity": ng.assortativity(),
        "homophily, equal": ng.homophily("sex"),
        "homophily, near": ng.homophily("age", kind="near"),
        "group degrees": ng.group_degrees("sex"),
        "common neighbours": ng.common_neighbours(),
        "Adamic-Adar": ng.common_neighbours("adamic_adar"),
        "function": ng.constraint(lambda a, b: np.abs(a.age - b.age) < 5, "age", name="peers"),
    }


def measure(network: ng.Network, name: str, given: ng.Knowledge) -> bool:
    """Fit, print, and return whether all constraints are met."""
    begin = time.process_time()
    prior = given.fit(network)
    cost = time.process_time() - begin
    met = [c.largest_relative_error <= (1e-6 if "linear" in c.knowledge else 1e-8) for c in prior.checks]
    worst = max(check.largest_relative_error for check in prior.checks)
    constraints = sum(check.constraints for check in prior.checks)
    print(f"{name:70} {constraints:8,} {worst:9.1e} {cost:8.2f}  {'yes' if all(met) else 'NO'}", flush=True)
    return all(met)


def main() -> None:
    """Parse, draw, measure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nodes", type=int, default=20_000)
    parser.add_argument("--sums", type=int, default=20)
    arguments = parser.parse_args()
    network, kinds, random = draw(arguments.nodes), all_kinds(), np.random.default_rng(1)
    print(network)
    print(f"{'given':70} {'constr.':>8} {'error':>9} {'CPU s':>8}  met")
    met = [measure(network, name, given) for name, given in kinds.items()]
    for _ in range(arguments.sums):
        names = random.choice(list(kinds), random.integers(2, 5), replace=False)
        met.append(measure(network, " + ".join(names), reduce(lambda a, b: a + b, [kinds[name] for name in names])))
    print(f"{sum(met)} of {len(met)} met")
    sys.exit(0 if all(met) else 1)


if __name__ == "__main__":
    main()
