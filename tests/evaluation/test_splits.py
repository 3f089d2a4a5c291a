import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse.csgraph import connected_components

from netgiven.errors import InputError
from netgiven.network import Network
from netgiven.splits import hide_links, pairs_without_link
from tests.strategies import networks


def components(network):
    return connected_components(network.to_scipy(), directed=False)[0]


@given(networks(most=12), st.integers(0, 100), st.floats(0.1, 0.9))
def test_the_split_keeps_components_and_loses_nothing(network, seed, share):
    split = hide_links(network, share, seed)
    assert components(split.train) == components(network)
    assert split.train.link_count + len(split.hidden) == network.link_count
    assert len(split.hidden) <= share * network.link_count
    together = np.concatenate([split.train.links(), np.sort(split.hidden, axis=1)])
    assert {tuple(link) for link in together.tolist()} == {tuple(link) for link in network.links().tolist()}
    matrix = network.to_scipy().toarray()
    assert not matrix[split.others[:, 0], split.others[:, 1]].any()
    assert len({tuple(pair) for pair in split.others.tolist()}) == len(split.others)
    free = network.node_count * (network.node_count - 1) // 2 - network.link_count
    assert len(split.others) == min(len(split.hidden), free)
    assert split.truth.sum() == len(split.hidden) and len(split.pairs) == len(split.truth)


def hide_literally(network, share, seed):
    """The paper's words: hide a link unless that raises the number of components; stop at the share."""
    links = np.random.default_rng(seed).permutation(network.links()).astype(np.int64)
    kept, hidden = [tuple(link) for link in links.tolist()], []
    for link in list(kept):
        if len(hidden) >= int(share * len(links)):
            break
        rest = [other for other in kept if other != link]
        without = Network.from_edges(np.array(rest, dtype=int).reshape(-1, 2), nodes=range(network.node_count))
        if components(without) == components(network):
            kept, hidden = rest, [*hidden, link]
    return hidden


@given(networks(most=8), st.integers(0, 100))
def test_the_fast_split_is_the_literal_one(network, seed):
    assert [tuple(link) for link in hide_links(network, 0.5, seed).hidden.tolist()] == hide_literally(
        network, 0.5, seed
    )


def test_pairs_without_link_are_uniform():
    star = Network.from_edges([(0, i) for i in range(1, 6)])
    drawn = [
        tuple(pair) for seed in range(600) for pair in pairs_without_link(star, 2, np.random.default_rng(seed)).tolist()
    ]
    counts = np.array([drawn.count(pair) for pair in set(drawn)])
    assert len(counts) == 10
    assert ((counts - 120) ** 2 / 120).sum() < 40  # chi-squared with 9 degrees of freedom: one in a hundred thousand


@pytest.mark.parametrize("share", [0, 1, -0.5, float("nan")])
def test_an_impossible_share_raises_a_clear_error(share):
    with pytest.raises(InputError, match="between 0 and 1"):
        hide_links(Network.from_edges([(0, 1)]), share)
