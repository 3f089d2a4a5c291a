import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse.csgraph import connected_components

from netgiven.errors import InputError
from netgiven.network import Network
from netgiven.splits import (
    NOBODY,
    NodesAlike,
    hide_links,
    non_link_sampler,
    pairs_of_questions,
    pairs_without_link,
    ranking_questions,
    ranks_of_answers,
)
from tests.strategies import networks


def components(network):
    return connected_components(network.to_scipy(), directed=False)[0]


@given(networks(most=12), st.integers(0, 100), st.floats(0.1, 0.9))
def test_the_split_keeps_components_and_loses_nothing(network, seed, share):
    split = hide_links(network, share, seed)
    assert components(split.train) == components(network)
    assert split.train.link_count + len(split.hidden) == network.link_count
    assert len(split.hidden) <= share * network.link_count
    together = np.concatenate([split.train.links(), np.sort(split.hidden, axis=1)])
    assert {tuple(link) for link in together.tolist()} == {tuple(link) for link in network.links().tolist()}
    matrix = network.to_scipy().toarray()
    assert not matrix[split.others[:, 0], split.others[:, 1]].any()
    assert len({tuple(pair) for pair in split.others.tolist()}) == len(split.others)
    free = network.node_count * (network.node_count - 1) // 2 - network.link_count
    assert len(split.others) == min(len(split.hidden), free)
    assert split.truth.sum() == len(split.hidden) and len(split.pairs) == len(split.truth)


def hide_literally(network, share, seed):
    """The paper's words: hide a link unless that raises the number of components; stop at the share."""
    links = np.random.default_rng(seed).permutation(network.links()).astype(np.int64)
    kept, hidden = [tuple(link) for link in links.tolist()], []
    for link in list(kept):
        if len(hidden) >= int(share * len(links)):
            break
        rest = [other for other in kept if other != link]
        without = Network.from_edges(np.array(rest, dtype=int).reshape(-1, 2), nodes=range(network.node_count))
        if components(without) == components(network):
            kept, hidden = rest, [*hidden, link]
    return hidden


@given(networks(most=8), st.integers(0, 100))
def test_the_fast_split_is_the_literal_one(network, seed):
    assert [tuple(link) for link in hide_links(network, 0.5, seed).hidden.tolist()] == hide_literally(
        network, 0.5, seed
    )


def test_pairs_without_link_are_uniform():
    star = Network.from_edges([(0, i) for i in range(1, 6)])
    drawn = [
        tuple(pair) for seed in range(600) for pair in pairs_without_link(star, 2, np.random.default_rng(seed)).tolist()
    ]
    counts = np.array([drawn.count(pair) for pair in set(drawn)])
    assert len(counts) == 10
    assert ((counts - 120) ** 2 / 120).sum() < 40  # chi-squared with 9 degrees of freedom: one in a hundred thousand


@given(networks(most=12), st.integers(0, 100), st.floats(0.05, 0.95))
def test_a_random_split_hides_the_share_and_loses_nothing(network, seed, share):
    split = hide_links(network, share, seed, split="random")
    assert len(split.hidden) == int(share * network.link_count)
    assert split.train.nodes.equals(network.nodes)
    together = np.concatenate([split.train.links(), np.sort(split.hidden, axis=1)])
    assert sorted(map(tuple, together.tolist())) == sorted(map(tuple, network.links().tolist()))


def test_a_random_split_hides_each_link_equally_often_and_may_isolate_nodes():
    star = Network.from_edges([(0, i) for i in range(1, 7)])
    splits = [hide_links(star, 0.5, seed, split="random") for seed in range(600)]
    counts = np.bincount(np.concatenate([split.hidden[:, 1] for split in splits]), minlength=7)[1:]
    assert ((counts - 300) ** 2 / 300).sum() < 30
    assert all(np.count_nonzero(split.train.degrees == 0) == 3 for split in splits)


def drawn_pairs(network, non_links, weights):
    """Relative frequencies of pairs as the first that is drawn, and what they should be."""
    first, second = np.triu_indices(network.node_count, 1)
    free = ~network.are_linked(first, second) & (weights(first, second) > 0)
    expected = np.where(free, weights(first, second), 0.0)
    sampler, count = non_link_sampler(network, non_links), 6000
    drawn = np.concatenate(
        [pairs_without_link(network, 1, np.random.default_rng(seed), sampler) for seed in range(count)]
    )
    found = np.zeros((network.node_count, network.node_count))
    np.add.at(found, tuple(drawn.T), 1 / count)
    return found[first, second], expected / expected.sum()


def test_non_links_by_degrees_follow_the_degrees():
    network = Network.from_edges([(0, i) for i in range(1, 6)] + [(1, 2), (6, 7), (6, 8)], nodes=range(10))
    degrees = network.degrees
    found, expected = drawn_pairs(network, "degrees", lambda u, v: degrees[u] * degrees[v])
    assert np.abs(found - expected).max() < 0.03
    assert not found[expected == 0].any()


def test_non_links_by_types_are_uniform_between_linked_groups():
    nodes = {"node": range(9), "side": list("aaabbbbcc")}
    network = Network.from_edges([(0, 3), (1, 4), (2, 7), (7, 8)], nodes)
    side = np.array(list("aaabbbbcc"))
    linked = {"ab", "ac", "cc"}
    found, expected = drawn_pairs(
        network,
        "types:side",
        lambda u, v: np.array([float("".join(sorted(a + b)) in linked) for a, b in zip(side[u], side[v], strict=True)]),
    )
    assert np.abs(found - expected).max() < 0.03
    assert not found[expected == 0].any()
    split = hide_links(network, 0.5, split="random", non_links="types")  # the only column
    assert split.non_links == "types" and len(split.others) == 2


ALLOWED = {  # pairs that each way of drawing may draw
    "uniform": lambda network, u, v: np.ones(len(u), dtype=bool),
    "degrees": lambda network, u, v: (network.degrees[u] > 0) & (network.degrees[v] > 0),
    "types:type": lambda network, u, v: linked_types(network)[
        network.groups("type")[0][u], network.groups("type")[0][v]
    ],
}


def linked_types(network):
    codes = network.groups("type")[0]
    together = np.zeros((3, 3), dtype=bool)
    for u, v in network.links().tolist():
        together[codes[u], codes[v]] = together[codes[v], codes[u]] = True
    return together


@pytest.mark.parametrize("non_links", ALLOWED)
@pytest.mark.parametrize("kind", ["all", "with_unobserved", "with_observed"])
@given(networks(most=9), st.integers(0, 100), st.integers(1, 40), st.data())
def test_all_non_links_that_are_allowed_are_drawn_and_no_others(non_links, kind, network, seed, count, data):
    first, second = np.triu_indices(network.node_count, 1)
    if kind != "all":
        listed = data.draw(st.lists(st.booleans(), min_size=len(first), max_size=len(first)).map(np.array))
        listed = listed & ~network.are_linked(first, second)
        network = getattr(network, kind)(np.column_stack([first, second])[listed])
    free = ~network.are_linked(first, second) & network.are_observed(first, second)
    free &= ALLOWED[non_links](network, first, second)
    sampler = non_link_sampler(network, non_links)
    drawn = [tuple(p) for p in pairs_without_link(network, count, np.random.default_rng(seed), sampler).tolist()]
    allowed = set(zip(first[free].tolist(), second[free].tolist(), strict=True))
    assert len(drawn) == len(set(drawn)) == min(count, len(allowed))
    assert set(drawn) <= allowed


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ({"split": "temporal"}, "paper, random"),
        ({"non_links": "weird"}, "uniform, degrees, types:COLUMN"),
        ({"non_links": "uniform:side"}, "uniform, degrees, types:COLUMN"),
        ({"non_links": "types"}, "types:side, types:age"),
        ({"non_links": "types:town"}, "no node column 'town'"),
    ],
)
def test_unknown_words_raise_a_clear_error(words, message):
    nodes = {"node": [0, 1, 2], "side": list("aab"), "age": [1, 2, 3]}
    with pytest.raises(InputError, match=message):
        hide_links(Network.from_edges([(0, 1), (1, 2)], nodes), **words)


@pytest.mark.parametrize("share", [0, 1, -0.5, float("nan")])
def test_an_impossible_share_raises_a_clear_error(share):
    with pytest.raises(InputError, match="between 0 and 1"):
        hide_links(Network.from_edges([(0, 1)]), share)


@given(networks(most=12), st.integers(0, 100))
def test_candidates_are_of_the_same_group_and_have_no_link(network, seed):
    groups = np.random.default_rng(seed).integers(3, size=network.node_count)
    alike = NodesAlike(groups, network.degrees, seed)
    hidden = network.links().astype(np.int64)
    questions = ranking_questions(network, hidden, alike, count=5, candidates=4, seed=seed)
    assert questions.shape == (min(5, len(hidden)), 6)
    for node, partner, *candidates in questions.tolist():
        found = [one for one in candidates if one != NOBODY]
        assert network.are_linked(node, partner) and len(set(found)) == len(found)
        assert candidates == found + [NOBODY] * (4 - len(found))
        for one in found:
            assert one not in (node, partner) and groups[one] == groups[partner] and not network.are_linked(node, one)


def test_nodes_of_the_same_value_come_first_and_then_the_nearest():
    alike = NodesAlike(np.zeros(100, int), np.repeat([1, 2, 9], [50, 30, 20]))
    assert set(alike.draw(60, 30)) == set(range(50, 80))
    assert set(alike.draw(60, 10)) < set(range(50, 80))
    assert set(alike.draw(99, 40)) > set(range(80, 100))  # all of its value, and others
    apart = NodesAlike(np.repeat([0, 1], 50), np.zeros(100, int))
    assert set(apart.draw(3, 100)) == set(range(50))


@given(st.lists(st.lists(st.integers(0, 3), min_size=4, max_size=4), min_size=1, max_size=4), st.integers(0, 3))
def test_ranks_count_what_scores_higher_and_half_of_the_ties(scores, missing):
    questions = np.full((len(scores), 5), 7)
    questions[:, 5 - missing :] = NOBODY
    ranks = ranks_of_answers(questions, np.array(scores, dtype=float).ravel())
    for rank, (answer, *others) in zip(ranks, scores, strict=True):
        there = others[: len(others) - missing]
        assert rank == 1 + sum(one > answer for one in there) + sum(one == answer for one in there) / 2
    assert pairs_of_questions(questions).shape == (4 * len(scores), 2)
