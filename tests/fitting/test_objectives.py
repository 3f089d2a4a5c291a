"""The objective: its gradient, its estimates, and what it does not depend on."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from netgiven.fitting import fit as fit_module
from netgiven.fitting import problem as problem_module
from netgiven.fitting.objectives import ExactObjective, PaperObjective, SampledObjective
from netgiven.fitting.problem import Problem
from netgiven.kernels import reference
from netgiven.kernels.arrays import LinkRows, ModelArrays, make_model_arrays, nothing_listed, padded
from netgiven.model import Spread
from netgiven.network import Network
from netgiven.parallel import Threads
from netgiven.priors import parse_knowledge
from tests.random_priors import drawn_links, expected_degrees, listed_pairs, random_prior, random_priors
from tests.strategies import networks

PRIORS = ["density", "degrees", "blocks:type", "degrees+blocks:type", "blocks:type+blocks:place"]
priors = st.sampled_from(PRIORS).map(parse_knowledge)


def make_problem(network, knowledge, stiffness=0.8, shrinkage=0.0):
    prior = knowledge.fit(network)
    links = LinkRows(network.indptr, network.indices)
    return Problem(links, prior.arrays, prior.expected_degrees, stiffness, shrinkage, Threads(1))


def problem_given(prior, stiffness=0.8, shrinkage=0.0, threads=1):
    return Problem(drawn_links(prior), prior, expected_degrees(prior), stiffness, shrinkage, Threads(threads))


def random_positions(count, dimensions, seed=0):
    return padded(np.random.default_rng(seed).normal(size=(count, dimensions)))


def medium(seed=0, count=40):
    random = np.random.default_rng(seed)
    nodes = {"node": range(count), "type": random.choice(list("ab"), count), "place": random.choice(list("abc"), count)}
    return Network.from_edges(random.integers(count, size=(3 * count, 2)), nodes)


@given(networks(least=2, most=9), priors, st.integers(1, 5), st.floats(0.1, 5), st.floats(0, 2))
def test_exact_is_the_reference(network, knowledge, dimensions, reach, shrinkage):
    problem, x = make_problem(network, knowledge, shrinkage=shrinkage), random_positions(network.node_count, dimensions)
    value, gradient = ExactObjective(problem, x.shape[1])(x, reach, 0)
    twin_value, twin_gradient = reference.objective(
        make_model_arrays(x, problem.prior, reach, 0.8), problem.links, shrinkage
    )
    assert np.isclose(value, twin_value, rtol=1e-5, atol=1e-3)
    assert np.allclose(gradient, twin_gradient, rtol=1e-4, atol=1e-4)


@given(random_priors(larger=[70, 300]), st.integers(1, 5), st.floats(0.1, 5), st.floats(0, 2))
def test_exact_is_the_reference_given_any_prior(prior, dimensions, reach, shrinkage):
    problem, x = problem_given(prior, shrinkage=shrinkage), random_positions(len(prior.node), dimensions)
    value, gradient = ExactObjective(problem, x.shape[1])(x, reach, 0)
    twin_value, twin_gradient = reference.objective(make_model_arrays(x, prior, reach, 0.8), problem.links, shrinkage)
    assert np.isclose(value, twin_value, rtol=1e-5, atol=1e-3)
    assert np.allclose(gradient, twin_gradient, rtol=1e-4, atol=2e-4)


def test_links_are_summed_up_in_pieces(monkeypatch):
    prior, x = random_prior(certain=True), random_positions(40, 3)
    value, _ = ExactObjective(problem_given(prior), 4)(x, 2.0, 0)
    monkeypatch.setattr(problem_module, "LINKS_AT_ONCE", 7)
    assert np.isclose(ExactObjective(problem_given(prior), 4)(x, 2.0, 0)[0], value, rtol=1e-12)


@given(networks(least=3, most=8), priors, st.floats(0.1, 4), st.floats(0, 1))
def test_the_gradient_is_that_of_finite_differences(network, knowledge, reach, shrinkage):
    _check_slopes(make_problem(network, knowledge, shrinkage=shrinkage), reach)


@given(random_priors(most=8), st.floats(0.1, 4), st.floats(0, 1))
def test_the_gradient_is_that_of_finite_differences_given_any_prior(prior, reach, shrinkage):
    _check_slopes(problem_given(prior, shrinkage=shrinkage), reach)


def _check_slopes(problem, reach):
    x, shrinkage = random_positions(problem.node_count, 2).astype(np.float64), problem.shrinkage

    def value(point):
        model = ModelArrays(point, problem.prior, np.float64(reach), np.float64(0.4))  # in double precision
        return reference.objective(model, problem.links, shrinkage)[0]

    _, gradient = ExactObjective(problem, 4)(x.astype(np.float32), reach, 0)
    for i in range(problem.node_count):
        for k in range(2):
            step = np.zeros_like(x)
            step[i, k] = 1e-4
            slope = (value(x + step) - value(x - step)) / 2e-4
            assert np.isclose(slope, gradient[i, k], rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize("text", PRIORS)
def test_the_sampled_gradient_is_unbiased(text):
    _check_samples(make_problem(medium(), parse_knowledge(text)))


@pytest.mark.parametrize("terms,listed,certain", [(0, 0.3, False), (1, 0.1, True), (5, 0, False), (5, 0.5, True)])
def test_the_sampled_gradient_is_unbiased_given_any_prior(terms, listed, certain):
    _check_samples(problem_given(random_prior(terms=terms, listed=listed, certain=certain)))


def test_the_sampled_gradient_is_unbiased_where_the_list_rules_out_all_links_of_a_node():
    value = np.zeros((40, 40))
    value[0], value[1, 2:20] = -1024, 1024
    problem = problem_given(random_prior(listed=0)._replace(listed=listed_pairs(value)))
    assert problem.expected_degrees[0] < 1e-9 < problem.unlisted_degrees[0]
    _check_samples(problem)


def test_degrees_without_the_list_are_sums_without_it():
    prior = random_prior(listed=0.5, certain=True)
    unlisted = expected_degrees(prior._replace(listed=nothing_listed(40)))
    assert np.allclose(problem_given(prior).unlisted_degrees, unlisted, atol=0.01 * expected_degrees(prior).max())
    assert np.allclose(problem_given(random_prior(listed=0)).unlisted_degrees, expected_degrees(random_prior(listed=0)))


def _check_samples(problem):
    x = random_positions(40, 3)
    exact_value, exact = ExactObjective(problem, 4)(x, 2.0, 0)
    sampled = [SampledObjective(problem, 4, 16, seed)(x, 2.0, 5) for seed in range(1500)]
    values, gradients = np.array([value for value, _ in sampled]), np.array([slope for _, slope in sampled])
    _check_mean(gradients, exact)
    _check_mean(values[:, None], np.array([exact_value]))


def test_the_papers_weighted_gradient_is_unbiased():
    network, x = medium(), random_positions(40, 3)
    problem = make_problem(network, parse_knowledge("degrees"))
    _, exact = ExactObjective(problem, 4)(x, 2.0, 0)
    gradients = np.array([PaperObjective(problem, 4, 3, seed, weighted=True)(x, 2.0, 5)[1] for seed in range(1500)])
    _check_mean(gradients, exact)


@pytest.mark.parametrize("kind", ["fitted", "random", "certain"])
def test_the_papers_gradient_with_all_partners_is_exact(kind):
    fitted = make_problem(medium(), parse_knowledge("degrees"))
    problem, x = (
        fitted if kind == "fitted" else problem_given(random_prior(certain=kind == "certain")),
        random_positions(40, 3),
    )
    value, exact = ExactObjective(problem, 4)(x, 2.0, 0)
    exact = exact.copy()
    all_value, gradient = PaperObjective(problem, 4, 39, 0, weighted=False)(x, 2.0, 0)
    assert np.allclose(gradient, exact, rtol=1e-4, atol=1e-4)
    assert np.isclose(value, all_value, rtol=1e-5)


def _check_mean(draws, truth):
    """Within its standard error: no entry beyond 4, and all together as scattered as they should be."""
    error = draws.std(axis=0, ddof=1) / np.sqrt(len(draws))
    score = ((draws.mean(axis=0) - truth) / np.maximum(error, 1e-5))[error > 0]
    assert np.all(np.abs(score) < 4)
    assert np.sqrt(np.mean(score**2)) < 1.5 + 3.5 / np.sqrt(score.size)


def test_the_estimate_of_the_likelihood_knows_its_error():
    network, x = medium(count=200), random_positions(200, 4)
    problem = make_problem(network, parse_knowledge("degrees"))
    exact = ExactObjective(problem, 4)(x, 2.0, 0)[0]
    value, error = SampledObjective(problem, 4, 64, seed=0).estimate(x, 2.0, draws=20)
    assert 0 < error < 0.2 * exact
    assert abs(value - exact) < 5 * error


def test_the_estimate_knows_its_error_given_any_prior():
    prior, x = random_prior(count=200, certain=True), random_positions(200, 4)
    exact = ExactObjective(problem_given(prior), 4)(x, 2.0, 0)[0]
    value, error = SampledObjective(problem_given(prior), 4, 64, seed=0).estimate(x, 2.0, draws=20)
    assert 0 < error < 0.2 * exact
    assert abs(value - exact) < 4 * error


OBJECTIVES = {
    "exact": lambda problem: ExactObjective(problem, 4),
    "sampled": lambda problem: SampledObjective(problem, 4, 512, seed=0),
    "paper": lambda problem: PaperObjective(problem, 4, 20, seed=0, weighted=True),
}


@pytest.mark.parametrize("name", OBJECTIVES)
def test_threads_do_not_change_a_byte_given_any_prior(name):
    prior, x = random_prior(count=1500, listed=0.05, certain=True), random_positions(1500, 3)
    one, three = (OBJECTIVES[name](problem_given(prior, threads=count))(x, 2.0, 1) for count in (1, 3))
    assert one[0] == three[0]
    assert one[1].tobytes() == three[1].tobytes()


@given(networks(least=3, most=9), priors, st.integers(0, 1000))
def test_the_objective_does_not_change_under_rotation_and_translation(network, knowledge, seed):
    random = np.random.default_rng(seed)
    x = random.normal(size=(network.node_count, 3))
    turn, _ = np.linalg.qr(random.normal(size=(3, 3)))
    problem = make_problem(network, knowledge)
    objective = ExactObjective(problem, 4)
    value, gradient = objective(padded(x), 2.0, 0)
    gradient = gradient[:, :3].copy()
    moved, moved_gradient = objective(padded(x @ turn + random.normal(size=3)), 2.0, 0)
    assert np.isclose(value, moved, rtol=1e-4, atol=1e-3)
    assert np.allclose(gradient @ turn, moved_gradient[:, :3], rtol=1e-3, atol=1e-3)


@given(networks(least=3, most=9), priors, st.randoms())
def test_the_objective_does_not_change_under_relabelling(network, knowledge, random):
    order = list(range(network.node_count))
    random.shuffle(order)
    table = network.columns.iloc[order].reset_index(drop=True)
    table.insert(0, "node", order)
    shuffled = Network.from_edges(network.links(), table)
    x = random_positions(network.node_count, 3)
    value, _ = ExactObjective(make_problem(network, knowledge), 4)(x, 2.0, 0)
    other, _ = ExactObjective(make_problem(shuffled, knowledge), 4)(x[order], 2.0, 0)
    assert np.isclose(value, other, rtol=1e-4, atol=1e-3)


def test_certain_pairs_neither_pull_nor_push():
    star = Network.from_edges([(0, i) for i in range(1, 6)])
    problem, x = make_problem(star, parse_knowledge("degrees")), random_positions(6, 2)
    value, gradient = ExactObjective(problem, 4)(x, 2.0, 0)
    assert abs(value) < 1e-6
    assert np.abs(gradient).max() < 1e-5


def test_a_network_that_is_certain_has_likelihood_one():
    """Nested neighbourhoods: each degree follows from the others, in 200 levels of certainty."""
    nested = Network.from_edges([(i, j) for i in range(200) for j in range(i) if i + j < 200])
    problem, x = make_problem(nested, parse_knowledge("degrees")), random_positions(200, 2)
    value, gradient = ExactObjective(problem, 4)(x, 2.0, 0)
    assert abs(value) < 0.01
    assert np.abs(gradient).max() < 1e-3


def test_a_certain_link_stays_certain_however_far_its_nodes_are():
    star = Network.from_edges([(0, i) for i in range(1, 6)])
    problem, x = make_problem(star, parse_knowledge("degrees")), 10 * random_positions(6, 2)
    value, gradient = ExactObjective(problem, 4)(x, 2.0, 0)
    assert abs(value) < 0.01
    assert np.abs(gradient).max() < 1e-3


def test_the_likelihood_of_many_nodes_is_estimated_from_fewer_samples(monkeypatch):
    network, knowledge = medium(count=600), parse_knowledge("degrees")
    x, prior = random_positions(600, 4)[:, :4], knowledge.fit(network)
    exact = fit_module.log_likelihood(network, prior, Spread(), x)
    monkeypatch.setattr(fit_module, "MAX_NODES_EXACT_LIKELIHOOD", 100)
    many = fit_module.log_likelihood(network, prior, Spread(), x)
    monkeypatch.setattr(fit_module, "MAX_LIKELIHOOD_PAIRS", 600 * 8 * 16)
    few = fit_module.log_likelihood(network, prior, Spread(), x)
    assert exact.standard_error == 0 < many.standard_error < few.standard_error
    assert abs(few.value - exact.value) < 5 * few.standard_error
