import networkx
import numpy as np
import pytest
from hypothesis import given

import netgiven as ng
from netgiven.evaluation import methods
from netgiven.evaluation.methods import HEURISTICS
from tests.strategies import networks

TWINS = {
    "common neighbours": lambda graph, pairs: (
        (u, v, len(list(networkx.common_neighbors(graph, u, v)))) for u, v in pairs
    ),
    "Jaccard": networkx.jaccard_coefficient,
    "Adamic-Adar": networkx.adamic_adar_index,
    "resource allocation": networkx.resource_allocation_index,
    "preferential attachment": networkx.preferential_attachment,
    "paths of length three": lambda graph, pairs: (
        (u, v, sum((graph.degree(s) * graph.degree(t)) ** -0.5 for s in graph[u] for t in graph[v] if t in graph[s]))
        for u, v in pairs
    ),
    "four-step walk": lambda graph, pairs: both_ways(np.linalg.matrix_power(transitions(graph), 4), pairs),
    "personalised PageRank": lambda graph, pairs: both_ways(
        0.15 * sum(np.linalg.matrix_power(0.85 * transitions(graph), steps) for steps in range(21)), pairs
    ),
}


def transitions(graph):
    """Probability of each random step; a node without links is left nowhere."""
    matrix = networkx.to_numpy_array(graph)
    return matrix / np.maximum(matrix.sum(axis=1), 1)[:, None]


def both_ways(matrix, pairs):
    return ((u, v, matrix[u, v] + matrix[v, u]) for u, v in pairs)


@pytest.mark.parametrize("name", HEURISTICS)
@given(networks(most=10))
def test_scores_are_those_of_direct_computation(name, network):
    pairs = np.array([(u, v) for u in range(network.node_count) for v in range(u)], dtype=np.int64)
    graph = network.to_networkx()
    expected = [score for _, _, score in TWINS[name](graph, [tuple(pair) for pair in pairs.tolist()])]
    assert np.allclose(HEURISTICS[name](network, pairs), expected, rtol=1e-5)


@pytest.mark.parametrize("name", ["paths of length three", "four-step walk", "personalised PageRank"])
def test_blocks_of_nodes_do_not_change_scores(name, monkeypatch):
    network = ng.datasets.company(people=90)
    pairs = np.random.default_rng(0).integers(90, size=(500, 2))
    whole = HEURISTICS[name](network, pairs)
    monkeypatch.setattr(methods, "MAX_BLOCK", 1)
    assert np.allclose(HEURISTICS[name](network, pairs), whole, rtol=1e-6)
    assert len(HEURISTICS[name](network, pairs[:0])) == 0


def test_with_all_walks_it_is_the_pagerank_of_networkx(monkeypatch):
    monkeypatch.setattr(methods, "PAGERANK_STEPS", 200)
    network = ng.datasets.company(people=40)
    graph = network.to_networkx()
    rank = networkx.pagerank(graph, alpha=0.85, personalization={network.nodes[3]: 1.0}, tol=1e-12)
    back = networkx.pagerank(graph, alpha=0.85, personalization={network.nodes[5]: 1.0}, tol=1e-12)
    found = HEURISTICS["personalised PageRank"](network, np.array([[3, 5]]))[0]
    assert found == pytest.approx(rank[network.nodes[5]] + back[network.nodes[3]], rel=1e-4)


PUBLISHED = {
    "facebook": {
        "common neighbours": 0.9735,
        "Jaccard": 0.9705,
        "Adamic-Adar": 0.9751,
        "preferential attachment": 0.8295,
        "four-step walk": 0.9923,  # not in the paper
    },
    "ppi": {"common neighbours": 0.7693, "Jaccard": 0.7580, "Adamic-Adar": 0.7719, "preferential attachment": 0.8892},
}


@pytest.mark.parametrize("name", PUBLISHED)
def test_the_papers_heuristics_come_out_as_published(public_network, name):
    """Under its split, one seed: this checks the split, the data and the scores at once."""
    from sklearn.metrics import roc_auc_score

    from netgiven.splits import hide_links

    split = hide_links(public_network(name), seed=0)
    for heuristic, published in PUBLISHED[name].items():
        scores = HEURISTICS[heuristic](split.train, split.pairs)
        assert abs(roc_auc_score(split.truth, scores) - published) < 0.006
