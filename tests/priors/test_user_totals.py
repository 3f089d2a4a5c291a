"""Totals set by the user in place of those of the network."""

import numpy as np
import pytest
from scipy import sparse

import netgiven as ng


@pytest.fixture(scope="module")
def network():
    return ng.datasets.company(60)


def together(a, b):
    return a.department == b.department


def forms(network):
    """The same constraint in each of its three forms."""
    rows = np.eye(8)[network.groups("department")[0]]
    return {
        "function": lambda total: ng.constraint(together, "department", total=total),
        "matrix": lambda total: ng.constraint(sparse.csr_array(rows @ rows.T), total=total),
        "rows": lambda total: ng.constraint(rows, total=total),
    }


@pytest.mark.parametrize("form", ["function", "matrix", "rows"])
@pytest.mark.parametrize("total", [20, 100, 200.5])
def test_user_totals_are_expected(network, form, total):
    prior = (ng.density() + forms(network)[form](total)).fit(network)
    first, second = np.triu_indices(network.node_count, 1)
    group = network.groups("department")[0]
    probabilities = 1 / (1 + np.exp(-prior.log_odds_of(first, second)))
    assert np.isclose(probabilities[group[first] == group[second]].sum(), total, rtol=1e-8)
    assert np.isclose(probabilities.sum(), network.link_count, rtol=1e-8)


@pytest.mark.parametrize("form", ["function", "matrix", "rows"])
@pytest.mark.parametrize("total", [-5, 1e6])
def test_totals_that_no_network_has_raise(network, form, total):
    with pytest.raises(ng.InputError, match=r"given a total of .* no network .*Check the total"):
        (ng.density() + forms(network)[form](total)).fit(network)


def test_contradicting_totals_raise(network):
    more = network.link_count + 10
    with pytest.raises(ng.InputError, match="no network"):
        (ng.density() + forms(network)["function"](more)).fit(network)


@pytest.mark.parametrize("total", [np.nan, np.inf, "many"])
def test_totals_are_numbers(total):
    with pytest.raises(ng.InputError, match="a finite number is needed"):
        ng.constraint(together, "department", total=total)


def test_constraints_of_one_sum_have_different_names():
    one, other = ng.constraint(together, "department"), ng.constraint(together, "project")
    assert one + one == one
    with pytest.raises(ng.InputError, match=r"called constraint:weights; give each"):
        one + other
