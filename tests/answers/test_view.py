"""The objective around a node, against finite differences of the whole one."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import netgiven as ng
from netgiven.analysis.local_objective import View
from netgiven.kernels import reference
from netgiven.kernels.arrays import Links, Scene
from tests.strategies import networks

PRIORS = ["density", "degrees", "blocks:type", "degrees+blocks:type", "degrees+common_neighbours"]


def view_of(network, given_text, dimensions, shrinkage):
    positions = np.random.default_rng(0).normal(size=(network.node_count, dimensions)).astype(np.float32)
    prior = ng.parse_knowledge(given_text).fit(network)
    return View(network, prior, positions, ng.Spread.from_reach(1.5), shrinkage)


def slopes(view, node):
    """The reference's gradient in the position of one node, as a function of that position, in double precision."""
    links = Links(view.network.indptr, view.network.indices)
    prior, stiffness = view.prior.arrays, view.spread.stiffness

    def at(position):
        moved = view.positions.astype(np.float64)
        moved[node] = position
        scene = Scene(moved, prior, np.float64(view.reach), np.float64(stiffness / 2))
        return reference.objective(scene, links, view.shrinkage)[1][node]

    return at


@given(networks(least=3, most=9), st.sampled_from(PRIORS), st.integers(1, 4), st.floats(0, 2))
def test_gradient_and_hessian_are_those_of_finite_differences(network, given_text, dimensions, shrinkage):
    view = view_of(network, given_text, dimensions, shrinkage)
    nodes = np.arange(network.node_count)
    gradient, hessian = view.surface(nodes)
    for node in nodes:
        at, here = slopes(view, node), view.positions[node].astype(np.float64)
        assert np.allclose(gradient[node], at(here), rtol=1e-4, atol=1e-4)
        for k, step in enumerate(1e-5 * np.eye(dimensions)):
            slope = (at(here + step) - at(here - step)) / 2e-5
            assert np.allclose(hessian[node, k], slope, rtol=1e-3, atol=1e-3)
