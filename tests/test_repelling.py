"""Dimensions that repel: kernels and twins, derivatives, samples, symmetries, and all that is made of positions."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import netgiven as ng
from netgiven import ranking
from netgiven.analysis.intervals import slopes
from netgiven.analysis.local_objective import LocalObjective
from netgiven.analysis.placement import place_again
from netgiven.errors import InputError
from netgiven.fitting.initialization import along_principal_axes, sharpened_positions
from netgiven.fitting.objectives import ExactObjective, PaperObjective, SampledObjective
from netgiven.fitting.pipeline import limit_roles
from netgiven.fitting.problem import Problem
from netgiven.kernels import reference
from netgiven.kernels.arrays import (
    LinkRows,
    ModelArrays,
    RepulsionSums,
    make_model_arrays,
    make_tables,
    padded,
    padded_size,
    unpadded,
    with_products_in_prior,
)
from netgiven.kernels.gradient import attract
from netgiven.kernels.node_objective import empty_point_sums, points_of, sum_around_points
from netgiven.kernels.repulsion import BLOCK, correct_listed, repel_all, repel_sampled
from netgiven.model import direction, log_odds, probability, separation
from netgiven.parallel import Threads
from netgiven.tasks.labels import label_gain
from tests.random_priors import drawn_links, expected_degrees, random_prior, random_priors
from tests.strategies import networks

PRIORS = ["density", "degrees", "degrees+blocks:type"]
REACH, STIFFNESS = 1.5, 0.8
CLOSE = {"rtol": 5e-5, "atol": 2e-4}
sizes = st.integers(1, 6).flatmap(lambda dimensions: st.tuples(st.just(dimensions), st.integers(1, dimensions)))


def random_positions(count, dimensions, seed=0):
    return np.random.default_rng(seed).normal(scale=0.6, size=(count, dimensions))


def model_given(prior, dimensions, repelling):
    positions = random_positions(len(prior.node), dimensions)
    return make_model_arrays(positions, prior, REACH, STIFFNESS, repelling)


def empty_sums(model, kind=np.float64):
    return RepulsionSums(np.empty(model.positions.shape, dtype=kind), np.empty(len(model.positions)))


def same_sums(sums, twin):
    assert np.allclose(sums.repulsion, twin[0], **CLOSE)
    assert np.allclose(sums.softplus, twin[1], rtol=5e-5, atol=1e-3)


# ---- one pair --------------------------------------------------------------------------------------------------------


@given(sizes, st.integers(0, 99))
def test_the_direction_is_half_of_the_slope_of_the_separation(size, seed):
    (dimensions, repelling), (first, second) = size, random_positions(2, size[0], seed)
    for k, step in enumerate(1e-5 * np.eye(dimensions)):
        slope = separation(first + step, second, repelling) - separation(first - step, second, repelling)
        assert np.isclose(slope / 2e-5, 2 * direction(first, second, repelling)[k], atol=1e-6)


@given(sizes, st.integers(0, 99))
def test_turning_nearness_and_roles_each_for_itself_changes_no_separation(size, seed):
    dimensions, repelling = size
    positions = random_positions(7, dimensions, seed).astype(np.float32)
    turned = along_principal_axes(positions, repelling)
    pairs = np.triu_indices(7)
    before, after = (separation(*(some[end].astype(float) for end in pairs), repelling) for some in (positions, turned))
    assert np.allclose(before, after, atol=1e-5)
    spreads = np.square(turned[:, dimensions - repelling :]).sum(axis=0)
    assert np.all(np.diff(spreads) <= 1e-9)  # the widest first


@given(sizes)
def test_padding_is_undone(size):
    positions = random_positions(5, size[0]).astype(np.float32)
    wide = padded(positions, size[1])
    assert wide.shape[1] == padded_size(size[0] - size[1]) + padded_size(size[1])
    assert np.array_equal(unpadded(wide, *size), positions)


# ---- kernels ---------------------------------------------------------------------------------------------------------


@given(random_priors(larger=[70, 300]), sizes)
def test_all_pairs_are_their_twin(prior, size):
    model = model_given(prior, *size)
    sums = empty_sums(model)
    repel_all(0, len(prior.node), model, make_tables(model, length=16), sums)
    same_sums(sums, reference.repel_all(model))


def test_products_of_any_size_make_no_pair_certain():
    prior = random_prior(certain=True)
    model = model_given(prior, 4, 2)
    model.positions[:, 4:] *= 200
    sums = empty_sums(model)
    repel_all(0, len(prior.node), model, make_tables(model, length=16), sums)
    twin = reference.repel_all(model)
    assert np.allclose(sums.repulsion, twin[0], rtol=1e-3, atol=1e-2) and np.allclose(sums.softplus, twin[1], rtol=1e-3)
    assert twin[1].max() > 10_000


@given(random_priors(larger=[70, 300]), sizes, st.integers(1, 20))
def test_samples_are_their_twin(prior, size, samples):
    model, count = model_given(prior, *size), len(prior.node)
    drawn = np.random.default_rng(1).integers(count, size=(-(-count // BLOCK), samples)).astype(np.int32)
    weights = np.random.default_rng(2).uniform(0.5, 3, count).astype(np.float32)
    sums = empty_sums(model, np.float32)
    repel_sampled(0, len(drawn), drawn, weights, model, sums)
    same_sums(sums, reference.repel_sampled(drawn, BLOCK, weights, model))


@given(random_priors(larger=[70]), sizes)
def test_corrections_are_their_twin(prior, size):
    model = model_given(prior, *size)
    sums = RepulsionSums(np.zeros(model.positions.shape), np.zeros(len(prior.node)))
    correct_listed(0, len(prior.node), model, sums)
    same_sums(sums, reference.correct_listed(model))


@given(networks(least=1, most=9), sizes)
def test_attraction_is_its_twin(network, size):
    x, links = padded(random_positions(network.node_count, size[0]), size[1]), LinkRows(network.indptr, network.indices)
    pull, apart = np.empty_like(x), np.empty(len(x))
    attract(0, len(x), x, padded_size(size[1]), links, pull, apart)
    twin_pull, twin_apart = reference.attract(x, padded_size(size[1]), links)
    assert np.allclose(pull, twin_pull, atol=1e-5) and np.allclose(apart, twin_apart, atol=1e-5)


@given(random_priors(larger=[70]), sizes)
def test_sums_around_nodes_are_their_twin(prior, size):
    model, weights = model_given(prior, *size), np.ones(len(prior.node))
    points = points_of(model, np.arange(len(prior.node)))
    sums = empty_point_sums(points)
    sum_around_points(0, len(weights), points, model, make_tables(model, length=16), sums)
    for found, wanted in zip(sums, reference.sum_around_points(model, weights), strict=True):
        assert np.allclose(found, wanted, rtol=1e-4, atol=1e-3)


@given(random_priors(), sizes)
def test_products_in_the_prior_leave_all_log_odds_as_they_are(prior, size):
    model = model_given(prior, *size)
    apart = with_products_in_prior(model)
    assert not apart.repelling and apart.positions.shape[1] == padded_size(size[0] - size[1])
    uncertain = np.abs(reference.all_prior_log_odds(model)) < 512
    found, wanted = (reference.all_log_odds(some)[uncertain] for some in (apart, model))
    assert np.allclose(found, wanted, atol=1e-4)


# ---- the objective ---------------------------------------------------------------------------------------------------


def problem_given(prior, repelling, threads=1):
    forces = {"stiffness": STIFFNESS, "shrinkage": 0.3, "repelling": repelling, "repelling_shrinkage": 2.0}
    return Problem(drawn_links(prior), prior, expected_degrees(prior), engine=Threads(threads), **forces)


@given(random_priors(most=9, larger=[70]), sizes)
def test_the_objective_is_the_reference_and_its_slope(prior, size):
    problem, x = problem_given(prior, size[1]), padded(random_positions(len(prior.node), size[0]), size[1])
    value, gradient = ExactObjective(problem, x.shape[1])(x, REACH, 0)
    model = ModelArrays(x.astype(np.float64), prior, np.float64(REACH), np.float64(STIFFNESS / 2), padded_size(size[1]))
    twin_value, twin_gradient = reference.objective(model, problem.links, 0.3, 2.0)
    assert np.isclose(value, twin_value, rtol=1e-5, atol=1e-3)
    assert np.allclose(gradient, twin_gradient, rtol=1e-4, atol=5e-4)
    step = np.zeros_like(model.positions)
    step[0, -padded_size(size[1])] = 1e-5  # the first dimension that repels
    values = [reference.objective(model._replace(positions=x + s * step), problem.links, 0.3, 2.0)[0] for s in (1, -1)]
    assert np.isclose((values[0] - values[1]) / 2e-5, gradient[0, -padded_size(size[1])], rtol=1e-3, atol=2e-3)


@pytest.mark.parametrize("certain", [False, True])
def test_the_paper_with_all_partners_is_exact(certain):
    problem, x = problem_given(random_prior(certain=certain), 2), padded(random_positions(40, 4), 2)
    value, exact = ExactObjective(problem, 8)(x, REACH, 0)
    all_value, gradient = PaperObjective(problem, 8, 39, 0, weighted=False)(x, REACH, 0)
    assert np.allclose(gradient, exact, rtol=1e-4, atol=5e-4)
    assert np.isclose(value, all_value, rtol=1e-5)


@pytest.mark.parametrize("near", [0, 3])
def test_the_sampled_objective_is_unbiased(near):
    problem, x = problem_given(random_prior(listed=0.1), 2), padded(random_positions(40, near + 2), 2)
    exact_value, exact = ExactObjective(problem, x.shape[1])(x, REACH, 0)
    draws = [SampledObjective(problem, x.shape[1], 16, seed)(x, REACH, 5) for seed in range(800)]
    values, gradients = np.array([value for value, _ in draws]), np.array([slope for _, slope in draws])
    for drawn, truth in ((values[:, None], np.array([exact_value])), (gradients, exact)):
        error = drawn.std(axis=0, ddof=1) / np.sqrt(len(drawn))
        score = ((drawn.mean(axis=0) - truth) / np.maximum(error, 1e-5))[error > 0]
        assert np.all(np.abs(score) < 4.5)


# ---- around one node -------------------------------------------------------------------------------------------------


def objective_of(network, text, dimensions, repelling):
    positions = random_positions(network.node_count, dimensions).astype(np.float32)
    spread = ng.Spread.from_reach(REACH)
    return LocalObjective(
        network, ng.parse_knowledge(text).fit(network), positions, replace(spread, repelling=repelling), 0.3, 2.0
    )


def gradient_at(objective, node, position):
    moved = objective.positions.astype(np.float64)
    moved[node] = position
    half = np.float64(objective.spread.stiffness / 2)
    model = ModelArrays(moved, objective.prior.arrays, np.float64(objective.reach), half, objective.repelling)
    return reference.objective(model, objective.links, 0.3, 2.0)[1][node]


@given(networks(least=3, most=8), st.sampled_from([*PRIORS, "degrees+common_neighbours"]), sizes)
def test_gradient_and_hessian_of_a_node_are_those_of_finite_differences(network, text, size):
    objective = objective_of(network, text, *size)
    gradient, hessian = objective.derivatives(np.arange(network.node_count))
    for node in range(network.node_count):
        here = objective.positions[node].astype(np.float64)
        assert np.allclose(gradient[node], gradient_at(objective, node, here), rtol=1e-4, atol=2e-4)
        for k, step in enumerate(1e-5 * np.eye(size[0])):
            slope = gradient_at(objective, node, here + step) - gradient_at(objective, node, here - step)
            assert np.allclose(hessian[node, k], slope / 2e-5, rtol=1e-3, atol=2e-3)


@given(networks(least=4, most=9), sizes)
def test_a_node_that_is_placed_again_is_at_a_minimum(network, size):
    objective = objective_of(network, "degrees+blocks:type", *size)
    node = int(np.argmax(network.degrees))
    objective.positions[node] = place_again(objective, np.array([node]), Threads(1))[0]
    moved = replace(objective)
    gradient, hessian = moved.derivatives(np.array([node]))
    uncertain = np.isfinite(
        moved.prior.log_odds_of(np.full(len(objective.neighbours(node)), node), moved.neighbours(node))
    )
    if len(uncertain) and uncertain.all():
        step = np.linalg.lstsq(hessian[0], gradient[0], rcond=None)[0]
        assert np.linalg.norm(step) < 0.05


@given(networks(least=4, most=9), sizes)
def test_slopes_are_those_of_log_odds(network, size):
    objective = objective_of(network, "degrees", *size)
    pair, there = (np.array([0]), np.array([1])), objective.positions[1].astype(float)
    for k, step in enumerate(1e-5 * np.eye(size[0])):
        here = objective.positions[0].astype(float)
        z = [log_odds(0, 0, objective.spread.stiffness, separation(here + s * step, there, size[1])) for s in (1, -1)]
        assert np.isclose(slopes(objective, *pair, slice(1, None))[0, k], (z[0] - z[1]) / 2e-5, atol=1e-4)


# ---- choosing settings -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dimensions,repelling", [(4, 2), (6, 3), (5, 2), (2, 2)])
def test_settings_are_chosen_by_the_log_odds_of_the_model(opposites, dimensions, repelling):
    found = ng.embed(opposites, dimensions=dimensions, repelling=repelling)
    assert max(trial.score for trial in found.fit.trials) > 0.7 and found.bits_per_link > 0.5
    assert found.fit.settings.repelling_shrinkage in (20, 10, 5, 2, 1)


def test_a_shrinkage_that_is_given_is_kept(opposites):
    assert ng.embed(opposites, repelling_shrinkage=3.0).fit.settings.repelling_shrinkage == 3.0


def test_dimensions_that_repel_are_found_where_opposites_link(opposites):
    found = ng.embed(opposites)
    without = ng.embed(opposites, repelling=0)
    assert found.repelling and found.dimensions <= 120 // 8
    assert found.bits_per_link > without.bits_per_link + 0.2
    assert found.groups().numbers.max() < 8  # by nearness alone


def test_a_spread_may_say_how_many_repel():
    pair = ng.Network.from_edges([(0, 1), (1, 2)])
    assert ng.embed(pair, reach=ng.Spread(1, 2, repelling=12)).shape == (3, 20)
    assert ng.Settings(dimensions=12, repelling=8, reach=ng.Spread(1, np.e**10, "gaussian")).resolve(9).reach == 40
    assert ng.Spread(1, 2, repelling=5).reach(3) == 0
    assert type(ng.Spread(1, 2, repelling=np.int64(1)).repelling) is int
    assert ng.map_network(pair, reach=ng.Spread(1, 3, repelling=1)).panels[0].spread.repelling == 1


# ---- embeddings ------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def opposites():
    """Two kinds of node, which link to each other across two of four communities."""
    random = np.random.default_rng(0)
    kind, place = np.arange(120) % 2, np.arange(120) // 60
    p = np.where(kind[:, None] != kind, 0.3, 0.02) * np.where(place[:, None] == place, 1.0, 0.2)
    pairs = np.argwhere(np.triu(random.random((120, 120)) < p, 1))
    return ng.Network.from_edges(pairs, nodes={"node": range(120), "kind": list(map(str, kind)), "place": place})


@pytest.fixture(scope="module")
def embedding(opposites):
    return ng.embed(opposites, dimensions=4, repelling=2, reach=2.0, shrinkage=0.5, repelling_shrinkage=1.0)


def test_opposites_are_told_apart_by_roles(opposites, embedding):
    kind = opposites.column("kind").to_numpy() == "1"
    roles = embedding.positions[:, 2:]
    apart = np.abs(roles[kind].mean(axis=0) - roles[~kind].mean(axis=0)) / roles.std(axis=0)
    assert apart.max() > 1.5
    plain = ng.embed(opposites, dimensions=4, reach=2.0, shrinkage=0.5)
    assert embedding.bits_per_link > plain.bits_per_link + 0.2


@pytest.mark.parametrize("method", ["exact", "sampled", "paper"])
def test_any_number_of_threads_gives_the_same_bytes(opposites, method):
    settings = {"dimensions": 6, "repelling": 3, "reach": 2.0, "shrinkage": 0.5, "method": method, "max_steps": 8}
    fits = [ng.embed(opposites, threads=threads, **settings) for threads in (1, 2)]
    assert np.array_equal(fits[0].positions, fits[1].positions)


def test_all_dimensions_may_repel_and_none(opposites):
    only = ng.embed(opposites, dimensions=2, repelling=2, reach=1.0, repelling_shrinkage=1.0)
    assert only.shape == (120, 2) and only.reach == 0 and only.bits_per_link > 0.3
    settings = {"dimensions": 2, "reach": 1.0, "shrinkage": 0.1}
    none, plain = ng.embed(opposites, repelling=0, **settings), ng.embed(opposites, **settings)
    assert np.array_equal(none.positions, plain.positions) and none.spread == plain.spread


def test_log_odds_are_those_of_the_model(embedding):
    x = embedding.positions.astype(float)
    first, second = np.array([0, 3]), np.array([7, 90])
    apart = np.square(x[first, :2] - x[second, :2]).sum(axis=1) / 2 + (x[first, 2:] * x[second, 2:]).sum(axis=1)
    z = embedding.prior.log_odds_of(first, second) + embedding.reach - embedding.spread.stiffness * apart
    assert np.allclose(embedding.log_odds_of(first, second), z)


@pytest.mark.parametrize("compared", [20_000, 50])
def test_likely_links_and_recommendations_are_the_likeliest(embedding, monkeypatch, compared):
    monkeypatch.setattr(ranking, "MAX_NODES_COMPARED", compared)
    first, second = np.triu_indices(120, 1)
    new = ~embedding.network.are_linked(first, second)
    best = np.sort(probability(embedding.log_odds_of(first[new], second[new])))[::-1][:40]
    assert np.allclose(embedding.likely_links(count=40)["probability"], best, rtol=1e-5)
    own = embedding.recommend(5, count=10)["probability"]
    assert np.allclose(own, embedding.likely_links(5, count=10)["probability"])


def test_explanations_add_up_and_agree_with_what_happens_without_a_link(opposites, embedding):
    why = embedding.explain(0, 1)
    assert np.isclose(why.probability, embedding.probability(0, 1), rtol=1e-5)
    assert why.parts.roles != 0 and [name for name, _ in why.lines()] == [
        "prior",
        "reach",
        "distance",
        "roles",
        "log-odds",
    ]
    objective = embedding.training_objective
    strongest = why.links[why.order[0]]
    kept = np.array([0, 1])
    pairs = opposites.links()
    rest = pairs[~((pairs[:, 0] == strongest.min()) & (pairs[:, 1] == strongest.max()))]
    smaller = replace(
        objective, network=ng.Network.from_edges(rest, nodes=list(range(120))), positions=objective.positions.copy()
    )
    # only the end that belongs to the pair moves
    node = np.array([end for end in strongest if end in kept][:1])
    smaller.positions[node] = place_again(replace(smaller), node, Threads(1))
    after = probability(replace(smaller).log_odds(kept[:1], kept[1:]))[0]
    before = probability(objective.log_odds(kept[:1], kept[1:]))[0]
    assert np.isclose(before - after, why.effects[why.order[0]], rtol=0.5, atol=0.01)


def test_a_file_keeps_them(embedding, tmp_path):
    embedding.save(tmp_path / "roles.ng")
    loaded = ng.load(tmp_path / "roles.ng")
    assert loaded == embedding and loaded.spread.repelling == 2
    assert loaded.fit.settings.repelling_shrinkage == 1.0
    assert loaded.probability(0, 1) == embedding.probability(0, 1)


def test_new_nodes_get_roles(embedding):
    larger = embedding.add("new", embedding.network.neighbours(0))
    assert larger.shape == (121, 4)
    near = larger.nearest("new", count=30)["node"].tolist()
    assert sum(node % 2 == 0 for node in near) > 20  # as node 0, and not as the neighbours of node 0


def test_labels_as_links_count_their_products(opposites):
    kind = dict(list(opposites.column("kind").items())[:60])
    settings = ng.Settings(dimensions=4, repelling=2, reach=2.0, shrinkage=0.5, repelling_shrinkage=1.0, max_steps=40)
    predicted = ng.predict_labels(opposites, kind, method="links", settings=settings)
    node = np.flatnonzero(predicted.labels.counts)
    label = np.full(len(node), 120)  # labels follow the nodes
    whole = predicted.embedding.log_odds_of(node, label) - predicted.embedding.prior.log_odds_of(node, label)
    gain = label_gain(predicted.embedding.positions, predicted.embedding.spread, predicted.labels)[:, 0]
    assert np.allclose(gain[node], whole, atol=1e-4)


def test_a_changed_network_goes_on_from_them(embedding):
    pairs = [*embedding.network.links().tolist(), (0, 119), (200, 0), (200, 2), (200, 4)]
    changed = embedding.update(ng.Network.from_edges(pairs))
    assert changed.spread.repelling == 2 and changed.shape == (121, 4)


def test_intervals_contain_the_probability(embedding):
    table = embedding.intervals([(0, 1), (0, 2), (5, 90)])
    assert np.all((table["low"] <= table["probability"]) & (table["probability"] <= table["high"]))


def test_the_start_of_a_large_network_is_large_where_neighbours_differ(opposites):
    links = LinkRows(opposites.indptr, opposites.indices)
    problem = Problem(links, None, None, 1.0, 0.0, Threads(1))
    start = sharpened_positions(problem, 4, 1.0, 0)
    first, second = opposites.links().T
    assert (start[first] * start[second]).sum() < 0 and np.all(np.isfinite(start))


@pytest.mark.parametrize(
    "settings,message",
    [
        ({"repelling": -1}, "at least 0"),
        ({"repelling": 1.5}, "whole number"),
        ({"repelling": 3, "dimensions": 2}, "counts all"),
        ({"repelling": 1, "reach": ng.Spread(1, 2, repelling=2)}, "leave one"),
        ({"repelling_shrinkage": -1}, "at least 0"),
    ],
)
def test_what_cannot_be_gets_a_message(settings, message):
    with pytest.raises(InputError, match=message):
        ng.Settings(**settings)


def test_roles_that_are_found_have_a_bound(opposites):
    found = ng.embed(opposites)
    roles = np.linalg.norm(found.positions[:, found.dimensions - found.repelling :], axis=1)
    assert roles.max() <= 2.0001 / found.fit.settings.spread.stiffness**0.5
    near = np.array([[9.0, 3.0, 4.0], [9.0, 0.3, 0.4]], dtype=np.float32)
    settings = ng.Settings(dimensions=3, repelling=2, reach=50.0).resolve(2)
    assert np.allclose(limit_roles(near, settings), [[9, 1.2, 1.6], [9, 0.3, 0.4]])
