"""Each fast kernel against its readable twin."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from netgiven.fitting.objectives import make_drawn_pairs
from netgiven.kernels import reference
from netgiven.kernels.arrays import (
    LinkRows,
    RandomKey,
    RepulsionSums,
    find_in_rows,
    make_model_arrays,
    make_tables,
    nothing_listed,
    padded,
)
from netgiven.kernels.csr import row_contains, search_row
from netgiven.kernels.fastmath import exp_negative, log1p
from netgiven.kernels.gradient import AdamStep, Moments, adam, attract
from netgiven.kernels.jit import kernel
from netgiven.kernels.node_objective import empty_point_sums, points_of, sum_around_points
from netgiven.kernels.pair_sums import sigmoid_in_place
from netgiven.kernels.paper_sampling import draw_pairs, fill_listed, fill_reverse, sum_drawn_pairs
from netgiven.kernels.prior_logit import prior_log_odds, unlisted_log_odds
from netgiven.kernels.random import stream, uniform
from netgiven.kernels.repulsion import BLOCK, correct_listed, draw_blocks, make_proposal, repel_all, repel_sampled
from netgiven.kernels.top_pairs import Heaps, top_pairs
from netgiven.network import Network
from netgiven.priors import parse_knowledge
from tests.random_priors import dense_log_odds, drawn_links, random_priors
from tests.strategies import networks

f32 = np.float32
PRIORS = ["density", "degrees", "blocks:type", "degrees+blocks:type", "blocks:type+blocks:place"]
priors = st.sampled_from(PRIORS).map(parse_knowledge)
CLOSE = {"rtol": 2e-5, "atol": 2e-5}


def model_of(network, knowledge, dimensions, reach=2.0):
    positions = np.random.default_rng(0).normal(size=(network.node_count, dimensions))
    return make_model_arrays(positions, knowledge.fit(network).arrays, reach, 0.8)


def model_given(prior, dimensions=3, reach=2.0):
    positions = np.random.default_rng(0).normal(size=(len(prior.node), dimensions))
    return make_model_arrays(positions, prior, reach, 0.8)


def empty_sums(model, kind=np.float32):
    return RepulsionSums(np.empty(model.positions.shape, dtype=kind), np.empty(len(model.positions)))


def links_of(network):
    return LinkRows(network.indptr, network.indices)


@kernel
def apply_exp(x, out):
    for i in range(len(x)):
        out[i] = exp_negative(x[i])


@kernel
def apply_log(x, out):
    for i in range(len(x)):
        out[i] = log1p(x[i])


@kernel
def apply_uniform(seed, step, owner, out):
    start = stream(seed, step, owner)
    for i in range(len(out)):
        out[i] = uniform(start, i)


def test_exp_is_accurate_and_zero_far_out():
    x = -np.linspace(0, 86, 200_001, dtype=np.float32)
    out = np.empty_like(x)
    apply_exp(x, out)
    assert np.max(np.abs(out / np.exp(x.astype(np.float64)) - 1)) < 1e-5  # x itself is rounded by 4e-6 at -86
    near = x > -1
    assert np.max(np.abs(out[near] / np.exp(x[near].astype(np.float64)) - 1)) < 4e-7
    far = np.array([-100.5, -256, -1e6, -1e30], dtype=np.float32)
    apply_exp(far, out[:4])
    assert not out[:4].any()


def test_log_is_accurate():
    t = np.concatenate([np.geomspace(1e-30, 1, 50_000), np.linspace(0.001, 1, 50_000)]).astype(np.float32)
    out = np.empty_like(t)
    apply_log(t, out)
    assert np.max(np.abs(out / np.log1p(t.astype(np.float64)) - 1)) < 4e-7


def test_random_numbers_are_uniform_and_belong_to_their_place():
    numbers = np.empty((40, 1000))
    for owner in range(40):
        apply_uniform(3, 5, owner, numbers[owner])
    counts, _ = np.histogram(numbers, bins=20, range=(0, 1))
    assert ((counts - 2000) ** 2 / 2000).sum() < 60  # chi-squared with 19 degrees of freedom: one in a million
    assert abs(np.corrcoef(numbers[0], numbers[1])[0, 1]) < 0.15
    again = np.empty(1000)
    apply_uniform(3, 5, 7, again)
    assert np.array_equal(again, numbers[7])
    apply_uniform(3, 6, 7, again)
    assert not np.array_equal(again, numbers[7])


@given(networks(least=1, most=9), priors, st.integers(1, 9), st.floats(0.1, 6))
def test_all_pairs_is_its_twin(network, knowledge, dimensions, reach):
    model = model_of(network, knowledge, dimensions, reach)
    sums = empty_sums(model, np.float64)
    repel_all(0, network.node_count, model, make_tables(model, length=4), sums)
    twin_repulsion, twin_softplus = reference.repel_all(model)
    assert np.allclose(sums.repulsion, twin_repulsion, **CLOSE)
    assert np.allclose(sums.softplus, twin_softplus, rtol=2e-5, atol=1e-4)


@given(random_priors(larger=[70, 300]))
def test_known_log_odds_are_those_of_matrices(prior):
    nodes = np.arange(len(prior.node))
    known, dense = prior_log_odds(prior, nodes[:, None], nodes[None, :]), dense_log_odds(prior)
    assert known.dtype == np.float64
    assert np.allclose(known, dense, rtol=1e-12, atol=1e-12)
    assert np.allclose(prior_log_odds(prior, nodes[::-1], nodes), dense[nodes[::-1], nodes], rtol=1e-12, atol=1e-12)
    assert np.allclose(unlisted_log_odds(prior, nodes, nodes), dense.diagonal(), rtol=1e-12, atol=1e-12)


@given(random_priors(larger=[70, 300]), st.integers(1, 9))
def test_all_pairs_is_its_twin_given_any_prior(prior, dimensions):
    model = model_given(prior, dimensions)
    sums = empty_sums(model, np.float64)
    repel_all(0, len(prior.node), model, make_tables(model, length=16), sums)
    twin_repulsion, twin_softplus = reference.repel_all(model)
    assert np.allclose(sums.repulsion, twin_repulsion, rtol=5e-5, atol=5e-5)
    assert np.allclose(sums.softplus, twin_softplus, rtol=5e-5, atol=1e-4)


@given(random_priors(larger=[70, 300]), st.integers(1, 6), st.integers(1, 20))
def test_sampled_is_its_twin_given_any_prior(prior, dimensions, samples):
    model, count = model_given(prior, dimensions), len(prior.node)
    blocks = -(-count // BLOCK)
    drawn = np.random.default_rng(1).integers(count, size=(blocks, samples)).astype(np.int32)
    weights = np.random.default_rng(2).uniform(0.5, 3, count).astype(np.float32)
    sums = empty_sums(model)
    repel_sampled(0, blocks, drawn, weights, model, sums)
    twin_repulsion, twin_softplus = reference.repel_sampled(drawn, BLOCK, weights, model)
    assert np.allclose(sums.repulsion, twin_repulsion, rtol=5e-5, atol=1e-4)
    assert np.allclose(sums.softplus, twin_softplus, rtol=5e-5, atol=1e-3)


@given(random_priors(larger=[70, 300]), st.integers(1, 6), st.sampled_from([np.float32, np.float64]))
def test_corrections_are_their_twin(prior, dimensions, kind):
    model, count = model_given(prior, dimensions), len(prior.node)
    sums = RepulsionSums(np.ones(model.positions.shape, dtype=kind), np.ones(count))
    correct_listed(0, count // 2, model, sums)
    assert np.all(sums.repulsion[count // 2 :] == 1) and np.all(sums.softplus[count // 2 :] == 1)
    correct_listed(count // 2, count, model, sums)
    twin_repulsion, twin_softplus = reference.correct_listed(model)
    assert np.allclose(sums.repulsion, 1 + twin_repulsion, rtol=5e-5, atol=5e-5)
    assert np.allclose(sums.softplus, 1 + twin_softplus, rtol=5e-5, atol=1e-4)


@given(networks(least=1, most=9), st.integers(1, 9))
def test_attraction_is_its_twin(network, dimensions):
    x = padded(np.random.default_rng(0).normal(size=(network.node_count, dimensions)))
    pull, stretch = np.empty_like(x), np.empty(len(x))
    attract(0, len(x), x, 0, links_of(network), pull, stretch)
    twin_pull, twin_stretch = reference.attract(x, 0, links_of(network))
    assert np.allclose(pull, twin_pull, **CLOSE)
    assert np.allclose(stretch, twin_stretch, **CLOSE)


@given(networks(least=2, most=9), priors, st.integers(1, 6), st.integers(1, 20))
def test_sampled_is_its_twin(network, knowledge, dimensions, samples):
    model, count = model_of(network, knowledge, dimensions), network.node_count
    drawn = np.random.default_rng(1).integers(count, size=(1, samples)).astype(np.int32)
    weights = np.random.default_rng(2).uniform(0.5, 3, count).astype(np.float32)
    sums = empty_sums(model)
    repel_sampled(0, 1, drawn, weights, model, sums)
    twin_repulsion, twin_softplus = reference.repel_sampled(drawn, BLOCK, weights, model)
    assert np.allclose(sums.repulsion, twin_repulsion, rtol=5e-5, atol=5e-5)
    assert np.allclose(sums.softplus, twin_softplus, rtol=5e-5, atol=1e-3)


def test_draws_follow_the_proposal():
    weights = np.array([1.0, 0.0, 3.0, 4.0, 0.0, 2.0])
    drawn = np.empty((4000, 5), dtype=np.int32)
    draw_blocks(0, len(drawn), RandomKey(1, 2), make_proposal(weights), drawn)
    counts = np.bincount(drawn.ravel(), minlength=6)
    expected = weights / weights.sum() * drawn.size
    assert counts[1] == counts[4] == 0
    assert np.all(np.abs(counts - expected) <= 4 * np.sqrt(expected))


@given(networks(least=3, most=10), st.integers(1, 6), st.booleans())
def test_drawn_pairs_are_links_first_then_others(network, samples, weighted):
    count, links, degrees = network.node_count, links_of(network), network.degrees
    chosen = make_drawn_pairs(degrees, samples, weighted)
    draw_pairs(0, count, RandomKey(1, 2), links, chosen)
    adjacency = reference.adjacency(links)
    for i in range(count):
        mine, others = np.split(chosen.node[chosen.indptr[i] : chosen.indptr[i + 1]], [chosen.linked[i]])
        rest = count - 1 - degrees[i]
        assert len(mine) + len(others) == min(2 * samples, count - 1)
        assert len(mine) == min(degrees[i], max(samples, 2 * samples - rest))
        assert len(set(mine)) == len(mine) and adjacency[i, mine].all()
        assert not adjacency[i, others].any() and i not in others
        weights = chosen.link_weight[i] * len(mine), chosen.other_weight[i] * len(others)
        if weighted:
            assert np.allclose(weights, [degrees[i], rest], rtol=1e-6)
        else:
            assert weights == (len(mine), len(others))


def test_the_reverse_index_has_each_place_once():
    network = Network.from_edges(np.random.default_rng(0).integers(30, size=(90, 2)), nodes=range(30))
    chosen = make_drawn_pairs(network.degrees, 5, weighted=False)
    draw_pairs(0, 30, RandomKey(1, 2), links_of(network), chosen)
    fill_reverse(chosen)
    for j in range(30):
        places = chosen.places[chosen.back[j] : chosen.back[j + 1]]
        assert places.tolist() == np.flatnonzero(chosen.node == j).tolist()


@given(networks(least=3, most=9), priors, st.booleans())
def test_sums_of_drawn_pairs_are_their_twin(network, knowledge, weighted):
    model, count = model_of(network, knowledge, 3), network.node_count
    chosen, sums = make_drawn_pairs(network.degrees, 2, weighted), empty_sums(model)
    draw_pairs(0, count, RandomKey(1, 2), links_of(network), chosen)
    fill_reverse(chosen)
    sum_drawn_pairs(0, count, chosen, model, sums)
    twin_repulsion, twin_softplus = reference.sum_drawn_pairs(chosen, model)
    assert np.allclose(sums.repulsion, twin_repulsion, rtol=5e-5, atol=5e-5)
    assert np.allclose(sums.softplus, twin_softplus, rtol=2e-5, atol=1e-4)


@given(random_priors(least=3, larger=[70]), st.booleans())
def test_sums_of_drawn_pairs_are_their_twin_given_any_prior(prior, weighted):
    model, links, count = model_given(prior), drawn_links(prior), len(prior.node)
    chosen, sums = make_drawn_pairs(np.diff(links.indptr), 2, weighted), empty_sums(model)
    draw_pairs(0, count, RandomKey(1, 2), links, chosen)
    fill_listed(0, count, prior.listed, chosen)
    fill_reverse(chosen)
    sum_drawn_pairs(0, count, chosen, model, sums)
    twin_repulsion, twin_softplus = reference.sum_drawn_pairs(chosen, model)
    assert np.allclose(sums.repulsion, twin_repulsion, rtol=5e-5, atol=1e-4)
    assert np.allclose(sums.softplus, twin_softplus, rtol=5e-5, atol=1e-3)


@given(networks(least=2, most=10), priors)
def test_top_pairs_are_those_of_all_pairs(network, knowledge):
    _check_top_pairs(model_of(network, knowledge, 3), links_of(network))


@given(random_priors(larger=[70, 200]))
def test_top_pairs_are_those_of_all_pairs_given_any_prior(prior):
    _check_top_pairs(model_given(prior), drawn_links(prior))


def _check_top_pairs(model, links):
    heaps = Heaps(*(np.zeros((1, 4), dtype=kind) for kind in (np.float32, np.int32, np.int32)))
    top_pairs(0, 1, model, make_tables(model, length=4), links, heaps)
    scores, first, second = heaps
    z = reference.all_log_odds(model)
    rows, columns = np.triu_indices(len(z), 1)
    free = ~reference.adjacency(links)[rows, columns]
    best = np.sort(z[rows, columns][free] - 2.0)[::-1][:4]  # the reach is left out
    found = np.sort(scores[0])[::-1]
    assert np.allclose(found[: len(best)], best, rtol=1e-4, atol=1e-3)
    assert np.all(found[len(best) :] == -np.inf)
    taken = scores[0] > -np.inf
    assert np.allclose(z[first[0], second[0]][taken] - 2.0, scores[0][taken], rtol=1e-4, atol=1e-3)


def test_the_double_sigmoid_is_exact_to_rounding():
    from scipy import special

    z = np.concatenate([np.linspace(-690, 690, 100_001), np.geomspace(1e-300, 1, 1000), [0.0, -0.0]])
    probability = z.copy()
    sigmoid_in_place(probability)
    assert np.all(np.abs(probability / special.expit(z) - 1) < 1e-15 + 1e-16 * np.abs(z))


def test_adam_is_the_published_rule():
    random = np.random.default_rng(0)
    x, mean, square = (np.zeros((5, 4), dtype=np.float32) for _ in range(3))
    twin, first, second = np.zeros((5, 4)), np.zeros((5, 4)), np.zeros((5, 4))
    for step in range(1, 30):
        slope = random.normal(size=(5, 4)).astype(np.float32)
        rate = 0.1 * np.sqrt(1 - 0.99**step) / (1 - 0.9**step)
        adam(0, 5, x, slope, Moments(mean, square), AdamStep(f32(rate), f32(0.9), f32(0.99)))
        first, second = 0.9 * first + 0.1 * slope, 0.99 * second + 0.01 * slope.astype(float) ** 2
        twin -= 0.1 * (first / (1 - 0.9**step)) / np.sqrt(second / (1 - 0.99**step))
    assert np.allclose(x, twin, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("start,stop", [(0, 0), (3, 3)])
def test_an_empty_range_touches_nothing(start, stop):
    x = np.ones((5, 4), dtype=np.float32)
    before = x.copy()
    adam(start, stop, x, x, Moments(x, x), AdamStep(f32(1), f32(0.9), f32(0.9)))
    assert np.array_equal(x, before)


@given(random_priors(larger=[70, 600]), st.integers(1, 9))
def test_sums_around_points_are_their_twin(prior, dimensions):
    model = model_given(prior._replace(listed=nothing_listed(len(prior.node))), dimensions)
    weights = np.random.default_rng(3).uniform(0.5, 2, len(prior.node)).astype(np.float32)
    tables = make_tables(model)
    tables.weight.ravel()[: len(weights)] = weights
    points = points_of(model, np.arange(len(prior.node)))
    found = empty_point_sums(points)
    sum_around_points(0, len(prior.node), points, model, tables, found)
    for ours, theirs in zip(found, reference.sum_around_points(model, weights), strict=True):
        assert np.allclose(ours, theirs, rtol=1e-4, atol=1e-4 * np.abs(theirs).max() + 1e-6)


@given(networks(least=1, most=9))
def test_both_searches_find_the_places_of_links(network):
    links, count = links_of(network), network.node_count
    found = np.full((count, count), -2)
    search_all(links, found)
    places = find_in_rows(links, *np.indices((count, count)))
    expected = np.full((count, count), -1)
    expected[np.repeat(np.arange(count), network.degrees), links.indices] = np.arange(len(links.indices))
    assert np.array_equal(places, expected) and np.array_equal(found, expected)


@kernel
def search_all(links, out):
    for i in range(len(out)):
        for j in range(len(out)):
            out[i, j] = search_row(links, i, j) if row_contains(links, i, j) else -1
