"""Constraints on pairs beside constraints on nodes: whichever comes first, pairs stay those of the same nodes."""

import numpy as np
import pytest

import netgiven as ng


def regression(network):
    """log P of the network under degrees and common neighbours, by Newton steps over all pairs."""
    count = network.node_count
    first, second = np.triu_indices(count, 1)
    adjacency = network.to_scipy().toarray().astype(float)
    features = np.zeros((len(first), count + 1))
    features[np.arange(len(first)), first] = features[np.arange(len(first)), second] = 1
    features[:, count] = (adjacency @ adjacency)[first, second]
    truth, multipliers = adjacency[first, second], np.zeros(count + 1)
    for _ in range(30):
        probabilities = 1 / (1 + np.exp(-features @ multipliers))
        curvature = features.T @ (features * (probabilities * (1 - probabilities))[:, None])
        multipliers -= np.linalg.lstsq(curvature, features.T @ (probabilities - truth), rcond=None)[0]
    log_odds = features @ multipliers
    return multipliers[-1], float(truth @ log_odds - np.logaddexp(0, log_odds).sum())


@pytest.mark.parametrize("text", ["degrees+common_neighbours", "common_neighbours+degrees"])
def test_degrees_and_common_neighbours_are_a_regression_over_all_pairs(text):
    network = ng.datasets.company(people=60)
    prior = ng.parse_knowledge(text).fit(network)
    multiplier, log_likelihood = regression(network)
    assert prior.log_likelihood(network.links()) == pytest.approx(log_likelihood, rel=1e-9)
    assert prior.listed.value[0].min() == pytest.approx(multiplier, rel=1e-8)  # of pairs with one common neighbour
    assert np.allclose(prior.expected_degrees, network.degrees, rtol=1e-9)
