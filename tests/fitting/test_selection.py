import numpy as np
import pytest
from scipy.spatial.distance import pdist

import netgiven as ng
from netgiven.fitting.selection import (
    GRIDS,
    MIN_SHARE_OF_ERROR,
    ValidationProblem,
    _fit_into,
    _grid,
    held_out_links,
    search_settings,
)
from netgiven.fitting.settings import Settings
from netgiven.metrics import auc
from netgiven.model import probability
from netgiven.parallel import threads
from netgiven.priors.knowledge import GivenKnowledge
from netgiven.priors.prior import posterior_log_odds
from netgiven.splits import hide_links, pairs_of_questions, ranks_of_answers

BOTH_DEGREES = GivenKnowledge("degrees", "degrees")


@pytest.fixture(scope="module")
def company():
    return ng.datasets.company(people=400)


def select(company, settings):
    return search_settings(held_out_links(company, BOTH_DEGREES, 0), settings)


def test_the_best_of_what_was_tried_is_chosen(company):
    settings, prediction, trials, _ = select(company, Settings())
    best = max(trial.score for trial in trials)
    chosen = settings.dimensions, settings.reach, settings.shrinkage, *prediction
    found = [(*trial[:3], trial.uncertainty, trial.stretch) for trial in trials if trial.score == best]
    assert any(np.allclose(one, chosen) for one in found)
    assert len(trials) < 20


def test_more_dimensions_must_gain_more_than_chance(company):
    settings, _, trials, _ = select(company, Settings(reach=2.0, shrinkage=1.0, repelling=0))
    chosen = next(trial for trial in trials if trial.dimensions == settings.dimensions)
    assert all(
        trial.score <= chosen.score + MIN_SHARE_OF_ERROR for trial in trials if trial.dimensions > chosen.dimensions
    )


def test_repelling_dimensions_are_chosen_with_the_dimensions_and_only_then(company):
    _, _, trials, _ = select(company, Settings())
    assert {trial.repelling for trial in trials[:-4]} == {0} and {trial.repelling for trial in trials} != {0}
    assert all(trial.repelling < trial.dimensions for trial in trials)
    for settings in (Settings(dimensions=8), Settings(repelling=0), Settings(reach=ng.Spread(1, 2))):
        assert "repelling" not in settings.open_hyperparameters
    settings, _, trials, _ = select(company, Settings(repelling=4))
    assert {trial.repelling for trial in trials} == {4} and settings.dimensions > 4


def test_the_fit_goes_on_from_the_best_trial_unless_a_setting_says_how_it_begins(company):
    chosen = select(company, Settings(dimensions=4))
    assert chosen.positions.shape == (company.node_count, 4)
    for settings in (Settings(dimensions=2), Settings(dimensions=4, init="random"), Settings(max_steps=9)):
        assert select(company, settings).positions is None


def test_hyperparameters_that_are_given_stay_as_they_are(company):
    given = Settings(dimensions=5, reach=ng.Spread(1, 2))
    settings, prediction, trials, _ = select(company, given)
    assert prediction.stretch == 1
    assert settings.dimensions == 5 and settings.reach == ng.Spread(1, 2)
    assert {trial.dimensions for trial in trials} == {5}
    assert settings.shrinkage in GRIDS["shrinkage"]


def test_a_small_network_hides_links_several_times_and_a_large_one_once(company):
    assert len(held_out_links(company, BOTH_DEGREES, 0)) == 1
    company = ng.datasets.company(people=150)
    several = held_out_links(company, BOTH_DEGREES, 0)
    assert 1 < len(several) <= 4
    assert len({one.split.hidden.tobytes() for one in several}) == len(several)
    assert all(one.train.link_count + len(one.split.hidden) == company.link_count for one in several)


@pytest.mark.parametrize("seed", range(3))
def test_where_there_is_nothing_to_see_the_prior_is_left(seed):
    """Networks drawn from a degree prior: an embedding can add nothing but noise."""
    random = np.random.default_rng(seed)
    model = ng.degrees().fit(ng.datasets.company(people=200, seed=seed))
    network = model.sample(seed)
    split = hide_links(network, seed=int(random.integers(100)))
    embedding = ng.embed(split.train, "degrees", seed=seed)
    alone = ng.degrees().fit(split.train).log_odds_of(*split.pairs.T)
    assert auc(split.truth, embedding.log_odds_of(*split.pairs.T)) > auc(split.truth, alone) - 0.01


def test_positions_are_carried_into_fewer_and_more_dimensions():
    positions = np.random.default_rng(0).normal(size=(50, 6)).astype(np.float32) * [8, 4, 2, 1e-4, 1e-4, 1e-4]
    fewer = _fit_into(positions.astype(np.float32), 3, stiffness=1.0)[:, :3]
    more = _fit_into(positions.astype(np.float32), 9, stiffness=100.0)[:, :9]
    np.testing.assert_allclose(pdist(fewer), pdist(positions), rtol=1e-3)
    assert np.abs(pdist(more) - pdist(positions)).max() < 0.2


def test_selection_helps_on_hidden_links(company):
    split = hide_links(company, seed=3)
    known = "degrees+blocks:department"
    plain = ng.embed(split.train, known, dimensions=8, reach=2.0, shrinkage=0.0)
    chosen = ng.embed(split.train, known)
    scores = [auc(split.truth, embedding.log_odds_of(*split.pairs.T)) for embedding in (plain, chosen)]
    assert scores[1] > scores[0]
    assert chosen.fit.trials


def test_the_choice_is_the_same_twice_and_on_any_number_of_threads(company):
    first, second = (ng.embed(company, reach="auto", threads=count) for count in (1, 3))
    assert first.fit.settings == second.fit.settings and first.spread == second.spread
    assert first.positions.tobytes() == second.positions.tobytes()


def test_a_network_with_little_to_hide_keeps_its_settings():
    ring = ng.Network.from_edges([(i, (i + 1) % 20) for i in range(20)])
    embedding = ng.embed(ring)
    assert embedding.dimensions == 8 and not embedding.fit.trials


@pytest.mark.parametrize("method", ["exact", "sampled"])
def test_in_the_end_as_many_links_are_expected_as_there_are(method):
    network = ng.datasets.company(people=200 if method == "exact" else 2_100, seed=1)
    embedding = ng.embed(network, dimensions=4, shrinkage=5.0)
    first, second = np.triu_indices(network.node_count, 1)
    expected = probability(embedding.log_odds_of(first, second)).sum()
    assert expected == pytest.approx(network.link_count, rel=0.002 if method == "exact" else 0.03)
    assert embedding.bits_per_link > 0


def test_a_reach_that_is_given_stays():
    network = ng.datasets.company(people=200)
    assert ng.embed(network, dimensions=4, reach=1.5).reach == 1.5


def test_many_nodes_get_short_trials_with_nodes_in_memory_order(company, monkeypatch):
    monkeypatch.setattr("netgiven.fitting.selection.MANY_NODES", 100)
    monkeypatch.setattr("netgiven.fitting.selection.MAX_LINKS_HELD_OUT", 1_000)
    one, two = (ng.embed(company, threads=threads) for threads in (1, 2))
    assert one.positions.tobytes() == two.positions.tobytes()
    trials = one.fit.trials
    assert trials[0][:3] == (8, pytest.approx(4.0), 0.3)
    assert max(trial[3] for trial in trials) > 0.8  # the prior alone: 0.7


def test_reordered_problems_are_scored_in_the_order_of_the_network(company, monkeypatch):
    monkeypatch.setattr("netgiven.fitting.selection.MANY_NODES", 100)
    monkeypatch.setattr("netgiven.fitting.fit.MAX_GROUP", 16)
    (split,) = held_out_links(company, BOTH_DEGREES, 0)[:1]
    spread, settings = ng.Spread.from_reach(2), Settings(dimensions=4, init="random").resolve(company.node_count)
    with threads(1) as engine:
        problem = ValidationProblem.make(split, settings, engine)
        start = problem.initial_positions(settings)
        plain = problem._replace(order=None)
        assert not np.array_equal(problem.order, np.arange(company.node_count))
        there = np.empty_like(start)
        there[problem.order] = start
        assert np.array_equal(plain.initial_positions(settings), there)
        assert problem.score(start[:, :4], spread) == split.score(there[:, :4], spread)


def test_dimensions_of_many_nodes_end_where_they_would_fill_the_memory():
    assert _grid("dimensions", 1_000_000)[-1] == 32
    assert _grid("dimensions", 100_000)[-1] == 128
    assert _grid("dimensions", 100_000_000) == (2,)


def test_many_nodes_without_links_have_nothing_to_hide(monkeypatch):
    monkeypatch.setattr("netgiven.fitting.selection.MANY_NODES", 2)
    assert held_out_links(ng.Network.from_edges([], nodes=[0, 1, 2]), BOTH_DEGREES, 0) == []


def test_large_networks_are_scored_by_ranks_among_nodes_that_the_prior_takes_for_alike(company, monkeypatch):
    (small, *_) = held_out_links(company, BOTH_DEGREES, 0)
    monkeypatch.setattr("netgiven.fitting.selection.MORE_NODES", 100)
    (large, *_) = held_out_links(company, BOTH_DEGREES, 0)
    assert small.questions is None and large.questions is not None
    arrays, partner, candidates = large.prior.arrays, large.questions[:, 1], large.questions[:, 2:]
    multipliers = np.where(candidates < 0, np.nan, arrays.node[candidates])
    apart = np.nanmean(np.abs(multipliers - arrays.node[partner][:, None]))
    assert apart < arrays.node.std() / 2  # 100 of 400 nodes are drawn
    positions = np.random.default_rng(0).normal(size=(company.node_count, 4)).astype(np.float32)
    spread = Settings(reach=2.0).resolve(400).spread
    first, second = pairs_of_questions(large.questions).T
    log_odds = posterior_log_odds(large.prior, positions, spread, first, second)
    reciprocal_rank = np.mean(1 / ranks_of_answers(large.questions, log_odds))
    area = small.score(positions, spread)
    assert large.score(positions, spread) == pytest.approx(1 - np.sqrt((1 - area) * (1 - reciprocal_rank)))
