from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog

from netgiven.datasets import company
from netgiven.errors import InputError, UnknownColumn
from netgiven.network import Network
from netgiven.priors import blocks, degrees, density, interpolation, parse_knowledge
from tests.priors.naive import INDICATORS, TEXTS, all_pairs, constraint_matrix, knowledge_of, links_among
from tests.strategies import networks

texts = st.sampled_from(TEXTS)


@given(networks(), texts)
def test_each_constraint_is_met(network, text):
    knowledge = knowledge_of(text, network)
    prior = knowledge.fit(network)
    matrix, pairs = constraint_matrix(network, knowledge)
    p = prior.probabilities(pairs)
    observed = matrix @ links_among(network, pairs)
    assert np.all(np.abs(matrix @ p - observed) <= 1e-8 * np.maximum(np.abs(observed), 1))
    assert all(check.largest_relative_error <= 1e-8 for check in prior.checks)


COUNTS = ["density+common_neighbours", "degrees+common_neighbours", "blocks:type+common_neighbours"]


@given(networks(least=2, most=6), st.sampled_from(INDICATORS + COUNTS))
def test_a_pair_is_certain_exactly_if_no_distribution_with_these_totals_leaves_it_open(network, text):
    knowledge = knowledge_of(text, network)
    matrix, pairs = constraint_matrix(network, knowledge)
    observed = matrix @ links_among(network, pairs)
    p = knowledge.fit(network).probabilities(pairs)
    for place in range(len(pairs)):
        goal = np.eye(len(pairs))[place]
        least, most = (sign * linprog(sign * goal, A_eq=matrix, b_eq=observed, bounds=(0, 1)).fun for sign in (1, -1))
        if most < 1e-9:
            assert p[place] == 0.0
        elif least > 1 - 1e-9:
            assert p[place] == 1.0
        else:
            assert 0.0 < p[place] < 1.0


def dense_departments():
    """A large department and small ones, hardly a link of which is missing: counts reach far beyond those of most."""
    random = np.random.default_rng(0)
    department = np.repeat(np.arange(15), [90, *[15] * 14])
    first, second = np.triu_indices(len(department), 1)
    linked = random.random(len(first)) < np.where(department[first] == department[second], 0.97, 0.01)
    return Network.from_edges(np.column_stack([first, second])[linked], nodes=range(len(department)))


@pytest.mark.parametrize("text", ["common_neighbours", "degrees+common_neighbours"])
def test_large_counts_bring_pairs_near_certainty_without_a_linear_program_over_all_pairs(text, monkeypatch):
    """45,000 pairs took a minute, half a million 17 minutes, to find that nothing is certain."""
    sizes = []

    def spy(cost, *rest, **options):
        sizes.append(len(cost))
        return linprog(cost, *rest, **options)

    monkeypatch.setattr("scipy.optimize.linprog", spy)
    network = dense_departments()
    prior = parse_knowledge(text).fit(network)
    assert np.abs(prior.log_odds(all_pairs(network))).max() > 20  # nearer than where a search begins
    assert sum(sizes) < 2_000
    assert all(check.largest_relative_error <= 1e-8 for check in prior.checks)


@given(networks(), texts)
def test_sums_over_classes_are_sums_over_pairs(network, text):
    prior, count = knowledge_of(text, network).fit(network), network.node_count
    pairs = all_pairs(network)
    p = prior.probabilities(pairs)
    full = np.zeros((count, count))
    full[pairs[:, 0], pairs[:, 1]] = full[pairs[:, 1], pairs[:, 0]] = p
    assert np.allclose(prior.expected_degrees, full.sum(axis=1), atol=1e-9)
    assert np.isclose(prior.expected_links(), full.sum() / 2, atol=1e-9)
    some, others = list(range(0, count, 2)), list(range(count // 2))
    inside = sum(full[i, j] for i, j in combinations(some, 2))
    assert np.isclose(prior.expected_links(some), inside, atol=1e-9)
    across = {tuple(sorted((i, j))) for i in some for j in others if i != j}
    assert np.isclose(prior.expected_links(some, others), sum(full[i, j] for i, j in across), atol=1e-9)
    group = np.arange(count) % 3 - 1  # nodes of group -1 are in none
    member = (group[:, None] == np.arange(2)).astype(float)
    between = member.T @ full @ member
    between[np.diag_indices(2)] /= 2
    assert np.allclose(prior.expected_between(group, 2), between, atol=1e-9)
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = np.nan_to_num(p * np.log2(p)) + np.nan_to_num((1 - p) * np.log2(1 - p))
    assert np.isclose(prior.entropy, -terms.sum(), atol=1e-8)
    linked = links_among(network, pairs) > 0
    assert np.isclose(
        prior.log_likelihood(network.links()),
        np.log(np.where(linked, p, 1 - p)).sum(),
        atol=1e-7,
    )


def test_some_classes_stand_for_thousands_between_groups(monkeypatch):
    network = company(400)
    prior = parse_knowledge("group_degrees:department").fit(network)
    group, values = network.groups("project")
    exact = prior.expected_between(group, len(values))
    monkeypatch.setattr(interpolation, "MAX_COARSE_POINTS", 100)
    assert len(prior.classes.size) > 300
    assert np.allclose(prior.expected_between(group, len(values)), exact, rtol=0.05)


@given(networks(), texts, st.randoms())
def test_names_and_order_of_nodes_do_not_matter(network, text, random):
    order = list(range(network.node_count))
    random.shuffle(order)
    table = network.columns.iloc[order].reset_index(drop=True)
    table.insert(0, "node", order)
    shuffled = Network.from_edges(network.links(), table)
    pairs = all_pairs(network)
    one, other = (knowledge_of(text, either).fit(either) for either in (network, shuffled))
    assert np.allclose(one.probabilities(pairs), other.probabilities(pairs), atol=1e-6)


def path(count):
    return Network.from_edges([(i, i + 1) for i in range(count - 1)])


def test_a_path_of_four_leaves_less_open_than_it_seems():
    prior = degrees().fit(path(4))
    assert prior.probability(1, 2) == 1.0
    assert prior.probability(0, 3) == 0.0
    assert np.isclose(prior.probability(0, 1), 0.5)
    assert prior.log_odds([(1, 2), (0, 3)]).tolist() == [np.inf, -np.inf]


EDGE_CASES = {
    "isolated node": Network.from_edges([(0, 1), (1, 2)], nodes=range(5)),
    "star": Network.from_edges([(0, i) for i in range(1, 8)]),
    "complete": Network.from_edges(list(combinations(range(6), 2))),
    "regular": Network.from_edges([(i, (i + 1) % 9) for i in range(9)]),
    "one link": Network.from_edges([(0, 1)], nodes=range(4)),
    "only one link": Network.from_edges([(0, 1)]),
    "no link": Network.from_edges(np.empty((0, 2), dtype=int), nodes=range(4)),
    "two components": Network.from_edges([(0, 1), (1, 2), (0, 2), (3, 4)]),
    "nested": Network.from_edges([(i, j) for i, j in combinations(range(12), 2) if i + j < 12]),
    "dense": Network.from_edges([pair for pair in combinations(range(8), 2) if pair != (0, 1)]),
}


@pytest.mark.parametrize("name", EDGE_CASES)
@pytest.mark.parametrize("knowledge", [density(), degrees()], ids=str)
def test_edge_cases_meet_their_constraints(name, knowledge):
    network = EDGE_CASES[name]
    prior = knowledge.fit(network)
    assert all(check.largest_relative_error <= 1e-8 for check in prior.checks)
    if str(knowledge) == "degrees":
        assert np.allclose(prior.expected_degrees, network.degrees, rtol=1e-8)


def test_isolated_and_full_nodes_are_certain():
    prior = degrees().fit(EDGE_CASES["isolated node"])
    assert prior.probabilities([(3, 0), (3, 4), (4, 2)]).tolist() == [0, 0, 0]
    star = degrees().fit(EDGE_CASES["star"])
    assert star.probabilities([(0, 5), (3, 4)]).tolist() == [1, 0]
    nested = degrees().fit(EDGE_CASES["nested"])
    assert set(nested.probabilities(all_pairs(EDGE_CASES["nested"]))) == {0.0, 1.0}


def two_groups(links):
    return Network.from_edges(links, {"node": range(8), "type": list("aaaabbbb")})


def test_empty_and_full_pairs_of_blocks_are_certain():
    across = [(i, j) for i in range(4) for j in range(4, 8)]
    full = two_groups([*across, (0, 1)])
    for knowledge in (blocks("type"), degrees() + blocks("type")):
        prior = knowledge.fit(full)
        assert set(prior.probabilities(across)) == {1.0}
        assert prior.probability(4, 5) == 0.0
    bipartite = two_groups([(0, 4), (0, 5), (1, 5), (2, 6), (3, 7), (3, 4), (3, 5)])
    prior = (degrees() + blocks("type")).fit(bipartite)
    assert prior.probabilities([(0, 1), (2, 3), (4, 7)]).tolist() == [0, 0, 0]
    assert np.allclose(prior.expected_degrees, bipartite.degrees, rtol=1e-8)


def test_blocks_alone_have_a_closed_form():
    prior = blocks("type").fit(two_groups([(0, 1), (0, 4), (1, 5), (4, 5), (6, 7)]))
    assert np.allclose(prior.probabilities([(2, 3), (2, 6), (5, 6)]), [1 / 6, 2 / 16, 2 / 6])


def test_a_node_without_links_may_go_without_a_group():
    nodes = {"node": [0, 1, 2], "type": ["a", "b", None]}
    prior = blocks("type").fit(Network.from_edges([(0, 1)], nodes))
    assert prior.probabilities([(0, 2), (0, 1)]).tolist() == [0, 1]


def test_a_linked_node_without_a_group_raises():
    nodes = {"node": ["ann", "bob"], "type": ["a", None]}
    with pytest.raises(InputError, match=r"'bob' has links but no value in column 'type'"):
        blocks("type").fit(Network.from_edges([("ann", "bob")], nodes))


def test_a_column_that_is_not_there_raises():
    with pytest.raises(UnknownColumn, match=r"no node column 'kind'.*'type'"):
        blocks("kind").fit(two_groups([(0, 1)]))


@pytest.mark.parametrize("text", ["degree", "blocks", "degrees:x", "degrees+", "", "blocks:", "degrees+nothing"])
def test_text_that_says_no_knowledge_raises(text):
    with pytest.raises(InputError):
        parse_knowledge(text)


@pytest.mark.parametrize("text", [text for text in TEXTS if "constraint" not in text])
def test_knowledge_reads_back_from_its_text(text):
    knowledge = parse_knowledge(text)
    assert parse_knowledge(str(knowledge)) == knowledge
    assert set(text.split("+")) | {"density"} == set(str(knowledge).split("+")) | {"density"}  # some bring it along


def test_sums_forget_what_is_said_twice():
    assert degrees() + blocks("type") + degrees() == degrees() + blocks("type")
    assert str(blocks("a + b") + density()) == "blocks:a + b+density"
    assert parse_knowledge("blocks:a + b+density") == blocks("a + b") + density()


def test_networks_drawn_from_the_prior_have_the_expected_degrees():
    network = Network.from_edges([(0, i) for i in range(1, 15)] + [(i, i + 1) for i in range(1, 19)], nodes=range(20))
    prior = degrees().fit(network)
    drawn = np.array([prior.sample(seed).degrees for seed in range(400)])
    error = drawn.std(axis=0, ddof=1) / np.sqrt(len(drawn))
    assert np.all(np.abs(drawn.mean(axis=0) - network.degrees) <= 4 * error + 1e-12)
    assert list(prior.sample(1).nodes) == list(network.nodes)
    assert np.array_equal(prior.sample(7).indices, prior.sample(7).indices)


@pytest.mark.parametrize("name", ["facebook", "ppi", "arxiv_astroph", "blogcatalog", "wikipedia", "studentdb_standin"])
@pytest.mark.parametrize("text", ["density", "degrees", "blocks:group", "degrees+blocks:group"])
def test_public_networks_meet_their_constraints(public_network, name, text):
    network = public_network(name)
    prior = parse_knowledge(text).fit(network)
    assert all(check.largest_relative_error <= 1e-8 for check in prior.checks)
    if text.startswith("degrees"):
        assert np.allclose(prior.expected_degrees, network.degrees, rtol=1e-8, atol=1e-12)
        isolated = np.flatnonzero(network.degrees == 0)[:5]
        others = np.arange(100)
        assert all(not prior.probabilities(np.column_stack([np.full(100, i), others])).any() for i in isolated)
