"""Each constraint on networks with nothing, little, or everything in them."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from netgiven.errors import InputError
from netgiven.network import Network
from netgiven.priors import (
    blocks,
    common_neighbours,
    constraint,
    degrees,
    density,
    group_degrees,
    homophily,
    order,
    parse_knowledge,
)
from tests.priors.naive import TEXTS, all_pairs, constraint_matrix, knowledge_of, links_among
from tests.strategies import networks

LINKS = {
    "no link": (4, []),
    "one link": (5, [(0, 1)]),
    "only one link": (2, [(0, 1)]),
    "complete": (6, list(combinations(range(6), 2))),
    "one pair missing": (6, list(combinations(range(6), 2))[1:]),
    "star": (7, [(0, other) for other in range(1, 7)]),
    "tree": (7, [(0, 1), (0, 2), (1, 3), (1, 4), (2, 5), (2, 6)]),
    "two triangles": (7, [(0, 1), (1, 2), (0, 2), (3, 4), (4, 5), (3, 5)]),
}
COLUMNS = {
    "one value": lambda n: {"type": ["a"] * n, "place": ["a"] * n, "tags": ["a|b"] * n, **_numbers(np.ones(n))},
    "all different": lambda n: {
        **{name: list("abcdefg")[:n] for name in ("type", "place", "tags")}, **_numbers(np.arange(n) ** 2)
    },
}  # fmt: skip


def _numbers(values):
    return {"year": values.astype(int), "age": values.astype(float), "time": values.astype(float)}


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("count", [0, 1])
def test_no_pair_is_no_problem(text, count):
    nodes = {"node": np.arange(count), **COLUMNS["one value"](count)}
    network = Network.from_edges(np.empty((0, 2), dtype=int), nodes)
    prior = (knowledge_of(text, network) if count or "constraint" not in text else density()).fit(network)
    assert prior.expected_links() == 0.0
    assert prior.entropy == 0.0


@pytest.mark.parametrize("links", LINKS)
@pytest.mark.parametrize("columns", COLUMNS)
@pytest.mark.parametrize("other", [False, pytest.param(True, marks=pytest.mark.thorough)], ids=["half", "other half"])
def test_each_text_meets_its_constraints_on_extreme_networks(links, columns, other):
    """Each text with all links and all columns; together with the other half, with all combinations of them."""
    count, ends = LINKS[links]
    half = (list(LINKS).index(links) + list(COLUMNS).index(columns) + other) % 2
    nodes = {"node": np.arange(count), **COLUMNS[columns](count)}
    network = Network.from_edges(np.array(ends, dtype=int).reshape(-1, 2), nodes)
    for text in TEXTS[half::2]:
        wide = text.replace("bins=10", "bins=40")
        knowledge = knowledge_of(wide, network)
        prior = knowledge.fit(network)
        matrix, pairs = constraint_matrix(network, knowledge)
        observed = matrix @ links_among(network, pairs)
        error = np.abs(matrix @ prior.probabilities(pairs) - observed)
        assert np.all(error <= 1e-8 * np.maximum(np.abs(observed), 1)), wide
        assert np.isfinite(prior.entropy)
        assert np.isfinite(prior.log_likelihood(network.links()))


MISSING = {
    "node": range(6), "type": ["a", "b", "a", "b", None, None], "tags": ["a", "b", "a|b", "", None, None],
    "year": [1, 2, 2, 4, None, None],
}  # fmt: skip
BARE = [
    "blocks:type", "blocks:tags:separator=|", "order:year:bins=1", "order:year:bins=1,2", "order:year:kind=log",
    "order:year:kind=linear", "order:year:kind=window:width=1", "homophily:type", "homophily:year",
    "homophily:year:kind=equal", "group_degrees:type",
]  # fmt: skip


@pytest.mark.parametrize("text", BARE)
def test_nodes_without_links_may_go_without_values(text):
    network = Network.from_edges([(0, 1), (1, 2), (2, 3)], MISSING)
    for knowledge in (parse_knowledge(text), degrees() + parse_knowledge(text)):
        prior = knowledge.fit(network)
        assert np.isfinite(prior.entropy)
        assert all(check.largest_relative_error <= 1e-8 for check in prior.checks)
    assert prior.probabilities([(0, 4), (4, 5), (2, 5)]).tolist() == [0, 0, 0]


KINDS = [
    "density", "degrees", "group_degrees:type", "assortativity", "common_neighbours", "common_neighbours:adamic_adar",
    "blocks:type", "blocks:tags:separator=|", "order:year:bins=1,2", "order:year:kind=log", "order:year:kind=linear",
    "order:year:kind=window:width=1", "homophily:type", "homophily:age:kind=near", "homophily:age:kind=equal",
]  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
@given(networks(), st.lists(st.sampled_from(KINDS), max_size=2))
def test_no_pair_is_left_without_a_constraint(kind, network, others):
    knowledge = parse_knowledge("+".join([kind, *others]))
    matrix, pairs = constraint_matrix(network, knowledge)
    assert np.abs(matrix).any(axis=0).all()
    probabilities = knowledge.fit(network).probabilities(pairs)
    assert probabilities.sum() == pytest.approx(network.link_count, abs=1e-6)


def test_nodes_that_are_in_no_group_have_the_density_of_their_pairs():
    nodes = {"node": range(40), "tags": ["a"] * 10 + ["a|b"] * 10 + [""] * 20}
    first, second = np.triu_indices(40, 1)
    linked = np.random.default_rng(0).random(len(first)) < 0.1
    network = Network.from_edges(np.column_stack([first, second])[linked], nodes)
    outside = second >= 20
    probabilities = blocks("tags", separator="|").fit(network).probabilities(np.column_stack([first, second]))
    assert np.allclose(probabilities[outside], linked[outside].mean())


FREE_PAIRS = {  # weights that are 0 for some pairs
    "function": constraint(lambda a, b: a.type == b.type, "type", name="alike"),
    "matrix": constraint(sparse.csr_array(np.eye(8, k=1) + np.eye(8, k=-1)), name="alike"),
    "rows": constraint(np.eye(8), name="alike"),
}


@pytest.mark.parametrize("form", FREE_PAIRS)
def test_pairs_of_which_nothing_is_given_are_an_error(form, monkeypatch):
    network = Network.from_edges([(0, 1), (2, 3)], {"node": range(8), "type": list("abababab")})
    for most in (800_000, 20):  # all cells, and some of them
        monkeypatch.setattr("netgiven.priors.fit.MAX_CELLS", most)
        with pytest.raises(InputError, match=r"says nothing about some pairs, such as .* Add density or degrees"):
            FREE_PAIRS[form].fit(network)
    assert (density() + FREE_PAIRS[form]).fit(network).expected_links() == pytest.approx(2)
    ones = constraint(np.ones((8, 1)), total=7)  # all pairs count: nothing else is needed
    assert ones.fit(network).probability(0, 5) == pytest.approx(0.25)


@pytest.mark.parametrize("score", ["count", "adamic_adar", "resource_allocation"])
@pytest.mark.parametrize("plain", [density(), degrees()], ids=str)
def test_where_no_link_has_a_common_neighbour_no_pair_with_one_is_linked(score, plain):
    tree = Network.from_edges([(0, 1), (0, 2), (1, 3), (1, 4), (2, 5), (5, 6)])
    bipartite = Network.from_edges([(0, 4), (0, 5), (1, 5), (2, 6), (3, 7), (3, 4), (3, 5)])
    for network in (tree, bipartite):
        prior = (plain + common_neighbours(score)).fit(network)
        matrix = network.to_scipy().toarray()
        pairs = all_pairs(network)
        numbers = network.numbers(pairs.ravel()).reshape(-1, 2)
        common = (matrix @ matrix)[numbers[:, 0], numbers[:, 1]] > 0
        assert not prior.probabilities(pairs[common]).any()
        assert np.allclose(prior.expected_links(), network.link_count, rtol=1e-8)


def test_all_pairs_of_a_complete_network_are_certain():
    complete = Network.from_edges(list(combinations(range(6), 2)))
    assert set((degrees() + common_neighbours()).fit(complete).probabilities(all_pairs(complete))) == {1.0}


def test_more_bins_than_distances_are_each_distance_its_own():
    network = Network.from_edges([(0, 1), (1, 2), (0, 3)], {"node": range(4), "year": [1, 2, 3, 5]})
    pairs = all_pairs(network)
    few, many = (order("year", bins=bins).fit(network).probabilities(pairs) for bins in (5, 1_000))
    assert np.allclose(few, many)


def test_equal_numbers_say_nothing_of_distance():
    network = Network.from_edges([(0, 1), (1, 2)], {"node": range(5), "year": [7.0] * 5})
    pairs = all_pairs(network)
    for knowledge in (homophily("year"), order("year"), order("year", kind="log"), order("year", kind="linear")):
        assert np.allclose(knowledge.fit(network).probabilities(pairs), 0.2)


def test_one_group_is_plain_degrees():
    network = Network.from_edges(
        [(0, 1), (1, 2), (2, 3), (3, 4), (4, 0), (0, 2)], {"node": range(6), "type": ["a"] * 6}
    )
    pairs = all_pairs(network)
    assert np.allclose(
        group_degrees("type").fit(network).probabilities(pairs), degrees().fit(network).probabilities(pairs)
    )
