"""Bands find what looking at all pairs finds."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import netgiven as ng
from netgiven import ranking
from netgiven import ranking as rooms
from netgiven.kernels import reference
from netgiven.kernels.arrays import Links, make_scene
from netgiven.ranking import compare_all, make_bands, search_bands
from tests.random_priors import drawn_links, listed_pairs, random_prior


def best_of_all(scene, links, count):
    """Scores of the best pairs, by writing all of them out."""
    z = np.where(reference.adjacency(links), -np.inf, reference.all_log_odds(scene))
    scores = np.sort(z[np.triu_indices(len(z), 1)])[::-1][:count]
    return scores[scores > -rooms.SURE]


@given(
    nodes=st.integers(2, 150),
    groups=st.integers(1, 4),
    terms=st.integers(0, 2),
    listed=st.sampled_from([0.0, 0.1, 0.5]),
    count=st.integers(1, 60),
    smallest=st.sampled_from([2, 8, 64]),
    wide=st.floats(0.01, 3.0),
    seed=st.integers(0, 1000),
)
def test_the_best_pairs_of_any_prior(nodes, groups, terms, listed, count, smallest, wide, seed):
    prior = random_prior(count=nodes, groups=groups, terms=terms, listed=listed, seed=seed)
    scene = make_scene(wide * np.random.default_rng(seed).normal(size=(nodes, 3)), prior, 2.0, 0.8)
    links = drawn_links(prior)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rooms, "SMALLEST", smallest)
        found = search_bands(scene, links, make_bands(scene), count, workers=1)
    assert not reference.adjacency(links)[found.first, found.second].any()
    assert (found.first < found.second).all()
    np.testing.assert_allclose(found.score, best_of_all(scene, links, count)[: len(found.score)], atol=1e-4)
    assert len(found.score) == len(best_of_all(scene, links, count))


@pytest.fixture(scope="module")
def embedding():
    """Degrees with a long tail, an isolated node, and one that is linked to all others."""
    random = np.random.default_rng(0)
    weight = random.pareto(1.5, 1_500) + 1
    pairs = random.choice(1_500, size=(9_000, 2), p=weight / weight.sum())
    pairs = np.concatenate([pairs[pairs[:, 0] != pairs[:, 1]], [(1_500, other) for other in range(1_500)]])
    network = ng.Network.from_edges(pairs, nodes=list(range(1_502)))
    return ng.embed(network, "degrees", dimensions=4, spread=ng.Spread.from_reach(3.0), shrinkage=0.0)


@pytest.mark.parametrize("count", [1, 50, 1_000])
@pytest.mark.parametrize("threads", [1, 2])
def test_an_embedding_tells_the_same_both_ways(embedding, monkeypatch, count, threads):
    compared = embedding.likely_links(count=count)
    monkeypatch.setattr(ranking, "MOST_NODES_COMPARED", 100)
    monkeypatch.setattr(ranking, "compare_all", None)
    searched = embedding.likely_links(count=count, threads=threads)
    np.testing.assert_allclose(searched["probability"], compared["probability"], rtol=1e-5)
    assert set(searched["u"]) | set(searched["v"]) == set(compared["u"]) | set(compared["v"])


def test_few_pairs_are_looked_at(embedding):
    """With degrees this different, hardly any pairs can be among the best."""
    scene = make_scene(embedding.positions, embedding.prior.arrays, embedding.reach, embedding.spread.stiffness)
    looked_at = []

    class Counted(rooms.Best):
        def take(self, first, second):
            looked_at.append(len(first))
            super().take(first, second)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rooms, "Best", Counted)
        links = Links(embedding.network.indptr, embedding.network.indices)
        search_bands(scene, links, make_bands(scene), 20, workers=1)
    assert sum(looked_at) < 0.05 * len(embedding) ** 2 / 2


def test_many_bands_and_many_pairs_are_compared_instead(embedding, monkeypatch):
    scene = make_scene(embedding.positions, embedding.prior.arrays, embedding.reach, embedding.spread.stiffness)
    links = Links(embedding.network.indptr, embedding.network.indices)
    monkeypatch.setattr(ranking, "MOST_NODES_COMPARED", 100)
    monkeypatch.setattr(ranking, "search_bands", None)
    expected = compare_all(scene, links, 2_000, 1)
    np.testing.assert_array_equal(ranking.likeliest_pairs(scene, links, 2_000, 1), expected)
    monkeypatch.setattr(ranking, "MOST_BANDS", 1)
    np.testing.assert_array_equal(ranking.likeliest_pairs(scene, links, 9, 1), compare_all(scene, links, 9, 1))


def test_no_pair_is_possible():
    prior = random_prior(count=5, groups=1, terms=0, listed=0, seed=0)._replace(node=np.full(5, -1024, np.float32))
    scene = make_scene(np.zeros((5, 2)), prior._replace(listed=listed_pairs(np.zeros((5, 5)))), 1.0, 1.0)
    none = Links(np.zeros(6, np.int64), np.empty(0, np.int32))
    assert not len(search_bands(scene, none, make_bands(scene), 3, workers=1).first)
