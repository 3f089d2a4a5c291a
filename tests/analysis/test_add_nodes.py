"""New nodes: multipliers and positions agree with slow references; edge cases; errors."""

import doctest
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.optimize import brentq, minimize

import netgiven as ng
from netgiven.analysis.add_nodes import new_nodes_from_links, new_nodes_in
from netgiven.analysis.placement import PlacementObjective, PointsToPlace, place_points
from netgiven.kernels.arrays import LinkRows
from netgiven.kernels.node_objective import points_of
from netgiven.model import log_probability, probability
from netgiven.network import Network
from netgiven.parallel import threads
from netgiven.priors.extend import append_nodes, match_nodes, solve_multipliers
from netgiven.priors.layout import Coefficients
from tests.helpers import local_objective, run_command
from tests.strategies import networks

PRIORS = ["density", "degrees", "blocks:type", "degrees+blocks:type", "degrees+homophily:place"]
PLANE = {"dimensions": 2, "reach": 2.0, "shrinkage": 0.1, "threads": 1}


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


def negative_log_likelihood(objective, prior, number, linked):
    """F of a node of `prior` that has no position yet, written out."""
    others = np.arange(objective.network.node_count)
    known = prior.log_odds_of(np.full(len(others), number), others)

    def at(x):
        squared = np.square(x - objective.positions.astype(np.float64)).sum(axis=1)
        z = known + objective.reach - objective.spread.stiffness / 2 * squared
        return -log_probability(z, linked).sum() + objective.shrinkage / 2 * x @ x

    return at


@given(networks(least=3, most=9), st.sampled_from(["degrees", "degrees+blocks:type"]), st.integers(0, 9))
def test_multipliers_reproduce_the_number_of_links(network, given_text, count):
    prior = ng.parse_knowledge(given_text).fit(network)
    twins = match_nodes(prior, network, pd.Index(["new"]), network.columns.iloc[:1])
    multipliers = solve_multipliers(prior, twins, np.array([count]))
    extended = append_nodes(prior, prior.nodes.append(pd.Index([99])), twins, multipliers)
    old, new = np.arange(network.node_count), np.full(network.node_count, network.node_count)
    z = extended.node_layout.log_odds(Coefficients(extended.left, extended.tables, np.zeros(0)), new, old)
    groups = z - multipliers[0] - prior.left[0]
    assume((groups + prior.left[0] < 512).all())  # the prior is not certain that a new node is linked to an old one
    possible, p = groups > -512, probability(z)
    assert p[~possible].max(initial=0) == 0
    if count == 0 or count >= possible.sum():
        assert np.allclose(p[possible], count > 0, atol=1e-12)
        return

    def surplus(multiplier):
        return probability(multiplier + prior.left[0] + groups).sum() - count

    truth = brentq(surplus, -6_000, 6_000, xtol=1e-12)
    assert np.allclose(p, probability(truth + prior.left[0] + groups), atol=1e-7)


@pytest.mark.xfail(strict=True, reason="a new node is certain to be linked to a node that its groups rule out")
def test_groups_rule_out_links_of_new_nodes_also_to_nodes_that_are_linked_to_all():
    links = [(0, 2), (0, 3), (0, 4), (0, 5), (1, 5), (3, 4), (3, 5)]
    network = ng.Network.from_edges(links, nodes={"node": range(6), "type": list("aaaaab")})
    prior = ng.parse_knowledge("degrees+blocks:type").fit(network)
    twins = match_nodes(prior, network, pd.Index(["new"]), network.columns.iloc[:1])
    multipliers = solve_multipliers(prior, twins, np.array([1]))
    extended = append_nodes(prior, prior.nodes.append(pd.Index([99])), twins, multipliers)
    old, new = np.arange(6), np.full(6, 6)
    z = extended.node_layout.log_odds(Coefficients(extended.left, extended.tables, np.zeros(0)), new, old)
    assert probability(z)[z - multipliers[0] - prior.left[0] <= -512].max(initial=0) == 0


def test_positions_agree_with_scipy(embedding):
    rest, links, columns = without(embedding.network, "person 007")
    base = ng.embed(rest, embedding.prior.knowledge, **PLANE)
    extended = base.add("new", links, columns)
    linked = rest.nodes.isin(links)
    at = negative_log_likelihood(base.objective, extended.prior, len(base), linked)
    found = minimize(at, base.positions[linked].astype(float).mean(axis=0), method="BFGS", options={"gtol": 1e-8})
    assert np.allclose(extended["new"], found.x, atol=2e-3)
    assert at(extended["new"].astype(float)) <= found.fun + 1e-4


@given(networks(least=3, most=9), st.sampled_from(PRIORS), st.integers(1, 3), st.floats(0, 2))
def test_derivatives_agree_with_finite_differences(network, given_text, dimensions, shrinkage):
    objective = local_objective(network, given_text, dimensions, shrinkage)
    nodes = np.arange(network.node_count)
    rows = np.repeat(nodes, network.degrees)
    certain = np.isposinf(objective.prior.log_odds_of(rows, network.indices))
    points = PointsToPlace(points_of(objective.model, nodes), objective.links, certain, nodes)
    x = objective.positions[::-1].astype(np.float64)  # not their own positions
    with threads(1) as engine:
        expand = PlacementObjective(objective, points, engine)
        here = expand(nodes, x)
        for step in 1e-2 * np.eye(dimensions):
            ahead, behind = expand(nodes, x + step), expand(nodes, x - step)
            slope = (ahead.gradient - behind.gradient) / 2e-2
            assert np.allclose(here.hessian @ (step / 1e-2), slope, rtol=1e-2, atol=1e-2)
            rise = (ahead.value - behind.value) / 2e-2
            assert np.allclose(here.gradient @ (step / 1e-2), rise, rtol=1e-2, atol=1e-2)


def test_a_node_that_is_removed_and_placed_again_returns(embedding):
    """With all other nodes fixed, its position is the minimum that the fit had found."""
    objective, number = embedding.objective, 7
    links = LinkRows(np.array([0, len(objective.neighbours(number))]), objective.neighbours(number))
    point = PointsToPlace(
        points_of(objective.model, np.array([number])),
        links,
        np.zeros(len(links.indices), dtype=bool),
        np.array([number]),
    )
    with threads(1) as engine:
        placed = place_points(
            objective, point, objective.positions[links.indices].mean(axis=0)[None].astype(np.float64), engine
        )
    assert np.allclose(placed[0], embedding.positions[number], atol=5e-3)


@given(networks(least=3, most=9), st.sampled_from(PRIORS), st.data())
def test_old_nodes_stay_where_they_are(network, given_text, data):
    base = ng.embed(network, given_text, dimensions=2, reach=1.5, shrinkage=0.1, max_steps=5)
    links = data.draw(st.lists(st.sampled_from(network.nodes.tolist()), unique=True))
    columns = {name: network.columns[name].iloc[0] for name in network.columns}
    try:
        extended = base.add("new", links, columns)
    except ng.InputError as problem:
        assert "update(network)" in str(problem)
        return
    count = len(base)
    first_linked = (network.degrees == 0) & (extended.network.degrees[:count] > 0) & ("degrees" in given_text)
    assert extended.positions[:count][~first_linked].tobytes() == base.positions[~first_linked].tobytes()
    assert np.all(np.isfinite(extended.positions))
    assert sorted(extended.network.neighbours("new")) == sorted(links)
    assert np.array_equal(extended.network.to_scipy()[:count, :count].toarray(), network.to_scipy().toarray())
    pairs = [(a, b) for a in network.nodes[~first_linked] for b in network.nodes[~first_linked] if a != b]
    assert np.array_equal(extended.probabilities(pairs), base.probabilities(pairs))
    assert np.isfinite(extended.log_likelihood)
    again = base.add("new", links[::-1] + links, columns)
    assert again.positions.tobytes() == extended.positions.tobytes()
    assert again.prior.left.tobytes() == extended.prior.left.tobytes()


@given(networks(least=2, most=8), networks(least=2, most=8))
def test_joined_networks_are_those_read_together(old, new):
    renamed = Network.from_edges(new.links() + old.node_count, nodes=np.arange(new.node_count) + old.node_count)
    bridges = [(i, old.node_count + i) for i in range(min(old.node_count, new.node_count))]
    links = Network.from_edges([*renamed.links().astype(int) + old.node_count, *bridges])
    new = new_nodes_in(old, links)
    extended = old.append_nodes(new.names, new.links, new.columns)
    pairs = np.concatenate([old.links().astype(int), links.nodes.to_numpy()[links.links()]])
    truth = Network.from_edges(pairs, nodes=extended.nodes.tolist())
    assert np.array_equal(extended.indptr, truth.indptr) and np.array_equal(extended.indices, truth.indices)


def test_many_nodes_at_once_are_the_same_as_one_by_one_and_on_any_number_of_threads(embedding):
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
    return replace(embedding, threads=thread_count).add_many(Network.from_edges(pairs, table))


def test_a_new_node_without_links_has_none_given_degrees(company):
    extended = ng.embed(company, "degrees", **PLANE).add("nobody", [])
    assert extended.prior.expected_degrees[-1] == 0
    assert extended.likely_links("nobody").probability.max() == 0 or extended.likely_links("nobody").empty
    assert np.isfinite(extended.log_likelihood)


def test_a_node_linked_to_all(company):
    extended = ng.embed(company, "degrees", **PLANE).add("hub", company.nodes)
    assert extended.prior.expected_degrees[-1] == company.node_count
    assert np.isfinite(extended.log_likelihood) and np.allclose(extended["hub"], 0, atol=1e-4)


@pytest.fixture(scope="module")
def films():
    """People and films; two nodes of the same type are never linked."""
    random = np.random.default_rng(3)
    pairs = [(f"p{i}", f"f{j}") for i in range(30) for j in range(20) if random.random() < 0.1 + 0.4 * ((i + j) % 2)]
    names = [f"p{i}" for i in range(30)] + [f"f{j}" for j in range(20)]
    return Network.from_edges(pairs, {"node": names, "type": [name[0] for name in names]})


@pytest.mark.parametrize("knowledge", ["blocks:type", "degrees+blocks:type"])
def test_impossible_pairs_stay_impossible(films, knowledge):
    base = ng.embed(films, knowledge, **PLANE)
    extended = base.add("me", ["f1", "f3"], {"type": "p"})
    assert extended.probability("me", "p1") == 0 < extended.probability("me", "f5") < 1
    if knowledge.startswith("degrees"):
        assert abs(extended.prior.expected_degrees[-1] - 2) < 1e-6
        everything = base.add("fan", [f"f{j}" for j in range(20)], {"type": "p"})
        assert abs(everything.prior.expected_degrees[-1] - 20) < 1e-6 and everything.probability("fan", "p1") == 0
    with pytest.raises(ng.InputError, match=r"'me' is linked to 'p1'.*cannot be.*update"):
        base.add("me", ["p1"], {"type": "p"})


def test_new_nodes_that_are_linked_to_each_other(company):
    base = ng.embed(company, "degrees", **PLANE)
    near = base.network.neighbours("person 003")
    extended = base.add_many({"a": [*near, "b"], "b": ["a"], "c": []})
    assert extended.network.neighbours("b") == ["a"] and "b" in extended.network.neighbours("a")
    apart = np.linalg.norm(extended["a"] - extended["b"])
    assert apart < np.linalg.norm(extended.positions - extended["a"], axis=1).mean()
    assert extended.positions[: len(base)].tobytes() == base.positions.tobytes()


def test_an_old_node_without_links_is_placed_when_it_gets_some(company):
    lonely = Network.from_edges(company.to_pandas()[0], nodes=[*company.nodes, "lonely"])
    base = ng.embed(lonely, "degrees", **PLANE)
    extended = base.add("new", [*company.neighbours("person 003"), "lonely"])
    assert extended.prior.expected_degrees[-2] == pytest.approx(1, rel=0.2)
    assert np.isfinite(extended.log_likelihood) and extended.probability("new", "lonely") > 0
    assert extended.positions[:60].tobytes() == base.positions[:60].tobytes()
    apart = np.linalg.norm(extended.positions - extended["lonely"], axis=1)
    assert np.linalg.norm(extended["new"] - extended["lonely"]) < np.median(apart)


def test_a_new_node_and_its_only_neighbour_attract_each_other(company):
    """The old node had no links, so the new one was first placed without it."""
    nodes = {"name": [*company.nodes, "lone"], **{name: [*company.columns[name], None] for name in company.columns}}
    links = company.nodes[company.links().ravel()].to_numpy().reshape(-1, 2)
    embedding = ng.embed(ng.Network.from_edges(links, nodes), "degrees", **PLANE)
    extended = embedding.add("zoe", ["lone"])
    assert extended.probability("zoe", "lone") > extended.prior.probability("zoe", "lone")


def test_a_node_whose_links_are_all_certain_stays_at_the_mean(company):
    embedding = ng.embed(company, "degrees", **{**PLANE, "shrinkage": 0.0})
    extended = embedding.add("zoe", list(company.nodes))
    assert np.allclose(extended.positions[-1], embedding.positions.mean(axis=0), atol=1e-3)


def test_pairs_of_a_new_node_are_observed(company, tmp_path):
    first, friends = company.nodes[0], company.neighbours(company.nodes[0])
    unobserved = [(first, other) for other in company.nodes[1:] if other not in friends]
    embedding = ng.embed(company.with_unobserved(unobserved), "degrees", **PLANE)
    extended = embedding.add("zoe", list(company.nodes[1:4]))
    extended.save(tmp_path / "extended.ng")
    network, new = ng.load(tmp_path / "extended.ng").network, len(company.nodes)
    assert network.unobserved.pairs.tolist() == embedding.network.unobserved.pairs.tolist()
    assert network.are_observed(np.full(new, new), np.arange(new)).all()
    assert extended.prior.probabilities([("zoe", node) for node in company.nodes]).sum() == pytest.approx(3, abs=0.01)
    few = ng.embed(company.with_observed(unobserved), "degrees", **PLANE)
    with pytest.raises(ng.InputError, match="Only listed pairs of this network are observed"):
        few.add("zoe", list(company.nodes[1:4]))


def test_names_of_different_types(tmp_path):
    ring = Network.from_edges([(i, (i + 1) % 12) for i in range(12)])
    extended = ng.embed(ring, dimensions=2).add("new", [3, 4]).add(2.5, ["new"])
    extended.save(tmp_path / "extended.ng")
    again = ng.load(tmp_path / "extended.ng")
    assert again.nodes.tolist() == [*range(12), "new", 2.5]
    assert again.likely_links("new", 2).equals(extended.likely_links("new", 2))
    assert again.log_likelihood == extended.log_likelihood


@pytest.mark.parametrize(
    ("node", "links", "message"),
    [
        ("person 001", ["person 002"], "'person 001' is in the embedding already"),
        ("new", ["person 99"], "no node 'person 99'"),
        ("new", ["new"], "'new' is linked to itself"),
        ("new", "person 001", "A list of node names was expected"),
        ("", ["person 001"], "has no name"),
    ],
)
def test_nodes_that_cannot_be_added(company, node, links, message):
    with pytest.raises(ng.InputError, match=message):
        ng.embed(company, "density", **PLANE, max_steps=1).add(node, links)


@pytest.mark.parametrize(
    ("knowledge", "columns", "message"),
    [
        ("blocks:department", {}, "needs a value in column 'department'"),
        ("blocks:department", {"department": "law"}, "has department 'law', which no node"),
        ("group_degrees:department", {"department": "sales"}, "group_degrees:department.*update"),
        ("degrees+common_neighbours", {}, "common_neighbours.*update"),
        ("assortativity", {}, "assortativity.*update"),
    ],
)
def test_priors_that_cannot_be_extended(company, knowledge, columns, message):
    with pytest.raises(ng.InputError, match=message):
        ng.embed(company, knowledge, **PLANE, max_steps=1).add("new", ["person 001"], columns)


def test_links_that_contradict_the_prior():
    star = ng.embed(Network.from_edges([("hub", name) for name in "abcdef"]), "degrees", **PLANE)
    with pytest.raises(ng.InputError, match=r"'new' is linked to 'a'.*cannot be"):
        star.add("new", ["a"])
    assert star.add("new", ["hub"]).probability("new", "hub") == 1
    full = ng.embed(Network.from_scipy(1 - np.eye(5)), "density", **PLANE)
    with pytest.raises(ng.InputError, match=r"is not linked to .* is certain to be"):
        full.add("new", [1])
    with pytest.raises(ng.InputError, match="has no nodes"):
        ng.embed(Network.from_edges([]), "density", **PLANE).add("new", [])


def test_links_between_old_nodes_are_an_error(company):
    base = ng.embed(company, "density", **PLANE, max_steps=1)
    stranger = base.likely_links("person 001", 1).node.iloc[0]
    links = Network.from_edges([("new", "person 001"), ("person 001", stranger)])
    with pytest.raises(ng.InputError, match=r"not linked in it.*update"):
        base.add_many(links)
    friend = company.neighbours("person 001")[0]
    assert len(base.add_many(Network.from_edges([("new", "person 001"), ("person 001", friend)]))) == 61


def test_positions_trained_with_another_prior_are_an_error(company):
    base = ng.embed(company, train_given="group_degrees:department", predict_given="degrees", **PLANE)
    with pytest.raises(ng.InputError, match=r"trained given group_degrees:department.*update"):
        base.add("new", ["person 001"])
    updated = base.update(company)
    assert updated.prior.knowledge == "degrees" and updated.fit.prior.knowledge == "group_degrees:department"


def test_repeated_links_count_once(company):
    new = new_nodes_from_links(company, {"new": ["person 001", "person 001"]}, pd.DataFrame(index=[0]))
    assert new.links.indices.tolist() == [0] and new.count == 1


def test_the_examples_of_the_page_run():
    page = (Path(__file__).parents[2] / "docs" / "new_nodes.md").read_text(encoding="utf-8")
    blocks = "\n".join(re.findall(r"```python\n(.*?)```", page, flags=re.DOTALL))
    example = doctest.DocTestParser().get_doctest(blocks, {}, "new_nodes.md", "new_nodes.md", 0)
    result = doctest.DocTestRunner().run(example)
    assert result.attempted > 5 and not result.failed


def test_new_nodes_of_a_table_of_people_and_things_are_named_like_the_old_ones(tmp_path):
    seen = pd.DataFrame({"user": [1, 1, 2, 2, 3, 3], "film": [1, 2, 1, 3, 2, 3]})
    more = pd.DataFrame({"user": [9, 9], "film": [1, 2]})  # no number of both a user and a film
    embedding = ng.embed(seen, "degrees", dimensions=1, reach=1.0, shrinkage=0.0)
    larger = embedding.add_many(more)
    assert larger.nodes[6:].tolist() == ["user 9"] and larger.network.neighbours("user 9") == ["film 1", "film 2"]
    assert set(embedding.update(more).nodes) == {"user 9", "film 1", "film 2"}
    embedding.save(tmp_path / "seen.ng")
    more.to_csv(tmp_path / "more.csv", index=False)
    assert run_command("add", tmp_path / "seen.ng", tmp_path / "more.csv", "--out", tmp_path / "larger.ng") == 0
    assert ng.load(tmp_path / "larger.ng").network == larger.network
