"""Measures of maps: what is given no longer explains the positions of nodes."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import spearmanr

import netgiven as ng
from netgiven.tasks.maps import degree_correlation, measure_maps, variance_explained_by


def planar(network, given, reach="auto"):
    return ng.map_network(network, given, settings=ng.Settings(reach=reach), progress=False).panels[0]


@pytest.fixture(scope="module")
def company_maps():
    network = ng.datasets.company()
    return {given: planar(network, given) for given in ("density", "degrees", "degrees+blocks:department")}


@pytest.fixture(scope="module")
def students(public_network):
    """The stand-in for StudentDB, with the program that each student is linked to as a column."""
    network = public_network("studentdb_standin")
    kinds, programs = network.columns["group"], [None] * network.node_count
    for number in np.flatnonzero(kinds == "program"):
        for student in network.indices[network.indptr[number] : network.indptr[number + 1]]:
            programs[student] = str(network.nodes[number])
    return network.with_columns(pd.DataFrame({"program": programs}))


def test_degrees_that_are_given_do_not_explain_positions(company_maps):
    assert degree_correlation(company_maps["density"]) < -0.7
    assert abs(degree_correlation(company_maps["degrees"])) < 0.3


def test_given_departments_the_map_shows_projects(company_maps):
    table = measure_maps(list(company_maps.values()), ["department", "project"]).set_index("given")
    assert table.loc["density", "department"] > 0.5 > table.loc["density", "project"]
    assert table.loc["degrees+blocks:department", "department"] < 0.1
    assert table.loc["degrees+blocks:department", "project"] > 0.7


@pytest.mark.parametrize("reach", ["auto", ng.Spread(1.0, 15.0)], ids=["reach chosen", "s2 of the paper"])
def test_degrees_that_are_given_explain_less_of_the_students(students, reach):
    before, after = (degree_correlation(planar(students, given, reach=reach)) for given in ("density", "degrees"))
    assert before < -0.8
    assert after > before + 0.15


@pytest.mark.parametrize("reach", ["auto", ng.Spread(1.0, 15.0)], ids=["reach chosen", "s2 of the paper"])
def test_given_group_degrees_the_map_shows_programs_and_not_types(students, reach):
    before, after = (planar(students, given, reach=reach) for given in ("density", "group_degrees:group"))
    assert variance_explained_by(after, "group") < 0.05 < 0.15 < variance_explained_by(before, "group")
    assert variance_explained_by(after, "program") > variance_explained_by(before, "program") + 0.1


def test_the_rank_correlation_is_that_of_scipy(company_maps):
    embedding = company_maps["density"]
    places = embedding.positions.astype(float)
    distance = np.linalg.norm(places - places.mean(axis=0), axis=1)
    expected = spearmanr(distance, embedding.network.degrees).statistic
    assert degree_correlation(embedding) == pytest.approx(expected, abs=1e-3)


def test_a_network_without_variation_has_no_correlation():
    network = ng.Network.from_edges([("a", "b")], nodes=pd.DataFrame({"node": ["a", "b"], "kind": [None, None]}))
    embedding = ng.embed(network, "density", dimensions=2)
    assert variance_explained_by(embedding, "kind") == 0.0
    assert degree_correlation(embedding) == 0.0
