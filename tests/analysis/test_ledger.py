"""The ledger adds up, columns are read from rings as well as from clusters, and what is proposed can be given."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import netgiven as ng
from netgiven.analysis.ledger import read_share
from netgiven.columns import columns_of_groups
from netgiven.network import Network
from tests.strategies import networks

FIXED = {"dimensions": 2, "reach": 2.0, "shrinkage": 0.0, "threads": 1}
KINDS = ["density", "degrees", "blocks:type", "group_degrees:place", "homophily:type", "order:age", "assortativity"]


@pytest.fixture(scope="module")
def company():
    return ng.datasets.company(100)


@pytest.fixture(scope="module")
def busy(company):
    return ng.embed(company, "degrees", **FIXED)


def kinds(found):
    return [proposal.knowledge for proposal in found]


# ---- what is given --------------------------------------------------------------------------------------------------


@given(networks(), st.lists(st.sampled_from(KINDS), min_size=1, max_size=3, unique=True))
def test_rows_sum_to_what_the_prior_explains(network, chosen):
    found = ng.ledger(network, "+".join(chosen))
    explained = ng.describe_prior(network, "+".join(chosen)).bits_explained
    assert found.table["bits"].sum() == pytest.approx(explained, abs=1e-6)
    assert (found.table["bits"] > -1e-6).all()
    assert np.allclose(found.table["share"] * found.cost, found.table["bits"], atol=1e-6) or not found.cost
    assert found.left == pytest.approx(found.cost - explained, abs=1e-6)
    assert found.left > -1e-6


@given(networks())
def test_density_adds_nothing_to_the_number_of_links(network):
    found = ng.ledger(network, "density+degrees").table
    assert found["knowledge"].tolist() == ["density", "degrees"]
    assert found["bits"][0] == pytest.approx(0, abs=1e-9)
    assert found["words"][0] == "how many links there are"


@given(networks(least=3), st.data())
def test_unobserved_pairs_are_left_out(network, data):
    free = np.argwhere(np.triu(network.to_scipy().toarray() == 0, 1))
    assume(len(free))
    rows = data.draw(st.lists(st.integers(0, len(free) - 1), min_size=1, unique=True))
    network = network.with_unobserved(network.nodes.to_numpy()[free[rows]])
    found = ng.ledger(network, "degrees+blocks:type")
    explained = ng.describe_prior(network, "degrees+blocks:type").bits_explained
    assert found.table["bits"].sum() == pytest.approx(explained, abs=1e-6)


def test_the_embedding_is_the_last_row(company, busy):
    found = ng.ledger(company, "degrees", busy)
    assert found.table["knowledge"].tolist() == ["degrees", ""]
    assert found.table["bits"].iloc[-1] == busy.bits_per_link
    assert found.table["bits"][0] == pytest.approx(ng.describe_prior(company, "degrees").bits_explained)
    assert str(found).splitlines()[-1].startswith("not explained: ") and "what the map adds" in found._repr_html_()


def test_what_is_given_for_an_embedding_need_not_be_said_again(company):
    given = "degrees+blocks:department"
    found = ng.ledger(company, embedding=ng.embed(company, given, **FIXED))
    assert found.table["knowledge"].tolist() == ["degrees", "blocks:department", ""]


def test_a_prior_that_was_learned_elsewhere_is_one_row(company):
    mixing = ng.blocks("department").learn(ng.datasets.company(300, seed=5))
    found = ng.ledger(company, mixing).table
    assert found["words"].tolist() == ["blocks:department (learned elsewhere)"]
    assert "degrees" in kinds(ng.proposals(company, mixing))
    embedding = ng.embed(company, mixing, **FIXED)
    assert len(ng.ledger(company, embedding=embedding).table) == 2
    assert "blocks:department" not in kinds(ng.proposals(company, embedding=embedding))


def test_a_worse_prior_has_negative_bits(company):
    sparse = ng.density().learn(Network.from_edges([(k, k + 1) for k in range(200)]))
    assert ng.ledger(company, sparse).table["bits"][0] < -0.1


def test_constraints_of_python_and_fitted_priors(company):
    desks = ng.constraint(lambda a, b: a.project == b.project, columns="project", name="desks")
    knowledge = ng.degrees() + desks
    found = ng.ledger(company, knowledge)
    assert found.table["words"].tolist() == ["how many links each node has", "constraint:desks"]
    fitted = ng.ledger(company, knowledge.fit(company)).table  # has the text only, which cannot be read
    assert fitted["words"].tolist() == ["degrees+constraint:desks"]
    assert fitted["bits"].sum() == pytest.approx(found.table["bits"].sum())
    assert kinds(ng.proposals(company, knowledge.fit(company))) == []  # degrees are given
    parts = ng.ledger(company, (ng.degrees() + ng.blocks("project")).fit(company)).table["knowledge"]
    assert parts.tolist() == ["degrees", "blocks:project"]


@pytest.mark.parametrize("links", [[], [("a", "b"), ("b", "c"), ("a", "c")]])
def test_nothing_can_be_explained_of_no_links_and_of_all(links):
    found = ng.ledger(Network.from_edges(links, {"node": ["a", "b", "c"]}), "degrees")
    assert found.cost == pytest.approx(0, abs=1e-9) and found.left == pytest.approx(0, abs=1e-9)
    assert found.table["share"].tolist() == pytest.approx([0], abs=1e-9) and "-0.00" not in str(found)


# ---- what can still be read -----------------------------------------------------------------------------------------


def ring(count=200):
    """Positions of which half are in the middle, and half on a circle around them."""
    random, code = np.random.default_rng(0), np.repeat([0, 1], count)
    angle, radius = random.uniform(0, 2 * np.pi, 2 * count), 4.0 * code + random.normal(0, 0.5, 2 * count)
    return (radius * np.array([np.cos(angle), np.sin(angle)])).T.astype(np.float32), code


def test_a_ring_is_read():
    read, largest, nodes = read_share(*ring())
    assert read > 0.85 and largest == 0.5 and nodes == 400


def test_positions_at_random_are_not_read():
    positions, code = ring()
    assert read_share(positions, np.random.default_rng(1).permutation(code))[0] < 0.6


def test_nodes_without_a_value_are_left_out():
    positions, code = ring()
    code[::2] = -1
    read, largest, nodes = read_share(positions, code)
    assert read > 0.85 and largest == 0.5 and nodes == 200
    assert read_share(positions, np.full(400, -1)) == (1.0, 1.0, 0)


def test_columns_that_are_no_groups(company, busy):
    columns = pd.DataFrame({"same": ["x"] * 100, "name": [f"n{k}" for k in range(100)], "none": [None] * 100})
    network = company.with_columns(columns)
    assert columns_of_groups(network) == ["department", "project"]
    asked = ng.readable(SimpleNamespace(network=network, positions=busy.positions), ["same", "name", "none"])
    assert asked["readable"].tolist() == [False] * 3 and asked["nodes"].tolist() == [100, 100, 0]
    assert asked["read"].tolist() == [1.0, 0.0, 1.0]


def test_no_columns_are_an_empty_table():
    plain = ng.embed(Network.from_edges([("a", "b"), ("b", "c")]), **FIXED)
    assert len(ng.readable(plain)) == 0 and ng.proposals(plain.network, embedding=plain) == []


def test_an_unknown_column_is_an_error(busy):
    with pytest.raises(ng.InputError, match="no node column 'colour'"):
        ng.readable(busy, ["colour"])


# ---- what to give next ----------------------------------------------------------------------------------------------


def test_sides_are_proposed_until_they_are_given():
    network = ng.datasets.cinema(viewers=60, films=30).with_sides()
    (found,) = ng.proposals(network, "degrees")
    assert found.knowledge == "blocks:side" and "No link joins two nodes of the same side" in found.text
    assert ng.proposals(network, "degrees+blocks:side") == []
    assert ng.proposals(network, "group_degrees:side") == []


def test_unobserved_pairs_are_not_expected_to_have_links():
    network = ng.datasets.cinema(viewers=60, films=30).with_sides()
    first, second = np.triu_indices(network.node_count, 1)
    side = network.groups("side")[0]
    inside = (side[first] == side[second]) & (side[first] >= 0)
    names = network.nodes.to_numpy()
    masked = network.with_unobserved(np.column_stack([names[first[inside]], names[second[inside]]]))
    assert "blocks:side" not in kinds(ng.proposals(masked, "degrees"))


def test_a_column_that_can_be_read_is_proposed(company, busy):
    (found,) = ng.proposals(company, "degrees", busy)
    assert found.knowledge == "blocks:department" and "can still be read" in found.text
    assert ng.proposals(company, "degrees") == []  # nothing can be read without an embedding
    assert ng.proposals(company, embedding=busy, read=ng.readable(busy)) == [found]


def test_group_degrees_are_proposed_where_blocks_are_not_enough(company, busy):
    # positions given degrees stand for some from which departments can be read although their blocks are given
    (found,) = ng.proposals(company, "degrees+blocks:department", busy)
    assert found.knowledge == "group_degrees:department" and "to each department" in found.text
    assert ng.proposals(company, "group_degrees:department", busy) == []


def test_what_is_proposed_can_be_given_where_values_are_missing():
    network = ng.datasets.cinema(viewers=200, films=100)
    found = kinds(ng.proposals(network, "degrees"))
    assert found == ["blocks:side", "blocks:genre:missing=group"]
    assert "blocks:genre:missing=group" not in kinds(ng.proposals(network, "+".join(["degrees", *found])))


def test_uneven_degrees_are_proposed():
    star = Network.from_edges([("hub", k) for k in range(20)])
    (found,) = ng.proposals(star, "density")
    assert found.knowledge == "degrees" and "up to 20 links" in found.text
    assert ng.proposals(star) == [] and ng.proposals(star, "degrees:uncertainty=0.5") == []


def test_nothing_is_proposed_for_even_degrees_nor_without_links_or_columns():
    assert ng.proposals(Network.from_edges([(k, (k + 1) % 30) for k in range(30)]), "density") == []
    empty = Network.from_edges([], {"node": list("abcdef"), "type": list("xxxyyy")})
    assert ng.proposals(empty) == [] and ng.proposals(empty, "density") == []
    assert ng.proposals(Network.from_edges([("a", "b"), ("b", "c")])) == []


def towns(count, nodes=12_000):
    """A ring of nodes in so many towns, which have names, too."""
    columns = {
        "node": range(nodes),
        "town": [f"t{k % count}" for k in range(nodes)],
        "name": [f"n{k}" for k in range(nodes)],
    }
    return Network.from_edges([(k, (k + 1) % nodes) for k in range(nodes)], columns)


def test_columns_with_too_many_groups_are_not_tried_and_said_so():
    found = ng.proposals(towns(312))
    (untried,) = found.untried  # names are no groups
    assert found == [] and untried.knowledge == "blocks:town" and "has 312 groups" in untried.text
    assert ng.proposals(towns(312), "degrees+blocks:town").untried == ()
    (untried,) = ng.proposals(towns(5_000)).untried
    assert untried.knowledge == "" and "Blocks take fewer than 2,000" in untried.text
    assert ng.proposals(towns(150)).untried == ()


def test_many_groups_are_tried():
    links = [(k, (k + step) % 1_200) for k in range(1_200) for step in range(1, 60)]  # never a multiple of 60
    network = Network.from_edges(links, {"node": range(1_200), "town": [f"t{k % 60}" for k in range(1_200)]})
    (found,) = ng.proposals(network, "density")
    assert found.knowledge == "blocks:town" and "No link joins two nodes of the same town" in found.text


@given(networks())
def test_any_network_can_be_asked(network):
    for proposal in ng.proposals(network, "density"):
        assert ng.parse_knowledge(f"density+{proposal.knowledge}").fit(network) is not None
