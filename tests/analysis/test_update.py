"""Updates: an embedding of a changed network, from the positions of the old one."""

import numpy as np
import pytest

import netgiven as ng
from netgiven.fitting.objectives import sampled
from netgiven.network import Network

FIXED = {"dimensions": 4, "reach": 3.0, "shrinkage": 0.2, "threads": 1}


@pytest.fixture(scope="module")
def company():
    return ng.datasets.company(people=120)


def thinned(network, share=0.05, gone=3):
    """The network without some links and without the last nodes."""
    kept = np.random.default_rng(0).random(network.link_count) > share
    links = network.links()[kept]
    links = links[links.max(axis=1) < network.node_count - gone]
    names = network.nodes[: network.node_count - gone]
    pairs = [(names[i], names[j]) for i, j in links]
    return Network.from_edges(pairs, names)


@pytest.mark.parametrize("method", ["exact", "sampled"])
@pytest.mark.parametrize("given", ["degrees", "degrees+blocks:department"])
def test_a_warm_fit_is_as_good_as_a_cold_one(company, given, method):
    small = thinned(company)
    columns = company.columns.iloc[: small.node_count]
    base = ng.embed(company, given, **FIXED, method=method)
    warm = base.update(small)
    cold = ng.embed(small.with_columns(columns), given, **FIXED, method=method)
    assert warm.prior.left.tobytes() == cold.prior.left.tobytes()  # columns were taken from the old network
    assert len(warm.fit.steps) < len(cold.fit.steps) / 3
    tolerance = 1.002 if method == "exact" else 1.02
    assert -warm.log_likelihood < -cold.log_likelihood * tolerance
    assert warm.nodes.equals(small.nodes)


def test_new_nodes_are_placed_first(company):
    small = thinned(company, share=0.0, gone=10)
    base = ng.embed(small, "degrees", **FIXED)
    warm, cold = base.update(company), ng.embed(company, "degrees", **FIXED)
    assert -warm.log_likelihood < -cold.log_likelihood * 1.005
    assert len(warm) == len(company.nodes)


def test_an_unchanged_network_keeps_its_distances(company):
    base = ng.embed(company, "degrees", **FIXED, tolerance=1e-9)
    again = base.update(company)
    distances = np.linalg.norm(base.positions[:, None] - base.positions, axis=2)
    assert np.allclose(np.linalg.norm(again.positions[:, None] - again.positions, axis=2), distances, atol=0.05)
    assert again.spread == base.spread


def test_the_same_bytes_on_any_threads_and_after_saving(company, tmp_path):
    base = ng.embed(company, "degrees", **FIXED, method=sampled(64))
    base.save(tmp_path / "base.ng")
    small = thinned(company)
    first = base.update(small)
    second = ng.load(tmp_path / "base.ng", threads=2).update(small)
    assert first.positions.tobytes() == second.positions.tobytes()
    assert second.fit.settings.method == sampled(64)


def test_a_chosen_reach_is_calibrated_again(company):
    base = ng.embed(company, "degrees", dimensions=4, shrinkage=1.0, threads=1)
    updated = base.update(thinned(company))
    assert updated.history["reach"].iloc[-1] == pytest.approx(base.history["reach"].iloc[-1])
    expected = sum(
        updated.probabilities([(a, b) for b in updated.nodes[place + 1 :]]).sum()
        for place, a in enumerate(updated.nodes[:-1])
    )
    assert expected == pytest.approx(updated.network.link_count, rel=0.02)


def test_networks_that_cannot_be_updated(company):
    base = ng.embed(company, "degrees", **FIXED, max_steps=1)
    with pytest.raises(ng.InputError, match="no node in common"):
        base.update(Network.from_edges([("x", "y"), ("y", "z")]))
    learned = ng.embed(company, ng.degrees().learn(company), **FIXED, max_steps=1)
    with pytest.raises(ng.InputError, match="learned elsewhere"):
        learned.update(company)
    assert learned.update(company, given="degrees").prior.knowledge == "degrees"
