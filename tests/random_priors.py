"""Priors with all parts at random, as kernels take them, and links that they allow."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st
from scipy import sparse

from netgiven.kernels.arrays import LinkRows, ListedLogOdds, PriorArrays
from netgiven.model import CERTAIN, probability


def random_prior(count=40, groups=3, terms=5, listed=0.2, certain=False, seed=0):
    """All numbers are multiples of 1/64, so that float32 adds them to certain ones without loss."""
    random = np.random.default_rng(seed)
    node, table = _rounded(random, -1, count), _rounded(random, 0, (groups, groups))
    left, factors = _rounded(random, 0, (terms, count), 8), _rounded(random, 0, (terms, terms), 2) / 4
    value = sparse.csr_array((count, count))
    if listed:
        value = sparse.random_array((count, count), density=listed, rng=random, data_sampler=_listed(random, certain))
    if certain:
        node[random.random(count) < 0.1] += CERTAIN
        node[random.random(count) < 0.1] -= CERTAIN
        table += CERTAIN * random.integers(-1, 2, table.shape) * (random.random(table.shape) < 0.2)
    return PriorArrays(
        node.astype(np.float32),
        random.integers(groups, size=count).astype(np.int32),
        (np.triu(table) + np.triu(table, 1).T).astype(np.float32),
        left.astype(np.float32),
        ((factors + factors.T) @ left).astype(np.float32),
        listed_pairs(value),
    )


def listed_pairs(value):
    """The part above the diagonal of a sparse matrix, both ways."""
    above = sparse.triu(sparse.csr_array(value), 1, format="csr")
    both = sparse.csr_array(above + above.T)
    both.sort_indices()
    return ListedLogOdds(both.indptr.astype(np.int64), both.indices.astype(np.int32), both.data.astype(np.float32))


def dense_log_odds(prior):
    """logit P of all pairs, with matrices."""
    node, table, left, right = (part.astype(np.float64) for part in (prior.node, prior.table, prior.left, prior.right))
    listed = sparse.csr_array((prior.listed.value, prior.listed.indices, prior.listed.indptr), (len(node), len(node)))
    return node[:, None] + node + table[np.ix_(prior.group, prior.group)] + left.T @ right + listed.toarray()


def expected_degrees(prior):
    """The sums of P over other nodes."""
    probabilities = probability(dense_log_odds(prior))
    return probabilities.sum(axis=1) - probabilities.diagonal()


def drawn_links(prior, seed=0):
    """Links drawn from the prior: certain ones are there, impossible ones are not."""
    probabilities = probability(dense_log_odds(prior))
    links = sparse.csr_array(np.triu(np.random.default_rng(seed).random(probabilities.shape) < probabilities, 1))
    both = sparse.csr_array(links + links.T)
    both.sort_indices()
    return LinkRows(both.indptr.astype(np.int64), both.indices.astype(np.int32))


def random_priors(least=2, most=12, larger=()):
    """Any of them; `larger` are sizes beyond `most` to be tried too."""
    count = st.integers(least, most) | st.sampled_from(larger) if larger else st.integers(least, most)
    return st.builds(
        random_prior,
        count=count,
        groups=st.integers(1, 4),
        terms=st.sampled_from([0, 1, 5]),
        listed=st.sampled_from([0, 0.1, 0.9]),
        certain=st.booleans(),
        seed=st.integers(0, 1000),
    )


def _rounded(random, mean, shape, parts=64):
    return np.round(parts * random.normal(mean, 1, shape)) / parts


def _listed(random, certain):
    def draw(size):
        levels = random.integers(-2, 3, size) * (random.random(size) < 0.3) if certain else 0.0
        return 2 * _rounded(random, 0, size) + CERTAIN * levels

    return draw
