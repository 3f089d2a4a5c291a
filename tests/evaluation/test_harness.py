import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import average_precision_score, roc_auc_score

import netgiven as ng
from netgiven.evaluation.harness import evaluate_links, summarise
from netgiven.evaluation.methods import ConditionalEmbedding, Heuristic, PriorAlone
from netgiven.metrics import auc, average_precision, hits_at, mean_reciprocal_rank, precision_at


def test_metrics_are_those_of_scikit_learn():
    random = np.random.default_rng(0)
    truth, scores = random.random(200) < 0.3, random.normal(size=200).round(1)
    assert auc(truth, scores) == pytest.approx(roc_auc_score(truth, scores), abs=1e-15)
    assert average_precision(truth, scores) == average_precision_score(truth, scores)
    assert auc(truth, np.where(truth, np.inf, -np.inf)) == 1.0
    best = np.argsort(-scores, kind="stable")[:10]
    assert precision_at(truth, scores, 10) == truth[best].mean()


graded = st.integers(2, 60).flatmap(
    lambda count: st.tuples(
        st.lists(st.booleans(), min_size=count, max_size=count).map(lambda marks: np.array([True, False, *marks])),
        st.lists(st.integers(0, 9), min_size=count + 2, max_size=count + 2).map(lambda values: np.array(values, float)),
    )
)


@given(graded)
def test_auc_is_the_share_of_links_that_win_against_another_pair(drawn):
    truth, scores = drawn
    assert auc(truth, scores) == pytest.approx(roc_auc_score(truth, scores), abs=1e-12)
    assert auc(truth, np.where(scores == 0, -np.inf, scores)) == auc(truth, scores)
    assert math.isnan(auc(truth | True, scores)) and math.isnan(auc(truth & False, scores))


@given(graded, st.integers(1, 6))
def test_the_reciprocal_rank_is_the_mean_over_all_draws_with_replacement(pairs, count):
    """Summed over all numbers of higher pairs; a tie is a higher pair in one draw of two."""
    truth, scores = pairs
    others, means = scores[~truth], []
    for score in scores[truth]:
        share = ((others > score).sum() + (others == score).sum() / 2) / len(others)
        chances = [math.comb(count, k) * share**k * (1 - share) ** (count - k) for k in range(count + 1)]
        means.append(sum(chance / (1 + k) for k, chance in enumerate(chances)))
    assert mean_reciprocal_rank(truth, scores, count) == pytest.approx(np.mean(means))


def test_the_reciprocal_rank_is_near_that_of_one_draw():
    random = np.random.default_rng(0)
    truth = np.arange(6000) < 3000
    scores = random.normal(size=6000) + 2.5 * truth
    drawn = random.choice(scores[~truth], size=(3000, 1000))
    ranks = 1 + (drawn > scores[truth][:, None]).sum(axis=1)
    assert mean_reciprocal_rank(truth, scores) == pytest.approx(np.mean(1 / ranks), rel=0.02)


@given(graded, st.integers(1, 70))
def test_hits_are_those_of_the_open_graph_benchmark(pairs, count):
    truth, scores = pairs
    others = np.sort(scores[~truth])[::-1]
    expected = 1.0 if len(others) < count else np.mean(scores[truth] > others[count - 1])
    assert hits_at(truth, scores, count) == expected


@pytest.fixture(scope="module")
def results():
    network = ng.datasets.company()
    given = [ng.density(), ng.degrees() + ng.blocks("department")]
    methods = [*(ConditionalEmbedding(known) for known in given), *map(PriorAlone, given), Heuristic("Adamic-Adar")]
    return evaluate_links(network, methods, splits=2)


def test_every_method_runs_on_every_split(results):
    assert len(results) == 10
    assert results[["AUC", "average precision"]].to_numpy().min() > 0.4
    table = summarise(results)
    assert list(table.columns) == [
        "method",
        "AUC",
        "±",
        "average precision",
        "precision at 100",
        "MRR of 1,000",
        "hits at 50",
        "calibration error",
        "CPU s",
    ]
    assert len(table) == 5


def test_knowing_more_predicts_better(results):
    score = summarise(results).set_index("method")["AUC"]
    known = "degrees+blocks:department"
    assert score[f"netgiven, given {known}"] > score[f"prior alone, {known}"] + 0.005
    assert score[f"prior alone, {known}"] > score["prior alone, density"] + 0.1
    assert np.isclose(score["prior alone, density"], 0.5)
    assert score[f"netgiven, given {known}"] > score["Adamic-Adar"]


def test_the_best_possible_is_nearly_reached():
    """A network drawn from known probabilities: nothing can beat those, and the prior comes within .01."""
    random = np.random.default_rng(1)
    nodes = {"node": range(400), "type": random.choice(list("abcd"), 400)}
    table = random.uniform(0.02, 0.35, (4, 4))
    first, second = np.triu_indices(400, 1)
    codes = np.searchsorted(list("abcd"), nodes["type"])
    probability = np.minimum(table, table.T)[codes[first], codes[second]]
    linked = random.random(len(first)) < probability
    network = ng.Network.from_edges(np.column_stack([first, second])[linked], nodes)

    class Truth:
        name = "truth"

        def score(self, train, pairs, seed):
            return np.minimum(table, table.T)[codes[pairs[:, 0]], codes[pairs[:, 1]]]

    scores = summarise(evaluate_links(network, [Truth(), PriorAlone(ng.blocks("type"))], splits=2))["AUC"]
    assert abs(scores[0] - scores[1]) < 0.01


def test_one_split_has_no_spread():
    one = evaluate_links(ng.datasets.company(people=60), [Heuristic("Jaccard")], splits=1)
    assert "±" not in summarise(one) and summarise(one)["AUC"][0] == one["AUC"][0]


def test_degrees_do_not_win_where_non_links_follow_degrees():
    """Links of hubs are easy to tell from uniform pairs by degrees alone, and not from pairs of equal degrees."""
    random = np.random.default_rng(0)
    activity = random.lognormal(0, 1, 1000)
    first, second = np.triu_indices(1000, 1)
    linked = random.random(len(first)) < np.minimum(activity[first] * activity[second] * 0.004, 0.5)
    network = ng.Network.from_edges(np.column_stack([first, second])[linked], nodes=range(1000))
    methods = [Heuristic("preferential attachment"), PriorAlone(ng.degrees())]
    scores = {
        kind: summarise(evaluate_links(network, methods, splits=2, split="random", non_links=kind))
        for kind in ("uniform", "degrees")
    }
    assert scores["uniform"]["AUC"].min() > 0.75
    assert scores["degrees"]["AUC"].max() < 0.6
    assert "calibration error" in scores["uniform"] and "calibration error" not in scores["degrees"]


def test_two_sides_are_no_help_where_non_links_are_between_them():
    side = np.repeat(["film", "viewer"], 40)
    random = np.random.default_rng(0)
    links = np.column_stack([random.integers(40, size=600), random.integers(40, 80, size=600)])
    network = ng.Network.from_edges(links, {"node": range(80), "side": side})
    methods = [PriorAlone(ng.blocks("side"))]
    uniform, types = (evaluate_links(network, methods, splits=1, non_links=kind) for kind in ("uniform", "types"))
    assert uniform["AUC"][0] > 0.7 and types["AUC"][0] == 0.5


def test_what_cannot_be_evaluated_raises_a_clear_error():
    tree = ng.Network.from_edges([(0, 1), (1, 2), (2, 3)])
    with pytest.raises(ng.InputError, match="forest"):
        evaluate_links(tree, [Heuristic("Jaccard")])
    assert len(evaluate_links(tree, [Heuristic("Jaccard")], splits=1, split="random")) == 1
    with pytest.raises(ng.InputError, match="0 splits"):
        evaluate_links(tree, [Heuristic("Jaccard")], splits=0)
