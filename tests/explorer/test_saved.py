"""Sessions saved to a file, and what happens if the file is damaged or hostile."""

import json
import re
import zipfile

import numpy as np
import pytest

import netgiven as ng
from netgiven.explorer.saved import SUFFIX, read_session, restore, save_session
from netgiven.explorer.session import Answer, OpenedNetwork, Session, answered_network, refit_with_answers
from netgiven.explorer.story import FOUND, group_name, group_values, groups_of, ledger_message, strip_message


@pytest.fixture(scope="module")
def session():
    one = Session(threads=1)
    one.open(OpenedNetwork("a company", ng.datasets.company(60)))
    one.fit(reach=2.0)
    one.job.wait()
    one.finish()
    one.add_column(FOUND, ["1 first"] * 30 + ["2 second"] * 29 + [None])
    one.answer([5, 3], "no")
    return one


@pytest.fixture
def saved(session, tmp_path):
    path = tmp_path / f"x{SUFFIX}"
    save_session(session, path)
    return path


def test_a_session_comes_back(session, saved):
    found = Session(threads=1)
    restore(found, read_session(saved))
    assert found.title == "a company" and found.shown == [0]
    assert np.array_equal(found.maps[0].positions, session.maps[0].positions)
    assert found.network.column(FOUND).tolist()[:2] == ["1 first", "1 first"]
    assert found.network.column(FOUND).isna().sum() == 1
    assert found.answers == [Answer(3, 5, "no")]
    assert str(found.knowledge) == "degrees"


def test_nothing_to_save():
    with pytest.raises(ng.InputError, match="no map to save"):
        save_session(Session(), None)


def changed(path, **parts):
    """The same archive with another description."""
    with zipfile.ZipFile(path) as archive:
        content = json.loads(archive.read("session.json")) | parts
        maps = {name: archive.read(name) for name in archive.namelist() if name.endswith(".ng")}
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("session.json", json.dumps(content))
        for name, data in maps.items():
            archive.writestr(name, data)
    return path


@pytest.mark.parametrize(
    "parts",
    [
        {"format": "else"}, {"version": 99}, {"maps": 0}, {"maps": 10**9}, {"maps": True}, {"shown": [7]},
        {"shown": []}, {"given": "degrees"}, {"columns": {"x": ["too short"]}}, {"columns": {"x": [1.5] * 60}},
        {"answers": [[0, 0, "yes"]]}, {"answers": [[0, 99, "yes"]]}, {"answers": [[0, 1, "perhaps"]]}, {"title": 3},
    ],
    ids=str,
)  # fmt: skip
def test_damaged_descriptions_are_refused(saved, parts):
    with pytest.raises(ng.FormatError):
        read_session(changed(saved, **parts))


def test_other_files_are_refused(tmp_path, saved):
    (tmp_path / "text.session").write_text("ann,bob\n")
    with pytest.raises(ng.FormatError, match="not a session"):
        read_session(tmp_path / "text.session")
    with pytest.raises(ng.FormatError, match="more than 10 bytes"):
        read_session(saved, max_bytes=10)
    whole = saved.read_bytes()
    saved.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(ng.FormatError):
        read_session(saved)


def test_a_copy_goes_its_own_way(session):
    other = session.copy()
    other.choose([0])
    other.answer([1, 2], "yes")
    assert str(session.knowledge) == "degrees" and len(session.answers) == 1
    assert other.maps == session.maps


def test_answers_change_the_network():
    network = ng.datasets.company(40)
    free = [(0, other) for other in range(1, 40) if not network.are_linked([0], [other])[0]][:4]
    names = [(network.nodes[one], network.nodes[other]) for one, other in free]
    for masked in (network.with_unobserved(names), network):
        answers = [Answer(*free[0], "yes"), Answer(*free[1], "no"), Answer(*free[2], "skip")]
        found = answered_network(masked, answers)
        assert found.link_count == network.link_count + 1
        assert found.are_linked(*np.array([free[0]]).T)[0] and not found.are_linked(*np.array([free[1]]).T)[0]
        assert found.unobserved_count == max(masked.unobserved_count - 2, 0)
    rare = network.with_observed(names)
    assert answered_network(rare, [Answer(*free[0], "no")]).unobserved_count == rare.unobserved_count
    other = next((1, one) for one in range(2, 40) if not network.are_linked([1], [one])[0])
    assert answered_network(rare, [Answer(*other, "no")]).unobserved_count == rare.unobserved_count - 1


def test_only_skipped_pairs_are_no_reason_to_fit(session):
    with pytest.raises(ng.InputError, match="yes or no"):
        refit_with_answers(session.maps[0], session.network, [Answer(0, 1, "skip")])


def test_replies_are_checked(session):
    with pytest.raises(ng.InputError, match="perhaps"):
        session.answer([0, 1], "perhaps")
    with pytest.raises(ng.InputError, match="two different nodes"):
        session.answer([1, 1], "yes")


def test_the_strip_and_the_ledger(session):
    planes = [session.maps[0].positions[:, :2]]
    message = strip_message(session.history, planes, session.shown)
    assert len(message["maps"][0]["dots"]) == len(message["sample"]) == 60
    assert np.array(message["maps"][0]["dots"]).min() >= 0 and np.array(message["maps"][0]["dots"]).max() <= 100
    found = ledger_message(session.network, session.knowledge, session.maps)
    assert [line["knowledge"] for line in found["lines"]] == ["degrees", ""]
    assert {one["column"] for one in found["readable"][0]["columns"]} == {"department", "project"}


def test_columns_with_too_many_groups_can_be_given_with_a_click(session):
    network = ng.datasets.company(450).with_columns({"room": [f"r{k % 210}" for k in range(450)]})
    (proposed,) = ledger_message(network, ng.degrees(), [])["proposals"]
    assert proposed["knowledge"] == "blocks:room" and "has 210 groups" in proposed["text"]


def test_groups_have_names():
    cliques = [(i, j) for i in range(30) for j in range(i) if i % 3 == j % 3]
    nodes = {"name": list(range(30)), "team": ["red" if i % 3 else "blue" for i in range(30)]}
    network = ng.Network.from_edges(cliques, nodes=nodes)
    embedding = ng.embed(network, given="density", dimensions=2, threads=1)
    groups = groups_of(embedding, network)
    assert len(groups) == 3
    values = group_values(groups)
    assert len(set(values)) == 3 and sum("blue" in value for value in values) == 10


def test_groups_are_named_by_texts_where_nodes_are_numbers():
    """A column of titles names nodes that are bare numbers; hostile titles stay what they are."""
    cliques = [(i, j) for i in range(30) for j in range(i) if i % 3 == j % 3]
    titles = [f"<b>title {i}</b>" for i in range(29)] + [None]
    for numbers in (list(range(30)), [str(i) for i in range(30)]):
        pairs = [(numbers[i], numbers[j]) for i, j in cliques]
        network = ng.Network.from_edges(pairs, nodes={"node": numbers, "title": titles})
        groups = groups_of(ng.embed(network, given="density", dimensions=2, threads=1), network)
        assert all(re.fullmatch(r"around (<b>title \d+</b>|29)", group_name(groups, number)) for number in range(3))
        assert groups.typical(0, 1)[0] in numbers  # names stay names, to look nodes up by
        assert "title" in groups.table.loc[0, "typical"]


def test_going_back_selects_what_that_map_was_given():
    one = Session(threads=1)
    one.open(OpenedNetwork("a company", ng.datasets.company(60)))
    for text in ("", "blocks:department"):
        if text:
            one.give(text)
        one.fit(reach=2.0)
        one.job.wait()
        one.finish()
    one.show([0])
    assert str(one.knowledge) == "degrees"
    lines = ledger_message(one.network, one.knowledge, one.maps)["lines"]
    assert [line["knowledge"] for line in lines] == ["degrees", ""]  # the last one is what the map adds
    one.show([1, 0])
    assert str(one.knowledge) == "degrees+blocks:department"
    one.close_map(0)
    assert str(one.knowledge) == "degrees"


def test_percent_signs_of_proposals_stay_with_their_numbers(session):
    texts = [one["text"] for one in ledger_message(session.network, session.knowledge, session.maps)["proposals"]]
    assert any("%" in text for text in texts) and not any(" %" in text for text in texts)
