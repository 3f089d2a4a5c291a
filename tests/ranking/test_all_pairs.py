"""The likeliest pairs of a network."""

import numpy as np
import pytest

from netgiven.kernels import reference
from netgiven.kernels.arrays import make_scene
from netgiven.ranking import likeliest_pairs
from tests.random_priors import drawn_links, listed_pairs, random_prior


@pytest.mark.parametrize("count,thread_count", [(300, 1), (1100, 1), (1100, 3)])
def test_listed_pairs_count_with_their_true_scores(count, thread_count):
    """Over several tables and blocks of nodes; some pairs are listed as likely, some as impossible."""
    value = np.zeros((count, count))
    first, second = np.arange(0, 40), np.arange(count - 40, count)
    value[first, second] = np.linspace(20, 60, 40)
    value[first, second - 50] = -1024
    prior = random_prior(count=count, listed=0, seed=1)._replace(listed=listed_pairs(value))
    scene = make_scene(np.random.default_rng(0).normal(size=(count, 3)), prior, 2.0, 0.8)
    unlisted = prior._replace(listed=listed_pairs(np.zeros((count, count))))
    links = drawn_links(unlisted)
    found = likeliest_pairs(scene, links, 200, thread_count)
    z = np.where(reference.adjacency(links), -np.inf, reference.all_log_odds(scene))
    best = np.sort(z[np.triu_indices(count, 1)])[::-1][:200]
    assert np.allclose(z[found], best, atol=1e-4)
    assert set(zip(first, second, strict=True)) - set(zip(*found, strict=True)) <= set(
        zip(*np.where(z == -np.inf), strict=True)
    )
