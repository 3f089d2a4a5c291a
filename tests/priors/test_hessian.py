"""Sums over classes and their derivatives, against all pairs."""

import numpy as np
import pytest

from netgiven.network import Network
from netgiven.priors import blocks, boundary, degrees, dual, features, interpolation
from netgiven.priors.constraints import Constraint, PairConstraint
from netgiven.priors.dual import hessian_at
from netgiven.priors.expectation import LogPartitionHessian, expected_sums
from netgiven.priors.features import SparseFeatures
from netgiven.priors.fit import _build_problem
from netgiven.priors.interpolation import interpolate
from netgiven.priors.layout import Classes, Layout
from tests.priors.naive import constraint_matrix, knowledge_of, planted

SUMS = [
    "degrees", "degrees+blocks:type", "degrees+blocks:type+blocks:place+order:year:bins=1,3", "group_degrees:type",
    "degrees+homophily:time+assortativity", "density+constraint:factors+blocks:tags:separator=|",
    "degrees+common_neighbours", "blocks:type+constraint:few+constraint:signed+homophily:time",
    "group_degrees:place+blocks:type+common_neighbours:adamic_adar+order:time:kind=log",
]  # fmt: skip


def problem_of(text, network):
    """As `fit` makes it."""
    constraints = knowledge_of(text, network).constraints
    listed = [one.matrix(network) for one in constraints if isinstance(one, PairConstraint)]
    keys = [one.node_keys(network) for one in constraints if isinstance(one, Constraint)]
    classes = Classes.by_keys([np.arange(network.node_count)] if listed else keys)
    parts = [one.features(network, classes) for one in constraints if isinstance(one, Constraint)]
    return _build_problem([*parts, *([SparseFeatures(listed)] if listed else [])], network, classes), classes


@pytest.fixture(params=[3_000, 1], ids=["one layer", "several layers"])
def max_joint(request, monkeypatch):
    monkeypatch.setattr(features, "MAX_JOINT_GROUPS", request.param)
    return request.param


@pytest.mark.parametrize("text", SUMS)
def test_the_hessian_is_that_of_all_pairs(text, max_joint):
    network = planted(40, 5, mean_degree=8)
    problem, classes = problem_of(text, network)
    random = np.random.default_rng(1)
    point, direction = random.normal(0, 0.3, (2, len(problem.targets)))
    step = hessian_at(problem, point, problem.expected(point))
    first, second = classes.cells
    features = problem.features(first, second).toarray()
    p = 1 / (1 + np.exp(-features @ point))
    variance = classes.pairs * p * (1 - p)
    hessian = (features * variance[:, None]).T @ features
    scale = np.abs(hessian).max()
    assert np.allclose(step.times(direction), hessian @ direction, atol=1e-3 * scale * np.abs(direction).sum())
    assert np.allclose(problem.totals(problem.expected(point)), features.T @ (classes.pairs * p), rtol=1e-10)
    if len(problem.layout.right) > 1 or (max_joint == 1 and "blocks" in text):  # no interpolation
        assert np.allclose(step.times(direction), hessian @ direction, rtol=1e-9, atol=1e-9 * scale)
        assert np.allclose(step.diagonal, hessian.diagonal(), rtol=0.5)


@pytest.mark.parametrize("text", SUMS)
def test_sums_along_a_step_are_finite_differences(text, max_joint):
    problem, _ = problem_of(text, planted(40, 5, mean_degree=8))
    random = np.random.default_rng(2)
    point, direction = random.normal(0, 0.3, (2, len(problem.targets)))
    here, step = problem.coefficients(point), problem.coefficients(direction)
    along = LogPartitionHessian(problem.layout, here, expected_sums(problem.layout, here)).times(step)
    after, before = (problem.expected(point + sign * 1e-5 * direction) for sign in (1, -1))
    for change, more, less in zip(along, after, before, strict=True):
        expected = (more - less) / 2e-5
        assert np.allclose(change, expected, atol=2e-3 * max(np.abs(expected).max(initial=0.0), 1e-12))


def test_there_are_several_layers_where_joint_groups_are_many(monkeypatch):
    monkeypatch.setattr(features, "MAX_JOINT_GROUPS", 1)
    problem, _ = problem_of("blocks:type+blocks:place+order:year:bins=1,3", planted(40, 5))
    assert len(problem.layout.group) == 4  # the first has one group


@pytest.mark.parametrize("text", [text for text in SUMS if "+" in text])
def test_layers_lead_to_the_same_prior(text, monkeypatch):
    network = planted(50, 6)
    knowledge = knowledge_of(text, network)
    _, pairs = constraint_matrix(network, knowledge)
    together = knowledge.fit(network).probabilities(pairs)
    monkeypatch.setattr(features, "MAX_JOINT_GROUPS", 1)
    apart = knowledge.fit(network)
    assert np.allclose(together, apart.probabilities(pairs), atol=1e-8)
    assert np.isclose(apart.entropy, knowledge.fit(network).entropy)
    assert np.isclose(apart.arrays.table.shape[0], len(np.unique(apart.group, axis=1).T))


@pytest.mark.parametrize("groups", [1, 3])
def test_chebyshev_points_replace_thousands_of_classes(groups):
    random, count = np.random.default_rng(groups), 3_000
    group = np.sort(random.integers(groups, size=count))
    size, right = random.integers(1, 4, count).astype(float), np.ones((1, count))
    layout = Layout(size, right, group[None], (groups,))
    table = random.normal(0, 1, (groups, groups))
    coefficients = layout.zeros()._replace(left=random.normal(-3, 1.2, (1, count)), tables=(table + table.T).ravel())
    assert len(interpolate(layout, coefficients, 1e-12).arrays.weight) < count / 5
    sums = expected_sums(layout, coefficients)
    z = coefficients.left[0][:, None] + coefficients.left[0] + (table + table.T)[np.ix_(group, group)]
    p = size * (1 / (1 + np.exp(-z)))
    node_sums = p.sum(axis=1) - p.diagonal() / size
    assert np.allclose(sums.node_sums[0], node_sums, rtol=1e-11)
    member = (group == np.arange(groups)[:, None]) * 1.0
    group_sums = member @ (size[:, None] * p) @ member.T - np.diag(member @ p.diagonal())
    assert np.allclose(sums.group_sums.reshape(groups, groups), group_sums, rtol=1e-11)


@pytest.mark.parametrize(
    "text", ["degrees+homophily:time", "degrees+blocks:type", "group_degrees:type", "group_degrees:type+assortativity"]
)
def test_an_approximate_hessian_leads_to_exact_constraints(text, monkeypatch):
    monkeypatch.setattr(interpolation, "MAX_COARSE_POINTS", 20)
    network = planted(300, 9)
    prior = knowledge_of(text, network).fit(network)
    assert all(check.largest_relative_error <= 1e-8 for check in prior.checks)


def test_degrees_of_thousands_of_nodes_in_few_groups_are_met():
    random, count = np.random.default_rng(0), 4_000
    weight = random.pareto(1.5, count) + 0.5
    ends = random.choice(count, (30_000, 2), p=weight / weight.sum())
    network = Network.from_edges(ends, {"node": range(count), "type": random.choice(list("ab"), count)})
    prior = (degrees() + blocks("type")).fit(network)
    assert np.allclose(prior.expected_degrees, network.degrees, rtol=1e-8)


@pytest.mark.parametrize(
    "text", ["degrees+blocks:type", "order:time+degrees", "group_degrees:type+homophily:year:kind=near"]
)
def test_with_too_many_coarse_classes_for_a_table_constraints_are_still_met(text, monkeypatch):
    monkeypatch.setattr(boundary, "MAX_COARSE_CLASSES", 2)
    network = planted(200, 3)
    prior = knowledge_of(text, network).fit(network)
    assert all(check.largest_relative_error <= 1e-8 for check in prior.checks)
    assert np.allclose(prior.expected_degrees, network.degrees, rtol=1e-8, atol=1e-8)


def test_a_flat_direction_does_not_hold_up_the_others(monkeypatch):
    """A multiplier that asks for a huge step is limited; the other one still makes the whole of its step."""
    slope, solution = np.array([1e-3, 1.0]), np.array([2000.0, 3.0])
    monkeypatch.setattr(dual, "evaluate", lambda problem, x: dual.DualPoint(x, None, slope * (x - solution)))
    begin = dual.evaluate(None, np.zeros(2))
    found = dual._line_search(None, begin, solution, 1 / slope, far=True)
    assert found.multipliers.tolist() == [dual.MAX_CHANGE, 3.0]
