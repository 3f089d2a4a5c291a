"""The paper's reading of its maps, in numbers: what is given no longer explains where nodes lie."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import spearmanr

import netgiven as ng
from netgiven.fitting.settings import map_settings
from netgiven.tasks.maps import explained_by, explained_by_degree, read_maps


def flat(network, given, **settings):
    return ng.embed(network, given, progress=False, **map_settings(network.node_count), **settings)


@pytest.fixture(scope="module")
def company_maps():
    network = ng.datasets.company()
    return {given: flat(network, given) for given in ("density", "degrees", "degrees+blocks:department")}


@pytest.fixture(scope="module")
def students(public_network):
    """The stand-in for the paper's StudentDB; a student's program is the program that the student is linked to."""
    network = public_network("studentdb_standin")
    kinds, programs = network.columns["group"], [None] * network.node_count
    for number in np.flatnonzero(kinds == "program"):
        for student in network.indices[network.indptr[number] : network.indptr[number + 1]]:
            programs[student] = str(network.nodes[number])
    return network.with_columns(pd.DataFrame({"program": programs}))


def test_given_degrees_they_no_longer_explain_positions_in_the_company(company_maps):
    assert explained_by_degree(company_maps["density"]) < -0.7
    assert abs(explained_by_degree(company_maps["degrees"])) < 0.3


def test_given_departments_projects_appear_in_the_company(company_maps):
    told = read_maps(list(company_maps.values()), ["department", "project"]).set_index("given")
    assert told.loc["density", "department"] > 0.5 > told.loc["density", "project"]
    assert told.loc["degrees+blocks:department", "department"] < 0.1
    assert told.loc["degrees+blocks:department", "project"] > 0.7


@pytest.mark.parametrize("spread", ["auto", ng.Spread(1.0, 15.0)], ids=["reach chosen", "s2 of the paper"])
def test_given_degrees_they_explain_less_among_the_students(students, spread):
    before, after = (explained_by_degree(flat(students, given, spread=spread)) for given in ("density", "degrees"))
    assert before < -0.8
    assert after > before + 0.15


@pytest.mark.parametrize("spread", ["auto", ng.Spread(1.0, 15.0)], ids=["reach chosen", "s2 of the paper"])
def test_given_degrees_towards_each_type_programs_appear_and_types_do_not(students, spread):
    before, after = (flat(students, given, spread=spread) for given in ("density", "group_degrees:group"))
    assert explained_by(after, "group") < 0.05 < 0.15 < explained_by(before, "group")
    assert explained_by(after, "program") > explained_by(before, "program") + 0.1


def test_the_rank_correlation_is_that_of_scipy(company_maps):
    embedding = company_maps["density"]
    places = embedding.positions.astype(float)
    distance = np.linalg.norm(places - places.mean(axis=0), axis=1)
    expected = spearmanr(distance, embedding.network.degrees).statistic
    assert explained_by_degree(embedding) == pytest.approx(expected, abs=1e-3)


def test_nothing_explains_where_there_is_nothing_to_explain():
    network = ng.Network.from_edges([("a", "b")], nodes=pd.DataFrame({"node": ["a", "b"], "kind": [None, None]}))
    embedding = ng.embed(network, "density", dimensions=2)
    assert explained_by(embedding, "kind") == 0.0
    assert explained_by_degree(embedding) == 0.0
