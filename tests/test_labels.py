"""Labels of nodes that have no links."""

import pytest

import netgiven as ng
from netgiven.labels import align_labels, with_labels

SETTINGS = ng.Settings(dimensions=2, reach=2.0, shrinkage=0.1, max_steps=20)


@pytest.fixture
def ring():
    return ng.Network.from_edges([(f"n{i}", f"n{(i + 1) % 8}") for i in range(8)])


@pytest.fixture
def labels_file(tmp_path):
    path = tmp_path / "labels.tsv"
    path.write_text("n0\teven\nn1\todd\nn2\teven\nlonely\todd\n")
    return path


def test_labels_of_a_node_without_links_are_predicted_with_the_smaller_network(ring, labels_file):
    labels = ng.read_labels(labels_file, ring).labels
    prediction = ng.predict_labels(ring, labels, settings=SETTINGS)
    assert prediction.log_odds.shape == (9, 2)
    assert prediction.labels.nodes.tolist() == [*ring.nodes, "lonely"]
    assert set(prediction.likely(count=1)["node"]) == {"n3", "n4", "n5", "n6", "n7"}


def test_both_networks_give_the_same_prediction(ring, labels_file):
    found = ng.read_labels(labels_file, ring)
    one, other = (ng.predict_labels(network, found.labels, settings=SETTINGS) for network in (ring, found.network))
    assert one.log_odds.tobytes() == other.log_odds.tobytes()


@pytest.mark.parametrize("listed", ["with_unobserved", "with_observed"])
def test_a_network_with_unobserved_pairs_and_nodes_without_links_is_embedded(ring, labels_file, listed):
    network = ng.read_labels(labels_file, getattr(ring, listed)([("n0", "n4"), ("n2", "n6")])).network
    assert len(network.unobserved.indptr) == network.node_count + 1
    embedding = ng.embed(network, "density", dimensions=2, reach=2.0, shrinkage=0.1, max_steps=20)
    assert len(embedding.positions) == 9


def test_labels_in_another_order_of_nodes_are_renumbered(ring):
    nodes = ring.nodes[::-1]
    labels = ng.Labels.from_pairs(nodes, [("n0", "x"), ("n7", "y")])
    larger, aligned = align_labels(ring, labels)
    assert larger is ring or larger.node_count == ring.node_count
    assert aligned.nodes[aligned.pairs[:, 0]].tolist() == ["n0", "n7"]
    both = with_labels(ring, labels)
    assert both.are_linked([0, 7], [8, 9]).all()


def test_labels_of_another_network_are_an_error(ring):
    labels = ng.Labels.from_pairs(ng.Network.from_edges([("a", "b")]).nodes, [("a", "x")])
    with pytest.raises(ng.InputError, match=r"None of the nodes with labels is in the network .*are a"):
        ng.predict_labels(ring, labels)


def test_a_label_of_an_unknown_node_is_an_error(ring):
    with pytest.raises(ng.InputError, match="There is no node 'lonely'"):
        ng.Labels.from_pairs(ring.nodes, [("n0", "x"), ("lonely", "x")])


@pytest.mark.parametrize("title", ["node,label", "person,project"])
def test_a_header_is_not_a_label(ring, tmp_path, title):
    (tmp_path / "labels.csv").write_text(f"{title}\nn0,red\nn1,red\nn2,blue\n")
    found = ng.read_labels(tmp_path / "labels.csv", ring)
    assert found.labels.names.tolist() == ["blue", "red"] and found.network is ring
    assert "taken as a header" in found.notes[0]


def test_a_node_without_links_may_come_first(ring, tmp_path):
    (tmp_path / "labels.csv").write_text("zoe,red\nn1,red\nn2,blue\n")
    assert "zoe" in ng.read_labels(tmp_path / "labels.csv", ring).network
