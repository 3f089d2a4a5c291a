"""Nodes in another order in memory give the same fit; diffusion shows which nodes are near each other."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import netgiven as ng
from netgiven.fitting import fit
from netgiven.fitting.fit import make_problem
from netgiven.fitting.initialization import diffused_positions
from netgiven.fitting.objectives import ExactObjective
from netgiven.fitting.problem import Problem
from netgiven.fitting.settings import Settings
from netgiven.kernels.arrays import LinkRows
from netgiven.parallel import Threads
from tests.random_priors import drawn_links, expected_degrees, random_prior
from tests.strategies import networks

REACH = ng.Spread.from_reach(2.0)


@given(st.integers(0, 100))
def test_a_problem_in_another_order_has_the_same_objective(seed):
    random = np.random.default_rng(seed)
    prior = random_prior(certain=seed % 2 == 1, seed=seed)
    problem = Problem(drawn_links(prior, seed), prior, expected_degrees(prior), 0.9, 0.3, Threads(1))
    positions, order = (
        random.normal(size=(problem.node_count, 4)).astype(np.float32),
        random.permutation(problem.node_count),
    )
    value, gradient = ExactObjective(problem, 4)(positions, 1.0, 0)
    other_value, other_gradient = ExactObjective(fit.reordered(problem, order), 4)(positions[order], 1.0, 0)
    assert other_value == pytest.approx(value, rel=1e-6)
    assert np.allclose(other_gradient, gradient[order], rtol=1e-4, atol=1e-4 * np.abs(gradient).max())


@given(networks(), st.integers(0, 100))
def test_rows_are_renumbered_as_scipy_does(network, seed):
    order = np.random.default_rng(seed).permutation(network.node_count)
    links = LinkRows(network.indptr, network.indices)
    problem = Problem(links, None, None, 1.0, 0.0, Threads(1))
    indptr, indices = problem.reordered_links(order, np.argsort(order).astype(np.int32))["links"]
    values = np.ones(len(links.indices), dtype=np.int8)
    want_indptr, want_indices, _ = fit._reordered(*links, values, order)
    assert indptr.tolist() == want_indptr.tolist()
    assert indices.tolist() == want_indices.tolist()


def test_neighbours_in_the_order_are_neighbours_in_space(monkeypatch):
    monkeypatch.setattr("netgiven.fitting.fit.MAX_GROUP", 8)
    positions = np.random.default_rng(0).normal(size=(1_000, 4)).astype(np.float32)
    order = fit.nearby_order(positions)
    assert sorted(order) == list(range(1_000))
    steps = np.square(np.diff(positions[order], axis=0)).sum(axis=1)
    assert np.median(steps) < 0.4 * np.median(np.square(np.diff(positions, axis=0)).sum(axis=1))


def test_a_sorted_fit_is_as_good_and_calls_back_in_the_networks_order(monkeypatch):
    company, seen = ng.datasets.company(), {}

    def fit(name):
        settings = {"dimensions": 8, "reach": REACH, "shrinkage": 0.0, "method": "sampled", "threads": 2}
        return ng.embed(
            company, "degrees", callback=lambda _, positions: seen.update({name: positions.copy()}), **settings
        )

    plain = fit("plain")
    monkeypatch.setattr("netgiven.fitting.fit.MIN_BYTES", 0)
    monkeypatch.setattr("netgiven.fitting.fit.MAX_GROUP", 16)
    there = fit("sorted")
    assert there.positions.tobytes() == fit("again").positions.tobytes()
    assert there.log_likelihood == pytest.approx(plain.log_likelihood, rel=5e-3)
    far = np.square(there.positions[:, None] - there.positions[None]).sum(axis=2)
    last = np.square(seen["sorted"][:, None] - seen["sorted"][None]).sum(axis=2)
    assert np.corrcoef(far.ravel(), last.ravel())[0, 1] > 0.99


@given(networks())
def test_diffused_positions_are_finite_whatever_the_network(network):
    problem = make_problem(network, ng.density().fit(network), Settings().resolve(network.node_count), Threads(1))
    positions = diffused_positions(problem, 3, 0.5, seed=0)
    assert positions.shape == (network.node_count, 4)
    assert np.isfinite(positions).all()
    assert not positions[:, 3].any()


def test_diffusion_separates_communities_and_small_components_do_not_outgrow_them():
    drawn = ng.datasets.planted(3_000, 30_000, communities=4)
    pairs = drawn.network.links().tolist() + [[3_000 + 2 * k, 3_001 + 2 * k] for k in range(50)]
    network = ng.Network.from_edges(pairs, nodes=np.arange(3_110))  # the last ten have no links
    problem = make_problem(network, ng.degrees().fit(network), Settings().resolve(network.node_count), Threads(1))
    positions = diffused_positions(problem, 4, 1.0, seed=0)
    of_communities = positions[:3_000]
    means = np.stack([of_communities[drawn.community == k].mean(axis=0) for k in range(4)])
    within = np.square(of_communities - means[drawn.community]).sum(axis=1).mean()
    assert within < 0.25 * np.square(of_communities).sum(axis=1).mean()
    assert np.abs(positions[3_000:]).max() < 2.0
    assert np.abs(positions[3_100:] - positions[3_100]).max() < 1e-6


def test_many_nodes_begin_with_diffusion():
    assert Settings().resolve(200_000).init == "spectral"
    assert Settings().resolve(200_001).init == "diffusion"
