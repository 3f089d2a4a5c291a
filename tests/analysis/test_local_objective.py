"""The objective around one node agrees with finite differences of the reference objective."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from netgiven.kernels import reference
from netgiven.kernels.arrays import LinkRows, ModelArrays
from tests.helpers import local_objective
from tests.strategies import networks

PRIORS = ["density", "degrees", "blocks:type", "degrees+blocks:type", "degrees+common_neighbours"]


def gradient_at(objective, node):
    """The reference gradient with respect to the position of one node, as a function of that position, in float64."""
    links = LinkRows(objective.network.indptr, objective.network.indices)
    prior, stiffness = objective.prior.arrays, objective.spread.stiffness

    def at(position):
        moved = objective.positions.astype(np.float64)
        moved[node] = position
        model = ModelArrays(moved, prior, np.float64(objective.reach), np.float64(stiffness / 2))
        return reference.objective(model, links, objective.shrinkage)[1][node]

    return at


@given(networks(least=3, most=9), st.sampled_from(PRIORS), st.integers(1, 4), st.floats(0, 2))
def test_gradient_and_hessian_are_those_of_finite_differences(network, given_text, dimensions, shrinkage):
    objective = local_objective(network, given_text, dimensions, shrinkage)
    nodes = np.arange(network.node_count)
    gradient, hessian = objective.derivatives(nodes)
    for node in nodes:
        at, here = gradient_at(objective, node), objective.positions[node].astype(np.float64)
        assert np.allclose(gradient[node], at(here), rtol=1e-4, atol=1e-4)
        for k, step in enumerate(1e-5 * np.eye(dimensions)):
            slope = (at(here + step) - at(here - step)) / 2e-5
            assert np.allclose(hessian[node, k], slope, rtol=1e-3, atol=1e-3)
