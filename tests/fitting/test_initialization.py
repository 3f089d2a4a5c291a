"""Lifted initialization: few dimensions begin in twice as many, and the others are squeezed away."""

import numpy as np
import pytest

import netgiven as ng
from netgiven.fitting.fit import initial_positions, make_problem
from netgiven.fitting.initialization import InitialFit, Penalized, squeezed_positions
from netgiven.fitting.objectives import ExactObjective
from netgiven.fitting.settings import Settings
from netgiven.kernels.arrays import padded
from netgiven.parallel import threads

REACH = ng.Spread(1.0, 15.0)


@pytest.fixture(scope="module")
def company():
    return ng.datasets.company()


def fit(network, given, **settings):
    return ng.embed(network, given, dimensions=2, reach=REACH, shrinkage=0.0, progress=False, **settings)


@pytest.mark.parametrize("given", ["density", "degrees", "degrees+blocks:department"])
def test_no_other_initialization_ends_at_a_better_likelihood(company, given):
    prior = ng.parse_knowledge(given).fit(company)
    found = {
        init: max(fit(company, prior, init=init, seed=seed).log_likelihood for seed in (0, 1))
        for init in ("lifted", "spectral", "random")
    }
    assert found["lifted"] > 1.0005 * max(found.values())
    if "blocks" in given:  # four project teams on a ring: in the plane, eigenvectors put two in the wrong places
        assert found["lifted"] > 0.995 * found["spectral"]


@pytest.mark.parametrize("dimensions", [1, 2, 3])
def test_what_is_squeezed_away_is_small(company, dimensions):
    prior = ng.degrees().fit(company)
    settings = Settings(dimensions=dimensions, reach=REACH).resolve(company.node_count)
    assert settings.init == "lifted"
    with threads(1) as engine:
        problem = make_problem(company, prior, settings, engine)
        wide = padded(np.random.default_rng(0).normal(size=(company.node_count, 2 * dimensions)))
        start = InitialFit(company, prior, problem, dimensions, settings.method, settings.schedule(), settings.seed)
        flat = squeezed_positions(start, wide)  # moves `wide` on its way
    assert np.std(wide[:, dimensions : 2 * dimensions]) < 0.02 * np.std(wide[:, :dimensions])
    np.testing.assert_array_equal(flat[:, :dimensions], wide[:, :dimensions])


def test_the_penalty_has_the_gradient_of_its_value(company):
    prior = ng.degrees().fit(company)
    settings = Settings(dimensions=2, reach=REACH).resolve(company.node_count)
    positions = padded(np.random.default_rng(1).normal(size=(company.node_count, 4)))
    with threads(1) as engine:
        penalized = Penalized(ExactObjective(make_problem(company, prior, settings, engine), 4), 2, weight=0.3)
        _, gradient = penalized(positions, 2.0, step=3)
        gradient = gradient.copy()
        for place in ((5, 1), (5, 2), (9, 3)):
            moved = [positions.copy(), positions.copy()]
            moved[0][place] += 1e-2
            moved[1][place] -= 1e-2
            (above, _), (below, _) = (penalized(there, 2.0, step=3) for there in moved)
            assert (above - below) / 2e-2 == pytest.approx(gradient[place], rel=1e-3, abs=1e-2)


@pytest.mark.parametrize("method", ["exact", "sampled"])
def test_the_same_bytes_on_any_number_of_threads(company, method):
    one, three = (fit(company, "degrees", method=method, optimizer="adam", threads=count) for count in (1, 3))
    assert one.positions.tobytes() == three.positions.tobytes()


@pytest.mark.parametrize("count", [1, 2, 3])
def test_tiny_networks_are_lifted_too(count):
    network = ng.Network.from_edges([(0, 1)][: count - 1], nodes=list(range(count)))
    embedding = ng.embed(network, "density", dimensions=2)
    assert embedding.positions.shape == (count, 2)
    assert np.isfinite(embedding.positions).all()


def test_many_nodes_begin_without_eigenvectors(company, monkeypatch):
    monkeypatch.setattr("netgiven.fitting.initialization.MAX_NODES_SPECTRAL", 100)
    monkeypatch.setattr("netgiven.fitting.initialization.spectral_positions", None)
    settings = Settings(dimensions=2, reach=REACH).resolve(company.node_count)
    prior = ng.degrees().fit(company)
    with threads(1) as engine:
        problem = make_problem(company, prior, settings, engine)
        assert initial_positions(company, prior, settings, problem).shape == (company.node_count, 4)
