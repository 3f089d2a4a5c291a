"""Groups: known ones are found, none where there are none, and their table counts what is there."""

import networkx
import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import adjusted_rand_score

import netgiven as ng
from netgiven.analysis.groups import find_groups
from tests.helpers import run_command


@pytest.fixture(scope="module")
def company():
    return ng.embed(ng.datasets.company(), given="degrees", dimensions=8, reach=2.0, shrinkage=0.0)


@pytest.fixture(scope="module")
def found(company):
    return company.groups()


def test_departments_are_found(company, found):
    assert len(found) == 5
    assert adjusted_rand_score(company.network.columns["department"], found.group) > 0.9
    assert found.sizes.tolist() == sorted(found.sizes, reverse=True)


def test_projects_are_found_once_departments_are_given():
    network = ng.datasets.company()
    given = ng.embed(network, "degrees+blocks:department", dimensions=4, reach=1.5, shrinkage=0.0)
    assert adjusted_rand_score(network.columns["project"], given.groups().group) > 0.9
    assert adjusted_rand_score(network.columns["department"], given.groups().group) < 0.1


def test_the_table_counts_links(company, found):
    links, _ = company.network.to_pandas()
    for row in found.table.itertuples():
        members = found.nodes(row.group)
        assert len(members) == row.size and all(found[node] == row.group for node in members)
        assert (links["source"].isin(members) & links["target"].isin(members)).sum() == row.links
        assert company.prior.expected_links(members) == pytest.approx(row.expected)
        assert set(found.typical(row.group)) <= set(members) and str(found.typical(row.group)[0]) in row.typical
        assert row.frequent.startswith("department ")
    assert sorted(name for group in found for name in group) == sorted(company.nodes)


def test_the_same_seed_gives_the_same_groups(company, found):
    assert np.array_equal(company.groups().numbers, found.numbers)
    assert len(company.groups(7)) == 7 and len(company.groups(7).trials) == 1


def test_a_random_network_has_no_groups():
    network = ng.Network.from_networkx(networkx.gnm_random_graph(200, 1000, seed=1))
    none = ng.embed(network, dimensions=8, reach=2.0, shrinkage=0.0).groups()
    assert len(none) == 0 and (none.group == -1).all() and none.table.empty
    assert "the links justify none" in repr(none) and "justify none" in none._repr_html_()


def test_nodes_without_links_are_in_no_group():
    cliques = [(i, j) for i in range(30) for j in range(i) if i % 3 == j % 3]
    network = ng.Network.from_edges(cliques).with_nodes(["alone"])
    found = ng.embed(network, "density", dimensions=2, reach=3.0, shrinkage=0.0).groups()
    assert found["alone"] == -1 and len(found) == 3 and repr(found).endswith("; 1 node in none")


def test_unobserved_pairs_are_not_expected():
    cliques = [(i, j) for i in range(20) for j in range(i) if i % 2 == j % 2]
    network = ng.Network.from_edges(cliques)
    masked = network.with_observed([(0, 1)])
    positions = np.where(np.arange(20) % 2, 1.0, -1.0).reshape(-1, 1).astype(np.float32)
    prior = ng.density().fit(network)
    full, part = (find_groups(one, prior, positions, 2).table for one in (network, masked))
    assert full["expected"].tolist() == pytest.approx(part["expected"].tolist())  # all links inside are observed
    assert find_groups(masked, prior, positions, 1).table["expected"][0] < prior.expected_links()


@pytest.mark.parametrize(("count", "message"), [(0, "count = 0"), (2.5, "count = 2.5"), (1000, "1,000 groups")])
def test_impossible_counts_are_refused(company, count, message):
    with pytest.raises(ng.InputError, match=message):
        company.groups(count)


@pytest.mark.parametrize("seed", [-1, 2**32, 1.5, "x"])
def test_impossible_seeds_are_refused(company, seed):
    with pytest.raises(ng.InputError, match="seed = "):
        company.groups(2, seed=seed)


def test_one_group_is_written_in_the_singular(company):
    assert repr(company.groups(1)) == "1 group of 240 nodes: 240"


def test_unknown_groups_and_nodes_are_refused(found):
    with pytest.raises(ng.InputError, match="Group 5 was asked for; there are 5"):
        found.nodes(5)
    with pytest.raises(ng.InputError, match="no node"):
        found["nobody"]
    with pytest.raises(ng.InputError, match="count = -1"):
        found.typical(0, count=-1)


def test_the_command_prints_groups_and_writes_nodes(company, found, tmp_path, capsys):
    company.save(tmp_path / "company.ng")
    assert run_command("groups", tmp_path / "company.ng", "--out", tmp_path / "groups.csv") == 0
    printed = capsys.readouterr()
    assert "5 groups of 240 nodes" in printed.err and printed.out.startswith("group\tsize\tlinks\texpected")
    written = pd.read_csv(tmp_path / "groups.csv")
    assert written["group"].tolist() == found.group.tolist()
    company.network.to_pandas()[0].to_csv(tmp_path / "links.csv", index=False)
    read = ng.read(tmp_path / "links.csv", nodes=tmp_path / "groups.csv")
    assert read.columns["group"].tolist() == found.group.tolist()
    assert run_command("groups", tmp_path / "company.ng", "--out", tmp_path / "company.ng") == 2
