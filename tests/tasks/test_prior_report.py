"""Prior reports: numbers agree with sums over all pairs."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from sklearn.metrics import roc_auc_score

import netgiven as ng
from netgiven.splits import hide_links
from netgiven.tasks import prior_report
from netgiven.tasks.prior_report import auc_of_prior, compare_priors, describe_prior, draw_comparison, draw_degrees
from tests.strategies import networks

SUM = "degrees+blocks:department+homophily:project"
FAST = {"settings": ng.Settings(dimensions=3, reach=2.0, shrinkage=0.0, max_steps=30), "threads": 1}


@pytest.fixture(scope="module")
def company():
    return ng.datasets.company(people=80)


def all_pairs(network, prior):
    """Which pairs are links, and the log-odds of each."""
    first, second = np.triu_indices(network.node_count, 1)
    return network.to_scipy().toarray()[first, second] > 0, prior.log_odds_of(first, second)


def bits(network, prior):
    """log2 P of the network, pair by pair."""
    truth, z = all_pairs(network, prior)
    known = np.where(truth, z, -z)
    return -np.logaddexp(0, -known).sum() / np.log(2)


def entropy(network, prior):
    p = 1 / (1 + np.exp(-all_pairs(network, prior)[1]))
    return -sum(np.where(q > 0, q * np.log2(np.where(q > 0, q, 1)), 0).sum() for q in (p, 1 - p))


@pytest.mark.parametrize("text", ["density", "degrees", "blocks:project", SUM, "degrees+common_neighbours"])
def test_numbers_are_sums_over_all_pairs(company, text):
    report = describe_prior(company, text)
    prior = ng.parse_knowledge(text).fit(company)
    base = bits(company, ng.density().fit(company))
    truth, z = all_pairs(company, prior)
    p = 1 / (1 + np.exp(-z))
    first, second = np.triu_indices(company.node_count, 1)
    assert report.knowledge == prior.knowledge
    assert report.bits == pytest.approx(bits(company, prior) / company.link_count)
    assert report.bits_explained == pytest.approx((bits(company, prior) - base) / company.link_count, abs=1e-9)
    assert report.entropy == pytest.approx(entropy(company, prior))
    assert report.auc == pytest.approx(roc_auc_score(truth, z.clip(-999, 999).round(9)), abs=1e-12)
    assert np.allclose(report.expected_degrees, np.bincount(first, p, 80) + np.bincount(second, p, 80))
    assert report.observed_degrees.tolist() == company.degrees.tolist()
    assert report.constraints.equals(prior.constraints())


def test_contributions_are_the_bits_lost_without_each_kind(company):
    lines = []
    contributions = describe_prior(company, SUM, lines.append).contributions.set_index("kind")["bits_lost"]
    whole = bits(company, ng.parse_knowledge(SUM).fit(company))
    for kind, others in {
        "degrees": "blocks:department+homophily:project",
        "blocks:department": "degrees+homophily:project",
        "homophily:project": "degrees+blocks:department",
    }.items():
        lost = (whole - bits(company, ng.parse_knowledge(others).fit(company))) / company.link_count
        assert contributions[kind] == pytest.approx(lost, rel=1e-6) and lost > 0.01
    assert lines[0].startswith("fitting degrees+blocks") and "leaving out homophily:project" in lines


def test_redundant_knowledge_has_a_note(company):
    report = describe_prior(company, "density+degrees+blocks:project+homophily:project")
    redundant = ("density", "homophily:project")
    assert report.notes == [f"{kind} adds nothing to the other kinds of knowledge" for kind in redundant]


def test_bits_are_counted_from_the_number_of_links(company):
    """Without the number of links, half of all pairs would be linked, so it has no contribution."""
    report = describe_prior(company, "homophily:project")
    lost = report.contributions.set_index("kind")["bits_lost"]
    assert np.isnan(lost["density"]) and report.notes == []
    assert lost["homophily:project"] == pytest.approx(report.bits_explained)


def test_one_kind_has_no_contributions(company):
    assert len(describe_prior(company, "degrees").contributions) == 0


@given(networks())
def test_any_network_is_described(network):
    report = describe_prior(network, "degrees+blocks:type")
    prior = ng.parse_knowledge("degrees+blocks:type").fit(network)
    truth, _ = all_pairs(network, prior)
    assert np.isnan(report.auc) if truth.all() or not truth.any() else report.auc >= 0.5
    assert report.bits_explained >= -1e-9 and report.entropy >= 0
    assert (report.contributions["bits_lost"] >= 0).all()


def test_a_sample_of_pairs_is_near_all_of_them(company, monkeypatch):
    prior = ng.degrees().fit(company)
    exact = auc_of_prior(company, prior)
    monkeypatch.setattr(prior_report, "MAX_EXACT_PAIRS", 0)
    monkeypatch.setattr(prior_report, "SAMPLED_PAIRS", 1000)
    assert auc_of_prior(company, prior) == auc_of_prior(company, prior) != exact
    assert auc_of_prior(company, prior) == pytest.approx(exact, abs=0.03)


def test_learned_and_fitted_priors_are_described(company):
    learned = describe_prior(company, ng.degrees().learn(company))
    fitted = describe_prior(company, ng.degrees().fit(company))
    assert learned.auc == fitted.auc == describe_prior(company).auc
    assert len(learned.constraints) == len(learned.contributions) == len(fitted.contributions) == 0
    assert learned.bits_explained == pytest.approx(fitted.bits_explained)


def test_an_unmet_constraint_has_a_note(company):
    report = describe_prior(company, "degrees")
    report.constraints["largest_relative_error"] = 0.5
    assert "degrees is not met" in report.notes[0]


def test_priors_are_compared(company):
    lines = []
    texts = ["density", "degrees", SUM]
    table = compare_priors(company, texts, log=lines.append, **FAST)
    reports = [describe_prior(company, text) for text in texts]
    assert lines[2:4] == ["2 of 3: degrees", "2 of 3: the embedding"]
    assert sorted(table["given"]) == sorted(report.knowledge for report in reports)
    table = table.set_index("given").loc[[report.knowledge for report in reports]]
    for name in ("entropy", "bits_explained", "auc"):
        assert np.allclose(table[name], [getattr(report, name) for report in reports], atol=1e-12)
    assert table["constraints"].tolist() == [report.constraints["constraints"].sum() for report in reports]
    assert (table["largest_relative_error"] < 1e-8).all()
    assert np.allclose(table["bits_total"], table["bits_explained"] + table["bits_added"])


def test_priors_are_ranked_by_links_that_they_have_not_seen():
    """Groups of nodes that say nothing about links: given them, a prior explains more and predicts less."""
    random = np.random.default_rng(0)
    activity = random.normal(-1.2, 0.8, 120)
    first, second = np.triu_indices(120, 1)
    linked = random.random(len(first)) < 1 / (1 + np.exp(-activity[first] - activity[second]))
    nodes = {"node": range(120), "noise": random.integers(30, size=120).astype(str)}
    network = ng.Network.from_edges(np.column_stack([first, second])[linked], nodes)
    table = compare_priors(network, ["degrees+blocks:noise", "degrees", "density"], embed=False)
    assert table["given"].tolist() == ["degrees", "degrees+blocks:noise", "density"]
    assert table["bits_explained"][1] > table["bits_explained"][0] + 0.2
    assert table["held_out_auc"][1] < table["held_out_auc"][0] - 0.02
    assert table["held_out_auc"].is_monotonic_decreasing


def test_held_out_links_are_compared_with_all_other_pairs(company):
    table = compare_priors(company, ["degrees", ng.degrees().fit(company)], embed=False)
    first, second = np.triu_indices(company.node_count, 1)
    free = np.column_stack([first, second])[~company.are_linked(first, second)]
    found = []
    for seed in range(3):
        split = hide_links(company, 0.2, seed, split="random")
        pairs = np.concatenate([split.hidden, free])
        z = ng.degrees().fit(split.train).log_odds_of(*pairs.T).clip(-999, 999).round(9)
        found.append(roc_auc_score(np.arange(len(pairs)) < len(split.hidden), z))
    assert table["held_out_auc"][0] == pytest.approx(np.mean(found), abs=1e-12)
    assert np.isnan(table["held_out_auc"][1])  # it has seen the links


def test_an_embedding_adds_what_its_likelihood_says(company):
    table = compare_priors(company, ["degrees"], **FAST)
    embedding = ng.embed(company, "degrees", dimensions=3, reach=2.0, shrinkage=0.0, max_steps=30, threads=1)
    truth = all_pairs(company, embedding.prior)[0]
    z = embedding.log_odds_of(*np.triu_indices(company.node_count, 1))
    gained = -np.logaddexp(0, np.where(truth, -z, z)).sum() / np.log(2) - bits(company, embedding.prior)
    assert table["bits_added"][0] == pytest.approx(gained / company.link_count, rel=1e-4)


def test_the_same_comparison_twice(company):
    once, again = (compare_priors(company, [ng.density(), ng.degrees()], **FAST) for _ in range(2))
    pd.testing.assert_frame_equal(once, again, check_exact=True)


def test_without_embeddings(company):
    assert "bits_added" not in compare_priors(company, ["density"], embed=False)


@pytest.mark.parametrize(
    ("priors", "settings", "message"),
    [
        ("degrees", {}, "a list is needed"),
        ([], {}, "a list is needed"),
        (["weather"], {}, "no kind of knowledge"),
        (["degrees"], {"settings": ng.Settings(reach=2.0)}, "give a number"),
    ],
)
def test_bad_comparisons_are_errors(company, priors, settings, message):
    with pytest.raises(ng.InputError, match=message):
        compare_priors(company, priors, **settings)


@pytest.fixture(scope="module")
def report_and_table(company):
    return describe_prior(company, "density"), compare_priors(company, ["density", SUM], **FAST)


@pytest.mark.parametrize("ending", ["png", "svg", "pdf"])
def test_the_same_picture_is_the_same_file(tmp_path, report_and_table, ending):
    report, table = report_and_table
    for draw, what in ((draw_degrees, report), (draw_comparison, table)):
        paths = [tmp_path / f"{draw.__name__}{number}.{ending}" for number in (1, 2)]
        for path in paths:
            draw(what, path)
        assert paths[0].read_bytes() == paths[1].read_bytes()


def test_isolated_nodes_and_empty_networks_are_drawn(tmp_path):
    alone = ng.Network.from_edges([("a", "b")], nodes=["a", "b", "c"])
    empty = ng.Network.from_edges([], nodes=["a", "b"])
    for number, network in enumerate((alone, empty)):
        draw_degrees(describe_prior(network, "density"), tmp_path / f"{number}.png")
        assert (tmp_path / f"{number}.png").stat().st_size > 1000


def test_losses_and_strange_names_are_drawn(tmp_path):
    table = pd.DataFrame({"given": ["blocks:$a$_b", "x"], "bits_explained": [-1.0, 0.5], "bits_added": [2.0, np.nan]})
    draw_comparison(table, tmp_path / "x.svg")
    assert "given" in (tmp_path / "x.svg").read_text()


def test_other_endings_are_errors(tmp_path, company):
    with pytest.raises(ng.InputError, match=r"\.png, \.svg or \.pdf"):
        draw_degrees(describe_prior(company), tmp_path / "x.doc")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("which", ["with_unobserved", "with_observed"])
def test_a_report_is_about_observed_pairs(company, which):
    first, second = np.triu_indices(company.node_count, 1)
    free = np.column_stack([first, second])[~company.are_linked(first, second)][::3]
    network = getattr(company, which)(company.nodes[free.ravel()].to_numpy().reshape(-1, 2))
    report, prior = describe_prior(network, "degrees"), ng.degrees().fit(network)
    known = network.are_observed(first, second)
    truth, z = network.are_linked(first, second)[known], prior.log_odds_of(first, second)[known]
    assert report.unobserved == np.count_nonzero(~known)
    assert report.expected_degrees.sum() / 2 == pytest.approx((1 / (1 + np.exp(-z))).sum(), rel=1e-3)
    softplus = np.logaddexp(0, np.where(truth, -z, z)).sum() / np.log(2)
    assert report.bits == pytest.approx(-softplus / network.link_count, rel=1e-3)
    assert report.auc == pytest.approx(roc_auc_score(truth, z), abs=1e-6)
    assert report.notes == [f"degrees is met approximately, because {report.unobserved:,} pairs are unobserved"]
