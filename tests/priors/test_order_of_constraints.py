"""A sum is the same prior in any order, also where it lists pairs of nodes."""

from itertools import permutations

import numpy as np
import pytest

import netgiven as ng


@pytest.fixture(scope="module")
def network():
    return ng.datasets.company(40)


@pytest.mark.parametrize(
    "constraints", [*permutations(["degrees", "blocks:department", "common_neighbours:adamic_adar"])]
)
def test_a_sum_is_the_same_prior_in_any_order(network, constraints):
    first, second = np.triu_indices(network.node_count, 1)
    reference = ng.parse_knowledge("common_neighbours:adamic_adar+degrees+blocks:department").fit(network)
    prior = ng.parse_knowledge("+".join(constraints)).fit(network)
    assert max(check.largest_relative_error for check in prior.checks) < 1e-8
    np.testing.assert_allclose(prior.expected_degrees, network.degrees, rtol=1e-8)
    np.testing.assert_allclose(
        prior.log_odds_of(first, second), reference.log_odds_of(first, second), rtol=1e-5, atol=1e-5
    )
