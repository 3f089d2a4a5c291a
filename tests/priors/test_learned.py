"""A prior learned on one network and applied to another; training given one, predicting given another."""

import numpy as np
import pytest

import netgiven as ng
from netgiven.errors import InputError
from netgiven.network import Network
from netgiven.priors import blocks, common_neighbours, degrees, density, group_degrees, homophily, order
from tests.priors.naive import all_pairs, planted

LAST = planted(40, 21, mean_degree=8)


def reordered(network, order_of):
    """Other links among the same nodes in another order."""
    table = network.columns.iloc[order_of].reset_index(drop=True)
    table.insert(0, "node", network.nodes[order_of])
    return Network.from_edges([(int(order_of[0]), int(order_of[1]))], table)


KNOWN = [
    density(), degrees(), blocks("type"), degrees() + blocks("type"), order("year"), homophily("time"),
    group_degrees("type"), degrees() + order("year", kind="log") + homophily("place"), ng.assortativity(),
    blocks("tags", separator="|"),
]  # fmt: skip


@pytest.mark.parametrize("knowledge", KNOWN, ids=str)
def test_the_order_of_nodes_does_not_matter(knowledge):
    shuffled = np.random.default_rng(0).permutation(40)
    prior = knowledge.learn(LAST).fit(reordered(LAST, shuffled))
    pairs = all_pairs(LAST)
    assert np.allclose(prior.probabilities(pairs), knowledge.fit(LAST).probabilities(pairs), atol=1e-12)


@pytest.mark.parametrize("knowledge", KNOWN, ids=str)
def test_some_of_the_nodes_keep_their_probabilities(knowledge):
    some = np.random.default_rng(1).permutation(40)[:15]
    prior = knowledge.learn(LAST).fit(reordered(LAST, some))
    pairs = some[np.array(np.triu_indices(15, 1)).T]
    assert np.allclose(prior.probabilities(pairs), knowledge.fit(LAST).probabilities(pairs), atol=1e-12)


def with_new_node():
    nodes = {"node": [0, 1, 77], **{name: LAST.columns[name].iloc[:3].tolist() for name in LAST.columns}}
    return Network.from_edges([(0, 1), (1, 77)], nodes)


@pytest.mark.parametrize("knowledge", [degrees(), degrees() + blocks("type"), group_degrees("type")], ids=str)
def test_a_node_of_which_nothing_is_known(knowledge):
    with pytest.raises(InputError, match=r"node 77 is not there.*nothing is known of it"):
        knowledge.learn(LAST).fit(with_new_node())


@pytest.mark.parametrize(
    ("knowledge", "column"), [(blocks("type"), "type"), (order("year"), "year"), (homophily("place"), "place")], ids=str
)
def test_columns_determine_the_prior_of_entirely_different_nodes(knowledge, column):
    values = LAST.columns[column].drop_duplicates().tolist()
    names = [f"new {value}" for value in values]
    other = Network.from_edges([(names[0], names[1])], {"node": names, column: values})
    prior, before = knowledge.learn(LAST).fit(other), knowledge.fit(LAST)
    matches = [int(np.flatnonzero(LAST.columns[column] == value)[0]) for value in values]
    for first, second in all_pairs(other):
        expected = before.probability(matches[first], matches[second])
        assert np.isclose(prior.probability(names[first], names[second]), expected)


def test_a_group_that_was_never_seen():
    other = Network.from_edges([("x", "y")], {"node": ["x", "y"], "type": ["a", "new"]})
    with pytest.raises(InputError, match=r"node 'y' has values in type that no node there has"):
        blocks("type").learn(LAST).fit(other)


def test_a_column_that_is_missing_there():
    with pytest.raises(InputError, match="no node column 'type'"):
        blocks("type").learn(LAST).fit(Network.from_edges([(0, 1)]))


def test_pairs_of_nodes_need_the_same_nodes():
    learned = (degrees() + common_neighbours()).learn(LAST)
    same = learned.fit(LAST)
    pairs = all_pairs(LAST)
    assert np.array_equal(same.probabilities(pairs), learned.prior.probabilities(pairs))
    with pytest.raises(InputError, match="needs a network with the same nodes in the same order"):
        learned.fit(reordered(LAST, np.arange(40)[::-1]))


SETTINGS = {"dimensions": 2, "reach": 2.0, "shrinkage": 0.0, "seed": 3, "max_steps": 30}


def test_train_with_one_prior_and_predict_with_another():
    train, predict = group_degrees("type"), degrees()
    both = ng.embed(LAST, train_given=train, predict_given=predict, **SETTINGS)
    trained = ng.embed(LAST, given=train, **SETTINGS)
    assert np.array_equal(both.positions, trained.positions)
    pairs = all_pairs(LAST)
    assert np.allclose(both.prior.probabilities(pairs), predict.fit(LAST).probabilities(pairs))
    distance = np.square(np.diff(both.positions.astype(float)[pairs], axis=1)[:, 0]).sum(axis=1)
    z = predict.fit(LAST).log_odds(pairs) + both.reach - both.spread.stiffness * distance / 2
    assert np.allclose(both.probabilities(pairs), 1 / (1 + np.exp(-z)), atol=1e-6)
    assert not np.allclose(both.probabilities(pairs), trained.probabilities(pairs))
    assert both.fit.prior.knowledge == "group_degrees:type"


def test_given_is_the_default_of_train_given_and_predict_given():
    one = ng.embed(LAST, given=blocks("type"), predict_given=degrees(), **SETTINGS)
    assert one.prior.knowledge == "degrees"
    assert one.fit.prior.knowledge == "blocks:type"


def test_an_embedding_takes_a_learned_prior():
    learned = degrees().learn(LAST)
    embedding = ng.embed(LAST, given=learned, **SETTINGS)
    assert np.array_equal(embedding.positions, ng.embed(LAST, given=degrees(), **SETTINGS).positions)
