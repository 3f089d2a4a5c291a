"""Optimizers, schedule, initial positions, and the training loop."""

import numpy as np
import pytest
from scipy.optimize import minimize, rosen, rosen_der

from netgiven.fitting.initialization import random_positions, spectral_positions, unexplained_adjacency
from netgiven.fitting.optimizers import LBFGS, Adam
from netgiven.fitting.train import ConvergenceMonitor, LocalStepper, Schedule, Status, train
from netgiven.network import Network
from netgiven.parallel import Threads
from netgiven.priors import degrees, parse_knowledge


def fit(objective, optimizer, schedule, positions, callback=None):
    monitor = ConvergenceMonitor(schedule, objective.noisy)
    return train(LocalStepper(objective, optimizer, positions, Threads(1)), monitor, callback), monitor.steps


class Bowl:
    """A long valley with a known lowest point."""

    def __init__(self, noise=0.0):
        self.noisy, self.noise = noise > 0, noise

    def __call__(self, positions, reach, step):
        scale = np.linspace(1, 30, positions.size).reshape(positions.shape)
        value = 1000 + float((scale * (positions - 1) ** 2).sum()) / 2
        slope = scale * (positions - 1)
        random = np.random.default_rng(step)
        value += self.noise * random.normal()
        return value, (slope + self.noise * random.normal(size=slope.shape)).astype(np.float32)


class Rosenbrock:
    noisy = False

    def __call__(self, positions, reach, step):
        flat = positions.ravel().astype(float)
        return float(rosen(flat)), rosen_der(flat).reshape(positions.shape).astype(np.float32)


def test_lbfgs_finds_the_end_of_a_curved_valley():
    positions = np.full((2, 4), -1.2, dtype=np.float32)
    schedule = Schedule(max_steps=400, reach=1.0, learning_rate=0.1)
    fit(Rosenbrock(), LBFGS(), schedule, positions)
    best = minimize(rosen, np.full(8, -1.2), jac=rosen_der, method="L-BFGS-B")
    assert rosen(positions.ravel().astype(float)) < max(best.fun, 1e-4)


def test_lbfgs_ends_at_the_best_point_it_accepted():
    positions = np.full((2, 4), -1.2, dtype=np.float32)
    values = []
    for steps in (3, 7, 15):
        point = positions.copy()
        _, history = fit(Rosenbrock(), LBFGS(), Schedule(steps, 1.0, 0.1), point)
        values.append(rosen(point.ravel().astype(float)))
        assert values[-1] <= min(record.objective for record in history) * 1.0001
    assert values == sorted(values, reverse=True)


@pytest.mark.parametrize("optimizer", [Adam(), LBFGS()], ids=lambda optimizer: optimizer.name)
def test_a_fit_that_converges_says_so_and_stops(optimizer):
    positions = np.zeros((5, 4), dtype=np.float32)
    schedule = Schedule(
        max_steps=1000, reach=1.0, learning_rate=0.1, decay=0.1 if optimizer.name == "adam" else 0.0, tolerance=1e-7
    )
    convergence, history = fit(Bowl(), optimizer, schedule, positions)
    assert convergence.status is Status.CONVERGED
    assert len(history) == convergence.steps < 1000
    assert np.allclose(positions, 1, atol=0.02)


def test_a_noisy_fit_stops_when_noise_is_all_there_is():
    positions = np.zeros((5, 4), dtype=np.float32)
    schedule = Schedule(max_steps=600, reach=1.0, learning_rate=0.1, decay=0.2, tolerance=1e-9)
    convergence, history = fit(Bowl(noise=2.0), Adam(), schedule, positions)
    assert convergence.status is Status.CONVERGED
    assert convergence.steps < 600
    assert history[-1].learning_rate < 0.01
    assert np.allclose(positions, 1, atol=0.3)


def test_a_fit_without_time_says_so():
    positions = np.zeros((5, 4), dtype=np.float32)
    convergence, _ = fit(Bowl(), Adam(), Schedule(15, 1.0, 0.001, tolerance=1e-6), positions)
    assert convergence.status is Status.OUT_OF_STEPS
    assert "more steps would help" in str(convergence)


def test_a_fit_that_leaves_all_numbers_says_so():
    class Broken(Bowl):
        def __call__(self, positions, reach, step):
            value, slope = super().__call__(positions, reach, step)
            return (np.nan if step == 3 else value), slope

    convergence, history = fit(Broken(), Adam(), Schedule(50, 1.0, 0.1), np.zeros((5, 4), np.float32))
    assert convergence.status is Status.DIVERGED
    assert len(history) == 4


def test_the_callback_sees_each_step():
    seen = []
    schedule = Schedule(20, 3.0, 0.1, warmup=0.5)
    positions = np.zeros((5, 4), dtype=np.float32)
    _, history = fit(Bowl(), Adam(), schedule, positions, lambda record, _: seen.append(record))
    assert seen == history
    assert [round(record.reach, 9) for record in history][:3] == [0.3, 0.6, 0.9]
    assert history[-1].reach == 3.0


def test_a_monitor_goes_on_from_steps_as_if_it_had_not_been_interrupted():
    schedule = Schedule(max_steps=600, reach=1.0, learning_rate=0.1, decay=0.2, tolerance=1e-9)
    _, history = fit(Bowl(noise=2.0), Adam(), schedule, np.zeros((5, 4), dtype=np.float32))
    for some in (1, 30, len(history) // 2, len(history) - 1):
        monitor = ConvergenceMonitor(schedule, True, history[:some])
        assert monitor.next_step() == (history[some].step, history[some].reach, history[some].learning_rate)
        assert not monitor.is_over
    assert ConvergenceMonitor(schedule, True, history).is_over


def test_stages_raise_the_reach_in_steps():
    schedule = Schedule(40, 4.0, 0.1, warmup=0.5, warmup_stages=4)
    assert sorted({schedule.reach_at(step) for step in range(40)}) == [1.0, 2.0, 3.0, 4.0]


@pytest.mark.parametrize("text", ["density", "degrees", "degrees+blocks:type"])
def test_the_operator_is_a_minus_p(text):
    random = np.random.default_rng(0)
    nodes = {"node": range(30), "type": random.choice(list("ab"), 30)}
    network = Network.from_edges(random.integers(30, size=(60, 2)), nodes)
    prior = parse_knowledge(text).fit(network)
    pairs = np.array([(i, j) for i in range(30) for j in range(30)])
    dense = network.to_scipy().toarray() - prior.probabilities(pairs).reshape(30, 30)
    vectors = random.normal(size=(30, 3))
    assert np.allclose(unexplained_adjacency(network, prior) @ vectors, dense @ vectors, atol=1e-5)


def test_spectral_positions_separate_what_the_prior_does_not_explain():
    cliques = [(i + 10 * c, j + 10 * c) for c in range(2) for i in range(10) for j in range(i)]
    network = Network.from_edges([*cliques, (0, 10)])
    start = spectral_positions(network, degrees().fit(network), 2, 1.0, seed=0)
    sides = np.sign(start[:, 0])
    assert set(sides[:10]) != set(sides[10:])
    assert len(set(sides[:10])) == len(set(sides[10:])) == 1


@pytest.mark.parametrize("count,links", [(1, []), (2, [(0, 1)]), (3, [(0, 1)]), (5, [])])
def test_the_spectral_positions_takes_any_size(count, links):
    network = Network.from_edges(np.array(links, dtype=int).reshape(-1, 2), nodes=range(count))
    start = spectral_positions(network, degrees().fit(network), 8, 0.5, seed=0)
    assert start.shape == (count, 8) and np.all(np.isfinite(start))


def test_the_random_positions_is_the_same_for_the_same_seed():
    assert np.array_equal(random_positions(10, 3, 1.0, 4), random_positions(10, 3, 1.0, 4))
    assert not np.array_equal(random_positions(10, 3, 1.0, 4), random_positions(10, 3, 1.0, 5))
