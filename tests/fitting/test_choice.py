import numpy as np
import pytest

import netgiven as ng
from netgiven.fitting.choice import LADDERS, choose
from netgiven.fitting.settings import Settings
from netgiven.metrics import auc
from netgiven.splits import hide_links


@pytest.fixture(scope="module")
def company():
    return ng.datasets.company(people=400)


def test_the_best_of_what_was_tried_is_chosen(company):
    settings, trials = choose(company, ng.degrees().fit, Settings(), ["reach", "dimensions", "shrinkage"])
    best = max(trial.score for trial in trials)
    chosen = settings.dimensions, settings.spread.reach(settings.dimensions), settings.shrinkage
    assert any(np.allclose(trial[:3], chosen) and trial.score == best for trial in trials)
    assert len({trial[:3] for trial in trials}) == len(trials) < 20


def test_dials_that_are_given_stay_as_they_are(company):
    given = Settings(dimensions=5, shrinkage=0.7, spread=ng.Spread(1, 2))
    settings, trials = choose(company, ng.degrees().fit, given, ["shrinkage"])
    assert settings.dimensions == 5 and settings.spread == ng.Spread(1, 2)
    assert {trial.dimensions for trial in trials} == {5}
    assert settings.shrinkage in LADDERS["shrinkage"]


def test_choosing_helps_on_links_that_nobody_saw(company):
    split = hide_links(company, seed=3)
    known = "degrees+blocks:department"
    plain = ng.embed(split.train, known)
    chosen = ng.embed(split.train, known, dimensions="auto", spread="auto", shrinkage="auto")
    scores = [auc(split.truth, embedding.log_odds_of(*split.pairs.T)) for embedding in (plain, chosen)]
    assert scores[1] > scores[0]
    assert chosen.settings["trials"]


def test_the_choice_is_the_same_twice_and_on_any_number_of_threads(company):
    first, second = (ng.embed(company, spread="auto", threads=count) for count in (1, 3))
    assert first.settings == second.settings
    assert first.positions.tobytes() == second.positions.tobytes()


def test_a_network_with_little_to_hide_keeps_its_settings():
    ring = ng.Network.from_edges([(i, (i + 1) % 20) for i in range(20)])
    embedding = ng.embed(ring, dimensions="auto", spread="auto", shrinkage="auto")
    assert embedding.dimensions == 8 and embedding.settings["trials"] == []
