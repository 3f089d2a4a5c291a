"""What visitors ask beyond a selection: the numbers are those of the Python API, and what cannot be is told."""

import json

import numpy as np
import pytest

import netgiven as ng
from netgiven.explorer import questions
from netgiven.explorer.details import find_details, find_fairness, find_newcomer, find_next
from netgiven.explorer.drawing import aligned, plane
from netgiven.explorer.questions import STRATEGIES, column_of_groups, has_pool, is_quick, needed_columns
from netgiven.explorer.visit import Opened, Visit
from netgiven.explorer.wording import network_told

MODEST = {"dimensions": 2, "spread": ng.Spread.from_reach(2), "shrinkage": 0.0, "threads": 1}


@pytest.fixture(scope="module")
def network():
    return ng.datasets.company(60)


@pytest.fixture(scope="module")
def embedding(network):
    return ng.embed(network, "degrees", **MODEST)


@pytest.fixture(scope="module")
def by_department(network):
    return ng.embed(network, "degrees+blocks:department", **MODEST)


def free_pairs(network, step):
    first, second = np.triu_indices(network.node_count, 1)
    free = ~network.are_linked(first, second)
    return [(network.nodes[u], network.nodes[v]) for u, v in zip(first[free], second[free], strict=True)][::step]


@pytest.fixture(scope="module")
def untested(network):
    return ng.embed(network.with_unknown(free_pairs(network, 20)), "degrees", **MODEST)


def told_newcomer(maps, numbers, **chosen):
    return find_newcomer(maps, [plane(one) for one in maps], np.array(numbers), chosen)


# ---- how sure ------------------------------------------------------------------------------------------------------


def test_a_pair_has_its_interval(embedding, by_department):
    told = find_details([embedding, by_department], np.array([3, 9]), threads=1)
    for map_told, one in zip(told["maps"], (embedding, by_department), strict=True):
        expected = one.intervals([(one.nodes[3], one.nodes[9])], level=0.9).iloc[0]
        interval = map_told["interval"]
        assert (interval["low"], interval["high"]) == pytest.approx((expected["low"], expected["high"]), rel=1e-12)
        assert interval["low"] < map_told["probability"]["value"] < interval["high"]
        assert interval["text"].startswith("between ") and interval["text"].endswith(" % (90 % interval)")


def test_a_pair_that_the_prior_is_certain_of_has_none():
    star = ng.Network.from_edges([("hub", "a"), ("hub", "b"), ("hub", "c")])
    embedding = ng.embed(star, "degrees", **MODEST)
    assert find_details([embedding], np.array([1, 2]), threads=1)["maps"][0]["interval"] is None


def test_a_prior_that_cannot_be_had_again_leaves_the_interval(network):
    mine = ng.degrees() + ng.constraint(np.ones((60, 1)), name="mine")
    embedding = ng.embed(network, train_given=mine, predict_given="degrees", **MODEST)
    told = find_details([embedding], np.array([3, 9]), threads=1)["maps"][0]
    expected = embedding.intervals([(embedding.nodes[3], embedding.nodes[9])])
    assert told["reasons"] == []
    assert told["interval"]["low"] == pytest.approx(expected["low"].iloc[0], rel=1e-12)


# ---- unknown pairs -------------------------------------------------------------------------------------------------


def test_unknown_pairs_are_counted(network):
    pairs = free_pairs(network, 20)
    everything = 60 * 59 // 2
    assert network.unknown_count == 0
    assert network.with_unknown(pairs).unknown_count == len(pairs)
    assert network.with_known(pairs).unknown_count == everything - network.link_count - len(pairs)


@pytest.mark.parametrize(("with_pairs", "count"), [("with_unknown", "77"), ("with_known", "1,455")])
def test_the_network_step_tells_how_many(network, with_pairs, count):
    visit = Visit(threads=1)
    visit.open(Opened("company", getattr(network, with_pairs)(free_pairs(network, 20))))
    size = network_told(visit, can_add_nodes=False)["size"].replace("\N{NO-BREAK SPACE}", " ")
    assert size == f"60 nodes, 238 links, {count} unknown pairs"


def test_nothing_is_told_where_all_pairs_are_known(network):
    visit = Visit(threads=1)
    visit.open(Opened("company", network))
    assert network_told(visit, can_add_nodes=False)["size"] == "60 nodes, 238 links"


def test_a_pair_may_be_unknown(untested):
    first, second = untested.network.unknown.pairs[0]
    assert find_details([untested], np.array([first, second]), threads=1)["linked"] == "not known"
    linked = untested.network.links()[0].astype(np.int64)
    assert find_details([untested], linked, threads=1)["linked"] == "yes, they are linked"
    others = untested.network.numbers(free_pairs(untested.network, 1)[1])
    assert find_details([untested], others, threads=1)["linked"] == "no"


def test_a_fit_in_the_page_leaves_unknown_pairs_out(network):
    visit = Visit(threads=1)
    visit.open(Opened("company", network.with_unknown(free_pairs(network, 2))))
    visit.fit(reach=2.0).wait()
    visit.finish()
    expected = ng.map_network(visit.network, "degrees", spread=ng.Spread.from_reach(2.0), threads=1).panels[0]
    plain = ng.map_network(network, "degrees", spread=ng.Spread.from_reach(2.0), threads=1).panels[0]
    assert np.array_equal(visit.maps[0].positions, expected.positions)
    assert not np.array_equal(visit.maps[0].positions, plain.positions)


def test_an_embedding_brings_its_unknown_pairs(untested, tmp_path):
    untested.save(tmp_path / "x.ng")
    visit = Visit(threads=1)
    visit.open(Opened.of("x.ng", ng.load(tmp_path / "x.ng")))
    assert visit.network.unknown_count == 77
    assert find_next(visit.maps, "entropy") == find_next([untested], "entropy") != {}


# ---- what to check next --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_what_to_check_next(untested, strategy):
    told = find_next([untested], strategy)
    expected = untested.ask(strategy=strategy, count=10)
    (rows,) = told["maps"]
    assert [row["names"] for row in rows] == expected[["u", "v"]].to_numpy().tolist()
    assert [row["value"] for row in rows] == expected["probability"].tolist()
    assert [untested.nodes[row["numbers"]].tolist() for row in rows] == [row["names"] for row in rows]
    assert told["strategy"] == strategy
    assert [one["name"] for one in told["strategies"]] == list(STRATEGIES)
    assert all(one["meaning"].endswith(".") for one in told["strategies"])


def test_without_a_pool_there_is_nothing_to_check(network, embedding):
    nobody = ng.embed(network.with_unknown([]), "degrees", **MODEST)
    assert [find_next([one], "entropy", wanted=True) for one in (embedding, nobody)] == [{}, {}]
    assert find_next([], "entropy") == {}
    assert not has_pool(nobody.network)


def test_where_few_pairs_are_known_all_others_are_to_choose_from(network):
    known = ng.embed(network.with_known(free_pairs(network, 3)), "degrees", **(MODEST | {"shrinkage": 1.0}))
    (rows,) = find_next([known], "d-optimal")["maps"]
    assert len(rows) == 10 and not any(known.network.are_known(*row["numbers"]) for row in rows)


def test_what_takes_long_is_looked_for_when_asked(untested, monkeypatch):
    assert is_quick(untested.network)
    monkeypatch.setattr(questions, "FEW_LOOKS", 100)
    assert find_next([untested], "v-optimal")["maps"] == [None]
    assert len(find_next([untested], "v-optimal", wanted=True)["maps"][0]) == 10


# ---- a new node ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("numbers", [[7], [1, 2, 3, 4]])
def test_a_new_node(embedding, numbers):
    told = told_newcomer([embedding], numbers)
    names = embedding.nodes[numbers].tolist()
    grown = embedding.add("zoe", names)
    likely, (map_told,) = grown.likely_links("zoe", 10), told["maps"]
    assert [row["name"] for row in map_told["likely"]] == likely["node"].tolist()
    assert [row["value"] for row in map_told["likely"]] == likely["probability"].tolist()
    assert [row["before"] for row in map_told["likely"]] == likely["prior"].tolist()
    chances = {row["name"]: row["value"] for row in map_told["links"]}
    assert chances == pytest.approx({name: grown.probability("zoe", name) for name in names})
    (mark,) = told["marks"]
    assert mark["place"] == pytest.approx(grown["zoe"].tolist(), abs=1e-5)
    assert mark["ends"] == numbers
    assert embedding.nodes[mark["likely"]].tolist() == likely["node"].tolist()
    assert told["count"] == len(numbers)
    assert told["to"] == (names[0] if len(names) == 1 else "4 nodes")
    json.dumps(told, allow_nan=False)


def test_it_is_marked_where_the_map_is_drawn(embedding, by_department):
    drawn = [plane(embedding), aligned(plane(by_department), plane(embedding))]
    told = find_newcomer([embedding, by_department], drawn, np.array([1, 2, 3]), {"department": 2})
    for map_drawn, mark, one in zip(drawn, told["marks"], (embedding, by_department), strict=True):
        grown = one.add("zoe", one.nodes[[1, 2, 3]].tolist(), {"department": "production"})
        apart = np.linalg.norm(map_drawn - np.array(mark["place"]), axis=1)
        expected = np.linalg.norm(one.positions - grown["zoe"], axis=1)
        assert apart / apart.max() == pytest.approx(expected / expected.max(), abs=1e-4)


def test_what_it_needs_is_told_and_can_be_chosen(embedding, by_department):
    maps = [embedding, by_department]
    told = told_newcomer(maps, [1, 2, 3])
    assert told["maps"][0]["problem"] == ""
    assert "a new node needs a value in column 'department'; none was given." in told["maps"][1]["problem"]
    assert [mark is None for mark in told["marks"]] == [False, True]
    values = ["design", "finance", "production", "research", "sales"]
    assert told["needed"] == [{"column": "department", "values": values, "chosen": None}]
    chosen = told_newcomer(maps, [1, 2, 3], department=3)
    grown = by_department.add("zoe", by_department.nodes[[1, 2, 3]].tolist(), {"department": "research"})
    shown = [row["value"] for row in chosen["maps"][1]["likely"]]
    assert shown == grown.likely_links("zoe", 10)["probability"].tolist()
    assert chosen["needed"][0]["chosen"] == 3
    with pytest.raises(ng.InputError, match="'department' has 5 values; choose one"):
        told_newcomer(maps, [1], department=5)


def test_what_cannot_be_carried_over_is_told_by_the_library(network):
    embedding = ng.embed(network, "common_neighbours", **MODEST)
    told = told_newcomer([embedding], [1, 2, 3])
    assert "what common_neighbours says of a new node is not known" in told["maps"][0]["problem"]
    assert (told["marks"], told["needed"]) == ([None], [])
    assert needed_columns([embedding]) == []


def test_linked_to_all(embedding):
    told = told_newcomer([embedding], range(60))
    assert told["maps"][0]["likely"] == []
    assert {row["shown"]["probability"] for row in told["maps"][0]["links"]} == {"100 %"}
    assert len(told["maps"][0]["links"]) == 50 < told["count"] == 60
    assert np.isfinite(told["marks"][0]["place"]).all()


def test_linked_to_nodes_that_had_no_links(network):
    links, _ = network.to_pandas()
    lonely = ng.Network.from_edges(links, nodes=[*network.nodes, "lone", "lonely"])
    embedding = ng.embed(lonely, "degrees", **MODEST)
    told = told_newcomer([embedding], [60, 61])
    grown = embedding.add("zoe", ["lone", "lonely"])
    assert [row["value"] for row in told["maps"][0]["likely"]] == grown.likely_links("zoe")["probability"].tolist()
    assert told["marks"][0]["place"] == pytest.approx(grown["zoe"].tolist(), abs=1e-5)


def test_names_are_new_and_numbers_stay_numbers():
    ring = ng.Network.from_edges([(i, (i + 1) % 12) for i in range(12)])
    embedding = ng.embed(ring, "degrees", **MODEST)
    told = told_newcomer([embedding], [3, 4])
    assert told["maps"][0]["problem"] == ""
    assert {row["number"] for row in told["maps"][0]["links"]} == {3, 4}


# ---- what is fair --------------------------------------------------------------------------------------------------


def test_fairness(embedding, by_department):
    told = find_fairness([embedding, by_department], "department")
    table = ng.fairness([embedding, by_department], "department").table
    assert [row["given"] for row in told["maps"]] == ["degrees", "degrees+blocks:department"]
    for row, (_, expected) in zip(told["maps"], table.iterrows(), strict=True):
        assert row["parity"]["value"] == expected["parity_gap"]
        assert row["opportunity"]["value"] == expected["opportunity_gap"]
        assert row["read"]["value"] == max(expected["read_logistic"], expected["read_neighbours"])
        assert row["guessed"]["value"] == expected["read_nothing"] == 0.2
        assert row["guessed"]["text"] == "20.0 %"
    assert told["column"] == "department"
    assert told["remarks"][0] == "60 nodes in 5 groups of department."


def test_two_maps_given_the_same(embedding):
    told = find_fairness([embedding, embedding], "project")
    assert [row["given"] for row in told["maps"]] == ["degrees", "2: degrees"]


def test_columns_of_groups(network):
    many = network.columns.assign(year=np.arange(60), one="x", key=[f"k{number}" for number in range(60)], floor=1)
    many.loc[:10, "floor"] = 2
    wide = network.with_columns(many)
    names = ("department", "floor", "year", "one", "key", "degree", "nothing", None)
    assert [column_of_groups(wide, name) for name in names] == ["department", "floor", *[None] * 6]
