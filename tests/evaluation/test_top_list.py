"""Laws of the metrics of links, and the top of the list of all pairs."""

import math
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import netgiven as ng
from netgiven.evaluation import top_list
from netgiven.evaluation.harness import evaluate_links, grade_links, run_links
from netgiven.evaluation.methods import (
    HEURISTIC_ROWS,
    HEURISTICS,
    ConditionalEmbedding,
    Heuristic,
    LinkRegression,
    PriorAlone,
)
from netgiven.metrics import METRICS, TopList, auc, average_precision, hits_at, mean_reciprocal_rank, precision_at
from netgiven.observed_pairs import UnobservedPairs
from netgiven.splits import LinkSplit, hide_links
from netgiven.tasks.calibration import reliability
from tests.strategies import networks

METRICS_AND_PRECISION = {**METRICS, "precision at 3": lambda truth, scores: precision_at(truth, scores, 3)}


@st.composite
def graded(draw, most=40, levels=9):
    """Truth, with at least one pair of each kind, and scores with ties."""
    marks = draw(st.lists(st.booleans(), max_size=most))
    scores = draw(st.lists(st.integers(0, levels), min_size=len(marks) + 2, max_size=len(marks) + 2))
    return np.array([True, False, *marks]), np.array(scores, dtype=np.float64)


@pytest.mark.parametrize("name", METRICS_AND_PRECISION)
@given(graded())
def test_metrics_are_shares_that_depend_on_the_order_alone(name, pairs):
    truth, scores = pairs
    metric = METRICS_AND_PRECISION[name]
    value = metric(truth, scores)
    assert 0 <= value <= 1 + 1e-12
    assert metric(truth, np.exp(scores) - 5) == pytest.approx(value)
    shuffled = np.random.default_rng(len(scores)).permutation(len(scores))
    assert metric(truth[shuffled], scores[shuffled]) == pytest.approx(value)


@pytest.mark.parametrize("name", METRICS_AND_PRECISION)
@given(st.integers(1, 20), st.integers(60, 90))
def test_a_perfect_order_is_best_and_the_reverse_is_worst(name, links, others):
    truth = np.arange(links + others) < links
    scores = -np.arange(links + others, dtype=np.float64)
    metric = METRICS_AND_PRECISION[name]
    assert metric(truth, scores) == pytest.approx(1.0 if name != "precision at 3" else min(links, 3) / 3)
    assert metric(truth, scores) >= metric(truth, -scores)
    worst = {"AUC": 0.0, "hits at 50": 0.0, "precision at 3": 0.0, "MRR of 1,000": 1 / 1001}
    if name in worst:
        assert metric(truth, -scores) == pytest.approx(worst[name])


def test_equal_scores_know_nothing():
    truth = np.arange(200) < 50
    same = np.zeros(200)
    assert (auc(truth, same), average_precision(truth, same), precision_at(truth, same, 100)) == (0.5, 0.25, 0.25)
    assert hits_at(truth, same, 50) == 0.0  # as in the Open Graph Benchmark, a tie is no hit
    assert mean_reciprocal_rank(truth, same) == pytest.approx(2 / 1001)  # half of the others are above


@settings(max_examples=30)
@given(graded(most=4, levels=2), st.integers(1, 8))
def test_precision_is_the_mean_over_all_orders_of_ties(pairs, count):
    truth, scores = pairs
    orders = [np.array(order) for order in permutations(range(len(truth)))]
    sorted_ones = [truth[order] for order in orders if np.all(np.diff(scores[order]) <= 0)]
    expected = np.mean([order[:count].mean() for order in sorted_ones])
    assert precision_at(truth, scores, count) == pytest.approx(expected)


def test_precision_of_short_lists():
    truth, scores = np.array([True, False, True, False]), np.array([3.0, 2.0, 1.0, -np.inf])
    assert precision_at(truth, scores, 1000) == pytest.approx(2 / 3)  # the impossible pair is not listed
    assert precision_at(truth[:0], scores[:0], 100) == 0.0
    assert precision_at(truth, np.full(4, -np.inf), 100) == 0.0


@given(graded(), st.integers(1, 30), st.integers(0, 40))
def test_a_list_made_in_pieces_is_that_of_the_whole(pairs, count, cut):
    truth, scores = pairs
    parts = [TopList.of(truth[some], scores[some]) for some in (slice(cut), slice(cut, None))]
    joined = parts[0].joined(parts[1], count)
    assert joined.precision(count) == pytest.approx(precision_at(truth, scores, count))
    assert joined.pairs.sum() >= min(count, len(scores))
    expected = np.sort(scores)[::-1][count - 1] if count <= len(scores) else -np.inf
    assert joined.floor(count) == expected


@given(st.lists(st.sampled_from([0.1, 0.3, 0.5, 0.9]), min_size=1, max_size=30), st.integers(0, 2**32))
def test_calibration_error_is_bounded_and_zero_where_shares_are_right(probabilities, seed):
    predicted = np.repeat(probabilities, 10)
    right = np.concatenate([np.arange(10) < round(10 * p) for p in probabilities])
    assert reliability(right, predicted).relative_calibration_error == pytest.approx(0.0, abs=1e-12)
    drawn = np.append(np.random.default_rng(seed).random(len(predicted)) < 0.5, True)
    error = reliability(drawn, np.append(predicted, 0.5)).expected_calibration_error
    assert 0 <= error <= 1
    assert reliability(drawn, np.zeros(len(drawn))).relative_calibration_error == 1.0


# ---- all pairs -------------------------------------------------------------------------------------------------------


def pairs_without_training_link(network):
    first, second = np.triu_indices(network.node_count, 1)
    new = ~network.are_linked(first, second) & network.are_observed(first, second)
    return np.column_stack([first, second])[new]


def precisions_of_all_pairs(scorer, split):
    pairs = pairs_without_training_link(split.train)
    hidden = {tuple(sorted(pair)) for pair in split.hidden.tolist()}
    truth = np.array([tuple(pair) in hidden for pair in pairs.tolist()])
    scores = scorer.score(pairs).astype(np.float32).astype(np.float64)
    return [precision_at(truth, scores, count) for count in (100, 1000)]


@pytest.fixture(scope="module")
def split():
    return hide_links(ng.datasets.company(people=90), 0.5, 3)


class Coordinates:
    name = "coordinates"

    def vectors(self, network, seed):
        return np.random.default_rng(seed).normal(size=(network.node_count, 3)).astype(np.float32)


FIXED = ng.Settings(dimensions=2, reach=2.0, shrinkage=1.0)
LISTING = [
    ConditionalEmbedding(ng.degrees(), FIXED),
    PriorAlone(ng.degrees()),
    PriorAlone(ng.blocks("department")),
    LinkRegression(Coordinates()),
]


@pytest.mark.parametrize("name", HEURISTIC_ROWS)
@settings(max_examples=20)
@given(networks(most=10))
def test_rows_of_heuristics_are_their_scores(name, network):
    first, second = np.nonzero(~np.eye(network.node_count, dtype=bool))
    rows = HEURISTIC_ROWS[name](network)(np.arange(network.node_count))
    scores, found = HEURISTICS[name](network, np.column_stack([first, second])), rows[first, second]
    assert np.allclose(scores, found, rtol=1e-5)


@pytest.mark.parametrize("method", LISTING, ids=lambda method: method.name)
def test_the_top_of_the_list_is_that_of_all_pairs(method, split, monkeypatch):
    monkeypatch.setattr(top_list, "PAIRS_AT_ONCE", 700)  # blocks of seven nodes
    measures = run_links(method, split, 0).measures
    expected = precisions_of_all_pairs(method.fit(split.train, 0), split)
    assert [measures["precision at 100"], measures["precision at 1,000"]] == pytest.approx(expected, abs=0.011)
    again = run_links(method, split._replace(hidden=split.hidden[:, ::-1]), 0).measures
    assert again["precision at 100"] == measures["precision at 100"]


@pytest.mark.parametrize("name", ["Jaccard", "common neighbours", "four-step walk"])
def test_the_top_of_a_heuristics_list_is_that_of_all_pairs(name, split):
    measures = run_links(Heuristic(name), split, 0).measures
    expected = precisions_of_all_pairs(Heuristic(name).fit(split.train, 0), split)
    assert [measures["precision at 100"], measures["precision at 1,000"]] == pytest.approx(expected, abs=0.011)


def test_a_prior_that_knows_only_the_density_finds_the_share_of_hidden_links(split):
    measures = run_links(PriorAlone(ng.density()), split, 0).measures
    share = len(split.hidden) / len(pairs_without_training_link(split.train))
    assert [measures["precision at 100"], measures["precision at 1,000"]] == pytest.approx([share, share])


def marked(network, pairs, lists_observed):
    return ng.Network(
        network.nodes,
        network.indptr,
        network.indices,
        network.columns,
        network.cleaning,
        unobserved=UnobservedPairs.from_pairs(*pairs.T, network.node_count, lists_observed),
    )


@pytest.mark.parametrize("method", LISTING[:2], ids=lambda method: method.name)
def test_unobserved_pairs_are_not_listed(method, split):
    scorer = method.fit(split.train, 0)
    free = pairs_without_training_link(split.train)
    likely = free[np.argsort(-scorer.score(free), kind="stable")[:300]]
    hidden = {tuple(sorted(pair)) for pair in split.hidden.tolist()}
    unknown = np.array([pair for pair in likely.tolist() if tuple(pair) not in hidden])
    assert len(unknown) > 100
    train = marked(split.train, unknown, lists_observed=False)
    top = scorer.top(LinkSplit(train, split.hidden, split.others), 200)
    assert top.precision(200) == pytest.approx(precisions(scorer, train, split.hidden, 200), abs=0.01)
    assert top.precision(200) > scorer.top(split, 200).precision(200)


def precisions(scorer, train, hidden, count):
    pairs = pairs_without_training_link(train)
    known = {tuple(sorted(pair)) for pair in hidden.tolist()}
    return precision_at(np.array([tuple(pair) in known for pair in pairs.tolist()]), scorer.score(pairs), count)


def test_where_few_pairs_are_observed_only_those_of_the_split_are_listed():
    network = ng.datasets.company(people=60)
    free = pairs_without_training_link(network)
    observed = free[np.random.default_rng(0).permutation(len(free))[:400]]
    split = hide_links(marked(network, observed, lists_observed=True), 0.3)
    measures = run_links(PriorAlone(ng.degrees()), split, 0).measures
    scores = PriorAlone(ng.degrees()).score(split.train, split.pairs, 0)
    assert measures["precision at 100"] == precision_at(split.truth, scores, 100)


def test_a_method_that_only_scores_has_no_list(split):
    class Random:
        name = "random"

        def score(self, train, pairs, seed):
            return np.random.default_rng(seed).random(len(pairs))

    assert "precision at 100" not in grade_links(Random(), split, 0)
    results = evaluate_links(ng.datasets.company(people=60), [Random(), Heuristic("Jaccard")], splits=1)
    assert list(results.columns[:6]) == [
        "method",
        "split",
        "AUC",
        "average precision",
        "precision at 100",
        "precision at 1,000",
    ]
    assert math.isnan(results["precision at 100"][0]) and not results.iloc[1, 2:7].isna().any()


def test_large_networks_have_lists_of_embeddings_only(split, monkeypatch):
    monkeypatch.setattr(top_list, "MAX_NODES_COMPARED", 50)
    assert "precision at 100" not in run_links(Heuristic("Jaccard"), split, 0).measures
    assert "precision at 100" in run_links(LISTING[0], split, 0).measures
