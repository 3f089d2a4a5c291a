"""Messages to the page: the numbers are those of the Python API, and errors are shown."""

import json
from dataclasses import replace

import numpy as np
import pytest

import netgiven as ng
from netgiven.explorer import tables
from netgiven.explorer.background import Progress
from netgiven.explorer.figures import aligned, plane
from netgiven.explorer.messages import (
    describe_fit,
    describe_network,
    details_message,
    fairness_message,
    new_node_message,
    next_pairs_message,
)
from netgiven.explorer.session import OpenedNetwork, Session
from netgiven.explorer.tables import STRATEGIES, group_column, has_unobserved_pairs, is_fast, needed_columns
from netgiven.network import suggestion

SETTINGS = {"dimensions": 2, "reach": 2, "shrinkage": 0.0, "threads": 1}


@pytest.fixture(scope="module")
def network():
    return ng.datasets.company(60)


@pytest.fixture(scope="module")
def embedding(network):
    return ng.embed(network, "degrees", **SETTINGS)


@pytest.fixture(scope="module")
def by_department(network):
    return ng.embed(network, "degrees+blocks:department", **SETTINGS)


def free_pairs(network, step):
    first, second = np.triu_indices(network.node_count, 1)
    free = ~network.are_linked(first, second)
    return [(network.nodes[u], network.nodes[v]) for u, v in zip(first[free], second[free], strict=True)][::step]


@pytest.fixture(scope="module")
def untested(network):
    return ng.embed(network.with_unobserved(free_pairs(network, 20)), "degrees", **SETTINGS)


def new_node_details(maps, numbers, **chosen):
    return new_node_message(maps, [plane(one) for one in maps], np.array(numbers), chosen)


# ---- intervals -----------------------------------------------------------------------------------------------------


def test_a_pair_has_its_interval(embedding, by_department):
    shown = details_message([embedding, by_department], np.array([3, 9]), threads=1)
    for of_map, one in zip(shown["maps"], (embedding, by_department), strict=True):
        expected = one.intervals([(one.nodes[3], one.nodes[9])], level=0.9).iloc[0]
        interval = of_map["interval"]
        assert (interval["low"], interval["high"]) == pytest.approx((expected["low"], expected["high"]), rel=1e-12)
        assert interval["low"] < of_map["probability"]["value"] < interval["high"]
        assert interval["text"].startswith("90 % interval: ")


def test_a_certain_pair_has_no_interval():
    star = ng.Network.from_edges([("hub", "a"), ("hub", "b"), ("hub", "c")])
    embedding = ng.embed(star, "degrees", **SETTINGS)
    assert details_message([embedding], np.array([1, 2]), threads=1)["maps"][0]["interval"] is None


def test_another_training_prior_has_interval_and_reasons(network):
    mine = ng.degrees() + ng.constraint(np.ones((60, 1)), name="mine")
    embedding = ng.embed(network, train_given=mine, predict_given="degrees", **SETTINGS)
    shown = details_message([embedding], np.array([3, 9]), threads=1)["maps"][0]
    expected = embedding.intervals([(embedding.nodes[3], embedding.nodes[9])])
    assert len(shown["reasons"]) == len(embedding.explain(embedding.nodes[3], embedding.nodes[9]).table(3)) > 0
    assert shown["interval"]["low"] == pytest.approx(expected["low"].iloc[0], rel=1e-12)


# ---- unobserved pairs ----------------------------------------------------------------------------------------------


def test_unobserved_pairs_are_counted(network):
    pairs = free_pairs(network, 20)
    everything = 60 * 59 // 2
    assert network.unobserved_count == 0
    assert network.with_unobserved(pairs).unobserved_count == len(pairs)
    assert network.with_observed(pairs).unobserved_count == everything - network.link_count - len(pairs)


@pytest.mark.parametrize(("with_pairs", "count"), [("with_unobserved", "77"), ("with_observed", "1,455")])
def test_unobserved_pairs_are_shown(network, with_pairs, count):
    session = Session(threads=1)
    session.open(OpenedNetwork("company", getattr(network, with_pairs)(free_pairs(network, 20))))
    size = describe_network(session, can_add_nodes=False)["size"].replace("\N{NO-BREAK SPACE}", " ")
    assert size == f"60 nodes, 238 links, {count} unobserved pairs"


def test_no_unobserved_pairs_are_not_mentioned(network):
    session = Session(threads=1)
    session.open(OpenedNetwork("company", network))
    assert describe_network(session, can_add_nodes=False)["size"] == "60 nodes, 238 links"


def test_a_pair_may_be_unobserved(untested):
    first, second = untested.network.unobserved.pairs[0]
    assert details_message([untested], np.array([first, second]), threads=1)["linked"] == "not observed"
    linked = untested.network.links()[0].astype(np.int64)
    assert details_message([untested], linked, threads=1)["linked"] == "yes"
    others = untested.network.numbers(free_pairs(untested.network, 1)[1])
    assert details_message([untested], others, threads=1)["linked"] == "no"


def test_a_fit_omits_unobserved_pairs(network):
    session = Session(threads=1)
    session.open(OpenedNetwork("company", network.with_unobserved(free_pairs(network, 2))))
    session.fit(reach=2.0).wait()
    session.finish()
    expected = ng.map_network(session.network, "degrees", settings=ng.Settings(reach=2.0), threads=1).panels[0]
    plain = ng.map_network(network, "degrees", settings=ng.Settings(reach=2.0), threads=1).panels[0]
    assert np.array_equal(session.maps[0].positions, expected.positions)
    assert not np.array_equal(session.maps[0].positions, plain.positions)


def test_an_embedding_has_its_unobserved_pairs(untested, tmp_path):
    untested.save(tmp_path / "x.ng")
    session = Session(threads=1)
    session.open(OpenedNetwork.of("x.ng", ng.load(tmp_path / "x.ng")))
    assert session.network.unobserved_count == 77
    assert next_pairs_message(session.maps, "entropy") == next_pairs_message([untested], "entropy") != {}


# ---- pairs to check next -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_pairs_to_check_next(untested, strategy):
    shown = next_pairs_message([untested], strategy)
    expected = untested.ask(strategy=strategy, count=10)
    (rows,) = shown["maps"]
    assert [row["names"] for row in rows] == expected[["u", "v"]].to_numpy().tolist()
    assert [row["probability"] for row in rows] == expected["probability"].tolist()
    assert [untested.nodes[row["numbers"]].tolist() for row in rows] == [row["names"] for row in rows]
    assert shown["strategy"] == strategy
    assert [one["name"] for one in shown["strategies"]] == list(STRATEGIES)
    assert all(one["description"].endswith(".") for one in shown["strategies"])


def test_without_unobserved_pairs_there_is_nothing_to_check(network, embedding):
    nobody = ng.embed(network.with_unobserved([]), "degrees", **SETTINGS)
    assert [next_pairs_message([one], "entropy", requested=True) for one in (embedding, nobody)] == [{}, {}]
    assert next_pairs_message([], "entropy") == {}
    assert not has_unobserved_pairs(nobody.network)


def test_with_few_observed_pairs_all_others_can_be_checked(network):
    known = ng.embed(network.with_observed(free_pairs(network, 3)), "degrees", **(SETTINGS | {"shrinkage": 1.0}))
    (rows,) = next_pairs_message([known], "d-optimal")["maps"]
    assert len(rows) == 10 and not any(known.network.are_observed(*row["numbers"]) for row in rows)


def test_slow_searches_must_be_requested(untested, monkeypatch):
    assert is_fast(untested.network)
    monkeypatch.setattr(tables, "MAX_NODE_PAIRS_FAST", 100)
    assert next_pairs_message([untested], "v-optimal")["maps"] == [None]
    assert len(next_pairs_message([untested], "v-optimal", requested=True)["maps"][0]) == 10


# ---- a new node ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("numbers", [[7], [1, 2, 3, 4]])
def test_a_new_node(embedding, numbers):
    shown = new_node_details([embedding], numbers)
    names = embedding.nodes[numbers].tolist()
    extended = embedding.add("zoe", names)
    likely, (of_map,) = extended.likely_links("zoe", 10), shown["maps"]
    assert [row["name"] for row in of_map["likely"]] == likely["node"].tolist()
    assert [row["probability"] for row in of_map["likely"]] == likely["probability"].tolist()
    assert [row["prior"] for row in of_map["likely"]] == likely["prior"].tolist()
    probabilities = {row["name"]: row["probability"] for row in of_map["links"]}
    assert probabilities == pytest.approx({name: extended.probability("zoe", name) for name in names})
    (mark,) = shown["marks"]
    assert mark["position"] == pytest.approx(extended["zoe"].tolist(), abs=1e-5)
    assert mark["linked"] == numbers
    assert embedding.nodes[mark["likely"]].tolist() == likely["node"].tolist()
    assert shown["count"] == len(numbers)
    assert shown["target"] == (names[0] if len(names) == 1 else "4 nodes")
    json.dumps(shown, allow_nan=False)


def test_marks_follow_the_drawn_map(embedding, by_department):
    drawn = [plane(embedding), aligned(plane(by_department), plane(embedding))]
    shown = new_node_message([embedding, by_department], drawn, np.array([1, 2, 3]), {"department": 2})
    for map_drawn, mark, one in zip(drawn, shown["marks"], (embedding, by_department), strict=True):
        extended = one.add("zoe", one.nodes[[1, 2, 3]].tolist(), {"department": "production"})
        apart = np.linalg.norm(map_drawn - np.array(mark["position"]), axis=1)
        expected = np.linalg.norm(one.positions - extended["zoe"], axis=1)
        assert apart / apart.max() == pytest.approx(expected / expected.max(), abs=1e-4)


def test_needed_values_can_be_chosen(embedding, by_department):
    maps = [embedding, by_department]
    shown = new_node_details(maps, [1, 2, 3])
    assert shown["maps"][0]["error"] == ""
    assert "a new node needs a value in column 'department'; none was given." in shown["maps"][1]["error"]
    assert [mark is None for mark in shown["marks"]] == [False, True]
    values = ["design", "finance", "production", "research", "sales"]
    assert shown["needed"] == [{"column": "department", "values": values, "chosen": None}]
    chosen = new_node_details(maps, [1, 2, 3], department=3)
    extended = by_department.add("zoe", by_department.nodes[[1, 2, 3]].tolist(), {"department": "research"})
    shown = [row["probability"] for row in chosen["maps"][1]["likely"]]
    assert shown == extended.likely_links("zoe", 10)["probability"].tolist()
    assert chosen["needed"][0]["chosen"] == 3
    with pytest.raises(ng.InputError, match="'department' has 5 values; choose one"):
        new_node_details(maps, [1], department=5)


def test_errors_of_the_library_are_shown(network):
    embedding = ng.embed(network, "common_neighbours", **SETTINGS)
    shown = new_node_details([embedding], [1, 2, 3])
    assert "what common_neighbours says of a new node is not known" in shown["maps"][0]["error"]
    assert (shown["marks"], shown["needed"]) == ([None], [])
    assert needed_columns([embedding]) == []


def test_linked_to_all(embedding):
    shown = new_node_details([embedding], range(60))
    assert shown["maps"][0]["likely"] == []
    assert {row["text"]["probability"] for row in shown["maps"][0]["links"]} == {"100 %"}
    assert len(shown["maps"][0]["links"]) == 50 < shown["count"] == 60
    assert np.isfinite(shown["marks"][0]["position"]).all()


def test_linked_to_nodes_that_had_no_links(network):
    links, _ = network.to_pandas()
    lonely = ng.Network.from_edges(links, nodes=[*network.nodes, "lone", "lonely"])
    embedding = ng.embed(lonely, "degrees", **SETTINGS)
    shown = new_node_details([embedding], [60, 61])
    extended = embedding.add("zoe", ["lone", "lonely"])
    assert [row["probability"] for row in shown["maps"][0]["likely"]] == extended.likely_links("zoe")[
        "probability"
    ].tolist()
    assert shown["marks"][0]["position"] == pytest.approx(extended["zoe"].tolist(), abs=1e-5)


def test_numeric_node_names():
    ring = ng.Network.from_edges([(i, (i + 1) % 12) for i in range(12)])
    embedding = ng.embed(ring, "degrees", **SETTINGS)
    shown = new_node_details([embedding], [3, 4])
    assert shown["maps"][0]["error"] == ""
    assert {row["number"] for row in shown["maps"][0]["links"]} == {3, 4}


# ---- fairness ------------------------------------------------------------------------------------------------------


def test_fairness(embedding, by_department):
    shown = fairness_message([embedding, by_department], "department")
    table = ng.fairness([embedding, by_department], "department").table
    assert [row["given"] for row in shown["maps"]] == ["degrees", "degrees+blocks:department"]
    for row, (_, expected) in zip(shown["maps"], table.iterrows(), strict=True):
        assert row["parity"]["value"] == expected["parity_gap"]
        assert row["opportunity"]["value"] == expected["opportunity_gap"]
        read = [expected[f"{name}_accuracy"] for name in ("logistic", "neighbours", "forest")]
        assert row["accuracy"]["value"] == max(read)
        assert row["baseline"]["value"] == expected["baseline_accuracy"] == 0.2
        assert row["baseline"]["text"] == "20.0 %"
    assert shown["column"] == "department"
    assert shown["remarks"][0] == "60 nodes in 5 groups of department."


def test_two_maps_given_the_same(embedding):
    shown = fairness_message([embedding, embedding], "project")
    assert [row["given"] for row in shown["maps"]] == ["degrees", "2: degrees"]


def test_group_columns(network):
    many = network.columns.assign(year=np.arange(60), one="x", key=[f"k{number}" for number in range(60)], floor=1)
    many.loc[:10, "floor"] = 2
    wide = network.with_columns(many)
    names = ("department", "floor", "year", "one", "key", "degree", "nothing", None)
    assert [group_column(wide, name) for name in names] == ["department", "floor", *[None] * 6]


def test_notes_speak_of_the_page():
    session = Session(threads=1)
    films = ng.datasets.cinema(viewers=20, films=10).with_sides()
    session.open(OpenedNetwork("films", replace(films, notes=(suggestion(films, "side"),))))
    notes = describe_network(session, can_add_nodes=True)["notes"]
    assert any(note.endswith("Tell it in step 2.") for note in notes)
    assert not any("given=" in note or "--" in note for note in notes)


def test_the_page_says_what_takes_long(network):
    """Before the first trial the prior is fitted, which may take most of the time."""
    session = Session(threads=1)
    session.open(OpenedNetwork("a company", network))
    session.fit()
    session.job.stop()
    session.job.wait()
    session.job._stop.clear()
    session.job.progress = Progress(0, 0, 0.0)
    assert "Fitting the prior to what you told, " in describe_fit(session, "")["message"]
