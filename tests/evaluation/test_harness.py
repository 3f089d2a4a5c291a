import numpy as np
import pytest
from sklearn.metrics import average_precision_score, roc_auc_score

import netgiven as ng
from netgiven.evaluation.harness import evaluate_links, summarise
from netgiven.evaluation.methods import ConditionalEmbedding, Heuristic, PriorAlone
from netgiven.metrics import auc, average_precision, precision_at


def test_metrics_are_those_of_scikit_learn():
    random = np.random.default_rng(0)
    truth, scores = random.random(200) < 0.3, random.normal(size=200).round(1)
    assert auc(truth, scores) == roc_auc_score(truth, scores)
    assert average_precision(truth, scores) == average_precision_score(truth, scores)
    assert auc(truth, np.where(truth, np.inf, -np.inf)) == 1.0
    best = np.argsort(-scores, kind="stable")[:10]
    assert precision_at(truth, scores, 10) == truth[best].mean()


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


def test_what_cannot_be_evaluated_raises_a_clear_error():
    tree = ng.Network.from_edges([(0, 1), (1, 2), (2, 3)])
    with pytest.raises(ng.InputError, match="forest"):
        evaluate_links(tree, [Heuristic("Jaccard")])
    with pytest.raises(ng.InputError, match="0 splits"):
        evaluate_links(tree, [Heuristic("Jaccard")], splits=0)
