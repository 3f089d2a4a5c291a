"""New nodes: multipliers and positions against slow truths, laws, edges, and what gets a sentence."""

import doctest
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import brentq, minimize

import netgiven as ng
from netgiven.analysis.add_nodes import Newcomers, Objective, arrivals_in, joined_network, settle, told_arrivals
from netgiven.analysis.local_objective import View
from netgiven.kernels.arrays import Links
from netgiven.kernels.node_objective import points_of
from netgiven.model import log_probability, probability
from netgiven.network import Network
from netgiven.parallel import threads
from netgiven.priors.extend import find_twins, joined, solve_multipliers
from netgiven.priors.layout import Coefficients
from tests.strategies import networks

PRIORS = ["density", "degrees", "blocks:type", "degrees+blocks:type", "degrees+homophily:place"]
PLANE = {"dimensions": 2, "spread": ng.Spread.from_reach(2.0), "shrinkage": 0.1, "threads": 1}


@pytest.fixture(scope="module")
def company():
    return ng.datasets.company(people=60)


@pytest.fixture(scope="module", params=["density", "degrees", "blocks:department", "degrees+blocks:department"])
def embedding(company, request):
    return ng.embed(company, request.param, **PLANE)


def without(network, node):
    """The network without one node, and the links and columns that this node had."""
    kept = network.nodes != node
    links, nodes = network.to_pandas()
    rest = links[(links.source != node) & (links.target != node)]
    columns = nodes[nodes.node == node].iloc[0].drop("node").to_dict()
    return Network.from_edges(rest, nodes[kept]), network.neighbours(node), columns


def random_view(network, given_text, dimensions=2, shrinkage=0.0):
    positions = np.random.default_rng(0).normal(size=(network.node_count, dimensions)).astype(np.float32)
    prior = ng.parse_knowledge(given_text).fit(network)
    return View(network, prior, positions, ng.Spread.from_reach(1.5), shrinkage)


def objective_of(view, prior, number, linked):
    """F of a node of `prior` that lies nowhere yet, written out."""
    others = np.arange(view.network.node_count)
    known = prior.log_odds_of(np.full(len(others), number), others)

    def at(x):
        apart = np.square(x - view.positions.astype(np.float64)).sum(axis=1)
        z = known + view.reach - view.spread.stiffness / 2 * apart
        return -log_probability(z, linked).sum() + view.shrinkage / 2 * x @ x

    return at


# ---- slow truths -----------------------------------------------------------------------------------------------------


@given(networks(least=3, most=9), st.sampled_from(["degrees", "degrees+blocks:type"]), st.integers(0, 9))
def test_multiplier_expects_as_many_links_as_there_are(network, given_text, count):
    prior = ng.parse_knowledge(given_text).fit(network)
    twins = find_twins(prior, network, pd.Index(["new"]), network.columns.iloc[:1])
    multipliers = solve_multipliers(prior, twins, np.array([count]))
    grown = joined(prior, prior.nodes.append(pd.Index([99])), twins, multipliers)
    old, new = np.arange(network.node_count), np.full(network.node_count, network.node_count)
    z = grown.by_node.log_odds(Coefficients(grown.own, grown.tables, np.zeros(0)), new, old)
    groups = z - multipliers[0] - prior.own[0]
    possible, chance = groups > -512, probability(z)
    assert chance[~possible].max(initial=0) == 0
    if count == 0 or count >= possible.sum():
        assert np.allclose(chance[possible], count > 0, atol=1e-12)
        return

    def surplus(multiplier):
        return probability(multiplier + prior.own[0] + groups).sum() - count

    truth = brentq(surplus, -6_000, 6_000, xtol=1e-12)
    assert np.allclose(chance, probability(truth + prior.own[0] + groups), atol=1e-7)


def test_position_is_where_scipy_finds_it(embedding):
    rest, links, columns = without(embedding.network, "person 007")
    base = ng.embed(rest, embedding.prior.knowledge, **PLANE)
    grown = base.add("new", links, columns)
    linked = rest.nodes.isin(links)
    at = objective_of(base.view, grown.prior, len(base), linked)
    found = minimize(at, base.positions[linked].astype(float).mean(axis=0), method="BFGS", options={"gtol": 1e-8})
    assert np.allclose(grown["new"], found.x, atol=2e-3)
    assert at(grown["new"].astype(float)) <= found.fun + 1e-4


@given(networks(least=3, most=9), st.sampled_from(PRIORS), st.integers(1, 3), st.floats(0, 2))
def test_derivatives_without_itself_are_those_of_finite_differences(network, given_text, dimensions, shrinkage):
    view = random_view(network, given_text, dimensions, shrinkage)
    nodes = np.arange(network.node_count)
    rows = np.repeat(nodes, network.degrees)
    certain = np.isposinf(view.prior.log_odds_of(rows, network.indices))
    newcomers = Newcomers(points_of(view.scene, nodes), view.links, certain, nodes)
    x = view.positions[::-1].astype(np.float64)  # anywhere but where they are
    with threads(1) as engine:
        objective = Objective(view, newcomers, engine)
        here = objective(nodes, x)
        for step in 1e-2 * np.eye(dimensions):
            ahead, behind = objective(nodes, x + step), objective(nodes, x - step)
            slope = (ahead.gradient - behind.gradient) / 2e-2
            assert np.allclose(here.hessian @ (step / 1e-2), slope, rtol=1e-2, atol=1e-2)
            rise = (ahead.value - behind.value) / 2e-2
            assert np.allclose(here.gradient @ (step / 1e-2), rise, rtol=1e-2, atol=1e-2)


# ---- laws ------------------------------------------------------------------------------------------------------------


def test_a_node_taken_out_and_put_back_lands_where_it_was(embedding):
    """With everything else where it is: its twin's multiplier, and the minimum that the fit had found."""
    view, number = embedding.view, 7
    links = Links(np.array([0, len(view.neighbours(number))]), view.neighbours(number))
    newcomer = Newcomers(
        points_of(view.scene, np.array([number])), links, np.zeros(len(links.indices), dtype=bool), np.array([number])
    )
    with threads(1) as engine:
        placed = settle(view, newcomer, view.positions[links.indices].mean(axis=0)[None].astype(np.float64), engine)
    assert np.allclose(placed[0], embedding.positions[number], atol=5e-3)


@given(networks(least=3, most=9), st.sampled_from(PRIORS), st.data())
@settings(max_examples=60)
def test_others_stay_as_they_are(network, given_text, data):
    base = ng.embed(network, given_text, dimensions=2, spread=ng.Spread.from_reach(1.5), shrinkage=0.1, steps=5)
    links = data.draw(st.lists(st.sampled_from(network.nodes.tolist()), unique=True))
    columns = {name: network.columns[name].iloc[0] for name in network.columns}
    try:
        grown = base.add("new", links, columns)
    except ng.InputError as problem:
        assert "update(network)" in str(problem)
        return
    count = len(base)
    woken = (network.degrees == 0) & (grown.network.degrees[:count] > 0) & ("degrees" in given_text)
    assert grown.positions[:count][~woken].tobytes() == base.positions[~woken].tobytes()
    assert np.all(np.isfinite(grown.positions))
    assert sorted(grown.network.neighbours("new")) == sorted(links)
    assert np.array_equal(grown.network.to_scipy()[:count, :count].toarray(), network.to_scipy().toarray())
    pairs = [(a, b) for a in network.nodes[~woken] for b in network.nodes[~woken] if a != b]
    assert np.array_equal(grown.probabilities(pairs), base.probabilities(pairs))
    assert np.isfinite(grown.log_likelihood)
    again = base.add("new", links[::-1] + links, columns)
    assert again.positions.tobytes() == grown.positions.tobytes()
    assert again.prior.own.tobytes() == grown.prior.own.tobytes()


@given(networks(least=2, most=8), networks(least=2, most=8))
def test_networks_are_joined_as_if_read_together(old, new):
    renamed = Network.from_edges(new.links() + old.node_count, nodes=np.arange(new.node_count) + old.node_count)
    bridges = [(i, old.node_count + i) for i in range(min(old.node_count, new.node_count))]
    told = Network.from_edges([*renamed.links().astype(int) + old.node_count, *bridges])
    joined = joined_network(old, arrivals_in(old, told))
    links = np.concatenate([old.links().astype(int), told.nodes.to_numpy()[told.links()]])
    truth = Network.from_edges(links, nodes=joined.nodes.tolist())
    assert np.array_equal(joined.indptr, truth.indptr) and np.array_equal(joined.indices, truth.indices)


def test_many_at_once_are_as_one_by_one_and_on_any_threads(embedding):
    network = embedding.network
    columns = network.columns.iloc[:5].reset_index(drop=True)
    links = {f"new {i}": network.neighbours(network.nodes[i]) for i in range(5)}
    together = joint(embedding, links, columns, 2)
    assert together.positions.tobytes() == joint(embedding, links, columns, 1).positions.tobytes()
    for place, (name, others) in enumerate(links.items()):
        alone = embedding.add(name, others, columns.iloc[place].to_dict())
        assert np.array_equal(alone[name], together[name])


def joint(embedding, links, columns, thread_count):
    pairs = [(name, other) for name, others in links.items() for other in others]
    table = pd.concat([pd.DataFrame({"node": list(links)}), columns], axis=1)
    alone = ng.Embedding(**{**{f: getattr(embedding, f) for f in FIELDS}, "threads": thread_count})
    return alone.add_many(Network.from_edges(pairs, table))


FIELDS = ("network", "positions", "prior", "spread", "outcome", "history", "settings")


# ---- edges -----------------------------------------------------------------------------------------------------------


def test_a_node_without_links_is_certain_to_have_none_given_degrees(company):
    grown = ng.embed(company, "degrees", **PLANE).add("nobody", [])
    assert grown.prior.expected_degrees[-1] == 0
    assert grown.likely_links("nobody").probability.max() == 0 or grown.likely_links("nobody").empty
    assert np.isfinite(grown.log_likelihood)


def test_a_node_linked_to_all(company):
    grown = ng.embed(company, "degrees", **PLANE).add("hub", company.nodes)
    assert grown.prior.expected_degrees[-1] == company.node_count
    assert np.isfinite(grown.log_likelihood) and np.allclose(grown["hub"], 0, atol=1e-4)


@pytest.fixture(scope="module")
def films():
    """People and films; no two of a kind are ever linked."""
    random = np.random.default_rng(3)
    pairs = [(f"p{i}", f"f{j}") for i in range(30) for j in range(20) if random.random() < 0.1 + 0.4 * ((i + j) % 2)]
    names = [f"p{i}" for i in range(30)] + [f"f{j}" for j in range(20)]
    return Network.from_edges(pairs, {"node": names, "type": [name[0] for name in names]})


@pytest.mark.parametrize("knowledge", ["blocks:type", "degrees+blocks:type"])
def test_pairs_that_cannot_be_stay_so(films, knowledge):
    base = ng.embed(films, knowledge, **PLANE)
    grown = base.add("me", ["f1", "f3"], {"type": "p"})
    assert grown.probability("me", "p1") == 0 < grown.probability("me", "f5") < 1
    if knowledge.startswith("degrees"):
        assert abs(grown.prior.expected_degrees[-1] - 2) < 1e-6
        everything = base.add("fan", [f"f{j}" for j in range(20)], {"type": "p"})
        assert abs(everything.prior.expected_degrees[-1] - 20) < 1e-6 and everything.probability("fan", "p1") == 0
    with pytest.raises(ng.InputError, match=r"'me' is linked to 'p1'.*cannot be.*update"):
        base.add("me", ["p1"], {"type": "p"})


def test_new_nodes_that_are_linked_to_each_other(company):
    base = ng.embed(company, "degrees", **PLANE)
    near = base.network.neighbours("person 003")
    grown = base.add_many({"a": [*near, "b"], "b": ["a"], "c": []})
    assert grown.network.neighbours("b") == ["a"] and "b" in grown.network.neighbours("a")
    apart = np.linalg.norm(grown["a"] - grown["b"])
    assert apart < np.linalg.norm(grown.positions - grown["a"], axis=1).mean()
    assert grown.positions[: len(base)].tobytes() == base.positions.tobytes()


def test_an_old_node_without_links_is_placed_when_it_gets_some(company):
    lonely = Network.from_edges(company.to_pandas()[0], nodes=[*company.nodes, "lonely"])
    base = ng.embed(lonely, "degrees", **PLANE)
    grown = base.add("new", [*company.neighbours("person 003"), "lonely"])
    assert grown.prior.expected_degrees[-2] == pytest.approx(1, rel=0.2)
    assert np.isfinite(grown.log_likelihood) and grown.probability("new", "lonely") > 0
    assert grown.positions[:60].tobytes() == base.positions[:60].tobytes()
    apart = np.linalg.norm(grown.positions - grown["lonely"], axis=1)
    assert np.linalg.norm(grown["new"] - grown["lonely"]) < np.median(apart)


def test_a_new_node_and_the_only_one_it_is_linked_to_find_each_other(company):
    """The old one had no links, so the first place of the new one was chosen without it."""
    nodes = {"name": [*company.nodes, "lone"], **{name: [*company.columns[name], None] for name in company.columns}}
    links = company.nodes[company.links().ravel()].to_numpy().reshape(-1, 2)
    embedding = ng.embed(ng.Network.from_edges(links, nodes), "degrees", **PLANE)
    grown = embedding.add("zoe", ["lone"])
    assert grown.probability("zoe", "lone") > grown.prior.probability("zoe", "lone")


def test_where_all_links_are_known_before_a_node_stays_among_the_others(company):
    embedding = ng.embed(company, "degrees", **{**PLANE, "shrinkage": 0.0})
    grown = embedding.add("zoe", list(company.nodes))
    assert np.allclose(grown.positions[-1], embedding.positions.mean(axis=0), atol=1e-3)


def test_unknown_pairs_stay_so_and_those_of_a_new_node_are_known(company, tmp_path):
    first, friends = company.nodes[0], company.neighbours(company.nodes[0])
    unknown = [(first, other) for other in company.nodes[1:] if other not in friends]
    embedding = ng.embed(company.with_unknown(unknown), "degrees", **PLANE)
    grown = embedding.add("zoe", list(company.nodes[1:4]))
    grown.save(tmp_path / "grown.ng")
    network, new = ng.load(tmp_path / "grown.ng").network, len(company.nodes)
    assert network.unknown.pairs.tolist() == embedding.network.unknown.pairs.tolist()
    assert network.are_known(np.full(new, new), np.arange(new)).all()
    assert grown.prior.probabilities([("zoe", node) for node in company.nodes]).sum() == pytest.approx(3, abs=0.01)
    few = ng.embed(company.with_known(unknown), "degrees", **PLANE)
    with pytest.raises(ng.InputError, match="Few pairs of this network are known"):
        few.add("zoe", list(company.nodes[1:4]))


def test_names_of_another_kind(tmp_path):
    ring = Network.from_edges([(i, (i + 1) % 12) for i in range(12)])
    grown = ng.embed(ring, dimensions=2).add("new", [3, 4]).add(2.5, ["new"])
    grown.save(tmp_path / "grown.ng")
    again = ng.load(tmp_path / "grown.ng")
    assert again.nodes.tolist() == [*range(12), "new", 2.5]
    assert again.likely_links("new", 2).equals(grown.likely_links("new", 2))
    assert again.log_likelihood == grown.log_likelihood


@pytest.mark.parametrize(
    ("node", "links", "told"),
    [
        ("person 001", ["person 002"], "'person 001' is in the embedding already"),
        ("new", ["person 99"], "no node 'person 99'"),
        ("new", ["new"], "'new' is linked to itself"),
        ("new", "person 001", "A list of node names was expected"),
        ("", ["person 001"], "has no name"),
    ],
)
def test_what_cannot_be_added_gets_a_sentence(company, node, links, told):
    with pytest.raises(ng.InputError, match=told):
        ng.embed(company, "density", **PLANE, steps=1).add(node, links)


@pytest.mark.parametrize(
    ("knowledge", "columns", "told"),
    [
        ("blocks:department", {}, "needs a value in column 'department'"),
        ("blocks:department", {"department": "law"}, "has department 'law', which no node"),
        ("group_degrees:department", {"department": "sales"}, "group_degrees:department.*update"),
        ("degrees+common_neighbours", {}, "common_neighbours.*update"),
        ("assortativity", {}, "assortativity.*update"),
    ],
)
def test_knowledge_that_says_nothing_of_a_new_node_gets_a_sentence(company, knowledge, columns, told):
    with pytest.raises(ng.InputError, match=told):
        ng.embed(company, knowledge, **PLANE, steps=1).add("new", ["person 001"], columns)


def test_what_the_prior_rules_out_gets_a_sentence():
    star = ng.embed(Network.from_edges([("hub", name) for name in "abcdef"]), "degrees", **PLANE)
    with pytest.raises(ng.InputError, match=r"'new' is linked to 'a'.*cannot be"):
        star.add("new", ["a"])
    assert star.add("new", ["hub"]).probability("new", "hub") == 1
    full = ng.embed(Network.from_scipy(1 - np.eye(5)), "density", **PLANE)
    with pytest.raises(ng.InputError, match=r"is not linked to .* is certain to be"):
        full.add("new", [1])
    with pytest.raises(ng.InputError, match="has no nodes"):
        ng.embed(Network.from_edges([]), "density", **PLANE).add("new", [])


def test_links_between_old_nodes_get_a_sentence(company):
    base = ng.embed(company, "density", **PLANE, steps=1)
    stranger = base.likely_links("person 001", 1).node.iloc[0]
    links = Network.from_edges([("new", "person 001"), ("person 001", stranger)])
    with pytest.raises(ng.InputError, match=r"not linked in it.*update"):
        base.add_many(links)
    friend = company.neighbours("person 001")[0]
    assert len(base.add_many(Network.from_edges([("new", "person 001"), ("person 001", friend)]))) == 61


def test_positions_found_given_something_else_get_a_sentence(company):
    base = ng.embed(company, train_given="group_degrees:department", predict_given="degrees", **PLANE)
    with pytest.raises(ng.InputError, match=r"found given group_degrees:department.*update"):
        base.add("new", ["person 001"])
    updated = base.update(company)
    assert updated.prior.knowledge == "degrees" and updated.settings["trained_given"] == "group_degrees:department"


def test_links_that_are_told_twice_count_once(company):
    arrivals = told_arrivals(company, {"new": ["person 001", "person 001"]}, pd.DataFrame(index=[0]))
    assert arrivals.links.indices.tolist() == [0] and arrivals.count == 1


def test_the_examples_of_the_page_run():
    page = (Path(__file__).parents[2] / "docs" / "new_nodes.md").read_text(encoding="utf-8")
    blocks = "\n".join(re.findall(r"```python\n(.*?)```", page, flags=re.DOTALL))
    example = doctest.DocTestParser().get_doctest(blocks, {}, "new_nodes.md", "new_nodes.md", 0)
    result = doctest.DocTestRunner().run(example)
    assert result.attempted > 5 and not result.failed
