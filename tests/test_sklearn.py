"""The estimators of netgiven.sklearn: the checks of scikit-learn, and what they promise beyond these."""

import importlib
import inspect
import re
import sys
from pathlib import Path

import networkx
import numpy as np
import pandas as pd
import pytest
import sklearn
from scipy import sparse
from sklearn.base import clone
from sklearn.cluster import KMeans
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import adjusted_rand_score
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

import netgiven as ng
from netgiven.metrics import auc
from netgiven.sklearn import ConditionalEmbedding, LinkPredictor, NodeClassifier, sample_pairs
from netgiven.splits import hide_links

PAGE = (Path(__file__).parent.parent / "docs" / "scikit_learn.md").read_text(encoding="utf-8")
SMALL = {"dimensions": 2, "reach": 2.0, "shrinkage": 0.3, "max_steps": 30, "init": "random"}
DRAWN = ng.datasets.planted(60, 400, communities=2, inside=0.95, seed=1)
NETWORK, COMMUNITY = DRAWN.network, DRAWN.community
ADJACENCY = NETWORK.to_scipy()


# ---- the checks of scikit-learn --------------------------------------------------------------------------------------


class OnlyTransformer(ConditionalEmbedding):
    """Without predict_proba, which is why most checks that are listed for ConditionalEmbedding do not apply to it."""

    @property
    def predict_proba(self):
        raise AttributeError


REASONS = {
    "rows": "a row of the fitted network is a node of it, and a row alone is a new node",
    "pairs": "predict_proba takes pairs of nodes, and the check gives it the adjacency matrix",
    "columns": "a pair has two columns, and X of the check has another number",
    "unknown": "-1 is the class of nodes whose class is unknown",
    "square": "scikit-learn 1.5 gives it no square matrix",
}
ROWS = ["check_methods_sample_order_invariance", "check_methods_subset_invariance"]
PAIRS = [
    "check_n_features_in_after_fitting",
    "check_estimators_dtypes",
    "check_estimator_sparse_array",
    "check_estimator_sparse_matrix",
    "check_estimators_pickle",
    "check_dict_unchanged",
    "check_fit_idempotent",
    "check_fit2d_predict1d",
]
COLUMNS = [
    "check_fit_score_takes_y",
    "check_dont_overwrite_parameters",
    "check_n_features_in_after_fitting",
    "check_positive_only_tag_during_fit",
    "check_estimators_dtypes",
    "check_dtype_object",
    "check_pipeline_consistency",
    "check_estimators_nan_inf",
    "check_estimators_pickle",
    "check_f_contiguous_array_estimator",
    "check_classifiers_one_label",
    "check_supervised_y_2d",
    "check_methods_sample_order_invariance",
    "check_methods_subset_invariance",
    "check_dict_unchanged",
    "check_fit2d_predict1d",
]
SQUARE = [
    "check_classifiers_one_label",
    "check_classifiers_multilabel_representation_invariance",
    "check_classifiers_multilabel_output_format_predict",
    "check_classifiers_multilabel_output_format_predict_proba",
    "check_classifiers_multilabel_output_format_decision_function",
]
IS_OLD = tuple(map(int, sklearn.__version__.split(".")[:2])) < (1, 6)
NOT_APPLICABLE = {
    ConditionalEmbedding: {"rows": ROWS, "pairs": PAIRS},
    OnlyTransformer: {"rows": ROWS},
    LinkPredictor: {"columns": COLUMNS},
    NodeClassifier: {"rows": ROWS, "unknown": ["check_classifiers_classes"], "square": SQUARE if IS_OLD else []},
}
ESTIMATORS = [kind(**{**SMALL, "max_steps": 2}) for kind in NOT_APPLICABLE]


def reasons(estimator):
    found = NOT_APPLICABLE[type(estimator)]
    return {check: REASONS[reason] for reason, checks in found.items() for check in checks}


def with_checks():
    known = inspect.signature(parametrize_with_checks).parameters
    listed = {"expected_failed_checks": reasons, "xfail_strict": True}
    mark = parametrize_with_checks(ESTIMATORS, **{name: value for name, value in listed.items() if name in known})
    return pytest.mark.parametrize(mark.args[0], list(mark.args[1]), **mark.kwargs)  # scikit-learn 1.5 has a generator


@with_checks()
@pytest.mark.filterwarnings("ignore")
def test_checks_of_scikit_learn(estimator, check, monkeypatch):
    for name, value in {"FITS": 1, "MIN_NODES": 10_000}.items():  # one fit in place of five, to save time
        monkeypatch.setattr(f"netgiven.tasks.labels.{name}", value)
    name = getattr(check, "func", check).__name__
    if IS_OLD and name in reasons(estimator):
        pytest.xfail(reasons(estimator)[name])
    check(estimator)


def test_page_lists_the_checks_that_do_not_apply():
    listed = re.findall(r"`(check_\w+)`", PAGE)
    assert set(listed) - {"check_estimator"} == {*ROWS, *PAIRS, *COLUMNS, "check_classifiers_classes"}


def test_a_missing_library_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "sklearn.base", None)
    monkeypatch.delitem(sys.modules, "netgiven.sklearn")
    with pytest.raises(ng.InputError, match=r'pip install "netgiven\[sklearn\]"'):
        importlib.import_module("netgiven.sklearn")


# ---- ConditionalEmbedding --------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def embedded():
    return ConditionalEmbedding(**SMALL).fit(ADJACENCY)


def test_it_is_embed(embedded):
    expected = ng.embed(NETWORK, "degrees", **SMALL)
    np.testing.assert_array_equal(embedded.embedding_, expected.positions)
    pairs = [(0, 1), (5, 9)]
    np.testing.assert_array_equal(embedded.predict_proba(pairs)[:, 1], expected.probabilities(pairs))
    np.testing.assert_allclose(embedded.predict_proba(pairs).sum(axis=1), 1)
    assert embedded.n_features_in_ == 60
    assert list(embedded.get_feature_names_out()) == ["conditionalembedding0", "conditionalembedding1"]


@pytest.mark.parametrize(
    "given",
    [
        ADJACENCY.toarray(),
        ADJACENCY.toarray().tolist(),
        sparse.coo_matrix(ADJACENCY),
        sparse.triu(ADJACENCY),
        pd.DataFrame(ADJACENCY.toarray()),
        NETWORK,
        NETWORK.to_networkx(),
    ],
    ids=["dense", "list", "matrix", "one direction", "frame", "network", "networkx"],
)
def test_all_forms_of_a_network_are_one(embedded, given):
    other = clone(embedded).set_params(n_jobs=2)
    np.testing.assert_array_equal(other.fit_transform(given), embedded.embedding_)
    np.testing.assert_array_equal(other.transform(given), embedded.embedding_)


def test_a_data_frame_names_the_nodes(embedded):
    names = [f"node {number}" for number in range(60)]
    frame = pd.DataFrame(ADJACENCY.toarray(), index=names, columns=names)
    named = clone(embedded).fit(frame)
    pairs = np.array([["node 3", "node 4"]])
    np.testing.assert_array_equal(named.predict_proba(pairs), embedded.predict_proba([(3, 4)]))
    with pytest.raises(ValueError, match=r"X\.loc\[X\.columns\]"):
        named.fit(frame[names[::-1]])
    other = named.fit(NETWORK.to_networkx())  # without the names of the frame
    assert not hasattr(other, "feature_names_in_")
    np.testing.assert_array_equal(other.transform(ADJACENCY), embedded.embedding_)


def test_output_is_a_data_frame_on_request():
    output = ConditionalEmbedding(**SMALL).set_output(transform="pandas").fit_transform(ADJACENCY)
    assert list(output.columns) == ["conditionalembedding0", "conditionalembedding1"]


def test_random_states():
    def fitted(state):
        return ConditionalEmbedding(**SMALL, random_state=state).fit_transform(ADJACENCY)

    np.testing.assert_array_equal(fitted(np.random.RandomState(3)), fitted(np.random.RandomState(3)))
    assert not np.array_equal(fitted(0), fitted(1))
    assert np.isfinite(fitted(None)).all()


def test_new_rows_are_new_nodes(embedded):
    links = {"ann": [0, 1, 2], "bob": [7]}
    rows = np.zeros((2, 60))
    rows[0, [0, 1, 2]] = rows[1, 7] = 1
    expected = embedded.model_.add_many(links).positions[60:]
    np.testing.assert_allclose(embedded.transform(rows), expected, atol=1e-5)
    np.testing.assert_array_equal(embedded.transform(sparse.csr_matrix(rows)), embedded.transform(rows))


def test_new_nodes_that_a_prior_cannot_place():
    estimator = ConditionalEmbedding("degrees+blocks:community", **SMALL).fit(NETWORK)
    with pytest.raises(ng.InputError, match="community"):
        estimator.transform(ADJACENCY[:3])


def test_score_of_held_out_links(embedded):
    split = hide_links(NETWORK, 0.2)
    estimator = clone(embedded).fit(split.train.to_scipy())
    by_hand = auc(split.truth, estimator.predict_proba(split.pairs)[:, 1])
    assert estimator.score(ADJACENCY) == pytest.approx(by_hand, abs=0.1)  # other pairs without a link
    assert estimator.score(split.train.to_scipy()) > 0.8  # its own
    assert cross_val_score(estimator, ADJACENCY, cv=KFold(3, shuffle=True, random_state=0)).mean() > 0.7


def test_score_without_other_pairs_is_undefined():
    complete = np.ones((6, 6)) - np.eye(6)
    with pytest.warns(UndefinedMetricWarning, match="15 links and 0 other pairs"):
        assert np.isnan(ConditionalEmbedding(**SMALL).fit(complete).score(complete))
    with pytest.warns(UndefinedMetricWarning, match="0 links"):
        assert np.isnan(ConditionalEmbedding(**SMALL).fit(ADJACENCY).score(np.zeros((3, 60))))


def test_pipelines():
    pipeline = make_pipeline(ConditionalEmbedding(**SMALL), KMeans(2, n_init=3, random_state=0))
    assert adjusted_rand_score(COMMUNITY, pipeline.fit_predict(ADJACENCY)) > 0.8
    classifier = make_pipeline(ConditionalEmbedding(**SMALL), LogisticRegression())
    assert cross_val_score(classifier, ADJACENCY, COMMUNITY, cv=3).mean() > 0.9


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (np.ones((3, 2)), "square adjacency matrix"),
        (NETWORK.links(), "Network.from_edges"),
        (-ADJACENCY, "Negative values"),
    ],
)
def test_what_is_no_network(given, message):
    with pytest.raises(ValueError, match=message):
        ConditionalEmbedding(**SMALL).fit(given)


def test_wrong_calls(embedded):
    with pytest.raises(ng.InputError, match=r"model_\.update"):
        embedded.transform(networkx.path_graph(60))
    with pytest.raises(ValueError, match="n_jobs = 0"):
        ConditionalEmbedding(**SMALL, n_jobs=0).fit(ADJACENCY)
    with pytest.raises(ng.InputError, match="dimensions = 0"):
        clone(embedded).set_params(dimensions=0).fit(ADJACENCY)


# ---- LinkPredictor ---------------------------------------------------------------------------------------------------

PAIRS_X, PAIRS_Y = sample_pairs(NETWORK, others=2.0)


def test_sampled_pairs():
    links = int(PAIRS_Y.sum())
    assert links == NETWORK.link_count
    assert len(PAIRS_Y) == 3 * links
    np.testing.assert_array_equal(NETWORK.are_linked(*PAIRS_X.T), PAIRS_Y == 1)
    np.testing.assert_array_equal(sample_pairs(ADJACENCY, others=2.0)[0], PAIRS_X)
    assert len(sample_pairs(NETWORK, others=1e12)[0]) == 60 * 59 // 2  # all pairs; there are no more


def test_each_third_of_sampled_pairs_has_links_of_most_nodes():
    for third in np.array_split(PAIRS_X[PAIRS_Y == 1], 3):
        assert len(np.unique(third)) > 0.8 * np.count_nonzero(NETWORK.degrees)


@pytest.mark.parametrize("others", [-1, float("nan"), float("inf"), "2"])
def test_a_number_of_other_pairs_is_needed(others):
    with pytest.raises(ng.InputError, match="others = "):
        sample_pairs(NETWORK, others=others)


def test_pairs_make_the_network(embedded):
    predictor = LinkPredictor(nodes=range(60), **SMALL).fit(PAIRS_X, PAIRS_Y)
    np.testing.assert_array_equal(predictor.predict_proba(PAIRS_X), embedded.predict_proba(PAIRS_X))
    np.testing.assert_array_equal(predictor.predict(PAIRS_X), predictor.predict_proba(PAIRS_X)[:, 1] >= 0.5)
    assert predictor.score(PAIRS_X, PAIRS_Y) == auc(PAIRS_Y == 1, predictor.predict_proba(PAIRS_X)[:, 1])


def test_unlisted_pairs():
    listed = LinkPredictor(unlisted="unobserved", **SMALL).fit(PAIRS_X, PAIRS_Y)
    unlinked = LinkPredictor(**SMALL).fit(PAIRS_X, PAIRS_Y)
    assert listed.model_.network.unobserved_count == 60 * 59 // 2 - len(PAIRS_Y)
    means = [predictor.predict_proba(PAIRS_X)[:, 1].mean() for predictor in (listed, unlinked)]
    assert means[0] == pytest.approx(1 / 3, abs=0.08)  # the share of links in X
    assert means[1] < means[0]
    with pytest.raises(ng.InputError, match="'unlinked' or 'unobserved'"):
        LinkPredictor(unlisted="nothing").fit(PAIRS_X, PAIRS_Y)


def test_grid_search_on_held_out_pairs():
    grid = {"dimensions": [1, 2], "given": ["density", "degrees"]}
    search = GridSearchCV(LinkPredictor(nodes=range(60), **SMALL), grid, scoring="roc_auc", cv=3).fit(PAIRS_X, PAIRS_Y)
    assert search.best_score_ > 0.5
    assert search.best_score_ == pytest.approx(cross_val_score(search.best_estimator_, PAIRS_X, PAIRS_Y, cv=3).mean())


def test_names_groups_and_classes():
    company = ng.datasets.company(people=40)
    pairs, y = sample_pairs(company)
    nodes = company.to_pandas()[1]
    words = np.where(y == 1, "knows", "does not know")
    predictor = clone(LinkPredictor("degrees+blocks:department", nodes=nodes, **SMALL)).fit(pairs, words)
    assert list(predictor.classes_) == ["does not know", "knows"]
    assert set(predictor.predict(pairs)) <= {"does not know", "knows"}
    expected = ng.embed(company, "degrees+blocks:department", **SMALL).probabilities(pairs)
    np.testing.assert_array_equal(predictor.predict_proba(pd.DataFrame(pairs))[:, 1], expected)


def test_new_nodes_get_the_share_of_links():
    predictor = LinkPredictor(**SMALL).fit(PAIRS_X, PAIRS_Y)
    share = NETWORK.link_count / (60 * 59 / 2)
    with pytest.warns(ng.InputWarning, match="1 of 2 pairs have a node that fit did not get"):
        assert predictor.predict_proba([[0, 1], [0, 99]])[1, 1] == pytest.approx(share, rel=0.1)


def test_contradictions_are_counted():
    with pytest.warns(ng.InputWarning, match="1 of 2 pairs without a link are listed with one"):
        LinkPredictor(**SMALL).fit([[0, 1], [1, 2], [2, 1], [0, 3]], [1, 1, 0, 0])


@pytest.mark.parametrize(
    ("pairs", "y", "message"),
    [
        ([[0, 1, 2], [1, 2, 3]], [0, 1], "a pair has two"),
        ([[0, 1], [1, 2]], [0, 0], "no links among 2 pairs"),
        ([[0, 1], [1, 2]], ["a", "a"], "Only binary"),
        ([[0, 1], [1, 2]], None, "requires y"),
    ],
)
def test_what_are_no_pairs(pairs, y, message):
    with pytest.raises(ValueError, match=message):
        LinkPredictor(**SMALL).fit(pairs, y)


# ---- NodeClassifier --------------------------------------------------------------------------------------------------

UNKNOWN = np.arange(60) >= 30


@pytest.fixture(scope="module")
def classified():
    return NodeClassifier(**SMALL).fit(ADJACENCY, np.where(UNKNOWN, -1, COMMUNITY))


def test_nodes_are_classified(classified):
    known = ~UNKNOWN
    np.testing.assert_array_equal(classified.transduction_[known], COMMUNITY[known])
    assert (classified.transduction_[UNKNOWN] == COMMUNITY[UNKNOWN]).mean() > 0.9
    np.testing.assert_array_equal(classified.predict(ADJACENCY), classified.transduction_)
    np.testing.assert_array_equal(classified.predict_proba(NETWORK), classified.label_distributions_)
    np.testing.assert_allclose(classified.label_distributions_.sum(axis=1), 1)
    assert list(classified.classes_) == [0, 1]


@pytest.mark.parametrize("missing", [np.nan, None])
def test_all_forms_of_unknown_are_one(classified, missing):
    names = np.where(UNKNOWN, missing, np.array(["left", "right"], dtype=object)[COMMUNITY])
    other = clone(classified).fit(ADJACENCY, pd.Series(names))
    np.testing.assert_array_equal(other.label_distributions_, classified.label_distributions_)
    assert list(other.classes_) == ["left", "right"]


def test_several_classes_per_node(classified):
    indicator = np.column_stack([COMMUNITY == 0, COMMUNITY == 1, np.arange(60) % 2]).astype(int)
    indicator[UNKNOWN] = 0
    several = clone(classified).fit(ADJACENCY, sparse.csr_matrix(indicator))
    assert several.transduction_.shape == (60, 3)
    np.testing.assert_array_equal(several.predict(ADJACENCY)[~UNKNOWN], indicator[~UNKNOWN])
    assert several.score(ADJACENCY, indicator) == 1


def test_new_nodes_are_classified_one_by_one(classified):
    rows = sparse.csr_array(np.stack([(group == COMMUNITY) & (np.arange(60) % 5 == 0) for group in (0, 1)])).astype(int)
    assert classified.predict(rows).tolist() == [0, 1]
    np.testing.assert_allclose(classified.predict_proba(rows[:1]), classified.predict_proba(rows)[:1], atol=1e-6)
    assert cross_val_score(NodeClassifier(**SMALL), ADJACENCY, COMMUNITY, cv=2).mean() > 0.9


def test_score_leaves_unknown_nodes_out(classified):
    assert classified.score(ADJACENCY, np.where(UNKNOWN, np.nan, COMMUNITY)) == 1
    names = np.where(UNKNOWN, None, np.array(["left", "right"], dtype=object)[COMMUNITY])
    assert clone(classified).fit(ADJACENCY, names).score(ADJACENCY, names) == 1


def test_wrong_classes():
    with pytest.raises(ValueError, match="y has no class"):
        NodeClassifier(**SMALL).fit(ADJACENCY, np.full(60, -1))
    with pytest.warns(ng.InputWarning, match="-1 stands for nodes whose class is unknown"):
        NodeClassifier(**SMALL).fit(ADJACENCY, np.where(COMMUNITY, 1, -1))
