import networkx
import numpy as np
import pytest
from hypothesis import given

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
}


@pytest.mark.parametrize("name", HEURISTICS)
@given(networks(most=10))
def test_scores_are_those_of_networkx(name, network):
    pairs = np.array([(u, v) for u in range(network.node_count) for v in range(u)], dtype=np.int64)
    graph = network.to_networkx()
    expected = [score for _, _, score in TWINS[name](graph, [tuple(pair) for pair in pairs.tolist()])]
    assert np.allclose(HEURISTICS[name](network, pairs), expected)


PUBLISHED = {
    "facebook": {
        "common neighbours": 0.9735,
        "Jaccard": 0.9705,
        "Adamic-Adar": 0.9751,
        "preferential attachment": 0.8295,
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
