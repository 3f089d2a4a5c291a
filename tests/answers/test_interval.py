"""Intervals: the curvature behind them against finite differences, their laws, and what they cover."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import netgiven as ng
from netgiven.analysis.intervals import coverage, curvature, intervals
from netgiven.analysis.local_objective import View
from netgiven.model import probability
from tests.answers.test_view import view_of
from tests.strategies import networks


def objective_of(view, node):
    """Minus the log-likelihood of one node's pairs, in its multiplier's change and its position."""
    others = np.delete(np.arange(view.network.node_count), node)
    linked = view.network.are_linked(np.full(len(others), node), others)
    known = view.prior.log_odds_of(np.full(len(others), node), others)
    others, linked, known = (some[np.isfinite(known)] for some in (others, linked, known))  # the rest is certain

    def value(theta):
        apart = np.square(theta[1:] - view.positions[others].astype(float)).sum(axis=1)
        z = theta[0] + known + view.reach - view.spread.stiffness / 2 * apart
        return (np.logaddexp(0, z) - linked * z).sum() + view.shrinkage / 2 * np.square(theta[1:]).sum()

    return value


def bends(function, point, step=1e-3):
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
def test_the_curvature_is_that_of_finite_differences(network, text, dimensions):
    view = view_of(network, text, dimensions, 0.5)
    with_multipliers = np.ptp(view.prior.own[0]) > 0
    for node, found in enumerate(curvature(view, np.arange(network.node_count))):
        point = np.concatenate([[0.0], view.positions[node]])
        wanted = bends(objective_of(view, node), point)
        assert np.allclose(found, wanted if with_multipliers else wanted[1:, 1:], rtol=1e-3, atol=1e-3)


@given(networks(least=4, most=12), st.integers(1, 3), st.floats(0.5, 0.99))
def test_intervals_hold_their_probability_grow_with_the_level_and_know_no_direction(network, dimensions, level):
    view = view_of(network, "degrees", dimensions, 1.0)
    first, second = np.triu_indices(network.node_count, 1)
    found, wider = intervals(view, first, second, level), intervals(view, first, second, (1 + level) / 2)
    assert (found.low <= found.probability).all()
    assert (found.probability <= found.high).all()
    assert (wider.low <= found.low).all()
    assert (found.high <= wider.high).all()
    for ours, theirs in zip(found, intervals(view, second, first, level), strict=True):
        assert np.allclose(ours, theirs)
    certain = np.isinf(view.prior.log_odds_of(first, second))
    assert (found.low == found.high)[certain].all()


def test_batches_change_nothing(monkeypatch):
    view = view_of(ng.datasets.company(people=120), "degrees", 3, 0.0)
    pairs = np.random.default_rng(0).integers(120, size=(2, 300))
    whole = intervals(view, *pairs)
    monkeypatch.setattr("netgiven.analysis.intervals.BATCH", 7)
    assert all(np.allclose(ours, theirs) for ours, theirs in zip(whole, intervals(view, *pairs), strict=True))


def test_true_probabilities_lie_within():
    settings = {"dimensions": 4, "spread": ng.Spread.from_reach(2), "shrinkage": 0.0}
    truth = ng.embed(ng.datasets.company(people=200), "degrees", **settings)
    pairs = np.triu_indices(200, 1)
    true = probability(truth.log_odds_of(*pairs))
    linked = np.random.default_rng(0).random(len(true)) < true
    drawn = ng.Network.from_edges(np.column_stack(pairs)[linked], nodes=list(range(200)))
    found = ng.embed(drawn, "degrees", **settings)
    view = View(drawn, found.prior, found.positions, found.spread)
    assert coverage(intervals(view, *pairs, level=0.9), true) > 0.8
    assert coverage(intervals(view, *pairs, level=0.5), true) < 0.8


def test_a_level_outside_of_its_range_gets_a_sentence():
    view = view_of(ng.datasets.company(people=50), "degrees", 2, 0.0)
    with pytest.raises(ng.InputError, match="between 0 and 1"):
        intervals(view, np.array([0]), np.array([1]), 90)
