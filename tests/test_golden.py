"""Results do not change by accident: hashes of what the package computes on six small networks.

The hashes in `golden.json` were recorded with `python tests/test_golden.py`. They hold for one processor and one set of
library versions, because both decide how floats are rounded; elsewhere the tests are skipped with the reason.
"""

from __future__ import annotations

import hashlib
import json
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import netgiven as ng

RECORD = Path(__file__).with_name("golden.json")


def platform() -> dict[str, str]:
    """What decides how floats are rounded."""
    import llvmlite.binding
    import numba
    import scipy

    versions = {"numpy": np.__version__, "scipy": scipy.__version__, "numba": numba.__version__}
    return {"processor": llvmlite.binding.get_host_cpu_name(), **versions}


def digest(value) -> str:
    """The hash of arrays, numbers, text and tables; names of columns do not count."""
    hashed = hashlib.sha256()
    for part in _flat(value):
        hashed.update(part)
    return hashed.hexdigest()[:16]


def _flat(value):
    if isinstance(value, pd.DataFrame):
        for column in value:
            yield from _flat(value[column].to_numpy())
    elif isinstance(value, np.ndarray) and value.dtype != object:
        yield str((value.shape, value.dtype.str)).encode() + np.ascontiguousarray(value).tobytes()
    elif isinstance(value, (list, tuple, np.ndarray)):
        for part in value:
            yield from _flat(part)
    else:
        yield repr(value).encode()


# ---- networks ----------------------------------------------------------------------------------------------------


def ring():
    chords = [(i, (i + 7) % 30) for i in range(0, 30, 3)]
    return ng.Network.from_edges([(i, (i + 1) % 30) for i in range(30)] + chords)


def company():
    return ng.datasets.company(people=80)


def communities():
    return ng.datasets.planted(400, 2_000, communities=6).network


def bipartite():
    """People and clubs, with an isolated node, a full node and a column of years."""
    random = np.random.default_rng(5)
    links = [
        (f"p{i}", f"c{j}") for i in range(40) for j in range(12) if random.random() < (0.5 if i % 3 == j % 3 else 0.1)
    ]
    links += [("p0", f"c{j}") for j in range(12)]
    names = [f"p{i}" for i in range(41)] + [f"c{j}" for j in range(12)]
    kinds = ["person"] * 41 + ["club"] * 12
    years = [1990 + 3 * i % 17 for i in range(53)]
    return ng.Network.from_edges(links, {"node": names, "type": kinds, "year": years})


def unobserved():
    random = np.random.default_rng(3)
    network = company()
    free = [(i, j) for i in range(80) for j in range(i) if random.random() < 0.05]
    first, second = np.array(free).T
    free = np.array(free)[~network.are_linked(first, second)]
    return network.with_unobserved([(network.nodes[i], network.nodes[j]) for i, j in free])


def large():
    return ng.datasets.planted(2_600, 9_000, communities=12, seed=1).network


NETWORKS = {f.__name__: f for f in (ring, company, communities, bipartite, unobserved, large)}
FIXED = {"dimensions": 4, "reach": 2.5, "shrinkage": 0.5, "max_steps": 25}
METHODS = {"exact": ng.exact(), "sampled": ng.sampled(64), "paper": ng.paper(10), "paper weighted": ng.paper(10, True)}


@cache
def network_of(name):
    return NETWORKS[name]()


def embedded(network, **settings):
    return ng.embed(network_of(network), **{**FIXED, **settings})


def shown(embedding):
    """What an embedding is made of, and what it predicts."""
    likely = embedding.likely_links(count=20)
    node = embedding.likely_links(embedding.nodes[3], count=5)
    pairs = list(zip(likely.iloc[:, 0], likely.iloc[:, 1], strict=True))
    expected = embedding.prior.expected_degrees
    return [embedding.positions, expected, likely, node, embedding.probabilities(pairs), embedding.log_likelihood]


# ---- cases: a name and a function of the number of threads ---------------------------------------------------------

CASES = {}


def case(name):
    def keep(function):
        CASES[name] = function
        return function

    return keep


for _network in NETWORKS:
    for _method in METHODS:
        CASES[f"{_network}, {_method}"] = lambda threads, network=_network, method=_method: shown(
            embedded(network, method=METHODS[method], optimizer="adam", threads=threads)
        )
    CASES[f"{_network}, chosen settings"] = lambda threads, network=_network: shown(
        ng.embed(network_of(network), max_steps=40, threads=threads)
    )
for _init in ("spectral", "diffusion", "lifted", "random"):
    for _network in ("company", "large"):
        CASES[f"{_network}, init {_init}"] = lambda threads, network=_network, init=_init: shown(
            embedded(network, init=init, dimensions=2, threads=threads)
        )
PRIORS = {
    "density": ng.density(),
    "degrees": ng.degrees(),
    "blocks": ng.blocks("department"),
    "degrees and blocks": ng.degrees() + ng.blocks("department"),
    "group degrees": ng.group_degrees("department"),
    "assortativity": ng.degrees() + ng.assortativity(),
    "homophily": ng.density() + ng.homophily("project"),
    "common neighbours": ng.degrees() + ng.common_neighbours(),
    "constraint": ng.density()
    + ng.constraint(lambda a, b: a.department == b.department, columns="department", name="same"),
}
for _prior in PRIORS:
    for _network in ("company", "unobserved"):
        CASES[f"{_network}, given {_prior}"] = lambda threads, network=_network, prior=_prior: shown(
            embedded(network, given=PRIORS[prior], threads=threads)
        )


@case("bipartite, given order")
def _(threads):
    return [
        shown(embedded("bipartite", given=ng.degrees() + ng.order("year", bins=4), threads=threads)),
        shown(embedded("bipartite", given=ng.degrees() + ng.blocks("type"), threads=threads)),
    ]


@case("company, learned elsewhere")
def _(threads):
    learned = (ng.density() + ng.blocks("department")).learn(network_of("company"))
    return shown(ng.embed(ng.datasets.company(people=60, seed=1), learned, **FIXED, threads=threads))


@case("company, trained with other knowledge than predicted with")
def _(threads):
    embedding = embedded(
        "company", train_given=ng.group_degrees("department"), predict_given=ng.degrees(), threads=threads
    )
    first, second = embedding.nodes[0], embedding.nodes[1]
    return [shown(embedding), embedding.explain(first, second).table(count=5)]


@case("company, Gaussian spread")
def _(threads):
    return shown(embedded("company", reach=ng.Spread(1.0, 2.0, "gaussian"), threads=threads))


for _network in NETWORKS:

    def _answers(threads, network=_network):
        embedding = embedded(network, threads=threads)
        pairs = [(embedding.nodes[i], embedding.nodes[i + 9]) for i in range(5)]
        reasons = [embedding.explain(*pair).table(count=6) for pair in pairs[:3]]
        return [*reasons, embedding.intervals(pairs)]

    CASES[f"{_network}, explain and intervals"] = _answers

for _strategy in ("probability", "entropy", "d-optimal", "v-optimal", "random"):
    CASES[f"unobserved, ask {_strategy}"] = lambda threads, strategy=_strategy: embedded(
        "unobserved", threads=threads
    ).ask(strategy=strategy, count=8)


@case("company, add")
def _(threads):
    embedding = embedded("company", threads=threads)
    one = embedding.add("new", [embedding.nodes[2], embedding.nodes[5]])
    many = embedding.add_many({"a": [embedding.nodes[1], "b"], "b": [embedding.nodes[7], embedding.nodes[9]]})
    return [one.positions, one.prior.expected_degrees, many.positions, many.prior.expected_degrees]


@case("company, update")
def _(threads):
    embedding = ng.embed(network_of("company"), max_steps=40, threads=threads)
    fewer = ng.datasets.company(people=80, seed=2)
    return [shown(embedding.update(fewer)), shown(embedding.update(fewer, given="density"))]


@case("company, labels")
def _(threads):
    network = network_of("company")
    project = network.columns["project"]
    labels = ng.Labels.from_pairs(network.nodes, [(network.nodes[i], project[i]) for i in range(0, 80, 2)])
    chosen = ng.predict_labels(network, labels, method="links", settings=ng.Settings(max_steps=40), threads=threads)
    fixed = ng.predict_labels(network, labels, method="links", settings=ng.Settings(**FIXED), threads=threads)
    return [chosen.log_odds, chosen.likely(count=2), fixed.log_odds]


@case("company, map")
def _(threads):
    return [shown(embedding) for embedding in ng.map_network(network_of("company"), threads=threads).panels]


@pytest.fixture(scope="module")
def record():
    found = json.loads(RECORD.read_text(encoding="utf-8"))
    if found["platform"] != platform():
        pytest.skip(f"the hashes were recorded on {found['platform']}, this is {platform()}")
    return found["hashes"]


def test_every_case_is_recorded():
    assert set(json.loads(RECORD.read_text(encoding="utf-8"))["hashes"]) == set(CASES)


@pytest.mark.parametrize("name", CASES)
def test_results_are_the_same_bytes(name, record):
    for threads in (1, 2):
        assert digest(CASES[name](threads)) == record[name], f"with {threads} threads"


if __name__ == "__main__":
    hashes = {}
    for name, compute in CASES.items():
        hashes[name], other = digest(compute(1)), digest(compute(2))
        assert hashes[name] == other, name
        print(name, hashes[name], flush=True)
    RECORD.write_text(json.dumps({"platform": platform(), "hashes": hashes}, indent=1) + "\n", encoding="utf-8")
