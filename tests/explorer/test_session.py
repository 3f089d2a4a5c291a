"""The state of one page, without a browser."""

import numpy as np
import pandas as pd
import pytest

import netgiven as ng
from netgiven.explorer.background import FittingJob
from netgiven.explorer.session import OpenedNetwork, Session, combine, prior_options, unusable_columns


@pytest.fixture
def session():
    session = Session(threads=1)
    session.open(OpenedNetwork("company", ng.datasets.company(60)))
    return session


def finished(session, **request):
    session.fit(**request).wait()
    return session.finish()


def test_a_session_begins_with_degrees(session):
    assert str(session.knowledge) == "degrees"
    assert not session.fitting and session.maps == []


def test_choosing(session):
    texts = [option.text for option in session.options]
    told = [texts.index("blocks:project"), texts.index("degrees")]
    assert str(session.choose(told)) == "blocks:project+degrees"  # in the order told
    with pytest.raises(ng.InputError, match="kinds of prior knowledge"):
        session.choose([len(texts)])
    assert str(session.knowledge) == "blocks:project+degrees"


def test_a_fit_is_that_of_the_python_api(session):
    assert finished(session, reach=2.0).startswith("Converged: ")
    expected = ng.map_network(session.network, "degrees", settings=ng.Settings(reach=2.0), threads=1).panels[0]
    assert np.array_equal(session.maps[0].positions, expected.positions)


def test_the_reach_is_chosen_by_default(session):
    finished(session)
    expected = ng.map_network(session.network, "degrees", threads=1).panels[0]
    assert session.maps[0].reach == expected.reach
    assert np.array_equal(session.maps[0].positions, expected.positions)


def test_two_maps_beside_each_other(session):
    finished(session, reach=2.0)
    first = session.maps[0]
    session.choose([0])
    finished(session, reach=2.0, beside=True)
    assert [one.prior.knowledge for one in session.maps] == ["degrees", "density"]
    assert session.maps[0] is first
    finished(session, reach=1.0, beside=True)
    assert session.maps[0] is first and session.maps[1].reach == pytest.approx(1.0)
    session.close_map(0)
    assert [one.prior.knowledge for one in session.maps] == ["density"]
    with pytest.raises(ng.InputError, match="only one map"):
        session.close_map(0)


def test_one_fit_at_a_time(session):
    job = session.fit(reach=2.0)
    with pytest.raises(ng.InputError, match="already being fitted"):
        session.fit(reach=2.0)
    job.wait()


def test_a_fit_can_be_stopped(session):
    job = session.fit(reach=2.0)
    session.stop()
    job.wait()
    assert session.finish() == "Stopped."
    assert session.maps == [] and not session.fitting


def test_the_choice_of_the_reach_can_be_stopped_too():
    job = FittingJob(ng.datasets.company(), "degrees", ng.Settings(dimensions=2, shrinkage=0.0), threads=1)
    job.stop()  # before its first trial
    job.start()
    job.wait()
    assert job.was_stopped and job.embedding is None and job.progress.step == 0


def test_opening_another_network_stops_the_fit(session):
    job = session.fit(reach=2.0)
    session.open(OpenedNetwork("other", ng.datasets.company(30)))
    assert job.stopping
    job.wait()
    assert session.job is None and session.maps == []


def test_frames_are_in_the_plane_and_newer_each_time():
    frames = []
    job = FittingJob(ng.datasets.company(60), "degrees", ng.Settings(dimensions=4, shrinkage=0.0), 0.002, threads=1)
    job.start()
    while job.running:
        frame = job.frame()
        if frame is not None:
            frames.append(frame)
    assert len(frames) > 3
    assert all(frame.shape == (60, 2) for frame in frames)
    assert job.progress.step > 0 and job.progress.trials > 0


def test_invalid_requests_change_nothing(session):
    for request, message in (
        ({"reach": -1.0}, "reach"), ({"reach": float("nan")}, "reach"), ({"reach": 1e9}, "reach"),
        ({"dimensions": 3}, "dimensions"), ({"dimensions": 10**9}, "dimensions"),
    ):  # fmt: skip
        with pytest.raises(ng.InputError, match=message):
            session.fit(**request)
    assert session.job is None


def test_no_network_no_fit():
    with pytest.raises(ng.InputError, match="no network yet"):
        Session().fit()


def test_errors_of_the_prior_are_shown():
    network = ng.datasets.company(30).with_columns(pd.DataFrame({"year": [np.nan] + [1.0, 2.0, 3.0] * 9 + [4.0, 5.0]}))
    job = FittingJob(network, "order:year", ng.Settings(dimensions=2), threads=1)
    job.start()
    job.wait()
    assert "has links but no value in column 'year'" in job.error
    session = Session()
    session.open(OpenedNetwork("company", network))
    session.job = job
    with pytest.raises(ng.InputError, match="no value in column"):
        session.finish()


def test_selecting(session):
    for numbers, kept in (([3], [3]), ([5, 2], [5, 2]), ([4, 4], [4]), ([9, 1, 1, 5], [1, 5, 9]), ([], [])):
        session.select(numbers)
        assert session.selection.tolist() == kept
    with pytest.raises(ng.InputError, match="not among the 60"):
        session.select([60])
    with pytest.raises(ng.InputError, match="not among"):
        session.select([-1])


def test_an_embedding_brings_its_map_and_its_prior(tmp_path):
    network = ng.datasets.company(40)
    given = ng.degrees() + ng.constraint(np.ones((40, 1)), name="mine")
    embedding = ng.embed(network, given, dimensions=2, reach=2, shrinkage=0.0, threads=1)
    session = Session(threads=1)
    session.open(OpenedNetwork.of("x.ng", embedding))
    assert session.maps == [embedding]
    assert str(session.knowledge) == "degrees"
    plain = ng.embed(network, "degrees", dimensions=2, reach=2, shrinkage=0.0, threads=1)
    session.open(OpenedNetwork.of("y.ng", plain))
    assert session.given() is plain.prior
    session.choose([0])
    assert str(session.given()) == "density"


@pytest.mark.parametrize("pairs", [[], [("a", "a")]])
def test_networks_without_links_are_not_opened(session, pairs):
    before = session.network
    with pytest.raises(ng.InputError, match="a map needs at least two nodes and one link"):
        session.open(OpenedNetwork("nothing", ng.Network.from_edges(pairs, nodes=["a", "b"])))
    assert session.network is before


def test_ten_nodes():
    session = Session(threads=1)
    ring = [(f"n{i}", f"n{(i + 1) % 10}") for i in range(10)]
    session.open(OpenedNetwork("ring", ng.Network.from_edges(ring)))
    assert finished(session).endswith(".")
    assert session.maps[0].positions.shape == (10, 2)


# ---- options of prior knowledge ------------------------------------------------------------------------------------


@pytest.fixture
def network():
    plain = ng.datasets.company(40)
    return plain.with_columns(
        pd.DataFrame(
            {
                "year": np.arange(40) + 1980,
                "floor": np.arange(40) % 3,
                "key": [f"k{number}" for number in range(40)],
                "gap": [None, *["x", "y"] * 19, "x"],
                "age": [None, *np.linspace(20, 60, 39)],
                "same": ["all"] * 40,
                "a+b:c": ["left", "right"] * 20,
            }
        )
    )


def test_columns_decide_what_is_offered(network):
    texts = [option.text for option in prior_options(network)]
    assert {"density", "degrees", "assortativity", "common_neighbours"} <= set(texts)
    assert {"blocks:department", "homophily:department", "group_degrees:department"} <= set(texts)
    assert {"order:year:bins=10", "homophily:year", "order:floor:bins=10", "blocks:floor"} <= set(texts)
    assert {"blocks:gap:missing=group", "group_degrees:gap:missing=group", "homophily:gap:missing=group"} <= set(texts)
    assert not any(name in text for text in texts for name in ("key", "age", "same", "blocks:year"))


def test_unusable_columns_are_explained(network):
    shown = unusable_columns(network)
    assert [message.split(":")[0] for message in shown] == ["key", "age", "same"]
    assert "some linked nodes have no value" in shown[1]


def test_numbers_of_groups_are_offered_as_groups():
    network = ng.datasets.company(200)
    network = network.with_columns(pd.DataFrame({"label": np.arange(200) % 2, "office": np.arange(200) % 42}))
    texts = {option.text for option in prior_options(network)}
    for name in ("label", "office"):
        assert {f"blocks:{name}", f"homophily:{name}:kind=equal", f"homophily:{name}:kind=near"} <= texts
        assert f"order:{name}:bins=10" in texts


def test_each_option_can_be_given(network):
    for option in prior_options(network):
        prior = option.make().fit(network)
        assert prior.expected_links() == pytest.approx(network.link_count, rel=1e-6)


def test_the_text_is_what_the_command_line_takes(network):
    chosen = [
        option for option in prior_options(network) if option.text in ("degrees", "blocks:department", "homophily:year")
    ]
    text = str(combine(chosen))
    assert str(ng.parse_knowledge(text)) == text == "degrees+blocks:department+density+homophily:year"


def test_nothing_chosen_is_the_density():
    assert str(combine([])) == "density"
