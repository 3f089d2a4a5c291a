"""Totals that were told in place of those of the network."""

import numpy as np
import pytest
from scipy import sparse

import netgiven as ng


@pytest.fixture(scope="module")
def network():
    return ng.datasets.company(60)


def together(a, b):
    return a.department == b.department


def ways(network):
    """The same constraint in each of its three forms."""
    rows = np.eye(8)[network.groups("department")[0]]
    return {
        "function": lambda total: ng.constraint(together, "department", total=total),
        "matrix": lambda total: ng.constraint(sparse.csr_array(rows @ rows.T), total=total),
        "rows": lambda total: ng.constraint(rows, total=total),
    }


@pytest.mark.parametrize("way", ["function", "matrix", "rows"])
@pytest.mark.parametrize("total", [20, 100, 200.5])
def test_what_was_told_is_expected(network, way, total):
    prior = (ng.density() + ways(network)[way](total)).fit(network)
    first, second = np.triu_indices(network.node_count, 1)
    group = network.groups("department")[0]
    chance = 1 / (1 + np.exp(-prior.log_odds_of(first, second)))
    assert np.isclose(chance[group[first] == group[second]].sum(), total, rtol=1e-8)
    assert np.isclose(chance.sum(), network.link_count, rtol=1e-8)


@pytest.mark.parametrize("way", ["function", "matrix", "rows"])
@pytest.mark.parametrize("total", [-5, 1e6])
def test_what_no_network_has_gets_a_sentence(network, way, total):
    with pytest.raises(ng.InputError, match=r"told a total of .* no network .*Check the total"):
        (ng.density() + ways(network)[way](total)).fit(network)


def test_what_contradicts_the_rest_gets_a_sentence(network):
    more = network.link_count + 10
    with pytest.raises(ng.InputError, match="no network"):
        (ng.density() + ways(network)["function"](more)).fit(network)


@pytest.mark.parametrize("total", [np.nan, np.inf, "many"])
def test_totals_are_numbers(total):
    with pytest.raises(ng.InputError, match="a finite number is needed"):
        ng.constraint(together, "department", total=total)


def test_constraints_of_one_sum_have_different_names():
    one, other = ng.constraint(together, "department"), ng.constraint(together, "project")
    assert one + one == one
    with pytest.raises(ng.InputError, match=r"called constraint:weights; give each"):
        one + other
