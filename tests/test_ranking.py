"""The likeliest pairs: the search in bands agrees with comparing all pairs."""

import itertools

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import netgiven as ng
from netgiven import ranking
from netgiven.kernels import reference
from netgiven.kernels.arrays import LinkRows, make_model_arrays
from netgiven.kernels.top_pairs import pairs_above
from netgiven.ranking import (
    best_partners,
    compare_all,
    largest,
    likeliest_pairs,
    make_bands,
    members,
    search_bands,
)
from tests.random_priors import drawn_links, listed_pairs, random_prior


def best_of_all(model, links, count):
    """The scores of the best pairs among all pairs."""
    z = np.where(reference.adjacency(links), -np.inf, reference.all_log_odds(model))
    scores = np.sort(z[np.triu_indices(len(z), 1)])[::-1][:count]
    return scores[scores > -ranking.CERTAIN_LOG_ODDS]


@given(
    nodes=st.integers(2, 150),
    groups=st.integers(1, 4),
    terms=st.integers(0, 2),
    listed=st.sampled_from([0.0, 0.1, 0.5]),
    count=st.integers(1, 60),
    smallest=st.sampled_from([2, 8, 64]),
    for_a_query=st.sampled_from([0, 10, 10**9]),
    wide=st.floats(0.01, 3.0),
    seed=st.integers(0, 1000),
)
def test_the_best_pairs_of_any_prior(nodes, groups, terms, listed, count, smallest, for_a_query, wide, seed):
    prior = random_prior(count=nodes, groups=groups, terms=terms, listed=listed, seed=seed)
    model = make_model_arrays(wide * np.random.default_rng(seed).normal(size=(nodes, 3)), prior, 2.0, 0.8)
    links = drawn_links(prior)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ranking, "SMALLEST_BAND", smallest)
        patch.setattr(ranking, "PAIRS_FOR_ONE_QUERY", for_a_query)
        patch.setattr(ranking, "PAIRS_FOR_A_TREE", 0)
        found = search_bands(model, links, make_bands(model), count, workers=1)
    assert not reference.adjacency(links)[found.first, found.second].any()
    assert (found.first < found.second).all()
    np.testing.assert_allclose(found.score, best_of_all(model, links, count)[: len(found.score)], atol=1e-4)
    assert len(found.score) == len(best_of_all(model, links, count))


@given(
    nodes=st.integers(1, 60),
    terms=st.integers(0, 3),
    floor=st.floats(-6, 3),
    room=st.integers(1, 300),
    seed=st.integers(0, 1000),
)
def test_pairs_above_a_floor_are_those_of_the_reference(nodes, terms, floor, room, seed):
    """Of two bands and of a band with itself; a row whose pairs do not all fit comes again."""
    prior = random_prior(count=nodes, groups=2, terms=terms, listed=0, seed=seed)
    model = make_model_arrays(np.random.default_rng(seed).normal(size=(nodes, 6)), prior, 2.0, 0.8)
    bands, links = make_bands(model), drawn_links(prior)
    for few, many in itertools.product(bands, bands):
        if few is not many and few.nodes[0] > many.nodes[0]:
            continue
        arrays, shared = (few.first(len(few.nodes)), many.first(len(many.nodes))), few.shared(many)
        expected = reference.pairs_above(*arrays, shared, float(model.half_stiffness), floor, links)
        found, row = [], 0
        while row < len(few.nodes):
            space = np.empty((2, max(room, len(many.nodes))), np.int64)
            row, count = pairs_above(row, *arrays, shared, float(model.half_stiffness), floor, links, tuple(space))
            found += map(tuple, space[:, :count].T.tolist())
        assert found == expected
        assert all(few.bound[i] + many.bound[j] + shared >= z - 1e-5 for i, j, z in all_of_bands(model, few, many))


def all_of_bands(model, few, many):
    """The log-odds of all pairs of two bands, by their places in the bands."""
    z = reference.all_log_odds(model)
    return [
        (i, j, z[one, other]) for i, one in enumerate(few.nodes) for j, other in enumerate(many.nodes) if one != other
    ]


@pytest.fixture(scope="module")
def embedding():
    """Degrees with a long tail, an isolated node, and one that is linked to all others."""
    random = np.random.default_rng(0)
    weight = random.pareto(1.5, 1_500) + 1
    pairs = random.choice(1_500, size=(9_000, 2), p=weight / weight.sum())
    pairs = np.concatenate([pairs[pairs[:, 0] != pairs[:, 1]], [(1_500, other) for other in range(1_500)]])
    network = ng.Network.from_edges(pairs, nodes=list(range(1_502)))
    return ng.embed(network, "degrees", dimensions=4, reach=3.0, shrinkage=0.0)


@pytest.mark.parametrize("count", [1, 50, 1_000])
@pytest.mark.parametrize(("threads", "trees"), [(1, False), (1, True), (2, True)])
def test_all_ways_give_the_same_likely_links(embedding, monkeypatch, count, threads, trees):
    compared = embedding.likely_links(count=count)
    monkeypatch.setattr(ranking, "MAX_NODES_COMPARED", 100)
    monkeypatch.setattr(ranking, "compare_all", None)
    monkeypatch.setattr(ranking, "PAIRS_FOR_ONE", 1)
    if trees:
        monkeypatch.setattr(ranking, "PAIRS_FOR_ONE_QUERY", 0)
        monkeypatch.setattr(ranking, "PAIRS_FOR_A_TREE", 0)
    searched = embedding.likely_links(count=count, threads=threads)
    np.testing.assert_allclose(searched["probability"], compared["probability"], rtol=1e-5)
    assert set(searched["u"]) | set(searched["v"]) == set(compared["u"]) | set(compared["v"])


@pytest.mark.parametrize("trees", [False, True])
def test_where_too_many_pairs_are_near_all_are_compared(monkeypatch, trees):
    """Long products of roles make bounds loose: nearly all pairs would be looked at, or found by a KD-tree."""
    random = np.random.default_rng(2)
    network = ng.Network.from_edges(random.integers(0, 400, size=(900, 2)))
    found = ng.embed(network, dimensions=6, repelling=4, reach=2.0, shrinkage=0.5, repelling_shrinkage=0.5)
    compared = found.likely_links(count=50)
    calls, searched = [], ranking.search_bands

    def search(*arguments, most_compared):
        calls.append(searched(*arguments, most_compared=most_compared if trees else 5_000))
        return calls[-1]

    if trees:
        monkeypatch.setattr(ranking, "PAIRS_FOR_ONE_QUERY", 0)
        monkeypatch.setattr(ranking, "PAIRS_FOR_A_TREE", 0)

    monkeypatch.setattr(ranking, "MAX_NODES_COMPARED", 100)
    monkeypatch.setattr(ranking, "search_bands", search)
    pd.testing.assert_frame_equal(found.likely_links(count=50), compared)
    assert calls[0].has_too_many


def test_few_pairs_are_compared(embedding):
    """With such different degrees, few pairs can be among the best."""
    model = make_model_arrays(embedding.positions, embedding.prior.arrays, embedding.reach, embedding.spread.stiffness)
    compared = []

    class Counted(ranking.BestPairs):
        def add(self, first, second):
            compared.append(len(first))
            super().add(first, second)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ranking, "BestPairs", Counted)
        links = LinkRows(embedding.network.indptr, embedding.network.indices)
        search_bands(model, links, make_bands(model), 20, workers=1)
    assert sum(compared) < 0.05 * len(embedding) ** 2 / 2


def test_with_many_bands_or_many_pairs_all_pairs_are_compared(embedding, monkeypatch):
    model = make_model_arrays(embedding.positions, embedding.prior.arrays, embedding.reach, embedding.spread.stiffness)
    links = LinkRows(embedding.network.indptr, embedding.network.indices)
    monkeypatch.setattr(ranking, "MAX_NODES_COMPARED", 100)
    monkeypatch.setattr(ranking, "search_bands", None)
    expected = compare_all(model, links, 2_000, 1)
    np.testing.assert_array_equal(ranking.likeliest_pairs(model, links, 2_000, 1), expected)
    monkeypatch.setattr(ranking, "MAX_BANDS", 1)
    np.testing.assert_array_equal(ranking.likeliest_pairs(model, links, 9, 1), compare_all(model, links, 9, 1))


def test_no_pair_is_possible():
    prior = random_prior(count=5, groups=1, terms=0, listed=0, seed=0)._replace(node=np.full(5, -1024, np.float32))
    model = make_model_arrays(np.zeros((5, 2)), prior._replace(listed=listed_pairs(np.zeros((5, 5)))), 1.0, 1.0)
    none = LinkRows(np.zeros(6, np.int64), np.empty(0, np.int32))
    assert not len(search_bands(model, none, make_bands(model), 3, workers=1).first)


@pytest.mark.parametrize("count,thread_count", [(300, 1), (1100, 1), (1100, 3)])
def test_listed_pairs_count_with_their_true_scores(count, thread_count):
    """Over several tables and blocks of nodes; some pairs are listed as likely, some as impossible."""
    value = np.zeros((count, count))
    first, second = np.arange(0, 40), np.arange(count - 40, count)
    value[first, second] = np.linspace(20, 60, 40)
    value[first, second - 50] = -1024
    prior = random_prior(count=count, listed=0, seed=1)._replace(listed=listed_pairs(value))
    model = make_model_arrays(np.random.default_rng(0).normal(size=(count, 3)), prior, 2.0, 0.8)
    unlisted = prior._replace(listed=listed_pairs(np.zeros((count, count))))
    links = drawn_links(unlisted)
    found = likeliest_pairs(model, links, 200, thread_count)
    z = np.where(reference.adjacency(links), -np.inf, reference.all_log_odds(model))
    best = np.sort(z[np.triu_indices(count, 1)])[::-1][:200]
    assert np.allclose(z[found], best, atol=1e-4)
    assert set(zip(first, second, strict=True)) - set(zip(*found, strict=True)) <= set(
        zip(*np.where(z == -np.inf), strict=True)
    )


# ---- recommendations -------------------------------------------------------------------------------------------------


@given(
    nodes=st.integers(2, 40),
    groups=st.integers(1, 3),
    terms=st.integers(0, 2),
    listed=st.sampled_from([0.0, 0.3]),
    count=st.integers(1, 12),
    at_once=st.sampled_from([1, 50, 10_000]),
    seed=st.integers(0, 1000),
)
def test_the_best_partners_of_any_prior(nodes, groups, terms, listed, count, at_once, seed):
    prior, random = random_prior(nodes, groups, terms, listed=listed, seed=seed), np.random.default_rng(seed)
    model, links = make_model_arrays(random.normal(size=(nodes, 3)), prior, 2.0, 0.8), drawn_links(prior)
    some, candidates = random.integers(nodes, size=5), np.flatnonzero(random.random(nodes) < 0.7)
    z = reference.all_log_odds(model)
    z[z < -ranking.CERTAIN_LOG_ODDS] = -np.inf
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ranking, "PAIRS_AT_ONCE", at_once)
        place, partner = best_partners(model, links, lambda i, j: z[i, j], some, candidates, count)
    scores = np.where(reference.adjacency(links), -np.inf, z)
    np.fill_diagonal(scores, -np.inf)
    expected = [candidates[largest(scores[node, candidates], count)] for node in some]
    assert [partner[place == number].tolist() for number in range(5)] == [row.tolist() for row in expected]


def test_scores_are_compared_in_pieces(monkeypatch):
    prior, nodes = random_prior(30, 1, 0, seed=1), np.arange(30)
    model, links = make_model_arrays(np.zeros((30, 2)), prior, 2.0, 0.8), drawn_links(prior)
    sizes, found = [], []

    def exact(first, second):
        sizes.append(len(first))
        return ranking.log_odds(model, first, second)

    for at_once in (1 << 16, 7):
        sizes.clear()
        monkeypatch.setattr(ranking, "EXACT_AT_ONCE", at_once)
        found.append(np.stack(best_partners(model, links, exact, nodes, nodes, 5)))
    assert max(sizes) <= 7
    np.testing.assert_array_equal(*found)


@pytest.mark.parametrize(("scale", "shift"), [(1, 200), (30, 0)])
def test_the_best_partners_of_positions_far_from_the_origin(scale, shift):
    prior, random, nodes = random_prior(300, 1, 0, seed=1), np.random.default_rng(1), np.arange(300)
    positions = (scale * random.normal(size=(300, 3)) + shift).astype(np.float32)
    model, links = make_model_arrays(positions, prior, 2.0, 0.8), drawn_links(prior)

    def exact(first, second):
        return ranking.log_odds(model, first, second)

    place, partner = best_partners(model, links, exact, nodes, nodes, 5)
    scores = exact(np.repeat(nodes, 300), np.tile(nodes, 300)).reshape(300, 300)
    scores[reference.adjacency(links) | np.eye(300, dtype=bool)] = -np.inf
    assert all(partner[place == node].tolist() == largest(scores[node], 5).tolist() for node in nodes)


CINEMA = ng.datasets.cinema(viewers=30, films=20)


@pytest.mark.parametrize(
    "among", ["film", "side=film", {"side": "film"}, CINEMA.nodes[30:], CINEMA.nodes[30:].tolist()]
)
def test_members_are_described_in_many_ways(among):
    assert members(CINEMA, among).tolist() == list(range(30, 50))


def test_members_of_several_columns():
    chosen = members(CINEMA, {"side": "film", "genre": "drama"})
    assert CINEMA.columns["genre"].iloc[chosen].tolist() == ["drama"] * len(chosen) and len(chosen)
    assert members(CINEMA, None).tolist() == list(range(50))
    numbers = ng.Network.from_edges([(0, 1)], nodes={"node": [0, 1, 2], "year": [1999, None, 2001]})
    for among in ("year=1999.0", "year=1999", {"year": 1999}, "1999"):
        assert members(numbers, among).tolist() == [0]


TWICE = CINEMA.with_columns(CINEMA.columns[["side"]].rename(columns={"side": "kind"}))


@pytest.mark.parametrize(
    ("network", "among", "message"),
    [
        (CINEMA, "horror", "no column has this value .node columns: 'side', 'genre'"),
        (TWICE, "film", "columns 'side', 'kind' have this value"),
        (CINEMA, {"side": "book"}, "No node has side = book. Values of side: 'film', 'viewer'"),
        (CINEMA, {"sides": "film"}, "Did you mean 'side'"),
        (CINEMA, ["film 99"], "There is no node 'film 99'"),
        (CINEMA, [], "at least one"),
        (CINEMA, 7, "a column and its value"),
        (CINEMA, {"side": ["film", "viewer"]}, "one value is expected"),
    ],
)
def test_members_that_are_not_there(network, among, message):
    with pytest.raises(ng.InputError, match=message):
        members(network, among)
