"""The numbers on the page are those of the Python API."""

import numpy as np
import pytest

import netgiven as ng
from netgiven.explorer import tables
from netgiven.explorer.messages import describe_overview, details_message, percent


@pytest.fixture(scope="module")
def embedding():
    network = ng.datasets.company(60)
    return ng.embed(network, "degrees", dimensions=2, reach=2, shrinkage=0.0, threads=1)


def all_pairs(embedding):
    first, second = np.triu_indices(len(embedding), 1)
    pairs = list(zip(embedding.nodes[first], embedding.nodes[second], strict=True))
    return first, second, embedding.probabilities(pairs), embedding.prior.probabilities(pairs)


def test_node(embedding):
    table = tables.node_table(embedding, 7)
    expected = embedding.likely_links(embedding.nodes[7], tables.LIKELIEST)
    assert table.likely["node"].tolist() == expected["node"].tolist()
    assert table.likely["probability"].tolist() == expected["probability"].tolist()
    assert embedding.nodes[table.likely["number"]].tolist() == expected["node"].tolist()
    assert sorted(table.neighbours["node"]) == sorted(embedding.network.neighbours(embedding.nodes[7]))
    assert table.degree == len(table.neighbours)
    assert table.expected_degree == pytest.approx(table.degree)
    pairs = [(embedding.nodes[7], name) for name in table.neighbours["node"]]
    assert table.neighbours["probability"].tolist() == pytest.approx(embedding.probabilities(pairs).tolist())
    assert table.neighbours["prior"].tolist() == pytest.approx(embedding.prior.probabilities(pairs).tolist())


def test_pair(embedding):
    table = tables.pair_table(embedding, 3, 9)
    names = embedding.nodes[3], embedding.nodes[9]
    assert table.probability == pytest.approx(embedding.probability(*names))
    assert table.prior == pytest.approx(embedding.prior.probability(*names))
    assert table.prior_log_odds + table.gain == pytest.approx(table.log_odds)
    assert table.linked == (names[1] in embedding.network.neighbours(names[0]))
    shared = set(embedding.network.neighbours(names[0])) & set(embedding.network.neighbours(names[1]))
    assert table.common_neighbours == len(shared)
    reasons = embedding.explain(*names).table(3)
    assert table.reasons["effect"].tolist() == [effect for effect in reasons["effect"] if effect > 0] != []


def test_group(embedding):
    chosen = np.arange(5, 25)
    table = tables.group_table(embedding, chosen)
    first, second, after, before = all_pairs(embedding)
    linked = embedding.network.are_linked(first, second)
    ends = np.isin(first, chosen).astype(int) + np.isin(second, chosen)
    for part, which in ((table.inside, ends == 2), (table.outside, ends == 1)):
        assert part.pairs == which.sum()
        assert part.links == linked[which].sum()
        assert part.by_prior == pytest.approx(before[which].sum())
        assert part.by_posterior == pytest.approx(after[which].sum())
        assert part.error == 0
        assert part.density == pytest.approx(linked[which].mean())


def test_many_pairs_are_estimated(embedding, monkeypatch):
    chosen = np.arange(30)
    exact = tables.group_table(embedding, chosen)
    monkeypatch.setattr(tables, "MAX_PAIRS_EXACT", 10)
    monkeypatch.setattr(tables, "SAMPLED_PAIRS", 20_000)
    estimated = tables.group_table(embedding, chosen)
    assert estimated.inside.error > 0
    assert abs(estimated.inside.by_posterior - exact.inside.by_posterior) < 5 * estimated.inside.error
    assert abs(estimated.outside.by_posterior - exact.outside.by_posterior) < 5 * estimated.outside.error


def test_frequent_values_of_a_department(embedding):
    codes, values = embedding.network.groups("department")
    column, value, here, whole = tables.group_table(embedding, np.flatnonzero(codes == 2)).frequent_values[0]
    assert (column, value, here) == ("department", values[2], 1.0)
    assert whole == pytest.approx((codes == 2).mean())


def test_a_group_of_all_nodes_has_no_rest(embedding):
    table = tables.group_table(embedding, np.arange(60))
    assert (table.outside.pairs, table.outside.links) == (0, 0)
    assert table.outside.by_prior == pytest.approx(0)
    assert table.inside.links == embedding.network.link_count


def test_the_network(embedding):
    table = tables.likeliest_links(embedding, 4, threads=1)
    assert table["probability"].tolist() == embedding.likely_links(count=4)["probability"].tolist()
    assert embedding.nodes[table["u_number"]].tolist() == table["u"].tolist()


@pytest.mark.parametrize(
    ("selection", "kind"), [([], "overview"), ([4], "node"), ([4, 5], "pair"), ([1, 2, 3], "group")]
)
def test_details_of_a_selection_under_two_priors(embedding, selection, kind):
    other = ng.embed(embedding.network, "density", dimensions=2, reach=embedding.spread, shrinkage=0.0, threads=1)
    details = details_message([embedding, other], np.array(selection, dtype=np.int64), threads=1)
    assert details["kind"] == kind
    assert [one["given"] for one in details["maps"]] == ["degrees", "density"]
    assert len(details.get("highlights", [])) == (2 if kind in ("node", "pair") else 0)


def test_certain_pairs_have_no_infinite_numbers():
    star = ng.Network.from_edges([("hub", "a"), ("hub", "b"), ("hub", "c")])
    embedding = ng.embed(star, "degrees", dimensions=2, reach=1, shrinkage=0.0, threads=1)
    shown = details_message([embedding], np.array([1, 2]), threads=1)["maps"][0]
    assert shown["prior"]["text"] == "0 %"
    assert shown["terms"][0] == shown["terms"][2] == "certain: no"
    assert shown["reasons"] == []
    assert details_message([embedding], np.array([0]), threads=1)["maps"][0]["likely"] == []


@pytest.mark.parametrize("probability", [0.0, 1e-12, 1e-5, 0.0123, 0.5, 0.98765, 0.9999, 1.0])
def test_percent(probability):
    text = percent(probability).removesuffix(" %")
    if text[0] not in "<>":
        assert float(text) / 100 == pytest.approx(probability, rel=6e-3)


@pytest.mark.parametrize(
    ("gain", "shown", "remark"),
    [(0.81, "0.81", ""), (-0.001, "0.00", "Nothing was found beyond what was given."), (-0.3, "−0.30", "worse than")],
)
def test_the_overview_says_what_a_gain_means(embedding, gain, shown, remark):
    overview = describe_overview([embedding], [gain], [None], [None])["maps"][0]
    assert overview["gain"] == f"{shown} bits per link"
    assert remark in overview["warning"] and bool(remark) == bool(overview["warning"])
