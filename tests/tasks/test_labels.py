"""Label prediction: labels are found again, and matched probabilities have the right sums."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

import netgiven as ng
from netgiven.labels import Labels, with_labels
from netgiven.metrics import likeliest_labels, micro_f1
from netgiven.model import probability
from netgiven.splits import hide_labels
from netgiven.tasks.labels import best_temperature, match_shares, match_sums


@pytest.fixture(scope="module")
def company():
    return ng.datasets.company(people=300)


def labels_of(network, *columns):
    node = np.tile(network.nodes, len(columns))
    return Labels.from_columns(network.nodes, node, pd.concat([network.columns[column] for column in columns]))


@given(
    arrays.arrays(np.float64, (7, 3), elements=st.floats(-20, 20)),
    arrays.arrays(np.float64, 3, elements=st.floats(0.02, 0.98)),
)
def test_matched_probabilities_have_the_given_sums(scores, shares):
    p = probability(match_shares(scores, shares))
    np.testing.assert_allclose(p.mean(axis=0), shares, atol=1e-3)
    np.testing.assert_allclose(p.sum(axis=1), shares.sum(), atol=1e-2)


def test_with_one_label_scores_keep_their_order():
    scores = np.array([[3.0], [1.0], [2.0]])
    z = match_shares(scores, np.array([0.4]))
    assert probability(z).mean() == pytest.approx(0.4, abs=1e-5)
    assert np.argsort(z[:, 0]).tolist() == [1, 2, 0]


def test_a_network_with_labels_has_a_node_for_each_label(company):
    labels = hide_labels(labels_of(company, "department", "project")).train
    both = with_labels(company, labels)
    assert both.node_count == company.node_count + 9
    assert both.link_count == company.link_count + len(labels.pairs)
    prior = (ng.degrees() + ng.blocks("kind")).fit(both)
    unobserved = np.flatnonzero(labels.counts == 0)
    assert np.all(prior.log_odds_of(unobserved[:, None], np.arange(300, 309)[None, :]) == -np.inf)
    assert np.all(prior.log_odds_of(np.arange(300, 309)[:, None], np.arange(300, 309)[None, :]) == -np.inf)


def test_departments_are_found_again(company):
    split = hide_labels(labels_of(company, "department"), seed=1)
    prediction = ng.predict_labels(company, split.train, settings=ng.Settings(seed=1))
    guess = likeliest_labels(prediction.log_odds[split.nodes], split.hidden.counts[split.nodes])
    assert micro_f1(split.truth, guess) > 0.9
    table = prediction.likely(count=1)
    assert len(table) == len(split.nodes) and table["probability"].between(0, 1).all()
    np.testing.assert_allclose(prediction.probabilities[split.nodes].sum(axis=1), 1.0, atol=1e-3)


@pytest.mark.parametrize("column", ["department", "project"])
def test_likeliest_labels_are_right_as_often_as_their_probabilities_say(company, column):
    split = hide_labels(labels_of(company, column), seed=1)
    prediction = ng.predict_labels(company, split.train, settings=ng.Settings(seed=1))
    p = prediction.probabilities[split.nodes]
    right = split.truth[np.arange(len(p)), p.argmax(axis=1)].mean()
    assert right > 0.9
    assert p.max(axis=1).mean() == pytest.approx(right, abs=0.05)


def test_a_temperature_keeps_the_order_of_labels_and_their_sum():
    random = np.random.default_rng(0)
    gain, shares = random.normal(size=(40, 5)), random.uniform(0.1, 0.3, 5)
    matched = match_shares(gain, shares)
    for temperature in (0.1, 0.5, 2.0):
        z = match_sums(matched / temperature, shares)
        assert np.array_equal(z.argsort(axis=1), matched.argsort(axis=1))
        np.testing.assert_allclose(probability(z).sum(axis=1), shares.sum(), atol=1e-5)


@pytest.mark.parametrize("true", [0.5, 1.0, 2.0])
def test_the_temperature_of_drawn_labels_is_found_again(true):
    random = np.random.default_rng(0)
    gain = 2 * random.normal(size=(4_000, 4))
    shares = np.full(4, 0.25)
    p = probability(match_sums(match_shares(gain, shares) / true, shares))
    assert best_temperature(match_shares(gain, shares), shares, random.random(p.shape) < p) == pytest.approx(
        true, rel=0.1
    )


def test_given_labels_are_not_predicted(company):
    labels = labels_of(company, "department", "project")
    name = company.nodes[0]
    settings = ng.Settings(dimensions=4, reach=3.0, shrinkage=1.0)
    prediction = ng.predict_labels(company, labels, settings=settings)
    mine = prediction.likely([name], count=9)
    assert len(mine) == 7
    assert not set(mine["label"]) & set(company.columns.loc[0, ["department", "project"]])
    assert prediction.likely().empty


def test_the_same_prediction_on_any_number_of_threads(company):
    split = hide_labels(labels_of(company, "project"))
    chosen = ng.Settings(dimensions=4, reach=3.0, shrinkage=0.3, method="sampled")
    first, second = (
        ng.predict_labels(company, split.train, settings=chosen, threads=count).log_odds for count in (1, 3)
    )
    assert first.tobytes() == second.tobytes()


def test_a_label_may_have_the_name_of_a_node():
    network = ng.Network.from_edges([("x", "y"), ("y", "z"), ("z", "x"), ("z", "w")])
    labels = Labels.from_pairs(network.nodes, [("x", "y"), ("y", "x")])
    prediction = ng.predict_labels(network, labels, settings=ng.Settings(dimensions=2))
    assert set(prediction.likely(count=1)["label"]) <= {"x", "y"}


def test_nodes_that_only_have_labels_are_added():
    network = ng.Network.from_edges([("a", "b")], nodes={"name": ["a", "b"], "age": [1, 2]}).with_nodes(["c", "b", "c"])
    assert network.nodes.tolist() == ["a", "b", "c"] and network.degrees.tolist() == [1, 1, 0]
    assert network.columns["age"].isna().tolist() == [False, False, True]


@pytest.mark.parametrize("pairs", [[], [("a", None)], [("nobody", "x")]])
def test_bad_labels_are_errors(pairs):
    with pytest.raises(ng.InputError):
        Labels.from_pairs(pd.Index(["a", "b"]), pairs)


def test_a_bad_count_is_an_error(company):
    settings = ng.Settings(dimensions=2, reach=ng.Spread(), shrinkage=0)
    prediction = ng.predict_labels(company, labels_of(company, "project"), settings=settings)
    with pytest.raises(ng.InputError, match="at least 1"):
        prediction.likely(count=0)


def test_labels_from_a_column_or_a_file_are_those_of_a_mapping(tmp_path):
    network = ng.datasets.company(people=40)
    column = network.column("department").where(np.arange(40) < 30)
    known = dict(zip(network.nodes[:30], column[:30], strict=True))
    (tmp_path / "labels.tsv").write_text("".join(f"{node}\t{label}\n" for node, label in known.items()))
    network = network.with_columns(pd.DataFrame({"department": column}))
    settings = ng.Settings(dimensions=2, reach=2, shrinkage=0)
    expected, *others = (
        ng.predict_labels(network, labels, settings=settings).likely()
        for labels in (known, "department", tmp_path / "labels.tsv")
    )
    for table in others:
        pd.testing.assert_frame_equal(table, expected)


def test_numbers_in_a_column_with_gaps_stay_whole(company):
    network = company.with_columns({"team": [1, 2] + [None] * (len(company) - 2)})
    settings = ng.Settings(dimensions=2, reach=2, shrinkage=0)
    assert ng.predict_labels(network, "team", settings=settings).labels.names.tolist() == [1, 2]


def test_labels_that_are_neither_a_column_nor_a_file_are_an_error(company):
    with pytest.raises(ng.InputError, match="nowhere"):
        ng.predict_labels(company, "nowhere")
