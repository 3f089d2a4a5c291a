"""What to ask next: each worth against a slow truth, and the sentences."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import netgiven as ng
from netgiven.analysis.active_learning import AIMS, Telling, ask, differences, worth_of
from netgiven.analysis.intervals import curvature, slopes
from netgiven.model import probability
from tests.answers.test_view import view_of
from tests.cli.test_cli import run
from tests.strategies import networks

STRATEGIES = ["probability", "entropy", "d-optimal", "v-optimal", "random"]


def free_pairs(network):
    first, second = np.triu_indices(network.node_count, 1)
    free = ~network.are_linked(first, second)
    return np.column_stack([first[free], second[free]])


def view_and_pool(people=40):
    view = view_of(ng.datasets.company(people=people), "degrees", 2, 5.0)
    return view, free_pairs(view.network)[::3]


def sides(pool):
    return (pool[:, 0], pool[:, 1]), (pool[:, 1], pool[:, 0])


def known_of(view, nodes):
    """K: the curvature, as far as it bends upwards, and one over the variance over nodes, in units of the latter."""
    apart = np.diag(differences(view))
    assert np.allclose(differences(view)[1:], view.positions.std(axis=0), rtol=1e-4)
    free = np.abs(view.prior.own[0]) < 100  # the others are of nodes that are certain to have no links
    assert np.allclose(differences(view)[0], view.prior.own[0][free].std(), rtol=1e-4)
    values, axes = np.linalg.eigh(apart @ curvature(view, nodes) @ apart)
    upwards = np.einsum("nkl,nl,nml->nkm", axes, np.maximum(values, 0), axes)
    back = np.linalg.inv(apart)
    return back @ (upwards + np.eye(len(apart))) @ back


def test_d_optimal_is_the_growth_of_the_determinant():
    view, pool = view_and_pool()
    chance = probability(view.log_odds(*pool.T))
    wanted = np.zeros(len(pool))
    for first, second in sides(pool):
        before, slope = known_of(view, first), slopes(view, first, second)
        after = before + (chance * (1 - chance))[:, None, None] * slope[:, :, None] * slope[:, None, :]
        wanted += np.linalg.slogdet(after)[1] - np.linalg.slogdet(before)[1]
    assert len(pool) > 50
    assert np.allclose(worth_of(view, pool, "d-optimal"), wanted, rtol=1e-6)


def test_v_optimal_is_the_fall_of_all_variances():
    view, pool = view_and_pool()
    chance = probability(view.log_odds(*pool.T))
    told, wanted = chance * (1 - chance), np.zeros(len(pool))
    both, slope = np.concatenate(pool.T), np.concatenate([slopes(view, *side) for side in sides(pool)])
    weight = np.tile(told**2, 2)
    for place, node in enumerate(both):
        pair, mine = place % len(pool), both == node
        before = known_of(view, np.array([node]))[0]
        after = before + told[pair] * np.outer(slope[place], slope[place])
        fall = np.linalg.inv(before) - np.linalg.inv(after)
        wanted[pair] += (weight[mine] * np.einsum("pk,kl,pl->p", slope[mine], fall, slope[mine])).sum()
    assert np.allclose(worth_of(view, pool, "v-optimal"), wanted, rtol=1e-5)


@pytest.mark.parametrize("strategy", ["d-optimal", "v-optimal"])
def test_what_was_chosen_counts_as_told_for_the_rest(strategy):
    """Three questions, one after the other, each time with all that the earlier ones are expected to tell."""
    view, pool = view_and_pool()
    telling = Telling(view, pool, AIMS[strategy])
    gains, left = [], np.arange(len(pool))
    for _ in range(3):
        now = telling.gains(left)
        gains.append(now.max())
        telling.tell(left[[np.argmax(now)]])
        left = np.delete(left, np.argmax(now))
    assert np.allclose(ask(view, pool, strategy, 3).worth, gains, rtol=1e-9)


def test_two_pairs_that_tell_the_same_are_worth_it_once():
    """Once a pair is told, other pairs of its nodes are worth less, and those of other nodes as much as before."""
    view, pool = view_and_pool()
    telling = Telling(view, pool, "nodes")
    before = telling.gains()
    telling.tell(np.array([0]))
    after = telling.gains()
    shared = np.isin(pool, pool[0]).any(axis=1)
    assert (after[shared] < before[shared]).all()
    assert np.array_equal(after[~shared], before[~shared])


def test_simple_strategies_are_what_they_say():
    view, pool = view_and_pool()
    chance = probability(view.log_odds(*pool.T))
    assert np.array_equal(ask(view, pool, "probability", 5).worth, np.sort(chance)[::-1][:5])
    unsure = ask(view, pool, "entropy", 5).pairs
    assert np.abs(probability(view.log_odds(*unsure.T)) - 0.5).max() == np.sort(np.abs(chance - 0.5))[4]
    assert not np.array_equal(ask(view, pool, "random", 5, seed=1).pairs, ask(view, pool, "random", 5, seed=2).pairs)


@given(networks(least=4, most=12), st.sampled_from(STRATEGIES), st.integers(1, 30), st.integers(0, 9))
def test_what_is_asked_for_is_in_the_pool_once_and_its_order_does_not_matter(network, strategy, count, seed):
    pool = free_pairs(network)
    assume(len(pool))
    view = view_of(network, "degrees", 2, 1.0)
    found = ask(view, pool, strategy, count, seed)
    assert len(found.pairs) == min(count, len(pool)) == len({tuple(pair) for pair in found.pairs.tolist()})
    assert {tuple(pair) for pair in found.pairs.tolist()} <= {tuple(pair) for pair in pool.tolist()}
    assert (np.diff(found.worth) <= 0).all()
    if strategy != "random":
        again = ask(view, np.random.default_rng(seed).permutation(pool), strategy, count, seed)
        assert np.allclose(np.sort(again.worth), np.sort(found.worth))


def test_batches_change_nothing(monkeypatch):
    view, pool = view_and_pool()
    whole = worth_of(view, pool, "v-optimal")
    monkeypatch.setattr("netgiven.analysis.active_learning.BATCH", 3)
    monkeypatch.setattr("netgiven.analysis.active_learning.NUMBERS", 70)
    assert np.allclose(worth_of(view, pool, "v-optimal"), whole)


# ---- as people use it ----------------------------------------------------------------------------------------------


@pytest.fixture
def embedding():
    company = ng.datasets.company(people=60)
    unknown = company.nodes[free_pairs(company)[::5].ravel()].to_numpy().reshape(-1, 2)
    return ng.embed(company.with_unknown(unknown), dimensions=2, spread=ng.Spread.from_reach(2), shrinkage=0.5)


def test_an_embedding_asks_for_unknown_pairs(embedding):
    table = embedding.ask(count=7)
    assert list(table.columns) == ["u", "v", "probability", "worth"]
    numbers = embedding.network.numbers(table["u"]), embedding.network.numbers(table["v"])
    assert not embedding.network.are_known(*numbers).any()
    assert np.allclose(embedding.probabilities(table[["u", "v"]]), table["probability"])


def test_the_command(embedding, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    embedding.save("x.ng")
    assert run("ask", "x.ng", "--strategy", "entropy", "--top", "3") == 0
    assert len(capsys.readouterr().out.splitlines()) == 4
    table = embedding.ask(count=4)
    table[["u", "v"]].to_csv("pool.tsv", sep="\t", index=False, header=False)
    assert run("ask", "x.ng", "--pool", "pool.tsv", "--out", "asked.tsv") == 0
    assert len((tmp_path / "asked.tsv").read_text().splitlines()) == 5


def test_bad_questions_get_a_sentence(embedding, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    embedding.save("x.ng")
    u, v = embedding.nodes[0], embedding.network.neighbours(embedding.nodes[0])[0]
    (tmp_path / "linked.tsv").write_text(f"{u}\t{v}\n")
    for words, told in [
        (["--strategy", "guess"], "The strategy 'guess' was given"),
        (["--top", "0"], "0 pairs were to be asked for"),
        (["--pool", "linked.tsv"], "are linked already"),
        (["--header"], "go with --pool"),
    ]:
        assert run("ask", "x.ng", *words) == 2
        assert told in capsys.readouterr().err
    with pytest.raises(ng.InputError, match="paired with itself in the pool"):
        embedding.ask([(u, u)])
    with pytest.raises(ng.InputError, match="The pool is empty"):
        ask(embedding.view, np.empty((0, 2), dtype=np.int64))
    plain = ng.embed(ng.datasets.company(people=50), dimensions=2, spread=ng.Spread.from_reach(2), shrinkage=0.5)
    with pytest.raises(ng.InputError, match="no pair is unknown"):
        plain.ask()


def test_where_few_pairs_are_known_the_pool_is_all_others(monkeypatch):
    company = ng.datasets.company(people=50)
    known = company.nodes[free_pairs(company)[::4].ravel()].to_numpy().reshape(-1, 2)
    embedding = ng.embed(company.with_known(known), dimensions=2, spread=ng.Spread.from_reach(2), shrinkage=0.5)
    everything = embedding.ask(strategy="probability", count=10_000)
    numbers = [company.numbers(everything[end]) for end in ("u", "v")]
    assert len(everything) == company.with_known(known).unknown_count
    assert not company.with_known(known).are_known(*numbers).any()
    monkeypatch.setattr("netgiven.answers.answering.MOST_UNKNOWN", 100)
    with pytest.raises(ng.InputError, match=r"pairs are unknown; give the pairs"):
        embedding.ask()
