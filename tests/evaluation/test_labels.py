import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import f1_score

import netgiven as ng
from netgiven.evaluation.harness import evaluate_labels, evaluate_links, summarise
from netgiven.evaluation.methods import (
    ConditionalEmbedding,
    EmbeddingVectors,
    LabelRegression,
    LabelsAsLinks,
    MostCommonLabels,
)
from netgiven.fitting.settings import Settings
from netgiven.labels import Labels
from netgiven.metrics import auc, auc_gain, likeliest_labels, macro_f1, micro_f1, paper_macro_f1
from netgiven.splits import hide_labels, hide_links


@st.composite
def some_labels(draw):
    count = draw(st.integers(2, 20))
    pairs = draw(st.sets(st.tuples(st.integers(0, count - 1), st.integers(0, 3)), min_size=3))
    return Labels.from_pairs(pd.RangeIndex(count), sorted(pairs))


@given(some_labels(), st.sampled_from(["nodes", "links"]), st.floats(0.1, 0.9), st.integers(0, 5))
def test_every_label_keeps_a_node_and_nothing_is_lost(labels, by, share, seed):
    try:
        split = hide_labels(labels, share, seed, by)
    except ng.InputError:
        return
    assert set(split.train.pairs[:, 1]) == set(labels.pairs[:, 1])
    together = np.unique(np.concatenate([split.train.pairs, split.hidden.pairs]), axis=0)
    assert np.array_equal(together, labels.pairs)
    assert len(split.train.pairs) + len(split.hidden.pairs) == len(labels.pairs)
    owners = (labels.counts > 0).sum() if by == "nodes" else len(labels.pairs)
    assert (len(split.nodes) if by == "nodes" else len(split.hidden.pairs)) <= share * owners
    if by == "nodes":
        assert not np.any(split.train.counts[split.nodes])


@given(st.integers(0, 10_000))
def test_measures_agree_with_scikit_learn_and_with_their_definition(seed):
    random = np.random.default_rng(seed)
    truth, guess = random.random((2, 12, 5)) < random.random((2, 1, 5))
    assert micro_f1(truth, guess) == pytest.approx(f1_score(truth, guess, average="micro", zero_division=0))
    assert macro_f1(truth, guess) == pytest.approx(f1_score(truth, guess, average="macro", zero_division=0))
    some = [k for k in range(5) if truth[:, k].any() and guess[:, k].any()]
    precision = np.mean([truth[guess[:, k], k].mean() for k in some]) if some else 0.0
    recall = np.mean([guess[truth[:, k], k].mean() for k in some]) if some else 0.0
    both = precision + recall
    assert paper_macro_f1(truth, guess) == pytest.approx(2 * precision * recall / both if both else 0.0)


def test_a_node_gets_as_many_labels_as_asked_for():
    guess = likeliest_labels(np.array([[0.1, 0.9, 0.9], [0.2, 0.1, 0.3]]), np.array([2, 0]))
    assert guess.tolist() == [[False, True, True], [False, False, False]]


def test_the_gain_in_auc_and_its_error():
    random = np.random.default_rng(0)
    truth = np.arange(2000) < 1000
    gains = []
    for _ in range(200):
        good = truth + random.normal(size=2000)
        worse = truth + 2 * random.normal(size=2000)
        gain, error = auc_gain(truth, good, worse)
        assert gain == pytest.approx(auc(truth, good) - auc(truth, worse))
        gains.append((gain, error))
    found = np.array(gains)
    assert found[:, 1].mean() == pytest.approx(found[:, 0].std(), rel=0.15)


@pytest.fixture(scope="module")
def company():
    return ng.datasets.company(people=250)


def departments(network):
    return Labels.from_columns(network.nodes, network.nodes, network.columns["department"])


FIXED = Settings(dimensions=8, reach=3.0, shrinkage=0.3)


@pytest.mark.parametrize("by", ["nodes", "links"])
def test_methods_are_graded_on_labels(company, by):
    labels = departments(company)
    twice = Labels(
        labels.nodes,
        labels.names,
        np.unique(np.concatenate([labels.pairs, (labels.pairs + np.array([0, 1])) % [250, 5]]), axis=0),
    )
    methods = [LabelsAsLinks(settings=FIXED), LabelRegression(EmbeddingVectors(settings=FIXED)), MostCommonLabels()]
    table = summarise(evaluate_labels(company, twice, methods, splits=2, by=by)).set_index("method")
    assert table.loc["most common labels", "micro-F1"] < 0.6
    assert table["micro-F1"].iloc[0] > table.loc["most common labels", "micro-F1"] + 0.1
    assert methods[0].details["dimensions"] == 8


def test_methods_do_not_see_hidden_labels(company):
    seen = []

    class Spy:
        name = "spy"

        def score(self, network, labels, seed):
            seen.append(labels)
            return np.zeros((network.node_count, len(labels.names)))

    evaluate_labels(company, departments(company), [Spy()], splits=1)
    split = hide_labels(departments(company), 0.5, 0)
    assert np.array_equal(seen[0].pairs, split.train.pairs)


def test_on_a_planted_network_the_default_comes_near_the_best_possible():
    """Links drawn with known probabilities: a distance model in two dimensions on top of uneven activity."""
    random = np.random.default_rng(5)
    place, activity = random.normal(size=(600, 2)) * 2.0, random.normal(-2.0, 0.7, 600)
    first, second = np.triu_indices(600, 1)
    z = activity[first] + activity[second] + 6.0 - np.square(place[first] - place[second]).sum(axis=1) / 2
    linked = random.random(len(z)) < 1 / (1 + np.exp(-z))
    network = ng.Network.from_edges(np.column_stack([first, second])[linked], nodes={"id": np.arange(600)})
    split = hide_links(network, 0.1, seed=2)
    low, high = split.pairs.min(axis=1), split.pairs.max(axis=1)
    truth = activity[low] + activity[high] + 6.0 - np.square(place[low] - place[high]).sum(axis=1) / 2
    best = auc(split.truth, truth)
    found = auc(split.truth, ConditionalEmbedding(ng.degrees()).score(split.train, split.pairs, 0))
    assert found > best - 0.01, (found, best)
    assert len(evaluate_links(network, [ConditionalEmbedding(ng.degrees(), FIXED)], splits=1)) == 1
