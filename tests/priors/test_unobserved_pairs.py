"""Unobserved pairs are left out of the prior, of the likelihood, and of splits."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import netgiven as ng
from netgiven.fitting.fit import make_problem
from netgiven.fitting.objectives import ExactObjective, SampledObjective
from netgiven.fitting.settings import Settings
from netgiven.kernels.arrays import padded
from netgiven.model import log_probability, log_probability_gradient, probability
from netgiven.observed_pairs import UnobservedPairs
from netgiven.parallel import Threads
from netgiven.priors.unobserved import RIDGE, mask_unobserved
from netgiven.splits import hide_links
from tests.strategies import networks

REACH = ng.Spread.from_reach(1.5)
FEW = {"dimensions": 2, "reach": REACH, "shrinkage": 0.1}


def medium(count=60, links=240, seed=0):
    random = np.random.default_rng(seed)
    nodes = {"node": range(count), "type": random.choice(list("ab"), count)}
    return ng.Network.from_edges(random.integers(count, size=(links, 2)), nodes)


def free_pairs(network):
    first, second = np.triu_indices(network.node_count, 1)
    free = ~network.are_linked(first, second)
    return np.column_stack([first[free], second[free]])


def some_unobserved(network, share, seed=0):
    """A share of the pairs without a link is unobserved: listed, and the same by listing the observed ones."""
    free = np.random.default_rng(seed).permutation(free_pairs(network))
    cut = int(share * len(free))
    names = network.nodes[free.ravel()].to_numpy().reshape(-1, 2)
    return network.with_unobserved(names[:cut]), network.with_observed(names[cut:])


def slow_objective(network, prior, positions, reach, shrinkage):
    """Sums over observed pairs alone."""
    x = positions.astype(float)
    first, second = np.triu_indices(network.node_count, 1)
    observed = network.are_observed(first, second)
    first, second = first[observed], second[observed]
    linked, apart = network.are_linked(first, second), x[first] - x[second]
    z = prior.log_odds_of(first, second) + reach - REACH.stiffness / 2 * np.square(apart).sum(axis=1)
    certain = np.isinf(z)
    value = -np.where(certain, 0.0, log_probability(np.where(certain, 0.0, z), linked)).sum()
    node_sums = log_probability_gradient(z, linked, REACH.stiffness, apart)
    gradient = shrinkage * x
    np.subtract.at(gradient, first, node_sums)
    np.add.at(gradient, second, node_sums)
    return value + shrinkage / 2 * np.square(x).sum(), gradient


@pytest.mark.parametrize("text", ["density", "degrees", "degrees+blocks:type", "degrees+common_neighbours"])
@pytest.mark.parametrize("share", [0.05, 0.9])
def test_the_objective_is_that_of_observed_pairs(text, share):
    for network in some_unobserved(medium(), share):
        prior = ng.parse_knowledge(text).fit(network)
        problem = make_problem(network, prior, Settings(**FEW).resolve(network.node_count), Threads(1))
        x = padded(np.random.default_rng(1).normal(size=(60, 3)))
        value, gradient = ExactObjective(problem, 4)(x, 1.5, 0)
        wanted, slopes = slow_objective(network, prior, x, 1.5, 0.1)
        assert value == pytest.approx(wanted, rel=1e-4)
        assert np.allclose(gradient, slopes, rtol=1e-3, atol=2e-3)
        drawn = [SampledObjective(problem, 4, 64, seed)(x, 1.5, 0)[0] for seed in range(200)]
        assert np.mean(drawn) == pytest.approx(wanted, abs=4 * np.std(drawn) / np.sqrt(200) + 0.05)


def observed_totals(network, prior):
    """Expected number of links of each node, over observed pairs."""
    first, second = np.triu_indices(network.node_count, 1)
    observed = network.are_observed(first, second)
    p = probability(prior.log_odds_of(first[observed], second[observed]))
    return sum(np.bincount(end[observed], p, network.node_count) for end in (first, second))


@given(networks(least=5, most=12), st.floats(0.1, 0.9), st.integers(0, 100))
def test_totals_are_met_up_to_the_ridge(network, share, seed):
    """expected - observed = ridge (center - multiplier), for a ridge in proportion to a node's unobserved pairs."""
    assume(network.link_count and len(free_pairs(network)) > 3)
    for part in some_unobserved(network, share, seed):
        prior, count = ng.degrees().fit(part), network.node_count
        first, second = np.triu_indices(count, 1)
        observed = part.are_observed(first, second)
        unobserved = sum(np.bincount(end[~observed], minlength=count) for end in (first, second))
        density = (network.link_count + 0.5) / (observed.sum() + 1)
        pulled = RIDGE * unobserved / (count - 1) * (np.log(density / (1 - density)) / 2 - prior.left[0])
        partly = unobserved > 0
        found = observed_totals(part, prior) - network.degrees
        assert np.allclose(found[partly], pulled[partly], atol=2e-3)
        assert np.allclose(found[~partly], 0, atol=0.02)
        assert np.allclose(mask_unobserved(prior, part).expected_degrees, observed_totals(part, prior), atol=1e-6)
        assert part.unobserved_count == np.count_nonzero(~observed)


@pytest.mark.parametrize("text", ["density", "degrees", "degrees+blocks:type", "group_degrees:type"])
@pytest.mark.parametrize("share", [0.2, 0.9])
def test_it_does_not_matter_which_side_is_listed(text, share):
    first, second = np.triu_indices(60, 1)
    one, other = (ng.parse_knowledge(text).fit(part) for part in some_unobserved(medium(), share))
    assert np.allclose(one.log_odds_of(first, second), other.log_odds_of(first, second), atol=0.01)


def test_links_of_a_node_with_few_observed_pairs_are_possible():
    network = ng.Network.from_edges(medium().links(), nodes={"node": range(62), "type": ["a", "b"] * 31})
    hidden = [(60, other) for other in range(50)]
    prior = ng.degrees().fit(network.with_unobserved(hidden))
    assert 0.001 < prior.probability(60, 55) < 0.1
    assert prior.probability(61, 55) == 0


def test_with_few_observed_pairs_totals_are_met_nearly_and_nothing_is_infinite():
    network = medium()
    _, few = some_unobserved(network, 0.9)
    prior = ng.degrees().fit(few)
    first, second = np.triu_indices(60, 1)
    observed = few.are_observed(first, second)
    p = probability(prior.log_odds_of(first, second))
    assert np.isfinite(prior.left).all() and 0 < p.min() < p.max() < 1
    expected = np.bincount(first[observed], p[observed], 60) + np.bincount(second[observed], p[observed], 60)
    assert np.corrcoef(expected, network.degrees)[0, 1] > 0.95
    assert p[observed].sum() == pytest.approx(network.link_count, rel=0.02)


@given(networks(least=4, most=10), st.integers(0, 100))
def test_unobserved_pairs_that_carry_no_weight_change_nothing(network, seed):
    """Pairs that the prior makes impossible add nothing, observed or not."""
    prior = ng.degrees().fit(network)
    free = free_pairs(network)
    impossible = free[np.isneginf(prior.log_odds_of(*free.T))]
    assume(len(impossible))
    names = network.nodes[impossible.ravel()].to_numpy().reshape(-1, 2)
    x = padded(np.random.default_rng(seed).normal(size=(network.node_count, 2)))
    found = [
        ExactObjective(make_problem(some, prior, Settings(**FEW).resolve(some.node_count), Threads(1)), 4)(x, 1.5, 0)
        for some in (network, network.with_unobserved(names))
    ]
    assert found[0][0] == pytest.approx(found[1][0], abs=1e-6)
    assert np.allclose(found[0][1], found[1][1], atol=1e-6)


def test_splits_keep_to_observed_pairs():
    for network in some_unobserved(medium(), 0.5):
        split = hide_links(network, 0.3)
        assert network.are_observed(*split.others.T).all()
        assert not network.are_linked(*split.others.T).any()
        assert split.train.unobserved is not None
        if network.unobserved.lists_observed:
            assert not split.train.are_observed(*split.pairs.T).any()


@pytest.mark.parametrize("side", [0, 1], ids=["unobserved pairs listed", "observed pairs listed"])
def test_an_embedding_keeps_unobserved_pairs(tmp_path, side):
    network = some_unobserved(medium(), 0.3)[side]
    embedding = ng.embed(network, **FEW)
    embedding.save(tmp_path / "x.ng")
    loaded = ng.load(tmp_path / "x.ng")
    assert loaded.network.unobserved.pairs.tolist() == network.unobserved.pairs.tolist()
    assert loaded.network.unobserved.lists_observed == network.unobserved.lists_observed
    assert loaded.log_likelihood == embedding.log_likelihood
    assert loaded.bits_per_link == embedding.bits_per_link
    first, second = np.triu_indices(60, 1)
    observed = network.are_observed(first, second)
    z, linked = (
        loaded.log_odds_of(first[observed], second[observed]),
        network.are_linked(first[observed], second[observed]),
    )
    certain = np.isinf(z)
    assert loaded.log_likelihood == pytest.approx(log_probability(z[~certain], linked[~certain]).sum(), rel=1e-3)
    assert probability(loaded.log_odds_of(first[~observed], second[~observed])).max() > 0


def test_bad_pairs_raise():
    network = ng.Network.from_edges([("ann", "bob"), ("bob", "cid"), ("cid", "dan")])
    with pytest.raises(ng.InputError, match="'ann' and 'bob' were given as an unobserved pair, but they are linked"):
        network.with_unobserved([("ann", "bob")])
    with pytest.raises(ng.InputError, match="paired with itself"):
        network.with_unobserved([("ann", "ann")])
    with pytest.raises(ng.InputError, match="There is no node 'zoe'"):
        network.with_observed([("ann", "zoe")])
    assert network.with_observed([("ann", "bob"), ("ann", "cid")]).unobserved.pairs.tolist() == [[0, 2]]


def test_pairs_are_listed_once_and_from_both_ends():
    unobserved = UnobservedPairs.from_pairs(np.array([0, 2, 1]), np.array([1, 0, 0]), 4, lists_observed=False)
    assert unobserved.pairs.tolist() == [[0, 1], [0, 2]]
    assert unobserved.contains(np.array([1, 2, 3]), np.array([0, 1, 0])).tolist() == [True, False, False]
