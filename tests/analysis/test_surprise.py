"""Surprise: the bits of pairs and nodes are those of a loop over all links, and odds are written as they are."""

import itertools
import math
import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import netgiven as ng
from netgiven.analysis import surprise
from netgiven.analysis.surprise import odds_in_words, pair_surprise, sort_by_surprise
from tests.helpers import run_command
from tests.strategies import networks

PROBABILITIES = st.floats(0, 1)
KNOWN = st.sampled_from(["density", "degrees", "degrees+blocks:type"])


def placed(network, given, seed):
    """An embedding at random positions: what is computed from them does not depend on a fit."""
    embedding = ng.embed(network, given, dimensions=2, reach=2.0, shrinkage=1.0, max_steps=1)
    random = np.random.default_rng(seed)
    return replace(embedding, positions=random.normal(size=embedding.shape).astype(np.float32))


def bits_of_links(embedding):
    links, _ = embedding.network.to_pandas()
    found = {}
    for u, v in zip(links["source"], links["target"], strict=True):
        share = embedding.probability(u, v)
        found[u, v] = -math.log2(share) if share else math.inf
    return found


@given(networks(), KNOWN, st.integers(0, 99), st.integers(1, 12))
def test_surprising_links_are_those_of_a_loop_over_all_links(network, known, seed, count):
    embedding = placed(network, known, seed)
    bits = bits_of_links(embedding)
    table = embedding.surprising_links(count)
    assert list(table.columns) == ["u", "v", "probability", "prior", "lift", "surprise"]
    assert np.allclose(table["surprise"], sorted(bits.values(), reverse=True)[:count])
    assert np.allclose(table["surprise"], [bits[pair] for pair in zip(table["u"], table["v"], strict=True)])
    assert np.allclose(table["surprise"], pair_surprise(True, table["probability"]))


@given(networks(), KNOWN, st.integers(0, 99))
def test_by_lift_the_most_lowered_come_first(network, known, seed):
    embedding = placed(network, known, seed)
    table = embedding.surprising_links(1000, by="lift")
    assert len(table) == network.link_count
    assert np.all(np.diff(table["lift"]) >= -1e-12)
    assert np.allclose(table["lift"], table["probability"] / table["prior"])


@given(networks(), KNOWN, st.integers(0, 99))
def test_the_surprise_of_a_node_is_the_mean_of_its_links(network, known, seed):
    embedding = placed(network, known, seed)
    bits, found = bits_of_links(embedding), embedding.node_surprise()
    assert list(found.index) == list(network.nodes) and found.name == "surprise"
    for node in network.nodes:
        own = [value for pair, value in bits.items() if node in pair]
        assert math.isnan(found[node]) if not own else found[node] == pytest.approx(np.mean(own))
        table = embedding.surprising_links(1000, node=node)
        assert table["surprise"].tolist() == pytest.approx(sorted(own, reverse=True))
        assert sorted(table["node"]) == sorted(network.neighbours(node))


@given(networks(least=3), KNOWN, st.integers(0, 99))
def test_surprise_of_all_pairs_is_minus_the_log_likelihood(network, known, seed):
    embedding = placed(network, known, seed)
    first, second = np.array(list(itertools.combinations(range(len(network)), 2))).T
    shares = embedding.probabilities(np.column_stack([first, second]))
    total = pair_surprise(network.are_linked(first, second), shares).sum()
    assert total * math.log(2) == pytest.approx(-embedding.log_likelihood, abs=1e-3, rel=1e-4)


def test_batches_change_nothing(monkeypatch):
    embedding = placed(ng.datasets.company(people=40), "degrees", 1)
    links, nodes = embedding.surprising_links(1000), embedding.node_surprise()
    monkeypatch.setattr(surprise, "LINKS_AT_ONCE", 7)
    assert embedding.surprising_links(1000).equals(links) and embedding.node_surprise().equals(nodes)


def test_a_link_that_the_prior_excludes_is_infinitely_surprising():
    halves = ng.Network.from_edges([("a", "x"), ("b", "y"), ("a", "y")], {"node": list("abxy"), "side": list("llrr")})
    embedding = ng.embed(halves, "blocks:side", dimensions=1, reach=1.0, shrinkage=1.0)
    linked = ng.Network.from_edges([("a", "x"), ("b", "y"), ("a", "b")], {"node": list("abxy"), "side": list("llrr")})
    other = replace(embedding, network=linked)
    row = other.surprising_links(1).iloc[0]
    assert (row["u"], row["v"], row["surprise"], row["prior"]) == ("a", "b", math.inf, 0) and math.isnan(row["lift"])
    assert len(other.surprising_links(by="lift")) == 3
    assert other.node_surprise()["a"] == math.inf


def test_a_planted_link_across_cliques_is_first():
    cliques = [(i, j) for i in range(40) for j in range(i) if i % 2 == j % 2]
    network = ng.Network.from_edges([*cliques, (7, 12)])
    embedding = ng.embed(network, dimensions=2, reach=2.0, shrinkage=0.1)
    assert embedding.surprising_links(1)[["u", "v"]].to_numpy().tolist() == [[7, 12]]
    assert embedding.surprising_links(1, "lift")[["u", "v"]].to_numpy().tolist() == [[7, 12]]
    assert set(embedding.node_surprise().nlargest(2).index) == {7, 12}


@given(st.lists(st.tuples(st.booleans(), PROBABILITIES), min_size=1))
def test_bits_of_pairs_give_back_their_probabilities(pairs):
    linked, shares = map(np.array, zip(*pairs, strict=True))
    bits = pair_surprise(linked, shares)
    assert np.all(bits >= 0) and not np.signbit(bits).any()
    assert np.allclose(np.exp2(-bits), np.where(linked, shares, 1 - shares))
    table = sort_by_surprise(pd.DataFrame({"probability": shares}), linked)
    assert table["surprise"].tolist() == sorted(bits, reverse=True)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda one: one.surprising_links(0), "count = 0"),
        (lambda one: one.surprising_links(by="lifft"), "Did you mean 'lift'|'surprise' or 'lift'"),
        (lambda one: one.surprising_links(node="nobody"), "no node"),
        (lambda _: pair_surprise(True, [0.5, 1.5]), "probability of 1.5"),
        (lambda _: pair_surprise(True, math.nan), "probability of nan"),
        (lambda _: sort_by_surprise(pd.DataFrame({"u": [1]}), True), "column 'probability'"),
        (lambda _: odds_in_words(2, 0.5), "probability of 2"),
        (lambda _: odds_in_words(0.5, math.nan), "probability of nan"),
    ],
)
def test_wrong_calls_are_refused(call, message):
    with pytest.raises(ng.InputError, match=message):
        call(placed(ng.datasets.company(people=10), "density", 0))


@pytest.mark.parametrize(
    ("probability", "prior", "words"),
    [
        (0.00025, 0.000025, "one in 4,000; 10 times what degrees alone say"),
        (0.25, 0.25, "25 %; as degrees alone say"),
        (0.0025, 0.005, "one in 400; 0.5 times what degrees alone say"),
        (1.0, 0.5, "certain; 2 times what degrees alone say"),
        (1.0, 1.0, "certain; as degrees alone say"),
        (0.0, 0.0, "impossible; as degrees alone say"),
        (0.0, 0.02, "impossible; degrees alone say one in 50"),
        (0.02, 0.0, "one in 50; degrees alone exclude it"),
        (0.9995, 0.9995, "all but one in 2,000; as degrees alone say"),
    ],
)
def test_odds_are_written(probability, prior, words):
    assert odds_in_words(probability, prior, "degrees") == words
    assert odds_in_words(probability, prior) == re.sub(r"degrees alone (\w+)", r"the prior alone \1s", words)


@given(PROBABILITIES, PROBABILITIES)
def test_odds_in_words_are_those_given(probability, prior):
    words = odds_in_words(probability, prior)
    assert words.count(";") == 1 and "e+" not in words and "nan" not in words
    if number := re.match(r"one in ([\d,]+);", words):
        assert 1 / float(number[1].replace(",", "")) == pytest.approx(probability, rel=0.06)
    if number := re.match(r"(\d+)%;", words):
        assert float(number[1]) / 100 == pytest.approx(probability, abs=0.0051)
    if number := re.search(r"; ([\d.,]+) times", words):
        assert float(number[1].replace(",", "")) * prior == pytest.approx(probability, rel=0.06)
    if number := re.search(r"; 1/([\d,]+) of", words):
        assert prior / float(number[1].replace(",", "")) == pytest.approx(probability, rel=0.06)


def test_the_command_lists_surprising_links(tmp_path, capsys):
    embedding = placed(ng.datasets.company(people=40), "degrees", 1)
    embedding.save(tmp_path / "company.ng")
    assert run_command("predict", tmp_path / "company.ng", "--surprising", "--top", 3) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "u\tv\tprobability\tprior\tlift\tsurprise" and len(lines) == 4
    target = tmp_path / "links.csv"
    assert run_command("predict", tmp_path / "company.ng", "--surprising", "--node", "person 003", "--out", target) == 0
    written, expected = pd.read_csv(target), embedding.surprising_links(10, node="person 003")
    assert written["node"].tolist() == expected["node"].tolist()
    assert np.allclose(written["surprise"], expected["surprise"])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--node", "person 001", "--among", "department=sales"), "goes with --node, --top and --out only"),
        (("--node", "person 001", "--node", "person 002"), "takes one --node"),
    ],
)
def test_the_command_refuses_what_does_not_go_with_it(tmp_path, capsys, options, message):
    placed(ng.datasets.company(people=10), "density", 0).save(tmp_path / "company.ng")
    assert run_command("predict", tmp_path / "company.ng", "--surprising", *options) == 2
    assert message in capsys.readouterr().err
