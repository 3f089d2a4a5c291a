"""Active learning: scores agree with slow references, and bad input is refused."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import netgiven as ng
from netgiven.analysis.active_learning import TARGETS, InformationGain, ask, score_pairs, standard_deviations
from netgiven.analysis.intervals import curvature, slopes
from netgiven.model import probability
from tests.helpers import local_objective, run_command
from tests.strategies import networks

STRATEGIES = ["probability", "entropy", "d-optimal", "v-optimal", "random"]


def free_pairs(network):
    first, second = np.triu_indices(network.node_count, 1)
    free = ~network.are_linked(first, second)
    return np.column_stack([first[free], second[free]])


def objective_and_pool(people=40):
    objective = local_objective(ng.datasets.company(people=people), "degrees", 2, 5.0)
    return objective, free_pairs(objective.network)[::3]


def sides(pool):
    return (pool[:, 0], pool[:, 1]), (pool[:, 1], pool[:, 0])


def precision_of(objective, nodes):
    """K: the curvature, plus the inverse of the variance over nodes."""
    units = np.diag(standard_deviations(objective))
    assert np.allclose(standard_deviations(objective)[1:], objective.positions.std(axis=0), rtol=1e-4)
    free = np.abs(objective.prior.left[0]) < 100  # the other nodes are certain to have no links
    assert np.allclose(standard_deviations(objective)[0], objective.prior.left[0][free].std(), rtol=1e-4)
    return curvature(objective, nodes) + np.diag(np.diag(units) ** -2.0)


def test_d_optimal_is_the_growth_of_the_determinant():
    objective, pool = objective_and_pool()
    p = probability(objective.log_odds(*pool.T))
    wanted = np.zeros(len(pool))
    for first, second in sides(pool):
        before, slope = precision_of(objective, first), slopes(objective, first, second)
        after = before + (p * (1 - p))[:, None, None] * slope[:, :, None] * slope[:, None, :]
        wanted += np.linalg.slogdet(after)[1] - np.linalg.slogdet(before)[1]
    assert len(pool) > 50
    assert np.allclose(score_pairs(objective, pool, "d-optimal"), wanted, rtol=1e-6)


def test_v_optimal_is_the_fall_of_all_variances():
    objective, pool = objective_and_pool()
    p = probability(objective.log_odds(*pool.T))
    information, wanted = p * (1 - p), np.zeros(len(pool))
    both, slope = np.concatenate(pool.T), np.concatenate([slopes(objective, *side) for side in sides(pool)])
    weight = np.tile(information**2, 2)
    for place, node in enumerate(both):
        pair, mine = place % len(pool), both == node
        before = precision_of(objective, np.array([node]))[0]
        after = before + information[pair] * np.outer(slope[place], slope[place])
        fall = np.linalg.inv(before) - np.linalg.inv(after)
        wanted[pair] += (weight[mine] * np.einsum("pk,kl,pl->p", slope[mine], fall, slope[mine])).sum()
    assert np.allclose(score_pairs(objective, pool, "v-optimal"), wanted, rtol=1e-5)


def test_a_balanced_reach_leaves_the_precision_as_it_was_where_the_fit_ended():
    embedding = ng.embed(ng.datasets.planted(200, 1_500, communities=10).network, "degrees")
    assert embedding.reach > embedding.fit.settings.reach + 0.2
    pool = free_pairs(embedding.network)[::40]
    linked = (embedding.network.degrees[pool] > 0).all(axis=1)
    pool = pool[linked]
    as_trained = InformationGain(embedding.training_objective, pool, "nodes")
    gain = InformationGain(embedding.objective, pool, "nodes", embedding.training_objective)
    assert np.allclose(gain.precision, as_trained.precision)
    chosen = embedding.ask(pool, "d-optimal", 5)
    assert np.allclose(chosen["score"], gain.choose(5)[1], rtol=1e-9)


@pytest.mark.parametrize("strategy", ["d-optimal", "v-optimal"])
def test_chosen_pairs_count_as_observed(strategy):
    """Three pairs, one after the other, each after observing the earlier ones."""
    objective, pool = objective_and_pool()
    gain_of = InformationGain(objective, pool, TARGETS[strategy])
    gains, left = [], np.arange(len(pool))
    for _ in range(3):
        now = gain_of.gains(left)
        gains.append(now.max())
        gain_of.observe(left[[np.argmax(now)]])
        left = np.delete(left, np.argmax(now))
    assert np.allclose(ask(objective, pool, strategy, 3).scores, gains, rtol=1e-9)


def test_observing_a_pair_lowers_the_gain_of_other_pairs_of_its_nodes():
    """Pairs of other nodes gain as much as before."""
    objective, pool = objective_and_pool()
    gain_of = InformationGain(objective, pool, "nodes")
    before = gain_of.gains()
    gain_of.observe(np.array([0]))
    after = gain_of.gains()
    shared = np.isin(pool, pool[0]).any(axis=1)
    assert (after[shared] < before[shared]).all()
    assert np.array_equal(after[~shared], before[~shared])


def test_probability_entropy_and_random():
    objective, pool = objective_and_pool()
    p = probability(objective.log_odds(*pool.T))
    assert np.array_equal(ask(objective, pool, "probability", 5).scores, np.sort(p)[::-1][:5])
    unsure = ask(objective, pool, "entropy", 5).pairs
    assert np.abs(probability(objective.log_odds(*unsure.T)) - 0.5).max() == np.sort(np.abs(p - 0.5))[4]
    assert not np.array_equal(
        ask(objective, pool, "random", 5, seed=1).pairs, ask(objective, pool, "random", 5, seed=2).pairs
    )


@given(networks(least=4, most=12), st.sampled_from(STRATEGIES), st.integers(1, 30), st.integers(0, 9))
def test_queries_are_distinct_pairs_of_the_pool_in_any_order(network, strategy, count, seed):
    pool = free_pairs(network)
    assume(len(pool))
    objective = local_objective(network, "degrees", 2, 1.0)
    found = ask(objective, pool, strategy, count, seed)
    assert len(found.pairs) == min(count, len(pool)) == len({tuple(pair) for pair in found.pairs.tolist()})
    assert {tuple(pair) for pair in found.pairs.tolist()} <= {tuple(pair) for pair in pool.tolist()}
    assert (np.diff(found.scores) <= 0).all()
    if strategy != "random":
        again = ask(objective, np.random.default_rng(seed).permutation(pool), strategy, count, seed)
        assert np.allclose(np.sort(again.scores), np.sort(found.scores))


def test_batches_change_nothing(monkeypatch):
    objective, pool = objective_and_pool()
    whole = score_pairs(objective, pool, "v-optimal")
    monkeypatch.setattr("netgiven.analysis.intervals.NUMBERS", 3 * 3**2)
    monkeypatch.setattr("netgiven.analysis.active_learning.NUMBERS", 70)
    assert np.allclose(score_pairs(objective, pool, "v-optimal"), whole)


@pytest.fixture
def embedding():
    company = ng.datasets.company(people=60)
    unobserved = company.nodes[free_pairs(company)[::5].ravel()].to_numpy().reshape(-1, 2)
    return ng.embed(company.with_unobserved(unobserved), dimensions=2, reach=2, shrinkage=0.5)


def test_unobserved_pairs_are_the_pool_of_an_embedding(embedding):
    table = embedding.ask(count=7)
    assert list(table.columns) == ["u", "v", "probability", "score"]
    numbers = embedding.network.numbers(table["u"]), embedding.network.numbers(table["v"])
    assert not embedding.network.are_observed(*numbers).any()
    assert np.allclose(embedding.probabilities(table[["u", "v"]]), table["probability"])


def test_the_command(embedding, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    embedding.save("x.ng")
    assert run_command("ask", "x.ng", "--strategy", "entropy", "--top", "3") == 0
    assert len(capsys.readouterr().out.splitlines()) == 4
    table = embedding.ask(count=4)
    table[["u", "v"]].to_csv("pool.tsv", sep="\t", index=False, header=False)
    assert run_command("ask", "x.ng", "--pool", "pool.tsv", "--out", "asked.tsv") == 0
    assert len((tmp_path / "asked.tsv").read_text().splitlines()) == 5


def test_bad_input_is_an_error(embedding, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    embedding.save("x.ng")
    u, v = embedding.nodes[0], embedding.network.neighbours(embedding.nodes[0])[0]
    (tmp_path / "linked.tsv").write_text(f"{u}\t{v}\n")
    for words, message in [
        (["--strategy", "guess"], "The strategy 'guess' was given"),
        (["--top", "0"], "A count of 0 was given"),
        (["--pool", "linked.tsv"], "are linked already"),
        (["--header"], "give --pool"),
    ]:
        assert run_command("ask", "x.ng", *words) == 2
        assert message in capsys.readouterr().err
    with pytest.raises(ng.InputError, match="paired with itself in the pool"):
        embedding.ask([(u, u)])
    with pytest.raises(ng.InputError, match="The pool is empty"):
        ask(embedding.objective, np.empty((0, 2), dtype=np.int64))
    plain = ng.embed(ng.datasets.company(people=50), dimensions=2, reach=2, shrinkage=0.5)
    with pytest.raises(ng.InputError, match="no pair is unobserved"):
        plain.ask()


def test_where_observed_pairs_are_listed_the_pool_is_all_others(monkeypatch):
    company = ng.datasets.company(people=50)
    known = company.nodes[free_pairs(company)[::4].ravel()].to_numpy().reshape(-1, 2)
    embedding = ng.embed(company.with_observed(known), dimensions=2, reach=2, shrinkage=0.5)
    everything = embedding.ask(strategy="probability", count=10_000)
    numbers = [company.numbers(everything[end]) for end in ("u", "v")]
    assert len(everything) == company.with_observed(known).unobserved_count
    assert not company.with_observed(known).are_observed(*numbers).any()
    monkeypatch.setattr("netgiven.embedding.MAX_UNOBSERVED_POOL", 100)
    with pytest.raises(ng.InputError, match=r"pairs are unobserved\. Give the pairs"):
        embedding.ask()
