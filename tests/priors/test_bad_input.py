"""Bad input raises a message that says what to do; text with options is read."""

import numpy as np
import pytest
from scipy import sparse

from netgiven.errors import InputError, UnknownColumn
from netgiven.network import Network
from netgiven.priors import (
    Knowledge,
    blocks,
    common_neighbours,
    constraint,
    degrees,
    density,
    group_degrees,
    homophily,
    order,
    parse_knowledge,
)

NODES = {"node": ["ann", "bob", "cid"], "type": ["a", None, "b"], "year": [1, None, 3], "name": ["x", "y", "z"]}
NETWORK = Network.from_edges([("ann", "bob"), ("bob", "cid")], NODES)


@pytest.mark.parametrize(
    ("knowledge", "column"),
    [
        (blocks("type"), "type"), (blocks("type", separator="|"), "type"), (group_degrees("type"), "type"),
        (homophily("type"), "type"), (homophily("year"), "year"), (order("year"), "year"),
        (order("year", kind="log"), "year"), (order("year", kind="window", width=2), "year"),
        (constraint(lambda a, b: a.year + b.year, "year"), "year"),
    ],
    ids=str,
)  # fmt: skip
def test_a_linked_node_without_a_value(knowledge, column):
    with pytest.raises(InputError, match=f"'bob' has links but no value in column '{column}'"):
        (degrees() + knowledge).fit(NETWORK)


@pytest.mark.parametrize("knowledge", [order("name"), homophily("name", kind="near")], ids=str)
def test_text_where_numbers_are_needed(knowledge):
    with pytest.raises(InputError, match=r"'x' for node 'ann'.*needs numbers or times"):
        knowledge.fit(NETWORK)


@pytest.mark.parametrize(
    "knowledge",
    [order("nothing"), homophily("nothing"), group_degrees("nothing"), constraint(lambda a, b: 1.0, "nothing")],
    ids=str,
)
def test_a_column_that_is_not_there(knowledge):
    with pytest.raises(UnknownColumn, match="no node column 'nothing'"):
        knowledge.fit(NETWORK)


@pytest.mark.parametrize(
    "make",
    [
        lambda: order("year", kind="square"), lambda: order("year", bins=3, kind="log"), lambda: order("year", bins=0),
        lambda: order("year", bins=2.5), lambda: order("year", bins="many"), lambda: order("year", bins=[5, 1]),
        lambda: order("year", bins=[]), lambda: order("year", bins=[1, np.nan]), lambda: order("year", width=3),
        lambda: order("year", kind="window", width="wide"), lambda: order("year", kind="window", width=-1),
        lambda: order(3), lambda: homophily("year", kind="far"), lambda: homophily(""), lambda: group_degrees(None),
        lambda: common_neighbours("jaccard"), lambda: blocks("tags", separator=""),
        lambda: blocks("tags", separator=":"),
        lambda: constraint(lambda a, b: 1.0), lambda: constraint("text"), lambda: constraint([[np.nan], [1.0]]),
        lambda: constraint(np.zeros((2, 2, 2))), lambda: constraint([1.0, 2.0], name="a+b"),
        lambda: constraint([1.0], name=""), lambda: constraint(sparse.csr_array(np.triu(np.ones((3, 3))))),
        lambda: constraint(sparse.csr_array(np.ones((2, 3)))),
        lambda: constraint(sparse.csr_array(np.array([[0, np.nan], [np.nan, 0]]))),
    ],
)  # fmt: skip
def test_arguments_that_are_none(make):
    with pytest.raises(InputError) as problem:
        make()
    assert str(problem.value).endswith(".")


@pytest.mark.parametrize(
    ("knowledge", "message"),
    [
        (constraint(lambda a, b: a.size - b.size, "size"), "depends on the order"),
        (constraint(lambda a, b: a.size / (b.size * 0), "size"), "NaN or infinity"),
        (constraint(lambda a, b: 1.0, "size"), "an array of shape"),
        (constraint(lambda a, b: a.size[:1], "size"), "an array of shape"),
        (constraint([1.0, 2.0, 3.0]), "weights for 3 nodes; the network has 40"),
        (constraint(sparse.csr_array((3, 3))), "weights for 3 nodes; the network has 40"),
        (group_degrees("each"), "40 groups; group_degrees:each takes 32 at most"),
    ],
)
@pytest.mark.filterwarnings("ignore:divide by zero")
def test_weights_that_do_not_fit_the_network(knowledge, message):
    nodes = {"node": range(40), "size": np.arange(40) % 3 + 1.0, "each": [f"g{number}" for number in range(40)]}
    network = Network.from_edges([(0, 1), (1, 2)], nodes)
    with pytest.raises(InputError, match=message):
        (density() + knowledge).fit(network)


TEXTS = {
    "order:year:bins=20": order("year", bins=20),
    "order:year": order("year", bins=10),
    "order:year:bins=1,5,20": order("year", bins=[1, 5, 20]),
    "order:year:kind=window:width=3": order("year", kind="window", width=3),
    "order:year:kind=log": order("year", kind="log"),
    "homophily:age:kind=equal": homophily("age", kind="equal"),
    "homophily:age": homophily("age"),
    "common_neighbours": common_neighbours(),
    "common_neighbours:adamic_adar": common_neighbours("adamic_adar"),
    "common_neighbours:score=adamic_adar": common_neighbours("adamic_adar"),
    "blocks:tags:separator=|": blocks("tags", separator="|"),
    "degrees+order:year+blocks:a + b": degrees() + order("year") + blocks("a + b"),
    "degrees + group_degrees:gender": degrees() + group_degrees("gender"),
    "order:time: of day:bins=3": order("time: of day", bins=3),
}


@pytest.mark.parametrize("text", TEXTS)
def test_text_with_options_is_read(text):
    assert parse_knowledge(text) == TEXTS[text]
    assert parse_knowledge(str(TEXTS[text])) == TEXTS[text]


def test_edges_of_bins_read_back_in_full():
    for bins in ([0.123456789, 1234567.5], [1, 10_000_001]):
        knowledge = order("position", bins=bins)
        assert parse_knowledge(str(knowledge)).constraints[-1].bins == tuple(bins)
    assert order("position", bins=[1, 10_000_001]) != order("position", bins=[1, 10_000_002])


@pytest.mark.parametrize(
    "text",
    ["order", "order:", "order:year:bins=", "order:year:bins=x", "homophily", "homophily:age:kind=odd", "group_degrees",
     "common_neighbours:best", "assortativity:x", "blocks:tags:separator=", "constraint:mine"],
)  # fmt: skip
def test_text_with_wrong_options(text):
    with pytest.raises(InputError):
        parse_knowledge(text)


def test_knowing_nothing_raises():
    with pytest.raises(InputError, match="Nothing was given"):
        Knowledge(()).fit(Network.from_edges([(0, 1)]))
