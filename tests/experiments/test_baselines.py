import hashlib
import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import netgiven as ng
from experiments.baselines import METHODS
from experiments.baselines.deepwalk import DeepWalk, Node2vec, TunedNode2vec
from experiments.baselines.line import Line
from experiments.baselines.metapath2vec import Metapath2vec, make_meta_path
from experiments.baselines.negative_sampling import make_negatives
from experiments.baselines.walks import Bias, meta_path_walks, second_order_walks
from netgiven.evaluation.methods import LinkRegression, fit_regression
from netgiven.metrics import auc
from netgiven.splits import hide_links
from tests.strategies import networks

SMALL = {
    "DeepWalk": DeepWalk(dimensions=8, rounds=5, length=20),
    "LINE": Line(dimensions=8, samples_per_link=100),
    "node2vec": TunedNode2vec(Node2vec(dimensions=8, rounds=4, length=20), values=(0.5, 2.0), trial_rounds=2),
    "metapath2vec++": Metapath2vec(dimensions=8, rounds=5, length=20),
}


def two_cliques(size=12, isolated=1):
    ends = [(base + i, base + j) for base in (0, size) for i in range(size) for j in range(i)]
    return ng.Network.from_edges([*ends, (0, size)], nodes=range(2 * size + isolated))


def library():
    """Papers with authors and venues; a paper has two authors and one venue."""
    links = [(f"p{i}", f"a{(i * k + k) % 7}") for i in range(12) for k in (1, 3)] + [
        (f"p{i}", f"v{i % 3}") for i in range(12)
    ]
    names = sorted({name for link in links for name in link})
    return ng.Network.from_edges(links, nodes={"node": names, "type": [name[0] for name in names]})


# ---- walks -----------------------------------------------------------------------------------------------------------


@given(networks(most=12), st.integers(0, 50), st.sampled_from([0.25, 1.0, 4.0]), st.sampled_from([0.25, 1.0, 4.0]))
def test_walks_follow_links(network, seed, p, q):
    walks = second_order_walks(network, 2, 6, Bias(p, q), seed)
    linked = network.to_scipy().toarray() > 0
    assert len(walks) == 2 * (network.degrees > 0).sum()
    assert linked[walks[:, :-1], walks[:, 1:]].all()


def test_walks_are_the_same_on_any_number_of_threads():
    network = hide_links(ng.datasets.company(), seed=1).train
    many = ng.Network.from_edges([(i, (i * 7 + k) % 3000) for i in range(3000) for k in (1, 5, 9)])
    for example in (network, many):
        one, three = (second_order_walks(example, 2, 15, Bias(0.5, 2.0), 3, count) for count in (1, 3))
        assert np.array_equal(one, three)
        path = make_meta_path(example, None, ())
        assert np.array_equal(meta_path_walks(example, 0, 9, path, 3, 1), meta_path_walks(example, 0, 9, path, 3, 3))


@pytest.mark.parametrize("bias", [Bias(), Bias(0.25, 4.0), Bias(4.0, 0.25), Bias(0.5, 0.5)])
def test_steps_have_node2vecs_probabilities(bias):
    """Every (before, node) with at least three ways on: chi-squared against the exact second-order probabilities."""
    network = ng.Network.from_edges([(0, 1), (0, 2), (1, 2), (1, 3), (2, 3), (3, 4), (4, 5), (3, 5), (1, 5)])
    linked = network.to_scipy().toarray() > 0
    walks = second_order_walks(network, 400, 40, bias, 5)
    steps = np.column_stack([walks[:, :-2].ravel(), walks[:, 1:-1].ravel(), walks[:, 2:].ravel()])
    statistic, freedom = 0.0, 0
    for before, node in np.argwhere(linked):
        taken = steps[(steps[:, 0] == before) & (steps[:, 1] == node), 2]
        ways = np.flatnonzero(linked[node])
        weights = np.where(ways == before, 1 / bias.p, np.where(linked[before, ways], 1.0, 1 / bias.q))
        expected = len(taken) * weights / weights.sum()
        counts = np.bincount(taken, minlength=len(linked))[ways]
        statistic, freedom = statistic + ((counts - expected) ** 2 / expected).sum(), freedom + len(ways) - 1
    assert statistic < freedom + 5 * np.sqrt(2 * freedom)


def test_the_only_way_on_is_taken_however_unlikely():
    """By rejection alone each step at the end of the path would take a million million draws."""
    path = ng.Network.from_edges([(0, 1), (1, 2)])
    walks = second_order_walks(path, 1, 5, Bias(p=1e12))
    assert sorted(walks[walks[:, 0] != 1].tolist()) == [[0, 1, 2, 1, 0], [2, 1, 0, 1, 2]]


def test_walks_follow_the_meta_path():
    network = library()
    types, names = network.groups("type")
    assert names == ["a", "p", "v"]
    path = make_meta_path(network, "type", ("a", "p", "v", "p"))
    walks = meta_path_walks(network, 0, 9, path, 1)
    starts_at_author = walks[types[walks[:, 0]] == 0]
    assert (types[starts_at_author] == np.array([0, 1, 2, 1, 0, 1, 2, 1, 0])).all()
    assert (network.to_scipy().toarray()[walks[:, :-1], walks[:, 1:]] > 0).all()


def test_without_a_path_walks_take_any_link_and_go_on():
    """Half of the links hidden: a fixed tour of the types would end after a few steps."""
    train = hide_links(library(), seed=0).train
    walks = meta_path_walks(train, 0, 30, make_meta_path(train, "type", ()), 1)
    assert len(walks) == (train.degrees > 0).sum() and (walks >= 0).all()
    assert (train.to_scipy().toarray()[walks[:, :-1], walks[:, 1:]] > 0).all()


def test_walks_end_where_the_path_does():
    network = library()
    types, _ = network.groups("type")
    walks = meta_path_walks(network, 0, 5, make_meta_path(network, "type", ("a", "v")), 1)
    assert (walks[:, 1:] == -1).all()  # authors have no venues
    assert (walks[:, 0] >= 0).sum() == (types != 1).sum()


# ---- vectors ---------------------------------------------------------------------------------------------------------


def test_the_catalogue_has_the_papers_methods_in_its_dimensions():
    assert list(METHODS) == list(SMALL)
    assert [getattr(method, "dimensions", 128) for method in METHODS.values()] == [128] * 4


@pytest.mark.parametrize("name", SMALL)
def test_vectors_separate_two_cliques(name):
    network = two_cliques()
    vectors = SMALL[name].vectors(network, 0)
    assert vectors.shape == (25, 8) and vectors.dtype == np.float32
    assert not vectors[24].any() and np.isfinite(vectors).all()
    unit = vectors[:24] / np.linalg.norm(vectors[:24], axis=1, keepdims=True)
    alike, side = unit @ unit.T, np.arange(24) < 12
    same = side[:, None] == side[None, :]
    assert alike[same & ~np.eye(24, dtype=bool)].mean() > alike[~same].mean() + 0.3


@pytest.mark.parametrize("name", SMALL)
def test_a_network_without_links_gets_zeros(name):
    assert not SMALL[name].vectors(ng.Network.from_edges([], nodes=range(3)), 0).any()


def digests():
    return [hashlib.sha256(method.vectors(two_cliques(), 4).tobytes()).hexdigest() for method in SMALL.values()]


def test_vectors_are_the_same_in_every_process():
    program = "from tests.experiments.test_baselines import digests; print(*digests())"
    environment = {**os.environ, "PYTHONHASHSEED": "2" if os.environ.get("PYTHONHASHSEED") == "1" else "1"}
    line = [sys.executable, "-c", program]
    done = subprocess.run(line, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == digests() == digests()


@pytest.mark.parametrize("name", SMALL)
def test_another_seed_gives_other_vectors(name):
    assert not np.array_equal(SMALL[name].vectors(two_cliques(), 4), SMALL[name].vectors(two_cliques(), 5))


def test_random_targets_are_of_the_same_type_and_in_proportion():
    frequency, types = np.array([1, 16, 81, 0]), np.array([0, 0, 1, 1], dtype=np.int32)
    negatives = make_negatives(frequency, types, 5)
    first, second = (negatives.table[negatives.start[kind] : negatives.start[kind + 1]] for kind in (0, 1))
    assert np.isclose((first == 1).mean(), 8 / 9, atol=1e-4) and set(first) == {0, 1}
    assert set(second) == {2}


def test_wrong_types_raise_a_clear_error():
    network = library()
    with pytest.raises(ng.InputError, match="names type 'x'; the types are a, p, v"):
        make_meta_path(network, "type", ("a", "x"))
    with pytest.raises(ng.InputError, match="without a node column"):
        make_meta_path(network, None, ("a", "p"))


def test_without_gensim_the_error_says_how_to_install_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "gensim.models", None)
    with pytest.raises(ng.InputError, match="pip install --group experiments"):
        DeepWalk(dimensions=4).vectors(two_cliques(), 0)


# ---- links from vectors ----------------------------------------------------------------------------------------------


def test_the_regression_sees_the_training_network_only():
    split = hide_links(two_cliques(), seed=2)
    seen = []

    class Spy:
        name = "spy"

        def vectors(self, network, seed):
            seen.append(network)
            return SMALL["LINE"].vectors(network, seed)

    scores = LinkRegression(Spy()).score(split.train, split.pairs, 0)
    assert seen == [split.train]
    backwards = LinkRegression(Spy()).score(split.train, split.pairs[::-1], 0)
    assert np.array_equal(scores, backwards[::-1])  # a pair's score does not depend on what else is asked
    assert auc(split.truth, scores) > 0.8


def test_the_length_of_vectors_does_not_matter():
    """The solver's tolerance is absolute: unscaled, vectors of length .001 would give every pair the same score."""
    split = hide_links(two_cliques(), seed=2)
    vectors = SMALL["LINE"].vectors(split.train, 0)
    long, short = (
        auc(split.truth, fit_regression(split.train, vectors * scale, 0).score(split.pairs)) for scale in (1.0, 1e-3)
    )
    assert np.isclose(long, short, atol=1e-3) and long > 0.8


def test_a_complete_network_raises_a_clear_error():
    complete = ng.Network.from_edges([(0, 1), (1, 2), (0, 2)])
    with pytest.raises(ng.InputError, match="lacks one of them"):
        fit_regression(complete, np.ones((3, 2), dtype=np.float32), 0)
