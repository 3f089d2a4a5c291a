"""Degrees as samples: the estimate of missing links, priors with uncertain degrees, and predictions with them."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import netgiven as ng
from netgiven.errors import InputError
from netgiven.metrics import auc
from netgiven.priors.knowledge import fit_prior
from netgiven.priors.missing_links import expected_degrees, may_miss_links
from netgiven.splits import hide_links
from tests.strategies import networks


def pool(count):
    return np.zeros(count, dtype=np.int64)


@pytest.mark.parametrize("seen", [0.3, 0.5, 0.9])
@pytest.mark.parametrize("kind", ["leaves", "regular", "heavy tail"])
def test_the_estimate_is_proportional_to_what_is_missing_whatever_the_degrees_are(seen, kind):
    random = np.random.default_rng(1)
    true = {
        "leaves": np.repeat([1, 2, 8], [100_000, 20_000, 5_000]),
        "regular": np.full(100_000, 4),
        "heavy tail": np.minimum(random.zipf(2.3, 100_000), 30),
    }[kind]
    observed = random.binomial(true, seen)
    degree, of, size = np.unique(observed, return_inverse=True, return_counts=True)
    estimate = expected_degrees(degree, size, pool(len(degree)))
    missing = np.bincount(of, true - observed) / size
    many = (size > 3_000) & (missing > 0)
    ratio = estimate[many] / (missing[many] * seen / (1 - seen))
    assert many.sum() >= 2 and np.abs(ratio - 1).max() < 0.1


@given(st.lists(st.tuples(st.integers(0, 40), st.integers(1, 200), st.integers(0, 2)), min_size=1, max_size=30))
def test_each_pool_keeps_the_sum_of_its_degrees(classes):
    degree, size, group = np.array(classes, dtype=np.int64).T
    estimate = expected_degrees(degree, size, group)
    for one in np.unique(group):
        inside = group == one
        total = degree[inside] @ size[inside]
        assert estimate[inside] @ size[inside] == pytest.approx(total)
        assert (estimate[inside] >= 0).all()


def test_a_node_without_links_is_expected_to_have_some_even_among_few_nodes():
    assert expected_degrees(np.array([0, 2]), np.array([1, 3]), pool(2))[0] > 0


@given(networks(most=12), st.sampled_from([0.1, 0.5, 0.9]))
def test_with_uncertain_degrees_no_pair_is_certain_and_the_number_of_links_is_kept(network, uncertainty):
    prior = ng.degrees(uncertainty).fit(network)
    first, second = np.triu_indices(network.node_count, 1)
    p = 1 / (1 + np.exp(-prior.log_odds_of(first, second)))
    assert p.sum() == pytest.approx(network.link_count, abs=1e-3)
    if 0 < network.link_count < len(first):
        assert (p > 0).all()
        assert (p < 1).all()


def thinned_company(people=600, share=0.95, seed=0):
    return hide_links(ng.datasets.company(people=people, seed=seed), share, seed, split="random")


def test_groups_still_rule_out_links():
    people = [f"p{i}" for i in range(80)]
    films = [f"f{i}" for i in range(40)]
    random = np.random.default_rng(0)
    links = {(people[random.integers(60)], films[random.integers(30)]) for _ in range(150)}
    side = ["person"] * 80 + ["film"] * 40
    network = ng.Network.from_edges(sorted(links), nodes=people + films).with_columns(pd.DataFrame({"side": side}))
    prior = (ng.degrees(0.5) + ng.blocks("side")).fit(network)
    assert prior.probability("p79", "p0") == 0
    assert 0 < prior.probability("p79", "f0") < 1
    assert 0 < prior.probability("p79", "f39") < 1
    assert prior.checks[1].largest_relative_error < 1e-6


def test_degrees_towards_groups_can_be_uncertain_too():
    split = thinned_company()
    prior = ng.group_degrees("department", uncertainty=0.5).fit(split.train)
    alone = np.flatnonzero(split.train.degrees == 0)
    assert len(alone) > 5
    assert (prior.expected_degrees[alone] > 0).all()


def test_texts_of_uncertain_degrees_are_read_back():
    assert str(ng.degrees(uncertainty=0.25)) == "degrees:uncertainty=0.25"
    network = thinned_company().train
    text = "degrees:uncertainty=0.25+blocks:department"
    prior = fit_prior(network, text)
    assert prior.knowledge == text
    assert fit_prior(network, "degrees:uncertainty=0").knowledge == "degrees"


@pytest.mark.parametrize("uncertainty", [1, -0.1, "much", float("nan")])
def test_an_uncertainty_out_of_range_is_refused(uncertainty):
    with pytest.raises(InputError, match="uncertainty"):
        ng.degrees(uncertainty)


def test_the_same_degrees_are_not_given_with_two_uncertainties():
    with pytest.raises(InputError, match="two uncertainties"):
        ng.degrees(0.5) + ng.degrees(0.25)


# ---- predictions -----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def split():
    return hide_links(ng.datasets.planted(600, 2_000, seed=1).network, 0.5, split="random")


@pytest.fixture(scope="module")
def embedding(split):
    return ng.embed(split.train)


def test_links_missing_at_random_are_predicted_better_with_uncertain_degrees(split, embedding):
    exact = ng.embed(split.train, ng.degrees(uncertainty=0))
    assert exact.prior.knowledge == "degrees"
    assert embedding.prior.knowledge.startswith("degrees:uncertainty=")
    scores = [auc(split.truth, one.log_odds_of(*split.pairs.T)) for one in (embedding, exact)]
    assert scores[0] > scores[1] + 0.05


def test_nodes_without_links_are_in_the_middle_and_may_have_links(split, embedding):
    alone = np.flatnonzero(split.train.degrees == 0)
    others = embedding.positions[split.train.degrees > 0]
    radius = np.linalg.norm(others - others.mean(axis=0), axis=1).mean()
    assert np.linalg.norm(embedding.positions[alone] - embedding.positions.mean(axis=0), axis=1).max() < 0.1 * radius
    assert 0 < embedding.probability(split.train.nodes[alone[0]], split.train.nodes[0]) < 1


def test_where_no_node_is_without_links_degrees_are_taken_as_they_are():
    network = hide_links(ng.datasets.company(people=300), 0.5).train
    assert (network.degrees > 0).all()
    assert ng.embed(network).prior.knowledge == "degrees"


def test_maps_and_the_training_prior_have_degrees_as_they_are(embedding):
    assert embedding.fit.prior.knowledge == "degrees"
    assert embedding.exact_prior is embedding.fit.prior
    planar = embedding.map()
    assert "uncertainty" not in str(planar)


def test_nodes_are_added_and_embeddings_updated_with_the_same_uncertainty(embedding, split, tmp_path):
    path = tmp_path / "company.ng"
    embedding.save(path)
    loaded = ng.load(path)
    added = loaded.add("new", [split.train.nodes[0], split.train.nodes[1]])
    assert added.prior.knowledge == embedding.prior.knowledge
    assert 0 < added.probability("new", split.train.nodes[2]) < 1
    updated = loaded.update(split.train)
    assert updated.prior.knowledge == embedding.prior.knowledge
    assert updated.spread.stiffness == pytest.approx(embedding.spread.stiffness)


@pytest.mark.parametrize(
    ("counts", "may"),
    [
        ([0, 200, 50, 40], False),  # all nodes are linked
        ([3, 200, 50, 40], False),  # too few without links: at most 1.5 % can be missing
        ([100, 200, 50, 40], True),
        ([100, 0, 50], True),
        ([0], False),
    ],
)
def test_whether_links_may_be_missing_at_random(counts, may):
    degrees = np.repeat(np.arange(len(counts)), counts)
    assert may_miss_links(degrees) is may
