"""Confidence intervals: their curvature agrees with finite differences, and they cover true probabilities."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special

import netgiven as ng
from netgiven.analysis.intervals import coverage, curvature, intervals
from netgiven.analysis.local_objective import LocalObjective
from netgiven.fitting.fit import calibrate_reach, spread_with
from netgiven.model import probability
from tests.helpers import local_objective
from tests.strategies import networks

PAIRS = np.column_stack(np.triu_indices(30, 1))


def negative_log_likelihood(objective, node):
    """Minus the log-likelihood of the pairs of one node, as a function of its multiplier and position.

    Links count with their probabilities where the node has fewer links than expected: the expected curvature.
    """
    others = np.delete(np.arange(objective.network.node_count), node)
    linked = objective.network.are_linked(np.full(len(others), node), others)
    offset = objective.prior.log_odds_of(np.full(len(others), node), others)
    expected = probability(objective.log_odds(np.full(len(others), node), others))
    linked = linked if linked.sum() > expected.sum() else expected
    others, linked, offset = (
        some[np.isfinite(offset)] for some in (others, linked, offset)
    )  # the other pairs are certain

    def value(theta):
        squared = np.square(theta[1:] - objective.positions[others].astype(float)).sum(axis=1)
        z = theta[0] + offset + objective.reach - objective.spread.stiffness / 2 * squared
        return (np.logaddexp(0, z) - linked * z).sum() + objective.shrinkage / 2 * np.square(theta[1:]).sum()

    return value


def second_derivatives(function, point, step=1e-3):
    size = len(point)
    steps = step * np.eye(size)
    return np.array(
        [
            [
                function(point + a + b) - function(point + a - b) - function(point - a + b) + function(point - a - b)
                for b in steps
            ]
            for a in steps
        ]
    ) / (4 * step**2)


@given(networks(least=4, most=9), st.sampled_from(["degrees", "degrees+blocks:type", "blocks:type"]), st.integers(1, 3))
def test_curvature_agrees_with_finite_differences(network, text, dimensions):
    objective = local_objective(network, text, dimensions, 0.5)
    with_multipliers = np.ptp(objective.prior.left[0]) > 0
    for node, found in enumerate(curvature(objective, np.arange(network.node_count))):
        point = np.concatenate([[0.0], objective.positions[node]])
        wanted = second_derivatives(negative_log_likelihood(objective, node), point)
        assert np.allclose(found, wanted if with_multipliers else wanted[1:, 1:], rtol=1e-3, atol=1e-3)


@given(networks(least=4, most=12), st.integers(1, 3), st.floats(0.5, 0.99))
def test_intervals_contain_the_probability_grow_with_the_level_and_are_symmetric(network, dimensions, level):
    objective = local_objective(network, "degrees", dimensions, 1.0)
    first, second = np.triu_indices(network.node_count, 1)
    found, wider = intervals(objective, first, second, level), intervals(objective, first, second, (1 + level) / 2)
    assert (found.low <= found.probability).all()
    assert (found.probability <= found.high).all()
    assert (wider.low <= found.low).all()
    assert (found.high <= wider.high).all()
    for one, other in zip(found, intervals(objective, second, first, level), strict=True):
        assert np.allclose(one, other)
    certain = np.isinf(objective.prior.log_odds_of(first, second))
    assert (found.low == found.high)[certain].all()


def default_embedding():
    """An embedding with chosen settings: its reach was balanced after the fit."""
    embedding = ng.embed(ng.datasets.planted(300, 3_000, communities=10).network, "degrees")
    assert embedding.reach > embedding.fit.settings.reach + 0.2
    return embedding


def test_intervals_of_a_default_embedding_end():
    embedding = default_embedding()
    found = embedding.intervals(embedding.network.links())
    assert (found["high"] - found["low"] < 0.9).all()


def test_intervals_are_as_wide_with_any_reach_of_predictions():
    trained = ng.embed(ng.datasets.company(people=80), "degrees", dimensions=4, reach=2.0, shrinkage=0.3)
    raised = replace(trained, spread=spread_with(3.0, trained.spread.stiffness))
    first, second = (special.logit(one.intervals(trained.nodes.to_numpy()[PAIRS])) for one in (trained, raised))
    assert np.allclose(second["probability"] - first["probability"], 1.0)
    assert np.allclose(second["high"] - second["low"], first["high"] - first["low"])


def test_intervals_cover_a_default_embedding_from_which_the_network_is_drawn():
    truth = default_embedding()
    pairs = np.column_stack(np.triu_indices(len(truth), 1))
    true = probability(truth.log_odds_of(*pairs.T))
    drawn = ng.Network.from_edges(pairs[np.random.default_rng(0).random(len(true)) < true], nodes=list(range(300)))
    settings = truth.fit.settings
    found = ng.embed(
        drawn, "degrees", dimensions=settings.dimensions, reach=settings.spread, shrinkage=settings.shrinkage
    )
    balanced = calibrate_reach(drawn, found.prior, found.fit.settings, found.positions)
    intervals_again = replace(found, spread=balanced).intervals(pairs)
    inside = (intervals_again["low"] <= true) & (true <= intervals_again["high"])
    assert 0.85 < inside.mean() < 0.95


def test_a_node_whose_links_were_certain_in_the_training_only():
    """The prior of the training is certain that a node without links has none; that of predictions is not."""
    ring = ng.Network.from_edges([(i, (i + 1) % 12) for i in range(12)], nodes=list(range(13)))
    settings = {"dimensions": 2, "reach": 2.0, "shrinkage": 0.5}
    embedding = ng.embed(ring, train_given="degrees+density", predict_given="density", **settings)
    found = embedding.intervals([(12, 0), (0, 1)])
    assert ((found["low"] < found["probability"]) & (found["probability"] < found["high"])).all()
    assert (found["high"] - found["low"] < 0.9).all()


def test_a_fit_far_from_its_optimum_has_intervals_that_end():
    """After three steps the objective curves downwards in some directions."""
    embedding = ng.embed(ng.datasets.company(people=100), "degrees", dimensions=8, reach=6.0, max_steps=3)
    hessian = embedding.training_objective.derivatives(np.arange(100)).hessian
    assert (np.linalg.eigvalsh(hessian)[:, 0] < 0).any()
    assert (np.linalg.eigvalsh(curvature(embedding.training_objective, np.arange(100)))[:, 0] > 0).all()


def test_batches_change_nothing(monkeypatch):
    objective = local_objective(ng.datasets.company(people=120), "degrees", 3, 0.0)
    pairs = np.random.default_rng(0).integers(120, size=(2, 300))
    whole = intervals(objective, *pairs)
    monkeypatch.setattr("netgiven.analysis.intervals.NUMBERS", 7 * 4**2)
    assert all(np.allclose(ours, theirs) for ours, theirs in zip(whole, intervals(objective, *pairs), strict=True))


def test_true_probabilities_lie_within():
    settings = {"dimensions": 4, "reach": 2, "shrinkage": 0.0}
    truth = ng.embed(ng.datasets.company(people=200), "degrees", **settings)
    pairs = np.triu_indices(200, 1)
    true = probability(truth.log_odds_of(*pairs))
    linked = np.random.default_rng(0).random(len(true)) < true
    drawn = ng.Network.from_edges(np.column_stack(pairs)[linked], nodes=list(range(200)))
    found = ng.embed(drawn, "degrees", **settings)
    objective = LocalObjective(drawn, found.prior, found.positions, found.spread)
    assert coverage(intervals(objective, *pairs, level=0.9), true) > 0.8
    assert coverage(intervals(objective, *pairs, level=0.5), true) < 0.8


def test_a_level_outside_of_its_range_is_an_error():
    objective = local_objective(ng.datasets.company(people=50), "degrees", 2, 0.0)
    with pytest.raises(ng.InputError, match="between 0 and 1"):
        intervals(objective, np.array([0]), np.array([1]), 90)
