"""The paper's split of links, for tests."""

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import minimum_spanning_tree


def hide_half(network, seed):
    """Training links, pairs to predict, and which of those are hidden links.

    Shuffle the links; hide a link unless that raises the number of components; stop at half. Equivalently: keep the
    spanning forest that prefers late links, and hide the first of the others. As many distinct pairs without a link are
    added.
    """
    random = np.random.default_rng(seed)
    links = random.permutation(network.links())
    count, nodes = len(links), network.node_count
    late_is_cheap = sparse.csr_array((np.arange(count, 0, -1), (links[:, 0], links[:, 1])), shape=(nodes, nodes))
    kept = count - minimum_spanning_tree(late_is_cheap).data.astype(int)
    free = np.ones(count, dtype=bool)
    free[kept] = False
    hidden = np.flatnonzero(free)[: count // 2]
    others = _pairs_without_link(network, len(hidden), random)
    pairs = np.concatenate([links[hidden], others])
    return np.delete(links, hidden, axis=0), pairs, np.arange(len(pairs)) < len(hidden)


def _pairs_without_link(network, wanted, random):
    nodes, matrix = network.node_count, network.to_scipy()
    drawn = np.unique(np.sort(random.integers(nodes, size=(3 * wanted, 2)), axis=1), axis=0)
    drawn = drawn[drawn[:, 0] < drawn[:, 1]]
    free = drawn[np.asarray(matrix[drawn[:, 0], drawn[:, 1]]).ravel() == 0]
    return random.permutation(free)[:wanted]
