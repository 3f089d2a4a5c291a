"""Fairness: numbers agree with sums over all pairs and with the cross-validation of scikit-learn."""

import re
from dataclasses import replace
from itertools import combinations_with_replacement
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import PredefinedSplit, cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import StandardScaler

import netgiven as ng
from netgiven.analysis import group_measures
from netgiven.analysis.group_measures import Groups, mean_probabilities, predict_groups, stratified_folds
from netgiven.splits import hide_links
from netgiven.tasks import fairness
from tests.strategies import networks

FIXED = {"dimensions": 4, "reach": 2, "shrinkage": 0.0, "threads": 1}
DEBIASED = {"train_given": "group_degrees:department", "predict_given": "degrees"}


@pytest.fixture(scope="module")
def split():
    return hide_links(ng.datasets.company(people=120), share=0.2)


@pytest.fixture(scope="module")
def before(split):
    return ng.embed(split.train, "degrees", **FIXED)


@pytest.fixture(scope="module")
def after(split):
    return ng.embed(split.train, **DEBIASED, **FIXED)


@pytest.fixture(scope="module")
def hidden(split):
    return split.train.nodes.to_numpy()[split.hidden]


def at_random(network, given="degrees", seed=0):
    """An embedding with random positions."""
    places = np.random.default_rng(seed).normal(size=(network.node_count, 2)).astype(np.float32)
    return replace(ng.embed(network, given, max_steps=1, **(FIXED | {"dimensions": 2})), positions=places)


def all_pairs(embedding, column):
    """One row per pair: the values of its nodes in order, its probability, and whether it is a link."""
    first, second = np.triu_indices(len(embedding), 1)
    values = embedding.network.columns[column].to_numpy()
    ends = [tuple(sorted(map(str, pair))) for pair in zip(values[first], values[second], strict=True)]
    names = list(zip(embedding.nodes[first], embedding.nodes[second], strict=True))
    table = pd.DataFrame({"cell": ends, "p": embedding.probabilities(names)})
    table["same"] = [group == other for group, other in ends]
    table["link"] = embedding.network.to_scipy().toarray()[first, second] > 0
    return table.assign(first=first, second=second)


def by_cell(report, name, measure):
    rows = report.group_pairs[report.group_pairs["embedding"] == name]
    return {(str(row.group), str(row.other)): getattr(row, measure) for row in rows.itertuples()}


def test_parity_and_opportunity_are_means_over_all_pairs(before, after):
    report = ng.fairness({"before": before, "after": after}, "department")
    for name, embedding in (("before", before), ("after", after)):
        pairs, row = all_pairs(embedding, "department"), report.table.loc[name]
        cells = pairs.groupby("cell")["p"]
        links = pairs[pairs["link"]]
        opportunity = links.groupby("cell")["p"].mean()
        assert by_cell(report, name, "probability") == pytest.approx(cells.mean().to_dict())
        assert by_cell(report, name, "pairs") == cells.size().to_dict()
        assert by_cell(report, name, "links") == links.groupby("cell").size().to_dict()
        assert by_cell(report, name, "opportunity") == pytest.approx(opportunity.to_dict())
        same, different = (pairs.loc[pairs["same"] == kind, "p"].mean() for kind in (True, False))
        wanted = {
            "probability": pairs["p"].mean(),
            "probability_same": same,
            "probability_different": different,
            "parity_gap": same - different,
            "parity_gap_error": 0.0,
            "parity_spread": cells.mean().max() - cells.mean().min(),
            "parity_ratio": cells.mean().min() / cells.mean().max(),
            "opportunity_same": links.loc[links["same"], "p"].mean(),
            "opportunity_different": links.loc[~links["same"], "p"].mean(),
            "opportunity_gap": links.loc[links["same"], "p"].mean() - links.loc[~links["same"], "p"].mean(),
            "opportunity_spread": opportunity.max() - opportunity.min(),
        }
        assert row[list(wanted)].to_dict() == pytest.approx(wanted)
    assert not report.sampled and report.left_out == 0 and report.hidden == 0
    assert report.sizes == [24] * 5 and report.groups[0] == "design"


def test_some_rows_at_a_time_are_all_rows(before, monkeypatch):
    whole = ng.fairness(before, "department").group_pairs
    monkeypatch.setattr(group_measures, "PAIRS_AT_ONCE", 250)
    assert np.allclose(ng.fairness(before, "department").group_pairs["probability"], whole["probability"], rtol=1e-12)


def test_hidden_links(split, before, hidden):
    report = ng.fairness({"before": before}, "department", hidden)
    pairs = all_pairs(before, "department").set_index(["first", "second"])
    places = pd.MultiIndex.from_arrays(np.sort(split.hidden, axis=1).T)
    found = pairs.loc[places]
    assert report.hidden == len(hidden) == found.shape[0]
    assert by_cell(report, "before", "opportunity") == pytest.approx(found.groupby("cell")["p"].mean().to_dict())
    assert report.table["opportunity_same"].iloc[0] == pytest.approx(found.loc[found["same"], "p"].mean())
    open_pairs = pairs[~pairs["link"]].assign(truth=False)
    open_pairs.loc[places, "truth"] = True  # so few nodes that all others are compared
    for name, kind in (
        ("link_auc", open_pairs["p"] >= 0),
        ("link_auc_same", open_pairs["same"]),
        ("link_auc_different", ~open_pairs["same"]),
    ):
        wanted = roc_auc_score(open_pairs.loc[kind, "truth"], open_pairs.loc[kind, "p"])
        assert report.table[name].iloc[0] == pytest.approx(wanted, abs=1e-9)


def test_pairs_may_come_twice_and_in_any_direction(before, hidden):
    once = ng.fairness(before, "department", hidden)
    assert ng.fairness(before, "department", [*hidden[:, ::-1], *hidden]).table.equals(once.table)


def test_groups_are_predicted_as_by_scikit_learn(before):
    row = ng.fairness(before, "department").table.iloc[0]
    codes, _ = before.network.groups("department")
    folds = PredefinedSplit(stratified_folds(codes))
    vectors = before.positions.astype(np.float64)
    scaled = StandardScaler().fit_transform(vectors)
    assert np.bincount(stratified_folds(codes)).tolist() == [24] * 5
    for name, model, x in (
        ("logistic", LogisticRegression(max_iter=1000), scaled),
        ("neighbours", KNeighborsClassifier(10), vectors),
        ("forest", RandomForestClassifier(30, max_samples=96, random_state=0), vectors),
    ):
        assert row[f"{name}_accuracy"] == pytest.approx(cross_val_score(model, x, codes, cv=folds).mean())
        wanted = cross_val_score(model, x, codes, cv=folds, scoring="roc_auc_ovr").mean()
        assert row[f"{name}_auc"] == pytest.approx(wanted, abs=1e-6)
    assert row["baseline_accuracy"] == 0.2


def test_debiasing_hides_the_attribute_and_lowers_the_auc(before, after, hidden):
    table = ng.fairness({"before": before, "after": after}, "department", hidden).table
    assert table.loc["before", "logistic_accuracy"] > 0.8 and table.loc["after", "logistic_accuracy"] < 0.3
    assert table.loc["before", "neighbours_accuracy"] > 0.8 and table.loc["after", "neighbours_accuracy"] < 0.3
    assert table.loc["before", "parity_gap"] > 0.1 > 0.02 > abs(table.loc["after", "parity_gap"])
    assert table.loc["after", "link_auc"] < table.loc["before", "link_auc"] - 0.05
    for kind in ("link_auc_same", "link_auc_different"):
        assert table.loc["after", kind] > table.loc["before", kind] - 0.06  # two standard errors of so few links


def test_communities_inside_groups_still_show_the_group():
    """Training given group degrees removes the means of groups, not where the communities of each group are."""
    drawn = ng.datasets.planted(300, 4_000, communities=6)
    side = np.where(drawn.community % 2, "left", "right")
    network = drawn.network.with_columns(pd.DataFrame({"side": side}))
    report = ng.fairness(
        {"after": ng.embed(network, train_given="group_degrees:side", predict_given="degrees", **FIXED)}, "side"
    )
    row = report.table.loc["after"]
    assert row["logistic_accuracy"] < row["baseline_accuracy"] + 0.1
    assert min(row["neighbours_accuracy"], row["forest_accuracy"]) > row["baseline_accuracy"] + 0.2
    assert report.notes[-1].startswith("after: the vectors show side, correctly for ")


def test_a_group_that_no_classifier_reads():
    network = ng.datasets.company(people=200)
    coin = np.random.default_rng(0).permutation(np.repeat(["heads", "tails"], 100))
    report = ng.fairness(at_random(network.with_columns(pd.DataFrame({"coin": coin}))), "coin")
    assert report.notes[-1] == "degrees: none of three classifiers reads coin from the vectors; others may"


@given(networks(least=4), st.integers(0, 9))
def test_means_of_cells_add_up_to_the_mean_of_all_pairs(network, seed):
    assume(network.columns["type"].nunique() > 1)
    embedding = at_random(network, "density", seed)
    with patch.object(group_measures, "TREES", 2):
        report = ng.fairness(embedding, "type")
    cells = report.group_pairs[report.group_pairs["pairs"] > 0]
    probabilities = all_pairs(embedding, "type")["p"]
    assert cells["pairs"].sum() == len(probabilities)
    assert np.average(cells["probability"], weights=cells["pairs"]) == pytest.approx(probabilities.mean())
    assert report.table["probability"].iloc[0] == pytest.approx(probabilities.mean())
    assert cells["links"].sum() == network.link_count
    predicted = report.table.filter(regex="accuracy|(logistic|neighbours|forest)_auc").to_numpy()
    assert ((predicted >= 0) & (predicted <= 1) | np.isnan(predicted)).all()


@given(networks(least=4), st.permutations("abc"))
def test_renaming_groups_moves_rows(network, names):
    assume(network.columns["type"].nunique() > 1)
    embedding = at_random(network)
    other = dict(zip("abc", names, strict=True))
    renamed = network.with_columns(network.columns[["type"]].replace(other))
    with patch.object(group_measures, "TREES", 2):
        one, two = ng.fairness(embedding, "type"), ng.fairness(replace(embedding, network=renamed), "type")
    for measure in ("pairs", "probability", "links", "opportunity"):
        before, after = (by_cell(report, "degrees", measure) for report in (one, two))
        moved = {tuple(sorted((other[group], other[last]))): value for (group, last), value in before.items()}
        assert after == pytest.approx(moved, nan_ok=True)
    same = [
        name for name in one.table if not re.search("accuracy|(logistic|neighbours|forest)_auc", name)
    ]  # folds are dealt group by group
    assert one.table[same].iloc[0].to_dict() == pytest.approx(two.table[same].iloc[0].to_dict(), nan_ok=True)


def test_parity_without_homophily():
    """A network that was drawn without groups has parity, up to noise."""
    network = ng.datasets.company(people=150)
    drawn = ng.degrees().fit(network).sample(seed=3)
    drawn = drawn.with_columns(network.columns)
    report = ng.fairness(ng.embed(drawn, "degrees", **FIXED), "department")
    row = report.table.iloc[0]
    cell = report.group_pairs.set_index(["group", "other"])
    noise = 1 / np.sqrt(cell["links"].sum())  # relative, of a number of links
    assert abs(row["parity_gap"]) < 4 * noise * row["probability"]
    assert abs(row["logistic_auc"] - 0.5) < 0.12  # four standard errors of 150 nodes
    assert row["neighbours_accuracy"] < 0.2 + 4 * np.sqrt(0.2 * 0.8 / 150)


def test_a_sample_agrees_within_its_standard_error(before, monkeypatch):
    codes, values = before.network.groups("department")
    groups = Groups(np.where(np.arange(len(codes)) % 10 == 0, -1, codes), values)
    exact = mean_probabilities(before, groups)
    assert not exact.error.any()
    monkeypatch.setattr(group_measures, "MAX_EXACT_PAIRS", 100)
    monkeypatch.setattr(group_measures, "SAMPLED_PAIRS", 15_000)
    deviations = []
    for seed in range(40):
        drawn = mean_probabilities(before, groups, seed)
        assert drawn.pairs.tolist() == exact.pairs.tolist()
        deviations.append((drawn.mean - exact.mean) / drawn.error)
    assert 0.85 < np.std(deviations) < 1.15  # in units of the standard error
    assert np.abs(np.mean(deviations, axis=0)).max() < 4 / np.sqrt(40)


def test_a_large_network_is_sampled(before, monkeypatch):
    for module in (fairness, group_measures):
        monkeypatch.setattr(module, "MAX_EXACT_PAIRS", 100)
        monkeypatch.setattr(module, "MAX_NODES", 50)
    report, again = (ng.fairness(before, "department") for _ in range(2))
    assert report.sampled and report.table["parity_gap_error"].iloc[0] > 0
    assert report.table.equals(again.table) and report.group_pairs.equals(again.group_pairs)
    assert any("estimated" in note for note in report.notes)
    assert any("50 nodes, drawn" in note for note in report.notes)


def test_groups_that_are_all_linked_need_no_sample(monkeypatch):
    monkeypatch.setattr(group_measures, "MAX_EXACT_PAIRS", 1)
    links = [(i, j) for i in range(6) for j in range(i) if i % 2 == j % 2]
    network = ng.Network.from_edges(links, nodes={"node": range(6), "side": ["a", "b"] * 3})
    embedding = at_random(network, "density")
    report, truth = ng.fairness(embedding, "side"), all_pairs(embedding, "side").groupby("cell")["p"].mean()
    errors, means = (by_cell(report, "density", measure) for measure in ("standard_error", "probability"))
    for cell in (("a", "a"), ("b", "b")):
        assert errors[cell] == 0 and means[cell] == pytest.approx(truth[cell])
    assert means["a", "b"] == pytest.approx(truth["a", "b"], rel=0.01)


def test_groups_of_a_sample_of_nodes_are_predicted(monkeypatch):
    monkeypatch.setattr(group_measures, "MAX_NODES", 40)
    vectors = np.repeat([[0.0, 1.0], [1.0, 0.0]], 500, axis=0)
    assert predict_groups(vectors, np.repeat([0, 1], 500), "neighbours") == (1.0, 1.0)


@pytest.mark.parametrize("classifier", ["logistic", "neighbours"])
def test_constant_vectors_predict_nothing(classifier):
    found = predict_groups(np.zeros((50, 3)), np.arange(50) % 2, classifier)
    assert found.auc == 0.5 and found.accuracy == pytest.approx(0.5)


@pytest.mark.parametrize("sizes", [(1, 1), (2, 1), (1, 30), (3, 3, 1)])
def test_small_groups_are_predicted_without_error(sizes):
    codes = np.repeat(np.arange(len(sizes)), sizes)
    vectors = np.random.default_rng(0).normal(size=(len(codes), 2))
    for classifier in ("logistic", "neighbours"):
        assert 0 <= predict_groups(vectors, codes, classifier).accuracy <= 1


def test_nodes_without_a_value_are_left_out(before, hidden):
    values = before.network.columns["department"].where(np.arange(len(before)) % 4 > 0)
    some = replace(before, network=before.network.with_columns(values.to_frame()))
    report = ng.fairness({"some": some}, "department", hidden)
    pairs = all_pairs(before, "department")
    kept = pairs[(pairs["first"] % 4 > 0) & (pairs["second"] % 4 > 0)]
    assert report.left_out == 30 and sum(report.sizes) == 90
    assert by_cell(report, "some", "probability") == pytest.approx(kept.groupby("cell")["p"].mean().to_dict())
    numbers = before.network.numbers(hidden.ravel()).reshape(-1, 2)
    assert report.hidden == (numbers % 4 > 0).all(axis=1).sum()
    assert any("30 nodes" in note for note in report.notes)


def test_names(before, after):
    debiased = "degrees, trained given group_degrees:department"
    assert ng.fairness([before, after, before], "department").table.index.tolist() == [
        "degrees",
        debiased,
        "3: degrees",
    ]
    assert ng.fairness(before, "department").table.index.tolist() == ["degrees"]


def with_column(embedding, **columns):
    return replace(embedding, network=embedding.network.with_columns(pd.DataFrame(columns)))


def test_bad_attributes_are_errors(before):
    count = len(before)
    odd = with_column(before, age=np.arange(count) / 7, one=["x"] * count, none=[None] * count)
    for attribute, message in {
        "gender": r"degrees: There is no node column 'gender'.*'department'.*table of nodes",
        "one": "'one' has one value only, 'x'; at least two groups",
        "none": "'none' has no values; at least two groups",
        "age": "'age' has 120 values; fairness compares 32 groups at most. .*ranges",
    }.items():
        with pytest.raises(ng.InputError, match=message):
            ng.fairness(odd, attribute)


def test_embeddings_must_be_of_one_network(split, before):
    whole = ng.embed(ng.datasets.company(people=120), "degrees", **FIXED)
    with pytest.raises(ng.InputError, match="one and two are embeddings of different networks"):
        ng.fairness({"one": before, "two": whole}, "department")
    bare = replace(before, network=replace(before.network, columns=before.network.columns[["project"]]))
    with pytest.raises(ng.InputError, match="bare: There is no node column 'department'"):
        ng.fairness({"one": before, "bare": bare}, "department")
    turned = with_column(before, department=before.network.columns["department"][::-1].to_numpy())
    with pytest.raises(ng.InputError, match="different values in column 'department'"):
        ng.fairness({"one": before, "turned": turned}, "department")
    for wrong in ([], [3], {}, "before.ng"):
        with pytest.raises(ng.InputError, match="Embeddings were expected"):
            ng.fairness(wrong, "department")


def test_bad_pairs_are_errors(before, hidden):
    link = before.nodes[before.network.links()[0]].tolist()
    for pairs, message in (
        ([*hidden, link], "are linked in the network that was embedded; .*1 such pair"),
        ([(link[0], link[0])], "are the same node"),
        ([(link[0], "nobody")], "nobody"),
        ([], "No pair was given"),
    ):
        with pytest.raises(ng.InputError, match=message):
            ng.fairness(before, "department", pairs)


@pytest.fixture(scope="module", params=[True, False], ids=["listed", "all"])
def report(request, before, after, hidden):
    return ng.fairness([before, after], "department", hidden if request.param else None)


@pytest.mark.parametrize("ending", ["png", "svg", "pdf"])
def test_the_picture_is_the_same_twice(report, ending, tmp_path):
    paths = [tmp_path / f"{number}.{ending}" for number in range(2)]
    for path in paths:
        report.draw(path)
    assert paths[0].read_bytes() == paths[1].read_bytes() and paths[0].stat().st_size > 5_000


def test_the_picture_has_all_panels(before, after, hidden, tmp_path):
    ng.fairness([before, after], "department", hidden).draw(tmp_path / "x.svg")
    text = Path(tmp_path / "x.svg").read_text()
    for title in ("of all pairs", "of hidden links", "accuracy of department", "AUC on", "logistic regression"):
        assert f"<!-- {title}" in text
    cells = len(list(combinations_with_replacement(range(5), 2)))
    assert text.count("<use ") >= 2 * 2 * cells  # a dot per pair of groups, panel and embedding


def test_a_picture_where_there_is_nothing_to_compare(tmp_path):
    """All pairs that are not links were hidden."""
    links = [(0, 1), (0, 2), (1, 3), (2, 3)]
    network = ng.Network.from_edges(links, nodes={"node": range(4), "side": ["a", "b", "b", "c"]})
    report = ng.fairness(at_random(network, "density"), "side", [(0, 3), (1, 2)])
    assert report.table["link_auc"].isna().all() and np.isnan(by_cell(report, "density", "probability")["a", "a"])
    report.draw(tmp_path / "x.png")
    assert (tmp_path / "x.png").exists()


def test_the_documentation_explains_each_column(before, hidden):
    page = (Path(__file__).parents[2] / "docs" / "fairness.md").read_text(encoding="utf-8")
    rows = [line.split("|")[1] for line in page.splitlines() if line.startswith("| `")]
    documented = " ".join(rows).replace("`_", "`opportunity_")
    for name in ng.fairness(before, "department", hidden).table:
        assert f"`{name}`" in documented
    assert (Path(__file__).parents[2] / "docs" / "pictures" / "fairness" / "company.png").stat().st_size < 80_000
