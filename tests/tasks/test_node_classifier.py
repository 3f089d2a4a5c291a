"""The classifier of nodes: its features, its regressions, and the choice between it and labels as links."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.linear_model import LogisticRegression

import netgiven as ng
from netgiven.labels import Labels
from netgiven.model import probability
from netgiven.splits import hide_labels
from netgiven.tasks.labels import WAYS
from netgiven.tasks.node_classifier import FeatureTable, NodeFeatures, label_score, regressions

FIXED = ng.Settings(dimensions=4, reach=3.0, shrinkage=0.3)


@pytest.fixture(scope="module")
def company():
    return ng.datasets.company(people=200)


@pytest.fixture(scope="module")
def split(company):
    return hide_labels(Labels.from_columns(company.nodes, company.nodes, company.column("project")))


@pytest.fixture(scope="module")
def features(company):
    return NodeFeatures.of(company, np.random.default_rng(0).normal(size=(200, 6)).astype(np.float32), repelling=2)


def predict(network, labels, method="classifier", **options):
    return ng.predict_labels(network, labels, method=method, settings=FIXED, **options)


@pytest.mark.parametrize("penalty", [10.0, 0.1])
def test_regressions_are_those_of_scikit_learn(penalty):
    random = np.random.default_rng(1)
    table = random.normal(size=(80, 4))
    truth = random.random((80, 3)) < probability(table[:, :3])
    mixed = FeatureTable(sparse.csr_array(table[:, :1]), table[:, 1:])
    (found,) = regressions(mixed, truth.astype(float), (penalty,))
    share = truth.mean(axis=0)
    relative = np.sqrt(share / np.average(share, weights=share))  # rare labels have smaller penalties
    for label in range(3):
        expected = LogisticRegression(C=1 / penalty / relative[label], tol=1e-8).fit(table, truth[:, label])
        np.testing.assert_allclose(found.log_odds(mixed)[:, label], expected.decision_function(table), atol=0.02)


def test_labels_of_a_node_are_not_among_its_features(features, split):
    node = split.train.pairs[0, 0]
    without = split.train.only(split.train.pairs[:, 0] != node)
    other = Labels(without.nodes, without.names, np.vstack([[node, (split.train.pairs[0, 1] + 1) % 4], without.pairs]))
    own, changed = (features.labels_around(labels)[node] for labels in (split.train, other))
    # the usual frequencies change a little, the counts around the node do not
    np.testing.assert_allclose(own, changed, atol=0.2 * np.abs(own).max())
    assert not np.allclose(features.labels_around(split.train), features.labels_around(other))


def test_blocks_of_features_have_their_mean_square_lengths(features, split):
    table = features.given(split.train, repelling=True)
    vectors, around = np.split(table.dense, [7], axis=1)
    for block, expected in ((table.sparse.toarray(), 16.0), (vectors, 16.0), (around, 8.0)):
        assert np.square(block).sum(axis=1).mean() == pytest.approx(expected)


def test_true_probabilities_of_nodes_without_labels_count_as_their_labels(features, split):
    """With the labels themselves as probabilities, labels around nodes are as where all nodes are labelled."""
    everyone = Labels(split.train.nodes, split.train.names, np.vstack([split.train.pairs, split.hidden.pairs]))
    found = features.labels_around(split.train, everyone.matrix.toarray().astype(float))
    np.testing.assert_allclose(found, features.labels_around(everyone))
    assert not np.allclose(found, features.labels_around(split.train))


@pytest.mark.parametrize("method", ["auto", *WAYS])
def test_each_way_finds_projects_and_its_probabilities_add_up(company, split, method):
    prediction = predict(company, split.train, method)
    p = prediction.probabilities[split.nodes]
    np.testing.assert_allclose(p.sum(axis=1), 1.0, atol=1e-3)
    right = split.truth[np.arange(len(p)), p.argmax(axis=1)].mean()
    assert right > 0.8
    assert p.max(axis=1).mean() == pytest.approx(right, abs=0.12)
    best = max(prediction.scores, key=prediction.scores.__getitem__)
    assert prediction.method == (best if method == "auto" else method)
    assert set(prediction.scores) <= set(WAYS) and WAYS[prediction.method] in repr(prediction)


def test_the_same_classification_on_any_number_of_threads(company, split):
    one, many = (predict(company, split.train, threads=count).log_odds for count in (1, 3))
    assert one.tobytes() == many.tobytes()


def test_roles_are_classified_where_opposites_link():
    """Two kinds of node that link to the other kind only, in one component: nearness alone says little."""
    random = np.random.default_rng(3)
    kind = np.arange(160) % 2
    first, second = np.nonzero(np.triu(kind[:, None] != kind, 1) & (random.random((160, 160)) < 0.08))
    network = ng.Network.from_edges(np.column_stack([first, second]), nodes={"id": np.arange(160)})
    split = hide_labels(Labels.from_columns(network.nodes, network.nodes, pd.Series(kind)))
    assert label_score(split.truth, predict(network, split.train).log_odds[split.nodes]) > 0.9


def test_rare_labels_are_found():
    """A label of 4 % of the nodes in a community of its own, and two frequent ones."""
    community = np.repeat([0, 1, 2], [240, 240, 20])
    random = np.random.default_rng(5)
    chance = np.where(community[:, None] == community, 0.06, 0.01) + 0.14 * (community[:, None] + community == 4)
    network = ng.Network.from_edges(np.argwhere(np.triu(random.random((500, 500)) < chance, 1)))
    kind = pd.Series(community[np.asarray(network.nodes)])
    split = hide_labels(Labels.from_columns(network.nodes, network.nodes, kind))
    guess = predict(network, split.train).log_odds[split.nodes].argmax(axis=1)
    rare = split.truth[:, list(split.train.names).index(2)]
    assert (guess[rare] == list(split.train.names).index(2)).mean() > 0.7


def test_few_nodes_without_labels_may_all_have_one_label(company):
    project = Labels.from_columns(company.nodes, company.nodes, company.column("project"))
    hidden = np.isin(project.pairs[:, 0], np.flatnonzero(company.column("project") == project.names[0])[:20])
    prediction = predict(company, project.only(~hidden))
    unknown = np.flatnonzero(prediction.labels.counts == 0)
    assert len(unknown) == 20
    assert (prediction.log_odds[unknown].argmax(axis=1) == 0).mean() > 0.8


def test_nodes_without_links_get_the_usual_labels():
    network = ng.Network.from_edges([(i, (i + 1) % 8) for i in range(8)]).with_nodes([8, 9])
    labels = {0: "x", 1: "x", 2: "x", 5: "y", 8: "x"}
    p = predict(network, labels).probabilities
    assert np.isfinite(p).all()
    assert p[9].sum() == pytest.approx(1.0, abs=1e-3) and p[9, 0] > p[9, 1]


@pytest.mark.parametrize("method", ["auto", "classifier"])
def test_one_label_all_nodes_labelled_and_few_nodes(method):
    ring = ng.Network.from_edges([(i, (i + 1) % 6) for i in range(6)])
    one = predict(ring, {0: "x", 1: "x"}, method)
    assert not np.isnan(one.log_odds).any() and not one.scores  # infinite: the links of labels that all nodes have
    everything = predict(ring, {i: "xy"[i % 2] for i in range(6)}, method)
    assert not np.isnan(everything.log_odds).any() and everything.likely().empty
    assert predict(ng.Network.from_edges([(0, 1)]), {0: "x"}, method).likely()["label"].tolist() == ["x"]


def test_another_method_is_an_error(company, split):
    with pytest.raises(ng.InputError, match="auto, links, classifier, average"):
        predict(company, split.train, "magic")
