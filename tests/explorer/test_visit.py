"""The state of one visitor, without a page."""

import numpy as np
import pandas as pd
import pytest

import netgiven as ng
from netgiven.explorer.fitting_job import FittingJob
from netgiven.explorer.visit import Opened, Visit


@pytest.fixture
def visit():
    visit = Visit(threads=1)
    visit.open(Opened("company", ng.datasets.company(60)))
    return visit


def finished(visit, **wish):
    visit.fit(**wish).wait()
    return visit.finish()


def test_a_visit_begins_with_degrees(visit):
    assert str(visit.knowledge) == "degrees"
    assert not visit.fitting and visit.maps == []


def test_choosing(visit):
    texts = [option.text for option in visit.options]
    assert str(visit.choose([texts.index("blocks:project"), texts.index("degrees")])) == "degrees+blocks:project"
    with pytest.raises(ng.InputError, match="kinds of knowledge"):
        visit.choose([len(texts)])
    assert str(visit.knowledge) == "degrees+blocks:project"


def test_a_fit_is_that_of_the_python_api(visit):
    assert finished(visit, reach=2.0).startswith("Converged: ")
    expected = ng.map_network(visit.network, "degrees", spread=ng.Spread.from_reach(2.0), threads=1).panels[0]
    assert np.array_equal(visit.maps[0].positions, expected.positions)


def test_the_reach_is_chosen_unless_told(visit):
    finished(visit)
    expected = ng.map_network(visit.network, "degrees", threads=1).panels[0]
    assert visit.maps[0].reach == expected.reach
    assert np.array_equal(visit.maps[0].positions, expected.positions)


def test_two_maps_beside_each_other(visit):
    finished(visit, reach=2.0)
    first = visit.maps[0]
    visit.choose([0])
    finished(visit, reach=2.0, beside=True)
    assert [one.prior.knowledge for one in visit.maps] == ["degrees", "density"]
    assert visit.maps[0] is first
    finished(visit, reach=1.0, beside=True)
    assert visit.maps[0] is first and visit.maps[1].reach == pytest.approx(1.0)
    visit.close_map(0)
    assert [one.prior.knowledge for one in visit.maps] == ["density"]
    with pytest.raises(ng.InputError, match="only one map"):
        visit.close_map(0)


def test_one_fit_at_a_time(visit):
    job = visit.fit(reach=2.0)
    with pytest.raises(ng.InputError, match="being made already"):
        visit.fit(reach=2.0)
    job.wait()


def test_a_fit_can_be_stopped(visit):
    job = visit.fit(reach=2.0)
    visit.stop()
    job.wait()
    assert visit.finish() == "Stopped."
    assert visit.maps == [] and not visit.fitting


def test_the_choice_of_the_reach_can_be_stopped_too():
    job = FittingJob(ng.datasets.company(), "degrees", dimensions=2, shrinkage=0.0, threads=1)
    job.stop()  # before its first trial
    job.start()
    job.wait()
    assert job.was_stopped and job.embedding is None and job.progress.step == 0


def test_opening_another_network_stops_the_fit(visit):
    job = visit.fit(reach=2.0)
    visit.open(Opened("other", ng.datasets.company(30)))
    assert job.stopping
    job.wait()
    assert visit.job is None and visit.maps == []


def test_frames_are_in_the_plane_and_newer_each_time():
    frames = []
    job = FittingJob(ng.datasets.company(60), "degrees", dimensions=4, shrinkage=0.0, threads=1, pause=0.002)
    job.start()
    while job.running:
        frame = job.frame()
        if frame is not None:
            frames.append(frame)
    assert len(frames) > 3
    assert all(frame.shape == (60, 2) for frame in frames)
    assert job.progress.step > 0 and job.progress.trials > 0


def test_bad_wishes_change_nothing(visit):
    for wish, sentence in (
        ({"reach": -1.0}, "reach"), ({"reach": float("nan")}, "reach"), ({"reach": 1e9}, "reach"),
        ({"dimensions": 3}, "dimensions"), ({"dimensions": 10**9}, "dimensions"),
    ):  # fmt: skip
        with pytest.raises(ng.InputError, match=sentence):
            visit.fit(**wish)
    assert visit.job is None


def test_no_network_no_fit():
    with pytest.raises(ng.InputError, match="no network yet"):
        Visit().fit()


def test_what_the_prior_cannot_do_is_told_in_a_sentence():
    network = ng.datasets.company(30).with_columns(pd.DataFrame({"year": [np.nan] + [1.0, 2.0, 3.0] * 9 + [4.0, 5.0]}))
    job = FittingJob(network, "order:year", dimensions=2, threads=1)
    job.start()
    job.wait()
    assert "has links but no value in column 'year'" in job.problem
    visit = Visit()
    visit.open(Opened("company", network))
    visit.job = job
    with pytest.raises(ng.InputError, match="no value in column"):
        visit.finish()


def test_selecting(visit):
    for numbers, kept in (([3], [3]), ([5, 2], [5, 2]), ([4, 4], [4]), ([9, 1, 1, 5], [1, 5, 9]), ([], [])):
        visit.select(numbers)
        assert visit.selection.tolist() == kept
    with pytest.raises(ng.InputError, match="not among the 60"):
        visit.select([60])
    with pytest.raises(ng.InputError, match="not among"):
        visit.select([-1])


def test_an_embedding_brings_its_map_and_its_prior(tmp_path):
    network = ng.datasets.company(40)
    given = ng.degrees() + ng.constraint(np.ones((40, 1)), name="mine")
    embedding = ng.embed(network, given, dimensions=2, spread=ng.Spread.from_reach(2), shrinkage=0.0, threads=1)
    visit = Visit(threads=1)
    visit.open(Opened.of("x.ng", embedding))
    assert visit.maps == [embedding]
    assert str(visit.knowledge) == "degrees"
    plain = ng.embed(network, "degrees", dimensions=2, spread=ng.Spread.from_reach(2), shrinkage=0.0, threads=1)
    visit.open(Opened.of("y.ng", plain))
    assert visit.given() is plain.prior
    visit.choose([0])
    assert str(visit.given()) == "density"


@pytest.mark.parametrize("pairs", [[], [("a", "a")]])
def test_networks_without_links_are_not_opened(visit, pairs):
    before = visit.network
    with pytest.raises(ng.InputError, match="a map needs two nodes and a link"):
        visit.open(Opened("nothing", ng.Network.from_edges(pairs, nodes=["a", "b"])))
    assert visit.network is before


def test_ten_nodes():
    visit = Visit(threads=1)
    ring = [(f"n{i}", f"n{(i + 1) % 10}") for i in range(10)]
    visit.open(Opened("ring", ng.Network.from_edges(ring)))
    assert finished(visit).endswith(".")
    assert visit.maps[0].positions.shape == (10, 2)
